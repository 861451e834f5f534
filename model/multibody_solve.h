/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_solve.h - accelerations from loads: M^-1 by blocks, and forward dynamics.
 *
 * The base first, in closed form; what remains is the inertia the joints feel on a free base,
 *
 *     H = M_qq - M_bq' M_bb^-1 M_bq,     H_ij = F_j . (S_i - Y_i) for i <= j,    Y = M_bb^-1 M_bq
 *
 * factored from the tip to the base as L' D L. On a fixed base Y = 0 and H = M_qq.
 */
#ifndef FREEFALL_MULTIBODY_SOLVE_H
#define FREEFALL_MULTIBODY_SOLVE_H

#include "model/multibody.h"

/* Y, H and its factors. extra_kgm2[m->joints] (or NULL) is added to the joint diagonal: dt times
 * viscous friction for an implicit step. A pivot lost to rounding (a robot without enough inertia)
 * clears w->valid, and that joint does not move. Needs multibody_mass(). */
RT_SAFE void multibody_solve_factor(const struct multibody_model *m, struct multibody_work *w,
                                    const double *extra_kgm2);

/* x = M^-1 b; of b.base only the free rows count, the others of x.base are zero. x may be b. Needs
 * multibody_solve_factor(). */
RT_SAFE void multibody_solve(struct multibody_vector *x, const struct multibody_model *m,
                             struct multibody_work *w, const struct multibody_vector *b);

/* Both in one, the right-hand side eliminated along with the matrix: the same bits as the two, sooner.
 * Needs multibody_mass(). */
RT_SAFE void multibody_solve_once(struct multibody_vector *x, const struct multibody_model *m,
                                  struct multibody_work *w, const double *extra_kgm2,
                                  const struct multibody_vector *b);

/* A wrench on the robot at a frame, in the frame's axes. */
struct multibody_contact {
    struct multibody_frame frame;
    double wrench[6];
};

/* What acts on the robot. */
struct multibody_input {
    struct multibody_vector load; /* base wrench at the base origin and joint torques */
    double gravity[3];            /* m/s^2, base axes */
    int contacts;
    const struct multibody_contact *contact; /* NULL if contacts is 0 */
};

/* acc = [Vdot; qdd] from q[m->joints], nu and what acts. Runs every stage it needs. */
RT_SAFE void multibody_solve_forward(struct multibody_vector *acc, const struct multibody_model *m,
                                     struct multibody_work *w, const double *q,
                                     const struct multibody_vector *nu,
                                     const struct multibody_input *in);

#endif
