/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_escalation.c - what the bus asks of the robots: limits as data, latches, reset. */
#include "drivers/escalation.h"
#include "unity.h"

#include <errno.h>

static struct escalation_state s;
static struct escalation_input in;

void setUp(void)
{
    s = (struct escalation_state){0};
    in = (struct escalation_input){0};
}

void tearDown(void)
{
}

static int step(void)
{
    return escalation_next(&escalation_default, &s, &in);
}

static void test_lost_cycles_escalate_at_three_and_ten(void)
{
    static const int wanted[] = {0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3};

    for (uint32_t i = 0; i < COUNT_OF(wanted); i++) {
        in.stale_cycles = i;
        TEST_ASSERT_EQUAL_INT(wanted[i], step());
    }
    TEST_ASSERT_EQUAL_HEX(ESCALATION_STALE, s.cause);
}

static void test_hold_ends_by_itself_soft_and_hard_do_not(void)
{
    in.stale_cycles = 2;
    TEST_ASSERT_EQUAL_INT(ESCALATION_HOLD, step());
    in.stale_cycles = 0;
    TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, step());
    in.stale_cycles = 3;
    TEST_ASSERT_EQUAL_INT(ESCALATION_SOFT, step());
    in.stale_cycles = 0;
    TEST_ASSERT_EQUAL_INT(ESCALATION_SOFT, step());
    in.reset = true;
    TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, step());
}

static void test_reset_is_refused_while_the_cause_lasts(void)
{
    in.stop_open = true;
    TEST_ASSERT_EQUAL_INT(ESCALATION_HARD, step());
    in.reset = true;
    TEST_ASSERT_EQUAL_INT(ESCALATION_HARD, step());
    in.stop_open = false;
    TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, step());
}

static void test_each_cause_has_its_reaction_in_the_same_cycle(void)
{
    static const struct {
        size_t at;
        int reaction;
        unsigned cause;
    } rows[] = {
        {offsetof(struct escalation_input, stop_open), ESCALATION_HARD, ESCALATION_STOP_OPEN},
        {offsetof(struct escalation_input, drive_lost), ESCALATION_HARD, ESCALATION_DRIVE_LOST},
        {offsetof(struct escalation_input, device_lost), ESCALATION_SOFT, ESCALATION_DEVICE_LOST},
        {offsetof(struct escalation_input, drive_fault), ESCALATION_SOFT, ESCALATION_DRIVE_FAULT},
        {offsetof(struct escalation_input, sensor_bad), ESCALATION_SOFT, ESCALATION_SENSOR},
        {offsetof(struct escalation_input, count_high), ESCALATION_SOFT, ESCALATION_COUNT_HIGH},
        {offsetof(struct escalation_input, alarm), ESCALATION_HOLD, ESCALATION_ALARM},
        {offsetof(struct escalation_input, saturated), ESCALATION_HOLD, ESCALATION_SATURATED},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        setUp();
        *(bool *)((char *)&in + rows[i].at) = true;
        TEST_ASSERT_EQUAL_INT(rows[i].reaction, step());
        TEST_ASSERT_EQUAL_HEX(rows[i].cause, s.cause);
    }
}

static void test_saturation_stops_after_five_milliseconds(void)
{
    in.saturated = true;
    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_EQUAL_INT(ESCALATION_HOLD, step());
    }
    TEST_ASSERT_EQUAL_INT(ESCALATION_SOFT, step());
}

static void test_overruns_and_receive_errors_count_within_a_second(void)
{
    in.overruns = 1;
    TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, step());
    TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, step());
    TEST_ASSERT_EQUAL_INT(ESCALATION_SOFT, step());
    setUp();
    in.link_errors = 10;
    TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, step());
    in.link_errors = 1;
    TEST_ASSERT_EQUAL_INT(ESCALATION_SOFT, step());
    setUp();
    for (int i = 0; i < 5000; i++) { /* ten a second, for five seconds */
        in.link_errors = i % 100 == 0;
        TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, step());
    }
}

static void test_limits_must_be_ordered_and_below_the_watchdog(void)
{
    struct escalation_model m = escalation_default;

    TEST_ASSERT_EQUAL_INT(0, escalation_check(&m, 0.001, 0.02));
    TEST_ASSERT_EQUAL_INT(-EINVAL, escalation_check(&m, 0.001, 0.01));
    TEST_ASSERT_EQUAL_INT(0, escalation_check(&m, 0.001, 0.0));
    m.soft_cycles = 10;
    TEST_ASSERT_EQUAL_INT(-EINVAL, escalation_check(&m, 0.001, 0.02));
    m.soft_cycles = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, escalation_check(&m, 0.001, 0.02));
}

static void test_reactions_and_causes_have_names(void)
{
    TEST_ASSERT_EQUAL_STRING("HARD", escalation_name(ESCALATION_HARD));
    TEST_ASSERT_EQUAL_STRING("?", escalation_name(9));
    TEST_ASSERT_EQUAL_STRING("emergency stop", escalation_cause(0x7ff));
    TEST_ASSERT_EQUAL_STRING("none", escalation_cause(0));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_lost_cycles_escalate_at_three_and_ten);
    RUN_TEST(test_hold_ends_by_itself_soft_and_hard_do_not);
    RUN_TEST(test_reset_is_refused_while_the_cause_lasts);
    RUN_TEST(test_each_cause_has_its_reaction_in_the_same_cycle);
    RUN_TEST(test_saturation_stops_after_five_milliseconds);
    RUN_TEST(test_overruns_and_receive_errors_count_within_a_second);
    RUN_TEST(test_limits_must_be_ordered_and_below_the_watchdog);
    RUN_TEST(test_reactions_and_causes_have_names);
    return UNITY_END();
}
