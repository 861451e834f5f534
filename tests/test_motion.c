/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_motion.c - robots that move: what a free one keeps, what a latch takes, and how exact the
 * steps are. */
#include <math.h>

#include "model/mat.h"
#include "model/motion.h"
#include "model/multibody_frame.h"
#include "model/multibody_mass.h"
#include "model/so3.h"
#include "tests/engine.h"
#include "unity.h"

#define DT 1e-3

static struct engine e;
static struct motion_work w;
static struct motion_state s;
static struct motion_output out;
static struct draw dice;
static const int free_robot[5] = {0, 1, 2, 4, 6};

void setUp(void)
{
    dice.state = 161803398875;
}

void tearDown(void)
{
}

/* Robot i somewhere in the world, moving. */
static void start(int i)
{
    double turn[3];

    engine_build(&e, i);
    engine_draw(&e, &dice);
    memset(&s, 0, sizeof s);
    mat_copy(s.q, e.q, e.m.joints);
    s.nu = e.nu;
    draw_vector(&dice, turn, 3, e.m.base == MULTIBODY_FLOATING ? 2.0 : 0.0);
    so3_exp(s.pose.R, turn);
    draw_vector(&dice, s.pose.p, 3, 1.0);
    multibody_reset(&e.m, &w.robot);
}

static void add_latch(int frame)
{
    struct multibody_frame f;

    TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&f, &e.m, &e.robot, frame));
    constraint_open(&s.latch[s.latches++], &f);
}

static void latch_pose(struct pose *g, int i)
{
    multibody_kinematics(&e.m, &w.robot, s.q);
    multibody_frame_pose(g, &w.robot, &s.latch[i].frame);
    se3_mul(g, &s.pose, g);
}

static double energy(void)
{
    multibody_kinematics(&e.m, &w.robot, s.q);
    multibody_mass(&e.m, &w.robot);
    multibody_mass_joint(&e.m, &w.robot);
    return multibody_mass_energy(&e.m, &w.robot, &s.nu);
}

/* In the world, about its origin. */
static void momentum(double P[static 6])
{
    energy();
    multibody_mass_momentum(P, &e.m, &w.robot, &s.nu);
    se3_apply_Ad_inverse_transpose(P, &s.pose, P);
}

/* Greatest distance of closed latches' frames from where they are held, m and rad, and their
 * greatest slip. */
static double residual(void)
{
    double slip[CONSTRAINT_ROWS];

    multibody_kinematics(&e.m, &w.robot, s.q);
    constraint_rows(&w.latch, &e.m, &w.robot, s.latch, s.latches, &s.pose);
    constraint_apply(slip, &w.latch, &s.nu);
    mat_sub(slip, slip, w.latch.drive, w.latch.rows);
    return fmax(draw_size(w.latch.error, w.latch.rows), draw_size(slip, w.latch.rows));
}

/* [MAR section 6] has an energy drift below 1e-14 J for slow tumbling; here the joints whirl with
 * up to 1 rad/s and more, the energy is 0.5 J to 516 J, and the truncation of RK4 at 1 ms shows:
 * 5e-12 of it at most was seen, 3e-15 J for the 3 kg base. */
static void test_a_free_robot_keeps_energy_and_momentum(void)
{
    const struct motion_input none = {0};

    for (int i = 0; i < 5; i++) {
        double P0[6], P[6];

        start(free_robot[i]);
        const double T0 = energy();
        momentum(P0);
        for (int k = 0; k < 1000; k++) {
            motion_rk4(&e.m, &w, &s, &none, &out, DT);
            TEST_ASSERT_TRUE(out.valid);
        }
        momentum(P);
        TEST_ASSERT_TRUE(fabs(energy() - T0) < 2e-11 * T0);
        TEST_ASSERT_TRUE(draw_distance(P, P0, 6) < 2e-11 * draw_size(P0, 6));
    }
}

/* Half the step, a sixteenth of the error. */
static void test_rk4_is_of_fourth_order(void)
{
    const struct motion_input none = {0};
    struct motion_state end[3];

    for (int i = 0; i < 5; i++) {
        struct motion_state begin;
        double gap[2];

        start(free_robot[i]);
        begin = s;
        for (int k = 0; k < 3; k++) {
            const int steps = 20 << k;

            s = begin;
            for (int j = 0; j < steps; j++) {
                motion_rk4(&e.m, &w, &s, &none, &out, 0.1 / steps);
            }
            end[k] = s;
        }
        for (int k = 0; k < 2; k++) {
            gap[k] = draw_distance(end[k].q, end[k + 1].q, e.m.joints) +
                     draw_distance(end[k].pose.p, end[k + 1].pose.p, 3) +
                     draw_distance(end[k].pose.R, end[k + 1].pose.R, 9) +
                     draw_distance(end[k].nu.base, end[k + 1].nu.base, 6);
        }
        TEST_ASSERT_TRUE(gap[0] / gap[1] > 12.0 && gap[0] / gap[1] < 20.0);
    }
}

