/* SPDX-License-Identifier: GPL-3.0-or-later */
/* peer_mujoco.c - MuJoCo doing the work units, each by the fewest of its own stages that give the result.
 *
 * Nothing is converted inside a unit: results stay in world axes and in MuJoCo's sparse mass matrix. One exception: the
 * cycle integrates the body twist and feeds forward in it, so M(:, lin) (w x v) is added there: 18 products a
 * stage and 21 at the end. In exchange the bias of the first stage serves the feed-forward as well.
 */
#include "tests/perf/peer_mujoco.h"

#include <stdlib.h>

static void *open_peer(void)
{
    struct peer *p = calloc(1, sizeof *p);

    if (!p || mujoco_open(&p->floating, &robots_floating) ||
        mujoco_open(&p->two, &robots_multiarm) || mujoco_open(&p->fixed, &robots_fixed)) {
        return NULL;
    }
    return p;
}

static void set_position(const struct mujoco *j, const double *q)
{
    static const double unturned[7] = {0, 0, 0, 1, 0, 0, 0};
    const int joints = j->dof - j->base;

    if (j->base == 6) {
        mju_copy(j->d->qpos, unturned, 7);
    }
    mju_copy(j->d->qpos + j->m->nq - joints, q, joints);
}

static void set_velocity(const struct mujoco *j, const double *V, const double *qd)
{
    mju_copy(j->d->qvel, V, j->base);
    mju_copy(j->d->qvel + j->base, qd, j->dof - j->base);
}

static void kinematics(const struct mujoco *j, const double *q)
{
    set_position(j, q);
    mj_kinematics(j->m, j->d);
    mj_comPos(j->m, j->d);
}

static void bias(double *h, const struct mujoco *j, const double *V, const double *qd,
                 const double *gravity)
{
    set_velocity(j, V, qd);
    mju_copy(j->m->opt.gravity, gravity, 3);
    mj_comVel(j->m, j->d);
    mj_rne(j->m, j->d, 0, h);
}

static const double weightless[3] = {0, 0, 0};

static void jacobian(struct peer *p, const struct mujoco *j, int frame)
{
    double *J = p->jac + frame * 6 * j->dof;

    mj_jacSite(j->m, j->d, J, J + 3 * j->dof, j->site[frame]);
}

/* load += J' F for F in the frame's own axes */
static void add_wrench(double *load, const struct peer *p, const double *F)
{
    const struct mujoco *j = &p->floating;
    double world[6];

    mju_rotVecMat(world, F, j->d->site_xmat);
    mju_rotVecMat(world + 3, F + 3, j->d->site_xmat);
    double pulled[PEER_DOF];
    mju_mulMatTVec(pulled, p->jac, world, 6, PEER_DOF);
    mju_addTo(load, pulled, PEER_DOF);
}

/* The base rows of M out of the sparse rows, which hold M(i,i), M(i,i-1), ..., M(i,0) of a chain. */
static void base_rows(struct peer *p)
{
    const struct mujoco *j = &p->floating;

    for (int i = 0; i < PEER_DOF; i++) {
        const mjtNum *row = j->d->qM + j->m->dof_Madr[i] + i;
        for (int k = 0; k < 6 && k <= i; k++) {
            p->Mb[k * PEER_DOF + i] = row[-k];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) {
            p->Mb[i * PEER_DOF + k] = p->Mb[k * PEER_DOF + i];
        }
    }
    for (int i = 0; i < 6; i++) {
        mju_copy(p->factor + 6 * i, p->Mb + PEER_DOF * i, 6);
    }
    mju_cholFactor(p->factor, 6, 0.0);
}

static void unit_fk_jac(void *self, const struct perf_state *s)
{
    struct peer *p = self;

    kinematics(&p->floating, s->q);
    jacobian(p, &p->floating, 0);
}

static void unit_crba(void *self, const struct perf_state *s)
{
    struct peer *p = self;

    kinematics(&p->floating, s->q);
    mj_crb(p->floating.m, p->floating.d);
}

