/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sensor.h - the force/torque sensor between the client robot's flange and the client mock-up.
 *
 * It reports the wrench of the mock-up on the sensor, in its own frame f: what touches the mock-up, the mock-up's
 * weight, and what is needed to move it, the last with a minus:
 *
 *     F = F_contact + [m g; c x m g] - (I V' - ad_V^T I V),      V, V' lab twist and acceleration of f
 *
 * then a first-order filter, a bias, and white noise on every sample.
 */
#ifndef FREEFALL_SENSOR_H
#define FREEFALL_SENSOR_H

#include "model/body.h"
#include "model/mapping.h"
#include "model/random.h"

/* Constant after sensor_init(). Zero switches an imperfection off. */
struct sensor_model {
    struct pose place;  /* g_tf, sensor in the client's frame T */
    struct body mockup; /* what the sensor carries, told in f; no mass: nothing */
    double bias[6];     /* N, Nm */
    double noise[6];    /* deviation, N, Nm */
    double filter_s;    /* time constant */
};

/* Owned by the caller, changed by sensor_step() only. */
struct sensor_state {
    struct random_state noise;
    double keep;        /* exp(-dt / filter) */
    double dt_s;        /* between samples */
    double felt[6];     /* true wrench at the last sample */
    double filtered[6]; /* what is left of it behind the filter */
    bool started;
};

/* What acts on the mock-up, and how it moves. */
struct sensor_input {
    struct motion body; /* T in the lab */
    double gravity[3];  /* lab axes, m/s^2 */
    double contact[6];  /* on the client at T, T axes */
};

/* Check the model and set the state. 0, or -EINVAL for a body that cannot exist, a value not finite, a noise or time
 * below zero. The filter starts at the first wrench it feels. */
int sensor_init(const struct sensor_model *m, struct sensor_state *s, uint64_t seed, double dt_s);

/* The wrench of an instant without any imperfection. */
void sensor_feel(double F[static 6], const struct sensor_model *m, const struct sensor_input *in);

/* One sample, dt after the last. */
void sensor_step(double sample[static 6], const struct sensor_model *m, struct sensor_state *s,
                 const struct sensor_input *in);

#endif
