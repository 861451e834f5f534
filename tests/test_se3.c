/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_se3.c - poses: group laws, the exponential against the power series of its 4 x 4 matrix,
 * adjoints as conjugation and as derivative, power that no change of frame alters, Jacobians as
 * integrals; then motions known by hand.
 */
#include "model/se3.h"

#include <float.h>
#include <math.h>

#include "unity.h"

#include "model/mat.h"
#include "model/so3.h"
#include "tests/draw.h"

static struct draw dice;
static double one[36];

void setUp(void)
{
    dice.state = 0xd1342543de82ef95u;
    mat_identity(one, 6);
}

void tearDown(void)
{
}

static void random_pose(struct pose *g)
{
    double w[3];

    draw_direction(&dice, w, draw_uniform(&dice, 0.0, 3.1));
    so3_exp(g->R, w);
    draw_vector(&dice, g->p, 3, 2.0);
}

/* u = [v; w] with these two lengths */
static void random_vector(double u[static 6], double length, double angle)
{
    draw_direction(&dice, u, length);
    draw_direction(&dice, u + 3, angle);
}

static double distance(const struct pose *a, const struct pose *b)
{
    return draw_greater(draw_distance(a->R, b->R, 9), draw_distance(a->p, b->p, 3));
}

/* Angles from 1e-300 to pi, some of them close to it; false past the last */
static bool angle_at(int i, double *angle)
{
    *angle = i < 300 ? pow(10.0, -300 + i)
                     : (i < 360 ? (i - 300) / 60.0 * BASE_PI : BASE_PI - pow(10.0, 360 - i));
    return i < 375;
}

/* ---- group ---- */

static void test_poses_form_a_group(void)
{
    struct pose identity;

    se3_identity(&identity);
    for (int i = 0; i < 2000; i++) {
        struct pose a, b, c, ab, bc, left, right, back;

        random_pose(&a);
        random_pose(&b);
        random_pose(&c);
        se3_mul(&ab, &a, &b);
        se3_mul(&left, &ab, &c);
        se3_mul(&bc, &b, &c);
        se3_mul(&right, &a, &bc);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, distance(&left, &right));
        se3_inverse(&back, &a);
        se3_mul(&left, &a, &back);
        se3_mul(&right, &back, &a);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, distance(&left, &identity));
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, distance(&right, &identity));
        se3_mul(&left, &back, &b);
        se3_relative(&right, &a, &b);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, distance(&left, &right));
    }
}

static void test_a_product_moves_points_one_after_the_other(void)
{
    for (int i = 0; i < 2000; i++) {
        struct pose a, b, ab;
        double x[3], y[3], z[3];

        random_pose(&a);
        random_pose(&b);
        draw_vector(&dice, x, 3, 1.0);
        se3_mul(&ab, &a, &b);
        se3_point(y, &b, x);
        se3_point(y, &a, y);
        se3_point(z, &ab, x);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(y, z, 3));
    }
}

/* Two bodies 1e7 m from the origin (an orbit), 3 m apart: the distance must not feel the 1e7 */
static void test_the_relative_pose_of_neighbours_far_away(void)
{
    struct pose a, b, g;

    for (int i = 0; i < 100; i++) {
        random_pose(&a);
        random_pose(&b);
        a.p[0] = 1e7;
        a.p[1] = -2e7;
        a.p[2] = 5e6;
        b.p[0] = a.p[0] + 1.0;
        b.p[1] = a.p[1] + 2.0;
        b.p[2] = a.p[2] - 2.0;
        se3_relative(&g, &a, &b);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 3.0, mat_norm3(g.p));
    }
}

