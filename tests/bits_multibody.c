/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bits_multibody.c - fingerprints of the multibody engine, for tests/bits.sh: robots with one and
 * two arms on every kind of base, in random states.
 *
 * bits.sh sources: model/body.c model/lane.c model/multibody.c model/multibody_frame.c model/multibody_mass.c model/multibody_bias.c model/multibody_inverse.c model/multibody_solve.c model/constraint.c model/motion.c model/taskspace.c
 * bits.sh needs: model/trig.c model/mat.c model/linear.c model/so3.c model/se3.c tests/robots.c tests/robots_model.c tests/engine.c
 */
#include <math.h>

#include "model/lane.h"
#include "model/mat.h"
#include "model/motion.h"
#include "model/multibody_bias.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/so3.h"
#include "model/taskspace.h"
#include "tests/bits.h"
#include "tests/draw.h"
#include "tests/engine.h"

#define STATES 200 /* of each robot */

static struct draw dice = {97531};
static struct engine e;
static struct multibody_frame frame[2];
static struct multibody_vector load, acc;
static double V[6], A[6], F[6], gravity[3];

/* One number for everything a function leaves in memory: doubles only. */
static void add_vector(struct bits *b, const struct multibody_vector *x)
{
    bits_add(b, x->base, 6);
    bits_add(b, x->joint, e.m.joints);
}

static void draw_state(void)
{
    engine_draw(&e, &dice);
    engine_vector(&load, &e, &dice, 10.0);
    engine_vector(&acc, &e, &dice, 1.0);
    draw_vector(&dice, V, 6, 1.0);
    draw_vector(&dice, A, 6, 1.0);
    draw_vector(&dice, F, 6, 10.0);
    draw_vector(&dice, gravity, 3, 9.81);
    engine_stages(&e);
    multibody_solve_factor(&e.m, &e.w, NULL);
}

/* EACH(name, what to call and hash) for every robot in STATES states */
#define EACH(name, ...)                                                                            \
    do {                                                                                           \
        struct bits b;                                                                             \
                                                                                                   \
        bits_start(&b);                                                                            \
        for (int i = 0; i < ENGINE_ROBOTS; i++) {                                                  \
            build(i);                                                                              \
            for (int k = 0; k < STATES; k++) {                                                     \
                draw_state();                                                                      \
                __VA_ARGS__                                                                        \
            }                                                                                      \
        }                                                                                          \
        bits_print(&b, name);                                                                      \
    } while (0)

static void build(int i)
{
    struct pose g;

    engine_build(&e, i);
    se3_identity(&g);
    g.p[0] = 0.1;
    multibody_frame(&frame[0], &e.m, e.m.joints - 1, &g);
    multibody_frame(&frame[1], &e.m, 0, &g);
}

static void random_body(struct body *b)
{
    double c[3];
    const double J[6] = {0.3, 0.4, 0.5, 0.01, -0.02, 0.03};

    draw_vector(&dice, c, 3, 1.0);
    body_make(b, draw_uniform(&dice, 0.1, 9.0), c, J);
}

static void random_pose(struct pose *g)
{
    double w[3];

    draw_vector(&dice, w, 3, 3.0);
    so3_exp(g->R, w);
    draw_vector(&dice, g->p, 3, 1.0);
}

static void add_body(struct bits *b, const struct body *x)
{
    bits_add_one(b, x->mass_kg);
    bits_add(b, x->moment, 3);
    bits_add(b, x->inertia, 6);
}

static void hash_body(void)
{
    struct body x, y;
    struct pose g;
    double c[3], J[6], M[36], worst;

    EACH("body_make", random_body(&x); add_body(&b, &x););
    EACH("body_add", random_body(&x); random_body(&y); body_add(&x, &y); add_body(&b, &x););
    EACH("body_place", random_body(&x); random_pose(&g); body_place(&x, &g, &x); add_body(&b, &x););
    EACH("body_central", random_body(&x); body_central(c, J, &x); bits_add(&b, c, 3);
         bits_add(&b, J, 6););
    EACH("body_momentum", random_body(&x); body_momentum(J, &x, V); bits_add(&b, J, 6););
    EACH("body_bias", random_body(&x); body_bias(J, &x, V); bits_add(&b, J, 6););
    EACH("body_matrix", random_body(&x); body_matrix(M, &x); bits_add(&b, M, 36););
    EACH("body_principal", random_body(&x); body_principal(c, &x); bits_add(&b, c, 3););
    EACH("body_check", random_body(&x); x.inertia[1] *= 3.0;
         bits_add_one(&b, (double)body_check(&x, &worst)); bits_add_one(&b, worst););
}

