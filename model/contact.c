/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contact.c - gripper against ring: pads that touch a face, jaws that latch. */
#include "model/contact.h"

#include <errno.h>
#include <math.h>

#include "model/mapping.h"
#include "model/mat.h"
#include "model/so3.h"

RT_SAFE static bool not_negative(const double *x, int n)
{
    bool all = true;

    for (int i = 0; i < n; i++) {
        all = all && base_finite(x[i]) && x[i] >= 0.0;
    }
    return all;
}

int contact_init(const struct contact_model *m, struct contact_state *s)
{
    const double scalar[] = {m->face_npm,         m->face_loss_spm,   m->face_friction,
                             m->face_slip_mps,    m->latch_ramp_s,    m->latch_pull_s,
                             m->latch_distance_m, m->latch_angle_rad, m->latch_speed_mps,
                             m->latch_hold_s,     m->release_n,       m->release_nm};
    const double *k = m->latch_stiffness + 3;

    *s = (struct contact_state){.phase = CONTACT_OPEN};
    if (!not_negative(scalar, COUNT_OF(scalar)) || !not_negative(m->latch_stiffness, 6) ||
        !not_negative(m->latch_damping, 6) || m->pads < 0 || m->pads > CONTACT_PADS) {
        return -EINVAL;
    }
    for (int i = 0; i < m->pads; i++) {
        if (!base_all_finite(m->pad[i], 3)) {
            return -EINVAL;
        }
    }
    if (k[0] > k[1] + k[2] || k[1] > k[2] + k[0] || k[2] > k[0] + k[1]) {
        return -EINVAL;
    }
    return 0;
}

RT_SAFE void contact_twist(double V_ge[static 6], const struct pose *g_ge,
                           const double V_g[static 6], const double V_e[static 6])
{
    double carried[6];

    se3_apply_Ad_inverse(carried, g_ge, V_g);
    mat_sub(V_ge, V_e, carried, 6);
}

/* One pad at x in E pressing on the plane z = 0 of G: adds its wrench to F, returns its energy. */
RT_SAFE static double press(double F[static 6], const struct contact_model *m,
                            const struct contact_input *in, const double x[static 3])
{
    const double *V = in->V_ge;
    double place[3], v_e[3], v[3], f[3], f_e[3], torque[3], normal, rub;

    se3_point(place, &in->g_ge, x);
    const double depth = place[2];
    if (!(depth > 0.0)) {
        return 0.0;
    }
    mat_cross3(v_e, V + 3, x);
    mat_add(v_e, v_e, V, 3);
    mat_vec3(v, in->g_ge.R, v_e);

    /* loss that vanishes at the surface, and friction without a step at rest */
    normal = fmax(0.0, m->face_npm * depth * (1.0 + m->face_loss_spm * v[2]));
    rub = sqrt(v[0] * v[0] + v[1] * v[1] + m->face_slip_mps * m->face_slip_mps);
    rub = rub > 0.0 ? m->face_friction * normal / rub : 0.0;
    f[0] = -rub * v[0];
    f[1] = -rub * v[1];
    f[2] = -normal;

    mat_vec3_t(f_e, in->g_ge.R, f);
    mat_cross3(torque, x, f_e);
    mat_add(F, F, f_e, 3);
    mat_add(F + 3, F + 3, torque, 3);
    return 0.5 * m->face_npm * depth * depth;
}

/* 0 at x <= 0, 1 at x >= 1, with no speed and no acceleration at both ends; slope (may be NULL) per unit of x */
RT_SAFE static double quintic(double x, double *slope)
{
    const double y = base_clamp(x, 0.0, 1.0);

    if (slope != NULL) {
        *slope = 30.0 * y * y * (1.0 - y) * (1.0 - y);
    }
    return y * y * y * (10.0 + y * (6.0 * y - 15.0));
}

