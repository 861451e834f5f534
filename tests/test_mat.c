/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mat.c - products by the laws they obey, then by hand; inverse and eigenvalues of a 3 x 3. */
#include "model/mat.h"

#include <float.h>
#include <math.h>

#include "unity.h"

#include "tests/draw.h"

static struct draw dice;

void setUp(void)
{
    dice.state = 0x2545f4914f6cdd1du;
}

void tearDown(void)
{
}

/* ---- products ---- */

static void test_products_associate(void)
{
    double A[4 * 7], B[7 * 5], C[5 * 3], AB[4 * 5], BC[7 * 3], left[4 * 3], right[4 * 3];

    for (int i = 0; i < 200; i++) {
        draw_vector(&dice, A, 4 * 7, 1.0);
        draw_vector(&dice, B, 7 * 5, 1.0);
        draw_vector(&dice, C, 5 * 3, 1.0);
        mat_mul(AB, A, B, 4, 7, 5);
        mat_mul(left, AB, C, 4, 5, 3);
        mat_mul(BC, B, C, 7, 5, 3);
        mat_mul(right, A, BC, 4, 7, 3);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(left, right, 4 * 3));
    }
}

static void test_transposed_products_are_products_of_the_transpose(void)
{
    double A[6 * 4], At[4 * 6], B[6 * 5], Bt[5 * 6], tn[4 * 5], nt[4 * 5], plain[4 * 5];

    for (int i = 0; i < 200; i++) {
        draw_vector(&dice, A, 6 * 4, 1.0);
        draw_vector(&dice, B, 6 * 5, 1.0);
        mat_transpose(At, A, 6, 4);
        mat_transpose(Bt, B, 6, 5);
        mat_mul(plain, At, B, 4, 6, 5);
        mat_mul_tn(tn, A, B, 4, 6, 5);
        mat_mul_nt(nt, At, Bt, 4, 6, 5);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(tn, plain, 4 * 5));
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(nt, plain, 4 * 5));
    }
}

static void test_a_matrix_and_its_transpose_are_adjoint(void)
{
    double A[5 * 8], x[8], y[5], Ax[5], Aty[8];

    for (int i = 0; i < 200; i++) {
        draw_vector(&dice, A, 5 * 8, 1.0);
        draw_vector(&dice, x, 8, 1.0);
        draw_vector(&dice, y, 5, 1.0);
        mat_vec(Ax, A, x, 5, 8);
        mat_vec_t(Aty, A, y, 5, 8);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, mat_dot(Ax, y, 5), mat_dot(x, Aty, 8));
    }
}

static void test_the_short_forms_agree_with_the_general_ones(void)
{
    double A[36], B[36], C[36], D[36], y[6], z[6];

    draw_vector(&dice, A, 36, 1.0);
    draw_vector(&dice, B, 36, 1.0);

    mat_mul3(C, A, B);
    mat_mul(D, A, B, 3, 3, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(C, D, 9));
    mat_mul3_tn(C, A, B);
    mat_mul_tn(D, A, B, 3, 3, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(C, D, 9));
    mat_mul3_nt(C, A, B);
    mat_mul_nt(D, A, B, 3, 3, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(C, D, 9));
    mat_transpose3(C, A);
    mat_transpose(D, A, 3, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(C, D, 9));
    mat_vec3(y, A, B);
    mat_vec(z, A, B, 3, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, z, 3));
    mat_vec3_t(y, A, B);
    mat_vec_t(z, A, B, 3, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, z, 3));
    mat_mul6(C, A, B);
    mat_mul(D, A, B, 6, 6, 6);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(C, D, 36));
    mat_vec6(y, A, B);
    mat_vec(z, A, B, 6, 6);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, z, 6));
    mat_vec6_t(y, A, B);
    mat_vec_t(z, A, B, 6, 6);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, z, 6));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, mat_dot(A, B, 3), mat_dot3(A, B));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, mat_dot(A, B, 6), mat_dot6(A, B));
}

