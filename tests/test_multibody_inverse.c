/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_multibody_inverse.c - loads from motion, and the Coriolis product of the passivity-based
 * law. */
#include <math.h>

#include "model/mat.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "tests/engine.h"
#include "unity.h"

#define STATES 30
#define N      MULTIBODY_DOF

static struct engine e;
static struct draw dice;
static const double weightless[3] = {0.0, 0.0, 0.0};

void setUp(void)
{
    dice.state = 192837465;
}

void tearDown(void)
{
}

/* Column j of M is the load for unit acceleration j at rest [REL section 9: 1e-10]. */
static void test_columns_of_inverse_dynamics_are_the_mass_matrix(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int k = 0; k < STATES; k++) {
            const double still[6] = {0.0};
            double M[N * N];

            engine_draw(&e, &dice);
            memset(&e.nu, 0, sizeof e.nu);
            engine_stages(&e);
            multibody_mass_dense(M, &e.m, &e.w);
            for (int j = 0; j < n; j++) {
                struct multibody_vector acc, load;
                double unit[N] = {0.0}, column[N];

                unit[j] = 1.0;
                multibody_unstack(&acc, &e.m, unit);
                multibody_inverse(&load, &e.m, &e.w, still, &acc, weightless);
                multibody_stack(column, &e.m, &load);
                for (int r = 0; r < n; r++) {
                    const double scale = sqrt(M[(n + 1) * r] * M[(n + 1) * j]);

                    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * scale, M[n * r + j], column[r]);
                }
            }
        }
    }
}

/* M acc + h - gravity, put together from the stages. */
static void test_inverse_dynamics_is_the_sum_of_its_parts(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_vector acc, load, h, weight, inertia, held;
            double g[3];

            engine_draw(&e, &dice);
            engine_stages(&e);
            engine_vector(&acc, &e, &dice, 1.0);
            draw_vector(&dice, acc.base, 6,
                        1.0); /* also where the base is not free: prescribed motion */
            draw_direction(&dice, g, 9.81);
            multibody_inverse(&load, &e.m, &e.w, e.nu.base, &acc, g);
            multibody_inverse_bias(&h, &e.m, &e.w, e.nu.base);
            multibody_inverse_hold(&held, &e.m, &e.w, e.nu.base, g);
            multibody_mass_gravity(&weight, &e.m, &e.w, g);
            multibody_mass_times(&inertia, &e.m, &e.w, &acc);
            for (int r = 0; r < 6 + e.m.joints; r++) {
                const double part[4] = {r < 6 ? load.base[r] : load.joint[r - 6],
                                        r < 6 ? h.base[r] : h.joint[r - 6],
                                        r < 6 ? weight.base[r] : weight.joint[r - 6],
                                        r < 6 ? inertia.base[r] : inertia.joint[r - 6]};
                const double scale = fabs(part[1]) + fabs(part[2]) + fabs(part[3]) + 1.0;

                TEST_ASSERT_DOUBLE_WITHIN(1e-11 * scale, part[3] + part[1] - part[2], part[0]);
                TEST_ASSERT_DOUBLE_WITHIN(1e-11 * scale, part[1] - part[2],
                                          r < 6 ? held.base[r] : held.joint[r - 6]);
            }
        }
    }
}

static void test_coriolis_product_with_the_motion_itself_is_the_bias(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_vector acc, load, expected;

            engine_draw(&e, &dice);
            engine_stages(&e);
            engine_vector(&acc, &e, &dice, 1.0);
            multibody_inverse_coriolis(&load, &e.m, &e.w, e.nu.base, &e.nu, &acc);
            multibody_inverse(&expected, &e.m, &e.w, e.nu.base, &acc, weightless);
            const double scale =
                draw_size(expected.base, 6) + draw_size(expected.joint, e.m.joints);
            TEST_ASSERT_TRUE(draw_distance(load.base, expected.base, 6) < 1e-12 * scale);
            TEST_ASSERT_TRUE(draw_distance(load.joint, expected.joint, e.m.joints) < 1e-12 * scale);
        }
    }
}

