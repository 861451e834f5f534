/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trig.c - sine, cosine and arc tangent from +, -, *, / in a fixed order.
 *
 * Sine and cosine: take the nearest multiple k of pi/2 away (Cody and Waite: pi/2 in three parts,
 * so that the products with k are exact), then Taylor sums on [-pi/4, pi/4], then swap and sign by
 * the last two bits of k. No branch, so that the loop over eight lanes becomes vector code; the
 * rounding to the nearest k and the selection work on the bits of the number, which is exact on
 * every machine.
 *
 * Arc tangent: the angle from the nearer axis is split at the nearest eighth c = i/8 of the slope,
 * atan(a/b) = atan(c) + atan((a - c b) / (b + c a)), which leaves a slope below 1/16 for the Taylor
 * sum.
 */
#include "model/trig.h"

#include <math.h>

/* Adding 1.5 * 2^52 leaves no place for a fraction: the sum is rounded to an integer, in its low
 * bits. */
#define ROUNDER 6755399441055744.0

/* An angle from 2^17 rad on overflows when multiplied by this, and infinity times zero is NaN.
 * Below, k has at most 17 bits, so that k times a part of 33 bits is exact. */
#define OVERFLOW_ABOVE_2_17 0x1p1007

#define TWO_OVER_PI         0.63661977236758134308

/* pi/2 in two parts of 33 bits and the rest */
#define HALF_PI_A 0x1.921fb544p+0
#define HALF_PI_B 0x1.0b4611a6p-34
#define HALF_PI_C 0x1.3198a2e037073p-69

/* pi/2 as a sum of two doubles */
#define HALF_PI_HIGH 0x1.921fb54442d18p+0
#define HALF_PI_LOW  0x1.1a62633145c07p-54

/* gcc -O2 leaves a body with two callers out of line, and the loop over the lanes would stay
 * scalar. */
#define LANE static inline __attribute__((always_inline))

