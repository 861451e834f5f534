/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_inverse.h - loads from motion: inverse dynamics, the bias for one twist, and C(nu)
 * nu_r.
 *
 * ID(q, qd, qdd; V, Vdot, gravity) of [REL 22]; base rows are the wrench the base needs, joint rows
 * the torques.
 */
#ifndef FREEFALL_MULTIBODY_INVERSE_H
#define FREEFALL_MULTIBODY_INVERSE_H

#include "model/multibody.h"

/* load = h(nu) for the base twist V and the rates of multibody_rates().
 * Needs multibody_mass_links() (or multibody_mass()) and multibody_rates(). */
RT_SAFE void multibody_inverse_bias(struct multibody_vector *load, const struct multibody_model *m,
                                    struct multibody_work *w, const double V[static 6]);

/* load = h(nu) - gravity load, gravity in base axes, m/s^2: what keeps nu constant. Needs the same. */
RT_SAFE void multibody_inverse_hold(struct multibody_vector *load, const struct multibody_model *m,
                                    struct multibody_work *w, const double V[static 6],
                                    const double gravity[static 3]);

/* load = M acc + h(nu) - gravity load: what must act on the robot to move it so. acc = [Vdot; qdd],
 * gravity in base axes, m/s^2. Rotor inertia included. Needs the same. */
RT_SAFE void multibody_inverse(struct multibody_vector *load, const struct multibody_model *m,
                               struct multibody_work *w, const double V[static 6],
                               const struct multibody_vector *acc, const double gravity[static 3]);

/* load = M acc_r + C(nu) nu_r with that C for which Mdot - 2C is skew: the passivity-based law [REL
 * section 6]. nu = [V; rates of multibody_rates()]. With nu_r = nu it is multibody_inverse()
 * without gravity. Needs the same. */
RT_SAFE void multibody_inverse_coriolis(struct multibody_vector *load,
                                        const struct multibody_model *m, struct multibody_work *w,
                                        const double V[static 6],
                                        const struct multibody_vector *nu_r,
                                        const struct multibody_vector *acc_r);

#endif
