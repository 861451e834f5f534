/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coe.h - objects of a device read and written through its mailbox, and the emergencies that come by the same way.
 *
 * Blocks for up to a second: for bring-up and the helper, never for the cycle. One thread only. An emergency that lies in
 * the mailbox before an answer is kept, not taken for the answer (SOEM 2.0.0 loses it).
 */
#ifndef FREEFALL_COE_H
#define FREEFALL_COE_H

#include <stdint.h>

#include "drivers/ethercat.h"

/* Read or write a number of 1 to 4 bytes; position from 0. 0; -EPROTO when the device refuses, with its abort code (0:
 * the answer made no sense); -ETIMEDOUT; -ENOTSUP for a device without mailbox. */
int coe_read(struct ethercat *e, int position, uint16_t index, uint8_t sub, uint32_t *value,
             uint32_t *abort_code);
int coe_write(struct ethercat *e, int position, uint16_t index, uint8_t sub, uint32_t value,
              int bytes, uint32_t *abort_code);

/* Take what lies in the mailbox of a device without waiting: emergencies go to e->event[]. Their number. */
int coe_poll(struct ethercat *e, int position);

/* What an abort code means. */
const char *coe_abort_text(uint32_t abort_code);

#endif
