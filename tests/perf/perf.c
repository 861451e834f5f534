/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf.c - freefall's multibody engine against its peers, in one process and one run.
 *
 *     perf [--json FILE] LIBRARY.so...      measure, print the table and the goals
 *     perf --count LIBRARY.so...            what runs below valgrind
 *
 * Exit code 0: every must goal is met; 1: some are not; 2: the libraries do not agree or nothing could be measured.
 */
#include "tests/perf/count.h"
#include "tests/perf/report.h"

#include <stdio.h>
#include <string.h>

static int measure(const struct unit_set *set, int files, char *const file[], const char *json)
{
    static struct measure_table table;

    measure_pin();
    measure_warm(&table, set);
    measure_cold(&table, set);
    count_instructions(&table, set, files, file);
    report_print(set, &table);
    const int missed = report_goals(set, &table);
    if (json && report_json(json, set, &table) != 0) {
        return 2;
    }
    return missed ? 1 : 0;
}

int main(int argc, char *argv[])
{
    static struct unit_set set;
    const char *json = NULL;
    int first = 1, counting = 0;

    if (argc > 2 && strcmp(argv[1], "--json") == 0) {
        json = argv[2];
        first = 3;
    } else if (argc > 1 && strcmp(argv[1], "--count") == 0) {
        counting = 1;
        first = 2;
    }
    if (first >= argc) {
        fprintf(stderr, "perf: expected [--json FILE] LIBRARY.so...; make perf gives them\n");
        return 2;
    }
    if (unit_load(&set, argc - first, argv + first) != 0) {
        return 2;
    }
    if (counting) {
        count_workload(&set);
        return 0;
    }
    if (unit_check(&set) != 0) {
        return 2;
    }
    return measure(&set, argc - first, argv + first, json);
}
