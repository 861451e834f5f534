/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_limiter.c - whatever is wanted, what is sent keeps step, speed, acceleration, jerk and box. */
#include "drivers/limiter.h"

#include <errno.h>
#include <math.h>

#include "tests/draw.h"
#include "unity.h"

static struct limiter_model model;
static struct limiter_state state;
static struct draw draw;

void setUp(void)
{
    for (int i = 0; i < LIMITER_CHANNELS; i++) {
        model.channel[i] = (struct limiter_channel){0.002, 0.25, 5.0, 500.0, -0.3, 0.4};
    }
    model.dt_s = 0.004;
    draw.state = 0x51;
    limiter_start(&state);
}

void tearDown(void)
{
}

/* The numbers themselves, not what the limiter believes about them. */
static double past[4][LIMITER_CHANNELS];

static void check_limits(int k)
{
    const double T = model.dt_s, room = 1.0 + 1e-6;

    memmove(past[1], past[0], 3 * sizeof past[0]);
    memcpy(past[0], state.x, sizeof past[0]);
    for (int i = 0; i < LIMITER_CHANNELS; i++) {
        const struct limiter_channel *c = &model.channel[i];
        const double v = (past[0][i] - past[1][i]) / T, v1 = (past[1][i] - past[2][i]) / T,
                     v2 = (past[2][i] - past[3][i]) / T;

        TEST_ASSERT_TRUE(past[0][i] >= c->low && past[0][i] <= c->high);
        TEST_ASSERT_TRUE(fabs(past[0][i] - past[1][i]) <= c->step * room);
        TEST_ASSERT_TRUE(fabs(v) <= c->speed * room);
        if (k > 3) {
            TEST_ASSERT_TRUE(fabs(v - v1) / T <= c->acceleration * room + 1e-9);
            TEST_ASSERT_TRUE(fabs(v - 2 * v1 + v2) / T <= c->jerk * T * room + 1e-8);
        }
    }
}

static void test_no_sequence_of_wishes_breaks_a_limit(void)
{
    static const double wild[] = {1e9, -1e9, 1e-9, 0.4, -0.3, 0.41, 0.0, 0.05};
    double wanted[LIMITER_CHANNELS] = {0};

    memset(past, 0, sizeof past);
    for (int k = 0; k < 40000; k++) {
        for (int i = 0; i < LIMITER_CHANNELS; i++) {
            const double u = draw_uniform(&draw, 0.0, 1.0);

            if (u < 0.01) {
                wanted[i] = wild[(int)draw_uniform(&draw, 0.0, 7.999)];
            } else if (u < 0.02) {
                wanted[i] = draw_uniform(&draw, -0.5, 0.5);
            } else if (u < 0.021) {
                wanted[i] = (double)NAN;
            } else if (u < 0.5) {
                wanted[i] += draw_uniform(&draw, -1e-3, 1e-3);
            }
        }
        if (draw_uniform(&draw, 0.0, 1.0) < 0.05) {
            (void)limiter_ramp(&model, &state);
        } else {
            (void)limiter_follow(&model, &state, wanted);
        }
        check_limits(k);
    }
}

static void test_a_motion_inside_the_limits_passes_to_the_last_bit(void)
{
    for (int k = 0; k < 5000; k++) {
        const double t = 0.004 * k, x = 0.05 * (1 - cos(2.0 * t));
        const double wanted[LIMITER_CHANNELS] = {x, -x, 0.5 * x, 0.1 * x, 0.0, x};

        TEST_ASSERT_EQUAL(0, limiter_follow(&model, &state, wanted));
        TEST_ASSERT_EQUAL_MEMORY(wanted, state.x, sizeof wanted);
    }
}

static void test_a_step_is_reached_without_overshoot(void)
{
    const double wanted[LIMITER_CHANNELS] = {0.2, -0.2, 0.4, 1e-4, 3e-6, 0.0};
    int k = 0;

    while (k < 1000 && limiter_follow(&model, &state, wanted) != 0) {
        for (int i = 0; i < LIMITER_CHANNELS; i++) {
            TEST_ASSERT_TRUE(fabs(state.x[i]) <= fabs(wanted[i]) + 1e-12);
        }
        k++;
    }
    TEST_ASSERT_TRUE(k < 600); /* 0.4 m at 0.25 m/s is 400 cycles, the end is careful */
    TEST_ASSERT_EQUAL_MEMORY(wanted, state.x, sizeof wanted);
}

static void test_a_ramp_ends_at_rest_within_100_ms(void)
{
    double wanted[LIMITER_CHANNELS];
    int k = 0;

    for (k = 0; k < 200; k++) {
        for (int i = 0; i < LIMITER_CHANNELS; i++) {
            wanted[i] = 0.4;
        }
        (void)limiter_follow(&model, &state, wanted);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.25, state.v[0]);
    for (k = 0; !limiter_ramp(&model, &state); k++) {
        TEST_ASSERT_TRUE(k < 25);
    }
}

static void test_limits_that_make_no_sense_are_refused(void)
{
    char why[160];

    TEST_ASSERT_EQUAL(0, limiter_init(&model, why));
    model.channel[3].jerk = 0.0;
    TEST_ASSERT_EQUAL(-EINVAL, limiter_init(&model, why));
    TEST_ASSERT_NOT_NULL(strstr(why, "channel 4"));
    setUp();
    model.channel[0].low = 0.1;
    TEST_ASSERT_EQUAL(-EINVAL, limiter_init(&model, why));
    setUp();
    model.channel[1].acceleration = 1e-3;
    TEST_ASSERT_EQUAL(-EINVAL, limiter_init(&model, why));
    TEST_ASSERT_NOT_NULL(strstr(why, "does not stop"));
    setUp();
    model.dt_s = (double)NAN;
    TEST_ASSERT_EQUAL(-EINVAL, limiter_init(&model, why));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_no_sequence_of_wishes_breaks_a_limit);
    RUN_TEST(test_a_motion_inside_the_limits_passes_to_the_last_bit);
    RUN_TEST(test_a_step_is_reached_without_overshoot);
    RUN_TEST(test_a_ramp_ends_at_rest_within_100_ms);
    RUN_TEST(test_limits_that_make_no_sense_are_refused);
    return UNITY_END();
}
