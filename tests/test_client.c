/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_client.c - the client in orbit and in the lab. */
#include "model/client.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/nominal.h"
#include "model/random.h"
#include "model/so3.h"
#include "unity.h"

#define DEG (BASE_PI / 180.0)

static const double ENVISAT[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
static const double SPIN[6] = {0.01, -0.015, 0.012, 0.0, -2.5 * DEG, 0.0};
static struct client_model model;
static struct nominal_model nominal_model;
static struct pose start;
static struct random_state rng;

void setUp(void)
{
    const double u[6] = {3.0, -1.0, 2.0, 0.3, 0.4, -0.5};

    TEST_ASSERT_EQUAL_INT(0, rigid_init(&model.body, 7827.867, ENVISAT));
    nominal_model.form = NOMINAL_UNFORCED;
    nominal_model.body = model.body;
    se3_exp(&start, u);
    random_init(&rng, 6, 0);
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

static void start_both(struct nominal_state *n, struct client_state *c)
{
    TEST_ASSERT_EQUAL_INT(0, nominal_init(&nominal_model, n, &start, SPIN));
    TEST_ASSERT_EQUAL_INT(0, client_init(&model, c, &n->motion, &start, SPIN));
}

/* A push that comes, turns and goes. */
static void push(double F[static 6], double t)
{
    const double s = sin(2.0 * t), c = cos(1.3 * t);

    for (int i = 0; i < 6; i++) {
        F[i] = (i < 3 ? 30.0 : 20.0) * (i % 2 == 0 ? s : c) * s * (1.0 + 0.1 * i);
    }
}

/* Spatial momentum from pose and twist, as an observer would compute it. */
static void observed_momentum(double mu[static 6], const struct motion *orbit)
{
    double P[6];

    body_momentum(P, &model.body.body, orbit->velocity);
    se3_apply_Ad_inverse_transpose(mu, &orbit->pose, P);
}

static void test_momentum_changes_by_the_impulse_only(void)
{
    struct nominal_state n;
    struct client_state c;
    double expected[6], observed[6], last[6] = {0};

    start_both(&n, &c);
    observed_momentum(expected, &c.orbit);
    for (int k = 1; k <= 5000; k++) {
        double F[6], w[6];

        push(F, 1e-3 * k);
        nominal_step(&nominal_model, &n, 1e-3);
        client_step(&model, &c, &n.motion, F, 1e-3);
        se3_apply_Ad_inverse_transpose(w, &c.orbit.pose, F);
        for (int i = 0; i < 6; i++) {
            expected[i] += 5e-4 * (last[i] + w[i]);
            last[i] = w[i];
        }
    }
    observed_momentum(observed, &c.orbit);
    for (int i = 0; i < 6; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected[i], observed[i]); /* of 5000 */
    }
}

/* Energy taken in is the work done, F' V integrated along the way; second order in the step. */
static double energy_error(int steps)
{
    const double dt = 5.0 / steps;
    struct nominal_state n;
    struct client_state c;
    double work = 0.0, power = 0.0, before;

    start_both(&n, &c);
    before = rigid_energy(&model.body, &c.body);
    for (int k = 1; k <= steps; k++) {
        double F[6], last = power;

        push(F, dt * k);
        nominal_step(&nominal_model, &n, dt);
        client_step(&model, &c, &n.motion, F, dt);
        power = mat_dot6(F, c.orbit.velocity);
        work += 0.5 * dt * (last + power);
    }
    return fabs(rigid_energy(&model.body, &c.body) - before - work);
}

static void test_energy_changes_by_the_work(void)
{
    const double coarse = energy_error(500), fine = energy_error(1000);

    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.0, fine); /* of 120 J */
    TEST_ASSERT_DOUBLE_WITHIN(1.0, 4.0, coarse / fine);
}

/* Moving the inertial frame moves the answer in orbit and leaves the lab alone. */
static void test_lab_motion_does_not_depend_on_the_inertial_frame(void)
{
    struct nominal_state n[2];
    struct client_state c[2];
    struct pose g[2], h;
    double u[6];

    random_numbers(u, 6, 1.0);
    se3_exp(&h, u);
    g[0] = start;
    se3_mul(&g[1], &h, &start);
    for (int f = 0; f < 2; f++) {
        TEST_ASSERT_EQUAL_INT(0, nominal_init(&nominal_model, &n[f], &g[f], SPIN));
        TEST_ASSERT_EQUAL_INT(0, client_init(&model, &c[f], &n[f].motion, &g[f], SPIN));
        for (int k = 1; k <= 2000; k++) {
            double F[6];

            push(F, 1e-3 * k);
            nominal_step(&nominal_model, &n[f], 1e-3);
            client_step(&model, &c[f], &n[f].motion, F, 1e-3);
        }
    }
    for (int i = 0; i < 6; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, c[0].lab.velocity[i], c[1].lab.velocity[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, c[0].lab.acceleration[i], c[1].lab.acceleration[i]);
    }
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, c[0].lab.pose.p[i], c[1].lab.pose.p[i]);
    }
}

