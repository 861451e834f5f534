/* SPDX-License-Identifier: GPL-3.0-or-later */
/* errors.h - what is wrong with a file, collected with line numbers and printed once, in the
 * order of the lines.
 *
 *     arm.urdf:88: error: link "wrist": inertia without mass
 *
 * A reader goes on after an error, so that one run names all of them; the list is bounded and
 * counts the rest.
 */
#ifndef FREEFALL_ERRORS_H
#define FREEFALL_ERRORS_H

#include <stdio.h>

#define ERRORS_MAX      20
#define ERRORS_TEXT_MAX 256

struct errors_row {
    int line;                   /* from 1; 0 when the whole file is meant */
    char text[ERRORS_TEXT_MAX]; /* one line, cut at the end if it is too long */
};

struct errors {
    int count; /* of all errors, also those behind the first ERRORS_MAX */
    struct errors_row row[ERRORS_MAX];
};

void errors_init(struct errors *e);

/* Put an error in its place among the others. */
__attribute__((format(printf, 3, 4))) void errors_add(struct errors *e, int line,
                                                      const char *format, ...);

/* Print all of them, path as the user gave it. */
void errors_print(const struct errors *e, FILE *out, const char *path);

#endif
