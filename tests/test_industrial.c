/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The six-axis robot: the inverse must give back the pose in every branch, and the forward way must agree with the multibody engine on robot
 * descriptions written from the makers' joint frames.
 *
 *     test_industrial 1000000      this many random poses instead of 20,000, and the time of a call */
#include "model/industrial_inverse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/so3.h"
#include "rt/build.h"
#include "tests/draw.h"

#include "unity.h"

#define DEG (BASE_PI / 180.0)

static const char *const names[] = {"kr120-r2700-2", "kr120-r2500-pro"};
static int poses = 20000;
static struct industrial_model m;

void setUp(void)
{
    m = *industrial_find(names[0]);
    TEST_ASSERT_EQUAL(0, industrial_init(&m, NULL));
}

void tearDown(void)
{
}

/* Greater of the two distances of two poses, m and rad. */
static double apart(const struct pose *a, const struct pose *b)
{
    double turn[9], w[3];

    mat_mul3_tn(turn, a->R, b->R);
    so3_log(w, turn);
    return draw_greater(draw_distance(a->p, b->p, 3), mat_norm3(w));
}

static void draw_axes(struct draw *d, double a[static INDUSTRIAL_AXES])
{
    for (int i = 0; i < INDUSTRIAL_AXES; i++) {
        a[i] = draw_uniform(d, m.lower_rad[i], m.upper_rad[i]);
    }
}

/* ---- inverse ---- */

static void test_every_branch_of_a_random_pose_is_the_pose(void)
{
    struct draw d = {.state = 11};
    long branches = 0, full = 0;
    double worst = 0.0;

    for (int n = 0; n < poses; n++) {
        double a[INDUSTRIAL_AXES], near[INDUSTRIAL_AXES];
        struct industrial_inverse s;
        struct pose wanted, got;
        double back = HUGE_VAL;

        draw_axes(&d, a);
        draw_axes(&d, near);
        industrial_forward(&wanted, &m, a);
        industrial_inverse(&s, &m, &wanted, near);
        full += s.exists == 0xff;
        for (int b = 0; b < INDUSTRIAL_BRANCHES; b++) {
            if ((s.exists >> b & 1u) == 0) {
                continue;
            }
            industrial_forward(&got, &m, s.axis_rad[b]);
            worst = draw_greater(worst, apart(&wanted, &got));
            branches++;
            double far = 0.0;

            for (int i = 0; i < INDUSTRIAL_AXES; i++) {
                const double turns = (s.axis_rad[b][i] - a[i]) / (2.0 * BASE_PI);

                far = draw_greater(far, fabs(turns - floor(turns + 0.5)));
            }
            back = fmin(back, far);
        }
        /* the axes the pose was made with are one of the branches; near singular they are known less well */
        TEST_ASSERT_TRUE_MESSAGE(back < 1e-5, "the axes it came from are no branch");
        TEST_ASSERT_TRUE(s.beyond_m < 1e-14);
    }
    printf("  %d poses, %ld branches, %ld with all eight: worst %.2g m or rad\n", poses, branches,
           full, worst);
    TEST_ASSERT_TRUE(worst < 1e-12);
    TEST_ASSERT_TRUE(full > poses / 20);
}

static void test_the_eight_branches_differ(void)
{
    const double a[INDUSTRIAL_AXES] = {0.3, -1.6, 1.5, 0.4, 0.7, -0.2};
    struct industrial_inverse s;
    struct pose g;

    industrial_forward(&g, &m, a);
    industrial_inverse(&s, &m, &g, a);
    TEST_ASSERT_EQUAL_HEX(0xff, s.exists);
    for (int b = 0; b < INDUSTRIAL_BRANCHES; b++) {
        for (int c = 0; c < b; c++) {
            TEST_ASSERT_TRUE(draw_distance(s.axis_rad[b], s.axis_rad[c], 6) > 0.1);
        }
    }
}

