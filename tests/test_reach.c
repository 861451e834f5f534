/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a robot can get: nothing random may get farther, and what is found must be within the ranges. */
#include "tools/reach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "tests/draw.h"

#include "unity.h"

static struct urdf *u;
static struct build_robot *r;
static struct multibody_work *w;
static struct errors e;

void setUp(void)
{
    u = calloc(1, sizeof *u);
    r = calloc(1, sizeof *r);
    w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    errors_init(&e);
}

void tearDown(void)
{
    free(u);
    free(r);
    free(w);
}

static double distance(const double *q, const struct multibody_frame *f)
{
    struct pose g;

    multibody_kinematics(&r->model, w, q);
    multibody_frame_pose(&g, w, f);
    return mat_norm3(g.p);
}

static double from(int i)
{
    return fmax(r->joint[i].lower_rad, -4.0);
}

static double to(int i)
{
    return fmin(r->joint[i].upper_rad, 4.0);
}

static void test_nothing_random_gets_farther(void)
{
    static const char *const file[] = {"config/lbr.urdf", "config/servicer.urdf",
                                       "config/multiarm-c.urdf", "config/planar.urdf"};
    struct draw d = {.state = 4};

    for (size_t f = 0; f < COUNT_OF(file); f++) {
        TEST_ASSERT_EQUAL_INT(0, build_open(r, u, &e, file[f], MULTIBODY_FIXED));
        multibody_reset(&r->model, w);
        for (int arm = 0; arm < r->model.arms; arm++) {
            const struct multibody_frame *end = &reach_end(r, arm)->at;
            double best[MULTIBODY_JOINTS], q[MULTIBODY_JOINTS];
            const double reach = reach_search(r, end, best);

            TEST_ASSERT_DOUBLE_WITHIN(1e-12, reach, distance(best, end));
            for (int i = 0; i < r->model.joints; i++) {
                TEST_ASSERT_TRUE(best[i] >= r->joint[i].lower_rad &&
                                 best[i] <= r->joint[i].upper_rad);
            }
            for (int n = 0; n < 5000; n++) {
                /* half of them near the best, where a wrong climb would show */
                for (int i = 0; i < r->model.joints; i++) {
                    const double near =
                        fmin(fmax(best[i] + draw_uniform(&d, -0.1, 0.1), from(i)), to(i));

                    q[i] = n % 2 == 0 ? draw_uniform(&d, from(i), to(i)) : near;
                }
                TEST_ASSERT_TRUE(distance(q, end) <= reach + 1e-9);
            }
        }
    }
}

/* Law of cosines: an elbow that cannot be straighter than 0.5 rad, or only beyond a whole turn. */
static void test_ranges_are_kept(void)
{
    static const struct {
        double lower, upper, closest;
    } row[] = {{0.5, 2.5, 0.5}, {-2.5, -0.75, 0.75}, {6.5, 7, 6.5}, {5, 7, 0}, {-20, -10, 0}};

    for (size_t k = 0; k < COUNT_OF(row); k++) {
        char text[1200];
        double q[MULTIBODY_JOINTS];

        (void)snprintf(text, sizeof text,
                       "<robot name=\"r\"><link name=\"ground\"/><link name=\"a\"><inertial><mass "
                       "value=\"1\"/><inertia ixx=\"1\" "
                       "iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><link "
                       "name=\"b\"><inertial><mass "
                       "value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
                       "iyz=\"0\"/></inertial></link><link "
                       "name=\"tip\"/><joint name=\"1\" type=\"continuous\"><parent "
                       "link=\"ground\"/><child link=\"a\"/><axis "
                       "xyz=\"0 0 1\"/></joint><joint name=\"2\" type=\"revolute\"><parent "
                       "link=\"a\"/><child link=\"b\"/><origin "
                       "xyz=\"1 0 0\"/><axis xyz=\"0 0 1\"/><limit lower=\"%g\" upper=\"%g\" "
                       "effort=\"1\" velocity=\"1\"/></joint>"
                       "<joint name=\"3\" type=\"fixed\"><parent link=\"b\"/><child "
                       "link=\"tip\"/><origin xyz=\"0.5 0 0\"/></joint>"
                       "</robot>",
                       row[k].lower, row[k].upper);
        const struct source source = {
            .name = "t", .text = text, .length = strlen(text), .file = true};

        TEST_ASSERT_EQUAL_INT(0, urdf_read(u, &e, &source));
        TEST_ASSERT_EQUAL_INT(0, build_robot(r, &e, u, MULTIBODY_FIXED));
        TEST_ASSERT_EQUAL_STRING("tip", reach_end(r, 0)->name);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, sqrt(1.25 + cos(row[k].closest)),
                                  reach_search(r, &reach_end(r, 0)->at, q));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_nothing_random_gets_farther);
    RUN_TEST(test_ranges_are_kept);
    return UNITY_END();
}
