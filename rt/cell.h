/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cell.h - the two industrial robots of the laboratory, where they stand, and how the bodies hang on their flanges.
 *
 *     lab -- base --> root -- axes --> flange -- mock-up --> mock-up -- centre --> T of the client, B of the servicer
 *
 * From the keys cell.*. The force sensor is told from T: sensor.position.
 */
#ifndef FREEFALL_CELL_H
#define FREEFALL_CELL_H

#include <stdio.h>

#include "config/config.h"
#include "model/industrial_inverse.h"

enum { CELL_CLIENT, CELL_SERVICER, CELL_ROBOTS };

/* Constant after cell_build(). */
struct cell {
    struct industrial_model robot;      /* both */
    struct pose base[CELL_ROBOTS];      /* root in the lab */
    struct pose body[CELL_ROBOTS];      /* T or B in the flange */
    struct pose flange_in[CELL_ROBOTS]; /* the inverse of that */
    double radius_m;                    /* of the capsules about the links */
};

extern const char *const cell_robot_name[CELL_ROBOTS]; /* "client", "servicer" */

/* 0, or -EINVAL after saying on `messages` what is wrong. */
int cell_build(struct cell *cell, const struct config *c, FILE *messages);

/* Pose of the flange in the root that puts the body at this pose in the lab. */
void cell_flange(struct pose *flange, const struct cell *c, int robot, const struct pose *body);

#endif
