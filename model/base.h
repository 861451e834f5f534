/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base.h - the words every file of freefall uses: the real-time mark, constants, clamp, finite.
 *
 * Units are SI, angles radians. A twist is V = [v; w], a wrench F = [f; m], linear part first.
 */
#ifndef FREEFALL_BASE_H
#define FREEFALL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Stands before every function that runs inside the 1 kHz cycle: bounded loops, no allocation,
 * lock, wait, print, file or recursion, and only RT_SAFE calls. tools/house --check verifies the
 * calls. */
#define RT_SAFE

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define BASE_PI         3.14159265358979323846

/* x limited to [least, greatest]; a NaN comes out as least, so that it can never leave the range. */
RT_SAFE static inline double base_clamp(double x, double least, double greatest)
{
    return x >= least ? (x <= greatest ? x : greatest) : least;
}

/* Neither infinite nor NaN. By the bits, because the answer must not depend on compiler flags. */
RT_SAFE static inline bool base_finite(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return ((bits >> 52) & 0x7ffu) != 0x7ffu;
}

/* All n numbers finite. */
RT_SAFE static inline bool base_all_finite(const double *x, int n)
{
    bool all = true;

    for (int i = 0; i < n; i++) {
        all = all && base_finite(x[i]);
    }
    return all;
}

#endif
