/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The URDF reader: text in, numbers and a tree out. Whether such bodies can exist, and every
 * message by its exact words, is tests/test_build.c. */
#include "config/urdf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

#define ROBOT(inside) "<robot name=\"r\">" inside "</robot>"
#define BASE          "<link name=\"base\"/>"
#define TIP           "<link name=\"tip\"/>"
#define JOINT(type, inside)                                                                        \
    "<joint name=\"j\" type=\"" type "\"><parent link=\"base\"/><child link=\"tip\"/>" inside      \
    "</joint>"

static struct urdf *u;
static struct errors e;

void setUp(void)
{
    u = calloc(1, sizeof *u);
    errors_init(&e);
}

void tearDown(void)
{
    free(u);
}

static int read_text(const char *text)
{
    const struct source source = {
        .name = "t.urdf", .text = text, .length = strlen(text), .file = true};

    return urdf_read(u, &e, &source);
}

static void must_read(const char *text)
{
    const int result = read_text(text);

    errors_print(&e, stdout, "t.urdf");
    TEST_ASSERT_EQUAL_INT(0, result);
    TEST_ASSERT_EQUAL_INT(0, e.count);
}

static void must_refuse(const char *text, int line, const char *message)
{
    errors_init(&e);
    TEST_ASSERT_EQUAL_INT(-EINVAL, read_text(text));
    TEST_ASSERT_EQUAL_INT(1, e.count);
    TEST_ASSERT_EQUAL_INT(line, e.row[0].line);
    TEST_ASSERT_EQUAL_STRING(message, e.row[0].text);
}

/* Bit by bit: a decimal number of the file must become the double nearest to it. */
static void equal(double expected, double found)
{
    TEST_ASSERT_EQUAL_MEMORY(&expected, &found, sizeof found);
}

static void equal3(double x, double y, double z, const double found[static 3])
{
    equal(x, found[0]);
    equal(y, found[1]);
    equal(z, found[2]);
}

/* ---- properties ---- */

static void test_every_parent_stands_before_its_children(void)
{
    static const char *const file[] = {"config/lbr.urdf",        "config/servicer.urdf",
                                       "config/multiarm-a.urdf", "config/multiarm-b.urdf",
                                       "config/multiarm-c.urdf", "config/planar.urdf"};

    for (size_t f = 0; f < sizeof file / sizeof file[0]; f++) {
        bool seen[URDF_LINKS_MAX] = {false};

        TEST_ASSERT_EQUAL_INT_MESSAGE(0, urdf_open(u, &e, file[f]), file[f]);
        TEST_ASSERT_EQUAL_INT(u->links - 1, u->joints);
        for (int k = 0; k < u->links; k++) {
            const int joint = u->link[u->order[k]].parent;

            TEST_ASSERT_FALSE(seen[u->order[k]]);
            TEST_ASSERT_TRUE(joint < 0 ? k == 0 : seen[u->joint[joint].parent]);
            seen[u->order[k]] = true;
        }
        TEST_ASSERT_EQUAL_INT(u->root, u->order[0]);
    }
}

/* A tree written upside down, children before parents, is the same tree. */
static void test_order_of_elements_does_not_matter(void)
{
    must_read(ROBOT(
        "<joint name=\"b\" type=\"continuous\"><child link=\"2\"/><parent link=\"1\"/></joint>"
        "<link name=\"2\"/><link name=\"1\"/>"
        "<joint name=\"a\" type=\"fixed\"><child link=\"1\"/><parent link=\"0\"/></joint>"
        "<link name=\"0\"/>"));
    TEST_ASSERT_EQUAL_STRING("0", u->link[u->order[0]].name);
    TEST_ASSERT_EQUAL_STRING("1", u->link[u->order[1]].name);
    TEST_ASSERT_EQUAL_STRING("2", u->link[u->order[2]].name);
}

