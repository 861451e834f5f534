/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syntax.h - around the YAML parser: what it must not see, and what its complaints mean. */
#ifndef FREEFALL_SYNTAX_H
#define FREEFALL_SYNTAX_H

#include "config/message.h"
#include "config/source.h"

/* Refuse what is no text, and what costs libfyaml much time or memory before it reports the first
 * event: directives are compared each with each, and opening brackets are read ahead, 350 bytes
 * each. `nodes` is how many a tree can hold. 0, or -EINVAL with a message in the list. */
int syntax_check(const struct source *s, struct message_list *list, int nodes);

/* What to do about a syntax error, by the parser's own words for it. */
const char *syntax_advice(const char *words);

#endif
