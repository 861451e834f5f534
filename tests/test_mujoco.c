/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mujoco.c - the multibody engine against MuJoCo: other authors, other algorithms, other frames, one answer.
 *
 * MuJoCo works in world axes about the centre of the whole robot, with quaternions and a sparse factorisation; the
 * engine in base axes with lanes and a closed base solve. Both are built from the same table and asked the same questions
 * in 1,000 random states of each robot.
 *
 * Errors are relative and weighted so that no small row hides behind a large one: with D = diag(M), entries of M count
 * as D^-1/2 M D^-1/2, loads as D^-1/2 h over the greatest of these, accelerations as D^1/2 a over the greatest of
 * these. Poses, Jacobians, J' nu and momentum count over their greatest entry, or 1 if that is less.
 *
 * Tolerance 1e-10: the largest difference seen is 2e-12, in the entries of the wrist beside a base of 1,500 kg. Nothing
 * is loosened for MuJoCo's rounding, because tests/mjcf.c hands it the principal axes it would find only to 1e-6.
 */
#include "tests/mujoco.h"
#include "tests/robots_model.h"
#include "model/multibody_bias.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/so3.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>

#define STATES    1000
#define TOLERANCE 1e-10
#define DOF       MUJOCO_DOF

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
    FRAME_BIAS,
    FRAME_WRENCH,
    ENERGY,
    MOMENTUM,
    QUANTITIES
};

static const char *const quantity_name[QUANTITIES] = {
    "mass matrix",       "mass times vector",    "bias (polynomial)", "bias (one twist)",
    "base acceleration", "torque between bases", "reaction",          "gravity",
    "inverse dynamics",  "passivity-based law",  "forward dynamics",  "mass solve",
    "base solve",        "frame pose",           "frame Jacobian",    "frame bias",
    "frame wrench",      "kinetic energy",       "momentum"};

/* One random state, in both languages. */
struct sample {
    struct pose base;
    double q[ROBOTS_JOINTS], nu[DOF], load[DOF], acc[DOF], F[6], gravity[3];
    double V[6], base_gravity[3];
    struct multibody_vector nu_v, load_v, acc_v;
    int frame;
};

struct bench {
    const struct robot *r;
    struct mujoco judge;
    struct multibody_model m;
    struct multibody_work w;
    struct multibody_frame frame[ROBOTS_FRAMES];
    struct sample s;
    double M[DOF * DOF]; /* the judge's */
    double worst[QUANTITIES];
    int worst_state[QUANTITIES];
};

void setUp(void)
{
}

void tearDown(void)
{
}

/* ---- states ---- */

static void fill(double *x, int n, double range, unsigned long long *seed)
{
    for (int i = 0; i < n; i++) {
        x[i] = robots_uniform(seed, range);
    }
}

/* Any attitude for a free base, any heading in the plane. On the ground the world is the base. */
static void random_base(struct pose *g, int base, unsigned long long *seed)
{
    double q[4];

    se3_identity(g);
    fill(q, 4, 1.0, seed);
    if (base == 0) {
        return;
    }
    fill(g->p, 3, 2.0, seed);
    if (base == 3) {
        q[0] = q[1] = 0.0;
        g->p[2] = 0.0;
    }
    so3_from_quat(g->R, q);
}

static void random_sample(struct sample *s, const struct bench *b, unsigned long long *seed)
{
    const int base = b->r->base, n = b->m.joints, dof = base + n;

    random_base(&s->base, base, seed);
    fill(s->q, n, BASE_PI, seed);
    fill(s->nu, base, 1.0, seed);
    fill(s->nu + base, n, 2.0, seed);
    fill(s->load, base, 50.0, seed);
    fill(s->load + base, n, 20.0, seed);
    fill(s->acc, dof, 3.0, seed);
    fill(s->F, 6, 30.0, seed);
    fill(s->gravity, 3, 9.81, seed);
    s->frame = (int)(fabs(robots_uniform(seed, 1.0)) * b->r->frames) % b->r->frames;

    multibody_unstack(&s->nu_v, &b->m, s->nu);
    multibody_unstack(&s->load_v, &b->m, s->load);
    multibody_unstack(&s->acc_v, &b->m, s->acc);
    mju_copy(s->V, s->nu_v.base, 6);
    mju_rotVecMatT(s->base_gravity, s->gravity, s->base.R);
}

