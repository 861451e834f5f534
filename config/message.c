/* SPDX-License-Identifier: GPL-3.0-or-later */
/* message.c - what is wrong with a configuration, shown as good compilers do. */
#include "config/message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_SHOWN                                                                             \
    96 /* characters of a source line; of a longer one, the part around the caret */

struct colour {
    const char *bold, *error, *caret, *off;
};

static struct colour colour_for(FILE *out)
{
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    int fd = fileno(out);

    if (fd < 0 || isatty(fd) == 0 || (no != NULL && no[0] != '\0') ||
        (term != NULL && strcmp(term, "dumb") == 0)) {
        return (struct colour){"", "", "", ""};
    }
    return (struct colour){"\033[1m", "\033[1;31m", "\033[1;32m", "\033[0m"};
}

struct message *message_add(struct message_list *list, size_t at, size_t length, const char *format,
                            ...)
{
    int kept = list->count < MESSAGE_MAX ? list->count : MESSAGE_MAX;
    int i = kept;
    va_list args;

    list->count++;
    while (i > 0 && list->message[i - 1].at > at) {
        list->message[i] = list->message[i - 1];
        i--;
    }
    struct message *m = &list->message[i];

    *m = (struct message){.at = at, .length = length};
    va_start(args, format);
    (void)vsnprintf(m->text, sizeof m->text, format, args);
    va_end(args);
    return m;
}

void message_hint(struct message *m, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(m->hint, sizeof m->hint, format, args);
    va_end(args);
}

/* Characters that move the cursor, change its direction or cannot be seen. */
static int printable(unsigned long code)
{
    return code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0) && code != 0x200e &&
           code != 0x200f && !(code >= 0x2028 && code <= 0x202e) &&
           !(code >= 0x2066 && code <= 0x2069) && code != 0xfeff;
}

/* One character for the terminal; bytes of the text it stands for. */
static size_t put_character(FILE *out, const char *text, size_t length)
{
    unsigned long code = 0;
    size_t n = source_character(text, length, &code);

    if (n == 0) {
        (void)fputc('?', out);
        return 1;
    }
    if (code == '\t' || printable(code)) {
        (void)fwrite(text, 1, n, out);
    } else {
        (void)fputc('?', out);
    }
    return n;
}

static void put_text(FILE *out, const char *text)
{
    size_t length = strlen(text);

    for (size_t at = 0; at < length;) {
        at += put_character(out, text + at, length - at);
    }
}

static size_t step_back(const char *text, size_t at, size_t begin)
{
    at -= at > begin;
    while (at > begin && ((unsigned char)text[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

static size_t step_on(const char *text, size_t at, size_t end)
{
    at += at < end;
    while (at < end && ((unsigned char)text[at] & 0xc0) == 0x80) {
        at++;
    }
    return at;
}

/* Narrow a long line to the characters around the caret. */
static void narrow(const struct source *s, size_t at, size_t *begin, size_t *end)
{
    size_t from = at;
    size_t to = *begin;

    for (int i = 0; i < LINE_MAX_SHOWN; i++) {
        to = step_on(s->text, to, *end);
    }
    if (to == *end) {
        return;
    }
    for (int i = 0; i < LINE_MAX_SHOWN / 2; i++) {
        from = step_back(s->text, from, *begin);
    }
    to = from;
    for (int i = 0; i < LINE_MAX_SHOWN; i++) {
        to = step_on(s->text, to, *end);
    }
    *begin = from;
    *end = to;
}

/* The source line, and below it the caret, tildes and what to do. */
static void print_source(const struct source *s, const struct message *m,
                         const struct source_place *p, const struct colour *c, FILE *out)
{
    size_t begin = p->begin;
    size_t end = p->end;
    size_t at = m->at < end ? m->at : end;
    size_t stop = m->length < end - at ? at + m->length : end;

    narrow(s, at, &begin, &end);
    stop = stop < end ? stop : end;
    if (s->file) {
        (void)fprintf(out, "%5d | %s", p->line, begin > p->begin ? "..." : "");
    } else {
        (void)fprintf(out, "      | %s", begin > p->begin ? "..." : "");
    }
    for (size_t i = begin; i < end;) {
        i += put_character(out, s->text + i, end - i);
    }
    (void)fprintf(out, "%s\n      | %s", end < p->end ? "..." : "", begin > p->begin ? "   " : "");

    /* a tab stays a tab, so that the caret stands below its character whatever a tab means here */
    for (size_t i = begin; i < at; i = step_on(s->text, i, at)) {
        (void)fputc(s->text[i] == '\t' ? '\t' : ' ', out);
    }
    (void)fprintf(out, "%s^", c->caret);
    for (size_t i = step_on(s->text, at, stop); i < stop; i = step_on(s->text, i, stop)) {
        (void)fputc('~', out);
    }
    (void)fputs(c->off, out);
    if (m->hint[0] != '\0') {
        (void)fputs("   ", out);
        put_text(out, m->hint);
    }
    (void)fputc('\n', out);
}

void message_print(const struct message_list *list, FILE *out)
{
    const struct source *s = list->source;
    struct colour c = colour_for(out);

    for (int i = 0; i < list->count && i < MESSAGE_MAX; i++) {
        const struct message *m = &list->message[i];
        struct source_place p = source_place(s, m->at);

        (void)fputs(c.bold, out);
        put_text(out, s->name);
        if (s->file) {
            (void)fprintf(out, ":%d:%d", p.line, p.column);
        }
        (void)fprintf(out, ": %serror: %s", c.error, c.off);
        put_text(out, m->text);
        (void)fputc('\n', out);
        print_source(s, m, &p, &c, out);
    }
    if (list->count > MESSAGE_MAX) {
        message_say(out, s->name, "%d errors, the first %d are shown", list->count, MESSAGE_MAX);
    }
}

void message_say(FILE *out, const char *name, const char *format, ...)
{
    struct colour c = colour_for(out);
    char text[1024];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)fputs(c.bold, out);
    put_text(out, name);
    (void)fprintf(out, ": %serror: %s", c.error, c.off);
    put_text(out, text);
    (void)fputc('\n', out);
}

void message_quote(char out[static MESSAGE_FOUND_MAX], const char *text, size_t length)
{
    const size_t room =
        MESSAGE_FOUND_MAX - 6; /* two quotation marks, three points, the final zero */
    size_t n = length;

    if (length > room) {
        n = step_back(text, room + 1, 0);
    }
    out[0] = '"';
    for (size_t i = 0; i < n; i++) {
        out[1 + i] = (char)(text[i] == '\n' || text[i] == '\t' ? ' ' : text[i]);
    }
    (void)snprintf(out + 1 + n, MESSAGE_FOUND_MAX - 1 - n, "%s\"", n < length ? "..." : "");
}
