/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree.c - a YAML text as a small tree of maps, lists and scalars that remember where they
 * stand. */
#include "config/tree.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "config/syntax.h"

struct builder {
    struct tree *tree;
    const struct source *source;
    struct message_list *list;
    int depth;
    int parent[TREE_DEPTH_MAX]; /* open maps and lists, outermost first */
    int last[TREE_DEPTH_MAX];   /* latest child of each, or -1 */
    int documents;
    bool ended;  /* the stream was read to its end */
    size_t here; /* behind the latest thing read */
};

static int too_many(struct message_list *list, size_t at)
{
    message_hint(
        message_add(list, at, 1, "expected at most %d keys and values, found more", TREE_NODES_MAX),
        "is it a configuration file?");
    return -EINVAL;
}

/* Keep a token's text for the life of the tree. No text is longer than twice its source. */
static const char *keep(struct tree *t, struct fy_token *token, size_t *length)
{
    size_t n = 0;
    const char *text = fy_token_get_text(token, &n);
    char *copy = t->texts + t->used;

    if (text == NULL || n >= t->size - t->used) {
        return NULL;
    }
    memcpy(copy, text, n);
    copy[n] = '\0';
    t->used += n + 1;
    *length = n;
    return copy;
}

static int refuse_tag(struct builder *b, struct fy_token *tag)
{
    size_t at = fy_token_start_mark(tag)->input_pos;
    size_t length = strcspn(b->source->text + at, " \t\r\n,]}");
    char found[MESSAGE_FOUND_MAX];

    message_quote(found, b->source->text + at, length);
    message_hint(message_add(b->list, at, length, "expected no tag, found %s", found),
                 "delete it: the type of a value is known from its key");
    return -EINVAL;
}

/* Where an event stands in the source; an empty value stands behind its key. */
static void locate(struct builder *b, struct fy_event *event, struct tree_node *n)
{
    const struct fy_mark *start = fy_event_start_mark(event);
    const struct fy_mark *end = fy_event_end_mark(event);
    size_t quotes = n->style == TREE_QUOTED;

    if (start == NULL || end == NULL) {
        n->at = b->here + (b->source->text[b->here] == ':');
        n->end = n->at;
        return;
    }
    n->at = start->input_pos - (n->kind == TREE_ALIAS ? 1 : quotes);
    n->end = end->input_pos + quotes;
    b->here = n->end < b->source->length ? n->end : b->source->length;
}

/* Hang the newest node below the innermost open map or list. */
static void hang(struct builder *b)
{
    struct tree_node *nodes = b->tree->node;
    int index = b->tree->count - 1;

    if (b->depth == 0) {
        return;
    }
    int *last = &b->last[b->depth - 1];

    if (*last < 0) {
        nodes[b->parent[b->depth - 1]].first = index;
    } else {
        nodes[*last].next = index;
    }
    *last = index;
}

/* Count a finished node in its parent. */
static int count_in(struct builder *b, const struct tree_node *n)
{
    if (b->depth == 0) {
        return 0;
    }
    struct tree_node *parent = &b->tree->node[b->parent[b->depth - 1]];

    parent->all += n->all;
    parent->height = n->height + 1 > parent->height ? n->height + 1 : parent->height;
    if (parent->all > TREE_ALL_MAX) {
        message_hint(
            message_add(b->list, n->at, n->end - n->at,
                        "expected at most %d values with all aliases written out, found more",
                        TREE_ALL_MAX),
            "use fewer aliases of aliases");
        return -EINVAL;
    }
    return 0;
}

static int too_deep(struct builder *b, const struct tree_node *n)
{
    message_hint(message_add(b->list, n->at, n->end - n->at,
                             "expected at most %d maps and lists inside each other, found more",
                             TREE_DEPTH_MAX),
                 "no key lies that deep; check brackets and indentation");
    return -EINVAL;
}

