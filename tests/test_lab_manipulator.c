/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lab_manipulator.c - the lab's arm obeys Newton under gravity on a moving base, and its drives their data sheet. */
#include "tools/lab/manipulator.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "tests/draw.h"
#include "tests/robots_model.h"
#include "tools/lab/integrate.h"
#include "unity.h"

enum { N = 7, L = MULTIBODY_LANES, FRAME = INTEGRATE_FRAME, WORK = FRAME + 2 * L, NUMBERS };

static struct manipulator_model model;
static struct manipulator_state state;
static struct draw dice;
static const double down[3] = {0.0, 0.0, -9.81};

/* How the test carries the base: V = a sin(w t + 0.7), per axis; a = 0 rests. And what pushes at E. */
static double swing[6], swing_rate;
static double push[6];
static double step_s;

void setUp(void)
{
    const double q[N] = {0.1, 1.10, -0.2, 2.05, 0.3, 0.95, 0.0}, qd[N] = {0.2, -0.1, 0.1, 0.3};

    dice.state = 5;
    model = (struct manipulator_model){.latency = 0};
    TEST_ASSERT_EQUAL_INT(0, robots_model_build(&model.robot, &robots_servicer));
    TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&model.gripper, &model.robot, &robots_servicer, 0));
    TEST_ASSERT_EQUAL_INT(0, manipulator_init(&model, &state, q, qd, 1));
    mat_zero(swing, 6);
    mat_zero(push, 6);
    swing_rate = 3.0;
    step_s = 2.5e-4;
}

void tearDown(void)
{
}

static void base_motion(double V[static 6], double A[static 6], double t)
{
    const double sine = sin(swing_rate * t + 0.7), cosine = cos(swing_rate * t + 0.7);

    for (int i = 0; i < 6; i++) {
        V[i] = swing[i] * sine;
        A[i] = swing[i] * swing_rate * cosine;
    }
}

/* y = [base frame; q; qd; work done on the arm by base, drives, friction and push] */
static void rate(void *user, double t, const double *y, double *dy)
{
    struct multibody_vector acc, need;
    struct manipulator_load load;
    struct pose g;
    double V_e[6], pushed[6];
    const double *qd = y + FRAME + L;

    (void)user;
    mat_zero(dy, NUMBERS);
    base_motion(load.velocity, load.acceleration, t);
    mat_vec3_t(load.gravity, y, down);
    mat_copy(load.gripper, push, 6);
    integrate_frame(dy, y, load.velocity);
    manipulator_place(&model, &state, y + FRAME, qd, load.velocity, &g, V_e);
    mat_copy(dy + FRAME, qd, N);
    manipulator_acceleration(dy + FRAME + L, &model, &state, qd, &load, step_s);

    mat_copy(acc.base, load.acceleration, 6);
    mat_copy(acc.joint, dy + FRAME + L, N);
    multibody_inverse(&need, &model.robot, &state.work, load.velocity, &acc, load.gravity);
    se3_apply_Ad_inverse_transpose(pushed, &g, push); /* what the base need not do */
    dy[WORK] =
        mat_dot6(push, V_e) + mat_dot6(need.base, load.velocity) - mat_dot6(pushed, load.velocity);
    for (int i = 0; i < N; i++) {
        dy[WORK] += (state.drive.joint[i] + manipulator_friction(&model, i, qd[i])) * qd[i];
    }
}

static void begin(double y[static NUMBERS])
{
    struct pose g;

    mat_zero(y, NUMBERS);
    se3_exp(&g, (double[6]){0.1, 0.2, 0.3, 0.4, -0.5, 0.6});
    integrate_put(y, &g);
    mat_copy(y + FRAME, state.q, N);
    mat_copy(y + FRAME + L, state.qd, N);
}

static void run(double y[static NUMBERS], double from_s, double for_s)
{
    const int steps = (int)(for_s / step_s + 0.5);

    for (int k = 0; k < steps; k++) {
        integrate_step(y, NUMBERS, from_s + k * step_s, step_s, rate, NULL);
    }
}

/* Kinetic and potential energy of base and arm, from the mass matrix. */
static double energy(const double y[static NUMBERS], double t)
{
    struct multibody_work *w = &state.work;
    struct multibody_vector nu = {{0.0}, {0.0}};
    double A[6], com[3];

    base_motion(nu.base, A, t);
    mat_copy(nu.joint, y + FRAME + L, N);
    multibody_kinematics(&model.robot, w, y + FRAME);
    multibody_mass(&model.robot, w);
    multibody_mass_joint(&model.robot, w);
    mat_vec3(com, y, w->total.moment);
    mat_add_scaled(com, w->total.mass_kg, y + 9, 3);
    return multibody_mass_energy(&model.robot, w, &nu) - mat_dot3(com, down);
}