/* ---- differences ---- */

static void keep(struct bench *b, enum quantity what, double error, int state)
{
    if (!(error <= b->worst[what])) { /* a NaN is kept too */
        b->worst[what] = error;
        b->worst_state[what] = state;
    }
}

/* max |x - y| / max |y|, each row weighted by D^power */
static double weighted(const struct bench *b, const double *x, const double *y, double power)
{
    const int n = multibody_dof(&b->m);
    double error = 0.0, size = 0.0;

    for (int i = 0; i < n; i++) {
        const double weight = pow(b->M[i * n + i], power);
        const double difference = fabs(x[i] - y[i]) * weight;
        error = difference <= error ? error : difference;
        size = fmax(size, fabs(y[i]) * weight);
    }
    return error / size;
}

/* max |x - y| / max(1, |y|): these are of the order of 1 in SI units, and zero for a frame of the base itself */
static double plain(const double *x, const double *y, int n)
{
    double error = 0.0, size = 1.0;

    for (int i = 0; i < n; i++) {
        const double difference = fabs(x[i] - y[i]);
        error = difference <= error ? error : difference;
        size = fmax(size, fabs(y[i]));
    }
    return error / size;
}

static double load_error(const struct bench *b, const struct multibody_vector *ours,
                         const double *judge)
{
    double x[DOF];

    multibody_stack(x, &b->m, ours);
    return weighted(b, x, judge, -0.5);
}

static double motion_error(const struct bench *b, const struct multibody_vector *ours,
                           const double *judge)
{
    double x[DOF];

    multibody_stack(x, &b->m, ours);
    return weighted(b, x, judge, 0.5);
}

/* ---- questions, each asked of both ---- */

static void compare_mass(struct bench *b, int state)
{
    const int n = multibody_dof(&b->m);
    double M[DOF * DOF], y[DOF], error = 0.0;
    struct multibody_vector product;

    multibody_mass_dense(M, &b->m, &b->w);
    for (int k = 0; k < n * n; k++) {
        const double scale = sqrt(b->M[k / n * (n + 1)] * b->M[k % n * (n + 1)]);
        const double difference = fabs(M[k] - b->M[k]) / scale;
        error = difference <= error ? error : difference;
    }
    keep(b, MASS, error, state);

    multibody_mass_times(&product, &b->m, &b->w, &b->s.acc_v);
    mju_mulMatVec(y, b->M, b->s.acc, n, n);
    keep(b, MASS_TIMES, load_error(b, &product, y), state);
}

static void compare_bias(struct bench *b, int state)
{
    double judge[DOF];
    struct multibody_vector h;

    mujoco_bias(judge, &b->judge);
    multibody_bias_base(h.base, &b->w, b->s.V);
    multibody_bias_joint(h.joint, &b->m, &b->w, b->s.V);
    keep(b, BIAS_POLYNOMIAL, load_error(b, &h, judge), state);
    multibody_inverse_bias(&h, &b->m, &b->w, b->s.V);
    keep(b, BIAS_SINGLE, load_error(b, &h, judge), state);
}

/* Vdot from the load on the base, put back into the judge's equation; and M_bq x of its matrix. */
static void compare_base(struct bench *b, int state)
{
    const int n = multibody_dof(&b->m), nb = b->r->base;
    struct multibody_vector x = {0};
    double h[DOF], dense[DOF], back[DOF], P[6];

    if (nb == 0) {
        return;
    }
    mujoco_bias(h, &b->judge);
    multibody_bias_acceleration(x.base, &b->w, b->s.V, b->s.load_v.base);
    multibody_stack(dense, &b->m, &x);
    mju_mulMatVec(back, b->M, dense, n, n);
    mju_addTo(back, h, n);
    keep(b, BIAS_ACCELERATION, plain(back, b->s.load, nb), state);

    multibody_mass_reaction(P, &b->m, &b->w, b->s.acc_v.joint);
    mju_copy(x.base, P, 6);
    multibody_stack(dense, &b->m, &x);
    mju_zero(back, n);
    for (int i = 0; i < nb; i++) {
        back[i] = mju_dot(b->M + i * n + nb, b->s.acc + nb, n - nb);
    }
    keep(b, REACTION, plain(dense, back, nb), state);
}

