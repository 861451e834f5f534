/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_nominal.c - the motion that is taken out of the lab. */
#include "model/nominal.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "unity.h"

#define DEG (BASE_PI / 180.0)

static const double ENVISAT[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
static struct nominal_model model;
static struct pose start;

void setUp(void)
{
    const double u[6] = {3.0, -1.0, 2.0, 0.3, 0.4, -0.5};

    model.form = NOMINAL_UNFORCED;
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&model.body, 7827.867, ENVISAT));
    se3_exp(&start, u);
}

void tearDown(void)
{
}

/* Pose, twist and acceleration belong together: central differences over two cycles of 1 ms. */
static void assert_consistent(const double V[static 6], double tolerance)
{
    struct nominal_state s;
    struct motion at[3];
    struct pose g;
    double u[6];

    TEST_ASSERT_EQUAL_INT(0, nominal_init(&model, &s, &start, V));
    for (int k = 0; k < 500; k++) {
        nominal_step(&model, &s, 1e-3);
    }
    for (int k = 0; k < 3; k++) {
        at[k] = s.motion;
        nominal_step(&model, &s, 1e-3);
    }
    se3_relative(&g, &at[0].pose, &at[2].pose);
    se3_log(u, &g);
    for (int i = 0; i < 6; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(tolerance, at[1].velocity[i], u[i] / 2e-3);
        TEST_ASSERT_DOUBLE_WITHIN(tolerance, at[1].acceleration[i],
                                  (at[2].velocity[i] - at[0].velocity[i]) / 2e-3);
    }
}

static void test_pose_twist_and_acceleration_belong_together(void)
{
    const double V[6] = {0.05, -0.02, 0.03, 0.04, -2.5 * DEG, 0.03};

    assert_consistent(V, 1e-8); /* dt^2/24 of the third derivative, and rounding 1e-16 / 1e-3 */
    model.form = NOMINAL_GIVEN;
    assert_consistent(V, 1e-12);
    model.form = NOMINAL_ABSOLUTE;
    assert_consistent(V, 0.0);
}

/* [REL 4] the residual of the equation of motion of every cycle, with 6 x 6 matrices written out */
static void test_unforced_motion_solves_its_equation(void)
{
    const double V[6] = {0.02, 0.0, -0.01, 0.02, -2.5 * DEG, -0.03};
    struct nominal_state s;
    double M[36];

    body_matrix(M, &model.body.body);
    TEST_ASSERT_EQUAL_INT(0, nominal_init(&model, &s, &start, V));
    for (int k = 0; k < 1000; k++) {
        double ad[36], MV[6], MV_dot[6], coriolis[6];

        nominal_step(&model, &s, 1e-2);
        se3_ad(ad, s.motion.velocity);
        mat_vec6(MV, M, s.motion.velocity);
        mat_vec6_t(coriolis, ad, MV);
        mat_vec6(MV_dot, M, s.motion.acceleration);
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-11, coriolis[i], MV_dot[i]); /* terms of 100 N, Nm */
        }
    }
}

static void test_unforced_centre_of_mass_moves_straight_and_evenly(void)
{
    const double V[6] = {0.02, 0.03, -0.01, 0.02, -2.5 * DEG, -0.03};
    struct nominal_state s;
    double v[3];

    mat_vec3(v, start.R, V);
    TEST_ASSERT_EQUAL_INT(0, nominal_init(&model, &s, &start, V));
    for (int k = 0; k < 10000; k++) {
        nominal_step(&model, &s, 1e-3);
    }
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, start.p[i] + 10.0 * v[i], s.motion.pose.p[i]);
    }
}

