/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange.c - the only memory two threads share; invariants R1-R5 and L1-L4 stand in exchange.h. */
#include "rt/exchange.h"

#include <errno.h>

/* Bit of the middle: its value was not read yet. */
#define EXCHANGE_FRESH 4u
#define EXCHANGE_PLACE 3u

int exchange_ring_init(struct exchange_ring *r, void *memory, size_t size, size_t count)
{
    if (memory == NULL || size == 0 || count == 0 || (count & (count - 1)) != 0 ||
        count > SIZE_MAX / size) {
        return -EINVAL;
    }
    r->memory = memory;
    r->size = size;
    r->count = count;
    atomic_init(&r->pushed, 0);
    atomic_init(&r->popped, 0);
    atomic_init(&r->dropped, 0);
    atomic_init(&r->most, 0);
    memset(memory, 0, size * count);
    return 0;
}

RT_SAFE static unsigned char *place(const struct exchange_ring *r, uint64_t number)
{
    return r->memory + r->size * (size_t)(number & (r->count - 1));
}

bool exchange_push(struct exchange_ring *r, const void *record)
{
    const uint64_t pushed = atomic_load_explicit(&r->pushed, memory_order_relaxed);
    /* acquire: the reader has copied before it gave the place back (R3) */
    const uint64_t waiting = pushed - atomic_load_explicit(&r->popped, memory_order_acquire);

    if (waiting >= r->count) {
        atomic_store_explicit(&r->dropped,
                              atomic_load_explicit(&r->dropped, memory_order_relaxed) + 1,
                              memory_order_relaxed);
        return false;
    }
    memcpy(place(r, pushed), record, r->size);
    if (waiting + 1 > atomic_load_explicit(&r->most, memory_order_relaxed)) {
        atomic_store_explicit(&r->most, waiting + 1, memory_order_relaxed);
    }
    atomic_store_explicit(&r->pushed, pushed + 1, memory_order_release);
    return true;
}

bool exchange_pop(struct exchange_ring *r, void *record)
{
    const uint64_t popped = atomic_load_explicit(&r->popped, memory_order_relaxed);

    if (popped == atomic_load_explicit(&r->pushed, memory_order_acquire)) {
        return false;
    }
    memcpy(record, place(r, popped), r->size);
    atomic_store_explicit(&r->popped, popped + 1, memory_order_release);
    return true;
}

struct exchange_figures exchange_ring_figures(const struct exchange_ring *r)
{
    return (struct exchange_figures){
        .pushed = atomic_load_explicit(&r->pushed, memory_order_relaxed),
        .dropped = atomic_load_explicit(&r->dropped, memory_order_relaxed),
        .popped = atomic_load_explicit(&r->popped, memory_order_relaxed),
        .most = atomic_load_explicit(&r->most, memory_order_relaxed),
    };
}

int exchange_latest_init(struct exchange_latest *l, void *memory, size_t size)
{
    if (memory == NULL || size == 0 || size > SIZE_MAX / EXCHANGE_PLACES) {
        return -EINVAL;
    }
    l->memory = memory;
    l->size = size;
    l->back = 0;
    l->front = 1;
    l->any = false;
    atomic_init(&l->middle, 2u);
    atomic_init(&l->replaced, 0);
    memset(memory, 0, size * EXCHANGE_PLACES);
    return 0;
}

void exchange_write(struct exchange_latest *l, const void *value)
{
    unsigned old;

    memcpy(l->memory + l->size * l->back, value, l->size);
    /* release: the value before its place; acquire: the reader was done with the place we get */
    old = atomic_exchange_explicit(&l->middle, l->back | EXCHANGE_FRESH, memory_order_acq_rel);
    l->back = old & EXCHANGE_PLACE;
    if ((old & EXCHANGE_FRESH) != 0) {
        atomic_store_explicit(&l->replaced,
                              atomic_load_explicit(&l->replaced, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    }
}

bool exchange_read(struct exchange_latest *l, void *value)
{
    /* only the writer sets FRESH, only we take it away: seen once it stays until the exchange below */
    const bool fresh =
        (atomic_load_explicit(&l->middle, memory_order_relaxed) & EXCHANGE_FRESH) != 0;

    if (fresh) {
        l->front =
            atomic_exchange_explicit(&l->middle, l->front, memory_order_acq_rel) & EXCHANGE_PLACE;
        l->any = true;
    }
    if (l->any) {
        memcpy(value, l->memory + l->size * l->front, l->size);
    }
    return fresh;
}

uint64_t exchange_replaced(const struct exchange_latest *l)
{
    return atomic_load_explicit(&l->replaced, memory_order_relaxed);
}
