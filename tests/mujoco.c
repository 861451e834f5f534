/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mujoco.c - MuJoCo's answers in our conventions. */
#include "tests/mujoco.h"
#include "tests/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

enum { TEXT_SIZE = 32768 };

static mjModel *load(const char *text, char *error, int size)
{
    mjVFS *vfs = malloc(sizeof *vfs);
    mjModel *m = NULL;

    if (!vfs) {
        return NULL;
    }
    mj_defaultVFS(vfs);
    if (mj_makeEmptyFileVFS(vfs, "robot.xml", (int)strlen(text)) == 0) {
        memcpy(vfs->filedata[mj_findFileVFS(vfs, "robot.xml")], text, strlen(text));
        m = mj_loadXML("robot.xml", vfs, error, size);
    }
    mj_deleteVFS(vfs);
    free(vfs);
    return m;
}

int mujoco_open(struct mujoco *j, const struct robot *r)
{
    char *text = malloc(TEXT_SIZE);
    char error[500] = "no memory";

    memset(j, 0, sizeof *j);
    if (text && mjcf_write(text, TEXT_SIZE, r) > 0) {
        j->m = load(text, error, (int)sizeof error);
    }
    free(text);
    if (!j->m) {
        fprintf(stderr, "mujoco: robot \"%s\": %s\n", r->name, error);
        return -1;
    }
    for (int i = 0; i < r->frames; i++) { /* MuJoCo numbers them by body */
        const char name[] = {'f', 'r', 'a', 'm', 'e', (char)('0' + i), '\0'};
        j->site[i] = mj_name2id(j->m, mjOBJ_SITE, name);
    }
    j->d = mj_makeData(j->m);
    j->base = r->base;
    j->dof = r->base + robots_joints(r);
    return j->d && j->m->nv == j->dof ? 0 : -1;
}

void mujoco_close(struct mujoco *j)
{
    mj_deleteData(j->d);
    mj_deleteModel(j->m);
    memset(j, 0, sizeof *j);
}

/* ---- state ---- */

/* The linear part of nu and of T for a base turned by R: c = 3 for a free base, 2 in the plane. */
static void set_transform(struct mujoco *j, const double R[static 9], int c)
{
    const double *nu = j->nu;
    const double w[3] = {c == 3 ? nu[3] : 0.0, c == 3 ? nu[4] : 0.0, c == 3 ? nu[5] : nu[2]};
    const double v[3] = {nu[0], nu[1], c == 3 ? nu[2] : 0.0};
    double wv[3];

    mju_cross(wv, w, v);
    for (int i = 0; i < c; i++) {
        for (int k = 0; k < c; k++) {
            j->T[i * j->dof + k] = R[3 * i + k];
            j->dT_nu[i] += R[3 * i + k] * wv[k];
        }
    }
}

static void set_base(struct mujoco *j, const struct pose *g_wb)
{
    if (j->base == 6) {
        mju_copy(j->d->qpos, g_wb->p, 3);
        mju_mat2Quat(j->d->qpos + 3, g_wb->R);
        set_transform(j, g_wb->R, 3);
    } else if (j->base == 3) {
        mju_copy(j->d->qpos, g_wb->p, 2);
        j->d->qpos[2] = atan2(g_wb->R[3], g_wb->R[0]);
        set_transform(j, g_wb->R, 2);
    }
}

void mujoco_set(struct mujoco *j, const struct pose *g_wb, const double *q, const double *nu,
                const double gravity[static 3])
{
    const int n = j->dof;

    mju_copy(j->nu, nu, n);
    mju_copy(j->gravity, gravity, 3);
    mju_zero(j->dT_nu, n);
    mju_zero(j->T, n * n);
    for (int i = 0; i < n; i++) {
        j->T[i * n + i] = 1.0;
    }
    set_base(j, g_wb);
    mju_copy(j->d->qpos + j->m->nq - (n - j->base), q, n - j->base);
    mju_mulMatVec(j->d->qvel, j->T, nu, n, n);
    mju_copy(j->m->opt.gravity, gravity, 3);
    mj_kinematics(j->m, j->d);
    mj_comPos(j->m, j->d);
    mj_crb(j->m, j->d);
    mj_factorM(j->m, j->d);
    mj_comVel(j->m, j->d);
}

