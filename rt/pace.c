/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace.c - when the next cycle begins, and what becomes of cycles that were missed. */
#include "rt/pace.h"

#include <errno.h>

/* Greatest correction of one cycle, as part of the period. */
#define CORRECTION_PART 100

int pace_init(const struct pace_model *m, struct pace_state *s, int64_t start_ns)
{
    memset(s, 0, sizeof *s);
    if (m->period_ns <= 0 || m->tolerated < 1 || m->tolerated > PACE_REMEMBERED || m->window < 1) {
        return -EINVAL;
    }
    s->next_ns = start_ns;
    return 0;
}

/* Note an overrun in this cycle. True when it and those before it, `tolerated` in all, fit into the window. */
RT_SAFE static bool note(const struct pace_model *m, struct pace_state *s)
{
    const uint64_t size = (uint64_t)m->tolerated;
    uint64_t first;

    s->at[s->overruns % size] = s->cycle;
    s->overruns++;
    if (s->overruns < size) {
        return false;
    }
    first = s->at[s->overruns % size]; /* the oldest kept */
    return s->cycle - first < m->window;
}

RT_SAFE void pace_step(const struct pace_model *m, struct pace_state *s, int64_t now_ns,
                       int64_t correction_ns, struct pace_output *out)
{
    const int64_t most = m->period_ns / CORRECTION_PART;
    const int64_t correction =
        correction_ns > most ? most : (correction_ns < -most ? -most : correction_ns);

    *out = (struct pace_output){.next_ns = 0};
    s->next_ns += m->period_ns + correction;
    s->cycle++;
    if (now_ns > s->next_ns) {
        const int64_t late = now_ns - s->next_ns;
        const int64_t passed = late / m->period_ns + 1; /* instants that are over already */
        const int64_t left_out = m->overrun == PACE_CATCH_UP_ONCE ? passed - 1 : passed;

        out->late_ns = late;
        out->hold = note(m, s);
        out->missed = (uint64_t)left_out;
        s->next_ns += left_out * m->period_ns;
        s->cycle += (uint64_t)left_out;
        s->missed += (uint64_t)left_out;
    }
    out->next_ns = s->next_ns;
}
