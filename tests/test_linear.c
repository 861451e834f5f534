/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_linear.c - factorisations by what they must rebuild, solvers by their residual, and what is
 * left when a matrix is singular, indefinite or not finite.
 */
#include "model/linear.h"

#include <float.h>
#include <math.h>

#include "unity.h"

#include "model/mat.h"
#include "tests/draw.h"

enum { N = LINEAR_MAX, RHS = 5 };

static struct draw dice;

void setUp(void)
{
    dice.state = 0xda942042e4dd58b5u;
}

void tearDown(void)
{
}

/* A = B B' with B n x rank, plus shift on the diagonal */
static void random_symmetric(double *A, int n, int rank, double shift)
{
    static double B[N * N];

    draw_vector(&dice, B, n * rank, 1.0);
    mat_mul_nt(A, B, B, n, rank, n);
    for (int i = 0; i < n; i++) {
        A[i * n + i] += shift;
    }
}

/* Greatest entry of A X - B, over the greatest of |A||X| */
static double residual(const double *A, const double *X, const double *B, int n, int nrhs)
{
    static double AX[N * N];

    mat_mul(AX, A, X, n, n, nrhs);
    return draw_distance(AX, B, n * nrhs) / (n * draw_size(A, n * n) * draw_size(X, n * nrhs));
}

/* Orthonormal columns, n x n, by Gram and Schmidt, twice */
static void random_orthonormal(double *Q, int n)
{
    draw_vector(&dice, Q, n * n, 1.0);
    for (int i = 0; i < n; i++) {
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < i; k++) {
                mat_add_scaled(Q + i * n, -mat_dot(Q + i * n, Q + k * n, n), Q + k * n, n);
            }
            mat_scale(Q + i * n, 1.0 / sqrt(mat_dot(Q + i * n, Q + i * n, n)), Q + i * n, n);
        }
    }
}

/* A (m x n) with these min(m, n) singular values */
static void with_singular_values(double *A, const double *sigma, int m, int n)
{
    static double U[N * N], V[N * N];
    const int r = m < n ? m : n;

    random_orthonormal(U, m);
    random_orthonormal(V, n);
    for (int k = 0; k < r; k++) {
        mat_scale(U + k * m, sigma[k], U + k * m, m);
    }
    mat_mul_tn(A, U, V, m, r, n);
}

/* ---- Cholesky ---- */

static void test_cholesky_rebuilds_the_matrix(void)
{
    static double A[N * N], L[N * N], LLt[N * N];

    for (int n = 1; n <= N; n++) {
        random_symmetric(A, n, n, 0.1);
        TEST_ASSERT_TRUE(linear_cholesky(L, A, n));
        mat_mul_nt(LLt, L, L, n, n, n);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15 * n, 0.0, draw_distance(LLt, A, n * n));
        for (int i = 0; i < n; i++) {
            TEST_ASSERT_TRUE(L[i * n + i] > 0.0);
            TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(L + i * n + i + 1, n - i - 1));
        }
    }
}

static void test_cholesky_solves_many_right_hand_sides(void)
{
    static double A[N * N], L[N * N], B[N * RHS], X[N * RHS];

    for (int n = 1; n <= N; n++) {
        random_symmetric(A, n, n, 1e-3);
        draw_vector(&dice, B, n * RHS, 1.0);
        TEST_ASSERT_TRUE(linear_cholesky(L, A, n));
        linear_cholesky_solve(X, L, B, n, RHS);
        TEST_ASSERT_DOUBLE_WITHIN(4.0 * DBL_EPSILON, 0.0, residual(A, X, B, n, RHS));

        double Y[N * RHS];

        mat_copy(Y, B, n * RHS);
        mat_copy(L, A, n * n);
        TEST_ASSERT_TRUE(linear_cholesky(L, L, n));
        linear_cholesky_solve(Y, L, Y, n, RHS);
        TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(X, Y, n * RHS));
    }
}

