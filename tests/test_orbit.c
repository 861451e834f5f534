/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_orbit.c - the tide near a point on a circular orbit, in both views. */
#include "model/orbit.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "tests/draw.h"
#include "unity.h"

#define N_800_KM 1.0381e-3

static struct orbit_model orbit;
static struct draw dice;

void setUp(void)
{
    const double radial[3] = {1.0, 2.0, -0.5}, normal[3] = {-2.0, 1.0, 0.0};

    TEST_ASSERT_EQUAL_INT(0, orbit_init(&orbit, N_800_KM, radial, normal));
    dice.state = 21;
}

void tearDown(void)
{
}

/* The solution of Clohessy and Wiltshire as textbooks print it, long double. */
static void textbook(double y[static 6], const double x[static 6], double rate, double time)
{
    const long double n = (long double)rate, t = (long double)time;
    const long double s = sinl(n * t), c = cosl(n * t);
    const long double a = (long double)x[0], b = (long double)x[1], h = (long double)x[2];
    const long double u = (long double)x[3], v = (long double)x[4], w = (long double)x[5];

    y[0] = (double)((4 - 3 * c) * a + s / n * u + 2 / n * (1 - c) * v);
    y[1] = (double)(6 * (s - n * t) * a + b - 2 / n * (1 - c) * u + (4 * s - 3 * n * t) / n * v);
    y[2] = (double)(c * h + s / n * w);
    y[3] = (double)(3 * n * s * a + c * u + 2 * s * v);
    y[4] = (double)(-6 * n * (1 - c) * a - 2 * s * u + (4 * c - 3) * v);
    y[5] = (double)(-n * s * h + c * w);
}

static void random_state(double x[static 6])
{
    draw_vector(&dice, x, 3, 100.0);
    draw_vector(&dice, x + 3, 3, 0.1);
}

/* [r; v] by classical Runge-Kutta on orbit_hill() */
static void integrate(double x[static 6], double rate, double time, int steps)
{
    const double h = time / steps;

    for (int k = 0; k < steps; k++) {
        const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1, 2, 2, 1};
        double slope[6] = {0}, sum[6] = {0};

        for (int stage = 0; stage < 4; stage++) {
            double at[6];

            for (int i = 0; i < 6; i++) {
                at[i] = x[i] + part[stage] * h * slope[i];
            }
            mat_copy(slope, at + 3, 3);
            orbit_hill(slope + 3, rate, at, at + 3);
            mat_add_scaled(sum, weight[stage] / 6.0, slope, 6);
        }
        mat_add_scaled(x, h, sum, 6);
    }
}

static void test_hill_acceleration_integrates_to_the_textbook_solution(void)
{
    for (int n = 0; n < 10; n++) {
        double x[6], expected[6];

        random_state(x);
        textbook(expected, x, N_800_KM, 3000.0);
        integrate(x, N_800_KM, 3000.0, 3000);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, draw_distance(expected, x, 6)); /* of 1 km */
    }
}

/* A conserved quantity of the equations: v^2/2 - 3 n^2 x^2/2 + n^2 z^2/2 */
static void test_hill_motion_keeps_its_energy(void)
{
    double x[6], energy[2];

    random_state(x);
    for (int k = 0; k < 2; k++) {
        energy[k] = 0.5 * mat_dot3(x + 3, x + 3) +
                    0.5 * N_800_KM * N_800_KM * (x[2] * x[2] - 3.0 * x[0] * x[0]);
        integrate(x, N_800_KM, 2000.0, 2000);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, energy[0], energy[1]);
}

static void test_transition_is_the_textbook_solution(void)
{
    const double time[5] = {1e-3, 0.5, 60.0, 3000.0, 20000.0};

    for (int k = 0; k < 5; k++) {
        double Phi[36], x[6], y[6], expected[6];

        random_state(x);
        orbit_transition(Phi, N_800_KM, time[k]);
        mat_vec6(y, Phi, x);
        textbook(expected, x, N_800_KM, time[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1.0 + draw_size(expected, 6)), 0.0,
                                  draw_distance(expected, y, 6));
    }
}

