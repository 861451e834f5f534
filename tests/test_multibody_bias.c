/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_multibody_bias.c - Coriolis and centrifugal loads as a polynomial of the base twist. */
#include <math.h>

#include "model/mat.h"
#include "model/multibody_bias.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "tests/engine.h"
#include "unity.h"

#define STATES 30
#define N      MULTIBODY_DOF

static struct engine e;
static struct draw dice;

void setUp(void)
{
    dice.state = 5566778899;
}

void tearDown(void)
{
}

static void bias_dense(double *h, const double V[static 6])
{
    struct multibody_vector x = {{0.0}, {0.0}};

    multibody_bias_base(x.base, &e.w, V);
    multibody_bias_joint(x.joint, &e.m, &e.w, V);
    multibody_stack(h, &e.m, &x);
}

/* The bias does exactly the work that changes the kinetic energy: nu'h = nu' Mdot nu / 2 [MAR 1,
 * section 9.3: 1e-7]. */
static void test_bias_does_the_work_of_the_changing_inertia(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int k = 0; k < STATES; k++) {
            double Mdot[N * N], nu[N], Mnu[N], h[N];

            engine_draw(&e, &dice);
            engine_mass_rate(Mdot, &e);
            engine_stages(&e);
            multibody_stack(nu, &e.m, &e.nu);
            mat_vec(Mnu, Mdot, nu, n, n);
            bias_dense(h, e.nu.base);
            const double work = 0.5 * mat_dot(nu, Mnu, n);
            TEST_ASSERT_DOUBLE_WITHIN(1e-7 * (1.0 + fabs(work)), work, mat_dot(nu, h, n));
        }
    }
}

/* Lagrange's equation of a joint on a base at rest: h_q = Mdot_q qd - d/dq (qd' M_q qd / 2). */
static void test_bias_of_the_joints_is_lagranges(void)
{
    const double step = 1e-4;

    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m), nb = (int)e.m.base;
        for (int k = 0; k < STATES / 3; k++) {
            const double still[6] = {0.0};
            double Mdot[N * N], M[N * N], nu[N] = {0.0}, Mnu[N], h[MULTIBODY_JOINTS];
            double q[MULTIBODY_JOINTS];

            engine_draw(&e, &dice);
            mat_copy(&nu[nb], e.nu.joint, e.m.joints);
            engine_mass_rate(Mdot, &e);
            engine_stages(&e);
            multibody_bias_joint(h, &e.m, &e.w, still);
            mat_vec(Mnu, Mdot, nu, n, n);
            for (int j = 0; j < e.m.joints; j++) {
                double energy[2];

                for (int side = 0; side < 2; side++) {
                    double product[N];

                    mat_copy(q, e.q, e.m.joints);
                    q[j] += side == 0 ? -step : step;
                    engine_dense_mass(M, &e, q);
                    mat_vec(product, M, nu, n, n);
                    energy[side] = 0.5 * mat_dot(nu, product, n);
                }
                const double expected = Mnu[nb + j] - (energy[1] - energy[0]) / (2.0 * step);
                TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1.0 + fabs(expected)), expected, h[j]);
            }
        }
    }
}

/* Two algorithms of ours: sums once and a polynomial, or Newton and Euler along the chain for this
 * twist. A base that is moved by something else counts too, so V has all six entries here. */
static void test_polynomial_and_recursion_agree_for_any_base_twist(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_vector h;
            double V[6], base[6], joint[MULTIBODY_JOINTS];

            engine_draw(&e, &dice);
            engine_stages(&e);
            for (int twist = 0; twist < 3; twist++) {
                draw_vector(&dice, V, 6, 2.0);
                multibody_inverse_bias(&h, &e.m, &e.w, V);
                multibody_bias_base(base, &e.w, V);
                multibody_bias_joint(joint, &e.m, &e.w, V);
                const double scale = draw_size(h.base, 6) + draw_size(h.joint, e.m.joints);
                TEST_ASSERT_TRUE(draw_distance(base, h.base, 6) < 1e-12 * scale);
                TEST_ASSERT_TRUE(draw_distance(joint, h.joint, e.m.joints) < 1e-12 * scale);
            }
        }
    }
}

static void test_base_acceleration_is_the_solve_of_load_less_bias(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            double F[6], h[6], load[6], expected[6], Vdot[6];

            engine_draw(&e, &dice);
            engine_stages(&e);
            draw_vector(&dice, F, 6, 10.0);
            multibody_bias_base(h, &e.w, e.nu.base);
            mat_sub(load, F, h, 6);
            multibody_mass_base_solve(expected, &e.w, load);
            multibody_bias_acceleration(Vdot, &e.w, e.nu.base, F);
            const double scale = 1.0 + draw_size(expected, 6);
            TEST_ASSERT_TRUE(draw_distance(Vdot, expected, 6) < 1e-12 * scale);
        }
    }
}

