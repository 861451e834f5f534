/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vision.h - the estimator of the target's motion: poses in, at any spacing and in any order; motion out at any time,
 * with its uncertainty and a time until which it may be used.
 *
 *     OFF --enable--> INIT --20 poses are one motion--> TRACK <--pose accepted-- PREDICT (no pose for 0.75 s)
 *                      ^                                  |                         |
 *                      +---- poses deny the motion -------+            LOST <-------+ uncertainty over its limit
 *     CONTACT: the target is touched, the model ends; INIT after release.
 *
 * Runs in the helper thread. Filter time is image time: a late pose costs nothing but a longer prediction. A pose older
 * than the newest only joins the window and is used by the next fit. When the view is lost the whole window is fitted
 * at once, so that a prediction starts from all that was seen.
 *
 * Fixed memory, no allocation; the same bits on every machine.
 */
#ifndef FREEFALL_VISION_H
#define FREEFALL_VISION_H

#include "estimation/start.h"

enum vision_mode {
    VISION_OFF,
    VISION_INIT,
    VISION_TRACK,
    VISION_PREDICT,
    VISION_LOST,
    VISION_CONTACT
};

/* What became of a pose. */
enum vision_outcome {
    VISION_IGNORED,   /* off, or in contact */
    VISION_COLLECTED, /* for the first fit */
    VISION_ACCEPTED,
    VISION_GATED,     /* does not fit what is known */
    VISION_LATE,      /* older than the newest: kept for the next fit */
    VISION_TOO_OLD,   /* older than the window, or than 2 s */
    VISION_TWICE,     /* of an image that is there already */
    VISION_CLOCK,     /* image in the future, or more than 1 s before its arrival */
    VISION_AMBIGUOUS, /* two ways to see it, and nothing yet to choose by */
    VISION_NOT_VALID, /* its source says so, or its numbers make no sense */
    VISION_OUTCOMES
};

/* Constant. */
struct vision_model {
    struct window_model fit;
    struct start_prior prior;
    double forget; /* 0.98 */
    double gate;   /* chi-square of 6 degrees of freedom */
    int first_fit; /* poses of the first fit, 10 to 60 */
    int recovery;  /* refused in a row before the filter is the suspect */
    bool learn_noise;
    double silence_s; /* without a pose: PREDICT */
    double limit_m; /* twice the deviation of the position, from which on the output is not valid */
    double limit_rad; /* the same for the attitude */
    double horizon_s; /* greatest prediction */
};

struct vision_state {
    enum vision_mode mode;
    bool tracking; /* the filter below holds a motion; also while INIT looks for another one */
    struct ekf_state now; /* at filter_ns */
    int64_t filter_ns;    /* image time of the newest pose looked at */
    int64_t receive_ns;   /* arrival of the newest accepted pose */
    struct window track;  /* what `now` stands on */
    struct window found;  /* poses for a first fit */
    struct adapt_state noise;
    struct ekf_state ahead; /* the filter brought forward to ahead_ns, for the next question */
    int64_t ahead_ns;
    int64_t valid_until_ns; /* known if has_horizon */
    bool has_horizon;
    int updates; /* accepted since the first fit */
    int fresh;   /* accepted or late since the last fit of the window */
    int refits;
    int refused_in_row;
    int agreed_in_row; /* while in doubt */
    int clock_in_row;
    bool clock_fault; /* three such poses in a row: the clocks do not agree */
    double distance;  /* nu' S^-1 nu of the newest pose compared */
    uint32_t count[VISION_OUTCOMES];
    uint32_t restarts; /* times the motion was given up */
};

struct vision_output {
    enum vision_mode mode;
    bool valid;
    double p[3];    /* origin of C in A, m */
    double q[4];    /* C in A, w >= 0 */
    double v[3];    /* of the origin of C, A axes, m/s */
    double w[3];    /* inertial rate, C axes, rad/s */
    double sigma_m; /* square root of the trace of the covariance */
    double sigma_rad;
    int64_t valid_until_ns;
    double age_s; /* since the newest image */
};

/* The defaults, for a target of some metres. */
void vision_defaults(struct vision_model *m);

/* 0, or -EINVAL for a model whose numbers are out of range. */
int vision_check(const struct vision_model *m);

/* Off, nothing known. */
void vision_init(const struct vision_model *m, struct vision_state *s);

/* Begin to collect poses; forgets what was known. */
void vision_enable(const struct vision_model *m, struct vision_state *s);

/* The target is touched, or no longer. */
void vision_contact(const struct vision_model *m, struct vision_state *s, bool touched);

/* A pose has arrived. */
enum vision_outcome vision_input(const struct vision_model *m, struct vision_state *s,
                                 const struct sighting *z);

/* Time goes on without a pose. */
void vision_advance(const struct vision_model *m, struct vision_state *s, int64_t now_ns);

/* Motion at now_ns, not before the newest image; false and all zero if none is known. */
bool vision_output(const struct vision_model *m, struct vision_state *s, int64_t now_ns,
                   struct vision_output *out);

const char *vision_mode_name(enum vision_mode mode);
const char *vision_outcome_name(enum vision_outcome outcome);

#endif
