/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_so3.c - rotations from 1e-300 rad through pi: group laws, round trips, Jacobians as the
 * integrals and derivatives they are, then rotations known by hand.
 */
#include "model/so3.h"

#include <float.h>
#include <math.h>

#include "unity.h"

#include "model/mat.h"
#include "tests/draw.h"

static struct draw dice;
static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

void setUp(void)
{
    dice.state = 0xaf251af3b0f025b5u;
}

void tearDown(void)
{
}

/* The angles of every sweep: a decade apart from 1e-300, ten a decade from 1e-12, both sides of the
 * switches, pi less 10^-k. Returns false past the last. */
static bool angle_at(int i, double *angle)
{
    static const double near_switch[] = {0.0,        0.01999, 0.02,       0.02001,
                                         1.99999999, 2.0,     2.00000001, 3.0};

    if (i < 288) {
        *angle = pow(10.0, -300 + i);
    } else if (i < 288 + 125) {
        *angle = pow(10.0, -12 + (i - 288) / 10.0);
    } else if (i < 413 + 8) {
        *angle = near_switch[i - 413];
    } else {
        *angle = BASE_PI - pow(10.0, -(i - 421));
    }
    return i < 421 + 17;
}

/* ---- coefficients ---- */

/* The power series itself, in long double: 60 terms are enough up to 2 pi, and lose 3 digits of 19
 * there */
static long double c_true(int k, long double t)
{
    long double term = 1.0L, sum = 0.0L;

    for (int j = 1; j <= k; j++) {
        term /= j;
    }
    for (int j = 0; j < 60; j++) {
        sum += term;
        term *= -t / (long double)((2 * j + k + 1) * (2 * j + k + 2));
    }
    return sum;
}

static void test_the_coefficients_are_their_series_on_both_sides_of_the_switch(void)
{
    double worst = 0.0;

    for (int i = 0; i < 20000; i++) {
        const double t = i < 10000 ? draw_uniform(&dice, 0.0, 4.0 * BASE_PI * BASE_PI)
                                   : draw_uniform(&dice, 3.9, 4.1);
        double c[6];

        so3_coefficients(c, t);
        for (int k = 0; k < 6; k++) {
            worst =
                draw_greater(worst, fabs((double)((long double)c[k] - c_true(k, (long double)t))));
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(4.0 * DBL_EPSILON, 0.0, worst);
}

/* c_2 to c_5, relative: c_0 and c_1 have zeros. Worst of n draws of t between the two */
static double relative_error(double least, double greatest, int n)
{
    double worst = 0.0;

    for (int i = 0; i < n; i++) {
        const double t = draw_uniform(&dice, least, greatest);
        double c[6];

        so3_coefficients(c, t);
        for (int k = 2; k < 6; k++) {
            const long double truth = c_true(k, (long double)t);

            worst = draw_greater(worst, fabs((double)(((long double)c[k] - truth) / truth)));
        }
    }
    return worst;
}

static void test_the_coefficients_keep_their_relative_accuracy(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(6e-16, 0.0, relative_error(0.0, 4.0, 20000)); /* series */
    TEST_ASSERT_DOUBLE_WITHIN(3e-15, 0.0, relative_error(4.0, 9.8, 20000)); /* closed form, to pi */
}

/* ---- exponential and logarithm ---- */

static void test_the_exponential_is_a_rotation(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        double w[3], R[9], RtR[9], x[3];

        draw_direction(&dice, w, i % 7 == 0 ? 10.0 * angle : angle); /* several turns as well */
        so3_exp(R, w);
        mat_mul3_tn(RtR, R, R);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(RtR, one, 9));
        mat_cross3(x, R, R + 3);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(x, R + 6, 3));
    }
}

