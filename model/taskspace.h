/* SPDX-License-Identifier: GPL-3.0-or-later */
/* taskspace.h - the robot as its hands feel it: inertia at one or two frames, and the inverse of
 * their Jacobian that goes with it.
 *
 *     inertia  Lambda = (J M^-1 J')^-1          a wrench F at the frames gives them the acceleration Lambda^-1 F
 *     inverse  Jbar   = M^-1 J' Lambda          the motion of least kinetic energy that moves the frames as asked
 *
 * Works for every base and for both arms; frames may be on the same arm. Frames that cannot move in
 * some direction, or not independently (a stretched arm), have no inertia there: that direction is
 * left out and valid is false.
 */
#ifndef FREEFALL_TASKSPACE_H
#define FREEFALL_TASKSPACE_H

#include "model/multibody_frame.h"

enum { TASKSPACE_FRAMES = 2, TASKSPACE_ROWS = 6 * TASKSPACE_FRAMES };

/* Rows and columns are those of the frames in order, six each; with one frame the last six are
 * zero. */
struct taskspace_output {
    _Alignas(16) double inertia[TASKSPACE_ROWS * TASKSPACE_ROWS]; /* Lambda */
    double
        inverse[MULTIBODY_DOF * TASKSPACE_ROWS]; /* Jbar, dof rows: free base rows, then joints */
    bool valid;                                  /* every direction has an inertia */
};

/* Jacobians J[n] of n frames, 1 or 2, at the present state. Needs multibody_solve_factor(). */
RT_SAFE void taskspace_solve(const struct multibody_model *m, struct multibody_work *w,
                             const struct multibody_jacobian *J, int n,
                             struct taskspace_output *out);

#endif
