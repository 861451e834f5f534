/* SPDX-License-Identifier: GPL-3.0-or-later */
/* orbit.h - what an orbit adds to free fall: the tide near a point on a circular orbit (Hill, Clohessy and Wiltshire).
 *
 * Two views of one thing:
 *
 *   rotating axes   x radial outward, y along track, z orbit normal; Coriolis terms appear [EKF 7, 8]
 *   fixed axes      through the same moving origin but not turning; only the tide remains. This is the inertial
 *                   frame I of relative-dynamics: add orbit_wrench() to the other wrenches on a body.
 *
 * Optional everywhere: without it the bodies are in free space. At 800 km 1 m of distance is worth 3e-6 m/s^2.
 */
#ifndef FREEFALL_ORBIT_H
#define FREEFALL_ORBIT_H

#include "model/rigid.h"

/* Constant after orbit_init(). */
struct orbit_model {
    double rate_radps; /* n; 0: no orbit */
    double radial[3];  /* unit vector from the Earth to the origin at t = 0, fixed axes */
    double track[3];   /* unit vector along the track at t = 0 */
};

/* Orbit with angular rate n, its radial and normal direction at t = 0 given in fixed axes at any length. 0, or
 * -EINVAL for a rate below zero, not finite or above 0.01 rad/s (faster than any orbit), or directions
 * that are zero or not perpendicular to 1e-6. */
int orbit_init(struct orbit_model *m, double rate_radps, const double radial[static 3],
               const double normal[static 3]);

/* n of a circular orbit about the Earth, rad/s (WGS 84: 3.986004418e14 m^3/s^2, 6378137 m). */
RT_SAFE double orbit_rate(double altitude_m);

/* r'' in rotating axes: (2 n v_y + 3 n^2 x, -2 n v_x, -n^2 z) [EKF 7, 8]. */
RT_SAFE void orbit_hill(double acceleration[static 3], double rate_radps, const double r[static 3],
                        const double v[static 3]);

/* [r; v] after t_s = Phi [r; v], rotating axes, closed form; exact for rate 0, too. |n t| up to 1e5 rad. */
RT_SAFE void orbit_transition(double Phi[static 36], double rate_radps, double t_s);

/* The tide in fixed axes at r from the origin, time_s after t = 0: n^2 (3 e e' - 1) r, e radial now. */
RT_SAFE void orbit_tide(double acceleration[static 3], const struct orbit_model *m,
                        const double r[static 3], double time_s);

/* Wrench of the tide on a rigid body at g in fixed axes: force at its centre of mass and the gravity-gradient
 * torque 3 n^2 e x J e, body axes, N and Nm. */
RT_SAFE void orbit_wrench(double F[static 6], const struct orbit_model *m,
                          const struct rigid_model *body, const struct pose *g, double time_s);

#endif