/* Rodrigues in long double, by the plain formula; entry (r, c) */
static double rodrigues(const double w[static 3], int r, int c)
{
    const long double x = (long double)w[0], y = (long double)w[1], z = (long double)w[2];
    const long double S[9] = {0, -z, y, z, 0, -x, -y, x, 0}, v[3] = {x, y, z};
    const long double a = sqrtl(x * x + y * y + z * z);
    const long double id = r == c ? 1.0L : 0.0L;

    if (a <= 0.0L) {
        return (double)id;
    }
    return (double)(id * cosl(a) + sinl(a) / a * S[3 * r + c] +
                    2.0L * (sinl(a / 2) / a) * (sinl(a / 2) / a) * v[r] * v[c]);
}

static void test_the_exponential_is_the_formula_of_rodrigues(void)
{
    double angle, worst = 0.0;

    for (int i = 0; angle_at(i, &angle); i++) {
        for (int k = 0; k < 50; k++) {
            double w[3], R[9];

            draw_direction(&dice, w, angle);
            so3_exp(R, w);
            for (int e = 0; e < 9; e++) {
                /* off the diagonal relative to the angle: at 1e-300 rad it is all there is */
                const double scale = e % 4 == 0 || angle > 1.0 || angle <= 0.0 ? 1.0 : angle;

                worst = draw_greater(worst, fabs(R[e] - rodrigues(w, e / 3, e % 3)) / scale);
            }
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(8e-16, 0.0, worst);
}

static void test_the_logarithm_undoes_the_exponential_from_1e_300_to_pi(void)
{
    double angle, worst = 0.0;

    for (int i = 0; angle_at(i, &angle); i++) {
        for (int k = 0; k < 50; k++) {
            double w[3], R[9], back[3];

            draw_direction(&dice, w, angle);
            so3_exp(R, w);
            so3_log(back, R);
            if (angle > BASE_PI - 4e-15 && mat_dot3(w, back) < 0.0) {
                mat_scale(back, -1.0, back, 3); /* rounding of R may have taken it past pi */
            }
            worst = draw_greater(worst, angle > 0.0 ? draw_distance(w, back, 3) / angle
                                                    : draw_size(back, 3));
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, worst);
}

/* At pi exactly: R = 2 a a' - 1, and the logarithm may be pi a or -pi a */
static void test_the_logarithm_of_half_a_turn(void)
{
    for (int i = 0; i < 2000; i++) {
        double a[3], R[9], w[3], back[9];

        draw_direction(&dice, a, 1.0);
        if (i < 3) {
            mat_zero(a, 3);
            a[i] = 1.0;
        }
        for (int k = 0; k < 9; k++) {
            R[k] = 2.0 * a[k / 3] * a[k % 3] - one[k];
        }
        so3_log(w, R);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, BASE_PI, mat_norm3(w));
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, fabs(mat_dot3(w, a)) / BASE_PI);
        so3_exp(back, w);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(R, back, 9));
    }
}

static void test_the_logarithm_is_the_short_way(void)
{
    for (int i = 0; i < 2000; i++) {
        double w[3], R[9], back[3], again[9];

        draw_direction(&dice, w, draw_uniform(&dice, 0.0, 50.0));
        so3_exp(R, w);
        so3_log(back, R);
        so3_exp(again, back);
        TEST_ASSERT_TRUE(mat_norm3(back) <= BASE_PI + 1e-15);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(R, again, 9));
    }
}

static void test_turns_about_one_axis_add(void)
{
    for (int i = 0; i < 2000; i++) {
        const double s = draw_uniform(&dice, -3.0, 3.0), t = draw_uniform(&dice, -3.0, 3.0);
        double a[3], w[3], Rs[9], Rt[9], R[9], both[9];

        draw_direction(&dice, a, 1.0);
        mat_scale(w, s, a, 3);
        so3_exp(Rs, w);
        mat_scale(w, t, a, 3);
        so3_exp(Rt, w);
        mat_scale(w, s + t, a, 3);
        so3_exp(R, w);
        mat_mul3(both, Rs, Rt);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(R, both, 9));
    }
}

