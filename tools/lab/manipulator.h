/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manipulator.h - the real arm of the lab: heavy, rubbing, on a base that a robot carries about.
 *
 *     torque command --> latency --> steps of the drive --> [arm under gravity] --> encoder steps --> position
 *     drives on      -->                                     friction, brakes   --> noise         --> velocity
 *
 * The base goes where its robot takes it, whatever the arm does: joint accelerations follow from
 *
 *     M_qq q'' + M_bq' A + h_q(V, q') - G_q = tau + J_m' F_e - friction,      V, A twist and acceleration of the base.
 *
 * Friction of a joint: c v / sqrt(v^2 + s^2) + b v, Coulomb's law without a step at rest. Where it is steeper than the
 * integration step can follow (|v| below s), its slope is taken implicitly; it can then stick, and never rings.
 * Drives off: the brakes hold every joint where it is.
 */
#ifndef FREEFALL_MANIPULATOR_H
#define FREEFALL_MANIPULATOR_H

#include "model/mapping.h"
#include "model/multibody.h"
#include "model/random.h"

enum { MANIPULATOR_QUEUE = 16 };

/* Constant after manipulator_init(). Zero switches an imperfection off. */
struct manipulator_model {
    struct multibody_model robot;        /* one arm on its base */
    struct multibody_frame gripper;      /* E */
    double coulomb_nm[MULTIBODY_LANES];  /* c */
    double viscous_nms[MULTIBODY_LANES]; /* b, Nms/rad */
    double slip_radps;                   /* s: speed at which friction is at 71 % */
    int latency;                 /* cycles from command to torque, below MANIPULATOR_QUEUE */
    double torque_step_nm;       /* resolution of the drives */
    double encoder_step_rad;     /* of the encoders */
    double velocity_noise_radps; /* deviation of the measured velocity */
};

struct manipulator_torque {
    double joint[MULTIBODY_LANES];
    bool on;
};

/* Owned by the caller. */
struct manipulator_state {
    double q[MULTIBODY_LANES], qd[MULTIBODY_LANES]; /* true position and velocity */
    struct manipulator_torque queue[MANIPULATOR_QUEUE];
    struct manipulator_torque drive; /* in force in this cycle, after latency and steps */
    uint64_t cycle;
    struct random_state noise;
    bool refused; /* the last command was not finite: no torque in its place */
    bool placed;  /* work holds the place of some q and qd */
    struct multibody_work work;
};

/* Check the model, hold the base, put the joints there, drives off. 0, or -EINVAL for a robot without exactly one arm,
 * a value below zero or not finite, Coulomb friction without a slip speed, a latency too long. */
int manipulator_init(struct manipulator_model *m, struct manipulator_state *s, const double *q,
                     const double *qd, uint64_t seed);

/* A cycle begins with this command. */
void manipulator_command(const struct manipulator_model *m, struct manipulator_state *s,
                         const double *torque, bool on);

/* Where links are and how they move; first call for each state of an integrator. Nothing is computed for the state it was
 * called with last: a period begins where the one before it ended. */
void manipulator_put(const struct manipulator_model *m, struct manipulator_state *s,
                     const double *q, const double *qd);

/* The same, and the gripper: g_be = pose of E in B, V_e its twist for the base twist V, E axes. */
void manipulator_place(const struct manipulator_model *m, struct manipulator_state *s,
                       const double *q, const double *qd, const double V[static 6],
                       struct pose *g_be, double V_e[static 6]);

/* What moves the arm besides its drives. */
struct manipulator_load {
    double velocity[6];     /* V of the base */
    double acceleration[6]; /* A = V' */
    double gravity[3];      /* base axes, m/s^2 */
    double gripper[6];      /* F_e on the gripper at E, E axes */
};

/* q'' at the place of the last manipulator_put(), to be used over h_s. Zero while the brakes hold. */
void manipulator_acceleration(double *qdd, const struct manipulator_model *m,
                              struct manipulator_state *s, const double *qd,
                              const struct manipulator_load *load, double h_s);

/* Is there Coulomb friction? */
bool manipulator_rubs(const struct manipulator_model *m);

/* Friction torque on the joint at velocity qd: against it, or zero. */
double manipulator_friction(const struct manipulator_model *m, int joint, double qd_radps);

/* What encoders and drives report. */
void manipulator_measure(const struct manipulator_model *m, struct manipulator_state *s,
                         double *position, double *velocity);

#endif
