/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_schema.c - the table of keys keeps its own rules, and finds what people meant. */
#include "config/schema.h"

#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/quantity.h"
#include "config/units.h"
#include "config/value.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_each_key_stands_once_and_is_found(void)
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(i, schema_find(row->key), row->key);
        TEST_ASSERT_TRUE_MESSAGE(strlen(row->key) < 64, row->key);
        TEST_ASSERT_EQUAL_size_t_MESSAGE(
            strlen(row->key), strspn(row->key, "abcdefghijklmnopqrstuvwxyz0123456789_.[]"),
            row->key);
        TEST_ASSERT_FALSE_MESSAGE(schema_section(row->key),
                                  "a key with a value has no keys below it");
    }
    TEST_ASSERT_EQUAL_INT(-1, schema_find("client"));
    TEST_ASSERT_EQUAL_INT(-1, schema_find(""));
    TEST_ASSERT_NULL(schema_row(-1));
}

/* Printing and listing walk the rows once; a section that comes twice would be printed twice. */
static void test_rows_of_a_section_stand_together(void)
{
    char before[SCHEMA_KEY_MAX] = "";
    char seen[2048] = " ";

    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        char name[SCHEMA_KEY_MAX];
        char mark[SCHEMA_KEY_MAX + 2];

        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(row->key, "."), row->key);
        (void)snprintf(mark, sizeof mark, " %s ", name);
        if (strcmp(name, before) != 0) {
            TEST_ASSERT_NULL_MESSAGE(strstr(seen, mark), row->key);
            (void)strncat(seen, mark + 1, sizeof seen - strlen(seen) - 1);
            (void)snprintf(before, sizeof before, "%s", name);
        }
    }
}

static void test_each_row_of_a_list_follows_the_list(void)
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        const struct schema_row *list = schema_list(row);

        if (strstr(row->key, "[]") == NULL) {
            TEST_ASSERT_NULL_MESSAGE(list, row->key);
            continue;
        }
        TEST_ASSERT_NOT_NULL_MESSAGE(list, row->key);
        TEST_ASSERT_EQUAL_INT(SCHEMA_LIST, list->type);
        TEST_ASSERT_TRUE_MESSAGE(
            schema_row(i - 1) == list || schema_list(schema_row(i - 1)) == list, row->key);
        TEST_ASSERT_NULL_MESSAGE(strstr(strstr(row->key, "[]") + 2, "[]"),
                                 "one list inside another");
    }
}

/* The default, or the example of a required key, must itself be a value of the row. */
static void test_each_default_and_example_is_a_value_of_its_row(void)
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        struct value v;
        struct message_fault fault = {.expected = ""};

        if (row->type == SCHEMA_LIST) {
            TEST_ASSERT_EQUAL_INT_MESSAGE(SCHEMA_OPTIONAL, row->need, row->key);
            TEST_ASSERT_EQUAL_STRING_MESSAGE("", row->value, row->key);
            continue;
        }
        TEST_ASSERT_TRUE_MESSAGE(value_read(&v, row, row->value, row->value[0] != '\0', &fault),
                                 row->key);
    }
}

static void test_each_row_is_well_formed(void)
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        const char *list = row->accepts;
        const struct units_row *first = quantity_unit(row);
        char word[SCHEMA_KEY_MAX];
        bool number = row->type == SCHEMA_NUMBER || row->type == SCHEMA_INERTIA;

        TEST_ASSERT_TRUE_MESSAGE(row->least <= row->greatest, row->key);
        TEST_ASSERT_TRUE_MESSAGE(row->size >= 1 && row->size <= (number ? SCHEMA_SIZE_MAX : 1),
                                 row->key);
        TEST_ASSERT_TRUE_MESSAGE(row->type != SCHEMA_INERTIA || row->size == 9, row->key);
        TEST_ASSERT_TRUE_MESSAGE(row->type != SCHEMA_TEXT || row->greatest < SCHEMA_TEXT_MAX,
                                 row->key);
        TEST_ASSERT_TRUE_MESSAGE(strlen(row->help) > 4 && strchr(row->help, '\n') == NULL,
                                 row->key);
        TEST_ASSERT_NOT_EQUAL_MESSAGE('.', row->help[strlen(row->help) - 1], row->key);
        while (schema_word(&list, word)) {
            if (number) {
                TEST_ASSERT_NOT_NULL_MESSAGE(units_find(word), word);
                TEST_ASSERT_EQUAL_STRING_MESSAGE(first->si, units_find(word)->si, row->key);
            } else {
                TEST_ASSERT_EQUAL_INT_MESSAGE(SCHEMA_WORD, row->type, row->key);
            }
        }
    }
}

/* The storage of a configuration is fixed: the largest file the schema allows must fit. */
static void test_all_values_fit_into_a_configuration(void)
{
    int slots = 0;

    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        slots += schema_list(row) != NULL ? (int)schema_list(row)->greatest : 1;
    }
    TEST_ASSERT_LESS_OR_EQUAL_INT(STORE_SLOTS_MAX, slots);
}

/* The names below a key, each with a blank behind it. */
static const char *children(const char *key, char *out, size_t size)
{
    char name[SCHEMA_KEY_MAX];
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; n < size && schema_child(key, &i, name);) {
        n += (size_t)snprintf(out + n, size - n, "%s ", name);
    }
    return out;
}

