/* SPDX-License-Identifier: GPL-3.0-or-later */
/* peer_mujoco_result.c - MuJoCo's results in common conventions; never timed. */
#include "tests/perf/peer_mujoco.h"

static int put(double *out, const double *x, int n)
{
    mju_copy(out, x, n);
    return n;
}

static int put_links(double *out, const struct mujoco *j)
{
    int n = put(out, j->d->xpos + 6, 3 * (j->dof - j->base));

    n += put(out + n, j->d->site_xmat, 9);
    return n + put(out + n, j->d->site_xpos, 3);
}

/* Rows of each frame from world axes into its own. */
static int put_jacobian(double *out, const struct peer *p, const struct mujoco *j, int frames)
{
    for (int k = 0; k < 2 * frames; k++) {
        mju_mulMatTMat(out + 3 * k * j->dof, j->d->site_xmat + 9 * j->site[k / 2],
                       p->jac + 3 * k * j->dof, 3, 3, j->dof);
    }
    return 6 * frames * j->dof;
}

static int put_mass(double *out, const struct mujoco *j)
{
    mj_fullM(j->m, out, j->d->qM);
    return j->dof * j->dof;
}

/* h in body axes: plus M(:, lin) (w x v) */
static int put_bias(double *out, const struct mujoco *j, const double *h, const double *V)
{
    double M[MUJOCO_DOF * MUJOCO_DOF], wv[3];

    mj_crb(j->m, j->d);
    mj_fullM(j->m, M, j->d->qM);
    mju_cross(wv, V + 3, V);
    for (int i = 0; i < j->dof; i++) {
        out[i] = h[i] + (j->base ? mju_dot3(M + i * j->dof, wv) : 0.0);
    }
    return j->dof;
}

/* acceleration in body axes: less w x v */
static int put_acceleration(double *out, const double *acc, const double *V, int n)
{
    double wv[3];

    mju_cross(wv, V + 3, V);
    mju_copy(out, acc, n);
    mju_subFrom3(out, wv);
    return n;
}

static int put_eval(double *out, const struct peer *p, const struct perf_state *s)
{
    const struct mujoco *j = &p->floating;
    int n = put_jacobian(out, p, j, 1);

    n += put_mass(out + n, j);
    n += put_bias(out + n, j, p->bias, s->V);
    n += put_bias(out + n, j, p->bias2, s->V_ground);
    n += put_acceleration(out + n, p->base_acc, s->V, 6);
    return n + put_acceleration(out + n, p->acc, s->V, PEER_DOF);
}

static int put_plant(double *out, const struct peer *p)
{
    const struct mujoco *j = &p->floating;
    const mjtNum *x = j->d->qpos;
    double R[9];

    mju_quat2Mat(R, x + 3);
    mju_rotVecMatT(out, j->d->qvel, R);
    mju_copy(out + 3, j->d->qvel + 3, 3 + PEER_ARM);
    mju_copy(out + 13, x + 7, PEER_ARM);
    mju_copy(out + 20, x, 3);
    for (int k = 0; k < 4; k++) {
        out[23 + k] = (x[3] < 0 ? -1 : 1) * x[3 + (k + 1) % 4];
    }
    return 27;
}

/* Lambda and Jbar belong to J in world axes; with J_frame = Q J: Q Lambda Q', Jbar Q'. */
static int put_task(double *out, const struct peer *p)
{
    double Q[144] = {0}, half[144];

    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 9; i++) {
            Q[(3 * k + i / 3) * 12 + 3 * k + i % 3] =
                p->two.d->site_xmat[9 * p->two.site[k / 2] + 3 * (i % 3) + i / 3];
        }
    }
    mju_mulMatMat(half, Q, p->Lambda, 12, 12, 12);
    mju_mulMatMatT(out, half, Q, 12, 12, 12);
    mju_mulMatMatT(out + 144, p->Jbar, Q, PERF_DOF, 12, 12);
    return 144 + PERF_DOF * 12;
}

static int put_kindyn(double *out, const struct peer *p, const struct perf_state *s)
{
    int n = put_jacobian(out, p, &p->two, 2);

    n += put_mass(out + n, &p->two);
    return n + put_bias(out + n, &p->two, p->bias, s->V);
}

int peer_mujoco_result(double *out, void *self, enum perf_unit unit, const struct perf_state *s)
{
    const struct peer *p = self;
    int n = 0;

    switch (unit) {
    case PERF_FK_JAC:
        n = put_links(out, &p->floating);
        return n + put_jacobian(out + n, p, &p->floating, 1);
    case PERF_CRBA:
        return put_mass(out, &p->floating);
    case PERF_BIAS:
        return put_bias(out, &p->floating, p->bias, s->V);
    case PERF_FORWARD:
        return put_acceleration(out, p->acc, s->V, PEER_DOF);
    case PERF_EVAL:
        return put_eval(out, p, s);
    case PERF_CYCLE:
        n = put_jacobian(out, p, &p->floating, 1);
        n += put_mass(out + n, &p->floating);
        n += put(out + n, p->V, 6);
        return n + put(out + n, p->feed, PEER_ARM);
    case PERF_PLANT:
        return put_plant(out, p);
    case PERF_20_KINDYN:
        return put_kindyn(out, p, s);
    case PERF_20_CTRL:
        n = put_kindyn(out, p, s);
        return n + put_task(out + n, p);
    case PERF_FIX_MASS:
        return put_mass(out, &p->fixed);
    case PERF_FIX_BIAS:
        return put(out, p->bias, PEER_ARM);
    case PERF_FIX_FK_JAC:
        n = put_links(out, &p->fixed);
        return n + put_jacobian(out + n, p, &p->fixed, 1);
    default:
        return 0;
    }
}
