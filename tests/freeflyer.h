/* SPDX-License-Identifier: GPL-3.0-or-later */
/* freeflyer.h - a whole robot floating in orbit, by forward dynamics and RK4: the truth servicer and capture are
 * judged against. Its integrator has nothing in common with model/servicer, which keeps momentum. */
#ifndef FREEFALL_FREEFLYER_H
#define FREEFALL_FREEFLYER_H

#include "model/multibody_solve.h"

struct freeflyer {
    const struct multibody_model *robot;
    struct pose pose;
    double q[MULTIBODY_JOINTS];
    struct multibody_vector nu;
    struct multibody_work work;
};

/* Put it at g with twist V, joints as told. */
void freeflyer_start(struct freeflyer *x, const struct multibody_model *robot, const struct pose *g,
                     const double V[static 6], const double *q, const double *qd);

/* One step of h_s with what acts on it held: load at the base origin and joints, and F at a frame in its axes. */
void freeflyer_step(struct freeflyer *x, const struct multibody_vector *load,
                    const struct multibody_frame *at, const double F[static 6], double h_s);

#endif
