/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_json.c - what the JSON writer writes is JSON, and reads back as what was meant. */
#include "tools/json.h"

#include <errno.h>
#include <iconv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

struct text {
    char *bytes;
    size_t size;
    FILE *out;
    struct json json;
};

static struct text text;

void setUp(void)
{
    text.bytes = NULL;
    text.out = open_memstream(&text.bytes, &text.size);
    json_open(&text.json, text.out);
}

void tearDown(void)
{
    fclose(text.out);
    free(text.bytes);
}

/* Begin anew, for tests that write many documents. */
static void again(void)
{
    tearDown();
    setUp();
}

static void test_document_nests_objects_and_arrays(void)
{
    struct json *j = &text.json;

    json_object(j, NULL);
    json_string(j, "name", "client");
    json_array(j, "place");
    json_number(j, NULL, 0.1);
    json_number(j, NULL, -2.0);
    json_integer(j, NULL, 3);
    json_end(j);
    json_array(j, "bodies");
    json_object(j, NULL);
    json_bool(j, "free", true);
    json_end(j);
    json_object(j, NULL);
    json_bool(j, "free", false);
    json_end(j);
    json_end(j);
    json_array(j, "empty");
    json_end(j);
    json_object(j, "none");
    json_end(j);
    json_null(j, "nothing");
    json_end(j);
    TEST_ASSERT_EQUAL_INT(0, json_close(j));
    TEST_ASSERT_EQUAL_STRING("{\n"
                             "  \"name\": \"client\",\n"
                             "  \"place\": [0.1, -2, 3],\n"
                             "  \"bodies\": [\n"
                             "    {\n"
                             "      \"free\": true\n"
                             "    },\n"
                             "    {\n"
                             "      \"free\": false\n"
                             "    }\n"
                             "  ],\n"
                             "  \"empty\": [],\n"
                             "  \"none\": {},\n"
                             "  \"nothing\": null\n"
                             "}\n",
                             text.bytes);
}

/* The document for one string, without the quotes around it and the line end. */
static const char *written(const char *value)
{
    again();
    json_string(&text.json, NULL, value);
    TEST_ASSERT_EQUAL_INT(0, json_close(&text.json));
    TEST_ASSERT_GREATER_OR_EQUAL(3, text.size);
    TEST_ASSERT_EQUAL_CHAR('"', text.bytes[0]);
    TEST_ASSERT_EQUAL_STRING("\"\n", text.bytes + text.size - 2);
    text.bytes[text.size - 2] = '\0';
    return text.bytes + 1;
}

/* RFC 8259 section 7: what must be escaped, and the short forms. */
static void test_strings_are_escaped(void)
{
    TEST_ASSERT_EQUAL_STRING("", written(""));
    TEST_ASSERT_EQUAL_STRING("a\\\"b\\\\c/d", written("a\"b\\c/d"));
    TEST_ASSERT_EQUAL_STRING("\\b\\t\\n\\u000b\\f\\r", written("\b\t\n\v\f\r"));
    TEST_ASSERT_EQUAL_STRING("\\u0001\\u001f\x7f", written("\x01\x1f\x7f"));
    TEST_ASSERT_EQUAL_STRING("\xC2\xB5s \xE2\x82\xAC \xF0\x9F\x9B\xB0", /* micro, euro, satellite */
                             written("\xC2\xB5s \xE2\x82\xAC \xF0\x9F\x9B\xB0"));
}

