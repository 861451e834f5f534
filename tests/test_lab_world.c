/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lab_world.c - the simulated facility: carried as in orbit its arm moves as in orbit, and its instruments are true. */
#include "tools/lab/world.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "tests/draw.h"
#include "tests/robots_model.h"
#include "tools/lab/reference.h"
#include "unity.h"

enum { N = 7 };

static struct world_model model;
static struct world_state state;
static struct world_start start;
static struct world_input input;
static struct world_output output;
static struct reference_model orbit;
static struct reference_state orbit_state;
static struct reference_input orbit_input;
static struct reference_output orbit_output;
static struct draw dice;

/* What both have in common: the scene of the design page, section 8, jaws at the ring. */
static void scene(struct grip_model *grip)
{
    *grip =
        (struct grip_model){.grasp = {.R = {0, 0, -1, 0, 1, 0, 1, 0, 0}, .p = {2.5863, 0, 1.312}},
                            .contact = {.face_npm = 2e4,
                                        .face_loss_spm = 1.0,
                                        .pads = 2,
                                        .pad = {{0.05, 0.0, 0.0}, {-0.05, 0.01, 0.0}},
                                        .latch_stiffness = {2e4, 2e4, 2e4, 800, 800, 800},
                                        .latch_damping = {300, 300, 300, 2, 2, 2},
                                        .latch_ramp_s = 0.05,
                                        .latch_pull_s = 0.1,
                                        .latch_distance_m = 0.05,
                                        .latch_angle_rad = 0.3,
                                        .latch_speed_mps = 1.0,
                                        .latch_hold_s = 0.01}};
}

void setUp(void)
{
    const double q0[N] = {0.0, 1.10, 0.0, 2.05, 0.0, 0.95, 0.0}, com[3] = {0.1, 0.0, 0.2};
    const double inertia[6] = {2.0, 3.0, 2.5, 0.1, 0.0, 0.2};
    const struct pose E_in_B = {.R = {0, 0, 1, 0, 1, 0, -1, 0, 0},
                                .p = {2.18918361, 0, 0.25105911}};
    struct pose back;

    dice.state = 99;
    model = (struct world_model){.dt_s = 1e-3, .substeps = 4, .seed = 3, .gravity = {0, 0, -9.81}};
    TEST_ASSERT_EQUAL_INT(0, robots_model_build(&model.arm.robot, &robots_servicer));
    TEST_ASSERT_EQUAL_INT(
        0, robots_model_frame(&model.arm.gripper, &model.arm.robot, &robots_servicer, 0));
    orbit = (struct reference_model){
        .dt_s = 1e-3, .substeps = 4, .servicer = model.arm.robot, .gripper = model.arm.gripper};
    scene(&model.grip);
    scene(&orbit.grip);
    se3_exp(&model.sensor.place, (double[6]){0.5, -0.2, 0.1, 0.3, 0.7, -0.4});
    body_make(&model.sensor.mockup, 20.0, com, inertia);

    start = (struct world_start){.joint_velocity = {0.0}};
    mat_copy(start.joint_position, q0, N);
    se3_identity(&start.robot[WORLD_CLIENT].pose);
    se3_inverse(&back, &E_in_B);
    se3_mul(&start.robot[WORLD_SERVICER].pose, &model.grip.grasp, &back);
    input = (struct world_input){.torque_on = true};
    for (int i = 0; i < WORLD_ROBOTS; i++) {
        input.robot[i] = start.robot[i];
    }
}

void tearDown(void)
{
}

static void begin(void)
{
    TEST_ASSERT_EQUAL_INT(0, world_init(&model, &state, &start, &output));
}

/* Imperfections of every kind. */
static void spoil(void)
{
    for (int i = 0; i < WORLD_ROBOTS; i++) {
        model.robot[i] = (struct robot_model){8e-3, 4e-3, i * 1e-3, 15.0, 1.0};
    }
    for (int i = 0; i < N; i++) {
        model.arm.coulomb_nm[i] = 1.0 / (i + 1);
        model.arm.viscous_nms[i] = 0.1;
    }
    model.arm.slip_radps = 1e-3;
    model.arm.latency = 2;
    model.arm.torque_step_nm = 0.01;
    model.arm.encoder_step_rad = 1e-5;
    model.arm.velocity_noise_radps = 1e-3;
    model.sensor.filter_s = 2e-3;
    for (int i = 0; i < 6; i++) {
        model.sensor.noise[i] = i < 3 ? 0.5 : 0.02;
        model.sensor.bias[i] = 0.3;
    }
}

