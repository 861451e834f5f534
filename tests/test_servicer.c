/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_servicer.c - the servicer keeps its momentum, moves as the whole robot would, and its forms agree. */
#include "model/servicer.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "tests/draw.h"
#include "tests/freeflyer.h"
#include "tests/robots_model.h"
#include "unity.h"

enum { N = 7, STATES = 200 };

static struct servicer_model model;
static struct servicer_state state;
static struct draw draw;

void setUp(void)
{
    draw.state = 0x5e41ce4;
    TEST_ASSERT_EQUAL_INT(0, robots_model_build(&model.robot, &robots_servicer));
    TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&model.gripper, &model.robot, &robots_servicer, 0));
    model.torque_ahead_s = 0.0;
    TEST_ASSERT_EQUAL_INT(0, servicer_init(&model));
}

void tearDown(void)
{
}

static void random_pose(struct pose *g)
{
    double u[6];

    draw_vector(&draw, u, 6, 2.0);
    se3_exp(g, u);
}

/* A random state and what acts on it: metres per second, tens of newtons. */
static void random_case(struct servicer_input *in, double tau[static N])
{
    struct pose g;
    double V[6];

    random_pose(&g);
    draw_vector(&draw, V, 6, 0.5);
    draw_vector(&draw, in->joint_position, N, 3.0);
    draw_vector(&draw, in->joint_velocity, N, 1.0);
    draw_vector(&draw, in->gripper_wrench, 6, 30.0);
    draw_vector(&draw, in->base_wrench, 6, 30.0);
    draw_vector(&draw, tau, N, 20.0);
    servicer_start(&model, &state, &g, V, in->joint_position, in->joint_velocity);
}

static void random_relative(struct servicer_relative *r)
{
    random_pose(&r->pose);
    draw_vector(&draw, r->velocity, 6, 0.5);
    draw_vector(&draw, r->nominal_acceleration, 6, 0.5);
}

static void test_momentum_stays_to_the_last_bit_without_a_wrench(void)
{
    struct servicer_input in;
    double tau[N], before[6];

    random_case(&in, tau);
    mat_zero(in.gripper_wrench, 6);
    mat_zero(in.base_wrench, 6);
    mat_copy(before, state.momentum, 6);
    for (int k = 0; k < 1000; k++) {
        for (int i = 0; i < N; i++) { /* the joints go where they like: only momentum counts */
            in.joint_velocity[i] += draw_uniform(&draw, -0.01, 0.01);
            in.joint_position[i] += 1e-3 * in.joint_velocity[i];
        }
        servicer_step(&model, &state, &in, 1e-3);
    }
    TEST_ASSERT_EQUAL_MEMORY(before, state.momentum, sizeof before);
}

static void test_twist_and_joints_carry_the_stored_momentum(void)
{
    struct servicer_input in;
    struct multibody_vector nu = {{0.0}, {0.0}};
    double tau[N], P[6], mu[6];

    random_case(&in, tau);
    for (int k = 0; k < 100; k++) {
        servicer_step(&model, &state, &in, 1e-3);
    }
    mat_copy(nu.base, state.velocity, 6);
    mat_copy(nu.joint, in.joint_velocity, N);
    multibody_mass_momentum(P, &model.robot, &state.work, &nu);
    se3_apply_Ad_inverse_transpose(mu, &state.pose, P);
    for (int i = 0; i < 6; i++) { /* 1e3 kg m/s: rounding of a 1500 kg base */
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, state.momentum[i], mu[i]);
    }
}

