/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start.h - the first estimate, from a window of poses and no knowledge.
 *
 * A filter started from nothing locks itself in; a fit over some 20 poses does not. First a guess from medians of
 * finite differences, so that single wrong poses do not matter, then the fit, the noise, and the fit again without the
 * poses that do not belong.
 */
#ifndef FREEFALL_START_H
#define FREEFALL_START_H

#include "estimation/adapt.h"

/* Deviations of what is known before the first pose, and the means where there is one. */
struct start_prior {
    double attitude; /* of the half angle */
    double rate;     /* rad/s */
    double inertia;  /* of each inertia number */
    double position; /* m */
    double velocity; /* m/s */
    double lever;    /* m */
    double d[5];     /* mean of the inertia numbers */
    double rho[3];   /* mean of the lever, m */
};

/* Motion at the first image of the window: medians over pairs of poses two seconds apart. */
RT_SAFE void start_guess(struct target_state *first, const struct start_prior *p,
                         const struct window *w);

/* Fit the window from nothing. True, with the noise and the state at the last image, if the poses are one motion:
 * at least two thirds of them belong, with a mean square below 3. */
RT_SAFE bool start_fit(const struct window_model *m, const struct start_prior *p, struct window *w,
                       struct adapt_state *a, struct ekf_state *last);

#endif
