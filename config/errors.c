/* SPDX-License-Identifier: GPL-3.0-or-later */
/* errors.c - what is wrong with a file, collected with line numbers. */
#include "config/errors.h"

#include <stdarg.h>

#include "config/message.h"

#define PLACE_MAX 1024 /* characters of a path and line number */

void errors_init(struct errors *e)
{
    e->count = 0;
}

void errors_add(struct errors *e, int line, const char *format, ...)
{
    va_list arguments;
    int at = e->count++;

    if (at >= ERRORS_MAX) {
        return;
    }
    while (at > 0 && e->row[at - 1].line > line) {
        e->row[at] = e->row[at - 1];
        at--;
    }
    e->row[at].line = line;
    va_start(arguments, format);
    (void)vsnprintf(e->row[at].text, sizeof e->row[at].text, format, arguments);
    va_end(arguments);
}

void errors_print(const struct errors *e, FILE *out, const char *path)
{
    int shown = e->count < ERRORS_MAX ? e->count : ERRORS_MAX;
    char place[PLACE_MAX];

    for (int i = 0; i < shown; i++) {
        const int line = e->row[i].line;

        (void)snprintf(place, sizeof place, line > 0 ? "%.*s:%d" : "%.*s", PLACE_MAX - 16, path,
                       line);
        message_say(out, place, "%s", e->row[i].text);
    }
    if (e->count > shown) {
        message_say(out, path, "%d errors, the first %d are shown", e->count, shown);
    }
}
