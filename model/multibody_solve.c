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

/* Y_l = M_bb^-1 F_l, H_il = F_i . (S_l - Y_l) */
RT_SAFE static void free_inertia(const struct multibody_arm *restrict c,
                                 struct multibody_arm_work *restrict a,
                                 const struct multibody_base_inverse *restrict b)
{
    const struct lane3 com = LANE3_OF(b->com), mass_inverse = LANE3_OF(b->mass_inverse);
    const struct lane_sym K = LANE_SYM_OF(b->inertia);
    double free[6][LANES];

    for (int l = 0; l < LANES; l++) {
        const struct lane6 Y = lane_body_solve(com, mass_inverse, K, LANE6(a->F, l));

        LANE6_PUT(a->Y, l, Y);
        LANE3_PUT(free, l, lane_sub(LANE3(a->S, l), Y.lin));
        LANE3_PUT(free + 3, l, lane_sub(LANE3(a->S + 3, l), Y.ang));
    }
    for (int i = 0; i < c->joints; i++) {
        const struct lane6 F = LANE6(a->F, i);

        for (int l = 0; l < LANES; l++) {
            a->H[i][l] = lane_dot6(F, LANE6(free, l));
        }
        a->H[i][i] += c->rotor[i];
    }
}

/* Between the arms, through the base: H_il = -F_i . Y_l, i of arm 1, l of arm 0 */
RT_SAFE static void free_cross(double cross[static LANES][LANES], int n,
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

/* target = target - factor row */
RT_SAFE LANE_INLINE void eliminate(double target[static restrict LANES], double factor,
                                   const double row[static restrict LANES])
{
    for (int l = 0; l < LANES; l++) {
        target[l] -= factor * row[l];
    }
}

/* L' D L of one arm from its last joint, and of what the first arm has left if this is the second
 * (cross, first not NULL). False if a pivot was lost. */
RT_SAFE static bool factor_arm(struct multibody_arm_work *restrict a, int n,
                               double (*restrict cross)[LANES],
                               struct multibody_arm_work *restrict first, int n_first)
{
    double before[LANES], L[LANES], Lc[LANES];
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
            L[l] = inverse * a->H[k][l];
        }
        for (int i = 0; i < k; i++) {
            eliminate(a->H[i], L[i], a->H[k]);
        }
        memcpy(a->H[k], L, sizeof L);
        if (cross == NULL) {
            continue;
        }
        for (int l = 0; l < LANES; l++) {
            Lc[l] = inverse * cross[k][l];
        }
        for (int i = 0; i < k; i++) {
            eliminate(cross[i], L[i], cross[k]);
        }
        for (int i = 0; i < n_first; i++) {
            eliminate(first->H[i], Lc[i], cross[k]);
        }
        memcpy(cross[k], Lc, sizeof Lc);
    }
    return good;
}

RT_SAFE void multibody_solve_factor(const struct multibody_model *m, struct multibody_work *w,
                                    const double *extra_kgm2)
{
    struct multibody_arm_work *a0 = &w->arm[0], *a1 = &w->arm[1];
    bool good = true;

    for (int k = 0, first = 0; k < m->arms; first += m->arm[k].joints, k++) {
        free_inertia(&m->arm[k], &w->arm[k], &w->inverse);
        for (int i = 0; extra_kgm2 != NULL && i < m->arm[k].joints; i++) {
            w->arm[k].H[i][i] += extra_kgm2[first + i];
        }
    }
    if (m->arms == 2) {
        free_cross(w->cross, m->arm[1].joints, a0, a1);
        good = factor_arm(a1, m->arm[1].joints, w->cross, a0, m->arm[0].joints);
    }
    good = factor_arm(a0, m->arm[0].joints, NULL, NULL, 0) && good;
    w->valid = w->valid && good;
}

