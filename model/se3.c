/* SPDX-License-Identifier: GPL-3.0-or-later */
/* se3.c - poses, twists and wrenches.
 *
 * Every 6 x 6 matrix here has the shape [[A, B], [0, A]], because twists are written linear part
 * first.
 */
#include "model/se3.h"

#include "model/mat.h"
#include "model/so3.h"

RT_SAFE void se3_identity(struct pose *g)
{
    mat_identity(g->R, 3);
    mat_zero(g->p, 3);
}

RT_SAFE void se3_mul(struct pose *g_ac, const struct pose *g_ab, const struct pose *g_bc)
{
    double p[3];

    se3_point(p, g_ab, g_bc->p);
    mat_mul3(g_ac->R, g_ab->R, g_bc->R);
    mat_copy(g_ac->p, p, 3);
}

RT_SAFE void se3_inverse(struct pose *g_ba, const struct pose *g_ab)
{
    double p[3];

    mat_vec3_t(p, g_ab->R, g_ab->p);
    mat_transpose3(g_ba->R, g_ab->R);
    mat_scale(g_ba->p, -1.0, p, 3);
}

/* R' (p_c - p_b), the difference first: two bodies far from the origin keep their distance */
RT_SAFE void se3_relative(struct pose *g_bc, const struct pose *g_ab, const struct pose *g_ac)
{
    double p[3];

    mat_sub(p, g_ac->p, g_ab->p, 3);
    mat_vec3_t(p, g_ab->R, p);
    mat_mul3_tn(g_bc->R, g_ab->R, g_ac->R);
    mat_copy(g_bc->p, p, 3);
}

RT_SAFE void se3_point(double x_a[static 3], const struct pose *g_ab, const double x_b[static 3])
{
    mat_vec3(x_a, g_ab->R, x_b);
    mat_add(x_a, x_a, g_ab->p, 3);
}

RT_SAFE void se3_exp(struct pose *g, const double u[static 6])
{
    double c[6], J[9];

    so3_coefficients(c, mat_dot3(u + 3, u + 3));
    so3_quadratic(g->R, u + 3, c[1], c[2]);
    so3_quadratic(J, u + 3, c[2], c[3]);
    mat_vec3(g->p, J, u);
}

RT_SAFE void se3_log(double u[static 6], const struct pose *g)
{
    double K[9];

    so3_log(u + 3, g->R);
    so3_left_jacobian_inverse(K, u + 3);
    mat_vec3(u, K, g->p);
}

RT_SAFE void se3_step(struct pose *g, const double V[static 6], double dt_s)
{
    struct pose motion;
    double u[6];

    mat_scale(u, dt_s, V, 6);
    se3_exp(&motion, u);
    se3_mul(g, g, &motion);
}

/* ---- adjoint: change of frame ---- */

/* M = [[A, B], [0, A]] */
RT_SAFE static void assemble(double M[static 36], const double A[static 9],
                             const double B[static 9])
{
    for (int i = 0; i < 3; i++) {
        mat_copy(M + 6 * i, A + 3 * i, 3);
        mat_copy(M + 6 * i + 3, B + 3 * i, 3);
        mat_zero(M + 6 * i + 18, 3);
        mat_copy(M + 6 * i + 21, A + 3 * i, 3);
    }
}

RT_SAFE void se3_Ad(double A[static 36], const struct pose *g)
{
    double B[9];

    so3_hat(B, g->p);
    mat_mul3(B, B, g->R);
    assemble(A, g->R, B);
}

RT_SAFE void se3_apply_Ad(double V_a[static 6], const struct pose *g_ab, const double V_b[static 6])
{
    double shift[3];

    mat_vec3(V_a, g_ab->R, V_b);
    mat_vec3(V_a + 3, g_ab->R, V_b + 3);
    mat_cross3(shift, g_ab->p, V_a + 3);
    mat_add(V_a, V_a, shift, 3);
}

RT_SAFE void se3_apply_Ad_inverse(double V_b[static 6], const struct pose *g_ab,
                                  const double V_a[static 6])
{
    double v[3];

    mat_cross3(v, g_ab->p, V_a + 3);
    mat_sub(v, V_a, v, 3);
    mat_vec3_t(V_b, g_ab->R, v);
    mat_vec3_t(V_b + 3, g_ab->R, V_a + 3);
}

