/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handeye.h - where the camera sits on the robot: A X = X B over many robot poses.
 *
 * The robot stands in n poses, g_i = pose of its flange S in its base; each time the camera sees one marker that stays where it is,
 * c_i = pose of the marker in the camera. X = T_S_cam is the same in all: g_i X c_i is the marker in the base.
 */
#ifndef FREEFALL_HANDEYE_H
#define FREEFALL_HANDEYE_H

#include "model/se3.h"

#define HANDEYE_LEAST 12
#define HANDEYE_MOST  500

struct handeye_pair {
    struct pose robot;  /* S in the base */
    struct pose marker; /* marker in the camera */
};

enum handeye_verdict {
    HANDEYE_GOOD,
    HANDEYE_FEW,      /* below HANDEYE_LEAST poses */
    HANDEYE_SMALL,    /* no rotation above 30 deg */
    HANDEYE_ONE_AXIS, /* all rotations about one axis: the place along it cannot be told */
    HANDEYE_DISAGREE  /* camera and robot do not turn by the same angles */
};

struct handeye_result {
    struct pose camera;  /* X = T_S_cam */
    struct pose marker;  /* in the base, mean */
    double turn_rms_rad; /* scatter of the marker in the base */
    double place_rms_m;
    double turn_worst_rad;
    double place_worst_m;
    int worst;              /* pose with the greatest place error, from 0 */
    double turn_span_rad;   /* greatest rotation between two poses */
    double second_span_rad; /* the same about axes at right angles to that */
};

/* n pairs. The result is filled as far as it goes; X is only to be used with HANDEYE_GOOD. */
enum handeye_verdict handeye_solve(struct handeye_result *r, const struct handeye_pair *pair,
                                   int n);

#endif
