/* SPDX-License-Identifier: GPL-3.0-or-later */
/* se3.h - poses of rigid bodies, and how twists and wrenches change frame.
 *
 * g = g_ab is the pose of frame b in frame a: x_a = R x_b + p. Body twist V = [v; w] (m/s, rad/s)
 * with g' = g V^, wrench F = [f; m] (N, Nm), linear part first. With g = g_ab:
 *
 *     twist   V_a = Ad_g V_b          V_b = Ad_g^-1 V_a
 *     wrench  F_a = Ad_g^-T F_b       F_b = Ad_g^T F_a        so that F_a . V_a = F_b . V_b
 *
 * A result may be one of the operands, except where it is a 6 x 6 matrix.
 */
#ifndef FREEFALL_SE3_H
#define FREEFALL_SE3_H

#include "model/base.h"

struct pose {
    double R[9]; /* row-major, orthonormal */
    double p[3]; /* m */
};

/* g = 1 */
RT_SAFE void se3_identity(struct pose *g);
/* g_ac = g_ab g_bc */
RT_SAFE void se3_mul(struct pose *g_ac, const struct pose *g_ab, const struct pose *g_bc);
/* g_ba = g_ab^-1 */
RT_SAFE void se3_inverse(struct pose *g_ba, const struct pose *g_ab);
/* g_bc = g_ab^-1 g_ac */
RT_SAFE void se3_relative(struct pose *g_bc, const struct pose *g_ab, const struct pose *g_ac);
/* x_a = R x_b + p */
RT_SAFE void se3_point(double x_a[static 3], const struct pose *g_ab, const double x_b[static 3]);

/* g = exp(u^), u = [v; w] in m and rad: R = exp[w], p = J_left(w) v */
RT_SAFE void se3_exp(struct pose *g, const double u[static 6]);
/* u with exp(u^) = g and |w| <= pi */
RT_SAFE void se3_log(double u[static 6], const struct pose *g);
/* g <- g exp(dt V^): the exact motion of a body with constant body twist V for dt_s */
RT_SAFE void se3_step(struct pose *g, const double V[static 6], double dt_s);

/* Ad_g = [[R, [p]R], [0, R]] */
RT_SAFE void se3_Ad(double A[static 36], const struct pose *g);
/* V_a = Ad_g V_b = [R v + p x R w; R w] */
RT_SAFE void se3_apply_Ad(double V_a[static 6], const struct pose *g_ab,
                          const double V_b[static 6]);
/* V_b = Ad_g^-1 V_a = [R'(v - p x w); R' w] */
RT_SAFE void se3_apply_Ad_inverse(double V_b[static 6], const struct pose *g_ab,
                                  const double V_a[static 6]);
/* F_b = Ad_g^T F_a = [R' f; R'(m - p x f)] */
RT_SAFE void se3_apply_Ad_transpose(double F_b[static 6], const struct pose *g_ab,
                                    const double F_a[static 6]);
/* F_a = Ad_g^-T F_b = [R f; R m + p x R f] */
RT_SAFE void se3_apply_Ad_inverse_transpose(double F_a[static 6], const struct pose *g_ab,
                                            const double F_b[static 6]);

/* ad_V = [[[w], [v]], [0, [w]]] */
RT_SAFE void se3_ad(double A[static 36], const double V[static 6]);
/* y = ad_V W = [w x W_v + v x W_w; w x W_w], the Lie bracket of two body twists */
RT_SAFE void se3_apply_ad(double y[static 6], const double V[static 6], const double W[static 6]);
/* y = ad_V^T F = [-w x f; -v x f - w x m], the coadjoint action; a free body obeys M V' = ad_V^T M
 * V */
RT_SAFE void se3_apply_ad_transpose(double y[static 6], const double V[static 6],
                                    const double F[static 6]);

/* Left Jacobian, exp(u + d) = exp(J d) exp(u) to first order: [[J(w), Q(u)], [0, J(w)]] */
RT_SAFE void se3_left_jacobian(double J[static 36], const double u[static 6]);
/* Its inverse, |w| < 2 pi */
RT_SAFE void se3_left_jacobian_inverse(double J[static 36], const double u[static 6]);
/* Right Jacobian, exp(u + d) = exp(u) exp(J d) to first order: the left one at -u. Body twist of
 * exp(u(t)) is J u'. */
RT_SAFE void se3_right_jacobian(double J[static 36], const double u[static 6]);
/* Its inverse, |w| < 2 pi: u' = J^-1 V integrates g = g_0 exp(u) */
RT_SAFE void se3_right_jacobian_inverse(double J[static 36], const double u[static 6]);

#endif
