/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What freefall check adds to the simulation: the cell, distances of rods, margins along a track, dispersions, remedies. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mat.h"
#include "tests/draw.h"
#include "tools/capsule.h"
#include "tools/feasible.h"

#include "unity.h"

static struct config *c;
static struct cell cell;
static struct margin_limits limits;
static struct margin_report report;
static FILE *messages;
static char *said;
static size_t said_size;

void setUp(void)
{
    c = calloc(1, sizeof *c);
    said = NULL;
    messages = open_memstream(&said, &said_size);
    TEST_ASSERT_EQUAL(0, config_read(c, "config/envisat.yaml", messages));
    TEST_ASSERT_EQUAL(0, cell_build(&cell, c, messages));
    margin_limits(&limits, c);
    margin_clear(&report);
}

void tearDown(void)
{
    (void)fclose(messages);
    free(said);
    free(c);
}

static void set(const char *assignment)
{
    TEST_ASSERT_EQUAL_MESSAGE(0, config_set(c, assignment, stderr), assignment);
}

/* ---- cell ---- */

static void test_the_bodies_hang_where_the_calibration_says(void)
{
    /* the client's flange is 50 mm behind the force sensor, on the same axis, looking along x of the client */
    const double sensor[3] = {2.4863, 0, 1.312}, out[3] = {0, 0, 0.05};
    double x[3], z[3] = {0, 0, 1};

    se3_point(x, &cell.flange_in[CELL_CLIENT], out);
    TEST_ASSERT_TRUE(draw_distance(x, sensor, 3) < 1e-12);
    mat_vec3(z, cell.flange_in[CELL_CLIENT].R, z);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, z[0]);
}

static void test_the_way_round_the_cell_closes(void)
{
    struct draw d = {.state = 2};

    for (int n = 0; n < 100; n++) {
        const int i = n % 2;
        double u[6];
        struct pose body, flange, lab, again;

        draw_vector(&d, u, 6, 1.0);
        se3_exp(&body, u);
        cell_flange(&flange, &cell, i, &body);
        se3_mul(&lab, &cell.base[i], &flange);
        se3_mul(&again, &lab, &cell.body[i]);
        TEST_ASSERT_TRUE(draw_distance(again.p, body.p, 3) < 1e-13);
        TEST_ASSERT_TRUE(draw_distance(again.R, body.R, 9) < 1e-13);
    }
}

static void test_a_table_in_the_file_is_the_robot_it_describes(void)
{
    const double a[INDUSTRIAL_AXES] = {0.1, -1.2, 1.3, 0.4, 0.5, 0.6};
    struct pose known, table;

    industrial_forward(&known, &cell.robot, a);
    set("cell.robot=table");
    TEST_ASSERT_EQUAL(0, cell_build(&cell, c, messages));
    industrial_forward(&table, &cell.robot, a);
    TEST_ASSERT_TRUE(draw_distance(known.p, table.p, 3) < 1e-15);
    set("cell.forearm=1.32 m");
    TEST_ASSERT_EQUAL(0, cell_build(&cell, c, messages));
    industrial_forward(&table, &cell.robot, a);
    mat_sub(known.p, known.p, table.p, 3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, mat_norm3(known.p));
}

static void expect_no_cell(const char *assignment, const char *words)
{
    set(assignment);
    TEST_ASSERT_EQUAL(-EINVAL, cell_build(&cell, c, messages));
    (void)fflush(messages);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, words), said);
}

static void test_impossible_tables_are_refused_with_the_reason(void)
{
    set("cell.robot=table");
    expect_no_cell("cell.upper_arm=0 m", "the upper arm must be longer than 1 mm");
    set("cell.upper_arm=1 m");
    expect_no_cell("cell.sign=1 1 0 1 1 1", "the sign of an axis must be 1 or -1");
    set("cell.sign=1 1 1 1 1 1");
    expect_no_cell("cell.upper=-200 0 0 0 0 0 deg", "must end above where it begins");
}

/* ---- rods ---- */

