/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.h - random inputs for tests, the same bits on every machine: a xorshift generator (Marsaglia
 * 2003) and exact arithmetic. Small on purpose, and apart from model/random, which is itself
 * tested.
 */
#ifndef FREEFALL_DRAW_H
#define FREEFALL_DRAW_H

#include <math.h>
#include <stdint.h>

struct draw {
    uint64_t state; /* any number but zero */
};

static inline uint64_t draw_bits(struct draw *d)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return d->state;
}

/* Uniform in [least, greatest] */
static inline double draw_uniform(struct draw *d, double least, double greatest)
{
    return least + (greatest - least) * ((double)(draw_bits(d) >> 11) * 0x1p-53);
}

/* One of 0 .. n - 1 */
static inline int draw_index(struct draw *d, int n)
{
    return (int)(draw_bits(d) >> 33) % n;
}

/* Either sign, size spread evenly over the powers of two from 2^least to 2^greatest */
static inline double draw_scaled(struct draw *d, int least, int greatest)
{
    const double sign = (draw_bits(d) >> 63) != 0 ? -1.0 : 1.0;
    const double mantissa = draw_uniform(d, 1.0, 2.0);

    return sign * ldexp(mantissa, least + draw_index(d, greatest - least));
}

/* n numbers in [-size, size] */
static inline void draw_vector(struct draw *d, double *x, int n, double size)
{
    for (int i = 0; i < n; i++) {
        x[i] = draw_uniform(d, -size, size);
    }
}

/* A vector of this length in a random direction */
static inline void draw_direction(struct draw *d, double x[static 3], double length)
{
    double n2;

    do {
        draw_vector(d, x, 3, 1.0);
        n2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    } while (n2 > 1.0 || n2 < 0.01);
    for (int i = 0; i < 3; i++) {
        x[i] *= length / sqrt(n2);
    }
}

/* The greater of two errors; infinite if one is NaN, so that no tolerance lets it pass */
static inline double draw_greater(double a, double b)
{
    return isnan(a) || isnan(b) ? HUGE_VAL : (a > b ? a : b);
}

/* Greatest |a_i - b_i|; infinite if anything is NaN */
static inline double draw_distance(const double *a, const double *b, int n)
{
    double greatest = 0.0;

    for (int i = 0; i < n; i++) {
        greatest = draw_greater(greatest, fabs(a[i] - b[i]));
    }
    return greatest;
}

/* Greatest |x_i|; infinite if anything is NaN */
static inline double draw_size(const double *x, int n)
{
    double greatest = 0.0;

    for (int i = 0; i < n; i++) {
        greatest = draw_greater(greatest, fabs(x[i]));
    }
    return greatest;
}

#endif
