/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robot.c - see robot.h. */
#include "drivers/robot.h"

const char *robot_mode_name(enum robot_mode mode)
{
    static const char *const names[ROBOT_MODES] = {"WAIT", "HOLD", "RUN", "STOP", "ENDED"};

    return (unsigned)mode < ROBOT_MODES ? names[mode] : "?";
}

const char *robot_reason_name(enum robot_reason reason)
{
    static const char *const names[ROBOT_REASONS] = {"fine",
                                                     "new session",
                                                     "asked",
                                                     "robot silent",
                                                     "we were stalled",
                                                     "counter leapt",
                                                     "no new set-points",
                                                     "set-point is no number",
                                                     "set-points beyond our limits",
                                                     "robot does not follow",
                                                     "near B = +-90 deg",
                                                     "set-point far from the robot",
                                                     "no set-point",
                                                     "no robot"};

    return (unsigned)reason < ROBOT_REASONS ? names[reason] : "?";
}

void robot_window_push(struct robot_window *w, const struct robot_target *target)
{
    if (w->count > 0 && target->stamp_ns <= w->target[w->count - 1].stamp_ns) {
        return;
    }
    if (w->count == ROBOT_WINDOW) {
        memmove(&w->target[0], &w->target[1], (ROBOT_WINDOW - 1) * sizeof w->target[0]);
        w->count--;
    }
    w->target[w->count++] = *target;
}
