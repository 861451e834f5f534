/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.h - every key a configuration file may contain, one row each.
 *
 * A key is the path to a value, "client.mass" for
 *
 *     client:
 *       mass: 7.8 t
 *
 * A key of a list item has [] behind the list: "bus.devices[].vendor". Reading, checking, messages,
 * help and the JSON schema for editors all come from the row: adding a key is adding one line to
 * the table in schema.c.
 */
#ifndef FREEFALL_SCHEMA_H
#define FREEFALL_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#define SCHEMA_KEY_MAX  96                    /* characters of a key, with the final zero */
#define SCHEMA_ITEM_MAX (SCHEMA_KEY_MAX + 16) /* and of one with the number of its item */
#define SCHEMA_SIZE_MAX 9                     /* numbers in one value */
#define SCHEMA_TEXT_MAX 256

enum schema_type {
    SCHEMA_NUMBER,  /* `size` decimal numbers and one unit: "7.8 t", "0 -2.5 0 deg/s" */
    SCHEMA_INERTIA, /* nine numbers and one unit, row by row: the inertia matrix of a rigid body */
    SCHEMA_INTEGER, /* a whole number */
    SCHEMA_CODE,    /* an identifier in hexadecimal, as device makers print them: 0x00000732 */
    SCHEMA_FLAG,    /* true or false */
    SCHEMA_WORD,    /* one of the words in `accepts` */
    SCHEMA_NAME,    /* letters, digits, ".", "_" and "-": safe in file names and messages */
    SCHEMA_TEXT,    /* any text */
    SCHEMA_PATH,    /* name of a file or folder */
    SCHEMA_LIST,    /* a list whose items have the keys of the rows "key[]...." that follow */
};

enum schema_need { SCHEMA_OPTIONAL, SCHEMA_REQUIRED };

struct schema_row {
    const char *key;
    enum schema_type type;
    enum schema_need need;
    int size; /* how many numbers; 1 for everything that is not a vector */
    const char
        *accepts; /* units worth naming, the first is the one printed; or the words; "" for none */
    const char *value; /* the default as it would stand in the file; an example when required */
    double
        least; /* each number, in the first unit; of a text its characters, of a list its items */
    double greatest;
    const char *help; /* one line */
};

/* The rows in order; NULL after the last. Rows of one section stand together. */
const struct schema_row *schema_row(int index);

/* Index of the row of a key, or -1. */
int schema_find(const char *key);

/* The row of the list a row lies in: that of "bus.devices" for "bus.devices[].vendor"; NULL for
 * others. */
const struct schema_row *schema_list(const struct schema_row *row);

/* Does the row lie below this prefix ("client", "bus.devices[]")? Everything lies below "". */
bool schema_below(const struct schema_row *row, const char *prefix);

/* Is there a row below this prefix? */
bool schema_section(const char *prefix);

/* The names that may stand directly below a prefix, one per call: `index` starts at 0 and is
 * moved on; false after the last. */
bool schema_child(const char *prefix, int *index, char name[static SCHEMA_KEY_MAX]);

/* The key or section someone meant who wrote `key`: a similar name at the same place, otherwise
 * the same name elsewhere. False when nothing is near. */
bool schema_nearest(const char *key, char nearest[static SCHEMA_KEY_MAX]);

/* A key with the number of its item: "bus.devices[].vendor", 2 -> "bus.devices[2].vendor". */
void schema_item(char out[static SCHEMA_ITEM_MAX], const char *key, int item);

/* A line of YAML that sets the row to its default or example, as it stands below `prefix`:
 * "client: { mass: 7800 kg }" below "", "mass: 7800 kg" below "client". The row must lie below
 * it. */
void schema_example(char *out, size_t size, const struct schema_row *row, const char *prefix);

/* Could `word` be a slip of the hand for `candidate`? At most one letter in three changed,
 * added, dropped or swapped with its neighbour. `distance` gets the number of slips. */
bool schema_similar(const char *word, const char *candidate, int *distance);

/* The words of an `accepts` list, one per call: `list` is moved on; false after the last. */
bool schema_word(const char **list, char word[static SCHEMA_KEY_MAX]);

/* An `accepts` list as a phrase: "kg or t". */
void schema_choice(char *out, size_t size, const char *list);

#endif
