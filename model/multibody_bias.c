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

/* Rows of bias: c; L; dJ_c/dq = -2 Q */
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
        LANE_SYM_PUT(w->bias + 4, l, D);
    }
}

/* One arm: its terms, their sums from the tip, its polynomial. */
RT_SAFE static void arm_bias(struct sums *s, struct multibody_arm_work *a, int joints)
{
    link_terms(s, a);
    lane_sum_in_place(s->P, joints);
    lane_sum_in_place(s->P + 3, joints);
    lane_sum_in_place(s->dJ, joints);
    lane_sum_in_place(s->dJ + 3, joints);
    lane_sum_in_place(s->f, joints);
    lane_sum_in_place(s->f + 3, joints);
    polynomial(a, s);
}

/* What the base feels of the arms, moved from its origin to the centre of mass c, where m c' =
 * P_lin:
 *
 *     P_ang - c x P_lin,   f_ang - c x f_lin,   dJ - d/dt m (c.c 1 - c c')
 */
RT_SAFE LANE_KERNEL void about_centre(struct multibody_base_bias *restrict b,
                                      const struct sums *restrict s,
                                      const struct multibody_base_inverse *restrict inverse)
{
    const struct lane6 P = LANE6(s->P, 0), f = LANE6(s->f, 0);
    const struct lane_sym dJ = LANE_SYM(s->dJ, 0);
    const double d = inverse->reciprocal;
    const struct lane3 c = LANE3_OF(inverse->com);
    const struct lane3 cP = {c.x * P.lin.x, c.y * P.lin.y, c.z * P.lin.z};

    LANE6_STORE(
        b->P, ((struct lane6){lane_scale(2.0 * d, P.lin), lane_sub(P.ang, lane_cross(c, P.lin))}));
    LANE6_STORE(b->f,
                ((struct lane6){lane_scale(d, f.lin), lane_sub(f.ang, lane_cross(c, f.lin))}));
    b->dJ[0] = dJ.xx - 2.0 * (cP.y + cP.z);
    b->dJ[1] = dJ.yy - 2.0 * (cP.z + cP.x);
    b->dJ[2] = dJ.zz - 2.0 * (cP.x + cP.y);
    b->dJ[3] = dJ.xy + (c.x * P.lin.y + c.y * P.lin.x);
    b->dJ[4] = dJ.xz + (c.x * P.lin.z + c.z * P.lin.x);
    b->dJ[5] = dJ.yz + (c.y * P.lin.z + c.z * P.lin.y);
}

RT_SAFE void multibody_bias(const struct multibody_model *m, struct multibody_work *w)
{
    struct sums s, second;

    arm_bias(&s, &w->arm[0], m->arm[0].joints);
    if (m->arms == 2) {
        arm_bias(&second, &w->arm[1], m->arm[1].joints);
        for (int r = 0; r < 6; r++) {
            s.P[r][0] += second.P[r][0];
            s.dJ[r][0] += second.dJ[r][0];
            s.f[r][0] += second.f[r][0];
        }
    }
    about_centre(&w->bias, &s, &w->inverse);
}

RT_SAFE void multibody_bias_base(double h[static 6], struct multibody_work *w,
                                 const double V[static 6])
{
    const struct lane6 U = lane_six(V, MULTIBODY_RATE_MAX, &w->valid);
    const struct lane6 P = LANE6_OF(w->bias.P), f = LANE6_OF(w->bias.f);
    const struct lane3 c = LANE3_OF(w->inverse.com), rate = U.ang;
    const struct lane3 Jw = lane_sym_times(LANE_SYM_OF(w->inverse.central), rate);

    /* m times the acceleration of the centre of mass; then about the centre, then about the origin */
    const struct lane3 lin = lane_scale(
        w->total.mass_kg,
        lane_add(lane_cross(rate, lane_add(lane_add(lane_cross(rate, c), P.lin), U.lin)), f.lin));
    const struct lane3 ang = lane_add(lane_add(lane_cross(rate, lane_add(Jw, P.ang)),
                                               lane_sym_times(LANE_SYM_OF(w->bias.dJ), rate)),
                                      f.ang);
    LANE6_STORE(h, ((struct lane6){lin, lane_add(ang, lane_cross(c, lin))}));
}