static void test_rods_are_as_near_as_their_nearest_points(void)
{
    struct draw d = {.state = 9};

    for (int n = 0; n < 200; n++) {
        double x[4][3], least = HUGE_VAL;

        for (int k = 0; k < 4; k++) {
            draw_vector(&d, x[k], 3, 1.0);
        }
        if (n % 10 == 0) { /* parallel */
            for (int i = 0; i < 3; i++) {
                x[3][i] = x[2][i] + 0.7 * (x[1][i] - x[0][i]);
            }
        }
        for (int s = 0; s <= 100; s++) {
            for (int t = 0; t <= 100; t++) {
                double p[3];

                for (int i = 0; i < 3; i++) {
                    p[i] = x[0][i] + 0.01 * s * (x[1][i] - x[0][i]) - x[2][i] -
                           0.01 * t * (x[3][i] - x[2][i]);
                }
                least = fmin(least, mat_norm3(p));
            }
        }
        const double got = capsule_distance(x[0], x[1], x[2], x[3]);

        TEST_ASSERT_TRUE(got <= least + 1e-12);
        TEST_ASSERT_TRUE(got > least - 0.03); /* grid of 0.01 on rods up to 3.5 m */
    }
}

static void test_robots_side_by_side_are_apart_by_their_distance(void)
{
    const double a[INDUSTRIAL_AXES] = {0, -1.2, 1.3, 0, 0.5, 0};
    struct industrial_shape s;

    industrial_shape(&s, &cell.robot, a);
    cell.base[CELL_SERVICER] = cell.base[CELL_CLIENT];
    cell.base[CELL_SERVICER].p[1] += 2.0; /* beside it, in the same posture */
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0 - 2.0 * cell.radius_m, capsule_robots_gap(&cell, &s, &s));
}

/* ---- margins ---- */

/* A track on which both flanges begin in a posture of the arm and go on straight with v, lab axes; nothing turns. */
static void make_track(struct margin_track *t, const double a[static INDUSTRIAL_AXES],
                       const double v[static 3], int count)
{
    t->sample = calloc((size_t)count, sizeof *t->sample);
    t->count = t->most = count;
    t->duration_s = 0.01 * count;
    t->run = 0;
    t->stopped = false;
    for (int i = 0; i < CELL_ROBOTS; i++) {
        struct pose flange, lab, body;

        industrial_forward(&flange, &cell.robot, a);
        se3_mul(&lab, &cell.base[i], &flange);
        se3_mul(&body, &lab, &cell.body[i]);
        for (int k = 0; k < count; k++) {
            struct margin_sample *s = &t->sample[k];

            s->time_s = 0.01 * k;
            s->body[i].pose = body;
            mat_add_scaled(s->body[i].pose.p, s->time_s, v, 3);
            mat_vec3_t(s->body[i].velocity, body.R, v);
        }
    }
}

static const double nowhere[3] = {0.0};
static const double posture[INDUSTRIAL_AXES] = {0, -1.9, 1.9, 0, 0.6, 0};

/* Up at 0.1 m/s: the wrist leaves the sphere of its reach about axis 2, by school geometry. */
static void test_a_robot_going_up_is_out_of_reach_when_geometry_says(void)
{
    const double v[3] = {0, 0, 0.1};
    struct margin_track t;
    struct industrial_shape s;
    double x, z, reach, when;

    limits.singular_rad = 0.0; /* stretched is what this is about */
    limits.joint_rad = -100.0;
    limits.share = 1e9;
    make_track(&t, posture, v, 2000);
    industrial_shape(&s, &cell.robot, posture);
    x = s.at[3][0] - s.at[1][0];
    z = s.at[3][2] - s.at[1][2];
    reach = cell.robot.reach_m[1] - limits.reach_m;
    when = (sqrt(reach * reach - x * x) - z) / 0.1;
    margin_walk(&report, &cell, &limits, &t, nowhere, 1);
    TEST_ASSERT_TRUE(report.first[CELL_CLIENT].seen);
    TEST_ASSERT_EQUAL(MARGIN_REACH, report.kind[CELL_CLIENT]);
    TEST_ASSERT_DOUBLE_WITHIN(0.0101, when + 0.005, report.first[CELL_CLIENT].time_s);
    TEST_ASSERT_DOUBLE_WITHIN(0.002, 0.1 * when, report.travel_m[CELL_CLIENT]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.0, report.direction[CELL_CLIENT][2]);
    /* the same question put another way */
    TEST_ASSERT_DOUBLE_WITHIN(
        0.011, 0.1 * when + 0.005,
        margin_free_travel(&cell, &limits, &t, CELL_CLIENT, report.direction[CELL_CLIENT]));
    /* lower by 0.2 m it lasts 2 s longer */
    const double lower[3] = {0, 0, -0.2};
    const double before = report.first[CELL_CLIENT].time_s;

    margin_clear(&report);
    margin_walk(&report, &cell, &limits, &t, lower, 1);
    TEST_ASSERT_DOUBLE_WITHIN(0.0101, before + 2.0, report.first[CELL_CLIENT].time_s);
    free(t.sample);
}

