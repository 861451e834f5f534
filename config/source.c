/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.c - the text a configuration is read from, and where in it a byte stands. */
#include "config/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a file must be, before a byte of it is read: nothing here may wait for a device or a
 * writer. */
static int check_kind(const struct stat *st, char *why)
{
    if (S_ISDIR(st->st_mode)) {
        (void)snprintf(why, SOURCE_WHY_MAX,
                       "expected a configuration file, found a folder; name a file inside it");
        return -EISDIR;
    }
    if (!S_ISREG(st->st_mode)) {
        (void)snprintf(why, SOURCE_WHY_MAX,
                       "expected a regular file, found a device or pipe; save it as a file first");
        return -EINVAL;
    }
    if (st->st_size > SOURCE_BYTES_MAX) {
        (void)snprintf(why, SOURCE_WHY_MAX,
                       "expected at most 1 MiB (%d B), found %lld B; is it a configuration file?",
                       SOURCE_BYTES_MAX, (long long)st->st_size);
        return -EFBIG;
    }
    return 0;
}

/* At most size bytes; a file that grew since it was measured is cut there, one that shrank ends
 * earlier. */
static ssize_t read_all(int fd, char *buffer, size_t size)
{
    size_t have = 0;
    ssize_t n = 1;

    while (have < size && n != 0) {
        n = read(fd, buffer + have, size - have);
        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        have += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)have;
}

int source_open(struct source *s, const char *path, char why[static SOURCE_WHY_MAX])
{
    struct stat st;
    char *text = NULL;
    ssize_t n = 0;
    int error = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0 || fstat(fd, &st) != 0) {
        error = -errno;
        (void)snprintf(
            why, SOURCE_WHY_MAX,
            "expected a configuration file, found none that can be read: %s; %s", strerror(-error),
            error == -EACCES ? "check its permissions" : "check the name and the folder");
        goto out;
    }
    error = check_kind(&st, why);
    if (error != 0) {
        goto out;
    }
    text = malloc((size_t)st.st_size + 1);
    n = text != NULL ? read_all(fd, text, (size_t)st.st_size) : -ENOMEM;
    if (n < 0) {
        error = (int)n;
        (void)snprintf(why, SOURCE_WHY_MAX,
                       "expected a configuration file, found one that cannot be read: %s",
                       strerror(-error));
        free(text);
        goto out;
    }
    text[n] = '\0';
    *s = (struct source){
        .name = path, .text = text, .length = (size_t)n, .file = true, .memory = text};
out:
    if (fd >= 0) {
        (void)close(fd);
    }
    return error;
}

void source_close(struct source *s)
{
    free(s->memory);
    *s = (struct source){0};
}

size_t source_character(const char *text, size_t length, unsigned long *code)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *t = (const unsigned char *)text;
    size_t n = t[0] < 0x80 ? 1 : t[0] >= 0xf0 ? 4 : t[0] >= 0xe0 ? 3 : t[0] >= 0xc2 ? 2 : 0;

    if (n == 0 || n > length || t[0] > 0xf4) {
        return 0;
    }
    *code = n == 1 ? t[0] : t[0] & (0x7fUL >> n);
    for (size_t i = 1; i < n; i++) {
        if ((t[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (t[i] & 0x3fUL);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;

    return *code < least[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

size_t source_unclean(const char *text, size_t length, char what[static SOURCE_WHY_MAX])
{
    size_t at = 0;

    while (at < length) {
        unsigned long code = 0;
        size_t n = source_character(text + at, length - at, &code);

        if (n == 0) {
            (void)snprintf(what, SOURCE_WHY_MAX, "the byte 0x%02x, which is not UTF-8",
                           (unsigned)(unsigned char)text[at]);
            return at;
        }
        if (code == 0x7f || (code >= 0x80 && code < 0xa0) ||
            (code < 0x20 && code != '\t' && code != '\n' && code != '\r')) {
            (void)snprintf(what, SOURCE_WHY_MAX, "the control character U+%04lX", code);
            return at;
        }
        at += n;
    }
    return length;
}

/* A line ends with LF, CR LF or CR, as in YAML. */
static bool ends_line(const struct source *s, size_t at)
{
    return s->text[at] == '\n' || (s->text[at] == '\r' && s->text[at + 1] != '\n');
}

struct source_place source_place(const struct source *s, size_t offset)
{
    struct source_place p = {.line = 1, .column = 1};
    size_t stop = offset < s->length ? offset : s->length;

    for (size_t at = 0; at < stop; at++) {
        if (ends_line(s, at)) {
            p.line++;
            p.begin = at + 1;
        }
    }
    p.end = p.begin + strcspn(s->text + p.begin, "\r\n");
    for (size_t at = p.begin; at < stop; at++) {
        p.column += ((unsigned char)s->text[at] & 0xc0) != 0x80;
    }
    return p;
}

size_t source_offset(const struct source *s, int line, int column)
{
    size_t at = 0;

    for (int l = 1; at < s->length && l < line; at++) {
        l += ends_line(s, at);
    }
    for (int c = 1; at < s->length && c < column; at++) {
        c += ((unsigned char)s->text[at + 1] & 0xc0) != 0x80;
    }
    return at;
}