/* The base about the centre of mass c, in the twist [y; w] with y = v + w x c:
 *
 *     w' = K (torque - w x (J w + P) - dJ w)        y' = pull - w x (y + 2 P_lin / m)
 *
 * K is zero where the base does not turn; where it does not move, y' counts for nothing in the end.
 * In numbers of its own, because behind the pointer of the work space they would be loaded again in
 * every stage. */
struct centred {
    struct lane3 twice_P, pull;
    struct lane3 P, torque;
    struct lane_sym J, dJ, K;
};

RT_SAFE LANE_INLINE struct centred centred_of(const struct multibody_work *w, struct lane6 load)
{
    const struct multibody_base_inverse *b = &w->inverse;
    const struct lane6 P = LANE6_OF(w->bias.P), f = LANE6_OF(w->bias.f);

    return (struct centred){
        .twice_P = P.lin,
        .pull = {b->mass_inverse[0] * load.lin.x - f.lin.x,
                 b->mass_inverse[1] * load.lin.y - f.lin.y,
                 b->mass_inverse[2] * load.lin.z - f.lin.z},
        .P = P.ang,
        .torque = lane_sub(lane_sub(load.ang, lane_cross(LANE3_OF(b->com), load.lin)), f.ang),
        .J = LANE_SYM_OF(b->central),
        .dJ = LANE_SYM_OF(w->bias.dJ),
        .K = LANE_SYM_OF(b->inertia),
    };
}

RT_SAFE LANE_INLINE struct lane6 centred_rate(const struct centred *b, struct lane6 Y)
{
    const struct lane3 w = Y.ang;
    const struct lane3 spin =
        lane_add(lane_cross(w, lane_add(lane_sym_times(b->J, w), b->P)), lane_sym_times(b->dJ, w));
    const struct lane3 turn = lane_cross(w, lane_add(Y.lin, b->twice_P));

    return (struct lane6){lane_sub(b->pull, turn), lane_sym_times(b->K, lane_sub(b->torque, spin))};
}

/* [v + w x c; w] from [v; w], and back */
RT_SAFE LANE_INLINE struct lane6 to_centre(struct lane6 V, const double com[static 3])
{
    return (struct lane6){lane_add(V.lin, lane_cross(V.ang, LANE3_OF(com))), V.ang};
}

RT_SAFE LANE_INLINE struct lane6 from_centre(struct lane6 Y, const double com[static 3])
{
    return (struct lane6){lane_sub(Y.lin, lane_cross(Y.ang, LANE3_OF(com))), Y.ang};
}

/* x where the base is free to move, else y; free is 1 or 0 by axis */
RT_SAFE LANE_INLINE struct lane3 where_free(const double free[static 3], struct lane3 x,
                                            struct lane3 y)
{
    return (struct lane3){free[0] * x.x + (1.0 - free[0]) * y.x,
                          free[1] * x.y + (1.0 - free[1]) * y.y,
                          free[2] * x.z + (1.0 - free[2]) * y.z};
}

/* A result that cannot be becomes zero. */
RT_SAFE static void settle_base(double x[static 6], struct multibody_work *w)
{
    if (!lane_usable(x, 6, MULTIBODY_LOAD_MAX)) {
        memset(x, 0, 6 * sizeof *x);
        w->valid = false;
    }
}

RT_SAFE void multibody_bias_acceleration(double Vdot[static 6], struct multibody_work *w,
                                         const double V[static 6], const double F[static 6])
{
    const double *com = w->inverse.com;
    const struct centred b = centred_of(w, LANE6_OF(F));
    const struct lane6 A = from_centre(centred_rate(&b, to_centre(LANE6_OF(V), com)), com);
    const struct lane3 none = {0.0, 0.0, 0.0};

    LANE6_STORE(Vdot, ((struct lane6){where_free(w->inverse.free, A.lin, none), A.ang}));
    settle_base(Vdot, w);
}

/* Y + t rate */
RT_SAFE LANE_INLINE struct lane6 along(struct lane6 Y, double t, struct lane6 rate)
{
    return (struct lane6){lane_add(Y.lin, lane_scale(t, rate.lin)),
                          lane_add(Y.ang, lane_scale(t, rate.ang))};
}

