/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_ftcomp.c - the contact wrench out of a force/torque sensor. */
#include "estimation/ftcomp.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "model/mat.h"
#include "model/random.h"
#include "model/rigid.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "unity.h"

#define POINTS 9

static const double GRAVITY[3] = {0.0, 0.0, -9.81};
static const double ENVISAT[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
static struct ftcomp_model model;
static struct ftcomp_state state;
static double point[POINTS][3], mass[POINTS]; /* the tool as point masses in f */
static struct draw dice;
static uint64_t noise_seed;

void setUp(void)
{
    const double u[6] = {0.2, -0.3, 0.1, 0.4, -0.5, 0.6}, bias[6] = {3, -2, 5, 0.3, -0.2, 0.1};
    const double none[6] = {0};

    dice.state = 99;
    noise_seed = 8;
    model = (struct ftcomp_model){.filter_hz = 0.0};
    for (int k = 0; k < POINTS; k++) {
        struct body b;

        draw_vector(&dice, point[k], 3, 0.4);
        mass[k] = draw_uniform(&dice, 1.0, 6.0);
        body_make(&b, mass[k], point[k], none);
        body_add(&model.tool, &b);
    }
    mat_copy(model.bias, bias, 6);
    se3_exp(&model.g_tf, u);
    TEST_ASSERT_EQUAL_INT(0, ftcomp_init(&model, &state));
}

void tearDown(void)
{
}

/* A motion of T in the lab that turns and moves in every direction. */
static void wave(struct pose *g, double t)
{
    const double u[6] = {0.3 * sin(1.1 * t),       0.2 * cos(1.7 * t),
                         0.1 * sin(2.3 * t + 1.0), 0.5 * sin(0.9 * t + 0.3),
                         0.4 * cos(1.3 * t + 0.7), 0.6 * sin(0.7 * t)};

    se3_exp(g, u);
}

/* Twist and acceleration of that motion by differences. */
static void wave_motion(struct motion *m, double t)
{
    const double h = 1e-4;
    struct pose before, after, step;
    double ahead[6], behind[6];

    wave(&m->pose, t);
    wave(&before, t - h);
    wave(&after, t + h);
    se3_relative(&step, &m->pose, &after);
    se3_log(ahead, &step);
    se3_relative(&step, &before, &m->pose);
    se3_log(behind, &step);
    for (int i = 0; i < 6; i++) {
        m->velocity[i] = 0.5 * (ahead[i] + behind[i]) / h;
        m->acceleration[i] = (ahead[i] - behind[i]) / (h * h);
    }
}

/* Where point k of the tool is in the lab at time t */
static void point_in_lab(double x[static 3], int k, double t)
{
    struct pose g, g_f;

    wave(&g, t);
    se3_mul(&g_f, &g, &model.g_tf);
    se3_point(x, &g_f, point[k]);
}

/* The sensor's reading from Newton's law for each point mass, by differences of its path in the lab: what the tool
 * pushes on the sensor is contact + weight - mass times acceleration, summed with its moments about f. */
static void reading(double F[static 6], double t, const double contact_f[static 6])
{
    const double h = 1e-4;
    struct pose g, g_f;

    wave(&g, t);
    se3_mul(&g_f, &g, &model.g_tf);
    mat_add(F, contact_f, model.bias, 6);
    for (int k = 0; k < POINTS; k++) {
        double x[3], ahead[3], behind[3], f[3], f_f[3], turn[3];

        point_in_lab(x, k, t);
        point_in_lab(ahead, k, t + h);
        point_in_lab(behind, k, t - h);
        for (int i = 0; i < 3; i++) {
            const double a = (ahead[i] - 2.0 * x[i] + behind[i]) / (h * h);

            f[i] = mass[k] * (GRAVITY[i] - a);
        }
        mat_vec3_t(f_f, g_f.R, f);
        mat_cross3(turn, point[k], f_f);
        mat_add(F, F, f_f, 3);
        mat_add(F + 3, F + 3, turn, 3);
    }
}

static void input_at(struct ftcomp_input *in, double t, const double contact_f[static 6])
{
    wave_motion(&in->lab, t);
    reading(in->measured, t, contact_f);
    mat_copy(in->gravity, GRAVITY, 3);
}

/* Design page, section 2: point masses, residual 9e-6 N; without inertia 19 N, without gravity 320 N in that test. */
static void test_contact_is_found_under_a_tool_of_point_masses(void)
{
    const double contact_f[6] = {12.0, -7.0, 20.0, 1.0, -2.0, 0.5}, zero[6] = {0};
    double expected[6], worst = 0.0, inertia = 0.0;

    se3_apply_Ad_inverse_transpose(expected, &model.g_tf, contact_f);
    for (int k = 0; k < 50; k++) {
        struct ftcomp_input in;
        double F_t[6], F_f[6], g_t[3], g_f[3];

        input_at(&in, 0.17 * k, contact_f);
        state.started = false; /* each instant by itself */
        ftcomp_step(&model, &state, &in, F_t, 1e-3);
        worst = fmax(worst, draw_distance(expected, F_t, 6));

        mat_vec3_t(g_t, in.lab.pose.R, GRAVITY);
        mat_vec3_t(g_f, model.g_tf.R, g_t);
        ftcomp_contact(F_f, &model, in.measured, zero, zero, g_f);
        inertia = fmax(inertia, draw_distance(contact_f, F_f, 3));
    }
    printf("# point masses: residual %.1e N, without inertia %.0f N, weight %.0f N\n", worst,
           inertia, 9.81 * model.tool.mass_kg);
    TEST_ASSERT_DOUBLE_WITHIN(2e-5, 0.0, worst); /* 1e-16 / h^2 and h^2 of the differences, 30 kg */
    TEST_ASSERT_TRUE(inertia > 5.0);
}

/* The tool in free fall weighs nothing and feels nothing: gravity and V' cancel. */
static void test_falling_tool_reads_its_bias(void)
{
    struct ftcomp_input in = {.gravity = {0.0, 0.0, -9.81}};
    double F_t[6], zero[6] = {0};

    wave(&in.lab.pose, 0.4);
    mat_vec3_t(in.lab.acceleration, in.lab.pose.R, GRAVITY);
    mat_copy(in.measured, model.bias, 6);
    ftcomp_step(&model, &state, &in, F_t, 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, draw_distance(zero, F_t, 6));
}

/* At rest in any attitude the reading is bias and weight; nothing may be left. */
static void test_resting_tool_shows_no_contact_in_any_attitude(void)
{
    for (int k = 0; k < 50; k++) {
        struct ftcomp_input in = {.gravity = {0.0, 0.0, -9.81}};
        struct pose g_f;
        double u[6], zero[6] = {0}, g[3], F_t[6], com[3], inertia[6];

        draw_vector(&dice, u, 6, 2.0);
        se3_exp(&in.lab.pose, u);
        se3_mul(&g_f, &in.lab.pose, &model.g_tf);
        mat_vec3_t(g, g_f.R, GRAVITY);
        body_central(com, inertia, &model.tool);
        mat_scale(in.measured, model.tool.mass_kg, g, 3);
        mat_cross3(in.measured + 3, com, in.measured);
        mat_add(in.measured, in.measured, model.bias, 6);
        ftcomp_step(&model, &state, &in, F_t, 1e-3);
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, draw_distance(zero, F_t, 6));
    }
}

