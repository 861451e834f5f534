/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lab_sensor.c - the lab's force sensor feels contact, weight and inertia of the mock-up, and nothing else. */
#include "tools/lab/sensor.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "tests/draw.h"
#include "unity.h"

#define DT 1e-3

/* A mock-up of four weights, so that Newton alone can say what the sensor feels. */
enum { POINTS = 4 };

static double mass[POINTS], place[POINTS][3]; /* in f */
static struct sensor_model model;
static struct sensor_state state;
static struct sensor_input input;
static struct draw dice;

static void random_pose(struct pose *g)
{
    double u[6];

    draw_vector(&dice, u, 6, 1.5);
    se3_exp(g, u);
}

void setUp(void)
{
    const double point[6] = {0.0}, down[3] = {0.3, -0.2, -9.81};
    struct body b;

    dice.state = 77;
    model = (struct sensor_model){.filter_s = 0.0};
    input = (struct sensor_input){.contact = {0.0}};
    for (int i = 0; i < POINTS; i++) {
        mass[i] = draw_uniform(&dice, 1.0, 5.0);
        draw_vector(&dice, place[i], 3, 0.4);
        body_make(&b, mass[i], place[i], point);
        body_add(&model.mockup, &b);
    }
    random_pose(&model.place);
    random_pose(&input.body.pose);
    mat_copy(input.gravity, down, 3);
    TEST_ASSERT_EQUAL_INT(0, sensor_init(&model, &state, 1, DT));
}

void tearDown(void)
{
}

static void test_it_carries_the_weight_in_any_attitude(void)
{
    for (int k = 0; k < 20; k++) {
        struct pose g_lf;
        double F[6];

        random_pose(&input.body.pose);
        se3_mul(&g_lf, &input.body.pose, &model.place);
        sensor_feel(F, &model, &input);
        for (int i = 0; i < POINTS; i++) { /* each weight pulls down where it hangs */
            double f[3], m[3];

            mat_vec3_t(f, g_lf.R, input.gravity);
            mat_scale(f, mass[i], f, 3);
            mat_cross3(m, place[i], f);
            mat_sub(F, F, f, 3);
            mat_sub(F + 3, F + 3, m, 3);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, draw_size(F, 6));
    }
}

static void test_known_value_two_kilograms_at_ten_centimetres(void)
{
    const double com[3] = {0.1, 0.0, 0.0}, none[6] = {0.0};
    double F[6];

    se3_identity(&model.place);
    se3_identity(&input.body.pose);
    mat_zero(input.gravity, 3);
    input.gravity[2] = -10.0;
    body_make(&model.mockup, 2.0, com, none);
    sensor_feel(F, &model, &input);
    TEST_ASSERT_EQUAL_DOUBLE(-20.0, F[2]); /* hangs on it */
    TEST_ASSERT_EQUAL_DOUBLE(2.0, F[4]);   /* x cross -z = +y */
    input.body.acceleration[2] = -10.0;    /* falls freely: weightless */
    sensor_feel(F, &model, &input);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_size(F, 6));
}

/* Position of weight i in the lab t after now, on the path exp(V t + A t^2 / 2). */
static void weight_at(double x[static 3], int i, double t)
{
    struct motion b = input.body;
    struct pose g_lf;
    double u[6];

    for (int k = 0; k < 6; k++) {
        u[k] = t * (b.velocity[k] + 0.5 * t * b.acceleration[k]);
    }
    se3_step(&b.pose, u, 1.0);
    se3_mul(&g_lf, &b.pose, &model.place);
    se3_point(x, &g_lf, place[i]);
}

/* Newton for each weight, its acceleration by a difference quotient of where it is. */
static void test_it_feels_the_inertia_of_a_moving_mockup(void)
{
    const double h = 1e-4;

    for (int k = 0; k < 10; k++) {
        struct pose g_lf;
        double F[6];

        draw_vector(&dice, input.body.velocity, 6, 1.0);
        draw_vector(&dice, input.body.acceleration, 6, 2.0);
        sensor_feel(F, &model, &input);
        se3_mul(&g_lf, &input.body.pose, &model.place);
        for (int i = 0; i < POINTS; i++) {
            double a[3], b[3], c[3], f[3], m[3];

            weight_at(a, i, -h);
            weight_at(b, i, 0.0);
            weight_at(c, i, h);
            for (int j = 0; j < 3; j++) { /* m (g - x'') on the sensor */
                f[j] = mass[i] * (input.gravity[j] - (a[j] - 2.0 * b[j] + c[j]) / (h * h));
            }
            mat_vec3_t(f, g_lf.R, f);
            mat_cross3(m, place[i], f);
            mat_sub(F, F, f, 3);
            mat_sub(F + 3, F + 3, m, 3);
        }
        /* h^2 times fourth derivatives of some units, times some kilograms; rounding 1e-16 / h^2 */
        TEST_ASSERT_DOUBLE_WITHIN(3e-6, 0.0, draw_size(F, 6));
    }
}

static void test_contact_comes_through_with_its_lever_arm(void)
{
    double F[6], before[6], back[6];

    sensor_feel(before, &model, &input);
    draw_vector(&dice, input.contact, 6, 50.0);
    sensor_feel(F, &model, &input);
    mat_sub(F, F, before, 6);
    se3_apply_Ad_inverse_transpose(back, &model.place, F); /* at T again */
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, draw_distance(back, input.contact, 6));
    TEST_ASSERT_TRUE(draw_distance(F, input.contact, 6) > 1.0);
}

