/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_contact.c - gripper against ring. */
#include "model/contact.h"

#include <errno.h>
#include <math.h>

#include "model/client.h"
#include "model/mat.h"
#include "model/nominal.h"
#include "tests/draw.h"
#include "unity.h"

#define DEG (BASE_PI / 180.0)

static struct contact_model model;
static struct contact_state state;
static struct draw dice;

/* Design pages: latch of section 6, conditions of the multi-arm page; a face stiff enough to be felt. */
void setUp(void)
{
    const double stiffness[6] = {2e4, 2e4, 2e4, 800.0, 700.0, 600.0};
    const double damping[6] = {300.0, 300.0, 300.0, 2.0, 2.0, 2.0};

    model = (struct contact_model){.face_npm = 1e4,
                                   .face_loss_spm = 2.0,
                                   .face_friction = 0.3,
                                   .face_slip_mps = 1e-3,
                                   .pads = 2,
                                   .pad = {{0.05, 0.02, 0.0}, {-0.05, 0.01, 0.001}},
                                   .latch_ramp_s = 0.5,
                                   .latch_pull_s = 1.0,
                                   .latch_distance_m = 2e-3,
                                   .latch_angle_rad = 0.5 * DEG,
                                   .latch_speed_mps = 5e-3,
                                   .latch_hold_s = 0.1,
                                   .release_n = 5.0,
                                   .release_nm = 2.0};
    mat_copy(model.latch_stiffness, stiffness, 6);
    mat_copy(model.latch_damping, damping, 6);
    TEST_ASSERT_EQUAL_INT(0, contact_init(&model, &state));
    dice.state = 3;
}

void tearDown(void)
{
}

static void latched_at(const double u[static 6], double time_s)
{
    state.phase = CONTACT_LATCHED;
    state.latched_s = time_s;
    mat_copy(state.offset, u, 6);
}

static void random_input(struct contact_input *in, double size)
{
    double u[6];

    *in = (struct contact_input){.close = true};
    draw_vector(&dice, u, 6, size);
    se3_exp(&in->g_ge, u);
    draw_vector(&dice, in->V_ge, 6, 0.1);
}

static double energy_at(const struct contact_input *in, const double V[static 6], double t)
{
    struct contact_input moved = *in;
    struct contact_output out;

    se3_step(&moved.g_ge, V, t);
    contact_wrench(&model, &state, &moved, &out);
    return out.energy_j;
}

/* Without loss the wrench is the gradient of the energy: F . V = -dU/dt for every V. */
static void test_lossless_wrench_is_the_gradient_of_the_energy(void)
{
    const double offset[6] = {1e-3, -2e-3, 1e-3, 2e-3, 1e-3, -3e-3};

    mat_zero(model.latch_damping, 6);
    model.face_loss_spm = model.face_friction = 0.0;
    latched_at(offset, 0.3); /* in the middle of ramp and pull */
    for (int n = 0; n < 200; n++) {
        struct contact_input in;
        struct contact_output out;

        random_input(&in, 0.3);
        contact_wrench(&model, &state, &in, &out);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1.0 + out.energy_j), -mat_dot6(out.F_e, in.V_ge),
                                  (energy_at(&in, in.V_ge, 1e-6) - energy_at(&in, in.V_ge, -1e-6)) /
                                      2e-6);
    }
}

/* Loss and friction only take: F . V <= -dU/dt, in every state. */
static void test_losses_only_take_energy(void)
{
    const double none[6] = {0};
    int strictly = 0;

    latched_at(none, 10.0); /* ramp and pull are over */
    for (int n = 0; n < 500; n++) {
        struct contact_input in;
        struct contact_output out;
        double slope, loss;

        if (n == 250) {
            state.phase = CONTACT_OPEN; /* then the face alone */
        }
        random_input(&in, 0.1);
        contact_wrench(&model, &state, &in, &out);
        slope = (energy_at(&in, in.V_ge, 1e-6) - energy_at(&in, in.V_ge, -1e-6)) / 2e-6;
        loss = -mat_dot6(out.F_e, in.V_ge) - slope;
        TEST_ASSERT_TRUE(loss > -1e-6 * (1.0 + out.energy_j));
        strictly += loss > 1e-6;
    }
    TEST_ASSERT_TRUE(strictly > 300);
}

