/* SPDX-License-Identifier: GPL-3.0-or-later */
/* histogram.c - how often a duration was how long. */
#include "rt/histogram.h"

void histogram_reset(struct histogram *h)
{
    memset(h, 0, sizeof *h);
}

/* Below 32 ns a bin is a nanosecond; above, the leading one says which doubling, the five bits behind it which bin. */
RT_SAFE static int bin_of(int64_t ns)
{
    const uint64_t u = (uint64_t)ns;
    int shift, bin;

    if (u < HISTOGRAM_FINE) {
        return (int)u;
    }
    shift = 63 - __builtin_clzll(u) - 5;
    bin = HISTOGRAM_FINE * (shift + 1) + (int)((u >> shift) - HISTOGRAM_FINE);
    return bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1;
}

int64_t histogram_edge(int i)
{
    const int doubling = i / HISTOGRAM_FINE, fine = i % HISTOGRAM_FINE;

    return doubling == 0 ? fine : (int64_t)(HISTOGRAM_FINE + fine) << (doubling - 1);
}

RT_SAFE void histogram_add(struct histogram *h, int64_t ns)
{
    if (ns < 0) {
        ns = 0;
        h->early++;
    }
    if (h->count == 0 || ns < h->least_ns) {
        h->least_ns = ns;
    }
    h->most_ns = ns > h->most_ns ? ns : h->most_ns;
    h->sum_ns += (double)ns;
    h->count++;
    h->bin[bin_of(ns)]++;
}

int64_t histogram_percentile(const struct histogram *h, double share)
{
    const double wanted = share * (double)h->count;
    uint64_t sum = 0;

    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        sum += h->bin[i];
        if (sum > 0 && (double)sum >= wanted) {
            const int64_t end = i + 1 < HISTOGRAM_BINS ? histogram_edge(i + 1) - 1 : h->most_ns;

            return end < h->most_ns ? end : h->most_ns;
        }
    }
    return h->most_ns;
}

double histogram_above(const struct histogram *h, int64_t ns)
{
    uint64_t sum = 0;

    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        sum += histogram_edge(i) > ns ? h->bin[i] : 0;
    }
    return h->count > 0 ? (double)sum / (double)h->count : 0.0;
}
