/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linear.c - systems of linear equations: factor once, solve for many right-hand sides.
 *
 * Inner loops run along rows, so that they become vector code without changing the order of any
 * sum; one reciprocal per pivot.
 */
#include "model/linear.h"

#include <float.h>
#include <math.h>

#include "model/mat.h"

/* ---- symmetric factorisations ---- */

/* Gauss elimination of the upper triangle of W, multipliers into the lower one: W becomes unit
 * lower L, zeros above, with A = L diag(d) L'. A pivot must stand clear of the rounding of what was
 * summed into it, and be positive if the matrix is to be definite. One that does not is left out:
 * d_j = 0, and row and column j of L are zero. The test fails for every non-finite pivot, and a
 * non-finite entry reaches a pivot, so L is finite. */
RT_SAFE static bool eliminate(double *W, double *d, int n, bool definite)
{
    double magnitude[LINEAR_MAX];
    bool all_good = true;

    for (int j = 0; j < n; j++) {
        magnitude[j] = fabs(W[j * n + j]);
    }
    for (int j = 0; j < n; j++) {
        const double *row = W + j * n;
        const double size = definite ? row[j] : fabs(row[j]);
        const bool good = size > n * DBL_EPSILON * magnitude[j];
        const double inverse = good ? 1.0 / row[j] : 0.0;

        d[j] = good ? row[j] : 0.0;
        for (int i = j + 1; i < n; i++) {
            const double factor = good ? row[i] * inverse : 0.0;

            if (good) {
                mat_add_scaled(W + i * n + i, -factor, row + i, n - i);
                magnitude[i] += fabs(factor * row[i]);
            }
            W[i * n + j] = factor;
        }
        if (!good) {
            mat_zero(W + j * n, j);
        }
        all_good = all_good && good;
    }
    for (int j = 0; j < n; j++) {
        W[j * n + j] = 1.0;
        mat_zero(W + j * n + j + 1, n - j - 1);
    }
    return all_good;
}

RT_SAFE bool linear_ldl(double *L, double *d, const double *A, int n)
{
    if (n < 1 || n > LINEAR_MAX) {
        return false;
    }
    mat_copy(L, A, n * n);
    return eliminate(L, d, n, false);
}

RT_SAFE bool linear_cholesky(double *L, const double *A, int n)
{
    double d[LINEAR_MAX];

    if (n < 1 || n > LINEAR_MAX) {
        return false;
    }
    mat_copy(L, A, n * n);

    const bool good = eliminate(L, d, n, true);

    for (int j = 0; j < n; j++) {
        d[j] = sqrt(d[j]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            L[i * n + j] *= d[j];
        }
    }
    return good;
}

RT_SAFE void linear_lower_solve(double *X, const double *L, const double *B, int n, int nrhs)
{
    mat_copy(X, B, n * nrhs);
    for (int i = 0; i < n; i++) {
        const double pivot = L[i * n + i];

        for (int k = 0; k < i; k++) {
            mat_add_scaled(X + i * nrhs, -L[i * n + k], X + k * nrhs, nrhs);
        }
        mat_scale(X + i * nrhs, pivot > 0.0 ? 1.0 / pivot : 0.0, X + i * nrhs, nrhs);
    }
}

/* X = L'^-1 X, in place */
RT_SAFE static void lower_transpose_solve(double *X, const double *L, int n, int nrhs)
{
    for (int i = n - 1; i >= 0; i--) {
        const double pivot = L[i * n + i];

        for (int k = i + 1; k < n; k++) {
            mat_add_scaled(X + i * nrhs, -L[k * n + i], X + k * nrhs, nrhs);
        }
        mat_scale(X + i * nrhs, pivot > 0.0 ? 1.0 / pivot : 0.0, X + i * nrhs, nrhs);
    }
}

RT_SAFE void linear_cholesky_solve(double *X, const double *L, const double *B, int n, int nrhs)
{
    linear_lower_solve(X, L, B, n, nrhs);
    lower_transpose_solve(X, L, n, nrhs);
}

