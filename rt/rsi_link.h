/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_link.h - an RSI robot behind drivers/robot.h: a socket, a thread that answers at once, and two latest values.
 *
 *     loop -- robot_submit() --> [targets] --> thread: recvmsg, session, sendto --> [report] -- robot_newest() --> loop
 *
 * The thread never waits for the loop: it answers from the newest set-points there are. Of a backlog only the newest
 * telegram is answered.
 */
#ifndef FREEFALL_RSI_LINK_H
#define FREEFALL_RSI_LINK_H

#include <pthread.h>

#include "drivers/robot.h"
#include "drivers/rsi_session.h"
#include "rt/exchange.h"
#include "rt/histogram.h"

#define RSI_LINK_FIRST 64

/* Constant after rsi_link_init(). */
struct rsi_link_model {
    struct rsi_model rsi;
    char name[16];
    char address[16]; /* ours */
    uint16_t port;
    uint32_t source;   /* the robot's address, 0: whoever speaks first */
    int timeout;       /* of the robot's ETHERNET object, cycles */
    int priority, cpu; /* SCHED_FIFO, 0: ordinary; -1: any processor */
};

/* What the thread tells. */
struct rsi_link_report {
    struct robot_sample sample;
    struct robot_health health;
    struct rsi_counts counts;
    uint64_t step; /* of the IPOC */
};

struct rsi_link {
    struct rsi_link_model model;
    int fd;
    pthread_t thread;
    bool running;
    atomic_bool stop;
    atomic_uint asked;          /* bit of each robot_request that waits */
    struct robot_window window; /* of the submitting side */
    struct exchange_latest targets, reports;
    struct robot_window target_memory[EXCHANGE_PLACES];
    struct rsi_link_report report_memory[EXCHANGE_PLACES];
    struct rsi_link_report seen; /* of the reading side */

    /* the thread's own */
    struct rsi_session session;
    struct robot_window newest;
    struct histogram answer, jitter;
    struct rsi_link_report report;
    int64_t reported_ns;
};

/* Make `link` lead to l. 0; -EINVAL with the reason. */
int rsi_link_init(struct rsi_link *l, const struct rsi_link_model *m, struct robot_link *link,
                  char why[static 160]);

/* Newest report of the thread; false if it is the one of the last call. Same side as robot_newest(). */
bool rsi_link_read(struct rsi_link *l, struct rsi_link_report *report);

#endif
