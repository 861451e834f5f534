/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_sensors.c - star tracker and relative-navigation sensor. Statistical bounds are five standard deviations of
 * the estimate, seeds are fixed. */
#include "model/sensors.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "unity.h"

#define ARCSEC (BASE_PI / (180.0 * 3600.0))
#define DEG    (BASE_PI / 180.0)
#define MS     ((int64_t)1000000)

static struct sensors_star_model star;
static struct sensors_star_state state;
static struct sensors_relative_model relative;
static struct sensors_relative_state navigation;

void setUp(void)
{
    sensors_star_typical(&star);
    relative = (struct sensors_relative_model){.timing = {50 * MS, 20 * MS},
                                               .position_m = {5e-3, 5e-3, 10e-3},
                                               .attitude_rad = {0.2 * DEG, 0.2 * DEG, 0.1 * DEG},
                                               .velocity_mps = {1e-3, 1e-3, 2e-3},
                                               .rate_radps = {0.05 * DEG, 0.05 * DEG, 0.05 * DEG},
                                               .correlation_s = 1.0};
}

void tearDown(void)
{
}

/* Base turning about y of the inertial frame at this rate, at time t. */
static void turning(struct motion *base, double rate, double t)
{
    const double w[3] = {0.0, rate * t, 0.0};

    *base = (struct motion){0};
    so3_exp(base->pose.R, w);
    base->velocity[4] = rate;
}

/* Error of the sample as a rotation vector in tracker axes, against the truth at its own time. */
static void star_error(double u[static 3], double rate)
{
    struct motion base;
    double R[9], E[9], mounted[9], mount[9];

    turning(&base, rate, 1e-9 * (double)state.sample.time_ns);
    so3_from_quat(mount, star.mount);
    mat_mul3(mounted, base.pose.R, mount);
    so3_from_quat(R, state.sample.q);
    mat_mul3_tn(E, mounted, R);
    so3_log(u, E);
}

/* Run n samples at a constant rate; mean and deviation of the error of each axis. */
static void scatter(double mean[static 3], double deviation[static 3], double rate, int n)
{
    double sum[3] = {0}, square[3] = {0};
    int count = 0;

    for (int64_t ms = 0; count < n; ms++) {
        struct motion base;
        double u[3];

        turning(&base, rate, 1e-3 * (double)ms);
        if (!sensors_star_step(&star, &state, &base, ms * MS)) {
            continue;
        }
        star_error(u, rate);
        for (int i = 0; i < 3; i++) {
            sum[i] += u[i];
            square[i] += u[i] * u[i];
        }
        count++;
    }
    for (int i = 0; i < 3; i++) {
        mean[i] = sum[i] / n;
        deviation[i] = sqrt(square[i] / n - mean[i] * mean[i]);
    }
}

static void no_errors(void)
{
    mat_zero(star.bias_rad, 3);
    mat_zero(star.slow_rad, 3);
    mat_zero(star.noise_rad, 3);
}

static void test_perfect_tracker_tells_the_truth_of_the_stamp(void)
{
    int samples = 0;

    no_errors();
    star.mount[0] = 0.5;
    star.mount[2] = -0.3; /* any length */
    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 1, 0));
    for (int64_t ms = 0; ms < 2000; ms++) {
        struct motion base;
        double u[3];

        turning(&base, 1.5 * DEG, 1e-3 * (double)ms);
        if (sensors_star_step(&star, &state, &base, ms * MS)) {
            TEST_ASSERT_EQUAL_INT64(ms * MS - 100 * MS, state.sample.time_ns);
            TEST_ASSERT_TRUE(state.sample.valid);
            star_error(u, 1.5 * DEG);
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, mat_norm3(u));
            samples++;
        }
    }
    TEST_ASSERT_EQUAL_INT(19, samples); /* 10 Hz, the first after the lag: 0.1 s to 1.9 s */
}

