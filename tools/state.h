/* SPDX-License-Identifier: GPL-3.0-or-later */
/* state.h - reads the state of a robot from a JSON file:
 *
 *     {"base": "floating", "gravity": [0, 0, 0], "pose": {"p": [0, 0, 0], "q": [0, 0, 0, 1]},
 *      "V": [0, 0, 0, 0, 0, 0], "q": [0.1, 0.2], "dq": [0, 0], "tau": [0, 0],
 *      "wrench": {"frame": "E", "F": [0, 0, 0, 0, 0, 0]}}
 *
 * Only "base" and, for a robot with joints, "q" must be there; the rest is zero, the pose the
 * identity. Everything is checked: names, numbers of numbers, ranges; errors show the place.
 */
#ifndef FREEFALL_STATE_H
#define FREEFALL_STATE_H

#include "rt/build.h"

struct state {
    enum multibody_base base;
    double gravity[3];          /* m/s^2, world axes */
    struct pose pose;           /* of the base in the world */
    struct multibody_vector nu; /* [V; dq], V the body twist */
    double q[MULTIBODY_JOINTS];
    double tau[MULTIBODY_JOINTS];
    int frame; /* the wrench acts at this frame of the robot; -1: there is none */
    double F[6];
};

/* Read the file for this robot. 0, or -EINVAL after saying on stderr what is wrong. */
int state_read(struct state *s, const struct build_robot *robot, const char *path);

#endif