static void test_singular_poses_are_met_too(void)
{
    /* axes 4 and 6 in line; arm stretched (wrist at the elbow angle); wrist on axis 1 */
    const double cases[][INDUSTRIAL_AXES] = {
        {0.2, -1.0, 0.8, 0.7, 0.0, 0.3},     {0.2, -1.0, 0.8, 0.7, 1e-9, 0.3},
        {0.2, -1.0, 0.8, 0.7, -1e-13, 0.3},  {0.2, -1.0, 0.093982, 0.7, 0.5, 0.3},
        {0.2, -1.0, 0.0939823, 0.0, 0.0, 0}, {0, -1.5707963267948966, 1.5707963267948966, 0, 0, 0}};

    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct industrial_inverse s;
        struct pose g, got;
        int b;

        industrial_forward(&g, &m, cases[k]);
        industrial_inverse(&s, &m, &g, cases[k]);
        b = industrial_nearest(&s, cases[k]);
        TEST_ASSERT_TRUE(b >= 0);
        /* rounding of the pose, 1e-16, over the 1e-13 rad of axis 5 that tell 4 from 6 */
        TEST_ASSERT_TRUE(draw_distance(s.axis_rad[b], cases[k], 6) < 1e-2);
        for (b = 0; b < INDUSTRIAL_BRANCHES; b++) {
            if ((s.exists >> b & 1u) != 0) {
                industrial_forward(&got, &m, s.axis_rad[b]);
                TEST_ASSERT_TRUE(apart(&g, &got) < 1e-12);
            }
        }
    }
}

static void test_wrist_on_axis_1_keeps_that_axis(void)
{
    struct pose g = {{1, 0, 0, 0, -1, 0, 0, 0, -1}, {0, 0, 1.2}}; /* flange downwards */
    const double near[INDUSTRIAL_AXES] = {0.77, -1.5, 2, 0, 0.1, 0};
    struct industrial_inverse s;
    int found = 0;

    industrial_inverse(&s, &m, &g, near);
    for (int b = 0; b < INDUSTRIAL_BRANCHES; b++) {
        if ((s.exists >> b & 1u) != 0 && fabs(s.axis_rad[b][0] - near[0]) < 1e-12) {
            found++;
        }
    }
    TEST_ASSERT_TRUE(found > 0);
}

static void test_a_path_is_followed_without_a_jump_through_more_than_one_turn(void)
{
    double a[INDUSTRIAL_AXES] = {-2.5, -1.9, 1.7, -5.0, 0.6, -4.5}, near[INDUSTRIAL_AXES];

    mat_copy(near, a, 6);
    for (int k = 0; k < 4000; k++) {
        struct industrial_inverse s;
        struct pose g;
        int b;

        a[0] += 0.00125;
        a[1] += 0.0002;
        a[3] += 0.0025; /* from -286 to 286 deg */
        a[5] += 0.00225;
        a[4] = 0.6 + 0.5 * sin(0.003 * k);
        industrial_forward(&g, &m, a);
        industrial_inverse(&s, &m, &g, near);
        b = industrial_nearest(&s, near);
        TEST_ASSERT_TRUE(b >= 0 && (s.inside >> b & 1u) != 0);
        TEST_ASSERT_TRUE(draw_distance(s.axis_rad[b], a, 6) < 1e-9);
        mat_copy(near, s.axis_rad[b], 6);
    }
}

static void test_whole_turns_stay_within_the_range(void)
{
    struct draw d = {.state = 5};

    for (int n = 0; n < 2000; n++) {
        double a[INDUSTRIAL_AXES], near[INDUSTRIAL_AXES];
        struct industrial_inverse s;
        struct pose g;
        int b;

        draw_axes(&d, a);
        draw_vector(&d, near, 6, 20.0);
        industrial_forward(&g, &m, a);
        industrial_inverse(&s, &m, &g, near);
        TEST_ASSERT_TRUE(s.inside != 0);
        TEST_ASSERT_EQUAL_HEX(s.inside, s.inside & s.exists);
        b = industrial_roomiest(&s, &m);
        for (int i = 0; i < INDUSTRIAL_AXES; i++) {
            TEST_ASSERT_TRUE(s.axis_rad[b][i] >= m.lower_rad[i]);
            TEST_ASSERT_TRUE(s.axis_rad[b][i] <= m.upper_rad[i]);
        }
    }
}

