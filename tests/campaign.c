/* SPDX-License-Identifier: GPL-3.0-or-later */
/* campaign.c - one run of the vision filter over drawn poses, and what it was worth. */
#include "tests/campaign.h"

#include <math.h>
#include <stdlib.h>

#include "estimation/paper.h"
#include "model/linear.h"
#include "model/mat.h"

#define ROW_S 0.5

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double campaign_quantile(double *x, int n, double share)
{
    const int k = (int)(share * (n - 1) + 0.5);

    qsort(x, (size_t)n, sizeof *x, ascending);
    return n > 0 ? x[k] : HUGE_VAL;
}

void campaign_model(struct vision_model *m, const struct tumble_case *c)
{
    vision_defaults(m);
    m->fit.target.orbit_radps = c->orbit_radps;
}

static struct campaign_error compare(const struct tumble_truth *t, const double p[static 3],
                                     const double q[static 4], const double v[static 3],
                                     const double w[static 3])
{
    const struct campaign_error e = {tumble_distance(t->p, p), tumble_angle(t->q, q),
                                     tumble_distance(t->v, v), tumble_distance(t->w, w)};

    return e;
}

/* e' S^-1 e of the pose of C */
static double nees(const struct vision_state *s, const struct tumble_truth *t)
{
    double S[36], nu[6], y[6];

    target_pose_covariance(S, &s->ahead.x, s->ahead.P);
    target_residual(nu, &s->ahead.x, t->p, t->q);
    mat_scale(nu + 3, 2.0, nu + 3, 3);
    (void)linear_cholesky(S, S, 6);
    linear_lower_solve(y, S, nu, 6, 1);
    return mat_dot6(y, y);
}

struct tally {
    double nis, nees;
    int nis_n, nees_n;
};

/* Rows every half second up to 20 s after the last pose; poses between them as they arrive. */
static void rows(struct campaign_run *r, const struct vision_model *m, const struct tumble *t,
                 const struct tumble_truth *truth, int n)
{
    const struct tumble_case *c = t->c;
    const double mark[CAMPAIGN_MARKS] = {c->from_s + 10.0, c->from_s + 30.0, c->until_s,
                                         c->until_s + 20.0};
    struct vision_state *s = r->state;
    struct vision_output o;
    struct tally a = {0};
    int next = 0;

    for (int k = 0; k < n; k++) {
        const double at = ROW_S * k;
        const int64_t at_ns = (int64_t)(at * 1e9 + 0.5);

        for (; next < t->count && t->pose[next].receive_ns <= at_ns; next++) {
            const enum vision_outcome outcome = vision_input(m, s, &t->pose[next]);

            r->compared += outcome == VISION_ACCEPTED || outcome == VISION_GATED;
            r->gated += outcome == VISION_GATED;
            if (outcome == VISION_ACCEPTED && at > c->from_s + 20.0) {
                a.nis += s->distance;
                a.nis_n++;
            }
        }
        if (!vision_output(m, s, at_ns, &o)) {
            continue;
        }
        const struct campaign_error e = compare(&truth[k], o.p, o.q, o.v, o.w);

        if (o.valid) {
            r->valid_rows++;
            r->first_valid_s = fmin(r->first_valid_s, at - c->from_s);
            r->beyond += e.position > 5.0 * o.sigma_m || e.attitude > 5.0 * o.sigma_rad;
        }
        r->rows++;
        if (at > c->from_s + 20.0 && at < c->until_s) {
            a.nees += nees(s, &truth[k]);
            a.nees_n++;
        }
        for (int i = 0; i < CAMPAIGN_MARKS; i++) {
            if (fabs(at - mark[i]) < 1e-6) {
                r->ours[i] = e;
                r->valid_late = o.valid;
            }
        }
        if (fabs(at - mark[2]) < 1e-6) {
            double M[9], T[9];

            r->lever_m = tumble_distance(s->ahead.x.rho, t->start.rho);
            target_inertia(M, s->ahead.x.d);
            target_inertia(T, t->start.d);
            mat_sub(M, M, T, 9);
            r->inertia = sqrt(mat_dot(M, M, 9));
        }
    }
    r->nis = a.nis_n > 0 ? a.nis / a.nis_n : HUGE_VAL;
    r->nees = a.nees_n > 0 ? a.nees / a.nees_n : HUGE_VAL;
}

/* The same poses through the paper's own filter. */
static struct campaign_error paper(const struct tumble *t, const struct tumble_truth *truth,
                                   double at_s)
{
    static struct paper_state s;
    struct paper_model m;
    struct vision_output o;

    paper_defaults(&m);
    m.orbit_radps = t->c->orbit_radps;
    paper_init(&s);
    for (int i = 0; i < t->count; i++) {
        (void)paper_input(&m, &s, &t->pose[i]);
    }
    (void)paper_output(&m, &s, (int64_t)(at_s * 1e9 + 0.5), &o);
    return compare(truth, o.p, o.q, o.v, o.w);
}

void campaign_run(struct campaign_run *r, const struct vision_model *m, const struct tumble *t,
                  bool with_bound)
{
    static double times[2 * TUMBLE_POSES];
    static struct tumble_truth truth[2 * TUMBLE_POSES];
    struct vision_state *s = r->state;
    const double end = t->c->until_s + 20.0;
    int n = 0;

    for (; n < 2 * TUMBLE_POSES && ROW_S * n <= end + 1e-9; n++) {
        times[n] = ROW_S * n;
    }
    tumble_motion(truth, &t->start, t->c->orbit_radps, times, n);
    memset(r, 0, sizeof *r);
    r->state = s;
    r->first_valid_s = HUGE_VAL;
    for (int i = 0; i < CAMPAIGN_MARKS; i++) {
        r->ours[i] = (struct campaign_error){HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    }
    vision_init(m, s);
    vision_enable(m, s);
    rows(r, m, t, truth, n);
    r->scale[0] = adapt_scale(&s->noise).position;
    r->scale[1] = adapt_scale(&s->noise).attitude;
    if (with_bound) {
        struct target_state best;
        struct tumble_truth at;

        tumble_bound(&best, t, t->c->until_s + 1.0);
        tumble_motion(&at, &best, t->c->orbit_radps, &end, 1);
        r->bound = compare(&truth[n - 1], at.p, at.q, at.v, at.w);
        r->paper = paper(t, &truth[n - 1], end);
    }
}
