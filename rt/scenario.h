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
#include "rt/control.h"
#include "rt/obsw_builtin.h"
#include "rt/plugin.h"

#define SCENARIO_JOINTS   7 /* numbers in the keys that have one for each joint */
#define SCENARIO_PATH_MAX 512

enum scenario_software { SCENARIO_CAPTURE, SCENARIO_ZERO, SCENARIO_LIBRARY };

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

/* One instance of the on-board software: every controller has its own. */
struct scenario_obsw {
    struct obsw_builtin_capture capture;
    struct plugin plugin;
    struct control_obsw obsw; /* for a control_model */
};

/* Make all models; path is the file the configuration was read from, which the description is looked for beside. 0, or
 * -EINVAL after saying on `messages` what is wrong. */
int scenario_build(struct scenario *s, const struct config *c, const char *path, FILE *messages);

/* Start on-board software as configured. 0, or -errno after a message. */
int scenario_obsw_open(struct scenario_obsw *o, const struct scenario *s, const struct config *c,
                       FILE *messages);
void scenario_obsw_close(struct scenario_obsw *o);

#endif