/* Seen from any inertial frame: no net force or moment, and the power of the pair is F_e . V_ge. */
static void test_wrench_pair_has_no_resultant_and_one_power(void)
{
    const double none[6] = {0};

    latched_at(none, 10.0);
    for (int n = 0; n < 100; n++) {
        struct contact_input in;
        struct contact_output out;
        struct pose g_g, g_e;
        double u[6], V_g[6], V_e[6], carried[6], at_g[6], at_e[6], power;

        random_input(&in, 0.1);
        contact_wrench(&model, &state, &in, &out);
        draw_vector(&dice, u, 6, 2.0);
        draw_vector(&dice, V_g, 6, 1.0);
        se3_exp(&g_g, u);
        se3_mul(&g_e, &g_g, &in.g_ge);
        se3_apply_Ad_inverse(carried, &in.g_ge, V_g);
        mat_add(V_e, in.V_ge, carried, 6);
        se3_apply_Ad_inverse_transpose(at_g, &g_g, out.F_g);
        se3_apply_Ad_inverse_transpose(at_e, &g_e, out.F_e);
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, at_g[i] + at_e[i]);
        }
        power = mat_dot6(out.F_g, V_g) + mat_dot6(out.F_e, V_e);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, mat_dot6(out.F_e, in.V_ge), power);
        contact_twist(carried, &in.g_ge, V_g, V_e);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_distance(in.V_ge, carried, 6));
    }
}

/* Two free satellites on the lossless latch: energy to the second order of the step, total momentum to rounding. */
static void test_two_latched_satellites_keep_energy_and_momentum(void)
{
    const double envisat[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
    const double servicer[6] = {1050.0, 1090.0, 880.0, 12.0, -18.0, 9.0}, none[6] = {0};
    const struct pose g_tg = {.R = {0, 0, -1, 0, 1, 0, 1, 0, 0}, .p = {2.5863, 0.0, 1.312}};
    const struct pose g_be = {.R = {0, 0, 1, 0, 1, 0, -1, 0, 0}, .p = {2.189, 0.0, 0.251}};
    const double V_t[6] = {0.0, 0.0, 0.0, 0.0, -2.5 * DEG, 0.0}, V_s[6] = {0.01, 0, 0, 0, 0, 0};
    struct client_model body[2];
    struct client_state s[2];
    struct motion start[2];
    struct pose one, inverse, g_tb;
    double total[6], before, worst = 0.0;

    model.pads = 0;
    mat_zero(model.latch_damping, 6);
    latched_at(none, 10.0);
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&body[0].body, 7827.867, envisat));
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&body[1].body, 1505.0, servicer));
    se3_identity(&one);
    se3_inverse(&inverse, &g_be);
    se3_mul(&g_tb, &g_tg, &inverse);
    mapping_start(&start[0], &start[1], &one, V_t, &g_tb, V_s);
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL_INT(
            0, client_init(&body[i], &s[i], &start[0], &start[i].pose, start[i].velocity));
    }
    mat_add(total, s[0].body.momentum, s[1].body.momentum, 6);
    before = rigid_energy(&body[0].body, &s[0].body) + rigid_energy(&body[1].body, &s[1].body);
    for (int k = 0; k < 5000; k++) {
        struct contact_input in = {.close = true};
        struct contact_output out;
        double W[2][6], V_g[6], V_e[6];
        struct pose G, E;

        /* poses of the next instant without the wrench of the next instant: what client_step will use */
        struct client_state probe[2] = {s[0], s[1]};
        for (int i = 0; i < 2; i++) {
            client_step(&body[i], &probe[i], &start[0], none, 1e-3);
        }
        se3_mul(&G, &probe[0].orbit.pose, &g_tg);
        se3_mul(&E, &probe[1].orbit.pose, &g_be);
        se3_relative(&in.g_ge, &G, &E);
        se3_apply_Ad_inverse(V_g, &g_tg, probe[0].orbit.velocity);
        se3_apply_Ad_inverse(V_e, &g_be, probe[1].orbit.velocity);
        contact_twist(in.V_ge, &in.g_ge, V_g, V_e);
        contact_wrench(&model, &state, &in, &out);
        se3_apply_Ad_inverse_transpose(W[0], &g_tg, out.F_g);
        se3_apply_Ad_inverse_transpose(W[1], &g_be, out.F_e);
        for (int i = 0; i < 2; i++) {
            client_step(&body[i], &s[i], &start[0], W[i], 1e-3);
        }
        worst = fmax(worst, fabs(rigid_energy(&body[0].body, &s[0].body) +
                                 rigid_energy(&body[1].body, &s[1].body) + out.energy_j - before));
    }
    mat_sub(total, total, s[0].body.momentum, 6);
    mat_sub(total, total, s[1].body.momentum, 6);
    for (int i = 0; i < 6; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, total[i]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.0, worst); /* 0.06 J in the motion */
}

