/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world.h - the physics of the simulated facility, one period of the controller at a time.
 *
 *     poses ------> client robot   -- force sensor -- mock-up with the ring G      -->  wrench sample
 *                                                         | contact, latch
 *     poses ------> servicer robot -- arm under gravity -- gripper E               -->  joints, poses, latched
 *     torque, grip ---------------->
 *
 * A robot moves its body whatever pulls on it; the arm feels its own weight, its moving base, friction and the contact.
 * Everything that moves is integrated together by RK4 in substeps of the period. The world knows nothing of orbits: where
 * weightlessness comes out, it was made by those who command it.
 *
 * Time: world_step(k) takes the command computed from the samples at t_k and returns the samples at t_k + dt.
 */
#ifndef FREEFALL_WORLD_H
#define FREEFALL_WORLD_H

#include "tools/lab/grip.h"
#include "tools/lab/manipulator.h"
#include "tools/lab/robot.h"
#include "tools/lab/sensor.h"

enum { WORLD_CLIENT, WORLD_SERVICER, WORLD_ROBOTS };

/* Constant after world_init(). */
struct world_model {
    double dt_s; /* period of the controller */
    /* Of the integrator in it while something touches or rubs: 2 for latches up to 2e5 N/m and 5e4 Nm/rad at 1 kHz, 4 is
     * safe. While nothing does, all is smooth over a period and one RK4 step of it errs by less than rounding shows. */
    int substeps;
    uint64_t seed;
    double gravity[3];                      /* lab axes, m/s^2 */
    struct robot_model robot[WORLD_ROBOTS]; /* they carry frames T and B */
    struct manipulator_model arm;           /* on B */
    struct sensor_model sensor;             /* between client robot and mock-up */
    struct grip_model grip;
};

struct world_start {
    struct motion robot[WORLD_ROBOTS]; /* command of the first cycle, constant twist until then */
    double joint_position[MULTIBODY_LANES], joint_velocity[MULTIBODY_LANES];
};

/* Owned by the caller, changed by world_step() only. */
struct world_state {
    struct robot_state robot[WORLD_ROBOTS];
    struct manipulator_state arm;
    struct sensor_state sensor;
    struct contact_state contact;
    bool near;  /* gripper and ring may touch within the next period */
    bool rough; /* friction that sticks, or a servo fast for the period: never one step alone */
};

struct world_input {
    struct motion robot[WORLD_ROBOTS]; /* commanded, lab frame */
    double torque[MULTIBODY_LANES];    /* Nm */
    bool torque_on;                    /* false: brakes */
    bool grip;                         /* jaws closed */
};

/* What no instrument shows. */
struct world_truth {
    double joint_position[MULTIBODY_LANES], joint_velocity[MULTIBODY_LANES];
    double joint_torque[MULTIBODY_LANES]; /* of the drives, in force during the period */
    struct motion robot[WORLD_ROBOTS];    /* T and B */
    double sensor_wrench[6];              /* as the sensor feels it, sensor frame */
    double client_wrench[6];              /* F_t on the client at T, T axes */
    double gripper_wrench[6];             /* F_e on the gripper at E, E axes */
    struct pose grip;                     /* E in G */
    double contact_j;                     /* energy stored there */
};

/* What the instruments say at the end of the period. */
struct world_output {
    double joint_position[MULTIBODY_LANES], joint_velocity[MULTIBODY_LANES];
    double wrench[6]; /* raw sample in the sensor's frame: weight, inertia and bias included */
    struct motion robot[WORLD_ROBOTS]; /* T and B as the robots report them */
    bool latched;                      /* the gripper says that it holds */
    bool refused;                      /* some command was not finite and was not obeyed */
    struct world_truth truth;
};

/* Check every part, put everything to its start, and take the first samples. 0, or -EINVAL as the parts say, or for
 * no substep, a gravity or grasp frame that is not finite. */
int world_init(struct world_model *m, struct world_state *s, const struct world_start *start,
               struct world_output *out);

/* One period. */
void world_step(const struct world_model *m, struct world_state *s, const struct world_input *in,
                struct world_output *out);

#endif
