/* SPDX-License-Identifier: GPL-3.0-or-later */
/* taskspace.c - J M^-1 J', its inverse, and M^-1 J' times it, twelve columns at a time.
 *
 * With the base eliminated in closed form, Y = M_bb^-1 M_bq, and H = L' D L of
 * multibody_solve_factor():
 *
 *     B = (J_q - J_b Y)'                             the Jacobian of a robot on a free base, transposed
 *     J M^-1 J' = J_b M_bb^-1 J_b' + Z' D^-1 Z,      Z = L'^-1 B
 *     M^-1 J' = [M_bb^-1 J_b' - Y X; X],             X = L^-1 D^-1 Z
 *
 * Everything is rows of twelve that lose multiples of other rows, so there is one kernel. It
 * subtracts; where a sum is wanted the factor or the row is kept with the opposite sign, and names
 * end in _minus.
 */
#include "model/taskspace.h"

#include "model/lane.h"

enum { WIDE = TASKSPACE_ROWS };

/* A pivot below this part of its diagonal entry is rounding only. */
#define PIVOT_LEAST 1e-12

/* y = y - sum over k of factor[k stride] x[k] */
RT_SAFE LANE_KERNEL void lose(double y[static restrict WIDE], const double *restrict factor,
                              int stride, double (*restrict x)[WIDE], int n)
{
    for (int k = 0; k < n; k++) {
        for (int c = 0; c < WIDE; c++) {
            y[c] -= factor[k * stride] * x[k][c];
        }
    }
}

/* J_b' of all frames, and -M_bb^-1 J_b' */
RT_SAFE LANE_KERNEL void base_columns(double Jb_t[static restrict 6][WIDE],
                                      double W_minus[static restrict 6][WIDE],
                                      const struct multibody_base_inverse *restrict b,
                                      const struct multibody_jacobian *restrict J, int n)
{
    const struct lane3 com = LANE3_OF(b->com), mass_inverse = LANE3_OF(b->mass_inverse);
    const struct lane_sym K = LANE_SYM_OF(b->inertia);

    for (int c = 0; c < WIDE; c++) {
        for (int r = 0; r < 6; r++) {
            Jb_t[r][c] = c < 6 * n ? J[c / 6].base[6 * (c % 6) + r] : 0.0;
        }
    }
    for (int c = 0; c < WIDE; c++) {
        const struct lane6 x = lane_body_solve(com, mass_inverse, K, LANE6(Jb_t, c));

        W_minus[0][c] = -x.lin.x;
        W_minus[1][c] = -x.lin.y;
        W_minus[2][c] = -x.lin.z;
        W_minus[3][c] = -x.ang.x;
        W_minus[4][c] = -x.ang.y;
        W_minus[5][c] = -x.ang.z;
    }
}

/* Everything of a solve that has twelve columns; joints of both arms one below the other. */
struct columns {
    double Jb_t[6][WIDE];
    double base_minus[6][WIDE];               /* -M_bb^-1 J_b', then the base rows of -M^-1 J' */
    double B[MULTIBODY_JOINTS][WIDE];         /* then Z */
    double X_minus[MULTIBODY_JOINTS][WIDE];   /* -D^-1 Z, then the joint rows of -M^-1 J' */
    double A[WIDE][WIDE], lambda[WIDE][WIDE]; /* J M^-1 J' and its inverse */
};

/* Rows of B for one arm: J_q' where a frame is on this arm, less Y' J_b'. */
RT_SAFE static void free_jacobian(double (*B)[WIDE], struct multibody_arm_work *a, int arm,
                                  int joints, const struct multibody_jacobian *J, int n,
                                  double Jb_t[static 6][WIDE])
{
    for (int l = 0; l < joints; l++) {
        for (int i = 0; i < TASKSPACE_FRAMES; i++) {
            const struct lane6 none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

            LANE6_STORE(&B[l][6 * i], i < n && J[i].arm == arm ? LANE6(J[i].joint, l) : none);
        }
        lose(B[l], &a->Y[0][l], LANES, Jb_t, 6);
    }
}

/* L'^-1 of one arm's rows from the tip; B are those rows, H their factors. */
RT_SAFE static void sweep_arm_to_base(double (*B)[WIDE], double (*H)[LANES], int joints)
{
    for (int i = joints - 2; i >= 0; i--) {
        lose(B[i], &H[i + 1][i], LANES, &B[i + 1], joints - 1 - i);
    }
}

/* B -> Z = L'^-1 B from the tips, and -D^-1 Z. */
RT_SAFE static void sweep_to_base(struct columns *x, const struct multibody_model *m,
                                  struct multibody_work *w)
{
    const int n0 = m->arm[0].joints, n1 = m->arm[1].joints;

