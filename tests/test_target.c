/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_target.c - motion and errors of the target: invariants, derivatives by differences, an independent body. */
#include "estimation/target.h"

#include <math.h>

#include "estimation/ekf.h"
#include "model/mat.h"
#include "model/linear.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "tests/tumble.h"
#include "unity.h"

#define N TARGET_ERRORS

void setUp(void)
{
}

void tearDown(void)
{
}

static const struct target_model model = {1.0381e-3, 5e-5, 1e-5};

static void draw_state(struct draw *d, struct target_state *s)
{
    double v[3], R[9];

    draw_direction(d, v, draw_uniform(d, 0.0, 3.0));
    so3_exp(R, v);
    so3_to_quat(s->mu, R);
    draw_vector(d, s->w, 3, 0.15);
    draw_vector(d, s->d, 5, 0.3);
    target_physical(s->d);
    draw_vector(d, s->r, 3, 2.0);
    draw_vector(d, s->v, 3, 0.01);
    draw_vector(d, s->rho, 3, 0.3);
}

/* 2T = w'Mw and |Mw| over 60 s of the 1 ms steps of the real-time task */
static void test_energy_and_momentum_stay_over_a_minute(void)
{
    struct draw d = {7};
    struct target_state s;
    double M[9], I[9], L[3], energy, momentum;

    draw_state(&d, &s);
    target_inertia(M, s.d);
    TEST_ASSERT_TRUE(mat_inverse3(I, M));
    mat_vec3(L, M, s.w);
    energy = mat_dot3(L, s.w);
    momentum = mat_norm3(L);
    for (int i = 0; i < 60000; i++) {
        target_turn(s.mu, s.w, M, I, model.orbit_radps, 1e-3);
    }
    mat_vec3(L, M, s.w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * energy, energy, mat_dot3(L, s.w));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * momentum, momentum, mat_norm3(L));
}

static void test_motion_is_that_of_a_rigid_body_in_orbit(void)
{
    struct draw d = {11};
    const double times[1] = {30.0};

    for (int k = 0; k < 20; k++) {
        struct target_state s;
        struct tumble_truth t;
        double p[3], v[3];

        draw_state(&d, &s);
        tumble_motion(&t, &s, model.orbit_radps, times, 1);
        target_step(&model, &s, 30.0);
        target_position(p, &s);
        target_velocity(v, &s, model.orbit_radps);
        /* 0.1 s steps: 1e-9 rad per step at these rates */
        TEST_ASSERT_DOUBLE_WITHIN(2e-6, 0.0, tumble_angle(t.q, s.mu));
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, draw_distance(t.p, p, 3));
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, draw_distance(t.v, v, 3));
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, draw_distance(t.w, s.w, 3));
    }
}

static void test_transition_is_the_derivative_of_the_motion(void)
{
    struct draw d = {13};

    for (int k = 0; k < 10; k++) {
        struct target_state s, moved;
        struct target_transition t;
        double e[N], Phi[N];

        draw_state(&d, &s);
        moved = s;
        target_still(&t);
        target_move(&model, &moved, &t, 0.5);
        for (int j = 0; j < N; j++) {
            struct target_state plus = s, minus = s;
            double worst = 0.0;

            mat_zero(e, N);
            e[j] = 1e-5;
            target_add(&plus, e);
            e[j] = -1e-5;
            target_add(&minus, e);
            target_step(&model, &plus, 0.5);
            target_step(&model, &minus, 0.5);
            target_difference(Phi, &plus, &moved);
            target_difference(e, &minus, &moved);
            for (int i = 0; i < N; i++) {
                const double found = (Phi[i] - e[i]) / 2e-5;
                double said = i == j ? 1.0 : 0.0;

                if (i < 6) {
                    said = j < 11 ? t.G[11 * i + j] : 0.0;
                } else if (i >= TARGET_R && i < TARGET_RHO) {
                    said = j >= TARGET_R && j < TARGET_RHO
                               ? t.hill[6 * (i - TARGET_R) + j - TARGET_R]
                               : 0.0;
                }
                worst = draw_greater(worst, fabs(said - found));
            }
            /* mid-point rule with 0.1 s steps: 2e-4 at 0.5 rad/s */
            TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.0, worst);
        }
    }
}

