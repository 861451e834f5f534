/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_multibody.c - building a robot, payloads, where its links are, and bad numbers. */
#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/multibody_bias.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/so3.h"
#include "tests/engine.h"
#include "unity.h"

#define STATES 50

static struct engine e, f;
static struct draw dice;

void setUp(void)
{
    dice.state = 987654321;
}

void tearDown(void)
{
}

static void test_links_are_where_the_textbook_puts_them(void)
{
    struct pose here;

    se3_identity(&here);
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < STATES; k++) {
            engine_draw(&e, &dice);
            multibody_kinematics(&e.m, &e.w, e.q);
            for (int link = MULTIBODY_BASE; link < e.m.joints; link++) {
                struct multibody_frame frame;
                struct pose g, expected;

                TEST_ASSERT_EQUAL_INT(0, multibody_frame(&frame, &e.m, link, &here));
                multibody_frame_pose(&g, &e.w, &frame);
                engine_link_pose(&expected, &e, e.q, link);
                TEST_ASSERT_TRUE(draw_distance(g.R, expected.R, 9) < 1e-13);
                TEST_ASSERT_TRUE(draw_distance(g.p, expected.p, 3) < 1e-13);
            }
        }
    }
}

/* relative-dynamics.md section 8: start posture of the servicer's arm, E in B, and the mass of arm
 * and gripper. */
static void test_servicer_gripper_is_where_the_design_says(void)
{
    const double q0[7] = {0.0, 1.10, 0.0, 2.05, 0.0, 0.95, 0.0};
    const double expected[3] = {2.18918361, 0.0, 0.25105911};
    struct multibody_frame gripper;
    struct pose g;

    engine_build(&e, 1);
    TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&gripper, &e.m, &robots_servicer, 0));
    multibody_kinematics(&e.m, &e.w, q0);
    multibody_frame_pose(&g, &e.w, &gripper);
    TEST_ASSERT_TRUE(draw_distance(g.p, expected, 3) < 5e-9);
    multibody_mass(&e.m, &e.w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 27.61, e.w.total.mass_kg - 1505.0);
}

/* What the engine says of a robot must not depend on where its base frame is put. */
static void move_base(struct engine *moved, const struct engine *from, const struct pose *g_bn)
{
    struct pose g_nb;
    struct body base;

    se3_inverse(&g_nb, g_bn);
    moved->robot = from->robot;
    body_place(&base, &g_nb, &from->m.base_body);
    TEST_ASSERT_EQUAL_INT(0, multibody_init(&moved->m, MULTIBODY_FLOATING, &base));
    for (int i = 0; i < from->m.joints; i++) {
        struct robots_mass mass;
        struct robots_pose place;
        struct multibody_joint joint = {.rotor_kgm2 = robots_joint(&from->robot, i)->rotor_kgm2};
        int parent;

        robots_place(&place, &parent, &from->robot, i);
        robots_rotation(joint.place.R, place.q);
        mat_copy(joint.place.p, place.p, 3);
        if (parent == ROBOTS_BASE) {
            se3_mul(&joint.place, &g_nb, &joint.place);
        }
        mat_copy(joint.axis, robots_joint(&from->robot, i)->axis, 3);
        robots_merge(&mass, &from->robot, i);
        body_make(&joint.body, mass.mass_kg, mass.com, mass.inertia);
        TEST_ASSERT_EQUAL_INT(i, multibody_add_joint(&moved->m, parent, &joint));
    }
    multibody_reset(&moved->m, &moved->w);
}

static void test_the_place_of_the_base_frame_does_not_matter(void)
{
    const double w[3] = {0.3, -1.1, 0.7};
    const int robot[4] = {0, 2, 4, 6};
    struct pose g;

    so3_exp(g.R, w);
    draw_vector(&dice, g.p, 3, 0.5);
    for (int i = 0; i < 4; i++) {
        engine_build(&e, robot[i]);
        move_base(&f, &e, &g);
        for (int k = 0; k < STATES; k++) {
            struct multibody_input in = {.gravity = {1.0, -2.0, 9.0}}, in_f;
            struct multibody_vector a, b;
            double Vdot[6], P[6], P_f[6];

            engine_draw(&e, &dice);
            engine_vector(&in.load, &e, &dice, 5.0);
            in_f = in;
            mat_copy(f.q, e.q, e.m.joints);
            f.nu = e.nu;
            se3_apply_Ad_inverse(f.nu.base, &g, e.nu.base);
            se3_apply_Ad_transpose(in_f.load.base, &g, in.load.base);
            mat_vec3_t(in_f.gravity, g.R, in.gravity);
            multibody_solve_forward(&a, &e.m, &e.w, e.q, &e.nu, &in);
            multibody_solve_forward(&b, &f.m, &f.w, f.q, &f.nu, &in_f);
            se3_apply_Ad_inverse(Vdot, &g, a.base);
            const double scale = 1.0 + draw_size(a.joint, e.m.joints);
            TEST_ASSERT_TRUE(draw_distance(a.joint, b.joint, e.m.joints) < 1e-10 * scale);
            TEST_ASSERT_TRUE(draw_distance(Vdot, b.base, 6) < 1e-10 * scale);

            multibody_mass_joint(&e.m, &e.w);
            multibody_mass_joint(&f.m, &f.w);
            const double T = multibody_mass_energy(&e.m, &e.w, &e.nu);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12 * T, T, multibody_mass_energy(&f.m, &f.w, &f.nu));
            multibody_mass_momentum(P, &e.m, &e.w, &e.nu);
            multibody_mass_momentum(P_f, &f.m, &f.w, &f.nu);
            se3_apply_Ad_transpose(P, &g, P);
            TEST_ASSERT_TRUE(draw_distance(P, P_f, 6) < 1e-11 * draw_size(P, 6));
        }
    }
}

