/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lab_grip.c - gripper and client see each other alike in any frame, and pull at each other with equal force. */
#include "tools/lab/grip.h"

#include "model/mat.h"
#include "tests/draw.h"
#include "unity.h"

static struct grip_model model;
static struct contact_state state;
static struct grip_input input;
static struct draw dice;

static void random_pose(struct pose *g, double size)
{
    double u[6];

    draw_vector(&dice, u, 6, size);
    se3_exp(g, u);
}

/* Latched, E a little beside G, both somewhere. */
void setUp(void)
{
    struct pose beside, G, base_in_E;

    dice.state = 23;
    model = (struct grip_model){.contact = {.latch_stiffness = {2e4, 1e4, 3e4, 800, 700, 600},
                                            .latch_damping = {300, 200, 100, 2, 3, 4}}};
    TEST_ASSERT_EQUAL_INT(0, contact_init(&model.contact, &state));
    state.phase = CONTACT_LATCHED;
    random_pose(&model.grasp, 1.0);
    random_pose(&beside, 0.01);
    random_pose(&input.client, 2.0);
    random_pose(&input.gripper, 1.0);
    se3_mul(&G, &input.client, &model.grasp);
    se3_mul(&G, &G, &beside);
    se3_inverse(&base_in_E, &input.gripper);
    se3_mul(&input.base, &G, &base_in_E);
    draw_vector(&dice, input.client_velocity, 6, 0.1);
    draw_vector(&dice, input.gripper_velocity, 6, 0.1);
}

void tearDown(void)
{
}

/* g_te from both sides. */
static void gripper_in_client(struct pose *g_te)
{
    struct pose E;

    se3_mul(&E, &input.base, &input.gripper);
    se3_relative(g_te, &input.client, &E);
}

static void test_what_moves_as_one_body_has_no_relative_twist(void)
{
    struct contact_input seen;
    struct pose g_te;

    gripper_in_client(&g_te);
    se3_apply_Ad_inverse(input.gripper_velocity, &g_te, input.client_velocity);
    grip_see(&seen, &model, &input);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, draw_size(seen.V_ge, 6));
    TEST_ASSERT_TRUE(draw_size(input.gripper_velocity, 6) > 0.05);
}

static void test_relative_twist_is_the_rate_of_the_relative_pose(void)
{
    const double h = 1e-5;
    struct contact_input before, now, after;
    struct grip_input moved = input;
    struct pose d, E, back;
    double u[6];

    grip_see(&now, &model, &input);
    for (int i = 0; i < 2; i++) {
        const double t = i == 0 ? -h : h;

        moved = input;
        se3_step(&moved.client, input.client_velocity, t);
        se3_mul(&E, &input.base, &input.gripper);
        se3_step(&E, input.gripper_velocity, t);
        se3_inverse(&back, &input.gripper);
        se3_mul(&moved.base, &E, &back);
        grip_see(i == 0 ? &before : &after, &model, &moved);
    }
    se3_relative(&d, &before.g_ge, &after.g_ge);
    se3_log(u, &d);
    mat_scale(u, 0.5 / h, u, 6);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, draw_distance(u, now.V_ge, 6));
}

static void test_force_on_one_is_the_force_on_the_other(void)
{
    struct grip_output out;
    struct pose g_te;
    double at_T[6];

    grip_meet(&out, &model, &state, &input, 0.0);
    gripper_in_client(&g_te);
    se3_apply_Ad_inverse_transpose(at_T, &g_te, out.wrench.F_e);
    mat_add(at_T, at_T, out.client, 6);
    TEST_ASSERT_TRUE(draw_size(out.client, 6) > 10.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, draw_size(at_T, 6));
}

static void test_where_the_lab_stands_does_not_matter(void)
{
    struct grip_output here, there;
    struct pose elsewhere;

    grip_meet(&here, &model, &state, &input, 0.0);
    random_pose(&elsewhere, 3.0);
    se3_mul(&input.client, &elsewhere, &input.client);
    se3_mul(&input.base, &elsewhere, &input.base);
    grip_meet(&there, &model, &state, &input, 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, draw_distance(here.client, there.client, 6));
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, draw_distance(here.wrench.F_e, there.wrench.F_e, 6));
}

static void test_later_means_later_on_the_ramp_and_changes_nothing(void)
{
    const struct contact_state before = state;
    struct grip_output half, late;

    model.contact.latch_ramp_s = 1.0;
    grip_meet(&half, &model, &state, &input, 0.5);
    grip_meet(&late, &model, &state, &input, 1.0);
    for (int i = 0; i < 6; i++) { /* the ramp is at a half in its middle */
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.5 * late.client[i], half.client[i]);
    }
    TEST_ASSERT_EQUAL_MEMORY(&before, &state, sizeof state);
}

/* Whatever moves with up to 5 m/s and 5 rad/s: a period after it was not near, no pad has met the face. */
static void test_what_is_not_near_cannot_touch_within_a_period(void)
{
    const double dt = 1e-3;
    int far = 0, close = 0;

    model.contact.pads = 3;
    model.contact.face_npm = 1e4;
    for (int i = 0; i < 3; i++) {
        draw_vector(&dice, model.contact.pad[i], 3, 0.2);
    }
    state.phase = CONTACT_OPEN;
    for (int k = 0; k < 20000; k++) {
        struct grip_output met = {.seen = {.close = false}};
        double u[6];

        draw_vector(&dice, u, 6, 0.05);
        u[2] -= 0.1;
        se3_exp(&met.seen.g_ge, u);
        draw_vector(&dice, met.seen.V_ge, 6, 5.0);
        if (grip_near(&model, &state, &met.seen, dt)) {
            close++;
            continue;
        }
        far++;
        for (int i = 0; i <= 4; i++) { /* now, and along the period */
            grip_pull(&met, &model, &state, 0.0);
            TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, draw_size(met.client, 6));
            se3_step(&met.seen.g_ge, met.seen.V_ge, dt / 4.0);
        }
    }
    TEST_ASSERT_GREATER_THAN(1000, far);
    TEST_ASSERT_GREATER_THAN(1000, close);
}

static void test_closing_latched_and_senseless_are_near(void)
{
    struct contact_input seen = {.close = true};

    se3_identity(&seen.g_ge);
    seen.g_ge.p[2] = -1.0;
    state.phase = CONTACT_OPEN;
    model.contact.pads = 1;
    mat_zero(model.contact.pad[0], 3);
    TEST_ASSERT_TRUE(grip_near(&model, &state, &seen, 1e-3));
    seen.close = false;
    TEST_ASSERT_FALSE(grip_near(&model, &state, &seen, 1e-3));
    seen.V_ge[0] = (double)NAN;
    TEST_ASSERT_TRUE(grip_near(&model, &state, &seen, 1e-3));
    seen.V_ge[0] = 0.0;
    state.phase = CONTACT_LATCHED;
    TEST_ASSERT_TRUE(grip_near(&model, &state, &seen, 1e-3));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_is_not_near_cannot_touch_within_a_period);
    RUN_TEST(test_closing_latched_and_senseless_are_near);
    RUN_TEST(test_what_moves_as_one_body_has_no_relative_twist);
    RUN_TEST(test_relative_twist_is_the_rate_of_the_relative_pose);
    RUN_TEST(test_force_on_one_is_the_force_on_the_other);
    RUN_TEST(test_where_the_lab_stands_does_not_matter);
    RUN_TEST(test_later_means_later_on_the_ramp_and_changes_nothing);
    return UNITY_END();
}
