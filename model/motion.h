/* SPDX-License-Identifier: GPL-3.0-or-later */
/* motion.h - a robot that moves: its state, one step of a millisecond with latched frames, and a
 * slow exact step to judge by.
 *
 * motion_step() takes one evaluation, does not drift and handles impacts: the bench [MAR section
 * 6]. motion_rk4() is of fourth order, with the latches kept by projection: the reference of tests,
 * and the free plant.
 */
#ifndef FREEFALL_MOTION_H
#define FREEFALL_MOTION_H

#include "model/constraint.h"
#include "model/multibody_solve.h"

struct motion_state {
    struct pose pose; /* of the base in the world */
    double q[MULTIBODY_JOINTS];
    struct multibody_vector nu; /* [V; qd] */
    struct constraint latch[CONSTRAINT_MAX];
    int latches;
};

/* What acts during a step, held. */
struct motion_input {
    struct multibody_vector
        load;          /* base wrench at the base origin, in base axes, and joint torques */
    double gravity[3]; /* m/s^2, in the world */
    const double *
        viscous_nms; /* friction of each joint, Nm s/rad, taken implicitly; NULL: none. Not in motion_rk4() */
};

struct motion_output {
    double wrench[CONSTRAINT_MAX]
                 [6]; /* of the robot on the structure at each latch, in its frame; zero if open */
    double energy_lost_j; /* by motion_latch() */
    int rows, rank;       /* of the latches; a rank below rows is to be treated as a fault */
    double least;         /* 0..1: how far the latches are from depending on each other */
    bool valid;           /* every number was usable and no rank was lost */
};

/* Memory for a step, owned by the caller, about 32 kB. */
struct motion_work {
    struct multibody_work robot; /* multibody_reset() first; payloads are attached here */
    struct constraint_work latch;
};

/* One step: nu+ from the KKT system with stabilisation, then the pose along nu+. */
RT_SAFE void motion_step(const struct multibody_model *m, struct motion_work *w,
                         struct motion_state *s, const struct motion_input *in,
                         struct motion_output *out, double dt_s);

/* One step of fourth order. Latches do not move in it; their frames are put back onto them,
 * positions and velocities, by mass-weighted projection. */
RT_SAFE void motion_rk4(const struct multibody_model *m, struct motion_work *w,
                        struct motion_state *s, const struct motion_input *in,
                        struct motion_output *out, double dt_s);

/* Close latch i on its frame: a plastic impact. The wrenches are impulses here, N s and Nm s, of
 * all closed latches. */
RT_SAFE void motion_latch(const struct multibody_model *m, struct motion_work *w,
                          struct motion_state *s, int i, const struct pose *nominal,
                          struct motion_output *out);

/* Open latch i; nothing else changes at that instant. */
RT_SAFE void motion_unlatch(struct motion_state *s, int i);

/* Put the frames back onto their latches and the velocity onto what they allow, both by the
 * smallest change in the sense of M. True if all rows were independent. */
RT_SAFE bool motion_project(const struct multibody_model *m, struct motion_work *w,
                            struct motion_state *s);

#endif
