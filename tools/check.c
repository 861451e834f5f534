/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.c - freefall check: can the robots carry out this mission, before anything moves? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/feasible.h"

enum { SET, JSON, OPTIONS };

#define CHECK_SCHEMA 1

const struct command_option check_options[] = {
    {"--set", "KEY=VALUE", "change a value of the configuration; may be given many times"},
    {"--json", NULL, "print one JSON document instead of the table"},
    {NULL, NULL, NULL},
};

#define DEGREES (180.0 / BASE_PI)

/* A kind of limit, as printed: the numbers of the report times scale. */
static const struct {
    const char *name, *unit;
    double scale;
    const char *what; /* what a robot does that has too little left */
} kinds[MARGIN_KINDS] = {
    [MARGIN_REACH] = {"reach", "m", 1.0, "leaves its workspace"},
    [MARGIN_JOINT] = {"joint range", "deg", DEGREES, "leaves its workspace"},
    [MARGIN_JOINT_SPEED] = {"joint speed", "deg/s", DEGREES, "is too fast"},
    [MARGIN_JOINT_ACCELERATION] = {"joint acceleration", "deg/s2", DEGREES, "accelerates too much"},
    [MARGIN_SPEED] = {"speed", "m/s", 1.0, "is too fast"},
    [MARGIN_RATE] = {"rate", "deg/s", DEGREES, "is too fast"},
    [MARGIN_ACCELERATION] = {"acceleration", "m/s2", 1.0, "accelerates too much"},
    [MARGIN_ROTATION] = {"angular acceleration", "deg/s2", DEGREES, "accelerates too much"},
    [MARGIN_WRIST] = {"wrist singularity", "deg", DEGREES, "comes near a singularity"},
    [MARGIN_ELBOW] = {"elbow singularity", "deg", DEGREES, "comes near a singularity"},
    [MARGIN_OVERHEAD] = {"overhead singularity", "m", 1.0, "comes near a singularity"},
    [MARGIN_GAP] = {"robot distance", "m", 1.0, "comes near the other robot"},
    [MARGIN_FORCE] = {"force", "N", 1.0, "is pushed too hard"},
    [MARGIN_TORQUE] = {"torque", "Nm", 1.0, "is turned too hard"},
    [MARGIN_DELAY] = {"contact delay", "ms", 1e3, "is too late for the contact"},
};

/* ---- words ---- */

/* "joint A2 at -128.3 deg (limit -125, margin 2)" */
static void print_place(FILE *out, const struct margin *m, enum margin_kind kind)
{
    const double s = kinds[kind].scale;
    const char *unit = kinds[kind].unit;

    switch (kind) {
    case MARGIN_JOINT:
        fprintf(out, "joint A%d at %.1f %s (limit %.4g, margin %.3g)", m->axis + 1, s * m->value,
                unit, s * m->limit, s * m->need);
        break;
    case MARGIN_REACH:
        fprintf(out, "wrist %.3f %s from axis A2 (limit %.3f, margin %.3g)", s * m->value, unit,
                s * m->limit, s * m->need);
        break;
    case MARGIN_WRIST:
    case MARGIN_ELBOW:
    case MARGIN_OVERHEAD:
    case MARGIN_GAP:
        fprintf(out, "%s %.3g %s away (margin %.3g)", kinds[kind].name, s * m->value, unit,
                s * m->need);
        break;
    default:
        if (m->axis >= 0) {
            fprintf(out, "joint A%d, ", m->axis + 1);
        }
        fprintf(out, "%s %.4g %s (limit %.4g, margin %.3g)", kinds[kind].name, s * m->value, unit,
                s * m->limit, s * m->need);
        break;
    }
}