/* 600 s: follows from equal arithmetic for T and N, so it is a regression test rather than evidence. */
static void test_unforced_client_leaves_its_robot_at_rest_to_the_last_bit(void)
{
    const double none[6] = {0};
    const struct motion rest = {.pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    struct nominal_state n;
    struct client_state c;
    double worst = 0.0;

    start_both(&n, &c);
    TEST_ASSERT_EQUAL_MEMORY(&rest, &c.lab, sizeof rest);
    for (int k = 0; k < 600000; k++) {
        nominal_step(&nominal_model, &n, 1e-3);
        client_step(&model, &c, &n.motion, none, 1e-3);
        for (int i = 0; i < 6; i++) {
            worst = fmax(worst, fabs(c.lab.velocity[i]));
            worst = fmax(worst, fabs(c.lab.acceleration[i]));
        }
        for (int i = 0; i < 9; i++) {
            worst = fmax(worst, fabs(c.lab.pose.R[i] - rest.pose.R[i]));
        }
        worst = fmax(worst, mat_norm3(c.lab.pose.p));
    }
    TEST_ASSERT_EQUAL_HEX64(0, (worst > 0.0) + (worst < 0.0) + !base_finite(worst));
    TEST_ASSERT_EQUAL_MEMORY(&rest.pose, &c.lab.pose, sizeof rest.pose);
}

/* Pose, twist and acceleration of orbit and lab belong together, by central differences. */
static void test_feed_forward_is_the_derivative_of_the_command(void)
{
    const double none[6] = {0};
    struct nominal_state n;
    struct client_state c;
    struct motion lab[3];
    struct pose g;
    double u[6];

    start_both(&n, &c);
    for (int k = 1; k <= 2000; k++) {
        double F[6];

        push(F, 1e-3 * k);
        nominal_step(&nominal_model, &n, 1e-3);
        client_step(&model, &c, &n.motion, k < 1000 ? F : none, 1e-3);
        lab[k % 3] = c.lab;
    }
    se3_relative(&g, &lab[0].pose, &lab[2].pose); /* cycles 1998, 1999, 2000 */
    se3_log(u, &g);
    for (int i = 0; i < 6; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, lab[1].velocity[i], u[i] / 2e-3);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, lab[1].acceleration[i],
                                  (lab[2].velocity[i] - lab[0].velocity[i]) / 2e-3);
    }
    TEST_ASSERT_TRUE(mat_norm3(lab[1].velocity) > 1e-4); /* it does move */
}

/* Against the same motion with a step a hundred times finer: what sampling the push at 1 kHz costs. */
static void test_pushed_client_at_1_khz_is_near_the_continuous_one(void)
{
    struct nominal_state n[2];
    struct client_state c[2];
    struct pose g;
    double w[3];

    for (int f = 0; f < 2; f++) {
        const int steps = f == 0 ? 3000 : 300000;
        const double dt = 3.0 / steps;

        start_both(&n[f], &c[f]);
        for (int k = 1; k <= steps; k++) {
            double F[6];

            push(F, dt * k);
            nominal_step(&nominal_model, &n[f], dt);
            client_step(&model, &c[f], &n[f].motion, F, dt);
        }
    }
    se3_relative(&g, &c[1].orbit.pose, &c[0].orbit.pose);
    so3_log(w, g.R);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, mat_norm3(g.p)); /* of 10 mm */
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, mat_norm3(w));
}

static void random_case(struct client_input *in, struct body *mockup)
{
    double com[3], J[6] = {2.0, 3.0, 4.0, 0.1, -0.2, 0.3};

    random_numbers(in->V_c, 6, 0.3);
    random_numbers(in->dV_c, 6, 0.3);
    random_numbers(in->dV_c_dot, 6, 0.1);
    random_numbers(in->wrench, 6, 100.0);
    random_numbers(com, 3, 0.1);
    body_make(mockup, 50.0, com, J);
}

