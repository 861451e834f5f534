/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_taskspace.c - inertia at frames and the dynamically consistent inverse, against dense algebra. */
#include <math.h>

#include "model/linear.h"
#include "model/mat.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/taskspace.h"
#include "tests/engine.h"
#include "unity.h"

#define STATES 20
#define N      MULTIBODY_DOF
#define R      TASKSPACE_ROWS

static struct engine e;
static struct draw dice;

void setUp(void)
{
    dice.state = 141421356237;
}

void tearDown(void)
{
}

/* Jacobians of the last link of each arm, dense one below the other; how many rows. */
static int jacobians(struct multibody_jacobian J[static 2], double *dense)
{
    int last = -1;

    for (int k = 0; k < e.m.arms; k++) {
        struct multibody_frame f;
        struct pose g;

        last += e.m.arm[k].joints;
        se3_identity(&g);
        draw_vector(&dice, g.p, 3, 0.3);
        TEST_ASSERT_EQUAL_INT(0, multibody_frame(&f, &e.m, last, &g));
        multibody_frame_jacobian(&J[k], &e.w, &f);
        multibody_frame_dense(&dense[6 * k * multibody_dof(&e.m)], &e.m, &J[k]);
    }
    return 6 * e.m.arms;
}

/* Lambda^-1 and M^-1 J' by pivoted elimination of the dense matrices. */
static void dense_way(double *lambda_inverse, double *answer, const double *J, int rows)
{
    const int n = multibody_dof(&e.m);
    double M[N * N], Jt[N * R];

    multibody_mass_dense(M, &e.m, &e.w);
    mat_transpose(Jt, J, rows, n);
    TEST_ASSERT_EQUAL_INT(n, linear_solve(answer, M, Jt, n, rows, NULL));
    mat_mul(lambda_inverse, J, answer, rows, n, rows);
}

static void test_inertia_and_inverse_are_those_of_the_dense_matrices(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int s = 0; s < STATES; s++) {
            struct multibody_jacobian J[2];
            struct taskspace_output out = {.valid = false};
            double dense[R * N] = {0.0}, inverse[R * R] = {0.0}, answer[N * R] = {0.0};
            double lambda[R * R] = {0.0}, one[R * R], back[R * R];
            double Jbar[N * R] = {0.0}, expected[N * R] = {0.0};

            engine_draw(&e, &dice);
            engine_stages(&e);
            multibody_solve_factor(&e.m, &e.w, NULL);
            const int rows = jacobians(J, dense);
            dense_way(inverse, answer, dense, rows);
            taskspace_solve(&e.m, &e.w, J, e.m.arms, &out);
            if (n < rows || i == 5 || i == 7 || i == 8) {
                continue; /* five joints cannot give six directions; on a fixed base near a singular posture the comparison is void */
            }
            TEST_ASSERT_TRUE(out.valid);
            for (int r = 0; r < rows; r++) {
                mat_copy(&lambda[rows * r], &out.inertia[R * r], rows);
            }
            /* Lambda Lambda^-1 = 1, weighed by the diagonals so that metres and radians count alike */
            mat_mul(back, lambda, inverse, rows, rows, rows);
            mat_identity(one, rows);
            for (int k = 0; k < rows * rows; k++) {
                const double scale =
                    sqrt(lambda[k / rows * (rows + 1)] * inverse[k % rows * (rows + 1)]);
                TEST_ASSERT_DOUBLE_WITHIN(1e-9 * scale, one[k], back[k]);
            }
            mat_mul(expected, answer, lambda, n, rows, rows);
            for (int k = 0; k < n; k++) {
                mat_copy(&Jbar[rows * k], &out.inverse[R * k], rows);
            }
            TEST_ASSERT_TRUE(draw_distance(Jbar, expected, n * rows) <
                             1e-9 * draw_size(expected, n * rows));
            /* J Jbar = 1 */
            mat_mul(back, dense, Jbar, rows, n, rows);
            TEST_ASSERT_TRUE(draw_distance(back, one, rows * rows) < 1e-8);
        }
    }
}

/* One frame only: the other half is zero, and the answer is the block of one frame. */
static void test_one_frame_of_two_arms(void)
{
    engine_build(&e, 4);
    for (int s = 0; s < STATES; s++) {
        struct multibody_jacobian J[2];
        struct taskspace_output out = {.valid = false};
        double dense[R * N] = {0.0}, inverse[R * R] = {0.0}, answer[N * R] = {0.0};
        double lambda[36] = {0.0}, back[36], one[36];

        engine_draw(&e, &dice);
        engine_stages(&e);
        multibody_solve_factor(&e.m, &e.w, NULL);
        jacobians(J, dense);
        taskspace_solve(&e.m, &e.w, &J[1], 1, &out);
        dense_way(inverse, answer, &dense[6 * 20], 6);
        TEST_ASSERT_TRUE(out.valid);
        for (int r = 0; r < 6; r++) {
            mat_copy(&lambda[6 * r], &out.inertia[R * r], 6);
            TEST_ASSERT_TRUE(draw_size(&out.inertia[R * r + 6], 6) <= 0.0);
            TEST_ASSERT_TRUE(draw_size(&out.inertia[R * (r + 6)], R) <= 0.0);
        }
        mat_mul(back, lambda, inverse, 6, 6, 6);
        mat_identity(one, 6);
        TEST_ASSERT_TRUE(draw_distance(back, one, 36) < 1e-9);
    }
}

/* The same frame twice: six directions only, said so, and no number becomes infinite. */
static void test_dependent_frames_are_flagged_and_bounded(void)
{
    struct multibody_jacobian J[2];
    struct taskspace_output out = {.valid = false};
    double dense[R * N];

    engine_build(&e, 4);
    engine_draw(&e, &dice);
    engine_stages(&e);
    multibody_solve_factor(&e.m, &e.w, NULL);
    jacobians(J, dense);
    J[1] = J[0];
    taskspace_solve(&e.m, &e.w, J, 2, &out);
    TEST_ASSERT_FALSE(out.valid);
    TEST_ASSERT_TRUE(draw_size(out.inertia, R * R) < 1e6);
    TEST_ASSERT_TRUE(draw_size(out.inverse, 20 * R) < 1e6);
}

/* A fixed arm of five joints cannot be pushed in all six directions. */
static void test_too_few_joints_are_flagged_and_bounded(void)
{
    struct multibody_jacobian J[2];
    struct taskspace_output out = {.valid = false};
    double dense[R * N];
    struct robot fixed = robots_planar;

    engine_build(&e, 5);
    fixed.base = 0;
    TEST_ASSERT_EQUAL_INT(0, robots_model_build(&e.m, &fixed));
    multibody_reset(&e.m, &e.w);
    engine_draw(&e, &dice);
    engine_stages(&e);
    multibody_solve_factor(&e.m, &e.w, NULL);
    jacobians(J, dense);
    taskspace_solve(&e.m, &e.w, J, 1, &out);
    TEST_ASSERT_FALSE(out.valid);
    TEST_ASSERT_TRUE(draw_size(out.inertia, R * R) < 1e9);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_inertia_and_inverse_are_those_of_the_dense_matrices);
    RUN_TEST(test_one_frame_of_two_arms);
    RUN_TEST(test_dependent_frames_are_flagged_and_bounded);
    RUN_TEST(test_too_few_joints_are_flagged_and_bounded);
    return UNITY_END();
}
