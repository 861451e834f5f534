/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slave_state.h - how a slave acts on its registers: state requests and what speaks against them, mailbox, EEPROM,
 * clock. The part of slave.h that follows the master.
 */
#ifndef FREEFALL_LAB_SLAVE_STATE_H
#define FREEFALL_LAB_SLAVE_STATE_H

#include "tools/lab/slave.h"

/* What forbids each step up at this moment. */
struct al_refusal slave_state_refusal(struct slave *s);

/* Copy the state to its registers. */
void slave_state_show(struct slave *s);

/* Allow access to the process data as the state demands. */
void slave_state_lock(struct slave *s);

/* State changes and mailbox requests that are due. */
void slave_state_tick(struct slave *s, int64_t t_ns);

#endif
