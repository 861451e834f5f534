/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/limit.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/so3.h"

int limit_init(const struct limit_model *m)
{
    const double positive[] = {m->speed_mps,       m->rate_radps, m->acceleration_mps2,
                               m->rotation_radps2, m->jerk_mps3,  m->twitch_radps3};
    bool good = true;

    for (size_t i = 0; i < COUNT_OF(positive); i++) {
        good = good && base_finite(positive[i]) && positive[i] > 0.0;
    }
    for (int i = 0; i < 3; i++) {
        good = good && base_finite(m->low[i]) && base_finite(m->high[i]) && m->low[i] < m->high[i];
    }
    return good ? 0 : -EINVAL;
}

void limit_start(struct limit_state *s, const struct pose *measured)
{
    s->pose = *measured;
    mat_zero(s->velocity, 6);
    mat_zero(s->acceleration, 6);
}

/* Shorten x to the length, keeping its direction. True if it had to be shortened. A hair of room, so that a motion exactly
 * at the limit is not cut by rounding. */
RT_SAFE static bool shorten(double x[static 3], double length)
{
    const double n = mat_norm3(x);

    if (n <= length * (1.0 + 1e-9)) {
        return false;
    }
    mat_scale(x, length / n, x, 3);
    return true;
}

/* The twist [R'(p - p0); log R0'R] / dt that leads from one pose to the other in one period. */
RT_SAFE static void needed(double V[static 6], const struct pose *from, const struct pose *to,
                           double dt_s)
{
    struct pose step;

    se3_relative(&step, from, to);
    mat_scale(V, 1.0 / dt_s, step.p, 3);
    so3_log(V + 3, step.R);
    mat_scale(V + 3, 1.0 / dt_s, V + 3, 3);
}

/* The pose after one period with that twist: the inverse of needed(). */
RT_SAFE static void moved(struct pose *g, const double V[static 6], double dt_s)
{
    struct pose step;
    double turn[3];

    mat_scale(step.p, dt_s, V, 3);
    mat_scale(turn, dt_s, V + 3, 3);
    so3_exp(step.R, turn);
    se3_mul(g, g, &step);
    so3_orthonormalise(g->R);
}

/* Cut the change of velocity to acceleration and jerk, both parts. */
RT_SAFE static bool cut(const struct limit_model *m, const struct limit_state *s,
                        double acc[static 6], double share, double dt_s)
{
    double change[6];
    bool hit;

    hit = shorten(acc, share * m->acceleration_mps2);
    hit = shorten(acc + 3, share * m->rotation_radps2) || hit;
    mat_sub(change, acc, s->acceleration, 6);
    if (shorten(change, share * m->jerk_mps3 * dt_s)) {
        mat_add(acc, s->acceleration, change, 3);
        hit = true;
    }
    if (shorten(change + 3, share * m->twitch_radps3 * dt_s)) {
        mat_add(acc + 3, s->acceleration + 3, change + 3, 3);
        hit = true;
    }
    return hit;
}

RT_SAFE static bool inside(const struct limit_model *m, const struct pose *g)
{
    bool in = true;

    for (int i = 0; i < 3; i++) {
        in = in && g->p[i] >= m->low[i] && g->p[i] <= m->high[i];
    }
    return in;
}

/* Acceleration of one part that takes the velocity difference v away: as much as can fall back to zero together with it,
 * a^2 = 2 j v, halved: then the last, geometric part needs no more jerk than j either. */
RT_SAFE static void brake(double acc[static 3], const double v[static 3], double a_max,
                          double j_max, double dt_s)
{
    const double speed = mat_norm3(v);
    const double a = fmin(fmin(a_max, 0.7 * sqrt(2.0 * j_max * speed)), 0.5 * speed / dt_s);

    mat_scale(acc, speed > 0.0 ? -a / speed : 0.0, v, 3);
}

/* As fast towards the wanted pose as still lets the part stop there. */
RT_SAFE static void approach(double v[static 3], double speed, double a_max, double dt_s)
{
    const double distance = mat_norm3(v) * dt_s;

    (void)shorten(v, fmin(speed, 0.8 * sqrt(a_max * distance)));
}

/* One period towards a pose that is out of reach within it. */
RT_SAFE static void catch_up(const struct limit_model *m, struct limit_state *s,
                             double acc[static 6], const struct pose *wanted, double dt_s)
{
    double V[6];

    needed(V, &s->pose, wanted, dt_s);
    approach(V, m->speed_mps, m->acceleration_mps2, dt_s);
    approach(V + 3, m->rate_radps, m->rotation_radps2, dt_s);
    mat_sub(V, s->velocity, V, 6);
    brake(acc, V, m->acceleration_mps2, m->jerk_mps3, dt_s);
    brake(acc + 3, V + 3, m->rotation_radps2, m->twitch_radps3, dt_s);
    (void)cut(m, s, acc, 1.0, dt_s);
    mat_add_scaled(s->velocity, dt_s, acc, 6);
    moved(&s->pose, s->velocity, dt_s);
}

unsigned limit_follow(const struct limit_model *m, struct limit_state *s, const struct pose *wanted,
                      double dt_s)
{
    double V[6], acc[6];
    unsigned flags = 0;

    if (!base_all_finite(wanted->R, 9) || !base_all_finite(wanted->p, 3)) {
        (void)limit_ramp(m, s, 1.0, dt_s);
        return LIMIT_NOT_FINITE;
    }
    if (!inside(m, wanted)) { /* not a step further that way */
        (void)limit_ramp(m, s, 1.0, dt_s);
        return LIMIT_POSE;
    }
    needed(V, &s->pose, wanted, dt_s);
    flags |= shorten(V, m->speed_mps) ? LIMIT_SPEED : 0u;
    flags |= shorten(V + 3, m->rate_radps) ? LIMIT_SPEED : 0u;
    mat_sub(acc, V, s->velocity, 6);
    mat_scale(acc, 1.0 / dt_s, acc, 6);
    flags |= cut(m, s, acc, 1.0, dt_s) ? LIMIT_ACCELERATION : 0u;
    if (flags == 0) {
        s->pose = *wanted; /* to the last bit: the limiter is not there when it is not needed */
        mat_copy(s->velocity, V, 6);
    } else {
        catch_up(m, s, acc, wanted, dt_s);
    }
    mat_copy(s->acceleration, acc, 6);
    return flags;
}

/* At rest: what is left is gone within a period by a change of acceleration below the jerk limit. */
RT_SAFE static bool settle(double v[static 3], double acc[static 3], double j_max, double dt_s)
{
    if (mat_norm3(v) > 0.5 * j_max * dt_s * dt_s || mat_norm3(acc) > j_max * dt_s) {
        return false;
    }
    mat_zero(v, 3);
    mat_zero(acc, 3);
    return true;
}

bool limit_ramp(const struct limit_model *m, struct limit_state *s, double share, double dt_s)
{
    double acc[6];
    bool still;

    brake(acc, s->velocity, share * m->acceleration_mps2, share * m->jerk_mps3, dt_s);
    brake(acc + 3, s->velocity + 3, share * m->rotation_radps2, share * m->twitch_radps3, dt_s);
    (void)cut(m, s, acc, share, dt_s);
    mat_add_scaled(s->velocity, dt_s, acc, 6);
    mat_copy(s->acceleration, acc, 6);
    still = settle(s->velocity, s->acceleration, share * m->jerk_mps3, dt_s);
    still = settle(s->velocity + 3, s->acceleration + 3, share * m->twitch_radps3, dt_s) && still;
    moved(&s->pose, s->velocity, dt_s);
    return still;
}
