/* SPDX-License-Identifier: GPL-3.0-or-later */
/* judge.c - random states and weighted errors. */
#include "tests/judge.h"
#include "tests/robots_model.h"
#include "model/multibody_bias.h"
#include "model/multibody_mass.h"
#include "model/so3.h"

#include <math.h>
#include <string.h>

int judge_open(struct judge *j, const struct robot *r)
{
    memset(j, 0, sizeof *j);
    j->r = r;
    int error = mujoco_open(&j->mujoco, r);

    if (!error) {
        error = robots_model_build(&j->m, r);
    }
    for (int i = 0; i < r->frames && !error; i++) {
        error = robots_model_frame(&j->frame[i], &j->m, r, i);
    }
    multibody_reset(&j->m, &j->w);
    multibody_reset(&j->m, &j->plant.robot);
    return error ? error : j->mujoco.dof - multibody_dof(&j->m);
}

void judge_close(struct judge *j)
{
    mujoco_close(&j->mujoco);
}

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

static void random_sample(struct judge_sample *s, const struct judge *j, unsigned long long *seed)
{
    const int base = j->r->base, n = j->m.joints, dof = base + n;

    random_base(&s->base, base, seed);
    fill(s->q, n, BASE_PI, seed);
    fill(s->nu, base, 1.0, seed);
    fill(s->nu + base, n, 2.0, seed);
    fill(s->load, base, 50.0, seed);
    fill(s->load + base, n, 20.0, seed);
    fill(s->acc, dof, 3.0, seed);
    fill(s->F, 6, 30.0, seed);
    fill(s->gravity, 3, 9.81, seed);
    s->frame = (int)(fabs(robots_uniform(seed, 1.0)) * j->r->frames) % j->r->frames;

    multibody_unstack(&s->nu_v, &j->m, s->nu);
    multibody_unstack(&s->load_v, &j->m, s->load);
    multibody_unstack(&s->acc_v, &j->m, s->acc);
    mju_copy(s->V, s->nu_v.base, 6);
    mju_rotVecMatT(s->base_gravity, s->gravity, s->base.R);
}

void judge_next(struct judge *j, unsigned long long *seed)
{
    random_sample(&j->s, j, seed);
    mujoco_set(&j->mujoco, &j->s.base, j->s.q, j->s.nu, j->s.gravity);
    mujoco_mass(j->M, &j->mujoco);
    multibody_kinematics(&j->m, &j->w, j->s.q);
    multibody_rates(&j->m, &j->w, j->s.nu_v.joint);
    multibody_mass(&j->m, &j->w);
    multibody_mass_joint(&j->m, &j->w);
    multibody_bias(&j->m, &j->w);
}

double judge_worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

double judge_mass_error(const struct judge *j, const double *M)
{
    const int n = j->mujoco.dof;
    double error = 0.0;

    for (int k = 0; k < n * n; k++) {
        const double scale = sqrt(j->M[k / n * (n + 1)] * j->M[k % n * (n + 1)]);
        error = judge_worse(error, fabs(M[k] - j->M[k]) / scale);
    }
    return error;
}

/* max |x - y| / max |y|, each row weighted by D^power */
static double weighted(const struct judge *j, const double *x, const double *y, double power)
{
    const int n = j->mujoco.dof;
    double error = 0.0, size = 0.0;

    for (int i = 0; i < n; i++) {
        const double weight = pow(j->M[i * n + i], power);
        error = judge_worse(error, fabs(x[i] - y[i]) * weight);
        size = fmax(size, fabs(y[i]) * weight);
    }
    return error / size;
}

double judge_load_error(const struct judge *j, const struct multibody_vector *ours,
                        const double *mujoco)
{
    double x[JUDGE_DOF];

    multibody_stack(x, &j->m, ours);
    return weighted(j, x, mujoco, -0.5);
}

double judge_motion_error(const struct judge *j, const struct multibody_vector *ours,
                          const double *mujoco)
{
    double x[JUDGE_DOF];

    multibody_stack(x, &j->m, ours);
    return weighted(j, x, mujoco, 0.5);
}

double judge_plain_error(const double *ours, const double *mujoco, int n)
{
    double error = 0.0, size = 1.0;

    for (int i = 0; i < n; i++) {
        error = judge_worse(error, fabs(ours[i] - mujoco[i]));
        size = fmax(size, fabs(mujoco[i]));
    }
    return error / size;
}
