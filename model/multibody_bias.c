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
#include "model/mat.h"

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
RT_SAFE LANE_KERNEL void link_terms(struct sums *restrict s,
                                    const struct multibody_arm_work *restrict w)
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
RT_SAFE LANE_KERNEL void polynomial(struct multibody_arm_work *restrict w,
                                    const struct sums *restrict s)
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

/* Sums from the tip, and those of the whole arm. */
RT_SAFE static void sum_up(struct multibody_base_bias *restrict whole, struct sums *restrict s)
{
    lane_sum_outwards(s->P);
    lane_sum_outwards(s->P + 3);
    lane_sum_outwards(s->dJ);
    lane_sum_outwards(s->dJ + 3);
    lane_sum_outwards(s->f);
    lane_sum_outwards(s->f + 3);
    for (int r = 0; r < 6; r++) {
        whole->P[r] = s->P[r][0];
        whole->dJ[r] = s->dJ[r][0];
        whole->f[r] = s->f[r][0];
    }
}

/* The same about the centre of mass c of the whole robot, for multibody_bias_acceleration():
 *
 *     2 P_lin / m,   f_lin / m,   P_ang - c x P_lin,   f_ang - c x f_lin,   d/dt of (J about c), where m c' = P_lin
 */
RT_SAFE LANE_KERNEL void about_centre(struct multibody_base_bias *restrict b,
                                      const struct multibody_base_inverse *restrict inverse,
                                      double mass_kg)
{
    const struct lane6 P = LANE6_OF(b->P), f = LANE6_OF(b->f);
    const struct lane3 c = LANE3_OF(inverse->com);
    const double d = 1.0 / mass_kg;
    const struct lane3 cP = {c.x * P.lin.x, c.y * P.lin.y, c.z * P.lin.z};
    const double *dJ = b->dJ;

    LANE6_STORE(b->central_P, ((struct lane6){lane_scale(2.0 * d, P.lin),
                                              lane_sub(P.ang, lane_cross(c, P.lin))}));
    LANE6_STORE(b->central_f,
                ((struct lane6){lane_scale(d, f.lin), lane_sub(f.ang, lane_cross(c, f.lin))}));
    b->central_dJ[0] = dJ[0] - 2.0 * (cP.y + cP.z);
    b->central_dJ[1] = dJ[1] - 2.0 * (cP.z + cP.x);
    b->central_dJ[2] = dJ[2] - 2.0 * (cP.x + cP.y);
    b->central_dJ[3] = dJ[3] + (c.x * P.lin.y + c.y * P.lin.x);
    b->central_dJ[4] = dJ[4] + (c.x * P.lin.z + c.z * P.lin.x);
    b->central_dJ[5] = dJ[5] + (c.y * P.lin.z + c.z * P.lin.y);
}

RT_SAFE void multibody_bias(const struct multibody_model *m, struct multibody_work *w)
{
    struct multibody_base_bias second;
    struct sums s;

    if (m->arms == 0) {
        memset(&w->bias, 0, sizeof w->bias);
    }
    for (int k = 0; k < m->arms; k++) {
        link_terms(&s, &w->arm[k]);
        sum_up(k == 0 ? &w->bias : &second, &s);
        polynomial(&w->arm[k], &s);
    }
    if (m->arms == 2) {
        mat_add(w->bias.P, w->bias.P, second.P, 6);
        mat_add(w->bias.dJ, w->bias.dJ, second.dJ, 6);
        mat_add(w->bias.f, w->bias.f, second.f, 6);
    }
    if (m->base != MULTIBODY_FIXED) {
        about_centre(&w->bias, &w->inverse, w->total.mass_kg);
    }
}

RT_SAFE void multibody_bias_base(double h[static 6], struct multibody_work *w,
                                 const double V[static 6])
{
    const struct lane6 U = lane_six(V, MULTIBODY_RATE_MAX, &w->valid);
    const struct lane6 P = LANE6_OF(w->bias.P), f = LANE6_OF(w->bias.f);
    const struct lane3 rate = U.ang, origin = lane_cross(U.ang, U.lin);
    const struct lane3 moment = LANE3_OF(w->total.moment);
    const struct lane3 lin = lane_add(lane_cross(rate, moment), lane_add(P.lin, P.lin));
    const struct lane3 ang = lane_add(lane_sym_times(LANE_SYM_OF(w->total.inertia), rate), P.ang);
    const struct lane3 grow = lane_sym_times(LANE_SYM_OF(w->bias.dJ), rate);

    /* [w x (w x h + 2 P_lin) + f; w x (J w + P_ang) + dJ w + f] + M_bb [w x v; 0] */
    LANE6_STORE(h, ((struct lane6){lane_add(lane_add(lane_cross(rate, lin), f.lin),
                                            lane_scale(w->total.mass_kg, origin)),
                                   lane_add(lane_add(lane_add(lane_cross(rate, ang), grow), f.ang),
                                            lane_cross(moment, origin))}));
}

