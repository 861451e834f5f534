/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_obsw_builtin.c - the on-board software that comes with freefall, asked through its table
 * as a plug-in is. */
#include "rt/obsw_builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "tests/robots_model.h"
#include "unity.h"

enum { N = 7, CYCLES = 2000 };

static struct obsw_builtin_capture capture;
static struct obsw_setup setup;

static void set_model(struct capture_model *m)
{
    static const double inertia[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};

    TEST_ASSERT_EQUAL_INT(0, robots_model_build(&m->robot, &robots_servicer));
    TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&m->gripper, &m->robot, &robots_servicer, 0));
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&m->client, 7827.867, inertia));
    se3_identity(&m->base_place);
    se3_identity(&m->grasp);
    m->base = m->tool = (struct capture_stiffness){500.0, 300.0};
    for (int i = 0; i < 6; i++) {
        m->base_damping[i] = 1000.0;
    }
    for (int i = 0; i < N; i++) {
        m->joint_damping[i] = 10.0;
    }
    m->rigidise_damping = 1.0;
    m->tool_ramp_s[1] = 0.3;
    m->approach_s[0] = 0.5;
    m->approach_s[1] = 1.5;
}

void setUp(void)
{
    memset(&capture, 0, sizeof capture);
    set_model(&capture.model);
    setup = (struct obsw_setup){OBSW_VERSION, sizeof setup, 1000000, N, 0, 1, ""};
    TEST_ASSERT_EQUAL_INT(0, obsw_builtin_capture_init(&capture, &setup));
}

void tearDown(void)
{
}

static void draw_input(struct obsw_input *in, struct draw *d, uint64_t cycle)
{
    double turn[3], R[9];

    *in = (struct obsw_input){.version = OBSW_VERSION, .size = sizeof *in, .cycle = cycle};
    in->valid = OBSW_VALID_RATE | OBSW_VALID_NAVIGATION | OBSW_VALID_JOINTS;
    in->time_ns = (int64_t)cycle * 1000000;
    draw_vector(d, turn, 3, 0.5);
    so3_exp(R, turn);
    so3_to_quat(in->relative_pose + 3, R);
    draw_vector(d, in->relative_pose, 3, 0.3);
    draw_vector(d, in->base_velocity, 6, 0.05);
    draw_vector(d, in->client_velocity, 6, 0.05);
    draw_vector(d, in->joint_position, N, 1.5);
    draw_vector(d, in->joint_velocity, N, 0.2);
}

/* One whole run through a table, answers kept. */
static void fly(const struct obsw_interface *table, void *self, struct obsw_output *out)
{
    struct draw d = {11};

    for (uint64_t k = 0; k < CYCLES; k++) {
        struct obsw_input in;

        draw_input(&in, &d, k);
        out[k] = (struct obsw_output){.cycle = ~k};
        TEST_ASSERT_EQUAL_INT(0, table->step(self, &in, &out[k]));
    }
}

static void test_zero_commands_nothing_and_answers_every_cycle(void)
{
    static struct obsw_output out[CYCLES];
    static const double nothing[6 + OBSW_JOINTS] = {0.0};

    memset(out, 0xff, sizeof out);
    fly(&obsw_builtin_zero_table, NULL, out);
    for (uint64_t k = 0; k < CYCLES; k++) {
        TEST_ASSERT_EQUAL_UINT32(OBSW_VERSION, out[k].version);
        TEST_ASSERT_EQUAL_UINT32(sizeof out[k], out[k].size);
        TEST_ASSERT_EQUAL_UINT64(k, out[k].cycle);
        TEST_ASSERT_EQUAL_UINT32(0, out[k].grip);
        TEST_ASSERT_EQUAL_MEMORY(nothing, out[k].base_wrench, sizeof nothing);
    }
}

static void test_capture_through_its_table_is_the_controller_itself(void)
{
    static struct obsw_output out[CYCLES];
    struct capture_state alone;
    struct draw d = {11};

    fly(&obsw_builtin_capture_table, &capture, out);
    TEST_ASSERT_EQUAL_INT(0, capture_init(&capture.model, &alone));
    for (uint64_t k = 0; k < CYCLES; k++) {
        struct obsw_input in;
        struct obsw_output expected;

        draw_input(&in, &d, k);
        capture_step(&capture.model, &alone, &in, &expected, 1e-3);
        TEST_ASSERT_EQUAL_MEMORY(&expected, &out[k], sizeof expected);
    }
    TEST_ASSERT_EQUAL_UINT32(CAPTURE_GRASP, out[CYCLES - 1].phase);
    TEST_ASSERT_TRUE(draw_size(out[CYCLES - 1].base_wrench, 6) > 1.0);
}

static void test_a_second_run_begins_where_the_first_did(void)
{
    static struct obsw_output first[CYCLES], second[CYCLES];

    fly(&obsw_builtin_capture_table, &capture, first);
    fly(&obsw_builtin_capture_table, &capture, second);
    TEST_ASSERT_EQUAL_MEMORY(first, second, sizeof first);
}

static void test_a_setup_that_does_not_fit_is_refused(void)
{
    struct obsw_setup bad = setup;

    bad.version++;
    TEST_ASSERT_EQUAL_INT(-EINVAL, obsw_builtin_capture_init(&capture, &bad));
    bad = setup;
    bad.size--;
    TEST_ASSERT_EQUAL_INT(-EINVAL, obsw_builtin_capture_init(&capture, &bad));
    bad = setup;
    bad.period_ns = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, obsw_builtin_capture_init(&capture, &bad));
    bad = setup;
    bad.joints--;
    TEST_ASSERT_EQUAL_INT(-EINVAL, obsw_builtin_capture_init(&capture, &bad));
    capture.model.grasp_s = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, obsw_builtin_capture_init(&capture, &setup));
}

static void test_the_tables_are_whole_but_make_no_memory(void)
{
    const struct obsw_interface *const tables[] = {&obsw_builtin_zero_table,
                                                   &obsw_builtin_capture_table};

    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        TEST_ASSERT_EQUAL_UINT32(OBSW_VERSION, tables[i]->version);
        TEST_ASSERT_NULL(tables[i]->init(&setup));
        tables[i]->terminate(NULL);
    }
    TEST_ASSERT_EQUAL_STRING("unforced", obsw_builtin_zero_table.phase_name(0));
    TEST_ASSERT_NULL(obsw_builtin_zero_table.phase_name(1));
    TEST_ASSERT_EQUAL_STRING("approach", obsw_builtin_capture_table.phase_name(CAPTURE_APPROACH));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_zero_commands_nothing_and_answers_every_cycle);
    RUN_TEST(test_capture_through_its_table_is_the_controller_itself);
    RUN_TEST(test_a_second_run_begins_where_the_first_did);
    RUN_TEST(test_a_setup_that_does_not_fit_is_refused);
    RUN_TEST(test_the_tables_are_whole_but_make_no_memory);
    return UNITY_END();
}
