/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_solve.c - M^-1 by blocks, and forward dynamics.
 *
 * Of H only the lower triangle is kept, row i in lanes 0..i; what stands behind it in a row is
 * never used. The joints are eliminated from the tip of the last arm to the root of the first. Rows
 * of the second arm have their entries under the first arm in w->cross.
 */
#include "model/multibody_solve.h"

#include "model/lane.h"
#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"

/* A pivot below this part of its diagonal entry is rounding only. */
#define PIVOT_LEAST 1e-13

/* Y_l = M_bb^-1 F_l, and S_l - Y_l: how the links move in space when joint l turns and the base is
 * free */
RT_SAFE LANE_KERNEL void free_screws(double free[static restrict 6][LANES],
                                     struct multibody_arm_work *restrict a,
                                     const struct multibody_base_inverse *restrict b)
{
    const struct lane3 com = LANE3_OF(b->com), mass_inverse = LANE3_OF(b->mass_inverse);
    const struct lane_sym K = LANE_SYM_OF(b->inertia);

    for (int l = 0; l < LANES; l++) {
        const struct lane6 Y = lane_body_solve(com, mass_inverse, K, LANE6(a->F, l));

        LANE6_PUT(a->Y, l, Y);
        LANE3_PUT(free, l, lane_sub(LANE3(a->S, l), Y.lin));
        LANE3_PUT(free + 3, l, lane_sub(LANE3(a->S + 3, l), Y.ang));
    }
}

/* Between the arms, through the base: H_il = -F_i . Y_l, i of arm 1, l of arm 0 */
RT_SAFE LANE_KERNEL void free_cross(double cross[static LANES][LANES], int n,
                                    const struct multibody_arm_work *a0,
                                    const struct multibody_arm_work *a1)
{
    for (int i = 0; i < n; i++) {
        const struct lane6 F = LANE6(a1->F, i);

        for (int l = 0; l < LANES; l++) {
            cross[i][l] = -lane_dot6(F, LANE6(a0->Y, l));
        }
    }
}

/* Row k of cross scaled and taken out of the rows before it, and out of the first arm's H. */
RT_SAFE static void factor_cross(double (*restrict cross)[LANES], double (*restrict first)[LANES],
                                 const double L[static restrict LANES], int k, int n_first,
                                 double inverse)
{
    double row[LANES], L_first[LANES];

    for (int l = 0; l < LANES; l++) {
        row[l] = cross[k][l];
        L_first[l] = cross[k][l] = inverse * row[l];
    }
    for (int i = 0; i < k; i++) {
        lane_subtract(cross[i], L[i], row);
    }
    for (int i = 0; i < n_first; i++) {
        lane_subtract(first[i], L_first[i], row);
    }
}

/* Take multiples L of a row out of the rows before it: H[i] = H[i] - L[i] row for i < k. Of the
 * first four rows only the first four lanes count. */
RT_SAFE LANE_INLINE void eliminate(double (*restrict H)[LANES],
                                   const double L[static restrict LANES],
                                   const double row[static restrict LANES], int k)
{
    for (int i = 4; i < k; i++) {
        lane_subtract(H[i], L[i], row);
    }
    for (int i = 0; i < k && i < 4; i++) {
        lane_subtract4(H[i], L[i], row);
    }
}

/* L' D L of one arm from its last joint; on the way y = L'^-1 b if y is not NULL (b is used up),
 * which costs little there, because every pivot waits for a division. The second arm takes the
 * first along: cross and H of the first are not NULL then. False if a pivot was lost. */