RT_SAFE void multibody_bias_acceleration(double Vdot[static 6], struct multibody_work *w,
                                         const double V[static 6], const double F[static 6])
{
    const struct multibody_base_inverse *b = &w->inverse;
    const struct lane6 P = LANE6_OF(w->bias.central_P), f = LANE6_OF(w->bias.central_f);
    const struct lane6 U = LANE6_OF(V), load = LANE6_OF(F);
    const struct lane3 c = LANE3_OF(b->com), rate = U.ang;

    /* K (m - c x f - w x (J w + P) - dJ w - f), all about the centre of mass */
    const struct lane3 spin =
        lane_add(lane_cross(rate, lane_add(lane_sym_times(LANE_SYM_OF(b->central), rate), P.ang)),
                 lane_sym_times(LANE_SYM_OF(w->bias.central_dJ), rate));
    const struct lane3 alpha = lane_sym_times(
        LANE_SYM_OF(b->inertia),
        lane_sub(lane_sub(lane_sub(load.ang, lane_cross(c, load.lin)), spin), f.ang));

    /* acceleration of the centre of mass, less what it has against the origin of the base */
    const struct lane3 carried =
        lane_add(lane_cross(rate, lane_add(lane_add(lane_cross(rate, c), P.lin), U.lin)), f.lin);
    const struct lane3 lever = lane_cross(alpha, c);
    LANE6_STORE(
        Vdot, ((struct lane6){{b->mass_inverse[0] * load.lin.x - b->free[0] * carried.x - lever.x,
                               b->mass_inverse[1] * load.lin.y - b->free[1] * carried.y - lever.y,
                               b->mass_inverse[2] * load.lin.z - b->free[2] * carried.z - lever.z},
                              alpha}));
    if (!lane_usable(Vdot, 6, MULTIBODY_LOAD_MAX)) {
        memset(Vdot, 0, 6 * sizeof *Vdot);
        w->valid = false;
    }
}

/* What the joint polynomial is taken at. It is linear in these, so the difference of two values is
 * one value. */
struct monomials {
    struct lane3 rate;    /* w */
    struct lane_sym pair; /* products of w */
    struct lane6 base;    /* acceleration of the base frame as a body, [vdot + w x v - g; wdot] */
};

RT_SAFE LANE_INLINE struct monomials monomials_of(struct lane6 V, struct lane6 A)
{
    const struct lane3 w = V.ang;

    return (struct monomials){w,
                              {w.x * w.x, w.y * w.y, w.z * w.z, w.x * w.y, w.x * w.z, w.y * w.z},
                              {lane_add(A.lin, lane_cross(w, V.lin)), A.ang}};
}

/* The polynomial without its constant. */
RT_SAFE LANE_INLINE double varying_bias(const struct multibody_arm_work *a, int l,
                                        const struct monomials *x)
{
    const struct lane_sym Q = LANE_SYM(a->bias + 4, l);

    return (lane_dot(LANE3(a->bias + 1, l), x->rate) + lane_dot(LANE3(a->F, l), x->base.lin)) +
           ((Q.xx * x->pair.xx + Q.yy * x->pair.yy + Q.zz * x->pair.zz) +
            (Q.xy * x->pair.xy + Q.xz * x->pair.xz + Q.yz * x->pair.yz));
}

RT_SAFE void multibody_bias_joint(double *h, const struct multibody_model *m,
                                  struct multibody_work *w, const double V[static 6])
{
    const struct lane6 still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const struct monomials x = monomials_of(lane_six(V, MULTIBODY_RATE_MAX, &w->valid), still);

    for (int k = 0; k < m->arms; k++) {
        const struct multibody_arm_work *a = &w->arm[k];
        double sum[LANES];

        for (int l = 0; l < LANES; l++) {
            sum[l] = a->bias[0][l] + varying_bias(a, l, &x);
        }
        memcpy(h, sum, sizeof sum);
        h += m->arm[k].joints;
    }
}

RT_SAFE void multibody_bias_between(double *torque, const struct multibody_model *m,
                                    struct multibody_work *w, const double V[static 6],
                                    const double A[static 6], const double V_from[static 6],
                                    const double A_from[static 6])
{
    if (!lane_usable(V, 6, MULTIBODY_RATE_MAX) || !lane_usable(A, 6, MULTIBODY_LOAD_MAX) ||
        !lane_usable(V_from, 6, MULTIBODY_RATE_MAX) ||
        !lane_usable(A_from, 6, MULTIBODY_LOAD_MAX)) {
        memset(torque, 0, (size_t)m->joints * sizeof *torque);
        w->valid = false;
        return;
    }
    const struct monomials x = monomials_of(LANE6_OF(V), LANE6_OF(A));
    const struct monomials y = monomials_of(LANE6_OF(V_from), LANE6_OF(A_from));
    const struct monomials d = {
        lane_sub(x.rate, y.rate),
        {x.pair.xx - y.pair.xx, x.pair.yy - y.pair.yy, x.pair.zz - y.pair.zz, x.pair.xy - y.pair.xy,
         x.pair.xz - y.pair.xz, x.pair.yz - y.pair.yz},
        {lane_sub(x.base.lin, y.base.lin), lane_sub(x.base.ang, y.base.ang)}};

    for (int k = 0; k < m->arms; k++) {
        const struct multibody_arm_work *a = &w->arm[k];
        double sum[LANES];

        for (int l = 0; l < LANES; l++) {
            sum[l] = varying_bias(a, l, &d) + lane_dot(LANE3(a->F + 3, l), d.base.ang);
        }
        memcpy(torque, sum, sizeof sum);
        torque += m->arm[k].joints;
    }
}
