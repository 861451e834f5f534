/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mujoco.c - the multibody engine against MuJoCo: other authors, other algorithms, other frames, one answer.
 *
 * MuJoCo works in world axes about the centre of the whole robot, with quaternions and a sparse factorisation; the
 * engine in base axes with lanes and a closed base solve. Both are built from the same table and asked the same questions
 * in 1,000 random states of each robot.
 *
 * Tolerance 1e-10, errors weighted as in judge.h: the largest seen is 2e-12, in the entries of the wrist beside a base of
 * 1,500 kg. Nothing is loosened for MuJoCo's rounding, because mjcf.c hands it the principal axes it would find only to 1e-6.
 */
#include "tests/judge.h"
#include "model/multibody_bias.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/taskspace.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>

#define STATES    1000
#define TOLERANCE 1e-10
#define STEP_S    1e-3
#define DOF       JUDGE_DOF

enum quantity {
    MASS,
    MASS_TIMES,
    BIAS_POLYNOMIAL,
    BIAS_SINGLE,
    BIAS_ACCELERATION,
    BIAS_BETWEEN,
    REACTION,
    GRAVITY,
    INVERSE,
    PASSIVE_LAW,
    FORWARD,
    SOLVE,
    BASE_SOLVE,
    FRAME_POSE,
    FRAME_JACOBIAN,
    FRAME_TWIST,
    FRAME_BIAS,
    FRAME_WRENCH,
    ENERGY,
    MOMENTUM,
    TASK_INERTIA,
    TASK_INVERSE,
    STEP_VELOCITY,
    STEP_POSE,
    STEP_ANGLES,
    QUANTITIES
};

static const char *const quantity_name[QUANTITIES] = {"mass matrix",
                                                      "mass times vector",
                                                      "bias (polynomial)",
                                                      "bias (one twist)",
                                                      "base acceleration",
                                                      "torque between bases",
                                                      "reaction",
                                                      "gravity",
                                                      "inverse dynamics",
                                                      "passivity-based law",
                                                      "forward dynamics",
                                                      "mass solve",
                                                      "base solve",
                                                      "frame pose",
                                                      "frame Jacobian",
                                                      "frame twist",
                                                      "frame bias",
                                                      "frame wrench",
                                                      "kinetic energy",
                                                      "momentum",
                                                      "inertia at the frames",
                                                      "inverse of the Jacobian",
                                                      "step: velocity",
                                                      "step: pose",
                                                      "step: angles"};

void setUp(void)
{
}

void tearDown(void)
{
}

/* ---- questions, each asked of both; e holds the errors of one state ---- */

static void compare_mass(double e[static QUANTITIES], struct judge *j)
{
    const int n = j->mujoco.dof;
    double M[DOF * DOF], y[DOF], P[6], P_judge[6];
    struct multibody_vector product;

    multibody_mass_dense(M, &j->m, &j->w);
    e[MASS] = judge_mass_error(j, M);
    multibody_mass_times(&product, &j->m, &j->w, &j->s.acc_v);
    mju_mulMatVec(y, j->M, j->s.acc, n, n);
    e[MASS_TIMES] = judge_load_error(j, &product, y);

    const double T = mujoco_kinetic(&j->mujoco);
    e[ENERGY] = fabs(multibody_mass_energy(&j->m, &j->w, &j->s.nu_v) - T) / T;
    mujoco_momentum(P_judge, &j->mujoco);
    multibody_mass_momentum(P, &j->m, &j->w, &j->s.nu_v);
    e[MOMENTUM] = judge_plain_error(P, P_judge, 6);
}

static void compare_bias(double e[static QUANTITIES], struct judge *j)
{
    double judge[DOF];
    struct multibody_vector h;

    mujoco_bias(judge, &j->mujoco);
    multibody_bias_base(h.base, &j->w, j->s.V);
    multibody_bias_joint(h.joint, &j->m, &j->w, j->s.V);
    e[BIAS_POLYNOMIAL] = judge_load_error(j, &h, judge);
    multibody_inverse_bias(&h, &j->m, &j->w, j->s.V);
    e[BIAS_SINGLE] = judge_load_error(j, &h, judge);
}