static void test_the_forward_half_gives_the_weighted_product(void)
{
    static double A[N * N], L[N * N], B[N * RHS], X[N * RHS], Z[N * RHS], half[RHS * RHS],
        whole[RHS * RHS];
    const int n = 13;

    random_symmetric(A, n, n, 1.0);
    draw_vector(&dice, B, n * RHS, 1.0);
    TEST_ASSERT_TRUE(linear_cholesky(L, A, n));
    linear_lower_solve(Z, L, B, n, RHS);
    linear_cholesky_solve(X, L, B, n, RHS);
    mat_mul_tn(half, Z, Z, RHS, n, RHS);
    mat_mul_tn(whole, B, X, RHS, n, RHS);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, draw_distance(half, whole, RHS * RHS));
}

static void test_only_the_upper_triangle_is_read(void)
{
    double A[36], broken[36], L1[36], L2[36], d1[6], d2[6];

    random_symmetric(A, 6, 6, 0.1);
    mat_copy(broken, A, 36);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            broken[6 * i + j] = (double)NAN;
        }
    }
    TEST_ASSERT_TRUE(linear_cholesky(L1, A, 6) && linear_cholesky(L2, broken, 6));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(L1, L2, 36));
    TEST_ASSERT_TRUE(linear_ldl(L1, d1, A, 6) && linear_ldl(L2, d2, broken, 6));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(L1, L2, 36) + draw_distance(d1, d2, 6));
}

static void test_a_semidefinite_system_that_has_a_solution_gets_one(void)
{
    static double A[N * N], L[N * N], x[N], b[N];

    for (int n = 2; n <= N; n++) {
        random_symmetric(A, n, n / 2, 0.0);
        draw_vector(&dice, x, n, 1.0);
        mat_vec(b, A, x, n, n);
        TEST_ASSERT_FALSE(linear_cholesky(L, A, n));
        linear_cholesky_solve(x, L, b, n, 1);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, residual(A, x, b, n, 1));
        TEST_ASSERT_TRUE(draw_size(x, n) < 1e4);
    }
}

static void test_cholesky_refuses_an_indefinite_matrix_and_stays_bounded(void)
{
    double A[36], L[36], x[6], b[6];

    for (int i = 0; i < 1000; i++) {
        random_symmetric(A, 6, 6, 0.1);
        A[7 * draw_index(&dice, 6)] *= -1.0;
        draw_vector(&dice, b, 6, 1.0);
        TEST_ASSERT_FALSE(linear_cholesky(L, A, 6));
        linear_cholesky_solve(x, L, b, 6, 1);
        TEST_ASSERT_TRUE(base_all_finite(L, 36) && base_all_finite(x, 6));
    }
}

static void test_an_entry_that_is_not_finite_never_reaches_the_factor(void)
{
    const double bad[3] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    double A[36], L[36], d[6], x[6], b[6] = {1, 2, 3, 4, 5, 6};

    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 36; i++) {
            random_symmetric(A, 6, 6, 0.1);
            A[i] = bad[k];
            A[6 * (i % 6) + i / 6] = bad[k];
            TEST_ASSERT_FALSE(linear_cholesky(L, A, 6));
            linear_cholesky_solve(x, L, b, 6, 1);
            TEST_ASSERT_TRUE(base_all_finite(L, 36) && base_all_finite(x, 6));
            TEST_ASSERT_FALSE(linear_ldl(L, d, A, 6));
            linear_ldl_solve(x, L, d, b, 6, 1);
            TEST_ASSERT_TRUE(base_all_finite(L, 36) && base_all_finite(d, 6) &&
                             base_all_finite(x, 6));
        }
    }
}

static void test_the_zero_matrix_solves_to_zero(void)
{
    double A[9] = {0}, L[9], d[3], x[3];
    const double b[3] = {1, 2, 3};

    TEST_ASSERT_FALSE(linear_cholesky(L, A, 3));
    linear_cholesky_solve(x, L, b, 3, 1);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(x, 3));
    TEST_ASSERT_FALSE(linear_ldl(L, d, A, 3));
    linear_ldl_solve(x, L, d, b, 3, 1);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(x, 3));
}

