/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.c - what subcommands share: options, near words, refusals, colour. */
#include "tools/command.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORD_MAX 32
#define FAR      100

int command_distance(const char *a, const char *b)
{
    /* three rows of the table: d[i % 3][j] turns i letters of a into j letters of b */
    int d[3][WORD_MAX + 1];
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

int command_many(const char *option, const char **values, int argc, char **argv)
{
    const size_t n = strlen(option);
    int count = 0;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], option, n) == 0 && argv[i][n] == '=') {
            values[count++] = argv[i] + n + 1;
        } else if (strcmp(argv[i], option) == 0 && i + 1 < argc) {
            values[count++] = argv[++i];
        }
    }
    return count;
}