/* The arm on the ground under gravity, and on another base in orbit: the judge is asked twice. */
static void compare_between(struct bench *b, int state)
{
    const struct sample *s = &b->s;
    const int n = multibody_dof(&b->m), nb = b->r->base;
    const double weightless[3] = {0};
    double nu[DOF], acc[DOF] = {0}, ground[DOF], orbit[DOF];
    struct multibody_vector from, A = {0}, A_from = {0}, torque = {0};

    mju_copy(nu, s->nu, n);
    mju_scl(nu, s->load, 0.02, nb); /* another base twist */
    multibody_unstack(&from, &b->m, nu);
    mju_copy(acc, s->acc, nb);
    multibody_unstack(&A, &b->m, acc);
    mju_subFrom3(A.base, s->base_gravity);
    mujoco_inverse(ground, &b->judge, acc);
    mju_scl(acc, acc, -0.3, nb);
    multibody_unstack(&A_from, &b->m, acc);
    mujoco_set(&b->judge, &s->base, s->q, nu, weightless);
    mujoco_inverse(orbit, &b->judge, acc);
    mju_subFrom(ground, orbit, n);
    mju_zero(ground, nb);

    multibody_bias_between(torque.joint, &b->m, &b->w, s->V, A.base, from.base, A_from.base);
    keep(b, BIAS_BETWEEN, load_error(b, &torque, ground), state);
    mujoco_set(&b->judge, &s->base, s->q, s->nu, s->gravity);
}

/* In the plane gravity has no part in the base rows, and may be zero in all. */
static void compare_inverse(struct bench *b, int state)
{
    double judge[DOF], gravity[DOF];
    struct multibody_vector load;

    mujoco_gravity(judge, &b->judge);
    multibody_mass_gravity(&load, &b->m, &b->w, b->s.base_gravity);
    keep(b, GRAVITY, load_error(b, &load, judge), state);

    mujoco_inverse(judge, &b->judge, b->s.acc);
    multibody_inverse(&load, &b->m, &b->w, b->s.V, &b->s.acc_v, b->s.base_gravity);
    keep(b, INVERSE, load_error(b, &load, judge), state);

    /* C(nu) nu_r at nu_r = nu is the bias; what gravity does is added back */
    multibody_inverse_coriolis(&load, &b->m, &b->w, b->s.V, &b->s.nu_v, &b->s.acc_v);
    mujoco_gravity(gravity, &b->judge);
    mju_addTo(judge, gravity, multibody_dof(&b->m));
    keep(b, PASSIVE_LAW, load_error(b, &load, judge), state);
}

static void compare_frame(struct bench *b, int state)
{
    const struct multibody_frame *f = &b->frame[b->s.frame];
    struct multibody_jacobian J;
    struct multibody_vector pulled = {0};
    struct pose g, g_judge;
    double dense[6 * DOF], J_judge[6 * DOF], a[6], a_judge[6], x[DOF];
    const int n = multibody_dof(&b->m);

    mujoco_frame(&g_judge, J_judge, a_judge, &b->judge, b->s.frame);
    multibody_frame_pose(&g, &b->w, f);
    keep(b, FRAME_POSE, fmax(plain(g.R, g_judge.R, 9), plain(g.p, g_judge.p, 3)), state);
    multibody_frame_jacobian(&J, &b->w, f);
    multibody_frame_dense(dense, &b->m, &J);
    keep(b, FRAME_JACOBIAN, plain(dense, J_judge, 6 * n), state);
    multibody_frame_bias(a, &b->w, f, b->s.V);
    keep(b, FRAME_BIAS, plain(a, a_judge, 6), state);
    multibody_frame_wrench(&pulled, &b->m, &b->w, f, b->s.F);
    mju_mulMatTVec(x, J_judge, b->s.F, 6, n);
    keep(b, FRAME_WRENCH, load_error(b, &pulled, x), state);
}