RT_SAFE void linear_ldl_solve(double *X, const double *L, const double *d, const double *B, int n,
                              int nrhs)
{
    linear_lower_solve(X, L, B, n, nrhs);
    for (int i = 0; i < n; i++) {
        mat_scale(X + i * nrhs, fabs(d[i]) > 0.0 ? 1.0 / d[i] : 0.0, X + i * nrhs, nrhs);
    }
    lower_transpose_solve(X, L, n, nrhs);
}

/* ---- general systems ---- */

/* Largest entry of W in rows and columns from step on: its size, its row and its column */
RT_SAFE static double find_pivot(const double *W, int n, int step, int *row, int *column)
{
    double greatest = 0.0;

    *row = step;
    *column = step;
    for (int i = step; i < n; i++) {
        for (int j = step; j < n; j++) {
            if (fabs(W[i * n + j]) > greatest) {
                greatest = fabs(W[i * n + j]);
                *row = i;
                *column = j;
            }
        }
    }
    return greatest;
}

/* Exchange n numbers, stride apart */
RT_SAFE static void exchange(double *a, double *b, int n, int stride)
{
    for (int i = 0; i < n * stride; i += stride) {
        const double kept = a[i];

        a[i] = b[i];
        b[i] = kept;
    }
}

/* W -> upper triangular with complete pivoting, the row operations also done on X; order[j] is the
 * unknown that stands in column j. Returns the number of usable pivots. */
RT_SAFE static int triangulate(double *W, double *X, int *order, int n, int nrhs)
{
    double least = 0.0;
    int rank = 0;

    for (int j = 0; j < n; j++) {
        order[j] = j;
    }
    for (int s = 0; s < n; s++) {
        int row, column;
        const double size = find_pivot(W, n, s, &row, &column);
        const int unknown = order[column];

        least = s == 0 ? n * DBL_EPSILON * size : least;
        if (!(size > least)) {
            break;
        }
        rank = s + 1;
        exchange(W + s * n, W + row * n, n, 1);
        exchange(X + s * nrhs, X + row * nrhs, nrhs, 1);
        exchange(W + s, W + column, n, n);
        order[column] = order[s];
        order[s] = unknown;
        for (int i = s + 1; i < n; i++) {
            const double factor = W[i * n + s] / W[s * n + s];

            mat_add_scaled(W + i * n + s, -factor, W + s * n + s, n - s);
            mat_add_scaled(X + i * nrhs, -factor, X + s * nrhs, nrhs);
        }
    }
    return rank;
}

/* Least over greatest size on the diagonal of W */
RT_SAFE static double diagonal_ratio(const double *W, int n)
{
    double least = fabs(W[0]);
    double greatest = least;

    for (int i = 1; i < n; i++) {
        const double size = fabs(W[i * n + i]);

        least = size < least ? size : least;
        greatest = size > greatest ? size : greatest;
    }
    return least / greatest;
}

/* The triangular rest of the system, and the unknowns put back into their places */
RT_SAFE static void back_substitute(double *X, const double *W, const int *order, int n, int rank,
                                    int nrhs)
{
    mat_zero(X + rank * nrhs, (n - rank) * nrhs);
    for (int i = rank - 1; i >= 0; i--) {
        for (int k = i + 1; k < rank; k++) {
            mat_add_scaled(X + i * nrhs, -W[i * n + k], X + k * nrhs, nrhs);
        }
        mat_scale(X + i * nrhs, 1.0 / W[i * n + i], X + i * nrhs, nrhs);
    }
    for (int r = 0; r < nrhs; r++) {
        double column[LINEAR_MAX];

        for (int i = 0; i < n; i++) {
            column[order[i]] = X[i * nrhs + r];
        }
        for (int i = 0; i < n; i++) {
            X[i * nrhs + r] = column[i];
        }
    }
}

