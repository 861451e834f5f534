/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lab_robot.c - the lab's industrial robot is late by what it says and by nothing else. */
#include "tools/lab/robot.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "tests/draw.h"
#include "unity.h"

#define DT 1e-3

static struct robot_model model;
static struct robot_state state;
static struct draw dice;

void setUp(void)
{
    dice.state = 11;
    model = (struct robot_model){.dead_time_s = 8e-3,
                                 .period_s = 4e-3,
                                 .phase_s = 1e-3,
                                 .bandwidth_hz = 15.0,
                                 .damping = 0.8};
}

void tearDown(void)
{
}

static void random_motion(struct motion *x, double speed)
{
    double u[6];

    draw_vector(&dice, u, 6, 1.0);
    se3_exp(&x->pose, u);
    draw_vector(&dice, x->velocity, 6, speed);
    mat_zero(x->acceleration, 6);
}

/* The command of constant twist, t after start. */
static void command_at(struct motion *x, const struct motion *start, double t)
{
    *x = *start;
    se3_step(&x->pose, start->velocity, t);
}

/* Distance of two poses, m and rad together. */
static double apart(const struct pose *a, const struct pose *b)
{
    struct pose d;
    double u[6];

    se3_relative(&d, a, b);
    se3_log(u, &d);
    return draw_size(u, 6);
}

/* Greatest difference to the command of late_s ago, over a run of constant twist. */
static double lateness_error(double late_s)
{
    struct motion start, told, now;
    double worst = 0.0;

    random_motion(&start, 0.3);
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &start, DT));
    for (int k = 0; k < 300; k++) {
        command_at(&told, &start, k * DT);
        robot_step(&model, &state, &told, 4);
        robot_motion(&now, &state);
        command_at(&told, &start, (k + 1) * DT - late_s);
        worst = draw_greater(worst, apart(&told.pose, &now.pose));
        worst = draw_greater(worst, draw_distance(told.velocity, now.velocity, 6));
    }
    return worst;
}

static void test_constant_twist_comes_after_dead_time_and_one_period(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, lateness_error(12e-3)); /* 300 steps of rounding */
    model.phase_s = 3e-3;
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, lateness_error(12e-3));
    TEST_ASSERT_TRUE(lateness_error(11e-3) > 1e-4); /* 0.3 m/s for 1 ms, and the test can fail */
}

static void test_each_part_of_the_lateness_alone(void)
{
    model = (struct robot_model){.dead_time_s = 8e-3};
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, lateness_error(8e-3));
    model = (struct robot_model){.dead_time_s = 2.3e-3};
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, lateness_error(2.3e-3));
    model = (struct robot_model){.period_s = 4e-3, .bandwidth_hz = 15.0, .damping = 1.0};
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, lateness_error(4e-3));
    model = (struct robot_model){.bandwidth_hz = 15.0, .damping = 1.0};
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, lateness_error(0.0));
}

static void test_ideal_robot_is_where_it_is_told_to_the_last_bit(void)
{
    struct motion told, now, path;

    model = (struct robot_model){.dead_time_s = 0.0};
    random_motion(&told, 0.0);
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &told, DT));
    robot_motion(&now, &state);
    TEST_ASSERT_EQUAL_MEMORY(&told, &now, sizeof now);
    for (int k = 0; k < 20; k++) {
        random_motion(&told, k < 10 ? 0.0 : 0.4);
        if (k >= 10) {
            draw_vector(&dice, told.acceleration, 6, 2.0);
        }
        robot_step(&model, &state, &told, 4);
        robot_path(&path, &state, 0.0); /* the instant of the command */
        TEST_ASSERT_EQUAL_MEMORY(&told, &path, sizeof path);
        robot_motion(&now, &state); /* the end of the cycle */
        if (k < 10) {
            TEST_ASSERT_EQUAL_MEMORY(&told, &now, sizeof now);
            continue;
        }
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, told.velocity[i] + DT * told.acceleration[i],
                                      now.velocity[i]);
        }
        TEST_ASSERT_EQUAL_MEMORY(told.acceleration, now.acceleration, sizeof now.acceleration);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3 * 0.4, 0.0, apart(&told.pose, &now.pose));
        TEST_ASSERT_TRUE(apart(&told.pose, &now.pose) > 1e-6);
    }
}