static void test_a_3_form_may_write_over_its_operand(void)
{
    double A[9], B[9], want[9], got[9];

    draw_vector(&dice, A, 9, 1.0);
    draw_vector(&dice, B, 9, 1.0);

    mat_mul3(want, A, B);
    mat_copy(got, A, 9);
    mat_mul3(got, got, B);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, got, 9));
    mat_mul3_tn(want, A, B);
    mat_copy(got, B, 9);
    mat_mul3_tn(got, A, got);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, got, 9));
    mat_mul3_nt(want, A, A);
    mat_copy(got, A, 9);
    mat_mul3_nt(got, got, got);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, got, 9));
    mat_transpose3(want, A);
    mat_copy(got, A, 9);
    mat_transpose3(got, got);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, got, 9));
    mat_inverse3(want, A);
    mat_copy(got, A, 9);
    mat_inverse3(got, got);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, got, 9));
    mat_cross3(want, A, B);
    mat_copy(got, A, 3);
    mat_cross3(got, got, B);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, got, 3));
    mat_vec3(want, A, B);
    mat_copy(got, B, 3);
    mat_vec3(got, A, got);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, got, 3));
    mat_vec3_t(want, A, B);
    mat_copy(got, B, 3);
    mat_vec3_t(got, A, got);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, got, 3));
}

/* Lagrange: |a x b|^2 = |a|^2 |b|^2 - (a . b)^2, and Jacobi's identity */
static void test_the_cross_product_obeys_lagrange_and_jacobi(void)
{
    for (int i = 0; i < 1000; i++) {
        double a[3], b[3], c[3], ab[3], x[3], y[3], z[3];

        draw_vector(&dice, a, 3, 1.0);
        draw_vector(&dice, b, 3, 1.0);
        draw_vector(&dice, c, 3, 1.0);
        mat_cross3(ab, a, b);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, mat_dot3(a, a) * mat_dot3(b, b),
                                  mat_dot3(ab, ab) + mat_dot3(a, b) * mat_dot3(a, b));
        mat_cross3(x, ab, c);
        mat_cross3(y, b, c);
        mat_cross3(y, y, a);
        mat_cross3(z, c, a);
        mat_cross3(z, z, b);
        mat_add(x, x, y, 3);
        mat_add(x, x, z, 3);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_size(x, 3));
    }
}

/* By hand: [1 2 3; 4 5 6] times [7 8; 9 10; 11 12] */
static void test_a_product_known_by_hand(void)
{
    const double A[6] = {1, 2, 3, 4, 5, 6}, B[6] = {7, 8, 9, 10, 11, 12};
    const double want[4] = {58, 64, 139, 154};
    const double ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0}, ez[3] = {0, 0, 1}, a[3] = {2, 3, 6};
    double C[4], z[3];

    mat_mul(C, A, B, 2, 3, 2);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want, C, 4));
    mat_cross3(z, ex, ey);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(ez, z, 3));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 7.0, mat_norm3(a));
}

static void test_element_wise_forms(void)
{
    const double a[3] = {1, 2, 3}, b[3] = {10, 20, 30};
    const double sum[3] = {11, 22, 33}, difference[3] = {-9, -18, -27}, doubled[3] = {2, 4, 6};
    const double line[3] = {21, 42, 63}, none[3] = {0, 0, 0};
    const double skewed[4] = {1, 2, 4, 5}, symmetric[4] = {1, 3, 3, 5}, one[4] = {1, 0, 0, 1};
    double y[4];

    mat_add(y, a, b, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(sum, y, 3));
    mat_sub(y, a, b, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(difference, y, 3));
    mat_scale(y, 2.0, a, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(doubled, y, 3));
    mat_copy(y, a, 3);
    mat_add_scaled(y, 2.0, b, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(line, y, 3));
    mat_zero(y, 3);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(none, y, 3));
    mat_copy(y, skewed, 4);
    mat_symmetrise(y, 2);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(symmetric, y, 4));
    mat_identity(y, 2);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(one, y, 4));
}

/* ---- inverse of a 3 x 3 ---- */

static void test_an_inverse_multiplies_to_one(void)
{
    for (int i = 0; i < 2000; i++) {
        double A[9], B[9], C[9], one[9];

        draw_vector(&dice, A, 9, 1.0);
        A[0] += 3.0; /* diagonal dominance: the condition stays below ten */
        A[4] += 3.0;
        A[8] += 3.0;
        mat_scale(A, draw_scaled(&dice, -240, 240), A, 9);
        mat_identity(one, 3);
        TEST_ASSERT_TRUE(mat_inverse3(B, A));
        mat_mul3(C, A, B);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(C, one, 9));
    }
}

