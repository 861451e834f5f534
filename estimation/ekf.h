/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ekf.h - the extended Kalman filter of the target: predict, gate, update in Joseph form.
 *
 *     state, P --[predict dt]--> state, P --[innovate]--> nu, S, nu' S^-1 nu --[correct]--> state, P
 */
#ifndef FREEFALL_EKF_H
#define FREEFALL_EKF_H

#include "estimation/sighting.h"

struct ekf_state {
    struct target_state x;
    double P[TARGET_NUMBERS];
};

/* What a pose says against what was expected. */
struct ekf_innovation {
    double nu[6];    /* measured less expected, target_residual() */
    double H[120];   /* 6 x 20 */
    double HP[120];  /* H P */
    double L[36];    /* Cholesky factor of S = H P H' + R */
    double R[36];    /* noise of the pose */
    double distance; /* nu' S^-1 nu: chi-square of 6 degrees of freedom if all is well */
};

/* Move by dt_s >= 0, in steps of at most 0.1 s. */
RT_SAFE void ekf_predict(const struct target_model *m, struct ekf_state *s, double dt_s);

/* Compare with a pose of this instant. */
RT_SAFE void ekf_innovate(struct ekf_innovation *i, const struct ekf_state *s,
                          const struct sighting *z, const struct sighting_scale *scale);

/* Take the pose in. */
RT_SAFE void ekf_correct(struct ekf_state *s, const struct ekf_innovation *i);

#endif