/* ---- LDL' ---- */

/* [P, C'; C, -D], P and D positive definite: as many negative pivots as D has rows */
static void random_quasi_definite(double *A, int n, int last)
{
    static double P[N * N];

    draw_vector(&dice, A, n * n, 1.0);
    mat_symmetrise(A, n);
    random_symmetric(P, n, n, 0.5);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i < n - last && j < n - last) {
                A[i * n + j] = P[i * n + j];
            } else if (i >= n - last && j >= n - last) {
                A[i * n + j] = -P[i * n + j];
            }
        }
    }
}

static void test_ldl_rebuilds_and_solves_a_quasi_definite_matrix(void)
{
    static double A[N * N], L[N * N], d[N], LD[N * N], back[N * N], B[N * RHS], X[N * RHS];

    for (int n = 1; n <= N; n++) {
        const int last = n / 3;
        int negative = 0;

        random_quasi_definite(A, n, last);
        TEST_ASSERT_TRUE(linear_ldl(L, d, A, n));
        for (int i = 0; i < n * n; i++) {
            LD[i] = L[i] * d[i % n];
        }
        mat_mul_nt(back, LD, L, n, n, n);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, draw_distance(back, A, n * n) / draw_size(A, n * n));
        for (int i = 0; i < n; i++) {
            negative += d[i] < 0.0;
        }
        TEST_ASSERT_EQUAL_INT(last, negative);
        draw_vector(&dice, B, n * RHS, 1.0);
        linear_ldl_solve(X, L, d, B, n, RHS);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, residual(A, X, B, n, RHS));
    }
}

static void test_ldl_leaves_out_a_pivot_lost_to_rounding(void)
{
    /* the last pivot is 1 - 0.3 * 0.3 / 0.09, zero but for rounding */
    const double A[4] = {0.09, 0.3, 0.3, 1.0}, b[2] = {0.09, 0.3};
    double L[4], d[2], x[2];

    TEST_ASSERT_FALSE(linear_ldl(L, d, A, 2));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, d[1]);
    linear_ldl_solve(x, L, d, b, 2, 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, x[1]);
}

/* ---- any square matrix ---- */

static void test_the_pivoted_solver_has_a_residual_of_rounding(void)
{
    static double A[N * N], B[N * RHS], X[N * RHS], ratio;

    for (int n = 1; n <= N; n++) {
        draw_vector(&dice, A, n * n, 1.0);
        draw_vector(&dice, B, n * RHS, 1.0);
        TEST_ASSERT_EQUAL_INT(n, linear_solve(X, A, B, n, RHS, &ratio));
        TEST_ASSERT_DOUBLE_WITHIN(4.0 * DBL_EPSILON, 0.0, residual(A, X, B, n, RHS));
        TEST_ASSERT_TRUE(ratio > 0.0 && ratio <= 1.0);
        TEST_ASSERT_EQUAL_INT(n,
                              linear_solve(B, A, B, n, RHS, NULL)); /* in place, ratio not asked */
        TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(X, B, n * RHS));
    }
}

