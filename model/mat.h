/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mat.h - vectors and small dense matrices on flat row-major arrays.
 *
 * Result first, as in an assignment. Sizes are arguments; 3 and 6 have their own short forms, in
 * which the compiler checks the array size. A result of the 3-forms and of the element-wise forms
 * may be one of the operands; a result of any other product may not. Sums run in index order, so
 * the bits are the same on every machine. Systems of equations are in linear.h.
 *
 * Suffixes: _tn means A' B, _nt means A B', _t means A' x.
 */
#ifndef FREEFALL_MAT_H
#define FREEFALL_MAT_H

#include <math.h>

#include "model/base.h"

/* ---- vectors and element-wise forms: n numbers, a whole matrix if n is rows times columns ---- */

/* x = 0 */
RT_SAFE static inline void mat_zero(double *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
    }
}

/* y = x */
RT_SAFE static inline void mat_copy(double *y, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
    }
}

/* y = a + b */
RT_SAFE static inline void mat_add(double *y, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = a[i] + b[i];
    }
}

/* y = a - b */
RT_SAFE static inline void mat_sub(double *y, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = a[i] - b[i];
    }
}

/* y = s x */
RT_SAFE static inline void mat_scale(double *y, double s, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = s * x[i];
    }
}

/* y = y + s x */
RT_SAFE static inline void mat_add_scaled(double *y, double s, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] += s * x[i];
    }
}

/* a . b */
RT_SAFE static inline double mat_dot(const double *a, const double *b, int n)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* ---- size 3 ---- */

/* a . b */
RT_SAFE static inline double mat_dot3(const double a[static 3], const double b[static 3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* |a|; the square must not overflow, so |a| < 1e154 */
RT_SAFE static inline double mat_norm3(const double a[static 3])
{
    return sqrt(mat_dot3(a, a));
}

/* y = a x b */
RT_SAFE static inline void mat_cross3(double y[static 3], const double a[static 3],
                                      const double b[static 3])
{
    const double y0 = a[1] * b[2] - a[2] * b[1];
    const double y1 = a[2] * b[0] - a[0] * b[2];
    const double y2 = a[0] * b[1] - a[1] * b[0];

    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
}

/* y = A x */
RT_SAFE static inline void mat_vec3(double y[static 3], const double A[static 9],
                                    const double x[static 3])
{
    const double x0 = x[0], x1 = x[1], x2 = x[2];

    y[0] = A[0] * x0 + A[1] * x1 + A[2] * x2;
    y[1] = A[3] * x0 + A[4] * x1 + A[5] * x2;
    y[2] = A[6] * x0 + A[7] * x1 + A[8] * x2;
}

/* y = A' x */
RT_SAFE static inline void mat_vec3_t(double y[static 3], const double A[static 9],
                                      const double x[static 3])
{
    const double x0 = x[0], x1 = x[1], x2 = x[2];

    y[0] = A[0] * x0 + A[3] * x1 + A[6] * x2;
    y[1] = A[1] * x0 + A[4] * x1 + A[7] * x2;
    y[2] = A[2] * x0 + A[5] * x1 + A[8] * x2;
}

/* T = A' */
RT_SAFE void mat_transpose3(double T[static 9], const double A[static 9]);
/* C = A B */
RT_SAFE void mat_mul3(double C[static 9], const double A[static 9], const double B[static 9]);
/* C = A' B */
RT_SAFE void mat_mul3_tn(double C[static 9], const double A[static 9], const double B[static 9]);
/* C = A B' */
RT_SAFE void mat_mul3_nt(double C[static 9], const double A[static 9], const double B[static 9]);

/* B = A^-1, entries of A within 1e-75..1e75. False, and B = 0, if A is singular to rounding. B may
 * be A. */
RT_SAFE bool mat_inverse3(double B[static 9], const double A[static 9]);

/* A = V diag(value) V' for a symmetric A (upper triangle read): values ascending, the columns of V
 * their vectors, V a rotation. Zero and repeated values are fine, at any scale. A non-finite A
 * gives NaN. */
RT_SAFE void mat_eigen3(double value[static 3], double V[static 9], const double A[static 9]);

/* ---- size 6 ---- */

/* a . b, as in power = F . V */
RT_SAFE static inline double mat_dot6(const double a[static 6], const double b[static 6])
{
    return mat_dot(a, b, 6);
}

/* y = A x */
RT_SAFE void mat_vec6(double y[restrict static 6], const double A[restrict static 36],
                      const double x[restrict static 6]);
/* y = A' x */
RT_SAFE void mat_vec6_t(double y[restrict static 6], const double A[restrict static 36],
                        const double x[restrict static 6]);
/* C = A B */
RT_SAFE void mat_mul6(double C[restrict static 36], const double A[restrict static 36],
                      const double B[restrict static 36]);

/* ---- any size ---- */

/* A = 1, n x n */
RT_SAFE void mat_identity(double *A, int n);
/* A = (A + A') / 2, n x n */
RT_SAFE void mat_symmetrise(double *A, int n);
/* T (n x m) = A', A m x n */
RT_SAFE void mat_transpose(double *restrict T, const double *restrict A, int m, int n);

/* y = A x, A m x n */
RT_SAFE void mat_vec(double *restrict y, const double *restrict A, const double *restrict x, int m,
                     int n);
/* y = A' x, A m x n */
RT_SAFE void mat_vec_t(double *restrict y, const double *restrict A, const double *restrict x,
                       int m, int n);
/* C (m x n) = A B, A m x k, B k x n */
RT_SAFE void mat_mul(double *restrict C, const double *restrict A, const double *restrict B, int m,
                     int k, int n);
/* C (m x n) = A' B, A k x m, B k x n */
RT_SAFE void mat_mul_tn(double *restrict C, const double *restrict A, const double *restrict B,
                        int m, int k, int n);
/* C (m x n) = A B', A m x k, B n x k */
RT_SAFE void mat_mul_nt(double *restrict C, const double *restrict A, const double *restrict B,
                        int m, int k, int n);

#endif