static void test_out_of_reach_says_by_how_much(void)
{
    const double near[INDUSTRIAL_AXES] = {0, -1.5, 1.5, 0, 0.1, 0};
    struct pose g = {{0, 0, 1, 0, 1, 0, -1, 0, 0}, {0, 0, 0}}; /* flange forwards */
    struct industrial_inverse s;

    g.p[0] = m.offset_m + m.reach_m[1] + m.flange_m + 0.25;
    g.p[2] = m.height_m;
    industrial_inverse(&s, &m, &g, near);
    TEST_ASSERT_EQUAL(0, s.exists);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25, s.beyond_m);
    TEST_ASSERT_EQUAL(-1, industrial_nearest(&s, near));
    TEST_ASSERT_EQUAL(-1, industrial_roomiest(&s, &m));
}

static void test_a_pose_that_is_no_number_has_no_branch(void)
{
    const double near[INDUSTRIAL_AXES] = {0};
    struct pose g = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, (double)NAN}};
    struct industrial_inverse s;

    industrial_inverse(&s, &m, &g, near);
    TEST_ASSERT_EQUAL(0, s.exists);
    g.p[2] = 1.0;
    g.R[4] = (double)INFINITY;
    industrial_inverse(&s, &m, &g, near);
    TEST_ASSERT_EQUAL(0, s.exists);
}

/* ---- forward ---- */

static void test_forward_agrees_with_the_engine_on_other_frames(void)
{
    struct urdf *u = calloc(1, sizeof *u);
    struct build_robot *r = calloc(1, sizeof *r);
    struct multibody_work *w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    struct draw d = {.state = 21};
    struct errors e;

    for (size_t k = 0; k < COUNT_OF(names); k++) {
        char path[64];
        double worst = 0.0;

        m = *industrial_find(names[k]);
        TEST_ASSERT_EQUAL(0, industrial_init(&m, NULL));
        errors_init(&e);
        (void)snprintf(path, sizeof path, "tests/good/%s.urdf", names[k]);
        TEST_ASSERT_EQUAL(0, build_open(r, u, &e, path, MULTIBODY_FIXED));
        for (int n = 0; n < 500; n++) {
            double a[MULTIBODY_JOINTS] = {0};
            struct pose ours, theirs;

            draw_axes(&d, a);
            industrial_forward(&ours, &m, a);
            multibody_kinematics(&r->model, w, a);
            multibody_frame_pose(&theirs, w, &r->frame[build_find_frame(r, "flange")].at);
            worst = draw_greater(worst, apart(&ours, &theirs));
        }
        TEST_ASSERT_TRUE(worst < 1e-13);
    }
    free(u);
    free(r);
    free(w);
}

