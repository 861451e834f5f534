/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_obsw_memory.c - questions and answers through shared memory, between two threads of one
 * process.
 *
 * Threads, not processes, so that the thread sanitizer sees both sides (tests/obsw.sh runs it)
 * and a gate instead of a clock decides when an answer is late. */
#include "rt/obsw_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt/platform.h"
#include "tests/draw.h"
#include "unity.h"

#define MS     1000000LL
#define SECOND (1000 * MS)

enum { QUESTIONS = 20000 };

static const struct obsw_setup setup = {OBSW_VERSION, sizeof setup, MS, 7, 0, 99, "gain 3"};
static struct obsw_memory asker;

/* On-board software of these tests: mixes every bit of the input, and what was in the output,
 * into the answer. With its gate closed it does not answer. */
struct mixer {
    struct obsw_memory memory;
    atomic_bool open;
    atomic_int steps;
    pthread_t thread;
    bool runs;
};

static struct mixer mixer;

static int mix(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    struct mixer *m = self;
    uint64_t word, hash = 1469598103934665603u; /* FNV-1a, on words */

    atomic_fetch_add(&m->steps, 1);
    while (!atomic_load(&m->open)) {
        sched_yield();
    }
    for (size_t i = 0; i < sizeof *in / 8; i++) {
        memcpy(&word, (const char *)in + 8 * i, 8);
        hash = (hash ^ word) * 1099511628211u;
    }
    out->version = OBSW_VERSION;
    out->size = sizeof *out;
    out->cycle = in->cycle;
    out->phase += (uint32_t)hash;
    for (int i = 0; i < OBSW_JOINTS; i++) {
        hash = (hash ^ (uint64_t)i) * 1099511628211u;
        memcpy(&out->joint_torque[i], &hash, 8);
    }
    return (int)(hash % 3);
}

static const struct obsw_interface mixer_table = {
    .version = OBSW_VERSION, .name = "mixer", .step = mix};

static void *serve(void *argument)
{
    struct mixer *m = argument;
    enum obsw_memory_event event;

    obsw_memory_ready(&m->memory, &mixer_table);
    do {
        event = obsw_memory_answer(&m->memory, &mixer_table, m, 10 * MS);
    } while (event != OBSW_MEMORY_END);
    platform_flush_denormals(false);
    return NULL;
}

static void start(uint32_t flags, int64_t deadline_ns)
{
    TEST_ASSERT_EQUAL_INT(0, obsw_memory_create(&asker, &setup, flags, deadline_ns));
    mixer.memory = (struct obsw_memory){.page = asker.page, .fd = -1, .wakes = asker.wakes};
    atomic_store(&mixer.open, true);
    atomic_store(&mixer.steps, 0);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&mixer.thread, NULL, serve, &mixer));
    mixer.runs = true;
}

static void stop(void)
{
    mixer.runs = false;
    atomic_store(&mixer.open, true);
    obsw_memory_end(&asker);
    TEST_ASSERT_EQUAL_INT(0, pthread_join(mixer.thread, NULL));
}

void setUp(void)
{
    asker = (struct obsw_memory){.fd = -1};
}

void tearDown(void)
{
    if (mixer.runs) { /* a test that failed has left it */
        stop();
    }
    obsw_memory_close(&asker);
}

static void draw_question(struct draw *d, uint64_t cycle, struct obsw_input *in,
                          struct obsw_output *out)
{
    *in = (struct obsw_input){.version = OBSW_VERSION, .size = sizeof *in, .cycle = cycle};
    draw_vector(d, in->joint_position, OBSW_JOINTS, 3.0);
    draw_vector(d, in->base_velocity, 6, 1.0);
    *out = (struct obsw_output){.cycle = ~cycle, .phase = (uint32_t)draw_bits(d)};
}

/* Every answer, and every return code, as if the function had been called here. */
static void exchange(uint32_t flags)
{
    struct mixer alone = {.open = true};
    struct draw d = {5};

    start(flags, 100 * SECOND);
    for (uint64_t k = 0; k < QUESTIONS; k++) {
        struct obsw_input in;
        struct obsw_output out, expected;
        int code;

        draw_question(&d, k, &in, &out);
        expected = out;
        code = mix(&alone, &in, &expected);
        TEST_ASSERT_EQUAL_INT(code, obsw_memory_ask(&asker, &in, &out));
        TEST_ASSERT_EQUAL_MEMORY(&expected, &out, sizeof out);
    }
    stop();
    TEST_ASSERT_EQUAL_INT(QUESTIONS, atomic_load(&mixer.steps));
}

static void test_answers_are_those_of_the_function_itself(void)
{
    exchange(OBSW_MEMORY_WAKE);
}

static void test_the_same_where_nobody_is_woken(void)
{
    exchange(0);
}

static bool is_late(const struct obsw_input *in, const struct obsw_output *out)
{
    return out->version == OBSW_VERSION && out->size == sizeof *out && out->cycle != in->cycle;
}

