/* SPDX-License-Identifier: GPL-3.0-or-later */
/* identity.h - devices found on the wire against devices expected: is each the right one, and if not, why most likely?
 *
 * Pure: lists in, a verdict and a sentence out. The same sentences serve the refusal at start and "freefall scan".
 */
#ifndef FREEFALL_IDENTITY_H
#define FREEFALL_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#define IDENTITY_NAME_MAX 48
#define IDENTITY_TEXT_MAX 320

struct identity {
    char name[IDENTITY_NAME_MAX]; /* expected: of the configuration; found: of the device */
    uint32_t vendor, product, revision;
    uint32_t serial; /* expected 0: any */
};

enum identity_verdict {
    IDENTITY_OK,
    IDENTITY_MISSING,  /* nothing at this position */
    IDENTITY_EXTRA,    /* nothing expected at this position */
    IDENTITY_ORDER,    /* a device that is expected at another position */
    IDENTITY_REVISION, /* right product, other revision */
    IDENTITY_SERIAL,   /* right product, another piece of it */
    IDENTITY_OTHER,    /* another product */
};

/* The device at a position, from 0; the text is empty when it is the right one. The lists have n and k members. */
enum identity_verdict identity_check(const struct identity *expected, int n,
                                     const struct identity *found, int k, int position,
                                     char text[static IDENTITY_TEXT_MAX]);

/* One word for a verdict: "ok", "missing". */
const char *identity_word(enum identity_verdict verdict);

#endif