/* y = L'^-1 b of one arm from its last joint; b is used up. */
RT_SAFE static void sweep_to_base(double y[static restrict LANES],
                                  const struct multibody_arm_work *restrict a, int n,
                                  double b[static restrict LANES])
{
    for (int k = n - 1; k >= 0; k--) {
        y[k] = b[k];
        eliminate(b, y[k], a->H[k]);
    }
}

/* x = L^-1 (D^-1 y - rest) of one arm from its first joint. */
RT_SAFE static void sweep_to_tip(double *restrict x, const struct multibody_arm_work *restrict a,
                                 int n, const double y[static restrict LANES],
                                 const double rest[static restrict LANES])
{
    for (int k = 0; k < n; k++) {
        x[k] = (a->pivot[k] * y[k] - rest[k]) - mat_dot(a->H[k], x, k);
    }
}

RT_SAFE void multibody_solve(struct multibody_vector *x, const struct multibody_model *m,
                             struct multibody_work *w, const struct multibody_vector *b)
{
    const struct multibody_base_inverse *inverse = &w->inverse;
    const int n0 = m->arm[0].joints, n1 = m->arm[1].joints;
    double base[LANES], rhs[MULTIBODY_ARMS][LANES];
    bool good = lane_take(base, b->base, 6, MULTIBODY_LOAD_MAX);

    /* base first, as if the joints did not move: V0 = M_bb^-1 b_b, then b_q - M_bq' V0 is left for
     * the joints */
    const struct lane6 V0 = lane_body_solve(LANE3_OF(inverse->com), LANE3_OF(inverse->mass_inverse),
                                            LANE_SYM_OF(inverse->inertia), LANE6_OF(base));
    for (int k = 0; k < m->arms; k++) {
        good = lane_take(rhs[k], &b->joint[k * n0], m->arm[k].joints, MULTIBODY_LOAD_MAX) && good;
        for (int l = 0; l < LANES; l++) {
            rhs[k][l] -= lane_dot6(LANE6(w->arm[k].F, l), V0);
        }
    }
    w->valid = w->valid && good;

    /* then the joints, tip to base and back; the arms feel each other through cross */
    double y[MULTIBODY_ARMS][LANES], rest[LANES] = {0.0};
    sweep_to_base(y[1], &w->arm[1], n1, rhs[1]);
    for (int k = 0; k < n1; k++) {
        eliminate(rhs[0], y[1][k], w->cross[k]);
    }
    sweep_to_base(y[0], &w->arm[0], n0, rhs[0]);
    sweep_to_tip(x->joint, &w->arm[0], n0, y[0], rest);
    for (int k = 0; k < n1; k++) {
        rest[k] = mat_dot(w->cross[k], x->joint, n0);
    }
    sweep_to_tip(&x->joint[n0], &w->arm[1], n1, y[1], rest);

    /* what the joints do to the base: V = V0 - Y qdd */
    LANE6_STORE(x->base, V0);
    for (int k = 0; k < m->arms; k++) {
        for (int r = 0; r < 6; r++) {
            x->base[r] -= mat_dot(w->arm[k].Y[r], &x->joint[k * n0], m->arm[k].joints);
        }
    }
}

RT_SAFE void multibody_solve_forward(struct multibody_vector *acc, const struct multibody_model *m,
                                     struct multibody_work *w, const double *q,
                                     const struct multibody_vector *nu,
                                     const struct multibody_input *in)
{
    struct multibody_vector load = in->load, bias;

    multibody_kinematics(m, w, q);
    multibody_rates(m, w, nu->joint);
    multibody_mass(m, w);
    multibody_inverse_hold(&bias, m, w, nu->base, in->gravity);
    for (int i = 0; i < in->contacts; i++) {
        multibody_frame_wrench(&load, m, w, &in->contact[i].frame, in->contact[i].wrench);
    }
    mat_sub(load.base, load.base, bias.base, 6);
    mat_sub(load.joint, load.joint, bias.joint, m->joints);
    multibody_solve_factor(m, w, NULL);
    multibody_solve(acc, m, w, &load);
}