    sweep_arm_to_base(&x->B[n0], w->arm[1].H, n1);
    for (int i = 0; i < n0; i++) {
        lose(x->B[i], &w->cross[0][i], LANES, &x->B[n0], n1);
    }
    sweep_arm_to_base(x->B, w->arm[0].H, n0);
    for (int i = 0; i < m->joints; i++) {
        const double d = i < n0 ? w->arm[0].pivot[i] : w->arm[1].pivot[i - n0];

        for (int c = 0; c < WIDE; c++) {
            x->X_minus[i][c] = -d * x->B[i][c];
        }
    }
}

/* A = J_b M_bb^-1 J_b' + Z' D^-1 Z */
RT_SAFE static void gram(struct columns *x, int joints, const struct multibody_jacobian *J, int n)
{
    memset(x->A, 0, sizeof x->A);
    for (int r = 0; r < 6 * n; r++) {
        lose(x->A[r], &J[r / 6].base[6 * (r % 6)], 1, x->base_minus, 6);
        lose(x->A[r], &x->X_minus[0][r], WIDE, x->B, joints);
    }
}

/* -D^-1 Z -> -X = -L^-1 D^-1 Z from the roots; then the base rows. */
RT_SAFE static void sweep_to_tip(struct columns *x, const struct multibody_model *m,
                                 struct multibody_work *w)
{
    const int n0 = m->arm[0].joints, n1 = m->arm[1].joints;
    double(*X)[WIDE] = x->X_minus;

    for (int i = 1; i < n0; i++) {
        lose(X[i], w->arm[0].H[i], 1, X, i);
    }
    for (int i = 0; i < n1; i++) {
        lose(X[n0 + i], w->cross[i], 1, X, n0);
        lose(X[n0 + i], w->arm[1].H[i], 1, &X[n0], i);
    }
    for (int r = 0; r < 6; r++) {
        lose(x->base_minus[r], w->arm[0].Y[r], 1, X, n0);
        lose(x->base_minus[r], w->arm[1].Y[r], 1, &X[n0], n1);
    }
}

/* lambda = A^-1 of the first n rows, A symmetric positive definite: A = L U with U = D L', W =
 * L^-1, lambda = W' D^-1 W. A direction whose pivot is lost counts as one that cannot move, and its
 * inertia is zero. False if one of the n was lost. */
RT_SAFE static bool invert(double lambda[static WIDE][WIDE], double A[static WIDE][WIDE], int n)
{
    double L[WIDE][WIDE], W[WIDE][WIDE], W_minus[WIDE][WIDE];
    bool good = true;

    memset(lambda, 0, WIDE * sizeof *lambda);
    memset(W, 0, sizeof W);
    for (int i = 0; i < n; i++) {
        const double diagonal = A[i][i];

        lose(A[i], L[i], 1, A, i);
        const bool usable = A[i][i] > PIVOT_LEAST * diagonal;
        const double d = usable ? 1.0 / A[i][i] : 0.0;

        good = good && usable;
        for (int k = i + 1; k < n; k++) {
            L[k][i] = d * A[i][k];
        }
        W[i][i] = 1.0;
        lose(W[i], L[i], 1, W, i);
        for (int c = 0; c < WIDE; c++) {
            W_minus[i][c] = -d * W[i][c];
        }
    }
    for (int r = 0; r < n; r++) {
        lose(lambda[r], &W_minus[r][r], WIDE, &W[r], n - r);
    }
    return good;
}

RT_SAFE void taskspace_solve(const struct multibody_model *m, struct multibody_work *w,
                             const struct multibody_jacobian *J, int n,
                             struct taskspace_output *out)
{
    const int n0 = m->arm[0].joints;
    struct columns x;

    base_columns(x.Jb_t, x.base_minus, &w->inverse, J, n);
    for (int k = 0; k < m->arms; k++) {
        free_jacobian(&x.B[k * n0], &w->arm[k], k, m->arm[k].joints, J, n, x.Jb_t);
    }
    sweep_to_base(&x, m, w);
    gram(&x, m->joints, J, n);
    sweep_to_tip(&x, m, w);
    out->valid = invert(x.lambda, x.A, 6 * n) && w->valid;

    memcpy(out->inertia, x.lambda, sizeof x.lambda);
    memset(out->inverse, 0, sizeof out->inverse);
    double *row = out->inverse;
    for (int i = 0; i < (int)m->base; i++, row += WIDE) {
        lose(row, x.base_minus[multibody_base_row(m, i)], 1, x.lambda, 6 * n);
    }
    for (int i = 0; i < m->joints; i++, row += WIDE) {
        lose(row, x.X_minus[i], 1, x.lambda, 6 * n);
    }
}
