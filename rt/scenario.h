/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario.h - from the keys of a configuration to the models the controller computes with.
 *
 *     config (keys, SI) --.
 *     robot description ---> [scenario_build] --> control_model, capture_model, ftcomp_model, where everything starts
 *
 * The base of the description gets mass and inertia from the keys: one file describes the arm, another the mission.
 */
#ifndef FREEFALL_SCENARIO_H
#define FREEFALL_SCENARIO_H

#include "config/config.h"
#include "estimation/ftcomp.h"
#include "rt/build.h"
#include "model/capture.h"
#include "rt/control.h"

#define SCENARIO_JOINTS   7 /* numbers in the keys that have one for each joint */
#define SCENARIO_PATH_MAX 512

enum scenario_software { SCENARIO_CAPTURE, SCENARIO_ZERO, SCENARIO_LIBRARY, SCENARIO_PROCESS };

/* Owned by the caller; large, so not for the stack. Constant after scenario_build(). */
struct scenario {
    char description[SCENARIO_PATH_MAX]; /* file of the robot description */
    struct urdf urdf;
    struct build_robot robot;
    struct control_model control; /* all but its on-board software */
    struct capture_model capture;
    struct ftcomp_model ftcomp;
    enum scenario_software software;
    struct pose grasp;                /* g_tG */
    struct pose place;                /* g_tb*, where the base is to be */
    struct pose start;                /* g_tb, where it starts */
    double posture[MULTIBODY_JOINTS]; /* q at the start */
    double duration_s;
};

/* Make all models; path is the file the configuration was read from, which the description is looked for beside. 0, or
 * -EINVAL after saying on `messages` what is wrong. */
int scenario_build(struct scenario *s, const struct config *c, const char *path, FILE *messages);

#endif
