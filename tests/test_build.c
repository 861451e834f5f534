/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a robot description to a robot of the engine: merging, exact rotations, and the robots
 * of the design with their check values. Refusals are tests/test_urdf_broken.c. */
#include "rt/build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_mass.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "tests/robots.h"
#include "tests/robots_model.h"

#include "unity.h"

#define PI      3.14159265358979323846
#define TEXT    65536
#define QUARTER "1.5707963267948966"

static struct urdf *u;
static struct build_robot *r, *other;
static struct multibody_work *w;
static struct errors e;
static char *text, *copy;

void setUp(void)
{
    u = calloc(1, sizeof *u);
    r = calloc(1, sizeof *r);
    other = calloc(1, sizeof *other);
    w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    text = calloc(1, TEXT);
    copy = calloc(1, TEXT);
    errors_init(&e);
}

void tearDown(void)
{
    free(u);
    free(r);
    free(other);
    free(w);
    free(text);
    free(copy);
}

static int build_text(struct build_robot *robot, const char *xml, size_t length,
                      enum multibody_base base)
{
    const struct source source = {.name = "t.urdf", .text = xml, .length = length, .file = true};
    const int read = urdf_read(u, &e, &source);

    return build_check_links(&e, u) > 0 || read != 0 ? -EINVAL : build_robot(robot, &e, u, base);
}

static void must_build(struct build_robot *robot, const char *xml, enum multibody_base base)
{
    const int result = build_text(robot, xml, strlen(xml), base);

    errors_print(&e, stdout, "t.urdf");
    TEST_ASSERT_EQUAL_INT(0, result);
}

static void must_open(struct build_robot *robot, const char *path, enum multibody_base base)
{
    const int result = build_open(robot, u, &e, path, base);

    errors_print(&e, stdout, path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result, path);
}

static size_t load(const char *path)
{
    FILE *file = fopen(path, "rb");

    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    const size_t n = fread(text, 1, TEXT - 1, file);

    TEST_ASSERT_EQUAL_INT(0, fclose(file));
    text[n] = '\0';
    return n;
}

/* The robot as one body at q, in base axes: mass, centre of mass, inertia about it. */
static double total(const struct build_robot *robot, const double *q, double com[static 3],
                    double inertia[static 6])
{
    multibody_reset(&robot->model, w);
    multibody_kinematics(&robot->model, w, q);
    multibody_mass(&robot->model, w);
    TEST_ASSERT_TRUE(w->valid);
    body_central(com, inertia, &w->total);
    return w->total.mass_kg;
}

static void frame_at(struct pose *g, const struct build_robot *robot, const char *name,
                     const double *q)
{
    const int i = build_find_frame(robot, name);

    TEST_ASSERT_TRUE_MESSAGE(i >= 0, name);
    multibody_reset(&robot->model, w);
    multibody_kinematics(&robot->model, w, q);
    TEST_ASSERT_TRUE(w->valid);
    multibody_frame_pose(g, w, &robot->frame[i].at);
}

static void within3(double tolerance, double x, double y, double z, const double found[static 3])
{
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, x, found[0]);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, y, found[1]);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, z, found[2]);
}

/* Two robots are one if their mass matrices agree at random joint angles; relative to the
 * greatest entry, and 1e-12 because merged inertias are summed in another order. */
static void same_robot(const struct multibody_model *a, const struct multibody_model *b)
{
    static double A[MULTIBODY_DOF * MULTIBODY_DOF], B[MULTIBODY_DOF * MULTIBODY_DOF];
    const int n = multibody_dof(a);
    struct draw d = {.state = 7};

    TEST_ASSERT_EQUAL_INT(n, multibody_dof(b));
    for (int round = 0; round < 50; round++) {
        double q[MULTIBODY_JOINTS], greatest = 0;

        for (int i = 0; i < a->joints; i++) {
            q[i] = draw_uniform(&d, -3, 3);
        }
        for (int which = 0; which < 2; which++) {
            const struct multibody_model *m = which == 0 ? a : b;

            multibody_reset(m, w);
            multibody_kinematics(m, w, q);
            multibody_mass(m, w);
            multibody_mass_joint(m, w);
            multibody_mass_dense(which == 0 ? A : B, m, w);
        }
        for (int i = 0; i < n * n; i++) {
            greatest = fmax(greatest, fabs(A[i]));
        }
        for (int i = 0; i < n * n; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12 * greatest, A[i], B[i]);
        }
    }
}

