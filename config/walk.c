/* SPDX-License-Identifier: GPL-3.0-or-later */
/* walk.c - from the tree of a file to the values of a configuration. */
#include "config/walk.h"

#include <stdio.h>
#include <string.h>

#include "config/unknown.h"

#define BLANKS " \t\r\n"

/* What stays the same on the whole walk. */
struct walk {
    struct store *store;
    const struct tree *tree;
    struct message_list *list;
};

/* One place on the walk: a value and the key that leads to it. */
struct place {
    const struct tree_node *node;  /* the value, never an alias */
    const struct tree_node *site;  /* where messages point: itself, or the alias that led here */
    const struct tree_node *named; /* its key; of a list item itself; NULL at the top */
    char key[SCHEMA_KEY_MAX];      /* "bus.devices[].vendor"; empty at the top */
    int item;                      /* of the list the key lies in, or -1 */
};

static struct message *complain(struct walk *w, const struct place *p, const char *expected,
                                const char *found, size_t at, size_t end)
{
    char key[SCHEMA_ITEM_MAX];

    schema_item(key, p->key, p->item);
    return message_add(w->list, at, end - at, "%s: expected %s, found %s", key, expected, found);
}

/* What a node is, in words. */
static void describe(char out[static MESSAGE_FOUND_MAX], const struct tree_node *n)
{
    if (n->kind == TREE_SCALAR && n->length == 0 && n->style == TREE_PLAIN) {
        (void)snprintf(out, MESSAGE_FOUND_MAX, "nothing");
    } else if (n->kind == TREE_SCALAR) {
        message_quote(out, n->text, n->length);
    } else {
        (void)snprintf(out, MESSAGE_FOUND_MAX, "%s",
                       n->kind == TREE_MAP ? "keys below it" : "a list");
    }
}

/* Does the row have values at this level: one for the item when inside a list, one in all
 * otherwise? */
static bool same_level(const struct schema_row *row, int item)
{
    return (strstr(row->key, "[]") != NULL) == (item >= 0);
}

/* Keys at or below one that has its message already shall not be reported as missing too. */
static void forgive(struct walk *w, const char *key, int item)
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        if ((strcmp(row->key, key) == 0 || schema_below(row, key)) && same_level(row, item)) {
            store_slot(w->store, i, item)->origin = STORE_FILE;
        }
    }
}

/* The byte of the source that a byte of a plain scalar came from. YAML only makes runs of blanks
 * one blank, so the bytes that are not blank can be counted. */
static size_t byte_of(const struct walk *w, const struct tree_node *n, size_t offset)
{
    const char *source = w->list->source->text;
    size_t at = n->at;

    for (size_t i = 0; i < offset; i++) {
        if (strchr(BLANKS, n->text[i]) == NULL) {
            at += strspn(source + at, BLANKS) + 1;
        }
    }
    return at + strspn(source + at, BLANKS);
}

static void read_value(struct walk *w, const struct place *p, int row)
{
    const struct tree_node *n = p->node;
    struct store_value *slot = store_slot(w->store, row, p->item);
    struct message_fault fault;
    size_t at = p->site->at;
    size_t end = p->site->end;

    slot->origin = STORE_FILE;
    slot->line = source_place(w->list->source, at).line;
    if (value_read(&slot->value, schema_row(row), n->text, n->style == TREE_PLAIN, &fault)) {
        return;
    }
    if (p->site == n && n->style == TREE_PLAIN && fault.length > 0) {
        at = byte_of(w, n, fault.at);
        end = byte_of(w, n, fault.at + fault.length - 1) + 1;
    }
    message_hint(complain(w, p, fault.expected, fault.found, at, end), "%s", fault.hint);
}

/* The numbers of a list, the way a vector is written here: "[1 m, 2 m]" -> "1 2". How many there
 * are. */
static int numbers_of(const struct walk *w, const struct tree_node *list, char *out, size_t size)
{
    const struct tree_node *nodes = w->tree->node;
    size_t n = 0;
    int count = 0;

    out[0] = '\0';
    for (int i = list->first; list->kind == TREE_LIST && i >= 0 && n < size; i = nodes[i].next) {
        int length = (int)strspn(nodes[i].text, "+-.0123456789eE");

        n += (size_t)snprintf(out + n, size - n, "%s%.*s", n > 0 ? " " : "", length, nodes[i].text);
        count += length > 0;
    }
    return count;
}