static void drives(const double torque[static N])
{
    manipulator_command(&model, &state, torque, true);
}

static void test_energy_balances_on_a_resting_base(void)
{
    double torque[N], y[NUMBERS], start;

    draw_vector(&dice, torque, N, 3.0);
    draw_vector(&dice, push, 6, 5.0);
    drives(torque);
    begin(y);
    start = energy(y, 0.0);
    run(y, 0.0, 0.5);
    TEST_ASSERT_TRUE(fabs(y[WORK]) > 0.1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, start + y[WORK], energy(y, 0.5));
}

static void test_energy_is_kept_without_drives_and_friction(void)
{
    const double none[N] = {0.0};
    double y[NUMBERS], start, joint_before[N];

    drives(none);
    begin(y);
    start = energy(y, 0.0);
    mat_copy(joint_before, y + FRAME, N);
    run(y, 0.0, 0.5);
    TEST_ASSERT_TRUE(draw_distance(joint_before, y + FRAME, N) > 0.5); /* it fell */
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, start, energy(y, 0.5));
}

static void test_energy_balances_on_a_moving_base(void)
{
    double torque[N], y[NUMBERS], start, base_work;

    draw_vector(&dice, torque, N, 3.0);
    draw_vector(&dice, push, 6, 5.0);
    draw_vector(&dice, swing, 6, 0.4);
    drives(torque);
    begin(y);
    start = energy(y, 0.0);
    run(y, 0.0, 0.5);
    base_work = energy(y, 0.5) - start;
    TEST_ASSERT_TRUE(fabs(base_work) > 1.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * fabs(base_work) + 1e-6, start + y[WORK], energy(y, 0.5));
}

/* Falls with the base: no weight, so a resting arm stays at rest in it, exactly as in orbit. */
static void test_an_arm_on_a_falling_base_is_weightless(void)
{
    const double none[N] = {0.0};
    struct manipulator_load load = {.acceleration = {0.0, 0.0, -9.81},
                                    .gravity = {0.0, 0.0, -9.81}};
    double qdd[N], V_e[6];
    struct pose g;

    drives(none);
    mat_zero(state.qd, N);
    manipulator_place(&model, &state, state.q, state.qd, load.velocity, &g, V_e);
    manipulator_acceleration(qdd, &model, &state, state.qd, &load, step_s);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, draw_size(qdd, N));
    load.acceleration[2] = 0.0;
    manipulator_acceleration(qdd, &model, &state, state.qd, &load, step_s);
    TEST_ASSERT_TRUE(draw_size(qdd, N) > 1.0);
}

/* One joint, one weight: a pendulum of 1 m let go at 60 degrees. T = 2 pi sqrt(l/g) / agm(1, cos(30 deg)). */
static void pendulum(double period_s)
{
    const double none[6] = {0.0}, com[3] = {1.0, 0.0, 0.0}, still = 0.0, torque[1] = {0.0};
    struct multibody_joint joint = {.axis = {0.0, -1.0, 0.0}};
    struct body nothing = {.mass_kg = 0.0};
    struct pose one;
    const double start =
        0.5 * BASE_PI - BASE_PI / 3.0; /* q from the horizontal; straight down is -pi/2 */
    double q0 = -start;

    se3_identity(&one);
    joint.place = one;
    body_make(&joint.body, 2.0, com, none);
    model = (struct manipulator_model){.latency = 0};
    TEST_ASSERT_EQUAL_INT(0, multibody_init(&model.robot, MULTIBODY_FIXED, &nothing));
    TEST_ASSERT_EQUAL_INT(0, multibody_add_joint(&model.robot, MULTIBODY_BASE, &joint));
    TEST_ASSERT_EQUAL_INT(0, multibody_frame(&model.gripper, &model.robot, 0, &one));
    TEST_ASSERT_EQUAL_INT(0, manipulator_init(&model, &state, &q0, &still, 1));
    manipulator_command(&model, &state, torque, true);

    double y[NUMBERS] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    y[FRAME] = q0;
    const int steps = 4000;
    step_s = period_s / steps;
    for (int k = 0; k < steps / 2; k++) {
        integrate_step(y, NUMBERS, k * step_s, step_s, rate, NULL);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, -BASE_PI + start, y[FRAME]); /* the other side */
    for (int k = 0; k < steps / 2; k++) {
        integrate_step(y, NUMBERS, k * step_s, step_s, rate, NULL);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, q0, y[FRAME]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, y[FRAME + L]);
}

