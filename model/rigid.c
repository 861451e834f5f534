/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rigid.c - one free rigid body in orbit, kept by its pose and its spatial momentum.
 *
 * With the frame in the centre of mass the translation decouples and is integrated exactly. The rotation
 * is a Runge-Kutta-Munthe-Kaas step of fourth order: R = R_0 exp[u] with
 *
 *     u' = w + u x w / 2 + u x (u x w) / 12,      w = J^-1 exp[-u] R_0' h,
 *
 * the rotational rows of the same formula on SE(3). h is the angular momentum about the centre of mass.
 *
 * A step of 1 ms turns the body by 4e-5 rad, and adding that to R loses 1e-16 each time, always to the same
 * side. Carrying the lost part to the next step makes an hour good to 1e-12 rad in place of 5e-9 rad, and keeps
 * the position in step with the momentum, whose moment about the origin it enters.
 */
#include "model/rigid.h"

#include <errno.h>

#include "model/mat.h"
#include "model/so3.h"

int rigid_init(struct rigid_model *m, double mass_kg, const double inertia_kgm2[static 6])
{
    const double *J = inertia_kgm2;
    const double centre[3] = {0.0, 0.0, 0.0};
    const double inertia[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    double principal[3], axes[9];

    body_make(&m->body, mass_kg, centre, inertia_kgm2);
    mat_copy(m->inertia, inertia, 9);
    mat_zero(m->inverse, 9);
    if (body_check(&m->body, NULL) != BODY_GOOD || !(mass_kg > 0.0)) {
        return -EINVAL;
    }
    mat_eigen3(principal, axes, inertia);
    if (!(principal[0] > 1e-9 * principal[2]) || !mat_inverse3(m->inverse, inertia)) {
        return -EINVAL;
    }
    return 0;
}

RT_SAFE bool rigid_ready(const struct rigid_model *m)
{
    /* the trace of J^-1; only an accepted body has an inverse */
    return m->inverse[0] + m->inverse[4] + m->inverse[8] > 0.0;
}

RT_SAFE void rigid_start(const struct rigid_model *m, struct rigid_state *s, const struct pose *g,
                         const double V[static 6])
{
    double P[6];

    s->pose = *g;
    mat_zero(s->rotation_rest, 9);
    mat_zero(s->position_rest, 3);
    body_momentum(P, &m->body, V);
    se3_apply_Ad_inverse_transpose(s->momentum, g, P);
}

/* h = R'(L - p x P), about the centre of mass, body axes */
RT_SAFE static void spin(double h[static 3], const struct pose *g, const double mu[static 6])
{
    double h_inertial[3];

    mat_cross3(h_inertial, g->p, mu);
    mat_sub(h_inertial, mu + 3, h_inertial, 3);
    mat_vec3_t(h, g->R, h_inertial);
}

RT_SAFE void rigid_velocity(double V[static 6], const struct rigid_model *m,
                            const struct rigid_state *s)
{
    double h[3];

    mat_vec3_t(V, s->pose.R, s->momentum);
    mat_scale(V, 1.0 / m->body.mass_kg, V, 3);
    spin(h, &s->pose, s->momentum);
    mat_vec3(V + 3, m->inverse, h);
}

RT_SAFE void rigid_acceleration(double V_dot[static 6], const struct rigid_model *m,
                                const double V[static 6], const double F[static 6])
{
    const double *v = V, *w = V + 3;
    double wv[3], h[3], wh[3], torque[3];

    /* [REL 2]  v' = f/m - w x v,  w' = J^-1 (m - w x J w) */
    mat_cross3(wv, w, v);
    mat_vec3(h, m->inertia, w);
    mat_cross3(wh, w, h);
    mat_sub(torque, F + 3, wh, 3);
    for (int i = 0; i < 3; i++) {
        V_dot[i] = F[i] / m->body.mass_kg - wv[i];
    }
    mat_vec3(V_dot + 3, m->inverse, torque);
}

/* k = u' at u for the angular momentum h, given in the axes the body had at the start of the step */
RT_SAFE static void stage(double k[static 3], const struct rigid_model *m, const double u[static 3],
                          const double h[static 3])
{
    const double t = mat_dot3(u, u), c1 = 1.0 - t * (1.0 / 6.0), c2 = 0.5 - t * (1.0 / 24.0);
    double uh[3], uuh[3], turned[3], w[3], uw[3], uuw[3];

    /* exp[-u] h = h - c_1 u x h + c_2 u x (u x h), cut at the order of the step */
    mat_cross3(uh, u, h);
    mat_cross3(uuh, u, uh);
    for (int i = 0; i < 3; i++) {
        turned[i] = h[i] - c1 * uh[i] + c2 * uuh[i];
    }
    mat_vec3(w, m->inverse, turned);
    mat_cross3(uw, u, w);
    mat_cross3(uuw, u, uw);
    for (int i = 0; i < 3; i++) {
        k[i] = w[i] + 0.5 * uw[i] + uuw[i] * (1.0 / 12.0);
    }
}

/* u over one step, from the angular momentum h at its start and the torque n, both in the axes at the start */
RT_SAFE static void turn(double u[static 3], const struct rigid_model *m, const double h[static 3],
                         const double n[static 3], double dt)
{
    const double zero[3] = {0.0, 0.0, 0.0};
    double k1[3], k2[3], k3[3], k4[3], at[3], h_half[3], h_end[3];

    for (int i = 0; i < 3; i++) {
        h_half[i] = h[i] + 0.5 * dt * n[i];
        h_end[i] = h[i] + dt * n[i];
    }
    stage(k1, m, zero, h);
    mat_scale(at, 0.5 * dt, k1, 3);
    stage(k2, m, at, h_half);
    mat_scale(at, 0.5 * dt, k2, 3);
    stage(k3, m, at, h_half);
    mat_scale(at, dt, k3, 3);
    stage(k4, m, at, h_end);
    for (int i = 0; i < 3; i++) {
        u[i] = dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
}

/* x = x + add, with what rounding adds too much carried from step to step in rest (Kahan's sum) */
RT_SAFE static void carry(double *x, double *rest, const double *add, int n)
{
    for (int i = 0; i < n; i++) {
        const double due = add[i] - rest[i];
        const double sum = x[i] + due;

        rest[i] = (sum - x[i]) - due;
        x[i] = sum;
    }
}

/* R <- R exp[u], and one Newton step towards orthonormal: R += R (exp[u] - 1 + (1 - R'R) / 2) */
RT_SAFE static void rotate(double R[static 9], double rest[static 9], const double u[static 3])
{
    double c[6], S[9], SS[9], error[9], add[9];

    so3_coefficients(c, mat_dot3(u, u));
    so3_hat(S, u);
    mat_mul3(SS, S, S);
    mat_mul3_tn(error, R, R);
    for (int i = 0; i < 9; i++) {
        S[i] = c[1] * S[i] + c[2] * SS[i] + 0.5 * ((i % 4 == 0 ? 1.0 : 0.0) - error[i]);
    }
    mat_mul3(add, R, S);
    carry(R, rest, add, 9);
}

RT_SAFE void rigid_step(const struct rigid_model *m, struct rigid_state *s,
                        const double w[static 6], double dt_s)
{
    const double *P = s->momentum, *f = w;
    double h[3], n[3], u[3], move[3];

    /* both before the position moves: about the centre of mass at the start of the step */
    spin(h, &s->pose, s->momentum);
    spin(n, &s->pose, w);

    /* p' = P/m, P' = f */
    for (int i = 0; i < 3; i++) {
        move[i] = dt_s * (P[i] + 0.5 * dt_s * f[i]) / m->body.mass_kg;
    }
    carry(s->pose.p, s->position_rest, move, 3);

    turn(u, m, h, n, dt_s);
    rotate(s->pose.R, s->rotation_rest, u);
}

RT_SAFE double rigid_energy(const struct rigid_model *m, const struct rigid_state *s)
{
    double V[6], P[6];

    rigid_velocity(V, m, s);
    body_momentum(P, &m->body, V);
    return 0.5 * mat_dot6(V, P);
}