/* A permutation, and a KKT matrix with a zero block: without pivoting there is no way through */
static void test_the_pivoted_solver_crosses_zero_pivots(void)
{
    const double shift[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, b[3] = {10, 20, 30},
                 want[3] = {30, 10, 20};
    static double A[N * N], B[N], X[N], x[3];
    const int n = 32, last = 12;

    TEST_ASSERT_EQUAL_INT(3, linear_solve(x, shift, b, 3, 1, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(x, want, 3));

    random_quasi_definite(A, n, last);
    for (int i = n - last; i < n; i++) {
        mat_zero(A + i * n + n - last, last);
    }
    draw_vector(&dice, B, n, 1.0);
    TEST_ASSERT_EQUAL_INT(n, linear_solve(X, A, B, n, 1, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(4.0 * DBL_EPSILON, 0.0, residual(A, X, B, n, 1));
}

static void test_the_pivoted_solver_finds_the_rank(void)
{
    static double A[N * N], sigma[N], x[N], b[N], ratio;

    for (int n = 2; n <= 20; n++) {
        const int rank = draw_index(&dice, n);

        for (int i = 0; i < n; i++) {
            sigma[i] = i < rank ? draw_uniform(&dice, 0.5, 2.0) : 0.0;
        }
        with_singular_values(A, sigma, n, n);
        draw_vector(&dice, x, n, 1.0);
        mat_vec(b, A, x, n, n);
        if (rank == 0) {
            mat_zero(A, n * n);
        }
        TEST_ASSERT_EQUAL_INT(rank, linear_solve(x, A, b, n, 1, &ratio));
        TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, ratio);
        TEST_ASSERT_TRUE(rank == 0 ? draw_size(x, n) <= 0.0 : residual(A, x, b, n, 1) < 1e-13);
    }
}

static void test_the_pivot_ratio_tells_the_order_of_the_condition(void)
{
    const double grows[4] = {1, 1, 1, -1}; /* pivots 1 and -2: the first is the least */
    double A[64], b[8] = {1, 1, 1, 1, 1, 1, 1, 1}, x[8], ratio;

    TEST_ASSERT_EQUAL_INT(2, linear_solve(x, grows, b, 2, 1, &ratio));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.5, ratio);
    for (int k = 0; k <= 12; k++) {
        const double sigma[8] = {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, pow(10.0, -k)};

        for (int i = 0; i < 200; i++) {
            with_singular_values(A, sigma, 8, 8);
            TEST_ASSERT_EQUAL_INT(8, linear_solve(x, A, b, 8, 1, &ratio));
            TEST_ASSERT_TRUE(ratio > sigma[7] / 10.0 && ratio < sigma[7] * 30.0);
        }
    }
}

static void test_what_is_too_large_or_not_finite_is_refused(void)
{
    static double large[(N + 1) * (N + 1)], pseudo[(N + 1) * (N + 1)], x[N + 1];
    double A[4] = {1, 2, (double)NAN, 4}, b[2] = {1, 1}, ratio = 7.0;

    TEST_ASSERT_EQUAL_INT(0, linear_solve(b, A, b, 2, 1, &ratio));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(b, 2) + ratio);
    mat_identity(large, N + 1);
    x[3] = 1.0;
    TEST_ASSERT_EQUAL_INT(0, linear_solve(x, large, x, N + 1, 1, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(x, N + 1));
    TEST_ASSERT_FALSE(linear_cholesky(large, large, N + 1));
    TEST_ASSERT_FALSE(linear_ldl(large, x, large, N + 1));
    TEST_ASSERT_FALSE(linear_pinv(pseudo, large, N + 1, N + 1, 1.0));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(pseudo, (N + 1) * (N + 1)));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, linear_least_singular(large, N + 1, N + 1));
}

/* The inverse of Hilbert's 4 x 4 is an integer matrix: (-1)^(i+j) (i+j-1) C(n+i-1, n-j) C(n+j-1,
 * n-i) C(i+j-2, i-1)^2 */