/* A step of acceleration is seen through a filter of 100 Hz: 63 % after 1/(2 pi 100) s = 1.6 ms, all of it later. */
static void test_acceleration_passes_the_filter_of_the_sensor(void)
{
    struct ftcomp_input in = {.gravity = {0.0, 0.0, 0.0}};
    double F_t[6], corner = 2.0 * BASE_PI * 100.0 * 1e-4;

    model.filter_hz = 100.0;
    TEST_ASSERT_EQUAL_INT(0, ftcomp_init(&model, &state));
    se3_identity(&in.lab.pose);
    ftcomp_step(&model, &state, &in, F_t, 1e-4);
    in.lab.acceleration[0] = 2.0;
    for (int k = 1; k <= 16; k++) {
        double at_t[6];

        ftcomp_step(&model, &state, &in, F_t, 1e-4);
        se3_apply_Ad(at_t, &model.g_tf, state.acceleration);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0 * (1.0 - pow(1.0 + corner, -k)), at_t[0]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.03, 0.63, state.acceleration[0] / model.g_tf.R[0] / 2.0);
}

/* A mock-up half as heavy as the satellite in every direction feeds back by one half; in other places by more. */
static void test_feedback_is_the_ratio_of_the_inertias(void)
{
    struct rigid_model envisat;
    struct body half;
    double com[3] = {0}, J[6];

    TEST_ASSERT_EQUAL_INT(0, rigid_init(&envisat, 7827.867, ENVISAT));
    mat_scale(J, 0.5, ENVISAT, 6);
    body_make(&half, 0.5 * 7827.867, com, J);
    model.tool = half;
    se3_identity(&model.g_tf);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, ftcomp_feedback(&model, &envisat.body));
    model.g_tf.p[1] = 10.0;
    TEST_ASSERT_TRUE(ftcomp_feedback(&model, &envisat.body) > 1.0);
    TEST_ASSERT_TRUE(isnan(ftcomp_feedback(&model, &(struct body){0})));
}