/* ---- payloads ---- */

static void random_load(struct body *load)
{
    const double none[6] = {0.0};

    *load = (struct body){0.0, {0.0}, {0.0}};
    for (int k = 0; k < 4; k++) {
        struct body point;
        double c[3];

        draw_vector(&dice, c, 3, 0.3);
        body_make(&point, 1.5, c, none);
        body_add(load, &point);
    }
}

static void test_a_payload_equals_the_same_body_in_the_model(void)
{
    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        for (int link = MULTIBODY_BASE; link < robots_joints(&robots_fixed); link += 3) {
            struct multibody_frame at;
            struct body load;
            struct pose g;
            double w[3], A[MULTIBODY_DOF * MULTIBODY_DOF], B[MULTIBODY_DOF * MULTIBODY_DOF];

            engine_build(&e, i);
            engine_build(&f, i);
            random_load(&load);
            draw_vector(&dice, w, 3, 3.0);
            so3_exp(g.R, w);
            draw_vector(&dice, g.p, 3, 0.5);
            if (link >= e.m.joints) {
                continue;
            }
            TEST_ASSERT_EQUAL_INT(0, multibody_add_body(&f.m, link, &g, &load));
            multibody_reset(&f.m, &f.w);
            TEST_ASSERT_EQUAL_INT(0, multibody_frame(&at, &e.m, link, &g));
            TEST_ASSERT_TRUE(multibody_attach(&e.w, &at, &load));
            engine_draw(&e, &dice);
            const int n = multibody_dof(&e.m);
            engine_dense_mass(A, &e, e.q);
            engine_dense_mass(B, &f, e.q);
            TEST_ASSERT_TRUE(draw_distance(A, B, n * n) <= 1e-14 * draw_size(A, n * n));
        }
    }
}

static void test_taking_a_payload_off_restores_every_bit(void)
{
    static struct engine clean;

    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        for (int link = MULTIBODY_BASE; link < 1; link++) {
            struct multibody_frame at;
            struct pose here;
            struct body load;

            engine_build(&e, i);
            engine_draw(&e, &dice);
            clean = e;
            se3_identity(&here);
            random_load(&load);
            TEST_ASSERT_EQUAL_INT(0, multibody_frame(&at, &e.m, link, &here));
            TEST_ASSERT_TRUE(multibody_attach(&e.w, &at, &load));
            TEST_ASSERT_TRUE(memcmp(&clean.w, &e.w, sizeof e.w) != 0);
            multibody_detach(&e.m, &e.w, &at);
            engine_stages(&e);
            engine_stages(&clean);
            TEST_ASSERT_EQUAL_INT(0, memcmp(&clean.w, &e.w, sizeof e.w));
        }
    }
}

static void test_a_payload_that_cannot_exist_is_refused(void)
{
    struct body load = {1.0, {0.0, 0.0, 0.0}, {1.0, 1.0, 3.0, 0.0, 0.0, 0.0}};
    struct multibody_frame at;
    struct pose here;

    engine_build(&e, 0);
    f = e;
    se3_identity(&here);
    TEST_ASSERT_EQUAL_INT(0, multibody_frame(&at, &e.m, 3, &here));
    TEST_ASSERT_FALSE(multibody_attach(&e.w, &at, &load));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&f.w, &e.w, sizeof e.w));
}

/* ---- stacked vectors ---- */

