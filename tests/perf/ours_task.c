/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ours_task.c - inertia of both hands of the robot with two arms, and the dynamically consistent pseudo-inverse.
 *
 * Rows of twelve numbers throughout, one for each task direction: sums of rows become vector code. A hand does not
 * feel the joints of the other arm, so half of J is not touched.
 */
#include "tests/perf/ours.h"

#include "model/linear.h"
#include "model/mat.h"
#include "model/multibody_solve.h"

enum { N = OURS_TASK, ARM = 7 };

/* Row r of J as a load. */
static void task_row(struct multibody_vector *b, const struct ours_robot *o, int r)
{
    const struct multibody_jacobian *J = &o->J[r / 6];

    mat_zero(b->joint, 2 * ARM);
    mat_copy(b->base, &J->base[6 * (r % 6)], 6);
    mat_copy(&b->joint[r / 6 * ARM], J->joint[r % 6], ARM);
}

/* C_i += a_i row, first <= i < last */
static void add_rows(double C[static N][N], const double *a, const double row[static N], int first,
                     int last)
{
    for (int i = first; i < last; i++) {
        for (int k = 0; k < N; k++) {
            C[i][k] += a[i] * row[k];
        }
    }
}

/* Column c of J: what velocity c does to the task. */
static void task_column(double column[static N], const struct ours_robot *o, int c)
{
    for (int r = 0; r < N; r++) {
        const struct multibody_jacobian *J = &o->J[r / 6];
        const int joint = c - 6 - r / 6 * ARM;
        column[r] = c < 6                       ? J->base[6 * (r % 6) + c]
                    : joint >= 0 && joint < ARM ? J->joint[r % 6][joint]
                                                : 0.0;
    }
}

void ours_task(struct ours *p)
{
    struct ours_robot *o = &p->two;
    double X[PERF_DOF][N], A[N][N] = {{0}}, L[N * N], one[N * N], column[N], x[PERF_DOF];
    struct multibody_vector b;

    multibody_solve_factor(&o->m, &o->w, NULL);
    for (int r = 0; r < N; r++) {
        task_row(&b, o, r);
        multibody_solve(&b, &o->m, &o->w, &b);
        multibody_stack(x, &o->m, &b);
        for (int c = 0; c < PERF_DOF; c++) { /* X = M^-1 J' */
            X[c][r] = x[c];
        }
    }
    for (int c = 0; c < PERF_DOF; c++) {
        task_column(column, o, c);
        add_rows(A, column, X[c], c < 6 + ARM ? 0 : 6, c < 6 || c >= 6 + ARM ? N : 6);
    }
    linear_cholesky(L, &A[0][0], N);
    mat_identity(one, N);
    linear_cholesky_solve(p->Lambda, L, one, N, N);
    for (int c = 0; c < PERF_DOF; c++) {
        double *row = &p->Jbar[c * N];
        mat_zero(row, N);
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < N; k++) {
                row[k] += X[c][i] * p->Lambda[i * N + k];
            }
        }
    }
}