/* A lag that is longer than a period and no multiple of it keeps several measurements on their way. */
static void test_line_delivers_each_measurement_once_and_late(void)
{
    int samples = 0;

    no_errors();
    star.timing.lag_ns = 337 * MS;
    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 1, 0));
    for (int64_t ms = 0; ms < 2000; ms++) {
        struct motion base;

        turning(&base, 0.0, 0.0);
        if (sensors_star_step(&star, &state, &base, ms * MS)) {
            TEST_ASSERT_EQUAL_INT64((int64_t)samples * 100 * MS, state.sample.time_ns);
            TEST_ASSERT_EQUAL_INT64(samples * 100 + 337, ms);
            samples++;
        }
    }
    TEST_ASSERT_EQUAL_INT(17, samples);
}

static void test_pause_starts_the_rhythm_again(void)
{
    struct motion base;

    no_errors();
    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 1, 0));
    turning(&base, 0.0, 0.0);
    TEST_ASSERT_FALSE(sensors_star_step(&star, &state, &base, 0));
    TEST_ASSERT_TRUE(sensors_star_step(&star, &state, &base, 5030 * MS));
    TEST_ASSERT_EQUAL_INT64(0, state.sample.time_ns);
    TEST_ASSERT_FALSE(sensors_star_step(&star, &state, &base, 5129 * MS));
    TEST_ASSERT_TRUE(sensors_star_step(&star, &state, &base, 5130 * MS));
    TEST_ASSERT_EQUAL_INT64(5030 * MS, state.sample.time_ns);
    TEST_ASSERT_FALSE(sensors_star_step(&star, &state, &base, 5229 * MS));
    TEST_ASSERT_TRUE(sensors_star_step(&star, &state, &base, 5230 * MS));
    TEST_ASSERT_EQUAL_INT64(5130 * MS, state.sample.time_ns);
}

/* Design page, section 7 */
static void test_usual_tracker_has_the_figures_of_the_table(void)
{
    const double bias[3] = {5.0, 5.0, 10.0}, slow[3] = {3.0, 3.0, 15.0},
                 noise[3] = {3.0, 3.0, 24.0};

    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, bias[i], star.bias_rad[i] / ARCSEC);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, slow[i], star.slow_rad[i] / ARCSEC);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, noise[i], star.noise_rad[i] / ARCSEC);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 200.0, star.slow_s);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, star.noise_rate_radps / DEG);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3.0, star.rate_limit_radps / DEG);
    TEST_ASSERT_EQUAL_INT64(100 * MS, star.timing.period_ns);
    TEST_ASSERT_EQUAL_INT64(100 * MS, star.timing.lag_ns);
}

/* Design page: at 2.5 deg/s the scatter was 26/25/199 arcsec; from the figures sqrt(25.2^2 + 3^2) and sqrt(201.5^2 + 15^2). */
static void test_scatter_at_2_5_degrees_per_second(void)
{
    const double growth = sqrt(1.0 + 2.5 * 2.5 / (0.3 * 0.3));
    const double expected[3] = {hypot(3.0 * growth, 3.0), hypot(3.0 * growth, 3.0),
                                hypot(24.0 * growth, 15.0)};
    const double page[3] = {26.0, 25.0, 199.0};
    double mean[3], deviation[3];
    const int n = 10000; /* 1000 s: five correlation times of the small slow part */

    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 12, 0));
    scatter(mean, deviation, 2.5 * DEG, n);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(5.0 * expected[i] / sqrt(2.0 * n) + 0.3, expected[i],
                                  deviation[i] / ARCSEC);
        TEST_ASSERT_DOUBLE_WITHIN(0.05 * page[i], page[i], deviation[i] / ARCSEC);
    }
}

static void test_noise_at_rest_is_the_one_told(void)
{
    double mean[3], deviation[3];

    mat_zero(star.slow_rad, 3);
    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 2, 0));
    scatter(mean, deviation, 0.0, 10000);
    for (int i = 0; i < 3; i++) {
        const double sigma = star.noise_rad[i];

        TEST_ASSERT_DOUBLE_WITHIN(5.0 * sigma / sqrt(2e4), sigma, deviation[i]);
        TEST_ASSERT_DOUBLE_WITHIN(5.0 * sigma / 100.0, state.bias[i], mean[i]);
    }
}