/* Torques, a base wrench and gravity: the work they do is the energy gained. */
static void test_work_becomes_energy(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        struct motion_input in = {0};
        double work = 0.0;

        start(i);
        engine_vector(&in.load, &e, &dice, 1.0);
        draw_vector(&dice, in.gravity, 3, 1.0);
        const double T0 = energy();
        for (int k = 0; k < 200; k++) {
            struct multibody_vector weight = {{0.0}, {0.0}};
            double power[2];

            /* Simpson would be nicer; the mean of both ends has an error of dt^2 */
            for (int side = 0; side < 2; side++) {
                double g[3];

                energy();
                mat_vec3_t(g, s.pose.R, in.gravity);
                multibody_mass_gravity(&weight, &e.m, &w.robot, g);
                power[side] = mat_dot6(in.load.base, s.nu.base) + mat_dot6(weight.base, s.nu.base);
                for (int j = 0; j < e.m.joints; j++) {
                    power[side] += (in.load.joint[j] + weight.joint[j]) * s.nu.joint[j];
                }
                if (side == 0) {
                    motion_rk4(&e.m, &w, &s, &in, &out, DT);
                }
            }
            work += 0.5 * DT * (power[0] + power[1]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-4 * (1.0 + fabs(work)), work, energy() - T0);
    }
}

/* [MAR section 6]: constraint residual at most 1e-13. A latch does no work, so the energy stays
 * too. */
static void test_rk4_keeps_latched_frames_where_they_are(void)
{
    const struct motion_input none = {0};
    struct pose g;

    for (int closed = 1; closed < 4; closed++) {
        start(4);
        for (int i = 0; i < 2; i++) {
            add_latch(i);
            if ((closed >> i & 1) != 0) {
                latch_pose(&g, i);
                motion_latch(&e.m, &w, &s, i, &g, &out);
            }
        }
        const double T0 = energy();
        for (int k = 0; k < 200; k++) {
            motion_rk4(&e.m, &w, &s, &none, &out, DT);
            TEST_ASSERT_TRUE(out.valid);
            TEST_ASSERT_TRUE(residual() < 1e-13);
        }
        TEST_ASSERT_TRUE(T0 > 0.1);
        TEST_ASSERT_TRUE(fabs(energy() - T0) < 1e-9 * T0);
    }
}

/* The fast step against the exact one: first order, and no drift [MAR section 8: at most 1e-6 m]. */
static void test_step_follows_rk4_without_drift(void)
{
    struct motion_input in = {0};
    struct motion_state begin, exact;
    struct pose g;
    double gap[2], viscous[MULTIBODY_JOINTS];

    start(4);
    engine_vector(&in.load, &e, &dice, 2.0);
    add_latch(0);
    latch_pose(&g, 0);
    motion_latch(&e.m, &w, &s, 0, &g, &out);
    begin = s;
    for (int k = 0; k < 100; k++) {
        motion_rk4(&e.m, &w, &s, &in, &out, DT);
    }
    exact = s;
    for (int half = 0; half < 2; half++) {
        const int steps = 100 << half;

        s = begin;
        for (int k = 0; k < steps; k++) {
            motion_step(&e.m, &w, &s, &in, &out, 0.1 / steps);
            TEST_ASSERT_TRUE(out.valid);
        }
        gap[half] = draw_distance(s.q, exact.q, e.m.joints);
    }
    TEST_ASSERT_TRUE(gap[0] / gap[1] > 1.7 && gap[0] / gap[1] < 2.3);
    /* an error of dt^2 a / 2 in each step is there while the robot whirls; none of it stays when it
     * has come to rest */
    for (int i = 0; i < 14; i++) {
        viscous[i] = 200.0;
    }
    in = (struct motion_input){.viscous_nms = viscous};
    for (int k = 0; k < 4000; k++) {
        motion_step(&e.m, &w, &s, &in, &out, DT);
        TEST_ASSERT_TRUE(draw_size(w.latch.error, 6) < 1e-4);
    }
    TEST_ASSERT_TRUE(draw_size(w.latch.error, 6) < 1e-9);
}

/* The wrench on the structure is what the momentum of the robot loses: dP/dt = -Ad^-T lambda in the
 * world. */
