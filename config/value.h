/* SPDX-License-Identifier: GPL-3.0-or-later */
/* value.h - one value: from its text, checked against its schema row, and back.
 *
 *     "7.8 t", row of client.mass --> [value] --> 7800.0, or what is wrong with the text and what to do
 */
#ifndef FREEFALL_VALUE_H
#define FREEFALL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/message.h"
#include "config/schema.h"

#define VALUE_PRINT_MAX 640 /* characters of a printed value, with the final zero */

/* One checked value; which member counts follows from the type of its row. */
struct value {
    double number[SCHEMA_SIZE_MAX]; /* SCHEMA_NUMBER, SCHEMA_INERTIA: SI */
    int64_t integer; /* SCHEMA_INTEGER, SCHEMA_CODE; SCHEMA_FLAG: 0 or 1; SCHEMA_LIST: items */
    char text[SCHEMA_TEXT_MAX]; /* SCHEMA_WORD, SCHEMA_NAME, SCHEMA_TEXT, SCHEMA_PATH */
};

/* Read a text as the row wants it. `plain`: it stood without quotation marks, so that true is a
 * truth value and 5 a number. False with the fault filled; the value is then unchanged. Lists
 * are read by their items, not here. */
bool value_read(struct value *v, const struct schema_row *row, const char *text, bool plain,
                struct message_fault *fault);

/* What a row wants, as a phrase: "a number with unit kg or t". */
void value_expected(char out[static MESSAGE_PHRASE_MAX], const struct schema_row *row);

/* The value as it would stand in a YAML file: value_read() gives the same value, bit for bit. */
void value_print(char out[static VALUE_PRINT_MAX], const struct schema_row *row,
                 const struct value *v);

#endif
