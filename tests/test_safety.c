/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_safety.c - the mode machine, tried in every state with every event. */
#include "rt/safety.h"

#include "unity.h"

enum { REQUESTS = SAFETY_ASK_ACK + 1 };

void setUp(void)
{
}

void tearDown(void)
{
}

/* Calls visit for every mode, request, single cause (and none) and combination of the three flags. */
static void every_case(void (*visit)(enum safety_mode mode, const struct safety_event *event))
{
    for (int mode = 0; mode < SAFETY_MODES; mode++) {
        for (int request = 0; request < REQUESTS; request++) {
            for (int cause = -1; cause < SAFETY_CAUSES; cause++) {
                for (int flags = 0; flags < 8; flags++) {
                    const struct safety_event event = {
                        (enum safety_request)request, cause < 0 ? 0 : SAFETY_BIT(cause),
                        (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};

                    visit((enum safety_mode)mode, &event);
                }
            }
        }
    }
}

static void only_armed_begins_motion(enum safety_mode mode, const struct safety_event *event)
{
    const enum safety_mode next = safety_next(mode, event);

    if (next == SAFETY_RUN && mode != SAFETY_RUN) {
        TEST_ASSERT_EQUAL_INT(SAFETY_ARMED, mode);
        TEST_ASSERT_TRUE(event->aligned && event->ready && event->causes == 0);
    }
}

static void test_motion_begins_only_when_armed_aligned_and_clear(void)
{
    every_case(only_armed_begins_motion);
}

static void leaving_needs_ack(enum safety_mode mode, const struct safety_event *event)
{
    const enum safety_mode next = safety_next(mode, event);

    if (mode >= SAFETY_HOLD && next < SAFETY_HOLD) {
        TEST_ASSERT_EQUAL_INT(SAFETY_ASK_ACK, event->request);
        TEST_ASSERT_TRUE(event->still && event->causes == 0);
        TEST_ASSERT_TRUE(next == (mode == SAFETY_FAULT ? SAFETY_INIT : SAFETY_READY));
    }
}

static void test_a_stop_is_left_only_by_acknowledgement_at_standstill_without_cause(void)
{
    every_case(leaving_needs_ack);
}

static void never_weaker(enum safety_mode mode, const struct safety_event *event)
{
    const enum safety_mode next = safety_next(mode, event);
    const enum safety_reaction reaction = safety_reaction(event->causes);

    if (mode >= SAFETY_HOLD && event->request != SAFETY_ASK_ACK) {
        TEST_ASSERT_TRUE(next >= mode); /* HOLD < STOP < FAULT */
    }
    if (reaction == SAFETY_TO_FAULT) {
        TEST_ASSERT_EQUAL_INT(SAFETY_FAULT, next);
    }
    if (safety_moves(mode) && reaction == SAFETY_TO_STOP) {
        TEST_ASSERT_TRUE(next >= SAFETY_STOP);
    }
    if (mode == SAFETY_RUN && reaction == SAFETY_TO_HOLD) {
        TEST_ASSERT_TRUE(next >= SAFETY_HOLD);
    }
    if (mode < SAFETY_RUN && reaction != SAFETY_NONE) {
        TEST_ASSERT_FALSE(safety_moves(next) && next == SAFETY_RUN);
    }
}

static void test_a_cause_is_answered_at_once_and_never_weaker_than_before(void)
{
    every_case(never_weaker);
}

static void operator_can_stop(enum safety_mode mode, const struct safety_event *event)
{
    const enum safety_mode next = safety_next(mode, event);

    if (mode == SAFETY_RUN && event->request == SAFETY_ASK_STOP) {
        TEST_ASSERT_TRUE(next == SAFETY_STOP || next == SAFETY_FAULT);
    }
    if (mode == SAFETY_RUN && event->request == SAFETY_ASK_HOLD) {
        TEST_ASSERT_TRUE(next >= SAFETY_HOLD);
    }
    if (mode == SAFETY_ARMED &&
        (event->request == SAFETY_ASK_HOLD || event->request == SAFETY_ASK_STOP)) {
        TEST_ASSERT_TRUE(next != SAFETY_RUN && next != SAFETY_ARMED);
    }
}

static void test_the_operator_can_always_hold_and_stop(void)
{
    every_case(operator_can_stop);
}

static void test_the_ordinary_way_from_init_to_run_and_back(void)
{
    struct safety_event e = {SAFETY_ASK_NOTHING, 0, true, false, true};
    enum safety_mode mode = SAFETY_INIT;

    mode = safety_next(mode, &e);
    TEST_ASSERT_EQUAL_INT(SAFETY_READY, mode);
    TEST_ASSERT_EQUAL_INT(SAFETY_READY, safety_next(mode, &e)); /* waits for the operator */
    e.request = SAFETY_ASK_ARM;
    mode = safety_next(mode, &e);
    TEST_ASSERT_EQUAL_INT(SAFETY_ARMED, mode);
    e.request = SAFETY_ASK_NOTHING;
    TEST_ASSERT_EQUAL_INT(SAFETY_ARMED, safety_next(mode, &e)); /* waits for alignment */
    e.aligned = true;
    mode = safety_next(mode, &e);
    TEST_ASSERT_EQUAL_INT(SAFETY_RUN, mode);
    e.still = false;
    e.causes = SAFETY_BIT(SAFETY_WRENCH_LIMIT);
    mode = safety_next(mode, &e);
    TEST_ASSERT_EQUAL_INT(SAFETY_STOP, mode);
    e.causes = 0;
    e.request = SAFETY_ASK_ACK;
    TEST_ASSERT_EQUAL_INT(SAFETY_STOP, safety_next(mode, &e)); /* still moving */
    e.still = true;
    TEST_ASSERT_EQUAL_INT(SAFETY_READY, safety_next(mode, &e));
}

static void test_losing_a_link_before_motion_goes_back_to_init(void)
{
    const struct safety_event lost = {SAFETY_ASK_ARM, 0, false, true, true};

    TEST_ASSERT_EQUAL_INT(SAFETY_INIT, safety_next(SAFETY_READY, &lost));
    TEST_ASSERT_EQUAL_INT(SAFETY_INIT, safety_next(SAFETY_ARMED, &lost));
}

static void test_several_causes_get_the_strongest_reaction(void)
{
    TEST_ASSERT_EQUAL_INT(SAFETY_NONE, safety_reaction(0));
    TEST_ASSERT_EQUAL_INT(SAFETY_TO_HOLD, safety_reaction(SAFETY_BIT(SAFETY_LOG)));
    TEST_ASSERT_EQUAL_INT(SAFETY_TO_STOP,
                          safety_reaction(SAFETY_BIT(SAFETY_LOG) | SAFETY_BIT(SAFETY_ESTOP)));
    TEST_ASSERT_EQUAL_INT(SAFETY_TO_FAULT,
                          safety_reaction(SAFETY_BIT(SAFETY_DRIVE) | SAFETY_BIT(SAFETY_ESTOP)));
}

static void test_every_mode_and_cause_has_a_name_and_a_reaction(void)
{
    for (int i = 0; i < SAFETY_CAUSES; i++) {
        TEST_ASSERT_NOT_NULL(safety_cause_name(i));
        TEST_ASSERT_TRUE(safety_reaction(SAFETY_BIT(i)) > SAFETY_NONE);
    }
    TEST_ASSERT_EQUAL_STRING("FAULT", safety_mode_name(SAFETY_FAULT));
    TEST_ASSERT_EQUAL_STRING("?", safety_mode_name(SAFETY_MODES));
    TEST_ASSERT_EQUAL_STRING("?", safety_mode_name(-1));
    TEST_ASSERT_EQUAL_STRING("?", safety_cause_name(SAFETY_CAUSES));
}

static void test_a_mode_that_does_not_exist_becomes_fault(void)
{
    const struct safety_event e = {SAFETY_ASK_ACK, 0, true, true, true};

    TEST_ASSERT_EQUAL_INT(SAFETY_FAULT, safety_next((enum safety_mode)SAFETY_MODES, &e));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_motion_begins_only_when_armed_aligned_and_clear);
    RUN_TEST(test_a_stop_is_left_only_by_acknowledgement_at_standstill_without_cause);
    RUN_TEST(test_a_cause_is_answered_at_once_and_never_weaker_than_before);
    RUN_TEST(test_the_operator_can_always_hold_and_stop);
    RUN_TEST(test_the_ordinary_way_from_init_to_run_and_back);
    RUN_TEST(test_losing_a_link_before_motion_goes_back_to_init);
    RUN_TEST(test_several_causes_get_the_strongest_reaction);
    RUN_TEST(test_every_mode_and_cause_has_a_name_and_a_reaction);
    RUN_TEST(test_a_mode_that_does_not_exist_becomes_fault);
    return UNITY_END();
}
