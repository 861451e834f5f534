/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modes.c - the highest mode of two 6 x 6 matrices.
 *
 * A = L L' makes A B similar to the symmetric L' B L, whose eigenvalues Jacobi's rotations find in a fixed
 * number of sweeps, whatever the matrix.
 */
#include "model/modes.h"

#include <math.h>

#include "model/linear.h"
#include "model/mat.h"

#define N      6
#define SWEEPS 10 /* convergence is quadratic; six sweeps reach rounding */

/* Rows and columns p, q of the symmetric S turned so that S_pq = 0 */
RT_SAFE static void turn(double S[static N * N], int p, int q)
{
    const double off = S[N * p + q];
    const double half = 0.5 * (S[N * q + q] - S[N * p + p]);
    const double size = fabs(half) + sqrt(half * half + off * off);
    /* t = tan of the turn, at most 1: the smaller root of t^2 + 2 t half/off = 1 */
    const double t = size > 0.0 ? copysign(off / size, half * off) : 0.0;
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;

    for (int k = 0; k < N; k++) {
        const double a = S[N * k + p], b = S[N * k + q];

        S[N * k + p] = c * a - s * b;
        S[N * k + q] = s * a + c * b;
    }
    for (int k = 0; k < N; k++) {
        const double a = S[N * p + k], b = S[N * q + k];

        S[N * p + k] = c * a - s * b;
        S[N * q + k] = s * a + c * b;
    }
}

RT_SAFE double modes_greatest(const double A[static 36], const double B[static 36])
{
    double L[N * N], BL[N * N], S[N * N], greatest;

    if (!base_all_finite(A, N * N) || !base_all_finite(B, N * N) || !linear_cholesky(L, A, N)) {
        return (double)NAN;
    }
    mat_mul(BL, B, L, N, N, N);
    mat_mul_tn(S, L, BL, N, N, N);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int p = 0; p < N - 1; p++) {
            for (int q = p + 1; q < N; q++) {
                turn(S, p, q);
            }
        }
    }
    greatest = S[0];
    for (int i = N + 1; i < N * N; i += N + 1) {
        greatest = fmax(greatest, S[i]);
    }
    return greatest;
}

RT_SAFE void modes_add_mobility(double Y[static 36], const struct pose *g,
                                const double X[static 36])
{
    struct pose inverse;
    double A[36], AX[36], AXA[36];

    se3_inverse(&inverse, g);
    se3_Ad(A, &inverse);
    mat_mul(AX, A, X, N, N, N);
    mat_mul_nt(AXA, AX, A, N, N, N);
    mat_add(Y, Y, AXA, 36);
}
