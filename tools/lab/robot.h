/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robot.h - an industrial robot as the body on its flange sees it: a pose servo that is late.
 *
 *     command --> dead time --> set-points every 4 ms, --> servo of limited --> pose, twist, acceleration
 *     (1 kHz)                   straight line between      bandwidth            of the carried body
 *
 * Each of the three can be absent (zero). With none of them the robot is where it is told, to the last bit; between
 * two commands it goes on with the twist and acceleration of the last one.
 *
 * Lateness: a set-point of constant twist is reproduced after exactly dead time + interpolation period. The servo,
 *
 *     V' = W^2 e + 2 Z W (V_r - V),     e the pose error, V_r the twist of the set-point: velocity feed-forward,
 *
 * adds none to that; it filters what changes. W = 2 pi bandwidth, Z the damping ratio. Loads do not move the robot.
 */
#ifndef FREEFALL_ROBOT_H
#define FREEFALL_ROBOT_H

#include "model/mapping.h"
#include "tools/lab/integrate.h"

enum { ROBOT_QUEUE = 64, ROBOT_STATE = INTEGRATE_FRAME + 6 };

/* Constant after robot_init(). */
struct robot_model {
    double dead_time_s; /* below ROBOT_QUEUE - 1 cycles */
    double period_s;    /* interpolation, a whole number of cycles; 0: none */
    double
        phase_s; /* when in its period the robot takes a set-point, whole cycles: clocks are not aligned */
    double bandwidth_hz; /* of the servo; 0: follows exactly */
    double damping;      /* ratio Z of the servo, 1: no overshoot */
};

/* Owned by the caller. The past commands are a ring, newest at [cycle % ROBOT_QUEUE]. */
struct robot_state {
    struct motion queue[ROBOT_QUEUE];
    uint64_t cycle;         /* of the newest command; counted from ROBOT_QUEUE */
    double dt_s;            /* cycle of the controller */
    int behind;             /* dead time in cycles, rounded up ... */
    double ahead_s;         /* ... and what was too much */
    int every, phase;       /* interpolation period and its phase in cycles; 0: none */
    struct motion from;     /* where the present piece of path began */
    double since_s;         /* how long before the present cycle */
    struct pose target;     /* where it ends (with interpolation) */
    double y[ROBOT_STATE];  /* of the body: frame, body twist */
    double acceleration[6]; /* V' at the end of the last cycle */
    bool refused;           /* the last command was not finite and the one before it stays */
};

/* Check the model and put the robot where it is had it followed a constant twist for ever, whose command for the
 * first cycle is start. 0, or -EINVAL for a value that is not finite or negative, a dead time too long, a period or phase that is not a whole
 * number of cycles, a servo too fast for the cycle (2 pi bandwidth dt > 1) or without damping, or interpolation
 * without a servo: straight lines have corners, and a corner is an infinite acceleration. */
int robot_init(const struct robot_model *m, struct robot_state *s, const struct motion *start,
               double dt_s);

/* A cycle begins with this command. */
void robot_command(const struct robot_model *m, struct robot_state *s,
                   const struct motion *command);

/* What the servo is told at offset_s into the cycle. */
void robot_path(struct motion *r, const struct robot_state *s, double offset_s);

/* Motion at offset_s into the cycle of a body in the state y, and y' (zero if the robot follows exactly). */
void robot_rate(struct motion *now, double dy[static ROBOT_STATE], const struct robot_model *m,
                const struct robot_state *s, const double y[static ROBOT_STATE], double offset_s);

/* The cycle ends in the state y: keep it. */
void robot_arrive(const struct robot_model *m, struct robot_state *s,
                  const double y[static ROBOT_STATE]);

/* Where the body is. */
void robot_motion(struct motion *now, const struct robot_state *s);

/* One cycle alone, in substeps: command, integrate, arrive. */
void robot_step(const struct robot_model *m, struct robot_state *s, const struct motion *command,
                int substeps);

#endif