/* Closed form of the servo: critically damped, x = 1 - (1 + W t) e^(-W t) after a unit step. */
static void test_step_answers_as_a_second_order_servo(void)
{
    const double W = 2.0 * BASE_PI * 15.0;
    struct motion start = {.pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}}, told = start, now;

    model = (struct robot_model){.bandwidth_hz = 15.0, .damping = 1.0};
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &start, DT));
    told.pose.p[1] = 0.01;
    for (int k = 1; k <= 60; k++) {
        const double t = k * DT;

        robot_step(&model, &state, &told, 4);
        robot_motion(&now, &state);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.01 * (1.0 - (1.0 + W * t) * exp(-W * t)), now.pose.p[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.01 * W * W * t * exp(-W * t), now.velocity[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.01 * W * W * (1.0 - W * t) * exp(-W * t),
                                  now.acceleration[1]);
    }
}

/* x/r = (2 Z W s + W^2) / (s^2 + 2 Z W s + W^2) at s = jw, by real arithmetic */
static void test_sine_is_followed_as_the_transfer_function_says(void)
{
    const double W = 2.0 * BASE_PI * 15.0, w = 2.0 * BASE_PI * 10.0, Z = 0.8;
    const double num_re = W * W, num_im = 2.0 * Z * W * w;
    const double den_re = W * W - w * w, den_im = 2.0 * Z * W * w;
    const double den2 = den_re * den_re + den_im * den_im;
    const double gain_re = (num_re * den_re + num_im * den_im) / den2;
    const double gain_im = (num_im * den_re - num_re * den_im) / den2;
    struct motion told = {.pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}}, now;
    double worst = 0.0;

    model = (struct robot_model){.bandwidth_hz = 15.0, .damping = Z};
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &told, DT));
    for (int k = 0; k < 1000; k++) {
        const double t = k * DT, end = t + DT;

        told.pose.p[2] = 0.01 * sin(w * t);
        told.velocity[2] = 0.01 * w * cos(w * t);
        told.acceleration[2] = -0.01 * w * w * sin(w * t);
        robot_step(&model, &state, &told, 4);
        robot_motion(&now, &state);
        if (k > 500) {
            const double wanted = 0.01 * (gain_re * sin(w * end) + gain_im * cos(w * end));

            worst = draw_greater(worst, fabs(wanted - now.pose.p[2]));
        }
    }
    /* a set-point goes on with constant acceleration for 1 ms: jerk dt^2 / 6 of velocity, filtered, 5.8e-6 m */
    TEST_ASSERT_DOUBLE_WITHIN(7e-6, 0.0, worst);
}

static void test_pose_twist_and_acceleration_belong_together(void)
{
    struct motion told, before, now, middle;
    double mean[6], jump[6];

    random_motion(&told, 0.2);
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &told, DT));
    random_motion(&told, 0.2); /* far away: the servo works hard */
    for (int k = 0; k < 100; k++) {
        robot_motion(&before, &state);
        robot_step(&model, &state, &told, 4);
        robot_motion(&now, &state);
        /* trapezoid rule: V'' dt^3 / 12 with V'' up to W^3 times a metre */
        mat_add(mean, before.velocity, now.velocity, 6);
        middle = before;
        se3_step(&middle.pose, mean, 0.5 * DT);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.0, apart(&middle.pose, &now.pose));
        if (k > 30) {
            mat_add(mean, before.acceleration, now.acceleration, 6);
            mat_sub(jump, now.velocity, before.velocity, 6);
            mat_add_scaled(jump, -0.5 * DT, mean, 6);
            TEST_ASSERT_DOUBLE_WITHIN(5e-2, 0.0, draw_size(jump, 6));
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 0.0, apart(&told.pose, &now.pose));
}

/* Feed-forward at the body, not at the path: one rigid motion with the path leaves the error as it is. */
static void test_a_body_beside_the_path_is_fed_the_twist_of_its_own_place(void)
{
    const double W = 2.0 * BASE_PI * 15.0;
    struct motion path, body;
    struct pose beside;
    double y[ROBOT_STATE], dy[ROBOT_STATE], offset[3] = {0.1, -0.2, 0.3};

    model = (struct robot_model){.bandwidth_hz = 15.0, .damping = 0.8};
    random_motion(&path, 0.5);
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &path, DT));
    robot_command(&model, &state, &path);
    se3_identity(&beside);
    mat_copy(beside.p, offset, 3);
    se3_mul(&body.pose, &path.pose, &beside);
    integrate_put(y, &body.pose);
    se3_apply_Ad_inverse(y + INTEGRATE_FRAME, &beside, path.velocity);
    robot_rate(&body, dy, &model, &state, y, 0.0);
    for (int i = 0; i < 6; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, i < 3 ? -W * W * offset[i] : 0.0, body.acceleration[i]);
    }
}

