/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mat.c - small dense algebra: products of any size, inverse and eigenvalues of a 3 x 3.
 *
 * Inner loops run along rows, so that they become vector code without changing the order of any
 * sum.
 */
#include "model/mat.h"

#include <float.h>

/* ---- products ---- */

RT_SAFE void mat_transpose3(double T[static 9], const double A[static 9])
{
    const double T1 = A[3], T2 = A[6], T3 = A[1], T5 = A[7], T6 = A[2], T7 = A[5];

    mat_copy(T, A, 9);
    T[1] = T1;
    T[2] = T2;
    T[3] = T3;
    T[5] = T5;
    T[6] = T6;
    T[7] = T7;
}

RT_SAFE void mat_mul3(double C[static 9], const double A[static 9], const double B[static 9])
{
    double T[9];

    for (int i = 0; i < 9; i += 3) {
        for (int j = 0; j < 3; j++) {
            T[i + j] = A[i] * B[j] + A[i + 1] * B[3 + j] + A[i + 2] * B[6 + j];
        }
    }
    mat_copy(C, T, 9);
}

RT_SAFE void mat_mul3_tn(double C[static 9], const double A[static 9], const double B[static 9])
{
    double T[9];

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            T[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
        }
    }
    mat_copy(C, T, 9);
}

RT_SAFE void mat_mul3_nt(double C[static 9], const double A[static 9], const double B[static 9])
{
    double T[9];

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            T[3 * i + j] = mat_dot3(A + 3 * i, B + 3 * j);
        }
    }
    mat_copy(C, T, 9);
}

RT_SAFE void mat_vec6(double y[restrict static 6], const double A[restrict static 36],
                      const double x[restrict static 6])
{
    mat_vec(y, A, x, 6, 6);
}

RT_SAFE void mat_vec6_t(double y[restrict static 6], const double A[restrict static 36],
                        const double x[restrict static 6])
{
    mat_vec_t(y, A, x, 6, 6);
}

RT_SAFE void mat_mul6(double C[restrict static 36], const double A[restrict static 36],
                      const double B[restrict static 36])
{
    mat_mul(C, A, B, 6, 6, 6);
}

RT_SAFE void mat_identity(double *A, int n)
{
    mat_zero(A, n * n);
    for (int i = 0; i < n; i++) {
        A[i * n + i] = 1.0;
    }
}

RT_SAFE void mat_symmetrise(double *A, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            const double mean = 0.5 * (A[i * n + j] + A[j * n + i]);

            A[i * n + j] = mean;
            A[j * n + i] = mean;
        }
    }
}

RT_SAFE void mat_transpose(double *restrict T, const double *restrict A, int m, int n)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            T[j * m + i] = A[i * n + j];
        }
    }
}

RT_SAFE void mat_vec(double *restrict y, const double *restrict A, const double *restrict x, int m,
                     int n)
{
    for (int i = 0; i < m; i++) {
        y[i] = mat_dot(A + i * n, x, n);
    }
}

RT_SAFE void mat_vec_t(double *restrict y, const double *restrict A, const double *restrict x,
                       int m, int n)
{
    mat_zero(y, n);
    for (int i = 0; i < m; i++) {
        mat_add_scaled(y, x[i], A + i * n, n);
    }
}

RT_SAFE void mat_mul(double *restrict C, const double *restrict A, const double *restrict B, int m,
                     int k, int n)
{
    for (int i = 0; i < m; i++) {
        mat_vec_t(C + i * n, B, A + i * k, k, n);
    }
}

RT_SAFE void mat_mul_tn(double *restrict C, const double *restrict A, const double *restrict B,
                        int m, int k, int n)
{
    mat_zero(C, m * n);
    for (int l = 0; l < k; l++) {
        for (int i = 0; i < m; i++) {
            mat_add_scaled(C + i * n, A[l * m + i], B + l * n, n);
        }
    }
}

RT_SAFE void mat_mul_nt(double *restrict C, const double *restrict A, const double *restrict B,
                        int m, int k, int n)
{
    for (int i = 0; i < m; i++) {
        mat_vec(C + i * n, B, A + i * k, n, k);
    }
}