static void test_a_singular_matrix_has_no_inverse_and_says_so(void)
{
    const double rank2[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, none[9] = {0};
    const double broken[9] = {1, 0, 0, 0, 1, 0, 0, 0, (double)NAN};
    const double endless[9] = {1, 0, 0, 0, HUGE_VAL, 0, 0, 0, 1};
    double A[9], B[9];

    for (int i = 0; i < 1000; i++) { /* dependent rows, but for rounding */
        draw_vector(&dice, A, 6, 1.0);
        mat_scale(A + 6, draw_uniform(&dice, -1.0, 1.0), A, 3);
        mat_add_scaled(A + 6, draw_uniform(&dice, -1.0, 1.0), A + 3, 3);
        TEST_ASSERT_FALSE(mat_inverse3(B, A));
    }
    TEST_ASSERT_FALSE(mat_inverse3(B, rank2));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(B, 9));
    TEST_ASSERT_FALSE(mat_inverse3(B, none));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(B, 9));
    TEST_ASSERT_FALSE(mat_inverse3(B, broken));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(B, 9));
    TEST_ASSERT_FALSE(mat_inverse3(B, endless));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(B, 9));
}

/* ---- eigenvalues of a 3 x 3 ---- */

/* A rotation that owes nothing to so3.c, by Gram and Schmidt */
static void random_axes(double V[static 9])
{
    draw_direction(&dice, V, 1.0);
    draw_direction(&dice, V + 3, 1.0);
    for (int i = 0; i < 2;
         i++) { /* twice is enough (Kahan), also for two vectors nearly parallel */
        mat_add_scaled(V + 3, -mat_dot3(V, V + 3), V, 3);
        mat_scale(V + 3, 1.0 / mat_norm3(V + 3), V + 3, 3);
    }
    mat_cross3(V + 6, V, V + 3);
}

/* A = V' diag(d) V, exactly symmetric */
static void with_eigenvalues(double A[static 9], const double d[static 3])
{
    double V[9], DV[9];

    random_axes(V);
    for (int i = 0; i < 9; i++) {
        DV[i] = d[i / 3] * V[i];
    }
    mat_mul3_tn(A, V, DV);
    mat_symmetrise(A, 3);
}

/* A = V diag V', V a rotation, values ascending; to rounding of the size of A */
static void check_eigen(const double A[static 9])
{
    double value[3], V[9], VD[9], back[9], VtV[9], one[9], axis[3];

    mat_eigen3(value, V, A);
    for (int i = 0; i < 9; i++) {
        VD[i] = V[i] * value[i % 3];
    }
    mat_mul3_nt(back, VD, V);
    mat_mul3_tn(VtV, V, V);
    mat_identity(one, 3);
    TEST_ASSERT_DOUBLE_WITHIN(4e-15 * draw_size(A, 9), 0.0, draw_distance(back, A, 9));
    TEST_ASSERT_DOUBLE_WITHIN(3e-15, 0.0, draw_distance(VtV, one, 9));
    mat_transpose3(VD, V);
    mat_cross3(axis, VD, VD + 3);
    TEST_ASSERT_DOUBLE_WITHIN(3e-15, 1.0, mat_dot3(axis, VD + 6));
    TEST_ASSERT_TRUE(value[0] <= value[1] && value[1] <= value[2]);
}

static void test_eigenvalues_rebuild_a_random_matrix(void)
{
    for (int i = 0; i < 20000; i++) {
        double A[9];

        draw_vector(&dice, A, 9, 1.0);
        mat_symmetrise(A, 3);
        mat_scale(A, draw_scaled(&dice, -500, 500), A, 9); /* 1e-150 to 1e150 */
        check_eigen(A);
    }
}

