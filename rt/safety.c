/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/safety.h"

struct row {
    enum safety_reaction reaction;
    const char *name;
};

/* One row for each cause. */
static const struct row rows[SAFETY_CAUSES] = {
    [SAFETY_BUS_LOST] = {SAFETY_TO_HOLD, "bus lost"},
    [SAFETY_BUS_DEVICE] = {SAFETY_TO_STOP, "bus device not operational"},
    [SAFETY_ROBOT_LATE] = {SAFETY_TO_HOLD, "robot late"},
    [SAFETY_ROBOT_TRACKING] = {SAFETY_TO_STOP, "robot does not follow"},
    [SAFETY_WRENCH_STALE] = {SAFETY_TO_HOLD, "wrench stale"},
    [SAFETY_WRENCH_FROZEN] = {SAFETY_TO_HOLD, "wrench frozen"},
    [SAFETY_WRENCH_SATURATED] = {SAFETY_TO_HOLD, "wrench saturated"},
    [SAFETY_WRENCH_LIMIT] = {SAFETY_TO_STOP, "wrench over limit"},
    [SAFETY_JOINTS_STALE] = {SAFETY_TO_HOLD, "joints stale"},
    [SAFETY_JOINT_LIMIT] = {SAFETY_TO_STOP, "joint over limit"},
    [SAFETY_DRIVE] = {SAFETY_TO_FAULT, "drive fault"},
    [SAFETY_POSE_LIMIT] = {SAFETY_TO_STOP, "pose over limit"},
    [SAFETY_SPEED_LIMIT] = {SAFETY_TO_STOP, "speed over limit"},
    [SAFETY_ACCELERATION_LIMIT] = {SAFETY_TO_STOP, "acceleration over limit"},
    [SAFETY_NOT_FINITE] = {SAFETY_TO_HOLD, "not a number"},
    [SAFETY_OVERRUN] = {SAFETY_TO_HOLD, "cycles late"},
    [SAFETY_ENERGY] = {SAFETY_TO_HOLD, "energy out of band"},
    [SAFETY_OBSW_LATE] = {SAFETY_TO_HOLD, "on-board software late"},
    [SAFETY_OBSW_INVALID] = {SAFETY_TO_HOLD, "on-board software invalid"},
    [SAFETY_OBSW_VERSION] = {SAFETY_TO_HOLD, "on-board software version"},
    [SAFETY_VISION] = {SAFETY_TO_HOLD, "vision lost"},
    [SAFETY_LOG] = {SAFETY_TO_HOLD, "log behind"},
    [SAFETY_HELPER] = {SAFETY_TO_HOLD, "helper silent"},
    [SAFETY_ESTOP] = {SAFETY_TO_STOP, "emergency stop"},
};

enum safety_reaction safety_reaction(uint32_t causes)
{
    enum safety_reaction worst = SAFETY_NONE;

    for (int i = 0; i < SAFETY_CAUSES; i++) {
        if ((causes & SAFETY_BIT(i)) != 0 && rows[i].reaction > worst) {
            worst = rows[i].reaction;
        }
    }
    return worst;
}

/* In motion: the strongest of cause and operator decides, and never weaker than the mode already is. */
RT_SAFE static enum safety_mode moving_next(enum safety_mode mode, enum safety_reaction reaction,
                                            enum safety_request request)
{
    if (reaction == SAFETY_TO_STOP || request == SAFETY_ASK_STOP) {
        return SAFETY_STOP;
    }
    if (mode == SAFETY_RUN && (reaction == SAFETY_TO_HOLD || request == SAFETY_ASK_HOLD)) {
        return SAFETY_HOLD;
    }
    return mode;
}

enum safety_mode safety_next(enum safety_mode mode, const struct safety_event *event)
{
    const enum safety_reaction reaction = safety_reaction(event->causes);
    const bool clear = reaction == SAFETY_NONE;
    const bool released = clear && event->still && event->request == SAFETY_ASK_ACK;

    if (reaction == SAFETY_TO_FAULT) {
        return SAFETY_FAULT;
    }
    switch (mode) {
    case SAFETY_INIT:
        return event->ready && clear ? SAFETY_READY : SAFETY_INIT;
    case SAFETY_READY:
        if (!event->ready || !clear) {
            return SAFETY_INIT;
        }
        return event->request == SAFETY_ASK_ARM ? SAFETY_ARMED : SAFETY_READY;
    case SAFETY_ARMED:
        if (!event->ready || !clear) {
            return SAFETY_INIT; /* nothing has moved yet */
        }
        if (event->request == SAFETY_ASK_HOLD || event->request == SAFETY_ASK_STOP) {
            return SAFETY_READY;
        }
        return event->aligned ? SAFETY_RUN : SAFETY_ARMED;
    case SAFETY_RUN:
        return moving_next(mode, reaction, event->request);
    case SAFETY_HOLD:
        return released ? SAFETY_READY : moving_next(mode, reaction, event->request);
    case SAFETY_STOP:
        return released ? SAFETY_READY : SAFETY_STOP;
    case SAFETY_FAULT:
        return released ? SAFETY_INIT : SAFETY_FAULT;
    default:
        return SAFETY_FAULT; /* a mode that does not exist is memory gone bad */
    }
}

bool safety_moves(enum safety_mode mode)
{
    return mode == SAFETY_RUN || mode == SAFETY_HOLD || mode == SAFETY_STOP;
}

const char *safety_mode_name(int mode)
{
    static const char *const names[SAFETY_MODES] = {"INIT", "READY", "ARMED", "RUN",
                                                    "HOLD", "STOP",  "FAULT"};

    return mode >= 0 && mode < SAFETY_MODES ? names[mode] : "?";
}

const char *safety_cause_name(int cause)
{
    return cause >= 0 && cause < SAFETY_CAUSES ? rows[cause].name : "?";
}
