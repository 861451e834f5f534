/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_multibody_frame.c - Jacobians of frames, their bias and wrenches, against differences and
 * the textbook. */
#include <math.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/so3.h"
#include "tests/engine.h"
#include "unity.h"

#define STATES 30

static struct engine e;
static struct draw dice;

void setUp(void)
{
    dice.state = 24681357;
}

void tearDown(void)
{
}

/* A frame somewhere on a random link, sometimes on the base; its place in the link. */
static int random_frame(struct multibody_frame *f, struct pose *g)
{
    const int link = draw_index(&dice, e.m.joints + 1) - 1;
    double w[3];

    draw_vector(&dice, w, 3, 3.0);
    so3_exp(g->R, w);
    draw_vector(&dice, g->p, 3, 0.4);
    TEST_ASSERT_EQUAL_INT(0, multibody_frame(f, &e.m, link, g));
    return link;
}

/* Drop the base columns that are not free from a Jacobian with six. */
static void free_columns(double *J, const double *all)
{
    const int n = multibody_dof(&e.m), nb = (int)e.m.base, n_all = 6 + e.m.joints;

    for (int r = 0; r < 6; r++) {
        for (int i = 0; i < n; i++) {
            J[n * r + i] = all[n_all * r + (i < nb ? multibody_base_row(&e.m, i) : i - nb + 6)];
        }
    }
}

static void test_jacobian_is_the_textbooks(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_frame f;
            struct multibody_jacobian J;
            struct pose g;
            double dense[6 * MULTIBODY_DOF], all[6 * MULTIBODY_DOF], expected[6 * MULTIBODY_DOF];

            engine_draw(&e, &dice);
            const int link = random_frame(&f, &g);
            multibody_kinematics(&e.m, &e.w, e.q);
            multibody_frame_jacobian(&J, &e.w, &f);
            multibody_frame_dense(dense, &e.m, &J);
            engine_jacobian(all, &e, e.q, link, &g);
            free_columns(expected, all);
            TEST_ASSERT_TRUE(draw_distance(dense, expected, 6 * multibody_dof(&e.m)) < 1e-12);
        }
    }
}

/* Move the base and the joints along nu for h seconds. */
static void pose_after(struct pose *g_wf, const struct multibody_frame *f, double h)
{
    struct pose g_wb, g_bf;
    double q[MULTIBODY_JOINTS];

    se3_identity(&g_wb);
    se3_step(&g_wb, e.nu.base, h);
    for (int j = 0; j < e.m.joints; j++) {
        q[j] = e.q[j] + h * e.nu.joint[j];
    }
    multibody_kinematics(&e.m, &e.w, q);
    multibody_frame_pose(&g_bf, &e.w, f);
    se3_mul(g_wf, &g_wb, &g_bf);
}

/* Twist of a frame from the poses a little before and after: log(g-^-1 g+) / 2h, error h^2. */
static void test_twist_is_the_rate_of_the_pose(void)
{
    const double h = 1e-4;

    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_frame f;
            struct multibody_jacobian J;
            struct pose g, before, after, move;
            double V[6], dense[6 * MULTIBODY_DOF], nu[MULTIBODY_DOF], JV[6], u[6];

            engine_draw(&e, &dice);
            random_frame(&f, &g);
            pose_after(&before, &f, -h);
            pose_after(&after, &f, h);
            se3_relative(&move, &before, &after);
            se3_log(u, &move);
            mat_scale(u, 0.5 / h, u, 6);

            multibody_kinematics(&e.m, &e.w, e.q);
            multibody_rates(&e.m, &e.w, e.nu.joint);
            multibody_frame_twist(V, &e.w, &f, e.nu.base);
            multibody_frame_jacobian(&J, &e.w, &f);
            multibody_frame_dense(dense, &e.m, &J);
            multibody_stack(nu, &e.m, &e.nu);
            mat_vec(JV, dense, nu, 6, multibody_dof(&e.m));
            TEST_ASSERT_TRUE(draw_distance(V, JV, 6) < 1e-12);
            TEST_ASSERT_TRUE(draw_distance(V, u, 6) < 1e-5); /* [MAR section 9.4] */
        }
    }
}