/* ---- answers ---- */

void mujoco_mass(double *M, const struct mujoco *j)
{
    double full[MUJOCO_DOF * MUJOCO_DOF], half[MUJOCO_DOF * MUJOCO_DOF];
    const int n = j->dof;

    mj_fullM(j->m, full, j->d->qM);
    mju_mulMatMat(half, full, j->T, n, n, n);
    mju_mulMatTMat(M, j->T, half, n, n, n);
}

/* T' (M_mj u' + h_mj - gravity), rotors included, for u' in MuJoCo's coordinates. */
static void recursion(double *load, const struct mujoco *j, const double *u_dot,
                      const double gravity[static 3])
{
    double x[MUJOCO_DOF];

    mju_copy(j->m->opt.gravity, gravity, 3);
    mju_copy(j->d->qacc, u_dot, j->dof);
    mj_rne(j->m, j->d, 1, x);
    for (int i = 0; i < j->dof; i++) {
        x[i] += j->m->dof_armature[i] * u_dot[i];
    }
    mju_mulMatTVec(load, j->T, x, j->dof, j->dof);
}

void mujoco_inverse(double *load, const struct mujoco *j, const double *acc)
{
    double u_dot[MUJOCO_DOF];

    mju_mulMatVec(u_dot, j->T, acc, j->dof, j->dof);
    mju_addTo(u_dot, j->dT_nu, j->dof);
    recursion(load, j, u_dot, j->gravity);
}

void mujoco_bias(double *h, const struct mujoco *j)
{
    recursion(h, j, j->dT_nu, (const double[3]){0, 0, 0});
}

/* At rest the recursion gives only what holds the robot. */
void mujoco_gravity(double *load, const struct mujoco *j)
{
    double u[MUJOCO_DOF], rest[MUJOCO_DOF] = {0};

    mju_copy(u, j->d->qvel, j->dof);
    mju_copy(j->d->qvel, rest, j->dof);
    mj_comVel(j->m, j->d);
    recursion(load, j, rest, j->gravity);
    mju_scl(load, load, -1.0, j->dof);
    mju_copy(j->d->qvel, u, j->dof);
    mj_comVel(j->m, j->d);
}

void mujoco_forward(double *acc, const struct mujoco *j, const double *load, int i,
                    const double F[static 6])
{
    const int n = j->dof, site = j->site[i];
    const mjtNum *R = j->d->site_xmat + 9 * site;
    double f[3], m[3], x[MUJOCO_DOF], bias[MUJOCO_DOF];

    mju_rotVecMat(f, F, R);
    mju_rotVecMat(m, F + 3, R);
    mju_mulMatVec(x, j->T, load, n, n); /* T is a rotation: T^-T = T */
    mj_applyFT(j->m, j->d, f, m, j->d->site_xpos + 3 * site, j->m->site_bodyid[site], x);
    mju_copy(j->m->opt.gravity, j->gravity, 3);
    mj_rne(j->m, j->d, 0, bias);
    mju_subFrom(x, bias, n);
    mj_solveM(j->m, j->d, x, x, 1);
    mju_subFrom(x, j->dT_nu, n);
    mju_mulMatTVec(acc, j->T, x, n, n);
}

/* Rows of a Jacobian in world axes, turned into the axes of R and into our columns. */
static void turn_rows(double *J, const struct mujoco *j, const double *world, const double *R)
{
    double rows[3 * MUJOCO_DOF];

    mju_mulMatTMat(rows, R, world, 3, 3, j->dof);
    mju_mulMatMat(J, rows, j->T, 3, j->dof, j->dof);
}

