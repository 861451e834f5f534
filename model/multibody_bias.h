/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_bias.h - Coriolis and centrifugal loads as a polynomial of the base twist.
 *
 * M nudot + h = load. With the links' motion relative to the base summed once (P momentum, dI rate
 * of inertia, f rate of momentum),
 *
 *     f_i(V) = V x* (Ic_i V + P_i) + dIc_i V + f_i         h_b = f_base(V),  h_q,i = S_i . f_i(V)
 *
 * so that every further base velocity (Runge-Kutta stages, orbit and ground) costs one polynomial
 * instead of one recursion. For a single base twist multibody_inverse_bias() is cheaper.
 */
#ifndef FREEFALL_MULTIBODY_BIAS_H
#define FREEFALL_MULTIBODY_BIAS_H

#include "model/multibody.h"

/* The sums. Needs multibody_mass() and multibody_rates(). */
RT_SAFE void multibody_bias(const struct multibody_model *m, struct multibody_work *w);

/* h_b at the base twist V, all six rows. Needs multibody_bias(). */
RT_SAFE void multibody_bias_base(double h[static 6], struct multibody_work *w,
                                 const double V[static 6]);

/* h_q at the base twist V. Room for MULTIBODY_LANES numbers per arm; those behind the last joint
 * have no meaning. Needs multibody_bias(). */
RT_SAFE void multibody_bias_joint(double *h, const struct multibody_model *m,
                                  struct multibody_work *w, const double V[static 6]);

/* Vdot = M_bb^-1 (F - h_b(V)) in the free directions of the base: how the base accelerates when F
 * is all that acts on it, the reaction -M_bq qdd of the joints included [REL 13, 18]. One call for
 * each Runge-Kutta stage. Needs multibody_bias(). */
RT_SAFE void multibody_bias_acceleration(double Vdot[static 6], struct multibody_work *w,
                                         const double V[static 6], const double F[static 6]);

/* The base twist dt_s later, by four Runge-Kutta stages of that acceleration with F held and the
 * robot as it is now: q, qd and with them M_b do not move along. Needs multibody_bias(). */
RT_SAFE void multibody_bias_step(double V_next[static 6], struct multibody_work *w,
                                 const double V[static 6], const double F[static 6], double dt_s);

/* torque = ID(q, qd, 0; V, A)_q - ID(q, qd, 0; V_from, A_from)_q: what the joints need more on a
 * base that moves with twist V than on one with V_from, for the same joint motion [REL 22]. A is
 * the acceleration of the base less gravity, [vdot - g; wdot]. Room as above. Needs
 * multibody_bias(). */
RT_SAFE void multibody_bias_between(double *torque, const struct multibody_model *m,
                                    struct multibody_work *w, const double V[static 6],
                                    const double A[static 6], const double V_from[static 6],
                                    const double A_from[static 6]);

#endif