RT_SAFE void multibody_bias_step(double V_next[static 6], struct multibody_work *w,
                                 const double V[static 6], const double F[static 6], double dt_s)
{
    const double half = 0.5 * dt_s, sixth = dt_s / 6.0, third = dt_s / 3.0;
    const struct centred b = centred_of(w, LANE6_OF(F));
    const struct lane6 Y = to_centre(LANE6_OF(V), w->inverse.com);
    const struct lane6 k1 = centred_rate(&b, Y);
    const struct lane6 k2 = centred_rate(&b, along(Y, half, k1));
    const struct lane6 k3 = centred_rate(&b, along(Y, half, k2));
    const struct lane6 k4 = centred_rate(&b, along(Y, dt_s, k3));
    const struct lane6 end =
        along(along(along(along(Y, sixth, k1), third, k2), third, k3), sixth, k4);

    const struct lane6 next = from_centre(end, w->inverse.com);

    LANE6_STORE(V_next,
                ((struct lane6){where_free(w->inverse.free, next.lin, LANE3_OF(V)), next.ang}));
    settle_base(V_next, w);
}

/* What the joint polynomial is taken at. It is linear in these, so the difference of two values is
 * one value. */
struct monomials {
    struct lane3 rate;    /* w */
    struct lane_sym pair; /* products of w for w'Q w from -2 Q: -w_x w_x / 2, .., -w_x w_y, .. */
    struct lane6 base;    /* acceleration of the base frame as a body, [vdot + w x v - g; wdot] */
};

RT_SAFE LANE_INLINE struct monomials monomials_of(struct lane6 V, struct lane6 A)
{
    const struct lane3 w = V.ang;

    return (struct monomials){
        w,
        {-0.5 * w.x * w.x, -0.5 * w.y * w.y, -0.5 * w.z * w.z, -w.x * w.y, -w.x * w.z, -w.y * w.z},
        {lane_add(A.lin, lane_cross(w, V.lin)), A.ang}};
}

/* The polynomial without its constant, for every joint of an arm; returns the sum of magnitudes. */
RT_SAFE LANE_KERNEL double varying_bias(double h[static restrict LANES],
                                        const struct multibody_arm_work *restrict a,
                                        const struct monomials *restrict x)
{
    const struct lane3 rate = x->rate;
    const struct lane6 base = x->base;
    const struct lane_sym rr = x->pair;

    for (int l = 0; l < LANES; l++) {
        const struct lane_sym D = LANE_SYM(a->bias + 4, l);

        h[l] = (lane_dot(LANE3(a->bias + 1, l), rate) + lane_dot6(LANE6(a->F, l), base)) +
               ((D.xx * rr.xx + D.yy * rr.yy + D.zz * rr.zz) +
                (D.xy * rr.xy + D.xz * rr.xz + D.yz * rr.yz));
    }
    return lane_size(h);
}

RT_SAFE void multibody_bias_joint(double *h, const struct multibody_model *m,
                                  struct multibody_work *w, const double V[static 6])
{
    const struct lane6 still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const struct monomials x = monomials_of(LANE6_OF(V), still);

    for (int k = 0; k < m->arms; k++) {
        double sum[LANES];

        (void)varying_bias(sum, &w->arm[k], &x);
        for (int l = 0; l < LANES; l++) {
            sum[l] += w->arm[k].bias[0][l];
        }
        if (!lane_settle(sum, MULTIBODY_LOAD_MAX)) {
            w->valid = false;
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
    const struct monomials x = monomials_of(LANE6_OF(V), LANE6_OF(A));
    const struct monomials y = monomials_of(LANE6_OF(V_from), LANE6_OF(A_from));
    const struct monomials d = {
        lane_sub(x.rate, y.rate),
        {x.pair.xx - y.pair.xx, x.pair.yy - y.pair.yy, x.pair.zz - y.pair.zz, x.pair.xy - y.pair.xy,
         x.pair.xz - y.pair.xz, x.pair.yz - y.pair.yz},
        {lane_sub(x.base.lin, y.base.lin), lane_sub(x.base.ang, y.base.ang)}};

    for (int k = 0; k < m->arms; k++) {
        if (!(varying_bias(torque, &w->arm[k], &d) <= MULTIBODY_LOAD_MAX)) {
            lane_mend(torque, MULTIBODY_LOAD_MAX);
            w->valid = false;
        }
        torque += m->arm[k].joints;
    }
}