static void test_a_pendulum_swings_with_the_period_of_the_elliptic_integral(void)
{
    double a = 1.0, b = sqrt(0.75);

    for (int i = 0; i < 6; i++) {
        const double mean = 0.5 * (a + b);

        b = sqrt(a * b);
        a = mean;
    }
    pendulum(2.0 * BASE_PI * sqrt(1.0 / 9.81) / a);
}

static void test_step_halved_leaves_a_sixteenth_of_the_error(void)
{
    double torque[N], y[3][NUMBERS];
    const double steps[3] = {4e-3, 2e-3, 2.5e-4};

    draw_vector(&dice, torque, N, 3.0);
    draw_vector(&dice, swing, 6, 0.4);
    for (int i = 0; i < N; i++) {
        model.viscous_nms[i] = 0.2;
    }
    for (int i = 0; i < 3; i++) {
        drives(torque);
        begin(y[i]);
        step_s = steps[i];
        run(y[i], 0.0, 0.2);
    }
    const double coarse = draw_distance(y[0] + FRAME, y[2] + FRAME, 2 * L);
    const double fine = draw_distance(y[1] + FRAME, y[2] + FRAME, 2 * L);
    TEST_ASSERT_TRUE(coarse > 1e-9);
    TEST_ASSERT_TRUE(coarse / fine > 11.0 && coarse / fine < 25.0);
}

static void rub(double coulomb, double viscous, double slip)
{
    for (int i = 0; i < N; i++) {
        model.coulomb_nm[i] = coulomb * (N + 1 - i) / (N + 1);
        model.viscous_nms[i] = viscous;
    }
    model.slip_radps = slip;
}

static void test_friction_only_dissipates(void)
{
    const double none[N] = {0.0};
    double y[NUMBERS], last, now;

    rub(1.0, 0.5, 1e-3);
    for (int k = 0; k < 1000; k++) {
        const int joint = draw_index(&dice, N);
        const double v = draw_scaled(&dice, -20, 3), f = manipulator_friction(&model, joint, v);

        TEST_ASSERT_TRUE(f * v < 0.0);
        TEST_ASSERT_TRUE(fabs(f) <= model.coulomb_nm[joint] + 0.5 * fabs(v));
    }
    drives(none);
    begin(y);
    last = energy(y, 0.0);
    for (int k = 0; k < 500; k++) {
        run(y, 0.0, 1e-3);
        now = energy(y, 0.0);
        TEST_ASSERT_TRUE(now < last);
        last = now;
    }
}

/* Held in balance up to less than the friction, the arm comes to rest and stays: no ringing with a slope of
 * 1e4 Nms/rad on joints of a few grams m^2, no drift but the creep of a smooth law, s tau / c. */
static void test_friction_makes_the_arm_stick(void)
{
    struct multibody_vector need, still = {{0.0}, {0.0}};
    double y[NUMBERS], torque[N], gravity[3], rest[N], V[6] = {0.0};

    rub(1.0, 0.0, 1e-4);
    mat_zero(state.qd, N);
    begin(y);
    mat_vec3_t(gravity, y, down);
    multibody_kinematics(&model.robot, &state.work, state.q);
    multibody_rates(&model.robot, &state.work, state.qd);
    multibody_mass(&model.robot, &state.work);
    multibody_inverse(&need, &model.robot, &state.work, V, &still, gravity);
    for (int i = 0; i < N; i++) {
        torque[i] = need.joint[i] + 0.5 * model.coulomb_nm[i];
    }
    drives(torque);
    run(y, 0.0, 0.02);
    mat_copy(rest, y + FRAME, N);
    run(y, 0.0, 0.1);
    for (int i = 0; i < N; i++) {
        /* creep at c/2; the weight changes a little on the way */
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, 1e-4 / sqrt(3.0), y[FRAME + L + i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, rest[i] + 0.1e-4 / sqrt(3.0), y[FRAME + i]);
    }
}

static void test_torque_arrives_after_its_latency_in_steps_of_the_drive(void)
{
    double torque[N] = {0.0};

    for (int latency = 0; latency < MANIPULATOR_QUEUE; latency++) {
        model.latency = latency;
        model.torque_step_nm = 0.25;
        TEST_ASSERT_EQUAL_INT(0, manipulator_init(&model, &state, state.q, state.qd, 1));
        for (int k = 0; k < 40; k++) {
            torque[3] = 0.1 * k - 1.0;
            manipulator_command(&model, &state, torque, true);
            const double due = 0.1 * (k - latency) - 1.0, got = state.drive.joint[3];

            TEST_ASSERT_EQUAL_INT(k >= latency, state.drive.on);
            if (k >= latency) {
                TEST_ASSERT_DOUBLE_WITHIN(0.125 + 1e-12, due, got);
                TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, got / 0.25 - floor(got / 0.25 + 0.5));
            } else {
                TEST_ASSERT_EQUAL_DOUBLE(0.0, got);
            }
        }
    }
    model.latency = 0;
    model.torque_step_nm = 0.0;
    torque[3] = 0.123456789;
    drives(torque);
    TEST_ASSERT_EQUAL_MEMORY(torque, state.drive.joint, sizeof torque);
}

