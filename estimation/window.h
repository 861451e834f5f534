/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window.h - the newest poses in the order of their images, and the fit of one motion to all of them.
 *
 * The fit is a Levenberg-Marquardt least squares on the 20 numbers of the state at the first image, with Huber
 * weights and a prior, over motion without disturbance. From the last solution it needs two or three passes; from
 * nothing it finds its way over the first 20 poses but not over many more, so the window must grow from a warm start.
 */
#ifndef FREEFALL_WINDOW_H
#define FREEFALL_WINDOW_H

#include "estimation/ekf.h"

#define WINDOW_MAX 240

/* What is believed before any pose: deviations of the error vector about a state. */
struct window_prior {
    struct target_state mean;
    double sigma[TARGET_ERRORS];
};

/* Constant. */
struct window_model {
    struct target_model target;
    double huber; /* normalised 6-norm from which on a pose loses weight */
    int size;     /* poses kept, 20 to WINDOW_MAX */
};

/* Sums of one pass over the window: normal equations about the present solution. */
struct window_sums {
    double A[TARGET_NUMBERS]; /* information, upper triangle */
    double g[TARGET_ERRORS];
    double cost;
    double worst;                 /* greatest normalised 6-norm */
    struct ekf_state last;        /* state at the last image; P is filled by window_fit() */
    struct target_transition way; /* from the first to the last image */
};

struct window {
    struct sighting pose[WINDOW_MAX]; /* ascending image time, the first one at index 0 */
    double residual[6 * WINDOW_MAX];  /* of the last pass, target_residual() */
    double norm2[WINDOW_MAX];         /* its square in units of the noise; ideal 6 */
    int count;
    struct target_state first; /* the solution at pose[0] */
    struct window_prior prior; /* at pose[0] */
    struct window_sums sums, trial;
};

enum window_put { WINDOW_TAKEN, WINDOW_TWICE, WINDOW_OLD };

/* Empty it. */
RT_SAFE void window_reset(struct window *w);

/* Put a pose at its place in time; the oldest leaves a full window, and the solution and prior move on to the next
 * image. A pose of an image that is there already, or before all of a full window, is not taken. */
RT_SAFE enum window_put window_add(const struct window_model *m, struct window *w,
                                   const struct sighting *z);

/* Fit, at most `passes` accepted or refused steps. Fills sums, residuals, and in *last the state and covariance at
 * the last image. False if it did not end in finite numbers; nothing of *last is then changed. */
RT_SAFE bool window_fit(const struct window_model *m, struct window *w,
                        const struct sighting_scale *scale, int passes, struct ekf_state *last);

#endif
