/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sensors.c - star tracker and relative-navigation sensor: performance models. */
#include "model/sensors.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/so3.h"

#define ARCSEC (BASE_PI / (180.0 * 3600.0))
#define DEGREE (BASE_PI / 180.0)
#define MS_NS  ((int64_t)1000000)

/* one hour; keeps every product far from overflow */
#define GREATEST_PERIOD_NS (3600000 * MS_NS)

/* ---- the line every sensor has ---- */

RT_SAFE static bool good_timing(const struct sensors_timing *t)
{
    return t->period_ns > 0 && t->period_ns <= GREATEST_PERIOD_NS && t->lag_ns >= 0 &&
           t->lag_ns <= (SENSORS_PENDING - 1) * t->period_ns;
}

RT_SAFE static bool not_negative(const double *x, int n)
{
    bool all = true;

    for (int i = 0; i < n; i++) {
        all = all && base_finite(x[i]) && x[i] >= 0.0;
    }
    return all;
}

/* Place for a new measurement if it is time for one, else -1. After a pause the rhythm starts again. */
RT_SAFE static int line_due(struct sensors_line *line, const struct sensors_timing *t,
                            int64_t now_ns)
{
    if (now_ns < line->next_ns || line->count == SENSORS_PENDING) {
        return -1;
    }
    line->next_ns += t->period_ns;
    if (line->next_ns <= now_ns) {
        line->next_ns = now_ns + t->period_ns;
    }
    line->count++;
    return (line->oldest + line->count - 1) % SENSORS_PENDING;
}

/* Place of the oldest measurement, taken off the line. */
RT_SAFE static int line_take(struct sensors_line *line)
{
    const int place = line->oldest;

    line->oldest = (line->oldest + 1) % SENSORS_PENDING;
    line->count--;
    return place;
}

/* ---- star tracker ---- */

RT_SAFE void sensors_star_typical(struct sensors_star_model *m)
{
    const double bias[3] = {5.0, 5.0, 10.0}, slow[3] = {3.0, 3.0, 15.0},
                 noise[3] = {3.0, 3.0, 24.0};

    *m = (struct sensors_star_model){.timing = {100 * MS_NS, 100 * MS_NS},
                                     .mount = {0.0, 0.0, 0.0, 1.0},
                                     .slow_s = 200.0,
                                     .noise_rate_radps = 0.3 * DEGREE,
                                     .rate_limit_radps = 3.0 * DEGREE};
    mat_scale(m->bias_rad, ARCSEC, bias, 3);
    mat_scale(m->slow_rad, ARCSEC, slow, 3);
    mat_scale(m->noise_rad, ARCSEC, noise, 3);
}

int sensors_star_init(const struct sensors_star_model *m, struct sensors_star_state *s,
                      uint64_t seed, uint64_t stream)
{
    const double length = mat_dot(m->mount, m->mount, 4);

    *s = (struct sensors_star_state){0};
    s->sample.q[3] = s->last_q[3] = 1.0;
    if (!good_timing(&m->timing) || !not_negative(m->bias_rad, 3) ||
        !not_negative(m->slow_rad, 3) || !not_negative(&m->slow_s, 1) ||
        !not_negative(m->noise_rad, 3) || !(m->noise_rate_radps > 0.0) ||
        !(m->rate_limit_radps > 0.0) || !base_finite(length) || !(length > 0.0)) {
        return -EINVAL;
    }
    random_init(&s->random, seed, stream);
    random_normals(s->bias, &s->random, m->bias_rad, 3);
    for (int i = 0; i < 3; i++) {
        random_markov_init(&s->slow_model[i], m->slow_rad[i], m->slow_s,
                           1e-9 * (double)m->timing.period_ns);
        s->slow[i] = random_markov_start(&s->slow_model[i], &s->random);
    }
    return 0;
}

/* q <- q exp(u): a turn by the rotation vector u in the turned axes */
RT_SAFE static void turn_by(double q[static 4], const double u[static 3])
{
    double c[6], step[4];

    so3_coefficients(c, 0.25 * mat_dot3(u, u));
    mat_scale(step, 0.5 * c[1], u, 3);
    step[3] = c[0];
    so3_quat_mul(q, q, step);
}

