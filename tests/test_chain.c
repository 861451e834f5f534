/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_chain.c - the enable and stop chain: opening at once, closing after three samples, contradiction after 50 ms. */
#include "drivers/chain.h"
#include "unity.h"

#include "model/random.h"

#define CLOSED 0x0d /* A 1, B 0, enable, contactor */
#define OPEN   0x0e /* A 0, B 1 */

static struct chain_state s;

void setUp(void)
{
    s = (struct chain_state){0};
}

void tearDown(void)
{
}

static struct chain_sample step(uint8_t inputs, int n)
{
    for (int i = 0; i < n; i++) {
        s = chain_next(&chain_default, s, inputs, true, false, 0.001);
    }
    return chain_read(&s, true);
}

/* The property that matters: no sequence of inputs permits motion in a cycle whose own byte does not say closed. */
static void test_never_permitted_in_a_cycle_that_says_open(void)
{
    struct random_state r;

    random_init(&r, 5, 0);
    for (int i = 0; i < 200000; i++) {
        const uint64_t bits = random_bits(&r);
        const uint8_t inputs = (bits & 0xf0) != 0 ? CLOSED : (uint8_t)(bits >> 8);
        const bool valid = (bits >> 16 & 15) != 0;
        struct chain_sample out;

        s = chain_next(&chain_default, s, inputs, valid, (bits >> 20 & 255) == 0, 0.001);
        out = chain_read(&s, valid);
        if (out.permitted) {
            TEST_ASSERT_TRUE(valid);
            TEST_ASSERT_EQUAL_HEX8(0x05, inputs & 0x07);
        }
    }
}

static void test_closes_after_three_samples_and_opens_at_once(void)
{
    TEST_ASSERT_TRUE(step(CLOSED, 2).stop_open);
    TEST_ASSERT_FALSE(step(CLOSED, 1).stop_open);
    TEST_ASSERT_TRUE(chain_read(&s, true).permitted);
    TEST_ASSERT_FALSE(chain_read(&s, false).permitted);
    TEST_ASSERT_TRUE(step(OPEN, 1).stop_open);
    TEST_ASSERT_FALSE(step(CLOSED, 2).permitted);
    TEST_ASSERT_TRUE(step(CLOSED, 1).permitted);
}

static void test_one_channel_alone_stops_and_is_latched_after_50_ms(void)
{
    struct chain_sample out;

    (void)step(CLOSED, 3);
    out = step(0x0c, 49); /* A has opened, B has not */
    TEST_ASSERT_TRUE(out.stop_open);
    TEST_ASSERT_FALSE(out.discrepancy);
    TEST_ASSERT_TRUE(step(0x0c, 2).discrepancy);
    TEST_ASSERT_FALSE(step(CLOSED, 100).permitted);
    s = chain_next(&chain_default, s, CLOSED, true, true, 0.001);
    TEST_ASSERT_TRUE(chain_read(&s, true).permitted);
}

static void test_latch_does_not_open_while_the_contradiction_lasts(void)
{
    (void)step(0x0f, 60);
    s = chain_next(&chain_default, s, 0x0f, true, true, 0.001);
    TEST_ASSERT_TRUE(s.discrepancy);
}

static void test_contradiction_goes_on_while_frames_are_missing(void)
{
    (void)step(CLOSED, 3);
    (void)step(0x0c, 1);
    for (int i = 0; i < 60; i++) {
        s = chain_next(&chain_default, s, CLOSED, false, false, 0.001);
    }
    TEST_ASSERT_TRUE(s.discrepancy);
}

static void test_alive_bit_toggles_and_request_needs_a_closed_chain(void)
{
    uint8_t before = chain_outputs(&chain_default, &s, true);

    TEST_ASSERT_EQUAL_HEX8(0, before & 0x01);
    (void)step(CLOSED, 3);
    for (int i = 0; i < 10; i++) {
        const uint8_t now = chain_outputs(&chain_default, &s, true);

        TEST_ASSERT_EQUAL_HEX8(0x02, (now ^ before) & 0x02);
        TEST_ASSERT_EQUAL_HEX8(0x01, now & 0x01);
        before = now;
    }
    (void)step(OPEN, 1);
    TEST_ASSERT_EQUAL_HEX8(0, chain_outputs(&chain_default, &s, true) & 0x01);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_never_permitted_in_a_cycle_that_says_open);
    RUN_TEST(test_closes_after_three_samples_and_opens_at_once);
    RUN_TEST(test_one_channel_alone_stops_and_is_latched_after_50_ms);
    RUN_TEST(test_latch_does_not_open_while_the_contradiction_lasts);
    RUN_TEST(test_contradiction_goes_on_while_frames_are_missing);
    RUN_TEST(test_alive_bit_toggles_and_request_needs_a_closed_chain);
    return UNITY_END();
}
