/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mat.h - small dense algebra on flat row-major arrays, without allocation and with fixed loop counts.
 *
 * Result first, as in an assignment. Sizes are arguments; 3 and 6 have their own short forms, in which the
 * compiler checks the array size. A result of the 3-forms and of the element-wise forms may be one of
 * the operands; a result of any other product may not. Sums run in index order, so the bits are the same
 * on every machine.
 *
 * Suffixes: _tn means A' B, _nt means A B', _t means A' x.
 *
 * Nothing here fails inside the cycle: a matrix that cannot be factored gives false, and its bad pivots
 * are left out, so that the unknowns belonging to them come out as zero and the rest stays bounded.
 */
#ifndef FREEFALL_MAT_H
#define FREEFALL_MAT_H

#include <math.h>

#include "model/base.h"

/* Largest n of a square matrix that is factored inside a function, on its stack. */
#define MAT_MAX 40

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

RT_SAFE void mat_transpose3(double T[static 9], const double A[static 9]); /* T = A' */
RT_SAFE void mat_mul3(double C[static 9], const double A[static 9],
                      const double B[static 9]); /* C = A B */
RT_SAFE void mat_mul3_tn(double C[static 9], const double A[static 9],
                         const double B[static 9]); /* C = A' B */
RT_SAFE void mat_mul3_nt(double C[static 9], const double A[static 9],
                         const double B[static 9]); /* C = A B' */

/* B = A^-1 through the adjugate, |entries| within 1e-75..1e75. False, and B = 0, when A is singular to rounding. */
RT_SAFE bool mat_inverse3(double B[static 9], const double A[static 9]);

/* A = V diag(value) V' for a symmetric A (upper triangle read): values ascending, V a rotation, columns
 * the vectors. Exact zeros and repeated values are fine; any scale. A non-finite A gives NaN. */
RT_SAFE void mat_eigen3(double value[static 3], double V[static 9], const double A[static 9]);

/* ---- size 6 ---- */

/* a . b, as in power = F . V */
RT_SAFE static inline double mat_dot6(const double a[static 6], const double b[static 6])
{
    return mat_dot(a, b, 6);
}

RT_SAFE void mat_vec6(double y[restrict static 6], const double A[restrict static 36],
                      const double x[restrict static 6]); /* y = A x */
RT_SAFE void mat_vec6_t(double y[restrict static 6], const double A[restrict static 36],
                        const double x[restrict static 6]); /* y = A' x */
RT_SAFE void mat_mul6(double C[restrict static 36], const double A[restrict static 36],
                      const double B[restrict static 36]); /* C = A B */

/* ---- any size ---- */

RT_SAFE void mat_identity(double *A, int n);   /* A = 1, n x n */
RT_SAFE void mat_symmetrise(double *A, int n); /* A = (A + A') / 2, n x n */
RT_SAFE void mat_transpose(double *restrict T, const double *restrict A, int m,
                           int n); /* T (n x m) = A', A m x n */

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

/* ---- factorisations; X and B are n x nrhs and may be the same array ---- */

/* A = L L', lower triangle of A read, L lower with zeros above; L may be A. True if A is positive definite to
 * rounding and finite. Otherwise false, and each pivot not above n eps A_jj is left out (row and column j of L zero). */
RT_SAFE bool mat_cholesky(double *L, const double *A, int n);

/* X = A^-1 B from the Cholesky factor; zero rows where a pivot was left out. */
RT_SAFE void mat_cholesky_solve(double *X, const double *L, const double *B, int n, int nrhs);

/* X = L^-1 B, the forward half of the above: X'X = B' A^-1 B. */
RT_SAFE void mat_lower_solve(double *X, const double *L, const double *B, int n, int nrhs);

/* A = L diag(d) L' without square roots, L unit lower; L may be A. For positive definite and quasi-definite
 * (KKT with damping) matrices, which need no pivoting. True if every pivot stands clear of rounding; a pivot
 * that does not is left out with d_j = 0. */
RT_SAFE bool mat_ldl(double *L, double *d, const double *A, int n);

/* X = A^-1 B from the LDL' factors; zero rows where a pivot was left out. */
RT_SAFE void mat_ldl_solve(double *X, const double *L, const double *d, const double *B, int n,
                           int nrhs);

/* X = A^-1 B by elimination with complete pivoting, n <= MAT_MAX. Returns the numerical rank: n if all is well;
 * below n the remaining unknowns are zero. *pivot_ratio (may be NULL) is least over greatest pivot, an order of magnitude
 * for 1/cond(A). Returns 0, and X = 0, for a non-finite A or n outside 1..MAT_MAX. */
RT_SAFE int mat_solve(double *X, const double *A, const double *B, int n, int nrhs,
                      double *pivot_ratio);

/* P (n x m) = damped pseudo-inverse of A (m x n), min(m, n) <= MAT_MAX: A' (A A' + damping^2)^-1, or the equal
 * (A'A + damping^2)^-1 A', whichever is smaller; |P| <= 1/(2 damping). With damping 0 it is the Moore-Penrose inverse of a full-rank A.
 * False when the damped matrix is not positive definite: then P holds zeros for the pivots left out. */
RT_SAFE bool mat_pinv(double *restrict P, const double *restrict A, int m, int n, double damping);

/* Estimate of the least of the min(m, n) singular values of A (m x n): never below the true value but by rounding,
 * from a fixed number of inverse iterations. Tells how much damping mat_pinv() needs. */
RT_SAFE double mat_least_singular(const double *A, int m, int n);

#endif