static void test_all_solvers_know_the_inverse_of_hilberts_matrix(void)
{
    const double want[16] = {16,  -120,  240,  -140,  -120, 1200, -2700, 1680,
                             240, -2700, 6480, -4200, -140, 1680, -4200, 2800};
    double H[16], L[16], d[4], one[16], X[16];

    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            H[4 * i + j] = 1.0 / (1 + i + j);
        }
    }
    mat_identity(one, 4);
    /* condition 1.6e4 times eps times 6480 is 2e-8 at worst; it is far better */
    TEST_ASSERT_EQUAL_INT(4, linear_solve(X, H, one, 4, 4, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, draw_distance(X, want, 16));
    TEST_ASSERT_TRUE(linear_cholesky(L, H, 4));
    linear_cholesky_solve(X, L, one, 4, 4);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, draw_distance(X, want, 16));
    TEST_ASSERT_TRUE(linear_ldl(L, d, H, 4));
    linear_ldl_solve(X, L, d, one, 4, 4);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, draw_distance(X, want, 16));
    TEST_ASSERT_TRUE(linear_pinv(X, H, 4, 4, 0.0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.0, draw_distance(X, want, 16)); /* squares the condition */
}

/* ---- pseudo-inverse ---- */

static const int shape[][2] = {{6, 7},   {7, 6},   {6, 6},  {1, 5}, {5, 1},
                               {12, 20}, {20, 12}, {3, 40}, {40, 3}};

/* A P A = A, P A P = P, both products symmetric */
static void test_without_damping_it_is_the_inverse_of_moore_and_penrose(void)
{
    for (size_t i = 0; i < COUNT_OF(shape); i++) {
        const int m = shape[i][0], n = shape[i][1];
        static double A[N * N], P[N * N], AP[N * N], PA[N * N], T[N * N], S[N * N], sigma[N];

        for (int k = 0; k < N; k++) {
            sigma[k] = draw_uniform(&dice, 0.1, 2.0);
        }
        with_singular_values(A, sigma, m, n);
        TEST_ASSERT_TRUE(linear_pinv(P, A, m, n, 0.0));
        mat_mul(AP, A, P, m, n, m);
        mat_mul(PA, P, A, n, m, n);
        mat_mul(T, AP, A, m, m, n);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, draw_distance(T, A, m * n));
        mat_mul(T, PA, P, n, n, m);
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, draw_distance(T, P, m * n));
        mat_copy(S, AP, m * m);
        mat_symmetrise(S, m);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, draw_distance(S, AP, m * m));
        mat_copy(S, PA, n * n);
        mat_symmetrise(S, n);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, draw_distance(S, PA, n * n));
    }
}

/* x = P b is the least of |A x - b|^2 + damping^2 |x|^2, where (A'A + damping^2) x = A'b */
static void test_with_damping_it_solves_the_damped_problem_and_is_bounded(void)
{
    for (size_t i = 0; i < COUNT_OF(shape); i++) {
        const int m = shape[i][0], n = shape[i][1];
        static double A[N * N], P[N * N], b[N], x[N], Ax[N], left[N], right[N], sigma[N];
        const double damping = 0.05;

        for (int k = 0; k < N; k++) {
            sigma[k] = k == 0 ? 0.0 : draw_uniform(&dice, 0.0, 2.0); /* singular */
        }
        with_singular_values(A, sigma, m, n);
        draw_vector(&dice, b, m, 1.0);
        TEST_ASSERT_TRUE(linear_pinv(P, A, m, n, damping));
        mat_vec(x, P, b, n, m);
        mat_vec(Ax, A, x, m, n);
        mat_vec_t(left, A, Ax, m, n);
        mat_add_scaled(left, damping * damping, x, n);
        mat_vec_t(right, A, b, m, n);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, draw_distance(left, right, n));
        TEST_ASSERT_TRUE(sqrt(mat_dot(x, x, n) / mat_dot(b, b, m)) <= 0.5 / damping);
    }
}

static void test_a_singular_matrix_without_damping_is_reported_and_bounded(void)
{
    const double A[6] = {1, 2, 3, 2, 4, 6}, none[6] = {0};
    double P[6];

    TEST_ASSERT_FALSE(linear_pinv(P, A, 2, 3, 0.0));
    TEST_ASSERT_TRUE(draw_size(P, 6) <= 1.0);
    TEST_ASSERT_FALSE(linear_pinv(P, none, 2, 3, 0.0));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(P, 6));
    TEST_ASSERT_TRUE(linear_pinv(P, none, 2, 3, 0.1));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(P, 6));
}

