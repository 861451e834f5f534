/* SPDX-License-Identifier: GPL-3.0-or-later */
/* urdf_joint.h - the part of the URDF reader that knows joints and transmissions; used by
 * urdf.c only. */
#ifndef FREEFALL_URDF_JOINT_H
#define FREEFALL_URDF_JOINT_H

#include "config/urdf.h"
#include "config/xml.h"

/* Read one <joint>; the links must be known. What is wrong goes to the errors of x. */
void urdf_joint_read(struct urdf *u, struct xml *x, const xmlNode *node);

/* Read one <transmission>; the joints must be known. */
void urdf_joint_read_transmission(struct urdf *u, struct xml *x, const xmlNode *node);

/* Shared by links and joints, in urdf.c. The name: 1 to 63 bytes without blanks, quotes and
 * control characters; false after an error. The origin: as given inside the element, or none. */
bool urdf_read_name(struct xml *x, const xmlNode *node, char name[static URDF_NAME_MAX]);
void urdf_read_origin(struct xml *x, const xmlNode *parent, struct urdf_origin *origin);

#endif
