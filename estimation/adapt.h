/* SPDX-License-Identifier: GPL-3.0-or-later */
/* adapt.h - how noisy the poses really are: two factors on the deviation their source claims.
 *
 * Residuals after the update, in units of the claimed noise, are averaged with forgetting. They are too small by what
 * the update took out of them; H P H' puts it back and is never negative, unlike the difference of innovations.
 */
#ifndef FREEFALL_ADAPT_H
#define FREEFALL_ADAPT_H

#include "estimation/window.h"

struct adapt_state {
    double weight; /* m: residual numbers remembered */
    double sum[2]; /* b: their squares; position, attitude */
    double forget; /* factor per pose, 0.98 */
    bool fixed;    /* believe the source, learn nothing */
};

/* The source is right until poses say otherwise. */
RT_SAFE void adapt_reset(struct adapt_state *a, double forget, bool fixed);

/* From the residuals of a fit over the window: median of the squared 3-norms. */
RT_SAFE void adapt_start(struct adapt_state *a, const struct window *w);

/* A pose was taken in; s is the state after it. */
RT_SAFE void adapt_taken(struct adapt_state *a, const struct ekf_state *s,
                         const struct sighting *z);

/* A pose was refused: it counts with at most twice the deviation of each number, so that noise that has really
 * grown opens the gate again while a single outlier hardly matters. */
RT_SAFE void adapt_refused(struct adapt_state *a, const double nu[static 6],
                           const struct sighting *z);

/* Median of n numbers, n that of a window at most; 0 of none. Sorts x. */
RT_SAFE double adapt_median(double *x, int n);

/* Factors on the deviations, 0.2 to 10. */
RT_SAFE struct sighting_scale adapt_scale(const struct adapt_state *a);

#endif
