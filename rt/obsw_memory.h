/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_memory.h - one question and one answer per cycle between two processes, in shared memory.
 *
 *     controller (asks)                             on-board software (answers)
 *     input, output := what the caller has
 *     asked := n  ------------------------------->  sees asked change, copies the input, steps
 *     answered == n, before the deadline?  <------  output, code; answered := n
 *
 * Invariant: the controller writes input and output only while asked == answered, the other side
 * writes output and code only while asked != answered. So at most one question is open, and a
 * well-behaved pair never reads what is being written. A late answer keeps its question open: the
 * next cycles are told "late" at once, without waiting, until it has come; it is then thrown away
 * and a new question asked. A dead process thus costs one deadline, not one a cycle.
 *
 * The other side is not trusted. The controller keeps its own count, reads nothing it wrote itself,
 * copies the answer before it is judged, and the memory's size is sealed, so that no one can shrink
 * it and make a read fault. The memory has no name: when the last of the two processes ends, in
 * whatever way, it is gone.
 */
#ifndef FREEFALL_OBSW_MEMORY_H
#define FREEFALL_OBSW_MEMORY_H

#include <stdalign.h>
#include <stdatomic.h>

#include "model/base.h"
#include "model/obsw.h"

#define OBSW_MEMORY_MAGIC     0x57534246u /* "FBSW" */
#define OBSW_MEMORY_VERSION   1u
#define OBSW_MEMORY_NAME_SIZE 64

/* What the other side has said about itself. */
enum obsw_memory_state {
    OBSW_MEMORY_STARTING, /* nothing yet */
    OBSW_MEMORY_READY,    /* answers from now on */
    OBSW_MEMORY_REFUSED   /* cannot work, and has said why on stderr */
};

enum obsw_memory_flag {
    OBSW_MEMORY_WAKE = 1, /* a question wakes who sleeps on asked; else they look themselves */
    OBSW_MEMORY_FLUSH = 2 /* step with denormal numbers as zero, as the controller's thread does */
};

/* The shared bytes: this layout is the contract, little-endian, no pointers. What each side
 * writes has cache lines of its own. */
struct obsw_memory_page {
    /* written once by the controller, before the other side starts */
    uint32_t magic;
    uint32_t version;      /* OBSW_MEMORY_VERSION */
    uint32_t size;         /* sizeof(struct obsw_memory_page) */
    uint32_t obsw_version; /* OBSW_VERSION */
    uint32_t flags;        /* enum obsw_memory_flag */
    uint32_t reserved[11];
    struct obsw_setup setup;

    /* written by the controller; asked is the number of the last question, to FUTEX_WAIT on */
    alignas(64) atomic_uint asked;
    atomic_uint end; /* 1: do not answer any more, end */
    struct obsw_input input;

    /* written by the other side; answered is the number of the last answer, to FUTEX_WAIT on;
     * output is laid out before each question as the caller of step() gave it */
    alignas(64) atomic_uint answered;
    int32_t code; /* what step() returned */
    struct obsw_output output;
    alignas(64) atomic_uint state;    /* enum obsw_memory_state */
    uint32_t other_version;           /* OBSW_VERSION the other side was compiled with */
    char name[OBSW_MEMORY_NAME_SIZE]; /* of the on-board software, for people */
};

_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && sizeof(atomic_uint) == 4, "a futex is four bytes");
_Static_assert(offsetof(struct obsw_memory_page, setup) == 64, "layout");
_Static_assert(offsetof(struct obsw_memory_page, asked) == 1152, "layout");
_Static_assert(offsetof(struct obsw_memory_page, input) == 1160, "layout");
_Static_assert(offsetof(struct obsw_memory_page, answered) == 1728, "layout");
_Static_assert(offsetof(struct obsw_memory_page, output) == 1736, "layout");
_Static_assert(offsetof(struct obsw_memory_page, state) == 1984, "layout");
_Static_assert(sizeof(struct obsw_memory_page) == 2112, "layout");

/* One side's hold on the memory. */
struct obsw_memory {
    struct obsw_memory_page *page;
    int fd;
    int64_t deadline_ns; /* how long a question may wait for its answer */
    uint32_t asked;      /* own count: the one in the memory is not believed */
    bool wakes;          /* OBSW_MEMORY_WAKE, likewise */
};

/* Make the memory, for the controller. 0, or -errno after a message. */
int obsw_memory_create(struct obsw_memory *m, const struct obsw_setup *setup, uint32_t flags,
                       int64_t deadline_ns);

/* Map the memory behind a descriptor, for the other side, which then owns the descriptor. 0, or
 * -errno after a message: not such a memory, another size, another version. */
int obsw_memory_attach(struct obsw_memory *m, int fd);

void obsw_memory_close(struct obsw_memory *m);

/* Ask and wait for at most the deadline. Returns what step() returned there. Without an answer
 * in time it returns 0 and an output of our version that answers another cycle, which is how
 * rt/flight.c sees lateness. */
RT_SAFE int obsw_memory_ask(struct obsw_memory *m, const struct obsw_input *in,
                            struct obsw_output *out);

/* Tell the other side to end. */
void obsw_memory_end(struct obsw_memory *m);

/* Other side: is the controller gone? Asks the kernel for the lock that every controller holds
 * until it ends, in whatever way; so a shell or a debugger may stand between the two processes. */
bool obsw_memory_left(const struct obsw_memory *m);

/* Other side: say that this thread answers questions from now on, or that nobody ever will. */
void obsw_memory_ready(struct obsw_memory *m, const struct obsw_interface *table);
void obsw_memory_refuse(struct obsw_memory *m);

/* What came of waiting for a question. */
enum obsw_memory_event { OBSW_MEMORY_ANSWERED, OBSW_MEMORY_NOTHING, OBSW_MEMORY_END };

/* Other side: answer the next question with the table's step, or return after about wait_ns
 * without one. */
enum obsw_memory_event obsw_memory_answer(struct obsw_memory *m, const struct obsw_interface *table,
                                          void *self, int64_t wait_ns);

#endif
