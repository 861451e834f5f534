/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window.c - keeping the poses, one pass over them, and the Levenberg-Marquardt loop. */
#include "estimation/window.h"

#include "model/linear.h"
#include "model/mat.h"

#define N            TARGET_ERRORS
#define LAMBDA_FIRST 1e-3
#define LAMBDA_LEAST 1e-9
#define LAMBDA_MOST  1e9
#define DONE         1e-5 /* relative change of the cost that ends the fit */

RT_SAFE void window_reset(struct window *w)
{
    w->count = 0;
}

RT_SAFE static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

/* Drop the oldest. Where it was is forgotten; the wide prior then stands about the solution at the next image, but for
 * inertia and lever, of which the user may have told more. */
RT_SAFE static void drop_first(const struct window_model *m, struct window *w)
{
    struct window_prior *p = &w->prior;

    target_step(&m->target, &w->first, seconds(w->pose[1].image_ns - w->pose[0].image_ns));
    mat_copy(p->mean.mu, w->first.mu, 4);
    mat_copy(p->mean.w, w->first.w, 3);
    mat_copy(p->mean.r, w->first.r, 3);
    mat_copy(p->mean.v, w->first.v, 3);
    for (int i = 1; i < w->count; i++) {
        w->pose[i - 1] = w->pose[i];
    }
    w->count--;
}

RT_SAFE enum window_put window_add(const struct window_model *m, struct window *w,
                                   const struct sighting *z)
{
    int at = w->count;

    while (at > 0 && w->pose[at - 1].image_ns > z->image_ns) {
        at--;
    }
    if (at > 0 && w->pose[at - 1].image_ns == z->image_ns) {
        return WINDOW_TWICE;
    }
    if (at == 0 && w->count > 0) {
        return WINDOW_OLD; /* the solution lives at the first image, which stays */
    }
    if (w->count >= m->size) {
        drop_first(m, w);
        at--;
        if (at == 0) {
            return WINDOW_OLD;
        }
    }
    for (int i = w->count; i > at; i--) {
        w->pose[i] = w->pose[i - 1];
    }
    w->pose[at] = *z;
    w->count++;
    return WINDOW_TAKEN;
}

/* J = H Phi by its parts: position rows on all columns, attitude rows on the first 11. */
RT_SAFE static void chain_rule(double J[static 120], const struct target_state *x,
                               const struct target_transition *t)
{
    double H[120];

    target_sensitivity(H, x);
    mat_zero(J, 120);
    for (int i = 0; i < 3; i++) {
        double *row = J + N * i;

        for (int k = 0; k < 3; k++) {
            mat_add_scaled(row, H[N * i + TARGET_MU + k], t->G + 11 * k, 11);
            row[TARGET_RHO + k] = H[N * i + TARGET_RHO + k];
        }
        mat_copy(row + TARGET_R, t->hill + 6 * i, 6);
        mat_copy(row + 3 * N, t->G + 11 * i, 11);
    }
}

/* A += s J'J (upper triangle), g += s J'y */
RT_SAFE static void accumulate(struct window_sums *u, const double J[static 120],
                               const double y[static 6], double s)
{
    for (int k = 0; k < 6; k++) {
        const double *row = J + N * k;

        for (int i = 0; i < N; i++) {
            const double a = s * row[i];

            for (int j = i; j < N; j++) {
                u->A[N * i + j] += a * row[j];
            }
            u->g[i] += a * y[k];
        }
    }
}

/* One pose: residual in units of its noise, Huber's weight and cost. */
RT_SAFE static void take(const struct window_model *m, struct window *w, struct window_sums *u,
                         const struct sighting_scale *scale, int i)
{
    double J[120], WJ[120], y[6], norm;

    target_residual(w->residual + 6 * i, &u->last.x, w->pose[i].p, w->pose[i].q);
    sighting_whiten(y, &w->pose[i], scale, w->residual + 6 * i, 1);
    w->norm2[i] = mat_dot6(y, y);
    if (w->pose[i].out) {
        return;
    }
    norm = sqrt(w->norm2[i]);
    u->worst = norm > u->worst ? norm : u->worst;
    u->cost += norm <= m->huber ? 0.5 * w->norm2[i] : m->huber * (norm - 0.5 * m->huber);
    chain_rule(J, &u->last.x, &u->way);
    sighting_whiten(WJ, &w->pose[i], scale, J, N);
    accumulate(u, WJ, y, norm <= m->huber ? 1.0 : m->huber / norm);
}

