/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_equivalence.c - in continuous time the laboratory and the orbit are the same motion.
 *
 * The lab under 1 g is written down as one system of differential equations: nominal motion [REL 4], client by its admittance
 * [REL 11], the real arm under gravity on the moving base with the torque tau_q [REL 22], the base by [REL 18] with the arm's
 * true acceleration. The orbit is [REL 2] and [REL 12] alone. Both are integrated by RK4, with a wrench on the base, torques on
 * the joints and a push between gripper and client; mapped to orbit [REL 5] the lab must be there. No cycle, no delay: what is
 * left is rounding and the order of RK4. */
#include <math.h>

#include "model/client.h"
#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/servicer.h"
#include "tests/scene.h"
#include "tools/lab/integrate.h"
#include "unity.h"

enum { N = 7, BODY = INTEGRATE_FRAME + 6 }; /* a moving frame: pose, twist */
enum { CLIENT = 0, BASE = BODY, Q = 2 * BODY, QD = Q + N, ORBIT = QD + N };
enum { NOMINAL = ORBIT, LAB = NOMINAL + BODY }; /* the lab has the nominal motion besides */

static struct control_model model;
static struct servicer_state servicer;
static struct servicer_work ahead;
static double form_error; /* between V_s' of the coupled system and of [REL 18] */

void setUp(void)
{
    static const struct obsw_interface none = {.version = OBSW_VERSION};

    TEST_ASSERT_EQUAL_INT(0, scene_model(&model, &none, NULL));
    model.servicer.torque_ahead_s = 0.0; /* no cycle */
    multibody_reset(&model.servicer.robot, &ahead.ahead);
    multibody_reset(&model.servicer.robot, &servicer.work);
    form_error = 0.0;
}

void tearDown(void)
{
}

static void get(struct motion *x, const double *y)
{
    integrate_get(&x->pose, y);
    mat_copy(x->velocity, y + INTEGRATE_FRAME, 6);
}

static void put_rate(double *dy, const double *y, const double V_dot[static 6])
{
    integrate_frame(dy, y, y + INTEGRATE_FRAME);
    mat_copy(dy + INTEGRATE_FRAME, V_dot, 6);
}

/* Base wrench, joint torques and push at the gripper of this instant; the push ends smoothly before the run does. */
static void script(struct servicer_input *in, double tau[static N], double t)
{
    for (int i = 0; i < 6; i++) {
        const double size = i < 3 ? 4.0 : 2.0;

        in->base_wrench[i] = size * cos(2.0 * BASE_PI * t / (5.0 + i));
        in->gripper_wrench[i] =
            t < 8.0 ? (i < 3 ? 0.05 : 0.001) * pow(sin(BASE_PI * t / 8.0), 4.0) * (i % 2 ? -1 : 1)
                    : 0.0;
    }
    for (int i = 0; i < N; i++) {
        tau[i] = 0.005 / (1 + i) * sin(2.0 * BASE_PI * t / (4.0 + i));
    }
}

/* F_t by the pose of the gripper from the client, the same in lab and orbit. */
static void client_wrench(double F_t[static 6], const struct pose *client, const struct pose *base,
                          const double F_e[static 6])
{
    struct pose g_be, g_te;

    multibody_frame_pose(&g_be, &servicer.work, &model.servicer.gripper);
    se3_relative(&g_te, client, base);
    se3_mul(&g_te, &g_te, &g_be);
    mapping_contact(F_t, &g_te, F_e);
}

static void arm(struct servicer_input *in, const double *y, const double V_b[static 6])
{
    struct pose here;

    se3_identity(&here);
    mat_copy(in->joint_position, y + Q, N);
    mat_copy(in->joint_velocity, y + QD, N);
    servicer_start(&model.servicer, &servicer, &here, V_b, y + Q, y + QD);
}

/* x = [V_b'; qdd] from M x = load + J' F_e */
static void solve(struct multibody_vector *x, struct multibody_vector *load,
                  const struct servicer_input *in)
{
    const struct multibody_model *robot = &model.servicer.robot;

    multibody_frame_wrench(load, robot, &servicer.work, &model.servicer.gripper,
                           in->gripper_wrench);
    multibody_mass(robot, &servicer.work);
    multibody_solve_factor(robot, &servicer.work, NULL);
    multibody_solve(x, robot, &servicer.work, load);
}

