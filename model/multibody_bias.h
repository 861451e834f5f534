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

/* h_q[m->joints] at the base twist V. Needs multibody_bias(). */
RT_SAFE void multibody_bias_joint(double *h, const struct multibody_model *m,
                                  struct multibody_work *w, const double V[static 6]);

#endif
