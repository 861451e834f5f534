/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_process.h - on-board software in a process of its own, behind the same table as a library.
 *
 *     open:  shared memory -> start the program with it as descriptor 3 -> wait until it is ready
 *     step:  ask and wait until the deadline (rt/obsw_memory.h); nothing else runs inside the cycle
 *     close: ask it to end, then insist, then kill; nothing is left over
 *
 * What it does wrong is seen as: late (busy, stopped, dead), invalid (code not 0, NaN) or version;
 * rt/flight.c bridges a few cycles and holds. It cannot crash or block the controller. `freefall
 * obsw-host LIBRARY` is such a program for any library that plugin.h would load; with it the same
 * library runs either way and gives the same bytes.
 *
 *     static struct obsw_process process;
 *
 *     obsw_process_open(&process, &model, &setup);
 *     obsw = (struct control_obsw){&process.table, &process};
 */
#ifndef FREEFALL_OBSW_PROCESS_H
#define FREEFALL_OBSW_PROCESS_H

#include <sys/types.h>

#include "rt/obsw_memory.h"

#define OBSW_PROCESS_FD        3 /* where the program finds the memory */
#define OBSW_PROCESS_TEXT_SIZE 96

struct obsw_process_model {
    /* Program and its words, ends with NULL. A name without a slash is searched for in PATH. */
    char *const *argv;
    /* For an answer, from its question: below the period in real time, seconds in a simulation. */
    int64_t deadline_ns;
    int64_t start_ns; /* for the program to become ready */
    int64_t end_ns;   /* for it to end when asked, and once more when told by SIGTERM */
    /* The thread that will call step has denormals flushed: the program shall do the same. */
    bool flush_denormals;
};

struct obsw_process {
    struct obsw_interface table;
    struct obsw_memory memory;
    int64_t end_ns;
    pid_t pid; /* also its process group; 0 when there is none */
    char name[OBSW_MEMORY_NAME_SIZE];
};

/* Start the program and wait until it is ready. 0, or after a message -EINVAL for a model that
 * makes no sense, -errno of the start, -EPROTO for another version, -ETIMEDOUT, -ECHILD when it
 * ended. Call it before real-time threads exist: the program inherits scheduling class and
 * processors of the caller. */
int obsw_process_open(struct obsw_process *p, const struct obsw_process_model *m,
                      const struct obsw_setup *setup);

/* Does the program still run? If not, text says how it ended. Not for the cycle, but may run
 * beside it. */
bool obsw_process_runs(const struct obsw_process *p, char text[static OBSW_PROCESS_TEXT_SIZE]);

/* End the program and every process it started in its group. An all-zero struct is left alone. */
void obsw_process_close(struct obsw_process *p);

#endif
