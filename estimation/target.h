/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target.h - a free tumbling body as the vision filter knows it: 20 unknowns in the measured frame.
 *
 * Frames: A navigation (x radial, y along track, z orbit normal; without an orbit n = 0), C the frame on the
 * target whose pose is measured. Nothing is expressed in principal axes, which cannot be told before the
 * motion has shown them: that is what makes the paper's own 21 states inconsistent.
 *
 *     mu' = 1/2 mu o w - 1/2 n o mu,  w' = -M^-1 (w x M w),  r'' = Hill(r, v),  pose of C = (r + R(mu) rho, mu)
 *
 * Only ratios of inertia show in free motion, so M has trace 3: M = 1 + sum d_i E_i with an orthonormal
 * traceless basis. Errors are additive but for the attitude, mu_true = mu o (e, sqrt(1 - e'e)): half angles in
 * C axes. [EKF 2-13] with the corrections of the README.
 */
#ifndef FREEFALL_TARGET_H
#define FREEFALL_TARGET_H

#include "model/base.h"

#define TARGET_ERRORS  20
#define TARGET_NUMBERS (TARGET_ERRORS * TARGET_ERRORS)

/* Where the parts of the error vector begin. */
enum { TARGET_MU = 0, TARGET_W = 3, TARGET_D = 6, TARGET_R = 11, TARGET_V = 14, TARGET_RHO = 17 };

struct target_model {
    double orbit_radps; /* n; 0 in a lab without orbital motion */
    double sigma_tau;   /* unknown angular acceleration, rad/s^2/sqrt(Hz) */
    double sigma_f;     /* unknown acceleration, m/s^2/sqrt(Hz) */
};

struct target_state {
    double mu[4];  /* attitude of C in A, x y z w */
    double w[3];   /* inertial angular rate, C axes, rad/s */
    double d[5];   /* inertia numbers */
    double r[3];   /* centre of mass in A, m */
    double v[3];   /* r' */
    double rho[3]; /* from the centre of mass to the origin of C, C axes, m */
};

/* How errors move from one time to another: [mu; w] by the 6 x 11 matrix G on [mu; w; d], [r; v] by the 6 x 6
 * matrix hill, d and rho stay. Q is the noise collected by [mu; w]. */
struct target_transition {
    double G[66];
    double hill[36];
    double Q[36];
    double dt_s;
};

/* M of the inertia numbers, and back (the part of M that is not symmetric or of trace 3 is lost). */
RT_SAFE void target_inertia(double M[static 9], const double d[static 5]);
RT_SAFE void target_numbers(double d[static 5], const double M[static 9]);

/* Nearest numbers of a body that can exist: principal values within [0.02, 1.49], trace 3. */
RT_SAFE void target_physical(double d[static 5]);

/* Angular acceleration w' for the inertia M and its inverse. */
RT_SAFE void target_acceleration(double w_dot[static 3], const double M[static 9],
                                 const double inverse[static 9], const double w[static 3]);

/* One Runge-Kutta step of attitude and rate; h_s up to 0.1 s at 0.5 rad/s. */
RT_SAFE void target_turn(double mu[static 4], double w[static 3], const double M[static 9],
                         const double inverse[static 9], double orbit_radps, double h_s);

/* Move the state by dt_s, of either sign, in steps of at most 0.1 s. */
RT_SAFE void target_step(const struct target_model *m, struct target_state *s, double dt_s);

/* The transition of no time at all. */
RT_SAFE void target_still(struct target_transition *t);

/* Move the state by dt_s >= 0 and put what this does to errors behind what t holds. */
RT_SAFE void target_move(const struct target_model *m, struct target_state *s,
                         struct target_transition *t, double dt_s);

/* P = Phi P Phi' + Q, for a transition that began with target_still(). */
RT_SAFE void target_spread(const struct target_model *m, double P[static TARGET_NUMBERS],
                           const struct target_transition *t);

/* s with the error e put in; then made physical. */
RT_SAFE void target_add(struct target_state *s, const double e[static TARGET_ERRORS]);

/* e that target_add() would put into `from` to get `to`. */
RT_SAFE void target_difference(double e[static TARGET_ERRORS], const struct target_state *to,
                               const struct target_state *from);

/* Position of the origin of C in A, and its velocity. */
RT_SAFE void target_position(double p[static 3], const struct target_state *s);
RT_SAFE void target_velocity(double v[static 3], const struct target_state *s, double orbit_radps);

/* nu = measured less expected: position in A, m, then half rotation vector in C. */
RT_SAFE void target_residual(double nu[static 6], const struct target_state *s,
                             const double p[static 3], const double q[static 4]);

/* H, 6 x 20: how the measured pose answers to errors. */
RT_SAFE void target_sensitivity(double H[static 120], const struct target_state *s);

/* Covariance of the pose of C: position in A, m^2; rotation vector in C, rad^2; 6 x 6. */
RT_SAFE void target_pose_covariance(double S[static 36], const struct target_state *s,
                                    const double P[static TARGET_NUMBERS]);

#endif
