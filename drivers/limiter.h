/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limiter.h - the last hand on what is sent to a robot: six numbers that never step.
 *
 *     wanted --> [limiter_follow] --> x, the wanted values themselves while every limit is kept
 *                [limiter_ramp]   --> x, slowing down to rest
 *
 * Each channel is bounded in step, speed, acceleration, jerk and place, for every sequence of wanted values, finite or
 * not. Invariant: from its present state a channel can come to rest inside its box by limiter_ramp(), which keeps all
 * limits. A step is taken only if the invariant holds behind it; otherwise the first step of that ramp is.
 */
#ifndef FREEFALL_LIMITER_H
#define FREEFALL_LIMITER_H

#include "model/base.h"

#define LIMITER_CHANNELS 6
#define LIMITER_RAMP_MAX 256 /* cycles a ramp may take */

/* Units of the channel (m or rad) per cycle, s, s^2, s^3; the box in the same unit. */
struct limiter_channel {
    double step, speed, acceleration, jerk, low, high;
};

/* Constant after limiter_init(). */
struct limiter_model {
    struct limiter_channel channel[LIMITER_CHANNELS];
    double dt_s;
};

struct limiter_state {
    double x[LIMITER_CHANNELS]; /* last value sent */
    double v[LIMITER_CHANNELS]; /* its speed and acceleration, of differences */
    double a[LIMITER_CHANNELS];
    double wanted[LIMITER_CHANNELS]; /* last wish that was a number */
};

/* 0; -EINVAL with the reason for a limit that is not positive, a box without zero inside, or a channel that cannot
 * stop within LIMITER_RAMP_MAX cycles. */
int limiter_init(const struct limiter_model *m, char why[static 160]);

/* At rest at zero: a correction begins where the robot is. */
RT_SAFE void limiter_start(struct limiter_state *s);

/* One cycle towards the wanted values. Bit i of the result: channel i was limited. */
RT_SAFE unsigned limiter_follow(const struct limiter_model *m, struct limiter_state *s,
                                const double wanted[static LIMITER_CHANNELS]);

/* One cycle of slowing down. True when all channels are at rest. */
RT_SAFE bool limiter_ramp(const struct limiter_model *m, struct limiter_state *s);

#endif