static void test_stacked_vectors_hold_the_free_base_rows_first(void)
{
    const struct multibody_vector x = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12, 13, 14}};
    const double planar[8] = {1, 2, 6, 7, 8, 9, 10, 11};
    struct multibody_vector back;
    double dense[MULTIBODY_DOF];

    engine_build(&e, 5);
    TEST_ASSERT_EQUAL_INT(8, multibody_dof(&e.m));
    multibody_stack(dense, &e.m, &x);
    TEST_ASSERT_TRUE(draw_distance(dense, planar, 8) <= 0.0);
    multibody_unstack(&back, &e.m, dense);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, back.base[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 6.0, back.base[5]);
    engine_build(&e, 3);
    multibody_stack(dense, &e.m, &x);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 7.0, dense[0]);
    engine_build(&e, 0);
    multibody_stack(dense, &e.m, &x);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 4.0, dense[3]);
}

/* ---- refusals ---- */

static struct multibody_joint good_joint(void)
{
    struct multibody_joint joint = {.axis = {0.0, 0.0, 2.0}, .rotor_kgm2 = 0.1};
    const double com[3] = {0.0, 0.0, 0.1}, J[6] = {0.1, 0.1, 0.1, 0.0, 0.0, 0.0};

    se3_identity(&joint.place);
    body_make(&joint.body, 1.0, com, J);
    return joint;
}

static void test_what_is_no_robot_is_refused(void)
{
    struct body body = good_joint().body, none = {0.0, {0.0}, {0.0}}, ghost = body;
    struct multibody_model m;

    ghost.inertia[0] = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_init(&m, MULTIBODY_FLOATING, &ghost));
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_init(&m, MULTIBODY_FLOATING, &none));
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_init(&m, MULTIBODY_PLANAR, &none));
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_init(&m, (enum multibody_base)4, &body));
    TEST_ASSERT_EQUAL_INT(0, multibody_init(&m, MULTIBODY_FIXED, &none));
}

static void test_what_is_no_joint_is_refused_and_changes_nothing(void)
{
    struct multibody_joint bad[6];
    struct multibody_model m, before;
    struct body body = good_joint().body;

    for (int k = 0; k < 6; k++) {
        bad[k] = good_joint();
    }
    bad[0].axis[2] = 0.0;
    bad[1].axis[0] = NAN;
    bad[2].place.R[0] = 1.1;
    bad[3].place.R[0] = -1.0; /* a mirror is no rotation */
    bad[4].body.mass_kg = -1.0;
    bad[5].rotor_kgm2 = -1e-3;
    TEST_ASSERT_EQUAL_INT(0, multibody_init(&m, MULTIBODY_FLOATING, &body));
    before = m;
    for (int k = 0; k < 6; k++) {
        TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_add_joint(&m, MULTIBODY_BASE, &bad[k]));
    }
    bad[0] = good_joint();
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_add_joint(&m, 0, &bad[0]));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&before, &m, sizeof m));
}

static void test_two_arms_of_eight_joints_and_no_more(void)
{
    const struct multibody_joint joint = good_joint();
    struct multibody_frame frame;
    struct multibody_model m;
    struct pose here = joint.place;

    TEST_ASSERT_EQUAL_INT(0, multibody_init(&m, MULTIBODY_FLOATING, &joint.body));
    for (int k = 0; k < 2; k++) {
        TEST_ASSERT_EQUAL_INT(8 * k, multibody_add_joint(&m, MULTIBODY_BASE, &joint));
        for (int i = 1; i < 8; i++) {
            const int last = m.joints - 1;

            if (i > 2) { /* a branch */
                TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_add_joint(&m, last - 1, &joint));
            }
            TEST_ASSERT_EQUAL_INT(last + 1, multibody_add_joint(&m, last, &joint));
        }
        TEST_ASSERT_EQUAL_INT(-ENOSPC, multibody_add_joint(&m, m.joints - 1, &joint));
    }
    TEST_ASSERT_EQUAL_INT(-ENOSPC, multibody_add_joint(&m, MULTIBODY_BASE, &joint));
    TEST_ASSERT_EQUAL_INT(22, multibody_dof(&m));
    TEST_ASSERT_EQUAL_INT(0, multibody_frame(&frame, &m, 15, &here));
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_frame(&frame, &m, 16, &here));
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_frame(&frame, &m, -2, &here));
    here.R[4] = 0.5;
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_frame(&frame, &m, 0, &here));
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_add_body(&m, 0, &here, &joint.body));
    TEST_ASSERT_EQUAL_INT(-EINVAL, multibody_add_body(&m, 16, &joint.place, &joint.body));
}

/* ---- bad numbers ---- */

static bool bounded(const double *x, int n)
{
    return draw_size(x, n) < 1e40;
}

