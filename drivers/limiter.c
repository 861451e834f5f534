/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limiter.c - see limiter.h.
 *
 * A value moves by differences: a' is chosen, v' = v + a' T, x' = x + v' T. So speed, acceleration and jerk are those
 * of the numbers the robot really gets, and the proof needs no continuous model.
 */
#include "drivers/limiter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define ROOM (1.0 + 1e-9) /* so that a motion exactly at a limit is not cut by rounding */

/* One channel in motion. */
struct motion1 {
    double x, v, a;
};

RT_SAFE static struct motion1 moved(const struct motion1 *s, double a, double T)
{
    const double v = s->v + a * T;

    return (struct motion1){s->x + v * T, v, a};
}

/* The speed a step of at most `step` allows. */
RT_SAFE static double top_speed(const struct limiter_channel *c, double T)
{
    return fmin(c->speed, c->step / T);
}

/* Next acceleration of a channel that wants to rest: as much as can fall back to zero together with the speed,
 * a^2 = 2 j v, less a share that the steps of time need; exactly -v/T when that is the end. */
RT_SAFE static double brake(const struct limiter_channel *c, const struct motion1 *s, double T)
{
    const double rest = -s->v / T, most = c->jerk * T, speed = fabs(s->v);
    double a;

    if (fabs(rest - s->a) <= most && fabs(rest) <= fmin(most, c->acceleration)) {
        return rest;
    }
    a = fmin(fmin(c->acceleration, 0.7 * sqrt(2.0 * c->jerk * speed)), 0.5 * speed / T);
    a = s->v > 0.0 ? -a : a;
    return base_clamp(a, s->a - most, s->a + most);
}

RT_SAFE static bool at_rest(const struct motion1 *s)
{
    return !(fabs(s->v) > 0.0) && !(fabs(s->a) > 0.0);
}

/* Does the ramp that begins here stay between low and high and below the top speed? */
RT_SAFE static bool can_stop(const struct limiter_channel *c, struct motion1 s, double low,
                             double high, double T)
{
    const double speed = top_speed(c, T) * ROOM;

    for (int i = 0; i < LIMITER_RAMP_MAX; i++) {
        if (!(s.x >= low && s.x <= high && fabs(s.v) <= speed)) {
            return false;
        }
        if (at_rest(&s)) {
            return true;
        }
        s = moved(&s, brake(c, &s, T), T);
    }
    return false;
}

/* Arriving with another speed than the wish has would only lead beyond it: can the difference be taken off at once? */
RT_SAFE static bool joins(const struct limiter_channel *c, const struct motion1 *next,
                          double wish_speed, double T)
{
    const double a = (wish_speed - next->v) / T;

    return fabs(a) <= fmin(c->acceleration, c->jerk * T) && fabs(a - next->a) <= c->jerk * T;
}

/* The step that leads exactly to the wanted value, if every limit lets it. `before` is the wish of the cycle before. */
RT_SAFE static bool exact(const struct limiter_channel *c, struct motion1 *s, double wanted,
                          double before, double T)
{
    const double v = (wanted - s->x) / T, a = (v - s->v) / T;
    const struct motion1 next = {wanted, v, a};
    const bool with_it = !(fabs(s->x - before) > 0.0);

    if (!(fabs(v) <= top_speed(c, T) * ROOM && fabs(a) <= c->acceleration * ROOM &&
          fabs(a - s->a) <= c->jerk * T * ROOM && can_stop(c, next, c->low, c->high, T)) ||
        !(with_it || joins(c, &next, (wanted - before) / T, T))) {
        return false;
    }
    *s = next;
    return true;
}

/* Towards a value out of reach: the greatest change of acceleration after which the channel can still stop before that
 * value and inside its box. None: the ramp. */
RT_SAFE static void catch_up(const struct limiter_channel *c, struct motion1 *s, double wanted,
                             double T)
{
    const double goal = base_clamp(wanted, c->low, c->high), most = c->jerk * T;
    const double toward = goal >= s->x ? 1.0 : -1.0;
    const double low = toward > 0.0 ? c->low : goal, high = toward > 0.0 ? goal : c->high;
    double share = 1.0;

    for (int i = 0; i < 8; i++, share *= 0.5) {
        const double a =
            base_clamp(s->a + toward * share * most, -c->acceleration, c->acceleration);
        const struct motion1 next = moved(s, a, T);

        if (can_stop(c, next, low, high, T)) {
            *s = next;
            return;
        }
    }
    *s = moved(s, brake(c, s, T), T);
}

RT_SAFE static struct motion1 take(const struct limiter_state *s, int i)
{
    return (struct motion1){s->x[i], s->v[i], s->a[i]};
}

RT_SAFE static void put(struct limiter_state *s, int i, const struct motion1 *x)
{
    s->x[i] = x->x;
    s->v[i] = x->v;
    s->a[i] = x->a;
}

int limiter_init(const struct limiter_model *m, char why[static 160])
{
    if (!base_finite(m->dt_s) || !(m->dt_s > 0.0)) {
        snprintf(why, 160, "cycle %g s: expected a positive time", m->dt_s);
        return -EINVAL;
    }
    for (int i = 0; i < LIMITER_CHANNELS; i++) {
        const struct limiter_channel *c = &m->channel[i];
        const double all[] = {c->step, c->speed, c->acceleration, c->jerk, c->low, c->high};
        bool good = base_all_finite(all, 6) && c->low < 0.0 && c->high > 0.0;

        for (int k = 0; k < 4; k++) {
            good = good && all[k] > 0.0;
        }
        if (!good) {
            snprintf(why, 160, "limits of channel %d: expected positive ones and a box around zero",
                     i + 1);
            return -EINVAL;
        }
        if (!can_stop(c, (struct motion1){0.0, top_speed(c, m->dt_s), 0.0}, -HUGE_VAL, HUGE_VAL,
                      m->dt_s)) {
            snprintf(why, 160,
                     "limits of channel %d: from full speed it does not stop within %.1f s; give "
                     "it more "
                     "acceleration or jerk, or less speed",
                     i + 1, LIMITER_RAMP_MAX * m->dt_s);
            return -EINVAL;
        }
    }
    return 0;
}

void limiter_start(struct limiter_state *s)
{
    memset(s, 0, sizeof *s);
}

unsigned limiter_follow(const struct limiter_model *m, struct limiter_state *s,
                        const double wanted[static LIMITER_CHANNELS])
{
    unsigned limited = 0;

    for (int i = 0; i < LIMITER_CHANNELS; i++) {
        const struct limiter_channel *c = &m->channel[i];
        struct motion1 x = take(s, i);

        if (!base_finite(wanted[i])) {
            x = moved(&x, brake(c, &x, m->dt_s), m->dt_s);
            limited |= 1u << i;
        } else {
            if (!exact(c, &x, wanted[i], s->wanted[i], m->dt_s)) {
                catch_up(c, &x, wanted[i], m->dt_s);
                limited |= 1u << i;
            }
            s->wanted[i] = wanted[i];
        }
        put(s, i, &x);
    }
    return limited;
}

bool limiter_ramp(const struct limiter_model *m, struct limiter_state *s)
{
    bool rest = true;

    for (int i = 0; i < LIMITER_CHANNELS; i++) {
        struct motion1 x = take(s, i);

        if (!at_rest(&x)) {
            x = moved(&x, brake(&m->channel[i], &x, m->dt_s), m->dt_s);
            put(s, i, &x);
        }
        rest = rest && at_rest(&x);
    }
    return rest;
}
