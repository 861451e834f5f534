/* SPDX-License-Identifier: GPL-3.0-or-later */
/* peer_mujoco.h - what MuJoCo leaves behind in the benchmark, in its own conventions. */
#ifndef FREEFALL_PERF_PEER_MUJOCO_H
#define FREEFALL_PERF_PEER_MUJOCO_H

#include "tests/mujoco.h"
#include "tests/perf/perf.h"

#define PEER_ARM 7  /* joints of the arm */
#define PEER_DOF 13 /* with its free base */

struct peer {
    struct mujoco floating, two, fixed;
    /* results */
    double jac[12 * PERF_DOF]; /* rows in world axes: linear, then angular, of each frame */
    double bias[PERF_DOF], bias2[PERF_DOF], acc[PERF_DOF];
    double base_acc[6], V[6], feed[PEER_ARM];
    double Mb[6 * PEER_DOF]; /* the base rows of M */
    double factor[36];
    double X[12 * PERF_DOF], A[144], Lambda[144], Jbar[PERF_DOF * 12];
};

/* perf_library.result of MuJoCo */
int peer_mujoco_result(double *out, void *self, enum perf_unit unit, const struct perf_state *s);

#endif