static void test_bias_is_drawn_once_for_each_seed(void)
{
    double square[3] = {0};
    const int n = 4000;

    for (int seed = 0; seed < n; seed++) {
        TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, (uint64_t)seed, 7));
        for (int i = 0; i < 3; i++) {
            square[i] += state.bias[i] * state.bias[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        const double variance = star.bias_rad[i] * star.bias_rad[i];

        TEST_ASSERT_DOUBLE_WITHIN(5.0 * variance * sqrt(2.0 / n), variance, square[i] / n);
    }
}

/* The slow error moves little between samples and forgets within its time. */
static void test_slow_error_is_slow(void)
{
    double last[3] = {0}, step = 0.0, size = 0.0;
    int count = 0;

    mat_zero(star.bias_rad, 3);
    mat_zero(star.noise_rad, 3);
    star.slow_s = 10.0;
    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 3, 0));
    for (int64_t k = 0; k < 20000; k++) {
        struct motion base;
        double u[3];

        turning(&base, 0.0, 0.0);
        if (sensors_star_step(&star, &state, &base, k * 100 * MS)) {
            star_error(u, 0.0);
            step += (u[2] - last[2]) * (u[2] - last[2]);
            size += u[2] * u[2];
            mat_copy(last, u, 3);
            count++;
        }
    }
    size /= count;
    step /= count;
    TEST_ASSERT_DOUBLE_WITHIN(0.35, 1.0, size / pow(15.0 * ARCSEC, 2)); /* 200 independent values */
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(2.0 / 2e4), 1.0,
                              step / (2.0 * (1.0 - exp(-0.01)) * pow(15.0 * ARCSEC, 2)));
}

static void test_fast_turning_is_not_valid(void)
{
    struct motion base;

    for (int fast = 0; fast < 2; fast++) {
        TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 3, 0));
        TEST_ASSERT_FALSE(state.sample.valid);
        turning(&base, fast ? 3.01 * DEG : 2.99 * DEG, 0.0);
        (void)sensors_star_step(&star, &state, &base, 0);
        TEST_ASSERT_TRUE(sensors_star_step(&star, &state, &base, 100 * MS));
        TEST_ASSERT_EQUAL_INT(!fast, state.sample.valid);
    }
}

/* Twice round: the quaternion changes sign, the sample does not jump. */
static void test_sign_is_continuous(void)
{
    double last[4] = {0.0, 0.0, 0.0, 1.0};
    bool negative = false;

    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 3, 0));
    for (int64_t k = 0; k < 2880; k++) { /* 2.5 deg/s, 10 Hz: 0.25 degrees each */
        struct motion base;

        turning(&base, 2.5 * DEG, 0.1 * (double)k);
        if (sensors_star_step(&star, &state, &base, k * 100 * MS)) {
            TEST_ASSERT_TRUE(draw_distance(last, state.sample.q, 4) < 0.01);
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, mat_dot(state.sample.q, state.sample.q, 4));
            mat_copy(last, state.sample.q, 4);
            negative = negative || last[3] < -0.9;
        }
    }
    TEST_ASSERT_TRUE(negative);
}

static void test_same_seed_gives_the_same_bits_and_another_does_not(void)
{
    double last[3][4];

    for (int run = 0; run < 3; run++) {
        TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 5, run == 2 ? 1 : 0));
        for (int64_t k = 0; k < 50; k++) {
            struct motion base;

            turning(&base, DEG, 0.1 * (double)k);
            (void)sensors_star_step(&star, &state, &base, k * 100 * MS);
        }
        mat_copy(last[run], state.sample.q, 4);
    }
    TEST_ASSERT_EQUAL_MEMORY(last[0], last[1], sizeof last[0]);
    TEST_ASSERT_TRUE(draw_distance(last[0], last[2], 4) > 0.0);
}

static void test_pose_that_is_not_finite_is_not_valid_and_leaves_no_trace(void)
{
    struct motion base;

    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 5, 0));
    turning(&base, 0.0, 0.0);
    base.pose.R[4] = (double)NAN;
    (void)sensors_star_step(&star, &state, &base, 0);
    turning(&base, 0.0, 0.0);
    TEST_ASSERT_TRUE(sensors_star_step(&star, &state, &base, 100 * MS));
    TEST_ASSERT_FALSE(state.sample.valid);
    TEST_ASSERT_TRUE(base_all_finite(state.sample.q, 4));
    TEST_ASSERT_TRUE(sensors_star_step(&star, &state, &base, 200 * MS));
    TEST_ASSERT_TRUE(state.sample.valid);
}

