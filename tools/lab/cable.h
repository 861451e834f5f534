/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cable.h - the way between master and segment, and what may go wrong on it.
 *
 *     frame of the master --> [cable_in] --> segment --> queue by time --> [cable_out] --> master
 *
 * Without a fault a reply is due at once. Faults act on a number of frames, or on each with a probability, or until
 * they are ended; on frames with process data, or on any.
 */
#ifndef FREEFALL_LAB_CABLE_H
#define FREEFALL_LAB_CABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/random.h"
#include "tools/lab/segment.h"

#define CABLE_FRAMES  256
#define CABLE_FOREVER 0xffffffffu

enum cable_kind {
    CABLE_LOSE,      /* request lost: no slave sees it */
    CABLE_DROP,      /* reply lost: every slave saw it */
    CABLE_DELAY,     /* reply late by `value` ns */
    CABLE_DUPLICATE, /* reply twice */
    CABLE_REORDER,   /* reply behind the next one */
    CABLE_TRUNCATE,  /* reply cut to `value` bytes */
    CABLE_FLIP,      /* one bit of field `value` (enum cable_field) inverted */
    CABLE_FOREIGN, /* a frame of somebody else before the reply; `value` 1: looks like the reply */
    CABLE_KINDS,
};

enum cable_field {
    CABLE_ETHERTYPE,
    CABLE_LENGTH,
    CABLE_COMMAND,
    CABLE_INDEX,
    CABLE_ADDRESS,
    CABLE_DATA,
    CABLE_WKC,
    CABLE_FIELDS,
};

struct cable_fault {
    uint32_t left;      /* frames it still acts on, 0: off, CABLE_FOREVER: until ended */
    double probability; /* for each of them; 1 for certain */
    bool any;           /* also on frames without process data */
    int64_t value;
    uint64_t count; /* how often it has acted */
};

struct cable_frame {
    int64_t due_ns;
    uint16_t bytes;
    uint8_t data[SEGMENT_FRAME_MAX];
};

/* Frames in the order in which they are due; equal times keep their order. */
struct cable_queue {
    int count;
    int order[CABLE_FRAMES]; /* indices of `frame`, then the free ones */
    struct cable_frame frame[CABLE_FRAMES];
};

struct cable {
    struct segment *segment;
    struct random_state random;
    struct cable_fault fault[CABLE_KINDS];
    int64_t
        stalled_until_ns; /* requests wait until then, as in the socket of a process that does not run */
    struct cable_queue waiting; /* requests during a stall */
    struct cable_queue replies;
    struct cable_frame held; /* reordered: goes out behind the next reply; 0 bytes: none */
    uint64_t overflow;       /* frames lost because a queue was full */
};

void cable_init(struct cable *c, struct segment *segment, uint64_t seed);

/* Act on the next `frames` frames. */
void cable_set(struct cable *c, enum cable_kind kind, uint32_t frames, double probability, bool any,
               int64_t value);

/* A frame of the master arrives at t_ns. */
void cable_in(struct cable *c, int64_t t_ns, const uint8_t *frame, unsigned n);

/* Bytes of the next reply due at t_ns, 0 for none. */
unsigned cable_out(struct cable *c, int64_t t_ns, uint8_t frame[static SEGMENT_FRAME_MAX]);

/* When something is due next: a reply, or the end of a stall with requests waiting; INT64_MAX: nothing. */
int64_t cable_due(const struct cable *c);

#endif