/* M_c V_c' + C_c V_c = F_c + F: the mock-up under the impedance wrench has the admittance acceleration. */
static void test_impedance_gives_the_mockup_the_admittance_acceleration(void)
{
    for (int k = 0; k < 200; k++) {
        struct client_input in;
        struct body mockup;
        double V_c_dot[6], F_c[6], inertial[6], bias[6];

        random_case(&in, &mockup);
        client_admittance(V_c_dot, &model, &in);
        client_impedance(F_c, &model, &mockup, &in);
        body_momentum(inertial, &mockup, V_c_dot);
        body_bias(bias, &mockup, in.V_c);
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, inertial[i] + bias[i], F_c[i] + in.wrench[i]);
        }
    }
}

static void test_impedance_of_an_equal_mockup_needs_no_force_sensor(void)
{
    for (int k = 0; k < 200; k++) {
        struct client_input in;
        struct body unused;
        double full[6], equal[6];

        random_case(&in, &unused);
        client_impedance(full, &model, &model.body.body, &in);
        client_impedance_equal(equal, &model, &in);
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, full[i], equal[i]); /* of 1e4 */
        }
    }
}

/* The momentum form and [REL 11] are two roads to one acceleration. */
static void test_admittance_agrees_with_the_momentum_form(void)
{
    struct nominal_state n;
    struct client_state c;

    start_both(&n, &c);
    for (int k = 1; k <= 3000; k++) {
        struct client_input in;
        double V_c_dot[6];

        push(in.wrench, 1e-3 * k);
        nominal_step(&nominal_model, &n, 1e-3);
        client_step(&model, &c, &n.motion, in.wrench, 1e-3);
        mat_copy(in.V_c, c.lab.velocity, 6);
        mapping_carried(in.dV_c, in.dV_c_dot, &n.motion, &c.lab.pose, in.V_c);
        client_admittance(V_c_dot, &model, &in);
        for (int i = 0; i < 6; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, V_c_dot[i], c.lab.acceleration[i]);
        }
    }
}

static void test_a_wrench_that_is_not_finite_is_reported_and_taken_as_zero(void)
{
    const double none[6] = {0}, bad[6] = {1.0, 2.0, (double)NAN, 0.0, 0.0, 0.0};
    const double worse[6] = {0.0, 0.0, 0.0, 0.0, (double)INFINITY, 0.0};
    struct nominal_state n;
    struct client_state c, d;

    start_both(&n, &c);
    d = c;
    TEST_ASSERT_TRUE(c.valid);
    client_step(&model, &c, &n.motion, bad, 1e-3);
    TEST_ASSERT_FALSE(c.valid);
    client_step(&model, &c, &n.motion, worse, 1e-3);
    TEST_ASSERT_FALSE(c.valid);
    client_step(&model, &c, &n.motion, none, 1e-3);
    TEST_ASSERT_TRUE(c.valid);
    for (int k = 0; k < 3; k++) {
        client_step(&model, &d, &n.motion, none, 1e-3);
    }
    TEST_ASSERT_EQUAL_MEMORY(&d.body, &c.body, sizeof c.body);
}

static void test_bad_starts_are_refused(void)
{
    double V[6] = {0};
    struct nominal_state n;
    struct client_state c;
    struct pose bad = start;

    start_both(&n, &c);
    bad.p[0] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, client_init(&model, &c, &n.motion, &bad, V));
    bad = start;
    bad.R[8] = (double)INFINITY;
    TEST_ASSERT_EQUAL_INT(-EINVAL, client_init(&model, &c, &n.motion, &bad, V));
    V[0] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, client_init(&model, &c, &n.motion, &start, V));
    V[0] = 0.0;
    model.body = (struct rigid_model){0};
    TEST_ASSERT_EQUAL_INT(-EINVAL, client_init(&model, &c, &n.motion, &start, V));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_momentum_changes_by_the_impulse_only);
    RUN_TEST(test_energy_changes_by_the_work);
    RUN_TEST(test_lab_motion_does_not_depend_on_the_inertial_frame);
    RUN_TEST(test_unforced_client_leaves_its_robot_at_rest_to_the_last_bit);
    RUN_TEST(test_feed_forward_is_the_derivative_of_the_command);
    RUN_TEST(test_pushed_client_at_1_khz_is_near_the_continuous_one);
    RUN_TEST(test_impedance_gives_the_mockup_the_admittance_acceleration);
    RUN_TEST(test_impedance_of_an_equal_mockup_needs_no_force_sensor);
    RUN_TEST(test_admittance_agrees_with_the_momentum_form);
    RUN_TEST(test_a_wrench_that_is_not_finite_is_reported_and_taken_as_zero);
    RUN_TEST(test_bad_starts_are_refused);
    return UNITY_END();
}