static void test_what_stands_still_uses_nothing_but_its_place(void)
{
    struct margin_track t;
    struct industrial_distance away;

    make_track(&t, posture, nowhere, 10);
    margin_walk(&report, &cell, &limits, &t, nowhere, 1);
    industrial_distance(&away, &cell.robot, posture);
    TEST_ASSERT_FALSE(report.first[CELL_CLIENT].seen);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, away.wrist_rad, report.least[MARGIN_WRIST].room);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, limits.speed_mps, report.least[MARGIN_SPEED].room);
    TEST_ASSERT_TRUE(report.travel_m[CELL_CLIENT] < 1e-12);
    /* seen from the nearer end of its range, A2 is nearest to one */
    TEST_ASSERT_EQUAL(1, report.least[MARGIN_JOINT].axis);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, posture[1] - cell.robot.lower_rad[1],
                              report.least[MARGIN_JOINT].room);
    free(t.sample);
}

static void test_each_row_fails_when_its_limit_is_drawn_in(void)
{
    const double v[3] = {0.2, 0, 0};
    struct margin_track t;
    static const enum margin_kind expected[] = {MARGIN_JOINT, MARGIN_WRIST, MARGIN_SPEED,
                                                MARGIN_FORCE, MARGIN_GAP,   MARGIN_OVERHEAD,
                                                MARGIN_REACH};

    make_track(&t, posture, v, 5);
    for (int k = 0; k < 5; k++) {
        t.sample[k].force_n = 10.0;
    }
    for (size_t k = 0; k < COUNT_OF(expected); k++) {
        struct margin_limits l = limits;

        l.gap_m = -100.0;
        l.joint_rad = expected[k] == MARGIN_JOINT ? 3.0 : l.joint_rad;
        l.singular_rad = expected[k] == MARGIN_WRIST ? 0.7 : l.singular_rad;
        l.speed_mps = expected[k] == MARGIN_SPEED ? 0.21 : l.speed_mps;
        l.force_n = expected[k] == MARGIN_FORCE ? 11.0 : l.force_n;
        l.gap_m = expected[k] == MARGIN_GAP ? 100.0 : l.gap_m;
        l.overhead_m = expected[k] == MARGIN_OVERHEAD ? 5.0 : l.overhead_m;
        l.reach_m = expected[k] == MARGIN_REACH ? 2.0 : l.reach_m;
        margin_clear(&report);
        margin_walk(&report, &cell, &l, &t, nowhere, 1);
        TEST_ASSERT_FALSE(margin_passes(&report));
        for (int i = 0; i < MARGIN_KINDS; i++) {
            TEST_ASSERT_EQUAL_MESSAGE(i != (int)expected[k], margin_good(&report.least[i]),
                                      "another row fails too, or the row passes");
        }
        TEST_ASSERT_EQUAL(expected[k], report.kind[CELL_CLIENT]);
        TEST_ASSERT_TRUE(report.first[CELL_CLIENT].time_s < 1e-9);
    }
    free(t.sample);
}

static void test_a_pose_that_is_no_number_is_a_violation(void)
{
    struct margin_track t;

    make_track(&t, posture, nowhere, 3);
    t.sample[1].body[CELL_CLIENT].pose.p[0] = (double)NAN;
    t.sample[2].force_n = (double)NAN;
    margin_walk(&report, &cell, &limits, &t, nowhere, 1);
    TEST_ASSERT_FALSE(margin_passes(&report));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.01, report.first[CELL_CLIENT].time_s);
    TEST_ASSERT_FALSE(margin_good(&report.least[MARGIN_FORCE]));
    free(t.sample);
}

/* ---- missions ---- */

static struct feasible f;

static void fly(void)
{
    set("sim.duration=0.6 s");
    TEST_ASSERT_EQUAL(0, feasible_open(&f, c, "config/envisat.yaml"));
    TEST_ASSERT_EQUAL(0, feasible_fly(&f, c));
    TEST_ASSERT_EQUAL(0, feasible_help(&f, c));
}

static void test_the_relative_mission_passes_and_is_the_simulation(void)
{
    set("check.runs=1");
    fly();
    TEST_ASSERT_TRUE(feasible_passes(&f));
    TEST_ASSERT_EQUAL(-1, feasible_first(&f));
    /* nothing touches the client: only the noise of the sensor, 0.02 N on 7.8 t, is left of its motion */
    TEST_ASSERT_TRUE(f.report.travel_m[CELL_CLIENT] < 1e-5);
    TEST_ASSERT_TRUE(f.report.travel_m[CELL_SERVICER] > 1e-4);
    TEST_ASSERT_FALSE(f.running_start);
    feasible_close(&f);
}

