/* SPDX-License-Identifier: GPL-3.0-or-later */
/* constraint.c - latched frames: their rows, and multipliers with the rank of what holds the robot. */
#include "model/constraint.h"

#include <math.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_solve.h"
#include "model/so3.h"

RT_SAFE void constraint_open(struct constraint *c, const struct multibody_frame *frame)
{
    *c = (struct constraint){.frame = *frame};
}

RT_SAFE bool constraint_near(struct constraint *c, const struct pose *g, const double V[static 6],
                             const struct pose *nominal, double dt_s)
{
    struct pose gap;
    double turn[3];

    se3_relative(&gap, nominal, g);
    so3_log(turn, gap.R);
    const bool near = mat_norm3(gap.p) < CONSTRAINT_NEAR_M &&
                      mat_norm3(turn) < CONSTRAINT_NEAR_RAD && mat_norm3(V) < CONSTRAINT_SLOW_M_S;

    c->near_s = near ? c->near_s + dt_s : 0.0;
    return c->near_s >= CONSTRAINT_DWELL_S;
}

RT_SAFE void constraint_close(struct constraint *c, const struct pose *g,
                              const struct pose *nominal)
{
    struct pose way;

    se3_relative(&way, g, nominal);
    se3_log(c->way, &way);
    c->start = *g;
    c->time_s = 0.0;
    c->near_s = 0.0;
    c->closed = true;
}

RT_SAFE void constraint_hold(struct pose *g, double V[static 6], const struct constraint *c)
{
    /* quintic from 0 to 1 with rest at both ends; along one screw, so the body twist is rate times
     * way */
    const double t = base_clamp(c->time_s / CONSTRAINT_PULL_S, 0.0, 1.0);
    const double part = t * t * t * (10.0 + t * (6.0 * t - 15.0));
    const double rate = 30.0 * t * t * (1.0 - t) * (1.0 - t) / CONSTRAINT_PULL_S;
    double u[6];
    struct pose move;

    mat_scale(u, part, c->way, 6);
    se3_exp(&move, u);
    se3_mul(g, &c->start, &move);
    mat_scale(V, rate, c->way, 6);
}

/* Six rows of Psi from a Jacobian. */
RT_SAFE static void take_rows(struct multibody_vector row[static 6],
                              const struct multibody_model *m, const struct multibody_jacobian *J)
{
    const int first = J->arm == 1 ? m->arm[0].joints : 0;

    for (int r = 0; r < 6; r++) {
        memset(&row[r], 0, sizeof row[r]);
        mat_copy(row[r].base, &J->base[6 * r], 6);
        if (J->arm >= 0) {
            mat_copy(&row[r].joint[first], J->joint[r], m->arm[J->arm].joints);
        }
    }
}

RT_SAFE void constraint_rows(struct constraint_work *k, const struct multibody_model *m,
                             const struct multibody_work *w, const struct constraint *c, int n,
                             const struct pose *g_wb)
{
    k->rows = 0;
    for (int i = 0; i < n && i < CONSTRAINT_MAX; i++) {
        struct multibody_jacobian J;
        struct pose g_wf, hold, gap;
        double V[6];

        if (!c[i].closed) {
            continue;
        }
        multibody_frame_jacobian(&J, w, &c[i].frame);
        take_rows(&k->row[k->rows], m, &J);
        se3_mul(&g_wf, g_wb, &J.g);
        constraint_hold(&hold, V, &c[i]);
        se3_relative(&gap, &hold, &g_wf);
        mat_vec3_t(&k->error[k->rows], gap.R, gap.p);
        so3_log(&k->error[k->rows + 3], gap.R);
        se3_apply_Ad_inverse(&k->drive[k->rows], &gap, V);
        k->rows += 6;
    }
}

RT_SAFE static double row_dot(const struct multibody_vector *a, const struct multibody_vector *b)
{
    return mat_dot6(a->base, b->base) + mat_dot(a->joint, b->joint, MULTIBODY_JOINTS);
}

