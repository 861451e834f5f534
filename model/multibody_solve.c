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

/* L' D L of one arm from its last joint, diagonal[] added to that of H. A right-hand side in the
 * last lane of H becomes D^-1 L'^-1 b on the way. The second arm takes the first along: cross and H
 * of the first are not NULL then. False if a pivot was lost. */
RT_SAFE static bool factor_arm(struct multibody_arm_work *restrict a, int n,
                               const double diagonal[static restrict LANES],
                               double (*restrict cross)[LANES], double (*restrict first)[LANES],
                               int n_first)
{
    double before[LANES], row[LANES], L[LANES];
    bool good = true;

    for (int k = 0; k < n; k++) {
        before[k] = a->H[k][k] + diagonal[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double pivot = a->H[k][k] + diagonal[k];
        const bool usable = pivot > PIVOT_LEAST * before[k];
        const double inverse = usable ? 1.0 / pivot : 0.0;

        good = good && usable;
        a->pivot[k] = inverse;
        for (int l = 0; l < LANES; l++) {
            row[l] = a->H[k][l];
            L[l] = a->H[k][l] = inverse * row[l];
        }
        for (int i = k - 1; i >= 0; i--) { /* the next pivot waits for the first of them only */
            lane_subtract(a->H[i], L[i], row);
        }
        if (cross != NULL) {
            factor_cross(cross, first, L, k, n_first, inverse);
        }
    }
    return good;
}

/* H of one arm, with b in its last lane, and what belongs on its diagonal. */
RT_SAFE static void free_inertia(struct multibody_arm_work *a, double diagonal[static LANES],
                                 const struct multibody_arm *c,
                                 const struct multibody_base_inverse *inverse,
                                 const double *extra_kgm2, const double b[static LANES])
{
    double free[6][LANES];

    free_screws(free, a, inverse);
    lane_system(a->H, a->F, free, b, c->joints);
    for (int i = 0; i < c->joints; i++) {
        diagonal[i] = c->rotor[i] + (extra_kgm2 != NULL ? extra_kgm2[i] : 0.0);
    }
}

RT_SAFE void multibody_solve_factor(const struct multibody_model *m, struct multibody_work *w,
                                    const double *extra_kgm2)
{
    struct multibody_arm_work *a0 = &w->arm[0], *a1 = &w->arm[1];
    const double none[LANES] = {0.0};
    double diagonal[MULTIBODY_ARMS][LANES] = {{0.0}};
    bool good = true;

    for (int k = 0, first = 0; k < m->arms; first += m->arm[k].joints, k++) {
        free_inertia(&w->arm[k], diagonal[k], &m->arm[k], &w->inverse,
                     extra_kgm2 != NULL ? &extra_kgm2[first] : NULL, none);
    }
    if (m->arms == 2) {
        free_cross(w->cross, m->arm[1].joints, a0, a1);
        good = factor_arm(a1, m->arm[1].joints, diagonal[1], w->cross, a0->H, m->arm[0].joints);
    }
    good = (m->arms == 0 || factor_arm(a0, m->arm[0].joints, diagonal[0], NULL, NULL, 0)) && good;
    w->valid = w->valid && good;
}

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

/* x = L^-1 (D^-1 y - rest) of one arm from its first joint. */
RT_SAFE LANE_KERNEL void sweep_to_tip(double x[static restrict LANES],
                                      const struct multibody_arm_work *restrict a, int n,
                                      const double y[static restrict LANES],
                                      const double rest[static restrict LANES])
{
    for (int k = 0; k < n; k++) {
        double sum = a->pivot[k] * y[k] - rest[k];

        for (int l = 0; l < k; l++) {
            sum -= a->H[k][l] * x[l];
        }
        x[k] = sum;
    }
}

/* b - M_bq' V0: what is left for the joints once the base has answered as if they did not move. */
RT_SAFE LANE_KERNEL void less_base(double b[static restrict LANES],
                                   const struct multibody_arm_work *restrict a, struct lane6 V0)
{
    for (int l = 0; l < LANES; l++) {
        b[l] -= lane_dot6(LANE6(a->F, l), V0);
    }
}

RT_SAFE void multibody_solve(struct multibody_vector *x, const struct multibody_model *m,
                             struct multibody_work *w, const struct multibody_vector *b)
{
    const struct multibody_base_inverse *inverse = &w->inverse;
    const int n0 = m->arm[0].joints, n1 = m->arm[1].joints;
    const struct lane6 V0 = lane_body_solve(LANE3_OF(inverse->com), LANE3_OF(inverse->mass_inverse),
                                            LANE_SYM_OF(inverse->inertia),
                                            lane_six(b->base, MULTIBODY_LOAD_MAX, &w->valid));
    double rhs[MULTIBODY_ARMS][LANES] = {{0.0}}, y[MULTIBODY_ARMS][LANES] = {{0.0}};
    double qdd[MULTIBODY_ARMS][LANES] = {{0.0}}, rest[LANES] = {0.0}, reaction[6];

    for (int k = 0; k < m->arms; k++) {
        if (!lane_take(rhs[k], &b->joint[k * n0], m->arm[k].joints, MULTIBODY_LOAD_MAX)) {
            w->valid = false;
        }
        less_base(rhs[k], &w->arm[k], V0);
    }

    /* the joints from tip to base and back; the arms feel each other through cross */
    if (m->arms == 2) {
        sweep_to_base(y[1], &w->arm[1], n1, rhs[1]);
        for (int k = 0; k < n1; k++) {
            lane_subtract(rhs[0], y[1][k], w->cross[k]);
        }
    }
    sweep_to_base(y[0], &w->arm[0], n0, rhs[0]);
    sweep_to_tip(qdd[0], &w->arm[0], n0, y[0], rest);
    if (m->arms == 2) {
        for (int k = 0; k < n1; k++) {
            rest[k] = mat_dot(w->cross[k], qdd[0], n0);
        }
        sweep_to_tip(qdd[1], &w->arm[1], n1, y[1], rest);
    }

    /* what the joints do to the base: V = V0 - Y qdd */
    LANE6_STORE(x->base, V0);
    for (int k = 0; k < m->arms; k++) {
        lane_rows_times(reaction, w->arm[k].Y, qdd[k]);
        mat_sub(x->base, x->base, reaction, 6);
        memcpy(&x->joint[k * n0], qdd[k], sizeof qdd[k]);
    }
}

/* One arm with a lane to spare: b rides through the elimination as a column of H. */
RT_SAFE static void solve_arm(struct multibody_vector *x, const struct multibody_model *m,
                              struct multibody_work *w, const double *extra_kgm2,
                              const struct multibody_vector *b)
{
    const struct multibody_base_inverse *inverse = &w->inverse;
    struct multibody_arm_work *a = &w->arm[0];
    const int n = m->joints;
    const struct lane6 V0 = lane_body_solve(LANE3_OF(inverse->com), LANE3_OF(inverse->mass_inverse),
                                            LANE_SYM_OF(inverse->inertia),
                                            lane_six(b->base, MULTIBODY_LOAD_MAX, &w->valid));
    double rhs[LANES] = {0.0}, qdd[LANES] = {0.0}, diagonal[LANES] = {0.0}, reaction[6];

    if (!lane_take(rhs, b->joint, n, MULTIBODY_LOAD_MAX)) {
        w->valid = false;
    }
    less_base(rhs, a, V0);
    free_inertia(a, diagonal, &m->arm[0], inverse, extra_kgm2, rhs);
    if (!factor_arm(a, n, diagonal, NULL, NULL, 0)) {
        w->valid = false;
    }
    for (int k = 0; k < n; k++) {
        double sum = a->H[k][LANES - 1];

        for (int l = 0; l < k; l++) {
            sum -= a->H[k][l] * qdd[l];
        }
        qdd[k] = sum;
    }
    LANE6_STORE(x->base, V0);
    lane_rows_times(reaction, a->Y, qdd);
    mat_sub(x->base, x->base, reaction, 6);
    memcpy(x->joint, qdd, sizeof qdd);
}

RT_SAFE void multibody_solve_once(struct multibody_vector *x, const struct multibody_model *m,
                                  struct multibody_work *w, const double *extra_kgm2,
                                  const struct multibody_vector *b)
{
    if (m->arms == 1 && m->joints < LANES) {
        solve_arm(x, m, w, extra_kgm2, b);
    } else {
        multibody_solve_factor(m, w, extra_kgm2);
        multibody_solve(x, m, w, b);
    }
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
