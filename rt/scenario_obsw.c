/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario_obsw.c - on-board software as a configuration asks for it. */
#include "rt/scenario_obsw.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* For a process to become ready, and to end: a loaded machine takes its time. */
#define START_NS 20000000000
#define END_NS   1000000000

static void setup_of(struct obsw_setup *setup, const struct scenario *s, const struct config *c)
{
    *setup = (struct obsw_setup){.version = OBSW_VERSION,
                                 .size = sizeof *setup,
                                 .period_ns = (int64_t)(s->control.dt_s * 1e9 + 0.5),
                                 .joints = (uint32_t)s->control.servicer.robot.joints,
                                 .seed = s->control.seed};
    (void)snprintf(setup->parameters, sizeof setup->parameters, "%s",
                   config_text(c, "obsw.parameters"));
}

static int open_capture(struct scenario_obsw *o, const struct scenario *s,
                        const struct obsw_setup *setup, FILE *messages)
{
    o->capture.model = s->capture;
    o->obsw = (struct control_obsw){&obsw_builtin_capture_table, &o->capture};
    if (obsw_builtin_capture_init(&o->capture, setup) != 0) {
        fprintf(messages,
                "freefall: capture: expected the times of ramp and approach in order, found "
                "one that ends before it begins\n");
        return -EINVAL;
    }
    return 0;
}

/* The user's program, or this one again as the host of a library. */
static int open_process(struct scenario_obsw *o, const struct config *c,
                        const struct obsw_setup *setup, double least_s, FILE *messages)
{
    char self[] = "/proc/self/exe", word[] = "obsw-host";
    char program[SCENARIO_PATH_MAX], library[SCENARIO_PATH_MAX];
    char *const host[] = {self, word, library, NULL}, *const own[] = {program, NULL};
    struct obsw_process_model m = {.start_ns = START_NS, .end_ns = END_NS};
    int code;

    (void)snprintf(program, sizeof program, "%s", config_text(c, "obsw.program"));
    (void)snprintf(library, sizeof library, "%s", config_text(c, "obsw.library"));
    if (program[0] == '\0' && library[0] == '\0') {
        fprintf(messages, "freefall: obsw.kind: process: expected obsw.library, a file to load, or "
                          "obsw.program, found neither\n");
        return -EINVAL;
    }
    m.argv = program[0] != '\0' ? own : host;
    m.deadline_ns = (int64_t)(fmax(config_number(c, "obsw.deadline"), least_s) * 1e9);
    code = obsw_process_open(&o->process, &m, setup);
    o->obsw = (struct control_obsw){&o->process.table, &o->process};
    return code;
}

int scenario_obsw_open(struct scenario_obsw *o, const struct scenario *s, const struct config *c,
                       double least_s, FILE *messages)
{
    struct obsw_setup setup;
    int code = 0;

    memset(o, 0, sizeof *o);
    setup_of(&setup, s, c);
    switch (s->software) {
    case SCENARIO_LIBRARY:
        code = plugin_open(&o->plugin, config_text(c, "obsw.library"), &setup);
        o->obsw = (struct control_obsw){o->plugin.table, o->plugin.self};
        return code;
    case SCENARIO_PROCESS:
        return open_process(o, c, &setup, least_s, messages);
    case SCENARIO_ZERO:
        o->obsw = (struct control_obsw){&obsw_builtin_zero_table, NULL};
        return 0;
    case SCENARIO_CAPTURE:
    default:
        return open_capture(o, s, &setup, messages);
    }
}

void scenario_obsw_close(struct scenario_obsw *o)
{
    plugin_close(&o->plugin);
    obsw_process_close(&o->process);
}
