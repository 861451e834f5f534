/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_latch.c - two satellites on a spring behind late robots: what the delay makes of it, and what the passivity
 * controller and the lead of model/passivity make of that. */
#include <math.h>
#include <stdio.h>

#include "model/mat.h"
#include "model/modes.h"
#include "model/passivity.h"
#include "tests/latch.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static double rise(double k, double turning, int delay, double lead_s, bool controller, double spin)
{
    const struct latch_case c = {k, turning, delay, lead_s, controller, spin, k > 1e5 ? 4.0 : 8.0};
    struct latch_result r;

    latch_run(&r, &c);
    printf("# latch %.0e N/m, %2d ms, %s, lead %2.0f ms, %.1f deg/s: rise %.2g J, fall %.2g J, "
           "observed %+.1g J, "
           "drift %.2g mm, momentum %.1g Ns %.1g Nms\n",
           k, delay, controller ? "PC" : "--", 1e3 * lead_s, spin, r.rise_j, r.fall_j, r.observed_j,
           1e3 * r.drift_m, r.momentum_kgmps, r.momentum_kgm2ps);
    if (controller && r.rise_j < 1.0) {
        TEST_ASSERT_TRUE(r.drift_m < 1e-3);
    }
    return r.rise_j;
}

/* Design page, section 5 and 9: asked are 10 mJ (PC) and 5 mJ (lead and PC) of 60 mJ in the motion. */
static void test_latch_behind_late_robots_is_held(void)
{
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 8, 0.0, false, 0.0) > 1e3);
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 20, 0.0, false, 0.0) > 1e4);
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 8, 0.0, true, 0.0) < 2e-3);
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 20, 0.0, true, 0.0) < 10e-3);
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 8, 8e-3, false, 0.0) < 0.1e-3);
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 20, 20e-3, false, 0.0) < 0.1e-3);
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 8, 8e-3, true, 0.0) < 0.1e-3);
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 20, 20e-3, true, 0.0) < 0.1e-3);
}

/* The relative formulation is what makes a tumbling client no harder than one at rest. */
static void test_latch_on_a_tumbling_client_is_held(void)
{
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 20, 0.0, true, -2.5) < 10e-3);
    TEST_ASSERT_TRUE(rise(5e4, 2e4, 20, 20e-3, true, -2.5) < 5e-3);
}

/* The stiff latch: the controller alone fails at 20 ms (as on the design page), lead is what helps. */
static void test_stiff_latch_needs_the_lead(void)
{
    TEST_ASSERT_TRUE(rise(2e5, 5e4, 8, 0.0, true, 0.0) < 10e-3);
    TEST_ASSERT_TRUE(rise(2e5, 5e4, 20, 0.0, true, 0.0) > 1e3);
    TEST_ASSERT_TRUE(rise(2e5, 5e4, 20, 20e-3, true, 0.0) < 1e-3);
    TEST_ASSERT_TRUE(rise(2e5, 5e4, 20, 10e-3, true, 0.0) < 0.2);
}

/* Too short a lead makes energy, too long a lead takes it: the sign of the observer finds the right one. */
static void test_observer_changes_sign_at_the_right_lead(void)
{
    struct latch_case c = {5e4, 2e4, 12, 0.0, false, 0.0, 3.0};
    struct latch_result r[3];

    for (int i = 0; i < 3; i++) {
        c.lead_s = 1e-3 * (11 + i);
        latch_run(&r[i], &c);
    }
    TEST_ASSERT_TRUE(r[0].observed_j < -1e-3);
    TEST_ASSERT_TRUE(r[2].observed_j > 1e-3);
    TEST_ASSERT_TRUE(fabs(r[1].observed_j) < 0.1 * fmin(-r[0].observed_j, r[2].observed_j));
}

/* Design page: 18.4 and 36.3 rad/s, 1.35 and 3.4 1/s; lateral effective mass 157 to 192 kg. */
static void test_growth_of_the_latch_is_estimated(void)
{
    static struct latch_side side[2];
    double Y[36] = {0}, K[36] = {0}, omega;

    latch_bodies(side);
    modes_add_mobility(Y, &side[0].grip, side[0].mobility);
    modes_add_mobility(Y, &side[1].grip, side[1].mobility);
    TEST_ASSERT_DOUBLE_WITHIN(1.0, 192.0, 1.0 / Y[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1.0, 157.0, 1.0 / Y[7]);
    for (int i = 0; i < 36; i += 7) {
        K[i] = i < 18 ? 5e4 : 2e4;
    }
    omega = passivity_frequency(K, Y);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 18.4, omega);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 1.35, passivity_growth(omega, 8e-3));
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 3.4, passivity_growth(omega, 20e-3));
    for (int i = 0; i < 36; i += 7) {
        K[i] = i < 18 ? 2e5 : 5e4;
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 36.3, passivity_frequency(K, Y));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_latch_behind_late_robots_is_held);
    RUN_TEST(test_latch_on_a_tumbling_client_is_held);
    RUN_TEST(test_stiff_latch_needs_the_lead);
    RUN_TEST(test_observer_changes_sign_at_the_right_lead);
    RUN_TEST(test_growth_of_the_latch_is_estimated);
    return UNITY_END();
}
