/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.c - from the words on the command line to the row of the table they mean.
 *
 * A wrong word never does anything: it is named on stderr with its nearest neighbour, exit code 2.
 */
#include "tools/command.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/help.h"

#define WORD_MAX 32
#define FAR      100

int command_distance(const char *a, const char *b)
{
    int d[3]
         [WORD_MAX + 1]; /* three rows of the table: d[i % 3][j] makes j letters of b from i of a */
    size_t na = strlen(a);
    size_t nb = strlen(b);

    if (na > WORD_MAX || nb > WORD_MAX) {
        return FAR;
    }
    for (size_t i = 0; i <= na; i++) {
        for (size_t j = 0; j <= nb; j++) {
            int *here = &d[i % 3][j];
            int change;

            if (i == 0 || j == 0) {
                *here = (int)(i + j);
                continue;
            }
            change = d[(i - 1) % 3][j - 1] + (a[i - 1] != b[j - 1]);
            *here = 1 + (d[(i - 1) % 3][j] < d[i % 3][j - 1] ? d[(i - 1) % 3][j] : d[i % 3][j - 1]);
            *here = change < *here ? change : *here;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                int swap = d[(i - 2) % 3][j - 2] + 1;

                *here = swap < *here ? swap : *here;
            }
        }
    }
    return d[na % 3][nb];
}

bool command_similar(const char *word, const char *candidate)
{
    size_t n = strlen(word);
    int allowed = n < 3 ? 0 : n < 6 ? 2 : (int)(n / 3);

    /* A beginning of at least two letters is a hint too: "ver" for version. */
    return command_distance(word, candidate) <= allowed ||
           (n >= 2 && strncmp(word, candidate, n) == 0);
}

bool command_colour(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return isatty(fileno(out)) && (no_colour == NULL || no_colour[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

int command_refuse(const char *command, const char *format, ...)
{
    va_list arguments;
    bool whole = strcmp(command, "freefall") == 0;

    fprintf(stderr, whole ? "%s: " : "freefall %s: ", command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, whole ? "\n  see: %s --help\n" : "\n  see: freefall %s --help\n", command);
    return COMMAND_USAGE;
}

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

int command_run(const struct command *program, int argc, char **argv)
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

/* The row for "--name" or "--name=value" in a table that may be NULL. */
static const struct command_option *find_option(const struct command_option *options,
                                                const char *word)
{
    size_t n = strcspn(word, "=");

    for (const struct command_option *o = options; o != NULL && o->name != NULL; o++) {
        if (strlen(o->name) == n && strncmp(o->name, word, n) == 0) {
            return o;
        }
    }
    return NULL;
}

static void refuse_option(const char *command, const struct command_option *options,
                          const char *word)
{
    const char *nearest = NULL;

    for (const struct command_option *o = options; o != NULL && o->name != NULL; o++) {
        if (command_similar(word, o->name) &&
            (nearest == NULL ||
             command_distance(word, o->name) < command_distance(word, nearest))) {
            nearest = o->name;
        }
    }
    if (nearest != NULL) {
        command_refuse(command, "unknown option \"%s\"; did you mean \"%s\"?", word, nearest);
    } else {
        command_refuse(command, "unknown option \"%s\"", word);
    }
}

/* The value of the option at argv[*at]; moves *at over a value in the next word. NULL after a refusal. */
static const char *option_value(const struct command_option *option, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    const char *equals = strchr(word, '=');

    if (option->argument == NULL) {
        if (equals != NULL) {
            command_refuse(argv[0], "option %s takes no value, found \"%s\"", option->name, word);
            return NULL;
        }
        return "";
    }
    if (equals != NULL) {
        return equals + 1;
    }
    if (*at + 1 >= argc) {
        command_refuse(argv[0], "option %s expects %s, found nothing", option->name,
                       option->argument);
        return NULL;
    }
    *at += 1;
    return argv[*at];
}

int command_parse(const struct command_option *options, const char **values, int argc, char **argv,
                  int most)
{
    bool open = true; /* options are still recognised */
    int n = 0;

    for (const struct command_option *o = options; o != NULL && o->name != NULL; o++) {
        values[o - options] = NULL;
    }
    for (int i = 1; i < argc; i++) {
        const struct command_option *option;

        if (open && strcmp(argv[i], "--") == 0) {
            open = false;
            continue;
        }
        if (!open || argv[i][0] != '-' || argv[i][1] == '\0') {
            if (n == most) {
                command_refuse(argv[0], "unexpected \"%s\"", argv[i]);
                return -1;
            }
            n++;
            argv[n] = argv[i];
            continue;
        }
        option = find_option(options, argv[i]);
        if (option == NULL) {
            refuse_option(argv[0], options, argv[i]);
            return -1;
        }
        values[option - options] = option_value(option, argc, argv, &i);
        if (values[option - options] == NULL) {
            return -1;
        }
    }
    return n;
}
