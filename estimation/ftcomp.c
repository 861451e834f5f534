/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ftcomp.c - the contact wrench out of what a force/torque sensor under a mock-up reports. */
#include "estimation/ftcomp.h"

#include <errno.h>
#include <math.h>

#include "model/linear.h"
#include "model/mat.h"
#include "model/modes.h"

int ftcomp_init(const struct ftcomp_model *m, struct ftcomp_state *s)
{
    *s = (struct ftcomp_state){.started = false};
    if (body_check(&m->tool, NULL) != BODY_GOOD || !base_all_finite(m->bias, 6) ||
        !base_all_finite(m->g_tf.R, 9) || !base_all_finite(m->g_tf.p, 3) ||
        !base_finite(m->filter_hz) || m->filter_hz < 0.0) {
        return -EINVAL;
    }
    return 0;
}

RT_SAFE void ftcomp_contact(double F[static 6], const struct ftcomp_model *m,
                            const double measured[static 6], const double V_f[static 6],
                            const double V_f_dot[static 6], const double gravity_f[static 3])
{
    double weight[6], inertial[6], coriolis[6];

    /* Newton and Euler for the tool: M V' - ad_V^T M V = contact + weight - measured without bias. V is the lab
     * twist, never the one in orbit: the sensor is in the lab. */
    mat_scale(weight, m->tool.mass_kg, gravity_f, 3);
    mat_cross3(weight + 3, m->tool.moment, gravity_f);
    body_momentum(inertial, &m->tool, V_f_dot);
    body_bias(coriolis, &m->tool, V_f);
    for (int i = 0; i < 6; i++) {
        F[i] = measured[i] - m->bias[i] - weight[i] + inertial[i] + coriolis[i];
    }
}

RT_SAFE void ftcomp_step(const struct ftcomp_model *m, struct ftcomp_state *s,
                         const struct ftcomp_input *in, double F_t[static 6], double dt_s)
{
    const double corner = 2.0 * BASE_PI * m->filter_hz * dt_s;
    const double share = s->started && m->filter_hz > 0.0 ? corner / (1.0 + corner) : 1.0;
    double V_f[6], V_f_dot[6], g_t[3], g_f[3], F_f[6];

    /* f is fixed in T, so twist and acceleration move with the same adjoint */
    se3_apply_Ad_inverse(V_f, &m->g_tf, in->lab.velocity);
    se3_apply_Ad_inverse(V_f_dot, &m->g_tf, in->lab.acceleration);
    mat_vec3_t(g_t, in->lab.pose.R, in->gravity);
    mat_vec3_t(g_f, m->g_tf.R, g_t);

    /* the sensor shows the inertia through its own filter, so the acceleration must pass the same */
    for (int i = 0; i < 6; i++) {
        s->acceleration[i] += share * (V_f_dot[i] - s->acceleration[i]);
    }
    s->started = true;
    ftcomp_contact(F_f, m, in->measured, V_f, s->acceleration, g_f);
    se3_apply_Ad_inverse_transpose(F_t, &m->g_tf, F_f);
}

RT_SAFE double ftcomp_feedback(const struct ftcomp_model *m, const struct body *simulated)
{
    struct body tool;
    double M_t[36], M_m[36], L[36], one[36], inverse[36];

    body_place(&tool, &m->g_tf, &m->tool);
    body_matrix(M_m, &tool);
    body_matrix(M_t, simulated);
    mat_identity(one, 6);
    if (!linear_cholesky(L, M_t, 6)) {
        return (double)NAN;
    }
    linear_cholesky_solve(inverse, L, one, 6, 6);
    mat_symmetrise(inverse, 6);
    return modes_greatest(inverse, M_m);
}

/* Means over the samples, and the sums of squares and products of what is left of them:
 *     measured force    f = b_f + m g          m = sum d.(f - mean f) / sum d.d,       d = g - mean g
 *     measured torque   t = b_t + h x g        S h = sum d x (t - mean t),   S = sum (d.d 1 - d d')  */
struct sums {
    double gravity[3], measured[6]; /* means */
    double S[9], turn[3], along, square;
};

