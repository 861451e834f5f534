/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/friction.h"

#include <errno.h>

#include "model/linear.h"
#include "model/mat.h"

int friction_init(const struct friction_model *m, struct friction_state *s)
{
    bool good = m->joints >= 0 && m->joints <= MULTIBODY_LANES && base_finite(m->bandwidth_radps) &&
                m->bandwidth_radps >= 0.0;

    for (int i = 0; good && i < m->joints; i++) {
        good = base_finite(m->limit_nm[i]) && m->limit_nm[i] >= 0.0;
    }
    *s = (struct friction_state){.started = false};
    return good ? 0 : -EINVAL;
}

/* An estimate at its limit must not wind up: v is put where it gives just that, v = qd - M^-1 r / K. */
RT_SAFE static void unwind(const struct friction_model *m, struct friction_state *s,
                           const double *qd, const double *M)
{
    const int n = m->joints;
    double L[MULTIBODY_LANES * MULTIBODY_LANES], apart[MULTIBODY_LANES];

    linear_cholesky(L, M, n);
    linear_cholesky_solve(apart, L, s->torque, n, 1);
    for (int i = 0; i < n; i++) {
        s->velocity[i] = qd[i] - apart[i] / m->bandwidth_radps;
    }
}

void friction_step(const struct friction_model *m, struct friction_state *s, const double *qd,
                   const double *acceleration, const double *M, double dt_s)
{
    const int n = m->joints;
    double apart[MULTIBODY_LANES] = {0.0};
    bool limited = false;

    if (!(m->bandwidth_radps > 0.0)) {
        return;
    }
    if (!s->started || !base_all_finite(qd, n) || !base_all_finite(acceleration, n) ||
        !base_all_finite(M, n * n)) {
        s->started = base_all_finite(qd, n) && base_all_finite(acceleration, n);
        mat_copy(s->velocity, qd, n);
        mat_copy(s->acceleration, acceleration, n);
        mat_zero(s->torque, n);
        return;
    }
    mat_add_scaled(s->velocity, dt_s, s->acceleration, n);
    mat_copy(s->acceleration, acceleration, n);
    mat_sub(apart, qd, s->velocity, n);
    mat_vec(s->torque, M, apart, n, n);
    for (int i = 0; i < n; i++) {
        const double wanted = m->bandwidth_radps * s->torque[i];

        s->torque[i] = base_clamp(wanted, -m->limit_nm[i], m->limit_nm[i]);
        limited = limited || s->torque[i] < wanted || s->torque[i] > wanted;
    }
    if (limited) {
        unwind(m, s, qd, M);
    }
}
