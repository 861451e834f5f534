/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sensors.h - what the on-board software may see: a star tracker and a relative-navigation sensor with their faults.
 *
 * Performance models: the truth at the instant of measurement, with bias, slow and fast error, delivered later with
 * the time it was measured. The same seed gives the same bits.
 *
 *     true motion --> measure every period --> line of the lag --> sample, with its time and validity
 */
#ifndef FREEFALL_SENSORS_H
#define FREEFALL_SENSORS_H

#include "model/mapping.h"
#include "model/random.h"

/* Measurements on their way at most, so that lag <= (SENSORS_PENDING - 1) periods. */
#define SENSORS_PENDING 16

struct sensors_timing {
    int64_t period_ns;
    int64_t lag_ns; /* from the measurement to its delivery */
};

/* Which places of a ring hold measurements on their way. */
struct sensors_line {
    int64_t next_ns; /* when to measure again */
    int oldest, count;
};

/* ---- star tracker: attitude of the base ---- */

/* Constant after sensors_star_init(). Errors are rotation vectors in tracker axes, z the boresight, 1 sigma. */
struct sensors_star_model {
    struct sensors_timing timing;
    double mount[4];         /* tracker in the base, x y z w */
    double bias_rad[3];      /* drawn once */
    double slow_rad[3];      /* low-frequency error, Markov */
    double slow_s;           /* its correlation time */
    double noise_rad[3];     /* of each measurement, at rest */
    double noise_rate_radps; /* noise grows by sqrt(1 + (|w| / this)^2) */
    double rate_limit_radps; /* no valid attitude above */
};

struct sensors_star_sample {
    int64_t time_ns; /* of the measurement */
    double q[4];     /* tracker in the inertial frame, x y z w, sign continuous */
    bool valid;
};

struct sensors_star_state {
    struct sensors_star_sample sample; /* last delivered; not valid before the first */
    struct sensors_star_sample pending[SENSORS_PENDING];
    struct sensors_line line;
    struct random_state random;
    struct random_markov slow_model[3];
    double bias[3], slow[3];
    double last_q[4]; /* for the sign */
};

/* A usual tracker: 10 Hz, 0.1 s, bias 5/5/10, slow 3/3/15 in 200 s, noise 3/3/24 arcsec growing above 0.3 deg/s,
 * valid up to 3 deg/s, in base axes (design page, section 7; assumed, typical class). */
RT_SAFE void sensors_star_typical(struct sensors_star_model *m);

/* Draw the bias and start at time 0. 0, or -EINVAL for a period not positive, a lag out of range, an error below zero
 * or not finite, rates not positive, or a mount of no length. */
int sensors_star_init(const struct sensors_star_model *m, struct sensors_star_state *s,
                      uint64_t seed, uint64_t stream);

/* One cycle at time now_ns: base in orbit [REL 23]. True when s->sample is new. */
RT_SAFE bool sensors_star_step(const struct sensors_star_model *m, struct sensors_star_state *s,
                               const struct motion *base, int64_t now_ns);

/* ---- relative navigation: base seen from the client, and how the client moves ---- */

/* Constant after sensors_relative_init(). Errors are Markov of one correlation time, 1 sigma for each axis. */
struct sensors_relative_model {
    struct sensors_timing timing;
    double position_m[3], attitude_rad[3]; /* of g_tb, T axes and B axes */
    double velocity_mps[3], rate_radps[3]; /* of V_t, T axes */
    double correlation_s;                  /* 0: white */
};

struct sensors_relative_sample {
    int64_t time_ns;
    struct pose g_tb; /* base in client */
    double V_t[6];    /* client, inertial, T axes */
    bool valid;
};

struct sensors_relative_state {
    struct sensors_relative_sample sample;
    struct sensors_relative_sample pending[SENSORS_PENDING];
    struct sensors_line line;
    struct random_state random;
    struct random_markov model[12];
    double error[12]; /* position, attitude, velocity, rate */
};

/* Start at time 0. 0, or -EINVAL for timing out of range or an error below zero or not finite. */
int sensors_relative_init(const struct sensors_relative_model *m, struct sensors_relative_state *s,
                          uint64_t seed, uint64_t stream);

/* One cycle: client and base in orbit. True when s->sample is new. */
RT_SAFE bool sensors_relative_step(const struct sensors_relative_model *m,
                                   struct sensors_relative_state *s, const struct motion *client,
                                   const struct motion *base, int64_t now_ns);

#endif