/* A list or a map where one value should stand. */
static void refuse_kind(struct walk *w, const struct place *p, const struct schema_row *row)
{
    char expected[MESSAGE_PHRASE_MAX];
    char found[MESSAGE_FOUND_MAX];
    char numbers[MESSAGE_PHRASE_MAX];
    char unit[SCHEMA_KEY_MAX];
    const char *units = row->accepts;
    int count = numbers_of(w, p->node, numbers, sizeof numbers);

    value_expected(expected, row);
    describe(found, p->node);
    struct message *m = complain(w, p, expected, found, p->site->at, p->site->end);

    if (row->size > 1 && count == row->size && schema_word(&units, unit)) {
        message_hint(m, "write %s %s, without brackets", numbers, unit);
    } else {
        message_hint(m, "write for example %s", row->value);
    }
    forgive(w, p->key, p->item);
}

static void read_map(struct walk *w, const struct place *p);

static void read_list(struct walk *w, const struct place *p, int row)
{
    const struct schema_row *r = schema_row(row);
    const struct tree_node *nodes = w->tree->node;
    struct store_value *slot = store_slot(w->store, row, -1);
    struct place item = {.item = 0};
    char expected[MESSAGE_PHRASE_MAX];
    char found[MESSAGE_FOUND_MAX];
    int count = 0;

    for (int i = p->node->first; p->node->kind == TREE_LIST && i >= 0; i = nodes[i].next) {
        count++;
    }
    slot->origin = STORE_FILE;
    slot->line = source_place(w->list->source, p->site->at).line;
    if (p->node->kind != TREE_LIST || count < (int)r->least || count > (int)r->greatest) {
        value_expected(expected, r);
        describe(found, p->node);
        if (p->node->kind == TREE_LIST) {
            (void)snprintf(found, sizeof found, "%d", count);
        }
        message_hint(complain(w, p, expected, found, p->site->at, p->site->end),
                     "each item begins with \"- \"; write [] for none");
        return;
    }
    slot->value.integer = count;
    (void)snprintf(item.key, sizeof item.key, "%s[]", r->key);
    for (int i = p->node->first; i >= 0; i = nodes[i].next) {
        item.node = tree_target(w->tree, &nodes[i]);
        item.site = p->site == p->node ? &nodes[i] : p->site;
        item.named = item.site;
        read_map(w, &item);
        item.item++;
    }
}

/* One key and its value. */
static void read_member(struct walk *w, const struct place *p)
{
    int row = schema_find(p->key);
    char near[SCHEMA_KEY_MAX];

    if (row >= 0 && schema_row(row)->type == SCHEMA_LIST) {
        read_list(w, p, row);
    } else if (row >= 0 && p->node->kind == TREE_SCALAR) {
        read_value(w, p, row);
    } else if (row >= 0) {
        refuse_kind(w, p, schema_row(row));
    } else if (schema_section(p->key)) {
        read_map(w, p);
    } else {
        unknown_key(w->list, p->key, p->item, p->named->at, p->named->end - p->named->at);
        if (schema_nearest(p->key, near)) {
            forgive(w, near, p->item);
        }
    }
}

/* Is this node a key that may be looked up? Points and brackets belong to the paths of messages,
 * not to files. */
static bool check_key(struct walk *w, const struct place *parent, const struct tree_node *key,
                      const struct tree_node *site)
{
    char found[MESSAGE_FOUND_MAX];
    char example[MESSAGE_PHRASE_MAX];
    int row = schema_find(key->text);

    if (key->kind != TREE_SCALAR) {
        describe(found, key);
        message_hint(message_add(w->list, site->at, site->end - site->at,
                                 "expected the name of a key, found %s",
                                 key->kind == TREE_ALIAS ? "an alias" : found),
                     "write key: value");
        return false;
    }
    if (parent->key[0] == '\0' && strchr(key->text, '.') != NULL && row >= 0) {
        schema_example(example, sizeof example, schema_row(row), "");
        message_hint(
            message_add(w->list, site->at, site->end - site->at, "unknown key \"%s\"", key->text),
            "write it in sections: %s", example);
        forgive(w, key->text, -1);
        return false;
    }
    if (strcmp(key->text, "<<") == 0) {
        message_hint(message_add(w->list, site->at, site->end - site->at, "unknown key \"<<\""),
                     "YAML 1.2 merges no maps; write the keys, with aliases as their values");
        return false;
    }
    return true;
}