static void test_a_result_may_be_an_operand(void)
{
    struct pose a, b, want, got;
    double V[6], want6[6], got6[6];

    random_pose(&a);
    random_pose(&b);
    draw_vector(&dice, V, 6, 1.0);
    se3_mul(&want, &a, &b);
    got = a;
    se3_mul(&got, &got, &b);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, distance(&want, &got));
    got = b;
    se3_mul(&got, &a, &got);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, distance(&want, &got));
    se3_inverse(&want, &a);
    got = a;
    se3_inverse(&got, &got);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, distance(&want, &got));
    se3_relative(&want, &a, &b);
    got = a;
    se3_relative(&got, &got, &b);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, distance(&want, &got));

    static void (*const change[4])(double *, const struct pose *, const double *) = {
        se3_apply_Ad, se3_apply_Ad_inverse, se3_apply_Ad_transpose, se3_apply_Ad_inverse_transpose};

    for (int k = 0; k < 4; k++) {
        change[k](want6, &a, V);
        mat_copy(got6, V, 6);
        change[k](got6, &a, got6);
        TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want6, got6, 6));
    }
    se3_apply_ad(want6, a.R, V);
    mat_copy(got6, V, 6);
    se3_apply_ad(got6, a.R, got6);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want6, got6, 6));
    se3_apply_ad_transpose(want6, a.R, V);
    mat_copy(got6, V, 6);
    se3_apply_ad_transpose(got6, a.R, got6);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(want6, got6, 6));
}

/* ---- exponential and logarithm ---- */

/* E = exp(A), n x n with n <= 6, by halving A until it is small and squaring the series: knows
 * nothing of rotations */
static void power_series(double *E, const double *A, int n)
{
    double B[36], term[36], next[36];

    mat_scale(B, 1.0 / 256.0, A, n * n);
    mat_identity(E, n);
    mat_identity(term, n);
    for (int k = 1; k < 14; k++) {
        mat_mul(next, term, B, n, n, n);
        mat_scale(term, 1.0 / k, next, n * n);
        mat_add(E, E, term, n * n);
    }
    for (int k = 0; k < 8; k++) {
        mat_mul(next, E, E, n, n, n);
        mat_copy(E, next, n * n);
    }
}

static void test_the_exponential_is_the_power_series(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        double u[6], E[16];
        struct pose g;

        random_vector(u, 1.5, angle);

        const double A[16] = {0, -u[5], u[4], u[0], u[5], 0, -u[3], u[1], -u[4], u[3], 0, u[2]};

        power_series(E, A, 4);
        se3_exp(&g, u);
        for (int r = 0; r < 3; r++) {
            /* eight squarings cost the reference up to 256 rounding errors */
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, draw_distance(E + 4 * r, g.R + 3 * r, 3));
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, E[4 * r + 3], g.p[r]);
        }
    }
}

static void test_the_logarithm_undoes_the_exponential_from_1e_300_to_pi(void)
{
    double angle, worst = 0.0;

    for (int i = 0; angle_at(i, &angle); i++) {
        for (int k = -12; k < 4; k += 3) {
            const double length = pow(10.0, k);
            double u[6], back[6];
            struct pose g;

            random_vector(u, length, angle);
            se3_exp(&g, u);
            se3_log(back, &g);
            worst = draw_greater(worst, draw_distance(u, back, 3) / length);
            worst =
                draw_greater(worst, angle > 0.0 ? draw_distance(u + 3, back + 3, 3) / angle : 0.0);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, worst);
}

static void test_the_exponential_undoes_the_logarithm(void)
{
    for (int i = 0; i < 2000; i++) {
        struct pose g, back;
        double u[6];

        random_pose(&g);
        se3_log(u, &g);
        se3_exp(&back, u);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, distance(&g, &back));
    }
}

static void test_a_thousand_short_steps_are_one_long_one(void)
{
    struct pose many, once;
    double V[6];

    random_pose(&many);
    once = many;
    random_vector(V, 0.3, 1.1);
    for (int i = 0; i < 1000; i++) {
        se3_step(&many, V, 0.001);
    }
    se3_step(&once, V, 1.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.0, distance(&many, &once));
}

/* ---- adjoint: change of frame ---- */

/* g exp(V) g^-1 = exp(Ad_g V), for large V as well */
static void test_Ad_is_conjugation(void)
{
    for (int i = 0; i < 2000; i++) {
        struct pose g, back, e, left, right;
        double V[6], W[6];

        random_pose(&g);
        random_vector(V, 1.0, draw_uniform(&dice, 0.0, 3.0));
        se3_exp(&e, V);
        se3_inverse(&back, &g);
        se3_mul(&left, &g, &e);
        se3_mul(&left, &left, &back);
        se3_apply_Ad(W, &g, V);
        se3_exp(&right, W);
        TEST_ASSERT_DOUBLE_WITHIN(2e-14, 0.0, distance(&left, &right));
    }
}

