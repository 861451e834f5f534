/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_inverse.c - loads from motion: Newton and Euler for every link at once, then sums from
 * the tips.
 *
 * For a link with twist [u; w], reference twist [U; W] and the reference's spatial acceleration [A;
 * B], all about the base origin:
 *
 *     e = A + W x u
 *     f = m e + B x h + W x (w x h)
 *     n = h x e + J B + w x (J W) - t (w x W),     t = tr J - h.h / m
 *
 * With the reference equal to the motion this is Newton and Euler's law. The term t is zero then;
 * it makes the body's Coriolis matrix the one of [REL section 6], m w x (U + W x c) and -(I w) x W
 * about the centre of mass. The acceleration of the base, gravity, and w x v of its origin act on
 * all links alike: they are added to every A and B, so that no composite inertia is needed.
 */
#include "model/multibody_inverse.h"

#include "model/lane.h"

/* Sum rows from the tip, then: base += sum over all links, joint_l = S_l . sum from l outwards.
 * Always writes all lanes: a stacked vector has room for them. */
RT_SAFE LANE_KERNEL void collect(double base[static restrict 6],
                                 double joint[static restrict LANES],
                                 double link[static restrict 6][LANES],
                                 const struct multibody_arm_work *restrict a)
{
    double f[6][LANES];

    lane_sum_outwards(f, link);
    lane_sum_outwards(f + 3, link + 3);
    for (int r = 0; r < 6; r++) {
        base[r] += f[r][0];
    }
    for (int l = 0; l < LANES; l++) {
        joint[l] = lane_dot6(LANE6(a->S, l), LANE6(f, l));
    }
}

/* Base rows without the arms: I Vdot of the base body, and its turning, [w x (w x h); w x J w]. */
RT_SAFE LANE_KERNEL void base_rows(double out[static restrict 6],
                                   const struct multibody_work *restrict w, struct lane3 rate,
                                   struct lane6 Vdot)
{
    const struct lane3 h = LANE3_OF(w->base.moment);
    const struct lane_sym J = LANE_SYM_OF(w->base.inertia);
    const struct lane6 P = lane_momentum(w->base.mass_kg, h, J, Vdot);
    const struct lane3 Jw = lane_sym_times(J, rate);

    LANE6_STORE(out, ((struct lane6){lane_add(P.lin, lane_cross(rate, lane_cross(rate, h))),
                                     lane_add(P.ang, lane_cross(rate, Jw))}));
}

/* Spatial accelerations of the links for a base that turns with rate w and gives all of them
 * Vdot. */
RT_SAFE LANE_KERNEL void accelerations(double acc[static 6][LANES],
                                       const struct multibody_arm_work *restrict a, struct lane3 w,
                                       struct lane6 Vdot)
{
    for (int l = 0; l < LANES; l++) {
        const struct lane3 u = lane_cross(w, LANE3(a->v, l));
        const struct lane3 turn = lane_cross(w, LANE3(a->v + 3, l));

        LANE3_PUT(acc, l, lane_add(LANE3(a->a, l), lane_add(u, Vdot.lin)));
        LANE3_PUT(acc + 3, l, lane_add(LANE3(a->a + 3, l), lane_add(turn, Vdot.ang)));
    }
}

/* Newton and Euler for every link, acc becoming force; w is the rate of the base. */
RT_SAFE LANE_KERNEL void link_forces(double acc[static restrict 6][LANES],
                                     const struct multibody_arm_work *restrict a,
                                     struct lane3 base_rate)
{
    for (int l = 0; l < LANES; l++) {
        const double m = a->body[0][l];
        const struct lane3 h = LANE3(a->I, l), u = LANE3(a->v, l);
        const struct lane_sym J = LANE_SYM(a->I + 3, l);
        const struct lane3 w = lane_add(LANE3(a->v + 3, l), base_rate);
        const struct lane3 e = lane_add(LANE3(acc, l), lane_cross(w, u)), B = LANE3(acc + 3, l);

        LANE3_PUT(acc, l,
                  lane_add(lane_scale(m, e),
                           lane_add(lane_cross(B, h), lane_cross(w, lane_cross(w, h)))));
        LANE3_PUT(acc + 3, l,
                  lane_add(lane_cross(h, e),
                           lane_add(lane_sym_times(J, B), lane_cross(w, lane_sym_times(J, w)))));
    }
}

