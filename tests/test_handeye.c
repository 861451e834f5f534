/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_handeye.c - camera on the robot: exact on exact poses, right under noise, refused without enough motion. */
#include "estimation/handeye.h"

#include <math.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "unity.h"

#define POSES 24

static struct handeye_pair pair[POSES];
static struct pose X, marker;
static struct draw dice;

void setUp(void)
{
    dice.state = 5;
}

void tearDown(void)
{
}

static void draw_pose(struct pose *g, double angle, double place)
{
    double w[3];

    draw_direction(&dice, w, angle);
    so3_exp(g->R, w);
    draw_vector(&dice, g->p, 3, place);
}

/* Robot poses turned by up to `angle` about any axis, or about z alone; noise on what the camera sees. */
static void record(double angle, bool one_axis, double noise_m, double noise_rad)
{
    draw_pose(&X, draw_uniform(&dice, 0.0, 3.1), 0.2);
    draw_pose(&marker, draw_uniform(&dice, 0.0, 3.1), 2.0);
    for (int i = 0; i < POSES; i++) {
        struct pose back, e;
        double u[6];

        draw_pose(&pair[i].robot, draw_uniform(&dice, 0.0, angle), 0.5);
        if (one_axis) {
            const double z[3] = {0.0, 0.0, draw_uniform(&dice, -angle, angle)};

            so3_exp(pair[i].robot.R, z);
        }
        se3_mul(&back, &pair[i].robot, &X);
        se3_relative(&pair[i].marker, &back, &marker);
        draw_vector(&dice, u, 3, noise_m);
        draw_vector(&dice, u + 3, 3, noise_rad);
        se3_exp(&e, u);
        se3_mul(&pair[i].marker, &pair[i].marker, &e);
    }
}

static double turn_between(const struct pose *a, const struct pose *b)
{
    double R[9], e[3];

    mat_mul3_tn(R, a->R, b->R);
    so3_log(e, R);
    return mat_norm3(e);
}

static void test_exact_poses_give_the_exact_camera(void)
{
    for (int k = 0; k < 30; k++) {
        struct handeye_result r;

        record(1.2, false, 0.0, 0.0);
        TEST_ASSERT_EQUAL_INT(HANDEYE_GOOD, handeye_solve(&r, pair, POSES));
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, turn_between(&X, &r.camera));
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, draw_distance(X.p, r.camera.p, 3));
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, draw_distance(marker.p, r.marker.p, 3));
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, r.place_rms_m);
    }
}

static void test_noise_shows_in_the_residual_and_little_in_the_result(void)
{
    struct handeye_result r;

    record(1.2, false, 1e-3, 2e-3);
    TEST_ASSERT_EQUAL_INT(HANDEYE_GOOD, handeye_solve(&r, pair, POSES));
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.0, turn_between(&X, &r.camera));
    TEST_ASSERT_DOUBLE_WITHIN(3e-3, 0.0, draw_distance(X.p, r.camera.p, 3));
    TEST_ASSERT_TRUE(r.turn_rms_rad > 1e-3 && r.turn_rms_rad < 4e-3);
}

static void test_motion_that_does_not_determine_it_is_refused(void)
{
    struct handeye_result r;

    record(1.2, true, 0.0, 0.0);
    TEST_ASSERT_EQUAL_INT(HANDEYE_ONE_AXIS, handeye_solve(&r, pair, POSES));
    record(0.2, false, 0.0, 0.0);
    TEST_ASSERT_EQUAL_INT(HANDEYE_SMALL, handeye_solve(&r, pair, POSES));
    record(1.2, false, 0.0, 0.0);
    TEST_ASSERT_EQUAL_INT(HANDEYE_FEW, handeye_solve(&r, pair, HANDEYE_LEAST - 1));
    se3_inverse(&pair[3].marker, &pair[3].marker);
    se3_inverse(&pair[7].marker, &pair[7].marker);
    TEST_ASSERT_EQUAL_INT(HANDEYE_DISAGREE, handeye_solve(&r, pair, POSES));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_exact_poses_give_the_exact_camera);
    RUN_TEST(test_noise_shows_in_the_residual_and_little_in_the_result);
    RUN_TEST(test_motion_that_does_not_determine_it_is_refused);
    return UNITY_END();
}
