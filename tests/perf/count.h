/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count.h - instructions per call, counted by callgrind: the same to the digit in every run, on every machine. */
#ifndef FREEFALL_PERF_COUNT_H
#define FREEFALL_PERF_COUNT_H

#include "tests/perf/measure.h"

/* Runs this program again below valgrind with the same libraries, and reads what it counted. 0, or -1 after saying why. */
int count_instructions(struct measure_table *t, const struct unit_set *set, int files,
                       char *const file[]);

/* What the program does below valgrind: each unit of each library 256 times, then 512 times, with a mark before and after. The
 * difference is 256 calls and nothing else. */
void count_workload(const struct unit_set *set);

#endif