static void test_latch_wrench_is_the_rate_of_momentum(void)
{
    const struct motion_input none = {0};
    struct pose g;
    double P0[6], P1[6], F[6], expected[6];

    start(4);
    add_latch(1);
    latch_pose(&g, 0);
    motion_latch(&e.m, &w, &s, 0, &g, &out);
    momentum(P0);
    motion_rk4(&e.m, &w, &s, &none, &out, 1e-5);
    momentum(P1);
    mat_sub(expected, P0, P1, 6);
    mat_scale(expected, 1e5, expected, 6);
    se3_apply_Ad_inverse_transpose(F, &g, out.wrench[0]);
    TEST_ASSERT_TRUE(draw_distance(F, expected, 6) < 1e-3 * draw_size(F, 6));
}

/* A plastic impact: the frame stops, energy is lost, the impulse is the momentum lost, and nothing
 * else acts. */
static void test_closing_a_latch_is_a_plastic_impact(void)
{
    for (int i = 0; i < 20; i++) {
        struct pose g;
        double P0[6], P1[6], impulse[6], lost[6];

        start(4);
        add_latch(i % 3);
        latch_pose(&g, 0);
        const double T0 = energy();
        momentum(P0);
        motion_latch(&e.m, &w, &s, 0, &g, &out);
        TEST_ASSERT_TRUE(out.valid);
        TEST_ASSERT_TRUE(residual() < 1e-12);
        TEST_ASSERT_TRUE(out.energy_lost_j > 0.0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * T0, T0 - energy(), out.energy_lost_j);
        momentum(P1);
        mat_sub(lost, P0, P1, 6);
        se3_apply_Ad_inverse_transpose(impulse, &g, out.wrench[0]);
        TEST_ASSERT_TRUE(draw_distance(lost, impulse, 6) < 1e-10 * draw_size(P0, 6));
    }
}

static void test_a_robot_at_rest_loses_nothing_when_latched(void)
{
    struct pose g;

    start(4);
    memset(&s.nu, 0, sizeof s.nu);
    add_latch(0);
    latch_pose(&g, 0);
    motion_latch(&e.m, &w, &s, 0, &g, &out);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, out.energy_lost_j);
    TEST_ASSERT_TRUE(draw_size(out.wrench[0], 6) <= 0.0);
}

static void test_an_opened_latch_sets_the_robot_free(void)
{
    const struct motion_input none = {0};
    struct multibody_vector before;
    struct pose g;
    double P0[6], P[6];

    start(4);
    add_latch(0);
    latch_pose(&g, 0);
    motion_latch(&e.m, &w, &s, 0, &g, &out);
    for (int k = 0; k < 50; k++) {
        motion_rk4(&e.m, &w, &s, &none, &out, DT);
    }
    before = s.nu;
    motion_unlatch(&s, 0);
    TEST_ASSERT_EQUAL_INT(0, memcmp(&before, &s.nu, sizeof before));
    momentum(P0);
    for (int k = 0; k < 200; k++) {
        motion_rk4(&e.m, &w, &s, &none, &out, DT);
        TEST_ASSERT_EQUAL_INT(0, out.rows);
        TEST_ASSERT_TRUE(draw_size(out.wrench[0], 6) <= 0.0);
    }
    momentum(P);
    TEST_ASSERT_TRUE(draw_distance(P, P0, 6) < 1e-9 * draw_size(P0, 6));
}

/* 2 mm off when it closes: pulled in within a second by a small force. Snapping would take hundreds
 * of newtons. */
static void test_a_latch_pulls_its_frame_in_gently(void)
{
    const struct motion_input none = {0};
    struct pose nominal, g, gap;
    double peak_n = 0.0, u[6];

    start(4);
    memset(&s.nu, 0, sizeof s.nu);
    add_latch(2);
    add_latch(0);
    latch_pose(&g, 0);
    motion_latch(&e.m, &w, &s, 0, &g, &out);
    latch_pose(&nominal, 1);
    nominal.p[0] += 0.0019;
    motion_latch(&e.m, &w, &s, 1, &nominal, &out);
    for (int k = 0; k < 1200; k++) {
        motion_step(&e.m, &w, &s, &none, &out, DT);
        TEST_ASSERT_TRUE(out.valid);
        peak_n = fmax(peak_n, mat_norm3(out.wrench[1]));
    }
    latch_pose(&g, 1);
    se3_relative(&gap, &nominal, &g);
    se3_log(u, &gap);
    TEST_ASSERT_TRUE(draw_size(u, 6) < 1e-6);
    TEST_ASSERT_TRUE(peak_n < 5.0);
}

/* Friction far beyond what an explicit step would bear: the motion dies out and never rings [AIR
 * section 1]. */
