/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys.h - freefall config: what may stand in a configuration, and what does. */
#ifndef FREEFALL_KEYS_H
#define FREEFALL_KEYS_H

#include "tools/command.h"

/* The words behind "freefall config", for the row of the command table whose main is
 * keys_main(). */
extern const struct command keys_commands[];

#endif
