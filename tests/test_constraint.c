/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_constraint.c - latched frames: rows, multipliers, rank, and when a latch may close. */
#include <math.h>

#include "model/constraint.h"
#include "model/linear.h"
#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/so3.h"
#include "tests/engine.h"
#include "unity.h"

#define N MULTIBODY_DOF

static struct engine e;
static struct constraint_work k;
static struct draw dice;

void setUp(void)
{
    dice.state = 271828182845;
}

void tearDown(void)
{
}

/* The two-armed robot with its hands and its torso as latches; those named by the bits are closed
 * where they are. */
static void latched(struct constraint c[static 3], int closed)
{
    struct pose g;

    engine_build(&e, 4);
    engine_draw(&e, &dice);
    engine_stages(&e);
    multibody_solve_factor(&e.m, &e.w, NULL);
    for (int i = 0; i < 3; i++) {
        struct multibody_frame f;

        TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&f, &e.m, &e.robot, i));
        constraint_open(&c[i], &f);
        if ((closed >> i & 1) != 0) {
            multibody_frame_pose(&g, &e.w, &f);
            constraint_close(&c[i], &g, &g);
        }
    }
    se3_identity(&g);
    constraint_rows(&k, &e.m, &e.w, c, 3, &g);
}

static void test_rows_are_the_jacobians_of_the_closed_latches(void)
{
    struct constraint c[3];
    struct multibody_jacobian J;
    double dense[6 * N], row[N];

    for (int closed = 0; closed < 8; closed++) {
        int r = 0;

        latched(c, closed);
        for (int i = 0; i < 3; i++) {
            if (!c[i].closed) {
                continue;
            }
            multibody_frame_jacobian(&J, &e.w, &c[i].frame);
            multibody_frame_dense(dense, &e.m, &J);
            for (int j = 0; j < 6; j++, r++) {
                multibody_stack(row, &e.m, &k.row[r]);
                TEST_ASSERT_TRUE(draw_distance(row, &dense[20 * j], 20) <= 0.0);
            }
        }
        TEST_ASSERT_EQUAL_INT(r, k.rows);
        TEST_ASSERT_TRUE(k.rows == 0 || draw_size(k.error, k.rows) < 1e-14);
    }
}

/* The solution of the whole KKT matrix by elimination with pivoting. */
static void test_multipliers_solve_the_kkt_system(void)
{
    for (int closed = 1; closed < 8; closed++) {
        struct constraint c[3];
        struct multibody_vector x, load;
        double K[LINEAR_MAX * LINEAR_MAX] = {0.0}, M[N * N], b[LINEAR_MAX] = {0.0}, y[LINEAR_MAX];
        double slip[CONSTRAINT_ROWS], mu[CONSTRAINT_ROWS], dense[N], row[N];

        latched(c, closed);
        TEST_ASSERT_TRUE(constraint_factor(&k, &e.m, &e.w));
        TEST_ASSERT_EQUAL_INT(k.rows, k.rank);
        engine_vector(&load, &e, &dice, 10.0);
        multibody_solve(&x, &e.m, &e.w, &load);
        constraint_apply(slip, &k, &x);
        constraint_solve(mu, &k, slip);
        constraint_react(&x, &k, mu);

        const int size = 20 + k.rows;
        multibody_mass_dense(M, &e.m, &e.w);
        multibody_stack(b, &e.m, &load);
        for (int i = 0; i < 20; i++) {
            mat_copy(&K[size * i], &M[20 * i], 20);
        }
        for (int r = 0; r < k.rows; r++) {
            multibody_stack(row, &e.m, &k.row[r]);
            mat_copy(&K[size * (20 + r)], row, 20);
            for (int i = 0; i < 20; i++) {
                K[size * i + 20 + r] = row[i];
            }
        }
        TEST_ASSERT_EQUAL_INT(size, linear_solve(y, K, b, size, 1, NULL));
        multibody_stack(dense, &e.m, &x);
        TEST_ASSERT_TRUE(draw_distance(dense, y, 20) < 1e-9 * draw_size(y, 20));
        TEST_ASSERT_TRUE(draw_distance(mu, &y[20], k.rows) < 1e-9 * draw_size(&y[20], k.rows));
        constraint_apply(slip, &k, &x);
        TEST_ASSERT_TRUE(draw_size(slip, k.rows) < 1e-12 * (1.0 + draw_size(dense, 20)));
    }
}

