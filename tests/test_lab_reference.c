/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lab_reference.c - the orbit the lab is judged by keeps what an orbit keeps. */
#include "tools/lab/reference.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "tests/draw.h"
#include "tests/freeflyer.h"
#include "tests/robots_model.h"
#include "unity.h"

enum { N = 7 };

static struct reference_model model;
static struct reference_state state;
static struct reference_start start;
static struct reference_input input;
static struct reference_output output;
static struct draw dice;

/* Envisat at -2.5 deg/s, the servicer co-moving with the jaws at the ring (design page, section 8), and a latch. */
void setUp(void)
{
    const double envisat[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
    const double q0[N] = {0.0, 1.10, 0.0, 2.05, 0.0, 0.95, 0.0};
    const struct pose E_in_B = {.R = {0, 0, 1, 0, 1, 0, -1, 0, 0},
                                .p = {2.18918361, 0, 0.25105911}};
    struct pose back;

    dice.state = 41;
    model = (struct reference_model){.dt_s = 1e-3, .substeps = 4};
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&model.client, 7827.867, envisat));
    TEST_ASSERT_EQUAL_INT(0, robots_model_build(&model.servicer, &robots_servicer));
    TEST_ASSERT_EQUAL_INT(0,
                          robots_model_frame(&model.gripper, &model.servicer, &robots_servicer, 0));
    model.grip.grasp = (struct pose){.R = {0, 0, -1, 0, 1, 0, 1, 0, 0}, .p = {2.5863, 0, 1.312}};
    model.grip.contact = (struct contact_model){.face_npm = 2e4,
                                                .face_loss_spm = 1.0,
                                                .face_friction = 0.2,
                                                .face_slip_mps = 1e-3,
                                                .pads = 2,
                                                .pad = {{0.05, 0.0, 0.0}, {-0.05, 0.01, 0.0}},
                                                .latch_stiffness = {2e4, 2e4, 2e4, 800, 800, 800},
                                                .latch_damping = {0.0},
                                                .latch_pull_s = 0.0,
                                                .latch_distance_m = 5e-3,
                                                .latch_angle_rad = 0.05,
                                                .latch_speed_mps = 0.1};
    start = (struct reference_start){.client_velocity = {0, 0, 0, 0, -2.5 * BASE_PI / 180.0, 0}};
    se3_identity(&start.client);
    se3_inverse(&back, &E_in_B);
    se3_mul(&start.base, &model.grip.grasp, &back);
    se3_apply_Ad_inverse(start.base_velocity, &start.base, start.client_velocity);
    mat_copy(start.joint_position, q0, N);
    input = (struct reference_input){.grip = false};
}

void tearDown(void)
{
}

/* Away from the face, then towards it at this speed along the approach. */
static void approach(double gap_m, double speed_mps)
{
    start.base.p[0] += gap_m;            /* z_G = -x_T */
    start.base_velocity[0] += speed_mps; /* x_B = -x_T */
    TEST_ASSERT_EQUAL_INT(0, reference_init(&model, &state, &start, &output));
}

static void run(int periods)
{
    for (int k = 0; k < periods; k++) {
        reference_step(&model, &state, &input, &output);
        TEST_ASSERT_TRUE(output.valid);
    }
}

static void test_start_is_the_grasp_of_the_design_page(void)
{
    struct pose one;

    approach(0.0, 0.0);
    se3_identity(&one);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, draw_distance(output.grip.p, one.p, 3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, draw_distance(output.grip.R, one.R, 9));
}

