/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout.h - which devices hang on the segment: ready-made segments by name, or the list of a configuration. */
#ifndef FREEFALL_LAB_LAYOUT_H
#define FREEFALL_LAB_LAYOUT_H

#include <stdio.h>

#include "tools/lab/segment.h"

/* Fill the models of a ready-made segment: number of devices, 0 when there is none of that name. */
int layout_named(const char *name, struct slave_model models[static SEGMENT_SLAVES_MAX]);

/* Name of the i-th ready-made segment and what it is; NULL behind the last. */
const char *layout_name(int i);
const char *layout_help(int i);

/* Fill the models from bus.devices of a configuration file: number of devices, or -errno after saying on `messages` what
 * is wrong. A device is simulated by the kind the file names, or by the one with its vendor and product code; its
 * identity is the one in the file. */
int layout_file(const char *path, struct slave_model models[static SEGMENT_SLAVES_MAX],
                FILE *messages);

/* Number the devices of each kind: the physics knows them by these numbers. */
void layout_channels(struct slave_model *models, int count);

#endif
