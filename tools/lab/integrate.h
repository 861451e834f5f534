/* SPDX-License-Identifier: GPL-3.0-or-later */
/* integrate.h - the lab's own integrator: classic Runge-Kutta of fourth order on a flat array of numbers.
 *
 * The controller keeps momentum and moves along exponentials; the world it is judged by must not share that
 * mathematics. A frame is therefore twelve plain numbers here, R (row-major) and p as in struct pose, with
 *
 *     R' = R [w],  p' = R v,        V = [v; w] its body twist,
 *
 * put back to orthonormal after each step.
 */
#ifndef FREEFALL_INTEGRATE_H
#define FREEFALL_INTEGRATE_H

#include "model/se3.h"

enum { INTEGRATE_MOST = 64, INTEGRATE_FRAME = 12 };

/* dy[n] = y' at offset_s from the start of the period, for the state y[n]. */
typedef void integrate_rate(void *user, double offset_s, const double *y, double *dy);

/* y <- y(offset + h), n <= INTEGRATE_MOST numbers. */
void integrate_step(double *y, int n, double offset_s, double h_s, integrate_rate *rate,
                    void *user);

/* Twelve numbers of a frame, and back. */
void integrate_put(double y[static INTEGRATE_FRAME], const struct pose *g);
void integrate_get(struct pose *g, const double y[static INTEGRATE_FRAME]);

/* Their rates for the body twist V. */
void integrate_frame(double dy[static INTEGRATE_FRAME], const double y[static INTEGRATE_FRAME],
                     const double V[static 6]);

/* What a step has left of orthonormality is repaired. */
void integrate_tidy(double y[static INTEGRATE_FRAME]);

#endif
