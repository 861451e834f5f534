/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dc.h - keeps our cycle in step with the reference clock of the segment.
 *
 * The frame must pass the devices at the same phase of their SYNC0 in every cycle. Each valid reply brings the time of
 * the reference clock; how far that is from the wanted phase is the error, and the correction is added to the next
 * instant at which the loop wakes:
 *
 *     e = ((t_dc - shift + T/2) mod T) - T/2          in [-T/2, T/2)
 *     correction = clamp(-(kp e + rate), +-T/100)      rate += ki e, within +-200 ppm
 *
 * Stale cycles and jumps of the clock change neither rate nor lock count upwards: the loop then runs on with the rate
 * it has learnt.
 */
#ifndef FREEFALL_DC_H
#define FREEFALL_DC_H

#include <stdint.h>

#include "model/base.h"

#define DC_LOCK_ERROR_NS  20000 /* phase error that counts as locked */
#define DC_LOCK_SPREAD_NS 1000  /* greatest difference among the clocks of the devices */

/* Constant. */
struct dc_model {
    int64_t period_ns;
    int64_t shift_ns; /* wanted phase of the frame at the reference clock */
    int lock_cycles;  /* in a row, without a greater error */
    double kp, ki;    /* per cycle; dc_init() fills zeros with its own */
};

/* What this cycle brought. */
struct dc_input {
    bool valid;         /* a valid reply with a time of the reference clock */
    bool jump;          /* the clock made a step */
    int64_t time_ns;    /* reference clock */
    uint32_t spread_ns; /* bound of the differences among clocks */
};

struct dc_state {
    int64_t error_ns; /* phase, of the last valid cycle */
    double rate_ns;   /* learnt difference of the clocks, ns per cycle */
    int calm;         /* cycles in a row with a small error */
    bool locked;
    bool jumped;   /* since dc_init(): the caller clears it */
    uint64_t held; /* cycles without a time */
};

/* 0, or -EINVAL for a period not positive, or a phase outside it. */
int dc_init(struct dc_model *m, struct dc_state *s);

/* Phase error of a time; pure. */
RT_SAFE int64_t dc_error(const struct dc_model *m, int64_t time_ns);

/* One cycle; what to add to the next instant of waking, ns. */
RT_SAFE int64_t dc_step(const struct dc_model *m, struct dc_state *s, const struct dc_input *in);

#endif
