/* SPDX-License-Identifier: GPL-3.0-or-later */
/* safety.h - the modes of the controller, and what each cause does to them.
 *
 *     INIT -> READY -> ARMED -> RUN -> HOLD  decelerate along the present path, bus alive
 *                                   -> STOP  fastest ramp inside the limits, then drives to safe torque off
 *     any  -> FAULT                          latched, zero torque, brakes
 *
 * Nothing moves outside RUN but the ramps of HOLD and STOP. Back to READY needs standstill, the cause gone, and the
 * operator's acknowledgement. The decision is a pure function; acting on it is the caller's business.
 */
#ifndef FREEFALL_SAFETY_H
#define FREEFALL_SAFETY_H

#include "model/base.h"

enum safety_mode {
    SAFETY_INIT,  /* bus and links coming up */
    SAFETY_READY, /* all checks green */
    SAFETY_ARMED, /* the operator said go; the first command is the measured pose */
    SAFETY_RUN,
    SAFETY_HOLD,
    SAFETY_STOP,
    SAFETY_FAULT,
    SAFETY_MODES
};

/* How strongly a cause is answered; a stronger one wins. */
enum safety_reaction { SAFETY_NONE, SAFETY_TO_HOLD, SAFETY_TO_STOP, SAFETY_TO_FAULT };

/* What may go wrong, one bit each in a set of causes. */
enum safety_cause {
    SAFETY_BUS_LOST,         /* consecutive bus losses */
    SAFETY_BUS_DEVICE,       /* a device left its operational state */
    SAFETY_ROBOT_LATE,       /* robot telegrams late beyond what is bridged */
    SAFETY_ROBOT_TRACKING,   /* a robot does not follow: the silent clamp */
    SAFETY_WRENCH_STALE,     /* no new force sample */
    SAFETY_WRENCH_FROZEN,    /* identical force samples */
    SAFETY_WRENCH_SATURATED, /* near the end of the sensor's range */
    SAFETY_WRENCH_LIMIT,     /* force or torque over the limit of the facility */
    SAFETY_JOINTS_STALE,     /* no usable joint sample */
    SAFETY_JOINT_LIMIT,      /* joint position or rate over its limit */
    SAFETY_DRIVE,            /* a drive reports a fault */
    SAFETY_POSE_LIMIT,       /* commanded pose outside its box */
    SAFETY_SPEED_LIMIT,      /* commanded velocity over the limit */
    SAFETY_ACCELERATION_LIMIT,
    SAFETY_NOT_FINITE, /* a computed output is not a number */
    SAFETY_OVERRUN,    /* too many late cycles */
    SAFETY_ENERGY,     /* energy observer left its band */
    SAFETY_OBSW_LATE,
    SAFETY_OBSW_INVALID, /* NaN, error return */
    SAFETY_OBSW_VERSION,
    SAFETY_VISION, /* target pose too uncertain */
    SAFETY_LOG,    /* log ring nearly full */
    SAFETY_HELPER, /* the helper thread gave no sign of life */
    SAFETY_ESTOP,  /* emergency-stop chain open */
    SAFETY_CAUSES
};

#define SAFETY_BIT(cause) ((uint32_t)1 << (cause))

/* What the operator asks for. */
enum safety_request {
    SAFETY_ASK_NOTHING,
    SAFETY_ASK_ARM,
    SAFETY_ASK_HOLD,
    SAFETY_ASK_STOP,
    SAFETY_ASK_ACK
};

/* What is true in this cycle. */
struct safety_event {
    enum safety_request request;
    uint32_t causes; /* set of SAFETY_BIT() present now */
    bool ready;      /* every bus device and link is up and its samples are good */
    bool aligned;    /* commands equal measured poses, so that nothing steps when motion begins */
    bool still;      /* every commanded velocity is zero */
};

/* The strongest reaction any cause of the set asks for. */
RT_SAFE enum safety_reaction safety_reaction(uint32_t causes);

/* The mode after this cycle. */
RT_SAFE enum safety_mode safety_next(enum safety_mode mode, const struct safety_event *event);

/* May the commanded pose change in this mode? */
RT_SAFE bool safety_moves(enum safety_mode mode);

/* "RUN", "HOLD", ...; causes as "wrench over limit". "?" beyond the last. */
const char *safety_mode_name(int mode);
const char *safety_cause_name(int cause);

#endif