static void rate_in_orbit(double t, const double *y, double *dy)
{
    const struct multibody_model *robot = &model.servicer.robot;
    struct servicer_input in;
    struct multibody_vector load = {{0.0}, {0.0}}, x;
    struct motion client, base;
    double tau[N], F_t[6], V_dot[6];

    script(&in, tau, t);
    get(&client, y + CLIENT);
    get(&base, y + BASE);
    arm(&in, y, base.velocity);
    client_wrench(F_t, &client.pose, &base.pose, in.gripper_wrench);
    rigid_acceleration(V_dot, &model.client.body, client.velocity, F_t);
    put_rate(dy + CLIENT, y + CLIENT, V_dot);

    multibody_mass(robot, &servicer.work);
    multibody_inverse_bias(&load, robot, &servicer.work, base.velocity);
    mat_sub(load.base, in.base_wrench, load.base, 6);
    mat_sub(load.joint, tau, load.joint, N);
    solve(&x, &load, &in);
    put_rate(dy + BASE, y + BASE, x.base);
    mat_copy(dy + Q, y + QD, N);
    mat_copy(dy + QD, x.joint, N);
}

/* [V_b'; qdd] of base and real arm together: base rows as in orbit [REL 13], joint rows of the arm that stands in the lab
 * [REL 20] under tau_q, with V_s' = V_b' - dV_s'. */
static void ground(struct multibody_vector *x, const struct servicer_input *in,
                   const struct servicer_relative *lab, const double V_b[static 6],
                   const double tau_q[static N])
{
    const struct multibody_model *robot = &model.servicer.robot;
    struct multibody_vector load = {{0.0}, {0.0}}, need, carried = {{0.0}, {0.0}};
    double gravity[3];

    mat_vec3_t(gravity, lab->pose.R, model.gravity);
    mat_scale(carried.base, -1.0, lab->nominal_acceleration, 6);
    multibody_mass(robot, &servicer.work);
    multibody_inverse(&need, robot, &servicer.work, lab->velocity, &carried, gravity);
    mat_sub(load.joint, tau_q, need.joint, N);
    multibody_inverse_bias(&need, robot, &servicer.work, V_b);
    mat_sub(load.base, in->base_wrench, need.base, 6);
    solve(x, &load, in);
}

static void rate_in_lab(double t, const double *y, double *dy)
{
    struct servicer_input in;
    struct servicer_relative lab;
    struct client_input c;
    struct multibody_vector x;
    struct motion nominal, client, base;
    double tau[N], tau_q[MULTIBODY_LANES], dV[6], V_b[6], V_s_dot[6], V_c_dot[6], by_form[6];
    static const double none[6] = {0.0};

    script(&in, tau, t);
    get(&nominal, y + NOMINAL);
    get(&client, y + CLIENT);
    get(&base, y + BASE);
    rigid_acceleration(nominal.acceleration, &model.client.body, nominal.velocity, none);
    put_rate(dy + NOMINAL, y + NOMINAL, nominal.acceleration);

    lab.pose = base.pose;
    mat_copy(lab.velocity, base.velocity, 6);
    mapping_carried(dV, lab.nominal_acceleration, &nominal, &base.pose, base.velocity);
    mat_add(V_b, base.velocity, dV, 6);
    arm(&in, y, V_b);
    client_wrench(c.wrench, &client.pose, &base.pose, in.gripper_wrench);
    mapping_carried(c.dV_c, c.dV_c_dot, &nominal, &client.pose, client.velocity);
    mat_copy(c.V_c, client.velocity, 6);
    client_admittance(V_c_dot, &model.client, &c);
    put_rate(dy + CLIENT, y + CLIENT, V_c_dot);

    servicer_torque(&model.servicer, &ahead, tau_q, &in, tau, &lab, V_b, model.gravity);
    ground(&x, &in, &lab, V_b, tau_q);
    mat_sub(V_s_dot, x.base, lab.nominal_acceleration, 6);
    servicer_admittance(&model.servicer, &servicer, by_form, &in, x.joint,
                        lab.nominal_acceleration);
    mat_sub(by_form, by_form, V_s_dot, 6);
    form_error = fmax(form_error, sqrt(mat_dot6(by_form, by_form)));
    put_rate(dy + BASE, y + BASE, V_s_dot);
    mat_copy(dy + Q, y + QD, N);
    mat_copy(dy + QD, x.joint, N);
}