/* Greatest position error against the truth over 0.4 s with this period. */
static double tracking_error(double dt_s)
{
    static struct freeflyer truth;
    struct multibody_vector load = {{0.0}, {0.0}};
    struct servicer_input in;
    double tau[N], error = 0.0;

    setUp(); /* the same random case each time */
    random_case(&in, tau);
    mat_scale(in.joint_velocity, 0.3, in.joint_velocity, N);
    mat_scale(in.gripper_wrench, 0.1, in.gripper_wrench, 6);
    mat_scale(load.joint, 0.005, tau, N); /* the wrist has 5 g m^2: more would make it spin */
    mat_copy(load.base, in.base_wrench, 6);
    servicer_start(&model, &state, &state.pose, state.velocity, in.joint_position,
                   in.joint_velocity);
    freeflyer_start(&truth, &model.robot, &state.pose, state.velocity, in.joint_position,
                    in.joint_velocity);
    servicer_step(&model, &state, &in, 0.0); /* the wrench is there from the first instant on */
    for (int k = 0; k < (int)(0.4 / dt_s + 0.5); k++) {
        for (int j = 0; j < 8; j++) {
            freeflyer_step(&truth, &load, &model.gripper, in.gripper_wrench, dt_s / 8.0);
        }
        mat_copy(in.joint_position, truth.q, N);
        mat_copy(in.joint_velocity, truth.nu.joint, N);
        servicer_step(&model, &state, &in, dt_s);
        error = fmax(error, draw_distance(state.pose.p, truth.pose.p, 3));
    }
    return error;
}

static void test_base_follows_the_whole_robot_with_second_order(void)
{
    const double coarse = tracking_error(2e-3), fine = tracking_error(1e-3);

    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, fine);
    TEST_ASSERT_DOUBLE_WITHIN(0.4, 4.0, coarse / fine);
}

static void test_admittance_form_gives_the_acceleration_of_the_whole_robot(void)
{
    for (int k = 0; k < STATES; k++) {
        struct servicer_input in;
        struct servicer_relative rel;
        struct multibody_vector acc;
        double tau[N], V_s_dot[6];

        random_case(&in, tau);
        random_relative(&rel);
        servicer_acceleration(&model, &state, &acc, &in, tau);
        servicer_admittance(&model, &state, V_s_dot, &in, acc.joint, rel.nominal_acceleration);
        for (int i = 0; i < 6; i++) { /* V_s' = V_b' - dV_s' */
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, acc.base[i] - rel.nominal_acceleration[i], V_s_dot[i]);
        }
    }
}

/* A mock-up with another base, pushed by F_s of [REL 16] and by the contact, must accelerate like [REL 18]. */
static void test_impedance_form_moves_another_base_like_the_servicer(void)
{
    static struct multibody_model lab;
    static struct multibody_work lab_work;

    for (int k = 0; k < STATES; k++) {
        struct servicer_input in;
        struct servicer_relative rel;
        struct multibody_vector acc, bias, joints = {{0.0}, {0.0}};
        double tau[N], F[6], F_be[6], M_bq_qdd[6], V_lab[6], V_s_dot[6];

        random_case(&in, tau);
        random_relative(&rel);
        lab = model.robot;
        lab.base_body.mass_kg *= 0.3;
        mat_scale(lab.base_body.moment, 0.3, lab.base_body.moment, 3);
        mat_scale(lab.base_body.inertia, 0.2, lab.base_body.inertia, 6);
        servicer_acceleration(&model, &state, &acc, &in, tau);
        servicer_admittance(&model, &state, V_s_dot, &in, acc.joint, rel.nominal_acceleration);
        servicer_impedance(&model, &state, &lab, &lab_work, F, &in, acc.joint, &rel);

        /* M_s V' = F_s + J_b^T F_e - M_bq qdd - h_s(V_s) */
        multibody_inverse_bias(&bias, &lab, &lab_work, rel.velocity);
        mat_copy(joints.joint, acc.joint, N);
        multibody_mass_momentum(M_bq_qdd, &lab, &lab_work, &joints);
        se3_apply_Ad_inverse_transpose(F_be, &state.gripper, in.gripper_wrench);
        for (int i = 0; i < 6; i++) {
            F[i] += F_be[i] - M_bq_qdd[i] - bias.base[i];
        }
        multibody_mass_base_solve(V_lab, &lab_work, F);
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, V_s_dot[i], V_lab[i]);
        }
    }
}

