/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lab_integrate.c - the lab's integrator: fourth order, exact for cubics, frames that stay frames. */
#include "tools/lab/integrate.h"

#include <math.h>

#include "model/mat.h"
#include "tests/draw.h"
#include "unity.h"

static double V[6];

void setUp(void)
{
    struct draw dice = {17};

    draw_vector(&dice, V, 6, 1.0);
}

void tearDown(void)
{
}

/* y0' = t^3, y1' = -y1 + the number behind user */
static void mixed(void *user, double t, const double *y, double *dy)
{
    dy[0] = t * t * t;
    dy[1] = *(const double *)user - y[1];
}

static void turning(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    integrate_frame(dy, y, V);
}

static void test_a_cubic_in_time_is_exact(void)
{
    double y[2] = {0.0, 0.0}, rest = 0.0;

    integrate_step(y, 2, 1.0, 0.5, mixed, &rest);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, (1.5 * 1.5 * 1.5 * 1.5 - 1.0) / 4.0, y[0]);
}

static void test_one_step_of_decay_is_the_series_to_fourth_order(void)
{
    double y[2] = {0.0, 3.0}, rest = 1.0;
    const double h = 0.1;

    integrate_step(y, 2, 0.0, h, mixed, &rest);
    TEST_ASSERT_DOUBLE_WITHIN(
        1e-15, 1.0 + 2.0 * (1.0 - h + h * h / 2.0 - h * h * h / 6.0 + h * h * h * h / 24.0), y[1]);
}

static void test_numbers_behind_the_last_are_left_alone(void)
{
    double y[3] = {0.0, 1.0, 7.0}, rest = 0.0;

    integrate_step(y, 2, 0.0, 0.1, mixed, &rest);
    TEST_ASSERT_EQUAL_DOUBLE(7.0, y[2]);
}

static double turn_error(int steps)
{
    struct pose start, end, got;
    double y[INTEGRATE_FRAME], u[6];

    se3_exp(&start, (double[6]){0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
    integrate_put(y, &start);
    for (int k = 0; k < steps; k++) {
        integrate_step(y, INTEGRATE_FRAME, 0.0, 1.0 / steps, turning, NULL);
        integrate_tidy(y);
    }
    end = start;
    se3_step(&end, V, 1.0);
    integrate_get(&got, y);
    se3_relative(&end, &end, &got);
    se3_log(u, &end);
    return draw_size(u, 6);
}

/* Against the exponential, which a constant twist is exactly. */
static void test_a_frame_follows_its_twist_with_order_four(void)
{
    const double coarse = turn_error(10), fine = turn_error(20);

    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.0, coarse);
    TEST_ASSERT_TRUE(coarse / fine > 14.0 && coarse / fine < 18.0);
}

static void test_tidy_makes_a_rotation_of_nearly_one(void)
{
    double y[INTEGRATE_FRAME] = {1.0, 1e-6, 0, -2e-6, 1.0, 0, 0, 3e-6, 1.0 + 1e-6, 4, 5, 6};
    double RR[9], one[9];

    integrate_tidy(y);
    mat_mul3_tn(RR, y, y);
    mat_identity(one, 3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, draw_distance(RR, one, 9));
    TEST_ASSERT_EQUAL_DOUBLE(5.0, y[10]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_cubic_in_time_is_exact);
    RUN_TEST(test_one_step_of_decay_is_the_series_to_fourth_order);
    RUN_TEST(test_numbers_behind_the_last_are_left_alone);
    RUN_TEST(test_a_frame_follows_its_twist_with_order_four);
    RUN_TEST(test_tidy_makes_a_rotation_of_nearly_one);
    return UNITY_END();
}