static void rk4(double *y, int n, double t, double h,
                void (*rate)(double, const double *, double *))
{
    double k[4][LAB], at[LAB];

    rate(t, y, k[0]);
    for (int s = 1; s < 4; s++) {
        const double step = s < 3 ? 0.5 * h : h;

        for (int i = 0; i < n; i++) {
            at[i] = y[i] + step * k[s - 1][i];
        }
        rate(t + step, at, k[s]);
    }
    for (int i = 0; i < n; i++) {
        y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
    for (int frame = 0; frame < n; frame = frame == BASE ? NOMINAL : frame + BODY) {
        integrate_tidy(y + frame);
    }
}

/* Both at their start: client tumbling, servicer co-moving beside it. */
static void begin(double *lab, double *orbit)
{
    static const double at_rest[6] = {0.0};
    struct motion client, base;
    struct pose g_t, g_tb;

    se3_identity(&g_t);
    scene_place(&g_tb);
    mapping_start(&client, &base, &g_t, model.client_velocity, &g_tb, at_rest);
    mat_zero(lab, LAB);
    mat_zero(orbit, ORBIT);
    integrate_put(orbit + CLIENT, &client.pose);
    mat_copy(orbit + CLIENT + INTEGRATE_FRAME, client.velocity, 6);
    integrate_put(orbit + BASE, &base.pose);
    mat_copy(orbit + BASE + INTEGRATE_FRAME, base.velocity, 6);
    mat_copy(orbit + Q, scene_posture, N);
    integrate_put(lab + CLIENT, &g_t);
    integrate_put(lab + BASE, &g_tb);
    mat_copy(lab + Q, scene_posture, N);
    integrate_put(lab + NOMINAL, &client.pose);
    mat_copy(lab + NOMINAL + INTEGRATE_FRAME, client.velocity, 6);
}

/* Distance of a lab body, mapped to orbit, from the one in orbit. */
static double apart(const double *lab, const double *orbit, int body)
{
    struct pose n, g, mapped, there;
    double d[3];

    integrate_get(&n, lab + NOMINAL);
    integrate_get(&g, lab + body);
    integrate_get(&there, orbit + body);
    se3_mul(&mapped, &n, &g);
    mat_sub(d, mapped.p, there.p, 3);
    return mat_norm3(d);
}

static void test_lab_under_gravity_is_the_orbit_in_continuous_time(void)
{
    const double h = 1e-3;
    double lab[LAB], orbit[ORBIT], joint = 0.0, base = 0.0, client = 0.0, moved = 0.0;

    begin(lab, orbit);
    for (int k = 0; k < 20000; k++) {
        rk4(lab, LAB, k * h, h, rate_in_lab);
        rk4(orbit, ORBIT, k * h, h, rate_in_orbit);
        for (int i = 0; i < N; i++) {
            joint = fmax(joint, fabs(lab[Q + i] - orbit[Q + i]));
            moved = fmax(moved, fabs(orbit[Q + i] - scene_posture[i]));
        }
        base = fmax(base, apart(lab, orbit, BASE));
        client = fmax(client, apart(lab, orbit, CLIENT));
    }
    printf("# continuous, 20 s: joints %.1e rad (moved %.2g rad), base %.1e m, client %.1e m, [REL "
           "18] "
           "%.1e\n",
           joint, moved, base, client, form_error);
    TEST_ASSERT_TRUE(moved > 0.1);
    TEST_ASSERT_TRUE(joint <= 1e-9);
    TEST_ASSERT_TRUE(base <= 1e-8);
    TEST_ASSERT_TRUE(client <= 1e-8);
    TEST_ASSERT_TRUE(form_error <= 1e-10);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_lab_under_gravity_is_the_orbit_in_continuous_time);
    return UNITY_END();
}
