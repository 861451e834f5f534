/* SPDX-License-Identifier: GPL-3.0-or-later */
/* industrial_inverse.h - axis values of a six-axis robot for a pose of its flange, in closed form.
 *
 * A pose has up to eight: the arm turned to it or with its back to it, elbow up or down, wrist one way or the other:
 *
 *     branch = 4 back + 2 elbow + wrist, each 0 or 1
 *
 * and each of them once more for every whole turn an axis has room for.
 */
#ifndef FREEFALL_INDUSTRIAL_INVERSE_H
#define FREEFALL_INDUSTRIAL_INVERSE_H

#include "model/industrial.h"

#define INDUSTRIAL_BRANCHES 8

struct industrial_inverse {
    double axis_rad[INDUSTRIAL_BRANCHES][INDUSTRIAL_AXES];
    unsigned exists; /* bit of each branch that reaches the pose */
    unsigned inside; /* bit of each of these within the range of every axis */
    double
        beyond_m; /* how far the wrist is out of reach in the better of the two directions; 0: within */
};

/* All branches. Whole turns: the value within the range of the axis that is nearest to `near_rad`, or, when none is within, the nearest of
 * all. Where an axis may have any value (wrist on axis 1, axes 4 and 6 in line) it gets that of near_rad. A pose that is not finite has
 * no branch. */
RT_SAFE void industrial_inverse(struct industrial_inverse *s, const struct industrial_model *m,
                                const struct pose *flange,
                                const double near_rad[static INDUSTRIAL_AXES]);

/* The branch with the smallest greatest change of an axis from near_rad, whether or not it is within the ranges: following a path with it never
 * jumps to another branch. -1 if there is none. */
RT_SAFE int industrial_nearest(const struct industrial_inverse *s,
                               const double near_rad[static INDUSTRIAL_AXES]);

/* Where to begin: of the branches within the ranges the one with the most room, as a share of the range, on the axis that has least. -1
 * if there is none. */
RT_SAFE int industrial_roomiest(const struct industrial_inverse *s,
                                const struct industrial_model *m);

#endif