/* Everything at a state, into one list: all finite and bounded, whatever came in. */
static void everything_is_bounded(const struct multibody_vector *acc,
                                  const double gravity[static 3], const double F[static 6])
{
    struct multibody_frame frame;
    struct multibody_jacobian J;
    struct multibody_contact contact;
    struct multibody_input in = {.load = *acc, .contacts = 1, .contact = &contact};
    struct multibody_vector x;
    double y[MULTIBODY_JOINTS];
    const int n = e.m.joints;

    TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&frame, &e.m, &e.robot, 0));
    contact.frame = frame;
    mat_copy(contact.wrench, F, 6);
    mat_copy(in.gravity, gravity, 3);
    multibody_solve_forward(&x, &e.m, &e.w, e.q, &e.nu, &in);
    TEST_ASSERT_FALSE(e.w.valid);
    TEST_ASSERT_TRUE(bounded(x.base, 6) && bounded(x.joint, n));
    multibody_mass_joint(&e.m, &e.w);
    multibody_bias(&e.m, &e.w);
    multibody_bias_joint(y, &e.m, &e.w, e.nu.base);
    TEST_ASSERT_TRUE(bounded(y, n));
    multibody_bias_base(y, &e.w, e.nu.base);
    TEST_ASSERT_TRUE(bounded(y, 6));
    multibody_bias_acceleration(y, &e.w, e.nu.base, F);
    TEST_ASSERT_TRUE(bounded(y, 6));
    multibody_bias_step(y, &e.w, e.nu.base, F, 1e-3);
    TEST_ASSERT_TRUE(bounded(y, 6));
    multibody_bias_between(y, &e.m, &e.w, e.nu.base, acc->base, F, acc->base);
    TEST_ASSERT_TRUE(bounded(y, n));
    multibody_inverse(&x, &e.m, &e.w, e.nu.base, acc, gravity);
    TEST_ASSERT_TRUE(bounded(x.base, 6) && bounded(x.joint, n));
    multibody_inverse_coriolis(&x, &e.m, &e.w, e.nu.base, &e.nu, acc);
    TEST_ASSERT_TRUE(bounded(x.base, 6) && bounded(x.joint, n));
    multibody_mass_gravity(&x, &e.m, &e.w, gravity);
    TEST_ASSERT_TRUE(bounded(x.base, 6) && bounded(x.joint, n));
    multibody_mass_times(&x, &e.m, &e.w, &e.nu);
    TEST_ASSERT_TRUE(bounded(x.base, 6) && bounded(x.joint, n));
    multibody_mass_base_solve(y, &e.w, F);
    TEST_ASSERT_TRUE(bounded(y, 6));
    TEST_ASSERT_TRUE(base_finite(multibody_mass_energy(&e.m, &e.w, &e.nu)));
    multibody_frame_twist(y, &e.w, &frame, e.nu.base);
    TEST_ASSERT_TRUE(bounded(y, 6));
    multibody_frame_bias(y, &e.w, &frame, e.nu.base);
    TEST_ASSERT_TRUE(bounded(y, 6));
    multibody_frame_jacobian(&J, &e.w, &frame);
    TEST_ASSERT_TRUE(bounded(J.base, 36) && bounded(&J.joint[0][0], 48) && bounded(J.g.R, 9));
    TEST_ASSERT_FALSE(e.w.valid);
}

static void test_bad_numbers_are_flagged_and_stay_bounded(void)
{
    const double bad[4] = {NAN, INFINITY, -1e300, 1e13};

    for (int i = 0; i < ENGINE_ROBOTS; i++) {
        engine_build(&e, i);
        for (int k = 0; k < 24; k++) {
            struct multibody_vector acc;
            double gravity[3], F[6];

            engine_draw(&e, &dice);
            engine_vector(&acc, &e, &dice, 1.0);
            draw_vector(&dice, gravity, 3, 1.0);
            draw_vector(&dice, F, 6, 1.0);
            double *const spot[6] = {&e.q[k % e.m.joints], &e.nu.joint[k % e.m.joints],
                                     &e.nu.base[k % 6],    &acc.joint[k % e.m.joints],
                                     &gravity[k % 3],      &F[k % 6]};
            *spot[k % 6] = bad[k / 6];
            everything_is_bounded(&acc, gravity, F);
        }
        engine_draw(&e, &dice);
        engine_stages(&e); /* good again with the next good state: it asserts w.valid */
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_links_are_where_the_textbook_puts_them);
    RUN_TEST(test_servicer_gripper_is_where_the_design_says);
    RUN_TEST(test_the_place_of_the_base_frame_does_not_matter);
    RUN_TEST(test_a_payload_equals_the_same_body_in_the_model);
    RUN_TEST(test_taking_a_payload_off_restores_every_bit);
    RUN_TEST(test_a_payload_that_cannot_exist_is_refused);
    RUN_TEST(test_stacked_vectors_hold_the_free_base_rows_first);
    RUN_TEST(test_what_is_no_robot_is_refused);
    RUN_TEST(test_what_is_no_joint_is_refused_and_changes_nothing);
    RUN_TEST(test_two_arms_of_eight_joints_and_no_more);
    RUN_TEST(test_bad_numbers_are_flagged_and_stay_bounded);
    return UNITY_END();
}