/* Accelerations of the base alone, put back into MuJoCo's equation; and M_bq x of its matrix. */
static void compare_base(double e[static QUANTITIES], struct judge *j)
{
    const int n = j->mujoco.dof, nb = j->r->base;
    struct multibody_vector x = {0};
    double h[DOF], dense[DOF], back[DOF];

    mujoco_bias(h, &j->mujoco);
    multibody_bias_acceleration(x.base, &j->w, j->s.V, j->s.load_v.base);
    multibody_stack(dense, &j->m, &x);
    mju_mulMatVec(back, j->M, dense, n, n);
    mju_addTo(back, h, n);
    e[BIAS_ACCELERATION] = judge_plain_error(back, j->s.load, nb);

    multibody_mass_base_solve(x.base, &j->w, j->s.load_v.base);
    multibody_stack(dense, &j->m, &x);
    mju_mulMatVec(back, j->M, dense, n, n);
    e[BASE_SOLVE] = judge_plain_error(back, j->s.load, nb);

    multibody_mass_reaction(x.base, &j->m, &j->w, j->s.acc_v.joint);
    multibody_stack(dense, &j->m, &x);
    for (int i = 0; i < nb; i++) {
        back[i] = mju_dot(j->M + i * n + nb, j->s.acc + nb, n - nb);
    }
    e[REACTION] = judge_plain_error(dense, back, nb);
}

/* The arm on the ground under gravity, and on another base in orbit: MuJoCo is asked twice. */
static void compare_between(double e[static QUANTITIES], struct judge *j)
{
    const struct judge_sample *s = &j->s;
    const int n = j->mujoco.dof, nb = j->r->base;
    const double weightless[3] = {0};
    double nu[DOF], acc[DOF] = {0}, ground[DOF], orbit[DOF];
    struct multibody_vector from, A, A_from, torque = {0};

    mju_copy(nu, s->nu, n);
    mju_scl(nu, s->load, 0.02, nb); /* another base twist */
    multibody_unstack(&from, &j->m, nu);
    mju_copy(acc, s->acc, nb);
    multibody_unstack(&A, &j->m, acc);
    mju_subFrom3(A.base, s->base_gravity);
    mujoco_inverse(ground, &j->mujoco, acc);
    mju_scl(acc, acc, -0.3, nb);
    multibody_unstack(&A_from, &j->m, acc);
    mujoco_set(&j->mujoco, &s->base, s->q, nu, weightless);
    mujoco_inverse(orbit, &j->mujoco, acc);
    mju_subFrom(ground, orbit, n);
    mju_zero(ground, nb);

    multibody_bias_between(torque.joint, &j->m, &j->w, s->V, A.base, from.base, A_from.base);
    e[BIAS_BETWEEN] = judge_load_error(j, &torque, ground);
    mujoco_set(&j->mujoco, &s->base, s->q, s->nu, s->gravity);
}

static void compare_inverse(double e[static QUANTITIES], struct judge *j)
{
    double judge[DOF], gravity[DOF];
    struct multibody_vector load;

    mujoco_gravity(gravity, &j->mujoco);
    multibody_mass_gravity(&load, &j->m, &j->w, j->s.base_gravity);
    e[GRAVITY] = judge_load_error(j, &load, gravity);

    mujoco_inverse(judge, &j->mujoco, j->s.acc);
    multibody_inverse(&load, &j->m, &j->w, j->s.V, &j->s.acc_v, j->s.base_gravity);
    e[INVERSE] = judge_load_error(j, &load, judge);

    /* C(nu) nu_r at nu_r = nu is the bias; what gravity does is added back */
    multibody_inverse_coriolis(&load, &j->m, &j->w, j->s.V, &j->s.nu_v, &j->s.acc_v);
    mju_addTo(judge, gravity, j->mujoco.dof);
    e[PASSIVE_LAW] = judge_load_error(j, &load, judge);
}

