/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_velocity.c - joint velocity from encoder counts. */
#include "estimation/velocity.h"

#include <errno.h>
#include <math.h>

#include "tests/draw.h"
#include "unity.h"

#define COUNT (2.0 * BASE_PI / 262144.0) /* 18 bits a turn */

static struct velocity_model model;
static struct velocity_state state;
static struct velocity_output out;

void setUp(void)
{
    model = (struct velocity_model){.count_rad = COUNT, .period_s = 1e-3, .window = 8, .bits = 32};
    TEST_ASSERT_EQUAL_INT(0, velocity_init(&model, &state));
}

void tearDown(void)
{
}

/* Counter of an angle, as an encoder rounds it and a counter of this width wraps it. */
static uint32_t counter(double angle)
{
    const int64_t count = (int64_t)floor(angle / model.count_rad + 0.5);

    return (uint32_t)(count & (((int64_t)1 << model.bits) - 1));
}

static void step(double angle, bool present)
{
    velocity_step(&model, &state, counter(angle), present, &out);
}

/* Steady turning by whole counts: no error at all, whatever the position. */
static void test_steady_turning_is_exact(void)
{
    const double rate = 100.0 * COUNT / 1e-3;

    for (int k = 0; k < 1000; k++) {
        step(1000.0 * COUNT + rate * 1e-3 * k, true);
        TEST_ASSERT_EQUAL_INT(k >= 1, out.valid);
        if (k >= 1) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12 * rate, rate, out.velocity_radps);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1000.0 * COUNT + rate * 1e-3 * k, out.position_rad);
    }
}

/* Constant acceleration: the velocity of exactly lag_s ago, for every window. */
static void test_lag_is_exactly_the_one_stated(void)
{
    const double a = 4.0 * COUNT / 1e-6; /* keeps every position a whole count */

    for (model.window = 2; model.window <= VELOCITY_WINDOW_MAX; model.window++) {
        TEST_ASSERT_EQUAL_INT(0, velocity_init(&model, &state));
        for (int k = 0; k < 200; k++) {
            const double t = 1e-3 * k;

            step(0.5 * a * t * t, true);
            if (k >= model.window) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5e-3 * (model.window - 1), out.lag_s);
                TEST_ASSERT_DOUBLE_WITHIN(1e-10 * a, a * (t - out.lag_s), out.velocity_radps);
            }
        }
    }
}

/* rms c / dt / sqrt(n (n^2 - 1)) for readings with the variance of rounding, c^2 / 12 */
static void test_quantisation_noise_is_as_stated(void)
{
    struct draw dice = {.state = 4};
    double square = 0.0;
    const int n = 20000;

    for (int k = 0; k < n + 8; k++) { /* at rest between two counts, shaken by noise */
        step((1000.5 + draw_uniform(&dice, -0.5, 0.5)) * COUNT, true);
        if (k >= 8) {
            square += out.velocity_radps * out.velocity_radps / n;
        }
    }
    /* each reading is 1000 or 1001 with equal chance: variance c^2/4, three times that of rounding */
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 1.0, sqrt(square / 3.0) / (COUNT / 1e-3 / sqrt(8.0 * 63.0)));
}

static void test_missing_samples_are_bridged_with_their_true_lag(void)
{
    const double rate = 50.0 * COUNT / 1e-3;

    for (int k = 0; k < 30; k++) {
        step(rate * 1e-3 * k, k < 20 || k > 22);
        if (k >= 20 && k <= 22) {
            TEST_ASSERT_TRUE(out.valid);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, rate * 1e-3 * k, out.position_rad);
        }
        if (k >= 1) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, rate, out.velocity_radps);
        }
    }
    /* now: 22 missing in a window of 22 .. 29 */
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 3.0e-3, out.lag_s);
}

static void test_long_silence_is_not_valid_and_stands_still(void)
{
    step(0.0, true);
    for (int k = 1; k < 8; k++) {
        step(100.0 * COUNT * k, true);
    }
    for (int k = 0; k < 7; k++) {
        step(0.0, false);
        TEST_ASSERT_EQUAL_INT(k < 6, out.valid);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, out.velocity_radps);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 700.0 * COUNT, out.position_rad);
}

/* Through the end of the counter in both directions, for several widths: no jump in position or velocity. */
static void test_counter_may_wrap(void)
{
    const int widths[4] = {8, 16, 24, 32};

    for (int w = 0; w < 4; w++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const double rate = sign * 20.0 * COUNT / 1e-3;
            double start = 0.0;

            model.bits = widths[w];
            TEST_ASSERT_EQUAL_INT(0, velocity_init(&model, &state));
            for (int k = 0; k < 200; k++) {
                const double end =
                    ldexp(COUNT, model.bits - (model.bits == 32)); /* of int32 or counter */
                const double angle = sign * (end - 1000.0 * COUNT) + rate * 1e-3 * k;

                step(angle, true);
                if (k == 0) {
                    start = out.position_rad;
                } else {
                    TEST_ASSERT_DOUBLE_WITHIN(1e-9, rate, out.velocity_radps);
                }
                TEST_ASSERT_DOUBLE_WITHIN(1e-9, start + rate * 1e-3 * k, out.position_rad);
            }
        }
    }
}

static void test_encoder_may_count_the_other_way(void)
{
    const double rate = 30.0 * COUNT / 1e-3;

    model.count_rad = -COUNT;
    TEST_ASSERT_EQUAL_INT(0, velocity_init(&model, &state));
    for (int k = 0; k < 20; k++) {
        step(rate * 1e-3 * k, true);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, rate, out.velocity_radps);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, rate * 19e-3, out.position_rad);
}

/* A first count of -5 is the angle -5 counts, as the drive means it, in every width. */
static void test_first_count_is_signed(void)
{
    for (model.bits = 8; model.bits <= 32; model.bits++) {
        TEST_ASSERT_EQUAL_INT(0, velocity_init(&model, &state));
        step(-5.0 * COUNT, true);
        TEST_ASSERT_DOUBLE_WITHIN(1e-18, -5.0 * COUNT, out.position_rad);
        TEST_ASSERT_FALSE(out.valid);
    }
}

static void test_bad_models_are_refused(void)
{
    const struct velocity_model good = model;
    const double wrong[3] = {0.0, (double)NAN, (double)INFINITY};

    for (int i = 0; i < 3; i++) {
        model = good;
        model.count_rad = wrong[i];
        TEST_ASSERT_EQUAL_INT(-EINVAL, velocity_init(&model, &state));
        model = good;
        model.period_s = wrong[i];
        TEST_ASSERT_EQUAL_INT(-EINVAL, velocity_init(&model, &state));
    }
    model = good;
    model.window = 1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, velocity_init(&model, &state));
    model.window = VELOCITY_WINDOW_MAX + 1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, velocity_init(&model, &state));
    model = good;
    model.bits = 7;
    TEST_ASSERT_EQUAL_INT(-EINVAL, velocity_init(&model, &state));
    model.bits = 33;
    TEST_ASSERT_EQUAL_INT(-EINVAL, velocity_init(&model, &state));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_steady_turning_is_exact);
    RUN_TEST(test_lag_is_exactly_the_one_stated);
    RUN_TEST(test_quantisation_noise_is_as_stated);
    RUN_TEST(test_missing_samples_are_bridged_with_their_true_lag);
    RUN_TEST(test_long_silence_is_not_valid_and_stands_still);
    RUN_TEST(test_counter_may_wrap);
    RUN_TEST(test_encoder_may_count_the_other_way);
    RUN_TEST(test_first_count_is_signed);
    RUN_TEST(test_bad_models_are_refused);
    return UNITY_END();
}
