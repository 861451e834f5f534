/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock.h - the distributed clock of one slave: a drifting oscillator, the control loop that pulls its copy
 * of the system time to the reference clock, and the SYNC0 pulses derived from it.
 *
 *     local(t)  = oscillator: rate error, steps, jitter          t: time of the simulator, ns
 *     system(t) = local(t) + offset (0x0920) + correction        what SYNC0 is compared with
 *     on the bus: system(t) - delay (0x0928)                     register 0x0910
 */
#ifndef FREEFALL_LAB_CLOCK_H
#define FREEFALL_LAB_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
    int64_t start_t_ns, start_local_ns; /* the oscillator passed this point */
    int32_t rate_ppb;                   /* and runs this much too fast since */
    int32_t jitter_ns;                  /* greatest error of one reading */
    bool stopped;

    int64_t offset_ns;     /* registers written by the master */
    uint32_t delay_ns;     /*  */
    int64_t correction_ns; /* added by the control loop so far */
    int32_t difference_ns; /* mean of received - own, register 0x092c */

    bool sync_active;
    int64_t sync_next_ns; /* system time of the next SYNC0 */
    uint32_t sync_cycle_ns;
};

/* Oscillator at local time local_ns at instant t_ns; no master has set anything yet. */
void clock_init(struct clock *c, int64_t t_ns, int64_t local_ns, int32_t rate_ppb);

int64_t clock_local(const struct clock *c, int64_t t_ns);
int64_t clock_system(const struct clock *c, int64_t t_ns);

/* Change the oscillator from t_ns on: another rate, or a jump. Nothing else changes at that instant. */
void clock_set_rate(struct clock *c, int64_t t_ns, int32_t rate_ppb);
void clock_step(struct clock *c, int64_t t_ns, int64_t step_ns);
void clock_stop(struct clock *c, int64_t t_ns, bool stopped);

/* A system time of the reference arrived (write to 0x0910, low 32 bits): one step of the control loop. The
 * correction is at most 1 us a step, so the time never jumps. */
void clock_compare(struct clock *c, int64_t t_ns, uint32_t received);

/* Register 0x092c: magnitude, bit 31 set when the own time is behind. */
uint32_t clock_difference(const struct clock *c);

/* SYNC unit switched on with start time and cycle, or off. A start in the past never fires, as in the chip. */
void clock_sync(struct clock *c, int64_t t_ns, bool active, int64_t start_ns, uint32_t cycle_ns);

/* Pulses since the last call, at most `most`; older ones are skipped. */
int clock_pulses(struct clock *c, int64_t t_ns, int most);

#endif