static void test_a_fast_spin_stays_a_rotation(void)
{
    struct motion told = {.velocity = {0, 0, 0, 10.0, -15.0, 8.0}}, now;
    double RR[9], one[9];

    model = (struct robot_model){.bandwidth_hz = 15.0, .damping = 1.0};
    se3_identity(&told.pose);
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &told, DT));
    for (int k = 0; k < 1000; k++) { /* of one step each: without care 4e-13 are lost each time */
        robot_step(&model, &state, &told, 1);
        se3_step(&told.pose, told.velocity, DT);
    }
    robot_motion(&now, &state);
    mat_mul3_tn(RR, now.pose.R, now.pose.R);
    mat_identity(one, 3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, draw_distance(RR, one, 9));
}

/* The servo's own integration is of fourth order: a sixteenth of the error for half the step. */
static void test_servo_integrates_with_order_four(void)
{
    struct motion start = {.pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}}, told, now[3];
    const int substeps[3] = {1, 2, 16};

    model = (struct robot_model){.bandwidth_hz = 100.0, .damping = 0.7};
    random_motion(&told, 0.5);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &start, DT));
        for (int k = 0; k < 5; k++) {
            robot_step(&model, &state, &told, substeps[i]);
        }
        robot_motion(&now[i], &state);
    }
    const double coarse = apart(&now[2].pose, &now[0].pose);
    const double fine = apart(&now[2].pose, &now[1].pose);
    TEST_ASSERT_TRUE(coarse > 1e-8);
    TEST_ASSERT_TRUE(coarse / fine > 11.0 && coarse / fine < 32.0);
}

static void test_a_command_that_is_not_finite_leaves_the_robot_at_the_last(void)
{
    struct motion told, bad, now;

    random_motion(&told, 0.0);
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &told, DT));
    told.pose.p[0] += 0.01;
    for (int k = 0; k < 500; k++) {
        bad = told;
        bad.velocity[3] = k > 100 ? (double)NAN : 0.0;
        robot_step(&model, &state, &bad, 4);
        TEST_ASSERT_EQUAL_INT(k > 100, state.refused);
    }
    robot_motion(&now, &state);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, apart(&told.pose, &now.pose));
}

static void test_impossible_robots_are_refused(void)
{
    const struct robot_model good = model;
    struct motion start;

    random_motion(&start, 0.0);
    for (int i = 0; i < 11; i++) {
        model = good;
        model.dead_time_s = i == 0 ? -1e-3 : i == 1 ? 0.2 : i == 2 ? (double)NAN : 8e-3;
        model.period_s = i == 3 ? 3.5e-3 : i == 4 ? -4e-3 : 4e-3;
        model.phase_s = i == 5 ? 4e-3 : i == 6 ? 0.5e-3 : 0.0;
        model.bandwidth_hz = i == 7 ? 0.0 : i == 8 ? 200.0 : 15.0;
        model.damping = i == 9 ? 0.0 : i == 10 ? (double)NAN : 1.0;
        TEST_ASSERT_EQUAL_INT(-EINVAL, robot_init(&model, &state, &start, DT));
    }
    model = good;
    TEST_ASSERT_EQUAL_INT(0, robot_init(&model, &state, &start, DT));
    TEST_ASSERT_EQUAL_INT(-EINVAL, robot_init(&model, &state, &start, 0.0));
    start.pose.R[4] = (double)INFINITY;
    TEST_ASSERT_EQUAL_INT(-EINVAL, robot_init(&model, &state, &start, DT));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_constant_twist_comes_after_dead_time_and_one_period);
    RUN_TEST(test_each_part_of_the_lateness_alone);
    RUN_TEST(test_ideal_robot_is_where_it_is_told_to_the_last_bit);
    RUN_TEST(test_step_answers_as_a_second_order_servo);
    RUN_TEST(test_sine_is_followed_as_the_transfer_function_says);
    RUN_TEST(test_pose_twist_and_acceleration_belong_together);
    RUN_TEST(test_a_body_beside_the_path_is_fed_the_twist_of_its_own_place);
    RUN_TEST(test_a_fast_spin_stays_a_rotation);
    RUN_TEST(test_servo_integrates_with_order_four);
    RUN_TEST(test_a_command_that_is_not_finite_leaves_the_robot_at_the_last);
    RUN_TEST(test_impossible_robots_are_refused);
    return UNITY_END();
}