static void print_remedies(FILE *out, const struct feasible *f, const struct config *c)
{
    const struct feasible_remedy *h = &f->remedy;
    const char *between = "";

    fprintf(out, "   nominal: %s.  Remedies: ", config_text(c, "nominal.form"));
    if (h->nominal) {
        fprintf(out, "nominal: unforced (needs %.2f m of %.2f m)", h->needs_m, h->of_m);
        between = " | ";
    }
    if (h->shifted) {
        fprintf(out, "%sstart pose shift [%.3g %.3g %.3g] m", between, h->shift_m[0], h->shift_m[1],
                h->shift_m[2]);
        if (!h->shift_passes) {
            fprintf(out, " (lasts to %.2f s)", h->shift_until_s);
        }
        between = " | ";
    }
    if (h->stop_s > 0.0) {
        fprintf(out, "%sstop at %.1f s", between, h->stop_s);
        between = " | ";
    }
    fprintf(out, "%s\n", between[0] == '\0' ? "none found; stand the robots elsewhere" : "");
}

/* What is wrong, the earliest first, with remedies behind it. */
static void print_violations(FILE *out, const struct feasible *f, const struct config *c)
{
    const int first = feasible_first(f);

    for (int n = 0; first >= 0 && n < CELL_ROBOTS; n++) {
        const int i = n == 0 ? first : 1 - first;
        const struct margin *m = &f->report.first[i];

        if (!m->seen || (n > 0 && m->robot < 0 && f->report.kind[i] == f->report.kind[first])) {
            continue; /* what concerns both is said once */
        }
        fprintf(out, "check: robot %s %s at t = %.2f s: ", cell_robot_name[i],
                kinds[f->report.kind[i]].what, m->time_s);
        print_place(out, m, f->report.kind[i]);
        fprintf(out, "%s\n", m->run > 0 ? ", dispersed" : "");
        if (n == 0) {
            print_remedies(out, f, c);
        }
    }
    if (!margin_good(&f->report.least[MARGIN_DELAY])) {
        fprintf(out, "check: contact loop: ");
        print_place(out, &f->report.least[MARGIN_DELAY], MARGIN_DELAY);
        fprintf(out,
                "\n   Remedies: robots.lead: dead time and one interpolation period | softer or "
                "more damped latch\n");
    }
    for (int run = 0; run < f->runs; run++) {
        const struct margin_track *t = &f->track[run];

        if (!t->stopped) {
            continue;
        }
        fprintf(out, "check: run %d is stopped by safety at t = %.2f s:", run,
                t->sample[t->count - 1].time_s);
        for (int k = 0; k < 32; k++) {
            if ((t->causes >> k & 1u) != 0) {
                fprintf(out, " %s;", safety_cause_name(k));
            }
        }
        fprintf(out, " freefall sim shows it\n");
        break; /* the others are alike */
    }
}

static void print_table(FILE *out, const struct feasible *f)
{
    fprintf(out, "%-21s        %10s %10s %-7s %s\n", "smallest margin", "left", "wanted", "",
            "where");
    for (int i = 0; i < MARGIN_KINDS; i++) {
        const struct margin *m = &f->report.least[i];
        const double s = kinds[i].scale;

        if (!m->seen) {
            fprintf(out, "%-21s SKIP\n", kinds[i].name);
            continue;
        }
        fprintf(out, "%-21s %s   %10.4g %10.4g %-7s", kinds[i].name,
                margin_good(m) ? "PASS" : "FAIL", s * m->room, s * m->need, kinds[i].unit);
        if (i != MARGIN_DELAY) {
            fprintf(out, " %s", m->robot >= 0 ? cell_robot_name[m->robot] : "both");
            if (m->axis >= 0) {
                fprintf(out, " A%d", m->axis + 1);
            }
            fprintf(out, " at %.2f s%s", m->time_s, m->run > 0 ? ", dispersed" : "");
        }
        fprintf(out, "\n");
    }
    fprintf(out, "%-21s        %.3f m client, %.3f m servicer, in %d runs\n",
            "travel of the flange", f->report.travel_m[CELL_CLIENT],
            f->report.travel_m[CELL_SERVICER], f->runs);
    if (f->running_start) {
        fprintf(out,
                "note: the robots are moving when the motion begins; the run-up before it is not "
                "looked at\n");
    }
}

/* ---- JSON ---- */