RT_SAFE static void start_sums(struct window_sums *u, const struct window_prior *p,
                               const struct target_state *first)
{
    double e[N];

    mat_zero(u->A, N * N);
    u->cost = u->worst = 0.0;
    target_difference(e, &p->mean, first);
    for (int i = 0; i < N; i++) {
        const double information = 1.0 / (p->sigma[i] * p->sigma[i]);

        u->A[N * i + i] = information;
        u->g[i] = information * e[i];
        u->cost += 0.5 * information * e[i] * e[i];
    }
    u->last.x = *first;
    target_still(&u->way);
}

/* All poses against the motion that begins with `first`. */
RT_SAFE static void pass(const struct window_model *m, struct window *w, struct window_sums *u,
                         const struct sighting_scale *scale, const struct target_state *first)
{
    start_sums(u, &w->prior, first);
    for (int i = 0; i < w->count; i++) {
        if (i > 0) {
            target_move(&m->target, &u->last.x, &u->way,
                        seconds(w->pose[i].image_ns - w->pose[i - 1].image_ns));
        }
        take(m, w, u, scale, i);
    }
}

/* e = (A + lambda diag A)^-1 g */
RT_SAFE static bool solve(double e[static N], const struct window_sums *u, double lambda)
{
    double L[N * N];

    mat_copy(L, u->A, N * N);
    for (int i = 0; i < N; i++) {
        L[(N + 1) * i] *= 1.0 + lambda;
    }
    if (!linear_cholesky(L, L, N)) {
        return false;
    }
    linear_cholesky_solve(e, L, u->g, N, 1);
    return base_all_finite(e, N);
}

/* Covariance at the last image from the information at the first. */
RT_SAFE static bool finish(struct window *w, struct ekf_state *last)
{
    static const struct target_model quiet = {0};
    double L[N * N], P[N * N];

    mat_identity(P, N);
    if (!linear_cholesky(L, w->sums.A, N)) {
        return false;
    }
    linear_cholesky_solve(P, L, P, N, N);
    w->sums.way.dt_s = 0.0; /* the motion of a fit has no noise */
    mat_zero(w->sums.way.Q, 36);
    target_spread(&quiet, P, &w->sums.way);
    if (!base_all_finite(P, N * N)) {
        return false;
    }
    last->x = w->sums.last.x;
    mat_copy(last->P, P, N * N);
    return true;
}

RT_SAFE bool window_fit(const struct window_model *m, struct window *w,
                        const struct sighting_scale *scale, int passes, struct ekf_state *last)
{
    double lambda = LAMBDA_FIRST, e[N];
    bool trial_is_last = false;

    pass(m, w, &w->sums, scale, &w->first);
    for (int k = 0; k < passes; k++) {
        struct target_state next = w->first;
        const double before = w->sums.cost;

        if (!solve(e, &w->sums, lambda)) {
            lambda = base_clamp(8.0 * lambda, LAMBDA_LEAST, LAMBDA_MOST);
            continue;
        }
        target_add(&next, e);
        pass(m, w, &w->trial, scale, &next);
        trial_is_last = !(w->trial.cost <= before);
        if (trial_is_last) {
            lambda = base_clamp(8.0 * lambda, LAMBDA_LEAST, LAMBDA_MOST);
            continue;
        }
        lambda = base_clamp(0.2 * lambda, LAMBDA_LEAST, LAMBDA_MOST);
        w->first = next;
        w->sums = w->trial;
        if (before - w->sums.cost <= DONE * before) {
            break;
        }
    }
    if (trial_is_last) {
        pass(m, w, &w->sums, scale, &w->first); /* the residuals are those of the solution again */
    }
    return base_finite(w->sums.cost) && finish(w, last);
}