RT_SAFE void multibody_inverse_hold(struct multibody_vector *load, const struct multibody_model *m,
                                    struct multibody_work *w, const double V[static 6],
                                    const double gravity[static 3])
{
    const struct lane6 U = lane_six(V, MULTIBODY_RATE_MAX, &w->valid);
    const struct lane3 g = lane_three(gravity, MULTIBODY_LOAD_MAX, &w->valid);
    const struct lane6 Vdot = {lane_sub(lane_cross(U.ang, U.lin), g), {0.0, 0.0, 0.0}};
    double f[6][LANES];

    base_rows(load->base, w, U.ang, Vdot);
    for (int k = 0, first = 0; k < m->arms; first += m->arm[k].joints, k++) {
        accelerations(f, &w->arm[k], U.ang, Vdot);
        link_forces(f, &w->arm[k], U.ang);
        collect(load->base, &load->joint[first], f, &w->arm[k]);
    }
}

RT_SAFE void multibody_inverse_bias(struct multibody_vector *load, const struct multibody_model *m,
                                    struct multibody_work *w, const double V[static 6])
{
    const double weightless[3] = {0.0, 0.0, 0.0};

    multibody_inverse_hold(load, m, w, V, weightless);
}

/* acc += sum of S x up to each link */
RT_SAFE LANE_KERNEL void add_joint_motion(double acc[static restrict 6][LANES],
                                          const struct multibody_arm_work *restrict a,
                                          const double x[static restrict LANES])
{
    double Sx[6][LANES], sum[6][LANES];

    for (int l = 0; l < LANES; l++) {
        LANE3_PUT(Sx, l, lane_scale(x[l], LANE3(a->S, l)));
        LANE3_PUT(Sx + 3, l, lane_scale(x[l], LANE3(a->S + 3, l)));
    }
    lane_sum_from_base(sum, Sx);
    lane_sum_from_base(sum + 3, Sx + 3);
    for (int l = 0; l < LANES; l++) {
        LANE3_PUT(acc, l, lane_add(LANE3(acc, l), LANE3(sum, l)));
        LANE3_PUT(acc + 3, l, lane_add(LANE3(acc + 3, l), LANE3(sum + 3, l)));
    }
}

RT_SAFE void multibody_inverse(struct multibody_vector *load, const struct multibody_model *m,
                               struct multibody_work *w, const double V[static 6],
                               const struct multibody_vector *acc, const double gravity[static 3])
{
    const struct lane6 U = lane_six(V, MULTIBODY_RATE_MAX, &w->valid);
    const struct lane6 A = lane_six(acc->base, MULTIBODY_LOAD_MAX, &w->valid);
    const struct lane3 g = lane_three(gravity, MULTIBODY_LOAD_MAX, &w->valid);
    const struct lane6 all = {lane_add(lane_sub(A.lin, g), lane_cross(U.ang, U.lin)), A.ang};
    double f[6][LANES];

    base_rows(load->base, w, U.ang, all);
    for (int k = 0, first = 0; k < m->arms; first += m->arm[k].joints, k++) {
        const struct multibody_arm_work *a = &w->arm[k];
        double qdd[LANES];

        if (!lane_take(qdd, &acc->joint[first], m->arm[k].joints, MULTIBODY_LOAD_MAX)) {
            w->valid = false;
        }
        accelerations(f, a, U.ang, all);
        add_joint_motion(f, a, qdd);
        link_forces(f, a, U.ang);
        collect(load->base, &load->joint[first], f, a);
        for (int l = 0; l < m->arm[k].joints; l++) {
            load->joint[first + l] += m->arm[k].rotor[l] * qdd[l];
        }
    }
}

/* Reference motion of one arm, the base not moving linearly: W = sum S qd_r, A = sum (S qdd_r + u x
 * S qd_r). */
RT_SAFE LANE_KERNEL void reference_motion(double W[static 6][LANES], double A[static 6][LANES],
                                          const struct multibody_arm_work *restrict a,
                                          struct lane3 base_rate, const double qd_r[static LANES],
                                          const double qdd_r[static LANES])
{
    double W_own[6][LANES], A_own[6][LANES];

    for (int l = 0; l < LANES; l++) {
        const struct lane6 S = LANE6(a->S, l);
        const struct lane3 u = LANE3(a->v, l), w = lane_add(LANE3(a->v + 3, l), base_rate);
        const struct lane3 x = lane_scale(qd_r[l], S.lin), y = lane_scale(qd_r[l], S.ang);

        LANE3_PUT(W_own, l, x);
        LANE3_PUT(W_own + 3, l, y);
        LANE3_PUT(
            A_own, l,
            lane_add(lane_scale(qdd_r[l], S.lin), lane_add(lane_cross(w, x), lane_cross(u, y))));
        LANE3_PUT(A_own + 3, l, lane_add(lane_scale(qdd_r[l], S.ang), lane_cross(w, y)));
    }
    for (int r = 0; r < 6; r += 3) {
        lane_sum_from_base(W + r, W_own + r);
        lane_sum_from_base(A + r, A_own + r);
    }
}

