/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fmmu.h - logical addressing: which bytes and bits of a logical datagram belong to one slave controller.
 *
 *     logical address --> FMMU --> physical address --> sync manager --> RAM
 */
#ifndef FREEFALL_LAB_FMMU_H
#define FREEFALL_LAB_FMMU_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/lab/esc.h"

/* What was served, once per slave and datagram however many FMMUs match. */
enum fmmu_served { FMMU_READ = 1, FMMU_WRITTEN = 2 };

/* Run n bytes at the logical address through the active FMMUs. With write, outputs are taken from the data
 * before any input is put into it: outputs and inputs may lie at the same logical address. */
unsigned fmmu_access(struct esc *e, uint32_t logical, uint8_t *data, unsigned n, bool read,
                     bool write);

#endif
