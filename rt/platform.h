/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.h - the real-time platform below us: PREEMPT_RT or Xenomai's Cobalt core.
 *
 * The only place where the two differ; nothing else in the tree asks which one it was built for by #ifdef.
 */
#ifndef FREEFALL_PLATFORM_H
#define FREEFALL_PLATFORM_H

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

#endif
