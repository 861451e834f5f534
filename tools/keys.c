/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys.c - freefall config keys | show FILE | explain KEY. */
#include "tools/keys.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/quantity.h"
#include "config/units.h"
#include "tools/json.h"
#include "tools/jsonschema.h"

static const struct command_option json_only[] = {
    {"--json", NULL, "one JSON document instead of text"},
    {NULL, NULL, NULL},
};

static const struct command_option keys_options[] = {
    {"--json", NULL, "a JSON Schema (draft 2020-12), for editors"},
    {NULL, NULL, NULL},
};

static const struct command_option show_options[] = {
    {"--json", NULL, "one JSON document instead of YAML"},
    {"--set", "KEY=VALUE", "change a value; may be given many times"},
    {NULL, NULL, NULL},
};

const struct command keys_commands[] = {
    {
        .name = "keys",
        .operands = "",
        .summary = "every key a configuration may contain",
        .example = "freefall config keys\n"
                   "freefall config keys --json > freefall.schema.json",
        .options = keys_options,
    },
    {
        .name = "show",
        .operands = "FILE",
        .summary = "check a file and print every value in force with its origin",
        .text =
            "The result is a complete configuration: it can be saved and read again, and gives\n"
            "the same values to the last bit.",
        .example = "freefall config show lab.yaml --set \"client.mass=7.8 t\"",
        .exits = "0   the configuration is complete and correct\n"
                 "2   wrong command line\n"
                 "3   the file or a --set is wrong; stderr says all that is",
        .options = show_options,
    },
    {
        .name = "explain",
        .operands = "KEY",
        .summary = "what a key means, its unit, range and default",
        .example = "freefall config explain client.mass",
        .options = json_only,
    },
    {.name = NULL},
};

/* ---- keys ---- */

static int print_keys(void)
{
    const struct schema_row *row = NULL;

    printf("%-24s %-14s %s\n", "KEY", "DEFAULT", "MEANING");
    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        const char *value = row->type == SCHEMA_LIST ? "[]"
                            : row->value[0] == '\0'  ? "\"\""
                                                     : row->value;

        printf("%-24s %-14s %s\n", row->key, row->need == SCHEMA_REQUIRED ? "(required)" : value,
               row->help);
    }
    printf("\nfreefall config explain KEY tells unit, range and an example\n");
    return COMMAND_PASS;
}

/* ---- explain ---- */

static const char *type_name(enum schema_type type)
{
    static const char *const names[] = {
        [SCHEMA_NUMBER] = "number", [SCHEMA_INERTIA] = "inertia", [SCHEMA_INTEGER] = "integer",
        [SCHEMA_CODE] = "code",     [SCHEMA_FLAG] = "flag",       [SCHEMA_WORD] = "word",
        [SCHEMA_NAME] = "name",     [SCHEMA_TEXT] = "text",       [SCHEMA_PATH] = "path",
        [SCHEMA_LIST] = "list",
    };
    return names[type];
}

/* Units the row accepts without naming them: " (also g)". */
static void print_other_units(const struct schema_row *row)
{
    const struct units_row *first = quantity_unit(row);
    const struct units_row *unit = NULL;
    int count = 0;

    for (int i = 0; first != NULL && (unit = units_at(i)) != NULL; i++) {
        const char *list = row->accepts;
        char word[SCHEMA_KEY_MAX];
        bool named = false;

        while (schema_word(&list, word)) {
            named = named || strcmp(word, unit->name) == 0;
        }
        if (strcmp(unit->si, first->si) == 0 && !named) {
            printf("%s%s", count == 0 ? " (also " : ", ", unit->name);
            count++;
        }
    }
    printf("%s\n", count > 0 ? ")" : "");
}

static void explain_row(const struct schema_row *row)
{
    char text[MESSAGE_PHRASE_MAX];
    bool quantity = row->type == SCHEMA_NUMBER || row->type == SCHEMA_INERTIA;

    printf("%s: %s\n", row->key, row->help);
    value_expected(text, row);
    printf("  value     %s", text);
    print_other_units(row);
    if (quantity) {
        quantity_range(text, row);
        printf("  range     %s%s\n", row->size > 1 ? "each number from " : "", text);
    }
    const char *value = row->type == SCHEMA_LIST ? "[]"
                        : row->value[0] == '\0'  ? "\"\""
                                                 : row->value;

    printf("  default   %s\n", row->need == SCHEMA_REQUIRED ? "none: the key is required" : value);
    schema_example(text, sizeof text, row, "");
    printf("  example   %s\n", text);
}

static int explain_section(const char *key)
{
    const struct schema_row *row = NULL;

    printf("%s: a section with the keys\n", key);
    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        if (schema_below(row, key)) {
            printf("  %-24s %s\n", row->key, row->help);
        }
    }
    return COMMAND_PASS;
}

static int explain_json(const struct schema_row *row)
{
    struct json j;
    char text[MESSAGE_PHRASE_MAX];
    const struct units_row *unit = quantity_unit(row);

    json_open(&j, stdout);
    json_object(&j, NULL);
    json_string(&j, "key", row->key);
    json_string(&j, "help", row->help);
    json_string(&j, "type", type_name(row->type));
    json_integer(&j, "size", row->size);
    json_bool(&j, "required", row->need == SCHEMA_REQUIRED);
    value_expected(text, row);
    json_string(&j, "expected", text);
    json_string(&j, "unit", unit != NULL ? unit->name : NULL);
    json_number(&j, "least", row->least);
    json_number(&j, "greatest", row->greatest);
    json_string(&j, row->need == SCHEMA_REQUIRED ? "example" : "default", row->value);
    json_end(&j);
    return json_close(&j) == 0 ? COMMAND_PASS : COMMAND_INTERNAL;
}