static void test_viscous_joints_only_lose_energy(void)
{
    const double b[5] = {0.8545, 0.8545, 8.0, 80.0, 800.0};
    struct motion_input in = {.viscous_nms = b};
    double T;

    start(5);
    memset(s.nu.base, 0, sizeof s.nu.base);
    T = energy();
    for (int k = 0; k < 500; k++) {
        motion_step(&e.m, &w, &s, &in, &out, DT);
        const double T_next = energy();
        TEST_ASSERT_TRUE(T_next <= T * (1.0 + 1e-9));
        T = T_next;
    }
    TEST_ASSERT_TRUE(draw_size(s.nu.joint, 5) < 1e-3);
}

static void test_a_planar_robot_stays_in_its_plane(void)
{
    struct motion_input in = {0};
    double up[3];

    start(5);
    mat_copy(up, s.pose.p, 3);
    for (int k = 0; k < 300; k++) {
        draw_vector(&dice, in.load.base, 6, 5.0);
        draw_vector(&dice, in.load.joint, 5, 0.05);
        motion_rk4(&e.m, &w, &s, &in, &out, DT);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.0, up[2], s.pose.p[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, s.pose.R[8]);
    TEST_ASSERT_TRUE(fabs(s.pose.p[0] - up[0]) > 1e-3);
}

static void test_lost_rank_is_reported_and_the_state_stays_bounded(void)
{
    const double stretched[7] = {0.3, 0.7, -0.4, 0.0, 0.6, 0.9, -0.2};
    const struct motion_input in = {.load = {{0.0}, {1.0, -2.0, 1.0, 3.0, 1.0, 1.0, 1.0}}};
    struct pose g;

    start(4);
    memset(&s.nu, 0, sizeof s.nu);
    mat_copy(s.q, stretched, 7);
    for (int i = 0; i < 2; i++) {
        add_latch(i == 0 ? 2 : 0);
        latch_pose(&g, i);
        motion_latch(&e.m, &w, &s, i, &g, &out);
    }
    TEST_ASSERT_EQUAL_INT(12, out.rows);
    TEST_ASSERT_EQUAL_INT(11, out.rank);
    TEST_ASSERT_FALSE(out.valid);
    motion_step(&e.m, &w, &s, &in, &out, DT);
    TEST_ASSERT_FALSE(out.valid);
    TEST_ASSERT_TRUE(draw_size(&out.wrench[0][0], 12) < 1e4);
    TEST_ASSERT_TRUE(draw_size(s.nu.joint, 14) < 10.0 && draw_size(s.nu.base, 6) < 10.0);
}

static void test_a_broken_state_is_flagged_and_mended(void)
{
    const double bad[3] = {NAN, 1e300, -INFINITY};
    const struct motion_input none = {0};

    for (int k = 0; k < 15; k++) {
        start(4);
        add_latch(0);
        double *const spot[5] = {&s.pose.R[4], &s.pose.p[1], &s.q[3], &s.nu.base[2],
                                 &s.nu.joint[5]};
        *spot[k % 5] = bad[k / 5];
        for (int way = 0; way < 2; way++) {
            (way == 0 ? motion_step : motion_rk4)(&e.m, &w, &s, &none, &out, DT);
            TEST_ASSERT_EQUAL_INT(way == 1,
                                  out.valid); /* the second step begins from the mended state */
            TEST_ASSERT_TRUE(base_all_finite(s.pose.R, 9) && base_all_finite(s.pose.p, 3));
            TEST_ASSERT_TRUE(base_all_finite(s.q, 14) && base_all_finite(s.nu.joint, 14));
            TEST_ASSERT_TRUE(base_all_finite(s.nu.base, 6));
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_free_robot_keeps_energy_and_momentum);
    RUN_TEST(test_rk4_is_of_fourth_order);
    RUN_TEST(test_work_becomes_energy);
    RUN_TEST(test_rk4_keeps_latched_frames_where_they_are);
    RUN_TEST(test_step_follows_rk4_without_drift);
    RUN_TEST(test_latch_wrench_is_the_rate_of_momentum);
    RUN_TEST(test_closing_a_latch_is_a_plastic_impact);
    RUN_TEST(test_a_robot_at_rest_loses_nothing_when_latched);
    RUN_TEST(test_an_opened_latch_sets_the_robot_free);
    RUN_TEST(test_a_latch_pulls_its_frame_in_gently);
    RUN_TEST(test_viscous_joints_only_lose_energy);
    RUN_TEST(test_a_planar_robot_stays_in_its_plane);
    RUN_TEST(test_lost_rank_is_reported_and_the_state_stays_bounded);
    RUN_TEST(test_a_broken_state_is_flagged_and_mended);
    return UNITY_END();
}
