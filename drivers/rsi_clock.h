/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_clock.h - the robot's clock on ours: when, on our clock, was its cycle number k?
 *
 * A telegram arrives at its instant plus a delay that is never below the least one. So the instants lie on a line below
 * all arrivals: arrival(k) >= origin + k cycle + offset + slope k cycle. Of each quarter of a second the earliest arrival
 * is kept, for four seconds; the line is the one that touches them from below at their middle (the lower hull). Late
 * telegrams do not move it at all.
 */
#ifndef FREEFALL_RSI_CLOCK_H
#define FREEFALL_RSI_CLOCK_H

#include "model/base.h"

#define RSI_CLOCK_BINS 16

struct rsi_clock {
    int64_t origin_ns, cycle_ns;
    int64_t first;          /* cycle at the origin */
    double offset_s, slope; /* of the line; slope 1e-6 is 1 ppm slower than ours */
    double x_s[RSI_CLOCK_BINS], y_s[RSI_CLOCK_BINS]; /* earliest arrivals: time, excess */
    int count; /* closed bins, the newest at [(count - 1) % BINS] */
    double bin_begin_s, least_x_s, least_y_s;
};

/* Begin anew with cycle number `cycle`, which arrived at arrival_ns. */
RT_SAFE void rsi_clock_start(struct rsi_clock *c, int64_t cycle_ns, int64_t cycle,
                             int64_t arrival_ns);

/* One more arrival. Returns how much later than the earliest possible it came, s. */
RT_SAFE double rsi_clock_step(struct rsi_clock *c, int64_t cycle, int64_t arrival_ns);

/* The instant of a cycle on our clock, ns. */
RT_SAFE int64_t rsi_clock_instant(const struct rsi_clock *c, int64_t cycle);

#endif