/* ---- relative navigation ---- */

static void two_bodies(struct motion *client, struct motion *base)
{
    const double u[6] = {1.0, 2.0, 3.0, 0.3, -0.4, 0.5}, v[6] = {5.0, -1.0, 2.0, 1.0, 0.2, -0.3};
    const double V[6] = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06};

    *client = *base = (struct motion){0};
    se3_exp(&client->pose, u);
    se3_exp(&base->pose, v);
    mat_copy(client->velocity, V, 6);
}

static void test_perfect_navigation_tells_the_truth(void)
{
    struct motion client, base;
    struct pose expected;

    relative = (struct sensors_relative_model){.timing = {50 * MS, 20 * MS}};
    two_bodies(&client, &base);
    se3_relative(&expected, &client.pose, &base.pose);
    TEST_ASSERT_EQUAL_INT(0, sensors_relative_init(&relative, &navigation, 1, 0));
    TEST_ASSERT_FALSE(sensors_relative_step(&relative, &navigation, &client, &base, 0));
    TEST_ASSERT_FALSE(navigation.sample.valid);
    TEST_ASSERT_FALSE(sensors_relative_step(&relative, &navigation, &client, &base, 19 * MS));
    TEST_ASSERT_TRUE(sensors_relative_step(&relative, &navigation, &client, &base, 20 * MS));
    TEST_ASSERT_TRUE(navigation.sample.valid);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(expected.R, navigation.sample.g_tb.R, 9));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(expected.p, navigation.sample.g_tb.p, 3));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(client.velocity, navigation.sample.V_t, 6));
}

static void test_navigation_errors_have_their_deviations_and_memory(void)
{
    const double sigma[12] = {5e-3, 5e-3, 10e-3, 0.2 * DEG,  0.2 * DEG,  0.1 * DEG,
                              1e-3, 1e-3, 2e-3,  0.05 * DEG, 0.05 * DEG, 0.05 * DEG};
    struct motion client, base;
    struct pose truth;
    double square[12] = {0}, product[12] = {0}, last[12] = {0};
    const int n = 40000; /* 2000 s: about 1000 independent values */

    two_bodies(&client, &base);
    se3_relative(&truth, &client.pose, &base.pose);
    TEST_ASSERT_EQUAL_INT(0, sensors_relative_init(&relative, &navigation, 9, 4));
    for (int64_t k = 0; k < n; k++) {
        const struct sensors_relative_sample *x = &navigation.sample;
        double e[12], E[9];

        (void)sensors_relative_step(&relative, &navigation, &client, &base, k * 50 * MS);
        TEST_ASSERT_TRUE(
            sensors_relative_step(&relative, &navigation, &client, &base, (k * 50 + 20) * MS));
        mat_sub(e, x->g_tb.p, truth.p, 3);
        mat_mul3_tn(E, truth.R, x->g_tb.R);
        so3_log(e + 3, E);
        mat_sub(e + 6, x->V_t, client.velocity, 6);
        for (int i = 0; i < 12; i++) {
            square[i] += e[i] * e[i] / n;
            product[i] += e[i] * last[i] / n;
        }
        mat_copy(last, e, 12);
    }
    for (int i = 0; i < 12; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(2.0 / 1000.0), 1.0, square[i] / (sigma[i] * sigma[i]));
        TEST_ASSERT_DOUBLE_WITHIN(0.01, exp(-0.05), product[i] / square[i]);
    }
}

static void test_navigation_of_lost_bodies_is_not_valid(void)
{
    struct motion client, base;

    two_bodies(&client, &base);
    client.velocity[2] = (double)INFINITY;
    TEST_ASSERT_EQUAL_INT(0, sensors_relative_init(&relative, &navigation, 1, 0));
    (void)sensors_relative_step(&relative, &navigation, &client, &base, 0);
    TEST_ASSERT_TRUE(sensors_relative_step(&relative, &navigation, &client, &base, 20 * MS));
    TEST_ASSERT_FALSE(navigation.sample.valid);
}

