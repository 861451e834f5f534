/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robots.h - the robots of the design pages as plain tables, for tests and benchmarks.
 *
 * Every simulator is built from these same numbers: the engine by robots_model.h, MuJoCo by mujoco.h, others by
 * tests/perf. This file includes none of them, so that no one's mistake can hide in the numbers.
 *
 * A robot is a base, one or two arms mounted on it, bodies fixed to links (tool, pedestal), and named frames. Links are
 * numbered through all arms; ROBOTS_BASE is the base. Poses: p in m, quaternion x y z w of any length but zero.
 * Also valid C++, for the peers written in it.
 */
#ifndef FREEFALL_ROBOTS_H
#define FREEFALL_ROBOTS_H

enum { ROBOTS_BASE = -1, ROBOTS_ARMS = 2, ROBOTS_JOINTS = 16, ROBOTS_PARTS = 4, ROBOTS_FRAMES = 4 };

struct robots_pose {
    double p[3];
    double q[4];
};

struct robots_mass {
    double mass_kg;
    double com[3];
    double inertia[6]; /* about the centre of mass: xx, yy, zz, xy, xz, yz, kg m^2 */
};

/* A joint and the link it turns. The link's frame is the joint's frame, turned by q about the axis. */
struct robots_joint {
    struct robots_pose place; /* in the link before, or in the arm's mount */
    double axis[3];           /* unit length */
    struct robots_mass link;
    double rotor_kgm2;
};

struct robots_arm {
    struct robots_pose mount; /* in the base */
    const struct robots_joint *joint;
    int joints;
};

/* Something bolted to a link, told in its own frame at place in the link's. */
struct robots_part {
    int link;
    struct robots_pose place;
    struct robots_mass mass;
};

struct robots_frame {
    int link;
    struct robots_pose place;
};

struct robot {
    const char *name;
    int base; /* how many ways the base can move: 6 free, 3 in the plane (x, y, yaw), 0 fixed */
    struct robots_mass base_mass;
    struct robots_arm arm[ROBOTS_ARMS];
    int arms;
    struct robots_part part[ROBOTS_PARTS];
    int parts;
    struct robots_frame frame[ROBOTS_FRAMES]; /* the first one is the end-effector */
    int frames;
};

extern const struct robot
    robots_floating; /* 14-kg-class arm with a 2 kg tool on a free base of 300 kg, general mount */
extern const struct robot
    robots_servicer; /* the same arm on the servicer of 1500 kg with its pedestal */
extern const struct robot
    robots_light; /* the same arm on a free base of 3 kg, a ninth of the arm's mass */
extern const struct robot robots_fixed;    /* the same arm on the ground */
extern const struct robot robots_multiarm; /* torso with two arms of seven joints, morphology C */
extern const struct robot robots_planar;   /* air-bearing robot with its arm of five joints */

/* A robot out of a random number: two arms of 8 and 6 joints, everything tilted, full inertias, random axes. It uses the
 * table given for its joints. */
void robots_random(struct robot *r, struct robots_joint table[ROBOTS_JOINTS], int base,
                   unsigned long long seed);

/* Joints of all arms, and joint number i of them. */
int robots_joints(const struct robot *r);
const struct robots_joint *robots_joint(const struct robot *r, int i);

/* Where joint i sits: the place in the link before, or, for the first of an arm, mount times place in the base. *parent
 * is the link before or ROBOTS_BASE. */
void robots_place(struct robots_pose *in_parent, int *parent, const struct robot *r, int i);

/* The link (or ROBOTS_BASE) with all its parts as one body. */
void robots_merge(struct robots_mass *sum, const struct robot *r, int link);

/* R, row-major, of a quaternion of any length but zero. */
void robots_rotation(double R[9], const double q[4]);

/* Pseudo-random numbers (xorshift64*), the same on every machine: uniform in [-range, range]. */
double robots_uniform(unsigned long long *seed, double range);

#endif
