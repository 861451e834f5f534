/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mapping.c - orbit and lab through the nominal motion. */
#include "model/mapping.h"

#include <math.h>

#include "model/mat.h"
#include "model/random.h"
#include "unity.h"

static struct random_state rng;

void setUp(void)
{
    random_init(&rng, 4, 0);
}

void tearDown(void)
{
}

static void random_numbers(double *x, int n, double sigma)
{
    for (int i = 0; i < n; i++) {
        x[i] = sigma * random_normal(&rng);
    }
}

static void random_motion(struct motion *m)
{
    double u[6];

    random_numbers(u, 6, 1.0);
    se3_exp(&m->pose, u);
    random_numbers(m->velocity, 6, 1.0);
    random_numbers(m->acceleration, 6, 1.0);
}

/* The motion t seconds on, with its acceleration constant in body axes: exact enough for differences, because
 * exp(t V + t^2/2 V') has the right pose, twist and acceleration at t = 0 (error t^3). */
static void after(struct motion *m, const struct motion *now, double t)
{
    double u[6];
    struct pose step;

    for (int i = 0; i < 6; i++) {
        u[i] = t * now->velocity[i] + 0.5 * t * t * now->acceleration[i];
        m->velocity[i] = now->velocity[i] + t * now->acceleration[i];
        m->acceleration[i] = now->acceleration[i];
    }
    se3_exp(&step, u);
    se3_mul(&m->pose, &now->pose, &step);
}

static void assert_same(const double *expected, const double *actual, int n, double tolerance)
{
    for (int i = 0; i < n; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(tolerance, expected[i], actual[i]);
    }
}

static void test_orbit_and_lab_are_inverse_to_each_other(void)
{
    for (int k = 0; k < 100; k++) {
        struct motion nominal, lab, orbit, back;

        random_motion(&nominal);
        random_motion(&lab);
        mapping_to_orbit(&orbit, &nominal, &lab);
        mapping_to_lab(&back, &nominal, &orbit);
        assert_same(lab.pose.R, back.pose.R, 9, 1e-14);
        assert_same(lab.pose.p, back.pose.p, 3, 1e-13);
        assert_same(lab.velocity, back.velocity, 6, 1e-12);
        assert_same(lab.acceleration, back.acceleration, 6, 1e-11);
    }
}

/* g_c^-1 g_s = g_t^-1 g_b, because N multiplies from the left */
static void test_client_and_servicer_see_each_other_as_in_orbit(void)
{
    for (int k = 0; k < 100; k++) {
        struct motion nominal, c, s, t, b;
        struct pose lab, orbit;

        random_motion(&nominal);
        random_motion(&c);
        random_motion(&s);
        mapping_to_orbit(&t, &nominal, &c);
        mapping_to_orbit(&b, &nominal, &s);
        se3_relative(&lab, &c.pose, &s.pose);
        se3_relative(&orbit, &t.pose, &b.pose);
        assert_same(lab.R, orbit.R, 9, 1e-14);
        assert_same(lab.p, orbit.p, 3, 1e-13);
    }
}

/* [REL 7'] by central differences of [REL 6] along the motion; the wrong sign misses by more than 0.1. */
static void test_carried_acceleration_is_the_derivative_of_the_carried_twist(void)
{
    /* Richardson's step removes the t^2 term; the rest is t^4 and rounding 1e-16 / t */
    const double t = 1e-3;

    for (int k = 0; k < 100; k++) {
        struct motion nominal, lab, n, l;
        double dV[6], dV_dot[6], slope[2][6], unused[6], size = 0.0;

        random_motion(&nominal);
        random_motion(&lab);
        mapping_carried(dV, dV_dot, &nominal, &lab.pose, lab.velocity);
        for (int h = 0; h < 2; h++) {
            double ahead[6], behind[6];
            const double step = h == 0 ? t : 0.5 * t;

            after(&n, &nominal, step);
            after(&l, &lab, step);
            mapping_carried(ahead, unused, &n, &l.pose, l.velocity);
            after(&n, &nominal, -step);
            after(&l, &lab, -step);
            mapping_carried(behind, unused, &n, &l.pose, l.velocity);
            for (int i = 0; i < 6; i++) {
                slope[h][i] = (ahead[i] - behind[i]) / (2.0 * step);
            }
        }
        for (int i = 0; i < 6; i++) {
            size += fabs(dV_dot[i]) + fabs(dV[i]);
        }
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-10 * (1.0 + size), (4.0 * slope[1][i] - slope[0][i]) / 3.0,
                                      dV_dot[i]);
        }
    }
}

/* The mapped twist is the derivative of the mapped pose. */
static void test_mapped_twist_moves_the_mapped_pose(void)
{
    for (int k = 0; k < 50; k++) {
        struct motion nominal, lab, n, l, orbit, next, before;
        struct pose g;
        double u[6];

        random_motion(&nominal);
        random_motion(&lab);
        mapping_to_orbit(&orbit, &nominal, &lab);
        after(&n, &nominal, 1e-5);
        after(&l, &lab, 1e-5);
        mapping_to_orbit(&next, &n, &l);
        after(&n, &nominal, -1e-5);
        after(&l, &lab, -1e-5);
        mapping_to_orbit(&before, &n, &l);
        se3_relative(&g, &before.pose, &next.pose);
        se3_log(u, &g);
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(2e-8, orbit.velocity[i], u[i] / 2e-5);
            TEST_ASSERT_DOUBLE_WITHIN(2e-8, orbit.acceleration[i],
                                      (next.velocity[i] - before.velocity[i]) / 2e-5);
        }
    }
}

