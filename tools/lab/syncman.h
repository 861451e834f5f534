/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syncman.h - sync managers: who may touch which part of the process RAM, and when.
 *
 * Two kinds: a mailbox is written completely by one side, then read completely by the other; process data is always
 * accessible in its direction. Data sheet section I, chapter 8.
 */
#ifndef FREEFALL_LAB_SYNCMAN_H
#define FREEFALL_LAB_SYNCMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/lab/esc.h"

/* Bus side, called by esc.c --------------------------------------------------------------------- */

/* Write n bytes to the sync manager registers at address `at`. */
void syncman_store(struct esc *e, unsigned at, const uint8_t *data, unsigned n);

/* Copy the state of a sync manager to its status register. */
void syncman_show(struct esc *e, int i);

/* The sync manager whose buffer holds address `at`, or -1; *run is shortened to where that ends. */
int syncman_at(const struct esc *e, unsigned at, unsigned *run);

/* May the bus side read, or write, the buffer at this address now? */
bool syncman_allows(const struct esc_sm *sm, unsigned at, bool write);

/* It did, up to address `end`. */
void syncman_touched(struct esc *e, int i, unsigned end, bool write);

/* Device side ----------------------------------------------------------------------------------- */

/* Fetch what the master has put into mailbox `sm`: number of bytes, 0 when it is empty. */
unsigned syncman_fetch(struct esc *e, int sm, uint8_t *data, unsigned most);

/* Offer n bytes in mailbox `sm` (the rest is zero); false when the master has not read the last ones,
 * or the mailbox is smaller. */
bool syncman_offer(struct esc *e, int sm, const uint8_t *data, unsigned n);

/* Deny or allow every access to the buffer of a sync manager. */
void syncman_lock(struct esc *e, int sm, bool locked);

#endif
