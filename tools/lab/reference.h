/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reference.h - the same client, servicer and contact in orbit itself: what the lab's run is judged against.
 *
 *     base wrench F_b, joint torque tau, grip  -->  [client | servicer with its arm | contact]  -->  motion of all
 *     (held for one period)                         forward dynamics, RK4, no gravity, no robots, no friction
 *
 * Nothing of the relative method is in here: no nominal motion, no lab, no kept momentum.
 */
#ifndef FREEFALL_REFERENCE_H
#define FREEFALL_REFERENCE_H

#include "model/mapping.h"
#include "model/multibody.h"
#include "model/rigid.h"
#include "tools/lab/grip.h"
#include "tools/lab/integrate.h"

enum { REFERENCE_NUMBERS = 2 * (INTEGRATE_FRAME + 6) + 2 * MULTIBODY_LANES };

/* Constant after reference_init(). */
struct reference_model {
    double dt_s;                     /* period in which the inputs are held */
    int substeps;                    /* of the integrator: see world.h */
    struct rigid_model client;       /* frame T */
    struct multibody_model servicer; /* floating, one arm; frame B */
    struct multibody_frame gripper;  /* E */
    struct grip_model grip;
};

struct reference_start {
    struct pose client, base;
    double client_velocity[6], base_velocity[6];
    double joint_position[MULTIBODY_LANES], joint_velocity[MULTIBODY_LANES];
};

/* Owned by the caller, changed by reference_step() only. */
struct reference_state {
    double y[REFERENCE_NUMBERS]; /* client frame, twist; base frame, twist; q; qd */
    struct contact_state contact;
    struct multibody_work work;
    bool placed, factored; /* what of work belongs to the q and qd it was placed with */
    bool near;             /* gripper and ring may touch within the next period */
};

struct reference_input {
    double base_wrench[6]; /* F_b at B, B axes */
    double joint_torque[MULTIBODY_LANES];
    bool grip;
};

struct reference_output {
    struct motion client, servicer; /* in orbit; acceleration under the inputs held so far */
    double joint_position[MULTIBODY_LANES], joint_velocity[MULTIBODY_LANES];
    double client_wrench[6];  /* F_t on the client at T, T axes */
    double gripper_wrench[6]; /* F_e on the gripper at E, E axes */
    struct pose grip;         /* E in G */
    bool latched;
    bool valid; /* false: an input was not usable and was taken as zero */
};

/* Check the model and start. 0, or -EINVAL for a servicer without exactly one arm or not floating, a client that
 * rigid_init() has not accepted, a contact that contact_init() refuses, no substep, a start that is not finite. */
int reference_init(const struct reference_model *m, struct reference_state *s,
                   const struct reference_start *start, struct reference_output *out);

/* One period. */
void reference_step(const struct reference_model *m, struct reference_state *s,
                    const struct reference_input *in, struct reference_output *out);

/* Momentum [P; L] of everything about the inertial origin, inertial axes, and energy, the contact's included. */
void reference_balance(const struct reference_model *m, struct reference_state *s,
                       double momentum[static 6], double *energy_j);

#endif
