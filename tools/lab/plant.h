/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plant.h - the simplest world the devices can live in: each joint an inertia on a spring, each force sensor under a
 * constant wrench, a safety chain with two contacts, a robot that goes where it is told.
 *
 * Contacts (first digital input terminal): bit 0 emergency stop channel A (1: closed), bit 1 channel B (antivalent, 0:
 * closed), bit 2 enabling switch, bit 3 contactor feedback. Relays (first output terminal): bit 0 enable request.
 * The contactor, and with it the power of the drives, closes while the chain is closed; with `needs_request` only
 * when the enable request is set too.
 */
#ifndef FREEFALL_LAB_PLANT_H
#define FREEFALL_LAB_PLANT_H

#include <stdbool.h>

#include "tools/lab/physics.h"

#define PLANT_JOINTS_MAX 64
#define PLANT_TAKEN      0x80 /* flag of a robot: the command was taken */

struct plant_model {
    double inertia_kgm2, spring_nm_rad, damping_nms_rad; /* of every joint */
    double wrench[6];                                    /* on every force sensor, N and Nm */
    double robot_rate; /* 1/s: how fast a robot follows its command */
    bool needs_request;
};

struct plant {
    struct plant_model model;
    struct physics_motion joint[PLANT_JOINTS_MAX];
    struct physics_pose robot[PLANT_JOINTS_MAX];
    uint32_t relays;
    uint8_t valves;
    double servo_rad[6];
    bool stop_pressed; /* emergency stop: both channels open */
};

/* Values good for a bench: 0.1 kgm2, 20 Nm/rad, 0.5 Nms/rad; 10 N down, robots in 50 ms. */
extern const struct plant_model plant_default;

/* At rest, chain closed. */
void plant_init(struct plant *p, const struct plant_model *model);

/* The functions of this plant, for the devices. */
struct physics plant_physics(struct plant *p);

#endif