static void test_bad_models_are_refused(void)
{
    const struct sensors_star_model good = star;
    const struct sensors_relative_model fine = relative;
    double *const victim[6] = {&star.bias_rad[0],  &star.slow_rad[1],      &star.slow_s,
                               &star.noise_rad[2], &star.noise_rate_radps, &star.rate_limit_radps};
    double *const other[5] = {&relative.position_m[0], &relative.attitude_rad[1],
                              &relative.velocity_mps[2], &relative.rate_radps[0],
                              &relative.correlation_s};

    for (int i = 0; i < 6; i++) {
        star = good;
        *victim[i] = -1e-6;
        TEST_ASSERT_EQUAL_INT(-EINVAL, sensors_star_init(&star, &state, 1, 0));
        *victim[i] = (double)NAN;
        TEST_ASSERT_EQUAL_INT(-EINVAL, sensors_star_init(&star, &state, 1, 0));
    }
    for (int i = 0; i < 5; i++) {
        relative = fine;
        *other[i] = -1e-6;
        TEST_ASSERT_EQUAL_INT(-EINVAL, sensors_relative_init(&relative, &navigation, 1, 0));
    }
    star = good;
    mat_zero(star.mount, 4);
    TEST_ASSERT_EQUAL_INT(-EINVAL, sensors_star_init(&star, &state, 1, 0));
    const struct sensors_timing bad[4] = {
        {0, 0}, {100 * MS, -1}, {100 * MS, 1500 * MS + 1}, {INT64_MAX / 2, 0}};
    for (int i = 0; i < 4; i++) {
        star = good;
        star.timing = bad[i];
        TEST_ASSERT_EQUAL_INT(-EINVAL, sensors_star_init(&star, &state, 1, 0));
        relative = fine;
        relative.timing = bad[i];
        TEST_ASSERT_EQUAL_INT(-EINVAL, sensors_relative_init(&relative, &navigation, 1, 0));
    }
    star = good;
    star.timing.lag_ns = 1500 * MS;
    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 1, 0));
}

/* The longest lag fills the line to its last place; nothing is lost. */
static void test_longest_lag_loses_nothing(void)
{
    int samples = 0;

    star.timing.lag_ns = 1500 * MS;
    TEST_ASSERT_EQUAL_INT(0, sensors_star_init(&star, &state, 1, 0));
    for (int64_t ms = 0; ms <= 4500; ms++) {
        struct motion base;

        turning(&base, 0.0, 0.0);
        samples += sensors_star_step(&star, &state, &base, ms * MS);
    }
    TEST_ASSERT_EQUAL_INT(31, samples);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_perfect_tracker_tells_the_truth_of_the_stamp);
    RUN_TEST(test_line_delivers_each_measurement_once_and_late);
    RUN_TEST(test_pause_starts_the_rhythm_again);
    RUN_TEST(test_usual_tracker_has_the_figures_of_the_table);
    RUN_TEST(test_scatter_at_2_5_degrees_per_second);
    RUN_TEST(test_noise_at_rest_is_the_one_told);
    RUN_TEST(test_bias_is_drawn_once_for_each_seed);
    RUN_TEST(test_slow_error_is_slow);
    RUN_TEST(test_fast_turning_is_not_valid);
    RUN_TEST(test_sign_is_continuous);
    RUN_TEST(test_same_seed_gives_the_same_bits_and_another_does_not);
    RUN_TEST(test_pose_that_is_not_finite_is_not_valid_and_leaves_no_trace);
    RUN_TEST(test_perfect_navigation_tells_the_truth);
    RUN_TEST(test_navigation_errors_have_their_deviations_and_memory);
    RUN_TEST(test_navigation_of_lost_bodies_is_not_valid);
    RUN_TEST(test_bad_models_are_refused);
    RUN_TEST(test_longest_lag_loses_nothing);
    return UNITY_END();
}
