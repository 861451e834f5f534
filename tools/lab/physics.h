/* SPDX-License-Identifier: GPL-3.0-or-later */
/* physics.h - what the simulated devices move and measure: a table of functions that a plant fills.
 *
 * The devices know bytes and counts, the plant knows newtons and radians; this is the line between them. Every
 * function is there (plant.h has simple ones). They are called from the one thread of the simulator, in the order
 * of the wire, once for each step of the device. Channel: number of the device among those of its kind.
 */
#ifndef FREEFALL_LAB_PHYSICS_H
#define FREEFALL_LAB_PHYSICS_H

#include <stdbool.h>
#include <stdint.h>

struct physics_motion {
    double position_rad;
    double velocity_rad_s;
    bool powered; /* the safety chain lets current into this drive */
};

/* A pose as the bridge to an industrial robot carries it. */
struct physics_pose {
    double position_m[3];
    double abc_rad[3]; /* Z-Y-X Euler angles */
    uint8_t mode, flags;
};

struct physics {
    void *user;

    /* A joint driven by torque_nm, or held by its brake, for dt_s: where it is then. */
    void (*joint)(void *user, int channel, double torque_nm, bool braked, double dt_s,
                  struct physics_motion *motion);

    /* Wrench [f; m] on a force/torque sensor, N and Nm, in its own axes, at t_ns. */
    void (*wrench)(void *user, int channel, int64_t t_ns, double wrench[static 6]);

    /* Contacts on digital inputs; what digital outputs switch. Bit 0 is channel 1 of the terminal. */
    uint32_t (*contacts)(void *user, int channel);
    void (*relays)(void *user, int channel, uint32_t bits);

    /* Board of the planar robot: six valves (bit 0: nozzle 1) and six servo references for dt_s. */
    void (*air)(void *user, int channel, uint8_t valves, const double servo_rad[static 6],
                double dt_s);

    /* Robot behind a bridge: takes a commanded pose, says where it is. */
    void (*robot)(void *user, int channel, const struct physics_pose *command, double dt_s,
                  struct physics_pose *measured);
};

#endif
