/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_vision.c - the vision filter over drawn runs: accuracy, consistency, bad poses, time, modes. */
#include "estimation/vision.h"

#include <errno.h>
#include <math.h>

#include "estimation/principal.h"
#include "model/mat.h"
#include "tests/campaign.h"
#include "unity.h"

#define RUNS 20

static struct tumble body;
static struct vision_state state;
static struct vision_model model;

void setUp(void)
{
    campaign_model(&model, &tumble_paper);
    vision_init(&model, &state);
    vision_enable(&model, &state);
}

void tearDown(void)
{
}

/* Feed the poses that arrive by this time, from pose number `from` on; the next one. */
static int feed(int from, double until_s)
{
    while (from < body.count && (double)body.pose[from].receive_ns * 1e-9 <= until_s + 1e-6) {
        (void)vision_input(&model, &state, &body.pose[from++]);
    }
    return from;
}

static int64_t ns(double s)
{
    return (int64_t)(s * 1e9 + 0.5);
}

/* The limits are those of the 200-run table, widened for the scatter of a median of 20 (1.25 sigma / sqrt 20). */
static void test_twenty_runs_are_as_good_as_the_whole_history(void)
{
    static struct campaign_run run;
    double position[RUNS], attitude[RUNS], bound[RUNS], turn[RUNS], nis = 0.0, nees = 0.0;
    int compared = 0, gated = 0, beyond = 0, early = 0, late = 0;

    for (int i = 0; i < RUNS; i++) {
        run.state = &state;
        tumble_draw(&body, &tumble_paper, 77 + (uint64_t)i);
        campaign_run(&run, &model, &body, true);
        position[i] = run.ours[3].position;
        attitude[i] = run.ours[3].attitude;
        bound[i] = run.bound.position;
        turn[i] = run.bound.attitude;
        nis += run.nis / RUNS;
        nees += run.nees / RUNS;
        compared += run.compared;
        gated += run.gated;
        beyond += run.beyond;
        early += run.first_valid_s <= 10.0;
        late += run.valid_late;
        TEST_ASSERT_TRUE(position[i] < 0.050);
    }
    TEST_ASSERT_TRUE(campaign_quantile(position, RUNS, 0.5) <
                     1.25 * campaign_quantile(bound, RUNS, 0.5));
    TEST_ASSERT_TRUE(campaign_quantile(attitude, RUNS, 0.5) <
                     1.25 * campaign_quantile(turn, RUNS, 0.5));
    TEST_ASSERT_TRUE(campaign_quantile(position, RUNS, 0.95) < 0.010);
    TEST_ASSERT_TRUE(nis > 5.4 && nis < 6.8);
    TEST_ASSERT_TRUE(nees > 4.0 && nees < 8.5);
    TEST_ASSERT_TRUE(gated <= compared / 100);
    TEST_ASSERT_EQUAL_INT(0, beyond);
    /* where the draw gives little motion to learn from, the limits on the uncertainty end validity before 20 s */
    TEST_ASSERT_TRUE(early >= 18);
    TEST_ASSERT_TRUE(late >= 17);
}

static void test_modes_follow_the_poses(void)
{
    struct vision_output o;
    int next;

    tumble_draw(&body, &tumble_paper, 1);
    TEST_ASSERT_EQUAL_INT(VISION_INIT, state.mode);
    next = feed(0, 14.0);
    TEST_ASSERT_FALSE(vision_output(&model, &state, ns(14.0), &o));
    TEST_ASSERT_EQUAL_INT(VISION_INIT, o.mode);
    next = feed(next, 30.0);
    TEST_ASSERT_TRUE(vision_output(&model, &state, ns(30.2), &o));
    TEST_ASSERT_EQUAL_INT(VISION_TRACK, o.mode);
    TEST_ASSERT_TRUE(o.valid);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2, o.age_s);
    (void)vision_output(&model, &state, ns(30.8), &o);
    TEST_ASSERT_EQUAL_INT(VISION_PREDICT, o.mode);
    TEST_ASSERT_TRUE(o.valid);
    (void)vision_output(&model, &state, ns(130.0), &o);
    TEST_ASSERT_EQUAL_INT(VISION_LOST, o.mode);
    TEST_ASSERT_FALSE(o.valid);
    vision_contact(&model, &state, true);
    TEST_ASSERT_EQUAL_INT(VISION_IGNORED, vision_input(&model, &state, &body.pose[next]));
    vision_contact(&model, &state, false);
    TEST_ASSERT_EQUAL_INT(VISION_INIT, state.mode);
    vision_init(&model, &state);
    TEST_ASSERT_EQUAL_INT(VISION_IGNORED, vision_input(&model, &state, &body.pose[next]));
}