/* The heart of the method: the arm on the robot, under gravity, with tau_q, has the joint acceleration it
 * would have in orbit with tau [REL 19, 20, 22]. */
static void test_real_arm_under_gravity_accelerates_as_in_orbit(void)
{
    static struct servicer_work w;
    static struct multibody_work lab;
    static const double down[3] = {0.0, 0.0, -9.81};

    multibody_reset(&model.robot, &w.ahead);
    multibody_reset(&model.robot, &lab);
    for (int k = 0; k < STATES; k++) {
        struct servicer_input in;
        struct servicer_relative rel;
        struct multibody_vector acc, lab_acc, needed, applied = {{0.0}, {0.0}};
        double tau[N], tau_q[N], g_S[3];

        random_case(&in, tau);
        random_relative(&rel);
        servicer_acceleration(&model, &state, &acc, &in, tau);
        servicer_torque(&model, &w, tau_q, &in, tau, &rel, state.velocity, down);

        /* inverse dynamics of the real arm: base moved by the robot with V_s, V_s' = V_b' - dV_s' */
        multibody_kinematics(&model.robot, &lab, in.joint_position);
        multibody_rates(&model.robot, &lab, in.joint_velocity);
        multibody_mass(&model.robot, &lab);
        lab_acc = acc;
        mat_sub(lab_acc.base, acc.base, rel.nominal_acceleration, 6);
        mat_vec3_t(g_S, rel.pose.R, down);
        multibody_inverse(&needed, &model.robot, &lab, rel.velocity, &lab_acc, g_S);
        mat_copy(applied.joint, tau_q, N);
        multibody_frame_wrench(&applied, &model.robot, &lab, &model.gripper, in.gripper_wrench);
        for (int i = 0; i < N; i++) { /* torques of some 100 Nm */
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, needed.joint[i], applied.joint[i]);
        }
    }
}

static void test_torque_looks_ahead_by_the_time_told(void)
{
    static struct servicer_work w;
    static const double down[3] = {0.0, 0.0, -9.81};
    struct servicer_input in;
    struct servicer_relative rel;
    double tau[N], late[N], now[N];

    multibody_reset(&model.robot, &w.ahead);
    random_case(&in, tau);
    random_relative(&rel);
    model.torque_ahead_s = 0.5e-3;
    servicer_torque(&model, &w, late, &in, tau, &rel, state.velocity, down);
    model.torque_ahead_s = 0.0;
    for (int i = 0; i < N; i++) {
        in.joint_position[i] += 0.5e-3 * in.joint_velocity[i];
    }
    se3_step(&rel.pose, rel.velocity, 0.5e-3);
    servicer_torque(&model, &w, now, &in, tau, &rel, state.velocity, down);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, draw_distance(late, now, N));
}

static void test_robot_that_is_not_a_servicer_is_refused(void)
{
    struct servicer_model wrong = model;

    wrong.robot.base = MULTIBODY_FIXED;
    TEST_ASSERT_EQUAL_INT(-EINVAL, servicer_init(&wrong));
    wrong = model;
    wrong.gripper.arm = MULTIBODY_BASE;
    TEST_ASSERT_EQUAL_INT(-EINVAL, servicer_init(&wrong));
    wrong = model;
    wrong.torque_ahead_s = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, servicer_init(&wrong));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_momentum_stays_to_the_last_bit_without_a_wrench);
    RUN_TEST(test_twist_and_joints_carry_the_stored_momentum);
    RUN_TEST(test_base_follows_the_whole_robot_with_second_order);
    RUN_TEST(test_admittance_form_gives_the_acceleration_of_the_whole_robot);
    RUN_TEST(test_impedance_form_moves_another_base_like_the_servicer);
    RUN_TEST(test_real_arm_under_gravity_accelerates_as_in_orbit);
    RUN_TEST(test_torque_looks_ahead_by_the_time_told);
    RUN_TEST(test_robot_that_is_not_a_servicer_is_refused);
    return UNITY_END();
}
