/* SPDX-License-Identifier: GPL-3.0-or-later */
/* facility.h - from the keys of a configuration to the simulated lab, and to the orbit it is judged by. */
#ifndef FREEFALL_FACILITY_H
#define FREEFALL_FACILITY_H

#include "rt/scenario.h"
#include "tools/lab/reference.h"
#include "tools/lab/world.h"

/* Owned by the caller; large. The start of the orbit run is what the lab is when motion begins. */
struct facility {
    struct world_model world;
    struct world_start start;
    struct reference_model reference;
};

/* 0, or -EINVAL after saying on `messages` what the simulated lab cannot be. */
int facility_build(struct facility *f, const struct scenario *s, const struct config *c,
                   FILE *messages);

#endif
