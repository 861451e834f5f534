/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.c - what was measured, and what was asked for.
 *
 * The goals are ratios within one run. They are about the build for AVX2 where no build is named.
 */
#include "tests/perf/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* The benchmark itself is 1. */
#define QUIET 1.5

enum kind { WARM, FASTEST, COLD, COUNT };

static const char *const kind_name[] = {"time", "fastest time", "cold time", "instructions"};

/* How many times more the peer needs than ours, at least. */
static const struct goal {
    enum perf_unit unit;
    enum kind kind;
    const char *ours, *peer;
    double must, stretch;
} goals[] = {
    {PERF_CYCLE, WARM, "AVX2", "MuJoCo", 10.0, 14.0},
    {PERF_CYCLE, WARM, "generic", "MuJoCo", 7.0, 9.0},
    {PERF_CYCLE, COUNT, "AVX2", "MuJoCo", 14.0, 18.0},
    {PERF_CYCLE, COLD, "AVX2", "MuJoCo", 3.0, 5.0},
    {PERF_CRBA, WARM, "AVX2", "MuJoCo", 6.0, 11.0},
    {PERF_BIAS, WARM, "AVX2", "MuJoCo", 4.5, 10.0},
    {PERF_FORWARD, WARM, "AVX2", "MuJoCo", 4.5, 6.5},
    {PERF_PLANT, WARM, "AVX2", "MuJoCo", 4.5, 7.0},
    {PERF_20_KINDYN, WARM, "AVX2", "MuJoCo", 4.5, 6.0},
    {PERF_20_CTRL, WARM, "AVX2", "MuJoCo", 4.0, 8.0},
    {PERF_FIX_MASS, WARM, "AVX2", "KDL", 9.0, 16.0},
    {PERF_FIX_BIAS, WARM, "AVX2", "KDL", 5.0, 10.0},
    {PERF_FIX_FK_JAC, WARM, "AVX2", "KDL", 15.0, 18.0},
};

#define GOALS (int)(sizeof goals / sizeof goals[0])

static int column(const struct unit_set *set, const char *name)
{
    int k = 0;

    while (k < set->libraries && strcmp(set->library[k].table->name, name) != 0) {
        k++;
    }
    return k < set->libraries ? k : -1;
}

static double value(const struct measure_row *row, enum kind kind)
{
    const double values[] = {row->median_ns, row->min_ns, row->cold_ns, row->instructions};

    return values[kind];
}

/* Peer over ours, or 0 if one of them was not measured. */
static double ratio(const struct unit_set *set, const struct measure_table *t, enum perf_unit unit,
                    enum kind kind, const char *ours, const char *peer)
{
    const int a = column(set, ours), b = column(set, peer);

    if (a < 0 || b < 0 || !(value(&t->row[unit][a], kind) > 0.0)) {
        return 0.0;
    }
    return value(&t->row[unit][b], kind) / value(&t->row[unit][a], kind);
}

/* The four columns of a row: ours twice, MuJoCo, and the peer that offers only a few units. */
static int shown(const struct unit_set *set, enum perf_unit unit, int i)
{
    const char *const names[] = {"AVX2", "generic", "MuJoCo", unit == PERF_SINCOS ? "libm" : "KDL"};
    const int k = column(set, names[i]);

    return k >= 0 && set->library[k].table->unit[unit] ? k : -1;
}

/* Whom the ratios of a row are about: KDL or libm where they offer the unit, else MuJoCo. */
static const char *peer_of(const struct unit_set *set, enum perf_unit unit)
{
    const int k = shown(set, unit, 3) >= 0 ? shown(set, unit, 3) : shown(set, unit, 2);

    return k >= 0 ? set->library[k].table->name : "";
}

static void print_number(double x, int width)
{
    if (x > 0.0) {
        printf("%*.0f", width, x);
    } else {
        printf("%*s", width, "");
    }
}

static void print_ratios(const struct unit_set *set, const struct measure_table *t,
                         enum perf_unit unit, enum kind kind)
{
    const char *const ours[] = {"AVX2", "generic"};

    for (int i = 0; i < 2; i++) {
        const double x = ratio(set, t, unit, kind, ours[i], peer_of(set, unit));
        if (x > 0.0) {
            printf("%6.1fx", x);
        } else {
            printf("%7s", "");
        }
    }
}

static void print_warm(const struct unit_set *set, const struct measure_table *t)
{
    printf("\nWarm, ns per call\n%-12s |%19s|%19s|%19s|%19s| ours faster\n%-12s ", "", "ours, AVX2",
           "ours, generic", "MuJoCo", "KDL (*libm)", "unit");
    for (int i = 0; i < 4; i++) {
        printf("|%6s%6s%7s", "min", "med", "p99");
    }
    printf("|  AVX2 generic\n");
    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        printf("%-12s%s", unit_name(unit), unit == PERF_SINCOS ? "*" : " ");
        for (int i = 0; i < 4; i++) {
            const int k = shown(set, unit, i);
            const struct measure_row none = {0}, *row = k >= 0 ? &t->row[unit][k] : &none;
            printf("|");
            print_number(row->min_ns, 6);
            print_number(row->median_ns, 6);
            print_number(row->p99_ns, 7);
        }
        printf("|");
        print_ratios(set, t, unit, WARM);
        printf("\n");
    }
}