static void test_an_axis_of_any_length_becomes_a_unit_vector(void)
{
    unsigned state = 1;

    for (int n = 0; n < 500; n++) {
        char text[512];
        double a[3], dot = 0, square = 0;

        for (int i = 0; i < 3; i++) {
            state = state * 1103515245u + 12345u;
            a[i] = ((double)(state >> 8) / 8388608.0 - 1) * 30;
            square += a[i] * a[i];
        }
        (void)snprintf(text, sizeof text,
                       ROBOT(BASE TIP JOINT("continuous", "<axis xyz=\"%.17g %.17g %.17g\"/>")),
                       a[0], a[1], a[2]);
        must_read(text);
        for (int i = 0; i < 3; i++) {
            dot += u->joint[0].axis[i] * a[i];
        }
        /* parallel: a . unit = |a|; two roundings of each product and sum */
        TEST_ASSERT_DOUBLE_WITHIN(4e-15 * sqrt(square), sqrt(square), dot);
    }
}

/* ---- known values ---- */

static void test_numbers_are_the_nearest_double(void)
{
    must_read(ROBOT("<link name=\"base\"><inertial><origin xyz=\"0.1 -2e-3 +.3\" "
                    "rpy=\"1.5707963267948966 0.30000000000000004 -0\"/>"
                    "<mass value=\"7827.867\"/><inertia ixx=\"17023.3\" ixy=\"397.1\" "
                    "ixz=\"-2171.4\" iyy=\"124825.7\" "
                    "iyz=\"344.2\" izz=\"129112.2\"/></inertial></link>"));
    const struct urdf_link *link = &u->link[0];

    TEST_ASSERT_TRUE(link->inertial);
    equal(7827.867, link->mass_kg);
    equal3(0.1, -0.002, 0.3, link->central.xyz_m);
    equal3(0x1.921fb54442d18p+0, 0x1.3333333333334p-2, -0.0, link->central.rpy_rad);
    equal3(17023.3, 124825.7, 129112.2, link->inertia_kgm2); /* xx yy zz */
    equal3(397.1, -2171.4, 344.2, link->inertia_kgm2 + 3);   /* xy xz yz */
}

static void test_what_is_left_out_has_the_value_urdf_gives_it(void)
{
    must_read(ROBOT(BASE TIP JOINT("continuous", "")));
    const struct urdf_joint *joint = &u->joint[0];

    equal3(1, 0, 0, joint->axis);
    equal3(0, 0, 0, joint->origin.xyz_m);
    equal3(0, 0, 0, joint->origin.rpy_rad);
    equal(0, joint->damping_nms);
    equal(0, joint->friction_nm);
    equal(0, joint->rotor_kgm2);
    TEST_ASSERT_TRUE(isinf(joint->effort_nm) && isinf(joint->velocity_rad_s));
    TEST_ASSERT_TRUE(isinf(joint->upper_rad) && joint->upper_rad > 0 && isinf(joint->lower_rad) &&
                     joint->lower_rad < 0);
    TEST_ASSERT_FALSE(u->link[0].inertial);
    equal(0, u->link[0].mass_kg);
}

static void test_joint_limits_and_friction_are_read(void)
{
    must_read(ROBOT(BASE TIP JOINT(
        "revolute", "<limit lower=\"-2.1\" upper=\"1.9\" effort=\"320\" velocity=\"1.48\"/>"
                    "<dynamics damping=\"0.8545\" friction=\"0.125\"/>")));
    equal(-2.1, u->joint[0].lower_rad);
    equal(1.9, u->joint[0].upper_rad);
    equal(320, u->joint[0].effort_nm);
    equal(1.48, u->joint[0].velocity_rad_s);
    equal(0.8545, u->joint[0].damping_nms);
    equal(0.125, u->joint[0].friction_nm);
}

static void test_a_single_component_of_the_axis_becomes_exactly_one(void)
{
    must_read(ROBOT(BASE TIP JOINT("continuous", "<axis xyz=\"0 -0.3 0\"/>")));
    equal3(0, -1, 0, u->joint[0].axis);
}

static void test_the_rotor_is_seen_through_the_gear(void)
{
    must_read(ROBOT(BASE TIP JOINT(
        "continuous",
        "") "<transmission name=\"t\"><type>SimpleTransmission</type><joint name=\"j\">"
            "<hardwareInterface>x</hardwareInterface></joint><actuator name=\"m\">"
            "<mechanicalReduction> -278 </mechanicalReduction>"
            "<rotorInertia>1.8e-8</rotorInertia></actuator></transmission>"));
    equal(1.8e-8 * 278 * 278, u->joint[0].rotor_kgm2);
}

