/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start.c - guess and first fit. */
#include "estimation/start.h"

#include "model/mat.h"
#include "model/so3.h"
#include "model/trig.h"

#define PAIR_S      1.9 /* finite differences over about two seconds */
#define NEAR        6   /* first poses among which the first attitude is voted */
#define PASSES      12
#define PASSES_MORE 3
#define BELONGS     22.46 /* chi-square of 6, 0.999 */
#define MEAN_MOST   3.0   /* of the squared numbers of those that belong */
#define WIDER       2.0 /* the fit's own covariance is too small: it is not yet in its linear range */

RT_SAFE static double between(const struct window *w, int i, int j)
{
    return (double)(w->pose[j].image_ns - w->pose[i].image_ns) * 1e-9;
}

/* Rotation vector from a to b, axes of either. */
RT_SAFE static void rotation(double v[static 3], const double a[static 4], const double b[static 4])
{
    const double conjugate[4] = {-a[0], -a[1], -a[2], a[3]};
    double q[4], n, s;

    so3_quat_mul(q, conjugate, b);
    n = mat_norm3(q);
    s = q[3] < 0.0 ? -1.0 : 1.0;
    mat_scale(v, n > 1e-12 ? s * 2.0 * trig_atan2(n, s * q[3]) / n : 2.0, q, 3);
}

/* Rate and velocity, each number the median over pairs. */
RT_SAFE static void guess_rates(struct target_state *first, const struct window *w)
{
    double x[6][WINDOW_MAX] = {{0}}, d[6];
    int n = 0;

    for (int i = 0; i + 1 < w->count; i++) {
        int j = i + 1;

        while (j + 1 < w->count && between(w, i, j) < PAIR_S) {
            j++;
        }
        if (between(w, i, j) < PAIR_S && n > 0) {
            break;
        }
        rotation(d, w->pose[i].q, w->pose[j].q);
        mat_sub(d + 3, w->pose[j].p, w->pose[i].p, 3);
        for (int k = 0; k < 6; k++) {
            x[k][n] = d[k] / between(w, i, j);
        }
        n++;
    }
    for (int k = 0; k < 3; k++) {
        first->w[k] = adapt_median(x[k], n);
        first->v[k] = adapt_median(x[k + 3], n);
    }
}

/* Attitude and position at the first image: each of the next poses brought back to it votes. */
RT_SAFE static void guess_pose(struct target_state *first, const struct window *w)
{
    const int n = w->count < NEAR ? w->count : NEAR;
    double q[NEAR][4], x[NEAR] = {0}, back[3], R[9], least = HUGE_VAL;

    for (int i = 0; i < n; i++) {
        double turn[4];

        mat_scale(back, -between(w, 0, i), first->w, 3);
        so3_exp(R, back);
        so3_to_quat(turn, R);
        so3_quat_mul(q[i], w->pose[i].q, turn);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0.0;

        for (int j = 0; j < n; j++) {
            rotation(back, q[i], q[j]);
            sum += mat_norm3(back);
        }
        if (sum < least) {
            least = sum;
            mat_copy(first->mu, q[i], 4);
        }
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) {
            x[i] = w->pose[i].p[k] - between(w, 0, i) * first->v[k];
        }
        first->r[k] = adapt_median(x, n);
    }
}

RT_SAFE void start_guess(struct target_state *first, const struct start_prior *p,
                         const struct window *w)
{
    double lever[3], R[9];

    guess_rates(first, w);
    guess_pose(first, w);
    mat_copy(first->d, p->d, 5);
    target_physical(first->d);
    mat_copy(first->rho, p->rho, 3);
    so3_from_quat(R, first->mu);
    mat_vec3(lever, R, p->rho);
    mat_sub(first->r, first->r, lever, 3);
}

RT_SAFE static void set_prior(struct window_prior *prior, const struct start_prior *p,
                              const struct target_state *first)
{
    const double sigma[6] = {p->attitude, p->rate, p->inertia, p->position, p->velocity, p->lever};
    static const int from[7] = {TARGET_MU, TARGET_W,   TARGET_D,     TARGET_R,
                                TARGET_V,  TARGET_RHO, TARGET_ERRORS};

    prior->mean = *first;
    for (int k = 0; k < 6; k++) {
        for (int i = from[k]; i < from[k + 1]; i++) {
            prior->sigma[i] = sigma[k];
        }
    }
}

/* Mark what does not belong; how many do, and their mean square. */
RT_SAFE static int sort_out(struct window *w, double *mean)
{
    double sum = 0.0;
    int n = 0;

    for (int i = 0; i < w->count; i++) {
        w->pose[i].out = !(w->norm2[i] <= BELONGS);
        if (!w->pose[i].out) {
            sum += w->norm2[i];
            n++;
        }
    }
    *mean = n > 0 ? sum / (6.0 * n) : HUGE_VAL;
    return n;
}

RT_SAFE bool start_fit(const struct window_model *m, const struct start_prior *p, struct window *w,
                       struct adapt_state *a, struct ekf_state *last)
{
    struct sighting_scale scale = {1.0, 1.0};
    double mean;

    for (int i = 0; i < w->count; i++) {
        w->pose[i].out = false;
    }
    start_guess(&w->first, p, w);
    set_prior(&w->prior, p, &w->first);
    if (!window_fit(m, w, &scale, PASSES, last)) {
        return false;
    }
    adapt_start(a, w);
    scale = adapt_scale(a);
    if (!window_fit(m, w, &scale, PASSES_MORE, last)) {
        return false;
    }
    (void)sort_out(w, &mean);
    if (!window_fit(m, w, &scale, PASSES_MORE, last)) {
        return false;
    }
    mat_scale(last->P, WIDER, last->P, TARGET_NUMBERS);
    return 3 * sort_out(w, &mean) >= 2 * w->count && mean <= MEAN_MOST;
}
