/* SPDX-License-Identifier: GPL-3.0-or-later */
/* judge.h - one robot in both languages, the engine's and MuJoCo's: random states, and how far two answers are apart.
 *
 * Errors are relative and weighted so that no small row hides behind a large one: with D = diag(M), entries of M count
 * as D^-1/2 M D^-1/2, loads as D^-1/2 h over the greatest of these, motions as D^1/2 a over the greatest of these. Poses,
 * Jacobians and the like count over their greatest entry, or 1 if that is less: they are of the order of 1 in SI units, and
 * zero for a frame of the base itself. A NaN stays a NaN, and no bound lets it through.
 */
#ifndef FREEFALL_JUDGE_H
#define FREEFALL_JUDGE_H

#include "model/motion.h"
#include "tests/mujoco.h"

enum { JUDGE_DOF = MUJOCO_DOF };

/* One random state; stacked vectors [base; joints] for MuJoCo, ..._v for the engine. */
struct judge_sample {
    struct pose base; /* in the world */
    double q[ROBOTS_JOINTS], nu[JUDGE_DOF], load[JUDGE_DOF], acc[JUDGE_DOF];
    double F[6];       /* at frame number frame */
    double gravity[3]; /* world axes */
    int frame;
    struct multibody_vector nu_v, load_v, acc_v;
    double V[6], base_gravity[3]; /* base axes */
};

struct judge {
    const struct robot *r;
    struct mujoco mujoco;
    double M[JUDGE_DOF * JUDGE_DOF]; /* MuJoCo's mass matrix at the sample */
    struct multibody_model m;
    struct multibody_work w;
    struct motion_work plant;
    struct multibody_frame frame[ROBOTS_FRAMES];
    struct judge_sample s;
};

/* 0, or not if one of them refuses the robot or they count its ways to move differently. */
int judge_open(struct judge *j, const struct robot *r);
void judge_close(struct judge *j);

/* The next random state, set in MuJoCo; the engine has run all stages up to the bias. */
void judge_next(struct judge *j, unsigned long long *seed);

/* The greater of two errors; NaN if one is. */
double judge_worse(double a, double b);

double judge_mass_error(const struct judge *j, const double *M);
double judge_load_error(const struct judge *j, const struct multibody_vector *ours,
                        const double *mujoco);
double judge_motion_error(const struct judge *j, const struct multibody_vector *ours,
                          const double *mujoco);
double judge_plain_error(const double *ours, const double *mujoco, int n);

#endif
