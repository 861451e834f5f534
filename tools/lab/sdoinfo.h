/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sdoinfo.h - the SDO information service: which objects there are, what they are called, who may touch them. */
#ifndef FREEFALL_LAB_SDOINFO_H
#define FREEFALL_LAB_SDOINFO_H

#include <stdint.h>

#include "tools/lab/od.h"

/* Takes one reply of n bytes (CoE header included); several when a list does not fit one mailbox. */
typedef void sdoinfo_sink(void *user, const uint8_t *reply, unsigned n);

/* Answer one CoE message of service 8 (header included, n bytes) with one reply or more. */
void sdoinfo_answer(const struct od *od, unsigned mailbox_bytes, const uint8_t *request, unsigned n,
                    sdoinfo_sink *sink, void *user);

#endif