/* ---- rotations ---- */

static void test_quarter_turns_are_exact(void)
{
    for (int k = 0; k < 64; k++) {
        const int quarters[3] = {k % 4, k / 4 % 4 - 2, k / 16 - 1};
        const double angle[3] = {quarters[0] * PI / 2, quarters[1] * PI / 2, quarters[2] * PI / 2};
        double R[9];

        build_rotation(R, angle);
        for (int i = 0; i < 9; i++) {
            TEST_ASSERT_TRUE(fabs(R[i]) <= 0 || (fabs(R[i]) <= 1 && fabs(R[i]) >= 1));
        }
    }
}

/* R = exp[yaw z] exp[pitch y] exp[roll x], by another file's exponential; 3 roundings of 2 ulp. */
static void test_angles_are_roll_pitch_yaw_about_fixed_axes(void)
{
    struct draw d = {.state = 3};

    for (int n = 0; n < 1000; n++) {
        double angle[3], R[9], expected[9], turn[9];

        mat_identity(expected, 3);
        for (int i = 0; i < 3; i++) {
            angle[i] = draw_uniform(&d, -4, 4);
        }
        for (int i = 2; i >= 0; i--) {
            double axis[3] = {0};

            axis[i] = angle[i];
            so3_exp(turn, axis);
            mat_mul3(expected, expected, turn);
        }
        build_rotation(R, angle);
        for (int i = 0; i < 9; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(4e-15, expected[i], R[i]);
        }
    }
}

/* The table of relative-dynamics.md gives the arm by quaternions w x y z: 0 0 1 1 and 1 1 0 0. */
static void test_the_arm_is_placed_by_exact_rotations(void)
{
    static const double tilt[9] = {-1, 0, 0, 0, 0, 1, 0, 1, 0};
    static const double roll[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    static const bool rolled[7] = {false, false, false, true, false, true, false};

    must_open(r, "config/lbr.urdf", MULTIBODY_FIXED);
    for (int i = 1; i < 7; i++) {
        double quat[4], R[9];

        for (int k = 0; k < 4; k++) {
            quat[k] = r->model.arm[0].place[k][i];
        }
        so3_from_quat(R, quat);
        for (int k = 0; k < 9; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(3e-16, rolled[i] ? roll[k] : tilt[k], R[k]);
        }
    }
}

/* ---- merging ---- */

/* By hand: the part's frame is at (1, 2, 0) turned by 90 deg about z, its central frame by 90
 * deg about x in that. So its centre of mass is at (1, 2.5, 0) and its diagonal (1, 2, 2.5)
 * becomes (2.5, 1, 2). */
static void test_a_fixed_joint_makes_one_body_of_two(void)
{
    must_build(r,
               "<robot name=\"r\"><link name=\"base\"><inertial><mass value=\"2\"/><inertia "
               "ixx=\"0.3\" iyy=\"0.4\" izz=\"0.5\" "
               "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" "
               "type=\"fixed\"><parent link=\"base\"/>"
               "<child link=\"part\"/><origin xyz=\"1 2 0\" rpy=\"0 0 " QUARTER
               "\"/></joint><link name=\"part\"><inertial>"
               "<origin xyz=\"0.5 0 0\" rpy=\"" QUARTER
               " 0 0\"/><mass value=\"3\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"2.5\" "
               "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>",
               MULTIBODY_FLOATING);
    const struct body *b = &r->model.base_body;

    TEST_ASSERT_EQUAL_INT(0, r->model.joints);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 5, b->mass_kg);
    within3(1e-14, 3, 7.5, 0, b->moment);
    within3(1e-14, 0.3 + 2.5 + 18.75, 0.4 + 1 + 3, 0.5 + 2 + 21.75, b->inertia);
    within3(1e-14, -7.5, 0, 0, b->inertia + 3);
    TEST_ASSERT_EQUAL_INT(1, build_find_frame(r, "part"));
    within3(0, 1, 2, 0, r->frame[1].place.p);
    within3(0, 0, -1, 0, r->frame[1].place.R);
}

