/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure.h - times of the work units, warm and cold. */
#ifndef FREEFALL_PERF_MEASURE_H
#define FREEFALL_PERF_MEASURE_H

#include "tests/perf/unit.h"

/* ns per call; zero where a library does not offer the unit. */
struct measure_row {
    double min_ns, median_ns, p99_ns;
    double cold_ns;      /* median of single calls, each after the caches were swept */
    double instructions; /* per call */
};

struct measure_table {
    struct measure_row row[PERF_UNITS][UNIT_LIBRARIES];
};

/* Stay on one processor, the last one allowed. */
void measure_pin(void);

/* Warm: samples of eight calls over cycled states, in short batches that go round the libraries. */
void measure_warm(struct measure_table *t, const struct unit_set *set);

/* Cold: 48 MB are written before each single call. */
void measure_cold(struct measure_table *t, const struct unit_set *set);

#endif
