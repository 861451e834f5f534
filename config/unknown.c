/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unknown.c - what to say of a key that is not in the schema. */
#include "config/unknown.h"

#include <stdio.h>
#include <string.h>

#include "config/schema.h"

void unknown_names(char *out, size_t size, const char *key)
{
    char name[SCHEMA_KEY_MAX];
    int index = 0;
    size_t n = 0;

    out[0] = '\0';
    while (n < size && schema_child(key, &index, name)) {
        n += (size_t)snprintf(out + n, size - n, "%s%s", n > 0 ? ", " : "", name);
    }
}

void unknown_key(struct message_list *list, const char *key, int item, size_t at, size_t length)
{
    char shown[SCHEMA_ITEM_MAX];
    char meant[SCHEMA_ITEM_MAX];
    char near[SCHEMA_KEY_MAX];
    char names[160];
    const char *point = strrchr(key, '.');

    schema_item(shown, key, item);
    if (schema_nearest(key, near)) {
        schema_item(meant, near, item);
        (void)message_add(list, at, length, "unknown key \"%s\"; did you mean \"%s\"?", shown,
                          meant);
        return;
    }
    (void)snprintf(near, sizeof near, "%.*s", point != NULL ? (int)(point - key) : 0, key);
    unknown_names(names, sizeof names, schema_section(near) ? near : "");
    message_hint(message_add(list, at, length, "unknown key \"%s\"", shown), "known here: %s",
                 names);
}
