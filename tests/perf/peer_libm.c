/* SPDX-License-Identifier: GPL-3.0-or-later */
/* peer_libm.c - the C library's sincos(), eight calls, beside our eight lanes. */
#include "tests/perf/perf.h"

#include <math.h>
#include <stdlib.h>

struct peer {
    double s[8], c[8];
};

static void *open_peer(void)
{
    return calloc(1, sizeof(struct peer));
}

static void unit_sincos(void *self, const struct perf_state *state)
{
    struct peer *p = self;

    for (int i = 0; i < 8; i++) {
        sincos(state->q[i], &p->s[i], &p->c[i]);
    }
}

static int result(double *out, void *self, enum perf_unit unit, const struct perf_state *state)
{
    const struct peer *p = self;

    (void)unit;
    (void)state;
    for (int i = 0; i < 8; i++) {
        out[i] = p->s[i];
        out[8 + i] = p->c[i];
    }
    return 16;
}

PERF_EXPORT extern const struct perf_library perf_library;
const struct perf_library perf_library = {
    .name = "libm",
    .build = PERF_BUILD,
    .open = open_peer,
    .unit = {[PERF_SINCOS] = unit_sincos},
    .result = result,
};
