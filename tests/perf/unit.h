/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit.h - names of the work units, the states they run on, and whether all libraries give the same results. */
#ifndef FREEFALL_PERF_UNIT_H
#define FREEFALL_PERF_UNIT_H

#include "tests/perf/perf.h"

enum { UNIT_LIBRARIES = 8 };

/* A library that was loaded. */
struct unit_library {
    const struct perf_library *table;
    void *self;
};

/* The libraries of this run. The order of the columns: ours first. */
struct unit_set {
    struct unit_library library[UNIT_LIBRARIES];
    int libraries;
    struct perf_state state[PERF_STATES];
};

const char *unit_name(enum perf_unit unit);

/* Random states: angles within pi, rates to 2 rad/s, base to 1 m/s and 1 rad/s, some tens of N and Nm. */
void unit_states(struct perf_state state[static PERF_STATES]);

/* Load the shared objects, open their robots. 0, or -1 after saying what is wrong. */
int unit_load(struct unit_set *set, int files, char *const file[]);

/* Every unit in every state, all libraries against the first that offers it. Prints the largest difference of each unit; 0, or
 * -1 if one is too large. */
int unit_check(const struct unit_set *set);

#endif
