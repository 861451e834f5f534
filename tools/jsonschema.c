/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jsonschema.c - the schema of the configuration as JSON Schema.
 *
 * An editor sees "7.8 t" as a string, so a number with a unit becomes a pattern. A pattern cannot
 * say a range: that stands in the description, and freefall config show checks it.
 */
#include "tools/jsonschema.h"

#include <stdlib.h>
#include <string.h>

#include "config/quantity.h"
#include "config/schema.h"
#include "config/units.h"
#include "config/value.h"
#include "tools/json.h"

#define NUMBER      "[+-]?((0|[1-9][0-9]*)(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?"
#define PATTERN_MAX 512

/* Append a unit as an alternative of a pattern; signs that mean something there get a backslash. */
static size_t add_unit(char *out, size_t n, const char *unit)
{
    if (n > 0 && n + 1 < PATTERN_MAX) {
        out[n++] = '|';
    }
    for (const char *c = unit; *c != '\0' && n + 3 < PATTERN_MAX; c++) {
        if (strchr("^$.|?*+()[]{}\\", *c) != NULL) {
            out[n++] = '\\';
        }
        out[n++] = *c;
    }
    out[n] = '\0';
    return n;
}

/* Every unit of the row's quantity: "kg|g|t". */
static void unit_pattern(char out[static PATTERN_MAX], const struct schema_row *row)
{
    const struct units_row *first = quantity_unit(row);
    const struct units_row *unit = NULL;
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; first != NULL && (unit = units_at(i)) != NULL; i++) {
        if (strcmp(unit->si, first->si) == 0) {
            n = add_unit(out, n, unit->name);
        }
    }
}

static void quantity_property(struct json *j, const struct schema_row *row)
{
    char units[PATTERN_MAX];
    char more[PATTERN_MAX] = "";
    char pattern[3 * PATTERN_MAX];

    unit_pattern(units, row);
    if (row->size == 1 && units[0] == '\0') {
        json_string(j, "type", "number");
        json_number(j, "minimum", row->least);
        json_number(j, "maximum", row->greatest);
        return;
    }
    if (row->size > 1) {
        (void)snprintf(more, sizeof more, "( +%s){%d}", NUMBER, row->size - 1);
    }
    (void)snprintf(pattern, sizeof pattern, "^ *%s%s%s%s%s *$", NUMBER, more,
                   units[0] != '\0' ? " *(" : "", units, units[0] != '\0' ? ")" : "");
    json_string(j, "type", "string");
    json_string(j, "pattern", pattern);
}

/* A reader of YAML 1.2 sees 0x732 as an integer, others as a string. */
static void code_property(struct json *j, const struct schema_row *row)
{
    json_array(j, "type");
    json_string(j, NULL, "integer");
    json_string(j, NULL, "string");
    json_end(j);
    json_number(j, "minimum", row->least);
    json_number(j, "maximum", row->greatest);
    json_string(j, "pattern", "^0x[0-9A-Fa-f]{1,8}$");
}

static void word_property(struct json *j, const struct schema_row *row)
{
    const char *list = row->accepts;
    char word[SCHEMA_KEY_MAX];

    json_array(j, "enum");
    while (schema_word(&list, word)) {
        json_string(j, NULL, word);
    }
    json_end(j);
}

static void text_property(struct json *j, const struct schema_row *row)
{
    json_string(j, "type", "string");
    json_number(j, "minLength", row->least);
    json_number(j, "maxLength", row->greatest);
    if (row->type == SCHEMA_NAME) {
        json_string(j, "pattern", "^([A-Za-z0-9_][A-Za-z0-9._-]*)?$");
    }
}

/* The default or example as the editor will see it. */
static void property_value(struct json *j, const struct schema_row *row, const char *name)
{
    switch (row->type) {
    case SCHEMA_INTEGER:
        json_integer(j, name, strtoll(row->value, NULL, 10));
        break;
    case SCHEMA_CODE:
        json_integer(j, name, strtoll(row->value, NULL, 16));
        break;
    case SCHEMA_FLAG:
        json_bool(j, name, strcmp(row->value, "true") == 0);
        break;
    default:
        json_string(j, name, row->value);
        break;
    }
}

