/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_value.c - texts to checked values and back: config/value.c and config/quantity.c. */
#include "config/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/quantity.h"
#include "config/units.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const struct schema_row *row_of(const char *key)
{
    const struct schema_row *row = schema_row(schema_find(key));

    TEST_ASSERT_NOT_NULL_MESSAGE(row, key);
    return row;
}

static struct value accepts(const char *key, const char *text)
{
    struct value v = {.integer = -99};
    struct message_fault fault = {.expected = ""};
    bool plain = strcmp(key, "description") != 0;

    if (!value_read(&v, row_of(key), text, plain, &fault)) {
        TEST_FAIL_MESSAGE(fault.expected);
    }
    return v;
}

/* A number in [0, 1) of a fixed sequence. */
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 0x2545f4914f6cdd1dULL) >> 11) * 0x1p-53;
}

/* ---- properties ---- */

/* The limits belong to the range, whatever unit they are written in; a millionth beyond does
 * not. */
static void test_bounds_hold_in_every_unit(void)
{
    const struct schema_row *row = NULL;
    const struct units_row *unit = NULL;
    struct value v;
    struct message_fault fault;
    char number[UNITS_PRINT_MAX];
    char text[2 * UNITS_PRINT_MAX];

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        const struct units_row *first = quantity_unit(row);

        for (int k = 0; first != NULL && row->size == 1 && (unit = units_at(k)) != NULL; k++) {
            if (strcmp(unit->si, first->si) != 0) {
                continue;
            }
            const double edge[] = {row->least, row->greatest};

            for (int e = 0; e < 2; e++) {
                double here = units_to_si(first, edge[e]) * unit->over / unit->times;
                const double scale = fabs(here) > 0.0 ? fabs(here) : 1.0;
                double beyond = here + (e == 0 ? -1 : 1) * scale * 1e-6;

                units_print_number(number, here);
                (void)snprintf(text, sizeof text, "%s %s", number, unit->name);
                TEST_ASSERT_TRUE_MESSAGE(value_read(&v, row, text, true, &fault), text);
                units_print_number(number, beyond);
                (void)snprintf(text, sizeof text, "%s %s", number, unit->name);
                TEST_ASSERT_FALSE_MESSAGE(value_read(&v, row, text, true, &fault), text);
            }
        }
    }
}

/* 2.1 ms and 2100 us are the same bound, although they are not the same double. */
static void test_rounding_between_units_is_no_excess(void)
{
    struct schema_row row = *row_of("rt.period");
    struct value v;
    struct message_fault fault;

    TEST_ASSERT_TRUE(2.1 / 1e3 > 2100 / 1e6);
    row.least = 2.1;
    TEST_ASSERT_TRUE(value_read(&v, &row, "2100 us", true, &fault));
    TEST_ASSERT_TRUE(value_read(&v, &row, "2.1 ms", true, &fault));
    TEST_ASSERT_FALSE(value_read(&v, &row, "2.0999999 ms", true, &fault));
    TEST_ASSERT_TRUE(4.1 / 1e3 < 4100 / 1e6);
    row.greatest = 4.1;
    TEST_ASSERT_TRUE(value_read(&v, &row, "4100 us", true, &fault));
    TEST_ASSERT_TRUE(value_read(&v, &row, "4.1 ms", true, &fault));
    TEST_ASSERT_FALSE(value_read(&v, &row, "4.1000001 ms", true, &fault));
}

/* Whatever value a row can have, its printed form reads back as the same bits. */
static void test_printed_values_read_back_bit_for_bit(void)
{
    const struct schema_row *row = NULL;
    uint64_t state = 11;
    char text[VALUE_PRINT_MAX];

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        const struct units_row *unit = quantity_unit(row);

        for (int k = 0; row->type == SCHEMA_NUMBER && k < 300; k++) {
            struct value v = {.integer = 0};
            struct value back = {.integer = 0};
            struct message_fault fault;

            for (int n = 0; n < row->size; n++) {
                double x = row->least + (row->greatest - row->least) * uniform(&state);

                v.number[n] = unit != NULL ? units_to_si(unit, x) : x;
            }
            value_print(text, row, &v);
            TEST_ASSERT_TRUE_MESSAGE(value_read(&back, row, text, true, &fault), text);
            TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&v, &back, sizeof v, text);
        }
    }
}