/* Fixed joints in the middle of an arm: link and joint behind them keep their place. */
static void test_a_fixed_joint_inside_an_arm_moves_nothing(void)
{
    static const char *const form =
        "<robot name=\"r\"><link name=\"base\"/><joint name=\"a\" type=\"continuous\"><parent "
        "link=\"base\"/><child link=\"upper\"/>"
        "<axis xyz=\"0.6 0 0.8\"/></joint><link name=\"upper\"><inertial><origin xyz=\"0.1 0.2 "
        "0.3\"/><mass value=\"2\"/><inertia "
        "ixx=\"1\" iyy=\"1.5\" izz=\"2\" ixy=\"0.1\" ixz=\"0.2\" "
        "iyz=\"0.3\"/></inertial></link>%s<joint name=\"b\" type=\"continuous\">"
        "<parent link=\"%s\"/><child link=\"lower\"/>%s<axis xyz=\"0 1 0\"/></joint><link "
        "name=\"lower\"><inertial><mass value=\"1\"/>"
        "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
        "iyz=\"0\"/></inertial></link></robot>";

    (void)snprintf(text, TEXT, form, "", "upper", "<origin xyz=\"0.5 0 0.25\" rpy=\"0.3 0 0\"/>");
    must_build(r, text, MULTIBODY_FIXED);
    /* the offset that remains, turned back by the flange: Rx(-0.3) (0, 0, 0.25) */
    (void)snprintf(copy, TEXT, "<origin xyz=\"0 %.17g %.17g\"/>", 0.25 * sin(0.3), 0.25 * cos(0.3));
    (void)snprintf(
        text, TEXT, form,
        "<joint name=\"f\" type=\"fixed\"><parent link=\"upper\"/><child link=\"flange\"/>"
        "<origin xyz=\"0.5 0 0\" rpy=\"0.3 0 0\"/></joint><link name=\"flange\"/>",
        "flange", copy);
    must_build(other, text, MULTIBODY_FIXED);
    TEST_ASSERT_EQUAL_INT(0, other->frame[build_find_frame(other, "flange")].link);
    same_robot(&r->model, &other->model);
}

/* The second half of: a payload taken up at run time is a payload in the file. */
static void test_a_payload_in_the_file_equals_one_attached(void)
{
    static double A[MULTIBODY_DOF * MULTIBODY_DOF], B[MULTIBODY_DOF * MULTIBODY_DOF];
    static const double com[3] = {0.02, -0.01, 0.3};
    static const double inertia[6] = {0.9, 0.8, 0.7, 0.05, -0.04, 0.03};
    const double q[7] = {0.3, 1.1, -0.2, 2.0, 0.4, 0.9, -1.0};
    struct body load_body;
    size_t n = load("config/servicer.urdf");

    must_open(r, "config/servicer.urdf", MULTIBODY_FLOATING);
    body_make(&load_body, 40, com, inertia);
    multibody_reset(&r->model, w);
    TEST_ASSERT_TRUE(multibody_attach(w, &r->frame[build_find_frame(r, "E")].at, &load_body));
    multibody_kinematics(&r->model, w, q);
    multibody_mass(&r->model, w);
    multibody_mass_joint(&r->model, w);
    multibody_mass_dense(A, &r->model, w);

    n -= strlen("</robot>\n");
    (void)snprintf(text + n, TEXT - n,
                   "<link name=\"load\"><inertial><origin xyz=\"0.02 -0.01 0.3\"/><mass "
                   "value=\"40\"/><inertia ixx=\"0.9\" "
                   "iyy=\"0.8\" izz=\"0.7\" ixy=\"0.05\" ixz=\"-0.04\" "
                   "iyz=\"0.03\"/></inertial></link><joint name=\"grasp\" "
                   "type=\"fixed\"><parent link=\"E\"/><child link=\"load\"/></joint></robot>");
    must_build(other, text, MULTIBODY_FLOATING);
    multibody_reset(&other->model, w);
    multibody_kinematics(&other->model, w, q);
    multibody_mass(&other->model, w);
    multibody_mass_joint(&other->model, w);
    multibody_mass_dense(B, &other->model, w);
    for (int i = 0; i < 13 * 13; i++) {
        /* the greatest entry is about 1e4 kg m^2; sums in another order */
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, A[i], B[i]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1500 + 5 + 27.61 + 40, B[0]);
}