static void test_momentum_is_kept_through_contact(void)
{
    double before[6], after[6], exchanged = 0.0, e0, e1;

    approach(2e-3, 0.02);
    reference_balance(&model, &state, before, &e0);
    for (int k = 0; k < 1000; k++) {
        run(1);
        exchanged += 1e-3 * mat_norm3(output.client_wrench);
    }
    reference_balance(&model, &state, after, &e1);
    TEST_ASSERT_TRUE(exchanged > 0.1); /* they did touch, N s */
    TEST_ASSERT_TRUE(output.grip.p[2] < 0.0 && e1 < e0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, draw_distance(before, after, 3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, draw_distance(before + 3, after + 3, 3));
}

static void test_energy_is_kept_by_an_undamped_latch(void)
{
    double before[6], after[6], e0, e1;

    model.grip.contact.pads = 0;
    input.grip = true;
    approach(1e-3, 0.02);
    run(1);
    TEST_ASSERT_TRUE(output.latched);
    reference_balance(&model, &state, before, &e0);
    run(1000);
    reference_balance(&model, &state, after, &e1);
    TEST_ASSERT_TRUE(mat_norm3(output.client_wrench) > 1.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, e0, e1); /* of 159 J, 0.3 J of it relative */
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, draw_distance(before, after, 3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, draw_distance(before + 3, after + 3, 3));
}

static void test_inputs_do_the_work_they_say(void)
{
    double before[6], after[6], e0, e1, work = 0.0, p0[3], impulse[3], f[3];

    draw_vector(&dice, input.base_wrench, 6, 20.0);
    draw_vector(&dice, input.joint_torque, N, 0.5);
    approach(0.5, 0.0);
    reference_balance(&model, &state, before, &e0);
    mat_copy(p0, before, 3);
    mat_zero(impulse, 3);
    for (int k = 0; k < 500; k++) {
        const struct reference_output last = output;

        run(1);
        for (int i = 0; i < 6; i++) { /* trapezoid rule */
            work += 0.5e-3 * input.base_wrench[i] *
                    (last.servicer.velocity[i] + output.servicer.velocity[i]);
        }
        for (int i = 0; i < N; i++) {
            work += 0.5e-3 * input.joint_torque[i] *
                    (last.joint_velocity[i] + output.joint_velocity[i]);
        }
        mat_vec3(f, last.servicer.pose.R, input.base_wrench);
        mat_add_scaled(impulse, 0.5e-3, f, 3);
        mat_vec3(f, output.servicer.pose.R, input.base_wrench);
        mat_add_scaled(impulse, 0.5e-3, f, 3);
    }
    reference_balance(&model, &state, after, &e1);
    TEST_ASSERT_TRUE(fabs(work) > 1e-2);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, e0 + work, e1);
    mat_sub(after, after, p0, 3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, draw_distance(after, impulse, 3));
}

/* Another integrator on the same robot, without contact. */
static void test_it_flies_like_a_robot_alone_when_nothing_touches(void)
{
    static struct freeflyer flyer;
    struct multibody_vector load = {{0.0}, {0.0}};
    const double none[6] = {0.0};

    draw_vector(&dice, input.base_wrench, 6, 20.0);
    draw_vector(&dice, input.joint_torque, N, 0.5);
    draw_vector(&dice, start.joint_velocity, N, 0.2);
    approach(0.5, 0.0);
    mat_copy(load.base, input.base_wrench, 6);
    mat_copy(load.joint, input.joint_torque, N);
    freeflyer_start(&flyer, &model.servicer, &start.base, start.base_velocity, start.joint_position,
                    start.joint_velocity);
    for (int k = 0; k < 300; k++) {
        run(1);
        freeflyer_step(&flyer, &load, &model.gripper, none, 1e-3);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, draw_distance(flyer.q, output.joint_position, N));
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, draw_distance(flyer.pose.p, output.servicer.pose.p, 3));
}

/* Envisat spinning about its intermediate axis [relative-dynamics, section 2, error 5]: rates after 35 s. */
static void test_envisat_tumbles_as_known(void)
{
    const double known[3] = {-0.079, -2.499, -0.039}; /* deg/s */

    model.substeps = 1; /* a slow motion */
    model.dt_s = 5e-3;
    approach(5.0, 0.0);
    run(7000);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(6e-4, known[i], output.client.velocity[3 + i] * 180.0 / BASE_PI);
    }
}

/* With the latch closed from the start and a state that differs from rest by a few mm/s. */
static void test_step_halved_leaves_a_sixteenth_of_the_error(void)
{
    const int substeps[3] = {1, 2, 16};
    struct reference_output end[3];

    model.grip.contact.pads = 0;
    input.grip = true;
    approach(1e-3, 0.02);
    for (int i = 0; i < 3; i++) {
        model.substeps = substeps[i];
        TEST_ASSERT_EQUAL_INT(0, reference_init(&model, &state, &start, &output));
        state.contact.phase = CONTACT_LATCHED;
        run(200);
        end[i] = output;
    }
    const double coarse = draw_distance(end[0].joint_position, end[2].joint_position, N);
    const double fine = draw_distance(end[1].joint_position, end[2].joint_position, N);
    TEST_ASSERT_TRUE(coarse > 1e-10);
    TEST_ASSERT_TRUE(coarse / fine > 11.0 && coarse / fine < 25.0);
}

