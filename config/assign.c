/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assign.c - one value of a configuration from the command line. */
#include "config/assign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/unknown.h"

/* Split "bus.devices[2].vendor" into "bus.devices[].vendor" and 2; other keys get item -1. */
static void split_item(const char *key, size_t length, char out[static SCHEMA_KEY_MAX], int *item)
{
    const char *bracket = memchr(key, '[', length);
    size_t before = bracket != NULL ? (size_t)(bracket - key) + 1 : length;
    size_t digits = bracket != NULL ? strspn(key + before, "0123456789") : 0;

    *item = digits >= 1 && digits <= 3 ? (int)strtol(key + before, NULL, 10) : -1;
    digits = *item >= 0 ? digits : 0;
    (void)snprintf(out, SCHEMA_KEY_MAX, "%.*s%.*s", (int)before, key,
                   (int)(length - before - digits), key + before + digits);
}

/* Find the row of a key to be set, and the item; a message and -1 when it cannot be set. */
static int row_to_set(const struct store *c, const char *text, size_t length, int *item,
                      struct message_list *list)
{
    char key[SCHEMA_KEY_MAX];

    split_item(text, length, key, item);
    int row = schema_find(key);
    const struct schema_row *of = row >= 0 ? schema_list(schema_row(row)) : NULL;

    if (row < 0 && (key[0] == '\0' || !schema_section(key))) {
        unknown_key(list, key, *item, 0, length);
    } else if (row < 0 || schema_row(row)->type == SCHEMA_LIST) {
        message_hint(
            message_add(list, 0, length, "expected the key of one value, found that of several"),
            "freefall config explain %s lists the keys below it", key);
        row = -1;
    } else if (of != NULL && (*item < 0 || *item >= store_items(c, schema_row(row)))) {
        message_hint(message_add(list, 0, length,
                                 "expected an item of %s, found none of that number", of->key),
                     "the file has %d, counted from 0: %s[0]", store_items(c, schema_row(row)),
                     of->key);
        row = -1;
    }
    return row;
}

void assign_text(struct store *c, struct message_list *list)
{
    const struct source *s = list->source;
    size_t length = strcspn(s->text, "=");
    char what[SOURCE_WHY_MAX];
    char key[SCHEMA_ITEM_MAX];
    int item = -1;
    size_t unclean = source_unclean(s->text, s->length, what);

    if (unclean < s->length) {
        (void)message_add(list, unclean, 1, "expected UTF-8 text, found %s", what);
        return;
    }
    if (s->text[length] != '=') {
        message_hint(message_add(list, 0, s->length, "expected key=value, found no \"=\""),
                     "write for example --set \"client.mass=7800 kg\"");
        return;
    }
    int row = row_to_set(c, s->text, length, &item, list);

    if (row < 0) {
        return;
    }
    const struct schema_row *r = schema_row(row);
    bool text = r->type == SCHEMA_NAME || r->type == SCHEMA_TEXT || r->type == SCHEMA_PATH;
    struct store_value *v = store_slot(c, row, item);
    struct message_fault fault;

    if (value_read(&v->value, r, s->text + length + 1, !text, &fault)) {
        v->origin = STORE_SET;
        v->line = 0;
        return;
    }
    schema_item(key, r->key, item);
    message_hint(message_add(list, length + 1 + fault.at, fault.length, "%s: expected %s, found %s",
                             key, fault.expected, fault.found),
                 "%s", fault.hint);
}
