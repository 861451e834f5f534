/* SPDX-License-Identifier: GPL-3.0-or-later */
/* escalation.c - see escalation.h. */
#include "drivers/escalation.h"

#include <errno.h>

/* Catalogue of the design: HOLD for one or two stale cycles, SOFT from 3, HARD from 10; saturation longer than 5 ms;
 * three overruns or more than ten receive errors in a second. */
const struct escalation_model escalation_default = {
    .soft_cycles = 3,
    .hard_cycles = 10,
    .saturated_cycles = 6,
    .overruns = 3,
    .link_errors = 11,
    .window_cycles = 1000,
};

int escalation_check(const struct escalation_model *m, double period_s, double watchdog_s)
{
    const bool ordered = m->soft_cycles >= 1 && m->hard_cycles > m->soft_cycles &&
                         m->saturated_cycles >= 1 && m->overruns >= 1 && m->link_errors >= 1 &&
                         m->window_cycles >= 1;

    return ordered && (!(watchdog_s > 0.0) || m->hard_cycles * period_s < watchdog_s) ? 0 : -EINVAL;
}

/* Counts of the last second or less: a window that starts anew, so a burst across its edge may be seen late by one. */
RT_SAFE static void count(const struct escalation_model *m, struct escalation_state *s,
                          const struct escalation_input *in)
{
    if (++s->cycle >= m->window_cycles) {
        s->cycle = 0;
        s->overruns = 0;
        s->link_errors = 0;
    }
    s->overruns += in->overruns;
    s->link_errors += in->link_errors;
    s->saturated = in->saturated ? s->saturated + (s->saturated < UINT32_MAX) : 0;
}

RT_SAFE static unsigned hard(const struct escalation_model *m, const struct escalation_input *in)
{
    return (in->stop_open ? ESCALATION_STOP_OPEN : 0u) |
           (in->drive_lost ? ESCALATION_DRIVE_LOST : 0u) |
           (in->stale_cycles >= m->hard_cycles ? ESCALATION_STALE : 0u);
}

RT_SAFE static unsigned soft(const struct escalation_model *m, const struct escalation_state *s,
                             const struct escalation_input *in)
{
    return (in->device_lost ? ESCALATION_DEVICE_LOST : 0u) |
           (in->drive_fault ? ESCALATION_DRIVE_FAULT : 0u) |
           (in->sensor_bad ? ESCALATION_SENSOR : 0u) |
           (s->saturated >= m->saturated_cycles ? ESCALATION_SATURATED : 0u) |
           (in->count_high ? ESCALATION_COUNT_HIGH : 0u) |
           (in->stale_cycles >= m->soft_cycles ? ESCALATION_STALE : 0u) |
           (s->overruns >= m->overruns ? ESCALATION_OVERRUN : 0u) |
           (s->link_errors >= m->link_errors ? ESCALATION_LINK : 0u);
}

RT_SAFE static unsigned hold(const struct escalation_input *in)
{
    return (in->stale_cycles > 0 ? ESCALATION_STALE : 0u) | (in->alarm ? ESCALATION_ALARM : 0u) |
           (in->saturated ? ESCALATION_SATURATED : 0u);
}

RT_SAFE int escalation_next(const struct escalation_model *m, struct escalation_state *s,
                            const struct escalation_input *in)
{
    unsigned most, middle, least;
    int now;

    count(m, s, in);
    most = hard(m, in);
    middle = soft(m, s, in);
    least = hold(in);
    now = most != 0     ? ESCALATION_HARD
          : middle != 0 ? ESCALATION_SOFT
          : least != 0  ? ESCALATION_HOLD
                        : ESCALATION_NONE;
    if (in->reset && now < ESCALATION_SOFT) {
        s->latched = ESCALATION_NONE;
    }
    if (now > s->latched || s->latched == ESCALATION_NONE) {
        s->cause = most != 0 ? most : middle != 0 ? middle : least;
    }
    if (now >= ESCALATION_SOFT && now > s->latched) {
        s->latched = now;
    }
    return s->latched > now ? s->latched : now;
}

const char *escalation_name(int reaction)
{
    static const char *const names[] = {"none", "HOLD", "SOFT", "HARD"};

    return reaction >= 0 && reaction < (int)COUNT_OF(names) ? names[reaction] : "?";
}

const char *escalation_cause(unsigned cause)
{
    static const char *const names[ESCALATION_CAUSES] = {
        "emergency stop", "drive not in OP",    "device not in OP",     "drive fault",
        "force sensor",   "force sensor range", "working counter high", "no valid inputs",
        "cycle overrun",  "receive errors",     "a device not in OP"};

    for (int i = 0; i < ESCALATION_CAUSES; i++) {
        if ((cause >> i & 1u) != 0) {
            return names[i];
        }
    }
    return "none";
}
