/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.c - the recorded cycles of a run as one table. */
#include "tools/table.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void add_kind(struct table *t, enum record_kind kind, const char *prefix, int joints)
{
    const struct record_layout *l = &record_layouts[kind];

    for (int i = 0; i < l->fields && t->groups < TABLE_GROUPS; i++) {
        const struct record_field *f = &l->field[i];
        struct table_group *g = &t->group[t->groups++];

        (void)snprintf(g->name, sizeof g->name, "%s%s", prefix, f->name);
        g->kind = kind;
        g->field = f;
        g->width = f->count == 0 ? 1 : f->joints ? joints : f->count;
        g->first = t->columns;
        t->columns += g->width;
    }
}

void table_init(struct table *t, int joints, bool simulated)
{
    memset(t, 0, sizeof *t);
    add_kind(t, RECORD_CYCLE, "", joints);
    if (simulated) {
        add_kind(t, RECORD_TRUTH, "true_", joints);
        add_kind(t, RECORD_REFERENCE, "reference_", joints);
    }
}

static double number(const struct record_field *f, const void *record, int k)
{
    const uint8_t *p = (const uint8_t *)record + f->offset + (size_t)k * f->size;
    uint32_t word;
    double x;

    if (f->size == sizeof word) { /* the only whole numbers of these records are uint32 */
        memcpy(&word, p, sizeof word);
        return (double)word;
    }
    memcpy(&x, p, sizeof x);
    return x;
}

void table_row(const struct table *t, const struct recording *r, double *row)
{
    for (int i = 0; i < t->groups; i++) {
        const struct table_group *g = &t->group[i];

        for (int k = 0; k < g->width; k++) {
            row[g->first + k] = number(g->field, recording_last(r, g->kind), k);
        }
    }
}

int table_add(struct table *t, const struct recording *r)
{
    if (t->rows == t->room) {
        const size_t room = t->room == 0 ? 1024 : 2 * t->room;
        double *value = realloc(t->value, room * (size_t)t->columns * sizeof *value);

        if (value == NULL) {
            return -ENOMEM;
        }
        t->value = value;
        t->room = room;
    }
    table_row(t, r, t->value + t->rows++ * (size_t)t->columns);
    return 0;
}

void table_free(struct table *t)
{
    free(t->value);
    t->value = NULL;
}

/* ---- text ---- */

int table_csv_names(const struct table *t, FILE *out)
{
    for (int i = 0; i < t->groups; i++) {
        const struct table_group *g = &t->group[i];

        for (int k = 0; k < g->width; k++) {
            fprintf(out, "%s%s", i + k > 0 ? "," : "", g->name);
            if (g->field->count > 0) {
                fprintf(out, "[%d]", k);
            }
        }
    }
    return fputc('\n', out) != EOF && ferror(out) == 0 ? 0 : -EIO;
}

int table_csv_row(const struct table *t, const double *row, FILE *out)
{
    for (int i = 0; i < t->groups; i++) {
        const struct table_group *g = &t->group[i];

        for (int k = 0; k < g->width; k++) {
            const double x = row[g->first + k];

            if (i + k > 0) {
                fputc(',', out);
            }
            if (strcmp(g->name, "mode") == 0) {
                fputs(safety_mode_name((int)x), out);
            } else {
                fprintf(out, "%.17g", x);
            }
        }
    }
    return fputc('\n', out) != EOF && ferror(out) == 0 ? 0 : -EIO;
}

/* ---- other formats ---- */

int table_save(const struct table *t, const char *function, const char *path)
{
    static const char *const place[] = {"freefall-tables.so", "../lib/freefall/freefall-tables.so"};
    char file[SCENARIO_PATH_MAX + 64];
    int (*save)(const struct table *, const char *) = NULL;
    const ssize_t n = readlink("/proc/self/exe", file, SCENARIO_PATH_MAX - 1);
    void *library = NULL;
    char *end;
    int code = -ENOENT;

    file[n > 0 ? n : 0] = '\0';
    end = strrchr(file, '/');
    for (size_t i = 0; end != NULL && library == NULL && i < COUNT_OF(place); i++) {
        (void)snprintf(end + 1, 64, "%s", place[i]);
        library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        const char *why = dlerror();

        fprintf(
            stderr,
            "freefall: freefall-tables.so: expected beside the program or in lib/freefall: %s\n",
            why != NULL ? why : "not found");
        return code;
    }
    *(void **)(&save) = dlsym(library, function);
    code = save != NULL ? save(t, path) : -ENOENT;
    (void)dlclose(library);
    return code;
}
