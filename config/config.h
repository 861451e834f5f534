/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config.h - a configuration: every key of the schema with its value, in SI, and where the value
 * came from.
 *
 *     lab.yaml --------> [config_read] --> values --> config_number(c, "client.mass")
 *     --set key=value -> [config_set]             --> config_print(): YAML that reads back as the same values
 *
 * Reading checks everything, says all that is wrong, and either gives a complete configuration or
 * none. Looking up cannot fail: a key that is not in the schema, or has another type there, is a
 * mistake in the program and ends it; tests/config.sh checks every look-up in the sources.
 */
#ifndef FREEFALL_CONFIG_H
#define FREEFALL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/schema.h"
#include "config/store.h"

#define CONFIG_ORIGIN_MAX (STORE_FILE_MAX + 16)

/* Owned by the caller; large (about 540 kB), so not for the stack. */
struct config {
    struct store store;
};

/* Read a file. 0, or -errno after saying on `messages` all that is wrong with it: -EINVAL for
 * its contents. */
int config_read(struct config *c, const char *path, FILE *messages);

/* Change one value of a configuration that was read: "client.mass=7.8 t",
 * "bus.devices[0].name=coupler". 0, or -EINVAL after saying why; the configuration is then
 * unchanged. */
int config_set(struct config *c, const char *assignment, FILE *messages);

/* Look up. Numbers are SI. */
double config_number(const struct config *c, const char *key);
void config_vector(const struct config *c, const char *key, int size, double *out);
int64_t config_integer(const struct config *c, const char *key);
bool config_flag(const struct config *c, const char *key);
const char *config_text(const struct config *c, const char *key);
int config_count(const struct config *c, const char *key); /* items of a list */

/* The value of a key of any type; of the given item, from 0, when the key has []. */
const struct store_value *config_item(const struct config *c, const char *key, int item);

/* One value in the order of printing: that of the schema, list items one after the other. */
struct config_entry {
    int row;
    int item;                  /* -1 for a key without [] */
    char key[SCHEMA_ITEM_MAX]; /* "bus.devices[0].vendor" */
};

/* Step to the next entry, from {.row = -1} to the first; false after the last. */
bool config_next(const struct config *c, struct config_entry *e);

/* Where a value came from: "default", "lab.yaml:14", "--set". */
void config_origin(const struct config *c, const struct store_value *v,
                   char out[static CONFIG_ORIGIN_MAX]);

/* Print all values as YAML, each with its origin as a comment if wanted. */
void config_print(const struct config *c, FILE *out, bool origins);

#endif