static void unit_bias(void *self, const struct perf_state *s)
{
    struct peer *p = self;

    kinematics(&p->floating, s->q);
    bias(p->bias, &p->floating, s->V, s->qd, weightless);
}

static void load_of(double *load, const struct perf_state *s)
{
    mju_copy(load, s->F_b, 6);
    mju_copy(load + 6, s->tau, PEER_ARM);
}

static void unit_forward(void *self, const struct perf_state *s)
{
    struct peer *p = self;
    const struct mujoco *j = &p->floating;
    double load[PEER_DOF];

    kinematics(j, s->q);
    jacobian(p, j, 0);
    mj_crb(j->m, j->d);
    mj_factorM(j->m, j->d);
    bias(p->bias, j, s->V, s->qd, weightless);
    load_of(load, s);
    add_wrench(load, p, s->F_e);
    mju_subFrom(load, p->bias, PEER_DOF);
    mj_solveM(j->m, j->d, p->acc, load, 1);
}

static void unit_eval(void *self, const struct perf_state *s)
{
    struct peer *p = self;
    const struct mujoco *j = &p->floating;
    double load[PEER_DOF];

    kinematics(j, s->q);
    jacobian(p, j, 0);
    mj_crb(j->m, j->d);
    mj_factorM(j->m, j->d);
    base_rows(p);
    bias(p->bias, j, s->V, s->qd, weightless);
    bias(p->bias2, j, s->V_ground, s->qd, weightless);
    load_of(load, s);
    add_wrench(load, p, s->F_e);
    mju_subFrom(load, p->bias, PEER_DOF);
    mju_cholSolve(p->base_acc, p->factor, load, 6);
    mj_solveM(j->m, j->d, p->acc, load, 1);
}

/* V' = M_bb^-1 (W - h_b(V)), h_b in body axes */
static void base_rate(double *rate, struct peer *p, const double *W, const double *V,
                      const double *qd)
{
    double wv[3], h[6], load[6];

    bias(p->bias, &p->floating, V, qd, weightless);
    mju_cross(wv, V + 3, V);
    for (int i = 0; i < 6; i++) {
        h[i] = p->bias[i] + p->Mb[i * PEER_DOF] * wv[0] + p->Mb[i * PEER_DOF + 1] * wv[1] +
               p->Mb[i * PEER_DOF + 2] * wv[2];
    }
    mju_sub(load, W, h, 6);
    mju_cholSolve(rate, p->factor, load, 6);
}

/* feed += h_q(ground) with gravity, and the difference of M(q, lin) (w x v) of both twists */
static void add_feed_forward(struct peer *p, const struct perf_state *s)
{
    double orbit[3], ground[3];

    mju_cross(orbit, s->V + 3, s->V);
    mju_cross(ground, s->V_ground + 3, s->V_ground);
    mju_subFrom3(ground, orbit);
    mju_addTo(p->feed, p->bias2 + 6, PEER_ARM);
    for (int k = 0; k < 3; k++) {
        mju_addToScl(p->feed, p->Mb + k * PEER_DOF + 6, ground[k], PEER_ARM);
    }
}