static void add_up(struct sums *s, const struct ftcomp_sample *sample, int n)
{
    *s = (struct sums){0};
    for (int k = 0; k < n; k++) {
        mat_add_scaled(s->gravity, 1.0 / n, sample[k].gravity, 3);
        mat_add_scaled(s->measured, 1.0 / n, sample[k].measured, 6);
    }
    for (int k = 0; k < n; k++) {
        double d[3], w[6], turn[3];

        mat_sub(d, sample[k].gravity, s->gravity, 3);
        mat_sub(w, sample[k].measured, s->measured, 6);
        mat_cross3(turn, d, w + 3);
        mat_add(s->turn, s->turn, turn, 3);
        s->along += mat_dot3(d, w);
        s->square += mat_dot3(d, d);
        for (int i = 0; i < 9; i++) {
            s->S[i] += (i % 4 == 0 ? mat_dot3(d, d) : 0.0) - d[i / 3] * d[i % 3];
        }
    }
}

/* What sample k says that the fit does not, N and Nm. */
static void residual(double r[static 6], const struct ftcomp_fit *fit,
                     const struct ftcomp_sample *sample)
{
    double h[3], turn[3];

    mat_scale(h, fit->mass_kg, fit->com, 3);
    mat_cross3(turn, h, sample->gravity);
    for (int i = 0; i < 3; i++) {
        r[i] = sample->measured[i] - fit->bias[i] - fit->mass_kg * sample->gravity[i];
        r[i + 3] = sample->measured[i + 3] - fit->bias[i + 3] - turn[i];
    }
}

/* Residuals of all samples, and what they say about the accuracy of mass and centre. */
static void judge(struct ftcomp_fit *fit, const struct sums *s, double least,
                  const struct ftcomp_sample *sample, int n)
{
    double force = 0.0, torque = 0.0, worst = -1.0, r[6];

    for (int k = 0; k < n; k++) {
        residual(r, fit, &sample[k]);
        force += mat_dot3(r, r);
        torque += mat_dot3(r + 3, r + 3);
    }
    fit->residual_n = sqrt(force / (3 * n));
    fit->residual_nm = sqrt(torque / (3 * n));
    for (int k = 0; k < n; k++) {
        double size;

        residual(r, fit, &sample[k]);
        size = fmax(force > 0.0 ? mat_dot3(r, r) / force : 0.0,
                    torque > 0.0 ? mat_dot3(r + 3, r + 3) / torque : 0.0);
        if (size > worst) {
            worst = size;
            fit->worst = k;
        }
    }
    /* 3 n equations less 4 or 6 unknowns */
    fit->mass_sigma_kg = sqrt(force / (3 * n - 4) / s->square);
    fit->com_sigma_m = sqrt(torque / (3 * n - 6) / least) / fit->mass_kg;
}

int ftcomp_identify(struct ftcomp_fit *fit, const struct ftcomp_sample *sample, int n)
{
    struct sums s;
    double value[3], axes[9], inverse[9], h[3], turn[3], size = 0.0;

    *fit = (struct ftcomp_fit){0};
    if (n < FTCOMP_POSES_MIN) {
        return -EINVAL;
    }
    for (int k = 0; k < n; k++) {
        if (!base_all_finite(sample[k].gravity, 3) || !base_all_finite(sample[k].measured, 6)) {
            return -EINVAL;
        }
        size += mat_dot3(sample[k].gravity, sample[k].gravity);
    }
    add_up(&s, sample, n);
    mat_eigen3(value, axes, s.S);
    fit->spread = size > 0.0 ? value[0] / size : 0.0;
    if (!(fit->spread >= FTCOMP_SPREAD_MIN) || !mat_inverse3(inverse, s.S)) {
        return -EDOM;
    }
    fit->mass_kg = s.along / s.square;
    if (!(fit->mass_kg > 0.0)) {
        return -ERANGE;
    }
    mat_vec3(h, inverse, s.turn);
    mat_scale(fit->com, 1.0 / fit->mass_kg, h, 3);
    mat_cross3(turn, h, s.gravity);
    for (int i = 0; i < 3; i++) {
        fit->bias[i] = s.measured[i] - fit->mass_kg * s.gravity[i];
        fit->bias[i + 3] = s.measured[i + 3] - turn[i];
    }
    judge(fit, &s, value[0], sample, n);
    return 0;
}