/* Design page, section 2, point 5: y is the intermediate axis, so that -2.5 deg/s about it does not stay. */
static void test_envisat_leaves_its_intermediate_axis(void)
{
    const double V[6] = {0.0, 0.0, 0.0, 0.0, -2.5 * DEG, 0.0};
    struct nominal_state s;

    TEST_ASSERT_EQUAL_INT(0, nominal_init(&model, &s, &start, V));
    for (int k = 0; k < 35000; k++) {
        nominal_step(&model, &s, 1e-3);
    }
    TEST_ASSERT_DOUBLE_WITHIN(5e-4, -0.079, s.motion.velocity[3] / DEG);
    TEST_ASSERT_DOUBLE_WITHIN(5e-4, -2.499, s.motion.velocity[4] / DEG);
    TEST_ASSERT_DOUBLE_WITHIN(5e-4, -0.039, s.motion.velocity[5] / DEG);
}

static void test_given_twist_is_followed_exactly(void)
{
    const double V[6] = {0.1, 0.0, -0.05, 0.02, -2.5 * DEG, 0.01};
    struct nominal_state s;
    struct pose expected, step;
    double u[6];

    model.form = NOMINAL_GIVEN;
    TEST_ASSERT_EQUAL_INT(0, nominal_init(&model, &s, &start, V));
    for (int k = 0; k < 60000; k++) {
        nominal_step(&model, &s, 1e-3);
    }
    mat_scale(u, 60.0, V, 6);
    se3_exp(&step, u);
    se3_mul(&expected, &start, &step);
    for (int i = 0; i < 9; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, expected.R[i],
                                  s.motion.pose.R[i]); /* rounding, 60000 times */
    }
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, expected.p[i], s.motion.pose.p[i]);
    }
}

static void test_absolute_form_stays_where_it_starts(void)
{
    const double V[6] = {0.1, 0.0, -0.05, 0.02, -2.5 * DEG, 0.01}, zero[6] = {0};
    struct nominal_state s;

    model.form = NOMINAL_ABSOLUTE;
    TEST_ASSERT_EQUAL_INT(0, nominal_init(&model, &s, &start, V));
    for (int k = 0; k < 1000; k++) {
        nominal_step(&model, &s, 1e-3);
    }
    TEST_ASSERT_EQUAL_MEMORY(&start, &s.motion.pose, sizeof start);
    TEST_ASSERT_EQUAL_MEMORY(zero, s.motion.velocity, sizeof zero);
    TEST_ASSERT_EQUAL_MEMORY(zero, s.motion.acceleration, sizeof zero);
}

static void test_bad_starts_are_refused(void)
{
    double V[6] = {0};
    struct nominal_state s;
    struct pose bad = start;

    bad.p[1] = (double)INFINITY;
    TEST_ASSERT_EQUAL_INT(-EINVAL, nominal_init(&model, &s, &bad, V));
    bad = start;
    bad.R[4] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, nominal_init(&model, &s, &bad, V));
    V[5] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, nominal_init(&model, &s, &start, V));
    V[5] = 0.0;
    TEST_ASSERT_EQUAL_INT(0, nominal_init(&model, &s, &start, V));
    model.body = (struct rigid_model){0};
    TEST_ASSERT_EQUAL_INT(-EINVAL, nominal_init(&model, &s, &start, V));
    model.form = NOMINAL_GIVEN; /* needs no body */
    TEST_ASSERT_EQUAL_INT(0, nominal_init(&model, &s, &start, V));
    memset(&model.form, 7, sizeof model.form);
    TEST_ASSERT_EQUAL_INT(-EINVAL, nominal_init(&model, &s, &start, V));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pose_twist_and_acceleration_belong_together);
    RUN_TEST(test_unforced_motion_solves_its_equation);
    RUN_TEST(test_unforced_centre_of_mass_moves_straight_and_evenly);
    RUN_TEST(test_envisat_leaves_its_intermediate_axis);
    RUN_TEST(test_given_twist_is_followed_exactly);
    RUN_TEST(test_absolute_form_stays_where_it_starts);
    RUN_TEST(test_bad_starts_are_refused);
    return UNITY_END();
}
