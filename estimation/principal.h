/* SPDX-License-Identifier: GPL-3.0-or-later */
/* principal.h - the estimate in the paper's terms: principal frame B, inertia ratios p, eta, lever rho_t [EKF 3].
 *
 * R(eta) turns C into B, the axes ordered to be nearest to those of C. What the motion has not shown is said to be
 * unknown, never given as a number to be used: a deviation above half of what was believed before, or axes whose
 * moments cannot be told apart.
 */
#ifndef FREEFALL_PRINCIPAL_H
#define FREEFALL_PRINCIPAL_H

#include "estimation/start.h"

struct principal {
    double moment[3]; /* about the axes of B, sum 3 */
    double moment_sigma[3];
    bool moment_known[3];
    double p[3];   /* ((Iy - Iz) / Ix, (Iz - Ix) / Iy, (Ix - Iy) / Iz) */
    bool p_known;  /* all moments known and apart by more than 2 sigma */
    double eta[4]; /* C to B */
    double q[4];   /* B in A: q = mu o eta* */
    double rho[3]; /* lever in B, m */
    double rho_sigma[3];
    bool rho_known[3];
};

void principal_find(struct principal *out, const struct ekf_state *s,
                    const struct start_prior *prior);

#endif
