/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config.c - a configuration: every key of the schema with its value and where the value came
 * from. */
#include "config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/assign.h"
#include "config/message.h"
#include "config/source.h"
#include "config/tree.h"
#include "config/walk.h"

#define COMMENT_COLUMN 44

/* Everything reading a file needs and the configuration does not keep. */
struct reading {
    struct source source;
    struct message_list list;
    struct tree tree;
};

/* An empty file: say what it must contain. */
static int refuse_empty(const char *path, FILE *messages)
{
    const struct schema_row *row = NULL;
    char keys[512] = "";
    size_t n = 0;

    for (int i = 0; (row = schema_row(i)) != NULL && n < sizeof keys; i++) {
        if (row->need == SCHEMA_REQUIRED && schema_list(row) == NULL) {
            n += (size_t)snprintf(keys + n, sizeof keys - n, "%s%s", n > 0 ? ", " : "", row->key);
        }
    }
    message_say(
        messages, path,
        "expected at least the keys %s, found an empty file; freefall config keys lists all", keys);
    return -EINVAL;
}

/* Nothing but blanks, comments, or a sign for no value. */
static bool empty(const struct tree *t)
{
    return t->count == 0 || (t->node[0].kind == TREE_SCALAR && t->node[0].style == TREE_PLAIN &&
                             t->node[0].length == 0);
}

static int read_source(struct config *c, struct reading *r, FILE *messages)
{
    r->list.source = &r->source;
    int error = tree_read(&r->tree, &r->source, &r->list);

    if (error == -ENOMEM) {
        message_say(messages, r->source.name, "could not be read: %s", strerror(ENOMEM));
        return error;
    }
    if (error == 0 && empty(&r->tree)) {
        return refuse_empty(r->source.name, messages);
    }
    if (error == 0) {
        walk_tree(&c->store, &r->tree, &r->list);
        error = r->list.count > 0 ? -EINVAL : 0;
    }
    message_print(&r->list, messages);
    return error;
}

int config_read(struct config *c, const char *path, FILE *messages)
{
    char why[SOURCE_WHY_MAX];
    struct reading *r = calloc(1, sizeof *r);

    if (r == NULL) {
        message_say(messages, path, "could not be read: %s", strerror(ENOMEM));
        return -ENOMEM;
    }
    store_init(&c->store, path);
    int error = source_open(&r->source, path, why);

    if (error != 0) {
        message_say(messages, path, "%s", why);
    } else {
        error = read_source(c, r, messages);
    }
    tree_close(&r->tree);
    source_close(&r->source);
    free(r);
    return error;
}

int config_set(struct config *c, const char *assignment, FILE *messages)
{
    struct source s = {.name = "--set", .text = assignment, .length = strlen(assignment)};
    struct message_list list = {.source = &s};

    assign_text(&c->store, &list);
    message_print(&list, messages);
    return list.count > 0 ? -EINVAL : 0;
}

/* A look-up that cannot be answered is a mistake in the program, found by the first test that
 * reaches it. */
static _Noreturn void mistake(const char *key, const char *what)
{
    (void)fprintf(stderr, "freefall: config: \"%s\" %s: a mistake in the program\n", key, what);
    abort();
}

static const struct store_value *look_up(const struct config *c, const char *key, int item,
                                         unsigned types)
{
    int row = schema_find(key);

    if (row < 0) {
        mistake(key, "is no key");
    }
    const struct schema_row *list = schema_list(schema_row(row));

    if ((types >> schema_row(row)->type & 1U) == 0) {
        mistake(key, "has another type");
    }
    if (list != NULL ? item < 0 || item >= store_items(&c->store, schema_row(row)) : item > 0) {
        mistake(key, "has no such item");
    }
    return store_look(&c->store, row, item);
}

#define TYPE(type) (1U << (type))

const struct store_value *config_item(const struct config *c, const char *key, int item)
{
    return look_up(c, key, item, ~0U);
}

double config_number(const struct config *c, const char *key)
{
    if (schema_find(key) >= 0 && schema_row(schema_find(key))->size != 1) {
        mistake(key, "is a vector");
    }
    return look_up(c, key, -1, TYPE(SCHEMA_NUMBER))->value.number[0];
}

void config_vector(const struct config *c, const char *key, int size, double *out)
{
    const struct store_value *v = look_up(c, key, -1, TYPE(SCHEMA_NUMBER) | TYPE(SCHEMA_INERTIA));

    if (schema_row(schema_find(key))->size != size) {
        mistake(key, "has another size");
    }
    memcpy(out, v->value.number, (size_t)size * sizeof *out);
}