/* Acceleration of a satellite after a knock, when its mock-up has this part of its inertia and its robot executes an
 * acceleration late cycles after the command (0: never, as a robot at its limit). */
static double after_knock(double ratio, int late)
{
    const double none[3] = {0}, satellite[6] = {20.0, 30.0, 40.0, 1.0, -2.0, 3.0};
    struct ftcomp_input in = {.gravity = {0.0, 0.0, 0.0}};
    struct rigid_model body;
    double J[6], command[16][6] = {{0}};

    TEST_ASSERT_EQUAL_INT(0, rigid_init(&body, 100.0, satellite));
    mat_scale(J, ratio, satellite, 6);
    model = (struct ftcomp_model){.filter_hz = 0.0};
    body_make(&model.tool, ratio * 100.0, none, J);
    se3_identity(&model.g_tf);
    se3_identity(&in.lab.pose);
    TEST_ASSERT_EQUAL_INT(0, ftcomp_init(&model, &state));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, ratio, ftcomp_feedback(&model, &body.body));
    for (int k = 16; k < 1016; k++) {
        const double still[6] = {0};
        double tool[6], F_t[6];

        body_momentum(tool, &model.tool, late > 0 ? command[(k - late) % 16] : still);
        mat_scale(in.measured, -1.0, tool, 6);
        in.measured[0] += k == 20 ? 50.0 : 0.0;
        mat_copy(in.lab.acceleration, command[(k - 1) % 16], 6);
        ftcomp_step(&model, &state, &in, F_t, 1e-3);
        rigid_acceleration(command[k % 16], &body, still, F_t);
    }
    return fabs(command[1015 % 16][0]);
}

/* Never executed: e(k) = r e(k-1), the limit is 1. Eight cycles late: e(k) = r (e(k-1) - e(k-8)), whose first root
 * leaves the unit circle at r = 1 / (2 sin(7 pi / 18)) = 0.532. Below 1/2 nothing can ring, however late. */
static void test_heavy_tool_makes_the_loop_ring(void)
{
    TEST_ASSERT_TRUE(after_knock(0.95, 0) < 1e-12);
    TEST_ASSERT_TRUE(after_knock(1.05, 0) > 1.0);
    TEST_ASSERT_TRUE(after_knock(0.95, 1) < 1e-12);
    TEST_ASSERT_TRUE(after_knock(0.48, 8) < 1e-6);
    TEST_ASSERT_TRUE(after_knock(0.60, 8) > 1.0);
}

