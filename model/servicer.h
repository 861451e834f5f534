/* SPDX-License-Identifier: GPL-3.0-or-later */
/* servicer.h - the servicer satellite: a free base with an arm, in orbit and on the robot.
 *
 * The base is integrated by its spatial momentum, the exact integral of the base rows of [REL 13]:
 *
 *     joints q, qd ------------.
 *     gripper wrench F_e ------> [servicer_step] --> g_b, V_b in orbit --(mapping.h)--> g_s, V_s for the robot
 *     base wrench F_b ---------'                                            |
 *     on-board torque tau -------------------------> [servicer_torque] <----'--> tau_q for the real arm
 *
 * No joint acceleration is needed anywhere: differentiated encoders would be the noisiest signal of the laboratory, and
 * joint friction, which the momentum does not see, would spoil a base integrated from model accelerations
 * (3.2e-3 rad against 0.22 rad after 20 s with 1 Nm of friction).
 */
#ifndef FREEFALL_SERVICER_H
#define FREEFALL_SERVICER_H

#include "model/multibody.h"

/* Constant after servicer_init(). */
struct servicer_model {
    struct multibody_model robot;   /* floating base, B axes; one arm */
    struct multibody_frame gripper; /* E */
    double torque_ahead_s;          /* from the sample of q to the middle of the time tau_q acts */
};

/* Owned by the caller, changed by servicer_start() and servicer_step() only. */
struct servicer_state {
    struct pose pose;    /* g_b */
    double momentum[6];  /* mu_b: whole robot, inertial axes, about the inertial origin */
    double velocity[6];  /* V_b */
    double wrench[6];    /* spatial wrench at the gripper in the last cycle, for the trapezoid */
    struct pose gripper; /* g_be, E in B */
    struct multibody_work work; /* at the joints of the last call */
};

/* Work space for servicer_torque(), which looks ahead of the state; holds nothing between calls. */
struct servicer_work {
    struct multibody_work ahead;
};

/* What acts on the servicer and how its joints are, in one cycle. */
struct servicer_input {
    double joint_position[MULTIBODY_LANES]; /* q, rad */
    double joint_velocity[MULTIBODY_LANES]; /* qd, rad/s */
    double gripper_wrench[6];               /* F_e on the gripper, at E, E axes */
    double base_wrench[6];                  /* F_b that acted since the last cycle, at B, B axes */
};

/* How the servicer moves on the robot, as mapping.h gives it. */
struct servicer_relative {
    struct pose pose;               /* g_s */
    double velocity[6];             /* V_s */
    double nominal_acceleration[6]; /* dV_s' of [REL 7'] */
};

/* Check that the robot floats, has one arm and the frame is on it. 0 or -EINVAL. */
int servicer_init(const struct servicer_model *m);

/* Put the base at g with body twist V, the joints as told, no wrench yet. */
RT_SAFE void servicer_start(const struct servicer_model *m, struct servicer_state *s,
                            const struct pose *g, const double V[static 6], const double *q,
                            const double *qd);

/* Advance the base one period dt_s to the instant the input was sampled. */
RT_SAFE void servicer_step(const struct servicer_model *m, struct servicer_state *s,
                           const struct servicer_input *in, double dt_s);

/* acc = [V_b'; qdd] of the model in orbit [REL 12] under F_b, tau and F_e: feed-forward for the robot. Needs
 * servicer_step() or servicer_start() of this cycle. */
RT_SAFE void servicer_acceleration(const struct servicer_model *m, struct servicer_state *s,
                                   struct multibody_vector *acc, const struct servicer_input *in,
                                   const double *tau);

/* tau_q = tau + ID(q, qd, 0; V_s, 0, g_S)_q - ID(q, qd, 0; V_b, dV_s', 0)_q [REL 22], taken torque_ahead_s later
 * than the sample. gravity_lab is the vector in the axes of the frame g_s is told in, m/s^2. */
RT_SAFE void servicer_torque(const struct servicer_model *m, struct servicer_work *w, double *tau_q,
                             const struct servicer_input *in, const double *tau,
                             const struct servicer_relative *relative, const double V_b[static 6],
                             const double gravity_lab[static 3]);

/* V_s' by the admittance form [REL 18], with the joint acceleration told. For comparison of the forms: the
 * cycle uses servicer_step(). Needs servicer_step() or servicer_start(). */
RT_SAFE void servicer_admittance(const struct servicer_model *m, struct servicer_state *s,
                                 double V_s_dot[static 6], const struct servicer_input *in,
                                 const double *qdd, const double dV_s_dot[static 6]);

/* F_s by the impedance form [REL 16], corrected: the wrench that makes a base with the lab robot's own inertia
 * (lab: the same arm on another base body) move as the servicer would. lab_work is scratch. Needs servicer_step() or servicer_start(). */
RT_SAFE void servicer_impedance(const struct servicer_model *m, struct servicer_state *s,
                                const struct multibody_model *lab, struct multibody_work *lab_work,
                                double F_s[static 6], const struct servicer_input *in,
                                const double *qdd, const struct servicer_relative *relative);

#endif
