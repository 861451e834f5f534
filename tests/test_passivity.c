/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_passivity.c - observer, dashpot and lead, each alone; together: test_latch.c. */
#include "model/passivity.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "tests/draw.h"
#include "unity.h"

static const struct passivity_model MODEL = {4, 0.02, 0.02, 0.5, 0.0};
static struct draw dice;

void setUp(void)
{
    dice.state = 5;
}

void tearDown(void)
{
}

static void random_pose(struct pose *g)
{
    double u[6];

    draw_vector(&dice, u, 6, 1.0);
    se3_exp(g, u);
}

/* Bodies of 100 kg and 50 kg m^2, everything at the origin. */
static void quiet_input(struct passivity_input *in, double force_x)
{
    *in = (struct passivity_input){.contact = true};
    se3_identity(&in->measured);
    se3_identity(&in->model);
    in->wrench[0] = force_x;
    for (int i = 0; i < 36; i += 7) {
        in->mobility[i] = i < 18 ? 0.01 : 0.02;
    }
}

/* Let the observer see an executed motion of x m along the wrench that the model did not make. */
static void give_energy(struct passivity_state *s, struct passivity_input *in, double x)
{
    TEST_ASSERT_EQUAL_INT(0, passivity_init(&MODEL, s));
    in->contact = false;
    passivity_step(&MODEL, s, in, 1e-3);
    in->contact = true;
    in->measured.p[0] += x;
    passivity_step(&MODEL, s, in, 1e-3);
}

static void test_observer_sees_nothing_when_the_robot_is_exact(void)
{
    struct passivity_state s;
    struct passivity_input in;

    quiet_input(&in, 0.0);
    TEST_ASSERT_EQUAL_INT(0, passivity_init(&MODEL, &s));
    for (int k = 0; k < 1000; k++) {
        draw_vector(&dice, in.wrench, 6, 100.0);
        random_pose(&in.measured);
        in.model = in.measured;
        passivity_step(&MODEL, &s, &in, 1e-3);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, s.energy_j);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, mat_norm3(s.drift.p));
}

/* Energy is a number, the same for every observer of the motion. */
static void test_observed_energy_does_not_depend_on_the_inertial_frame(void)
{
    struct passivity_state s[2];
    struct passivity_input in;
    struct pose h;

    random_pose(&h);
    for (int f = 0; f < 2; f++) {
        dice.state = 9;
        quiet_input(&in, 0.0);
        TEST_ASSERT_EQUAL_INT(0, passivity_init(&MODEL, &s[f]));
        for (int k = 0; k < 100; k++) {
            draw_vector(&dice, in.wrench, 6, 10.0);
            random_pose(&in.measured);
            random_pose(&in.model);
            if (f == 1) {
                se3_mul(&in.measured, &h, &in.measured);
                se3_mul(&in.model, &h, &in.model);
            }
            passivity_step(&MODEL, &s[f], &in, 1e-3);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, s[0].energy_j, s[1].energy_j);
    TEST_ASSERT_TRUE(fabs(s[0].energy_j) > 1.0);
}

/* 10 N over 1 mm more than computed: 10 mJ; the trapezoid with 20 N at its end: 15 mJ. */
static void test_observer_by_hand(void)
{
    struct passivity_state s;
    struct passivity_input in;

    quiet_input(&in, 10.0);
    give_energy(&s, &in, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0.010, s.energy_j);
    in.measured.p[0] += 1e-3;
    in.wrench[0] = 20.0;
    passivity_step(&MODEL, &s, &in, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0.025, s.energy_j);
    in.model.p[0] += 2e-3; /* the model catches up */
    passivity_step(&MODEL, &s, &in, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, -0.015, s.energy_j);
}

/* -1 uJ at 20 N: yields 5e-8 m along the wrench, at 0.05 mm/s, in one cycle. */
static void test_controller_yields_along_the_wrench_by_what_is_owed(void)
{
    struct passivity_state s;
    struct passivity_input in;

    quiet_input(&in, 20.0);
    give_energy(&s, &in, -5e-8);
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, -1e-6, s.effective_j);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 5e-5, s.drift_velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-19, 5e-8, s.drift.p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, s.drift.p[1]);
}

/* The debt is asked for once, for the d + 1 cycles the answer takes, and again when it did not come. */
static void test_controller_waits_for_what_it_has_commanded(void)
{
    struct passivity_state s;
    struct passivity_input in;

    quiet_input(&in, 20.0);
    give_energy(&s, &in, -5e-8);
    for (int k = 0; k <= MODEL.delay_cycles; k++) {
        passivity_step(&MODEL, &s, &in, 1e-3);
        TEST_ASSERT_DOUBLE_WITHIN(1e-18, 0.0, s.effective_j);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, s.drift_velocity[0]);
    }
    passivity_step(&MODEL, &s, &in, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 5e-5, s.drift_velocity[0]);
}

