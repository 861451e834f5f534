/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build.h - from what files say to the models the controller computes with.
 *
 * A robot description (config/urdf.h) becomes a robot of the engine (model/multibody.h): links
 * that fixed joints hold together become one body, the others follow each other along one or
 * two arms. No name is lost: every link of the file, merged or not, is a frame of the robot.
 */
#ifndef FREEFALL_BUILD_H
#define FREEFALL_BUILD_H

#include "config/urdf.h"
#include "model/multibody.h"

/* A moving joint, and the body behind it. */
struct build_joint {
    char name[URDF_NAME_MAX];
    char link[URDF_NAME_MAX];    /* that it moves */
    struct body body;            /* all that moves with the link as one body, in the link's frame */
    double lower_rad, upper_rad; /* infinite where there is no limit, as are the next two */
    double effort_nm;
    double velocity_rad_s;
    double damping_nms, friction_nm; /* of the file; the engine knows neither */
    double rotor_kgm2;               /* seen from the joint */
};

struct build_frame {
    char name[URDF_NAME_MAX];
    int link;          /* joint number, or MULTIBODY_BASE */
    struct pose place; /* in the frame of that link */
    struct multibody_frame at;
};

/* Owned by the caller, about 30 kB. Constant after build_robot(). */
struct build_robot {
    char name[URDF_NAME_MAX];
    struct multibody_model model;
    struct build_joint
        joint[MULTIBODY_JOINTS]; /* model.joints of them, in the order of the engine */
    int frames;
    struct build_frame frame[URDF_LINKS_MAX]; /* frame[0] is the base, parents before children */
};

/* R = Rz(yaw) Ry(pitch) Rx(roll), the angles of URDF. The double nearest to a multiple of a
 * quarter turn is taken for it: then R holds exact zeros and ones. */
void build_rotation(double R[static 9], const double rpy_rad[static 3]);

/* Say of each link that could not exist why; the number of such links. */
int build_check_links(struct errors *errors, const struct urdf *u);

/* Make the robot on this kind of base. 0, or -EINVAL after all that is wrong was added to the
 * errors. */
int build_robot(struct build_robot *r, struct errors *errors, const struct urdf *u,
                enum multibody_base base);

/* Read the file, check it, make the robot: all of the above, and all of the errors at once. u
 * is filled too. */
int build_open(struct build_robot *r, struct urdf *u, struct errors *errors, const char *path,
               enum multibody_base base);

/* Index of the frame of this name, or -1. */
int build_find_frame(const struct build_robot *r, const char *name);

#endif
