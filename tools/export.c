/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export.c - freefall export: the recorded cycles of a run as a table other programs read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/record.h"

enum { TO, OUT, OPTIONS };

/* Columns by their place: record.h begins each row with these. */
enum { MODE = 1, PHASE = 2 };

const struct command_option export_options[] = {
    {"--to", "FORMAT", "csv"},
    {"--out", "FILE", "the table (default: cycles.csv in the folder of the run; - is stdout)"},
    {NULL, NULL, NULL},
};

static int print_row(FILE *out, const double *row, int n)
{
    bool good = true;

    for (int i = 0; i < n; i++) {
        if (i > 0) {
            good = fputc(',', out) != EOF && good;
        }
        if (i == MODE) {
            good = fputs(safety_mode_name((int)row[i]), out) != EOF && good;
        } else if (i == PHASE) {
            good = fprintf(out, "%d", (int)row[i]) > 0 && good;
        } else {
            good = fprintf(out, "%.17g", row[i]) > 0 && good;
        }
    }
    return fputc('\n', out) != EOF && good ? 0 : -EIO;
}

static int write_table(struct record *r, FILE *out, const char *names, double *row)
{
    int code = fprintf(out, "%s\n", names) > 0 ? 1 : -EIO;

    while (code > 0 && (code = record_read(r, row)) > 0) {
        if (print_row(out, row, r->columns) != 0) {
            code = -ENOSPC;
        }
    }
    return code;
}

static int export(const char *folder, const char *wanted)
{
    const bool to_stdout = wanted != NULL && strcmp(wanted, "-") == 0;
    char path[2 * SCENARIO_PATH_MAX];
    char *names = calloc(1, RECORD_LINE);
    double *row = calloc(RECORD_COLUMNS, sizeof *row);
    struct record r = {.file = NULL};
    FILE *out = NULL;
    int code = names != NULL && row != NULL ? record_read_open(&r, folder, names) : -ENOMEM;
    int result = COMMAND_INTERNAL;

    if (code != 0) {
        fprintf(stderr,
                "freefall export: %s/" RECORD_FILE ": expected the record of a run, found %s\n",
                folder, code == -EINVAL ? "something else" : strerror(-code));
        result = COMMAND_CONFIG;
        goto done;
    }
    (void)snprintf(path, sizeof path, "%s/cycles.csv", folder);
    out = to_stdout ? stdout : fopen(wanted != NULL ? wanted : path, "w");
    if (out == NULL) {
        perror(wanted != NULL ? wanted : path);
        goto done;
    }
    code = write_table(&r, out, names, row);
    if (!to_stdout && fclose(out) != 0) {
        code = -ENOSPC;
    }
    if (code == -EIO) {
        fprintf(stderr, "freefall export: %s: the last row is cut off; all before it are written\n",
                folder);
    } else if (code < 0) {
        fprintf(stderr, "freefall export: the table cannot be written: %s\n", strerror(-code));
    } else {
        result = COMMAND_PASS;
    }
done:
    (void)record_close(&r);
    free(names);
    free(row);
    return result;
}

int export_main(int argc, char **argv)
{
    const char *value[OPTIONS];
    const int operands = command_parse(export_options, value, argc, argv, 1);

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    if (operands == 0) {
        return command_refuse(argv[0], "expected the folder of a run");
    }
    if (value[TO] == NULL || strcmp(value[TO], "csv") != 0) {
        return command_refuse(argv[0], "--to: expected csv, found \"%s\"",
                              value[TO] != NULL ? value[TO] : "nothing");
    }
    return export(argv[1], value[OUT]);
}
