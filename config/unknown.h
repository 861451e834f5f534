/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unknown.h - what to say of a key that is not in the schema. */
#ifndef FREEFALL_UNKNOWN_H
#define FREEFALL_UNKNOWN_H

#include <stddef.h>

#include "config/message.h"

/* Say that a key is unknown, and what was perhaps meant or what is known at its place. */
void unknown_key(struct message_list *list, const char *key, int item, size_t at, size_t length);

/* The names that may stand below a key: "mass, inertia, rate". */
void unknown_names(char *out, size_t size, const char *key);

#endif