static void test_Ad_of_a_product_is_the_product(void)
{
    for (int i = 0; i < 2000; i++) {
        struct pose a, b, ab, back;
        double A[36], B[36], AB[36], product[36];

        random_pose(&a);
        random_pose(&b);
        se3_mul(&ab, &a, &b);
        se3_Ad(A, &a);
        se3_Ad(B, &b);
        se3_Ad(AB, &ab);
        mat_mul6(product, A, B);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(AB, product, 36));
        se3_inverse(&back, &a);
        se3_Ad(B, &back);
        mat_mul6(product, A, B);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(product, one, 36));
    }
}

static void test_the_four_changes_of_frame_are_the_matrix_its_inverse_and_their_transposes(void)
{
    for (int i = 0; i < 2000; i++) {
        struct pose g, back;
        double A[36], B[36], x[6], want[6], got[6];

        random_pose(&g);
        draw_vector(&dice, x, 6, 1.0);
        se3_inverse(&back, &g);
        se3_Ad(A, &g);
        se3_Ad(B, &back);
        mat_vec6(want, A, x);
        se3_apply_Ad(got, &g, x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(want, got, 6));
        mat_vec6(want, B, x);
        se3_apply_Ad_inverse(got, &g, x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(want, got, 6));
        mat_vec6_t(want, A, x);
        se3_apply_Ad_transpose(got, &g, x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(want, got, 6));
        mat_vec6_t(want, B, x);
        se3_apply_Ad_inverse_transpose(got, &g, x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(want, got, 6));
    }
}

static void test_power_is_the_same_in_every_frame(void)
{
    for (int i = 0; i < 2000; i++) {
        struct pose g;
        double V_b[6], F_b[6], V_a[6], F_a[6];

        random_pose(&g);
        draw_vector(&dice, V_b, 6, 1.0);
        draw_vector(&dice, F_b, 6, 1.0);
        se3_apply_Ad(V_a, &g, V_b);
        se3_apply_Ad_inverse_transpose(F_a, &g, F_b);
        TEST_ASSERT_DOUBLE_WITHIN(2e-14, mat_dot6(F_b, V_b), mat_dot6(F_a, V_a));
        draw_vector(&dice, V_a, 6, 1.0);
        draw_vector(&dice, F_a, 6, 1.0);
        se3_apply_Ad_inverse(V_b, &g, V_a);
        se3_apply_Ad_transpose(F_b, &g, F_a);
        TEST_ASSERT_DOUBLE_WITHIN(2e-14, mat_dot6(F_a, V_a), mat_dot6(F_b, V_b));
    }
}

/* ---- adjoint: bracket ---- */

/* Ad_exp(V) = exp(ad_V), the whole series; its first term is the derivative of Ad */
static void test_ad_generates_Ad(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        struct pose g, plus, minus;
        double V[6], A[36], E[36], want[36], Ap[36], Am[36];

        random_vector(V, 1.0, angle);
        se3_ad(A, V);
        power_series(E, A, 6);
        se3_exp(&g, V);
        se3_Ad(want, &g);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, draw_distance(E, want, 36));
        mat_scale(V, 1e-5, V, 6);
        se3_exp(&plus, V);
        mat_scale(V, -1.0, V, 6);
        se3_exp(&minus, V);
        se3_Ad(Ap, &plus);
        se3_Ad(Am, &minus);
        mat_sub(Ap, Ap, Am, 36);
        mat_scale(Ap, 0.5e5, Ap, 36);
        TEST_ASSERT_DOUBLE_WITHIN(2e-9, 0.0, draw_distance(Ap, A, 36));
    }
}

static void test_the_bracket_is_skew_and_obeys_jacobi(void)
{
    for (int i = 0; i < 2000; i++) {
        double a[6], b[6], c[6], x[6], y[6], z[6];

        draw_vector(&dice, a, 6, 1.0);
        draw_vector(&dice, b, 6, 1.0);
        draw_vector(&dice, c, 6, 1.0);
        se3_apply_ad(x, a, b);
        se3_apply_ad(y, b, a);
        mat_add(x, x, y, 6);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_size(x, 6));
        se3_apply_ad(x, b, c);
        se3_apply_ad(x, a, x);
        se3_apply_ad(y, c, a);
        se3_apply_ad(y, b, y);
        se3_apply_ad(z, a, b);
        se3_apply_ad(z, c, z);
        mat_add(x, x, y, 6);
        mat_add(x, x, z, 6);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_size(x, 6));
    }
}