void mujoco_frame(struct pose *g_bf, double *J, double bias[static 6], const struct mujoco *j,
                  int i)
{
    const mjtNum *R_wb = j->d->xmat + 9, *p_wb = j->d->xpos + 3;
    const int site = j->site[i];
    const mjtNum *R_wf = j->d->site_xmat + 9 * site;
    double jacp[3 * MUJOCO_DOF], jacr[3 * MUJOCO_DOF], V[6], local[6], away[3], wv[3];

    mju_sub3(away, j->d->site_xpos + 3 * site, p_wb);
    mju_rotVecMatT(g_bf->p, away, R_wb);
    mju_mulMatTMat(g_bf->R, R_wb, R_wf, 3, 3, 3);

    mj_jacSite(j->m, j->d, jacp, jacr, site);
    turn_rows(J, j, jacp, R_wf);
    turn_rows(J + 3 * j->dof, j, jacr, R_wf);

    /* MuJoCo: rotational part first, and the linear part is d/dt of the velocity in world axes, seen in the
     * frame; ours is d/dt of the components in the frame, which is less by w x v */
    mju_zero(j->m->opt.gravity, 3);
    mju_copy(j->d->qacc, j->dT_nu, j->dof);
    mj_rnePostConstraint(j->m, j->d);
    mj_objectAcceleration(j->m, j->d, mjOBJ_SITE, site, local, 1);
    mju_mulMatVec(V, J, j->nu, 6, j->dof);
    mju_cross(wv, V + 3, V);
    for (int k = 0; k < 3; k++) {
        bias[k] = local[3 + k] - wv[k];
        bias[3 + k] = local[k];
    }
}

void mujoco_compliance(double *A, double *J, const struct mujoco *j, int frames)
{
    const int n = j->dof, rows = 6 * frames;
    double L[MUJOCO_DOF * MUJOCO_DOF], X[6 * ROBOTS_FRAMES * MUJOCO_DOF], bias[6];
    struct pose g;

    mujoco_mass(L, j);
    mju_cholFactor(L, n, 0.0);
    for (int i = 0; i < frames; i++) {
        mujoco_frame(&g, J + 6 * i * n, bias, j, i);
    }
    for (int r = 0; r < rows; r++) {
        mju_cholSolve(X + r * n, L, J + r * n, n);
    }
    mju_mulMatMatT(A, J, X, rows, n, rows);
}

/* The base is the first body after the world; mj_step() moves the coordinates only. */
void mujoco_step(struct pose *g_wb, double *q, double *u, const struct mujoco *j, const double *tau)
{
    const int joints = j->dof - j->base;

    mju_copy(j->m->opt.gravity, j->gravity, 3);
    mju_zero(j->d->qfrc_applied, j->dof);
    mju_copy(j->d->qfrc_applied + j->base, tau, joints);
    mj_step(j->m, j->d);
    mj_kinematics(j->m, j->d);
    mju_copy(g_wb->R, j->d->xmat + 9, 9);
    mju_copy(g_wb->p, j->d->xpos + 3, 3);
    mju_copy(q, j->d->qpos + j->m->nq - joints, joints);
    mju_copy(u, j->d->qvel, j->dof);
}

double mujoco_kinetic(const struct mujoco *j)
{
    double p[MUJOCO_DOF];

    mj_mulM(j->m, j->d, p, j->d->qvel);
    return 0.5 * mju_dot(p, j->d->qvel, j->dof);
}

void mujoco_momentum(double P[static 6], const struct mujoco *j)
{
    const mjtNum *R_wb = j->d->xmat + 9, *p_wb = j->d->xpos + 3;
    double linear[3], angular[3], away[3], moment[3];

    mj_subtreeVel(j->m, j->d);
    mju_scl3(linear, j->d->subtree_linvel, j->m->body_subtreemass[0]);
    mju_sub3(away, j->d->subtree_com, p_wb);
    mju_cross(moment, away, linear);
    mju_add3(angular, j->d->subtree_angmom, moment);
    mju_rotVecMatT(P, linear, R_wb);
    mju_rotVecMatT(P + 3, angular, R_wb);
}