/* One arm between a latched base and a latched hand: stretched, the hand cannot move along the arm
 * (rank 11 of 12); two latches on the same frame depend wholly (rank 6 of 12). No number becomes
 * infinite. */
static void test_lost_rank_is_counted_and_nothing_becomes_infinite(void)
{
    const struct {
        double elbow;
        int frame[2], rank;
    } row[4] = {{0.0, {2, 0}, 11}, {1e-7, {2, 0}, 11}, {0.5, {2, 0}, 12}, {0.5, {0, 0}, 6}};
    const double general[7] = {0.3, 0.7, -0.4, 0.0, 0.6, 0.9, -0.2};

    for (int i = 0; i < 4; i++) {
        struct constraint c[2];
        struct multibody_vector x;
        struct pose g;
        double slip[CONSTRAINT_ROWS], mu[CONSTRAINT_ROWS];

        engine_build(&e, 4);
        engine_draw(&e, &dice);
        mat_copy(e.q, general, 7);
        e.q[3] = row[i].elbow;
        engine_stages(&e);
        multibody_solve_factor(&e.m, &e.w, NULL);
        for (int j = 0; j < 2; j++) {
            struct multibody_frame f;

            TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&f, &e.m, &e.robot, row[i].frame[j]));
            constraint_open(&c[j], &f);
            multibody_frame_pose(&g, &e.w, &f);
            constraint_close(&c[j], &g, &g);
        }
        se3_identity(&g);
        constraint_rows(&k, &e.m, &e.w, c, 2, &g);
        TEST_ASSERT_EQUAL_INT(row[i].rank == 12, constraint_factor(&k, &e.m, &e.w));
        TEST_ASSERT_EQUAL_INT(12, k.rows);
        TEST_ASSERT_EQUAL_INT(row[i].rank, k.rank);
        engine_vector(&x, &e, &dice, 1.0);
        constraint_apply(slip, &k, &x);
        constraint_solve(mu, &k, slip);
        constraint_react(&x, &k, mu);
        TEST_ASSERT_TRUE(draw_size(mu, 12) < 1e6);
        TEST_ASSERT_TRUE(draw_size(x.base, 6) < 1e3 && draw_size(x.joint, 14) < 1e3);
        /* what can be held is held: a consistent right-hand side leaves no slip in the rows kept */
        constraint_apply(slip, &k, &x);
        for (int p = 0; p < k.rank; p++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, slip[k.order[p]]);
        }
        TEST_ASSERT_TRUE(k.least > CONSTRAINT_LEAST && k.least <= 1.0);
    }
}

/* The nearer to the stretched arm, the smaller the margin: the square of the elbow angle. */
static void test_margin_falls_as_the_arm_stretches(void)
{
    const double general[7] = {0.3, 0.7, -0.4, 0.0, 0.6, 0.9, -0.2};
    double least[2];

    for (int i = 0; i < 2; i++) {
        struct constraint c[2];
        struct pose g;

        engine_build(&e, 4);
        mat_copy(e.q, general, 7);
        e.q[3] = i == 0 ? 0.02 : 0.002;
        engine_stages(&e);
        multibody_solve_factor(&e.m, &e.w, NULL);
        for (int j = 0; j < 2; j++) {
            struct multibody_frame f;

            TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&f, &e.m, &e.robot, j == 0 ? 2 : 0));
            constraint_open(&c[j], &f);
            multibody_frame_pose(&g, &e.w, &f);
            constraint_close(&c[j], &g, &g);
        }
        se3_identity(&g);
        constraint_rows(&k, &e.m, &e.w, c, 2, &g);
        TEST_ASSERT_TRUE(constraint_factor(&k, &e.m, &e.w));
        least[i] = k.least;
    }
    TEST_ASSERT_DOUBLE_WITHIN(5.0, 100.0, least[0] / least[1]);
}

