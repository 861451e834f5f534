/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.h - the recorded cycles of a run as one table: columns, rows, and the files it is written to. */
#ifndef FREEFALL_TABLE_H
#define FREEFALL_TABLE_H

#include <stdio.h>

#include "tools/recording.h"

#define TABLE_GROUPS 64 /* fields of all records at most */

/* One field: `width` columns beside each other. */
struct table_group {
    char name[48];
    enum record_kind kind;
    const struct record_field *field;
    int width, first; /* columns */
};

struct table {
    struct table_group group[TABLE_GROUPS];
    int groups, columns;
    double *value; /* rows one after the other */
    size_t rows, room;
};

/* Columns for records with this many joints; with what only a simulated lab knows, or without. */
void table_init(struct table *t, int joints, bool simulated);

/* The row of the last records. */
void table_row(const struct table *t, const struct recording *r, double *row);

/* Add it to those in memory. 0 or -ENOMEM. */
int table_add(struct table *t, const struct recording *r);
void table_free(struct table *t);

/* One line of text. 0 or -EIO. */
int table_csv_names(const struct table *t, FILE *out);
int table_csv_row(const struct table *t, const double *row, FILE *out);

/* All rows to a file, one array of rows x width by the name of each field. 0, -EIO, or -ENOSYS when freefall was built
 * without the library. These two are in freefall-tables.so, beside the program or in its lib folder, and are loaded for
 * the time of the call: what they need has no place in the process that runs robots. */
int table_hdf5(const struct table *t, const char *path);
int table_mat(const struct table *t, const char *path);

/* Call one of them by its name. -ENOENT after a message when the file is not there. */
int table_save(const struct table *t, const char *function, const char *path);

#endif
