/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.h - the real-time platform below us: PREEMPT_RT or Xenomai's Cobalt core.
 *
 * The only place where the two differ; nothing else in the tree asks which one it was built for by #ifdef.
 */
#ifndef FREEFALL_PLATFORM_H
#define FREEFALL_PLATFORM_H

#include <pthread.h>
#include <sys/utsname.h>

#include "model/base.h"

#define PLATFORM_TEXT_MAX 65 /* as long as what uname() gives */

enum platform_flavour {
    PLATFORM_PREEMPT, /* plain POSIX calls on a PREEMPT_RT kernel */
    PLATFORM_COBALT,  /* the same calls, redirected to the Cobalt core at link time */
};

/* What is known about the running kernel. */
struct platform_kernel {
    bool name_says_realtime;        /* uname -v contains PREEMPT_RT or PREEMPT RT */
    bool file_found;                /* /sys/kernel/realtime exists */
    bool file_says_realtime;        /* and reads 1 */
    bool realtime;                  /* one of the two says so */
    char cobalt[PLATFORM_TEXT_MAX]; /* version of the running Cobalt core; "" when none runs */
};

/* Which platform this program was built for. */
enum platform_flavour platform_flavour(void);

/* Ask the kernel. name is what uname() gave; root stands before /sys and /proc, "" on a real machine.
 * Neither sign is trusted alone: there are real-time kernels that show only one of them. */
void platform_kernel(const char *root, const struct utsname *name, struct platform_kernel *kernel);

/* In the calling thread, treat numbers below 2.2e-308 as zero, or treat them exactly again. They slow
 * arithmetic down without use to us. False when this processor offers no such switch. */
RT_SAFE bool platform_flush_denormals(bool flush);

/* ---- time: the one clock of the loop; setting the wall clock does not move it ---- */

RT_SAFE int64_t platform_now_ns(void);

/* Sleep until this instant of platform_now_ns(); at once when it is over. Interruptions by signals do not end it. */
void platform_wait_until(int64_t instant_ns);

/* ---- what a real-time thread stands on; set-up only ---- */

struct platform_schedule {
    int priority; /* SCHED_FIFO, 1..99; 0: an ordinary thread */
    int cpu;      /* the one it runs on; -1: any */
};

/* Lock every page of the process, now and later. Stacks of threads started afterwards are in memory whole: a locked
 * mapping is filled when it is made. 0 or -errno: -EPERM or -ENOMEM without the right to lock this much. */
int platform_lock_memory(void);

/* Keep processors out of deep sleep while the returned descriptor is open; -errno when that is not permitted. */
int platform_stay_awake(void);

/* Start run(self) in a thread of its own, with its scheduling from the first instruction on. 0 or -errno: -EPERM without
 * the right to the priority, -EINVAL for a processor that is not there. */
int platform_thread_start(pthread_t *thread, const struct platform_schedule *schedule,
                          void *(*run)(void *), void *self);

/* What happened to the calling thread since it began. */
struct platform_thread_figures {
    long minor_faults, major_faults;
    long waits;     /* times it gave the processor away */
    long preempted; /* times it was taken */
};

void platform_thread_figures(struct platform_thread_figures *figures);

#endif