/* Jdot nu as the rate of J nu with nu held, by a central difference of four points, error h^4. */
static void test_bias_is_the_rate_of_the_twist(void)
{
    const double h = 2e-3, weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};

    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_frame f;
            struct pose g;
            double a[6], rate[6] = {0.0}, V[6], q[MULTIBODY_JOINTS];

            engine_draw(&e, &dice);
            random_frame(&f, &g);
            for (int p = 0; p < 4; p++) {
                const double t = h * (p < 2 ? p - 2 : p - 1);

                for (int j = 0; j < e.m.joints; j++) {
                    q[j] = e.q[j] + t * e.nu.joint[j];
                }
                multibody_kinematics(&e.m, &e.w, q);
                multibody_rates(&e.m, &e.w, e.nu.joint);
                multibody_frame_twist(V, &e.w, &f, e.nu.base);
                mat_add_scaled(rate, weight[p] / h, V, 6);
            }
            multibody_kinematics(&e.m, &e.w, e.q);
            multibody_rates(&e.m, &e.w, e.nu.joint);
            multibody_frame_bias(a, &e.w, &f, e.nu.base);
            TEST_ASSERT_TRUE(draw_distance(a, rate, 6) < 1e-8 * (1.0 + draw_size(a, 6)));
        }
    }
}

/* F . (J nu) = (J'F) . nu */
static void test_wrench_does_the_work_of_its_frame(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            struct multibody_frame f;
            struct multibody_vector load;
            struct pose g;
            double F[6], V[6], before[MULTIBODY_DOF], after[MULTIBODY_DOF], nu[MULTIBODY_DOF];
            const int n = multibody_dof(&e.m);

            engine_draw(&e, &dice);
            random_frame(&f, &g);
            draw_vector(&dice, F, 6, 10.0);
            engine_vector(&load, &e, &dice, 1.0);
            multibody_stack(before, &e.m, &load);
            multibody_kinematics(&e.m, &e.w, e.q);
            multibody_rates(&e.m, &e.w, e.nu.joint);
            multibody_frame_wrench(&load, &e.m, &e.w, &f, F);
            multibody_frame_twist(V, &e.w, &f, e.nu.base);
            multibody_stack(after, &e.m, &load);
            multibody_stack(nu, &e.m, &e.nu);
            const double work = mat_dot(after, nu, n) - mat_dot(before, nu, n);
            TEST_ASSERT_DOUBLE_WITHIN(1e-11, mat_dot6(F, V), work);
        }
    }
}

static void test_a_wrench_that_is_none_adds_nothing_and_is_flagged(void)
{
    struct multibody_frame f;
    struct multibody_vector load, before;
    struct pose here;
    double F[6] = {0.0, 0.0, NAN, 0.0, 0.0, 0.0};

    engine_build(&e, 0);
    engine_draw(&e, &dice);
    engine_vector(&load, &e, &dice, 1.0);
    before = load;
    se3_identity(&here);
    TEST_ASSERT_EQUAL_INT(0, multibody_frame(&f, &e.m, 4, &here));
    multibody_kinematics(&e.m, &e.w, e.q);
    multibody_frame_wrench(&load, &e.m, &e.w, &f, F);
    TEST_ASSERT_FALSE(e.w.valid);
    TEST_ASSERT_EQUAL_INT(0, memcmp(&before, &load, sizeof load));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_jacobian_is_the_textbooks);
    RUN_TEST(test_twist_is_the_rate_of_the_pose);
    RUN_TEST(test_bias_is_the_rate_of_the_twist);
    RUN_TEST(test_wrench_does_the_work_of_its_frame);
    RUN_TEST(test_a_wrench_that_is_none_adds_nothing_and_is_flagged);
    return UNITY_END();
}
