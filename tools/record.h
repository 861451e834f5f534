/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.h - what a simulated cycle leaves behind, and the file it is kept in.
 *
 * One file of a run folder, cycles.bin: the names of the columns as one line of text, as a CSV file begins, then one
 * row of little-endian doubles for each recorded cycle. It reads without knowing this program. The columns:
 *
 *     t_s, mode, phase              as the controller has them; mode is the number of its name in rt/safety.h
 *     nominal_*, energy_observer    of the controller
 *     everything else               as the controller believes, true_ in the lab as it is, reference_ in the orbit run
 *
 * Poses are x y z qx qy qz qw.
 */
#ifndef FREEFALL_RECORD_H
#define FREEFALL_RECORD_H

#include "tools/loop.h"

#define RECORD_FILE    "cycles.bin"
#define RECORD_COLUMNS 512   /* at most */
#define RECORD_LINE    16384 /* bytes of the line of names at most, with its end */

struct record {
    FILE *file;
    int joints;
    int columns;
};

/* Make the file in the folder and write the names. 0 or -errno. */
int record_open(struct record *r, const char *folder, int joints);

/* Keep the present instant of the loop. 0 or -EIO. */
int record_write(struct record *r, struct loop *l);

/* 0, or -EIO when something could not be written. */
int record_close(struct record *r);

/* Open for reading: the line of names, without its end, into `names`; the columns are counted. 0, or -errno; -EINVAL:
 * not such a file. */
int record_read_open(struct record *r, const char *folder, char names[static RECORD_LINE]);

/* The next row into row[RECORD_COLUMNS]. 1, or 0 at the end, or -EIO for a row that is cut off. */
int record_read(struct record *r, double *row);

#endif