static void hash_lane(void)
{
    double x[6][LANES], y[LANES], M[LANES][LANES];

    EACH("lane_sum_outwards", draw_vector(&dice, x[0], 24, 1.0); lane_sum_outwards(M, x);
         bits_add(&b, M[0], 24););
    EACH("lane_sum_from_base", draw_vector(&dice, x[0], 24, 1.0); lane_sum_from_base(M, x);
         bits_add(&b, M[0], 24););
    EACH("lane_sum_in_place", draw_vector(&dice, x[0], 24, 1.0); lane_sum_in_place(x, 7 + k % 2);
         bits_add(&b, x[0], 24););
    EACH("lane_subtract4", draw_vector(&dice, x[0], 16, 1.0); lane_subtract4(x[0], F[0], x[1]);
         bits_add(&b, x[0], 8););
    EACH("lane_mend", draw_vector(&dice, x[0], 8, 1.0); lane_mend(x[0], 0.5);
         bits_add(&b, x[0], 8););
    EACH("lane_subtract", draw_vector(&dice, x[0], 16, 1.0); lane_subtract(x[0], F[0], x[1]);
         bits_add(&b, x[0], 8););
    EACH("lane_products", draw_vector(&dice, x[0], 48, 1.0);
         lane_products(M, x, e.w.arm[0].S, F, 6); bits_add(&b, M[0], 48););
    EACH("lane_rows_times", draw_vector(&dice, x[0], 48, 1.0); draw_vector(&dice, y, 8, 1.0);
         lane_rows_times(A, x, y); bits_add(&b, A, 6););
}

static void add_arms(struct bits *b, size_t from, size_t to)
{
    for (int k = 0; k < MULTIBODY_ARMS; k++) {
        const char *arm = (const char *)&e.w.arm[k];
        double x[LANES];

        for (size_t at = from; at < to; at += sizeof x) {
            memcpy(x, arm + at, sizeof x);
            bits_add(b, x, LANES);
        }
    }
}

#define ARM(first, behind)                                                                         \
    offsetof(struct multibody_arm_work, first), offsetof(struct multibody_arm_work, behind)

static void hash_setup(void)
{
    struct body x;
    double dense[MULTIBODY_DOF];

    EACH("multibody_init", random_body(&x); multibody_init(&e.m, MULTIBODY_FLOATING, &x);
         add_body(&b, &e.m.base_body); build(i););
    EACH(
        "multibody_add_joint", for (int r = 0; r < 7; r++) {
            bits_add(&b, e.m.arm[0].place[r], LANES);
        } add_arms(&b, ARM(body, q)););
    EACH(
        "multibody_add_body", random_body(&x); multibody_add_body(&e.m, 1, &frame[0].offset, &x);
        for (int r = 0; r < 10; r++) { bits_add(&b, e.m.arm[0].body[r], LANES); });
    EACH("multibody_frame", bits_add(&b, frame[0].offset.R, 9);
         bits_add(&b, frame[0].offset.p, 3););
    EACH("multibody_reset", multibody_reset(&e.m, &e.w); add_arms(&b, ARM(body, q)););
    EACH("multibody_attach", random_body(&x); multibody_attach(&e.w, &frame[1], &x);
         add_arms(&b, ARM(body, q)); bits_add(&b, e.w.arm[0].Ic[0], LANES););
    EACH("multibody_detach", multibody_detach(&e.m, &e.w, &frame[1]); add_arms(&b, ARM(body, q)););
    EACH("multibody_dof", bits_add_one(&b, multibody_dof(&e.m)););
    EACH("multibody_base_row", bits_add_one(&b, multibody_base_row(&e.m, 2)););
    EACH("multibody_stack", multibody_stack(dense, &e.m, &load);
         bits_add(&b, dense, multibody_dof(&e.m)););
    EACH("multibody_unstack", multibody_stack(dense, &e.m, &load);
         multibody_unstack(&acc, &e.m, dense); add_vector(&b, &acc););
}