/* q = q_b q_mount exp(bias + slow + noise), normalised, with the sign of the last one */
RT_SAFE static void star_measure(const struct sensors_star_model *m, struct sensors_star_state *s,
                                 struct sensors_star_sample *out, const struct motion *base)
{
    const double rate = mat_norm3(base->velocity + 3);
    const double relative = rate / m->noise_rate_radps;
    const double growth = sqrt(1.0 + relative * relative);
    double q[4], error[3];

    for (int i = 0; i < 3; i++) {
        s->slow[i] = random_markov_next(&s->slow_model[i], &s->random, s->slow[i]);
        error[i] = s->bias[i] + s->slow[i] + growth * m->noise_rad[i] * random_normal(&s->random);
    }
    so3_to_quat(q, base->pose.R);
    so3_quat_mul(q, q, m->mount);
    turn_by(q, error);
    out->valid = so3_quat_normalise(q) && rate <= m->rate_limit_radps;
    mat_scale(out->q, mat_dot(q, s->last_q, 4) < 0.0 ? -1.0 : 1.0, q, 4);
    mat_copy(s->last_q, out->q, 4);
}

RT_SAFE bool sensors_star_step(const struct sensors_star_model *m, struct sensors_star_state *s,
                               const struct motion *base, int64_t now_ns)
{
    const int place = line_due(&s->line, &m->timing, now_ns);
    bool fresh = false;

    if (place >= 0) {
        star_measure(m, s, &s->pending[place], base);
        s->pending[place].time_ns = now_ns;
    }
    while (s->line.count > 0 && s->pending[s->line.oldest].time_ns + m->timing.lag_ns <= now_ns) {
        s->sample = s->pending[line_take(&s->line)];
        fresh = true;
    }
    return fresh;
}

/* ---- relative navigation ---- */

int sensors_relative_init(const struct sensors_relative_model *m, struct sensors_relative_state *s,
                          uint64_t seed, uint64_t stream)
{
    const double *const sigma[4] = {m->position_m, m->attitude_rad, m->velocity_mps, m->rate_radps};
    bool good = good_timing(&m->timing) && not_negative(&m->correlation_s, 1);

    *s = (struct sensors_relative_state){0};
    se3_identity(&s->sample.g_tb);
    for (int k = 0; k < 4; k++) {
        good = good && not_negative(sigma[k], 3);
    }
    if (!good) {
        return -EINVAL;
    }
    random_init(&s->random, seed, stream);
    for (int i = 0; i < 12; i++) {
        random_markov_init(&s->model[i], sigma[i / 3][i % 3], m->correlation_s,
                           1e-9 * (double)m->timing.period_ns);
        s->error[i] = random_markov_start(&s->model[i], &s->random);
    }
    return 0;
}

RT_SAFE static void relative_measure(struct sensors_relative_state *s,
                                     struct sensors_relative_sample *out,
                                     const struct motion *client, const struct motion *base)
{
    const double *error = s->error;
    double turned[9];

    for (int i = 0; i < 12; i++) {
        s->error[i] = random_markov_next(&s->model[i], &s->random, s->error[i]);
    }
    se3_relative(&out->g_tb, &client->pose, &base->pose);
    mat_add(out->g_tb.p, out->g_tb.p, error, 3);
    so3_exp(turned, error + 3);
    mat_mul3(out->g_tb.R, out->g_tb.R, turned);
    mat_add(out->V_t, client->velocity, error + 6, 6);
    out->valid = base_all_finite(out->g_tb.R, 9) && base_all_finite(out->g_tb.p, 3) &&
                 base_all_finite(out->V_t, 6);
}

RT_SAFE bool sensors_relative_step(const struct sensors_relative_model *m,
                                   struct sensors_relative_state *s, const struct motion *client,
                                   const struct motion *base, int64_t now_ns)
{
    const int place = line_due(&s->line, &m->timing, now_ns);
    bool fresh = false;

    if (place >= 0) {
        relative_measure(s, &s->pending[place], client, base);
        s->pending[place].time_ns = now_ns;
    }
    while (s->line.count > 0 && s->pending[s->line.oldest].time_ns + m->timing.lag_ns <= now_ns) {
        s->sample = s->pending[line_take(&s->line)];
        fresh = true;
    }
    return fresh;
}