/* 1 mm and 1 mrad from rest, stiffness 2e4 N/m and 800, 700, 600 Nm/rad */
static void test_latch_has_the_stiffness_and_damping_asked_for(void)
{
    const double none[6] = {0}, expected[6] = {-20.0, -20.0, -20.0, -0.8, -0.7, -0.6};

    model.pads = 0;
    latched_at(none, 10.0);
    for (int i = 0; i < 6; i++) {
        struct contact_input in = {.close = true};
        struct contact_output out;
        double u[6] = {0};

        u[i] = 1e-3;
        se3_exp(&in.g_ge, u);
        contact_wrench(&model, &state, &in, &out);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, expected[i], out.F_e[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.5 * expected[i] * 1e-3, out.energy_j);
        se3_identity(&in.g_ge);
        in.V_ge[i] = 0.01;
        contact_wrench(&model, &state, &in, &out);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, i < 3 ? -3.0 : -0.02, out.F_e[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, out.energy_j);
    }
}

/* E stays where it is while the latch closes and pulls: the load grows from nothing, in small steps, to full. */
static void test_closing_latch_never_steps(void)
{
    const double u[6] = {1e-3, -1e-3, 0.5e-3, 2e-3, 1e-3, -2e-3};
    struct contact_input in = {.close = true};
    struct contact_output out;
    double last[6] = {0}, step = 0.0;
    bool closed = false;

    model.pads = 0;
    se3_exp(&in.g_ge, u);
    for (int k = 0; k < 2000; k++) {
        contact_next(&model, &state, &in, 1e-3);
        contact_wrench(&model, &state, &in, &out);
        step = fmax(step, draw_distance(last, out.F_e, 6));
        mat_copy(last, out.F_e, 6);
        closed = closed || state.phase == CONTACT_LATCHED;
        TEST_ASSERT_EQUAL_INT(k >= 99, closed);
    }
    TEST_ASSERT_TRUE(step <
                     0.08); /* 20 N by a quintic in 1 s: at most 1.875 * 20 N/s, and some turning */
    TEST_ASSERT_DOUBLE_WITHIN(0.1, -20.0, out.F_e[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 20.0, out.F_e[1]);
}

/* The pull is felt through its speed, too: damping acts on the difference to the moving rest pose. */
static void test_gripper_that_follows_the_pull_feels_nothing(void)
{
    const double u[6] = {1e-3, 0.0, 0.0, 0.0, 0.0, 0.0};
    struct contact_input in = {.close = true};
    struct contact_output out;

    model.pads = 0;
    model.latch_pull_s = 0.8;
    latched_at(u, 0.4); /* quintic: half way, 1.875 of the mean speed */
    se3_identity(&in.g_ge);
    in.g_ge.p[0] = 0.5e-3;
    in.V_ge[0] = -1.875e-3 / 0.8;
    contact_wrench(&model, &state, &in, &out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, out.F_e[0]);
}

/* Zero times: full stiffness against G from the first moment. */
static void test_latch_without_ramp_and_pull_is_full_at_once(void)
{
    const double u[6] = {1e-3, 0.0, 0.0, 0.0, 0.0, 0.0};
    struct contact_input in = {.close = true};
    struct contact_output out;

    model.pads = 0;
    model.latch_ramp_s = model.latch_pull_s = 0.0;
    latched_at(u, 0.0);
    se3_exp(&in.g_ge, u);
    contact_wrench(&model, &state, &in, &out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -20.0, out.F_e[0]);

    model.latch_ramp_s = 0.2;
    latched_at(u, 0.1); /* half of it */
    contact_wrench(&model, &state, &in, &out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -10.0, out.F_e[0]);
}

static void test_latch_closes_only_when_all_conditions_hold(void)
{
    const double far[6] = {2.1e-3, 0, 0, 0, 0, 0}, turned[6] = {0, 0, 0, 0, 0.51 * DEG, 0};
    const double good[6] = {1.9e-3, 0, 0, 0, 0.49 * DEG, 0};
    const double *where[5] = {far, turned, good, good, good};
    const double speed[5] = {0.0, 0.0, 5.1e-3, 4.9e-3, 4.9e-3};
    const bool close[5] = {true, true, true, false, true};

    for (int c = 0; c < 5; c++) {
        struct contact_input in = {.close = close[c]};

        TEST_ASSERT_EQUAL_INT(0, contact_init(&model, &state));
        se3_exp(&in.g_ge, where[c]);
        in.V_ge[1] = speed[c];
        for (int k = 0; k < 110; k++) {
            contact_next(&model, &state, &in, 1e-3);
        }
        TEST_ASSERT_EQUAL_INT(c == 4 ? CONTACT_LATCHED : CONTACT_OPEN, state.phase);
    }
}

static void test_waiting_starts_again_after_an_interruption(void)
{
    struct contact_input in = {.close = true};

    se3_identity(&in.g_ge);
    for (int k = 0; k < 180; k++) {
        in.V_ge[0] = k == 90 ? 0.01 : 0.0;
        contact_next(&model, &state, &in, 1e-3);
    }
    TEST_ASSERT_EQUAL_INT(CONTACT_OPEN, state.phase);
}

static void test_latch_opens_only_without_load(void)
{
    const double none[6] = {0}, loaded[6] = {3e-4, 0, 0, 0, 0, 0},
                 twisted[6] = {0, 0, 0, 3e-3, 0, 0};
    struct contact_input in = {.close = false};

    model.pads = 0;
    latched_at(none, 10.0);
    se3_exp(&in.g_ge, loaded); /* 6 N */
    contact_next(&model, &state, &in, 1e-3);
    TEST_ASSERT_EQUAL_INT(CONTACT_LATCHED, state.phase);
    se3_exp(&in.g_ge, twisted); /* 2.4 Nm */
    contact_next(&model, &state, &in, 1e-3);
    TEST_ASSERT_EQUAL_INT(CONTACT_LATCHED, state.phase);
    se3_identity(&in.g_ge);
    in.close = true;
    contact_next(&model, &state, &in, 1e-3);
    TEST_ASSERT_EQUAL_INT(CONTACT_LATCHED, state.phase);
    in.close = false;
    contact_next(&model, &state, &in, 1e-3);
    TEST_ASSERT_EQUAL_INT(CONTACT_OPEN, state.phase);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, state.near_s);
}