static void test_ideal_sensor_reports_what_it_feels_to_the_last_bit(void)
{
    double F[6], sample[6];

    for (int k = 0; k < 5; k++) {
        draw_vector(&dice, input.contact, 6, 50.0);
        sensor_feel(F, &model, &input);
        sensor_step(sample, &model, &state, &input);
        TEST_ASSERT_EQUAL_MEMORY(F, sample, sizeof F);
    }
}

static void test_filter_lags_a_ramp_by_its_time_constant(void)
{
    double sample[6], F[6];

    model.filter_s = 5e-3;
    TEST_ASSERT_EQUAL_INT(0, sensor_init(&model, &state, 1, DT));
    for (int k = 0; k <= 200; k++) {
        input.contact[0] = k * DT * 100.0; /* 100 N/s along x of T */
        sensor_step(sample, &model, &state, &input);
    }
    input.contact[0] -= 5e-3 * 100.0;
    sensor_feel(F, &model, &input);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, draw_distance(F, sample, 6)); /* e^-40 is left */
}

static void test_filter_forgets_as_the_exponential(void)
{
    double start[6], sample[6], F[6];

    model.filter_s = 5e-3;
    TEST_ASSERT_EQUAL_INT(0, sensor_init(&model, &state, 1, DT));
    sensor_step(start, &model, &state, &input);
    input.contact[1] = 30.0;
    for (int k = 1; k <= 10; k++) {
        sensor_step(sample, &model, &state, &input);
    }
    sensor_feel(F, &model, &input);
    for (int i = 0; i < 6;
         i++) { /* first period: half a step of a ramp, by the formula of the ramp */
        const double step = F[i] - start[i];
        const double first = step * (1.0 - 5.0 * (1.0 - exp(-0.2)));

        TEST_ASSERT_DOUBLE_WITHIN(1e-12, F[i] - (step - first) * exp(-9.0 * 0.2), sample[i]);
    }
}

static void test_bias_and_noise_have_their_size_and_repeat_by_seed(void)
{
    const int samples = 20000;
    struct sensor_state twin, other;
    double F[6], sample[6], again[6], another[6], sum[6] = {0.0}, square[6] = {0.0};

    for (int i = 0; i < 6; i++) {
        model.bias[i] = i < 3 ? 2.0 : -0.1;
        model.noise[i] = i < 3 ? 0.5 : 0.02;
    }
    TEST_ASSERT_EQUAL_INT(0, sensor_init(&model, &state, 9, DT));
    TEST_ASSERT_EQUAL_INT(0, sensor_init(&model, &twin, 9, DT));
    TEST_ASSERT_EQUAL_INT(0, sensor_init(&model, &other, 10, DT));
    sensor_feel(F, &model, &input);
    for (int k = 0; k < samples; k++) {
        sensor_step(sample, &model, &state, &input);
        sensor_step(again, &model, &twin, &input);
        sensor_step(another, &model, &other, &input);
        TEST_ASSERT_EQUAL_MEMORY(sample, again, sizeof sample);
        TEST_ASSERT_TRUE(draw_distance(sample, another, 6) > 0.0);
        for (int i = 0; i < 6; i++) {
            const double e = sample[i] - F[i] - model.bias[i];

            sum[i] += e;
            square[i] += e * e;
        }
    }
    for (int i = 0; i < 6; i++) { /* five deviations of the mean and of the variance */
        TEST_ASSERT_DOUBLE_WITHIN(5.0 * model.noise[i] / sqrt(samples), 0.0, sum[i] / samples);
        TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(2.0 / samples), 1.0,
                                  square[i] / samples / (model.noise[i] * model.noise[i]));
    }
}

static void test_impossible_sensors_are_refused(void)
{
    const struct sensor_model good = model;

    model.noise[2] = -0.1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, sensor_init(&model, &state, 1, DT));
    model = good;
    model.bias[5] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, sensor_init(&model, &state, 1, DT));
    model = good;
    model.filter_s = -1e-3;
    TEST_ASSERT_EQUAL_INT(-EINVAL, sensor_init(&model, &state, 1, DT));
    model = good;
    model.mockup.mass_kg = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, sensor_init(&model, &state, 1, DT));
    model = good;
    model.place.p[0] = (double)INFINITY;
    TEST_ASSERT_EQUAL_INT(-EINVAL, sensor_init(&model, &state, 1, DT));
    TEST_ASSERT_EQUAL_INT(-EINVAL, sensor_init(&good, &state, 1, 0.0));
    TEST_ASSERT_EQUAL_INT(0, sensor_init(&good, &state, 1, DT));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_it_carries_the_weight_in_any_attitude);
    RUN_TEST(test_known_value_two_kilograms_at_ten_centimetres);
    RUN_TEST(test_it_feels_the_inertia_of_a_moving_mockup);
    RUN_TEST(test_contact_comes_through_with_its_lever_arm);
    RUN_TEST(test_ideal_sensor_reports_what_it_feels_to_the_last_bit);
    RUN_TEST(test_filter_lags_a_ramp_by_its_time_constant);
    RUN_TEST(test_filter_forgets_as_the_exponential);
    RUN_TEST(test_bias_and_noise_have_their_size_and_repeat_by_seed);
    RUN_TEST(test_impossible_sensors_are_refused);
    return UNITY_END();
}
