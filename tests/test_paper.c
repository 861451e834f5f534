/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_paper.c - the paper's filter: right in its equations (consistent when started at the truth), poor from nothing. */
#include "estimation/paper.h"

#include "model/mat.h"
#include "model/so3.h"
#include "tests/campaign.h"
#include "unity.h"

static struct tumble body;
static struct paper_state state;
static struct paper_model model;

void setUp(void)
{
    paper_defaults(&model);
    model.orbit_radps = tumble_paper.orbit_radps;
    model.sigma_tau = 1e-5;
    paper_init(&state);
}

void tearDown(void)
{
}

/* Truth at the first image, in the paper's terms. */
static void start_at_truth(void)
{
    struct target_state x = body.start;
    const struct target_model m = {tumble_paper.orbit_radps, 1e-5, 1e-5};
    double M[9], l[3], B[9], T[9], conjugate[4];

    target_step(&m, &x, (double)body.pose[0].image_ns * 1e-9);
    target_inertia(M, x.d);
    mat_eigen3(l, B, M);
    mat_transpose3(T, B);
    so3_to_quat(state.eta, T);
    mat_scale(conjugate, -1.0, state.eta, 3);
    conjugate[3] = state.eta[3];
    so3_quat_mul(state.q, x.mu, conjugate);
    mat_vec3(state.w, T, x.w);
    mat_vec3(state.rho, T, x.rho);
    mat_copy(state.r, x.r, 3);
    mat_copy(state.v, x.v, 3);
    for (int i = 0; i < 3; i++) {
        state.p[i] = (l[(i + 1) % 3] - l[(i + 2) % 3]) / l[i];
    }
    for (int i = 0; i < PAPER_ERRORS; i++) {
        state.P[(PAPER_ERRORS + 1) * i] = 1e-6;
    }
    state.poses = 1;
    state.time_ns = body.pose[0].image_ns;
}

static void test_started_at_the_truth_it_is_consistent(void)
{
    double sum = 0.0;
    int n = 0;

    for (uint64_t seed = 1; seed <= 5; seed++) {
        setUp();
        tumble_draw(&body, &tumble_paper, seed);
        start_at_truth();
        for (int i = 1; i < body.count; i++, n++) {
            TEST_ASSERT_TRUE(paper_input(&model, &state, &body.pose[i]));
            sum += state.distance;
        }
    }
    /* mean of 905 chi-squares of 6: 6 +- 0.35 at 3 sigma */
    TEST_ASSERT_DOUBLE_WITHIN(0.4, 6.0, sum / n);
}

static void test_from_nothing_it_is_worse_than_ours(void)
{
    static struct vision_state ours;
    static struct campaign_run run;
    struct vision_model m;
    double a[9], b[9];

    campaign_model(&m, &tumble_paper);
    for (int i = 0; i < 9; i++) {
        run.state = &ours;
        tumble_draw(&body, &tumble_paper, 50 + (uint64_t)i);
        campaign_run(&run, &m, &body, true);
        a[i] = run.paper.position;
        b[i] = run.ours[3].position;
    }
    TEST_ASSERT_TRUE(campaign_quantile(a, 9, 0.5) > 2.0 * campaign_quantile(b, 9, 0.5));
}

static void test_poses_out_of_order_are_left_out(void)
{
    struct vision_output o;

    tumble_draw(&body, &tumble_paper, 1);
    TEST_ASSERT_FALSE(paper_output(&model, &state, 0, &o));
    TEST_ASSERT_TRUE(paper_input(&model, &state, &body.pose[1]));
    TEST_ASSERT_FALSE(paper_input(&model, &state, &body.pose[0]));
    TEST_ASSERT_TRUE(paper_output(&model, &state, body.pose[2].image_ns, &o));
    TEST_ASSERT_FALSE(o.valid);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_started_at_the_truth_it_is_consistent);
    RUN_TEST(test_from_nothing_it_is_worse_than_ours);
    RUN_TEST(test_poses_out_of_order_are_left_out);
    return UNITY_END();
}