static void test_a_late_answer_is_thrown_away_and_never_taken_for_a_later_one(void)
{
    struct obsw_input in;
    struct obsw_output out;
    struct draw d = {6};
    uint64_t k = 0;

    start(OBSW_MEMORY_WAKE, 2 * MS);
    atomic_store(&mixer.open, false);
    for (; k < 50; k++) { /* one question is open; the others are not even asked */
        draw_question(&d, k, &in, &out);
        TEST_ASSERT_EQUAL_INT(0, obsw_memory_ask(&asker, &in, &out));
        TEST_ASSERT_TRUE(is_late(&in, &out));
    }
    while (atomic_load(&mixer.steps) == 0) {
        sched_yield();
    }
    TEST_ASSERT_EQUAL_INT(1, atomic_load(&mixer.steps));
    atomic_store(&mixer.open, true);
    while (atomic_load(&asker.page->answered) != asker.asked) {
        sched_yield();
    }
    asker.deadline_ns = 100 * SECOND;
    for (; k < 100; k++) {
        draw_question(&d, k, &in, &out);
        obsw_memory_ask(&asker, &in, &out);
        TEST_ASSERT_EQUAL_UINT64(k, out.cycle);
    }
    stop();
    TEST_ASSERT_EQUAL_INT(51, atomic_load(&mixer.steps));
}

static void test_without_the_other_side_every_cycle_is_late(void)
{
    TEST_ASSERT_EQUAL_INT(0, obsw_memory_create(&asker, &setup, OBSW_MEMORY_WAKE, MS));
    for (uint64_t k = 0; k < 1000; k++) {
        struct obsw_input in = {.cycle = k};
        struct obsw_output out;

        memset(&out, 0xff, sizeof out);
        TEST_ASSERT_EQUAL_INT(0, obsw_memory_ask(&asker, &in, &out));
        TEST_ASSERT_TRUE(is_late(&in, &out));
    }
    TEST_ASSERT_EQUAL_UINT32(1, asker.asked);
}

/* The number of the next answer stands there before its question: whatever lies beside it
 * answers nothing. */
static void test_an_answer_before_the_question_is_late(void)
{
    struct obsw_input in = {.cycle = 7};
    struct obsw_output out = {.version = OBSW_VERSION, .size = sizeof out, .cycle = ~in.cycle};

    TEST_ASSERT_EQUAL_INT(0, obsw_memory_create(&asker, &setup, 0, MS));
    asker.page->output = (struct obsw_output){OBSW_VERSION, sizeof out, 7, 0, 0, {1.0}, {1.0}};
    atomic_store(&asker.page->answered, 1);
    obsw_memory_ask(&asker, &in, &out);
    TEST_ASSERT_TRUE(is_late(&in, &out));
}

/* Whatever stands in the shared bytes, asking ends, and reads only them. */
static void test_random_bytes_in_the_memory_do_no_harm(void)
{
    struct draw d = {8};

    TEST_ASSERT_EQUAL_INT(0, obsw_memory_create(&asker, &setup, OBSW_MEMORY_WAKE, 1000));
    for (uint64_t k = 0; k < 5000; k++) {
        unsigned char *bytes = (unsigned char *)asker.page;
        struct obsw_input in = {.cycle = k};
        struct obsw_output out = {.cycle = ~k};

        for (size_t i = 0; i < sizeof *asker.page; i++) {
            bytes[i] = (unsigned char)draw_bits(&d);
        }
        if (k % 2 == 0) {
            atomic_store(&asker.page->answered, asker.asked);
        }
        obsw_memory_ask(&asker, &in, &out);
        if (atomic_load(&asker.page->answered) != asker.asked) {
            TEST_ASSERT_TRUE(is_late(&in, &out));
        }
    }
}

static void test_waiting_ends_without_a_question_and_with_the_end(void)
{
    struct obsw_memory other;

    TEST_ASSERT_EQUAL_INT(0, obsw_memory_create(&asker, &setup, OBSW_MEMORY_WAKE, MS));
    TEST_ASSERT_EQUAL_INT(0, obsw_memory_attach(&other, dup(asker.fd)));
    TEST_ASSERT_EQUAL_INT(OBSW_MEMORY_NOTHING, obsw_memory_answer(&other, &mixer_table, NULL, MS));
    obsw_memory_end(&asker);
    TEST_ASSERT_EQUAL_INT(OBSW_MEMORY_END,
                          obsw_memory_answer(&other, &mixer_table, NULL, 100 * SECOND));
    obsw_memory_close(&other);
}

