/* SPDX-License-Identifier: GPL-3.0-or-later */
/* identity.c - see identity.h. Positions are counted from 1 in sentences, as on the wiring plan. */
#include "drivers/identity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CODES "0x%08" PRIx32 ":0x%08" PRIx32

static bool same_product(const struct identity *a, const struct identity *b)
{
    return a->vendor == b->vendor && a->product == b->product;
}

static bool same(const struct identity *expected, const struct identity *found)
{
    return same_product(expected, found) && expected->revision == found->revision &&
           (expected->serial == 0 || expected->serial == found->serial);
}

/* Where else the device found would be right; -1 for nowhere. */
static int elsewhere(const struct identity *expected, int n, const struct identity *found,
                     int not_at)
{
    for (int i = 0; i < n; i++) {
        if (i != not_at && same(&expected[i], found)) {
            return i;
        }
    }
    return -1;
}

static void say_missing(const struct identity *e, int position, char *text)
{
    if (position == 0) {
        snprintf(text, IDENTITY_TEXT_MAX,
                 "slave 1: expected %s " CODES ", found nothing (cable to the first device or its "
                 "supply?)",
                 e->name, e->vendor, e->product);
        return;
    }
    snprintf(text, IDENTITY_TEXT_MAX,
             "slave %d: expected %s " CODES
             ", found nothing (cable between %d and %d, or supply of "
             "%d?)",
             position + 1, e->name, e->vendor, e->product, position, position + 1, position + 1);
}

static enum identity_verdict differ(const struct identity *expected, int n,
                                    const struct identity *f, int position, char *text)
{
    const struct identity *e = &expected[position];
    const int other = elsewhere(expected, n, f, position);

    if (same_product(e, f) && e->revision != f->revision) {
        snprintf(text, IDENTITY_TEXT_MAX,
                 "slave %d: expected %s revision 0x%08" PRIx32 ", found revision 0x%08" PRIx32
                 " (device exchanged or updated? if it is meant, change the configuration)",
                 position + 1, e->name, e->revision, f->revision);
        return IDENTITY_REVISION;
    }
    if (same_product(e, f)) {
        snprintf(text, IDENTITY_TEXT_MAX,
                 "slave %d: expected %s serial %" PRIu32 ", found serial %" PRIu32
                 " (device exchanged? its calibration belongs to the serial number)",
                 position + 1, e->name, e->serial, f->serial);
        return IDENTITY_SERIAL;
    }
    if (other >= 0) {
        snprintf(text, IDENTITY_TEXT_MAX,
                 "slave %d: expected %s " CODES ", found " CODES
                 ", which is %s, expected as slave %d (cables swapped?)",
                 position + 1, e->name, e->vendor, e->product, f->vendor, f->product,
                 expected[other].name, other + 1);
        return IDENTITY_ORDER;
    }
    snprintf(text, IDENTITY_TEXT_MAX,
             "slave %d: expected %s " CODES ", found " CODES " \"%s\" (wrong device, or the wrong "
             "configuration for this bus?)",
             position + 1, e->name, e->vendor, e->product, f->vendor, f->product, f->name);
    return IDENTITY_OTHER;
}

enum identity_verdict identity_check(const struct identity *expected, int n,
                                     const struct identity *found, int k, int position,
                                     char text[static IDENTITY_TEXT_MAX])
{
    text[0] = '\0';
    if (position >= k) {
        say_missing(&expected[position], position, text);
        return IDENTITY_MISSING;
    }
    if (position >= n) {
        snprintf(
            text, IDENTITY_TEXT_MAX,
            "slave %d: expected nothing, found " CODES " \"%s\" (add it to bus.devices, or take "
            "it off the bus)",
            position + 1, found[position].vendor, found[position].product, found[position].name);
        return IDENTITY_EXTRA;
    }
    if (same(&expected[position], &found[position])) {
        return IDENTITY_OK;
    }
    return differ(expected, n, &found[position], position, text);
}

const char *identity_word(enum identity_verdict verdict)
{
    static const char *const words[] = {"ok",       "missing", "extra", "order",
                                        "revision", "serial",  "other"};

    return words[verdict];
}
