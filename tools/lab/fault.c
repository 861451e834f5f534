/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fault.c - see fault.h. */
#include "tools/lab/fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 12

void fault_init(struct fault *f, const struct verb_target *target, int64_t start_ns, FILE *log)
{
    memset(f, 0, sizeof *f);
    f->target = *target;
    f->start_ns = start_ns;
    f->log = log;
}

/* "500" frames, or "20ms", "1.5s". */
static bool read_instant(const char *word, struct fault_instant *out)
{
    char *end;
    const double x = strtod(word, &end);

    if (end == word || !(x >= 0) || x > 1e9) {
        return false;
    }
    out->clock = *end == '\0' ? FAULT_CYCLES : FAULT_TIME;
    if (*end == '\0') {
        out->value = (int64_t)x;
        return x <= (double)out->value;
    }
    if (strcmp(end, "ms") == 0) {
        out->value = (int64_t)(1e6 * x);
        return true;
    }
    out->value = (int64_t)(1e9 * x);
    return strcmp(end, "s") == 0;
}

static int split(char *text, char *words[static WORDS_MAX])
{
    int count = 0;
    char *rest = NULL;

    for (char *w = strtok_r(text, " \t\r\n", &rest); w; w = strtok_r(NULL, " \t\r\n", &rest)) {
        if (count == WORDS_MAX) {
            return WORDS_MAX + 1;
        }
        words[count++] = w;
    }
    return count;
}

static void say(const struct fault *f, const struct fault_entry *e, int64_t t_ns, uint64_t cycle,
                const char *what)
{
    if (f->log) {
        fprintf(f->log, "lab: frame %" PRIu64 ", cycle %" PRIu64 ", %.3f ms: %s %s\n",
                f->target.segment->stats.frames, cycle, 1e-6 * (double)(t_ns - f->start_ns),
                e->line, what);
    }
}

static void strike(struct fault *f, struct fault_entry *e, int64_t t_ns, uint64_t cycle)
{
    e->waiting = false;
    e->running = e->order.lasting;
    e->end = e->duration;
    e->end.value += e->duration.clock == FAULT_CYCLES ? (int64_t)cycle : t_ns - f->start_ns;
    f->struck++;
    verb_apply(&e->order, &f->target, t_ns);
    say(f, e, t_ns, cycle, "");
}

/* A place for one more: unused, or one whose fault is over. */
static struct fault_entry *place(struct fault *f)
{
    for (int i = 0; i < f->count; i++) {
        if (!f->entry[i].waiting && !f->entry[i].running) {
            return &f->entry[i];
        }
    }
    return f->count < FAULT_ENTRIES_MAX ? &f->entry[f->count++] : NULL;
}

static int wrong(char *error, const char *what, const char *word)
{
    snprintf(error, VERB_ERROR_MAX, "%s \"%.20s\"; expected a number of cycles, or a time as 20ms",
             what, word);
    return -EINVAL;
}

int fault_line(struct fault *f, const char *line, int64_t t_ns, char error[static VERB_ERROR_MAX])
{
    struct fault_entry e;
    char text[FAULT_LINE_MAX];
    char *words[WORDS_MAX];
    struct fault_entry *free_place;
    int count;
    int first = 0;

    memset(&e, 0, sizeof e);
    error[0] = '\0';
    snprintf(text, sizeof text, "%s", line);
    count = split(text, words);
    if (count == 0 || words[0][0] == '#') {
        return 0;
    }
    if (strlen(line) >= FAULT_LINE_MAX || count > WORDS_MAX) {
        snprintf(error, VERB_ERROR_MAX, "line too long; expected at most %d characters, %d words",
                 FAULT_LINE_MAX - 1, WORDS_MAX);
        return -EINVAL;
    }
    if (strcmp(words[0], "at") == 0) {
        if (count < 2 || !read_instant(words[1], &e.begin)) {
            return wrong(error, "at", count < 2 ? "" : words[1]);
        }
        e.waiting = true;
        first = 2;
    }
    if (count - first > 2 && strcmp(words[count - 2], "for") == 0) {
        if (!read_instant(words[count - 1], &e.duration)) {
            return wrong(error, "for", words[count - 1]);
        }
        count -= 2;
        e.order.lasting = true;
    }
    if (verb_parse(&e.order, &f->target, words + first, count - first, e.order.lasting, error) !=
        0) {
        return -EINVAL;
    }
    free_place = place(f);
    if (!free_place) {
        snprintf(error, VERB_ERROR_MAX, "too many faults wait; expected at most %d",
                 FAULT_ENTRIES_MAX);
        return -ENOSPC;
    }
    snprintf(e.line, sizeof e.line, "%.*s", (int)strcspn(line, "\r\n"), line);
    *free_place = e;
    if (!e.waiting) {
        /* the present cycle is over: the next is the first it acts on, and counts */
        strike(f, free_place, t_ns, f->target.segment->stats.cycles + 1);
    }
    return 0;
}

int fault_file(struct fault *f, const char *path, int64_t t_ns, FILE *messages)
{
    char line[FAULT_LINE_MAX + 2];
    char error[VERB_ERROR_MAX];
    FILE *file = fopen(path, "r");
    int result = 0;

    if (!file) {
        result = -errno;
        fprintf(messages, "freefall-lab: %s: %s\n", path, strerror(-result));
        return result;
    }
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        const int code = fault_line(f, line, t_ns, error);

        if (code != 0) {
            fprintf(messages, "%s:%d: error: %s\n", path, number, error);
            result = result != 0 ? result : code;
        }
    }
    fclose(file);
    return result;
}

static bool due(const struct fault *f, const struct fault_instant *i, int64_t t_ns, uint64_t cycle)
{
    return i->clock == FAULT_CYCLES ? (int64_t)cycle >= i->value : t_ns - f->start_ns >= i->value;
}

void fault_step(struct fault *f, int64_t t_ns, uint64_t cycle)
{
    for (int i = 0; i < f->count; i++) {
        struct fault_entry *e = &f->entry[i];

        if (e->running && due(f, &e->end, t_ns, cycle)) {
            e->running = false;
            verb_undo(&e->order, &f->target, t_ns);
            say(f, e, t_ns, cycle, "ends");
        }
        if (e->waiting && due(f, &e->begin, t_ns, cycle)) {
            strike(f, e, t_ns, cycle);
        }
    }
}