static void compare_frame(double e[static QUANTITIES], struct judge *j)
{
    const struct multibody_frame *f = &j->frame[j->s.frame];
    const int n = j->mujoco.dof;
    struct multibody_jacobian J;
    struct multibody_vector pulled = {0};
    struct pose g, g_judge;
    double dense[6 * DOF], J_judge[6 * DOF], x[6], a_judge[6], V_judge[6], load[DOF];

    mujoco_frame(&g_judge, J_judge, a_judge, &j->mujoco, j->s.frame);
    multibody_frame_pose(&g, &j->w, f);
    e[FRAME_POSE] =
        judge_worse(judge_plain_error(g.R, g_judge.R, 9), judge_plain_error(g.p, g_judge.p, 3));
    multibody_frame_jacobian(&J, &j->w, f);
    multibody_frame_dense(dense, &j->m, &J);
    e[FRAME_JACOBIAN] = judge_plain_error(dense, J_judge, 6 * n);
    multibody_frame_twist(x, &j->w, f, j->s.V);
    mju_mulMatVec(V_judge, J_judge, j->s.nu, 6, n);
    e[FRAME_TWIST] = judge_plain_error(x, V_judge, 6);
    multibody_frame_bias(x, &j->w, f, j->s.V);
    e[FRAME_BIAS] = judge_plain_error(x, a_judge, 6);
    multibody_frame_wrench(&pulled, &j->m, &j->w, f, j->s.F);
    mju_mulMatTVec(load, J_judge, j->s.F, 6, n);
    e[FRAME_WRENCH] = judge_load_error(j, &pulled, load);
}

/* M x = load, put back into MuJoCo's M; and accelerations with a wrench at the frame. */
static void compare_forward(double e[static QUANTITIES], struct judge *j)
{
    const struct judge_sample *s = &j->s;
    const int n = j->mujoco.dof;
    struct multibody_contact contact = {.frame = j->frame[s->frame]};
    struct multibody_input in = {.load = s->load_v, .contacts = 1, .contact = &contact};
    struct multibody_vector x;
    double dense[DOF], judge[DOF];

    multibody_solve_factor(&j->m, &j->w, NULL);
    multibody_solve(&x, &j->m, &j->w, &s->load_v);
    multibody_stack(dense, &j->m, &x);
    mju_mulMatVec(judge, j->M, dense, n, n);
    multibody_unstack(&x, &j->m, judge);
    e[SOLVE] = judge_load_error(j, &x, s->load);

    mju_copy(contact.wrench, s->F, 6);
    mju_copy(in.gravity, s->base_gravity, 3);
    mujoco_forward(judge, &j->mujoco, s->load, s->frame, s->F);
    multibody_solve_forward(&x, &j->m, &j->w, s->q, &s->nu_v, &in);
    e[FORWARD] = judge_motion_error(j, &x, judge);
}

/* First rows x columns of a table with twelve columns. */
static void narrow(double *y, const double *x, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        mju_copy(y + r * columns, x + r * TASKSPACE_ROWS, columns);
    }
}

/* Inertia at one or two frames, put back: Lambda A = 1 and M Jbar = J' Lambda with MuJoCo's J, M and A = J M^-1 J'. Near a
 * stretched arm |Lambda| |A| is large and rounding with it, so the first is counted in that unit. */
static void compare_task(double e[static QUANTITIES], struct judge *j)
{
    const int n = j->mujoco.dof, frames = j->r->frames < 2 ? 1 : 2, rows = 6 * frames;
    double J[12 * DOF], A[144], Lambda[144], one[144], Jbar[DOF * 12], left[DOF * 12],
        right[DOF * 12];
    struct multibody_jacobian ours[2];
    static struct taskspace_output out;

    for (int i = 0; i < frames; i++) {
        multibody_frame_jacobian(&ours[i], &j->w, &j->frame[i]);
    }
    multibody_solve_factor(&j->m, &j->w, NULL);
    taskspace_solve(&j->m, &j->w, ours, frames, &out);
    narrow(Lambda, out.inertia, rows, rows);
    narrow(Jbar, out.inverse, n, rows);

    mujoco_compliance(A, J, &j->mujoco, frames);
    mju_mulMatMat(one, Lambda, A, rows, rows, rows);
    for (int r = 0; r < rows; r++) {
        one[r * (rows + 1)] -= 1.0;
    }
    e[TASK_INERTIA] =
        mju_norm(one, rows * rows) / (mju_norm(Lambda, rows * rows) * mju_norm(A, rows * rows));
    mju_mulMatMat(left, j->M, Jbar, n, n, rows);
    mju_mulMatTMat(right, J, Lambda, rows, n, rows);
    mju_subFrom(left, right, n * rows);
    e[TASK_INVERSE] = mju_norm(left, n * rows) / mju_norm(right, n * rows);
}

