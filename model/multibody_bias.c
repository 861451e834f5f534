/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_bias.c - Coriolis and centrifugal loads as a polynomial of the base twist.
 *
 * The linear velocity of the base enters only as the acceleration w x v of its origin, so with V =
 * [v; w]
 *
 *     h_b(V)   = w x* (I [0; w] + P) + dI [0; w] + f + M_bb [w x v; 0]
 *     h_q,i(V) = w' Q_i w + L_i . w + c_i + F_lin,i . (w x v)
 *
 * where, with P, dJ, f momentum, rate of inertia and rate of momentum at V = 0, summed over the
 * links from i outwards,
 *
 *     Q_i = -1/2 dJ_c/dq_i        L_i = 2 P_lin x S_lin + P_ang x S_ang + dJ S_ang        c_i = S_i . f_i
 */
#include "model/multibody_bias.h"

#include "model/lane.h"

/* Sums of one arm over the links from each lane outwards. */
struct sums {
    double P[6][LANES];
    double dJ[6][LANES];
    double f[6][LANES];
};

/* The terms of each link at V = 0, from its twist [v; w] and spatial acceleration [a; alpha]
 * relative to the base:
 *
 *     e = a + w x v                            acceleration of the point of the link at the base origin
 *     f = [m e + alpha x h + w x (w x h); h x e + J alpha + w x J w]
 */
RT_SAFE static void link_terms(struct sums *restrict s, const struct multibody_arm_work *restrict w)
{
    for (int l = 0; l < LANES; l++) {
        const double m = w->body[0][l];
        const struct lane3 h = LANE3(w->I, l);
        const struct lane_sym J = LANE_SYM(w->I + 3, l);
        const struct lane6 V = LANE6(w->v, l);
        const struct lane3 alpha = LANE3(w->a + 3, l);
        const struct lane3 e = lane_add(LANE3(w->a, l), lane_cross(V.ang, V.lin));
        const struct lane3 wh = lane_cross(V.ang, h), Jw = lane_sym_times(J, V.ang);

        LANE3_PUT(s->P, l, lane_add(lane_scale(m, V.lin), wh));
        LANE3_PUT(s->P + 3, l, lane_add(lane_cross(h, V.lin), Jw));
        LANE_SYM_PUT(s->dJ, l, lane_inertia_rate(h, J, V));
        LANE3_PUT(
            s->f, l,
            lane_add(lane_scale(m, e), lane_add(lane_cross(alpha, h), lane_cross(V.ang, wh))));
        LANE3_PUT(
            s->f + 3, l,
            lane_add(lane_cross(h, e), lane_add(lane_sym_times(J, alpha), lane_cross(V.ang, Jw))));
    }
}

/* Rows of bias: c; L; Q as its diagonal and twice its off-diagonal entries. */
RT_SAFE static void polynomial(struct multibody_arm_work *restrict w, const struct sums *restrict s)
{
    for (int l = 0; l < LANES; l++) {
        const struct lane6 S = LANE6(w->S, l), P = LANE6(s->P, l);
        const struct lane_sym D = lane_inertia_rate(LANE3(w->Ic + 1, l), LANE_SYM(w->Ic + 4, l), S);

        w->bias[0][l] = lane_dot6(S, LANE6(s->f, l));
        LANE3_PUT(
            w->bias + 1, l,
            lane_add(lane_add(lane_scale(2.0, lane_cross(P.lin, S.lin)), lane_cross(P.ang, S.ang)),
                     lane_sym_times(LANE_SYM(s->dJ, l), S.ang)));
        LANE_SYM_PUT(
            w->bias + 4, l,
            ((struct lane_sym){-0.5 * D.xx, -0.5 * D.yy, -0.5 * D.zz, -D.xy, -D.xz, -D.yz}));
    }
}

RT_SAFE void multibody_bias(const struct multibody_model *m, struct multibody_work *w)
{
    for (int r = 0; r < 6; r++) {
        w->P[r] = w->dI[r] = w->f[r] = 0.0;
    }
    for (int k = 0; k < m->arms; k++) {
        struct sums s;

        link_terms(&s, &w->arm[k]);
        for (int r = 0; r < 6; r++) {
            lane_sum_outwards(s.P[r]);
            lane_sum_outwards(s.dJ[r]);
            lane_sum_outwards(s.f[r]);
            w->P[r] += s.P[r][0];
            w->dI[r] += s.dJ[r][0];
            w->f[r] += s.f[r][0];
        }
        polynomial(&w->arm[k], &s);
    }
}

RT_SAFE void multibody_bias_base(double h[static 6], struct multibody_work *w,
                                 const double V[static 6])
{
    double twist[LANES];
    const bool good = lane_take(twist, V, 6, MULTIBODY_RATE_MAX);
    const struct lane6 U = LANE6_OF(twist), P = LANE6_OF(w->P), f = LANE6_OF(w->f);
    const double m = w->total.mass_kg;
    const struct lane3 moment = LANE3_OF(w->total.moment);
    const struct lane_sym J = LANE_SYM_OF(w->total.inertia), dJ = LANE_SYM_OF(w->dI);

    w->valid = w->valid && good;
    /* [w x (m v + w x h + 2 P_lin) + f;  w x (J w + P_ang) + dJ w + h x (w x v) + f] */
    const struct lane3 lin =
        lane_add(lane_add(lane_scale(m, U.lin), lane_cross(U.ang, moment)), lane_scale(2.0, P.lin));
    const struct lane3 ang = lane_add(lane_sym_times(J, U.ang), P.ang);
    const struct lane3 more =
        lane_add(lane_sym_times(dJ, U.ang), lane_cross(moment, lane_cross(U.ang, U.lin)));
    LANE6_STORE(h, ((struct lane6){lane_add(lane_cross(U.ang, lin), f.lin),
                                   lane_add(lane_add(lane_cross(U.ang, ang), more), f.ang)}));
}

RT_SAFE void multibody_bias_joint(double *h, const struct multibody_model *m,
                                  struct multibody_work *w, const double V[static 6])
{
    double twist[LANES], sum[LANES];
    const bool good = lane_take(twist, V, 6, MULTIBODY_RATE_MAX);
    const struct lane3 v = LANE3_OF(twist), r = LANE3_OF(twist + 3), rv = lane_cross(r, v);
    const struct lane_sym rr = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};

    w->valid = w->valid && good;
    for (int k = 0; k < m->arms; k++) {
        const struct multibody_arm_work *a = &w->arm[k];

        for (int l = 0; l < LANES; l++) {
            const struct lane_sym Q = LANE_SYM(a->bias + 4, l);
            const double square = (Q.xx * rr.xx + Q.yy * rr.yy + Q.zz * rr.zz) +
                                  (Q.xy * rr.xy + Q.xz * rr.xz + Q.yz * rr.yz);

            sum[l] = (a->bias[0][l] + lane_dot(LANE3(a->bias + 1, l), r)) +
                     (square + lane_dot(LANE3(a->F, l), rv));
        }
        for (int l = 0; l < m->arm[k].joints; l++) {
            *h++ = sum[l];
        }
    }
}
