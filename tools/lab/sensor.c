/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sensor.c - the force/torque sensor under the client mock-up. */
#include "tools/lab/sensor.h"

#include <errno.h>

#include "model/mat.h"

/* Of the random numbers, so that no two instruments share theirs. */
#define STREAM 101

int sensor_init(const struct sensor_model *m, struct sensor_state *s, uint64_t seed, double dt_s)
{
    struct random_markov filter;

    memset(s, 0, sizeof *s);
    if (body_check(&m->mockup, NULL) != BODY_GOOD || !base_all_finite(m->bias, 6) ||
        !base_all_finite(m->noise, 6) || !base_all_finite(m->place.R, 9) ||
        !base_all_finite(m->place.p, 3) || !base_finite(m->filter_s) || !(m->filter_s >= 0.0) ||
        !(dt_s > 0.0) || !base_finite(dt_s)) {
        return -EINVAL;
    }
    for (int i = 0; i < 6; i++) {
        if (!(m->noise[i] >= 0.0)) {
            return -EINVAL;
        }
    }
    random_init(&s->noise, seed, STREAM);
    random_markov_init(&filter, 1.0, m->filter_s, dt_s); /* for its exp(-dt/tau) */
    s->keep = filter.keep;
    s->dt_s = dt_s;
    return 0;
}

void sensor_feel(double F[static 6], const struct sensor_model *m, const struct sensor_input *in)
{
    double V[6], V_dot[6], g[3], moving[6], turning[6], weight[6] = {0.0};
    struct pose place;

    /* to the sensor: V_f = Ad^-1 V, and the same for V' because f is fixed in T */
    se3_apply_Ad_inverse(V, &m->place, in->body.velocity);
    se3_apply_Ad_inverse(V_dot, &m->place, in->body.acceleration);
    se3_mul(&place, &in->body.pose, &m->place);
    mat_vec3_t(g, place.R, in->gravity);

    mat_scale(weight, m->mockup.mass_kg, g, 3);
    mat_cross3(weight + 3, m->mockup.moment, g);
    body_momentum(moving, &m->mockup, V_dot);
    body_bias(turning, &m->mockup, V);
    se3_apply_Ad_transpose(F, &m->place, in->contact);
    for (int i = 0; i < 6; i++) {
        F[i] += weight[i] - moving[i] - turning[i];
    }
}

/* y' = (x - y) / tau over one period in which x goes straight from the last value to the new one: no error in a ramp */
static void filter(const struct sensor_model *m, struct sensor_state *s, const double x[static 6])
{
    const double keep = s->keep, lag = m->filter_s * (1.0 - keep) / s->dt_s;

    for (int i = 0; i < 6; i++) {
        const double change = x[i] - s->felt[i];

        s->filtered[i] = keep * (s->filtered[i] - s->felt[i]) + x[i] - lag * change;
        s->felt[i] = x[i];
    }
}

void sensor_step(double sample[static 6], const struct sensor_model *m, struct sensor_state *s,
                 const struct sensor_input *in)
{
    double F[6];

    sensor_feel(F, m, in);
    if (!s->started || !(m->filter_s > 0.0)) {
        mat_copy(s->felt, F, 6);
        mat_copy(s->filtered, F, 6);
        s->started = true;
    } else {
        filter(m, s, F);
    }
    for (int i = 0; i < 6; i++) {
        sample[i] = s->filtered[i] + m->bias[i];
        if (m->noise[i] > 0.0) {
            sample[i] += m->noise[i] * random_normal(&s->noise);
        }
    }
}