/* MuJoCo turns the base by the mean w of its four stages, which falls short of the exact turn by h^2 w0 x w1 / 12 (the
 * second term of the Magnus series), 1e-7 rad on a light base. R <- R exp[that], to first order. */
static void complete_turn(double R[static 9], const double w0[static 3], const double w1[static 3])
{
    double rest[3], change[3];

    mju_cross(rest, w0, w1);
    mju_scl3(rest, rest, STEP_S * STEP_S / 12.0);
    for (int i = 0; i < 3; i++) {
        mju_cross(change, R + 3 * i, rest); /* row r of R [x] is r x x */
        mju_addTo3(R + 3 * i, change);
    }
}

/* One step of the free robot under joint torques and gravity. A tenth of the other torques: whole ones would give the
 * lightest links 10 rad/s within the step, and two methods of fourth order in different coordinates then differ by 1e-9. */
static void compare_step(double e[static QUANTITIES], struct judge *j)
{
    struct motion_state s = {.pose = j->s.base, .nu = j->s.nu_v};
    struct motion_input in = {0};
    struct motion_output out;
    struct pose g;
    double tau[ROBOTS_JOINTS], q[ROBOTS_JOINTS], u[DOF];
    const int joints = j->m.joints;

    mju_scl(tau, j->s.load + j->r->base, 0.1, joints);
    mujoco_step(&g, q, u, &j->mujoco, tau);
    if (j->r->base == 6) {
        complete_turn(g.R, j->s.nu + 3, u + 3);
    }
    mju_copy(s.q, j->s.q, joints);
    mju_copy(in.load.joint, tau, joints);
    mju_copy(in.gravity, j->s.gravity, 3);
    motion_rk4(&j->m, &j->plant, &s, &in, &out, STEP_S);
    TEST_ASSERT_TRUE(out.valid);
    e[STEP_POSE] =
        judge_worse(judge_plain_error(s.pose.R, g.R, 9), judge_plain_error(s.pose.p, g.p, 3));
    e[STEP_ANGLES] = judge_plain_error(s.q, q, joints);
    mju_rotVecMat(s.nu.base, (const double[3]){s.nu.base[0], s.nu.base[1], s.nu.base[2]},
                  s.pose.R); /* as MuJoCo's */
    e[STEP_VELOCITY] = judge_motion_error(j, &s.nu, u);
}

static void compare(double e[static QUANTITIES], struct judge *j)
{
    compare_mass(e, j);
    compare_bias(e, j);
    compare_base(e, j);
    compare_between(e, j);
    compare_inverse(e, j);
    compare_frame(e, j);
    compare_task(e, j);
    compare_forward(e, j);
    compare_step(e, j);
    TEST_ASSERT_TRUE(j->w.valid);
}

static void agree(const struct robot *r)
{
    static struct judge judge;
    double e[QUANTITIES] = {0}, worst[QUANTITIES] = {0};
    unsigned long long seed = 20240607;
    int failed = 0;

    TEST_ASSERT_EQUAL_INT(0, judge_open(&judge, r));
    for (int state = 0; state < STATES; state++) {
        judge_next(&judge, &seed);
        compare(e, &judge);
        for (int i = 0; i < QUANTITIES; i++) {
            worst[i] = judge_worse(worst[i], e[i]);
        }
    }
    judge_close(&judge);
    for (int i = 0; i < QUANTITIES; i++) {
        if (!(worst[i] <= TOLERANCE)) {
            printf("%s, %s: relative error %.2e\n", r->name, quantity_name[i], worst[i]);
            failed++;
        }
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, failed, "quantities listed above differ from MuJoCo's");
}

