/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limit.h - the last hand on a commanded pose: it may not step, nor exceed speed, acceleration, jerk or its box.
 *
 *     wanted pose --> [limit_follow] --> command, unchanged as long as it is inside every limit
 *     HOLD, STOP  --> [limit_ramp]   --> command, slowing down along its present path
 *
 * The command is always the last command moved by a bounded twist, so that whatever happens above, nothing sent to
 * a robot ever jumps. The box is told for the centre of the body, in the axes of the robot's pose.
 */
#ifndef FREEFALL_LIMIT_H
#define FREEFALL_LIMIT_H

#include "model/se3.h"

/* Constant after limit_init(). Linear and angular part apart. */
struct limit_model {
    double speed_mps, rate_radps;
    double acceleration_mps2, rotation_radps2;
    double jerk_mps3, twitch_radps3;
    double low[3], high[3]; /* m */
};

/* What the ramp of HOLD may use of acceleration and jerk; STOP uses all of it. */
#define LIMIT_HOLD_SHARE 0.5

struct limit_state {
    struct pose pose;       /* last command */
    double velocity[6];     /* its twist, body axes */
    double acceleration[6]; /* and the change of that */
};

/* Which limits cut the wanted motion. */
enum limit_flag {
    LIMIT_POSE = 1,
    LIMIT_SPEED = 2,
    LIMIT_ACCELERATION = 4, /* jerk too */
    LIMIT_NOT_FINITE = 8
};

/* 0, or -EINVAL for a limit that is not positive or finite, or a box without inside. */
int limit_init(const struct limit_model *m);

/* Begin at rest at the measured pose: the first command is where the robot is. */
RT_SAFE void limit_start(struct limit_state *s, const struct pose *measured);

/* One period towards the wanted pose: reached exactly when that needs nothing beyond the limits, otherwise as far as they
 * let it. Returns flags. */
RT_SAFE unsigned limit_follow(const struct limit_model *m, struct limit_state *s,
                              const struct pose *wanted, double dt_s);

/* One period of slowing down, using this share of acceleration and jerk. True when at rest. */
RT_SAFE bool limit_ramp(const struct limit_model *m, struct limit_state *s, double share,
                        double dt_s);

#endif