RT_SAFE LANE uint64_t bits_of(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

RT_SAFE LANE double of_bits(uint64_t u)
{
    double x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* The sums are taken in pairs, then pairs of pairs (Estrin): three steps deep instead of eight, and
 * a joint's angle stands at the head of everything that waits. */

/* (sin(r) / r - 1) / z, z = r^2, |r| <= pi/4. The last term is z^7 / 17!, the next would be below
 * 1e-19. */
RT_SAFE LANE double sine_terms(double z, double z2)
{
    const double head =
        (z * (1.0 / 120.0) - 1.0 / 6.0) + (z * (1.0 / 362880.0) - 1.0 / 5040.0) * z2;
    const double tail = (z * (1.0 / 6227020800.0) - 1.0 / 39916800.0) +
                        (z * (1.0 / 355687428096000.0) - 1.0 / 1307674368000.0) * z2;

    return head + tail * (z2 * z2);
}

/* (cos(r) - 1 + z / 2) / z^2, as above, up to z^6 / 16! */
RT_SAFE LANE double cosine_terms(double z, double z2)
{
    const double head =
        (1.0 / 24.0 - z * (1.0 / 720.0)) + (1.0 / 40320.0 - z * (1.0 / 3628800.0)) * z2;
    const double tail =
        (1.0 / 479001600.0 - z * (1.0 / 87178291200.0)) + z2 * (1.0 / 20922789888000.0);

    return head + tail * (z2 * z2);
}

/* sin(r + low), |low| below an ulp of r */
RT_SAFE LANE double sine_near_zero(double r, double low, double z)
{
    return r + (sine_terms(z, z * z) * (z * r) + low * (1.0 - 0.5 * z));
}

/* cos(r + low), as above; what 1 - z/2 loses in rounding is added back */
RT_SAFE LANE double cosine_near_zero(double r, double low, double z)
{
    const double half = 0.5 * z;
    const double most = 1.0 - half;
    const double lost = (1.0 - most) - half;
    const double z2 = z * z;

    return most + (cosine_terms(z, z2) * z2 + (lost - r * low));
}

RT_SAFE LANE void sincos_lane(double *s, double *c, double x)
{
    const double poison = (x * OVERFLOW_ABOVE_2_17) * 0.0; /* enters where nothing waits */
    const double shifted = x * TWO_OVER_PI + ROUNDER;
    const double k = shifted - ROUNDER;
    const uint64_t quadrant = bits_of(shifted);
    const uint64_t swap = 0u - (quadrant & 1u); /* all ones in the odd quadrants */

    const double a = x - k * HALF_PI_A;
    const double b = k * HALF_PI_B;
    const double r = a - b;
    const double low = ((a - r) - b) - (k * HALF_PI_C + poison);
    const double z = r * r;
    const uint64_t sine = bits_of(sine_near_zero(r, low, z));
    const uint64_t cosine = bits_of(cosine_near_zero(r, low, z));

    *s = of_bits(((sine & ~swap) | (cosine & swap)) ^ ((quadrant & 2u) << 62));
    *c = of_bits(((cosine & ~swap) | (sine & swap)) ^ (((quadrant + 1u) & 2u) << 62));
}

RT_SAFE void trig_sincos8(double s[restrict static TRIG_LANES],
                          double c[restrict static TRIG_LANES],
                          const double angle_rad[restrict static TRIG_LANES])
{
    for (int l = 0; l < TRIG_LANES; l++) {
        sincos_lane(&s[l], &c[l], angle_rad[l]);
    }
}

/* Without the parts below the last bit: k has at most 15 bits here, so k times the third part of
 * pi/2 is below 1e-16, and what rounding r loses too. */
RT_SAFE LANE void sincos_half_lane(double *s, double *c, double angle)
{
    const double x = 0.5 * angle;
    const double shifted = x * TWO_OVER_PI + ROUNDER;
    const double k = shifted - ROUNDER;
    const uint64_t quadrant = bits_of(shifted);
    const uint64_t swap = 0u - (quadrant & 1u);

    const double r = (x - k * HALF_PI_A) - k * HALF_PI_B;
    const double z = r * r, z2 = z * z;
    const uint64_t sine = bits_of(r + sine_terms(z, z2) * (z * r));
    const uint64_t cosine = bits_of((1.0 - 0.5 * z) + cosine_terms(z, z2) * z2);

    *s = of_bits(((sine & ~swap) | (cosine & swap)) ^ ((quadrant & 2u) << 62));
    *c = of_bits(((cosine & ~swap) | (sine & swap)) ^ (((quadrant + 1u) & 2u) << 62));
}

RT_SAFE void trig_sincos_half8(double s[restrict static TRIG_LANES],
                               double c[restrict static TRIG_LANES],
                               const double angle_rad[restrict static TRIG_LANES])
{
    for (int l = 0; l < TRIG_LANES; l++) {
        sincos_half_lane(&s[l], &c[l], angle_rad[l]);
    }
}

RT_SAFE void trig_sincos(double *s, double *c, double angle_rad)
{
    sincos_lane(s, c, angle_rad);
}

/* The eighths c = far + near, each a power of two or zero, so that (a - far b) - near b is exact
 * for a/b from c - 1/32 to c + 3/32; and atan(c) = high + low. */
static const struct {
    double far, near, high, low;
} eighth[9] = {
    {0.0, 0.0, 0.0, 0.0},
    {0.125, 0.0, 0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0.25, 0.0, 0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0.5, -0.125, 0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0.5, 0.0, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0.5, 0.125, 0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {1.0, -0.25, 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {1.0, -0.125, 0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {1.0, 0.0, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan(u) - u for |u| < 0.095 */
RT_SAFE static double atan_excess(double u)
{
    const double z = u * u;
    double p = -1.0 / 15.0;

    p = p * z + 1.0 / 13.0;
    p = p * z - 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z - 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z - 1.0 / 3.0;
    return p * z * u;
}

/* Bring (a, b), 0 <= a <= b, to numbers of equal ratio whose sums and quotients neither overflow
 * nor lose bits; the origin and the infinite points become the directions that C11 Annex F gives
 * them. */
RT_SAFE static void tame(double *a, double *b)
{
    if (!base_finite(*b)) {
        *a = base_finite(*a) ? 0.0 : 1.0;
        *b = 1.0;
    } else if (*b > 0x1p1000) {
        *a *= 0x1p-100;
        *b *= 0x1p-100;
    } else if (!(*b > 0.0)) {
        *b = 1.0;
    } else if (*b < 0x1p-900) {
        *a *= 0x1p100;
        *b *= 0x1p100;
    }
}

RT_SAFE double trig_atan2(double y, double x)
{
    const bool steep = fabs(y) > fabs(x);
    const bool behind = signbit(x);
    double a = steep ? fabs(x) : fabs(y);
    double b = steep ? fabs(y) : fabs(x);

    if (isnan(x) || isnan(y)) {
        return (double)NAN;
    }
    tame(&a, &b);

    const int i = (int)(8.0 * (a / b) + 0.25);
    const double c = eighth[i].far + eighth[i].near;
    const double u = ((a - eighth[i].far * b) - eighth[i].near * b) / (b + c * a);

    /* start + sign * (atan(c) + atan(u)), the large parts first and their rounding error carried
     * along */
    const double quarters = steep ? 1.0 : (behind ? 2.0 : 0.0);
    const double sign = (steep == behind) ? 1.0 : -1.0;
    const double start = quarters * HALF_PI_HIGH;
    const double head = start + sign * eighth[i].high;
    const double lost = (start - head) + sign * eighth[i].high;
    const double tail = lost + (quarters * HALF_PI_LOW + sign * eighth[i].low);

    return copysign(head + (sign * u + (tail + sign * atan_excess(u))), y);
}