/* Was the key there before in the same map? */
static bool check_twin(struct walk *w, const struct place *p, const struct place *parent)
{
    const struct tree_node *nodes = w->tree->node;
    const struct tree_node *key = p->named;
    char shown[SCHEMA_ITEM_MAX];

    for (int i = parent->node->first; i >= 0 && &nodes[i] != key; i = nodes[nodes[i].next].next) {
        if (nodes[i].kind != TREE_SCALAR || strcmp(nodes[i].text, key->text) != 0) {
            continue;
        }
        schema_item(shown, p->key, p->item);
        message_hint(message_add(w->list, key->at, key->end - key->at,
                                 "duplicate key \"%s\", first in line %d", shown,
                                 source_place(w->list->source, nodes[i].at).line),
                     "delete one of the two");
        return false;
    }
    return true;
}

/* A required key that was not given: said at its section, or at the end of the file when that is
 * missing too. */
static void report_missing(struct walk *w, const struct place *p, const struct schema_row *row)
{
    struct place missing = {.item = p->item};
    size_t at = p->named != NULL ? p->named->at : w->list->source->length;
    size_t end = p->named != NULL ? p->named->end : at;
    const char *point = strrchr(row->key, '.');
    char section[SCHEMA_KEY_MAX];
    char expected[MESSAGE_PHRASE_MAX];
    char example[MESSAGE_PHRASE_MAX];

    (void)snprintf(missing.key, sizeof missing.key, "%s", row->key);
    (void)snprintf(section, sizeof section, "%.*s", point != NULL ? (int)(point - row->key) : 0,
                   row->key);
    value_expected(expected, row);
    schema_example(example, sizeof example, row, section);
    struct message *m = complain(w, &missing, expected, "nothing", at, end);

    if (strcmp(section, p->key) == 0) {
        message_hint(m, "add for example %s", example);
    } else {
        message_hint(m, "add a section %s: with for example %s", section, example);
    }
}

/* All required keys below this place that were not given and have no message yet. */
static void find_missing(struct walk *w, const struct place *p)
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        if (row->need == SCHEMA_REQUIRED && schema_below(row, p->key) && same_level(row, p->item) &&
            store_slot(w->store, i, p->item)->origin == STORE_ABSENT) {
            report_missing(w, p, row);
            store_slot(w->store, i, p->item)->origin = STORE_FILE;
        }
    }
}

/* The key of a name below another key. One too long is cut: no key of the schema is that long,
 * so it stays unknown. */
static void join(char out[static SCHEMA_KEY_MAX], const char *key, const char *name)
{
    int n = snprintf(out, SCHEMA_KEY_MAX, "%s%s%s", key, key[0] != '\0' ? "." : "", name);

    out[n < 0 ? 0 : SCHEMA_KEY_MAX - 1] = '\0';
}

/* A section, a list item or the whole file. One without any keys is empty, not wrong. */
static void read_map(struct walk *w, const struct place *p)
{
    const struct tree_node *nodes = w->tree->node;
    const struct tree_node *n = p->node;
    char found[MESSAGE_FOUND_MAX];
    char names[160];

    describe(found, n);
    if (n->kind != TREE_MAP && strcmp(found, "nothing") != 0) {
        unknown_names(names, sizeof names, p->key);
        message_hint(complain(w, p, "keys below it", found, p->site->at, p->site->end),
                     "known here: %s", names);
        forgive(w, p->key, p->item);
        return;
    }
    for (int i = n->kind == TREE_MAP ? n->first : -1; i >= 0; i = nodes[nodes[i].next].next) {
        const struct tree_node *value = &nodes[nodes[i].next];
        struct place member = {.item = p->item, .node = tree_target(w->tree, value)};

        member.named = p->site == n ? &nodes[i] : p->site;
        member.site = p->site == n ? value : p->site;
        join(member.key, p->key, nodes[i].text);
        if (check_key(w, p, &nodes[i], member.named) && check_twin(w, &member, p)) {
            read_member(w, &member);
        }
    }
    find_missing(w, p);
}

void walk_tree(struct store *c, const struct tree *t, struct message_list *list)
{
    struct walk w = {.store = c, .tree = t, .list = list};
    struct place top = {.node = &t->node[0], .site = &t->node[0], .item = -1};
    char found[MESSAGE_FOUND_MAX];

    if (top.node->kind != TREE_MAP) {
        describe(found, top.node);
        message_hint(message_add(list, top.node->at, top.node->end - top.node->at,
                                 "expected lines \"key: value\", found %s", found),
                     "put a blank behind each colon");
        return;
    }
    read_map(&w, &top);
}
