/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dc.c - see dc.h. */
#include "drivers/dc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define KP      0.02
#define KI      1e-4   /* kp^2 / 4: critically damped, time constant 100 cycles */
#define RATE    200e-6 /* of a period: no two quartz clocks differ by more */
#define CORRECT 0.01   /* of a period */

int dc_init(struct dc_model *m, struct dc_state *s)
{
    memset(s, 0, sizeof *s);
    if (m->period_ns <= 0 || m->shift_ns < 0 || m->shift_ns >= m->period_ns || m->lock_cycles < 1) {
        return -EINVAL;
    }
    m->kp = m->kp > 0.0 ? m->kp : KP;
    m->ki = m->ki > 0.0 ? m->ki : KI;
    return 0;
}

/* The remainders are taken before the subtraction, so that no time can overflow. */
RT_SAFE int64_t dc_error(const struct dc_model *m, int64_t time_ns)
{
    const int64_t t = m->period_ns;
    int64_t phase = (time_ns % t - m->shift_ns + t / 2) % t;

    phase += phase < 0 ? t : 0;
    return phase - t / 2;
}

RT_SAFE static void watch_lock(const struct dc_model *m, struct dc_state *s, uint32_t spread_ns)
{
    const bool small = s->error_ns > -DC_LOCK_ERROR_NS && s->error_ns < DC_LOCK_ERROR_NS;

    if (!small || spread_ns >= DC_LOCK_SPREAD_NS) {
        s->calm = 0;
    } else if (s->calm < m->lock_cycles) {
        s->calm++;
    }
    s->locked = s->calm >= m->lock_cycles;
}

RT_SAFE int64_t dc_step(const struct dc_model *m, struct dc_state *s, const struct dc_input *in)
{
    const double period = (double)m->period_ns;
    const double limit = CORRECT * period;
    double e;
    double wanted;

    if (in->jump) {
        s->jumped = true;
        s->calm = 0;
        s->locked = false;
    }
    if (!in->valid || in->jump) {
        s->held++;
        return (int64_t)floor(0.5 - s->rate_ns);
    }
    s->error_ns = dc_error(m, in->time_ns);
    watch_lock(m, s, in->spread_ns);
    e = (double)s->error_ns;
    wanted = -(m->kp * e + s->rate_ns);
    /* Nothing is learnt while the limit holds the correction back. */
    if (fabs(wanted) < limit) {
        s->rate_ns = base_clamp(s->rate_ns + m->ki * e, -RATE * period, RATE * period);
    }
    return (int64_t)floor(base_clamp(wanted, -limit, limit) + 0.5);
}