static void test_a_latch_closes_only_near_slow_and_after_a_while(void)
{
    struct constraint c = {0};
    struct pose nominal, g;
    double V[6] = {0.004, 0.0, 0.0, 0.0, 0.0, 0.0}, turn[3] = {0.0, 0.0, 0.0};
    int calls = 0;

    se3_identity(&nominal);
    g = nominal;
    g.p[0] = 0.0019;
    while (!constraint_near(&c, &g, V, &nominal, 1e-3)) {
        calls++;
        TEST_ASSERT_TRUE(calls < 200);
    }
    TEST_ASSERT_INT_WITHIN(1, 99, calls);

    /* one sample too far, too crooked, too fast: the time begins again */
    g.p[0] = 0.0021;
    TEST_ASSERT_FALSE(constraint_near(&c, &g, V, &nominal, 1e-3));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, c.near_s);
    g.p[0] = 0.0;
    turn[1] = 0.51 * BASE_PI / 180.0;
    so3_exp(g.R, turn);
    TEST_ASSERT_FALSE(constraint_near(&c, &g, V, &nominal, 1.0));
    turn[1] = 0.49 * BASE_PI / 180.0;
    so3_exp(g.R, turn);
    V[0] = 0.006;
    TEST_ASSERT_FALSE(constraint_near(&c, &g, V, &nominal, 1.0));
    V[0] = NAN;
    TEST_ASSERT_FALSE(constraint_near(&c, &g, V, &nominal, 1.0));
    V[0] = 0.004;
    TEST_ASSERT_TRUE(constraint_near(&c, &g, V, &nominal, 1.0));
}

/* From the pose where it closed to the nominal one in a second, at rest at both ends; the twist is
 * the rate of the pose. */
static void test_a_closed_latch_moves_gently_to_its_nominal_pose(void)
{
    const double h = 1e-5, turn[3] = {0.004, -0.003, 0.006};
    struct constraint c = {0};
    struct pose start, nominal, a, b, gap;
    double V[6], u[6], after[6];

    se3_identity(&start);
    so3_exp(nominal.R, turn);
    draw_vector(&dice, nominal.p, 3, 0.002);
    constraint_close(&c, &start, &nominal);
    for (int i = 0; i <= 10; i++) {
        c.time_s = 0.1 * i - h;
        constraint_hold(&a, V, &c);
        c.time_s = 0.1 * i + h;
        constraint_hold(&b, V, &c);
        c.time_s = 0.1 * i;
        constraint_hold(&gap, V, &c);
        se3_relative(&gap, &a, &b);
        se3_log(u, &gap);
        mat_scale(u, 0.5 / h, u, 6);
        TEST_ASSERT_TRUE(draw_distance(u, V, 6) < 1e-9);
    }
    c.time_s = 0.0;
    constraint_hold(&a, V, &c);
    TEST_ASSERT_TRUE(draw_size(V, 6) <= 0.0 && draw_distance(a.p, start.p, 3) <= 0.0);
    c.time_s = 7.0;
    constraint_hold(&a, V, &c);
    se3_relative(&gap, &a, &nominal);
    se3_log(after, &gap);
    TEST_ASSERT_TRUE(draw_size(V, 6) <= 0.0 && draw_size(after, 6) < 1e-15);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_rows_are_the_jacobians_of_the_closed_latches);
    RUN_TEST(test_multipliers_solve_the_kkt_system);
    RUN_TEST(test_lost_rank_is_counted_and_nothing_becomes_infinite);
    RUN_TEST(test_margin_falls_as_the_arm_stretches);
    RUN_TEST(test_a_latch_closes_only_near_slow_and_after_a_while);
    RUN_TEST(test_a_closed_latch_moves_gently_to_its_nominal_pose);
    return UNITY_END();
}