/* ---- identification ---- */

/* Sensor readings of the tool in n attitudes with noise, N and Nm. */
static void static_poses(struct ftcomp_sample *sample, int n, double noise_n, double tilt)
{
    struct random_state r;
    double com[3], inertia[6];

    random_init(&r, noise_seed, 0);
    body_central(com, inertia, &model.tool);
    for (int k = 0; k < n; k++) {
        double u[3], R[9], weight[6];

        draw_vector(&dice, u, 3, tilt);
        so3_exp(R, u);
        mat_vec3_t(sample[k].gravity, R, GRAVITY);
        mat_scale(weight, model.tool.mass_kg, sample[k].gravity, 3);
        mat_cross3(weight + 3, com, weight);
        for (int i = 0; i < 6; i++) {
            sample[k].measured[i] =
                model.bias[i] + weight[i] + (i < 3 ? noise_n : 0.04 * noise_n) * random_normal(&r);
        }
    }
}

static void test_identification_finds_an_exact_tool(void)
{
    struct ftcomp_sample sample[12];
    struct ftcomp_fit fit;
    double com[3], inertia[6];

    static_poses(sample, 12, 0.0, 2.0);
    body_central(com, inertia, &model.tool);
    TEST_ASSERT_EQUAL_INT(0, ftcomp_identify(&fit, sample, 12));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, model.tool.mass_kg, fit.mass_kg);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, draw_distance(com, fit.com, 3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, draw_distance(model.bias, fit.bias, 6));
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, fit.residual_n);
    TEST_ASSERT_TRUE(fit.spread > 0.1);
}

/* With noise: within five of the sigmas it states, and the residual is the noise. */
static void test_identification_knows_its_own_accuracy(void)
{
    struct ftcomp_sample sample[200];
    struct ftcomp_fit fit;
    double com[3], inertia[6];

    static_poses(sample, 200, 0.5, 2.0);
    body_central(com, inertia, &model.tool);
    TEST_ASSERT_EQUAL_INT(0, ftcomp_identify(&fit, sample, 200));
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 0.5, fit.residual_n);
    TEST_ASSERT_DOUBLE_WITHIN(0.004, 0.02, fit.residual_nm);
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * fit.mass_sigma_kg, model.tool.mass_kg, fit.mass_kg);
    TEST_ASSERT_TRUE(fit.mass_sigma_kg > 1e-3 && fit.mass_sigma_kg < 0.01);
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * fit.com_sigma_m, 0.0, draw_distance(com, fit.com, 3));
    TEST_ASSERT_TRUE(fit.com_sigma_m > 1e-6 && fit.com_sigma_m < 1e-4);
}

/* Over many seeds the true error in units of the stated sigma has the variance of Student's t: f / (f - 2) with
 * f = 32 and 30 free equations. */
static void test_stated_sigma_is_the_true_one(void)
{
    struct ftcomp_sample sample[12];
    struct ftcomp_fit fit;
    double square = 0.0;
    const int n = 4000;

    for (int k = 0; k < n; k++) {
        noise_seed = (uint64_t)k;
        static_poses(sample, 12, 0.5, 2.0);
        TEST_ASSERT_EQUAL_INT(0, ftcomp_identify(&fit, sample, 12));
        square += pow((fit.mass_kg - model.tool.mass_kg) / fit.mass_sigma_kg, 2) / n;
    }
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(2.2 / n), 32.0 / 30.0, square);
}

static void test_identification_names_the_bad_pose(void)
{
    struct ftcomp_sample sample[20];
    struct ftcomp_fit fit;

    static_poses(sample, 20, 0.01, 2.0);
    sample[13].measured[4] += 1.0; /* somebody leaned on it */
    TEST_ASSERT_EQUAL_INT(0, ftcomp_identify(&fit, sample, 20));
    TEST_ASSERT_EQUAL_INT(13, fit.worst);
    static_poses(sample, 20, 0.01, 2.0);
    sample[6].measured[1] -= 1.0;
    TEST_ASSERT_EQUAL_INT(0, ftcomp_identify(&fit, sample, 20));
    TEST_ASSERT_EQUAL_INT(6, fit.worst);
}