static void test_transitions_follow_each_other(void)
{
    double A[36], B[36], AB[36], whole[36];

    orbit_transition(A, N_800_KM, 1234.5);
    orbit_transition(B, N_800_KM, -321.0);
    orbit_transition(whole, N_800_KM, 1234.5 - 321.0);
    mat_mul6(AB, A, B);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * draw_size(whole, 36), 0.0, draw_distance(AB, whole, 36));
}

static void test_without_orbit_bodies_move_straight(void)
{
    double Phi[36], x[6], y[6], a[3];

    random_state(x);
    orbit_transition(Phi, 0.0, 500.0);
    mat_vec6(y, Phi, x);
    orbit_hill(a, 0.0, x, x + 3);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, x[i] + 500.0 * x[i + 3], y[i]);
        TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, a[i]);
    }
}

/* r in fixed axes from [r; v] in the rotating ones, at the given time; v_fixed = R (v + n e_z x r) */
static void to_fixed(double y[static 6], const double x[static 6], double time)
{
    const double s = sin(N_800_KM * time), c = cos(N_800_KM * time);
    double normal[3], R[9];

    mat_cross3(normal, orbit.radial, orbit.track);
    for (int i = 0, k = 0; i < 3; i++, k += 3) {
        R[k] = c * orbit.radial[i] + s * orbit.track[i];
        R[k + 1] = c * orbit.track[i] - s * orbit.radial[i];
        R[k + 2] = normal[i];
    }
    const double v[3] = {x[3] - N_800_KM * x[1], x[4] + N_800_KM * x[0], x[5]};

    mat_vec3(y, R, x);
    mat_vec3(y + 3, R, v);
}

/* A body moved by orbit_wrench() in fixed axes follows Clohessy and Wiltshire in rotating ones. */
static void test_tide_in_fixed_axes_is_the_hill_motion(void)
{
    const double sphere[6] = {5.0, 5.0, 5.0, 0.0, 0.0, 0.0};
    struct rigid_model body;
    struct rigid_state s;
    struct pose g;
    double x[6], start[6], end[6], expected[6], V[6] = {0}, F[6], w[6], last[6] = {0};

    TEST_ASSERT_EQUAL_INT(0, rigid_init(&body, 20.0, sphere));
    random_state(x);
    to_fixed(start, x, 0.0);
    se3_identity(&g);
    mat_copy(g.p, start, 3);
    mat_copy(V, start + 3, 3);
    rigid_start(&body, &s, &g, V);
    orbit_wrench(F, &orbit, &body, &s.pose, 0.0);
    se3_apply_Ad_inverse_transpose(last, &s.pose, F);
    for (int k = 1; k <= 20000; k++) {
        rigid_step(&body, &s, last, 0.1);
        orbit_wrench(F, &orbit, &body, &s.pose, 0.1 * k);
        se3_apply_Ad_inverse_transpose(w, &s.pose, F);
        for (int i = 0; i < 6; i++) {
            s.momentum[i] += 0.05 * (last[i] + w[i]);
            last[i] = w[i];
        }
    }
    textbook(end, x, N_800_KM, 2000.0);
    to_fixed(expected, end, 2000.0);
    TEST_ASSERT_DOUBLE_WITHIN(2e-6, 0.0,
                              draw_distance(expected, s.pose.p, 3)); /* Verlet, (0.1 n)^2 of 1 km */
}

