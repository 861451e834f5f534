/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_capture.c - the built-in on-board software captures Envisat in orbit, and never adds energy.
 *
 * Here there is no laboratory: the client is a free body, the servicer a whole robot by forward dynamics, the
 * command held for 1 ms. Figures are those of the design's acceptance table, ideal navigation. */
#include "model/capture.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "tests/freeflyer.h"
#include "tests/robots_model.h"
#include "unity.h"

enum { N = 7 };
#define DEG (BASE_PI / 180.0)

static struct capture_model model;
static struct capture_state state;
static struct rigid_state client;
static struct freeflyer servicer;

/* Envisat, its grasp frame, the servicer's place and gains. */
static void set_model(void)
{
    static const double inertia[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
    static const double base_damping[6] = {1600.0, 1600.0, 1600.0, 1100.0, 1100.0, 1100.0};
    static const double joint_damping[N] = {20.0, 20.0, 12.0, 12.0, 5.0, 3.0, 1.2};
    static const double posture[N] = {0.0, 1.10, 0.0, 2.05, 0.0, 0.95, 0.0};

    TEST_ASSERT_EQUAL_INT(0, robots_model_build(&model.robot, &robots_servicer));
    TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&model.gripper, &model.robot, &robots_servicer, 0));
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&model.client, 7827.867, inertia));
    model.base_place =
        (struct pose){{-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0}, {5.1354, 0.0, 1.5631}};
    model.grasp =
        (struct pose){{0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0}, {2.5863, 0.0, 1.312}};
    mat_copy(model.posture_rad, posture, N);
    model.posture_gain_ps = 0.5;
    model.standoff_m = 0.36;
    model.base = (struct capture_stiffness){540.0, 380.0};
    model.tool = (struct capture_stiffness){400.0, 30.0};
    mat_copy(model.base_damping, base_damping, 6);
    mat_copy(model.joint_damping, joint_damping, N);
    model.rigidise_damping = 1.0;
    model.tool_ramp_s[0] = 1.0;
    model.tool_ramp_s[1] = 8.0;
    model.approach_s[0] = 9.1;
    model.approach_s[1] = 32.6;
    model.grasp_s = 0.5;
}

/* Both bodies as the scenario starts: 2.5 deg/s, and the base a few centimetres and degrees off. */
static void start(void)
{
    static const double V_t[6] = {0.0, 0.0, 0.0, 0.0, -2.5 * DEG, 0.0};
    static const double off[6] = {0.04, -0.03, 0.05, 1.5 * DEG, -1.0 * DEG, 2.0 * DEG};
    static const double drift[6] = {0.010, -0.008, 0.006, 0.3 * DEG, -0.2 * DEG, 0.25 * DEG};
    static const double still[N] = {0.0};
    struct pose g_t, error, g_b;
    double V_b[6];

    se3_identity(&g_t);
    rigid_start(&model.client, &client, &g_t, V_t);
    mat_copy(error.p, off, 3);
    so3_exp(error.R, off + 3);
    se3_mul(&g_b, &model.base_place, &error);
    se3_apply_Ad_inverse(V_b, &g_b, V_t);
    mat_add(V_b, V_b, drift, 6);
    freeflyer_start(&servicer, &model.robot, &g_b, V_b, model.posture_rad, still);
    TEST_ASSERT_EQUAL_INT(0, capture_init(&model, &state));
}

void setUp(void)
{
    set_model();
    start();
}

void tearDown(void)
{
}

/* Ideal sensors. */
static void sense(struct obsw_input *in)
{
    struct pose g_tb;

    *in = (struct obsw_input){.version = OBSW_VERSION,
                              .size = sizeof *in,
                              .valid = OBSW_VALID_RATE | OBSW_VALID_NAVIGATION | OBSW_VALID_JOINTS};
    se3_relative(&g_tb, &client.pose, &servicer.pose);
    mat_copy(in->relative_pose, g_tb.p, 3);
    so3_to_quat(in->relative_pose + 3, g_tb.R);
    rigid_velocity(in->client_velocity, &model.client, &client);
    mat_copy(in->base_velocity, servicer.nu.base, 6);
    mat_copy(in->joint_position, servicer.q, N);
    mat_copy(in->joint_velocity, servicer.nu.joint, N);
}

