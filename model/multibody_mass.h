/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_mass.h - the mass matrix in its blocks, and what follows from it: gravity, momentum,
 * energy, the base solve.
 *
 *     M = [ M_bb    M_bq ]     M_bb  the whole robot as one rigid body: w->total
 *         [ M_bq'   M_qq ]     M_bq  column i is F_i = Ic_i S_i: w->arm[k].F
 *                              M_qq  S_i . F_j for i <= j, rotor inertia on the diagonal: w->arm[k].M, no block between arms
 */
#ifndef FREEFALL_MULTIBODY_MASS_H
#define FREEFALL_MULTIBODY_MASS_H

#include "model/multibody.h"

/* Link inertias in base axes, and no more: all that inverse dynamics wants. Needs
 * multibody_kinematics(). */
RT_SAFE void multibody_mass_links(const struct multibody_model *m, struct multibody_work *w);

/* Link inertias in base axes, composites, M_bb and its inverse, M_bq. Needs multibody_kinematics(). */
RT_SAFE void multibody_mass(const struct multibody_model *m, struct multibody_work *w);

/* M_qq, lower rows. Needs multibody_mass(). (Forward dynamics does not use it.) */
RT_SAFE void multibody_mass_joint(const struct multibody_model *m, struct multibody_work *w);

/* M as dof x dof, both triangles. Needs multibody_mass_joint(). */
RT_SAFE void multibody_mass_dense(double *M, const struct multibody_model *m,
                                  const struct multibody_work *w);

/* y = M x with all six base rows. Needs multibody_mass_joint(). */
RT_SAFE void multibody_mass_times(struct multibody_vector *y, const struct multibody_model *m,
                                  struct multibody_work *w, const struct multibody_vector *x);

/* load = what gravity (m/s^2, base axes, pointing down) does: base wrench [m g; h x g], joint
 * torques g . F_lin. To hold the robot, apply its negative. Needs multibody_mass(). */
RT_SAFE void multibody_mass_gravity(struct multibody_vector *load, const struct multibody_model *m,
                                    struct multibody_work *w, const double gravity[static 3]);

/* P = M_bq x, x[m->joints]: what the joints do to the base, a momentum for rates, a wrench for
 * accelerations. Needs multibody_mass(). */
RT_SAFE void multibody_mass_reaction(double P[static 6], const struct multibody_model *m,
                                     struct multibody_work *w, const double *x);

/* P = M_bb V + M_bq qd: momentum in base axes, about the base origin. (In the world:
 * se3_apply_Ad_inverse_transpose() with the pose of the base, about the world's origin.) Needs
 * multibody_mass(). */
RT_SAFE void multibody_mass_momentum(double P[static 6], const struct multibody_model *m,
                                     struct multibody_work *w, const struct multibody_vector *nu);

/* Kinetic energy nu' M nu / 2, J, rotors included. Needs multibody_mass_joint(). */
RT_SAFE double multibody_mass_energy(const struct multibody_model *m, struct multibody_work *w,
                                     const struct multibody_vector *nu);

/* Vdot = M_bb^-1 F in the free directions of the base, zero in the others; in closed form through
 * the centre of mass. Needs multibody_mass(). */
RT_SAFE void multibody_mass_base_solve(double Vdot[static 6], struct multibody_work *w,
                                       const double F[static 6]);

#endif
