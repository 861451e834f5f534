/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_limit.c - whatever is wanted, the command stays inside speed, acceleration, jerk and box, and comes to rest. */
#include "rt/limit.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "unity.h"

#define DT 1e-3

static const struct limit_model model = {
    0.25, 0.5, 1.0, 2.0, 20.0, 40.0, {-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
static struct limit_state state;
static struct draw draw;

void setUp(void)
{
    struct pose g;

    draw.state = 0x117;
    se3_identity(&g);
    limit_start(&state, &g);
}

void tearDown(void)
{
}

/* One step happened between the two states: is every limit kept? A few per mille of room for the rounding of log and exp at
 * steps of a tenth of a millimetre. */
static void check_step(const struct limit_state *a, const struct limit_state *b)
{
    struct pose step;
    double turn[3], change[6], jerk[6];

    se3_relative(&step, &a->pose, &b->pose);
    so3_log(turn, step.R);
    TEST_ASSERT_TRUE(mat_norm3(step.p) <= 1.001 * model.speed_mps * DT + 1e-12);
    TEST_ASSERT_TRUE(mat_norm3(turn) <= 1.001 * model.rate_radps * DT + 1e-12);
    mat_sub(change, b->velocity, a->velocity, 6);
    TEST_ASSERT_TRUE(mat_norm3(change) <= 1.001 * model.acceleration_mps2 * DT);
    TEST_ASSERT_TRUE(mat_norm3(change + 3) <= 1.001 * model.rotation_radps2 * DT);
    mat_sub(jerk, b->acceleration, a->acceleration, 6);
    TEST_ASSERT_TRUE(mat_norm3(jerk) <= 1.001 * model.jerk_mps3 * DT);
    TEST_ASSERT_TRUE(mat_norm3(jerk + 3) <= 1.001 * model.twitch_radps3 * DT);
}

/* A target that jumps, turns over, is not a number, or lies on the moon. */
static void wild(struct pose *g)
{
    double u[6];

    draw_vector(&draw, u, 6, 3.0);
    se3_exp(g, u);
    mat_scale(g->p, draw_uniform(&draw, 0.0, 1.0) < 0.1 ? 1e8 : 0.3, g->p, 3);
    if (draw_uniform(&draw, 0.0, 1.0) < 0.05) {
        g->p[draw_index(&draw, 3)] = (double)NAN;
    }
    if (draw_uniform(&draw, 0.0, 1.0) < 0.05) {
        g->R[draw_index(&draw, 9)] = (double)INFINITY;
    }
}

static void test_no_target_makes_the_command_step(void)
{
    struct pose g;

    for (int k = 0; k < 20000; k++) {
        const struct limit_state before = state;

        if (k % 37 == 0) {
            wild(&g);
        }
        if (k % 1000 < 800) {
            (void)limit_follow(&model, &state, &g, DT);
        } else {
            (void)limit_ramp(&model, &state, k % 3000 < 1500 ? LIMIT_HOLD_SHARE : 1.0, DT);
        }
        TEST_ASSERT_TRUE(base_all_finite(state.pose.p, 3) && base_all_finite(state.pose.R, 9));
        check_step(&before, &state);
    }
}

static void test_motion_inside_the_limits_passes_to_the_last_bit(void)
{
    struct pose g;

    for (int k = 1; k < 3000; k++) {
        const double t = k * DT, ramp = t * t * t * t / (t * t * t * t + 1.0); /* smooth start */
        const double u[6] = {0.05 * ramp * t, 0.0, 0.01 * ramp, 0.0, 0.02 * ramp * t, 0.0};

        se3_exp(&g, u);
        TEST_ASSERT_EQUAL_UINT(0, limit_follow(&model, &state, &g, DT));
        TEST_ASSERT_EQUAL_MEMORY(&g, &state.pose, sizeof g);
    }
}

/* From rest, a jump of 0.1 m: the ramp of acceleration begins with the jerk. */
static void test_known_value_first_step_after_a_jump(void)
{
    struct pose g;

    se3_identity(&g);
    g.p[0] = 0.1;
    TEST_ASSERT_EQUAL_UINT(LIMIT_SPEED | LIMIT_ACCELERATION, limit_follow(&model, &state, &g, DT));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, model.jerk_mps3 * DT * DT, state.velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, model.jerk_mps3 * DT * DT * DT, state.pose.p[0]);
}

static void test_a_jump_is_caught_up_without_passing_the_speed(void)
{
    struct pose g;

    se3_identity(&g);
    g.p[0] = 0.9;
    for (int k = 0; k < 8000; k++) {
        const struct limit_state before = state;

        (void)limit_follow(&model, &state, &g, DT);
        check_step(&before, &state);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.9, state.pose.p[0]);
}

static void run_up(void)
{
    struct pose g = state.pose;

    g.p[0] = 0.9;
    for (int k = 0; k < 1000; k++) {
        (void)limit_follow(&model, &state, &g, DT);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, model.speed_mps, state.velocity[0]);
}

static void test_ramp_comes_to_rest_on_its_own_path(void)
{
    double before, cycles = 0.0;
    const double most =
        model.speed_mps / model.acceleration_mps2 + 2.5 * model.acceleration_mps2 / model.jerk_mps3;

    run_up();
    do {
        before = mat_norm3(state.velocity);
        cycles += 1.0;
        if (limit_ramp(&model, &state, 1.0, DT)) {
            break;
        }
        TEST_ASSERT_TRUE(mat_norm3(state.velocity) <= before + 1e-12);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, state.pose.p[1]); /* along the path */
    } while (cycles < 2000.0);
    TEST_ASSERT_TRUE(cycles * DT <= most);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, mat_norm3(state.velocity));
}

static void test_at_rest_it_stays(void)
{
    const struct limit_state before = state;

    for (int k = 0; k < 100; k++) {
        TEST_ASSERT_TRUE(limit_ramp(&model, &state, 1.0, DT));
    }
    TEST_ASSERT_EQUAL_MEMORY(&before, &state, sizeof before);
}

static void test_what_lies_outside_the_box_is_not_approached(void)
{
    struct pose g = state.pose;

    run_up();
    g.p[0] = 1.5;
    for (int k = 0; k < 2000; k++) {
        TEST_ASSERT_TRUE((limit_follow(&model, &state, &g, DT) & LIMIT_POSE) != 0);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, mat_norm3(state.velocity));
    TEST_ASSERT_TRUE(state.pose.p[0] < 1.0);
}

static void test_limits_that_make_no_sense_are_refused(void)
{
    struct limit_model wrong = model;

    TEST_ASSERT_EQUAL_INT(0, limit_init(&model));
    wrong.speed_mps = 0.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, limit_init(&wrong));
    wrong = model;
    wrong.jerk_mps3 = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, limit_init(&wrong));
    wrong = model;
    wrong.low[2] = 2.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, limit_init(&wrong));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_no_target_makes_the_command_step);
    RUN_TEST(test_motion_inside_the_limits_passes_to_the_last_bit);
    RUN_TEST(test_known_value_first_step_after_a_jump);
    RUN_TEST(test_a_jump_is_caught_up_without_passing_the_speed);
    RUN_TEST(test_ramp_comes_to_rest_on_its_own_path);
    RUN_TEST(test_at_rest_it_stays);
    RUN_TEST(test_what_lies_outside_the_box_is_not_approached);
    RUN_TEST(test_limits_that_make_no_sense_are_refused);
    return UNITY_END();
}
