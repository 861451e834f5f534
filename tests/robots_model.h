/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robots_model.h - builds the engine's model of a robot from its table, through the engine's own set-up calls. */
#ifndef FREEFALL_ROBOTS_MODEL_H
#define FREEFALL_ROBOTS_MODEL_H

#include "model/multibody.h"
#include "tests/robots.h"

/* 0, or what the engine answered to the first number it refused. */
int robots_model_build(struct multibody_model *m, const struct robot *r);

/* Frame number i of the table. */
int robots_model_frame(struct multibody_frame *f, const struct multibody_model *m,
                       const struct robot *r, int i);

#endif