/* Connect an alias with the latest anchor of its name. */
static int resolve(struct builder *b, struct tree_node *alias)
{
    const struct tree_node *nodes = b->tree->node;
    int i = b->tree->count - 2;

    while (i >= 0 && (nodes[i].anchor == NULL || strcmp(nodes[i].anchor, alias->text) != 0)) {
        i--;
    }
    if (i < 0 || nodes[i].open) {
        struct message *m =
            message_add(b->list, alias->at, alias->end - alias->at,
                        "alias *%.40s: expected an anchor &%.40s before it, found %s", alias->text,
                        alias->text, i < 0 ? "none" : "one around it");

        message_hint(m, "write the value itself");
        return -EINVAL;
    }
    alias->first = i;
    alias->all = nodes[i].all;
    alias->height = nodes[i].height;
    return b->depth + alias->height > TREE_DEPTH_MAX ? too_deep(b, alias) : 0;
}

/* libfyaml 0.7 leaks memory on five '' in a row; nobody writes that, so it is refused. */
static bool quotes_in_a_row(struct builder *b, const struct tree_node *n)
{
    static const char run[] = "''''''''''";
    const char *found = strstr(b->source->text + n->at + 1, run);

    if (found == NULL || (size_t)(found - b->source->text) + sizeof run > n->end) {
        return false;
    }
    message_hint(message_add(b->list, (size_t)(found - b->source->text), sizeof run - 1,
                             "expected a text, found a row of single quotation marks in it"),
                 "put the text into double quotation marks");
    return true;
}

/* A new node for an event; NULL after a message when there is no room. */
static struct tree_node *new_node(struct builder *b, struct fy_event *event, enum tree_kind kind)
{
    struct tree *t = b->tree;
    struct tree_node n = {.kind = kind, .first = -1, .next = -1, .all = 1, .text = ""};
    struct fy_token *token = fy_event_get_token(event);
    struct fy_token *anchor = kind != TREE_ALIAS ? fy_event_get_anchor_token(event) : NULL;
    size_t unused = 0;

    if (kind == TREE_SCALAR && token != NULL) {
        enum fy_scalar_style style = fy_token_scalar_style(token);

        n.style = style == FYSS_PLAIN                                          ? TREE_PLAIN
                  : style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED ? TREE_QUOTED
                                                                               : TREE_BLOCK;
    }
    locate(b, event, &n);
    if (b->source->text[n.at] == '\'' && n.style == TREE_QUOTED && quotes_in_a_row(b, &n)) {
        return NULL;
    }
    if ((kind == TREE_SCALAR || kind == TREE_ALIAS) && token != NULL) {
        n.text = keep(t, token, &n.length);
    }
    n.anchor = anchor != NULL ? keep(t, anchor, &unused) : NULL;
    if (t->count == TREE_NODES_MAX || n.text == NULL) {
        (void)too_many(b->list, n.at);
        return NULL;
    }
    t->node[t->count] = n;
    t->count++;
    hang(b);
    return &t->node[t->count - 1];
}

static int begin_node(struct builder *b, struct fy_event *event, enum tree_kind kind)
{
    struct tree_node *n = new_node(b, event, kind);

    if (n == NULL) {
        return -EINVAL;
    }
    if (b->depth == TREE_DEPTH_MAX) {
        return too_deep(b, n);
    }
    n->open = true;
    n->height = 1;
    b->parent[b->depth] = b->tree->count - 1;
    b->last[b->depth] = -1;
    b->depth++;
    return 0;
}

static int end_node(struct builder *b, struct fy_event *event)
{
    struct tree_node *n = &b->tree->node[b->parent[b->depth - 1]];
    const struct fy_mark *end = fy_event_end_mark(event);
    char opener = b->source->text[n->at];

    if ((opener == '[' || opener == '{') && end != NULL) {
        n->end = end->input_pos;
        b->here = n->end;
    }
    n->open = false;
    b->depth--;
    return count_in(b, n);
}

