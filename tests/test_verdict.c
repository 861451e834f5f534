/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_verdict.c - each row passes at its limit, fails beyond it, and says so. */
#include "tools/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "unity.h"

static struct verdict verdict;

void setUp(void)
{
    static struct config config;

    TEST_ASSERT_EQUAL_INT(0, config_read(&config, "config/envisat.yaml", stderr));
    verdict_init(&verdict, &config);
    verdict.mode = SAFETY_RUN;
    verdict.latched = true;
}

void tearDown(void)
{
}

static void test_limits_come_from_the_configuration(void)
{
    TEST_ASSERT_TRUE(verdict.limit.capture);
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, 1e-3, verdict.limit.position_m);
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, 2e-3, verdict.limit.rotation_rad);
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, 2e-4, verdict.limit.gripper_m);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2 * BASE_PI / 180.0, verdict.limit.grasp_rate_radps);
}

/* Every figure alone decides its row: at the limit it passes, a millionth beyond it does not. */
static void test_each_figure_fails_its_row_alone(void)
{
    struct {
        double *figure;
        double limit;
        enum verdict_row row;
    } const cases[] = {
        {&verdict.position_m, verdict.limit.position_m, VERDICT_DYNAMICS},
        {&verdict.rotation_rad, verdict.limit.rotation_rad, VERDICT_DYNAMICS},
        {&verdict.gripper_m, verdict.limit.gripper_m, VERDICT_DYNAMICS},
        {&verdict.grasp_rate_radps, verdict.limit.grasp_rate_radps, VERDICT_CAPTURE},
        {&verdict.left_j, verdict.limit.energy_j, VERDICT_ENERGY},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        *cases[i].figure = cases[i].limit;
        TEST_ASSERT_TRUE(verdict_passes(&verdict));
        *cases[i].figure = cases[i].limit * 1.000001;
        TEST_ASSERT_FALSE(verdict_passes(&verdict));
        for (int row = 0; row < VERDICT_ROWS; row++) {
            TEST_ASSERT_EQUAL_INT(row == (int)cases[i].row,
                                  verdict_status(&verdict, (enum verdict_row)row) == VERDICT_FAIL);
        }
        *cases[i].figure = 0.0;
    }
}

static void test_a_client_not_held_fails_unless_nothing_is_to_be_held(void)
{
    verdict.latched = false;
    TEST_ASSERT_EQUAL_INT(VERDICT_FAIL, verdict_status(&verdict, VERDICT_CAPTURE));
    verdict.limit.capture = false;
    TEST_ASSERT_EQUAL_INT(VERDICT_SKIP, verdict_status(&verdict, VERDICT_CAPTURE));
    TEST_ASSERT_TRUE(verdict_passes(&verdict));
}

static void test_a_run_that_safety_stopped_never_passes(void)
{
    verdict.mode = SAFETY_HOLD;
    TEST_ASSERT_FALSE(verdict_passes(&verdict));
}

static void test_simulated_time_is_not_judged(void)
{
    TEST_ASSERT_EQUAL_INT(VERDICT_SKIP, verdict_status(&verdict, VERDICT_TIMING));
}

static void test_table_and_document_say_the_same(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct json j;

    TEST_ASSERT_NOT_NULL(out);
    verdict.gripper_m = 3e-4;
    verdict.mode = SAFETY_STOP;
    verdict.causes = SAFETY_BIT(SAFETY_ESTOP);
    verdict_print(&verdict, out);
    json_open(&j, out);
    verdict_json(&verdict, &j, "envisat", 7);
    TEST_ASSERT_EQUAL_INT(0, json_close(&j));
    fclose(out);
    TEST_ASSERT_NOT_NULL(strstr(text, "dynamics    FAIL"));
    TEST_ASSERT_NOT_NULL(strstr(text, "gripper 0.3 mm"));
    TEST_ASSERT_NOT_NULL(strstr(text, safety_cause_name(SAFETY_ESTOP)));
    TEST_ASSERT_NOT_NULL(strstr(text, "\"verdict\": \"FAIL\""));
    TEST_ASSERT_NOT_NULL(strstr(text, "\"schema\": 1"));
    TEST_ASSERT_NOT_NULL(strstr(text, "\"seed\": 7"));
    free(text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_limits_come_from_the_configuration);
    RUN_TEST(test_each_figure_fails_its_row_alone);
    RUN_TEST(test_a_client_not_held_fails_unless_nothing_is_to_be_held);
    RUN_TEST(test_a_run_that_safety_stopped_never_passes);
    RUN_TEST(test_simulated_time_is_not_judged);
    RUN_TEST(test_table_and_document_say_the_same);
    return UNITY_END();
}
