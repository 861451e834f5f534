/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c - where the values of a configuration lie. */
#include "config/store.h"

#include <assert.h>
#include <stdio.h>

/* How many values a row may have: in a list, as many as the list may have items. */
static int room(const struct schema_row *row)
{
    const struct schema_row *list = schema_list(row);

    return list != NULL ? (int)list->greatest : 1;
}

static int slot_index(int row, int item)
{
    int index = item < 0 ? 0 : item;

    for (int i = 0; i < row; i++) {
        index += room(schema_row(i));
    }
    assert(index < STORE_SLOTS_MAX);
    return index;
}

struct store_value *store_slot(struct store *s, int row, int item)
{
    return &s->slot[slot_index(row, item)];
}

const struct store_value *store_look(const struct store *s, int row, int item)
{
    return &s->slot[slot_index(row, item)];
}

int store_items(const struct store *s, const struct schema_row *row)
{
    const struct schema_row *list = schema_list(row);

    return list != NULL ? (int)store_look(s, schema_find(list->key), -1)->value.integer : 0;
}

/* The default of a row; a required key has none. */
static struct store_value initial(const struct schema_row *row)
{
    struct store_value v = {.origin = STORE_ABSENT};
    struct message_fault fault;

    if (row->need == SCHEMA_OPTIONAL) {
        bool good = row->type == SCHEMA_LIST ||
                    value_read(&v.value, row, row->value, row->value[0] != '\0', &fault);

        assert(good);
        v.origin = good ? STORE_DEFAULT : STORE_ABSENT;
    }
    return v;
}

void store_init(struct store *s, const char *file)
{
    const struct schema_row *row = NULL;

    *s = (struct store){.file = ""};
    (void)snprintf(s->file, sizeof s->file, "%s", file);
    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        struct store_value *slots = store_slot(s, i, 0);
        int count = room(row);
        struct store_value v = initial(row);

        for (int item = 0; item < count; item++) {
            slots[item] = v;
        }
    }
}
