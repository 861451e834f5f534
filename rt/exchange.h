/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange.h - the only memory two threads share: a ring of fixed records, and the latest value.
 *
 *     cyclic task -- exchange_push() --> [ring] -- exchange_pop() --> helper      every record, in order, or counted
 *     any thread -- exchange_write() --> [latest] -- exchange_read() --> another  only the newest, always whole
 *
 * One thread writes and one reads; neither ever waits, so that a helper that stands still costs the cycle nothing.
 * Memory comes from the caller: static or locked, never allocated here.
 *
 * Invariants of the ring, with pushed and popped counting records since the start, without wrapping back:
 *   R1  0 <= pushed - popped <= count: only the writer changes pushed, only the reader popped.
 *   R2  Records popped .. pushed - 1 belong to the reader, all other places to the writer: no place to both.
 *   R3  A record is complete before pushed says so (release), and read before popped gives its place back (release).
 *   R4  offered = pushed + dropped: a record that found no place is counted, never waits, and overwrites nothing.
 *   R5  The reader gets the records in the order they were pushed.
 *
 * Invariants of the latest value, with places 0, 1, 2:
 *   L1  back (the writer's), front (the reader's) and middle are three different places, at every instant.
 *   L2  A place changes hands only by one atomic exchange of the middle; so nobody reads what is being written.
 *   L3  What is read is never older than what was read before.
 *   L4  written = read + replaced + (1 when the middle is fresh): a value that nobody read is counted.
 *
 * tests/exchange.pml states the same for the model checker, tests/exchange.sh runs it and the thread sanitizer.
 */
#ifndef FREEFALL_EXCHANGE_H
#define FREEFALL_EXCHANGE_H

#include <stdalign.h>
#include <stdatomic.h>

#include "model/base.h"

#define EXCHANGE_LINE                                                                              \
    64 /* bytes of a cache line: what one side writes shares none with the other */
#define EXCHANGE_PLACES 3

struct exchange_ring {
    unsigned char *memory; /* count records */
    size_t size;           /* of a record */
    uint64_t count;        /* power of two */

    alignas(EXCHANGE_LINE) atomic_uint_least64_t pushed; /* writer's line */
    atomic_uint_least64_t dropped;
    atomic_uint_least64_t most; /* records that ever waited at once */

    alignas(EXCHANGE_LINE) atomic_uint_least64_t popped; /* reader's line */
};

/* Seen by any thread: how the ring does. */
struct exchange_figures {
    uint64_t pushed, dropped, popped;
    uint64_t most; /* high-water mark, of count */
};

struct exchange_latest {
    unsigned char *memory; /* three values */
    size_t size;           /* of a value */

    alignas(EXCHANGE_LINE) atomic_uint middle; /* place, and EXCHANGE_FRESH when not read yet */

    alignas(EXCHANGE_LINE) unsigned back; /* writer's line */
    atomic_uint_least64_t replaced;

    alignas(EXCHANGE_LINE) unsigned front; /* reader's line */
    bool any;                              /* something was ever read */
};

_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "atomics without locks");

/* Set up before the threads start. memory holds count records of size bytes. 0, or -EINVAL for no memory, no size,
 * or a count that is not a power of two. Every page of the memory is touched. */
int exchange_ring_init(struct exchange_ring *r, void *memory, size_t size, size_t count);

/* Writer: leave a record, or count it as dropped when the reader is a whole ring behind (false). */
RT_SAFE bool exchange_push(struct exchange_ring *r, const void *record);

/* Reader: the oldest record, or false when there is none. */
RT_SAFE bool exchange_pop(struct exchange_ring *r, void *record);

RT_SAFE struct exchange_figures exchange_ring_figures(const struct exchange_ring *r);

/* Set up before the threads start. memory holds EXCHANGE_PLACES values of size bytes. 0, or -EINVAL. */
int exchange_latest_init(struct exchange_latest *l, void *memory, size_t size);

/* Writer: this is the newest value. */
RT_SAFE void exchange_write(struct exchange_latest *l, const void *value);

/* Reader: copy the newest value. True when it was not read before; when not, the last one again, and before the first
 * ever written `value` is left as it is. */
RT_SAFE bool exchange_read(struct exchange_latest *l, void *value);

/* Values that were replaced before anybody read them; any thread. */
RT_SAFE uint64_t exchange_replaced(const struct exchange_latest *l);

#endif
