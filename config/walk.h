/* SPDX-License-Identifier: GPL-3.0-or-later */
/* walk.h - from the tree of a file to the values of a configuration, every key checked against the
 * schema.
 *
 * All faults are collected, none stops the walk; a fault in one place makes no second message in
 * another.
 */
#ifndef FREEFALL_WALK_H
#define FREEFALL_WALK_H

#include "config/store.h"
#include "config/message.h"
#include "config/tree.h"

/* Fill the values from a tree that has a node 0. Faults go to the list. */
void walk_tree(struct store *c, const struct tree *t, struct message_list *list);

#endif
