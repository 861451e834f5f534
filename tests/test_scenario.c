/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_scenario.c - the files in config/ become the models of the design's parameters, and nonsense is refused. */
#include "rt/scenario_obsw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "tests/scene.h"
#include "unity.h"

#define ENVISAT "config/envisat.yaml"

static struct config config;
static struct scenario scenario;
static struct scenario_obsw software;
static struct control_state state;
static char *said;
static size_t said_size;
static FILE *messages;

void setUp(void)
{
    messages = open_memstream(&said, &said_size);
    TEST_ASSERT_NOT_NULL(messages);
}

void tearDown(void)
{
    scenario_obsw_close(&software);
    memset(&software, 0, sizeof software);
    fclose(messages);
    free(said);
}

static int build(const char *path, const char *change)
{
    TEST_ASSERT_EQUAL_INT(0, config_read(&config, path, messages));
    if (change != NULL) {
        TEST_ASSERT_EQUAL_INT(0, config_set(&config, change, messages));
    }
    return scenario_build(&scenario, &config, path, messages);
}

static int start(void)
{
    const int code = scenario_obsw_open(&software, &scenario, &config, 1.0, messages);

    scenario.control.obsw = software.obsw;
    return code != 0 ? code : control_init(&scenario.control, &state);
}

static void test_every_scenario_makes_a_controller(void)
{
    static const char *const files[] = {ENVISAT, "config/unforced.yaml", "config/contact.yaml",
                                        "config/latch-delay.yaml", "config/absolute.yaml"};

    for (size_t i = 0; i < COUNT_OF(files); i++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, build(files[i], NULL), files[i]);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, start(), files[i]);
        scenario_obsw_close(&software);
    }
    fflush(messages);
    TEST_ASSERT_EQUAL_STRING("", said);
}

/* tests/scene.c holds the same parameters, typed apart from the design page. */
static void test_envisat_has_the_parameters_of_the_design(void)
{
    static struct control_model scene;
    static struct multibody_work work;
    struct pose g_tb, g_be;

    TEST_ASSERT_EQUAL_INT(0, scene_model(&scene, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(0, build(ENVISAT, NULL));
    TEST_ASSERT_EQUAL_MEMORY(&scene.client.body, &scenario.control.client.body,
                             sizeof scene.client.body);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, scene.client_velocity[4], scenario.control.client_velocity[4]);
    scene_place(&g_tb);
    TEST_ASSERT_EQUAL_MEMORY(g_tb.p, scenario.place.p, sizeof g_tb.p);
    for (int i = 0; i < 9; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(0.0, g_tb.R[i], scenario.place.R[i]);
    }
    multibody_reset(&scenario.control.servicer.robot, &work);
    multibody_kinematics(&scenario.control.servicer.robot, &work, scenario.posture);
    multibody_frame_pose(&g_be, &work, &scenario.control.servicer.gripper);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 2.18918361, g_be.p[0]); /* design page, section 8 */
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.25105911, g_be.p[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 320.0, scenario.control.torque_nm[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 12e-3, scenario.control.lead_s[CONTROL_SERVICER]);
}

/* With base and arm at their wanted places the jaws stand off from the ring, straight before it. */
static void test_place_posture_and_grasp_of_envisat_fit_together(void)
{
    static struct multibody_work work;
    struct pose g_be, g_te, g_ge;

    TEST_ASSERT_EQUAL_INT(0, build(ENVISAT, NULL));
    multibody_reset(&scenario.control.servicer.robot, &work);
    multibody_kinematics(&scenario.control.servicer.robot, &work, scenario.posture);
    multibody_frame_pose(&g_be, &work, &scenario.control.servicer.gripper);
    se3_mul(&g_te, &scenario.place, &g_be);
    se3_relative(&g_ge, &scenario.grasp, &g_te);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.0, g_ge.p[0]); /* the page gives four digits */
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.0, g_ge.p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, -0.36, g_ge.p[2]);
    for (int i = 0; i < 9; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, i % 4 == 0 ? 1.0 : 0.0, g_ge.R[i]);
    }
}

static void test_mass_of_the_base_comes_from_the_keys(void)
{
    TEST_ASSERT_EQUAL_INT(0, build(ENVISAT, "servicer.mass=900 kg"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 905.0, scenario.control.servicer.robot.base_body.mass_kg);
}

static void test_start_differs_from_the_place_by_what_the_keys_say(void)
{
    struct pose error;

    TEST_ASSERT_EQUAL_INT(0, build(ENVISAT, NULL));
    se3_relative(&error, &scenario.place, &scenario.start);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.04, error.p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, -0.03, error.p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.05, error.p[2]);
}

static void refused(const char *change, const char *words)
{
    const int code = build(ENVISAT, change);
    const int result = code != 0 ? code : start();

    fflush(messages);
    TEST_ASSERT_TRUE_MESSAGE(result < 0, change);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, words), said);
}

static void test_what_does_not_fit_is_refused_in_words(void)
{
    refused("arm.description=nothing.urdf", "config/nothing.urdf");
    refused("arm.description=planar.urdf", "7 joints");
    refused("arm.gripper=claw", "\"claw\"");
    refused("arm.gripper=base", "\"base\"");
    refused("robots.low=30 0 0 m", "robots.low");
    refused("mockup.inertia=1 1 9 kgm2", "mockup");
    refused("capture.approach=9 8 s", "approach");
}

static void test_library_that_is_not_there_is_refused(void)
{
    TEST_ASSERT_EQUAL_INT(0, build(ENVISAT, "obsw.kind=library"));
    TEST_ASSERT_EQUAL_INT(0, config_set(&config, "obsw.library=none.so", messages));
    TEST_ASSERT_TRUE(start() < 0);
}

static void test_process_without_a_program_or_with_one_that_knows_nothing_is_refused(void)
{
    TEST_ASSERT_EQUAL_INT(0, build(ENVISAT, "obsw.kind=process"));
    TEST_ASSERT_EQUAL_INT(-EINVAL, start());
    TEST_ASSERT_EQUAL_INT(0, config_set(&config, "obsw.program=/bin/true", messages));
    TEST_ASSERT_TRUE(start() < 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_scenario_makes_a_controller);
    RUN_TEST(test_envisat_has_the_parameters_of_the_design);
    RUN_TEST(test_place_posture_and_grasp_of_envisat_fit_together);
    RUN_TEST(test_mass_of_the_base_comes_from_the_keys);
    RUN_TEST(test_start_differs_from_the_place_by_what_the_keys_say);
    RUN_TEST(test_what_does_not_fit_is_refused_in_words);
    RUN_TEST(test_library_that_is_not_there_is_refused);
    RUN_TEST(test_process_without_a_program_or_with_one_that_knows_nothing_is_refused);
    return UNITY_END();
}
