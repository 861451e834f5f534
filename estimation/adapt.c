/* SPDX-License-Identifier: GPL-3.0-or-later */
/* adapt.c - learning the noise of the poses. */
#include "estimation/adapt.h"

#include "model/mat.h"

#define MEDIAN_CHI3 2.366 /* median of chi-square with 3 degrees of freedom */
#define START       30.0
#define REFUSED_MAX 12.0 /* 3 numbers at twice the deviation, squared */
#define LEAST       0.04 /* on the variance: 0.2 and 10 on the deviation */
#define GREATEST    100.0

RT_SAFE void adapt_reset(struct adapt_state *a, double forget, bool fixed)
{
    a->weight = a->sum[0] = a->sum[1] = START;
    a->forget = forget;
    a->fixed = fixed;
}

/* Claimed variance of a number of the position (part 0) or attitude (part 1), mean over its three. */
RT_SAFE static double claimed(const struct sighting *z, int part)
{
    const double *L = z->factor + 18 * part;

    return mat_dot(L, L, 18) / 3.0;
}

RT_SAFE double adapt_median(double *x, int n)
{
    for (int i = 1; i < n; i++) {
        const double y = x[i];
        int k = i;

        for (; k > 0 && x[k - 1] > y; k--) {
            x[k] = x[k - 1];
        }
        x[k] = y;
    }
    if (n < 1) {
        return 0.0;
    }
    return n % 2 == 1 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

RT_SAFE void adapt_start(struct adapt_state *a, const struct window *w)
{
    double x[WINDOW_MAX];

    a->weight = START;
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < w->count; i++) {
            const double *e = w->residual + 6 * i + 3 * part;

            x[i] = mat_dot3(e, e) / claimed(&w->pose[i], part);
        }
        a->sum[part] = START * base_clamp(adapt_median(x, w->count) / MEDIAN_CHI3, LEAST, GREATEST);
    }
}

RT_SAFE static void remember(struct adapt_state *a, const double square[static 2])
{
    a->weight = a->forget * a->weight + 3.0;
    for (int part = 0; part < 2; part++) {
        a->sum[part] = a->forget * a->sum[part] + square[part];
        a->sum[part] = a->weight * base_clamp(a->sum[part] / a->weight, LEAST, GREATEST);
    }
}

RT_SAFE void adapt_taken(struct adapt_state *a, const struct ekf_state *s, const struct sighting *z)
{
    double nu[6], S[36], square[2];

    target_residual(nu, &s->x, z->p, z->q);
    target_pose_covariance(S, &s->x, s->P);
    square[0] = (mat_dot3(nu, nu) + S[0] + S[7] + S[14]) / claimed(z, 0);
    square[1] = (mat_dot3(nu + 3, nu + 3) + 0.25 * (S[21] + S[28] + S[35])) / claimed(z, 1);
    remember(a, square);
}

RT_SAFE void adapt_refused(struct adapt_state *a, const double nu[static 6],
                           const struct sighting *z)
{
    double square[2];

    for (int part = 0; part < 2; part++) {
        const double variance = a->sum[part] / a->weight;
        const double found = mat_dot3(nu + 3 * part, nu + 3 * part) / claimed(z, part);

        square[part] = base_clamp(found, 0.0, REFUSED_MAX * variance);
    }
    remember(a, square);
}

RT_SAFE struct sighting_scale adapt_scale(const struct adapt_state *a)
{
    struct sighting_scale s = {1.0, 1.0};

    if (!a->fixed) {
        s.position = sqrt(a->sum[0] / a->weight);
        s.attitude = sqrt(a->sum[1] / a->weight);
    }
    return s;
}
