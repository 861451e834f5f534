/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modes.h - the highest mode of two 6 x 6 matrices: how fast a contact rings, how strongly a loop feeds back. */
#ifndef FREEFALL_MODES_H
#define FREEFALL_MODES_H

#include "model/se3.h"

/* Greatest eigenvalue of A B; A symmetric positive definite, B symmetric positive semidefinite. With A the mobility
 * M^-1 (or the sum of two) and B a stiffness it is omega^2, rad^2/s^2, of the fastest oscillation. NaN when A is not
 * positive definite to rounding or an entry is not finite. */
RT_SAFE double modes_greatest(const double A[static 36], const double B[static 36]);

/* Y = Y + Ad_g^-1 X Ad_g^-T: the mobility X = M^-1 of a body, as felt in a frame at g in the body. */
RT_SAFE void modes_add_mobility(double Y[static 36], const struct pose *g,
                                const double X[static 36]);

#endif
