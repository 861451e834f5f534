/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assign.h - one value of a configuration from the command line: --set "client.mass=7.8 t". */
#ifndef FREEFALL_ASSIGN_H
#define FREEFALL_ASSIGN_H

#include "config/store.h"
#include "config/message.h"

/* Carry out the assignment that is the source of the list, or add to the list why not. */
void assign_text(struct store *c, struct message_list *list);

#endif
