/* SPDX-License-Identifier: GPL-3.0-or-later */
/* passivity.c - energy observer, series dashpot and lead for the delay of a robot.
 *
 * The observer works on displacements between two cycles, not on sampled velocities: a velocity that is one
 * millisecond misaligned would alone fake several millijoules in seconds.
 */
#include "model/passivity.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/modes.h"
#include "model/so3.h"

/* W' M^-1 W below this is no contact: there is no direction to yield in, W^2/kg */
#define LEAST_YIELD 1e-9

/* A drift this small, m and rad, is dropped when it bleeds: it would only decay into denormal numbers */
#define LEAST_DRIFT 1e-12

int passivity_init(const struct passivity_model *m, struct passivity_state *s)
{
    *s = (struct passivity_state){.valid = true};
    se3_identity(&s->drift);
    if (m->delay_cycles < 0 || m->delay_cycles > PASSIVITY_DELAY_MAX ||
        !(m->speed_limit_mps > 0.0) || !(m->rate_limit_radps > 0.0) || !(m->bleed_s > 0.0) ||
        !(m->tolerated_j >= 0.0)) {
        return -EINVAL;
    }
    return 0;
}

/* x = [p; log R] of before^-1 now, in the axes of before */
RT_SAFE static void displacement(double x[static 6], const struct pose *before,
                                 const struct pose *now)
{
    struct pose g;

    se3_relative(&g, before, now);
    mat_copy(x, g.p, 3);
    so3_log(x + 3, g.R);
}

/* E += (W(k-1) + W(k))' (executed - computed displacement) / 2 */
RT_SAFE static void observe(struct passivity_state *s, const struct passivity_input *in)
{
    double executed[6], computed[6];

    if (s->started) {
        displacement(executed, &s->measured, &in->measured);
        displacement(computed, &s->model, &in->model);
        for (int i = 0; i < 6; i++) {
            s->energy_j += 0.5 * (s->wrench[i] + in->wrench[i]) * (executed[i] - computed[i]);
        }
    }
    s->measured = in->measured;
    s->model = in->model;
    mat_copy(s->wrench, in->wrench, 6);
    s->started = true;
}

/* Factor, at most 1, that brings the twist V below the limits of the model. */
RT_SAFE static double limiter(const struct passivity_model *m, const double V[static 6])
{
    const double speed = mat_norm3(V), rate = mat_norm3(V + 3);
    double factor = 1.0;

    if (speed > m->speed_limit_mps) {
        factor = m->speed_limit_mps / speed;
    }
    if (rate * factor > m->rate_limit_radps) {
        factor = m->rate_limit_radps / rate;
    }
    return factor;
}

/* V_pc = beta M^-1 W, beta = -E_eff / (dt W' M^-1 W): pays back in one cycle unless limited. Returns the energy. */
RT_SAFE static double yield(const struct passivity_model *m, struct passivity_state *s,
                            const struct passivity_input *in, double dt_s)
{
    double direction[6], along, beta;

    mat_vec6(direction, in->mobility, in->wrench);
    along = mat_dot6(in->wrench, direction);
    if (!(s->effective_j < -m->tolerated_j) || !(along > LEAST_YIELD)) {
        return 0.0;
    }
    beta = -(s->effective_j + m->tolerated_j) / (dt_s * along);
    mat_scale(s->drift_velocity, beta, direction, 6);
    beta *= limiter(m, s->drift_velocity);
    mat_scale(s->drift_velocity, beta, direction, 6);
    se3_step(&s->drift, s->drift_velocity, dt_s);
    so3_orthonormalise(s->drift.R);
    return dt_s * beta * along;
}

/* Back to no drift along its own screw, u <- u (1 - dt/tau), not faster than the limits. */
RT_SAFE static void bleed(const struct passivity_model *m, struct passivity_state *s, double dt_s)
{
    double u[6], back;

    se3_log(u, &s->drift);
    if (mat_dot6(u, u) < LEAST_DRIFT * LEAST_DRIFT) {
        se3_identity(&s->drift);
        return;
    }
    mat_scale(s->drift_velocity, -1.0 / m->bleed_s, u, 6);
    back = limiter(m, s->drift_velocity);
    mat_scale(s->drift_velocity, back, s->drift_velocity, 6);
    mat_scale(u, 1.0 - base_clamp(back * dt_s / m->bleed_s, 0.0, 1.0), u, 6);
    se3_exp(&s->drift, u);
}

RT_SAFE static bool finite_pose(const struct pose *g)
{
    return base_all_finite(g->R, 9) && base_all_finite(g->p, 3);
}

RT_SAFE void passivity_step(const struct passivity_model *m, struct passivity_state *s,
                            const struct passivity_input *in, double dt_s)
{
    double commanded = 0.0;

    mat_zero(s->drift_velocity, 6);
    s->valid = finite_pose(&in->measured) && finite_pose(&in->model) &&
               base_all_finite(in->wrench, 6) && base_all_finite(in->mobility, 36);
    if (!s->valid) {
        s->started = false; /* the next displacement would span two cycles */
        return;
    }
    observe(s, in);

    /* what was commanded in the last d + 1 cycles is on its way and must not be asked for again */
    s->effective_j = s->energy_j;
    for (int i = 0; i <= m->delay_cycles; i++) {
        s->effective_j += s->pending_j[i];
    }
    if (in->contact) {
        commanded = yield(m, s, in, dt_s);
    } else {
        bleed(m, s, dt_s);
    }
    s->pending_j[s->next] = commanded;
    s->next = s->next < m->delay_cycles ? s->next + 1 : 0;
}

RT_SAFE void passivity_lead(struct motion *ahead, const struct motion *lab, double lead_s)
{
    const double l = lead_s;
    double u[6];
    struct pose step;

    for (int i = 0; i < 6; i++) {
        const double V = lab->velocity[i], V_dot = lab->acceleration[i];

        u[i] = l * V + 0.5 * l * l * V_dot;
        ahead->velocity[i] = V + l * V_dot;
        ahead->acceleration[i] = V_dot;
    }
    se3_exp(&step, u);
    se3_mul(&ahead->pose, &lab->pose, &step);
}

RT_SAFE void passivity_command(struct motion *command, const struct passivity_state *s,
                               const struct motion *ahead)
{
    /* d/dt (g drift) = g drift (Ad_drift^-1 V + V_pc)^ */
    se3_mul(&command->pose, &ahead->pose, &s->drift);
    se3_apply_Ad_inverse(command->velocity, &s->drift, ahead->velocity);
    mat_add(command->velocity, command->velocity, s->drift_velocity, 6);
    se3_apply_Ad_inverse(command->acceleration, &s->drift, ahead->acceleration);
}

RT_SAFE double passivity_frequency(const double stiffness[static 36],
                                   const double mobility[static 36])
{
    return sqrt(modes_greatest(mobility, stiffness));
}

RT_SAFE double passivity_growth(double omega_radps, double delay_s)
{
    return 0.5 * omega_radps * omega_radps * delay_s;
}