static void unit_cycle(void *self, const struct perf_state *s)
{
    struct peer *p = self;
    const struct mujoco *j = &p->floating;
    double W[PEER_DOF] = {0}, rate[4][6], V[6];

    kinematics(j, s->q);
    jacobian(p, j, 0);
    mj_crb(j->m, j->d);
    base_rows(p);
    mju_copy(W, s->F_b, 6);
    add_wrench(W, p, s->F_e);
    for (int i = 0; i < 6; i++) {
        W[i] -= mju_dot(p->Mb + i * PEER_DOF + 6, s->qdd, PEER_ARM);
    }
    base_rate(rate[0], p, W, s->V, s->qd);
    mju_scl(p->feed, p->bias + 6, -1.0, PEER_ARM); /* this stage is at the orbit twist */
    const double step[3] = {PERF_STEP_S / 2, PERF_STEP_S / 2, PERF_STEP_S};
    for (int k = 0; k < 3; k++) {
        mju_addScl(V, s->V, rate[k], step[k], 6);
        base_rate(rate[k + 1], p, W, V, s->qd);
    }
    for (int i = 0; i < 6; i++) {
        p->V[i] =
            s->V[i] + PERF_STEP_S / 6 * (rate[0][i] + 2 * rate[1][i] + 2 * rate[2][i] + rate[3][i]);
    }
    bias(p->bias2, j, s->V_ground, s->qd, s->gravity);
    add_feed_forward(p, s);
}

static void unit_plant(void *self, const struct perf_state *s)
{
    struct peer *p = self;
    const struct mujoco *j = &p->floating;

    set_position(j, s->q);
    set_velocity(j, s->V, s->qd);
    mju_copy(j->m->opt.gravity, weightless, 3);
    mju_copy(j->d->qfrc_applied + 6, s->tau, PEER_ARM);
    mj_step(j->m, j->d);
}

static void unit_20_kindyn(void *self, const struct perf_state *s)
{
    struct peer *p = self;
    const struct mujoco *j = &p->two;

    kinematics(j, s->q);
    jacobian(p, j, 0);
    jacobian(p, j, 1);
    mj_crb(j->m, j->d);
    bias(p->bias, j, s->V, s->qd, weightless);
}

static void unit_20_ctrl(void *self, const struct perf_state *s)
{
    struct peer *p = self;
    const struct mujoco *j = &p->two;
    double one[12] = {0};

    unit_20_kindyn(self, s);
    mj_factorM(j->m, j->d);
    mj_solveM(j->m, j->d, p->X, p->jac, 12); /* rows of J M^-1 */
    mju_mulMatMatT(p->A, p->X, p->jac, 12, PERF_DOF, 12);
    mju_cholFactor(p->A, 12, 0.0);
    for (int i = 0; i < 12; i++) {
        one[i] = 1.0;
        mju_cholSolve(p->Lambda + 12 * i, p->A, one, 12);
        one[i] = 0.0;
    }
    mju_mulMatTMat(p->Jbar, p->X, p->Lambda, 12, PERF_DOF, 12);
}

static void unit_fix_mass(void *self, const struct perf_state *s)
{
    struct peer *p = self;

    kinematics(&p->fixed, s->q);
    mj_crb(p->fixed.m, p->fixed.d);
}

static void unit_fix_bias(void *self, const struct perf_state *s)
{
    struct peer *p = self;

    kinematics(&p->fixed, s->q);
    bias(p->bias, &p->fixed, s->V, s->qd, weightless);
}

static void unit_fix_fk_jac(void *self, const struct perf_state *s)
{
    struct peer *p = self;

    kinematics(&p->fixed, s->q);
    jacobian(p, &p->fixed, 0);
}

PERF_EXPORT extern const struct perf_library perf_library;
const struct perf_library perf_library = {
    .name = "MuJoCo",
    .build = PERF_BUILD,
    .open = open_peer,
    .unit = {[PERF_FK_JAC] = unit_fk_jac,
             [PERF_CRBA] = unit_crba,
             [PERF_BIAS] = unit_bias,
             [PERF_FORWARD] = unit_forward,
             [PERF_EVAL] = unit_eval,
             [PERF_CYCLE] = unit_cycle,
             [PERF_PLANT] = unit_plant,
             [PERF_20_KINDYN] = unit_20_kindyn,
             [PERF_20_CTRL] = unit_20_ctrl,
             [PERF_FIX_MASS] = unit_fix_mass,
             [PERF_FIX_BIAS] = unit_fix_bias,
             [PERF_FIX_FK_JAC] = unit_fix_fk_jac},
    .result = peer_mujoco_result,
};
