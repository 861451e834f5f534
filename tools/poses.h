/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poses.h - tables of numbers in text: measured poses, and times.
 *
 * The first line names the columns, in any order; a column more than needed is left alone. An empty field is NaN.
 */
#ifndef FREEFALL_POSES_H
#define FREEFALL_POSES_H

#include <stdbool.h>
#include <stdio.h>

#define POSES_COLUMNS 32
#define POSES_LINE    4096

struct poses {
    FILE *file;
    const char *path;
    const char *const *name;  /* of the columns wanted, NULL after the last */
    int place[POSES_COLUMNS]; /* where the wanted column stands in the file */
    int wanted;
    int columns; /* of the file */
    int line;
};

/* Open and read the line of names. 0, or -errno after saying on stderr what is wrong. */
int poses_open(struct poses *p, const char *path, const char *const *name);

/* The next line: value[i] of name[i]. 1, 0 at the end, or -EINVAL after saying what is wrong. */
int poses_next(struct poses *p, double *value);

void poses_close(struct poses *p);

#endif