/* Eight point masses: force and torque of the tide summed one by one. */
static void test_wrench_is_the_sum_over_point_masses(void)
{
    double point[8][3], com[3] = {0}, J[6] = {0}, force[3] = {0}, torque[3] = {0}, F[6], back[6];
    struct rigid_model body;
    struct pose g;
    double u[6];

    draw_vector(&dice, u, 6, 2.0);
    se3_exp(&g, u);
    for (int k = 0; k < 8; k++) {
        draw_vector(&dice, point[k], 3, 3.0);
        mat_add_scaled(com, 1.0 / 8.0, point[k], 3);
    }
    for (int k = 0; k < 8; k++) {
        double *x = point[k], r[3], a[3], lever[3], turn[3];

        mat_sub(x, x, com, 3);
        J[0] += 2.0 * (x[1] * x[1] + x[2] * x[2]);
        J[1] += 2.0 * (x[2] * x[2] + x[0] * x[0]);
        J[2] += 2.0 * (x[0] * x[0] + x[1] * x[1]);
        J[3] -= 2.0 * x[0] * x[1];
        J[4] -= 2.0 * x[0] * x[2];
        J[5] -= 2.0 * x[1] * x[2];
        se3_point(r, &g, x);
        orbit_tide(a, &orbit, r, 777.0);
        mat_sub(lever, r, g.p, 3);
        mat_cross3(turn, lever, a);
        mat_add_scaled(force, 2.0, a, 3);
        mat_add_scaled(torque, 2.0, turn, 3);
    }
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&body, 16.0, J));
    orbit_wrench(F, &orbit, &body, &g, 777.0);
    mat_vec3(back, g.R, F);
    mat_vec3(back + 3, g.R, F + 3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, 0.0, draw_distance(force, back, 3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, 0.0, draw_distance(torque, back + 3, 3));
    TEST_ASSERT_TRUE(draw_size(torque, 3) > 1e-6);
}

/* 800 km: 1.0381e-3 rad/s (vision page, 3.1); geostationary: one turn in a sidereal day, 86164.1 s. */
static void test_rate_of_known_orbits(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(5e-8, 1.0381e-3, orbit_rate(800e3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2.0 * BASE_PI / 86164.1, orbit_rate(42164170.0 - 6378137.0));
}

static void test_bad_orbits_are_refused(void)
{
    const double x[3] = {2.0, 0.0, 0.0}, z[3] = {0.0, 0.0, 3.0}, none[3] = {0};
    const double tilted[3] = {1e-3, 0.0, 1.0}, nan3[3] = {(double)NAN, 0.0, 1.0};
    struct orbit_model m;

    TEST_ASSERT_EQUAL_INT(0, orbit_init(&m, 0.0, x, z));
    TEST_ASSERT_EQUAL_DOUBLE(1.0, m.track[1]);
    TEST_ASSERT_EQUAL_DOUBLE(1.0, m.radial[0]);
    TEST_ASSERT_EQUAL_INT(-EINVAL, orbit_init(&m, -1e-3, x, z));
    TEST_ASSERT_EQUAL_INT(-EINVAL, orbit_init(&m, 0.011, x, z));
    TEST_ASSERT_EQUAL_INT(-EINVAL, orbit_init(&m, (double)NAN, x, z));
    TEST_ASSERT_EQUAL_INT(-EINVAL, orbit_init(&m, 1e-3, none, z));
    TEST_ASSERT_EQUAL_INT(-EINVAL, orbit_init(&m, 1e-3, x, none));
    TEST_ASSERT_EQUAL_INT(-EINVAL, orbit_init(&m, 1e-3, x, tilted));
    TEST_ASSERT_EQUAL_INT(-EINVAL, orbit_init(&m, 1e-3, nan3, z));
    TEST_ASSERT_EQUAL_INT(-EINVAL, orbit_init(&m, 1e-3, x, nan3));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_hill_acceleration_integrates_to_the_textbook_solution);
    RUN_TEST(test_hill_motion_keeps_its_energy);
    RUN_TEST(test_transition_is_the_textbook_solution);
    RUN_TEST(test_transitions_follow_each_other);
    RUN_TEST(test_without_orbit_bodies_move_straight);
    RUN_TEST(test_tide_in_fixed_axes_is_the_hill_motion);
    RUN_TEST(test_wrench_is_the_sum_over_point_masses);
    RUN_TEST(test_rate_of_known_orbits);
    RUN_TEST(test_bad_orbits_are_refused);
    return UNITY_END();
}
