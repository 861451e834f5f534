/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capsule.h - how near two robots come, with every link taken for a rod with round ends. */
#ifndef FREEFALL_CAPSULE_H
#define FREEFALL_CAPSULE_H

#include "rt/cell.h"

/* Least distance of the segments a-b and c-d, m. */
double capsule_distance(const double a[static 3], const double b[static 3],
                        const double c[static 3], const double d[static 3]);

/* Least distance of the client's robot in this shape from the servicer's, m: column, upper arm, forearm and hand of each, thick by
 * c->radius_m. Below zero: they touch. What they carry is left out: it is meant to meet. */
double capsule_robots_gap(const struct cell *c, const struct industrial_shape *client,
                          const struct industrial_shape *servicer);

#endif