/* The satellites' start of the orbit for the same scene, approaching at 2 cm/s with all spinning. */
static void orbit_begin(void)
{
    const double envisat[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
    struct reference_start at = {.client = start.robot[WORLD_CLIENT].pose,
                                 .base = start.robot[WORLD_SERVICER].pose,
                                 .client_velocity = {0.01, 0, 0, 0, -0.04, 0.01}};

    TEST_ASSERT_EQUAL_INT(0, rigid_init(&orbit.client, 7827.867, envisat));
    at.base.p[0] += 2e-3;
    se3_apply_Ad_inverse(at.base_velocity, &at.base, at.client_velocity);
    at.base_velocity[0] += 0.02;
    mat_copy(at.joint_position, start.joint_position, N);
    TEST_ASSERT_EQUAL_INT(0, reference_init(&orbit, &orbit_state, &at, &orbit_output));
}

/* The robots carry both bodies as they fly, in a lab without gravity: what the arm does must be what it does in orbit. */
static void carried_as_in_orbit(double dt_s, double *joint, double *gap, double *force)
{
    const double gravity_free[3] = {0.0, 0.0, 0.0};

    dice.state = 99;
    model.dt_s = orbit.dt_s = dt_s;
    mat_copy(model.gravity, gravity_free, 3);
    orbit_begin();
    start.robot[WORLD_CLIENT] = orbit_output.client;
    start.robot[WORLD_SERVICER] = orbit_output.servicer;
    begin();
    draw_vector(&dice, orbit_input.base_wrench, 6, 5.0);
    draw_vector(&dice, orbit_input.joint_torque, 4, 0.05);
    *joint = *gap = *force = 0.0;
    for (int k = 0; k * dt_s < 0.3; k++) {
        orbit_input.grip = input.grip = k * dt_s > 0.12;
        input.robot[WORLD_CLIENT] = orbit_output.client;
        input.robot[WORLD_SERVICER] = orbit_output.servicer;
        mat_copy(input.torque, orbit_input.joint_torque, N);
        world_step(&model, &state, &input, &output);
        reference_step(&orbit, &orbit_state, &orbit_input, &orbit_output);
        *joint = draw_greater(
            *joint, draw_distance(output.truth.joint_position, orbit_output.joint_position, N));
        *gap = draw_greater(*gap, draw_distance(output.truth.grip.p, orbit_output.grip.p, 3));
        *force = draw_greater(
            *force, draw_distance(output.truth.client_wrench, orbit_output.client_wrench, 6));
        TEST_ASSERT_EQUAL_INT(orbit_output.latched, output.latched);
    }
    TEST_ASSERT_TRUE(output.latched);
}

static void test_carried_as_in_orbit_the_arm_moves_as_in_orbit(void)
{
    double joint[2], gap[2], force[2];

    carried_as_in_orbit(1e-3, &joint[0], &gap[0], &force[0]);
    carried_as_in_orbit(0.5e-3, &joint[1], &gap[1], &force[1]);
    /* a robot goes on with constant acceleration until it is told another: an error of first order in the period */
    TEST_ASSERT_DOUBLE_WITHIN(2e-5, 0.0, joint[0]);
    TEST_ASSERT_DOUBLE_WITHIN(3e-6, 0.0, gap[0]);
    TEST_ASSERT_DOUBLE_WITHIN(5e-2, 0.0, force[0]);
    TEST_ASSERT_TRUE(joint[1] < joint[0] / 1.8 && gap[1] < gap[0] / 1.8 &&
                     force[1] < force[0] / 1.8);
}

static void test_late_robots_carry_it_otherwise(void)
{
    double joint, gap, force;

    model.robot[WORLD_SERVICER].dead_time_s = 8e-3;
    carried_as_in_orbit(1e-3, &joint, &gap, &force);
    TEST_ASSERT_TRUE(gap > 1e-4);
}

/* A base that falls freely carries a weightless arm. */
static void test_free_fall_is_weightless_and_a_held_arm_is_not(void)
{
    struct motion *base = &input.robot[WORLD_SERVICER];
    double v = 0.0;

    begin();
    for (int k = 0; k < 100; k++) {
        const double t = k * 1e-3;

        *base = start.robot[WORLD_SERVICER];
        base->pose.p[2] += 1.0 - 0.5 * 9.81 * t * t;
        mat_vec3_t(base->velocity, base->pose.R, (double[3]){0, 0, -9.81 * t});
        mat_vec3_t(base->acceleration, base->pose.R, (double[3]){0, 0, -9.81});
        world_step(&model, &state, &input, &output);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, draw_size(output.truth.joint_velocity, N));
    *base = start.robot[WORLD_SERVICER];
    world_step(&model, &state, &input, &output);
    v = draw_size(output.truth.joint_velocity, N);
    TEST_ASSERT_TRUE(v > 1e-3);
}

/* The compensation of the design page, section 2, finds the contact wrench in the raw sample. */
static void test_contact_can_be_recovered_from_the_raw_sample(void)
{
    double worst = 0.0, greatest = 0.0;

    draw_vector(&dice, start.robot[WORLD_CLIENT].velocity, 6, 0.02);
    input.grip = true;
    begin();
    for (int k = 0; k < 200; k++) {
        struct motion *client = &input.robot[WORLD_CLIENT];
        struct pose f;
        double g[3], V[6], A[6], I_A[6], h[6], F[6], at_T[6];

        *client = start.robot[WORLD_CLIENT];
        se3_step(&client->pose, client->velocity, k * 1e-3);
        world_step(&model, &state, &input, &output);
        se3_mul(&f, &output.robot[WORLD_CLIENT].pose, &model.sensor.place);
        mat_vec3_t(g, f.R, model.gravity);
        se3_apply_Ad_inverse(V, &model.sensor.place, output.robot[WORLD_CLIENT].velocity);
        se3_apply_Ad_inverse(A, &model.sensor.place, output.robot[WORLD_CLIENT].acceleration);
        mat_sub(A, A, g, 3); /* weight as acceleration */
        body_momentum(I_A, &model.sensor.mockup, A);
        body_bias(h, &model.sensor.mockup, V);
        mat_add(F, output.wrench, I_A, 6);
        mat_add(F, F, h, 6);
        se3_apply_Ad_inverse_transpose(at_T, &model.sensor.place, F);
        worst = draw_greater(worst, draw_distance(at_T, output.truth.client_wrench, 6));
        greatest = draw_greater(greatest, draw_size(output.truth.client_wrench, 6));
    }
    TEST_ASSERT_TRUE(output.latched && greatest > 10.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, worst);
}

static void test_action_equals_reaction_at_the_grip(void)
{
    double moved[6];
    struct pose g_te;

    input.grip = true;
    begin();
    for (int k = 0; k < 100; k++) {
        world_step(&model, &state, &input, &output);
        se3_mul(&g_te, &model.grip.grasp, &output.truth.grip);
        se3_apply_Ad_inverse_transpose(moved, &g_te, output.truth.gripper_wrench);
        mat_add(moved, moved, output.truth.client_wrench, 6);
        TEST_ASSERT_DOUBLE_WITHIN(1e-11 * (1.0 + draw_size(output.truth.client_wrench, 6)), 0.0,
                                  draw_size(moved, 6));
    }
    TEST_ASSERT_TRUE(output.latched);
}

static void run(struct world_output *end, int periods)
{
    begin();
    for (int k = 0; k < periods; k++) {
        for (int i = 0; i < WORLD_ROBOTS; i++) {
            input.robot[i] = start.robot[i];
            se3_step(&input.robot[i].pose, start.robot[i].velocity, k * 1e-3);
        }
        input.torque[1] = -30.0;
        input.grip = k > 20;
        world_step(&model, &state, &input, &output);
    }
    *end = output;
}

static void test_the_same_seed_gives_the_same_bits(void)
{
    struct world_output a, b, c;

    spoil();
    run(&a, 100);
    run(&b, 100);
    TEST_ASSERT_EQUAL_MEMORY(&a, &b, sizeof a);
    model.seed = 4;
    run(&c, 100);
    TEST_ASSERT_TRUE(draw_distance(a.wrench, c.wrench, 6) > 1e-3);
    TEST_ASSERT_TRUE(draw_distance(a.joint_velocity, c.joint_velocity, N) > 1e-5);
    /* noise is in the instruments only */
    TEST_ASSERT_EQUAL_MEMORY(&a.truth, &c.truth, sizeof a.truth);
}

static void test_without_imperfections_measured_is_true_to_the_last_bit(void)
{
    struct world_output a;

    draw_vector(&dice, start.robot[WORLD_SERVICER].velocity, 6, 0.02);
    run(&a, 50);
    TEST_ASSERT_EQUAL_MEMORY(a.truth.joint_position, a.joint_position, sizeof a.joint_position);
    TEST_ASSERT_EQUAL_MEMORY(a.truth.joint_velocity, a.joint_velocity, sizeof a.joint_velocity);
    TEST_ASSERT_EQUAL_MEMORY(a.truth.sensor_wrench, a.wrench, sizeof a.wrench);
    TEST_ASSERT_EQUAL_MEMORY(a.truth.robot, a.robot, sizeof a.robot);
    TEST_ASSERT_FALSE(a.refused);
}

static void test_step_halved_leaves_a_sixteenth_of_the_error(void)
{
    const int substeps[3] = {1, 2, 16};
    struct world_output end[3];

    model.grip.contact.pads = 0; /* a face is a kink */
    for (int i = 0; i < WORLD_ROBOTS; i++) {
        model.robot[i] = (struct robot_model){8e-3, 4e-3, 0.0, 15.0, 1.0};
        draw_vector(&dice, start.robot[i].velocity, 6, 5e-3);
    }
    model.grip.contact.latch_hold_s = 0.0;
    for (int i = 0; i < 3; i++) {
        model.substeps = substeps[i];
        run(&end[i], 100);
        TEST_ASSERT_TRUE(end[i].latched);
    }
    const double coarse =
        draw_distance(end[0].truth.joint_velocity, end[2].truth.joint_velocity, N);
    const double fine = draw_distance(end[1].truth.joint_velocity, end[2].truth.joint_velocity, N);
    TEST_ASSERT_TRUE(coarse > 1e-9);
    TEST_ASSERT_TRUE(coarse / fine > 11.0 && coarse / fine < 25.0);
}

static void test_brakes_hold_the_arm_while_the_drives_are_off(void)
{
    begin();
    input.torque_on = false;
    for (int k = 0; k < 50; k++) {
        world_step(&model, &state, &input, &output);
    }
    TEST_ASSERT_EQUAL_MEMORY(start.joint_position, output.joint_position,
                             sizeof output.joint_position);
}

static void test_commands_that_are_not_finite_are_not_obeyed_and_told(void)
{
    begin();
    input.torque[0] = (double)NAN;
    input.robot[WORLD_SERVICER].pose.p[1] = (double)INFINITY;
    world_step(&model, &state, &input, &output);
    TEST_ASSERT_TRUE(output.refused);
    TEST_ASSERT_TRUE(base_all_finite((const double *)&output.truth,
                                     (int)(sizeof output.truth / sizeof(double))));
    TEST_ASSERT_EQUAL_MEMORY(&start.robot[WORLD_SERVICER].pose, &output.robot[WORLD_SERVICER].pose,
                             sizeof(struct pose));
}

static void test_impossible_worlds_are_refused(void)
{
    const struct world_model good = model;

    for (int i = 0; i < 7; i++) {
        model = good;
        model.dt_s = i == 0 ? 0.0 : 1e-3;
        model.substeps = i == 1 ? 0 : 4;
        model.gravity[1] = i == 2 ? (double)NAN : 0.0;
        model.robot[WORLD_SERVICER].dead_time_s = i == 3 ? -1.0 : 0.0;
        model.arm.latency = i == 4 ? -1 : 0;
        model.sensor.filter_s = i == 5 ? -1.0 : 0.0;
        model.grip.contact.pads = i == 6 ? CONTACT_PADS + 1 : 0;
        TEST_ASSERT_EQUAL_INT(-EINVAL, world_init(&model, &state, &start, &output));
    }
    model = good;
    begin();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_carried_as_in_orbit_the_arm_moves_as_in_orbit);
    RUN_TEST(test_late_robots_carry_it_otherwise);
    RUN_TEST(test_free_fall_is_weightless_and_a_held_arm_is_not);
    RUN_TEST(test_contact_can_be_recovered_from_the_raw_sample);
    RUN_TEST(test_action_equals_reaction_at_the_grip);
    RUN_TEST(test_the_same_seed_gives_the_same_bits);
    RUN_TEST(test_without_imperfections_measured_is_true_to_the_last_bit);
    RUN_TEST(test_step_halved_leaves_a_sixteenth_of_the_error);
    RUN_TEST(test_brakes_hold_the_arm_while_the_drives_are_off);
    RUN_TEST(test_commands_that_are_not_finite_are_not_obeyed_and_told);
    RUN_TEST(test_impossible_worlds_are_refused);
    return UNITY_END();
}
