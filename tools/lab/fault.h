/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fault.h - the fault script: which fault, when, for how long.
 *
 *     drop 3                        at once
 *     at 500 al 4 SAFE-OP 0x1b      when process data frame 500 comes
 *     at 20ms power 3 off           20 ms after the lab started
 *     at 500 cut 2 for 100          mended 100 process data frames later ("for 30ms": after that time)
 *
 * Lines that are empty or begin with '#' say nothing.
 */
#ifndef FREEFALL_LAB_FAULT_H
#define FREEFALL_LAB_FAULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/lab/verb.h"

#define FAULT_ENTRIES_MAX 256
#define FAULT_LINE_MAX    120

enum fault_clock { FAULT_CYCLES, FAULT_TIME };

struct fault_instant {
    enum fault_clock clock;
    int64_t value; /* process data frames, or ns since the start */
};

struct fault_entry {
    bool waiting, running; /* not yet struck; struck, to be undone */
    struct fault_instant begin, duration, end;
    struct verb_order order;
    char line[FAULT_LINE_MAX];
};

struct fault {
    struct verb_target target;
    int64_t start_ns;
    int count;
    struct fault_entry entry[FAULT_ENTRIES_MAX];
    FILE *log; /* what struck when, one line each; NULL: nowhere */
    uint64_t struck;
};

void fault_init(struct fault *f, const struct verb_target *target, int64_t start_ns, FILE *log);

/* Take one line. A fault without "at" strikes before this returns. 0, or -EINVAL / -ENOSPC with the reason. */
int fault_line(struct fault *f, const char *line, int64_t t_ns, char error[static VERB_ERROR_MAX]);

/* Take a whole file; what is wrong is said on `messages` with name and line. 0 or -errno of the first. */
int fault_file(struct fault *f, const char *path, int64_t t_ns, FILE *messages);

/* Let everything strike and end that is due: at t_ns, before process data frame number `cycle` (from 1). */
void fault_step(struct fault *f, int64_t t_ns, uint64_t cycle);

#endif