static void test_texts_print_with_the_escapes_they_need(void)
{
    static const char *const texts[] = {"", "a \"b\" \\ c", "two\nlines\tand a tab",
                                        "\xc3\xa9t\xc3\xa9", "# no comment"};
    struct value v;
    char text[VALUE_PRINT_MAX];

    v = accepts("description", texts[2]);
    value_print(text, row_of("description"), &v);
    TEST_ASSERT_EQUAL_STRING("\"two\\nlines\\tand a tab\"", text);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        v = accepts("description", texts[i]);
        TEST_ASSERT_EQUAL_STRING(texts[i], v.text);
    }
}

/* A box with random sides, turned by a random quaternion: R diag(b^2 + c^2, ...) R'. Every such
 * matrix is the inertia of a body, so every one must be accepted, flat ones too. */
static void test_every_rigid_body_has_an_accepted_inertia(void)
{
    const struct schema_row *row = row_of("client.inertia");
    uint64_t state = 5;

    for (int k = 0; k < 500; k++) {
        double s[3] = {uniform(&state) + 0.01, uniform(&state) + 0.01,
                       k % 3 == 0 ? 0 : uniform(&state)};
        double d[3] = {s[1] * s[1] + s[2] * s[2], s[0] * s[0] + s[2] * s[2],
                       s[0] * s[0] + s[1] * s[1]};
        double q[4];
        double norm = 0;

        for (int i = 0; i < 4; i++) {
            q[i] = uniform(&state) - 0.5;
            norm += q[i] * q[i];
        }
        for (int i = 0; i < 4; i++) {
            q[i] /= sqrt(norm);
        }
        const double R[9] = {1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] - q[2] * q[3]),
                             2 * (q[0] * q[2] + q[1] * q[3]),     2 * (q[0] * q[1] + q[2] * q[3]),
                             1 - 2 * (q[0] * q[0] + q[2] * q[2]), 2 * (q[1] * q[2] - q[0] * q[3]),
                             2 * (q[0] * q[2] - q[1] * q[3]),     2 * (q[1] * q[2] + q[0] * q[3]),
                             1 - 2 * (q[0] * q[0] + q[1] * q[1])};
        struct value v = {.integer = 0};
        struct value back;
        struct message_fault fault = {.expected = ""};
        char text[VALUE_PRINT_MAX];

        for (int i = 0; i < 3; i++) {
            for (int j = 0; j <= i; j++) {
                double sum = 0;

                for (int n = 0; n < 3; n++) {
                    sum += R[3 * i + n] * d[n] * R[3 * j + n];
                }
                v.number[3 * i + j] = sum;
                v.number[3 * j + i] = sum;
            }
        }
        value_print(text, row, &v);
        TEST_ASSERT_TRUE_MESSAGE(value_read(&back, row, text, true, &fault), fault.expected);
        TEST_ASSERT_EQUAL_MEMORY(&v, &back, sizeof v);
    }
}

/* ---- known values ---- */

