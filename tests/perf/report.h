/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.h - the table for people, the goals, and the same as JSON. */
#ifndef FREEFALL_PERF_REPORT_H
#define FREEFALL_PERF_REPORT_H

#include "tests/perf/measure.h"

/* Print libraries, times, counts. */
void report_print(const struct unit_set *set, const struct measure_table *t);

/* Print every goal with its verdict; returns how many must goals are not met. */
int report_goals(const struct unit_set *set, const struct measure_table *t);

/* Write all of it to the file. 0, or -1 after saying why. */
int report_json(const char *path, const struct unit_set *set, const struct measure_table *t);

#endif