/* Unicode 15, table 3-7: each byte of what is no character becomes U+FFFD. */
static void test_wrong_bytes_are_replaced(void)
{
#define BAD "\xEF\xBF\xBD"
    TEST_ASSERT_EQUAL_STRING("a" BAD "b", written("a\x80"
                                                  "b"));
    TEST_ASSERT_EQUAL_STRING(BAD, written("\xC2"));                 /* cut */
    TEST_ASSERT_EQUAL_STRING(BAD BAD, written("\xE2\x82"));         /* cut */
    TEST_ASSERT_EQUAL_STRING(BAD BAD BAD, written("\xF0\x9F\x9B")); /* cut */
    TEST_ASSERT_EQUAL_STRING(BAD BAD, written("\xC0\x80"));         /* overlong 0 */
    TEST_ASSERT_EQUAL_STRING(BAD BAD BAD, written("\xE0\x9F\xBF")); /* overlong */
    TEST_ASSERT_EQUAL_STRING(BAD BAD BAD BAD, written("\xF0\x8F\xBF\xBF"));
    TEST_ASSERT_EQUAL_STRING(BAD BAD BAD, written("\xED\xA0\x80"));         /* surrogate */
    TEST_ASSERT_EQUAL_STRING(BAD BAD BAD BAD, written("\xF4\x90\x80\x80")); /* above U+10FFFF */
    TEST_ASSERT_EQUAL_STRING(BAD BAD BAD BAD, written("\xF5\x80\x80\x80"));
    TEST_ASSERT_EQUAL_STRING(BAD, written("\xFF"));
    TEST_ASSERT_EQUAL_STRING("\xED\x9F\xBF \xEE\x80\x80 \xF4\x8F\xBF\xBF",
                             written("\xED\x9F\xBF \xEE\x80\x80 \xF4\x8F\xBF\xBF"));
}

/* The C library's converter as the judge: does it take the bytes as UTF-8? */
static bool is_utf8(iconv_t converter, char *bytes)
{
    char wide[256];
    char *out = wide;
    size_t in_left = strlen(bytes);
    size_t out_left = sizeof wide;

    iconv(converter, NULL, NULL, NULL, NULL);
    return iconv(converter, &bytes, &in_left, &out, &out_left) != (size_t)-1 && in_left == 0;
}

/* Any bytes give UTF-8, and what is UTF-8 stays as it is. Random, but heavy on lead and trail bytes. */
static void test_output_is_utf8_for_any_bytes(void)
{
    iconv_t converter = iconv_open("UTF-32LE", "UTF-8");
    unsigned noise = 12345;
    int kept = 0;

    TEST_ASSERT_TRUE((intptr_t)converter != -1);
    for (int i = 0; i < 30000; i++) {
        char in[8];
        char copy[64];
        int n = 1 + i % 5;

        for (int k = 0; k < n; k++) {
            noise = noise * 1664525u + 1013904223u;
            in[k] =
                (char)((noise >> 30) == 0 ? 'a' + (noise >> 24) % 26 : 0x80 | (noise >> 23 & 0x7F));
        }
        in[n] = '\0';
        snprintf(copy, sizeof copy, "%s", written(in));
        TEST_ASSERT_TRUE(is_utf8(converter, copy));
        if (is_utf8(converter, in)) {
            TEST_ASSERT_EQUAL_STRING(in, copy);
            kept++;
        }
    }
    iconv_close(converter);
    TEST_ASSERT_GREATER_THAN(1000, kept); /* the property was not met by replacing everything */
}

static const char *number(double value)
{
    again();
    json_number(&text.json, NULL, value);
    TEST_ASSERT_EQUAL_INT(0, json_close(&text.json));
    text.bytes[text.size - 1] = '\0';
    return text.bytes;
}

static void test_numbers_have_the_fewest_digits(void)
{
    TEST_ASSERT_EQUAL_STRING("0", number(0.0));
    TEST_ASSERT_EQUAL_STRING("-0", number(-0.0));
    TEST_ASSERT_EQUAL_STRING("0.1", number(0.1));
    TEST_ASSERT_EQUAL_STRING("0.30000000000000004", number(0.1 + 0.2));
    TEST_ASSERT_EQUAL_STRING("7800", number(7800.0));
    TEST_ASSERT_EQUAL_STRING("-120000000000000", number(-1.2e14));
    TEST_ASSERT_EQUAL_STRING("1e+15", number(1e15));
    TEST_ASSERT_EQUAL_STRING("1e+21", number(1e21));
    TEST_ASSERT_EQUAL_STRING("5e-324", number(4.9406564584124654e-324));
    TEST_ASSERT_EQUAL_STRING("1.7976931348623157e+308", number(1.7976931348623157e308));
}

static void test_numbers_without_a_form_in_json_are_null(void)
{
    TEST_ASSERT_EQUAL_STRING("null", number((double)NAN));
    TEST_ASSERT_EQUAL_STRING("null", number((double)INFINITY));
    TEST_ASSERT_EQUAL_STRING("null", number(-(double)INFINITY));
}

