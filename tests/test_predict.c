/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_predict.c - the estimate in the control cycle: exact, smooth, honest about its end. */
#include "estimation/predict.h"

#include <math.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tests/campaign.h"
#include "tests/draw.h"
#include "unity.h"

#define MS 1000000

static struct tumble body;
static struct vision_state state;
static struct vision_model model;
static struct predict_model smooth;
static struct predict_state cycle;
static struct predict_snapshot shot;

void setUp(void)
{
    campaign_model(&model, &tumble_paper);
    predict_defaults(&smooth);
    predict_init(&cycle);
    memset(&shot, 0, sizeof shot);
    vision_init(&model, &state);
    vision_enable(&model, &state);
    tumble_draw(&body, &tumble_paper, 21);
}

void tearDown(void)
{
}

static int feed(int from, int64_t until_ns)
{
    while (from < body.count && body.pose[from].receive_ns <= until_ns) {
        (void)vision_input(&model, &state, &body.pose[from++]);
    }
    return from;
}

/* Nobody sees more in the cycle than in the helper: after 20 s of 1 ms steps the pose is the filter's own. */
static void test_the_cycle_arrives_where_the_filter_does(void)
{
    struct predict_output o = {0};
    struct vision_output v;
    double q[4];

    model.silence_s = 100.0; /* no fit in between */
    (void)feed(0, 60000ll * MS);
    predict_publish(&shot, &model, &state, 60005ll * MS);
    for (int64_t t = 60001; t <= 80000; t++) {
        predict_step(&smooth, &cycle, &shot, t * MS, &o);
    }
    (void)vision_output(&model, &state, 80000ll * MS, &v);
    so3_to_quat(q, o.pose.R);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, tumble_angle(v.q, q));
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, tumble_distance(v.p, o.pose.p));
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, tumble_distance(v.w, o.rate));
    mat_vec3(q, o.pose.R, o.velocity);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, tumble_distance(v.v, q));
}

/* A whole run with a publication after each pose: what is given out moves by its own velocity, and nothing else. */
static void test_nothing_steps_when_estimates_change_over(void)
{
    struct predict_output o, last = {0};
    double step = 0.0, turn = 0.0, kick = 0.0;
    int next = 0;
    bool any = false;

    for (int64_t t = 5000; t < 100000; t++) {
        const int before = next;

        next = feed(next, t * MS);
        if (next > before || t % 500 == 0) {
            predict_publish(&shot, &model, &state, (t + 5) * MS);
        }
        predict_step(&smooth, &cycle, &shot, t * MS, &o);
        if (any && o.valid && last.valid && !o.jumped) {
            double p[3], e[3], R[9];

            mat_vec3(p, last.pose.R, last.velocity);
            mat_scale(p, 1e-3, p, 3);
            mat_add(p, p, last.pose.p, 3);
            step = draw_greater(step, tumble_distance(p, o.pose.p));
            mat_mul3_tn(R, last.pose.R, o.pose.R);
            so3_log(e, R);
            mat_scale(p, 1e-3, last.velocity + 3, 3);
            turn = draw_greater(turn, tumble_distance(p, e));
            kick = draw_greater(kick, tumble_distance(last.velocity + 3, o.velocity + 3));
        }
        any = any || o.valid;
        last = o;
    }
    TEST_ASSERT_TRUE(any);
    /* a change-over of 30 mm, 5 deg makes at most x / tau^2 of acceleration: half of it times (1 ms)^2 */
    TEST_ASSERT_TRUE(step < 0.5e-6 * 0.030 / 0.04 + 1e-7);
    TEST_ASSERT_TRUE(turn < 0.5e-6 * 0.0873 / 0.04 + 1e-6);
    TEST_ASSERT_TRUE(kick < 1e-3 * (0.0873 / 0.04 + 0.1 / 0.1));
}

static void test_a_large_difference_is_told_not_hidden(void)
{
    struct predict_output o;

    (void)feed(0, 60000ll * MS);
    predict_publish(&shot, &model, &state, 60001ll * MS);
    predict_step(&smooth, &cycle, &shot, 60001ll * MS, &o);
    TEST_ASSERT_TRUE(o.valid);
    TEST_ASSERT_FALSE(o.jumped);
    shot.number++;
    shot.time_ns += 1 * MS;
    shot.x.r[0] += 0.031;
    predict_step(&smooth, &cycle, &shot, 60002ll * MS, &o);
    TEST_ASSERT_TRUE(o.jumped);
    TEST_ASSERT_EQUAL_UINT32(1, cycle.jumps);
    predict_step(&smooth, &cycle, &shot, 60003ll * MS, &o);
    TEST_ASSERT_FALSE(o.jumped);
}

static void test_validity_ends_on_time_in_the_cycle(void)
{
    struct predict_output o;

    (void)feed(0, 60000ll * MS);
    predict_publish(&shot, &model, &state, 60001ll * MS);
    shot.valid_until_ns = 60010ll * MS;
    for (int64_t t = 60001; t <= 60020; t++) {
        predict_step(&smooth, &cycle, &shot, t * MS, &o);
        TEST_ASSERT_EQUAL_INT(t <= 60010, o.valid);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1e-3 * (double)(t - 60000), o.age_s);
    }
}

static void test_holes_and_lateness_end_the_prediction(void)
{
    struct predict_output o;

    (void)feed(0, 60000ll * MS);
    predict_publish(&shot, &model, &state, 60001ll * MS);
    predict_step(&smooth, &cycle, &shot, 60001ll * MS, &o);
    predict_step(&smooth, &cycle, &shot, 60051ll * MS, &o);
    TEST_ASSERT_TRUE(o.valid); /* 50 ms is one step */
    predict_step(&smooth, &cycle, &shot, 60251ll * MS, &o);
    TEST_ASSERT_FALSE(o.valid);
    predict_publish(&shot, &model, &state, 60100ll * MS);
    predict_step(&smooth, &cycle, &shot, 60252ll * MS, &o);
    TEST_ASSERT_FALSE(o.valid);
    TEST_ASSERT_EQUAL_UINT32(1, cycle.late);
    predict_publish(&shot, &model, &state, 60255ll * MS);
    predict_step(&smooth, &cycle, &shot, 60253ll * MS, &o);
    TEST_ASSERT_FALSE(o.valid);
    predict_step(&smooth, &cycle, &shot, 60255ll * MS, &o);
    TEST_ASSERT_TRUE(o.valid);
    predict_step(&smooth, &cycle, &shot, 60200ll * MS, &o);
    TEST_ASSERT_FALSE(o.valid); /* the clock ran back */
}

static void test_nothing_published_is_not_valid(void)
{
    struct predict_output o;

    predict_step(&smooth, &cycle, NULL, 5 * MS, &o);
    TEST_ASSERT_FALSE(o.valid);
    predict_publish(&shot, &model, &state, 6 * MS);
    predict_step(&smooth, &cycle, &shot, 6 * MS, &o);
    TEST_ASSERT_FALSE(o.valid);
    TEST_ASSERT_EQUAL_INT(VISION_INIT, o.mode);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_cycle_arrives_where_the_filter_does);
    RUN_TEST(test_nothing_steps_when_estimates_change_over);
    RUN_TEST(test_a_large_difference_is_told_not_hidden);
    RUN_TEST(test_validity_ends_on_time_in_the_cycle);
    RUN_TEST(test_holes_and_lateness_end_the_prediction);
    RUN_TEST(test_nothing_published_is_not_valid);
    return UNITY_END();
}
