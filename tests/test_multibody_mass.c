/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_multibody_mass.c - the mass matrix and what follows from it. */
#include <math.h>

#include "model/linear.h"
#include "model/mat.h"
#include "model/multibody_mass.h"
#include "tests/engine.h"
#include "unity.h"

#define STATES 30
#define N      MULTIBODY_DOF

static struct engine e;
static struct draw dice;

void setUp(void)
{
    dice.state = 1122334455;
}

void tearDown(void)
{
}

/* Of a (6 + joints)^2 matrix, the rows and columns that are free. */
static void free_block(double *M, const double *all)
{
    const int n = multibody_dof(&e.m), nb = (int)e.m.base, n_all = 6 + e.m.joints;

    for (int k = 0; k < n * n; k++) {
        const int i = k / n, j = k % n;
        const int row = i < nb ? multibody_base_row(&e.m, i) : i - nb + 6;
        const int column = j < nb ? multibody_base_row(&e.m, j) : j - nb + 6;

        M[k] = all[n_all * row + column];
    }
}

/* [MAR section 9.2] asks 1e-12. This is also planar = floating without z, roll, pitch, and fixed =
 * floating without a base. */
static void test_mass_matrix_is_the_sum_over_the_links(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int k = 0; k < STATES; k++) {
            double M[N * N], all[N * N], expected[N * N] = {0.0};

            engine_draw(&e, &dice);
            engine_dense_mass(M, &e, e.q);
            engine_mass(all, &e, e.q);
            free_block(expected, all);
            TEST_ASSERT_TRUE(draw_distance(M, expected, n * n) < 1e-12 * draw_size(M, n * n));
            for (int j = 0; j < n * n; j++) { /* and no small row hides behind a large one */
                const double scale = sqrt(expected[j / n * (n + 1)] * expected[j % n * (n + 1)]);

                TEST_ASSERT_TRUE(fabs(M[j] - expected[j]) < 1e-12 * scale);
            }
        }
    }
}

static void test_mass_matrix_is_symmetric_and_positive_definite(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int k = 0; k < STATES; k++) {
            double M[N * N], T[N * N], L[N * N];

            engine_draw(&e, &dice);
            engine_dense_mass(M, &e, e.q);
            mat_transpose(T, M, n, n);
            TEST_ASSERT_TRUE(draw_distance(M, T, n * n) <= 0.0);
            TEST_ASSERT_TRUE(linear_cholesky(L, M, n));
        }
    }
}

static void test_product_energy_and_momentum_agree_with_the_matrix(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int k = 0; k < STATES; k++) {
            struct multibody_vector y;
            double M[N * N], nu[N], Mnu[N], product[N], P[6], reaction[6];

            engine_draw(&e, &dice);
            engine_dense_mass(M, &e, e.q);
            multibody_stack(nu, &e.m, &e.nu);
            mat_vec(Mnu, M, nu, n, n);
            multibody_mass_times(&y, &e.m, &e.w, &e.nu);
            multibody_stack(product, &e.m, &y);
            TEST_ASSERT_TRUE(draw_distance(product, Mnu, n) < 1e-13 * draw_size(Mnu, n));
            const double T = 0.5 * mat_dot(nu, Mnu, n);
            TEST_ASSERT_DOUBLE_WITHIN(1e-13 * T, T, multibody_mass_energy(&e.m, &e.w, &e.nu));
            multibody_mass_momentum(P, &e.m, &e.w, &e.nu);
            TEST_ASSERT_TRUE(draw_distance(P, y.base, 6) <= 0.0);
            multibody_mass_reaction(reaction, &e.m, &e.w, e.nu.joint);
            mat_sub(P, P, reaction, 6);
            body_momentum(reaction, &e.w.total, e.nu.base);
            TEST_ASSERT_TRUE(draw_distance(P, reaction, 6) < 1e-13 * (1.0 + draw_size(Mnu, n)));
        }
    }
}

/* U(q) = -sum m g . c, straight from the table. */
static double potential(const double *q, const double g[static 3])
{
    double U = 0.0;

    for (int link = ROBOTS_BASE; link < e.m.joints; link++) {
        struct robots_mass mass;
        struct pose pose;
        double c[3];

        robots_merge(&mass, &e.robot, link);
        engine_link_pose(&pose, &e, q, link);
        se3_point(c, &pose, mass.com);
        U -= mass.mass_kg * mat_dot3(g, c);
    }
    return U;
}