/* One pad at (0.05, 0.02, 0), 1 mm deep, 10 mm/s inwards: 10 N (1 + 2 s/m * 0.01 m/s) against z. */
static void test_face_by_hand(void)
{
    struct contact_input in = {.close = false};
    struct contact_output out;

    model.pads = 1;
    se3_identity(&in.g_ge);
    in.g_ge.p[2] = 1e-3;
    in.V_ge[2] = 0.01;
    contact_wrench(&model, &state, &in, &out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -10.2, out.F_e[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -10.2 * 0.02, out.F_e[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 10.2 * 0.05, out.F_e[4]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 10.2, out.F_g[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 5e-3, out.energy_j);
    in.V_ge[0] = 1e-3; /* slip speed: friction at 1/sqrt(2) of 0.3 */
    contact_wrench(&model, &state, &in, &out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.3 * 10.2 / sqrt(2.0), out.F_e[0]);
    in.V_ge[1] = -1e-3;
    contact_wrench(&model, &state, &in, &out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.3 * 10.2 / sqrt(3.0), out.F_e[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3 * 10.2 / sqrt(3.0), out.F_e[1]);
    in.V_ge[2] = -1.0; /* leaving faster than the face follows: no pull */
    contact_wrench(&model, &state, &in, &out);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, mat_norm3(out.F_e));
    in.g_ge.p[2] = -1e-3;
    contact_wrench(&model, &state, &in, &out);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, mat_norm3(out.F_e));
}

static void test_bad_models_are_refused(void)
{
    const struct contact_model good = model;
    double *const victim[6] = {&model.face_npm,         &model.latch_stiffness[2],
                               &model.latch_damping[4], &model.latch_hold_s,
                               &model.release_nm,       &model.pad[1][2]};

    for (int i = 0; i < 6; i++) {
        model = good;
        *victim[i] = (double)NAN;
        TEST_ASSERT_EQUAL_INT(-EINVAL, contact_init(&model, &state));
        model = good;
        *victim[i] = -1.0;
        TEST_ASSERT_EQUAL_INT(i == 5 ? 0 : -EINVAL, contact_init(&model, &state));
    }
    model = good;
    model.pads = CONTACT_PADS + 1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, contact_init(&model, &state));
    model.pads = -1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, contact_init(&model, &state));
    for (int i = 3; i < 6; i++) {
        model = good;
        model.latch_stiffness[i] = 2000.0;
        TEST_ASSERT_EQUAL_INT(-EINVAL, contact_init(&model, &state));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_lossless_wrench_is_the_gradient_of_the_energy);
    RUN_TEST(test_losses_only_take_energy);
    RUN_TEST(test_wrench_pair_has_no_resultant_and_one_power);
    RUN_TEST(test_two_latched_satellites_keep_energy_and_momentum);
    RUN_TEST(test_latch_has_the_stiffness_and_damping_asked_for);
    RUN_TEST(test_closing_latch_never_steps);
    RUN_TEST(test_gripper_that_follows_the_pull_feels_nothing);
    RUN_TEST(test_latch_without_ramp_and_pull_is_full_at_once);
    RUN_TEST(test_latch_closes_only_when_all_conditions_hold);
    RUN_TEST(test_waiting_starts_again_after_an_interruption);
    RUN_TEST(test_latch_opens_only_without_load);
    RUN_TEST(test_face_by_hand);
    RUN_TEST(test_bad_models_are_refused);
    return UNITY_END();
}