/* Put the row with the most left in place k of the order; how much that is. */
RT_SAFE static double choose(struct constraint_work *k, const double left[static CONSTRAINT_ROWS],
                             int place)
{
    int best = place;

    for (int i = place + 1; i < k->rows; i++) {
        if (left[k->order[i]] > left[k->order[best]]) {
            best = i;
        }
    }
    const int row = k->order[best];
    k->order[best] = k->order[place];
    k->order[place] = row;
    return left[row];
}

/* L D L' of A scaled to unit diagonal, always the row with the most left first, until none has
 * enough left. */
RT_SAFE static void factor(struct constraint_work *k)
{
    const int n = k->rows;
    double left[CONSTRAINT_ROWS];

    for (int i = 0; i < n; i++) {
        const double diagonal = k->A[(n + 1) * i];

        k->scale[i] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0;
        left[i] = diagonal > 0.0 ? 1.0 : 0.0;
        k->order[i] = i;
    }
    k->least = 1.0;
    for (k->rank = 0; k->rank < n; k->rank++) {
        const int p = k->rank;
        const double pivot = choose(k, left, p);
        const int row = k->order[p];

        if (!(pivot > CONSTRAINT_LEAST)) {
            break;
        }
        k->pivot[p] = pivot;
        k->least = pivot;
        for (int i = p + 1; i < n; i++) {
            const int other = k->order[i];
            double sum = k->scale[other] * k->scale[row] * k->A[n * other + row];

            for (int j = 0; j < p; j++) {
                sum -= k->L[n * other + j] * k->pivot[j] * k->L[n * row + j];
            }
            k->L[n * other + p] = sum / pivot;
            left[other] -= sum * sum / pivot;
        }
    }
}

RT_SAFE bool constraint_factor(struct constraint_work *k, const struct multibody_model *m,
                               struct multibody_work *w)
{
    const int n = k->rows;

    for (int i = 0; i < n; i++) {
        memset(&k->answer[i], 0, sizeof k->answer[i]);
        multibody_solve(&k->answer[i], m, w, &k->row[i]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            k->A[n * i + j] = k->A[n * j + i] = row_dot(&k->row[i], &k->answer[j]);
        }
    }
    factor(k);
    return k->rank == n;
}

RT_SAFE static void solve_once(double *mu, const struct constraint_work *k, const double *b)
{
    const int n = k->rows;
    double y[CONSTRAINT_ROWS];

    for (int p = 0; p < k->rank; p++) {
        const int row = k->order[p];

        y[p] = k->scale[row] * b[row];
        for (int j = 0; j < p; j++) {
            y[p] -= k->L[n * row + j] * y[j];
        }
    }
    mat_zero(mu, n);
    for (int p = k->rank - 1; p >= 0; p--) {
        y[p] /= k->pivot[p];
        for (int i = p + 1; i < k->rank; i++) {
            y[p] -= k->L[n * k->order[i] + p] * y[i];
        }
    }
    for (int p = 0; p < k->rank; p++) {
        mu[k->order[p]] = k->scale[k->order[p]] * y[p];
    }
}

RT_SAFE void constraint_solve(double *mu, const struct constraint_work *k, const double *b)
{
    double rest[CONSTRAINT_ROWS] = {0.0}, more[CONSTRAINT_ROWS];

    /* once more with what is left: the constraint then holds to rounding also where A is badly
     * conditioned */
    solve_once(mu, k, b);
    for (int i = 0; i < k->rows; i++) {
        rest[i] = b[i] - mat_dot(&k->A[k->rows * i], mu, k->rows);
    }
    solve_once(more, k, rest);
    mat_add(mu, mu, more, k->rows);
}

RT_SAFE void constraint_apply(double *y, const struct constraint_work *k,
                              const struct multibody_vector *x)
{
    for (int i = 0; i < k->rows; i++) {
        y[i] = row_dot(&k->row[i], x);
    }
}

RT_SAFE void constraint_react(struct multibody_vector *x, const struct constraint_work *k,
                              const double *mu)
{
    for (int i = 0; i < k->rows; i++) {
        mat_add_scaled(x->base, -mu[i], k->answer[i].base, 6);
        mat_add_scaled(x->joint, -mu[i], k->answer[i].joint, MULTIBODY_JOINTS);
    }
}