static void print_kind(const struct unit_set *set, const struct measure_table *t,
                       enum perf_unit unit, enum kind kind)
{
    printf("|");
    for (int i = 0; i < 4; i++) {
        const int k = shown(set, unit, i);
        print_number(k >= 0 ? value(&t->row[unit][k], kind) : 0.0, 8);
    }
    print_ratios(set, t, unit, kind);
    printf(" ");
}

static void print_cold(const struct unit_set *set, const struct measure_table *t)
{
    printf("\n%-12s |%-46s |%-46s\n%-12s ", "", " Instructions per call", " Cold caches, ns",
           "unit");
    for (int i = 0; i < 2; i++) {
        printf("|%8s%8s%8s%8s%8s%8s", "AVX2", "generic", "MuJoCo", "KDL", "AVX2", "generic");
    }
    printf("\n");
    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        printf("%-12s%s", unit_name(unit), unit == PERF_SINCOS ? "*" : " ");
        print_kind(set, t, unit, COUNT);
        print_kind(set, t, unit, COLD);
        printf("\n");
    }
}

void report_print(const struct unit_set *set, const struct measure_table *t)
{
    struct utsname u = {0};
    double load = 0.0;

    uname(&u);
    getloadavg(&load, 1);
    printf("%-8s %s, %s %s, one processor; load average %.1f%s\n", "machine", u.machine, u.sysname,
           u.release, load,
           load > QUIET ? ", not quiet: it slows the larger library more; repeat the run" : "");
    for (int k = 0; k < set->libraries; k++) {
        printf("%-8s %s\n", set->library[k].table->name, set->library[k].table->build);
    }
    print_warm(set, t);
    print_cold(set, t);
    printf("ratios: against KDL in the rows 7fix, against libm in sincos8, else against MuJoCo\n");
}

static const char *verdict(const struct goal *g, double x)
{
    return x >= g->stretch ? "PASS, stretch"
           : x >= g->must  ? "PASS"
           : x > 0.0       ? "FAIL"
                           : "FAIL, not measured";
}

/* What a goal is judged by: the ratio of medians, or that of the fastest samples if it is less. A neighbour on the same core
 * slows the larger library more, which would flatter ours; the fastest samples had no neighbour. */
static double judged(const struct unit_set *set, const struct measure_table *t,
                     const struct goal *g)
{
    const double x = ratio(set, t, g->unit, g->kind, g->ours, g->peer);
    const double y = ratio(set, t, g->unit, FASTEST, g->ours, g->peer);

    return g->kind == WARM && y < x ? y : x;
}

int report_goals(const struct unit_set *set, const struct measure_table *t)
{
    int missed = 0;

    printf("\nGoals: the peer's figure over ours; of times the ratio of medians or of minima, "
           "whichever is less\n%-42s%8s%9s%9s\n",
           "", "must", "stretch", "got");
    for (int i = 0; i < GOALS; i++) {
        const struct goal *g = &goals[i];
        const double x = judged(set, t, g);
        char what[80];
        snprintf(what, sizeof what, "%s, %s, %s against %s", unit_name(g->unit), kind_name[g->kind],
                 g->ours, g->peer);
        printf("%-42s%7.1fx%8.1fx%8.2fx  %s\n", what, g->must, g->stretch, x, verdict(g, x));
        missed += !(x >= g->must);
    }
    printf("%d of %d must goals met\n", GOALS - missed, GOALS);
    return missed;
}

static void json_units(FILE *f, const struct unit_set *set, const struct measure_table *t)
{
    const char *comma = "";

    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        for (int k = 0; k < set->libraries; k++) {
            const struct measure_row *row = &t->row[unit][k];
            if (set->library[k].table->unit[unit]) {
                fprintf(f,
                        "%s\n    {\"unit\": \"%s\", \"library\": \"%s\", \"min_ns\": %.1f, "
                        "\"median_ns\": %.1f, "
                        "\"p99_ns\": %.1f, \"cold_ns\": %.0f, \"instructions\": %.1f}",
                        comma, unit_name(unit), set->library[k].table->name, row->min_ns,
                        row->median_ns, row->p99_ns, row->cold_ns, row->instructions);
                comma = ",";
            }
        }
    }
}

int report_json(const char *path, const struct unit_set *set, const struct measure_table *t)
{
    FILE *f = fopen(path, "w");

    if (!f) {
        fprintf(stderr, "perf: %s: %s\n", path, strerror(errno));
        return -1;
    }
    fprintf(f, "{\n  \"libraries\": [");
    for (int k = 0; k < set->libraries; k++) {
        fprintf(f, "%s\n    {\"name\": \"%s\", \"build\": \"%s\"}", k ? "," : "",
                set->library[k].table->name, set->library[k].table->build);
    }
    fprintf(f, "\n  ],\n  \"units\": [");
    json_units(f, set, t);
    fprintf(f, "\n  ],\n  \"goals\": [");
    for (int i = 0; i < GOALS; i++) {
        const struct goal *g = &goals[i];
        const double x = judged(set, t, g);
        fprintf(f,
                "%s\n    {\"unit\": \"%s\", \"of\": \"%s\", \"ours\": \"%s\", \"peer\": \"%s\", "
                "\"must\": %.1f, "
                "\"stretch\": %.1f, \"got\": %.3f, \"met\": %s}",
                i ? "," : "", unit_name(g->unit), kind_name[g->kind], g->ours, g->peer, g->must,
                g->stretch, x, x >= g->must ? "true" : "false");
    }
    fprintf(f, "\n  ]\n}\n");
    return fclose(f) == 0 ? 0 : -1;
}
