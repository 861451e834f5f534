/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.h - the text a configuration is read from, and where in it a byte stands.
 *
 * The text is either a file, checked to be a small regular file of clean UTF-8 before anything
 * looks at it, or one argument of the command line.
 */
#ifndef FREEFALL_SOURCE_H
#define FREEFALL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#define SOURCE_BYTES_MAX 1048576 /* 1 MiB */
#define SOURCE_WHY_MAX   200     /* characters of a reason, with the final zero */

struct source {
    const char *name; /* as the user wrote it */
    const char *text; /* length bytes and a final zero */
    size_t length;
    bool file;    /* a file has line numbers, an argument has none */
    char *memory; /* what source_close() frees */
};

struct source_place {
    int line;     /* from 1 */
    int column;   /* from 1, in characters */
    size_t begin; /* offset of the first byte of the line */
    size_t end;   /* offset behind its last byte */
};

/* Read a whole file; 0, or -errno with a sentence that says what was expected, what was found
 * and what to do. */
int source_open(struct source *s, const char *path, char why[static SOURCE_WHY_MAX]);
void source_close(struct source *s);

/* Find the first byte that has no place in a text: a zero, an invalid UTF-8 sequence, a control
 * character. Its offset, or `length` when the text is clean; `what` gets a phrase that names it. */
size_t source_unclean(const char *text, size_t length, char what[static SOURCE_WHY_MAX]);

struct source_place source_place(const struct source *s, size_t offset);

/* The offset of a line and column, each from 1; the end of the text when there is no such place. */
size_t source_offset(const struct source *s, int line, int column);

/* Bytes of the character that begins here: 1 to 4, or 0 for an invalid sequence; `code` gets its
 * code point. */
size_t source_character(const char *text, size_t length, unsigned long *code);

#endif