static void test_the_other_side_reads_the_setup_and_says_its_name(void)
{
    const struct obsw_interface named = {.version = 5,
                                         .name = "0123456789012345678901234567890123456789"
                                                 "01234567890123456789012345678901234"};
    struct obsw_memory other;

    TEST_ASSERT_EQUAL_INT(0, obsw_memory_create(&asker, &setup, OBSW_MEMORY_WAKE, MS));
    TEST_ASSERT_EQUAL_INT(0, obsw_memory_attach(&other, dup(asker.fd)));
    TEST_ASSERT_EQUAL_MEMORY(&setup, &other.page->setup, sizeof setup);
    TEST_ASSERT_TRUE(other.wakes);
    TEST_ASSERT_EQUAL_UINT32(OBSW_MEMORY_STARTING, atomic_load(&asker.page->state));
    obsw_memory_ready(&other, &named);
    TEST_ASSERT_EQUAL_UINT32(OBSW_MEMORY_READY, atomic_load(&asker.page->state));
    TEST_ASSERT_EQUAL_UINT32(5, asker.page->other_version);
    TEST_ASSERT_EQUAL_UINT(OBSW_MEMORY_NAME_SIZE - 1, strlen(asker.page->name));
    obsw_memory_refuse(&other);
    TEST_ASSERT_EQUAL_UINT32(OBSW_MEMORY_REFUSED, atomic_load(&asker.page->state));
    obsw_memory_close(&other);
}

/* Attaching to a copy of the memory with one word of its head changed. */
static void refuses(int word, uint32_t value, off_t size, int code)
{
    uint32_t head[4] = {OBSW_MEMORY_MAGIC, OBSW_MEMORY_VERSION, sizeof(struct obsw_memory_page),
                        OBSW_VERSION};
    const int fd = memfd_create("test", MFD_CLOEXEC);
    struct obsw_memory other;

    head[word] = value;
    TEST_ASSERT_EQUAL_INT(sizeof head, pwrite(fd, head, sizeof head, 0));
    TEST_ASSERT_EQUAL_INT(0, ftruncate(fd, size));
    TEST_ASSERT_EQUAL_INT(code, obsw_memory_attach(&other, fd));
    TEST_ASSERT_NULL(other.page);
    close(fd);
}

static void test_another_memory_version_or_size_is_refused(void)
{
    const off_t size = sizeof(struct obsw_memory_page);
    struct obsw_memory other;
    int ends[2];

    refuses(0, 0, size, -EBADF);
    refuses(1, OBSW_MEMORY_VERSION + 1, size, -EPROTO);
    refuses(2, (uint32_t)size + 8, size, -EPROTO);
    refuses(3, OBSW_VERSION + 1, size, -EPROTO);
    refuses(0, OBSW_MEMORY_MAGIC, size - 1, -EPROTO);
    refuses(0, OBSW_MEMORY_MAGIC, size + 1, -EPROTO);
    refuses(0, OBSW_MEMORY_MAGIC, 12, -EBADF);
    TEST_ASSERT_EQUAL_INT(-EBADF, obsw_memory_attach(&other, -1));
    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    TEST_ASSERT_EQUAL_INT(-EBADF, obsw_memory_attach(&other, ends[0]));
    close(ends[0]);
    close(ends[1]);
}

static void test_nobody_can_change_the_size(void)
{
    TEST_ASSERT_EQUAL_INT(0, obsw_memory_create(&asker, &setup, OBSW_MEMORY_WAKE, MS));
    TEST_ASSERT_EQUAL_INT(-1, ftruncate(asker.fd, 0));
    TEST_ASSERT_EQUAL_INT(EPERM, errno);
    TEST_ASSERT_EQUAL_INT(-1, ftruncate(asker.fd, 1 << 20));
    TEST_ASSERT_EQUAL_INT(EPERM, errno);
}

/* Half the least normal number: zero where denormals are flushed, as the controller's thread
 * does. */
static void test_the_answering_thread_flushes_denormals_when_told(void)
{
    volatile double least = 2.2250738585072014e-308;
    struct obsw_memory other;

    TEST_ASSERT_EQUAL_INT(0, obsw_memory_create(&asker, &setup, OBSW_MEMORY_FLUSH, MS));
    TEST_ASSERT_EQUAL_INT(0, obsw_memory_attach(&other, dup(asker.fd)));
    TEST_ASSERT_TRUE(least * 0.5 > 0.0);
    obsw_memory_ready(&other, &mixer_table);
    if (platform_flush_denormals(true)) {
        platform_flush_denormals(false);
        obsw_memory_ready(&other, &mixer_table);
        TEST_ASSERT_FALSE(least * 0.5 > 0.0);
    }
    platform_flush_denormals(false);
    obsw_memory_close(&other);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_answers_are_those_of_the_function_itself);
    RUN_TEST(test_the_same_where_nobody_is_woken);
    RUN_TEST(test_a_late_answer_is_thrown_away_and_never_taken_for_a_later_one);
    RUN_TEST(test_without_the_other_side_every_cycle_is_late);
    RUN_TEST(test_an_answer_before_the_question_is_late);
    RUN_TEST(test_random_bytes_in_the_memory_do_no_harm);
    RUN_TEST(test_waiting_ends_without_a_question_and_with_the_end);
    RUN_TEST(test_the_other_side_reads_the_setup_and_says_its_name);
    RUN_TEST(test_another_memory_version_or_size_is_refused);
    RUN_TEST(test_nobody_can_change_the_size);
    RUN_TEST(test_the_answering_thread_flushes_denormals_when_told);
    return UNITY_END();
}