/* R exp[w] R' = exp[R w] */
static void test_turning_the_axis_conjugates_the_rotation(void)
{
    for (int i = 0; i < 2000; i++) {
        double w[3], u[3], R[9], E[9], Rw[3], left[9], right[9];

        draw_direction(&dice, w, draw_uniform(&dice, 0.0, 3.0));
        draw_direction(&dice, u, draw_uniform(&dice, 0.0, 3.0));
        so3_exp(E, w);
        so3_exp(R, u);
        mat_mul3(left, R, E);
        mat_mul3_nt(left, left, R);
        mat_vec3(Rw, R, w);
        so3_exp(right, Rw);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(left, right, 9));
    }
}

/* ---- Jacobians ---- */

/* J_left(w) is the mean of exp[s w] over s in [0, 1]; Gauss with 5 points (Abramowitz and Stegun
 * 25.4) on 16 panels */
static void mean_rotation(double J[static 9], const double w[static 3], double sign)
{
    static const double point[5] = {0.0, 0.538469310105683091, -0.538469310105683091,
                                    0.906179845938663993, -0.906179845938663993};
    static const double weight[5] = {0.568888888888888889, 0.478628670499366468,
                                     0.478628670499366468, 0.236926885056189088,
                                     0.236926885056189088};

    mat_zero(J, 9);
    for (int panel = 0; panel < 16; panel++) {
        for (int k = 0; k < 5; k++) {
            const double s = (panel + 0.5 + 0.5 * point[k]) / 16.0;
            double sw[3], R[9];

            mat_scale(sw, sign * s, w, 3);
            so3_exp(R, sw);
            mat_add_scaled(J, weight[k] / 32.0, R, 9);
        }
    }
}

static void test_the_jacobians_are_mean_rotations(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        double w[3], J[9], mean[9];

        draw_direction(&dice, w, i % 5 == 0 ? 1.9 * angle : angle);
        so3_left_jacobian(J, w);
        mean_rotation(mean, w, 1.0);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(J, mean, 9));
        so3_right_jacobian(J, w);
        mean_rotation(mean, w, -1.0);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(J, mean, 9));
    }
}

static void test_the_inverse_jacobians_are_inverse_up_to_a_full_turn(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        double w[3], J[9], K[9], product[9];
        const double length = i % 5 == 0 ? 1.99 * angle : angle;

        draw_direction(&dice, w, length);
        so3_left_jacobian(J, w);
        so3_left_jacobian_inverse(K, w);
        mat_mul3(product, J, K);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15 * draw_size(K, 9), 0.0, draw_distance(product, one, 9));
        so3_right_jacobian(J, w);
        so3_right_jacobian_inverse(K, w);
        mat_mul3(product, K, J);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15 * draw_size(K, 9), 0.0, draw_distance(product, one, 9));
    }
}

/* log(exp[w + d] exp[-w]) = J_left d and log(exp[-w] exp[w + d]) = J_right d: central differences,
 * step 1e-5, whose error is 1e-10 of the third derivative and 1e-11 of rounding */
static void test_the_jacobians_are_derivatives(void)
{
    for (int i = 0; i < 500; i++) {
        double w[3], R[9], left[9], right[9];

        draw_direction(&dice, w, draw_uniform(&dice, 0.0, 3.1));
        so3_exp(R, w);
        so3_left_jacobian(left, w);
        so3_right_jacobian(right, w);
        for (int k = 0; k < 3; k++) {
            double plus[3], minus[3], E[9], P[9], a[3], b[3];

            mat_copy(plus, w, 3);
            mat_copy(minus, w, 3);
            plus[k] += 1e-5;
            minus[k] -= 1e-5;
            for (int side = 0; side < 2; side++) {
                so3_exp(E, plus);
                (side == 0 ? mat_mul3_nt(P, E, R) : mat_mul3_tn(P, R, E));
                so3_log(a, P);
                so3_exp(E, minus);
                (side == 0 ? mat_mul3_nt(P, E, R) : mat_mul3_tn(P, R, E));
                so3_log(b, P);
                for (int r = 0; r < 3; r++) {
                    TEST_ASSERT_DOUBLE_WITHIN(3e-10, (side == 0 ? left : right)[3 * r + k],
                                              (a[r] - b[r]) / 2e-5);
                }
            }
        }
    }
}

