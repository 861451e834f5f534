/* SPDX-License-Identifier: GPL-3.0-or-later */
/* constraint.h - frames of a robot latched to a structure, and the wrenches that hold them there
 * [MAR 2-4, section 6].
 *
 *     M nudot + h + Psi' lambda = load,    Psi nu = what the latches do (mostly nothing)
 *
 * Rows of Psi are the Jacobians of the latched frames, six each; lambda is the wrench the robot
 * exerts on the structure, in the axes of the latched frame. The multipliers come from A = Psi M^-1
 * Psi'. A is singular when latched frames depend on each other (a stretched arm between two
 * latches): rows that add nothing are left out, the rank says so, and nothing becomes infinite.
 */
#ifndef FREEFALL_CONSTRAINT_H
#define FREEFALL_CONSTRAINT_H

#include "model/multibody.h"

enum { CONSTRAINT_MAX = 4, CONSTRAINT_ROWS = 6 * CONSTRAINT_MAX };

/* When a latch may close, and how gently it pulls the frame to its nominal pose afterwards. */
#define CONSTRAINT_NEAR_M   0.002
#define CONSTRAINT_NEAR_RAD (0.5 * BASE_PI / 180.0)
#define CONSTRAINT_SLOW_M_S 0.005
#define CONSTRAINT_DWELL_S  0.1
#define CONSTRAINT_PULL_S   1.0

/* What is left of a row after those chosen before it are taken out, as a part of the row squared;
 * below, it adds nothing. */
#define CONSTRAINT_LEAST 1e-10

/* One latch. Poses are of the frame, in the world. */
struct constraint {
    struct multibody_frame frame;
    struct pose start; /* where it closed */
    double way[6];     /* from there to the nominal pose: log(start^-1 nominal) */
    double time_s;     /* since it closed */
    double near_s;     /* how long the frame has been near enough to close */
    bool closed;
};

/* Everything of one instant; owned by the caller, about 18 kB. */
struct constraint_work {
    struct multibody_vector row[CONSTRAINT_ROWS];    /* Psi */
    struct multibody_vector answer[CONSTRAINT_ROWS]; /* M^-1 Psi' */
    double A[CONSTRAINT_ROWS * CONSTRAINT_ROWS];
    double
        L[CONSTRAINT_ROWS * CONSTRAINT_ROWS]; /* of A with unit diagonal, rows in the order below */
    double pivot[CONSTRAINT_ROWS], scale[CONSTRAINT_ROWS];
    int order[CONSTRAINT_ROWS];    /* row of A taken k-th */
    double error[CONSTRAINT_ROWS]; /* frame against its latch, [R'p; log R], m and rad */
    double drive[CONSTRAINT_ROWS]; /* twist of the latch itself, in the frame's axes */
    int rows;                      /* six for each closed latch */
    int rank;     /* of A; below rows some latch is not independent of the others */
    double least; /* smallest pivot kept, 0..1: how far from losing rank */
};

/* An open latch for the frame. */
RT_SAFE void constraint_open(struct constraint *c, const struct multibody_frame *frame);

/* Count how long the frame, at g with body twist V, has been near its nominal pose and slow; true
 * when it may close. */
RT_SAFE bool constraint_near(struct constraint *c, const struct pose *g, const double V[static 6],
                             const struct pose *nominal, double dt_s);

/* Close on the frame where it is, g, and pull it from there to the nominal pose within
 * CONSTRAINT_PULL_S. The velocity is the caller's to stop: motion_latch(). */
RT_SAFE void constraint_close(struct constraint *c, const struct pose *g,
                              const struct pose *nominal);

/* Where a closed latch holds its frame, and with what body twist it moves it. */
RT_SAFE void constraint_hold(struct pose *g, double V[static 6], const struct constraint *c);

/* Psi, error and drive of the closed latches among c[n], base at g_wb. Needs
 * multibody_kinematics(). */
RT_SAFE void constraint_rows(struct constraint_work *k, const struct multibody_model *m,
                             const struct multibody_work *w, const struct constraint *c, int n,
                             const struct pose *g_wb);

/* A and its factors. True if every row is independent. Needs constraint_rows() and
 * multibody_solve_factor(). */
RT_SAFE bool constraint_factor(struct constraint_work *k, const struct multibody_model *m,
                               struct multibody_work *w);

/* mu[rows] with A mu = b[rows]; zero for rows that were left out. Needs constraint_factor(). */
RT_SAFE void constraint_solve(double *mu, const struct constraint_work *k, const double *b);

/* y[rows] = Psi x */
RT_SAFE void constraint_apply(double *y, const struct constraint_work *k,
                              const struct multibody_vector *x);

/* x = x - M^-1 Psi' mu */
RT_SAFE void constraint_react(struct multibody_vector *x, const struct constraint_work *k,
                              const double *mu);

#endif
