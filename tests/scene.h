/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scene.h - Envisat and the servicer as the design's parameters give them, ready for the controller's tests. */
#ifndef FREEFALL_SCENE_H
#define FREEFALL_SCENE_H

#include "rt/control.h"

#define SCENE_DEG (BASE_PI / 180.0)

/* The whole control model with ideal sensors and the on-board software told. 0, or what refused. */
int scene_model(struct control_model *m, const struct obsw_interface *table, void *self);

/* Wanted place of the base in the client, and the arm's start posture. */
void scene_place(struct pose *g_tb);
extern const double scene_posture[7];

/* A healthy cycle: robots at their start in the lab, arm at rest, no contact. A little sensor noise, as every live
 * sensor has. */
void scene_input(struct control_input *in, uint64_t cycle);

#endif