static void test_controller_leaves_taken_energy_alone(void)
{
    struct passivity_state s;
    struct passivity_input in;

    quiet_input(&in, 10.0);
    give_energy(&s, &in, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, s.drift.p[0]);
    quiet_input(&in, 1e-5); /* 1e-12 W^2/kg: too little to have a direction */
    give_energy(&s, &in, -1.0);
    TEST_ASSERT_TRUE(s.energy_j < 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, s.drift.p[0]);
}

static void test_yielding_keeps_both_limits(void)
{
    struct passivity_state s;
    struct passivity_input in;

    quiet_input(&in, 10.0);
    give_energy(&s, &in, -0.1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.02, mat_norm3(s.drift_velocity));
    TEST_ASSERT_DOUBLE_WITHIN(1e-17, 2e-5, s.drift.p[0]);

    quiet_input(&in, 1.0);
    in.wrench[4] = 100.0; /* turns 200 times faster than it moves */
    give_energy(&s, &in, -1.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.02, s.drift_velocity[4]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.02 / 200.0, s.drift_velocity[0]);

    quiet_input(&in, 100.0);
    in.wrench[4] = 1.0; /* moves 50 times faster than it turns, and turns too fast as well */
    give_energy(&s, &in, -1.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.02, s.drift_velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.02 / 50.0, s.drift_velocity[4]);
}

static void test_drift_goes_back_without_contact_and_ends(void)
{
    const struct passivity_model fast = {0, 1.0, 1.0, 0.5, 0.0};
    const double u[6] = {4e-3, -3e-3, 2e-3, 1e-3, 2e-3, -2e-3};
    struct passivity_state s;
    struct passivity_input in;
    struct pose before, step;

    quiet_input(&in, 0.0);
    in.contact = false;
    TEST_ASSERT_EQUAL_INT(0, passivity_init(&fast, &s));
    se3_exp(&s.drift, u);
    for (int k = 0; k < 500; k++) {
        before = s.drift;
        passivity_step(&fast, &s, &in, 1e-3);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 4e-3 * exp(-1.0),
                              s.drift.p[0]); /* one time constant; 1 - x for e^-x */
    se3_relative(&step, &before, &s.drift);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, step.p[0], 1e-3 * s.drift_velocity[0]);
    for (int k = 0; k < 20000; k++) {
        passivity_step(&fast, &s, &in, 1e-3);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, mat_norm3(s.drift.p));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, mat_norm3(s.drift_velocity));
}

static void test_drift_goes_back_within_the_limits(void)
{
    const double u[6] = {0.3, 0.0, 0.0, 0.0, 0.0, 0.0};
    struct passivity_state s;
    struct passivity_input in;

    quiet_input(&in, 0.0);
    in.contact = false;
    TEST_ASSERT_EQUAL_INT(0, passivity_init(&MODEL, &s));
    se3_exp(&s.drift, u);
    passivity_step(&MODEL, &s, &in, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.3 - 2e-5, s.drift.p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -0.02, s.drift_velocity[0]);
}

static void test_lead_follows_a_constant_twist_exactly(void)
{
    struct motion lab = {.acceleration = {0}}, ahead;
    struct pose expected;

    random_pose(&lab.pose);
    draw_vector(&dice, lab.velocity, 6, 0.5);
    passivity_lead(&ahead, &lab, 0.02);
    expected = lab.pose;
    se3_step(&expected, lab.velocity, 0.02);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(expected.p, ahead.pose.p, 3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(expected.R, ahead.pose.R, 9));
    passivity_lead(&ahead, &lab, 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(lab.pose.R, ahead.pose.R, 9));
}

/* Against the motion itself in small steps: the error of l V + l^2/2 V' falls with l^3. */
static void test_lead_is_of_third_order_in_its_length(void)
{
    struct motion lab;
    double error[2];

    random_pose(&lab.pose);
    draw_vector(&dice, lab.velocity, 6, 0.5);
    draw_vector(&dice, lab.acceleration, 6, 0.5);
    for (int c = 0; c < 2; c++) {
        const double lead = c == 0 ? 0.04 : 0.02;
        struct motion ahead;
        struct pose truth = lab.pose;

        for (int k = 0; k < 1000; k++) {
            double V[6];

            for (int i = 0; i < 6; i++) {
                V[i] = lab.velocity[i] + (k + 0.5) * 1e-3 * lead * lab.acceleration[i];
            }
            se3_step(&truth, V, 1e-3 * lead);
        }
        passivity_lead(&ahead, &lab, lead);
        error[c] = draw_distance(truth.p, ahead.pose.p, 3);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, lab.velocity[1] + lead * lab.acceleration[1],
                                  ahead.velocity[1]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.5, 8.0, error[0] / error[1]);
}

