/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trial.h - what this process may do, found out by trying.
 *
 * A limit that reads well may still refuse, and the other way round: so each right a real-time run needs
 * is used once, in a child process that ends at once. Nothing is left behind.
 */
#ifndef FREEFALL_TRIAL_H
#define FREEFALL_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define TRIAL_PRIORITY  95         /* the highest a run uses, and what the limits are set to */
#define TRIAL_UNLIMITED UINT64_MAX /* of a limit */

/* Writing chunks of a log and waiting until they are on the disk. */
struct trial_disk {
    int error;           /* 0, or -errno */
    int chunks;          /* how many were written before time or size ran out */
    int64_t worst_ns;    /* the slowest chunk */
    int64_t total_ns;    /* all of them */
    int64_t bytes;       /* all of them */
    uint64_t free_bytes; /* left for a plain user on that file system */
};

struct trial {
    int fifo_error;          /* SCHED_FIFO at TRIAL_PRIORITY: 0, or -errno */
    int raw_error;           /* a raw socket, as the EtherCAT bus needs it */
    int lock_error;          /* mlockall() within the limit */
    int lock_free_error;     /* mlockall() with a limit of 0: needs the capability and no limit */
    int idle_error;          /* /dev/cpu_dma_latency opened for writing */
    int netspace_error;      /* a network of our own, with the right to configure it */
    bool flush;              /* numbers below 2.2e-308 can be made zero */
    uint64_t priority_limit; /* RLIMIT_RTPRIO */
    uint64_t lock_limit;     /* RLIMIT_MEMLOCK, bytes */
    struct trial_disk disk;
};

/* Try everything. The disk is tried in the folder: at most 8 MiB, no new chunk after 0.3 s. */
void trial_run(struct trial *t, const char *folder);

#endif