RT_SAFE void se3_apply_Ad_transpose(double F_b[static 6], const struct pose *g_ab,
                                    const double F_a[static 6])
{
    double m[3];

    mat_cross3(m, g_ab->p, F_a);
    mat_sub(m, F_a + 3, m, 3);
    mat_vec3_t(F_b, g_ab->R, F_a);
    mat_vec3_t(F_b + 3, g_ab->R, m);
}

RT_SAFE void se3_apply_Ad_inverse_transpose(double F_a[static 6], const struct pose *g_ab,
                                            const double F_b[static 6])
{
    double lever[3];

    mat_vec3(F_a, g_ab->R, F_b);
    mat_vec3(F_a + 3, g_ab->R, F_b + 3);
    mat_cross3(lever, g_ab->p, F_a);
    mat_add(F_a + 3, F_a + 3, lever, 3);
}

/* ---- adjoint: bracket ---- */

RT_SAFE void se3_ad(double A[static 36], const double V[static 6])
{
    double v[9], w[9];

    so3_hat(v, V);
    so3_hat(w, V + 3);
    assemble(A, w, v);
}

RT_SAFE void se3_apply_ad(double y[static 6], const double V[static 6], const double W[static 6])
{
    double a[3], b[3], c[3];

    mat_cross3(a, V + 3, W);
    mat_cross3(b, V, W + 3);
    mat_cross3(c, V + 3, W + 3);
    mat_add(y, a, b, 3);
    mat_copy(y + 3, c, 3);
}

RT_SAFE void se3_apply_ad_transpose(double y[static 6], const double V[static 6],
                                    const double F[static 6])
{
    double a[3], b[3], c[3];

    mat_cross3(a, F, V + 3);
    mat_cross3(b, F, V);
    mat_cross3(c, F + 3, V + 3);
    mat_copy(y, a, 3);
    mat_add(y + 3, b, c, 3);
}

/* ---- Jacobians of the exponential ---- */

/* Q(u), the derivative of the rotation's left Jacobian at w in the direction v. With s = w . v:
 *
 *     Q = c_2 [v] + c_3 ([v][w] + [w][v]) + s (2 c_4 - c_3) [w] + s (3 c_5 - c_4) [w]^2
 */
RT_SAFE static void coupling(double Q[static 9], const double u[static 6])
{
    const double *v = u, *w = u + 3;
    const double t = mat_dot3(w, w);
    const double s = mat_dot3(w, v);
    double c[6], skew[3];

    so3_coefficients(c, t);

    const double along = s * (2.0 * c[4] - c[3]);
    const double square = s * (3.0 * c[5] - c[4]);

    for (int i = 0; i < 3; i++) {
        skew[i] = c[2] * v[i] + along * w[i];
    }
    so3_hat(Q, skew);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            Q[3 * i + j] += c[3] * (v[i] * w[j] + w[i] * v[j]) + square * w[i] * w[j];
        }
        Q[4 * i] -= 2.0 * c[3] * s + square * t;
    }
}

RT_SAFE void se3_left_jacobian(double J[static 36], const double u[static 6])
{
    double A[9], Q[9];

    so3_left_jacobian(A, u + 3);
    coupling(Q, u);
    assemble(J, A, Q);
}

/* [[K, -K Q K], [0, K]] with K the inverse for the rotation */
RT_SAFE void se3_left_jacobian_inverse(double J[static 36], const double u[static 6])
{
    double K[9], Q[9];

    so3_left_jacobian_inverse(K, u + 3);
    coupling(Q, u);
    mat_mul3(Q, K, Q);
    mat_mul3(Q, Q, K);
    mat_scale(Q, -1.0, Q, 9);
    assemble(J, K, Q);
}

RT_SAFE void se3_right_jacobian(double J[static 36], const double u[static 6])
{
    double back[6];

    mat_scale(back, -1.0, u, 6);
    se3_left_jacobian(J, back);
}

RT_SAFE void se3_right_jacobian_inverse(double J[static 36], const double u[static 6])
{
    double back[6];

    mat_scale(back, -1.0, u, 6);
    se3_left_jacobian_inverse(J, back);
}