/* "bus.devices[2].vendor" is explained as "bus.devices[].vendor". */
static void without_item(char out[static SCHEMA_KEY_MAX], const char *key)
{
    size_t n = 0;

    for (const char *c = key; *c != '\0' && n + 1 < SCHEMA_KEY_MAX; c++) {
        if (n > 0 && out[n - 1] == '[') {
            c += strspn(c, "0123456789");
        }
        out[n++] = *c;
    }
    out[n] = '\0';
}

static int explain(const char *word, bool json)
{
    char key[SCHEMA_KEY_MAX];
    char near[SCHEMA_KEY_MAX];

    without_item(key, word);
    const struct schema_row *row = schema_row(schema_find(key));

    if (row != NULL && json) {
        return explain_json(row);
    }
    if (row != NULL) {
        explain_row(row);
        return COMMAND_PASS;
    }
    if (schema_section(key) && !json && key[0] != '\0') {
        return explain_section(key);
    }
    if (schema_nearest(key, near)) {
        return command_refuse("config", "unknown key \"%s\"; did you mean \"%s\"?", word, near);
    }
    return command_refuse("config", "unknown key \"%s\"; freefall config keys lists all", word);
}

/* ---- show ---- */

static void show_value(struct json *j, const struct schema_row *row, const struct value *v)
{
    bool quantity = row->type == SCHEMA_NUMBER || row->type == SCHEMA_INERTIA;

    if (quantity && row->size > 1) {
        json_array(j, "value");
        for (int i = 0; i < row->size; i++) {
            json_number(j, NULL, v->number[i]);
        }
        json_end(j);
    } else if (quantity) {
        json_number(j, "value", v->number[0]);
    } else if (row->type == SCHEMA_FLAG) {
        json_bool(j, "value", v->integer != 0);
    } else if (row->type == SCHEMA_INTEGER || row->type == SCHEMA_CODE ||
               row->type == SCHEMA_LIST) {
        json_integer(j, "value", v->integer);
    } else {
        json_string(j, "value", v->text);
    }
    if (quantity && quantity_unit(row) != NULL) {
        json_string(j, "unit", quantity_unit(row)->si);
    }
}

/* Every value in SI, by its key. */
static int show_json(const struct config *c)
{
    struct config_entry e = {.row = -1, .item = -1};
    char origin[CONFIG_ORIGIN_MAX];
    struct json j;

    json_open(&j, stdout);
    json_object(&j, NULL);
    json_string(&j, "file", c->store.file);
    json_object(&j, "values");
    while (config_next(c, &e)) {
        const struct schema_row *row = schema_row(e.row);
        const struct store_value *v = config_item(c, row->key, e.item);

        json_object(&j, e.key);
        show_value(&j, row, &v->value);
        config_origin(c, v, origin);
        json_string(&j, "origin", origin);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    return json_close(&j) == 0 ? COMMAND_PASS : COMMAND_INTERNAL;
}

/* The value of a --set at argv[*i], given as "--set=x" or as "--set x"; NULL when argv[*i] is
 * something else. */
static const char *assignment(int argc, char **argv, int *i)
{
    if (strncmp(argv[*i], "--set=", 6) == 0) {
        return argv[*i] + 6;
    }
    if (strcmp(argv[*i], "--set") == 0 && *i + 1 < argc) {
        (*i)++;
        return argv[*i];
    }
    return NULL;
}

/* Read the file, then every --set in its order; all messages, not only the first. */
static int load(struct config *c, const char *file, int argc, char **argv)
{
    int code = config_read(c, file, stderr) == 0 ? COMMAND_PASS : COMMAND_CONFIG;

    for (int i = 2; code == COMMAND_PASS && i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *set = assignment(argc, argv, &i);

        if (set != NULL && config_set(c, set, stderr) != 0) {
            code = COMMAND_CONFIG;
        }
    }
    return code;
}

static int show(const char *file, bool json, int argc, char **argv)
{
    struct config *c = malloc(sizeof *c);

    if (c == NULL) {
        fprintf(stderr, "freefall config: not enough memory\n");
        return COMMAND_INTERNAL;
    }
    int code = load(c, file, argc, argv);

    if (code == COMMAND_PASS && json) {
        code = show_json(c);
    } else if (code == COMMAND_PASS) {
        config_print(c, stdout, true);
    }
    free(c);
    return code;
}

/* ---- freefall config ---- */

int keys_main(int argc, char **argv)
{
    enum { WORDS_MAX = 64 };
    const char *values[2];
    char *words[WORDS_MAX + 1];
    bool is_show = argc > 1 && strcmp(argv[1], "show") == 0;
    bool is_keys = argc > 1 && strcmp(argv[1], "keys") == 0;
    int operands = is_keys ? 1 : 2;

    if (argc > WORDS_MAX) {
        return command_refuse("config", "expected at most %d words, found %d", WORDS_MAX, argc);
    }
    memcpy(words, argv,
           (size_t)argc * sizeof *words); /* command_parse() moves the operands to the front */
    words[argc] = NULL;
    int n = command_parse(is_show ? show_options : json_only, values, argc, words, operands);

    if (n < 0) {
        return COMMAND_USAGE;
    }
    if (n < operands) {
        return command_refuse("config", "%s",
                              is_keys   ? "expected keys, show or explain, found nothing"
                              : is_show ? "show: expected FILE, found nothing"
                                        : "explain: expected KEY, found nothing");
    }
    if (is_show) {
        return show(words[2], values[0] != NULL, argc, argv);
    }
    if (!is_keys) {
        return explain(words[2], values[0] != NULL);
    }
    if (values[0] == NULL) {
        return print_keys();
    }
    return jsonschema_print(stdout) == 0 ? COMMAND_PASS : COMMAND_INTERNAL;
}
