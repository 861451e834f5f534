/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_modes.c - the highest mode of two matrices. */
#include "model/modes.h"

#include <math.h>

#include "model/linear.h"
#include "model/mat.h"
#include "tests/draw.h"
#include "unity.h"

static struct draw dice;

/* A = diag(linear, linear, linear, angular, angular, angular) */
static void diagonal(double A[static 36], double linear, double angular)
{
    mat_zero(A, 36);
    for (int i = 0; i < 36; i += 7) {
        A[i] = i < 18 ? linear : angular;
    }
}

void setUp(void)
{
    dice.state = 77;
}

void tearDown(void)
{
}

/* X'X: positive definite for a random square X */
static void positive(double A[static 36])
{
    double X[36];

    draw_vector(&dice, X, 36, 1.0);
    mat_mul_tn(A, X, X, 6, 6, 6);
}

/* lambda is an eigenvalue when A B - lambda has a direction it maps to (nearly) nothing, and the greatest when no
 * Rayleigh quotient x' B x / x' A^-1 x is above it. */
static void test_no_direction_is_above_the_greatest_mode(void)
{
    for (int n = 0; n < 100; n++) {
        double A[36], B[36], AB[36], L[36], lambda;

        positive(A);
        positive(B);
        lambda = modes_greatest(A, B);
        mat_mul(AB, A, B, 6, 6, 6);
        for (int i = 0; i < 36; i += 7) {
            AB[i] -= lambda;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * lambda, 0.0, linear_least_singular(AB, 6, 6));
        TEST_ASSERT_TRUE(linear_cholesky(L, A, 6));
        for (int k = 0; k < 200; k++) {
            double x[6], Bx[6], y[6];

            draw_vector(&dice, x, 6, 1.0);
            mat_vec6(Bx, B, x);
            linear_cholesky_solve(y, L, x, 6, 1);
            TEST_ASSERT_TRUE(mat_dot6(x, Bx) <= lambda * mat_dot6(x, y) * (1.0 + 1e-9));
        }
    }
}

/* A change of axes and of unit, A -> T A T', B -> T^-T B T^-1, leaves A B similar. */
static void test_mode_does_not_depend_on_the_frame(void)
{
    for (int n = 0; n < 50; n++) {
        const double none[36] = {0};
        double A[36], B[36], moved_A[36], moved_B[36], Ad[36], BAd[36], u[6];
        struct pose g;

        positive(A);
        positive(B);
        draw_vector(&dice, u, 6, 2.0);
        se3_exp(&g, u);
        mat_copy(moved_A, none, 36);
        modes_add_mobility(moved_A, &g, A); /* Ad^-1 A Ad^-T */
        se3_Ad(Ad, &g);
        mat_mul(BAd, B, Ad, 6, 6, 6);
        mat_mul_tn(moved_B, Ad, BAd, 6, 6, 6); /* Ad' B Ad */
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * modes_greatest(A, B), modes_greatest(A, B),
                                  modes_greatest(moved_A, moved_B));
    }
}

static void test_diagonal_matrices_have_their_products(void)
{
    const double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {10, 7, 4, 1, 0, 0};
    double A[36] = {0}, B[36] = {0};

    for (int i = 0, d = 0; i < 6; i++, d += 7) {
        A[d] = a[i];
        B[d] = b[i];
    }
    TEST_ASSERT_EQUAL_DOUBLE(14.0, modes_greatest(A, B)); /* of 10 14 12 4 0 0 */
    mat_zero(B, 36);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, modes_greatest(A, B));
}

/* Point masses 2 and 3 kg on a spring of 30 N/m: omega^2 = k (1/m1 + 1/m2) = 25. */
static void test_two_masses_on_a_spring(void)
{
    const struct pose here = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double X[36], Y[36] = {0}, K[36] = {0};

    diagonal(X, 1.0 / 2.0, 1.0);
    modes_add_mobility(Y, &here, X);
    diagonal(X, 1.0 / 3.0, 1.0);
    modes_add_mobility(Y, &here, X);
    K[0] = 30.0;
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 25.0, modes_greatest(Y, K));
}

/* A push at the end of a lever l moves a body by 1/m + l^2/J. */
static void test_mobility_grows_with_the_lever(void)
{
    const struct pose lever = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {2.0, 0.0, 0.0}};
    double X[36], Y[36] = {0};

    diagonal(X, 0.1, 0.25);
    modes_add_mobility(Y, &lever, X);
    TEST_ASSERT_EQUAL_DOUBLE(0.1, Y[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0.1 + 4.0 * 0.25, Y[7]);
    TEST_ASSERT_EQUAL_DOUBLE(0.1 + 4.0 * 0.25, Y[14]);
}

static void test_what_has_no_modes_gives_nan(void)
{
    double A[36], B[36];

    positive(A);
    positive(B);
    B[8] = (double)NAN;
    TEST_ASSERT_TRUE(isnan(modes_greatest(A, B)));
    positive(B);
    A[35] = (double)INFINITY;
    TEST_ASSERT_TRUE(isnan(modes_greatest(A, B)));
    mat_zero(A, 36);
    TEST_ASSERT_TRUE(isnan(modes_greatest(A, B)));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_no_direction_is_above_the_greatest_mode);
    RUN_TEST(test_mode_does_not_depend_on_the_frame);
    RUN_TEST(test_diagonal_matrices_have_their_products);
    RUN_TEST(test_two_masses_on_a_spring);
    RUN_TEST(test_mobility_grows_with_the_lever);
    RUN_TEST(test_what_has_no_modes_gives_nan);
    return UNITY_END();
}
