/* SPDX-License-Identifier: GPL-3.0-or-later */
/* client.c - the client satellite: a rigid body in orbit, and what its robot does in the lab. */
#include "model/client.h"

#include <errno.h>

#include "model/mat.h"

/* Twists and accelerations from pose and momentum, under the wrench in T axes. */
RT_SAFE static void settle(const struct client_model *m, struct client_state *s,
                           const struct motion *nominal, const double F_t[static 6])
{
    s->orbit.pose = s->body.pose;
    rigid_velocity(s->orbit.velocity, &m->body, &s->body);
    rigid_acceleration(s->orbit.acceleration, &m->body, s->orbit.velocity, F_t);
    mapping_to_lab(&s->lab, nominal, &s->orbit);
}

int client_init(const struct client_model *m, struct client_state *s, const struct motion *nominal,
                const struct pose *g_t, const double V_t[static 6])
{
    const double no_wrench[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

    *s = (struct client_state){0};
    if (!base_all_finite(g_t->R, 9) || !base_all_finite(g_t->p, 3) || !base_all_finite(V_t, 6) ||
        !rigid_ready(&m->body)) {
        return -EINVAL;
    }
    rigid_start(&m->body, &s->body, g_t, V_t);
    settle(m, s, nominal, no_wrench);
    s->valid = true;
    return 0;
}

RT_SAFE void client_step(const struct client_model *m, struct client_state *s,
                         const struct motion *nominal, const double F_t[static 6], double dt_s)
{
    double F[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, w[6];

    s->valid = base_all_finite(F_t, 6);
    if (s->valid) {
        mat_copy(F, F_t, 6);
    }

    /* pose by momentum and wrench of the last cycle, then momentum by the mean of both wrenches:
     * mu += dt/2 (w_prev + w), w = Ad_{g_t^-1}^T F_t (velocity Verlet; keeps angular momentum exactly) */
    rigid_step(&m->body, &s->body, s->wrench, dt_s);
    se3_apply_Ad_inverse_transpose(w, &s->body.pose, F);
    for (int i = 0; i < 6; i++) {
        s->body.momentum[i] += 0.5 * dt_s * (s->wrench[i] + w[i]);
        s->wrench[i] = w[i];
    }
    settle(m, s, nominal, F);
}

/* y = M_t^-1 F */
RT_SAFE static void over_inertia(double y[static 6], const struct client_model *m,
                                 const double F[static 6])
{
    mat_scale(y, 1.0 / m->body.body.mass_kg, F, 3);
    mat_vec3(y + 3, m->body.inverse, F + 3);
}

RT_SAFE void client_admittance(double V_c_dot[static 6], const struct client_model *m,
                               const struct client_input *in)
{
    double V_t[6], CV[6], rest[6];

    /* [REL 11]  M_t V_c' = F - C_t(V_t) V_t - M_t dV_c',  V_t = V_c + dV_c */
    mat_add(V_t, in->V_c, in->dV_c, 6);
    body_bias(CV, &m->body.body, V_t);
    mat_sub(rest, in->wrench, CV, 6);
    over_inertia(V_c_dot, m, rest);
    mat_sub(V_c_dot, V_c_dot, in->dV_c_dot, 6);
}

RT_SAFE void client_impedance(double F_c[static 6], const struct client_model *m,
                              const struct body *mockup, const struct client_input *in)
{
    double V_t[6], CV_t[6], CV_c[6], rest[6], wanted[6];

    /* [REL 9]  F_c = (M_c M_t^-1 - 1) F - M_c dV_c' - M_c M_t^-1 C_t V_t + C_c V_c
     *              = M_c (M_t^-1 (F - C_t V_t) - dV_c') + C_c V_c - F */
    mat_add(V_t, in->V_c, in->dV_c, 6);
    body_bias(CV_t, &m->body.body, V_t);
    body_bias(CV_c, mockup, in->V_c);
    mat_sub(rest, in->wrench, CV_t, 6);
    over_inertia(wanted, m, rest);
    mat_sub(wanted, wanted, in->dV_c_dot, 6);
    body_momentum(F_c, mockup, wanted);
    for (int i = 0; i < 6; i++) {
        F_c[i] += CV_c[i] - in->wrench[i];
    }
}

RT_SAFE void client_impedance_equal(double F_c[static 6], const struct client_model *m,
                                    const struct client_input *in)
{
    double V_t[6], CV_t[6], CV_c[6], MdV[6];

    /* [REL 10]  F_c = -M_t dV_c' - C_t V_t + C_c V_c */
    mat_add(V_t, in->V_c, in->dV_c, 6);
    body_bias(CV_t, &m->body.body, V_t);
    body_bias(CV_c, &m->body.body, in->V_c);
    body_momentum(MdV, &m->body.body, in->dV_c_dot);
    for (int i = 0; i < 6; i++) {
        F_c[i] = CV_c[i] - CV_t[i] - MdV[i];
    }
}
