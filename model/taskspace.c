/* SPDX-License-Identifier: GPL-3.0-or-later */
/* taskspace.c - J M^-1 J', its inverse, and M^-1 J' times it, twelve columns at a time.
 *
 * With the base eliminated in closed form, Y = M_bb^-1 M_bq, and H = L' D L of multibody_solve_factor():
 *
 *     B = (J_q - J_b Y)'                             the Jacobian of a robot on a free base, transposed
 *     J M^-1 J' = J_b M_bb^-1 J_b' + Z' D^-1 Z,      Z = L'^-1 B
 *     M^-1 J' = [M_bb^-1 J_b' - Y X; X],             X = L^-1 D^-1 Z
 *
 * Everything is rows of twelve that lose multiples of other rows, so there is one kernel. It subtracts; where a sum is wanted
 * the factor or the row is kept with the opposite sign, and names end in _minus.
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

/* Rows of B for one arm: J_q' where a frame is on this arm, less Y' J_b'. */
RT_SAFE static void free_jacobian(double B[static LANES][WIDE], struct multibody_arm_work *a,
                                  int arm, int joints, const struct multibody_jacobian *J, int n,
                                  double Jb_t[static 6][WIDE])
{
    for (int l = 0; l < joints; l++) {
        memset(B[l], 0, sizeof B[l]);
    }
    for (int i = 0; i < n; i++) {
        for (int l = 0; J[i].arm == arm && l < joints; l++) {
            LANE6_STORE(&B[l][6 * i], LANE6(J[i].joint, l));
        }
    }
    for (int l = 0; l < joints; l++) {
        lose(B[l], &a->Y[0][l], LANES, Jb_t, 6);
    }
}

/* Symmetric positive definite A becomes its inverse, in place, pivot after pivot. A direction whose pivot is lost, and those behind
 * the first n rows, become zero. False if one of the first n was lost. */
RT_SAFE static bool invert(double A[static WIDE][WIDE], int n)
{
    double diagonal[WIDE];
    bool good = true;

    for (int k = 0; k < WIDE; k++) {
        diagonal[k] = A[k][k];
    }
    for (int k = 0; k < WIDE; k++) {
        const bool usable = A[k][k] > PIVOT_LEAST * diagonal[k];
        const double d = usable ? 1.0 / A[k][k] : 0.0;
        double row[1][WIDE];

        good = good && (usable || k >= n);
        for (int c = 0; c < WIDE; c++) {
            row[0][c] = d * A[k][c];
        }
        row[0][k] = d;
        for (int i = 0; i < WIDE; i++) {
            const double factor = A[i][k];

            A[i][k] = 0.0;
            lose(A[i], &factor, 0, row, 1);
        }
        memcpy(A[k], row[0], sizeof A[k]);
    }
    return good;
}

/* Everything of a solve that has twelve columns. */
struct columns {
    double Jb_t[6][WIDE];
    double base_minus[6][WIDE]; /* -M_bb^-1 J_b', then the base rows of -M^-1 J' */
    double B[MULTIBODY_ARMS][LANES][WIDE];
    double X_minus[MULTIBODY_ARMS][LANES][WIDE]; /* -D^-1 Z, then the joint rows of -M^-1 J' */
    double A[WIDE][WIDE];
};

/* B -> Z = L'^-1 B from the tips, and -D^-1 Z. */
RT_SAFE static void sweep_to_base(struct columns *x, const struct multibody_model *m,
                                  struct multibody_work *w)
{
    for (int k = m->arms - 1; k >= 0; k--) {
        struct multibody_arm_work *a = &w->arm[k];
        const int n = m->arm[k].joints;

        for (int i = n - 1; i >= 0; i--) {
            if (k == 0 && m->arms == 2) {
                lose(x->B[0][i], &w->cross[0][i], LANES, x->B[1], m->arm[1].joints);
            }
            lose(x->B[k][i], &a->H[i + 1 < n ? i + 1 : i][i], LANES,
                 &x->B[k][i + 1 < n ? i + 1 : i], n - 1 - i);
            for (int c = 0; c < WIDE; c++) {
                x->X_minus[k][i][c] = -a->pivot[i] * x->B[k][i][c];
            }
        }
    }
}

/* A = J_b M_bb^-1 J_b' + Z' D^-1 Z */
RT_SAFE static void gram(struct columns *x, const struct multibody_model *m,
                         const struct multibody_jacobian *J, int n)
{
    memset(x->A, 0, sizeof x->A);
    for (int r = 0; r < 6 * n; r++) {
        lose(x->A[r], &J[r / 6].base[6 * (r % 6)], 1, x->base_minus, 6);
        for (int k = 0; k < m->arms; k++) {
            lose(x->A[r], &x->X_minus[k][0][r], WIDE, x->B[k], m->arm[k].joints);
        }
    }
}

/* -D^-1 Z -> -X = -L^-1 D^-1 Z from the roots; then the base rows. */
RT_SAFE static void sweep_to_tip(struct columns *x, const struct multibody_model *m,
                                 struct multibody_work *w)
{
    for (int k = 0; k < m->arms; k++) {
        for (int i = 0; i < m->arm[k].joints; i++) {
            if (k == 1) {
                lose(x->X_minus[1][i], w->cross[i], 1, x->X_minus[0], m->arm[0].joints);
            }
            lose(x->X_minus[k][i], w->arm[k].H[i], 1, x->X_minus[k], i);
        }
        for (int r = 0; r < 6; r++) {
            lose(x->base_minus[r], w->arm[k].Y[r], 1, x->X_minus[k], m->arm[k].joints);
        }
    }
}

RT_SAFE void taskspace_solve(const struct multibody_model *m, struct multibody_work *w,
                             const struct multibody_jacobian *J, int n,
                             struct taskspace_output *out)
{
    struct columns x = {.B = {{{0.0}}}};
    double *row = out->inverse;

    base_columns(x.Jb_t, x.base_minus, &w->inverse, J, n);
    for (int k = 0; k < m->arms; k++) {
        free_jacobian(x.B[k], &w->arm[k], k, m->arm[k].joints, J, n, x.Jb_t);
    }
    sweep_to_base(&x, m, w);
    gram(&x, m, J, n);
    sweep_to_tip(&x, m, w);
    out->valid = invert(x.A, 6 * n) && w->valid;

    memcpy(out->inertia, x.A, sizeof x.A);
    memset(out->inverse, 0, sizeof out->inverse);
    for (int i = 0; i < (int)m->base; i++, row += WIDE) {
        lose(row, x.base_minus[multibody_base_row(m, i)], 1, x.A, WIDE);
    }
    for (int k = 0; k < m->arms; k++) {
        for (int i = 0; i < m->arm[k].joints; i++, row += WIDE) {
            lose(row, x.X_minus[k][i], 1, x.A, WIDE);
        }
    }
}
