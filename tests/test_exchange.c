/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_exchange.c - ring and latest value between two threads. tests/exchange.sh runs it under the thread sanitizer too. */
#include "rt/exchange.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "tests/draw.h"
#include "unity.h"

enum { RECORDS = 200000, PLACES = 64, WORDS = 20 };

/* Every word is made from the number, so that a torn record shows. */
struct item {
    uint64_t number;
    uint64_t word[WORDS];
};

static struct item ring_memory[PLACES], latest_memory[EXCHANGE_PLACES];
static struct exchange_ring ring;
static struct exchange_latest latest;
static atomic_bool done;

static struct item item_of(uint64_t number)
{
    struct item x = {.number = number};

    for (int i = 0; i < WORDS; i++) {
        x.word[i] = (number + (uint64_t)i) * 0x9e3779b97f4a7c15u;
    }
    return x;
}

static bool whole(const struct item *x)
{
    const struct item want = item_of(x->number);

    return memcmp(x, &want, sizeof want) == 0;
}

void setUp(void)
{
    atomic_store(&done, false);
    TEST_ASSERT_EQUAL_INT(
        0, exchange_ring_init(&ring, ring_memory, sizeof ring_memory[0], COUNT_OF(ring_memory)));
    TEST_ASSERT_EQUAL_INT(0, exchange_latest_init(&latest, latest_memory, sizeof latest_memory[0]));
}

void tearDown(void)
{
}

/* Offers RECORDS records and never waits, as the cycle does; yields now and then to let the reader in. */
static void *offer(void *unused)
{
    struct draw d = {7};

    for (uint64_t i = 0; i < RECORDS; i++) {
        const struct item x = item_of(i);

        (void)exchange_push(&ring, &x);
        if (draw_index(&d, 100) == 0) {
            sched_yield();
        }
    }
    atomic_store(&done, true);
    return unused;
}

static void *write_values(void *unused)
{
    for (uint64_t i = 1; i <= RECORDS; i++) {
        const struct item x = item_of(i);

        exchange_write(&latest, &x);
    }
    atomic_store(&done, true);
    return unused;
}

static void test_ring_between_threads_gives_whole_records_in_order_and_counts_the_rest(void)
{
    struct exchange_figures f;
    struct item x;
    pthread_t thread;
    uint64_t got = 0, next = 0, torn = 0, disorder = 0;
    bool more = true;

    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, offer, NULL));
    while (more) {
        more = !atomic_load(&done); /* before the ring is emptied: nothing comes after it */
        while (exchange_pop(&ring, &x)) {
            torn += !whole(&x);
            disorder += x.number < next;
            next = x.number + 1;
            got++;
        }
    }
    TEST_ASSERT_EQUAL_INT(0, pthread_join(thread, NULL));
    f = exchange_ring_figures(&ring);
    TEST_ASSERT_EQUAL_UINT64(0, torn);
    TEST_ASSERT_EQUAL_UINT64(0, disorder);
    TEST_ASSERT_EQUAL_UINT64(RECORDS, got + f.dropped);
    TEST_ASSERT_EQUAL_UINT64(f.pushed, f.popped);
    TEST_ASSERT_TRUE(f.most >= 1 && f.most <= PLACES);
}

static void test_latest_between_threads_is_whole_never_older_and_ends_with_the_newest(void)
{
    struct item x = {.number = 0};
    pthread_t thread;
    uint64_t last = 0, torn = 0, older = 0, fresh = 0;
    bool more = true;

    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, write_values, NULL));
    while (more) {
        more = !atomic_load(&done);
        fresh += exchange_read(&latest, &x);
        if (x.number != 0) {
            torn += !whole(&x);
            older += x.number < last;
            last = x.number;
        }
    }
    TEST_ASSERT_EQUAL_INT(0, pthread_join(thread, NULL));
    TEST_ASSERT_EQUAL_UINT64(0, torn);
    TEST_ASSERT_EQUAL_UINT64(0, older);
    TEST_ASSERT_EQUAL_UINT64(RECORDS, last);
    TEST_ASSERT_EQUAL_UINT64(RECORDS, fresh + exchange_replaced(&latest));
}

