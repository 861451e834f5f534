/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inject.c - freefall inject: make a fault happen in a running simulated lab. */
#include "tools/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lab/ask.h"

#define ANSWER_MAX 32768
#define LINE_MAX_  200
#define WORDS_MAX  16

enum { CONTROL, SCRIPT, OPTIONS };

const struct command_option inject_options[] = {
    {"--control", "PATH", "socket of the lab, as given to freefall-lab --control"},
    {"--file", "FILE", "send every line of a fault script"},
    {NULL, NULL, NULL},
};

static int send_line(const char *path, const char *line, char *answer)
{
    const int error = ask_line(path, line, answer, ANSWER_MAX);

    if (error != 0) {
        fprintf(stderr, "freefall inject: %s: %s; %s\n", path, strerror(-error), ask_advice(error));
        return COMMAND_MISSING;
    }
    printf("%s\n", answer);
    return strncmp(answer, "error: ", 7) == 0 ? COMMAND_FAIL : COMMAND_PASS;
}

static int send_file(const char *path, const char *name, char *answer)
{
    FILE *file = fopen(name, "r");
    char line[LINE_MAX_];
    int result = COMMAND_PASS;

    if (!file) {
        fprintf(stderr, "freefall inject: %s: %s\n", name, strerror(errno));
        return COMMAND_MISSING;
    }
    while (result == COMMAND_PASS && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[strspn(line, " \t")] != '\0' && line[0] != '#') {
            result = send_line(path, line, answer);
        }
    }
    fclose(file);
    return result;
}

static int send_words(const char *path, int count, char **words, char *answer)
{
    char line[LINE_MAX_];
    size_t used = 0;

    line[0] = '\0';
    for (int i = 0; i < count; i++) {
        const int n = snprintf(line + used, sizeof line - used, "%s%s", i > 0 ? " " : "", words[i]);

        used += n > 0 ? (size_t)n : 0;
        if (used >= sizeof line) {
            return command_refuse("inject", "expected a fault of at most %d characters",
                                  LINE_MAX_ - 1);
        }
    }
    return send_line(path, line, answer);
}

int inject_main(int argc, char **argv)
{
    const char *value[OPTIONS];
    const int operands = command_parse(inject_options, value, argc, argv, WORDS_MAX);
    char *answer;
    int result;

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    if (!value[CONTROL]) {
        return command_refuse("inject", "expected --control PATH, the socket of the lab");
    }
    if ((operands > 0) == (value[SCRIPT] != NULL)) {
        return command_refuse("inject", "expected a fault, or --file FILE with some");
    }
    answer = (char *)calloc(1, ANSWER_MAX);
    if (!answer) {
        perror("freefall inject");
        return COMMAND_INTERNAL;
    }
    result = value[SCRIPT] ? send_file(value[CONTROL], value[SCRIPT], answer)
                           : send_words(value[CONTROL], operands, argv + 1, answer);
    free(answer);
    return result;
}