static void test_the_rotor_is_on_the_joint_diagonal_only(void)
{
    static double A[MULTIBODY_DOF * MULTIBODY_DOF], B[MULTIBODY_DOF * MULTIBODY_DOF];
    const double q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};

    must_open(r, "config/multiarm-a.urdf", MULTIBODY_FLOATING);
    other->model = r->model;
    for (int k = 0; k < 2; k++) {
        multibody_reset(&r->model, w);
        multibody_kinematics(&r->model, w, q);
        multibody_mass(&r->model, w);
        multibody_mass_joint(&r->model, w);
        multibody_mass_dense(k == 0 ? A : B, &r->model, w);
        memset(r->model.arm[0].rotor, 0, sizeof r->model.arm[0].rotor);
    }
    for (int i = 0; i < 13; i++) {
        for (int j = 0; j < 13; j++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, i == j && i >= 6 ? 0.2 : 0,
                                      A[13 * i + j] - B[13 * i + j]);
        }
    }
}

/* ---- the robots of the design ---- */

/* tests/robots.c holds the same pages, typed by another hand in another form. */
static void test_files_and_tables_are_the_same_robots(void)
{
    static const struct {
        const char *file;
        const struct robot *table;
    } pair[] = {{"config/servicer.urdf", &robots_servicer},
                {"config/multiarm-c.urdf", &robots_multiarm},
                {"config/planar.urdf", &robots_planar}};

    for (size_t i = 0; i < COUNT_OF(pair); i++) {
        must_open(r, pair[i].file, (enum multibody_base)pair[i].table->base);
        TEST_ASSERT_EQUAL_INT(0, robots_model_build(&other->model, pair[i].table));
        for (int k = 0; k < 16; k++) {
            /* the table has the rotor of the planar robot as it is printed, with three digits */
            double *rotor = &other->model.arm[k / 8].rotor[k % 8];

            TEST_ASSERT_DOUBLE_WITHIN(2e-6, r->model.arm[k / 8].rotor[k % 8], *rotor);
            *rotor = r->model.arm[k / 8].rotor[k % 8];
        }
        same_robot(&r->model, &other->model);
    }
}

static void test_masses_are_those_of_the_design(void)
{
    static const struct {
        const char *file;
        double mass_kg;
    } row[] = {{"config/lbr.urdf", 27.61 + 5}, {"config/servicer.urdf", 1505 + 27.61},
               {"config/multiarm-a.urdf", 25}, {"config/multiarm-b.urdf", 55},
               {"config/multiarm-c.urdf", 80}, {"config/planar.urdf", 15.80}};
    const double q[MULTIBODY_JOINTS] = {0};
    double com[3], inertia[6];

    for (size_t i = 0; i < COUNT_OF(row); i++) {
        must_open(r, row[i].file, MULTIBODY_FLOATING);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * row[i].mass_kg, row[i].mass_kg,
                                  total(r, q, com, inertia));
    }
}

/* relative-dynamics.md section 8, eight decimals. */
static void test_the_gripper_of_the_servicer_starts_where_it_should(void)
{
    const double q[7] = {0, 1.10, 0, 2.05, 0, 0.95, 0};
    struct pose g;

    must_open(r, "config/servicer.urdf", MULTIBODY_FLOATING);
    frame_at(&g, r, "E", q);
    within3(6e-9, 2.18918361, 0, 0.25105911, g.p);
}

/* multi-arm.md section 8: joints are printed with four decimals, about 1 mm over the length of
 * the arm. */
