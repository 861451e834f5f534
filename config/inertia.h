/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inertia.h - can nine numbers be the inertia matrix of a rigid body? Pure. */
#ifndef FREEFALL_INERTIA_H
#define FREEFALL_INERTIA_H

/* What a matrix, row by row, lacks to be the inertia of a body, as a phrase: "a symmetric matrix"; NULL
 * when it lacks nothing. `a` and `b` get the places of two numbers that should be equal, else 0. */
const char *inertia_lacks(const double m[static 9], int *a, int *b);

#endif