static void json_margin(struct json *j, const char *name, enum margin_kind kind,
                        const struct margin *m)
{
    json_object(j, name);
    json_string(j, "kind", kinds[kind].name);
    json_bool(j, "pass", margin_good(m));
    json_number(j, "value", m->value); /* SI */
    json_number(j, "limit", m->limit);
    json_number(j, "left", m->room);
    json_number(j, "wanted", m->need);
    json_number(j, "time_s", m->time_s);
    json_string(j, "robot", m->robot >= 0 ? cell_robot_name[m->robot] : NULL);
    if (m->axis >= 0) {
        json_integer(j, "axis", m->axis + 1);
    }
    json_integer(j, "run", m->run);
    json_end(j);
}

static void json_remedies(struct json *j, const struct feasible *f)
{
    const struct feasible_remedy *h = &f->remedy;

    json_object(j, "remedies");
    json_bool(j, "nominal_unforced", h->nominal);
    if (h->nominal) {
        json_number(j, "needs_m", h->needs_m);
        json_number(j, "of_m", h->of_m);
    }
    if (h->shifted) {
        json_array(j, "shift_m");
        for (int i = 0; i < 3; i++) {
            json_number(j, NULL, h->shift_m[i]);
        }
        json_end(j);
        json_number(j, "shift_until_s", h->shift_until_s);
    }
    json_number(j, "stop_s", h->stop_s > 0.0 ? h->stop_s : (double)NAN);
    json_end(j);
}

static int print_json(const struct feasible *f, const struct config *c)
{
    struct json j;

    json_open(&j, stdout);
    json_object(&j, NULL);
    json_integer(&j, "schema", CHECK_SCHEMA);
    json_string(&j, "name", config_text(c, "name"));
    json_string(&j, "nominal", config_text(c, "nominal.form"));
    json_bool(&j, "pass", feasible_passes(f));
    json_integer(&j, "runs", f->runs);
    json_bool(&j, "running_start", f->running_start);
    json_array(&j, "margins");
    for (int i = 0; i < MARGIN_KINDS; i++) {
        if (f->report.least[i].seen) {
            json_margin(&j, NULL, (enum margin_kind)i, &f->report.least[i]);
        }
    }
    json_end(&j);
    json_array(&j, "violations");
    for (int i = 0; i < CELL_ROBOTS; i++) {
        if (f->report.first[i].seen) {
            json_margin(&j, NULL, f->report.kind[i], &f->report.first[i]);
        }
    }
    json_end(&j);
    json_array(&j, "travel_m");
    json_number(&j, NULL, f->report.travel_m[CELL_CLIENT]);
    json_number(&j, NULL, f->report.travel_m[CELL_SERVICER]);
    json_end(&j);
    json_remedies(&j, f);
    json_end(&j);
    return json_close(&j);
}

/* ---- the command ---- */

static int judge(const struct config *c, const char *path, bool as_json)
{
    struct feasible f;
    int result = COMMAND_CONFIG;

    if (feasible_open(&f, c, path) == 0 && feasible_fly(&f, c) == 0 && feasible_help(&f, c) == 0) {
        result = feasible_passes(&f) ? COMMAND_PASS : COMMAND_FAIL;
        print_violations(as_json ? stderr : stdout, &f, c);
        if (!as_json) {
            print_table(stdout, &f);
        } else if (print_json(&f, c) != 0) {
            result = COMMAND_INTERNAL;
        }
    }
    feasible_close(&f);
    return result;
}

int check_main(int argc, char **argv)
{
    const char *value[OPTIONS];
    const char **set = calloc((size_t)argc, sizeof *set);
    struct config *c = calloc(1, sizeof *c);
    int result = COMMAND_INTERNAL;

    if (set == NULL || c == NULL) {
        perror("freefall check");
        goto out;
    }
    const int sets = command_many("--set", set, argc, argv);
    const int operands = command_parse(check_options, value, argc, argv, 1);

    if (operands < 0) {
        result = COMMAND_USAGE;
    } else if (operands == 0) {
        result = command_refuse(argv[0], "expected a configuration, CONFIG.yaml");
    } else {
        int code = config_read(c, argv[1], stderr);

        for (int i = 0; code == 0 && i < sets; i++) {
            code = config_set(c, set[i], stderr);
        }
        result = code == 0 ? judge(c, argv[1], value[JSON] != NULL) : COMMAND_CONFIG;
    }
out:
    free(c);
    free(set);
    return result;
}