static void test_the_bracket_and_the_coadjoint_are_the_matrix_and_its_transpose(void)
{
    for (int i = 0; i < 2000; i++) {
        double V[6], x[6], A[36], want[6], got[6];

        draw_vector(&dice, V, 6, 1.0);
        draw_vector(&dice, x, 6, 1.0);
        se3_ad(A, V);
        mat_vec6(want, A, x);
        se3_apply_ad(got, V, x);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(want, got, 6));
        mat_vec6_t(want, A, x);
        se3_apply_ad_transpose(got, V, x);
        TEST_ASSERT_DOUBLE_WITHIN(2e-15, 0.0, draw_distance(want, got, 6));
    }
}

/* ---- Jacobians ---- */

/* J_left(u) is the mean of Ad_exp(s u) over s in [0, 1]; Gauss with 5 points on 16 panels */
static void mean_Ad(double J[static 36], const double u[static 6], double sign)
{
    static const double point[5] = {0.0, 0.538469310105683091, -0.538469310105683091,
                                    0.906179845938663993, -0.906179845938663993};
    static const double weight[5] = {0.568888888888888889, 0.478628670499366468,
                                     0.478628670499366468, 0.236926885056189088,
                                     0.236926885056189088};

    mat_zero(J, 36);
    for (int panel = 0; panel < 16; panel++) {
        for (int k = 0; k < 5; k++) {
            struct pose g;
            double su[6], A[36];

            mat_scale(su, sign * (panel + 0.5 + 0.5 * point[k]) / 16.0, u, 6);
            se3_exp(&g, su);
            se3_Ad(A, &g);
            mat_add_scaled(J, weight[k] / 32.0, A, 36);
        }
    }
}

static void test_the_jacobians_are_mean_adjoints(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        double u[6], J[36], mean[36];

        random_vector(u, 1.0, i % 5 == 0 ? 1.9 * angle : angle);
        se3_left_jacobian(J, u);
        mean_Ad(mean, u, 1.0);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(J, mean, 36));
        se3_right_jacobian(J, u);
        mean_Ad(mean, u, -1.0);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(J, mean, 36));
    }
}

static void test_the_inverse_jacobians_are_inverse(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        double u[6], J[36], K[36], product[36];

        random_vector(u, 1.0, i % 5 == 0 ? 1.9 * angle : angle);
        se3_left_jacobian(J, u);
        se3_left_jacobian_inverse(K, u);
        mat_mul6(product, J, K);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15 * draw_size(K, 36), 0.0, draw_distance(product, one, 36));
        se3_right_jacobian(J, u);
        se3_right_jacobian_inverse(K, u);
        mat_mul6(product, J, K);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15 * draw_size(K, 36), 0.0, draw_distance(product, one, 36));
    }
}

/* Central differences, step 1e-5: 1e-10 of the third derivative and 1e-11 of rounding */
static void test_the_jacobians_are_derivatives(void)
{
    for (int i = 0; i < 300; i++) {
        struct pose g, e, d;
        double u[6], left[36], right[36];

        random_vector(u, 1.0, draw_uniform(&dice, 0.0, 3.1));
        se3_exp(&g, u);
        se3_left_jacobian(left, u);
        se3_right_jacobian(right, u);
        for (int k = 0; k < 6; k++) {
            double moved[2][6], leftward[2][6], rightward[2][6];

            for (int s = 0; s < 2; s++) {
                struct pose back;

                mat_copy(moved[s], u, 6);
                moved[s][k] += s == 0 ? 1e-5 : -1e-5;
                se3_exp(&e, moved[s]);
                se3_inverse(&back, &g);
                se3_mul(&d, &e, &back);
                se3_log(leftward[s], &d);
                se3_relative(&d, &g, &e);
                se3_log(rightward[s], &d);
            }
            for (int r = 0; r < 6; r++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-9, left[6 * r + k],
                                          (leftward[0][r] - leftward[1][r]) / 2e-5);
                TEST_ASSERT_DOUBLE_WITHIN(1e-9, right[6 * r + k],
                                          (rightward[0][r] - rightward[1][r]) / 2e-5);
            }
        }
    }
}

