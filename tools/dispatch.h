/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch.h - from the words on the command line to the row of the table they mean. */
#ifndef FREEFALL_DISPATCH_H
#define FREEFALL_DISPATCH_H

#include "tools/command.h"

/* Find the row for argv[1] and up, answer --help, or call its main. Returns the exit code. */
int dispatch_run(const struct command *program, int argc, char **argv);

#endif
