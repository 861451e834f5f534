/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linear.h - systems of linear equations up to 40 x 40: Cholesky, LDL', pivoted elimination, damped
 * pseudo-inverse. On flat row-major arrays, in bounded time, with nothing but the stack.
 *
 * Nothing here fails inside the cycle. A pivot that is lost to rounding is left out: the unknown
 * that belongs to it comes out as zero, the others stay bounded, and the return value says so. Of a
 * symmetric matrix only the upper triangle is read. X and B are n x nrhs and may be one array. A
 * size above LINEAR_MAX is refused: false or 0.
 */
#ifndef FREEFALL_LINEAR_H
#define FREEFALL_LINEAR_H

#include "model/base.h"

/* Largest size that is factored: 20 velocities and 12 constraints, and some room. */
#define LINEAR_MAX 40

/* A = L L', L lower with zeros above; L may be A. True if A is positive definite to rounding. A
 * pivot not above n eps A_jj, or not finite, leaves row and column j of L zero. */
RT_SAFE bool linear_cholesky(double *L, const double *A, int n);

/* X = A^-1 B from L; zero rows where a pivot was left out. */
RT_SAFE void linear_cholesky_solve(double *X, const double *L, const double *B, int n, int nrhs);

/* X = L^-1 B, the forward half of it, so that X'X = B' A^-1 B. */
RT_SAFE void linear_lower_solve(double *X, const double *L, const double *B, int n, int nrhs);

/* A = L diag(d) L', L unit lower; L may be A. For positive definite and for quasi-definite matrices
 * (positive block first, negative block last, as a damped KKT system has), which need no pivoting.
 * True if every pivot stands clear of rounding; one that does not is left out with d_j = 0. */
RT_SAFE bool linear_ldl(double *L, double *d, const double *A, int n);

/* X = A^-1 B from L and d; zero rows where a pivot was left out. */
RT_SAFE void linear_ldl_solve(double *X, const double *L, const double *d, const double *B, int n,
                              int nrhs);

/* X = A^-1 B by elimination with complete pivoting. Returns the rank: n if all is well; below n the
 * unknowns that cannot be told are zero. A pivot counts when above n eps times the greatest.
 * *pivot_ratio (may be NULL) is least over greatest pivot, an order of magnitude for 1/cond(A), 0
 * if singular. A non-finite A gives rank 0. */
RT_SAFE int linear_solve(double *X, const double *A, const double *B, int n, int nrhs,
                         double *pivot_ratio);

/* P (n x m) = A' (A A' + damping^2)^-1, the damped pseudo-inverse of A (m x n); |P| <= 1 / (2
 * damping). With damping 0 the Moore-Penrose inverse of a full-rank A. False if that matrix is not
 * positive definite to rounding: then some unknowns are zero. */
RT_SAFE bool linear_pinv(double *restrict P, const double *restrict A, int m, int n,
                         double damping);

/* Estimate, from above, of the least of the min(m, n) singular values of A (m x n), by a fixed
 * number of inverse iterations: how near a Jacobian is to singular, hence how much damping it
 * needs. */
RT_SAFE double linear_least_singular(const double *A, int m, int n);

#endif
