/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bits.h - a fingerprint of everything a function returns, for tests/bits.sh: one line "name hash"
 * for each function.
 *
 * The hash is FNV-1a, 64 bits (Fowler, Noll, Vo), over the bytes of the numbers. All NaN count as
 * one, because the standard leaves their payload open.
 */
#ifndef FREEFALL_BITS_H
#define FREEFALL_BITS_H

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Inputs for each function */
#define BITS_INPUTS 4000

struct bits {
    uint64_t hash;
};

static inline void bits_start(struct bits *b)
{
    b->hash = 0xcbf29ce484222325u;
}

static inline void bits_add(struct bits *b, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t word = 0x7ff8000000000000u;

        if (!isnan(x[i])) {
            memcpy(&word, &x[i], sizeof word);
        }
        for (int k = 0; k < 8; k++) {
            b->hash = (b->hash ^ (word & 0xffu)) * 0x100000001b3u;
            word >>= 8;
        }
    }
}

/* One number: a scalar result, a rank, a truth value */
static inline void bits_add_one(struct bits *b, double x)
{
    bits_add(b, &x, 1);
}

static inline void bits_print(const struct bits *b, const char *name)
{
    printf("%s %016" PRIx64 "\n", name, b->hash);
}

#endif
