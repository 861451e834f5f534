/* SPDX-License-Identifier: GPL-3.0-or-later */
/* links.c - freefall links: do the robots' telegrams come, and do our answers reach them in time? Nothing moves. */
#include "tools/command.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt/robots.h"
#include "tools/json.h"

enum { ROBOT, COUNT, WAIT, JSON };

const struct command_option links_options[] = {
    {"--robot", "NAME", "client or servicer only; default: all that are configured"},
    {"--count", "N", "telegrams of each robot to wait for, default 10000"},
    {"--wait", "SECONDS", "give up when a robot is silent for so long, default 10"},
    {"--json", NULL, "one JSON document"},
    {NULL, NULL, NULL},
};

#define LATE_S 0.002 /* p99 of the answer time above which something is wrong with this machine */

struct work {
    struct config config;
    struct rsi_link_model model[ROBOTS_MAX];
    struct rsi_link link[ROBOTS_MAX];
    struct robot_link robot[ROBOTS_MAX];
    struct rsi_link_report report[ROBOTS_MAX];
    int count;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static bool good(const struct rsi_link_report *r, uint64_t wanted)
{
    return r->counts.answered >= wanted && r->counts.late == 0 && r->counts.lost == 0 &&
           r->health.rejected == 0 && r->counts.sessions == 1 && r->health.answer_p99_s <= LATE_S;
}

static void print_one(const struct rsi_link_model *m, const struct rsi_link_report *r,
                      uint64_t wanted)
{
    const struct rsi_counts *c = &r->counts;

    printf("robot %-9s %s  %s:%u, %s\n", m->name, good(r, wanted) ? "PASS" : "FAIL", m->address,
           m->port, m->rsi.kind == RSI_POSE ? "pose" : "axes");
    if (c->sessions == 0) {
        printf("  no telegram understood (%" PRIu64
               " datagrams came); is RSI_ON running, and are IP_NUMBER and PORT of the Ethernet "
               "file ours?\n",
               c->telegrams);
    } else {
        printf("  %" PRIu64 " answered, %" PRIu64 " late of %" PRIu64
               " (Delay of the robot; it ends RSI at %d = %.0f ms), %" PRIu64 " lost, %" PRIu64
               " superseded\n",
               c->answered, c->late, c->answered, m->timeout,
               1e-6 * (double)m->rsi.cycle_ns * m->timeout, c->lost, c->superseded);
        printf("  IPOC step %" PRIu64
               ", clock %+.1f ppm, jitter p99 %.0f us, answer p50 %.0f us, p99 %.0f us\n",
               r->step, r->health.clock_ppm, 1e6 * r->health.jitter_p99_s,
               1e6 * r->health.answer_p50_s, 1e6 * r->health.answer_p99_s);
        printf("  HOLDON not seen: it shows only in motion; freefall rsi-config --compare reads it "
               "from the Ethernet "
               "file\n");
    }
    for (int i = 1; i < RSI_REJECTS; i++) {
        if (c->rejected[i] > 0) {
            printf("  %" PRIu64 " telegrams not understood: %s\n", c->rejected[i],
                   rsi_reject_name((enum rsi_reject)i));
        }
    }
    if (c->foreign > 0) {
        printf("  %" PRIu64 " datagrams of somebody else\n", c->foreign);
    }
}

static void json_one(struct json *j, const struct rsi_link_model *m,
                     const struct rsi_link_report *r, uint64_t wanted)
{
    const struct rsi_counts *c = &r->counts;

    json_object(j, NULL);
    json_string(j, "robot", m->name);
    json_bool(j, "pass", good(r, wanted));
    json_string(j, "address", m->address);
    json_integer(j, "port", m->port);
    json_integer(j, "telegrams", (int64_t)c->telegrams);
    json_integer(j, "answered", (int64_t)c->answered);
    json_integer(j, "late", (int64_t)c->late);
    json_integer(j, "lost", (int64_t)c->lost);
    json_integer(j, "superseded", (int64_t)c->superseded);
    json_integer(j, "duplicates", (int64_t)c->duplicates);
    json_integer(j, "foreign", (int64_t)c->foreign);
    json_integer(j, "sessions", (int64_t)c->sessions);
    json_integer(j, "ipoc_step", (int64_t)r->step);
    json_number(j, "clock_ppm", r->health.clock_ppm);
    json_number(j, "jitter_p99_s", r->health.jitter_p99_s);
    json_number(j, "answer_p50_s", r->health.answer_p50_s);
    json_number(j, "answer_p99_s", r->health.answer_p99_s);
    json_null(j, "holdon");
    json_object(j, "rejected");
    for (int i = 1; i < RSI_REJECTS; i++) {
        json_integer(j, rsi_reject_name((enum rsi_reject)i), (int64_t)c->rejected[i]);
    }
    json_end(j);
    json_end(j);
}

static int print_json(const struct work *w, uint64_t wanted)
{
    struct json j;

    json_open(&j, stdout);
    json_object(&j, NULL);
    json_array(&j, "robots");
    for (int i = 0; i < w->count; i++) {
        json_one(&j, &w->model[i], &w->report[i], wanted);
    }
    json_end(&j);
    json_end(&j);
    return json_close(&j);
}

/* Look every 20 ms until each robot has its number of telegrams, or none came for so long. */
static void watch(struct work *w, uint64_t wanted, double patience_s)
{
    const struct timespec pause = {0, 20000000};
    uint64_t before = 0;
    double quiet_s = 0.0;
    bool done = false;

    while (!done && quiet_s < patience_s && !interrupted) {
        uint64_t sum = 0;

        (void)nanosleep(&pause, NULL);
        done = true;
        for (int i = 0; i < w->count; i++) {
            (void)rsi_link_read(&w->link[i], &w->report[i]);
            sum += w->report[i].counts.answered;
            done = done && w->report[i].counts.answered >= wanted;
        }
        quiet_s = sum > before ? 0.0 : quiet_s + 0.02;
        before = sum;
    }
}

/* Without the right to a priority the link works, and its times say what the machine is like. */
static int open_all(struct work *w)
{
    char why[160];

    for (int i = 0; i < w->count; i++) {
        int error = 0;

        (void)rsi_link_init(&w->link[i], &w->model[i], &w->robot[i], why);
        error = robot_open(&w->robot[i]);
        if (error != 0 && w->model[i].priority > 0) {
            fprintf(stderr, "freefall links: note: without priority, times of this run are not "
                            "those of a real run\n");
            w->model[i].priority = 0;
            w->model[i].cpu = -1;
            (void)rsi_link_init(&w->link[i], &w->model[i], &w->robot[i], why);
            error = robot_open(&w->robot[i]);
        }
        if (error != 0) {
            while (--i >= 0) {
                robot_close(&w->robot[i]);
            }
            return COMMAND_MISSING;
        }
        w->model[i].port = w->link[i].model.port;
    }
    return COMMAND_PASS;
}

static int run(struct work *w, uint64_t wanted, double patience_s, bool as_json)
{
    int code = open_all(w);

    if (code != COMMAND_PASS) {
        return code;
    }
    watch(w, wanted, patience_s);
    for (int i = 0; i < w->count; i++) {
        robot_close(&w->robot[i]);
        (void)rsi_link_read(&w->link[i], &w->report[i]);
        code = good(&w->report[i], wanted)         ? code
               : w->report[i].counts.sessions == 0 ? COMMAND_MISSING
               : code == COMMAND_PASS              ? COMMAND_FAIL
                                                   : code;
    }
    if (as_json) {
        return print_json(w, wanted) == 0 ? code : COMMAND_INTERNAL;
    }
    for (int i = 0; i < w->count; i++) {
        print_one(&w->model[i], &w->report[i], wanted);
    }
    return interrupted ? COMMAND_OPERATOR : code;
}

/* Keep only the robot that was named. */
static int choose(struct work *w, const char *name)
{
    for (int i = 0; i < w->count && name; i++) {
        if (strcmp(w->model[i].name, name) == 0) {
            w->model[0] = w->model[i];
            w->count = 1;
            return COMMAND_PASS;
        }
    }
    return name ? command_refuse("links", "--robot: expected a robot of robots.links, found \"%s\"",
                                 name)
                : COMMAND_PASS;
}

static int start(struct work *w, char **argv, const char *const *value)
{
    char *end = NULL;
    const uint64_t wanted = value[COUNT] ? strtoull(value[COUNT], &end, 10) : 10000;
    const double patience_s = value[WAIT] ? strtod(value[WAIT], NULL) : 10.0;
    int code;

    if (wanted == 0 || (end && *end != '\0') || !(patience_s > 0.0 && patience_s < 1e6)) {
        return command_refuse("links", "expected --count from 1 and --wait in seconds above 0");
    }
    if (config_read(&w->config, argv[1], stderr) != 0) {
        return COMMAND_CONFIG;
    }
    w->count = robots_models(w->model, &w->config, stderr);
    if (w->count < 0) {
        return COMMAND_CONFIG;
    }
    if (w->count == 0) {
        fprintf(stderr, "%s: error: robots.links: expected at least one robot, found none\n",
                argv[1]);
        return COMMAND_CONFIG;
    }
    code = choose(w, value[ROBOT]);
    return code == COMMAND_PASS ? run(w, wanted, patience_s, value[JSON] != NULL) : code;
}

int links_main(int argc, char **argv)
{
    const char *value[4];
    const int operands = command_parse(links_options, value, argc, argv, 1);
    struct work *w;
    int code;

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    if (operands != 1) {
        return command_refuse("links", "expected a configuration");
    }
    w = (struct work *)calloc(1, sizeof *w);
    if (!w) {
        perror("freefall links");
        return COMMAND_INTERNAL;
    }
    (void)signal(SIGINT, on_signal);
    (void)signal(SIGTERM, on_signal);
    code = start(w, argv, value);
    free(w);
    return code;
}