/* ---- 3 x 3 ---- */

RT_SAFE bool mat_inverse3(double B[static 9], const double A[static 9])
{
    double C[9]; /* rows: the cross products of the rows of A, so that A C' = det A */

    mat_cross3(C, A + 3, A + 6);
    mat_cross3(C + 3, A + 6, A);
    mat_cross3(C + 6, A, A + 3);

    /* |det A| over the product of the lengths of the rows is free of units, and 1 for a rotation */
    const double det = mat_dot3(A, C);
    const double volume = mat_norm3(A) * mat_norm3(A + 3) * mat_norm3(A + 6);
    const bool good = fabs(det) > 4.0 * DBL_EPSILON * volume && base_finite(volume);

    mat_transpose3(B, C);
    for (int i = 0; i < 9; i++) {
        B[i] = good ? B[i] / det : 0.0;
    }
    return good;
}

/* Jacobi rotation in the plane (p, q): makes S_pq zero, keeps S = V' A V; r is the third index */
RT_SAFE static void rotate(double S[static 9], double V[static 9], int p, int q, int r)
{
    const double apq = S[3 * p + q];
    const double gap = S[4 * q] - S[4 * p];
    const double size = fabs(gap) > 2.0 * fabs(apq) ? fabs(gap) : 2.0 * fabs(apq);
    const double gap1 = size > 0.0 ? gap / size : 1.0;
    const double apq1 = size > 0.0 ? apq / size : 0.0;

    /* t = tan of the smaller angle that does it, |t| <= 1 */
    const double t =
        copysign(2.0, gap1) * apq1 / (fabs(gap1) + sqrt(gap1 * gap1 + 4.0 * apq1 * apq1));
    const double c = 1.0 / sqrt(1.0 + t * t);
    const double s = t * c;
    const double srp = S[3 * r + p];
    const double srq = S[3 * r + q];

    S[4 * p] -= t * apq;
    S[4 * q] += t * apq;
    S[3 * p + q] = S[3 * q + p] = 0.0;
    S[3 * r + p] = S[3 * p + r] = c * srp - s * srq;
    S[3 * r + q] = S[3 * q + r] = s * srp + c * srq;
    for (int i = 0; i < 9; i += 3) {
        const double vp = V[i + p];
        const double vq = V[i + q];

        V[i + p] = c * vp - s * vq;
        V[i + q] = s * vp + c * vq;
    }
}

/* Order two eigenvalues; the sign keeps V a rotation. */
RT_SAFE static void order(double value[static 3], double V[static 9], int p, int q)
{
    if (value[p] > value[q]) {
        const double kept = value[p];

        value[p] = value[q];
        value[q] = kept;
        for (int i = 0; i < 9; i += 3) {
            const double column = V[i + p];

            V[i + p] = V[i + q];
            V[i + q] = -column;
        }
    }
}

/* Cyclic Jacobi, quadratically convergent: four sweeps took each of four million matrices, graded
 * ones among them, to rounding; the fifth is margin. */
RT_SAFE void mat_eigen3(double value[static 3], double V[static 9], const double A[static 9])
{
    double S[9] = {A[0], A[1], A[2], A[1], A[4], A[5], A[2], A[5], A[8]};
    double greatest = 0.0;
    int exponent = 0;

    for (int i = 0; i < 9; i++) {
        greatest = fabs(S[i]) > greatest ? fabs(S[i]) : greatest;
    }
    (void)frexp(greatest, &exponent);
    for (int i = 0; i < 9; i++) {
        S[i] = ldexp(S[i], -exponent);
    }
    mat_identity(V, 3);
    for (int sweep = 0; sweep < 5; sweep++) {
        rotate(S, V, 0, 1, 2);
        rotate(S, V, 0, 2, 1);
        rotate(S, V, 1, 2, 0);
    }
    for (int i = 0; i < 3; i++) {
        value[i] = ldexp(S[4 * i], exponent);
    }
    order(value, V, 0, 1);
    order(value, V, 1, 2);
    order(value, V, 0, 1);
}
