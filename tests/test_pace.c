/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_pace.c - cycles keep their phase, missed ones are counted and never run in a burst. */
#include "rt/pace.h"
#include "unity.h"

#include <errno.h>

#include "tests/draw.h"

#define T 1000000

static struct pace_model m;
static struct pace_state s;
static struct pace_output out;

void setUp(void)
{
    m = (struct pace_model){.period_ns = T, .overrun = PACE_SKIP, .tolerated = 3, .window = 1000};
    TEST_ASSERT_EQUAL_INT(0, pace_init(&m, &s, 5 * (int64_t)T));
}

void tearDown(void)
{
}

/* Whatever the work takes, every instant is a whole number of periods from the start, is not over by more than one
 * period, and the count of instants agrees with the clock: nothing drifts, nothing is lost from the books. */
static void test_instants_stay_on_the_grid(void)
{
    struct draw dice = {.state = 7};

    for (int policy = 0; policy < 2; policy++) {
        m.overrun = policy == 0 ? PACE_SKIP : PACE_CATCH_UP_ONCE;
        TEST_ASSERT_EQUAL_INT(0, pace_init(&m, &s, 5 * (int64_t)T));
        int64_t now = 5 * (int64_t)T;
        uint64_t run = 0;
        for (int i = 0; i < 20000; i++) {
            const double share = draw_uniform(&dice, 0.0, 1.0);

            now += (int64_t)((share < 0.95 ? share : 8.0 * share) * 0.9 * T);
            pace_step(&m, &s, now, 0, &out);
            run++;
            TEST_ASSERT_EQUAL_INT64(0, out.next_ns % T);
            TEST_ASSERT_TRUE(out.next_ns > now - (policy == 0 ? 0 : T));
            TEST_ASSERT_TRUE(policy == 0 || out.late_ns > 0 || out.next_ns >= now);
            TEST_ASSERT_EQUAL_INT64(out.next_ns, (5 + (int64_t)s.cycle) * T);
            TEST_ASSERT_EQUAL_UINT64(s.cycle, run + s.missed);
            now = out.next_ns > now ? out.next_ns : now;
        }
        TEST_ASSERT_TRUE(s.overruns > 100);
    }
}

static void test_a_late_cycle_leaves_out_those_it_ran_over(void)
{
    pace_step(&m, &s, 5 * (int64_t)T + 400000, 0, &out); /* in time */
    TEST_ASSERT_EQUAL_INT64(6 * (int64_t)T, out.next_ns);
    TEST_ASSERT_EQUAL_UINT64(0, out.missed);
    pace_step(&m, &s, 9 * (int64_t)T + 400000, 0, &out); /* the instants 7, 8 and 9 are over */
    TEST_ASSERT_EQUAL_INT64(10 * (int64_t)T, out.next_ns);
    TEST_ASSERT_EQUAL_UINT64(3, out.missed);
    TEST_ASSERT_EQUAL_INT64(2 * (int64_t)T + 400000, out.late_ns);
    TEST_ASSERT_EQUAL_UINT64(1, s.overruns);
}

static void test_catching_up_begins_the_last_missed_one_at_once(void)
{
    m.overrun = PACE_CATCH_UP_ONCE;
    pace_step(&m, &s, 8 * (int64_t)T + 400000, 0, &out); /* 6, 7 and 8 are over */
    TEST_ASSERT_EQUAL_INT64(8 * (int64_t)T, out.next_ns);
    TEST_ASSERT_EQUAL_UINT64(2, out.missed);
    pace_step(&m, &s, 8 * (int64_t)T + 600000, 0, &out);
    TEST_ASSERT_EQUAL_INT64(9 * (int64_t)T, out.next_ns);
    TEST_ASSERT_EQUAL_UINT64(0, out.missed);
}

/* Exactly at the instant is in time: the wait that follows returns at once. */
static void test_at_the_instant_is_not_late(void)
{
    pace_step(&m, &s, 6 * (int64_t)T, 0, &out);
    TEST_ASSERT_EQUAL_UINT64(0, s.overruns);
    pace_step(&m, &s, 7 * (int64_t)T + 1, 0, &out);
    TEST_ASSERT_EQUAL_UINT64(1, s.overruns);
}

/* A bus clock 100 ppm fast moves the instants by 100 ns each; a wild correction moves them by a hundredth. */
static void test_correction_moves_the_phase_and_is_bounded(void)
{
    for (int i = 0; i < 1000; i++) {
        pace_step(&m, &s, s.next_ns + 1000, -100, &out);
    }
    TEST_ASSERT_EQUAL_INT64(1005 * (int64_t)T - 100000, out.next_ns);
    pace_step(&m, &s, s.next_ns, INT64_MAX, &out);
    TEST_ASSERT_EQUAL_INT64(1006 * (int64_t)T - 100000 + T / 100, out.next_ns);
    pace_step(&m, &s, s.next_ns, INT64_MIN, &out);
    TEST_ASSERT_EQUAL_INT64(1007 * (int64_t)T - 100000, out.next_ns);
}

static void overrun_at(uint64_t cycle)
{
    while (s.cycle + 1 < cycle) {
        pace_step(&m, &s, s.next_ns, 0, &out);
        TEST_ASSERT_FALSE(out.hold);
    }
    pace_step(&m, &s, s.next_ns + T + 1, 0, &out);
}

static void test_three_overruns_in_the_window_call_for_a_hold(void)
{
    overrun_at(100);
    TEST_ASSERT_FALSE(out.hold);
    overrun_at(600);
    TEST_ASSERT_FALSE(out.hold);
    overrun_at(1099);
    TEST_ASSERT_TRUE(out.hold);
}

static void test_spread_wider_than_the_window_they_do_not(void)
{
    overrun_at(100);
    overrun_at(600);
    overrun_at(1101);
    TEST_ASSERT_FALSE(out.hold);
    overrun_at(1500); /* 600, 1101, 1500 */
    TEST_ASSERT_TRUE(out.hold);
}

static void test_bad_models_are_refused(void)
{
    struct pace_model bad = m;

    bad.period_ns = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, pace_init(&bad, &s, 0));
    bad = m;
    bad.tolerated = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, pace_init(&bad, &s, 0));
    bad.tolerated = PACE_REMEMBERED + 1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, pace_init(&bad, &s, 0));
    bad = m;
    bad.window = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, pace_init(&bad, &s, 0));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_instants_stay_on_the_grid);
    RUN_TEST(test_a_late_cycle_leaves_out_those_it_ran_over);
    RUN_TEST(test_catching_up_begins_the_last_missed_one_at_once);
    RUN_TEST(test_at_the_instant_is_not_late);
    RUN_TEST(test_correction_moves_the_phase_and_is_bounded);
    RUN_TEST(test_three_overruns_in_the_window_call_for_a_hold);
    RUN_TEST(test_spread_wider_than_the_window_they_do_not);
    RUN_TEST(test_bad_models_are_refused);
    return UNITY_END();
}