/* By hand: A2 -90, A3 90 is the upper arm upright and the forearm level. Flange z forwards, x down. */
static void test_the_home_position_of_the_pendant(void)
{
    const double a[INDUSTRIAL_AXES] = {0, -90 * DEG, 90 * DEG, 0, 0, 0};
    const double p[3] = {0.33 + 1.22 + 0.215, 0, 0.645 + 1.15 + 0.115};
    const double R[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
    struct pose g;

    industrial_forward(&g, &m, a);
    TEST_ASSERT_TRUE(draw_distance(g.p, p, 3) < 1e-14);
    TEST_ASSERT_TRUE(draw_distance(g.R, R, 9) < 1e-14);
}

static void test_positive_axis_1_turns_clockwise_from_above(void)
{
    const double a[INDUSTRIAL_AXES] = {90 * DEG, -90 * DEG, 90 * DEG, 0, 0, 0};
    struct pose g;

    industrial_forward(&g, &m, a);
    TEST_ASSERT_TRUE(g.p[1] < -1.7);
}

static void test_signs_and_zeros_of_another_maker(void)
{
    const double home[INDUSTRIAL_AXES] = {0, -90 * DEG, 90 * DEG, 0, 0, 0}, zero[6] = {0};
    struct pose kuka, other;

    industrial_forward(&kuka, &m, home);
    for (int i = 0; i < INDUSTRIAL_AXES; i++) {
        m.sign[i] = 1;
        m.zero_rad[i] = home[i];
    }
    industrial_forward(&other, &m, zero);
    TEST_ASSERT_TRUE(apart(&kuka, &other) < 1e-14);
    struct industrial_inverse s;

    industrial_inverse(&s, &m, &other, zero);
    TEST_ASSERT_TRUE(draw_distance(s.axis_rad[industrial_nearest(&s, zero)], zero, 6) < 1e-12);
}

/* ---- rates ---- */

/* Axes a + b t + c t^2 / 2: the twist of the flange by differences, and its change, against the Jacobian and back. */
static void test_rates_agree_with_differences(void)
{
    struct draw d = {.state = 8};
    const double h = 1e-4;

    for (int n = 0; n < 300; n++) {
        double a[6], b[6], c[6], V[3][6], J[36], JV[6], Vdot[6], speed[6], acceleration[6];
        struct pose g[5], between;
        struct industrial_shape s;
        struct industrial_distance away;

        draw_axes(&d, a);
        draw_vector(&d, b, 6, 1.0);
        draw_vector(&d, c, 6, 2.0);
        industrial_distance(&away, &m, a);
        if (away.wrist_rad < 0.2 || away.elbow_rad < 0.2 || away.overhead_m < 0.2) {
            continue;
        }
        for (int k = 0; k < 5; k++) {
            const double t = h * (k - 2);
            double x[6];

            for (int i = 0; i < 6; i++) {
                x[i] = a[i] + b[i] * t + 0.5 * c[i] * t * t;
            }
            industrial_forward(&g[k], &m, x);
        }
        for (int k = 0; k < 3; k++) {
            se3_relative(&between, &g[k], &g[k + 2]);
            se3_log(V[k], &between);
            mat_scale(V[k], 1.0 / (2.0 * h), V[k], 6);
        }
        industrial_shape(&s, &m, a);
        industrial_jacobian(J, &s);
        mat_vec6(JV, J, b);
        TEST_ASSERT_TRUE(draw_distance(JV, V[1], 6) < 1e-6); /* h^2 times third derivatives */
        mat_sub(Vdot, V[2], V[0], 6);
        mat_scale(Vdot, 1.0 / (2.0 * h), Vdot, 6);
        TEST_ASSERT_TRUE(industrial_rates(speed, acceleration, &s, JV, Vdot));
        TEST_ASSERT_TRUE(draw_distance(speed, b, 6) < 1e-9);
        TEST_ASSERT_TRUE(draw_distance(acceleration, c, 6) < 1e-4);
    }
}

static void test_rates_say_that_they_are_at_a_singularity(void)
{
    const double a[INDUSTRIAL_AXES] = {0, -90 * DEG, 90 * DEG, 0, 0, 0};
    const double V[6] = {0, 0, 0, 0, 0.1, 0.1}, rest[6] = {0};
    double speed[6], acceleration[6];
    struct industrial_shape s;

    industrial_shape(&s, &m, a);
    TEST_ASSERT_FALSE(industrial_rates(speed, acceleration, &s, V, rest));
    TEST_ASSERT_TRUE(base_all_finite(speed, 6) && base_all_finite(acceleration, 6));
}

static void test_distances_from_singularities(void)
{
    double a[INDUSTRIAL_AXES] = {0, -90 * DEG, 90 * DEG, 0, -7 * DEG, 0};
    struct industrial_distance d;

    industrial_distance(&d, &m, a);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 7 * DEG, d.wrist_rad);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.33 + 1.22, d.overhead_m);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 90 * DEG - atan2(0.115, 1.22), d.elbow_rad);
    a[2] = atan2(0.115, 1.22);
    industrial_distance(&d, &m, a);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, d.elbow_rad);
}

