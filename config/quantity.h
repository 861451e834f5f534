/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quantity.h - physical values of a schema row: "7.8 t", "0 -2.5 0 deg/s" -> checked SI numbers,
 * and back.
 *
 * A vector is written as its numbers with blanks between them and one unit behind the last; the
 * inertia matrix of a body likewise, row by row, on one line or three.
 */
#ifndef FREEFALL_QUANTITY_H
#define FREEFALL_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "config/message.h"
#include "config/schema.h"

#define QUANTITY_PRINT_MAX 320 /* characters of a printed value, with the final zero */

/* Read row->size numbers and the unit. False with the fault filled. */
bool quantity_read(double si[static SCHEMA_SIZE_MAX], const struct schema_row *row,
                   const char *text, struct message_fault *fault);

/* What the row wants: "a number with unit kg or t". */
void quantity_expected(char out[static MESSAGE_PHRASE_MAX], const struct schema_row *row);

/* Its range: "10 kg to 1000000 kg". */
void quantity_range(char out[static MESSAGE_PHRASE_MAX], const struct schema_row *row);

/* The unit the row's bounds are in and its values are printed in; NULL for a number without
 * unit. */
const struct units_row *quantity_unit(const struct schema_row *row);

/* Text that quantity_read() turns into the same numbers, bit for bit. */
void quantity_print(char out[static QUANTITY_PRINT_MAX], const struct schema_row *row,
                    const double si[static SCHEMA_SIZE_MAX]);

#endif
