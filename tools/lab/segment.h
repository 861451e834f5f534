/* SPDX-License-Identifier: GPL-3.0-or-later */
/* segment.h - an EtherCAT segment: a frame goes in, every datagram runs through the slaves in the order of the wire,
 * the frame comes back.
 *
 *     master --> slave 1 --> slave 2 --> ... --> slave n       forward: processed
 *            <--         <--         <-- ... <--               back: passed on, and stamped for the clocks
 *
 * No socket, no clock of the computer: the caller says what time it is, so a test can run a whole day in a second and
 * gets the same bytes every time. Positions are counted from 1 as masters do.
 */
#ifndef FREEFALL_LAB_SEGMENT_H
#define FREEFALL_LAB_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/lab/physics.h"
#include "tools/lab/slave.h"

#define SEGMENT_SLAVES_MAX 64
#define SEGMENT_FRAME_MAX  1514 /* bytes of an Ethernet frame without checksum */
#define SEGMENT_COMMANDS   16

enum segment_result {
    SEGMENT_REPLY,     /* the frame was processed in place and goes back */
    SEGMENT_FOREIGN,   /* another ethertype or EtherCAT type: not for us */
    SEGMENT_MALFORMED, /* lengths or flags contradict each other: dropped */
    SEGMENT_NOBODY,    /* no slave is connected: nothing comes back */
};

struct segment_stats {
    uint64_t frames, foreign, malformed, unanswered;
    uint64_t cycles; /* frames with process data */
    uint64_t datagrams[SEGMENT_COMMANDS];
};

struct segment {
    int count;
    struct slave slave[SEGMENT_SLAVES_MAX];
    struct physics physics;
    struct segment_stats stats;

    /* Wiring, brought up to date by topology_update(). */
    bool cut[SEGMENT_SLAVES_MAX];           /* the cable before this slave is broken */
    int reached;                            /* slaves the frame gets to */
    int order[SEGMENT_SLAVES_MAX];          /* their indices, in the order of the wire */
    int32_t arrival_ns[SEGMENT_SLAVES_MAX]; /* after the frame has left the master, by index */

    int wkc_fault[SEGMENT_SLAVES_MAX]; /* added to what a slave counts in logical datagrams */
};

/* Build count slaves from their models and power them on. -EINVAL after saying on stderr what is wrong. */
int segment_init(struct segment *s, const struct slave_model *models, int count,
                 const struct physics *physics, uint64_t seed, int64_t t_ns);

/* One frame of n bytes from the master, processed in place at t_ns. */
enum segment_result segment_frame(struct segment *s, int64_t t_ns, uint8_t *frame, unsigned n);

/* Let time go on to t_ns: watchdogs, clocks, devices. */
void segment_tick(struct segment *s, int64_t t_ns);

/* Does a frame carry process data (a logical datagram)? Only looks. */
bool segment_cyclic(const uint8_t *frame, unsigned n);

/* Break or mend the cable before the slave at `position`; switch its power. */
void segment_cut(struct segment *s, int position, bool cut);
void segment_power(struct segment *s, int position, int64_t t_ns, bool on);

#endif