/* ---- quaternions ---- */

static void test_matrix_and_quaternion_tell_the_same_rotation(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        double w[3], R[9], q[4], back[9], again[4];

        draw_direction(&dice, w, angle);
        so3_exp(R, w);
        so3_to_quat(q, R);
        TEST_ASSERT_TRUE(q[3] >= 0.0);
        TEST_ASSERT_DOUBLE_WITHIN(5e-16, 1.0, mat_dot(q, q, 4));
        for (int k = 0; k < 3; k++) {
            /* vector part sin(a/2) w/a: relative, because at 1e-300 rad it is all there is */
            const double want = angle > 0.0 ? sin(angle / 2.0) / angle * w[k] : 0.0;

            TEST_ASSERT_DOUBLE_WITHIN(5e-16 * (angle < 1.0 ? angle : 1.0), want, q[k]);
        }
        so3_from_quat(back, q);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(R, back, 9));
        mat_scale(again, -3.5, q, 4); /* opposite sign and any length: the same rotation */
        so3_from_quat(back, again);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(R, back, 9));
    }
}

static void test_every_branch_of_the_quaternion_is_right(void)
{
    for (int i = 0; i < 20000; i++) {
        double q[4], R[9], back[4];

        draw_vector(&dice, q, 4, 1.0);
        q[i % 4] += q[i % 4] > 0.0 ? 3.0 : -3.0;
        so3_from_quat(R, q);
        TEST_ASSERT_TRUE(so3_quat_normalise(q));
        so3_to_quat(back, R);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(q, back, 4));
    }
}

static void test_quaternions_multiply_as_matrices_do(void)
{
    for (int i = 0; i < 2000; i++) {
        double a[4], b[4], q[4], Ra[9], Rb[9], R[9], product[9];

        draw_vector(&dice, a, 4, 1.0);
        draw_vector(&dice, b, 4, 1.0);
        TEST_ASSERT_TRUE(so3_quat_normalise(a) && so3_quat_normalise(b));
        so3_from_quat(Ra, a);
        so3_from_quat(Rb, b);
        mat_mul3(product, Ra, Rb);
        so3_quat_mul(q, a, b);
        so3_from_quat(R, q);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(R, product, 9));
        so3_quat_mul(a, a, b);
        TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(a, q, 4)); /* in place */
    }
}

static void test_normalising_a_quaternion_at_any_scale(void)
{
    const double want[4] = {-0.5, 0.5, -0.5, 0.5}, identity[4] = {0, 0, 0, 1};
    double bad[5][4] = {{0, 0, 0, 0},
                        {0, (double)NAN, 0, 1},
                        {HUGE_VAL, 0, 0, 0},
                        {0, 0, 0, -HUGE_VAL},
                        {1e308, 1e308, 1e308, 1e308}};

    for (int k = -300; k <= 300; k += 100) {
        const double s = pow(10.0, k);
        double q[4] = {s, -s, s, -s};

        TEST_ASSERT_TRUE(so3_quat_normalise(q));
        TEST_ASSERT_DOUBLE_WITHIN(2e-16, 0.0, draw_distance(q, want, 4));
    }
    for (int k = 0; k < 5; k++) {
        TEST_ASSERT_FALSE(so3_quat_normalise(bad[k]));
        TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(bad[k], identity, 4));
    }
}

/* ---- orthonormal ---- */

