/* SPDX-License-Identifier: GPL-3.0-or-later */
/* escalation.h - what the state of the bus asks of the robots: nothing, HOLD, SOFT stop or HARD stop.
 *
 *     HOLD   last valid inputs are used once more; ends by itself with the next valid cycle
 *     SOFT   decelerate along the path, then stand; latched
 *     HARD   drives off; latched
 *
 * One pure function over what a cycle brought; the limits are data. The supervisor obeys the greatest reaction. A latch
 * opens only when the operator resets it and its cause is gone.
 */
#ifndef FREEFALL_ESCALATION_H
#define FREEFALL_ESCALATION_H

#include <stdint.h>

#include "model/base.h"

enum escalation_reaction {
    ESCALATION_NONE,
    ESCALATION_HOLD,
    ESCALATION_SOFT,
    ESCALATION_HARD,
};

/* Bits: why. The lowest bit set is the one to name. */
enum escalation_cause {
    ESCALATION_STOP_OPEN = 1 << 0,   /* emergency stop, or its channels contradict each other */
    ESCALATION_DRIVE_LOST = 1 << 1,  /* a drive is not in OP */
    ESCALATION_DEVICE_LOST = 1 << 2, /* another device is not in OP */
    ESCALATION_DRIVE_FAULT = 1 << 3,
    ESCALATION_SENSOR = 1 << 4,     /* force sensor: error, or no new samples */
    ESCALATION_SATURATED = 1 << 5,  /* force sensor beyond its range for too long */
    ESCALATION_COUNT_HIGH = 1 << 6, /* more answers than devices: the plan is wrong */
    ESCALATION_STALE = 1 << 7,      /* cycles without valid inputs */
    ESCALATION_OVERRUN = 1 << 8,    /* our own cycle came too late */
    ESCALATION_LINK = 1 << 9,       /* receive errors or lost links rise */
    ESCALATION_ALARM = 1 << 10,     /* some device is not in OP, not yet known which */
};
#define ESCALATION_CAUSES 11

/* Limits; escalation_default has those of the design. */
struct escalation_model {
    uint32_t soft_cycles;      /* stale in a row */
    uint32_t hard_cycles;      /* stale in a row */
    uint32_t saturated_cycles; /* in a row */
    uint32_t overruns;         /* within `window_cycles` */
    uint32_t link_errors;      /* within `window_cycles` */
    uint32_t window_cycles;
};

/* What this cycle brought. */
struct escalation_input {
    uint32_t stale_cycles;        /* process_data */
    bool count_high;              /* working counter above the expected */
    bool alarm;                   /* some device is not in OP, or is missing */
    bool drive_lost, device_lost; /* one that is known */
    bool drive_fault;
    bool sensor_bad; /* in a valid frame */
    bool saturated;
    bool stop_open;
    uint32_t overruns;    /* in this cycle */
    uint32_t link_errors; /* new since the last cycle, from the helper */
    bool reset;           /* operator */
};

struct escalation_state {
    int latched;    /* enum escalation_reaction: SOFT or HARD */
    unsigned cause; /* of the latch, or of this cycle's HOLD */
    uint32_t saturated;
    uint32_t cycle; /* in the window */
    uint32_t overruns, link_errors;
};

extern const struct escalation_model escalation_default;

/* 0; -EINVAL for limits that are zero or in the wrong order. With a watchdog (ms, 0: none) and a period also
 * hard_cycles * period < watchdog must hold: a device must not stop before we do. */
int escalation_check(const struct escalation_model *m, double period_s, double watchdog_s);

/* One cycle: the reaction. */
RT_SAFE int escalation_next(const struct escalation_model *m, struct escalation_state *s,
                            const struct escalation_input *in);

/* "HOLD"; the first cause set as words. */
const char *escalation_name(int reaction);
const char *escalation_cause(unsigned cause);

#endif