static void test_brakes_hold_when_the_drives_are_off(void)
{
    double torque[N], y[NUMBERS], before[N];

    draw_vector(&dice, torque, N, 30.0);
    draw_vector(&dice, swing, 6, 0.4);
    manipulator_command(&model, &state, torque, false);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, draw_size(state.qd, N));
    begin(y);
    mat_copy(before, y + FRAME, N);
    run(y, 0.0, 0.05);
    TEST_ASSERT_EQUAL_MEMORY(before, y + FRAME, sizeof before);
}

static void test_a_torque_that_is_not_finite_is_no_torque(void)
{
    double torque[N] = {1.0, 2.0, (double)NAN};
    const double none[L] = {0.0};

    drives(torque);
    TEST_ASSERT_TRUE(state.refused);
    TEST_ASSERT_EQUAL_MEMORY(none, state.drive.joint, sizeof none);
    torque[2] = 0.0;
    drives(torque);
    TEST_ASSERT_FALSE(state.refused);
    TEST_ASSERT_EQUAL_DOUBLE(2.0, state.drive.joint[1]);
}

static void test_measurements_are_exact_or_in_steps_and_repeat_by_seed(void)
{
    double position[N], velocity[N], again[N], square = 0.0;
    struct manipulator_state twin;

    manipulator_measure(&model, &state, position, velocity);
    TEST_ASSERT_EQUAL_MEMORY(state.q, position, sizeof position);
    TEST_ASSERT_EQUAL_MEMORY(state.qd, velocity, sizeof velocity);
    model.encoder_step_rad = 1e-4;
    model.velocity_noise_radps = 1e-3;
    twin = state;
    for (int k = 0; k < 2000; k++) {
        manipulator_measure(&model, &state, position, velocity);
        manipulator_measure(&model, &twin, position, again);
        TEST_ASSERT_EQUAL_MEMORY(velocity, again, sizeof again);
        for (int i = 0; i < N; i++) {
            const double e = velocity[i] - state.qd[i];

            square += e * e;
            TEST_ASSERT_DOUBLE_WITHIN(0.5e-4 + 1e-15, state.q[i], position[i]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, floor(position[i] / 1e-4 + 0.5), position[i] / 1e-4);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(2.0 / 14e3), 1.0, square / 14e3 / 1e-6);
}

static void test_impossible_arms_are_refused(void)
{
    const struct manipulator_model good = model;
    const double q[L] = {0.0}, bad[L] = {0.0, (double)INFINITY};

    for (int i = 0; i < 8; i++) {
        model = good;
        model.coulomb_nm[1] = i == 0 ? -1.0 : i == 1 ? 1.0 : 0.0; /* without a slip speed */
        model.viscous_nms[2] = i == 2 ? (double)NAN : 0.0;
        model.latency = i == 3 ? -1 : i == 4 ? MANIPULATOR_QUEUE : 0;
        model.encoder_step_rad = i == 5 ? -1e-6 : 0.0;
        model.robot.arms = i == 6 ? 2 : 1;
        TEST_ASSERT_EQUAL_INT(-EINVAL, manipulator_init(&model, &state, i == 7 ? bad : q, q, 1));
    }
    model = good;
    TEST_ASSERT_EQUAL_INT(0, manipulator_init(&model, &state, q, q, 1));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_energy_is_kept_without_drives_and_friction);
    RUN_TEST(test_energy_balances_on_a_resting_base);
    RUN_TEST(test_energy_balances_on_a_moving_base);
    RUN_TEST(test_an_arm_on_a_falling_base_is_weightless);
    RUN_TEST(test_a_pendulum_swings_with_the_period_of_the_elliptic_integral);
    RUN_TEST(test_step_halved_leaves_a_sixteenth_of_the_error);
    RUN_TEST(test_friction_only_dissipates);
    RUN_TEST(test_friction_makes_the_arm_stick);
    RUN_TEST(test_torque_arrives_after_its_latency_in_steps_of_the_drive);
    RUN_TEST(test_brakes_hold_when_the_drives_are_off);
    RUN_TEST(test_a_torque_that_is_not_finite_is_no_torque);
    RUN_TEST(test_measurements_are_exact_or_in_steps_and_repeat_by_seed);
    RUN_TEST(test_impossible_arms_are_refused);
    return UNITY_END();
}