static void move(const struct obsw_output *out)
{
    static const double none[6] = {0.0};
    struct multibody_vector load = {{0.0}, {0.0}};

    mat_copy(load.base, out->base_wrench, 6);
    mat_copy(load.joint, out->joint_torque, N);
    freeflyer_step(&servicer, &load, &model.gripper, none, 1e-3);
    rigid_step(&model.client, &client, none, 1e-3);
}

/* What is left of the relative rate of the base, rad/s, greatest component. */
static double relative_rate(const struct obsw_input *in)
{
    struct pose g_tb;
    double W[6], rate = 0.0;

    mat_copy(g_tb.p, in->relative_pose, 3);
    so3_from_quat(g_tb.R, in->relative_pose + 3);
    se3_apply_Ad_inverse(W, &g_tb, in->client_velocity);
    for (int i = 3; i < 6; i++) {
        rate = fmax(rate, fabs(in->base_velocity[i] - W[i]));
    }
    return rate;
}

static void test_envisat_is_captured_within_the_figures_of_the_design(void)
{
    struct obsw_input in;
    struct obsw_output out;
    double rate = 0.0, tool = 0.0, force = 0.0, torque = 0.0, joint = 0.0, at_9s = 0.0;

    for (int k = 0; k < 32600; k++) {
        const double t = 1e-3 * k;

        sense(&in);
        capture_step(&model, &state, &in, &out, 1e-3);
        TEST_ASSERT_TRUE(state.valid);
        at_9s = k == 9000 ? state.base_error_m : at_9s;
        if (t > 15.0) {
            rate = fmax(rate, relative_rate(&in));
            tool = fmax(tool, state.tool_error_m);
        }
        for (int i = 0; i < 3; i++) {
            force = fmax(force, fabs(out.base_wrench[i]));
            torque = fmax(torque, fabs(out.base_wrench[3 + i]));
        }
        for (int i = 0; i < N; i++) {
            joint = fmax(joint, fabs(out.joint_torque[i]));
        }
        move(&out);
    }
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.0, at_9s);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * DEG, 0.0, rate);
    TEST_ASSERT_DOUBLE_WITHIN(2e-4, 0.0, tool);
    TEST_ASSERT_DOUBLE_WITHIN(80.0, 0.0, force); /* the limits of the servicer's actuators */
    TEST_ASSERT_DOUBLE_WITHIN(60.0, 0.0, torque);
    TEST_ASSERT_DOUBLE_WITHIN(5.0, 0.0, joint);
    TEST_ASSERT_EQUAL_INT(CAPTURE_APPROACH, state.phase);
}

/* W' = -(xi - xi_r)' D (xi - xi_r) [REL 24]. While the tool stiffness is ramped W may rise by the ramp alone, so it is at
 * its full value from the start here; what a hold of 1 ms leaves is below 1e-9 J. */
static void test_storage_never_rises(void)
{
    struct obsw_input in;
    struct obsw_output out;
    double before = INFINITY, rise = 0.0, first = 0.0;

    model.tool_ramp_s[0] = 0.0;
    model.tool_ramp_s[1] = 1e-9;
    for (int k = 0; k < 12000; k++) {
        sense(&in);
        capture_step(&model, &state, &in, &out, 1e-3);
        rise = k == 0 ? 0.0 : fmax(rise, state.storage_j - before);
        first = k == 0 ? state.storage_j : first;
        before = state.storage_j;
        move(&out);
    }
    TEST_ASSERT_TRUE(first > 1.0);
    TEST_ASSERT_TRUE(before < 1e-3 * first);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, rise);
}

/* J_b W_b + J_m q_r' = W_e exactly, and q_r'' is its derivative: on the reference motion itself the law is pure
 * feed-forward, so the robot must stay on it. */
static void test_robot_on_the_reference_stays_there(void)
{
    struct obsw_input in;
    struct obsw_output out;
    static const double V_t[6] = {0.0, 0.0, 0.0, 0.0, -2.5 * DEG, 0.0};
    static const double still[N] = {0.0};
    double W[6];

    se3_apply_Ad_inverse(W, &model.base_place, V_t);
    freeflyer_start(&servicer, &model.robot, &model.base_place, W, model.posture_rad, still);
    mat_zero(model.base_damping, 6); /* nothing but feed-forward */
    mat_zero(model.joint_damping, N);
    model.base = model.tool = (struct capture_stiffness){0.0, 0.0};
    TEST_ASSERT_EQUAL_INT(0, capture_init(&model, &state));
    for (int k = 0; k < 12000; k++) { /* well into the approach */
        sense(&in);
        capture_step(&model, &state, &in, &out, 1e-3);
        move(&out);
    }
    /* nothing pulls back, so the hold of 1 ms accumulates: micrometres after 12 s */
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, state.base_error_m);
    TEST_ASSERT_DOUBLE_WITHIN(2e-4, 0.0, state.tool_error_m);
}