RT_SAFE static bool factor_arm(struct multibody_arm_work *restrict a, int n, double *restrict y,
                               double *restrict b, double (*restrict cross)[LANES],
                               double (*restrict first)[LANES], int n_first)
{
    double before[LANES], row[LANES];
    bool good = true;

    for (int k = 0; k < n; k++) {
        before[k] = a->H[k][k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double pivot = a->H[k][k];
        const bool usable = pivot > PIVOT_LEAST * before[k];
        const double inverse = usable ? 1.0 / pivot : 0.0;

        good = good && usable;
        a->pivot[k] = inverse;
        for (int l = 0; l < LANES; l++) {
            row[l] = a->H[k][l];
            a->H[k][l] = inverse * row[l];
        }
        eliminate(a->H, a->H[k], row, k);
        if (y != NULL) {
            y[k] = b[k];
            lane_subtract(b, y[k], a->H[k]);
        }
        if (cross != NULL) {
            factor_cross(cross, first, a->H[k], k, n_first, inverse);
        }
    }
    return good;
}

/* Y and H of all arms, not yet factored. */
RT_SAFE static void assemble(const struct multibody_model *m, struct multibody_work *w,
                             const double *extra_kgm2)
{
    for (int k = 0, first = 0; k < m->arms; first += m->arm[k].joints, k++) {
        double free[6][LANES];

        free_screws(free, &w->arm[k], &w->inverse);
        lane_products(w->arm[k].H, w->arm[k].F, free, m->arm[k].rotor, m->arm[k].joints);
        for (int i = 0; extra_kgm2 != NULL && i < m->arm[k].joints; i++) {
            w->arm[k].H[i][i] += extra_kgm2[first + i];
        }
    }
    if (m->arms == 2) {
        free_cross(w->cross, m->arm[1].joints, &w->arm[0], &w->arm[1]);
    }
}

RT_SAFE void multibody_solve_factor(const struct multibody_model *m, struct multibody_work *w,
                                    const double *extra_kgm2)
{
    struct multibody_arm_work *a0 = &w->arm[0], *a1 = &w->arm[1];
    const int n0 = m->arm[0].joints, n1 = m->arm[1].joints;
    bool good = true;

    assemble(m, w, extra_kgm2);
    if (m->arms == 2) {
        good = factor_arm(a1, n1, NULL, NULL, w->cross, a0->H, n0);
    }
    good = factor_arm(a0, n0, NULL, NULL, NULL, NULL, 0) && good;
    w->valid = w->valid && good;
}

/* A system on its way: the base's answer alone, what is left for the joints, L'^-1 of that. */
struct half_solved {
    struct lane6 V0;
    double rhs[MULTIBODY_ARMS][LANES], y[MULTIBODY_ARMS][LANES];
};

/* y = L'^-1 b of one arm from its last joint; b is used up. */
RT_SAFE static void sweep_to_base(double y[static restrict LANES],
                                  const struct multibody_arm_work *restrict a, int n,
                                  double b[static restrict LANES])
{
    for (int k = n - 1; k >= 0; k--) {
        y[k] = b[k];
        lane_subtract(b, y[k], a->H[k]);
    }
}

/* The first arm's right-hand side less what the second arm's joints do to it. */
RT_SAFE static void less_second(struct half_solved *h, const struct multibody_work *w, int n1)
{
    for (int k = 0; k < n1; k++) {
        lane_subtract(h->rhs[0], h->y[1][k], w->cross[k]);
    }
}

/* x = L^-1 (D^-1 y - rest) of one arm from its first joint, all lanes: those without a joint have
 * zeros. Written out, so that each joint waits for one product only. */
RT_SAFE LANE_KERNEL void sweep_to_tip(double x[static restrict LANES],
                                      const struct multibody_arm_work *restrict a,
                                      const double y[static restrict LANES],
                                      const double rest[static restrict LANES])
{
    const double(*H)[LANES] = a->H;
    double d[LANES];

    for (int l = 0; l < LANES; l++) {
        d[l] = a->pivot[l] * y[l] - rest[l];
    }
    const double x0 = d[0];
    const double x1 = d[1] - H[1][0] * x0;
    const double x2 = d[2] - H[2][0] * x0 - H[2][1] * x1;
    const double x3 = d[3] - H[3][0] * x0 - H[3][1] * x1 - H[3][2] * x2;
    const double x4 = d[4] - H[4][0] * x0 - H[4][1] * x1 - H[4][2] * x2 - H[4][3] * x3;
    const double x5 =
        d[5] - H[5][0] * x0 - H[5][1] * x1 - H[5][2] * x2 - H[5][3] * x3 - H[5][4] * x4;
    const double x6 = d[6] - H[6][0] * x0 - H[6][1] * x1 - H[6][2] * x2 - H[6][3] * x3 -
                      H[6][4] * x4 - H[6][5] * x5;
    const double x7 = d[7] - H[7][0] * x0 - H[7][1] * x1 - H[7][2] * x2 - H[7][3] * x3 -
                      H[7][4] * x4 - H[7][5] * x5 - H[7][6] * x6;

    lane_put4(x, x0, x1, x2, x3);
    lane_put4(x + 4, x4, x5, x6, x7);
}

/* b - M_bq' V0: what is left for the joints once the base has answered as if they did not move. */
RT_SAFE LANE_KERNEL void less_base(double b[static restrict LANES],
                                   const struct multibody_arm_work *restrict a, struct lane6 V0)
{
    for (int l = 0; l < LANES; l++) {
        b[l] -= lane_dot6(LANE6(a->F, l), V0);
    }
}

/* The base's answer, and what it leaves. */
RT_SAFE static void begin_solve(struct half_solved *h, const struct multibody_model *m,
                                struct multibody_work *w, const struct multibody_vector *b)
{
    const struct multibody_base_inverse *inverse = &w->inverse;

    h->V0 = lane_body_solve(LANE3_OF(inverse->com), LANE3_OF(inverse->mass_inverse),
                            LANE_SYM_OF(inverse->inertia),
                            lane_six(b->base, MULTIBODY_LOAD_MAX, &w->valid));
    lane_clear(h->y[0]); /* also without an arm */
    lane_clear(h->y[1]);
    for (int k = 0; k < m->arms; k++) {
        if (!lane_take(h->rhs[k], &b->joint[k * m->arm[0].joints], m->arm[k].joints,
                       MULTIBODY_LOAD_MAX)) {
            w->valid = false;
        }
        less_base(h->rhs[k], &w->arm[k], h->V0);
    }
}

/* From L'^-1 b to the joints, and from the joints to the base: V = V0 - Y qdd. */
RT_SAFE static void end_solve(struct multibody_vector *x, const struct multibody_model *m,
                              struct multibody_work *w, const struct half_solved *h)
{
    const int n0 = m->arm[0].joints, n1 = m->arm[1].joints;
    double qdd[MULTIBODY_ARMS][LANES], rest[LANES], reaction[6];

    lane_clear(rest);
    sweep_to_tip(qdd[0], &w->arm[0], h->y[0], rest);
    if (m->arms == 2) {
        for (int k = 0; k < n1; k++) {
            rest[k] = mat_dot(w->cross[k], qdd[0], n0);
        }
        sweep_to_tip(qdd[1], &w->arm[1], h->y[1], rest);
    }
    LANE6_STORE(x->base, h->V0);
    for (int k = 0; k < m->arms; k++) {
        lane_rows_times(reaction, w->arm[k].Y, qdd[k]);
        mat_sub(x->base, x->base, reaction, 6);
        memcpy(&x->joint[k * n0], qdd[k], sizeof qdd[k]);
    }
}

RT_SAFE void multibody_solve(struct multibody_vector *x, const struct multibody_model *m,
                             struct multibody_work *w, const struct multibody_vector *b)
{
    struct half_solved h;

    begin_solve(&h, m, w, b);
    if (m->arms == 2) {
        sweep_to_base(h.y[1], &w->arm[1], m->arm[1].joints, h.rhs[1]);
        less_second(&h, w, m->arm[1].joints);
    }
    sweep_to_base(h.y[0], &w->arm[0], m->arm[0].joints, h.rhs[0]);
    end_solve(x, m, w, &h);
}

RT_SAFE void multibody_solve_once(struct multibody_vector *x, const struct multibody_model *m,
                                  struct multibody_work *w, const double *extra_kgm2,
                                  const struct multibody_vector *b)
{
    struct multibody_arm_work *a0 = &w->arm[0], *a1 = &w->arm[1];
    const int n0 = m->arm[0].joints, n1 = m->arm[1].joints;
    struct half_solved h;
    bool good = true;

    assemble(m, w, extra_kgm2);
    begin_solve(&h, m, w, b);
    if (m->arms == 2) {
        good = factor_arm(a1, n1, h.y[1], h.rhs[1], w->cross, a0->H, n0);
        less_second(&h, w, n1);
    }
    good = factor_arm(a0, n0, h.y[0], h.rhs[0], NULL, NULL, 0) && good;
    w->valid = w->valid && good;
    end_solve(x, m, w, &h);
}

RT_SAFE void multibody_solve_forward(struct multibody_vector *acc, const struct multibody_model *m,
                                     struct multibody_work *w, const double *q,
                                     const struct multibody_vector *nu,
                                     const struct multibody_input *in)
{
    struct multibody_vector load;

    multibody_kinematics(m, w, q);
    multibody_rates(m, w, nu->joint);
    multibody_mass(m, w);
    multibody_inverse_hold(&load, m, w, nu->base, in->gravity);
    mat_sub(load.base, in->load.base, load.base, 6);
    mat_sub(load.joint, in->load.joint, load.joint, m->joints);
    for (int i = 0; i < in->contacts; i++) {
        multibody_frame_wrench(&load, m, w, &in->contact[i].frame, in->contact[i].wrench);
    }
    multibody_solve_once(acc, m, w, NULL, &load);
}