static void test_one_newton_step_squares_the_error(void)
{
    for (int i = 0; i < 2000; i++) {
        double w[3], R[9], E[9], RtR[9], before[9];

        draw_direction(&dice, w, draw_uniform(&dice, 0.0, 3.1));
        so3_exp(R, w);
        mat_copy(before, R, 9);
        so3_orthonormalise(R);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(R, before, 9));
        draw_vector(&dice, E, 9, 1e-5);
        mat_add(R, R, E, 9);
        so3_orthonormalise(R);
        mat_mul3_tn(RtR, R, R);
        TEST_ASSERT_DOUBLE_WITHIN(2e-9, 0.0, draw_distance(RtR, one, 9));
        TEST_ASSERT_DOUBLE_WITHIN(3e-5, 0.0, draw_distance(R, before, 9));
    }
}

/* ---- by hand ---- */

static void test_rotations_known_by_hand(void)
{
    const double quarter[3] = {0, 0, BASE_PI / 2.0}, turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    const double cyclic[9] = {0, 0, 1, 1, 0,
                              0, 0, 1, 0}; /* x to y to z to x: 120 degrees about (1, 1, 1) */
    const double third = 2.0 * BASE_PI / 3.0 / sqrt(3.0), want[3] = {third, third, third};
    const double q_quarter[4] = {0, 0, sqrt(0.5), sqrt(0.5)}, q_third[4] = {0.5, 0.5, 0.5, 0.5};
    const double ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0}, ez[3] = {0, 0, 1};
    double R[9], w[3], q[4], S[9], y[3];

    so3_exp(R, quarter);
    TEST_ASSERT_DOUBLE_WITHIN(2.3e-16, 0.0, draw_distance(R, turned, 9));
    so3_to_quat(q, turned);
    TEST_ASSERT_DOUBLE_WITHIN(2.3e-16, 0.0, draw_distance(q, q_quarter, 4));
    so3_log(w, cyclic);
    TEST_ASSERT_DOUBLE_WITHIN(2.3e-16, 0.0, draw_distance(w, want, 3));
    so3_to_quat(q, cyclic);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(q, q_third, 4));
    so3_from_quat(R, q_third);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(R, cyclic, 9));
    so3_hat(S, ex);
    mat_vec3(y, S, ey);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, ez, 3));
    so3_log(w, one);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(w, 3));
}

static void test_what_is_not_finite_comes_out_as_nan(void)
{
    const double bad[4] = {(double)NAN, HUGE_VAL, 1e200, 1e6};

    for (int k = 0; k < 4; k++) {
        const double w[3] = {0.0, bad[k], 0.0};
        double R[9];

        so3_exp(R, w);
        TEST_ASSERT_FALSE(base_finite(R[0]));
        so3_left_jacobian(R, w);
        TEST_ASSERT_FALSE(base_finite(R[0]));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_coefficients_are_their_series_on_both_sides_of_the_switch);
    RUN_TEST(test_the_coefficients_keep_their_relative_accuracy);
    RUN_TEST(test_the_exponential_is_a_rotation);
    RUN_TEST(test_the_exponential_is_the_formula_of_rodrigues);
    RUN_TEST(test_the_logarithm_undoes_the_exponential_from_1e_300_to_pi);
    RUN_TEST(test_the_logarithm_of_half_a_turn);
    RUN_TEST(test_the_logarithm_is_the_short_way);
    RUN_TEST(test_turns_about_one_axis_add);
    RUN_TEST(test_turning_the_axis_conjugates_the_rotation);
    RUN_TEST(test_the_jacobians_are_mean_rotations);
    RUN_TEST(test_the_inverse_jacobians_are_inverse_up_to_a_full_turn);
    RUN_TEST(test_the_jacobians_are_derivatives);
    RUN_TEST(test_matrix_and_quaternion_tell_the_same_rotation);
    RUN_TEST(test_every_branch_of_the_quaternion_is_right);
    RUN_TEST(test_quaternions_multiply_as_matrices_do);
    RUN_TEST(test_normalising_a_quaternion_at_any_scale);
    RUN_TEST(test_one_newton_step_squares_the_error);
    RUN_TEST(test_rotations_known_by_hand);
    RUN_TEST(test_what_is_not_finite_comes_out_as_nan);
    return UNITY_END();
}
