/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_friction.c - an unknown joint torque is found from the velocities and taken back. */
#include "model/friction.h"

#include <errno.h>
#include <math.h>

#include "unity.h"

/* Two coupled joints, integrated finely and apart from the estimate. */
static const double M[4] = {2.0, 0.4, 0.4, 0.5};
static const struct friction_model MODEL = {60.0, {5.0, 5.0}, 2};

void setUp(void)
{
}

void tearDown(void)
{
}

/* qd' = known + M^-1 (d - r) for one period. */
static void plant(double qd[2], const double known[2], const double load[2], double dt_s)
{
    const double det = M[0] * M[3] - M[1] * M[2];

    qd[0] += dt_s * (known[0] + (M[3] * load[0] - M[1] * load[1]) / det);
    qd[1] += dt_s * (known[1] + (M[0] * load[1] - M[2] * load[0]) / det);
}

static void test_constant_torque_is_found_with_the_bandwidth_told(void)
{
    const double d[2] = {1.0, -0.25};
    struct friction_state s;
    double qd[2] = {0.1, 0.0};

    TEST_ASSERT_EQUAL_INT(0, friction_init(&MODEL, &s));
    for (int k = 0; k < 1000; k++) {
        const double known[2] = {sin(0.01 * k), -0.5 * cos(0.02 * k)};
        double load[2];

        friction_step(&MODEL, &s, qd, known, M, 1e-3);
        load[0] = d[0] - s.torque[0];
        load[1] = d[1] - s.torque[1];
        plant(qd, known, load, 1e-3);
        if (k == 17) { /* one time constant: 1 - 1/e = 0.63, within one cycle of 60 1/s */
            TEST_ASSERT_DOUBLE_WITHIN(0.04, 0.632, s.torque[0] / d[0]);
            TEST_ASSERT_DOUBLE_WITHIN(0.04, 0.632, s.torque[1] / d[1]);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, d[0], s.torque[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, d[1], s.torque[1]);
}

static void test_without_an_unknown_torque_nothing_is_added(void)
{
    const double none[2] = {0.0, 0.0};
    struct friction_state s;
    double qd[2] = {0.3, -0.2};

    TEST_ASSERT_EQUAL_INT(0, friction_init(&MODEL, &s));
    for (int k = 0; k < 1000; k++) {
        const double known[2] = {cos(0.01 * k), 0.7};

        friction_step(&MODEL, &s, qd, known, M, 1e-3);
        plant(qd, known, none, 1e-3);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, s.torque[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, s.torque[1]);
}

/* At its limit the estimate stays there, and leaves it at once when the torque turns. */
static void test_limit_holds_and_does_not_wind_up(void)
{
    const double known[2] = {0.0, 0.0};
    struct friction_state s;
    double qd[2] = {0.0, 0.0};

    TEST_ASSERT_EQUAL_INT(0, friction_init(&MODEL, &s));
    for (int k = 0; k < 1200; k++) {
        const double d = k < 1000 ? 20.0 : -1.0;
        const double load[2] = {d - s.torque[0], -s.torque[1]};

        plant(qd, known, load, 1e-3);
        friction_step(&MODEL, &s, qd, known, M, 1e-3);
        TEST_ASSERT_TRUE(fabs(s.torque[0]) <= 5.0 && fabs(s.torque[1]) <= 5.0);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, -1.0, s.torque[0]);
}

static void test_numbers_that_are_none_begin_it_anew(void)
{
    const double known[2] = {0.0, 0.0}, bad[2] = {(double)NAN, 0.0};
    struct friction_state s;
    double qd[2] = {0.0, 0.0};

    TEST_ASSERT_EQUAL_INT(0, friction_init(&MODEL, &s));
    friction_step(&MODEL, &s, qd, known, M, 1e-3);
    qd[0] = 0.01;
    friction_step(&MODEL, &s, qd, known, M, 1e-3);
    TEST_ASSERT_TRUE(s.torque[0] > 0.5);
    friction_step(&MODEL, &s, bad, known, M, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, s.torque[0]);
    friction_step(&MODEL, &s, qd, known, M, 1e-3);
    friction_step(&MODEL, &s, qd, known, M, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, s.torque[0]);
}

static void test_switched_off_it_touches_nothing(void)
{
    const struct friction_model off = {0.0, {5.0, 5.0}, 2};
    const double known[2] = {0.0, 0.0}, qd[2] = {1.0, 1.0};
    struct friction_state s;

    TEST_ASSERT_EQUAL_INT(0, friction_init(&off, &s));
    friction_step(&off, &s, qd, known, M, 1e-3);
    TEST_ASSERT_FALSE(s.started);
}

static void test_bad_models_are_refused(void)
{
    struct friction_model m = MODEL;
    struct friction_state s;

    m.bandwidth_radps = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, friction_init(&m, &s));
    m = MODEL;
    m.limit_nm[1] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, friction_init(&m, &s));
    m = MODEL;
    m.joints = MULTIBODY_LANES + 1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, friction_init(&m, &s));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_constant_torque_is_found_with_the_bandwidth_told);
    RUN_TEST(test_without_an_unknown_torque_nothing_is_added);
    RUN_TEST(test_limit_holds_and_does_not_wind_up);
    RUN_TEST(test_numbers_that_are_none_begin_it_anew);
    RUN_TEST(test_switched_off_it_touches_nothing);
    RUN_TEST(test_bad_models_are_refused);
    return UNITY_END();
}