static void test_equal_motions_leave_the_lab_exactly_at_rest(void)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[6] = {0};

    for (int k = 0; k < 1000; k++) {
        struct motion nominal, lab;

        random_motion(&nominal);
        mapping_to_lab(&lab, &nominal, &nominal);
        assert_same(one, lab.pose.R, 9, 0.0);
        assert_same(zero, lab.pose.p, 3, 0.0);
        assert_same(zero, lab.velocity, 6, 0.0);
        assert_same(zero, lab.acceleration, 6, 0.0);
    }
}

/* Action and reaction: no net force and no net moment about any point, and no power at equal motion. */
static void test_contact_pair_has_no_resultant(void)
{
    for (int k = 0; k < 100; k++) {
        struct motion t;
        struct pose g_te, g_e;
        double u[6], F_e[6], F_t[6], at_t[6], at_e[6];

        random_motion(&t);
        random_numbers(u, 6, 1.0);
        random_numbers(F_e, 6, 10.0);
        se3_exp(&g_te, u);
        se3_mul(&g_e, &t.pose, &g_te);
        mapping_contact(F_t, &g_te, F_e);
        se3_apply_Ad_inverse_transpose(at_t, &t.pose, F_t);
        se3_apply_Ad_inverse_transpose(at_e, &g_e, F_e);
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, at_t[i] + at_e[i]);
        }
    }
}

/* A push of 1 N along x at 2 m along y turns by -2 Nm about z on the client, reversed. */
static void test_contact_transport_by_hand(void)
{
    const struct pose g_te = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.0, 2.0, 0.0}};
    const double F_e[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, expected[6] = {-1, 0, 0, 0, 0, 2};
    double F_t[6];

    mapping_contact(F_t, &g_te, F_e);
    assert_same(expected, F_t, 6, 0.0);
}

/* Envisat at -2.5 deg/s about y, base at 5.37 m: 0.234 m/s in orbit, at rest in the lab (design page, section 4). */
static void test_comoving_servicer_starts_at_rest_in_the_lab(void)
{
    const struct pose g_tb = {.R = {-1, 0, 0, 0, 1, 0, 0, 0, -1}, .p = {5.1354, 0.0, 1.5631}};
    const double V_t[6] = {0.0, 0.0, 0.0, 0.0, -2.5 * BASE_PI / 180.0, 0.0}, zero[6] = {0};
    const double V_s[6] = {0.01, -0.02, 0.03, 1e-3, 2e-3, -1e-3};
    struct motion nominal, client, servicer, lab;

    random_motion(&nominal);
    mapping_start(&client, &servicer, &nominal.pose, V_t, &g_tb, zero);
    nominal = client;
    mapping_to_lab(&lab, &nominal, &servicer);
    assert_same(g_tb.R, lab.pose.R, 9, 1e-15);
    assert_same(g_tb.p, lab.pose.p, 3, 1e-14);
    assert_same(zero, lab.velocity, 6, 1e-15);
    TEST_ASSERT_DOUBLE_WITHIN(5e-4, 0.234, mat_norm3(servicer.velocity));

    mapping_start(&client, &servicer, &nominal.pose, V_t, &g_tb, V_s);
    mapping_to_lab(&lab, &nominal, &servicer);
    assert_same(V_s, lab.velocity, 6, 1e-15);
}

static void test_lab_body_is_never_faster_than_its_bound(void)
{
    double closest = 1e9;

    for (int k = 0; k < 1000; k++) {
        struct motion nominal, lab, orbit;
        struct mapping_bound b;

        random_motion(&nominal);
        random_motion(&orbit);
        mapping_to_lab(&lab, &nominal, &orbit);
        mapping_bound(&b, &nominal, &lab, &orbit);
        TEST_ASSERT_TRUE(b.speed_mps <= b.speed_bound_mps * (1.0 + 1e-12));
        TEST_ASSERT_TRUE(b.rate_radps <= b.rate_bound_radps * (1.0 + 1e-12));
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, mat_norm3(lab.velocity), b.speed_mps);
        closest = fmin(closest, b.rate_bound_radps / b.rate_radps);
    }
    TEST_ASSERT_TRUE(closest < 1.05); /* and the bound is a bound, not a large number */
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_orbit_and_lab_are_inverse_to_each_other);
    RUN_TEST(test_client_and_servicer_see_each_other_as_in_orbit);
    RUN_TEST(test_carried_acceleration_is_the_derivative_of_the_carried_twist);
    RUN_TEST(test_mapped_twist_moves_the_mapped_pose);
    RUN_TEST(test_equal_motions_leave_the_lab_exactly_at_rest);
    RUN_TEST(test_contact_pair_has_no_resultant);
    RUN_TEST(test_contact_transport_by_hand);
    RUN_TEST(test_comoving_servicer_starts_at_rest_in_the_lab);
    RUN_TEST(test_lab_body_is_never_faster_than_its_bound);
    return UNITY_END();
}