/* As at the top of the file, A becoming force. The base turns with rate, its reference with rate_r
 * and gives all links the acceleration Vdot. */
RT_SAFE LANE_KERNEL void reference_forces(double A[static restrict 6][LANES],
                                          double W[static restrict 6][LANES],
                                          const struct multibody_arm_work *restrict a,
                                          struct lane3 rate, struct lane3 rate_r, struct lane6 Vdot)
{
    for (int l = 0; l < LANES; l++) {
        const double m = a->body[0][l];
        const struct lane3 h = LANE3(a->I, l), u = LANE3(a->v, l);
        const struct lane_sym J = LANE_SYM(a->I + 3, l);
        const struct lane3 w = lane_add(LANE3(a->v + 3, l), rate);
        const struct lane3 R = lane_add(LANE3(W + 3, l), rate_r);
        const struct lane3 e = lane_add(lane_add(LANE3(A, l), Vdot.lin), lane_cross(R, u));
        const struct lane3 B = lane_add(LANE3(A + 3, l), Vdot.ang);
        const double t = J.xx + J.yy + J.zz - lane_dot(h, h) / (m > 0.0 ? m : 1.0);
        const struct lane3 spin =
            lane_sub(lane_cross(w, lane_sym_times(J, R)), lane_scale(t, lane_cross(w, R)));

        LANE3_PUT(A, l,
                  lane_add(lane_scale(m, e),
                           lane_add(lane_cross(B, h), lane_cross(R, lane_cross(w, h)))));
        LANE3_PUT(A + 3, l, lane_add(lane_cross(h, e), lane_add(lane_sym_times(J, B), spin)));
    }
}

/* base_rows() with a reference: [W x (w x h); w x (J W) - t w x W] */
RT_SAFE LANE_KERNEL void reference_base_rows(double out[static 6], const struct multibody_work *w,
                                             struct lane3 rate, struct lane3 rate_r,
                                             struct lane6 Vdot)
{
    const struct lane3 h = LANE3_OF(w->base.moment);
    const struct lane_sym J = LANE_SYM_OF(w->base.inertia);
    const double m = w->base.mass_kg;
    const double t = J.xx + J.yy + J.zz - (m > 0.0 ? lane_dot(h, h) / m : 0.0);
    const struct lane6 P = lane_momentum(m, h, J, Vdot);
    const struct lane3 spin = lane_sub(lane_cross(rate, lane_sym_times(J, rate_r)),
                                       lane_scale(t, lane_cross(rate, rate_r)));

    LANE6_STORE(out, ((struct lane6){lane_add(P.lin, lane_cross(rate_r, lane_cross(rate, h))),
                                     lane_add(P.ang, spin)}));
}

RT_SAFE void multibody_inverse_coriolis(struct multibody_vector *load,
                                        const struct multibody_model *m, struct multibody_work *w,
                                        const double V[static 6],
                                        const struct multibody_vector *nu_r,
                                        const struct multibody_vector *acc_r)
{
    const struct lane3 rate = lane_six(V, MULTIBODY_RATE_MAX, &w->valid).ang;
    const struct lane6 V_r = lane_six(nu_r->base, MULTIBODY_RATE_MAX, &w->valid);
    const struct lane6 A_r = lane_six(acc_r->base, MULTIBODY_LOAD_MAX, &w->valid);
    /* of the base: Vdot_r + ad(V) V_r; the part v x W cancels against W x u of every link */
    const struct lane6 all = {lane_add(A_r.lin, lane_cross(rate, V_r.lin)),
                              lane_add(A_r.ang, lane_cross(rate, V_r.ang))};
    double W[6][LANES], A[6][LANES];

    reference_base_rows(load->base, w, rate, V_r.ang, all);
    for (int k = 0, first = 0; k < m->arms; first += m->arm[k].joints, k++) {
        const int n = m->arm[k].joints;
        double qd_r[LANES], qdd_r[LANES];

        const bool rates = lane_take(qd_r, &nu_r->joint[first], n, MULTIBODY_RATE_MAX);
        const bool accelerates = lane_take(qdd_r, &acc_r->joint[first], n, MULTIBODY_LOAD_MAX);

        w->valid = w->valid && rates && accelerates;
        reference_motion(W, A, &w->arm[k], rate, qd_r, qdd_r);
        reference_forces(A, W, &w->arm[k], rate, V_r.ang, all);
        collect(load->base, &load->joint[first], A, &w->arm[k]);
        for (int l = 0; l < n; l++) {
            load->joint[first + l] += m->arm[k].rotor[l] * qdd_r[l];
        }
    }
}
