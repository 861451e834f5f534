/* SPDX-License-Identifier: GPL-3.0-or-later */
/* velocity.c - joint velocity from encoder counts, with a lag that is known. */
#include "estimation/velocity.h"

#include <errno.h>

int velocity_init(const struct velocity_model *m, struct velocity_state *s)
{
    *s = (struct velocity_state){0};
    if (!base_finite(m->count_rad) || !(m->count_rad > 0.0 || m->count_rad < 0.0) ||
        !base_finite(m->period_s) || !(m->period_s > 0.0) || m->window < 2 ||
        m->window > VELOCITY_WINDOW_MAX || m->bits < 8 || m->bits > 32) {
        return -EINVAL;
    }
    return 0;
}

/* Difference of two counts the short way round, as a signed number of this many bits. */
RT_SAFE static int64_t short_way(uint32_t from, uint32_t to, int bits)
{
    const int64_t range = (int64_t)1 << bits;
    const int64_t step = ((int64_t)to - (int64_t)from) & (range - 1);

    return step < range / 2 ? step : step - range;
}

/* Put the sample, or the gap, into the ring. */
RT_SAFE static void enter(const struct velocity_model *m, struct velocity_state *s, uint32_t raw,
                          bool present)
{
    s->newest = s->newest + 1 < m->window ? s->newest + 1 : 0;
    s->known[s->newest] = present;
    if (!present) {
        s->missing += s->missing < 1000000;
        return;
    }
    s->total += short_way(s->raw, raw, m->bits); /* the first one from 0, which makes it signed */
    s->raw = raw;
    s->count[s->newest] = s->total;
    s->missing = 0;
}

RT_SAFE void velocity_step(const struct velocity_model *m, struct velocity_state *s, uint32_t raw,
                           bool present, struct velocity_output *out)
{
    int64_t n = 0, st = 0, sq = 0, stt = 0, stq = 0;

    enter(m, s, raw, present);

    /* straight line through (t, q): t in periods before now, q in counts from the newest sample */
    for (int k = 0; k < m->window; k++) {
        const int place = s->newest >= k ? s->newest - k : s->newest - k + m->window;
        const int64_t t = -k, q = s->count[place] - s->total;

        if (s->known[place]) {
            n += 1;
            st += t;
            sq += q;
            stt += t * t;
            stq += t * q;
        }
    }
    out->valid = n >= 2;
    out->velocity_radps = 0.0;
    out->lag_s = 0.0;
    if (out->valid) {
        /* slope = (n sum tq - sum t sum q) / (n sum tt - (sum t)^2) */
        out->velocity_radps =
            (double)(n * stq - st * sq) / (double)(n * stt - st * st) * m->count_rad / m->period_s;
        out->lag_s = -(double)st / (double)n * m->period_s;
    }
    out->position_rad =
        (double)s->total * m->count_rad + s->missing * m->period_s * out->velocity_radps;
}