/* The latch grows with time, not with periods: inputs held, the length of the period does not matter. */
static void test_the_period_leaves_no_mark_on_a_growing_latch(void)
{
    const double period[2] = {1e-3, 0.25e-3};
    struct reference_output end[2];

    model.grip.contact.pads = 0;
    model.grip.contact.latch_ramp_s = 0.1;
    model.grip.contact.latch_pull_s = 0.2;
    input.grip = true;
    approach(1e-3, 0.02);
    for (int i = 0; i < 2; i++) {
        model.dt_s = period[i];
        model.substeps = i == 0 ? 16 : 4; /* the same steps in both */
        TEST_ASSERT_EQUAL_INT(0, reference_init(&model, &state, &start, &output));
        state.contact.phase = CONTACT_LATCHED;
        state.contact.offset[2] = -1e-3;
        run((int)(0.1 / period[i] + 0.5));
        end[i] = output;
    }
    TEST_ASSERT_TRUE(mat_norm3(end[0].client_wrench) > 1.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0,
                              draw_distance(end[0].joint_velocity, end[1].joint_velocity, N));
}

static void test_a_fast_spin_stays_a_rotation(void)
{
    double RR[9], one[9];

    model.substeps = 1;
    model.dt_s = 1e-2;
    start.base_velocity[3] = 5.0;
    start.client_velocity[4] = 5.0;
    approach(5.0, 0.0);
    run(10); /* without care 1e-10 are lost in each step */
    mat_identity(one, 3);
    mat_mul3_tn(RR, output.servicer.pose.R, output.servicer.pose.R);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, draw_distance(RR, one, 9));
    mat_mul3_tn(RR, output.client.pose.R, output.client.pose.R);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, draw_distance(RR, one, 9));
}

static void test_an_input_that_is_not_finite_acts_as_zero_and_is_told(void)
{
    struct reference_output clean;

    approach(0.5, 0.0);
    reference_step(&model, &state, &input, &clean);
    TEST_ASSERT_EQUAL_INT(0, reference_init(&model, &state, &start, &output));
    input.base_wrench[4] = (double)NAN;
    reference_step(&model, &state, &input, &output);
    TEST_ASSERT_FALSE(output.valid);
    output.valid = true;
    TEST_ASSERT_EQUAL_MEMORY(&clean, &output, sizeof output);
}

static void test_impossible_orbits_are_refused(void)
{
    const struct reference_model good = model;

    for (int i = 0; i < 6; i++) {
        model = good;
        model.dt_s = i == 0 ? 0.0 : 1e-3;
        model.substeps = i == 1 ? 0 : 4;
        model.servicer.base = i == 2 ? MULTIBODY_FIXED : MULTIBODY_FLOATING;
        model.servicer.arms = i == 3 ? 2 : 1;
        model.grip.contact.face_npm = i == 4 ? -1.0 : 1.0;
        if (i == 5) {
            mat_zero(model.client.inverse, 9);
        }
        TEST_ASSERT_EQUAL_INT(-EINVAL, reference_init(&model, &state, &start, &output));
    }
    model = good;
    start.joint_velocity[6] = (double)INFINITY;
    TEST_ASSERT_EQUAL_INT(-EINVAL, reference_init(&model, &state, &start, &output));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_start_is_the_grasp_of_the_design_page);
    RUN_TEST(test_momentum_is_kept_through_contact);
    RUN_TEST(test_energy_is_kept_by_an_undamped_latch);
    RUN_TEST(test_inputs_do_the_work_they_say);
    RUN_TEST(test_it_flies_like_a_robot_alone_when_nothing_touches);
    RUN_TEST(test_envisat_tumbles_as_known);
    RUN_TEST(test_step_halved_leaves_a_sixteenth_of_the_error);
    RUN_TEST(test_the_period_leaves_no_mark_on_a_growing_latch);
    RUN_TEST(test_a_fast_spin_stays_a_rotation);
    RUN_TEST(test_an_input_that_is_not_finite_acts_as_zero_and_is_told);
    RUN_TEST(test_impossible_orbits_are_refused);
    return UNITY_END();
}