/* C column by column from the product with unit vectors; Mdot - 2C must be skew, entry by entry.
 * [REL section 9] asks 1e-10; the difference quotient that gives Mdot allows about 1e-9 here. */
static void test_rate_of_inertia_less_twice_coriolis_is_skew(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int k = 0; k < STATES / 3; k++) {
            const struct multibody_vector none = {{0.0}, {0.0}};
            double S[N * N], C[N * N] = {0.0};

            engine_draw(&e, &dice);
            engine_mass_rate(S, &e);
            engine_stages(&e);
            for (int j = 0; j < n; j++) {
                struct multibody_vector nu_r, load;
                double unit[N] = {0.0}, column[N];

                unit[j] = 1.0;
                multibody_unstack(&nu_r, &e.m, unit);
                multibody_inverse_coriolis(&load, &e.m, &e.w, e.nu.base, &nu_r, &none);
                multibody_stack(column, &e.m, &load);
                for (int r = 0; r < n; r++) {
                    C[n * r + j] = column[r];
                    S[n * r + j] -= 2.0 * column[r];
                }
            }
            const double scale = draw_size(C, n * n);
            for (int r = 0; r < n; r++) {
                for (int j = 0; j <= r; j++) {
                    TEST_ASSERT_DOUBLE_WITHIN(1e-8 * scale, 0.0, S[n * r + j] + S[n * j + r]);
                }
            }
        }
    }
}

/* One free body: C V_r about the centre of mass is m w x V_r and -(I w) x W_r, as [REL section 6]
 * writes it. */
static void test_coriolis_matrix_of_one_body_is_the_designs(void)
{
    const double com[3] = {0.3, -0.2, 0.5}, J[6] = {2.0, 3.0, 4.0, 0.1, -0.2, 0.3};
    const struct multibody_vector none = {{0.0}, {0.0}};
    struct multibody_vector nu_r = {{0.0}, {0.0}}, load;
    struct multibody_model m;
    struct body b;

    body_make(&b, 7.0, com, J);
    TEST_ASSERT_EQUAL_INT(0, multibody_init(&m, MULTIBODY_FLOATING, &b));
    multibody_reset(&m, &e.w);
    multibody_kinematics(&m, &e.w, e.q);
    multibody_rates(&m, &e.w, e.q);
    multibody_mass(&m, &e.w);
    for (int k = 0; k < STATES; k++) {
        const double A[9] = {2.0, 0.1, -0.2, 0.1, 3.0, 0.3, -0.2, 0.3, 4.0};
        double V[6], at_c[3], f[3], Jw[3], n[3], arm[3];

        draw_vector(&dice, V, 6, 1.0);
        draw_vector(&dice, nu_r.base, 6, 1.0);
        multibody_inverse_coriolis(&load, &m, &e.w, V, &nu_r, &none);
        mat_cross3(at_c, nu_r.base + 3, com);
        mat_add(at_c, at_c, nu_r.base, 3);
        mat_cross3(f, V + 3, at_c);
        mat_scale(f, 7.0, f, 3);
        mat_vec3(Jw, A, V + 3);
        mat_cross3(n, nu_r.base + 3, Jw);
        mat_cross3(arm, com, f);
        mat_add(n, n, arm, 3);
        TEST_ASSERT_TRUE(draw_distance(load.base, f, 3) < 1e-13 * 10.0);
        TEST_ASSERT_TRUE(draw_distance(load.base + 3, n, 3) < 1e-13 * 10.0);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_columns_of_inverse_dynamics_are_the_mass_matrix);
    RUN_TEST(test_inverse_dynamics_is_the_sum_of_its_parts);
    RUN_TEST(test_coriolis_product_with_the_motion_itself_is_the_bias);
    RUN_TEST(test_rate_of_inertia_less_twice_coriolis_is_skew);
    RUN_TEST(test_coriolis_matrix_of_one_body_is_the_designs);
    return UNITY_END();
}
