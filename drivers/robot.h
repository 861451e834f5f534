/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robot.h - an industrial robot on a link: where it is, where it shall be, and whether the link is well.
 *
 *     1 kHz loop:  robot_newest() ----> sample with stamp        robot_submit() <---- set-point with stamp
 *     operator:    robot_request(ROBOT_ARM | HOLD | STOP)        robot_health() ----> mode, reason, counts
 *
 * A link is a table of functions and its own state: KUKA RSI is drivers/rsi.c, a pose bridge on EtherCAT drivers/bridge.c,
 * another maker is another file. Robots are in HOLD until armed; whatever goes wrong leads back to HOLD, and only a new
 * ROBOT_ARM ends it. Stamps are CLOCK_MONOTONIC, ns.
 */
#ifndef FREEFALL_DRIVERS_ROBOT_H
#define FREEFALL_DRIVERS_ROBOT_H

#include "model/se3.h"

/* What a link can do. */
enum robot_capability {
    ROBOT_TAKES_POSE = 1,
    ROBOT_TAKES_AXES = 2,
    ROBOT_ABSOLUTE = 4,   /* what is lost is not lost for ever */
    ROBOT_OWNS_CLOCK = 8, /* the robot says when, and set-points are sampled at its instants */
    ROBOT_TELLS_AXES = 16,
};

enum robot_mode {
    ROBOT_WAIT,  /* never heard of the robot */
    ROBOT_HOLD,  /* it is kept where it is */
    ROBOT_RUN,   /* it follows the set-points */
    ROBOT_STOP,  /* it is told to end, at rest */
    ROBOT_ENDED, /* it is no longer answered */
    ROBOT_MODES
};

enum robot_request { ROBOT_ARM = 1, ROBOT_KEEP, ROBOT_END };

/* Why the robot is held, or was not armed. */
enum robot_reason {
    ROBOT_FINE,
    ROBOT_NEW_SESSION, /* the robot began; nobody has armed it */
    ROBOT_ASKED,       /* by request */
    ROBOT_LOST,        /* silent for 25 cycles */
    ROBOT_STALLED,     /* we were: telegrams lay in the queue */
    ROBOT_JUMPED,      /* its counter leapt */
    ROBOT_STALE,       /* no set-points any more */
    ROBOT_NOT_FINITE,  /* a set-point is no number */
    ROBOT_LIMITED,     /* set-points beyond our limits for 50 ms */
    ROBOT_TRACKING,    /* does not follow: clamped, slowed down or stopped */
    ROBOT_SINGULAR,    /* B too near to +-90 deg */
    ROBOT_FAR,         /* set-point too far from the robot to begin */
    ROBOT_NO_SETPOINT,
    ROBOT_SILENT, /* no robot to arm */
    ROBOT_REASONS
};

/* Where the robot was. Pose of the tool in the base the robot controller was given. */
struct robot_sample {
    bool valid, has_pose, has_axes;
    int64_t stamp_ns; /* the robot's instant on our clock */
    uint64_t number;  /* grows with every new sample */
    struct pose pose;
    double axes_rad[6];
};

/* Where it shall be at an instant. A link uses the pose or the axes, by its capabilities. */
struct robot_target {
    int64_t stamp_ns;
    struct pose pose;
    double axes_rad[6];
};

#define ROBOT_WINDOW 32

/* The newest set-points in the order of their stamps, the newest last: what is handed to the link's thread at once, so
 * that it can interpolate. */
struct robot_window {
    int count;
    struct robot_target target[ROBOT_WINDOW];
};

#define ROBOT_TEXT_MAX 160

struct robot_health {
    enum robot_mode mode;
    enum robot_reason reason;
    char text[ROBOT_TEXT_MAX]; /* the reason with its numbers, for people */
    uint64_t telegrams, answered, lost, late, rejected, foreign, duplicates, superseded, limited;
    double answer_p50_s, answer_p99_s, jitter_p99_s; /* 0: not measured */
    double clock_ppm;                                /* robot's clock against ours */
};

struct robot_link;

struct robot_table {
    const char *name;
    unsigned capabilities;
    int (*open)(struct robot_link *link); /* 0 or -errno after saying why on stderr */
    bool (*newest)(struct robot_link *link, struct robot_sample *sample);
    void (*submit)(struct robot_link *link, const struct robot_target *target);
    void (*request)(struct robot_link *link, enum robot_request request);
    void (*health)(struct robot_link *link, struct robot_health *health);
    void (*close)(struct robot_link *link);
};

struct robot_link {
    const struct robot_table *table;
    void *self;
};

static inline int robot_open(struct robot_link *link)
{
    return link->table->open(link);
}

/* The newest sample; false if it is the one of the last call. This one, submit and request run in the cycle: what a table
 * leads to must be bounded (tools/house cannot follow a pointer, so the mark RT_SAFE is not here). */
static inline bool robot_newest(struct robot_link *link, struct robot_sample *sample)
{
    return link->table->newest(link, sample);
}

static inline void robot_submit(struct robot_link *link, const struct robot_target *target)
{
    link->table->submit(link, target);
}

static inline void robot_request(struct robot_link *link, enum robot_request request)
{
    link->table->request(link, request);
}

static inline void robot_health(struct robot_link *link, struct robot_health *health)
{
    link->table->health(link, health);
}

static inline void robot_close(struct robot_link *link)
{
    link->table->close(link);
}

/* Words for reports. */
const char *robot_mode_name(enum robot_mode mode);
const char *robot_reason_name(enum robot_reason reason);

/* Keep one more set-point, the oldest goes when the window is full; one not newer than the last is dropped. */
RT_SAFE void robot_window_push(struct robot_window *w, const struct robot_target *target);

#endif