static void test_arm_on_a_free_base_of_300_kg_agrees(void)
{
    agree(&robots_floating);
}

static void test_arm_on_the_servicer_agrees(void)
{
    agree(&robots_servicer);
}

static void test_arm_on_a_base_lighter_than_itself_agrees(void)
{
    agree(&robots_light);
}

static void test_two_arms_on_a_free_torso_agree(void)
{
    agree(&robots_multiarm);
}

static void test_planar_robot_agrees(void)
{
    agree(&robots_planar);
}

static void test_arm_on_the_ground_agrees(void)
{
    agree(&robots_fixed);
}

static void set_at_rest(struct mujoco *j, const double *q)
{
    const double nothing[DOF] = {0};
    struct pose here;

    se3_identity(&here);
    mujoco_set(j, &here, q, nothing, nothing);
}

/* The tables are those of the design: end-effector of the servicer at its start [REL section 8], masses [MAR section 5]. */
static void test_tables_give_the_published_pose_and_masses(void)
{
    static struct mujoco j;
    const double q[14] = {0, 1.10, 0, 2.05, 0, 0.95, 0}, p[3] = {2.18918361, 0, 0.25105911};
    double M[DOF * DOF], J[6 * DOF], bias[6];
    struct pose g;

    TEST_ASSERT_EQUAL_INT(0, mujoco_open(&j, &robots_servicer));
    set_at_rest(&j, q);
    mujoco_frame(&g, J, bias, &j, 0);
    mujoco_mass(M, &j);
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, p[k], g.p[k]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1500 + 5 + 27.61, M[0]);
    mujoco_close(&j);

    TEST_ASSERT_EQUAL_INT(0, mujoco_open(&j, &robots_multiarm));
    set_at_rest(&j, q);
    mujoco_mass(M, &j);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 80, M[0]);
    mujoco_close(&j);
}

/* Stowed and straight ahead: mass, centre of mass, yaw inertia about it [AIR section 1], to the digits printed there. */
static void test_planar_table_gives_the_published_centre_of_mass(void)
{
    static struct mujoco j;
    const double stow[5] = {1.40, -1.70, 2.20, 0.60, 0}, ahead[5] = {0};
    const double expected[2][3] = {{0.0029, 0.0024, 0.4569}, {0.0103, 0, 0.4934}};
    double M[DOF * DOF];

    TEST_ASSERT_EQUAL_INT(0, mujoco_open(&j, &robots_planar));
    for (int i = 0; i < 2; i++) {
        set_at_rest(&j, i == 0 ? stow : ahead);
        mujoco_mass(M, &j);
        const double m = M[0], x = M[j.dof + 2] / m, y = -M[2] / m;
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 15.80, m);
        TEST_ASSERT_DOUBLE_WITHIN(6e-5, expected[i][0], x);
        TEST_ASSERT_DOUBLE_WITHIN(6e-5, expected[i][1], y);
        TEST_ASSERT_DOUBLE_WITHIN(6e-5, expected[i][2], M[2 * j.dof + 2] - m * (x * x + y * y));
    }
    mujoco_close(&j);
}

/* Random placements, axes and inertias; free, in the plane and on the ground. */
static void test_random_tilted_robots_agree(void)
{
    const int base[3] = {6, 3, 0};
    struct robots_joint table[ROBOTS_JOINTS];
    struct robot r;

    for (int k = 0; k < 3; k++) {
        robots_random(&r, table, base[k], 77 + (unsigned long long)k);
        agree(&r);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_arm_on_a_free_base_of_300_kg_agrees);
    RUN_TEST(test_arm_on_the_servicer_agrees);
    RUN_TEST(test_arm_on_a_base_lighter_than_itself_agrees);
    RUN_TEST(test_two_arms_on_a_free_torso_agree);
    RUN_TEST(test_planar_robot_agrees);
    RUN_TEST(test_arm_on_the_ground_agrees);
    RUN_TEST(test_random_tilted_robots_agree);
    RUN_TEST(test_tables_give_the_published_pose_and_masses);
    RUN_TEST(test_planar_table_gives_the_published_centre_of_mass);
    return UNITY_END();
}
