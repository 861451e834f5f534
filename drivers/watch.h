/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch.h - the helper's round over a running bus: emergencies, error counters of the links, where the wire is broken.
 *
 * Called every 10 ms from the helper, never from the cycle. Blocks for some round trips.
 */
#ifndef FREEFALL_WATCH_H
#define FREEFALL_WATCH_H

#include <stdint.h>

#include "drivers/ethercat.h"

#define WATCH_PORTS 4
#define WATCH_COUNTERS                                                                             \
    20 /* bytes from 0x0300: per port invalid frames and errors, forwarded, others, lost links */
#define WATCH_ROUND      10 /* steps between two readings of the counters */
#define WATCH_BREAK_TEXT 160

struct watch {
    uint8_t last[ETHERCAT_DEVICES_MAX][WATCH_COUNTERS];
    bool known[ETHERCAT_DEVICES_MAX];
    uint32_t errors;                /* new ones of this step */
    int worst_position, worst_port; /* where most of them were, from 0; -1: none */
    int steps;
};

void watch_init(struct watch *w);

/* One step: new emergencies, their number; errors of the links are in w->errors. */
int watch_step(struct watch *w, struct ethercat *e);

/* Errors by which counters have risen; a counter that fell was cleared and counts from zero. Pure. */
uint32_t watch_risen(const uint8_t before[static WATCH_COUNTERS],
                     const uint8_t after[static WATCH_COUNTERS], int *worst_port);

/* Where the wire ends when only `present` of `count` devices see the frame; "" when all do. Pure. */
void watch_break(int present, int count, char text[static WATCH_BREAK_TEXT]);

#endif
