/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a robot from a JSON file. Every message by its exact words is tests/model.sh; here are
 * the values, and what hundreds of slips do to them. */
#include "tools/state.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/draw.h"

#include "unity.h"

static const char good[] =
    "{\"base\": \"planar\", \"gravity\": [0, -0.0, -9.81],\n"
    " \"pose\": {\"p\": [1, 2.5, -3e-1], \"q\": [0, 0, 1, 0]}, \"V\": [0.1, 0.2, 0.3],\n"
    " \"q\": [1, 2, 3, 4, 5], \"dq\": [-1, -2, -3, -4, -5], \"tau\": [6, 7, 8, 9, 10],\n"
    " \"wrench\": {\"frame\": \"gripper\", \"F\": [1, 2, 3, 4, 5, 6]}}\n";

static struct urdf *u;
static struct build_robot *r;
static struct errors e;
static char path[64];

void setUp(void)
{
    u = calloc(1, sizeof *u);
    r = calloc(1, sizeof *r);
    errors_init(&e);
    (void)snprintf(path, sizeof path, "/tmp/freefall-state-XXXXXX");
    const int file = mkstemp(path);

    TEST_ASSERT_TRUE(file >= 0 && close(file) == 0);
    TEST_ASSERT_EQUAL_INT(0, build_open(r, u, &e, "config/planar.urdf", MULTIBODY_FIXED));
}

void tearDown(void)
{
    (void)unlink(path);
    free(u);
    free(r);
}

static int read_text(struct state *s, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");

    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_INT(length, fwrite(text, 1, length, file));
    TEST_ASSERT_EQUAL_INT(0, fclose(file));
    return state_read(s, r, path);
}

static void within(double expected, double found)
{
    TEST_ASSERT_DOUBLE_WITHIN(0, expected, found);
}

static void test_every_number_arrives_in_its_place(void)
{
    static const double turned[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    static const double p[3] = {1, 2.5, -0.3}, V[6] = {0.1, 0.2, 0, 0, 0, 0.3};
    struct state s;

    TEST_ASSERT_EQUAL_INT(0, read_text(&s, good, strlen(good)));
    TEST_ASSERT_EQUAL_INT(MULTIBODY_PLANAR, s.base);
    within(-9.81, s.gravity[2]);
    for (int i = 0; i < 9; i++) {
        within(turned[i], s.pose.R[i]);
    }
    for (int i = 0; i < 3; i++) {
        within(p[i], s.pose.p[i]);
    }
    for (int i = 0; i < 6; i++) {
        within(V[i], s.nu.base[i]);
        within(i + 1, s.F[i]);
    }
    for (int i = 0; i < 5; i++) {
        within(i + 1, s.q[i]);
        within(-i - 1, s.nu.joint[i]);
        within(i + 6, s.tau[i]);
    }
    TEST_ASSERT_EQUAL_STRING("gripper", r->frame[s.frame].name);
}

static void test_what_is_left_out_is_zero(void)
{
    static const char least[] = "{\"q\": [0, 0, 0, 0, 0], \"base\": \"floating\"}";
    struct state s;

    memset(&s, 0xff, sizeof s);
    TEST_ASSERT_EQUAL_INT(0, read_text(&s, least, strlen(least)));
    TEST_ASSERT_EQUAL_INT(MULTIBODY_FLOATING, s.base);
    TEST_ASSERT_EQUAL_INT(-1, s.frame);
    for (int i = 0; i < 6; i++) {
        within(0, s.nu.base[i]);
        within(0, s.F[i]);
    }
    for (int i = 0; i < 9; i++) {
        within(i % 4 == 0, s.pose.R[i]);
    }
    within(0, s.gravity[0] + s.gravity[1] + s.gravity[2]);
}

/* What is accepted must be numbers the engine takes; what is not must say so. */
static void test_mutated_states_are_refused_or_usable(void)
{
    static const char *const word[] = {"[",  "]",    "{",  "}",   ",",  "1e300", "-",   "nan",
                                       "\"", "null", ": ", "&a ", "*a", "0x1",   "\xff"};
    struct draw d = {.state = 9};
    char text[1024];
    int accepted = 0, refused = 0;
    const int saved = dup(STDERR_FILENO);

    TEST_ASSERT_TRUE(saved >= 0 && freopen("/dev/null", "w", stderr) != NULL);
    for (int round = 0; round < 600; round++) {
        const size_t at = (size_t)draw_index(&d, (int)strlen(good)),
                     cut = (size_t)draw_index(&d, 4);
        const char *put = draw_index(&d, 2) == 0 ? "" : word[draw_index(&d, COUNT_OF(word))];
        const size_t from = at + cut < strlen(good) ? at + cut : strlen(good);
        struct state s;

        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)at, good, put, good + from);
        const int result = read_text(&s, text, strlen(text));

        TEST_ASSERT_TRUE(result == 0 || result == -EINVAL);
        accepted += result == 0;
        refused += result != 0;
        if (result == 0) {
            TEST_ASSERT_TRUE(base_all_finite(s.pose.R, 9) && base_all_finite(s.pose.p, 3));
            TEST_ASSERT_TRUE(s.frame < r->frames && fabs(s.q[0]) <= MULTIBODY_ANGLE_MAX);
        }
    }
    (void)fflush(stderr);
    TEST_ASSERT_TRUE(dup2(saved, STDERR_FILENO) >= 0);
    (void)close(saved);
    TEST_ASSERT_TRUE(accepted > 20);
    TEST_ASSERT_TRUE(refused > 200);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_number_arrives_in_its_place);
    RUN_TEST(test_what_is_left_out_is_zero);
    RUN_TEST(test_mutated_states_are_refused_or_usable);
    return UNITY_END();
}