/* Down, up and the four sides, twice: S is 2/3 of the whole. A tool of 100 g is found, too. */
static void test_identification_of_a_light_tool_in_even_attitudes(void)
{
    struct ftcomp_sample sample[12];
    struct ftcomp_fit fit;

    for (int k = 0; k < 12; k++) {
        sample[k] = (struct ftcomp_sample){0};
        sample[k].gravity[k % 3] = k % 6 < 3 ? 9.81 : -9.81;
        mat_scale(sample[k].measured, 0.1, sample[k].gravity, 3);
    }
    TEST_ASSERT_EQUAL_INT(0, ftcomp_identify(&fit, sample, 12));
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2.0 / 3.0, fit.spread);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.1, fit.mass_kg);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, mat_norm3(fit.com));
}

static void test_identification_refuses_what_cannot_work(void)
{
    struct ftcomp_sample sample[12], bad[12];
    struct ftcomp_fit fit;

    static_poses(sample, 12, 0.0, 2.0);
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_identify(&fit, sample, 11));
    memcpy(bad, sample, sizeof bad);
    bad[3].measured[2] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_identify(&fit, bad, 12));
    memcpy(bad, sample, sizeof bad);
    bad[5].gravity[0] = (double)INFINITY;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_identify(&fit, bad, 12));
    for (int k = 0; k < 12; k++) {
        mat_scale(bad[k].gravity, -1.0, sample[k].gravity, 3);
        mat_copy(bad[k].measured, sample[k].measured, 6);
    }
    TEST_ASSERT_EQUAL_INT(-ERANGE, ftcomp_identify(&fit, bad, 12));
    static_poses(sample, 12, 0.0, 0.05); /* 3 degrees */
    TEST_ASSERT_EQUAL_INT(-EDOM, ftcomp_identify(&fit, sample, 12));
    TEST_ASSERT_TRUE(fit.spread > 0.0 && fit.spread < FTCOMP_SPREAD_MIN);
    memset(sample, 0, sizeof sample);
    TEST_ASSERT_EQUAL_INT(-EDOM, ftcomp_identify(&fit, sample, 12));
}

static void test_bad_models_are_refused(void)
{
    const struct ftcomp_model good = model;

    model.tool.mass_kg = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_init(&model, &state));
    model = good;
    model.bias[2] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_init(&model, &state));
    model = good;
    model.g_tf.R[0] = (double)INFINITY;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_init(&model, &state));
    model = good;
    model.g_tf.p[2] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_init(&model, &state));
    model = good;
    model.filter_hz = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_init(&model, &state));
    model.filter_hz = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ftcomp_init(&model, &state));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_contact_is_found_under_a_tool_of_point_masses);
    RUN_TEST(test_falling_tool_reads_its_bias);
    RUN_TEST(test_resting_tool_shows_no_contact_in_any_attitude);
    RUN_TEST(test_acceleration_passes_the_filter_of_the_sensor);
    RUN_TEST(test_feedback_is_the_ratio_of_the_inertias);
    RUN_TEST(test_heavy_tool_makes_the_loop_ring);
    RUN_TEST(test_identification_finds_an_exact_tool);
    RUN_TEST(test_identification_knows_its_own_accuracy);
    RUN_TEST(test_stated_sigma_is_the_true_one);
    RUN_TEST(test_identification_of_a_light_tool_in_even_attitudes);
    RUN_TEST(test_identification_names_the_bad_pose);
    RUN_TEST(test_identification_refuses_what_cannot_work);
    RUN_TEST(test_bad_models_are_refused);
    return UNITY_END();
}