static void test_eigenvalues_that_repeat_vanish_or_nearly_do(void)
{
    static const double table[][3] = {
        {1, 1, 1},         {1, 1, 2},       {1, 2, 2},
        {0, 0, 0},         {0, 0, 1},       {0, 1, 1},
        {-1, 0, 1},        {-1, -1, 2},     {1, 1 + 1e-9, 1 + 2e-9},
        {1e-9, 1, 1},      {1e-16, 1, 1e4}, {-1e-8, 0, 1},
        {1, 1 + 4e-16, 5}, {1e-300, 1, 1},  {1e-12, 2e-12, 1},
    };

    for (size_t i = 0; i < COUNT_OF(table); i++) {
        for (int k = 0; k < 500; k++) {
            double A[9], value[3], V[9], sorted[3];

            mat_copy(sorted, table[i], 3);
            with_eigenvalues(A, sorted);
            check_eigen(A);
            mat_eigen3(value, V, A);
            TEST_ASSERT_DOUBLE_WITHIN(4e-15 * draw_size(sorted, 3), 0.0,
                                      draw_distance(value, sorted, 3));
        }
    }
}

static void test_entries_of_very_different_size_do_not_spoil_the_eigenvalues(void)
{
    for (int i = 0; i < 20000; i++) {
        double A[9];

        for (int k = 0; k < 9; k++) {
            A[k] = draw_scaled(&dice, -300, 300);
        }
        mat_symmetrise(A, 3);
        check_eigen(A);
    }
}

/* By hand: [2 1 0; 1 2 0; 0 0 5] has 1, 3, 5; Hilbert's 3 x 3 from its characteristic polynomial
 * (roots of 2160 x^3 - 3312 x^2 + 381 x - 1) */
static void test_eigenvalues_known_by_hand(void)
{
    const double A[9] = {2, 1, 0, 1, 2, 0, 0, 0, 5}, plain[3] = {1, 3, 5};
    const double H[9] = {1, 1.0 / 2, 1.0 / 3, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 3, 1.0 / 4, 1.0 / 5};
    const double diagonal[9] = {7, 0, 0, 0, -2, 0, 0, 0, 3}, order[3] = {-2, 3, 7};
    double value[3], V[9];

    mat_eigen3(value, V, A);
    TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(value, plain, 3));
    mat_eigen3(value, V, diagonal);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(value, order, 3));
    mat_eigen3(value, V, H);
    for (int i = 0; i < 3; i++) {
        const double x = value[i];

        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0,
                                  ((x - 3312.0 / 2160.0) * x + 381.0 / 2160.0) * x - 1.0 / 2160.0);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 23.0 / 15.0, value[0] + value[1] + value[2]);
}

static void test_a_matrix_that_is_not_finite_has_no_eigenvalues(void)
{
    const double A[9] = {1, 0, 0, 0, (double)NAN, 0, 0, 0, 1},
                 B[9] = {1, 0, 0, 0, 1, HUGE_VAL, 0, HUGE_VAL, 1};
    double value[3], V[9];

    mat_eigen3(value, V, A);
    TEST_ASSERT_FALSE(base_all_finite(value, 3));
    mat_eigen3(value, V, B);
    TEST_ASSERT_FALSE(base_all_finite(value, 3));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_products_associate);
    RUN_TEST(test_transposed_products_are_products_of_the_transpose);
    RUN_TEST(test_a_matrix_and_its_transpose_are_adjoint);
    RUN_TEST(test_the_short_forms_agree_with_the_general_ones);
    RUN_TEST(test_a_3_form_may_write_over_its_operand);
    RUN_TEST(test_the_cross_product_obeys_lagrange_and_jacobi);
    RUN_TEST(test_a_product_known_by_hand);
    RUN_TEST(test_element_wise_forms);
    RUN_TEST(test_an_inverse_multiplies_to_one);
    RUN_TEST(test_a_singular_matrix_has_no_inverse_and_says_so);
    RUN_TEST(test_eigenvalues_rebuild_a_random_matrix);
    RUN_TEST(test_eigenvalues_that_repeat_vanish_or_nearly_do);
    RUN_TEST(test_entries_of_very_different_size_do_not_spoil_the_eigenvalues);
    RUN_TEST(test_eigenvalues_known_by_hand);
    RUN_TEST(test_a_matrix_that_is_not_finite_has_no_eigenvalues);
    return UNITY_END();
}
