/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulate.c - freefall sim: the mission of a configuration on the simulated lab, and its verdict. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/sim.h"

enum { FOR, SEED, SET, OUT, JSON, FIND_LEAD, QUIET, OPTIONS };

const struct command_option sim_options[] = {
    {"--for", "TIME", "simulate this long, as 20s or 5min"},
    {"--seed", "N", "choose every random number of the run"},
    {"--set", "KEY=VALUE", "change a value of the configuration; may be given many times"},
    {"--out", "DIR", "folder of the run (default: below log.folder, by time and name)"},
    {"--json", NULL, "print verdict.json instead of the table"},
    {"--find-lead", NULL, "measure the lead these robots need, by the energy they make"},
    {"--quiet", NULL, "no progress"},
    {NULL, NULL, NULL},
};

/* Longest lead tried. */
#define LEAD_MOST 0.04

/* Read the file, then every --set in its order, --for and --seed; all messages, not only the first. */
static int configure(struct config *c, const char *path, const char *const *set, int sets,
                     const char **value)
{
    char line[SCHEMA_TEXT_MAX];
    int code = config_read(c, path, stderr);

    for (int i = 0; code == 0 && i < sets; i++) {
        code = config_set(c, set[i], stderr);
    }
    if (code == 0 && value[FOR] != NULL) {
        (void)snprintf(line, sizeof line, "sim.duration=%s", value[FOR]);
        code = config_set(c, line, stderr);
    }
    if (code == 0 && value[SEED] != NULL) {
        (void)snprintf(line, sizeof line, "sim.seed=%s", value[SEED]);
        code = config_set(c, line, stderr);
    }
    return code;
}

/* ---- the folder of the run ---- */

static int make_folder(char *out, const struct config *c, const char *wanted)
{
    const time_t now = time(NULL);
    struct tm tm;
    char when[32];

    if (wanted != NULL) {
        (void)snprintf(out, SCENARIO_PATH_MAX, "%s", wanted);
        return mkdir(out, 0777) == 0 || errno == EEXIST ? 0 : -errno;
    }
    if (mkdir(config_text(c, "log.folder"), 0777) != 0 && errno != EEXIST) {
        return -errno;
    }
    (void)strftime(when, sizeof when, "%Y-%m-%dT%H-%M-%S", gmtime_r(&now, &tm));
    for (int i = 1; i < 1000; i++) { /* two runs may begin in one second */
        char more[8] = "";

        if (i > 1) {
            (void)snprintf(more, sizeof more, "-%d", i);
        }
        (void)snprintf(out, SCENARIO_PATH_MAX, "%s/%s-%s%s", config_text(c, "log.folder"), when,
                       config_text(c, "name"), more);
        if (mkdir(out, 0777) == 0) {
            return 0;
        }
        if (errno != EEXIST) {
            return -errno;
        }
    }
    return -EEXIST;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[2 * SCENARIO_PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "wb");
}

/* The robot description beside the configuration, so that the folder can be simulated again as it is. */
static int copy_description(const struct sim *s, const char *folder, const char *name)
{
    FILE *from = fopen(s->scenario.description, "rb"), *to = open_in(folder, name);
    char block[4096];
    size_t n = sizeof block; /* a short block is the last one */
    int code = from != NULL && to != NULL ? 0 : -EIO;

    while (code == 0 && n == sizeof block) {
        n = fread(block, 1, sizeof block, from);
        code = ferror(from) == 0 && fwrite(block, 1, n, to) == n ? 0 : -EIO;
    }
    if (from != NULL) {
        (void)fclose(from);
    }
    return (to == NULL || fclose(to) == 0) && code == 0 ? 0 : -EIO;
}

static int keep_inputs(struct sim *s, const char *folder)
{
    const char *slash = strrchr(s->scenario.description, '/');
    const char *name = slash != NULL ? slash + 1 : s->scenario.description;
    char line[SCENARIO_PATH_MAX + 32];
    FILE *file = NULL;

    (void)snprintf(line, sizeof line, "arm.description=%s", name);
    if (copy_description(s, folder, name) != 0 || config_set(&s->config, line, stderr) != 0) {
        return -EIO;
    }
    file = open_in(folder, "config.yaml");
    if (file == NULL) {
        return -errno;
    }
    config_print(&s->config, file, true);
    if (fclose(file) != 0) {
        return -EIO;
    }
    return s->account.every > 0
               ? account_open(&s->account, folder, name, s->scenario.control.servicer.robot.joints,
                              (int)config_integer(&s->config, "log.viewers"))
               : 0;
}

static int print_json(const struct sim *s, FILE *out)
{
    struct json j;

    json_open(&j, out);
    verdict_json(&s->verdict, &j, config_text(&s->config, "name"), s->scenario.control.seed);
    return json_close(&j);
}

