/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_body.c - ten numbers of a rigid body: how they move, add, and what is refused. */
#include <math.h>

#include "model/body.h"
#include "model/mat.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "unity.h"

#define TRIALS 200

static struct draw dice;

void setUp(void)
{
    dice.state = 1234567;
}

void tearDown(void)
{
}

/* A body that can exist: five point masses in a random place. */
static void random_body(struct body *b)
{
    const double none[6] = {0.0};

    *b = (struct body){0.0, {0.0}, {0.0}};
    for (int k = 0; k < 5; k++) {
        struct body point;
        double c[3];

        draw_vector(&dice, c, 3, 1.0);
        body_make(&point, draw_uniform(&dice, 0.1, 2.0), c, none);
        body_add(b, &point);
    }
}

static void random_pose(struct pose *g)
{
    double w[3];

    draw_vector(&dice, w, 3, 3.0);
    so3_exp(g->R, w);
    draw_vector(&dice, g->p, 3, 2.0);
}

/* The kinetic energy does not depend on the frame: V_a = Ad V_b makes I_b = Ad' I_a Ad. */
static void test_a_body_told_in_another_frame_has_the_same_energy(void)
{
    for (int k = 0; k < TRIALS; k++) {
        struct body b, a;
        struct pose g;
        double Ad[36], Ia[36], Ib[36], half[36], back[36];

        random_body(&b);
        random_pose(&g);
        body_place(&a, &g, &b);
        body_matrix(Ia, &a);
        body_matrix(Ib, &b);
        se3_Ad(Ad, &g);
        mat_mul(half, Ia, Ad, 6, 6, 6);
        mat_mul_tn(back, Ad, half, 6, 6, 6);
        TEST_ASSERT_TRUE(draw_distance(back, Ib, 36) < 1e-12 * draw_size(Ia, 36));
    }
}

static void test_moving_there_and_back_changes_nothing(void)
{
    for (int k = 0; k < TRIALS; k++) {
        struct body b, moved;
        struct pose g, back;

        random_body(&b);
        random_pose(&g);
        se3_inverse(&back, &g);
        body_place(&moved, &g, &b);
        body_place(&moved, &back, &moved);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, b.mass_kg, moved.mass_kg);
        TEST_ASSERT_TRUE(draw_distance(b.moment, moved.moment, 3) < 1e-12);
        TEST_ASSERT_TRUE(draw_distance(b.inertia, moved.inertia, 6) < 1e-11);
    }
}

static void test_the_matrix_is_symmetric_and_adds(void)
{
    for (int k = 0; k < TRIALS; k++) {
        struct body a, b, sum;
        double A[36], B[36], S[36], added[36], T[36];

        random_body(&a);
        random_body(&b);
        sum = a;
        body_add(&sum, &b);
        body_matrix(A, &a);
        body_matrix(B, &b);
        body_matrix(S, &sum);
        mat_add(added, A, B, 36);
        mat_transpose(T, S, 6, 6);
        TEST_ASSERT_TRUE(draw_distance(added, S, 36) < 1e-13 * draw_size(S, 36));
        TEST_ASSERT_TRUE(draw_distance(T, S, 36) <= 0.0);
    }
}

/* I V is what the matrix says; a free body keeps its energy and its momentum in space. */
static void test_momentum_and_bias_of_a_free_body(void)
{
    for (int k = 0; k < TRIALS; k++) {
        struct body b;
        double V[6], P[6], h[6], A[36], AV[6], force[6];

        random_body(&b);
        draw_vector(&dice, V, 6, 1.0);
        body_momentum(P, &b, V);
        body_matrix(A, &b);
        mat_vec(AV, A, V, 6, 6);
        TEST_ASSERT_TRUE(draw_distance(P, AV, 6) < 1e-13 * draw_size(P, 6));
        body_bias(h, &b, V);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, mat_dot6(h, V));
        /* d/dt Ad^-T P = Ad^-T (P' - ad_V^T P) = 0 with P' = -h */
        se3_apply_ad_transpose(force, V, P);
        mat_add(force, force, h, 6);
        TEST_ASSERT_TRUE(draw_size(force, 6) < 1e-13 * draw_size(P, 6));
    }
}

