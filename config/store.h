/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.h - where the values of a configuration lie: one place for each key, and for each key of
 * each list item, in the order of the schema. */
#ifndef FREEFALL_STORE_H
#define FREEFALL_STORE_H

#include "config/schema.h"
#include "config/value.h"

#define STORE_SLOTS_MAX 1536
#define STORE_FILE_MAX  256

enum store_origin {
    STORE_ABSENT, /* a required key while reading, or an item the list does not have */
    STORE_DEFAULT,
    STORE_FILE,
    STORE_SET, /* on the command line */
};

struct store_value {
    struct value value;
    enum store_origin origin;
    int line; /* in the file */
};

/* Owned by the caller; large (about 540 kB), so not for the stack. */
struct store {
    char file[STORE_FILE_MAX]; /* its name, cut at the end when longer */
    struct store_value slot[STORE_SLOTS_MAX];
};

/* Every key at its default; required ones absent. */
void store_init(struct store *s, const char *file);

/* The place of a value: row of the schema, and the item or -1. */
struct store_value *store_slot(struct store *s, int row, int item);
const struct store_value *store_look(const struct store *s, int row, int item);

/* How many items the list has that this row lies in; 0 for a row in no list. */
int store_items(const struct store *s, const struct schema_row *row);

#endif