/* A text may hold what its source may: escapes must not smuggle in control characters. */
static int check_scalar(struct builder *b, const struct tree_node *n)
{
    char what[SOURCE_WHY_MAX];

    if (source_unclean(n->text, n->length, what) < n->length) {
        message_hint(
            message_add(b->list, n->at, n->end - n->at, "expected a text, found %s in it", what),
            "delete the escape");
        return -EINVAL;
    }
    return 0;
}

static int leaf_node(struct builder *b, struct fy_event *event, enum tree_kind kind)
{
    struct tree_node *n = new_node(b, event, kind);
    int error = n == NULL ? -EINVAL : kind == TREE_ALIAS ? resolve(b, n) : check_scalar(b, n);

    return error != 0 ? error : count_in(b, n);
}

static int second_document(struct builder *b)
{
    size_t at = b->here;
    const char *text = b->source->text;

    while (text[at] != '\0' && strncmp(text + at, "---", 3) != 0) {
        at++;
    }
    message_hint(message_add(b->list, at < b->source->length ? at : b->here, 3,
                             "expected one YAML document, found a second"),
                 "put it into a file of its own");
    return -EINVAL;
}

static int take(struct builder *b, struct fy_event *event)
{
    struct fy_token *tag = fy_event_get_tag_token(event);

    if (tag != NULL) {
        return refuse_tag(b, tag);
    }
    switch (event->type) {
    case FYET_DOCUMENT_START:
        b->documents++;
        return b->documents > 1 ? second_document(b) : 0;
    case FYET_STREAM_END:
        b->ended = true;
        return 0;
    case FYET_MAPPING_START:
        return begin_node(b, event, TREE_MAP);
    case FYET_SEQUENCE_START:
        return begin_node(b, event, TREE_LIST);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return end_node(b, event);
    case FYET_SCALAR:
        return leaf_node(b, event, TREE_SCALAR);
    case FYET_ALIAS:
        return leaf_node(b, event, TREE_ALIAS);
    default:
        return 0;
    }
}

/* The parser stopped: pass its first complaint on, with our own advice. */
static int syntax_error(struct builder *b, struct fy_diag *diag)
{
    void *previous = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &previous);
    const char *words = e != NULL ? e->msg : "not readable as YAML";
    size_t at = e != NULL ? source_offset(b->source, e->line, e->column) : b->here;

    message_hint(message_add(b->list, at, 1, "YAML: %s", words), "%s", syntax_advice(words));
    return -EINVAL;
}

static int parse(struct builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
    struct fy_event *event = NULL;
    int error = 0;

    while (error == 0 && (event = fy_parser_parse(parser)) != NULL) {
        error = take(b, event);
        fy_parser_event_free(parser, event);
    }
    return error != 0 || b->ended ? error : syntax_error(b, diag);
}

int tree_read(struct tree *t, const struct source *s, struct message_list *list)
{
    struct builder b = {.tree = t, .source = s, .list = list};
    struct fy_diag_cfg quiet = {.level = FYET_ERROR, .module_mask = ~0U};
    int error = syntax_check(s, list, TREE_NODES_MAX);

    t->count = 0;
    t->used = 0;
    t->size = 2 * s->length + 2 * (size_t)TREE_NODES_MAX;
    t->texts = malloc(t->size);
    struct fy_diag *diag = fy_diag_create(&quiet);
    struct fy_parse_cfg cfg = {.flags = FYPCF_DEFAULT_VERSION_1_2, .diag = diag};
    struct fy_parser *parser = diag != NULL ? fy_parser_create(&cfg) : NULL;

    if (t->texts == NULL || parser == NULL) {
        error = -ENOMEM;
    }
    if (error == 0) {
        fy_diag_set_collect_errors(diag, true);
        error = fy_parser_set_string(parser, s->text, s->length) == 0 ? parse(&b, parser, diag)
                                                                      : -ENOMEM;
    }
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return error;
}

void tree_close(struct tree *t)
{
    free(t->texts);
    t->texts = NULL;
    t->count = 0;
}

const struct tree_node *tree_target(const struct tree *t, const struct tree_node *n)
{
    return n->kind == TREE_ALIAS ? &t->node[n->first] : n;
}