static int keep_verdict(struct sim *s, const char *folder)
{
    FILE *file = open_in(folder, "verdict.json");
    int code = file != NULL ? print_json(s, file) : -EIO;

    if (file != NULL && fclose(file) != 0) {
        code = -EIO;
    }
    return account_close(&s->account) != 0 ? -EIO : code;
}

/* ---- running ---- */

static double seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fly(struct sim *s, bool progress)
{
    const double begin = progress ? seconds() : 0.0;
    double shown = begin;
    int error = 0;

    while (sim_step(s, &error)) {
        const double done = s->loop.time_s;

        if (progress && s->loop.cycle % 256 == 0 && seconds() - shown > 0.2 && done > 0.0) {
            shown = seconds();
            fprintf(stderr, "\r%6.1f s of %.1f s, %.0f s left ", done, s->scenario.duration_s,
                    (shown - begin) * (s->scenario.duration_s / done - 1.0));
        }
    }
    if (progress) {
        fprintf(stderr, "\r%40s\r", "");
    }
    return error;
}

static int refuse_folder(const char *folder, int code)
{
    fprintf(stderr, "freefall sim: %s: cannot be written: %s; name another folder with --out\n",
            folder, strerror(-code));
    return COMMAND_INTERNAL;
}

static int simulate(struct sim *s, const char **value)
{
    const bool progress = value[QUIET] == NULL && isatty(STDERR_FILENO) != 0;
    char folder[SCENARIO_PATH_MAX];
    int code = make_folder(folder, &s->config, value[OUT]);

    if (code == 0) {
        code = keep_inputs(s, folder);
    }
    if (code == 0) {
        code = fly(s, progress);
    }
    if (code == 0) {
        code = keep_verdict(s, folder);
    }
    if (code != 0) {
        (void)account_close(&s->account);
        return refuse_folder(folder, code);
    }
    if (value[JSON] != NULL) {
        code = print_json(s, stdout);
    } else {
        verdict_print(&s->verdict, stdout);
        printf("%-11s        %s\n", "folder", folder);
    }
    if (code != 0) {
        return COMMAND_INTERNAL;
    }
    if (s->verdict.mode != SAFETY_RUN) {
        return COMMAND_SAFETY;
    }
    return verdict_passes(&s->verdict) ? COMMAND_PASS : COMMAND_FAIL;
}

static int find_lead(struct sim *s, bool as_json)
{
    double lead_s = 0.0, energy_j = 0.0;
    const int code = sim_find_lead(s, &lead_s, LEAD_MOST, &energy_j);

    if (as_json) {
        struct json j;

        json_open(&j, stdout);
        json_object(&j, NULL);
        json_integer(&j, "schema", VERDICT_SCHEMA);
        json_bool(&j, "found", code == 0);
        json_number(&j, "lead_s", lead_s);
        json_number(&j, "energy_j", energy_j);
        json_end(&j);
        if (json_close(&j) != 0) {
            return COMMAND_INTERNAL;
        }
    } else if (code == 0) {
        printf("lead        %.1f ms   the robots neither make nor take energy; set robots.lead to "
               "it\n",
               lead_s * 1e3);
    }
    if (code != 0) {
        fprintf(stderr,
                "freefall sim: --find-lead: expected energy made at 0 ms and taken at %.0f ms, "
                "found %.2g "
                "J at %.0f ms; the scenario needs a contact that moves, as that of "
                "config/contact.yaml\n",
                LEAD_MOST * 1e3, energy_j, lead_s * 1e3);
        return COMMAND_FAIL;
    }
    return COMMAND_PASS;
}

int sim_main(int argc, char **argv)
{
    const char *value[OPTIONS];
    const char **set = calloc((size_t)argc, sizeof *set);
    struct sim *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    int sets = 0, operands = 0, result = COMMAND_INTERNAL;

    if (s == NULL || set == NULL) {
        perror("freefall sim");
        goto out;
    }
    memset(s, 0, sizeof *s);
    sets = command_many("--set", set, argc, argv);
    operands = command_parse(sim_options, value, argc, argv, 1);
    if (operands < 0) {
        result = COMMAND_USAGE;
    } else if (operands == 0) {
        result = command_refuse(argv[0], "expected a configuration, CONFIG.yaml");
    } else if (configure(&s->config, argv[1], set, sets, value) != 0 || sim_open(s, argv[1]) != 0) {
        result = COMMAND_CONFIG;
    } else {
        result = value[FIND_LEAD] != NULL ? find_lead(s, value[JSON] != NULL) : simulate(s, value);
    }
    if (operands > 0) {
        sim_close(s);
    }
out:
    free(s);
    free(set);
    return result;
}
