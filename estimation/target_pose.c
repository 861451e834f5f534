/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target_pose.c - errors put into a state, and the pose that is measured of it. */
#include "estimation/target.h"

#include "model/mat.h"
#include "model/so3.h"

/* The quaternion of a half-angle error: (e, sqrt(1 - e'e)); far out, where that has no root, (e, 1) normalised. */
RT_SAFE static void error_quaternion(double q[static 4], const double e[static 3])
{
    const double n2 = mat_dot3(e, e);
    const double scale = n2 > 0.5 ? 1.0 / sqrt(1.0 + n2) : 1.0;

    mat_scale(q, scale, e, 3);
    q[3] = n2 > 0.5 ? scale : sqrt(1.0 - n2);
}

/* vec(a* o b), with the sign that makes the scalar part positive: half the rotation from a to b, axes of b. */
RT_SAFE static void half_rotation(double e[static 3], const double a[static 4],
                                  const double b[static 4])
{
    const double conjugate[4] = {-a[0], -a[1], -a[2], a[3]};
    double q[4];

    so3_quat_mul(q, conjugate, b);
    mat_scale(e, q[3] < 0.0 ? -1.0 : 1.0, q, 3);
}

RT_SAFE void target_add(struct target_state *s, const double e[static TARGET_ERRORS])
{
    double q[4], mu[4];

    error_quaternion(q, e + TARGET_MU);
    so3_quat_mul(mu, s->mu, q);
    mat_scale(s->mu, 1.0 / sqrt(mat_dot(mu, mu, 4)), mu, 4);
    mat_add(s->w, s->w, e + TARGET_W, 3);
    mat_add(s->d, s->d, e + TARGET_D, 5);
    mat_add(s->r, s->r, e + TARGET_R, 3);
    mat_add(s->v, s->v, e + TARGET_V, 3);
    mat_add(s->rho, s->rho, e + TARGET_RHO, 3);
    target_physical(s->d);
}

RT_SAFE void target_difference(double e[static TARGET_ERRORS], const struct target_state *to,
                               const struct target_state *from)
{
    half_rotation(e + TARGET_MU, from->mu, to->mu);
    mat_sub(e + TARGET_W, to->w, from->w, 3);
    mat_sub(e + TARGET_D, to->d, from->d, 5);
    mat_sub(e + TARGET_R, to->r, from->r, 3);
    mat_sub(e + TARGET_V, to->v, from->v, 3);
    mat_sub(e + TARGET_RHO, to->rho, from->rho, 3);
}

RT_SAFE void target_position(double p[static 3], const struct target_state *s)
{
    double R[9];

    so3_from_quat(R, s->mu);
    mat_vec3(p, R, s->rho);
    mat_add(p, p, s->r, 3);
}

/* d/dt (r + R rho) = v + R (w_rel x rho), w_rel = w - R' n */
RT_SAFE void target_velocity(double v[static 3], const struct target_state *s, double orbit_radps)
{
    double R[9], w[3];

    so3_from_quat(R, s->mu);
    for (int i = 0; i < 3; i++) {
        w[i] = s->w[i] - orbit_radps * R[6 + i];
    }
    mat_cross3(w, w, s->rho);
    mat_vec3(v, R, w);
    mat_add(v, v, s->v, 3);
}

RT_SAFE void target_residual(double nu[static 6], const struct target_state *s,
                             const double p[static 3], const double q[static 4])
{
    double at[3];

    target_position(at, s);
    mat_sub(nu, p, at, 3);
    half_rotation(nu + 3, s->mu, q);
}

RT_SAFE void target_sensitivity(double H[static 120], const struct target_state *s)
{
    double R[9], B[9];

    so3_from_quat(R, s->mu);
    so3_hat(B, s->rho);
    mat_mul3(B, R, B);
    mat_zero(H, 6 * TARGET_ERRORS);
    for (int i = 0; i < 3; i++) {
        double *position = H + TARGET_ERRORS * i;

        for (int j = 0; j < 3; j++) {
            position[TARGET_MU + j] = -2.0 * B[3 * i + j];
            position[TARGET_RHO + j] = R[3 * i + j];
        }
        position[TARGET_R + i] = 1.0;
        H[TARGET_ERRORS * (i + 3) + TARGET_MU + i] = 1.0;
    }
}

RT_SAFE void target_pose_covariance(double S[static 36], const struct target_state *s,
                                    const double P[static TARGET_NUMBERS])
{
    double H[120], HP[120];

    target_sensitivity(H, s);
    mat_mul(HP, H, P, 6, TARGET_ERRORS, TARGET_ERRORS);
    mat_mul_nt(S, HP, H, 6, TARGET_ERRORS, 6);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            S[6 * i + j] *= (i < 3 ? 1.0 : 2.0) * (j < 3 ? 1.0 : 2.0);
        }
    }
}
