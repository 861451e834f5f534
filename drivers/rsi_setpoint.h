/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_setpoint.h - the set-points of the 1 kHz loop, sampled at an instant of the robot.
 *
 * Between two set-points a cubic through their neighbours, behind the newest one its velocity goes on for at most 8 ms.
 */
#ifndef FREEFALL_RSI_SETPOINT_H
#define FREEFALL_RSI_SETPOINT_H

#include "drivers/robot.h"
#include "drivers/rsi_model.h"

enum rsi_sampled {
    RSI_SAMPLED,
    RSI_EXTRAPOLATED, /* by more than 3 ms */
    RSI_STALE,        /* too old, or none */
    RSI_NO_NUMBER
};

/* The six channels of a set-point: position and angles near those given (RSI_POSE), or axes. */
RT_SAFE void rsi_setpoint_channels(double out[static 6], const struct rsi_model *m,
                                   const struct robot_target *target, const double near[static 6]);

/* The channels at t_ns; `near` are those sampled last. */
RT_SAFE enum rsi_sampled rsi_setpoint_sample(double out[static 6], const struct rsi_model *m,
                                             const struct robot_window *w, int64_t t_ns,
                                             const double near[static 6]);

#endif