/* By hand: the pseudo-inverse of a row is its transpose over its square, [3 4] -> [3; 4] / 25 */
static void test_the_pseudo_inverse_of_a_row(void)
{
    const double row[2] = {3, 4}, want[2] = {0.12, 0.16}, damped[2] = {3.0 / 26.0, 4.0 / 26.0};
    double P[2];

    TEST_ASSERT_TRUE(linear_pinv(P, row, 1, 2, 0.0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0.0, draw_distance(P, want, 2));
    TEST_ASSERT_TRUE(linear_pinv(P, row, 1, 2, 1.0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0.0, draw_distance(P, damped, 2));
    TEST_ASSERT_DOUBLE_WITHIN(2e-15, 5.0, linear_least_singular(row, 1, 2));
}

static void test_the_least_singular_value_is_found_from_above(void)
{
    static double A[N * N], sigma[N];
    double worst = 1.0;

    for (int i = 0; i < 2000; i++) {
        const int m = shape[i % 5][0], n = shape[i % 5][1], r = m < n ? m : n;
        double least = 10.0;

        for (int k = 0; k < r; k++) {
            sigma[k] = fabs(draw_scaled(&dice, -10, 1));
            least = sigma[k] < least ? sigma[k] : least;
        }
        with_singular_values(A, sigma, m, n);

        const double ratio = linear_least_singular(A, m, n) / least;

        TEST_ASSERT_TRUE(ratio > 1.0 - 1e-11);
        worst = ratio > worst ? ratio : worst;
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 1.0, worst);
}

static void test_the_least_singular_value_of_a_singular_matrix_is_zero(void)
{
    double A[42], sigma[6] = {1, 1, 1, 1, 1, 0};
    const double none[4] = {0};

    for (int i = 0; i < 200; i++) {
        with_singular_values(A, sigma, 6, 7);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, linear_least_singular(A, 6, 7));
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, linear_least_singular(none, 2, 2));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_cholesky_rebuilds_the_matrix);
    RUN_TEST(test_cholesky_solves_many_right_hand_sides);
    RUN_TEST(test_the_forward_half_gives_the_weighted_product);
    RUN_TEST(test_only_the_upper_triangle_is_read);
    RUN_TEST(test_a_semidefinite_system_that_has_a_solution_gets_one);
    RUN_TEST(test_cholesky_refuses_an_indefinite_matrix_and_stays_bounded);
    RUN_TEST(test_an_entry_that_is_not_finite_never_reaches_the_factor);
    RUN_TEST(test_the_zero_matrix_solves_to_zero);
    RUN_TEST(test_ldl_rebuilds_and_solves_a_quasi_definite_matrix);
    RUN_TEST(test_ldl_leaves_out_a_pivot_lost_to_rounding);
    RUN_TEST(test_the_pivoted_solver_has_a_residual_of_rounding);
    RUN_TEST(test_the_pivoted_solver_crosses_zero_pivots);
    RUN_TEST(test_the_pivoted_solver_finds_the_rank);
    RUN_TEST(test_the_pivot_ratio_tells_the_order_of_the_condition);
    RUN_TEST(test_what_is_too_large_or_not_finite_is_refused);
    RUN_TEST(test_all_solvers_know_the_inverse_of_hilberts_matrix);
    RUN_TEST(test_without_damping_it_is_the_inverse_of_moore_and_penrose);
    RUN_TEST(test_with_damping_it_solves_the_damped_problem_and_is_bounded);
    RUN_TEST(test_a_singular_matrix_without_damping_is_reported_and_bounded);
    RUN_TEST(test_the_pseudo_inverse_of_a_row);
    RUN_TEST(test_the_least_singular_value_is_found_from_above);
    RUN_TEST(test_the_least_singular_value_of_a_singular_matrix_is_zero);
    return UNITY_END();
}