static void test_values_come_out_in_si(void)
{
    struct value v = accepts("client.mass", "7.8 t");

    TEST_ASSERT_EQUAL_DOUBLE(7800, v.number[0]);
    v = accepts("client.mass", "7.8t");
    TEST_ASSERT_EQUAL_DOUBLE(7800, v.number[0]);
    v = accepts("rt.period", "500 us");
    TEST_ASSERT_EQUAL_DOUBLE(0.0005, v.number[0]);
    v = accepts("safety.ft_range", "95%");
    TEST_ASSERT_EQUAL_DOUBLE(0.95, v.number[0]);
    v = accepts("client.rate", "1 -2  .5 deg/s");
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, 0.017453292519943295, v.number[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, -0.034906585039886591, v.number[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, 0.0087266462599716477, v.number[2]);
    v = accepts("client.inertia", "2 0 0\n  0 3 0\n  0 0 4 kg  m^2");
    TEST_ASSERT_EQUAL_DOUBLE(4, v.number[8]);
    TEST_ASSERT_EQUAL_INT64(80, accepts("rt.priority", "80").integer);
    TEST_ASSERT_EQUAL_INT64(0x732, accepts("bus.devices[].vendor", "0x732").integer);
    TEST_ASSERT_EQUAL_INT64(1, accepts("rt.lock_memory", "true").integer);
    TEST_ASSERT_EQUAL_INT64(0, accepts("rt.lock_memory", "false").integer);
    v = accepts("rt.overrun", "catch_up_once");
    TEST_ASSERT_EQUAL_STRING("catch_up_once", v.text);
}

/* ---- every refusal, to the letter ---- */

static const struct {
    const char *key, *text, *expected, *found, *hint;
} refusals[] = {
    /* units */
    {"client.mass", "7.8", "a number with unit kg or t", "\"7.8\"", "write 7.8 t or 7800 kg"},
    {"client.mass", "100", "a number with unit kg or t", "\"100\"", "write 100 kg or 100 t"},
    {"client.mass", "1e9", "a number with unit kg or t", "\"1e9\"", "write for example 7800 kg"},
    {"client.mass", "5000", "a number with unit kg or t", "\"5000\"", "write 5000 kg"},
    {"client.mass", "7.8 m", "a number with unit kg or t", "\"7.8 m\"", "use kg or t"},
    {"client.mass", "7.8 KG", "a number with unit kg or t", "\"7.8 KG\"", "did you mean kg?"},
    {"client.mass", "7.8 kilograms and a long rest", "a number with unit kg or t",
     "\"7.8 kilograms and a long rest\"", "use kg or t"},
    {"rt.period", "1", "a number with unit ms or us", "\"1\"", "write 1 ms"},
    {"safety.torque", "10 N", "a number with unit Nm", "\"10 N\"", "use Nm"},
    {"client.velocity", "0.1 m/s 0.2 m/s 0.3 m/s", "3 numbers with unit m/s or mm/s",
     "\"0.1 m/s 0.2 m/s 0.3 m/s\"", "write the unit once, behind the last number"},
    {"client.rate", "0 0 0", "3 numbers with unit deg/s or rad/s", "\"0 0 0\"",
     "write 0 0 0 deg/s or 0 0 0 rad/s"},
    {"rt.priority", "80 Hz", "a whole number from 1 to 98", "\"80 Hz\"", "write 80"},
    /* numbers */
    {"client.mass", "heavy", "a number with unit kg or t", "\"heavy\"",
     "write for example 7800 kg"},
    {"client.mass", "", "a number with unit kg or t", "nothing", "write for example 7800 kg"},
    {"client.mass", "~", "a number with unit kg or t", "nothing", "write for example 7800 kg"},
    {"client.mass", ".inf kg", "a number with unit kg or t", "\".inf kg\"",
     "a finite number is needed"},
    {"client.mass", "1e999 kg", "a number with unit kg or t", "\"1e999 kg\"",
     "too large for a 64-bit number"},
    {"client.rate", "0 1e-320 0 deg/s", "3 numbers with unit deg/s or rad/s",
     "\"0 1e-320 0 deg/s\"", "too small for a 64-bit number; write 0"},
    {"client.velocity", "0 1e-307 0 mm/s", "3 numbers with unit m/s or mm/s", "\"0 1e-307 0 mm/s\"",
     "too small for a 64-bit number; write 0"},
    {"client.mass", "0x10 kg", "a number with unit kg or t", "\"0x10 kg\"",
     "write it as a decimal number"},
    {"client.mass", "0780 kg", "a number with unit kg or t", "\"0780 kg\"",
     "write it without zeros in front"},
    {"client.mass", "7_800 kg", "a number with unit kg or t", "\"7_800 kg\"",
     "write it without underscores"},
    {"client.mass", "7,8 t", "a number with unit kg or t", "\"7,8 t\"",
     "write a decimal point, and nothing between thousands"},
    {"client.mass", "2024-01-01", "a number with unit kg or t", "\"2024-01-01\"",
     "write for example 7800 kg"},
    {"rt.priority", "80.5", "a whole number from 1 to 98", "\"80.5\"", "write for example 80"},
    {"rt.priority", "080", "a whole number from 1 to 98", "\"080\"",
     "write it without zeros in front"},
    {"rt.priority", "99999999999999999999", "a whole number from 1 to 98",
     "\"99999999999999999999\"", "write for example 80"},
    /* ranges */
    {"client.mass", "5 kg", "10 kg to 1000000 kg", "\"5 kg\"", "write at least 10 kg"},
    {"client.mass", "0.005 t", "10 kg to 1000000 kg", "\"0.005 t\"",
     "that is 5 kg; write at least 10 kg"},
    {"client.mass", "1e308 t", "10 kg to 1000000 kg", "\"1e308 t\"", "write at most 1000000 kg"},
    {"client.rate", "0 61 0 deg/s", "each number from -60 deg/s to 60 deg/s", "\"61\"",
     "write at most 60 deg/s"},
    {"rt.priority", "0", "a whole number from 1 to 98", "\"0\"", "write for example 80"},
    {"rt.priority", "99", "a whole number from 1 to 98", "\"99\"", "write for example 80"},
    /* sizes */
    {"client.mass", "5 6 kg", "a number with unit kg or t", "2", "write for example 7800 kg"},
    {"client.rate", "0 0 deg/s", "3 numbers with unit deg/s or rad/s", "2",
     "write for example 0 0 0 deg/s"},
    {"client.inertia", "1 0 0 0 1 0 0 0 1 0 kgm2", "9 numbers with unit kgm2", "10",
     "write for example 17000 0 0 0 125000 0 0 0 129000 kgm2"},
    /* inertia */
    {"client.inertia", "2 1 0 0 2 0 0 0 2 kgm2", "a symmetric matrix", "Ixy 1 and Iyx 0",
     "the order is Ixx Ixy Ixz, Iyx Iyy Iyz, Izx Izy Izz"},
    {"client.inertia", "1 2 0 2 1 0 0 0 2 kgm2", "a positive definite matrix",
     "\"1 2 0 2 1 0 0 0 2 kgm2\"", "the order is Ixx Ixy Ixz, Iyx Iyy Iyz, Izx Izy Izz"},
    {"client.inertia", "1 0 0 0 1 0 0 0 2.1 kgm2",
     "a matrix whose principal moments are each at most the sum of the other two",
     "\"1 0 0 0 1 0 0 0 2.1 kgm2\"", "the order is Ixx Ixy Ixz, Iyx Iyy Iyz, Izx Izy Izz"},
    /* truth values, words, codes */
    {"rt.lock_memory", "yes", "true or false", "\"yes\"", "write true"},
    {"rt.lock_memory", "True", "true or false", "\"True\"", "write true"},
    {"rt.lock_memory", "off", "true or false", "\"off\"", "write false"},
    {"rt.lock_memory", "maybe", "true or false", "\"maybe\"", "write for example true"},
    {"rt.overrun", "Skip", "skip or catch_up_once", "\"Skip\"", "did you mean skip?"},
    {"rt.overrun", "never", "skip or catch_up_once", "\"never\"", "write for example skip"},
    {"bus.devices[].vendor", "1842", "a code from 0x1 to 0xffffffff", "\"1842\"",
     "write it in hexadecimal; decimal 1842 is 0x00000732"},
    {"bus.devices[].vendor", "0x0", "a code from 0x1 to 0xffffffff", "\"0x0\"",
     "write for example 0x00000732"},
    {"bus.devices[].vendor", "0x123456789", "a code from 0x1 to 0xffffffff", "\"0x123456789\"",
     "write for example 0x00000732"},
    {"bus.devices[].vendor", "0xg", "a code from 0x1 to 0xffffffff", "\"0xg\"",
     "write for example 0x00000732"},
    /* texts */
    {"name", "my lab", "a name of 1 to 63 letters, digits, \".\", \"_\" or \"-\"", "\"my lab\"",
     "write my_lab"},
    {"name", "../../etc", "a name of 1 to 63 letters, digits, \".\", \"_\" or \"-\"",
     "\"../../etc\"", "write _._.._etc"},
    {"name", "..", "a name of 1 to 63 letters, digits, \".\", \"_\" or \"-\"", "\"..\"",
     "begin with a letter, a digit or \"_\""},
    {"bus.interface", "a-name-of-more-than-15",
     "a name of at most 15 letters, digits, \".\", \"_\" or \"-\"", "22", "write a shorter one"},
    {"log.folder", "a\nb", "a path of 1 to 200 bytes", "\"a b\"", "write for example runs"},
    {"log.folder", "null", "a path of 1 to 200 bytes", "nothing", "write for example runs"},
};

static void test_refusals_say_what_was_expected_and_what_to_do(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct value v;
        struct value before;
        struct message_fault fault = {.expected = ""};

        memset(&v, 0x5a, sizeof v);
        before = v;
        TEST_ASSERT_FALSE_MESSAGE(
            value_read(&v, row_of(refusals[i].key), refusals[i].text, true, &fault),
            refusals[i].text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(refusals[i].expected, fault.expected, refusals[i].text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(refusals[i].found, fault.found, refusals[i].text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(refusals[i].hint, fault.hint, refusals[i].text);
        TEST_ASSERT_TRUE_MESSAGE(fault.at + fault.length <= strlen(refusals[i].text),
                                 refusals[i].text);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&before, &v, sizeof v, "a refused value changes nothing");
    }
}

static void test_the_caret_marks_the_wrong_part(void)
{
    static const struct {
        const char *key, *text;
        size_t at, length;
    } parts[] = {
        {"client.mass", "7.8", 0, 3},
        {"client.mass", "7.8 m", 4, 1},
        {"client.rate", "0 1 x deg/s", 0, 11},
        {"client.rate", "0 .nan 0 deg/s", 2, 4},
        {"client.rate", "0 0 61 deg/s", 4, 2},
        {"client.inertia", "2 0 1 0 2 0 0 0 2 kgm2", 12, 1},
        {"name", "my lab", 2, 1},
        {"name", "-lab", 0, 1},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct value v;
        struct message_fault fault = {.expected = ""};

        TEST_ASSERT_FALSE(value_read(&v, row_of(parts[i].key), parts[i].text, true, &fault));
        TEST_ASSERT_EQUAL_size_t_MESSAGE(parts[i].at, fault.at, parts[i].text);
        TEST_ASSERT_EQUAL_size_t_MESSAGE(parts[i].length, fault.length, parts[i].text);
    }
}

static void test_quotation_marks_make_a_text_of_a_number(void)
{
    struct value v;
    struct message_fault fault = {.expected = ""};

    TEST_ASSERT_FALSE(value_read(&v, row_of("rt.priority"), "80", false, &fault));
    TEST_ASSERT_EQUAL_STRING("write it without quotation marks", fault.hint);
    TEST_ASSERT_FALSE(value_read(&v, row_of("rt.lock_memory"), "true", false, &fault));
    TEST_ASSERT_TRUE(value_read(&v, row_of("client.mass"), "7.8 t", false, &fault));
    TEST_ASSERT_TRUE(value_read(&v, row_of("bus.devices[].vendor"), "0x732", false, &fault));
    TEST_ASSERT_TRUE(value_read(&v, row_of("description"), "null", false, &fault));
    TEST_ASSERT_FALSE(value_read(&v, row_of("description"), "null", true, &fault));
}

static void test_a_list_has_no_text(void)
{
    struct value v;
    struct message_fault fault = {.expected = ""};

    TEST_ASSERT_FALSE(value_read(&v, row_of("bus.devices"), "5", true, &fault));
    TEST_ASSERT_EQUAL_STRING("a list of at most 63 items", fault.expected);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bounds_hold_in_every_unit);
    RUN_TEST(test_rounding_between_units_is_no_excess);
    RUN_TEST(test_printed_values_read_back_bit_for_bit);
    RUN_TEST(test_texts_print_with_the_escapes_they_need);
    RUN_TEST(test_every_rigid_body_has_an_accepted_inertia);
    RUN_TEST(test_values_come_out_in_si);
    RUN_TEST(test_refusals_say_what_was_expected_and_what_to_do);
    RUN_TEST(test_the_caret_marks_the_wrong_part);
    RUN_TEST(test_quotation_marks_make_a_text_of_a_number);
    RUN_TEST(test_a_list_has_no_text);
    return UNITY_END();
}