/* Position and attitude sigma never shrink on the way to the horizon as a whole: valid once lost stays lost. */
static void test_validity_ends_once(void)
{
    struct vision_output o;
    bool was = true;

    tumble_draw(&body, &tumble_paper, 2);
    (void)feed(0, 40.0);
    for (double t = 40.0; t < 120.0; t += 0.25) {
        (void)vision_output(&model, &state, ns(t), &o);
        TEST_ASSERT_TRUE(was || !o.valid);
        was = o.valid;
    }
    TEST_ASSERT_FALSE(was);
}

static void test_a_blocked_lens_of_six_wrong_poses_is_survived(void)
{
    struct tumble_case c = tumble_paper;
    static struct campaign_run run;

    c.lie_s[0] = 50.0;
    c.lie_s[1] = 53.0;
    for (int i = 0; i < 5; i++) {
        run.state = &state;
        tumble_draw(&body, &c, 300 + (uint64_t)i);
        campaign_run(&run, &model, &body, false);
        TEST_ASSERT_TRUE(run.ours[3].position < 0.015);
        TEST_ASSERT_EQUAL_INT(0, run.beyond);
        TEST_ASSERT_EQUAL_INT(0, state.restarts);
    }
}

/* A source that jumps for good: after the doubt a new first fit follows it. */
static void test_a_target_that_was_pushed_is_found_again(void)
{
    struct tumble_case c = tumble_paper;
    static struct campaign_run run;

    c.lie_s[0] = 50.0;
    c.lie_s[1] = 200.0;
    run.state = &state;
    tumble_draw(&body, &c, 400);
    campaign_run(&run, &model, &body, false);
    TEST_ASSERT_EQUAL_INT(1, state.restarts);
    TEST_ASSERT_TRUE(run.ours[3].position > 0.15 && run.ours[3].position < 0.25);
}

static void test_late_poses_wait_for_the_next_fit(void)
{
    struct sighting z;

    tumble_draw(&body, &tumble_paper, 3);
    (void)feed(0, 30.0);
    const int before = state.track.count;

    z = body.pose[40];
    z.image_ns -= 100000000;
    z.receive_ns = ns(25.5);
    TEST_ASSERT_EQUAL_INT(VISION_TOO_OLD, vision_input(&model, &state, &z));
    z = body.pose[48];
    z.image_ns += 100000000;
    z.receive_ns = ns(30.0);
    TEST_ASSERT_EQUAL_INT(VISION_LATE, vision_input(&model, &state, &z));
    TEST_ASSERT_EQUAL_INT(before + 1, state.track.count);
    TEST_ASSERT_EQUAL_INT(VISION_TWICE, vision_input(&model, &state, &z));
}

static void test_clocks_that_disagree_are_told(void)
{
    tumble_draw(&body, &tumble_paper, 4);
    for (int i = 0; i < 3; i++) {
        struct sighting z = body.pose[i];

        TEST_ASSERT_FALSE(state.clock_fault);
        z.image_ns += i == 1 ? -2000000000 : 1;
        TEST_ASSERT_EQUAL_INT(VISION_CLOCK, vision_input(&model, &state, &z));
    }
    TEST_ASSERT_TRUE(state.clock_fault);
}

