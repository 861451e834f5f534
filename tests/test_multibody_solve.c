/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_multibody_solve.c - accelerations from loads. */
#include <math.h>

#include "model/linear.h"
#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "tests/engine.h"
#include "unity.h"

#define STATES 30
#define N      MULTIBODY_DOF

static struct engine e;
static struct draw dice;

void setUp(void)
{
    dice.state = 31415926535;
}

void tearDown(void)
{
}

/* Against elimination with pivoting on the dense matrix. The error is judged as M^1/2 x, where the
 * conditioning of M counts once: a base of 3 kg under an arm of 27.6 kg passes the same bound. */
static void test_solve_inverts_the_mass_matrix(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int k = 0; k < STATES; k++) {
            struct multibody_vector b, x;
            double M[N * N], rhs[N], expected[N], got[N], back[N];

            engine_draw(&e, &dice);
            engine_vector(&b, &e, &dice, 10.0);
            engine_dense_mass(M, &e, e.q);
            multibody_stack(rhs, &e.m, &b);
            TEST_ASSERT_EQUAL_INT(n, linear_solve(expected, M, rhs, n, 1, NULL));
            multibody_solve_factor(&e.m, &e.w, NULL);
            multibody_solve(&x, &e.m, &e.w, &b);
            TEST_ASSERT_TRUE(e.w.valid);
            multibody_stack(got, &e.m, &x);
            mat_vec(back, M, got, n, n);
            TEST_ASSERT_TRUE(draw_distance(got, expected, n) < 1e-10 * draw_size(expected, n));
            TEST_ASSERT_TRUE(draw_distance(back, rhs, n) < 1e-10 * draw_size(rhs, n));
        }
    }
}

static void test_result_may_be_the_operand(void)
{
    struct multibody_vector b, x;

    engine_build(&e, 6);
    engine_draw(&e, &dice);
    engine_vector(&b, &e, &dice, 10.0);
    engine_stages(&e);
    multibody_solve_factor(&e.m, &e.w, NULL);
    multibody_solve(&x, &e.m, &e.w, &b);
    multibody_solve(&b, &e.m, &e.w, &b);
    TEST_ASSERT_TRUE(draw_distance(b.base, x.base, 6) <= 0.0);
    TEST_ASSERT_TRUE(draw_distance(b.joint, x.joint, e.m.joints) <= 0.0);
}

/* (M + diag(extra)) x = b, for an implicit step with viscous joints. */
static void test_extra_inertia_is_added_to_the_joints(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m), nb = (int)e.m.base;
        struct multibody_vector b, x;
        double extra[MULTIBODY_JOINTS], M[N * N], got[N], back[N], rhs[N];

        engine_draw(&e, &dice);
        engine_vector(&b, &e, &dice, 10.0);
        engine_dense_mass(M, &e, e.q);
        for (int j = 0; j < e.m.joints; j++) {
            extra[j] = draw_uniform(&dice, 0.0, 1.0);
            M[(n + 1) * (nb + j)] += extra[j];
        }
        multibody_solve_factor(&e.m, &e.w, extra);
        multibody_solve(&x, &e.m, &e.w, &b);
        multibody_stack(got, &e.m, &x);
        multibody_stack(rhs, &e.m, &b);
        mat_vec(back, M, got, n, n);
        TEST_ASSERT_TRUE(draw_distance(back, rhs, n) < 1e-11 * draw_size(rhs, n));
    }
}

/* The right-hand side is eliminated on the way: the same bits, and factors that serve again. */
static void test_at_once_is_factor_and_solve(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_vector b, x, again, once;
            double extra[MULTIBODY_JOINTS];

            engine_draw(&e, &dice);
            engine_vector(&b, &e, &dice, 10.0);
            draw_vector(&dice, extra, e.m.joints, 0.1);
            for (int j = 0; j < e.m.joints; j++) {
                extra[j] = extra[j] * extra[j];
            }
            engine_stages(&e);
            multibody_solve_factor(&e.m, &e.w, extra);
            multibody_solve(&x, &e.m, &e.w, &b);
            multibody_solve_once(&once, &e.m, &e.w, extra, &b);
            multibody_solve(&again, &e.m, &e.w, &b);
            TEST_ASSERT_TRUE(draw_distance(once.joint, x.joint, e.m.joints) <= 0.0);
            TEST_ASSERT_TRUE(draw_distance(once.base, x.base, 6) <= 0.0);
            TEST_ASSERT_TRUE(draw_distance(again.joint, x.joint, e.m.joints) <= 0.0);
        }
    }
}