static void test_children_are_the_names_below_a_key(void)
{
    char out[512];

    TEST_ASSERT_EQUAL_STRING_LEN("interface devices ", children("bus", out, sizeof out), 18);
    TEST_ASSERT_NULL_MESSAGE(strstr(out + 18, "devices "),
                             "a list is one name, whatever its items have");
    TEST_ASSERT_EQUAL_STRING_LEN("name vendor product ", children("bus.devices[]", out, sizeof out),
                                 20);
    TEST_ASSERT_EQUAL_STRING("", children("client.mass", out, sizeof out));
    TEST_ASSERT_TRUE(schema_section(""));
    TEST_ASSERT_TRUE(schema_section("client"));
    TEST_ASSERT_FALSE(schema_section("clien"));
    TEST_ASSERT_FALSE(schema_section("client."));
}

static void test_similar_words_differ_by_slips_of_the_hand(void)
{
    static const struct {
        const char *word, *candidate;
        int slips;
    } near[] = {
        {"saftey", "safety", 1},    {"mas", "mass", 1},         {"masss", "mass", 1},
        {"nass", "mass", 1},        {"safety", "safety", 0},    {"tr", "rt", 1},
        {"seriver", "servicer", 2}, {"intertia", "inertia", 1},
    };
    int slips = 0;

    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
        TEST_ASSERT_TRUE_MESSAGE(schema_similar(near[i].word, near[i].candidate, &slips),
                                 near[i].word);
        TEST_ASSERT_EQUAL_INT_MESSAGE(near[i].slips, slips, near[i].word);
        TEST_ASSERT_TRUE_MESSAGE(schema_similar(near[i].candidate, near[i].word, &slips),
                                 "the same the other way");
        TEST_ASSERT_EQUAL_INT(near[i].slips, slips);
    }
    TEST_ASSERT_FALSE(schema_similar("colour", "mass", &slips));
    TEST_ASSERT_FALSE(schema_similar("mast", "base", &slips));
    TEST_ASSERT_FALSE(schema_similar("", "rt", &slips));
    TEST_ASSERT_FALSE(schema_similar("a", "b", &slips));
    TEST_ASSERT_FALSE(schema_similar(
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
        &slips));
}

static void near_is(const char *wanted, const char *key)
{
    char near[SCHEMA_KEY_MAX] = "";

    TEST_ASSERT_EQUAL_INT_MESSAGE(wanted != NULL, schema_nearest(key, near), key);
    if (wanted != NULL) {
        TEST_ASSERT_EQUAL_STRING(wanted, near);
    }
}

static void test_the_nearest_key_is_what_people_meant(void)
{
    near_is("safety", "saftey");
    near_is("client.mass", "client.maas");
    near_is("client.mass", "cleint.mass");
    near_is("client", "cleint");
    near_is("bus.devices[].vendor", "bus.devices[].vender");
    near_is("rt.priority", "rt.r_priority"); /* as near as rsi_priority, and first */
    near_is("rt.rsi_priority", "rt.rs_priority");
    near_is("client.mass", "mass");
    near_is("safety.force", "client.force");
    near_is(NULL, "client.colour");
    near_is(NULL, "xyzzy");
    near_is(NULL, "");
}

static void test_examples_are_lines_that_can_be_copied(void)
{
    char text[MESSAGE_PHRASE_MAX];

    schema_example(text, sizeof text, schema_row(schema_find("name")), "");
    TEST_ASSERT_EQUAL_STRING("name: envisat", text);
    schema_example(text, sizeof text, schema_row(schema_find("client.mass")), "");
    TEST_ASSERT_EQUAL_STRING("client: { mass: 7800 kg }", text);
    schema_example(text, sizeof text, schema_row(schema_find("client.mass")), "client");
    TEST_ASSERT_EQUAL_STRING("mass: 7800 kg", text);
    schema_example(text, sizeof text, schema_row(schema_find("bus.devices[].vendor")), "");
    TEST_ASSERT_EQUAL_STRING("bus: { devices: [{ vendor: 0x00000732 }] }", text);
    schema_example(text, sizeof text, schema_row(schema_find("bus.interface")), "bus");
    TEST_ASSERT_EQUAL_STRING("interface: \"\"", text);
}

static void test_choices_read_like_a_sentence(void)
{
    char text[40];

    schema_choice(text, sizeof text, "");
    TEST_ASSERT_EQUAL_STRING("", text);
    schema_choice(text, sizeof text, "kg");
    TEST_ASSERT_EQUAL_STRING("kg", text);
    schema_choice(text, sizeof text, "kg t");
    TEST_ASSERT_EQUAL_STRING("kg or t", text);
    schema_choice(text, sizeof text, "kg g t");
    TEST_ASSERT_EQUAL_STRING("kg, g or t", text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_each_key_stands_once_and_is_found);
    RUN_TEST(test_rows_of_a_section_stand_together);
    RUN_TEST(test_each_row_of_a_list_follows_the_list);
    RUN_TEST(test_each_default_and_example_is_a_value_of_its_row);
    RUN_TEST(test_each_row_is_well_formed);
    RUN_TEST(test_all_values_fit_into_a_configuration);
    RUN_TEST(test_children_are_the_names_below_a_key);
    RUN_TEST(test_similar_words_differ_by_slips_of_the_hand);
    RUN_TEST(test_the_nearest_key_is_what_people_meant);
    RUN_TEST(test_examples_are_lines_that_can_be_copied);
    RUN_TEST(test_choices_read_like_a_sentence);
    return UNITY_END();
}
