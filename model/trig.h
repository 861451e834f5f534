/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trig.h - sine, cosine and arc tangent with the same bits on every machine and compiler.
 *
 * libm picks its variant by processor (with or without fused multiply-add), so a replay on another
 * machine would differ in the last bit. These use +, -, *, / only, in a fixed order.
 */
#ifndef FREEFALL_TRIG_H
#define FREEFALL_TRIG_H

#include "model/base.h"

#define TRIG_LANES 8

/* s[l] = sin(angle_rad[l]), c[l] = cos(angle_rad[l]) for eight lanes at once. |angle| up to 1e5 rad is
 * accurate to 2 ulp of 1; a larger or non-finite angle gives NaN in its lane, never a trap. */
RT_SAFE void trig_sincos8(double s[static TRIG_LANES], double c[static TRIG_LANES],
                          const double angle_rad[static TRIG_LANES]);

/* One angle; the same bits as a lane of trig_sincos8(). */
RT_SAFE void trig_sincos(double *s, double *c, double angle_rad);

/* Angle of the point (x, y) in (-pi, pi], rad; 0 for the origin. */
RT_SAFE double trig_atan2(double y, double x);

#endif