static void test_hands_of_the_multi_arm_robot_stand_on_their_tiles(void)
{
    const double a[7] = {0.2483, 0.0001, 0.5329, 1.5168, 0.3797, 1.4353, -1.7670};
    const double walking[14] = {0.1270,  -1.7294, 0.4286,  2.6443, -0.3434, -1.0097, 0.6949,
                                -0.8887, -0.3572, -0.5438, 2.2613, 0.0636,  -0.9274, 1.2917};
    const double standing[14] = {2.5395, 1.5625,  -2.3987, 2.2613, -0.2036, -1.2252, 0.5035,
                                 0.9829, -1.8293, -0.4726, 2.2613, 0.1287,  -1.3032, -0.9813};
    struct pose g;

    must_open(r, "config/multiarm-a.urdf", MULTIBODY_FLOATING);
    frame_at(&g, r, "E2", a);
    within3(5e-4, 0.40, 0.50, 0.65, g.p);
    must_open(r, "config/multiarm-c.urdf", MULTIBODY_FLOATING);
    frame_at(&g, r, "E2_1", walking); /* torso at (0, 0, 0.60) */
    within3(5e-4, -0.15, 0.62, 0.30 - 0.60, g.p);
    frame_at(&g, r, "E2_2", walking);
    within3(5e-4, 0, -0.5, -0.60, g.p);
    frame_at(&g, r, "E2_1", standing);
    within3(5e-4, 0, 0.5, -0.60, g.p);
    within3(5e-4, 0, 0, -1, g.R + 6); /* z of the hand points down */
    frame_at(&g, r, "E2_2", standing);
    within3(5e-4, 0, -0.5, -0.60, g.p);
}

/* air-bearing-robot.md section 1, printed with four decimals. */
static void test_the_planar_robot_has_its_check_values(void)
{
    const double stow[5] = {1.40, -1.70, 2.20, 0.60, 0}, ahead[5] = {0};
    const double grasp[5] = {0, -2.3101, 2.5162, 0.2938, 0};
    double com[3], inertia[6];
    struct pose g;

    must_open(r, "config/planar.urdf", MULTIBODY_PLANAR);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 15.80, total(r, stow, com, inertia));
    TEST_ASSERT_DOUBLE_WITHIN(6e-5, 0.0029, com[0]);
    TEST_ASSERT_DOUBLE_WITHIN(6e-5, 0.0024, com[1]);
    TEST_ASSERT_DOUBLE_WITHIN(6e-5, 0.4569, inertia[2]);
    (void)total(r, ahead, com, inertia);
    TEST_ASSERT_DOUBLE_WITHIN(6e-5, 0.0103, com[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, com[1]);
    TEST_ASSERT_DOUBLE_WITHIN(6e-5, 0.4934, inertia[2]);
    frame_at(&g, r, "gripper", grasp);
    within3(2e-4, 0.200, 0, 0.300, g.p);
    TEST_ASSERT_DOUBLE_WITHIN(5e-6, 1.39e-3, r->joint[0].rotor_kgm2);
}

/* ---- refusals ---- */

static void test_a_base_without_mass_can_only_be_fixed(void)
{
    static const char xml[] = "<robot name=\"r\">\n<link name=\"world\"/></robot>";

    must_build(r, xml, MULTIBODY_FIXED);
    TEST_ASSERT_EQUAL_INT(-EINVAL, build_text(r, xml, strlen(xml), MULTIBODY_PLANAR));
    TEST_ASSERT_EQUAL_STRING("link \"world\": the base has no mass; it can only be fixed",
                             e.row[0].text);
    TEST_ASSERT_EQUAL_INT(2, e.row[0].line);
}

static void test_names_that_are_not_there_are_not_found(void)
{
    must_open(r, "config/lbr.urdf", MULTIBODY_FIXED);
    TEST_ASSERT_EQUAL_INT(-1, build_find_frame(r, "F"));
    TEST_ASSERT_EQUAL_INT(0, build_find_frame(r, "pedestal"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_quarter_turns_are_exact);
    RUN_TEST(test_angles_are_roll_pitch_yaw_about_fixed_axes);
    RUN_TEST(test_the_arm_is_placed_by_exact_rotations);
    RUN_TEST(test_a_fixed_joint_makes_one_body_of_two);
    RUN_TEST(test_a_fixed_joint_inside_an_arm_moves_nothing);
    RUN_TEST(test_a_payload_in_the_file_equals_one_attached);
    RUN_TEST(test_the_rotor_is_on_the_joint_diagonal_only);
    RUN_TEST(test_files_and_tables_are_the_same_robots);
    RUN_TEST(test_masses_are_those_of_the_design);
    RUN_TEST(test_the_gripper_of_the_servicer_starts_where_it_should);
    RUN_TEST(test_hands_of_the_multi_arm_robot_stand_on_their_tiles);
    RUN_TEST(test_the_planar_robot_has_its_check_values);
    RUN_TEST(test_a_base_without_mass_can_only_be_fixed);
    RUN_TEST(test_names_that_are_not_there_are_not_found);
    return UNITY_END();
}
