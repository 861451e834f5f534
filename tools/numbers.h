/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numbers.h - the dynamics of a robot at one state, for people and as JSON.
 *
 *     M nudot + bias = [0; tau] + gravity + J'F          nu = [V; dq], base rows first
 *
 * Base twist and momentum in base axes at the base origin, linear part first. Frames in the world.
 */
#ifndef FREEFALL_NUMBERS_H
#define FREEFALL_NUMBERS_H

#include <stdio.h>

#include "tools/json.h"
#include "tools/state.h"

struct numbers {
    int dof;
    double M[MULTIBODY_DOF * MULTIBODY_DOF]; /* dof x dof */
    double bias[MULTIBODY_DOF];              /* Coriolis and centrifugal loads h(nu) */
    double gravity[MULTIBODY_DOF];           /* what gravity does */
    double acceleration[MULTIBODY_DOF];
    double energy_j;    /* kinetic, rotors included */
    double momentum[6]; /* of the links; a rotor counts at its joint only */
    struct multibody_work work;
};

/* Compute all of it; the robot must have the base of the state. 0, or -EDOM if a joint has no
 * inertia to speak of there. */
int numbers_compute(struct numbers *n, const struct build_robot *robot, const struct state *s);

void numbers_print(FILE *out, const struct numbers *n, const struct build_robot *robot,
                   const struct state *s);
void numbers_json(struct json *j, const struct numbers *n, const struct build_robot *robot,
                  const struct state *s);

#endif