static void test_inverse_dynamics_undoes_forward_dynamics(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        const int n = multibody_dof(&e.m);
        for (int k = 0; k < STATES; k++) {
            struct multibody_contact contact[2];
            struct multibody_input in = {.contacts = 2, .contact = contact};
            struct multibody_vector acc, load, applied;
            double got[N], expected[N];

            engine_draw(&e, &dice);
            engine_vector(&in.load, &e, &dice, 10.0);
            draw_direction(&dice, in.gravity, 9.81);
            for (int c = 0; c < 2; c++) {
                struct pose g;

                se3_identity(&g);
                draw_vector(&dice, g.p, 3, 0.3);
                TEST_ASSERT_EQUAL_INT(0, multibody_frame(&contact[c].frame, &e.m,
                                                         c == 0 ? e.m.joints - 1 : MULTIBODY_BASE,
                                                         &g));
                draw_vector(&dice, contact[c].wrench, 6, 10.0);
            }
            multibody_solve_forward(&acc, &e.m, &e.w, e.q, &e.nu, &in);
            TEST_ASSERT_TRUE(e.w.valid);

            engine_stages(&e);
            multibody_inverse(&load, &e.m, &e.w, e.nu.base, &acc, in.gravity);
            applied = in.load;
            for (int c = 0; c < 2; c++) {
                multibody_frame_wrench(&applied, &e.m, &e.w, &contact[c].frame, contact[c].wrench);
            }
            multibody_stack(got, &e.m, &load);
            multibody_stack(expected, &e.m, &applied);
            TEST_ASSERT_TRUE(draw_distance(got, expected, n) < 1e-10 * draw_size(expected, n));
        }
    }
}

/* Gravity alone moves a free robot without moving its joints. */
static void test_a_falling_robot_does_not_feel_gravity(void)
{
    const int free_robot[5] = {0, 1, 2, 4, 6};

    for (int i = 0; i < 5; i++) {
        struct multibody_input in = {0};
        struct multibody_vector fall, float_;

        engine_build(&e, free_robot[i]);
        engine_draw(&e, &dice);
        multibody_solve_forward(&float_, &e.m, &e.w, e.q, &e.nu, &in);
        draw_direction(&dice, in.gravity, 9.81);
        multibody_solve_forward(&fall, &e.m, &e.w, e.q, &e.nu, &in);
        mat_sub(fall.base, fall.base, in.gravity, 3);
        const double scale = 10.0 + draw_size(float_.joint, e.m.joints);
        TEST_ASSERT_TRUE(draw_distance(fall.joint, float_.joint, e.m.joints) < 1e-10 * scale);
        TEST_ASSERT_TRUE(draw_distance(fall.base, float_.base, 6) < 1e-10 * scale);
    }
}

/* A last link without mass or rotor cannot be accelerated: said, and the joint stays. */
static void test_a_joint_without_inertia_is_flagged_and_does_not_move(void)
{
    const double com[3] = {0.1, 0.0, 0.0}, J[6] = {0.1, 0.1, 0.1, 0.0, 0.0, 0.0};
    struct multibody_joint joint = {.axis = {0.0, 1.0, 0.0}};
    struct multibody_input in = {.load = {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}}};
    struct multibody_vector acc;
    struct body base;

    se3_identity(&joint.place);
    joint.place.p[2] = 0.3;
    body_make(&base, 10.0, com, J);
    TEST_ASSERT_EQUAL_INT(0, multibody_init(&e.m, MULTIBODY_FLOATING, &base));
    body_make(&joint.body, 1.0, com, J);
    TEST_ASSERT_EQUAL_INT(0, multibody_add_joint(&e.m, MULTIBODY_BASE, &joint));
    joint.body = (struct body){0.0, {0.0}, {0.0}};
    TEST_ASSERT_EQUAL_INT(1, multibody_add_joint(&e.m, 0, &joint));
    multibody_reset(&e.m, &e.w);
    memset(&e.nu, 0, sizeof e.nu);
    multibody_solve_forward(&acc, &e.m, &e.w, e.q, &e.nu, &in);
    TEST_ASSERT_FALSE(e.w.valid);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, acc.joint[1]);
    TEST_ASSERT_TRUE(base_finite(acc.joint[0]) && base_all_finite(acc.base, 6));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_solve_inverts_the_mass_matrix);
    RUN_TEST(test_result_may_be_the_operand);
    RUN_TEST(test_extra_inertia_is_added_to_the_joints);
    RUN_TEST(test_at_once_is_factor_and_solve);
    RUN_TEST(test_inverse_dynamics_undoes_forward_dynamics);
    RUN_TEST(test_a_falling_robot_does_not_feel_gravity);
    RUN_TEST(test_a_joint_without_inertia_is_flagged_and_does_not_move);
    return UNITY_END();
}
