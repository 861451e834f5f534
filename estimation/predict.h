/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.h - from the newest estimate to the instant of each control cycle, without a bump.
 *
 *     helper: predict_publish() --latest value--> cycle: predict_step() --> pose, twist, validity, now
 *
 * The helper brings the estimate to an instant a few ms ahead, so that the cycle never has to catch up: at that instant it
 * changes over. The difference of the two predictions, in pose and velocity, is kept and dies away like a
 * critically damped spring; nothing that is commanded from it steps. A difference too large for that is
 * not hidden: the output jumps, and says so.
 */
#ifndef FREEFALL_PREDICT_H
#define FREEFALL_PREDICT_H

#include "estimation/vision.h"
#include "model/se3.h"

/* What the helper hands over: plain numbers, copied whole. */
struct predict_snapshot {
    struct target_state x; /* at time_ns */
    double M[9], inverse[9];
    double orbit_radps;
    int64_t time_ns;
    int64_t image_ns; /* newest image in it */
    int64_t valid_until_ns;
    double sigma_m, sigma_rad;
    enum vision_mode mode;
    bool known; /* there is a motion at all */
    bool valid;
    uint32_t number; /* counts publications; 0: nothing yet */
};

/* Constant after predict_init(). */
struct predict_model {
    double tau_s;    /* of the decay, 0.2 s */
    double jump_m;   /* greatest difference blended, 0.030 m */
    double jump_rad; /* 5 deg */
};

struct predict_state {
    struct predict_snapshot now;     /* moved on each cycle */
    struct predict_snapshot waiting; /* not yet its time */
    double offset[6], rate[6];       /* what is still added: position in A, rotation vector in C */
    uint32_t jumps;                  /* not blended */
    uint32_t late;                   /* snapshots that came too late to be used */
};

struct predict_output {
    struct pose pose;   /* C in A */
    double velocity[6]; /* V = [v; w_rel] of C relative to A, C axes */
    double rate[3];     /* inertial angular rate, C axes, rad/s */
    double sigma_m, sigma_rad;
    double age_s; /* since the newest image */
    enum vision_mode mode;
    bool valid;
    bool jumped; /* in this cycle */
};

void predict_defaults(struct predict_model *m);

/* Nothing known. */
RT_SAFE void predict_init(struct predict_state *s);

/* Helper: the estimate as it will be at time_ns. */
void predict_publish(struct predict_snapshot *out, const struct vision_model *m,
                     struct vision_state *s, int64_t time_ns);

/* Cycle: `newest` as read from the latest-value buffer, the same one many times over. */
RT_SAFE void predict_step(const struct predict_model *m, struct predict_state *s,
                          const struct predict_snapshot *newest, int64_t now_ns,
                          struct predict_output *out);

#endif