int64_t config_integer(const struct config *c, const char *key)
{
    return look_up(c, key, -1, TYPE(SCHEMA_INTEGER) | TYPE(SCHEMA_CODE))->value.integer;
}

bool config_flag(const struct config *c, const char *key)
{
    return look_up(c, key, -1, TYPE(SCHEMA_FLAG))->value.integer != 0;
}

const char *config_text(const struct config *c, const char *key)
{
    unsigned types = TYPE(SCHEMA_WORD) | TYPE(SCHEMA_NAME) | TYPE(SCHEMA_TEXT) | TYPE(SCHEMA_PATH);

    return look_up(c, key, -1, types)->value.text;
}

int config_count(const struct config *c, const char *key)
{
    return (int)look_up(c, key, -1, TYPE(SCHEMA_LIST))->value.integer;
}

bool config_next(const struct config *c, struct config_entry *e)
{
    const struct schema_row *next = schema_row(e->row + 1);
    const struct schema_row *list = e->row >= 0 ? schema_list(schema_row(e->row)) : NULL;

    if (list != NULL && (next == NULL || schema_list(next) != list) &&
        e->item + 1 < store_items(&c->store, schema_row(e->row))) {
        e->row = schema_find(list->key); /* the rows of an item follow that of its list */
        e->item++;
    } else if (list == NULL || next == NULL || schema_list(next) != list) {
        e->item = -1;
    }
    e->row++;
    while ((next = schema_row(e->row)) != NULL && schema_list(next) != NULL && e->item < 0) {
        if (store_items(&c->store, next) > 0) {
            e->item = 0;
        } else {
            e->row++;
        }
    }
    if (next != NULL) {
        schema_item(e->key, next->key, e->item);
    }
    return next != NULL;
}

void config_origin(const struct config *c, const struct store_value *v,
                   char out[static CONFIG_ORIGIN_MAX])
{
    if (v->origin == STORE_FILE) {
        (void)snprintf(out, CONFIG_ORIGIN_MAX, "%s:%d", c->store.file, v->line);
    } else {
        (void)snprintf(out, CONFIG_ORIGIN_MAX, "%s", v->origin == STORE_SET ? "--set" : "default");
    }
    /* a comment must stay on its line whatever the file is called */
    for (char *p = out; *p != '\0'; p++) {
        *p = (char)((unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p);
    }
}

/* The lines "section:" between the entry before and this one; how deep the entry's own line
 * lies. */
static int print_sections(FILE *out, const char *key, const char *before)
{
    int depth = 0;
    const char *name = key;

    for (const char *point = strchr(key, '.'); point != NULL; point = strchr(name, '.')) {
        size_t n = (size_t)(point - key) + 1;

        if (strncmp(key, before, n) != 0 && strcspn(name, "[") > (size_t)(point - name)) {
            (void)fprintf(out, "%*s%.*s:\n", 2 * depth, "", (int)(point - name), name);
        }
        depth++;
        name = point + 1;
    }
    return depth;
}

/* One line of YAML, without its end; how wide it is. */
static int print_entry(FILE *out, const struct config_entry *e, const struct store_value *v,
                       const char *before)
{
    const struct schema_row *row = schema_row(e->row);
    int depth = print_sections(out, row->key, before);
    const char *point = strrchr(row->key, '.');
    const char *name = point != NULL ? point + 1 : row->key;
    char text[VALUE_PRINT_MAX];

    value_print(text, row, &v->value);
    if (row->type == SCHEMA_LIST) {
        (void)snprintf(text, sizeof text, "%s", v->value.integer > 0 ? "" : "[]");
    }
    if (e->item < 0) {
        return fprintf(out, "%*s%s:%s%s", 2 * depth, "", name, text[0] != '\0' ? " " : "", text);
    }
    bool first = schema_list(schema_row(e->row - 1)) != schema_list(row);

    return fprintf(out, "%*s%s%s: %s", 2 * depth, "", first ? "- " : "  ", name, text);
}

void config_print(const struct config *c, FILE *out, bool origins)
{
    struct config_entry e = {.row = -1, .item = -1};
    const char *before = "";
    char origin[CONFIG_ORIGIN_MAX];

    while (config_next(c, &e)) {
        const struct store_value *v = store_look(&c->store, e.row, e.item);
        int width = print_entry(out, &e, v, before);

        before = schema_row(e.row)->key;
        config_origin(c, v, origin);
        if (origins) {
            (void)fprintf(out, "%*s# %s", width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 2, "",
                          origin);
        }
        (void)fputc('\n', out);
    }
}
