/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mjcf.h - writes a robot's table as MJCF text for MuJoCo, number by number, with no other format in between. */
#ifndef FREEFALL_MJCF_H
#define FREEFALL_MJCF_H

#include "tests/robots.h"

#include <stddef.h>

/* Frames become the sites frame0, frame1, ...; everything but the smooth dynamics is switched off, the integrator is Runge-Kutta
 * at 1 ms, gravity zero. Returns the length, or -1 if the text does not fit. */
int mjcf_write(char *text, size_t size, const struct robot *r);

#endif