/* Four stages written out. What the base cannot do stays as it was. */
static void test_base_step_is_runge_kutta_of_the_acceleration(void)
{
    const double dt_s = 0.01, part[4] = {dt_s / 6.0, dt_s / 3.0, dt_s / 3.0, dt_s / 6.0};
    const double step[4] = {0.5 * dt_s, 0.5 * dt_s, dt_s, 0.0};

    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            double F[6], V[6], rate[6], expected[6], next[6];

            engine_draw(&e, &dice);
            engine_stages(&e);
            draw_vector(&dice, F, 6, 10.0);
            mat_copy(V, e.nu.base, 6);
            mat_copy(expected, V, 6);
            for (int stage = 0; stage < 4; stage++) {
                multibody_bias_acceleration(rate, &e.w, V, F);
                mat_add_scaled(expected, part[stage], rate, 6);
                mat_copy(V, e.nu.base, 6);
                mat_add_scaled(V, step[stage], rate, 6);
            }
            multibody_bias_step(next, &e.w, e.nu.base, F, dt_s);
            TEST_ASSERT_TRUE(draw_distance(next, expected, 6) < 1e-13 * (1.0 + draw_size(next, 6)));
            for (int r = 0; e.m.base != MULTIBODY_FLOATING && r < 6; r++) {
                const bool is_free = e.m.base == MULTIBODY_PLANAR && (r < 2 || r == 5);

                TEST_ASSERT_TRUE(is_free || fabs(next[r] - e.nu.base[r]) <= 0.0);
            }
        }
    }
}

/* [REL 22]: the difference of two inverse dynamics, each by recursion. */
static void test_torque_between_two_bases_is_the_difference_of_inverse_dynamics(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            const double none[3] = {0.0};
            struct multibody_vector to = {{0.0}, {0.0}}, from = {{0.0}, {0.0}},
                                    acc = {{0.0}, {0.0}};
            double V[2][6], A[2][6], g[3], torque[MULTIBODY_JOINTS], with_gravity[6];
            double expected[MULTIBODY_JOINTS];

            engine_draw(&e, &dice);
            engine_stages(&e);
            for (int side = 0; side < 2; side++) {
                draw_vector(&dice, V[side], 6, 1.0);
                draw_vector(&dice, A[side], 6, 1.0);
            }
            draw_direction(&dice, g, 9.81);
            mat_copy(acc.base, A[0], 6);
            multibody_inverse(&to, &e.m, &e.w, V[0], &acc, g);
            mat_copy(acc.base, A[1], 6);
            multibody_inverse(&from, &e.m, &e.w, V[1], &acc, none);
            mat_sub(expected, to.joint, from.joint, e.m.joints);
            mat_copy(with_gravity, A[0], 6);
            mat_sub(with_gravity, with_gravity, g, 3);
            multibody_bias_between(torque, &e.m, &e.w, V[0], with_gravity, V[1], A[1]);
            const double scale = draw_size(expected, e.m.joints);
            TEST_ASSERT_TRUE(draw_distance(torque, expected, e.m.joints) < 1e-11 * scale);
        }
    }
}

/* Bodies that do not move against each other are one rigid body. */
static void test_stiff_robot_has_the_bias_of_one_body(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            double V[6], h[6], expected[6];

            engine_draw(&e, &dice);
            mat_zero(e.nu.joint, e.m.joints);
            engine_stages(&e);
            draw_vector(&dice, V, 6, 1.0);
            multibody_bias_base(h, &e.w, V);
            body_bias(expected, &e.w.total, V);
            TEST_ASSERT_TRUE(draw_distance(h, expected, 6) < 1e-12 * draw_size(expected, 6));
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bias_does_the_work_of_the_changing_inertia);
    RUN_TEST(test_bias_of_the_joints_is_lagranges);
    RUN_TEST(test_polynomial_and_recursion_agree_for_any_base_twist);
    RUN_TEST(test_base_acceleration_is_the_solve_of_load_less_bias);
    RUN_TEST(test_base_step_is_runge_kutta_of_the_acceleration);
    RUN_TEST(test_torque_between_two_bases_is_the_difference_of_inverse_dynamics);
    RUN_TEST(test_stiff_robot_has_the_bias_of_one_body);
    return UNITY_END();
}
