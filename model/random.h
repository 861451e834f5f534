/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.h - random numbers with the same bits on every machine: uniform, normal, Markov.
 *
 * For the noise of simulated sensors and of dispersed runs. A stream is chosen by (seed, stream), so that
 * every sensor has numbers of its own and one more sensor does not change those of the others.
 *
 * Bits: xoshiro256++ (Blackman and Vigna), state filled by splitmix64. Normal: the method of Box and
 * Muller with a logarithm from +, -, *, / in a fixed order, exact to rounding in the tails too; the
 * greatest value that can come is 8.6 sigma.
 */
#ifndef FREEFALL_RANDOM_H
#define FREEFALL_RANDOM_H

#include "model/base.h"

struct random_state {
    uint64_t word[4]; /* never all zero */
    double spare;     /* the second normal number of a pair, kept for the next call */
    bool has_spare;
};

/* First-order Markov process, x' = -x/tau + noise, sampled at a fixed period: constant after init. */
struct random_markov {
    double keep;  /* exp(-dt/tau) */
    double drive; /* sigma sqrt(1 - keep^2): keeps the deviation at sigma for ever */
    double sigma;
};

/* Start the stream; any two numbers are good, zero too. */
RT_SAFE void random_init(struct random_state *s, uint64_t seed, uint64_t stream);

/* 64 random bits. */
RT_SAFE uint64_t random_bits(struct random_state *s);

/* Uniform in (0, 1), both ends excluded, on a grid of 2^-52. */
RT_SAFE double random_uniform(struct random_state *s);

/* Normal with mean 0 and deviation 1. */
RT_SAFE double random_normal(struct random_state *s);

/* y = n normal numbers of deviation sigma[i]. */
RT_SAFE void random_normals(double *y, struct random_state *s, const double *sigma, int n);

/* Natural logarithm of a normal, positive, finite x; relative error below 4e-16. */
RT_SAFE double random_log(double x);

/* Process of deviation sigma and correlation time tau_s, stepped every dt_s. tau_s <= 0 is white noise. */
RT_SAFE void random_markov_init(struct random_markov *m, double sigma, double tau_s, double dt_s);

/* First value, drawn from the stationary distribution. */
RT_SAFE double random_markov_start(const struct random_markov *m, struct random_state *s);

/* The value one period after x. */
RT_SAFE double random_markov_next(const struct random_markov *m, struct random_state *s, double x);

#endif