static void hash_stages(void)
{
    struct multibody_jacobian J;
    struct pose g;
    double M[MULTIBODY_DOF * MULTIBODY_DOF], x[6];

    EACH("multibody_kinematics", add_arms(&b, ARM(q, qd)););
    EACH("multibody_rates", add_arms(&b, ARM(qd, I)););
    EACH("multibody_mass_links", multibody_mass_links(&e.m, &e.w); add_arms(&b, ARM(I, Ic)););
    EACH("multibody_mass", add_arms(&b, ARM(I, M)); add_body(&b, &e.w.total);
         bits_add(&b, e.w.inverse.com, 3); bits_add(&b, e.w.inverse.inertia, 6););
    EACH("multibody_mass_joint", add_arms(&b, ARM(M, bias)););
    EACH("multibody_bias", add_arms(&b, ARM(bias, Y)); bits_add(&b, e.w.bias.dJ, 6););
    EACH("multibody_frame_pose", multibody_frame_pose(&g, &e.w, &frame[0]); bits_add(&b, g.R, 9);
         bits_add(&b, g.p, 3););
    EACH("multibody_frame_twist", multibody_frame_twist(x, &e.w, &frame[0], V);
         bits_add(&b, x, 6););
    EACH("multibody_frame_bias", multibody_frame_bias(x, &e.w, &frame[0], V); bits_add(&b, x, 6););
    EACH("multibody_frame_jacobian", multibody_frame_jacobian(&J, &e.w, &frame[k % 2]);
         bits_add(&b, J.joint[0], 48); bits_add(&b, J.base, 36););
    EACH("multibody_frame_dense", multibody_frame_jacobian(&J, &e.w, &frame[k % 2]);
         multibody_frame_dense(M, &e.m, &J); bits_add(&b, M, 6 * multibody_dof(&e.m)););
    EACH("multibody_frame_wrench", multibody_frame_wrench(&load, &e.m, &e.w, &frame[k % 2], F);
         add_vector(&b, &load););
    EACH("multibody_mass_dense", multibody_mass_dense(M, &e.m, &e.w);
         bits_add(&b, M, multibody_dof(&e.m) * multibody_dof(&e.m)););
    EACH("multibody_mass_times", multibody_mass_times(&load, &e.m, &e.w, &acc);
         add_vector(&b, &load););
    EACH("multibody_mass_gravity", multibody_mass_gravity(&load, &e.m, &e.w, gravity);
         add_vector(&b, &load););
    EACH("multibody_mass_reaction", multibody_mass_reaction(x, &e.m, &e.w, acc.joint);
         bits_add(&b, x, 6););
    EACH("multibody_mass_momentum", multibody_mass_momentum(x, &e.m, &e.w, &acc);
         bits_add(&b, x, 6););
    EACH("multibody_mass_energy", bits_add_one(&b, multibody_mass_energy(&e.m, &e.w, &acc)););
    EACH("multibody_mass_base_solve", multibody_mass_base_solve(x, &e.w, F); bits_add(&b, x, 6););
}

static void hash_dynamics(void)
{
    struct multibody_contact contact;
    struct multibody_input in = {.contacts = 1, .contact = &contact};
    struct taskspace_output task;
    struct multibody_jacobian J[2];
    double x[MULTIBODY_JOINTS];

    EACH("multibody_bias_base", multibody_bias_base(x, &e.w, V); bits_add(&b, x, 6););
    EACH("multibody_bias_joint", multibody_bias_joint(x, &e.m, &e.w, V);
         bits_add(&b, x, e.m.joints););
    EACH("multibody_bias_acceleration", multibody_bias_acceleration(x, &e.w, V, F);
         bits_add(&b, x, 6););
    EACH("multibody_bias_step", multibody_bias_step(x, &e.w, V, F, 1e-3); bits_add(&b, x, 6););
    EACH("multibody_bias_between", multibody_bias_between(x, &e.m, &e.w, V, A, e.nu.base, F);
         bits_add(&b, x, e.m.joints););
    EACH("multibody_inverse_bias", multibody_inverse_bias(&load, &e.m, &e.w, V);
         add_vector(&b, &load););
    EACH("multibody_inverse_hold", multibody_inverse_hold(&load, &e.m, &e.w, V, gravity);
         add_vector(&b, &load););
    EACH("multibody_inverse", multibody_inverse(&load, &e.m, &e.w, V, &acc, gravity);
         add_vector(&b, &load););
    EACH("multibody_inverse_coriolis",
         multibody_inverse_coriolis(&load, &e.m, &e.w, V, &acc, &e.nu);
         add_vector(&b, &load););
    EACH(
        "multibody_solve_factor",
        for (int r = 0; r < LANES; r++) { /* the part that counts */
                                          bits_add(&b, e.w.arm[0].H[r], r);
                                          bits_add(&b, e.w.arm[1].H[r], r);
        } bits_add(&b, e.w.arm[0].pivot, e.m.arm[0].joints););
    EACH("multibody_solve", multibody_solve(&acc, &e.m, &e.w, &load); add_vector(&b, &acc););
    EACH("multibody_solve_once", multibody_solve_once(&acc, &e.m, &e.w, NULL, &load);
         add_vector(&b, &acc););
    EACH("multibody_solve_forward", contact.frame = frame[k % 2]; mat_copy(contact.wrench, F, 6);
         in.load = load; mat_copy(in.gravity, gravity, 3);
         multibody_solve_forward(&acc, &e.m, &e.w, e.q, &e.nu, &in); add_vector(&b, &acc););
    EACH("taskspace_solve", multibody_frame_jacobian(&J[0], &e.w, &frame[0]);
         multibody_frame_jacobian(&J[1], &e.w, &frame[1]);
         taskspace_solve(&e.m, &e.w, J, 1 + k % 2, &task); bits_add(&b, task.inertia, 144);
         bits_add(&b, task.inverse, 12 * multibody_dof(&e.m)););
}