static void test_sensitivity_is_the_derivative_of_the_pose(void)
{
    struct draw d = {17};

    for (int k = 0; k < 20; k++) {
        struct target_state s;
        double H[6 * N], p[3], q[4];

        draw_state(&d, &s);
        target_sensitivity(H, &s);
        for (int j = 0; j < N; j++) {
            struct target_state plus = s, minus = s;
            double e[N] = {0}, a[6], b[6];

            e[j] = 1e-5;
            target_add(&plus, e);
            e[j] = -1e-5;
            target_add(&minus, e);
            target_position(p, &plus);
            mat_copy(q, plus.mu, 4);
            target_residual(a, &s, p, q);
            target_position(p, &minus);
            target_residual(b, &s, p, minus.mu);
            for (int i = 0; i < 6; i++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-6, H[N * i + j], (a[i] - b[i]) / 2e-5);
            }
        }
    }
}

static void test_inertia_numbers_come_back_and_stay_physical(void)
{
    struct draw d = {19};

    for (int k = 0; k < 1000; k++) {
        double a[5], b[5], M[9], l[3], V[9];

        draw_vector(&d, a, 5, 3.0);
        target_inertia(M, a);
        target_numbers(b, M);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(a, b, 5));
        target_physical(a);
        target_inertia(M, a);
        mat_eigen3(l, V, M);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3.0, l[0] + l[1] + l[2]);
        TEST_ASSERT_TRUE(l[0] >= 0.02 - 1e-9 && l[2] <= 1.49 + 1e-3);
    }
}

/* Energy ellipsoid of the error: 10^4 updates leave a covariance that is symmetric and positive. */
static void test_covariance_stays_positive_through_ten_thousand_updates(void)
{
    const struct sighting_scale one = {1.0, 1.0};
    struct draw d = {23};
    struct ekf_state s;
    struct ekf_innovation inn;
    struct sighting z = {0};

    draw_state(&d, &s.x);
    mat_identity(s.P, N);
    mat_scale(s.P, 0.01, s.P, N * N);
    sighting_sigma(&z, 0.005, 0.017);
    for (int k = 0; k < 10000; k++) {
        double e[3], R[9], q[4], L[N * N];

        ekf_predict(&model, &s, 0.5);
        target_position(z.p, &s.x);
        draw_vector(&d, e, 3, 0.005);
        mat_add(z.p, z.p, e, 3);
        draw_vector(&d, e, 3, 0.017);
        so3_exp(R, e);
        so3_to_quat(q, R);
        so3_quat_mul(z.q, s.x.mu, q);
        ekf_innovate(&inn, &s, &z, &one);
        ekf_correct(&s, &inn);
        if (k % 500 == 0) {
            TEST_ASSERT_TRUE(linear_cholesky(L, s.P, N));
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < i; j++) {
                    TEST_ASSERT_EQUAL_MEMORY(&s.P[N * i + j], &s.P[N * j + i], sizeof(double));
                }
            }
        }
    }
}

/* Prediction in two halves is prediction in one, noise and all. */
static void test_spread_composes(void)
{
    struct draw d = {29};
    struct ekf_state a, b;

    draw_state(&d, &a.x);
    mat_identity(a.P, N);
    b = a;
    ekf_predict(&model, &a, 2.0);
    for (int k = 0; k < 4; k++) {
        ekf_predict(&model, &b, 0.5);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.0, draw_distance(a.P, b.P, N * N));
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, draw_distance(a.x.mu, b.x.mu, 4));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_energy_and_momentum_stay_over_a_minute);
    RUN_TEST(test_motion_is_that_of_a_rigid_body_in_orbit);
    RUN_TEST(test_transition_is_the_derivative_of_the_motion);
    RUN_TEST(test_sensitivity_is_the_derivative_of_the_pose);
    RUN_TEST(test_inertia_numbers_come_back_and_stay_physical);
    RUN_TEST(test_covariance_stays_positive_through_ten_thousand_updates);
    RUN_TEST(test_spread_composes);
    return UNITY_END();
}
