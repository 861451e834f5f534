/* SPDX-License-Identifier: GPL-3.0-or-later */
/* paper.h - the paper's own filter, corrected: 21 states in principal axes, for comparison only.
 *
 * Nominal: q (B in A), w (inertial, B axes), p (inertia ratios), r, v (centre of mass), rho_t (lever, B axes),
 * eta (C to B). Errors: q = q o dq on the right, eta = deta o eta on the left, both half angles in B axes; the rest
 * additive [EKF 2-15]. Corrections: see README. From a start without knowledge it is inconsistent, which is why
 * vision.h does it another way.
 */
#ifndef FREEFALL_PAPER_H
#define FREEFALL_PAPER_H

#include "estimation/vision.h"

#define PAPER_ERRORS 21

struct paper_model {
    double orbit_radps;
    double sigma_tau; /* rad/s^2/sqrt(Hz) */
    double sigma_f;   /* m/s^2/sqrt(Hz) */
    double gate;      /* chi-square of 6 degrees of freedom; infinite for none */
    int first;        /* poses before the output is called valid */
};

struct paper_state {
    double q[4], w[3], p[3], r[3], v[3], rho[3], eta[4];
    double P[PAPER_ERRORS * PAPER_ERRORS];
    int64_t time_ns;
    int poses, gated;
    double distance; /* of the newest pose */
};

void paper_defaults(struct paper_model *m);

/* Nothing known. */
void paper_init(struct paper_state *s);

/* A pose in the order of its image; older ones are left out. True if it was taken in. */
bool paper_input(const struct paper_model *m, struct paper_state *s, const struct sighting *z);

/* Motion at now_ns; false before the first pose. */
bool paper_output(const struct paper_model *m, const struct paper_state *s, int64_t now_ns,
                  struct vision_output *out);

#endif