/* A queue of plain numbers beside the ring, driven by random pushes and pops. */
static void test_ring_behaves_as_a_bounded_queue(void)
{
    struct draw d = {1};
    uint64_t in = 0, out = 0, dropped = 0, most = 0, offered = 0;
    uint64_t queue[PLACES];

    for (int i = 0; i < 100000; i++) {
        struct item x;

        if (draw_index(&d, 1000) < (i / 1000 % 2 == 0 ? 560 : 440)) {
            x = item_of(offered);
            TEST_ASSERT_EQUAL_INT(in - out < PLACES, exchange_push(&ring, &x));
            if (in - out < PLACES) {
                queue[in++ % PLACES] = offered;
            } else {
                dropped++;
            }
            offered++;
            most = in - out > most ? in - out : most;
        } else {
            TEST_ASSERT_EQUAL_INT(in > out, exchange_pop(&ring, &x));
            if (in > out) {
                TEST_ASSERT_EQUAL_UINT64(queue[out++ % PLACES], x.number);
            }
        }
    }
    TEST_ASSERT_TRUE(dropped > 100);
    TEST_ASSERT_EQUAL_UINT64(dropped, exchange_ring_figures(&ring).dropped);
    TEST_ASSERT_EQUAL_UINT64(most, exchange_ring_figures(&ring).most);
    TEST_ASSERT_EQUAL_UINT64(in, exchange_ring_figures(&ring).pushed);
    TEST_ASSERT_EQUAL_UINT64(out, exchange_ring_figures(&ring).popped);
}

static void test_a_full_ring_keeps_what_it_has(void)
{
    struct item x;

    for (uint64_t i = 0; i < 3 * PLACES; i++) {
        x = item_of(i);
        TEST_ASSERT_EQUAL_INT(i < PLACES, exchange_push(&ring, &x));
    }
    for (uint64_t i = 0; i < PLACES; i++) {
        TEST_ASSERT_TRUE(exchange_pop(&ring, &x));
        TEST_ASSERT_EQUAL_UINT64(i, x.number);
    }
    TEST_ASSERT_FALSE(exchange_pop(&ring, &x));
    TEST_ASSERT_EQUAL_UINT64(2 * PLACES, exchange_ring_figures(&ring).dropped);
    TEST_ASSERT_EQUAL_UINT64(PLACES, exchange_ring_figures(&ring).most);
}

static void test_latest_gives_nothing_before_the_first_and_the_same_until_the_next(void)
{
    struct item x = {.number = 99};
    struct item y = item_of(5);

    TEST_ASSERT_FALSE(exchange_read(&latest, &x));
    TEST_ASSERT_EQUAL_UINT64(99, x.number);
    exchange_write(&latest, &y);
    y = item_of(6);
    exchange_write(&latest, &y);
    TEST_ASSERT_EQUAL_UINT64(1, exchange_replaced(&latest));
    TEST_ASSERT_TRUE(exchange_read(&latest, &x));
    TEST_ASSERT_EQUAL_UINT64(6, x.number);
    x.number = 0;
    TEST_ASSERT_FALSE(exchange_read(&latest, &x));
    TEST_ASSERT_EQUAL_UINT64(6, x.number);
}

static void test_wrong_sizes_are_refused(void)
{
    TEST_ASSERT_EQUAL_INT(-EINVAL, exchange_ring_init(&ring, NULL, 8, 8));
    TEST_ASSERT_EQUAL_INT(-EINVAL, exchange_ring_init(&ring, ring_memory, 0, 8));
    TEST_ASSERT_EQUAL_INT(-EINVAL, exchange_ring_init(&ring, ring_memory, 8, 0));
    TEST_ASSERT_EQUAL_INT(-EINVAL, exchange_ring_init(&ring, ring_memory, 8, 12));
    TEST_ASSERT_EQUAL_INT(-EINVAL, exchange_ring_init(&ring, ring_memory, SIZE_MAX / 4, 8));
    TEST_ASSERT_EQUAL_INT(-EINVAL, exchange_latest_init(&latest, NULL, 8));
    TEST_ASSERT_EQUAL_INT(-EINVAL, exchange_latest_init(&latest, latest_memory, 0));
    TEST_ASSERT_EQUAL_INT(-EINVAL, exchange_latest_init(&latest, latest_memory, SIZE_MAX / 2));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ring_between_threads_gives_whole_records_in_order_and_counts_the_rest);
    RUN_TEST(test_latest_between_threads_is_whole_never_older_and_ends_with_the_newest);
    RUN_TEST(test_ring_behaves_as_a_bounded_queue);
    RUN_TEST(test_a_full_ring_keeps_what_it_has);
    RUN_TEST(test_latest_gives_nothing_before_the_first_and_the_same_until_the_next);
    RUN_TEST(test_wrong_sizes_are_refused);
    return UNITY_END();
}