/* J u = u: along its own direction the exponential is straight */
static void test_the_jacobians_leave_their_own_vector(void)
{
    double angle;

    for (int i = 0; angle_at(i, &angle); i++) {
        double u[6], J[36], y[6];

        random_vector(u, 1.0, angle);
        se3_left_jacobian(J, u);
        mat_vec6(y, J, u);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(y, u, 6));
        se3_right_jacobian_inverse(J, u);
        mat_vec6(y, J, u);
        TEST_ASSERT_DOUBLE_WITHIN(4e-15, 0.0, draw_distance(y, u, 6));
    }
}

/* ---- by hand ---- */

/* Forward at r w while turning at w about z: a circle of radius r to the left. After a quarter: (r,
 * r), facing y. */
static void test_a_quarter_of_a_circle(void)
{
    const double V[6] = {2.0, 0, 0, 0, 0, 1.0}, turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1},
                 p[3] = {2, 2, 0};
    struct pose g;

    se3_identity(&g);
    se3_step(&g, V, BASE_PI / 2.0);
    TEST_ASSERT_DOUBLE_WITHIN(5e-16, 0.0, draw_distance(g.R, turned, 9));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, draw_distance(g.p, p, 3));
}

/* Frame b stands 1 m along x of a and is turned a quarter about z. A body that turns about z of b
 * moves, at the origin of a, with -y; a force along x of b is a force along y of a with a moment of
 * 1 m times it about z. */
static void test_a_twist_and_a_wrench_change_frame(void)
{
    const struct pose g = {{0, -1, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0}};
    const double V_b[6] = {0, 0, 0, 0, 0, 1}, V_a[6] = {0, -1, 0, 0, 0, 1};
    const double F_b[6] = {1, 0, 0, 0, 0, 0}, F_a[6] = {0, 1, 0, 0, 0, 1};
    double y[6];

    se3_apply_Ad(y, &g, V_b);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, V_a, 6));
    se3_apply_Ad_inverse(y, &g, V_a);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, V_b, 6));
    se3_apply_Ad_inverse_transpose(y, &g, F_b);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, F_a, 6));
    se3_apply_Ad_transpose(y, &g, F_a);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, F_b, 6));
}

/* Euler's equations, m = 2, I = diag(1, 2, 3), v = (1, 0, 0), w = (1, 1, 1): ad_V' M V = [-w x mv;
 * -w x Iw] since v and mv are parallel; w x mv = (0, 2, -2), w x Iw = (1, -2, 1) */
static void test_the_coadjoint_gives_eulers_equations(void)
{
    const double V[6] = {1, 0, 0, 1, 1, 1}, MV[6] = {2, 0, 0, 1, 2, 3};
    const double want[6] = {0, -2, 2, -1, 2, -1};
    double y[6];

    se3_apply_ad_transpose(y, V, MV);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_distance(y, want, 6));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_poses_form_a_group);
    RUN_TEST(test_a_product_moves_points_one_after_the_other);
    RUN_TEST(test_the_relative_pose_of_neighbours_far_away);
    RUN_TEST(test_a_result_may_be_an_operand);
    RUN_TEST(test_the_exponential_is_the_power_series);
    RUN_TEST(test_the_logarithm_undoes_the_exponential_from_1e_300_to_pi);
    RUN_TEST(test_the_exponential_undoes_the_logarithm);
    RUN_TEST(test_a_thousand_short_steps_are_one_long_one);
    RUN_TEST(test_Ad_is_conjugation);
    RUN_TEST(test_Ad_of_a_product_is_the_product);
    RUN_TEST(test_the_four_changes_of_frame_are_the_matrix_its_inverse_and_their_transposes);
    RUN_TEST(test_power_is_the_same_in_every_frame);
    RUN_TEST(test_ad_generates_Ad);
    RUN_TEST(test_the_bracket_is_skew_and_obeys_jacobi);
    RUN_TEST(test_the_bracket_and_the_coadjoint_are_the_matrix_and_its_transpose);
    RUN_TEST(test_the_jacobians_are_mean_adjoints);
    RUN_TEST(test_the_inverse_jacobians_are_inverse);
    RUN_TEST(test_the_jacobians_are_derivatives);
    RUN_TEST(test_the_jacobians_leave_their_own_vector);
    RUN_TEST(test_a_quarter_of_a_circle);
    RUN_TEST(test_a_twist_and_a_wrench_change_frame);
    RUN_TEST(test_the_coadjoint_gives_eulers_equations);
    return UNITY_END();
}
