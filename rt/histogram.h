/* SPDX-License-Identifier: GPL-3.0-or-later */
/* histogram.h - how often a duration was how long: counted in the cycle, read afterwards.
 *
 * Bins widen with the duration, 32 to each doubling: a percentile is true to 3.2 % from 32 ns to 68 s, and exact
 * below. Counting is one addition in one cache line.
 */
#ifndef FREEFALL_HISTOGRAM_H
#define FREEFALL_HISTOGRAM_H

#include "model/base.h"

enum {
    HISTOGRAM_FINE = 32,      /* bins of a doubling */
    HISTOGRAM_DOUBLINGS = 31, /* from 32 ns to 2^36 ns; what is longer counts in the last bin */
    HISTOGRAM_BINS = HISTOGRAM_FINE * (HISTOGRAM_DOUBLINGS + 1)
};

struct histogram {
    uint64_t count;
    uint64_t early; /* negative durations, counted as zero */
    int64_t least_ns, most_ns;
    double sum_ns;
    uint32_t bin[HISTOGRAM_BINS];
};

void histogram_reset(struct histogram *h);

/* Count one duration. */
RT_SAFE void histogram_add(struct histogram *h, int64_t ns);

/* The duration that `share` of all do not exceed, 0 < share <= 1; 0 when nothing was counted. The upper end of its bin,
 * but never above the longest. */
int64_t histogram_percentile(const struct histogram *h, double share);

/* Part of all that was longer than ns, of whole bins. */
double histogram_above(const struct histogram *h, int64_t ns);

/* The first duration that falls into bin i, and the one into the next. */
int64_t histogram_edge(int i);

#endif