static void test_dispersed_missions_differ_and_come_back_the_same(void)
{
    double first[3] = {0}, again[3] = {0};

    for (int round = 0; round < 2; round++) {
        set("check.runs=2");
        fly();
        const struct margin_sample *written = &f.track[0].sample[0], *other = &f.track[1].sample[0];

        TEST_ASSERT_TRUE(draw_distance(written->body[1].pose.p, other->body[1].pose.p, 3) > 1e-4);
        mat_copy(round == 0 ? first : again, other->body[1].pose.p, 3);
        feasible_close(&f);
    }
    TEST_ASSERT_EQUAL_MEMORY(first, again, sizeof first);
}

/* Carrying out the tumbling itself: the client's flange is 2.77 m from the centre of mass, so 2.5 deg/s is 0.121 m/s. */
static void test_the_absolute_mission_moves_as_the_satellites_do(void)
{
    const double radius = sqrt(2.4363 * 2.4363 + 1.312 * 1.312), rate = 2.5 * BASE_PI / 180;

    set("check.runs=1");
    set("nominal.form=absolute");
    fly();
    TEST_ASSERT_TRUE(f.running_start);
    const double took =
        f.track[0].sample[f.track[0].count - 1].time_s - f.track[0].sample[0].time_s;

    TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.6, took);
    TEST_ASSERT_DOUBLE_WITHIN(2e-5, 2.0 * radius * sin(0.5 * rate * took),
                              f.report.travel_m[CELL_CLIENT]);
    feasible_close(&f);
}

static void test_remedies_are_there_when_a_robot_stands_too_far(void)
{
    set("check.runs=1");
    set("cell.client_base=-0.5 0 0.8 m"); /* the ring is 20 cm out of reach */
    fly();
    TEST_ASSERT_FALSE(feasible_passes(&f));
    TEST_ASSERT_EQUAL(CELL_CLIENT, feasible_first(&f));
    TEST_ASSERT_TRUE(f.remedy.shift_passes);
    /* what is proposed is true: stand the robots the other way by the shift, and it passes */
    for (int i = 0; i < CELL_ROBOTS; i++) {
        mat_sub(f.cell.base[i].p, f.cell.base[i].p, f.remedy.shift_m, 3);
    }
    TEST_ASSERT_EQUAL(0, feasible_fly(&f, c));
    TEST_ASSERT_TRUE(feasible_passes(&f));
    feasible_close(&f);
}

static void test_a_late_contact_loop_is_found(void)
{
    set("check.runs=1");
    set("robots.lead=0 ms");
    set("passivity.control=false");
    fly();
    TEST_ASSERT_FALSE(margin_good(&f.report.least[MARGIN_DELAY]));
    /* 2 Nms/rad over 800 Nm/rad: 2.5 ms of delay are damped, 12 ms there are */
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0025, f.report.least[MARGIN_DELAY].limit);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.012, f.report.least[MARGIN_DELAY].value);
    feasible_close(&f);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_bodies_hang_where_the_calibration_says);
    RUN_TEST(test_the_way_round_the_cell_closes);
    RUN_TEST(test_a_table_in_the_file_is_the_robot_it_describes);
    RUN_TEST(test_impossible_tables_are_refused_with_the_reason);
    RUN_TEST(test_rods_are_as_near_as_their_nearest_points);
    RUN_TEST(test_robots_side_by_side_are_apart_by_their_distance);
    RUN_TEST(test_a_robot_going_up_is_out_of_reach_when_geometry_says);
    RUN_TEST(test_what_stands_still_uses_nothing_but_its_place);
    RUN_TEST(test_each_row_fails_when_its_limit_is_drawn_in);
    RUN_TEST(test_a_pose_that_is_no_number_is_a_violation);
    RUN_TEST(test_the_relative_mission_passes_and_is_the_simulation);
    RUN_TEST(test_dispersed_missions_differ_and_come_back_the_same);
    RUN_TEST(test_the_absolute_mission_moves_as_the_satellites_do);
    RUN_TEST(test_remedies_are_there_when_a_robot_stands_too_far);
    RUN_TEST(test_a_late_contact_loop_is_found);
    return UNITY_END();
}
