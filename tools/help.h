/* SPDX-License-Identifier: GPL-3.0-or-later */
/* help.h - prints what the rows of the command table say: help, man page, words for completion. */
#ifndef FREEFALL_HELP_H
#define FREEFALL_HELP_H

#include "tools/command.h"

/* The help of one row; path is how it is called, e.g. "freefall config show". */
void help_print(FILE *out, const char *path, const struct command *row);

/* The man page of the whole program, as troff for section 1. */
void help_print_man(FILE *out, const struct command *program);

/* What may follow the words given, one a line: names of the next level, and options. */
void help_print_words(FILE *out, const struct command *program, int n, char **words);

#endif
