/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export.c - freefall export: the recorded cycles of a run as a table other programs read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/table.h"

enum { TO, OUT, OPTIONS };
enum { CSV, HDF5, MAT, FORMATS };

const struct command_option export_options[] = {
    {"--to", "FORMAT", "csv, hdf5 or mat"},
    {"--out", "FILE",
     "the table (default: cycles.csv, .h5 or .mat beside the record; - is stdout)"},
    {NULL, NULL, NULL},
};

static const char *const formats[FORMATS] = {"csv", "hdf5", "mat"};
static const char *const endings[FORMATS] = {"csv", "h5", "mat"};

/* One export. Large, so not for the stack. */
struct job {
    int format;
    char path[2 * SCENARIO_PATH_MAX];
    FILE *csv; /* NULL: rows are collected */
    struct recording recording;
    struct table table;
};

/* What the lab alone knows has channels only where there was a simulated one, and stands before its cycle. */
static int begin(struct job *j, bool simulated)
{
    if (j->recording.joints == 0) {
        fprintf(stderr,
                "freefall export: %s: expected the number of joints in its metadata, found none\n",
                j->recording.path);
        return -EINVAL;
    }
    table_init(&j->table, j->recording.joints, simulated);
    return j->csv != NULL ? table_csv_names(&j->table, j->csv) : 0;
}

static int add(struct job *j)
{
    double row[TABLE_GROUPS * RECORD_JOINTS * 2];

    if (j->csv == NULL) {
        return table_add(&j->table, &j->recording);
    }
    table_row(&j->table, &j->recording, row);
    return table_csv_row(&j->table, row, j->csv);
}

static int rows(struct job *j)
{
    bool simulated = false;
    int code = 0, kind;

    while (code == 0 && (kind = recording_next(&j->recording)) != RECORDING_END) {
        if (kind < 0) {
            return kind;
        }
        simulated = simulated || kind == RECORD_TRUTH;
        if (kind == RECORD_CYCLE) {
            code = j->table.columns == 0 ? begin(j, simulated) : 0;
            code = code != 0 ? code : add(j);
        }
    }
    if (code == 0 && j->table.columns == 0) {
        fprintf(stderr, "freefall export: %s: expected cycles of motion, found none\n",
                j->recording.path);
        code = -ENODATA;
    }
    return code;
}

static int finish(struct job *j)
{
    switch (j->format) {
    case HDF5:
        return table_save(&j->table, "table_hdf5", j->path);
    case MAT:
        return table_save(&j->table, "table_mat", j->path);
    default:
        return j->csv == stdout || fclose(j->csv) == 0 ? 0 : -EIO;
    }
}

static int open_csv(struct job *j)
{
    j->csv = strcmp(j->path, "-") == 0 ? stdout : fopen(j->path, "w");
    if (j->csv == NULL) {
        perror(j->path);
        return -errno;
    }
    return 0;
}

static int export(struct job *j, const char *run, const char *wanted)
{
    int code;

    if (recording_open(&j->recording, "export", run) != 0) {
        return COMMAND_CONFIG;
    }
    if (wanted != NULL) {
        (void)snprintf(j->path, sizeof j->path, "%s", wanted);
    } else { /* beside run.mcap */
        const char *slash = strrchr(j->recording.path, '/');

        (void)snprintf(j->path, sizeof j->path, "%.*scycles.%s",
                       slash != NULL ? (int)(slash - j->recording.path + 1) : 0, j->recording.path,
                       endings[j->format]);
    }
    if (j->format == CSV && open_csv(j) != 0) {
        return COMMAND_INTERNAL;
    }
    code = rows(j);
    if (code == -EPROTO || code == -ENODATA || code == -EINVAL) {
        return COMMAND_CONFIG;
    }
    code = code != 0 ? code : finish(j);
    if (code == -ENOSYS) {
        fprintf(
            stderr,
            "freefall export: this program was built without %s; install %s and build it again\n",
            formats[j->format], j->format == HDF5 ? "libhdf5-dev" : "libmatio-dev");
        return COMMAND_MISSING;
    }
    if (code == -ENOENT) {
        return COMMAND_MISSING;
    }
    if (code != 0) {
        fprintf(stderr, "freefall export: %s: the table cannot be written: %s\n", j->path,
                strerror(-code));
        return COMMAND_INTERNAL;
    }
    return recording_whole(&j->recording) ? COMMAND_PASS : COMMAND_INTERNAL;
}

int export_main(int argc, char **argv)
{
    const char *value[OPTIONS];
    const int operands = command_parse(export_options, value, argc, argv, 1);
    struct job *j;
    int format = 0, result;

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    if (operands == 0) {
        return command_refuse(argv[0], "expected the folder of a run");
    }
    while (format < FORMATS && (value[TO] == NULL || strcmp(value[TO], formats[format]) != 0)) {
        format++;
    }
    if (format == FORMATS) {
        return command_refuse(argv[0], "--to: expected csv, hdf5 or mat, found \"%s\"",
                              value[TO] != NULL ? value[TO] : "nothing");
    }
    if (format != CSV && value[OUT] != NULL && strcmp(value[OUT], "-") == 0) {
        return command_refuse(argv[0], "--out: expected a file for %s, found \"-\"", value[TO]);
    }
    j = calloc(1, sizeof *j);
    if (j == NULL) {
        perror("freefall export");
        return COMMAND_INTERNAL;
    }
    j->format = format;
    j->recording.reader.fd = -1;
    result = export(j, argv[1], value[OUT]);
    recording_close(&j->recording);
    table_free(&j->table);
    free(j);
    return result;
}