static void compare_energy(struct bench *b, int state)
{
    double P[6], P_judge[6];
    const double T = multibody_mass_energy(&b->m, &b->w, &b->s.nu_v);
    const double T_judge = mujoco_kinetic(&b->judge);

    keep(b, ENERGY, fabs(T - T_judge) / T_judge, state);
    mujoco_momentum(P_judge, &b->judge);
    multibody_mass_momentum(P, &b->m, &b->w, &b->s.nu_v);
    keep(b, MOMENTUM, plain(P, P_judge, 6), state);
}

/* M x = b, checked by the judge's M; and of the base alone. */
static void compare_solve(struct bench *b, int state)
{
    const int n = multibody_dof(&b->m), nb = b->r->base;
    struct multibody_vector x;
    double dense[DOF], back[DOF], Vdot[6];

    multibody_solve_factor(&b->m, &b->w, NULL);
    multibody_solve(&x, &b->m, &b->w, &b->s.load_v);
    multibody_stack(dense, &b->m, &x);
    mju_mulMatVec(back, b->M, dense, n, n);
    keep(b, SOLVE, weighted(b, back, b->s.load, -0.5), state);

    multibody_mass_base_solve(Vdot, &b->w, b->s.load_v.base);
    x = (struct multibody_vector){0};
    mju_copy(x.base, Vdot, 6);
    multibody_stack(dense, &b->m, &x);
    mju_mulMatVec(back, b->M, dense, n, n);
    if (nb > 0) {
        keep(b, BASE_SOLVE, plain(back, b->s.load, nb), state);
    }
}

static void compare_forward(struct bench *b, int state)
{
    const struct sample *s = &b->s;
    struct multibody_contact contact = {.frame = b->frame[s->frame]};
    struct multibody_input in = {.load = s->load_v, .contacts = 1, .contact = &contact};
    struct multibody_vector acc;
    double judge[DOF];

    mju_copy(contact.wrench, s->F, 6);
    mju_copy(in.gravity, s->base_gravity, 3);
    mujoco_forward(judge, &b->judge, s->load, s->frame, s->F);
    multibody_solve_forward(&acc, &b->m, &b->w, s->q, &s->nu_v, &in);
    keep(b, FORWARD, motion_error(b, &acc, judge), state);
}

static void compare(struct bench *b, int state)
{
    mujoco_set(&b->judge, &b->s.base, b->s.q, b->s.nu, b->s.gravity);
    mujoco_mass(b->M, &b->judge);
    multibody_kinematics(&b->m, &b->w, b->s.q);
    multibody_rates(&b->m, &b->w, b->s.nu_v.joint);
    multibody_mass(&b->m, &b->w);
    multibody_mass_joint(&b->m, &b->w);
    multibody_bias(&b->m, &b->w);
    compare_mass(b, state);
    compare_bias(b, state);
    compare_base(b, state);
    compare_between(b, state);
    compare_inverse(b, state);
    compare_frame(b, state);
    compare_energy(b, state);
    compare_solve(b, state);
    compare_forward(b, state);
    TEST_ASSERT_TRUE(b->w.valid);
}

static void agree(const struct robot *r)
{
    static struct bench bench;
    struct bench *b = &bench;
    unsigned long long seed = 20240607;
    int failed = 0;

    memset(b, 0, sizeof *b);
    b->r = r;
    TEST_ASSERT_EQUAL_INT(0, mujoco_open(&b->judge, r));
    TEST_ASSERT_EQUAL_INT(0, robots_model_build(&b->m, r));
    TEST_ASSERT_EQUAL_INT(b->judge.dof, multibody_dof(&b->m));
    for (int i = 0; i < r->frames; i++) {
        TEST_ASSERT_EQUAL_INT(0, robots_model_frame(&b->frame[i], &b->m, r, i));
    }
    multibody_reset(&b->m, &b->w);
    for (int state = 0; state < STATES; state++) {
        random_sample(&b->s, b, &seed);
        compare(b, state);
    }
    mujoco_close(&b->judge);
    for (int i = 0; i < QUANTITIES; i++) {
        if (!(b->worst[i] <= TOLERANCE)) {
            printf("%s, %s: relative error %.2e in state %d\n", r->name, quantity_name[i],
                   b->worst[i], b->worst_state[i]);
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
    return UNITY_END();
}
