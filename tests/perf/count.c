/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count.c - instruction counts from callgrind.
 *
 * One run of valgrind counts everything: callgrind writes a file with its total and starts again from zero whenever
 * count_mark() is entered. The files come in the order of the marks.
 */
#include "tests/perf/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 256, ARGUMENTS = 8 };

/* Seen by callgrind by its name. */
__attribute__((noinline)) void count_mark(void);
void count_mark(void)
{
    __asm__ volatile("" ::: "memory");
}

static void calls(const struct unit_set *set, enum perf_unit unit, int k, int n)
{
    const struct unit_library *library = &set->library[k];

    for (int i = 0; i < n; i++) {
        library->table->unit[unit](library->self, &set->state[i % PERF_STATES]);
    }
}

void count_workload(const struct unit_set *set)
{
    count_mark();
    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        for (int k = 0; k < set->libraries; k++) {
            if (set->library[k].table->unit[unit]) {
                calls(set, unit, k, CALLS);
                count_mark();
                calls(set, unit, k, 2 * CALLS);
                count_mark();
            }
        }
    }
}

/* Total of file number i of the run, or -1. */
static long long total(const char *folder, int i)
{
    char path[256], line[256];
    long long value = -1;

    snprintf(path, sizeof path, "%s/count.%d", folder, i);
    FILE *f = fopen(path, "r");
    while (f && value < 0 && fgets(line, sizeof line, f)) {
        if (strncmp(line, "totals: ", 8) == 0 || strncmp(line, "summary: ", 9) == 0) {
            value = strtoll(strchr(line, ' '), NULL, 10);
        }
    }
    if (f) {
        fclose(f);
        unlink(path);
    }
    return value;
}

static int run_valgrind(const char *folder, int files, char *const file[])
{
    char out[256], self[256];
    char *command[ARGUMENTS + UNIT_LIBRARIES] = {
        "valgrind", "-q", "--tool=callgrind", "--dump-before=count_mark", out, self, "--count"};
    int status = -1;

    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0 || files > UNIT_LIBRARIES) {
        return -1;
    }
    self[length] = '\0';
    snprintf(out, sizeof out, "--callgrind-out-file=%s/count", folder);
    for (int i = 0; i < files; i++) {
        command[7 + i] = file[i];
    }
    const pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        fprintf(stderr, "perf: valgrind: %s\n", strerror(errno));
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

/* File 1 ends at the first mark, before anything was counted. */
static int read_counts(struct measure_table *t, const struct unit_set *set, const char *folder)
{
    int next = 1, bad = total(folder, next++) < 0;

    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        for (int k = 0; k < set->libraries; k++) {
            if (set->library[k].table->unit[unit]) {
                const long long once = total(folder, next++), twice = total(folder, next++);
                t->row[unit][k].instructions = (double)(twice - once) / CALLS;
                bad += once < 0 || twice < once;
            }
        }
    }
    total(folder, next); /* from the last mark to the end of the program */
    return bad ? -1 : 0;
}

int count_instructions(struct measure_table *t, const struct unit_set *set, int files,
                       char *const file[])
{
    char folder[] = "/tmp/freefall-perf.XXXXXX", rest[64];

    if (!mkdtemp(folder)) {
        fprintf(stderr, "perf: no temporary folder: %s\n", strerror(errno));
        return -1;
    }
    int answer = run_valgrind(folder, files, file);
    if (answer == 0) {
        answer = read_counts(t, set, folder);
    }
    if (answer != 0) {
        fprintf(stderr,
                "perf: callgrind gave no usable counts; the rows of instructions stay empty\n");
    }
    snprintf(rest, sizeof rest, "%s/count", folder);
    unlink(rest);
    rmdir(folder);
    return answer;
}
