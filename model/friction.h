/* SPDX-License-Identifier: GPL-3.0-or-later */
/* friction.h - torque that nobody commanded, seen from how the joints move, and taken back.
 *
 * The model says how the joints would accelerate under all that is known, q''. Under an unknown torque d beside the
 * compensation -r the real ones do M (qd' - q'') = d - r. With v the integral of q'',
 *
 *     r = K M (qd - v),     so that     r' = K (d - r)  (but for M'):
 *
 * the estimate r follows d with the bandwidth K, from velocities alone. Friction, and any error of the arm's model, is
 * then gone below that bandwidth; where a joint turns round, an estimate must turn round too and needs 1/K for it.
 */
#ifndef FREEFALL_FRICTION_H
#define FREEFALL_FRICTION_H

#include "model/multibody.h"

/* Constant after friction_init(). */
struct friction_model {
    double bandwidth_radps;           /* K; 0: nothing is estimated */
    double limit_nm[MULTIBODY_LANES]; /* greatest |r| of each joint */
    int joints;
};

/* Owned by the caller. */
struct friction_state {
    double velocity[MULTIBODY_LANES];     /* v, rad/s */
    double torque[MULTIBODY_LANES];       /* r, Nm: take it off the command */
    double acceleration[MULTIBODY_LANES]; /* q'' of the period that has just passed */
    bool started;
};

/* 0, or -EINVAL for joints out of range, a bandwidth or limit below zero or not finite. */
int friction_init(const struct friction_model *m, struct friction_state *s);

/* One period: qd measured now, acceleration[joints] what the model expects of the period that begins, M the mass matrix of
 * the joints, joints x joints. Not finite numbers are left out: the estimate begins anew. */
RT_SAFE void friction_step(const struct friction_model *m, struct friction_state *s,
                           const double *qd, const double *acceleration, const double *M,
                           double dt_s);

#endif
