/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reach.h - how far from the base origin a frame of a robot can get, within the ranges of its
 * joints. */
#ifndef FREEFALL_REACH_H
#define FREEFALL_REACH_H

#include "rt/build.h"

/* The greatest distance found, m, and the joint angles there. The search climbs from many
 * starts, each joint in turn going to its best angle; what it finds can be reached, and
 * nothing farther was seen. */
double reach_search(const struct build_robot *robot, const struct multibody_frame *frame,
                    double q[static MULTIBODY_JOINTS]);

/* The frame at the end of an arm: the last link of the file that its last joint carries. */
const struct build_frame *reach_end(const struct build_robot *robot, int arm);

#endif