static struct motion_work work;
static struct motion_state state;
static struct motion_output out;

/* The state of the engine as a robot in the world, latched at one or two frames. */
static void place(int latches)
{
    struct pose g;

    memset(&state, 0, sizeof state);
    random_pose(&state.pose);
    mat_copy(state.q, e.q, e.m.joints);
    state.nu = e.nu;
    multibody_reset(&e.m, &work.robot);
    for (int i = 0; i < latches; i++) {
        constraint_open(&state.latch[i], &frame[i]);
        random_pose(&g);
        motion_latch(&e.m, &work, &state, i, &g, &out);
    }
    state.latches = latches;
}

static void add_state(struct bits *b)
{
    bits_add(b, state.pose.R, 9);
    bits_add(b, state.pose.p, 3);
    bits_add(b, state.q, e.m.joints);
    add_vector(b, &state.nu);
    bits_add(b, out.wrench[0], 12);
    bits_add_one(b, out.rank);
}

static void hash_motion(void)
{
    struct constraint_work *const c = &work.latch;
    struct motion_input in = {0};
    struct constraint latch;
    struct pose g, h;
    double x[CONSTRAINT_ROWS], u[6];

    EACH("constraint_open", constraint_open(&latch, &frame[0]); bits_add(&b, latch.way, 6););
    EACH("constraint_near", constraint_open(&latch, &frame[0]); random_pose(&g); h = g;
         h.p[0] += 0.002 * V[0]; bits_add_one(&b, constraint_near(&latch, &g, A, &h, 0.2)););
    EACH("constraint_close", random_pose(&g); random_pose(&h); constraint_close(&latch, &g, &h);
         bits_add(&b, latch.way, 6););
    EACH("constraint_hold", random_pose(&g); random_pose(&h); constraint_close(&latch, &g, &h);
         latch.time_s = fabs(V[0]); constraint_hold(&h, u, &latch); bits_add(&b, h.R, 9);
         bits_add(&b, h.p, 3); bits_add(&b, u, 6););
    EACH("constraint_rows", place(1 + k % 2);
         constraint_rows(c, &e.m, &work.robot, state.latch, state.latches, &state.pose);
         bits_add(&b, c->error, c->rows); bits_add(&b, c->row[5].joint, e.m.joints););
    EACH("constraint_factor", place(1 + k % 2); bits_add(&b, c->A, c->rows * c->rows);
         bits_add(&b, c->pivot, c->rank););
    EACH("constraint_solve", place(1 + k % 2); constraint_solve(x, c, &c->A[0]);
         bits_add(&b, x, c->rows););
    EACH("constraint_apply", place(1 + k % 2); constraint_apply(x, c, &acc);
         bits_add(&b, x, c->rows););
    EACH("constraint_react", place(1 + k % 2); constraint_react(&acc, c, &c->A[0]);
         add_vector(&b, &acc););
    EACH("motion_latch", place(1 + k % 2); add_state(&b); bits_add_one(&b, out.energy_lost_j););
    EACH("motion_unlatch", place(1); motion_unlatch(&state, 0); add_state(&b););
    EACH("motion_project", place(1); state.q[0] += 0.01; motion_project(&e.m, &work, &state);
         add_state(&b););
    EACH("motion_step", place(k % 3); in.load = load; mat_copy(in.gravity, gravity, 3);
         motion_step(&e.m, &work, &state, &in, &out, 1e-3); add_state(&b););
    EACH("motion_rk4", place(k % 3); in.load = load; mat_copy(in.gravity, gravity, 3);
         motion_rk4(&e.m, &work, &state, &in, &out, 1e-3); add_state(&b););
}

int main(void)
{
    hash_body();
    hash_lane();
    hash_setup();
    hash_stages();
    hash_dynamics();
    hash_motion();
    return 0;
}