static void test_numbers_that_are_none_are_refused(void)
{
    struct sighting z;

    tumble_draw(&body, &tumble_paper, 5);
    (void)feed(0, 30.0);
    const struct ekf_state before = state.now;

    z = body.pose[51];
    z.p[1] = NAN;
    TEST_ASSERT_EQUAL_INT(VISION_NOT_VALID, vision_input(&model, &state, &z));
    z = body.pose[51];
    z.q[3] = INFINITY;
    TEST_ASSERT_EQUAL_INT(VISION_NOT_VALID, vision_input(&model, &state, &z));
    z = body.pose[51];
    mat_scale(z.q, 1.1, z.q, 4);
    TEST_ASSERT_EQUAL_INT(VISION_NOT_VALID, vision_input(&model, &state, &z));
    TEST_ASSERT_EQUAL_MEMORY(&before, &state.now, sizeof before);
}

/* The second way to see a marker is taken when it is the one expected. */
static void test_the_expected_one_of_two_solutions_is_taken(void)
{
    struct sighting z;
    double q[4];

    tumble_draw(&body, &tumble_paper, 6);
    (void)feed(0, 30.0);
    z = body.pose[51];
    mat_copy(q, z.q, 4);
    z.has_second = true;
    z.ambiguity = 0.9;
    mat_copy(z.second, q, 4);
    z.q[0] = q[3];
    z.q[1] = -q[2];
    z.q[2] = q[1];
    z.q[3] = -q[0]; /* turned by 180 degrees */
    TEST_ASSERT_EQUAL_INT(VISION_ACCEPTED, vision_input(&model, &state, &z));
    vision_enable(&model, &state);
    TEST_ASSERT_EQUAL_INT(VISION_AMBIGUOUS, vision_input(&model, &state, &z));
}

static void test_what_the_motion_does_not_show_is_unknown(void)
{
    struct tumble_case c = tumble_paper;
    struct principal p;

    tumble_draw(&body, &c, 7);
    (void)feed(0, 96.0);
    principal_find(&p, &state.now, &model.prior);
    TEST_ASSERT_TRUE(p.p_known);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.75, p.p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.125, p.p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, -0.8, p.p[2]);
    /* p_x + p_y + p_z + p_x p_y p_z = 0 for every rigid body */
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, p.p[0] + p.p[1] + p.p[2] + p.p[0] * p.p[1] * p.p[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.005, -0.15, p.rho[0]);
    TEST_ASSERT_TRUE(p.rho_known[0] && p.rho_known[1] && p.rho_known[2]);
    c.spin_axis = 1;
    setUp();
    tumble_draw(&body, &c, 8);
    (void)feed(0, 96.0);
    principal_find(&p, &state.now, &model.prior);
    TEST_ASSERT_FALSE(p.p_known);
    TEST_ASSERT_FALSE(p.rho_known[1]);
}

static void test_the_same_poses_give_the_same_bits(void)
{
    static struct vision_state other;

    tumble_draw(&body, &tumble_paper, 9);
    (void)feed(0, 60.0);
    other = state;
    setUp();
    (void)feed(0, 60.0);
    TEST_ASSERT_EQUAL_MEMORY(&other.now, &state.now, sizeof state.now);
}

static void test_a_model_out_of_range_is_refused(void)
{
    struct vision_model m = model;

    TEST_ASSERT_EQUAL_INT(0, vision_check(&m));
    m.fit.target.orbit_radps = NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, vision_check(&m));
    m = model;
    m.fit.size = WINDOW_MAX + 1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, vision_check(&m));
    m = model;
    m.gate = 0.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, vision_check(&m));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_twenty_runs_are_as_good_as_the_whole_history);
    RUN_TEST(test_modes_follow_the_poses);
    RUN_TEST(test_validity_ends_once);
    RUN_TEST(test_a_blocked_lens_of_six_wrong_poses_is_survived);
    RUN_TEST(test_a_target_that_was_pushed_is_found_again);
    RUN_TEST(test_late_poses_wait_for_the_next_fit);
    RUN_TEST(test_clocks_that_disagree_are_told);
    RUN_TEST(test_numbers_that_are_none_are_refused);
    RUN_TEST(test_the_expected_one_of_two_solutions_is_taken);
    RUN_TEST(test_what_the_motion_does_not_show_is_unknown);
    RUN_TEST(test_the_same_poses_give_the_same_bits);
    RUN_TEST(test_a_model_out_of_range_is_refused);
    return UNITY_END();
}
