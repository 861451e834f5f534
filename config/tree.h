/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree.h - a YAML text as a small tree of maps, lists and scalars that remember where they stand.
 *
 * libfyaml reads the syntax; this is the only file that knows it. Nodes, depth and the size after
 * aliases are bounded while the text is read, so a small file cannot become a large tree. Tags,
 * directives and further documents are refused: they could only change what a value means.
 */
#ifndef FREEFALL_CONFIG_TREE_H
#define FREEFALL_CONFIG_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/message.h"
#include "config/source.h"

#define TREE_NODES_MAX 4096  /* in the text */
#define TREE_ALL_MAX   10000 /* with every alias written out */
#define TREE_DEPTH_MAX 8     /* maps and lists inside each other */

enum tree_kind { TREE_SCALAR, TREE_MAP, TREE_LIST, TREE_ALIAS };
enum tree_style { TREE_PLAIN, TREE_QUOTED, TREE_BLOCK };

struct tree_node {
    enum tree_kind kind;
    enum tree_style style; /* of a scalar */
    size_t at, end;        /* bytes of the source; of a scalar with its quotation marks */
    const char *text;      /* of a scalar or alias, as YAML reads it; ends with a zero */
    size_t length;         /* of the text */
    const char *anchor;    /* or NULL */
    int first; /* of a map its first key, of a list its first item, of an alias its target; or -1 */
    int next;  /* of a key its value, of a value the next key, of an item the next; or -1 */
    int all;   /* nodes from here down with aliases written out */
    int height; /* maps and lists inside each other from here down */
    bool open;  /* still being read: an alias to it would contain itself */
};

struct tree {
    int count;
    struct tree_node node[TREE_NODES_MAX];
    char *texts; /* what the nodes' texts point into */
    size_t used, size;
};

/* Read the source. 0, or -EINVAL with a message in the list, or -ENOMEM. Node 0 is the top, if
 * count > 0: an empty text has none. tree_close() in either case. */
int tree_read(struct tree *t, const struct source *s, struct message_list *list);
void tree_close(struct tree *t);

/* The node itself, or the target of an alias. */
const struct tree_node *tree_target(const struct tree *t, const struct tree_node *n);

#endif