/* Rest pose of the latch in G, exp(a offset) with a from 1 to 0, and its body twist a' offset. */
RT_SAFE static void rest_motion(struct pose *rest, double V[static 6],
                                const struct contact_model *m, const struct contact_state *s)
{
    double slope = 0.0, left = 0.0, u[6];

    if (m->latch_pull_s > 0.0) {
        left = 1.0 - quintic(s->latched_s / m->latch_pull_s, &slope);
        slope /= m->latch_pull_s;
    }
    mat_scale(u, left, s->offset, 6);
    mat_scale(V, -slope, s->offset, 6);
    se3_exp(rest, u);
}

/* Latch: U = p' K p / 2 + tr(K_r (1 - R)) / 2 of the pose (R, p) of E from its rest, so that
 * F = -[R' K p; vee(K_r R - R' K_r) / 2] - D V. K_r is chosen to give the stiffness asked for at small angles. */
RT_SAFE static double hold(double F[static 6], const struct contact_model *m,
                           const struct contact_state *s, const struct contact_input *in)
{
    const double ramp = m->latch_ramp_s > 0.0 ? quintic(s->latched_s / m->latch_ramp_s, NULL) : 1.0;
    const double *k = m->latch_stiffness, *turning = m->latch_stiffness + 3;
    const double sum = turning[0] + turning[1] + turning[2];
    const double kr[3] = {sum - 2.0 * turning[0], sum - 2.0 * turning[1], sum - 2.0 * turning[2]};
    struct pose rest, e;
    double V_rest[6], V[6], pull[3], force[6], energy = 0.0;

    rest_motion(&rest, V_rest, m, s);
    se3_relative(&e, &rest, &in->g_ge);
    contact_twist(V, &e, V_rest, in->V_ge);

    for (int i = 0, d = 0; i < 3; i++, d += 4) {
        pull[i] = k[i] * e.p[i];
        energy += 0.5 * (k[i] * e.p[i] * e.p[i] + kr[i] * (1.0 - e.R[d]));
    }
    mat_vec3_t(force, e.R, pull);
    force[3] = 0.5 * (kr[2] * e.R[7] - kr[1] * e.R[5]);
    force[4] = 0.5 * (kr[0] * e.R[2] - kr[2] * e.R[6]);
    force[5] = 0.5 * (kr[1] * e.R[3] - kr[0] * e.R[1]);
    for (int i = 0; i < 6; i++) {
        F[i] -= ramp * (force[i] + m->latch_damping[i] * V[i]);
    }
    return ramp * energy;
}

RT_SAFE void contact_wrench(const struct contact_model *m, const struct contact_state *s,
                            const struct contact_input *in, struct contact_output *out)
{
    mat_zero(out->F_e, 6);
    out->energy_j = 0.0;
    for (int i = 0; i < m->pads; i++) {
        out->energy_j += press(out->F_e, m, in, m->pad[i]);
    }
    if (s->phase == CONTACT_LATCHED) {
        out->energy_j += hold(out->F_e, m, s, in);
    }
    mapping_contact(out->F_g, &in->g_ge, out->F_e);
}

/* Near enough and slow enough to close. */
RT_SAFE static bool near(const struct contact_model *m, const struct contact_input *in)
{
    double angle[3];

    so3_log(angle, in->g_ge.R);
    return mat_norm3(in->g_ge.p) < m->latch_distance_m && mat_norm3(angle) < m->latch_angle_rad &&
           mat_norm3(in->V_ge) < m->latch_speed_mps;
}

RT_SAFE void contact_next(const struct contact_model *m, struct contact_state *s,
                          const struct contact_input *in, double dt_s)
{
    struct contact_output load;

    if (s->phase == CONTACT_OPEN) {
        s->near_s = in->close && near(m, in) ? s->near_s + dt_s : 0.0;
        if (s->near_s > 0.0 && s->near_s >= m->latch_hold_s) {
            s->phase = CONTACT_LATCHED;
            s->latched_s = 0.0;
            se3_log(s->offset, &in->g_ge);
        }
        return;
    }
    s->latched_s += dt_s;
    contact_wrench(m, s, in, &load);
    if (!in->close && mat_norm3(load.F_e) < m->release_n &&
        mat_norm3(load.F_e + 3) < m->release_nm) {
        s->phase = CONTACT_OPEN;
        s->near_s = 0.0;
    }
}