/* Every bit pattern that is a number reads back as itself. */
static void test_numbers_read_back_bit_by_bit(void)
{
    uint64_t bits = 88172645463325252u;

    for (int i = 0; i < 20000; i++) {
        double value;
        double back;

        bits ^= bits << 13; /* xorshift, Marsaglia 2003 */
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        back = strtod(number(value), NULL);
        TEST_ASSERT_EQUAL_MEMORY(&value, &back, sizeof value);
    }
}

static void test_integers_keep_all_digits(void)
{
    json_array(&text.json, NULL);
    json_integer(&text.json, NULL, INT64_MIN);
    json_integer(&text.json, NULL, INT64_MAX);
    json_end(&text.json);
    TEST_ASSERT_EQUAL_INT(0, json_close(&text.json));
    TEST_ASSERT_EQUAL_STRING("[-9223372036854775808, 9223372036854775807]\n", text.bytes);
}

static void test_absent_text_is_null(void)
{
    json_string(&text.json, NULL, NULL);
    TEST_ASSERT_EQUAL_INT(0, json_close(&text.json));
    TEST_ASSERT_EQUAL_STRING("null\n", text.bytes);
}

static void test_an_object_refuses_a_value_without_name(void)
{
    json_object(&text.json, NULL);
    json_integer(&text.json, NULL, 1);
    json_end(&text.json);
    TEST_ASSERT_EQUAL_INT(-EINVAL, json_close(&text.json));
}

static void test_an_array_refuses_a_name(void)
{
    json_array(&text.json, NULL);
    json_integer(&text.json, "one", 1);
    json_end(&text.json);
    TEST_ASSERT_EQUAL_INT(-EINVAL, json_close(&text.json));
}

static void test_a_document_is_one_value(void)
{
    TEST_ASSERT_EQUAL_INT(-EINVAL, json_close(&text.json)); /* none */
    again();
    json_bool(&text.json, NULL, true);
    json_bool(&text.json, NULL, true);
    TEST_ASSERT_EQUAL_INT(-EINVAL, json_close(&text.json)); /* two */
    again();
    json_array(&text.json, NULL);
    TEST_ASSERT_EQUAL_INT(-EINVAL, json_close(&text.json)); /* not ended */
    again();
    json_end(&text.json);
    TEST_ASSERT_EQUAL_INT(-EINVAL, json_close(&text.json)); /* not begun */
}

static void test_depth_is_bounded(void)
{
    for (int i = 0; i < JSON_DEPTH_MAX; i++) {
        json_array(&text.json, NULL);
    }
    TEST_ASSERT_EQUAL_INT(0, text.json.error);
    json_array(&text.json, NULL);
    TEST_ASSERT_EQUAL_INT(-EINVAL, json_close(&text.json));
}

static void test_a_full_disk_is_reported(void)
{
    FILE *full = fopen("/dev/full", "w");
    struct json j;

    TEST_ASSERT_NOT_NULL(full);
    json_open(&j, full);
    json_bool(&j, NULL, true);
    TEST_ASSERT_EQUAL_INT(-EIO, json_close(&j));
    fclose(full);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_document_nests_objects_and_arrays);
    RUN_TEST(test_strings_are_escaped);
    RUN_TEST(test_wrong_bytes_are_replaced);
    RUN_TEST(test_output_is_utf8_for_any_bytes);
    RUN_TEST(test_numbers_have_the_fewest_digits);
    RUN_TEST(test_numbers_without_a_form_in_json_are_null);
    RUN_TEST(test_numbers_read_back_bit_by_bit);
    RUN_TEST(test_integers_keep_all_digits);
    RUN_TEST(test_absent_text_is_null);
    RUN_TEST(test_an_object_refuses_a_value_without_name);
    RUN_TEST(test_an_array_refuses_a_name);
    RUN_TEST(test_a_document_is_one_value);
    RUN_TEST(test_depth_is_bounded);
    RUN_TEST(test_a_full_disk_is_reported);
    return UNITY_END();
}
