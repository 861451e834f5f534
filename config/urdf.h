/* SPDX-License-Identifier: GPL-3.0-or-later */
/* urdf.h - a robot description (URDF, the subset below) as plain links and joints, with line
 * numbers.
 *
 *     <robot name>
 *       <link name>                 a body, or only a frame
 *         <inertial> <origin xyz rpy/> <mass value/> <inertia ixx ixy ixz iyy iyz izz/>
 *       <joint name type>           revolute, continuous or fixed
 *         <parent link/> <child link/> <origin xyz rpy/> <axis xyz/>
 *         <limit lower upper effort velocity/> <dynamics damping friction/>
 *       <transmission name>         the motor behind a joint
 *         <joint name/> <actuator> <mechanicalReduction> N <rotorInertia> J, kg m^2
 *
 * The rotor inertia is our only addition to URDF: N^2 J is what a torque at the joint has to
 * accelerate besides the links. Pictures and other programs' elements (visual, collision,
 * material, gazebo, any prefix) are passed over; what is neither of these nor above is an
 * error, because a slip of the pen must not take a mass away.
 *
 * This file turns text into numbers and names into numbers, and makes sure that the links are
 * a tree. It does no mechanics: rt/build.c says whether such a body can exist and merges what
 * fixed joints hold together.
 */
#ifndef FREEFALL_URDF_H
#define FREEFALL_URDF_H

#include <stdbool.h>

#include "config/errors.h"
#include "config/source.h"

#define URDF_LINKS_MAX      64
#define URDF_JOINTS_MAX     64
#define URDF_NAME_MAX       64 /* bytes of a name, with the final zero */

#define URDF_DISTANCE_MAX_M 1e4 /* of one origin; more is a slip of the unit */
#define URDF_ANGLE_MAX_RAD  1e3

/* Pose of a frame in another: first turned by roll about x, pitch about y, yaw about z of the
 * fixed axes, then moved. */
struct urdf_origin {
    double xyz_m[3];
    double rpy_rad[3];
};

struct urdf_link {
    char name[URDF_NAME_MAX];
    int line;
    int parent;                 /* joint that carries it; -1 for the base */
    bool inertial;              /* mass and inertia were given; all zero otherwise */
    int inertia_line;           /* of <inertia> */
    double mass_kg;             /* not checked to be physical */
    struct urdf_origin central; /* frame at the centre of mass, in the link's */
    double inertia_kgm2[6];     /* about the centre of mass, in its frame: xx, yy, zz, xy, xz, yz */
};

enum urdf_kind { URDF_FIXED, URDF_REVOLUTE, URDF_CONTINUOUS };

struct urdf_joint {
    char name[URDF_NAME_MAX];
    int line;
    enum urdf_kind kind;
    int parent, child;           /* links */
    struct urdf_origin origin;   /* of the child at rest, in the parent */
    double axis[3];              /* in the child, of length one */
    double lower_rad, upper_rad; /* infinite for a continuous joint */
    double effort_nm;      /* infinite, as is velocity, for a continuous joint without <limit> */
    double velocity_rad_s; /* greatest speed */
    double damping_nms, friction_nm;
    double rotor_kgm2; /* seen from the joint, N^2 J */
    bool rotor;        /* a transmission gave it */
};

struct urdf {
    char name[URDF_NAME_MAX];
    int links, joints;
    int root;                  /* the base link */
    int order[URDF_LINKS_MAX]; /* the links, every parent before its children */
    struct urdf_link link[URDF_LINKS_MAX];
    struct urdf_joint joint[URDF_JOINTS_MAX];
};

/* Read a description. 0, or -EINVAL after all that is wrong was added to the errors. Links
 * that were read are in place even after an error (so that their masses can be judged in the
 * same run); joints, root and order are good only with 0. */
int urdf_read(struct urdf *u, struct errors *errors, const struct source *source);

/* The same from a file. */
int urdf_open(struct urdf *u, struct errors *errors, const char *path);

/* Index of the link, or -1. */
int urdf_find_link(const struct urdf *u, const char *name);

#endif
