/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.c - xoshiro256++, Box and Muller, and a logarithm with the same bits everywhere.
 *
 * libm's log() differs in the last bit between machines, so the logarithm is made here: x = 2^e m with m
 * in [sqrt(1/2), sqrt(2)), log x = e log 2 + 2 atanh z, z = (m - 1) / (m + 1), |z| < 0.172.
 */
#include "model/random.h"

#include <math.h>

#include "model/trig.h"

#define LOG_2   0.69314718055994530942
#define SQRT_2  1.41421356237309504880
#define TWO_M52 0x1p-52

/* exp(-x) is below half an ulp of 1 beyond this */
#define EXP_RANGE 40.0

RT_SAFE static uint64_t rotate_left(uint64_t x, unsigned n)
{
    return (x << n) | (x >> (64u - n));
}

/* splitmix64: a counter, well stirred */
RT_SAFE static uint64_t stir(uint64_t *counter)
{
    uint64_t z = (*counter += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

RT_SAFE void random_init(struct random_state *s, uint64_t seed, uint64_t stream)
{
    uint64_t counter = stream;
    uint64_t start = seed ^ stir(&counter); /* stream 1 of seed 1 is not stream 0 of seed 2 */

    for (int i = 0; i < 4; i++) {
        s->word[i] = stir(&start);
    }
    s->word[0] |= (uint64_t)((s->word[0] | s->word[1] | s->word[2] | s->word[3]) == 0u);
    s->spare = 0.0;
    s->has_spare = false;
}

RT_SAFE uint64_t random_bits(struct random_state *s)
{
    uint64_t *w = s->word;
    const uint64_t result = rotate_left(w[0] + w[3], 23) + w[0];
    const uint64_t t = w[1] << 17;

    w[2] ^= w[0];
    w[3] ^= w[1];
    w[1] ^= w[2];
    w[0] ^= w[3];
    w[2] ^= t;
    w[3] = rotate_left(w[3], 45);
    return result;
}

RT_SAFE double random_uniform(struct random_state *s)
{
    /* 52 bits and a half: the sum is exact, and neither 0 nor 1 can come */
    return ((double)(random_bits(s) >> 12) + 0.5) * TWO_M52;
}

RT_SAFE double random_log(double x)
{
    uint64_t bits;
    double m, z, zz, sum = 0.0;
    int exponent;

    memcpy(&bits, &x, sizeof bits);
    exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&m, &bits, sizeof m);
    if (m > SQRT_2) {
        m *= 0.5;
        exponent++;
    }
    z = (m - 1.0) / (m + 1.0);
    zz = z * z;
    for (int k = 11; k > 0; k--) { /* z^24/25 is below 2^-60 */
        sum = (sum + 1.0 / (2.0 * k + 1.0)) * zz;
    }
    return exponent * LOG_2 + (2.0 * z + 2.0 * z * sum);
}

RT_SAFE double random_normal(struct random_state *s)
{
    double radius, sine, cosine;

    if (s->has_spare) {
        s->has_spare = false;
        return s->spare;
    }
    radius = sqrt(-2.0 * random_log(random_uniform(s)));
    trig_sincos(&sine, &cosine, 2.0 * BASE_PI * random_uniform(s));
    s->spare = radius * sine;
    s->has_spare = true;
    return radius * cosine;
}

RT_SAFE void random_normals(double *y, struct random_state *s, const double *sigma, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = sigma[i] * random_normal(s);
    }
}

/* exp(-x), x >= 0: a Taylor sum at x / 2^k <= 1/64, then k squarings; relative error below 2^k 2e-16 */
RT_SAFE static double exp_minus(double x)
{
    double y = base_clamp(x, 0.0, EXP_RANGE), sum = 1.0;
    int halvings = 0;

    for (int k = 0; k < 12 && y > 1.0 / 64.0; k++) {
        y *= 0.5;
        halvings++;
    }
    for (int k = 8; k > 0; k--) { /* (1/64)^9/9! is below 2^-70 */
        sum = 1.0 - sum * y / k;
    }
    for (int k = 0; k < halvings; k++) {
        sum *= sum;
    }
    return x < EXP_RANGE ? sum : 0.0;
}

RT_SAFE void random_markov_init(struct random_markov *m, double sigma, double tau_s, double dt_s)
{
    m->sigma = sigma;
    m->keep = tau_s > 0.0 ? exp_minus(dt_s / tau_s) : 0.0;
    m->drive = sigma * sqrt(1.0 - m->keep * m->keep);
}

RT_SAFE double random_markov_start(const struct random_markov *m, struct random_state *s)
{
    return m->sigma * random_normal(s);
}

RT_SAFE double random_markov_next(const struct random_markov *m, struct random_state *s, double x)
{
    return m->keep * x + m->drive * random_normal(s);
}
