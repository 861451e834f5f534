/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rigid.h - one free rigid body in orbit, kept by its pose and its spatial momentum.
 *
 * The body frame has its origin in the centre of mass. The stored quantity is the spatial momentum
 *
 *     mu = Ad_g^-T M V = [P; L],   inertial axes, about the inertial origin,
 *
 * which stays the same to the last bit while no force acts; the twist is computed from it. The nominal motion and the
 * client use the same step, so that both move with the same bits as long as no force acts.
 */
#ifndef FREEFALL_RIGID_H
#define FREEFALL_RIGID_H

#include "model/body.h"

/* Constant after rigid_init(). */
struct rigid_model {
    struct body body;  /* in its own frame: no first moment */
    double inertia[9]; /* J about the centre of mass, kg m^2 */
    double inverse[9]; /* J^-1 */
};

struct rigid_state {
    struct pose pose;        /* g, body in the inertial frame */
    double rotation_rest[9]; /* what pose.R and pose.p have too much by rounding */
    double position_rest[3];
    double momentum[6]; /* mu = [P; L], kg m/s and kg m^2/s */
};

/* Body of the mass and inertia about the centre of mass, xx yy zz xy xz yz, in body axes. 0, or -EINVAL
 * for one that body_check() refuses, or with a mass or principal moment of zero: it could not be turned by a torque. */
int rigid_init(struct rigid_model *m, double mass_kg, const double inertia_kgm2[static 6]);

/* Has rigid_init() accepted this model? */
RT_SAFE bool rigid_ready(const struct rigid_model *m);

/* Put the body at g with body twist V = [v; w], m/s and rad/s. */
RT_SAFE void rigid_start(const struct rigid_model *m, struct rigid_state *s, const struct pose *g,
                         const double V[static 6]);

/* V = M^-1 Ad_g^T mu, body axes. */
RT_SAFE void rigid_velocity(double V[static 6], const struct rigid_model *m,
                            const struct rigid_state *s);

/* V' from M V' - ad_V^T M V = F, body axes [REL 2]. */
RT_SAFE void rigid_acceleration(double V_dot[static 6], const struct rigid_model *m,
                                const double V[static 6], const double F[static 6]);

/* Move the pose by dt_s under the momentum mu and the spatial wrench w = [f; m] about the inertial origin,
 * held; the momentum itself is the caller's to change. Fourth order without a wrench, second order in w. */
RT_SAFE void rigid_step(const struct rigid_model *m, struct rigid_state *s,
                        const double w[static 6], double dt_s);

/* Kinetic energy, J. */
RT_SAFE double rigid_energy(const struct rigid_model *m, const struct rigid_state *s);

#endif
