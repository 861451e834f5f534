/* SPDX-License-Identifier: GPL-3.0-or-later */
/* so3.h - rotations: matrix, rotation vector, quaternion, and the Jacobians of the exponential.
 *
 * R = R_ab turns components in b into components in a; row-major. A rotation vector w has its angle
 * as length, rad, and is accurate from 1e-300 through pi. [w] is the matrix with [w] x = w x x.
 * Quaternions are x y z w. All formulas use c_k(t) = sum_j (-t)^j / (2j + k)! at t = |w|^2, which
 * has no 0/0 at the zero rotation.
 */
#ifndef FREEFALL_SO3_H
#define FREEFALL_SO3_H

#include "model/base.h"

/* c[k] = c_k(angle2_rad2), k = 0..5: cos a, sin a / a, (1 - cos a) / a^2, (a - sin a) / a^3, ... */
RT_SAFE void so3_coefficients(double c[static 6], double angle2_rad2);

/* S = [w] */
RT_SAFE void so3_hat(double S[static 9], const double w[static 3]);

/* M = 1 + a [w] + b [w]^2, the shape of everything below */
RT_SAFE void so3_quadratic(double M[static 9], const double w[static 3], double a, double b);

/* R = exp[w] = 1 + c_1 [w] + c_2 [w]^2; NaN if |w| is above the range of trig.h */
RT_SAFE void so3_exp(double R[static 9], const double w[static 3]);

/* w with exp[w] = R and |w| <= pi; at exactly pi one of the two signs */
RT_SAFE void so3_log(double w[static 3], const double R[static 9]);

/* Left Jacobian, exp[w + d] = exp[J d] exp[w] to first order: J = 1 + c_2 [w] + c_3 [w]^2 */
RT_SAFE void so3_left_jacobian(double J[static 9], const double w[static 3]);
/* Its inverse, 1 - [w]/2 + (c_3 - 2 c_4) / (2 c_2) [w]^2, for |w| < 2 pi */
RT_SAFE void so3_left_jacobian_inverse(double J[static 9], const double w[static 3]);
/* Right Jacobian, exp[w + d] = exp[w] exp[J d] to first order: the left one at -w */
RT_SAFE void so3_right_jacobian(double J[static 9], const double w[static 3]);
/* Its inverse, for |w| < 2 pi */
RT_SAFE void so3_right_jacobian_inverse(double J[static 9], const double w[static 3]);

/* R of a quaternion of any length but zero (divides by |q|^2) */
RT_SAFE void so3_from_quat(double R[static 9], const double q[static 4]);
/* Unit quaternion of R with w >= 0 */
RT_SAFE void so3_to_quat(double q[static 4], const double R[static 9]);
/* q = a b: the rotation b first, then a, as R_a R_b */
RT_SAFE void so3_quat_mul(double q[static 4], const double a[static 4], const double b[static 4]);
/* q / |q| with w >= 0, in place; the zero or a non-finite quaternion becomes the identity and gives
 * false */
RT_SAFE bool so3_quat_normalise(double q[static 4]);

/* R <- R (3 - R'R) / 2, one Newton step back to orthonormal: the error e becomes about e^2 */
RT_SAFE void so3_orthonormalise(double R[static 9]);

#endif
