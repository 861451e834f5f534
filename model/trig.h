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

/* s[l] = sin(angle_rad[l]), c[l] = cos(angle_rad[l]) for eight lanes at once, to 0.9 ulp up to 1e5
 * rad. From 2^17 rad (131,072) on, and for a non-finite angle, the lane is NaN; nothing traps. */
RT_SAFE void trig_sincos8(double s[restrict static TRIG_LANES],
                          double c[restrict static TRIG_LANES],
                          const double angle_rad[restrict static TRIG_LANES]);

/* Sine and cosine of half the angles, what quaternions are made of: to 2e-16 (absolute) for angles
 * up to 1e5 rad. Beyond, and for NaN, the lane has no meaning: check before. */
RT_SAFE void trig_sincos_half8(double s[restrict static TRIG_LANES],
                               double c[restrict static TRIG_LANES],
                               const double angle_rad[restrict static TRIG_LANES]);

/* One angle; the same bits as a lane of trig_sincos8(). */
RT_SAFE void trig_sincos(double *s, double *c, double angle_rad);

/* Angle of the point (x, y) in [-pi, pi], rad, to 1.5 ulp. Signed zeros and infinities as in C11
 * Annex F: the result has the sign of y, atan2(0, -0) is pi, atan2(inf, inf) is pi/4. NaN if x or y
 * is. */
RT_SAFE double trig_atan2(double y, double x);

#endif
