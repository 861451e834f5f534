/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ours_result.c - the engine's results in common conventions; never timed. */
#include "tests/perf/ours.h"

#include "model/mat.h"
#include "model/multibody_mass.h"
#include "model/so3.h"

static int put(double *out, const double *x, int n)
{
    mat_copy(out, x, n);
    return n;
}

static int put_vector(double *out, const struct ours_robot *o, const struct multibody_vector *x)
{
    multibody_stack(out, &o->m, x);
    return multibody_dof(&o->m);
}

static int put_jacobian(double *out, const struct ours_robot *o, int frames)
{
    const int size = 6 * multibody_dof(&o->m);

    for (int i = 0; i < frames; i++) {
        multibody_frame_dense(out + i * size, &o->m, &o->J[i]);
    }
    return frames * size;
}

static int put_links(double *out, const struct ours_robot *o)
{
    const int n = o->m.joints;

    for (int i = 0; i < 3 * n; i++) {
        out[i] = o->w.arm[0].p[i % 3][i / 3];
    }
    put(out + 3 * n, o->J[0].g.R, 9);
    put(out + 3 * n + 9, o->J[0].g.p, 3);
    return 3 * n + 12;
}

static int put_mass(double *out, const struct ours_robot *o)
{
    const int n = multibody_dof(&o->m);

    multibody_mass_dense(out, &o->m, &o->w);
    return n * n;
}

static int put_eval(double *out, const struct ours *p)
{
    const struct ours_robot *o = &p->floating;
    int n = put_jacobian(out, o, 1);

    n += put_mass(out + n, o);
    n += put_vector(out + n, o, &p->h);
    n += put_vector(out + n, o, &p->h_ground);
    n += put(out + n, p->base_acc, 6);
    return n + put_vector(out + n, o, &p->acc);
}

static int put_plant(double *out, const struct ours *p)
{
    put(out, p->moved.nu.base, 6);
    put(out + 6, p->moved.nu.joint, 7);
    put(out + 13, p->moved.q, 7);
    put(out + 20, p->moved.pose.p, 3);
    so3_to_quat(out + 23, p->moved.pose.R);
    return 27;
}

static int put_kindyn(double *out, const struct ours *p)
{
    int n = put_jacobian(out, &p->two, 2);

    n += put_mass(out + n, &p->two);
    return n + put_vector(out + n, &p->two, &p->h);
}

int ours_result(double *out, void *self, enum perf_unit unit, const struct perf_state *s)
{
    const struct ours *p = self;
    int n = 0;

    (void)s;
    switch (unit) {
    case PERF_FK_JAC:
        n = put_links(out, &p->floating);
        return n + put_jacobian(out + n, &p->floating, 1);
    case PERF_CRBA:
        return put_mass(out, &p->floating);
    case PERF_BIAS:
        return put_vector(out, &p->floating, &p->h);
    case PERF_FORWARD:
        return put_vector(out, &p->floating, &p->acc);
    case PERF_EVAL:
        return put_eval(out, p);
    case PERF_CYCLE:
        n = put_jacobian(out, &p->floating, 1);
        n += put_mass(out + n, &p->floating);
        n += put(out + n, p->V, 6);
        return n + put(out + n, p->feed, 7);
    case PERF_PLANT:
        return put_plant(out, p);
    case PERF_20_KINDYN:
        return put_kindyn(out, p);
    case PERF_20_CTRL:
        n = put_kindyn(out, p);
        n += put(out + n, p->task.inertia, TASKSPACE_ROWS * TASKSPACE_ROWS);
        return n + put(out + n, p->task.inverse, PERF_DOF * TASKSPACE_ROWS);
    case PERF_FIX_MASS:
        return put_mass(out, &p->fixed);
    case PERF_FIX_BIAS:
        return put_vector(out, &p->fixed, &p->h);
    case PERF_FIX_FK_JAC:
        n = put_links(out, &p->fixed);
        return n + put_jacobian(out + n, &p->fixed, 1);
    case PERF_SINCOS:
        n = put(out, p->s, 8);
        return n + put(out + n, p->c, 8);
    default:
        return 0;
    }
}
