/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.h - what a robot description says, for people and as JSON: bodies, joints, limits,
 * reach, frames. */
#ifndef FREEFALL_SUMMARY_H
#define FREEFALL_SUMMARY_H

#include <stdio.h>

#include "rt/build.h"
#include "tools/json.h"

/* For people, at most 100 columns wide. */
void summary_print(FILE *out, const struct build_robot *robot);

/* The same as an object; SI, null where there is no limit. */
void summary_json(struct json *j, const struct build_robot *robot);

/* n numbers as an array. */
void summary_numbers(struct json *j, const char *name, const double *x, int n);

/* Position and quaternion x y z w of a pose, as members "p" and "q" of the object in work. */
void summary_pose(struct json *j, const struct pose *g);

#endif