RT_SAFE int linear_solve(double *X, const double *A, const double *B, int n, int nrhs,
                         double *pivot_ratio)
{
    double W[LINEAR_MAX * LINEAR_MAX];
    int order[LINEAR_MAX];
    double ratio = 0.0;
    int rank = 0;

    if (n >= 1 && n <= LINEAR_MAX && base_all_finite(A, n * n)) {
        mat_copy(W, A, n * n);
        mat_copy(X, B, n * nrhs);
        rank = triangulate(W, X, order, n, nrhs);
        back_substitute(X, W, order, n, rank, nrhs);
        ratio = rank == n ? diagonal_ratio(W, n) : 0.0;
    } else {
        mat_zero(X, n * nrhs);
    }
    if (pivot_ratio != NULL) {
        *pivot_ratio = ratio;
    }
    return rank;
}

/* G = A A' (m <= n) or A'A, whichever is smaller, plus shift on the diagonal */
RT_SAFE static void gram(double *restrict G, const double *restrict A, int m, int n, double shift)
{
    const int size = m < n ? m : n;

    if (m <= n) {
        mat_mul_nt(G, A, A, m, n, m);
    } else {
        mat_mul_tn(G, A, A, n, m, n);
    }
    for (int i = 0; i < size; i++) {
        G[i * size + i] += shift;
    }
}

RT_SAFE bool linear_pinv(double *restrict P, const double *restrict A, int m, int n, double damping)
{
    double G[LINEAR_MAX * LINEAR_MAX];

    const int size = m < n ? m : n;

    if (size < 1 || size > LINEAR_MAX) {
        mat_zero(P, m * n);
        return false;
    }
    gram(G, A, m, n, damping * damping);

    const bool good = linear_cholesky(G, G, size);

    mat_transpose(P, A, m, n);
    if (m <= n) {
        for (int j = 0; j < n; j++) {
            linear_cholesky_solve(P + j * m, G, P + j * m, m, 1);
        }
    } else {
        linear_cholesky_solve(P, G, P, n, m);
    }
    return good;
}

/* Start of the inverse iteration: the unit vector that G^-1 stretches most along itself. It cannot
 * be orthogonal to the vector searched for. */
RT_SAFE static void most_stretched(double *z, const double *L, int n)
{
    double greatest = -1.0;
    int chosen = 0;

    for (int i = 0; i < n; i++) {
        mat_zero(z, n);
        z[i] = 1.0;
        linear_lower_solve(z, L, z, n, 1);

        const double stretch = mat_dot(z, z, n);

        chosen = stretch > greatest ? i : chosen;
        greatest = stretch > greatest ? stretch : greatest;
    }
    mat_zero(z, n);
    z[chosen] = 1.0;
}

RT_SAFE double linear_least_singular(const double *A, int m, int n)
{
    double G[LINEAR_MAX * LINEAR_MAX], z[LINEAR_MAX];
    const double trace = mat_dot(A, A, m * n);
    double sum = 0.0;

    const int size = m < n ? m : n;

    if (size < 1 || size > LINEAR_MAX || !(trace > 0.0)) {
        return 0.0;
    }

    /* The shift keeps a singular matrix factorable; it does not move the vectors. */
    gram(G, A, m, n, 64.0 * DBL_EPSILON * trace);
    (void)linear_cholesky(G, G, size);
    most_stretched(z, G, size);
    for (int i = 0; i < 8; i++) {
        linear_cholesky_solve(z, G, z, size, 1);
        mat_scale(z, 1.0 / sqrt(mat_dot(z, z, size)), z, size);
    }
    for (int i = 0; i < (m <= n ? n : m); i++) {
        double image = 0.0;

        for (int k = 0; k < size; k++) {
            image += (m <= n ? A[k * n + i] : A[i * n + k]) * z[k];
        }
        sum += image * image;
    }
    return sqrt(sum);
}