/* ---- refusals ---- */

static void expect_refused(const char *words)
{
    const char *what = NULL;

    TEST_ASSERT_EQUAL(-EINVAL, industrial_init(&m, &what));
    TEST_ASSERT_EQUAL_STRING(words, what);
    setUp();
}

static void test_robots_that_cannot_be_are_refused(void)
{
    m.upper_m = 0;
    expect_refused("the upper arm must be longer than 1 mm");
    m.upper_m = (double)NAN;
    expect_refused("the upper arm must be longer than 1 mm");
    m.forearm_m = m.elbow_m = 0;
    expect_refused("the wrist must be more than 1 mm from axis 3");
    m.flange_m = (double)INFINITY;
    expect_refused("lengths must be finite and below 100 m");
    m.sign[3] = 0.5;
    expect_refused("the sign of an axis must be 1 or -1");
    m.zero_rad[2] = (double)NAN;
    expect_refused("the zero of an axis must be within a turn");
    m.lower_rad[1] = m.upper_rad[1] + 1;
    expect_refused("the range of an axis must end above where it begins");
    m.speed_radps[5] = 0;
    expect_refused("greatest speed and acceleration of an axis must be above zero");
    TEST_ASSERT_NULL(industrial_find("kr999"));
}

/* Not a test: only when a number of poses is asked for. */
static void measure(void)
{
    enum { CALLS = 1000, ROUNDS = 201 };
    static struct pose g[CALLS];
    static double took[ROUNDS];
    const double near[INDUSTRIAL_AXES] = {0, -1.5, 1.5, 0, 0.1, 0};
    struct industrial_inverse s;
    struct draw d = {.state = 3};
    unsigned seen = 0;

    for (int i = 0; i < CALLS; i++) {
        double a[INDUSTRIAL_AXES];

        draw_axes(&d, a);
        industrial_forward(&g[i], &m, a);
    }
    for (int r = 0; r < ROUNDS; r++) {
        struct timespec from, to;

        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        for (int i = 0; i < CALLS; i++) {
            industrial_inverse(&s, &m, &g[i], near);
            seen ^= s.exists;
        }
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        took[r] = 1e6 *
                  ((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec)) /
                  CALLS;
        for (int k = r; k > 0 && took[k] < took[k - 1]; k--) {
            const double x = took[k];

            took[k] = took[k - 1];
            took[k - 1] = x;
        }
    }
    printf("  industrial_inverse, all branches: %.2f us p50, %.2f us p95 of means over %d calls "
           "(%x)\n",
           took[ROUNDS / 2], took[ROUNDS * 95 / 100], CALLS, seen);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        poses = atoi(argv[1]);
    }
    UNITY_BEGIN();
    RUN_TEST(test_every_branch_of_a_random_pose_is_the_pose);
    RUN_TEST(test_the_eight_branches_differ);
    RUN_TEST(test_singular_poses_are_met_too);
    RUN_TEST(test_wrist_on_axis_1_keeps_that_axis);
    RUN_TEST(test_a_path_is_followed_without_a_jump_through_more_than_one_turn);
    RUN_TEST(test_whole_turns_stay_within_the_range);
    RUN_TEST(test_out_of_reach_says_by_how_much);
    RUN_TEST(test_a_pose_that_is_no_number_has_no_branch);
    RUN_TEST(test_forward_agrees_with_the_engine_on_other_frames);
    RUN_TEST(test_the_home_position_of_the_pendant);
    RUN_TEST(test_positive_axis_1_turns_clockwise_from_above);
    RUN_TEST(test_signs_and_zeros_of_another_maker);
    RUN_TEST(test_rates_agree_with_differences);
    RUN_TEST(test_rates_say_that_they_are_at_a_singularity);
    RUN_TEST(test_distances_from_singularities);
    RUN_TEST(test_robots_that_cannot_be_are_refused);
    if (argc > 1) {
        setUp();
        measure();
    }
    return UNITY_END();
}