static void test_a_transmission_without_rotor_says_nothing(void)
{
    must_read(ROBOT(BASE TIP JOINT(
        "continuous",
        "") "<transmission name=\"t\"><joint name=\"j\"/><actuator name=\"m\">"
            "<mechanicalReduction>50</mechanicalReduction></actuator></transmission>"));
    equal(0, u->joint[0].rotor_kgm2);
    TEST_ASSERT_FALSE(u->joint[0].rotor);
}

static void test_pictures_and_foreign_elements_are_passed_over(void)
{
    must_read(
        "<?xml version=\"1.0\"?><!-- a comment --><robot name=\"r\" version=\"1.0\" xmlns:d=\"d\" "
        "xmlns=\"http://www.ros.org\">"
        "<material name=\"grey\"><color rgba=\"1 1 1 1\"/></material><gazebo><plugin/></gazebo>"
        "<link name=\"base\" d:colour=\"red\"><visual><geometry><mesh "
        "filename=\"a.stl\"/></geometry></visual>"
        "<collision/><d:proximity/><e:undeclared/></link></robot>");
    TEST_ASSERT_EQUAL_INT(1, u->links);
}

/* The arm of the servicer, as relative-dynamics.md section 8 prints it. */
static void test_the_arm_has_the_figures_of_the_design(void)
{
    static const double mass[7] = {5.76, 6.35, 3.5, 3.5, 3.5, 1.8, 1.2};
    static const double torque[7] = {320, 320, 176, 176, 110, 40, 40};
    static const double rate[7] = {85, 85, 100, 75, 130, 135, 135};
    static const double range[7] = {170, 120, 170, 120, 170, 120, 175};

    TEST_ASSERT_EQUAL_INT(0, urdf_open(u, &e, "config/lbr.urdf"));
    for (int i = 0; i < 7; i++) {
        char name[] = "link_1";

        name[5] = (char)('1' + i);
        const struct urdf_link *link = &u->link[urdf_find_link(u, name)];
        const struct urdf_joint *joint = &u->joint[link->parent];

        equal(mass[i], link->mass_kg);
        equal(torque[i], joint->effort_nm);
        equal3(0, 0, 1, joint->axis);
        /* one rounding of pi/180 and one of the product */
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, rate[i] * 3.14159265358979323846 / 180,
                                  joint->velocity_rad_s);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, range[i] * 3.14159265358979323846 / 180, joint->upper_rad);
        equal(-joint->upper_rad, joint->lower_rad);
    }
}

/* ---- refusals that no file of tests/urdf holds ---- */

static void test_a_file_that_is_not_there_is_refused(void)
{
    TEST_ASSERT_EQUAL_INT(-EINVAL, urdf_open(u, &e, "tests/urdf/no-such-file.urdf"));
    TEST_ASSERT_EQUAL_INT(1, e.count);
    TEST_ASSERT_NOT_NULL(strstr(e.row[0].text, "No such file"));
}

static void test_more_than_a_mebibyte_is_refused(void)
{
    const size_t size = SOURCE_BYTES_MAX + 1;
    char *text = malloc(size + 1);

    TEST_ASSERT_NOT_NULL(text);
    (void)snprintf(text, size + 1, "<robot name=\"r\">%*s</robot>", (int)size - 24, "");
    TEST_ASSERT_EQUAL_INT(size, strlen(text));
    must_refuse(text, 0, "expected at most 1 MiB (1048576 B), found 1048577 B");
    free(text);
}

static void test_a_zero_byte_is_refused(void)
{
    static const char text[] = "<robot name=\"r\">\n<link name=\"a\"/>\0</robot>";
    const struct source source = {
        .name = "t", .text = text, .length = sizeof text - 1, .file = true};

    TEST_ASSERT_EQUAL_INT(-EINVAL, urdf_read(u, &e, &source));
    TEST_ASSERT_EQUAL_INT(2, e.row[0].line);
    TEST_ASSERT_EQUAL_STRING("expected UTF-8 text, found the control character U+0000",
                             e.row[0].text);
}

