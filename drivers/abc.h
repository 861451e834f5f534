/* SPDX-License-Identifier: GPL-3.0-or-later */
/* abc.h - KUKA's angles: R = Rz(A) Ry(B) Rx(C), rad here. At B = +-90 deg only A -+ C is defined. */
#ifndef FREEFALL_ABC_H
#define FREEFALL_ABC_H

#include "model/base.h"

RT_SAFE void abc_to_matrix(double R[static 9], const double abc[static 3]);

/* The angles of R nearest to `near` of the two that mean the same, each taken round by whole turns: so a track of
 * attitudes gives a track of angles without leaps. */
RT_SAFE void abc_from_matrix(double abc[static 3], const double R[static 9],
                             const double near[static 3]);

/* x moved by whole turns to within half a turn of near. */
RT_SAFE double abc_unwrap(double x, double near);

#endif
