/* SPDX-License-Identifier: GPL-3.0-or-later */
/* virtual.h - the master layer and the simulated segment in one process, on one clock that only moves when somebody
 * waits: real frames, real SOEM, no socket, no computer in between.
 *
 * A test program that links virtual.c has the calls of drivers/port.h and the clock of SOEM's operating-system layer
 * led here by the linker (Makefile, VIRTUAL). Whatever sleeps or waits moves the clock; when the clock passes the
 * instant of a cycle, the cycle runs, as it would in another thread.
 */
#ifndef FREEFALL_VIRTUAL_H
#define FREEFALL_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/lab/lab.h"

#define VIRTUAL_FRAMES 600 /* in the queue of a socket */

struct virtual_queue {
    int first, count;
    int bytes[VIRTUAL_FRAMES];
    uint8_t frame[VIRTUAL_FRAMES][SEGMENT_FRAME_MAX];
};

struct virtual
{
    struct lab lab;
    int64_t now_ns;
    int64_t next_ns;                 /* instant of the next cycle */
    int64_t period_ns;               /* 0: no cycles */
    void (*cycle)(struct virtual *); /* moves next_ns on */
    void *user;
    bool inside; /* a cycle is running */
    struct virtual_queue queue[2];
};

/* The one of this program. */
extern struct virtual virtual_world;

/* A ready-made segment at time zero; nothing runs. */
struct virtual *virtual_init(const char *segment, uint64_t seed);

/* Let time go by, with the cycles in it. */
void virtual_sleep(struct virtual *v, int64_t ns);

/* A command for the lab; it must obey. */
void virtual_tell(struct virtual *v, const char *line);

#endif
