/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch.c - from the words on the command line to the row of the table they mean.
 *
 * A wrong word never does anything: it is named on stderr with its nearest neighbour, exit code 2.
 */
#include "tools/dispatch.h"

#include <string.h>

#include "tools/help.h"

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static const struct command *find_row(const struct command *table, const char *word)
{
    for (const struct command *row = table; row->name != NULL; row++) {
        if (strcmp(row->name, word) == 0) {
            return row;
        }
    }
    return NULL;
}

static int refuse_word(const char *command, const struct command *table, const char *word)
{
    const char *kind = word[0] == '-' ? "option" : "command";
    const char *nearest = NULL;

    for (const struct command *row = table; row->name != NULL; row++) {
        if (command_similar(word, row->name) &&
            (nearest == NULL ||
             command_distance(word, row->name) < command_distance(word, nearest))) {
            nearest = row->name;
        }
    }
    if (nearest != NULL) {
        return command_refuse(command, "unknown %s \"%s\"; did you mean \"%s\"?", kind, word,
                              nearest);
    }
    return command_refuse(command, "unknown %s \"%s\"", kind, word);
}

int dispatch_run(const struct command *program, int argc, char **argv)
{
    const struct command *row = program;
    const struct command *served = program; /* the row whose main is called, with argv + at */
    char path[128];
    int used = snprintf(path, sizeof path, "%s", program->name);
    int level = 0;
    int at = 0;

    while (row->sub != NULL) {
        const char *word = level + 1 < argc ? argv[level + 1] : NULL;
        const struct command *next;

        if (word == NULL || is_help(word)) {
            help_print(word == NULL ? stderr : stdout, path, row);
            return word == NULL ? COMMAND_USAGE : COMMAND_PASS;
        }
        next = find_row(row->sub, word);
        if (next == NULL) {
            return refuse_word(row->name, row->sub, word);
        }
        row = next;
        level++;
        used += snprintf(path + used, sizeof path - (size_t)used, " %s", row->name);
        if (row->main != NULL) {
            served = row;
            at = level;
        }
    }
    for (int i = level + 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_help(argv[i])) {
            help_print(stdout, path, row);
            return COMMAND_PASS;
        }
    }
    return served->main(argc - at, argv + at);
}
