/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock.c - see clock.h. All arithmetic is in integers: the same bits on every machine. */
#include "tools/lab/clock.h"

#include <string.h>

#define SECOND_NS     1000000000ll
#define CORRECTION_NS 1000 /* most the control loop adds in one step */
#define FILTER        4    /* the difference is a mean over about this many steps */

/* Registers hold anything a master writes: sums wrap around instead of overflowing. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

void clock_init(struct clock *c, int64_t t_ns, int64_t local_ns, int32_t rate_ppb)
{
    memset(c, 0, sizeof *c);
    c->start_t_ns = t_ns;
    c->start_local_ns = local_ns;
    c->rate_ppb = rate_ppb;
}

int64_t clock_local(const struct clock *c, int64_t t_ns)
{
    const int64_t elapsed = t_ns - c->start_t_ns;
    /* elapsed * rate / 1e9, by whole seconds and the rest, so that no product overflows */
    const int64_t gain =
        elapsed / SECOND_NS * c->rate_ppb + elapsed % SECOND_NS * c->rate_ppb / SECOND_NS;

    return c->stopped ? c->start_local_ns : c->start_local_ns + elapsed + gain;
}

int64_t clock_system(const struct clock *c, int64_t t_ns)
{
    return sum(sum(clock_local(c, t_ns), c->correction_ns), c->offset_ns);
}

static void restart(struct clock *c, int64_t t_ns)
{
    c->start_local_ns = clock_local(c, t_ns);
    c->start_t_ns = t_ns;
}

void clock_set_rate(struct clock *c, int64_t t_ns, int32_t rate_ppb)
{
    restart(c, t_ns);
    c->rate_ppb = rate_ppb;
}

void clock_step(struct clock *c, int64_t t_ns, int64_t step_ns)
{
    restart(c, t_ns);
    c->start_local_ns += step_ns;
}

void clock_stop(struct clock *c, int64_t t_ns, bool stopped)
{
    restart(c, t_ns);
    c->stopped = stopped;
}

void clock_compare(struct clock *c, int64_t t_ns, uint32_t received)
{
    const uint32_t own = (uint32_t)clock_system(c, t_ns) - c->delay_ns;
    const int32_t error = (int32_t)(received - own);
    const int64_t mean = c->difference_ns + ((int64_t)error - c->difference_ns) / FILTER;

    c->difference_ns = (int32_t)mean;
    if (error > CORRECTION_NS) {
        c->correction_ns += CORRECTION_NS;
    } else if (error < -CORRECTION_NS) {
        c->correction_ns -= CORRECTION_NS;
    } else {
        c->correction_ns += error;
    }
}

uint32_t clock_difference(const struct clock *c)
{
    const int64_t d = c->difference_ns;

    return d > 0 ? (uint32_t)d | 0x80000000u : (uint32_t)-d & 0x7fffffffu;
}

void clock_sync(struct clock *c, int64_t t_ns, bool active, int64_t start_ns, uint32_t cycle_ns)
{
    c->sync_active = active && start_ns > clock_system(c, t_ns);
    c->sync_next_ns = start_ns;
    c->sync_cycle_ns = cycle_ns;
}

int clock_pulses(struct clock *c, int64_t t_ns, int most)
{
    const int64_t behind = sum(clock_system(c, t_ns), sum(~c->sync_next_ns, 1));
    int64_t pulses;

    if (!c->sync_active || behind < 0) {
        return 0;
    }
    if (c->sync_cycle_ns == 0) { /* a single pulse */
        c->sync_active = false;
        return 1;
    }
    pulses = behind / c->sync_cycle_ns + 1;
    c->sync_next_ns = sum(c->sync_next_ns, pulses * c->sync_cycle_ns);
    return pulses < most ? (int)pulses : most;
}