/* Twist of the command = derivative of its pose, with the drift moving. */
static void test_commanded_twist_moves_the_commanded_pose(void)
{
    struct passivity_state s;
    struct motion a, b, ahead;
    struct pose g;
    double u[6];

    TEST_ASSERT_EQUAL_INT(0, passivity_init(&MODEL, &s));
    random_pose(&ahead.pose);
    random_pose(&s.drift);
    draw_vector(&dice, ahead.velocity, 6, 0.5);
    draw_vector(&dice, s.drift_velocity, 6, 0.5);
    mat_zero(ahead.acceleration, 6);
    passivity_command(&a, &s, &ahead);
    se3_step(&ahead.pose, ahead.velocity, 1e-6);
    se3_step(&s.drift, s.drift_velocity, 1e-6);
    passivity_command(&b, &s, &ahead);
    se3_relative(&g, &a.pose, &b.pose);
    se3_log(u, &g);
    for (int i = 0; i < 6; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(2e-6, a.velocity[i], u[i] / 1e-6);
    }
}

static void test_input_that_is_not_finite_is_left_out(void)
{
    struct passivity_state s;
    struct passivity_input in, bad;

    quiet_input(&in, 10.0);
    give_energy(&s, &in, 1e-3);
    for (int c = 0; c < 4; c++) {
        bad = in;
        double *const victim[4] = {&bad.measured.p[1], &bad.model.R[3], &bad.wrench[5],
                                   &bad.mobility[20]};

        *victim[c] = (double)NAN;
        passivity_step(&MODEL, &s, &bad, 1e-3);
        TEST_ASSERT_FALSE(s.valid);
    }
    in.measured.p[0] += 1.0; /* unknown what happened meanwhile: not counted */
    passivity_step(&MODEL, &s, &in, 1e-3);
    TEST_ASSERT_TRUE(s.valid);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0.010, s.energy_j);
}

/* 10 N over 1 mm less than computed makes 10 mJ: let be when 11 are tolerated, all above 4 taken out when 4 are. */
static void test_tolerated_energy_moves_nothing(void)
{
    struct passivity_model m = MODEL;
    struct passivity_state s;
    struct passivity_input in;

    for (int i = 0; i < 2; i++) {
        m.tolerated_j = i == 0 ? 0.011 : 0.004;
        quiet_input(&in, 10.0);
        TEST_ASSERT_EQUAL_INT(0, passivity_init(&m, &s));
        passivity_step(&m, &s, &in, 1e-3);
        in.measured.p[0] -= 1e-3;
        passivity_step(&m, &s, &in, 1e-3);
        TEST_ASSERT_DOUBLE_WITHIN(1e-16, -0.010, s.energy_j);
        TEST_ASSERT_EQUAL_INT(i == 1, mat_norm3(s.drift_velocity) > 0.0);
    }
    m.tolerated_j = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, passivity_init(&m, &s));
}

static void test_bad_models_are_refused(void)
{
    const struct passivity_model good = MODEL;
    struct passivity_model m = good;
    struct passivity_state s;

    m.delay_cycles = -1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, passivity_init(&m, &s));
    m.delay_cycles = PASSIVITY_DELAY_MAX + 1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, passivity_init(&m, &s));
    m.delay_cycles = PASSIVITY_DELAY_MAX;
    TEST_ASSERT_EQUAL_INT(0, passivity_init(&m, &s));
    TEST_ASSERT_TRUE(s.valid);
    m = good;
    m.speed_limit_mps = 0.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, passivity_init(&m, &s));
    m = good;
    m.rate_limit_radps = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, passivity_init(&m, &s));
    m = good;
    m.bleed_s = -0.5;
    TEST_ASSERT_EQUAL_INT(-EINVAL, passivity_init(&m, &s));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_observer_sees_nothing_when_the_robot_is_exact);
    RUN_TEST(test_observed_energy_does_not_depend_on_the_inertial_frame);
    RUN_TEST(test_observer_by_hand);
    RUN_TEST(test_tolerated_energy_moves_nothing);
    RUN_TEST(test_controller_yields_along_the_wrench_by_what_is_owed);
    RUN_TEST(test_controller_waits_for_what_it_has_commanded);
    RUN_TEST(test_controller_leaves_taken_energy_alone);
    RUN_TEST(test_yielding_keeps_both_limits);
    RUN_TEST(test_drift_goes_back_without_contact_and_ends);
    RUN_TEST(test_drift_goes_back_within_the_limits);
    RUN_TEST(test_lead_follows_a_constant_twist_exactly);
    RUN_TEST(test_lead_is_of_third_order_in_its_length);
    RUN_TEST(test_commanded_twist_moves_the_commanded_pose);
    RUN_TEST(test_input_that_is_not_finite_is_left_out);
    RUN_TEST(test_bad_models_are_refused);
    return UNITY_END();
}