static void test_deep_nesting_is_refused_not_followed(void)
{
    static const char begin[] = "<robot name=\"r\"><gazebo>";
    const size_t size = 300000;
    char *text = malloc(size);

    TEST_ASSERT_NOT_NULL(text);
    (void)snprintf(text, size, "%s", begin);
    for (size_t n = sizeof begin - 1; n + 3 < size; n += 3) {
        (void)snprintf(text + n, size - n, "<a>");
    }
    TEST_ASSERT_EQUAL_INT(-EINVAL, read_text(text));
    TEST_ASSERT_EQUAL_INT(1, e.count);
    free(text);
}

/* Lines are counted beyond 65535, where the numbers of libxml2 end. */
static void test_lines_are_right_in_long_files(void)
{
    static const char begin[] = "<robot name=\"r\">";
    const size_t lines = 70000, size = lines + 128;
    char *text = malloc(size);

    TEST_ASSERT_NOT_NULL(text);
    memset(text, '\n', lines + sizeof begin);
    memcpy(text, begin, sizeof begin - 1);
    (void)snprintf(text + sizeof begin - 1 + lines, 64,
                   "<link name=\"a\"/>\n<link name=\"a\"/>\n</robot>");
    must_refuse(text, (int)lines + 2,
                "link \"a\": second link of this name, the first is in line 70001");
    free(text);
}

static void test_errors_come_in_the_order_of_the_lines(void)
{
    TEST_ASSERT_EQUAL_INT(-EINVAL,
                          read_text("<robot name=\"r\">\n"
                                    "<joint name=\"j\" type=\"fixed\"><child link=\"x\"/></joint>\n"
                                    "<link/>\n<joint name=\"k\" type=\"odd\"/>\n<link/></robot>"));
    TEST_ASSERT_EQUAL_INT(7, e.count);
    for (int i = 1; i < e.count; i++) {
        TEST_ASSERT_TRUE(e.row[i - 1].line <= e.row[i].line);
    }
    TEST_ASSERT_EQUAL_INT(2, e.row[0].line);
    TEST_ASSERT_EQUAL_INT(5, e.row[6].line);
}

/* What fails leaves nothing behind that a second reading would find. */
static void test_a_reader_can_be_used_again(void)
{
    TEST_ASSERT_EQUAL_INT(-EINVAL, read_text(ROBOT(BASE BASE)));
    errors_init(&e);
    must_read(ROBOT(BASE TIP JOINT("fixed", "")));
    TEST_ASSERT_EQUAL_INT(2, u->links);
    TEST_ASSERT_EQUAL_INT(1, u->joints);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_parent_stands_before_its_children);
    RUN_TEST(test_order_of_elements_does_not_matter);
    RUN_TEST(test_an_axis_of_any_length_becomes_a_unit_vector);
    RUN_TEST(test_numbers_are_the_nearest_double);
    RUN_TEST(test_what_is_left_out_has_the_value_urdf_gives_it);
    RUN_TEST(test_joint_limits_and_friction_are_read);
    RUN_TEST(test_a_single_component_of_the_axis_becomes_exactly_one);
    RUN_TEST(test_the_rotor_is_seen_through_the_gear);
    RUN_TEST(test_a_transmission_without_rotor_says_nothing);
    RUN_TEST(test_pictures_and_foreign_elements_are_passed_over);
    RUN_TEST(test_the_arm_has_the_figures_of_the_design);
    RUN_TEST(test_a_file_that_is_not_there_is_refused);
    RUN_TEST(test_more_than_a_mebibyte_is_refused);
    RUN_TEST(test_a_zero_byte_is_refused);
    RUN_TEST(test_deep_nesting_is_refused_not_followed);
    RUN_TEST(test_lines_are_right_in_long_files);
    RUN_TEST(test_errors_come_in_the_order_of_the_lines);
    RUN_TEST(test_a_reader_can_be_used_again);
    return UNITY_END();
}