static void describe(struct json *j, const struct schema_row *row)
{
    char range[MESSAGE_PHRASE_MAX] = "";
    char text[2 * MESSAGE_PHRASE_MAX];

    if (row->type == SCHEMA_NUMBER) {
        quantity_range(range, row);
    }
    (void)snprintf(text, sizeof text, "%s%s%s", row->help, range[0] != '\0' ? "; " : "", range);
    json_string(j, "description", text);
}

static void property(struct json *j, const struct schema_row *row, const char *name)
{
    json_object(j, name);
    describe(j, row);
    switch (row->type) {
    case SCHEMA_NUMBER:
    case SCHEMA_INERTIA:
        quantity_property(j, row);
        break;
    case SCHEMA_INTEGER:
        json_string(j, "type", "integer");
        json_number(j, "minimum", row->least);
        json_number(j, "maximum", row->greatest);
        break;
    case SCHEMA_CODE:
        code_property(j, row);
        break;
    case SCHEMA_FLAG:
        json_string(j, "type", "boolean");
        break;
    case SCHEMA_WORD:
        word_property(j, row);
        break;
    default:
        text_property(j, row);
        break;
    }
    if (row->need == SCHEMA_OPTIONAL) {
        property_value(j, row, "default");
    } else {
        json_array(j, "examples");
        property_value(j, row, NULL);
        json_end(j);
    }
    json_end(j);
}

/* Must a key stand in its section: because it is required, or because a key below it is? */
static bool required(const char *key)
{
    const struct schema_row *row = NULL;
    size_t n = strlen(key);

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        bool here = strcmp(row->key, key) == 0 || schema_below(row, key);

        if (here && row->need == SCHEMA_REQUIRED && strstr(row->key + n, "[]") == NULL) {
            return true;
        }
    }
    return false;
}

static void join(char key[static SCHEMA_KEY_MAX], const char *prefix, const char *name)
{
    int n = snprintf(key, SCHEMA_KEY_MAX, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", name);

    key[n < 0 ? 0 : SCHEMA_KEY_MAX - 1] = '\0';
}

static void section(struct json *j, const char *prefix);

/* One key below a prefix: a value, a list or a section. */
static void child(struct json *j, const char *key, const char *name)
{
    const struct schema_row *row = schema_row(schema_find(key));
    char items[SCHEMA_KEY_MAX];

    if (row != NULL && row->type != SCHEMA_LIST) {
        property(j, row, name);
        return;
    }
    json_object(j, name);
    if (row != NULL) {
        (void)snprintf(items, sizeof items, "%s[]", row->key);
        json_string(j, "type", "array");
        json_string(j, "description", row->help);
        json_number(j, "minItems", row->least);
        json_number(j, "maxItems", row->greatest);
        json_object(j, "items");
        section(j, items);
        json_end(j);
    } else {
        section(j, key);
    }
    json_end(j);
}

/* The members of an object schema. */
static void section(struct json *j, const char *prefix)
{
    char name[SCHEMA_KEY_MAX];
    char key[SCHEMA_KEY_MAX];

    json_string(j, "type", "object");
    json_bool(j, "additionalProperties", false);
    json_array(j, "required");
    for (int i = 0; schema_child(prefix, &i, name);) {
        join(key, prefix, name);
        if (required(key)) {
            json_string(j, NULL, name);
        }
    }
    json_end(j);
    json_object(j, "properties");
    for (int i = 0; schema_child(prefix, &i, name);) {
        join(key, prefix, name);
        child(j, key, name);
    }
    json_end(j);
}

int jsonschema_print(FILE *out)
{
    struct json j;

    json_open(&j, out);
    json_object(&j, NULL);
    json_string(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_string(&j, "title", "freefall configuration");
    section(&j, "");
    json_end(&j);
    return json_close(&j);
}
