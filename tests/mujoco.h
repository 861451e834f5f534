/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mujoco.h - MuJoCo as an independent judge of the multibody engine.
 *
 * The robot goes in as MJCF text written from its table. What comes out is turned into our conventions: base rows
 * first, base twist V = [v; w] in base axes, linear part first. MuJoCo's velocity u has the linear part of a free
 * base in world axes, so
 *
 *     u = T nu,   u' = T nu' + T' nu,   T = blkdiag(R, 1, 1),   T' nu = [R (w x v); 0; 0]
 *     M = T' M_mj T,   h = T' (h_mj + M_mj T' nu)
 *
 * and the same in the plane for a planar base (two slides and a hinge in MuJoCo).
 */
#ifndef FREEFALL_TESTS_MUJOCO_H
#define FREEFALL_TESTS_MUJOCO_H

#include "model/se3.h"
#include "tests/robots.h"

#include <mujoco/mujoco.h>

enum { MUJOCO_DOF = 6 + ROBOTS_JOINTS };

struct mujoco {
    mjModel *m;
    mjData *d;
    int base;                          /* columns of the base: 6, 3 or 0 */
    int dof;                           /* base + joints */
    int site[ROBOTS_FRAMES];           /* of each frame */
    double T[MUJOCO_DOF * MUJOCO_DOF]; /* of the present state, dof x dof */
    double dT_nu[MUJOCO_DOF];          /* T' nu */
    double nu[MUJOCO_DOF];
    double gravity[3]; /* m/s^2, world axes */
};

/* 0, or -1 after saying why on stderr. */
int mujoco_open(struct mujoco *j, const struct robot *r);
void mujoco_close(struct mujoco *j);

/* State: pose of the base in the world (of a planar base x, y, yaw count), joint angles, nu[dof], gravity in world axes.
 * Everything below is at this state. */
void mujoco_set(struct mujoco *j, const struct pose *g_wb, const double *q, const double *nu,
                const double gravity[static 3]);

void mujoco_mass(double *M, const struct mujoco *j);       /* dof x dof */
void mujoco_bias(double *h, const struct mujoco *j);       /* Coriolis and centrifugal only */
void mujoco_gravity(double *load, const struct mujoco *j); /* what gravity does */

/* load[dof] = M acc + bias - gravity load, by MuJoCo's own recursion. */
void mujoco_inverse(double *load, const struct mujoco *j, const double *acc);

/* acc[dof] from load[dof], gravity and the wrench F at frame i, in the frame's axes. */
void mujoco_forward(double *acc, const struct mujoco *j, const double *load, int i,
                    const double F[static 6]);

/* Frame i: pose in the base, Jacobian 6 x dof and J' nu, in the frame's own axes. */
void mujoco_frame(struct pose *g_bf, double *J, double bias[static 6], const struct mujoco *j,
                  int i);

/* J (6 frames x dof) of the first frames in order, and A = J M^-1 J'. */
void mujoco_compliance(double *A, double *J, const struct mujoco *j, int frames);

/* One Runge-Kutta step of 1 ms from the state set, joint torques tau held: the new pose, angles, and velocity u = T nu, whose
 * linear part is in world axes. */
void mujoco_step(struct pose *g_wb, double *q, double *u, const struct mujoco *j,
                 const double *tau);

double mujoco_kinetic(const struct mujoco *j); /* J */

/* Momentum in base axes about the base origin. */
void mujoco_momentum(double P[static 6], const struct mujoco *j);

#endif