static void test_gravity_is_the_slope_of_the_potential(void)
{
    const double h = 1e-4;

    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_vector load;
            double g[3], q[MULTIBODY_JOINTS];

            engine_draw(&e, &dice);
            draw_direction(&dice, g, 9.81);
            multibody_kinematics(&e.m, &e.w, e.q);
            multibody_mass(&e.m, &e.w);
            multibody_mass_gravity(&load, &e.m, &e.w, g);
            for (int j = 0; j < e.m.joints; j++) {
                mat_copy(q, e.q, e.m.joints);
                q[j] = e.q[j] + h;
                const double up = potential(q, g);
                q[j] = e.q[j] - h;
                const double slope = (up - potential(q, g)) / (2.0 * h);
                TEST_ASSERT_DOUBLE_WITHIN(1e-5, -slope, load.joint[j]);
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, e.w.total.mass_kg * g[1], load.base[1]);
        }
    }
}

/* M_bb^-1 in the free directions against an elimination with pivoting. */
static void test_base_solve_is_the_inverse_of_the_base_block(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int nb = (int)e.m.base;
        for (int k = 0; k < STATES; k++) {
            double F[6], Vdot[6], Mbb[36], A[36], b[6], x[6];

            engine_draw(&e, &dice);
            draw_vector(&dice, F, 6, 10.0);
            multibody_kinematics(&e.m, &e.w, e.q);
            multibody_mass(&e.m, &e.w);
            multibody_mass_base_solve(Vdot, &e.w, F);
            body_matrix(Mbb, &e.w.total);
            for (int r = 0; r < nb; r++) {
                b[r] = F[multibody_base_row(&e.m, r)];
                for (int c = 0; c < nb; c++) {
                    A[nb * r + c] =
                        Mbb[6 * multibody_base_row(&e.m, r) + multibody_base_row(&e.m, c)];
                }
            }
            if (nb > 0) {
                TEST_ASSERT_EQUAL_INT(nb, linear_solve(x, A, b, nb, 1, NULL));
            }
            double expected[6] = {0.0};
            for (int r = 0; r < nb; r++) {
                expected[multibody_base_row(&e.m, r)] = x[r];
            }
            TEST_ASSERT_TRUE(draw_distance(Vdot, expected, 6) <= 1e-12 * draw_size(Vdot, 6));
        }
    }
}

/* air-bearing-robot.md section 1: whole mass, centre and yaw inertia about it, folded and
 * stretched. */
static void test_planar_robot_has_the_masses_of_the_design(void)
{
    const double stow[5] = {1.40, -1.70, 2.20, 0.60, 0.0}, straight[5] = {0.0};

    engine_build(&e, 5);
    multibody_kinematics(&e.m, &e.w, stow);
    multibody_mass(&e.m, &e.w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 15.80, e.w.total.mass_kg);
    TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.0029, e.w.inverse.com[0]);
    TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.0024, e.w.inverse.com[1]);
    TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.4569, 1.0 / e.w.inverse.inertia[2]);
    multibody_kinematics(&e.m, &e.w, straight);
    multibody_mass(&e.m, &e.w);
    TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.0103, e.w.inverse.com[0]);
    TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.0, e.w.inverse.com[1]);
    TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.4934, 1.0 / e.w.inverse.inertia[2]);
}

/* multi-arm.md section 5: morphology C has 80 kg. */
static void test_two_armed_robot_has_the_mass_of_the_design(void)
{
    engine_build(&e, 4);
    multibody_kinematics(&e.m, &e.w, e.q);
    multibody_mass(&e.m, &e.w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 80.0, e.w.total.mass_kg);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_mass_matrix_is_the_sum_over_the_links);
    RUN_TEST(test_mass_matrix_is_symmetric_and_positive_definite);
    RUN_TEST(test_product_energy_and_momentum_agree_with_the_matrix);
    RUN_TEST(test_gravity_is_the_slope_of_the_potential);
    RUN_TEST(test_base_solve_is_the_inverse_of_the_base_block);
    RUN_TEST(test_planar_robot_has_the_masses_of_the_design);
    RUN_TEST(test_two_armed_robot_has_the_mass_of_the_design);
    return UNITY_END();
}
