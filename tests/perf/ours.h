/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ours.h - what the multibody engine leaves behind in the benchmark. */
#ifndef FREEFALL_PERF_OURS_H
#define FREEFALL_PERF_OURS_H

#include "tests/perf/perf.h"
#include "model/motion.h"
#include "model/taskspace.h"

struct ours_robot {
    _Alignas(64) struct multibody_work w;
    _Alignas(64) struct multibody_model m;
    struct multibody_frame frame[2];
    struct multibody_jacobian J[2];
};

struct ours {
    struct ours_robot floating, two, fixed;
    _Alignas(64) struct motion_work plant;
    /* results */
    struct multibody_vector h, h_ground, acc;
    double base_acc[6], V[6], feed[16];
    struct taskspace_output task;
    struct motion_state moved;
    struct motion_output out;
    double s[8], c[8];
};

/* perf_library.result of ours */
int ours_result(double *out, void *self, enum perf_unit unit, const struct perf_state *s);

#endif