static void test_made_from_centre_and_inertia_gives_them_back(void)
{
    const double com[3] = {0.3, -0.2, 0.7}, J[6] = {2.0, 3.0, 4.0, 0.1, -0.2, 0.3};
    struct body b;
    double c[3], Jc[6];

    body_make(&b, 5.0, com, J);
    body_central(c, Jc, &b);
    TEST_ASSERT_TRUE(draw_distance(c, com, 3) < 1e-15);
    TEST_ASSERT_TRUE(draw_distance(Jc, J, 6) < 1e-14);
}

/* Envisat: tensor and principal moments as relative-dynamics.md section 8 gives them, computed
 * elsewhere. */
static void test_principal_moments_of_envisat(void)
{
    const double com[3] = {0.0, 0.0, 0.0};
    const double J[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
    struct body b;
    double moment[3];

    body_make(&b, 7827.867, com, J);
    body_principal(moment, &b);
    TEST_ASSERT_DOUBLE_WITHIN(0.005, 16979.74, moment[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.005, 124801.21, moment[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.005, 129180.25, moment[2]);
    TEST_ASSERT_EQUAL_INT(BODY_GOOD, body_check(&b, NULL));
}

static enum body_fault check(double mass, double x, const double J[static 6], double *worst)
{
    const double com[3] = {x, 0.0, 0.0};
    struct body b;

    body_make(&b, mass, com, J);
    return body_check(&b, worst);
}

static void test_bodies_that_can_exist_are_good(void)
{
    const double none[6] = {0.0}, rod[6] = {0.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    const double plate[6] = {1.0, 2.0, 3.0,
                             0.0, 0.0, 0.0}; /* on the edge of the triangle inequality */

    TEST_ASSERT_EQUAL_INT(BODY_GOOD, check(0.0, 0.0, none, NULL));
    TEST_ASSERT_EQUAL_INT(BODY_GOOD, check(2.0, 5.0, none, NULL));
    TEST_ASSERT_EQUAL_INT(BODY_GOOD, check(2.0, 5.0, rod, NULL));
    TEST_ASSERT_EQUAL_INT(BODY_GOOD, check(2.0, -3.0, plate, NULL));
    for (int k = 0; k < TRIALS; k++) {
        struct body b;

        random_body(&b);
        TEST_ASSERT_EQUAL_INT(BODY_GOOD, body_check(&b, NULL));
    }
}

static void test_bodies_that_cannot_exist_are_named(void)
{
    const double none[6] = {0.0}, good[6] = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    const double negative[6] = {1.0, 1.0, -0.5, 0.0, 0.0, 0.0};
    const double thin[6] = {1.0, 1.0, 2.5, 0.0, 0.0, 0.0};
    const double product[6] = {1.0, 1.0, 1.0, 1.5, 0.0, 0.0}; /* least moment 1 - 1.5 */
    double worst = 0.0;

    TEST_ASSERT_EQUAL_INT(BODY_NOT_FINITE, check(NAN, 0.0, good, &worst));
    TEST_ASSERT_EQUAL_INT(BODY_NOT_FINITE, check(1.0, INFINITY, good, &worst));
    TEST_ASSERT_EQUAL_INT(BODY_MASS_NEGATIVE, check(-1.0, 0.0, good, &worst));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, -1.0, worst);
    TEST_ASSERT_EQUAL_INT(BODY_TOO_LARGE, check(1e13, 0.0, good, &worst));
    TEST_ASSERT_EQUAL_INT(BODY_TOO_LARGE, check(1.0, 1e100, none, &worst));
    TEST_ASSERT_EQUAL_INT(BODY_MOMENT_ONLY, check(0.0, 0.0, good, &worst));
    TEST_ASSERT_EQUAL_INT(BODY_NOT_POSITIVE, check(1.0, 0.0, negative, &worst));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.5, worst);
    TEST_ASSERT_EQUAL_INT(BODY_NOT_POSITIVE, check(1.0, 0.0, product, &worst));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.5, worst);
    TEST_ASSERT_EQUAL_INT(BODY_NOT_TRIANGLE, check(1.0, 0.0, thin, &worst));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.5, worst);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_body_told_in_another_frame_has_the_same_energy);
    RUN_TEST(test_moving_there_and_back_changes_nothing);
    RUN_TEST(test_the_matrix_is_symmetric_and_adds);
    RUN_TEST(test_momentum_and_bias_of_a_free_body);
    RUN_TEST(test_made_from_centre_and_inertia_gives_them_back);
    RUN_TEST(test_principal_moments_of_envisat);
    RUN_TEST(test_bodies_that_can_exist_are_good);
    RUN_TEST(test_bodies_that_cannot_exist_are_named);
    return UNITY_END();
}