static void test_phases_follow_one_another_and_never_go_back(void)
{
    struct capture_event event = {0.0, 0.0, false};

    TEST_ASSERT_EQUAL_INT(CAPTURE_SYNCHRONISE, capture_next(&model, CAPTURE_SYNCHRONISE, &event));
    event.time_s = 9.1;
    TEST_ASSERT_EQUAL_INT(CAPTURE_APPROACH, capture_next(&model, CAPTURE_SYNCHRONISE, &event));
    TEST_ASSERT_EQUAL_INT(CAPTURE_APPROACH, capture_next(&model, CAPTURE_APPROACH, &event));
    event.time_s = 32.6;
    TEST_ASSERT_EQUAL_INT(CAPTURE_GRASP, capture_next(&model, CAPTURE_APPROACH, &event));
    event.phase_time_s = 10.0;
    TEST_ASSERT_EQUAL_INT(CAPTURE_GRASP, capture_next(&model, CAPTURE_GRASP, &event));
    event.latched = true;
    TEST_ASSERT_EQUAL_INT(CAPTURE_RIGIDISE, capture_next(&model, CAPTURE_GRASP, &event));
    event = (struct capture_event){0.0, 0.0, false};
    TEST_ASSERT_EQUAL_INT(CAPTURE_RIGIDISE, capture_next(&model, CAPTURE_RIGIDISE, &event));
}

static void test_without_navigation_nothing_is_commanded(void)
{
    static const double none[6] = {0.0};
    struct obsw_input in;
    struct obsw_output out;

    sense(&in);
    in.valid &= ~(uint32_t)OBSW_VALID_NAVIGATION;
    capture_step(&model, &state, &in, &out, 1e-3);
    TEST_ASSERT_FALSE(state.valid);
    TEST_ASSERT_EQUAL_MEMORY(none, out.base_wrench, sizeof none);
    sense(&in);
    in.joint_velocity[3] = (double)NAN;
    capture_step(&model, &state, &in, &out, 1e-3);
    TEST_ASSERT_FALSE(state.valid);
    TEST_ASSERT_EQUAL_MEMORY(none, out.joint_torque, sizeof none);
    sense(&in);
    capture_step(&model, &state, &in, &out, 1e-3);
    TEST_ASSERT_TRUE(state.valid);
    TEST_ASSERT_TRUE(fabs(out.base_wrench[0]) > 0.1);
}

static void test_models_that_cannot_work_are_refused(void)
{
    struct capture_model wrong = model;

    wrong.tool.position_npm = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, capture_init(&wrong, &state));
    wrong = model;
    wrong.approach_s[1] = wrong.approach_s[0];
    TEST_ASSERT_EQUAL_INT(-EINVAL, capture_init(&wrong, &state));
    wrong = model;
    wrong.base_damping[4] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, capture_init(&wrong, &state));
    wrong = model;
    wrong.robot.base = MULTIBODY_FIXED;
    TEST_ASSERT_EQUAL_INT(-EINVAL, capture_init(&wrong, &state));
}

static void test_every_phase_has_a_name(void)
{
    TEST_ASSERT_EQUAL_STRING("synchronise", capture_phase_name(CAPTURE_SYNCHRONISE));
    TEST_ASSERT_EQUAL_STRING("rigidise", capture_phase_name(CAPTURE_RIGIDISE));
    TEST_ASSERT_EQUAL_STRING("unknown", capture_phase_name(CAPTURE_PHASES));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_envisat_is_captured_within_the_figures_of_the_design);
    RUN_TEST(test_storage_never_rises);
    RUN_TEST(test_robot_on_the_reference_stays_there);
    RUN_TEST(test_phases_follow_one_another_and_never_go_back);
    RUN_TEST(test_without_navigation_nothing_is_commanded);
    RUN_TEST(test_models_that_cannot_work_are_refused);
    RUN_TEST(test_every_phase_has_a_name);
    return UNITY_END();
}
