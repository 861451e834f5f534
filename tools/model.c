/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.c - freefall model: what a robot description says, and its dynamics at a state. */
#include "tools/command.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/numbers.h"
#include "tools/summary.h"

enum { STATE, JSON };

const struct command_option model_options[] = {
    {"--state", "STATE.json", "mass matrix, loads, frames and accelerations at this state"},
    {"--json", NULL, "one JSON document, SI units"},
    {NULL, NULL, NULL},
};

/* All that a call needs; too large for the stack. */
struct work {
    struct urdf urdf;
    struct build_robot robot;
    struct state state;
    struct numbers numbers;
    struct errors errors;
};

static int print_summary(const struct work *w, bool as_json)
{
    struct json j;

    if (!as_json) {
        summary_print(stdout, &w->robot);
        return COMMAND_PASS;
    }
    json_open(&j, stdout);
    summary_json(&j, &w->robot);
    return json_close(&j) == 0 ? COMMAND_PASS : COMMAND_INTERNAL;
}

static int print_numbers(struct work *w, const char *path, bool as_json)
{
    struct json j;

    if (numbers_compute(&w->numbers, &w->robot, &w->state) != 0) {
        fprintf(stderr,
                "freefall model: %s: the mass matrix is singular at this state: a joint has "
                "nothing to turn\n",
                path);
        return COMMAND_CONFIG;
    }
    if (!as_json) {
        numbers_print(stdout, &w->numbers, &w->robot, &w->state);
        return COMMAND_PASS;
    }
    json_open(&j, stdout);
    numbers_json(&j, &w->numbers, &w->robot, &w->state);
    return json_close(&j) == 0 ? COMMAND_PASS : COMMAND_INTERNAL;
}

/* The file is read on a fixed base, which every robot may have; the state then says how the
 * base moves. */
static int run(struct work *w, const char *path, const char *state, bool as_json)
{
    int result = build_open(&w->robot, &w->urdf, &w->errors, path, MULTIBODY_FIXED);

    if (result == 0 && state == NULL) {
        return print_summary(w, as_json);
    }
    if (result == 0) {
        if (state_read(&w->state, &w->robot, state) != 0) {
            return COMMAND_CONFIG;
        }
        result = build_robot(&w->robot, &w->errors, &w->urdf, w->state.base);
    }
    errors_print(&w->errors, stderr, path);
    return result == 0 ? print_numbers(w, state, as_json) : COMMAND_CONFIG;
}

int model_main(int argc, char **argv)
{
    const char *value[2];
    struct work *w = NULL;
    int result = COMMAND_INTERNAL;

    const int operands = command_parse(model_options, value, argc, argv, 1);

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    if (operands == 0) {
        return command_refuse(argv[0], "expected a robot description, FILE.urdf");
    }
    w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    if (w == NULL) {
        perror("freefall model");
        return COMMAND_INTERNAL;
    }
    errors_init(&w->errors);
    result = run(w, argv[1], value[STATE], value[JSON] != NULL);
    free(w);
    return result;
}
