/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arms.h - the industrial robots of the simulated facility on real sockets, each with its own clock and its own faults.
 *
 *     robots.links of FILE.yaml --> [arms_file] --> telegrams to the address and port of each link, answers back
 *
 * Lock-step: a robot sends its next telegram as soon as the answer is there, as fast as both sides go; without one after
 * 250 ms.
 */
#ifndef FREEFALL_LAB_ARMS_H
#define FREEFALL_LAB_ARMS_H

#include <stdio.h>

#include "tools/lab/post.h"

#define ARMS_MAX 2

/* What can be changed while it runs, by the fault script: "arm 1 loss_in 2". */
enum arms_setting {
    ARMS_LOSS_IN,   /* %, telegrams */
    ARMS_LOSS_OUT,  /* %, answers */
    ARMS_TWICE,     /* % */
    ARMS_BEHIND,    /* % */
    ARMS_MALFORMED, /* % */
    ARMS_FOREIGN,   /* % of cycles with a copy from another port */
    ARMS_LATENCY,   /* us, each way */
    ARMS_JITTER,    /* us, mean, each way */
    ARMS_PPM,
    ARMS_SILENT,  /* 1: the cable is out */
    ARMS_PORT,    /* 1: another source port, once */
    ARMS_RESTART, /* IPOC to begin with again */
    ARMS_JUMP,    /* cycles the IPOC leaps */
    ARMS_HOLDON,
    ARMS_RELATIVE,
    ARMS_SETTINGS
};

#define ARMS_WORDS                                                                                 \
    "loss_in loss_out twice behind malformed foreign latency jitter ppm silent port restart jump " \
    "holdon relative"

struct arms_one {
    char name[16];
    struct krc_model model;
    struct krc krc;
    struct post_model in_model, out_model;
    struct post in, out; /* telegrams to the controller; answers to the robot */
    double malformed, foreign;
    bool silent;
    int64_t sent_ns; /* lock-step: the last telegram */
    uint64_t spoiled, copies;
    int copy;         /* bytes of the last telegram that somebody else repeats now */
    int fd, other_fd; /* the robot; somebody else */
    char address[16];
    uint16_t port; /* where it sends */
};

struct arms {
    int count;
    bool lockstep;
    struct random_state random;
    struct arms_one arm[ARMS_MAX];
    char good[KRC_TELEGRAM_MAX], bad[KRC_TELEGRAM_MAX]; /* work space */
};

/* The robots of robots.links: their number, or -errno after saying why. Nothing is opened. */
int arms_file(struct arms *a, const char *path, uint64_t seed, FILE *messages);

/* Open the sockets, begin at t_ns. 0 or -errno after saying why. */
int arms_open(struct arms *a, int64_t t_ns, FILE *messages);
void arms_close(struct arms *a);

/* Do what is due; when next, ns (never more than 1 ms ahead). */
int64_t arms_step(struct arms *a, int64_t t_ns);

/* Change a setting of robot i, from 0. */
void arms_set(struct arms *a, int i, enum arms_setting setting, double value);

/* One line of JSON, as part of stats. */
int arms_stats(const struct arms *a, char *out, size_t size);

#endif
