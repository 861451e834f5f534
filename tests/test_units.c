/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_units.c - numbers and units: exact both ways, and strict. */
#include "config/units.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* xorshift64*: a fixed sequence, so that a failure can be repeated. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

/* Any finite normal double, or zero: random bits, not random values, so that all magnitudes
 * come. */
static double random_double(uint64_t *state)
{
    double x;

    do {
        uint64_t bits = next_random(state);

        memcpy(&x, &bits, sizeof x);
    } while (!isnormal(x));
    return x;
}

static double read_exactly(const char *text)
{
    size_t used = 0;
    double number = (double)NAN;

    TEST_ASSERT_EQUAL_INT_MESSAGE(UNITS_FINE, units_number(text, &used, &number), text);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(strlen(text), used, text);
    return number;
}

static void refuses(enum units_fault fault, const char *text)
{
    size_t used = 99;
    double number = 99;

    TEST_ASSERT_EQUAL_INT_MESSAGE(fault, units_number(text, &used, &number), text);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(99, used, text);
    TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(99, number, text);
}

static void test_printed_numbers_read_back_bit_for_bit(void)
{
    uint64_t state = 1;
    char text[UNITS_PRINT_MAX];

    for (int i = 0; i < 20000; i++) {
        double x = random_double(&state);

        units_print_number(text, x);
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(x), bits_of(read_exactly(text)), text);
    }
    units_print_number(text, -0.0);
    TEST_ASSERT_EQUAL_HEX64(bits_of(-0.0), bits_of(read_exactly(text)));
}

/* A number of at most 15 digits is printed as it was written: 15 digits always survive a double. */
static void test_printed_numbers_are_the_ones_people_wrote(void)
{
    static const char *const same[] = {"0",       "7.8",     "7800",    "-2.5",    "0.1",
                                       "0.00001", "1e-6",    "1e15",    "1000000", "123456789",
                                       "1.5e20",  "-1e-300", "17023.3", "0.95",    "99999.5"};
    char text[UNITS_PRINT_MAX];

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        units_print_number(text, read_exactly(same[i]));
        TEST_ASSERT_EQUAL_STRING(same[i], text);
    }
}

static void test_not_finite_numbers_can_be_printed_for_a_reader(void)
{
    char text[UNITS_PRINT_MAX];

    units_print_number(text, (double)NAN);
    TEST_ASSERT_EQUAL_STRING("nan", text);
    units_print_number(text, (double)-INFINITY);
    TEST_ASSERT_EQUAL_STRING("-inf", text);
}

/* What was read in a unit can be written again, and gives the same SI value to the last bit. */
static void test_values_read_in_any_unit_print_exactly(void)
{
    const struct units_row *unit = NULL;
    uint64_t state = 7;
    char text[UNITS_PRINT_MAX];

    for (int i = 0; (unit = units_at(i)) != NULL; i++) {
        for (int k = 0; k < 500; k++) {
            double number = (double)(int64_t)next_random(&state) * pow(10, (double)(k % 40) - 20);
            double si = units_to_si(unit, number);
            const struct units_row *exact = units_exact(&si, 1, unit);

            TEST_ASSERT_TRUE_MESSAGE(units_print_in(text, si, exact), unit->name);
            TEST_ASSERT_EQUAL_PTR_MESSAGE(unit, exact, unit->name);
            TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(si),
                                            bits_of(units_to_si(exact, read_exactly(text))), text);
        }
    }
}

static void test_short_numbers_keep_their_unit(void)
{
    const struct units_row *unit = NULL;
    char text[UNITS_PRINT_MAX];
    char wanted[UNITS_PRINT_MAX];

    for (int i = 0; (unit = units_at(i)) != NULL; i++) {
        for (int k = -1000; k <= 1000; k += 7) {
            double number = k / 8.0;
            double si = units_to_si(unit, number);

            TEST_ASSERT_EQUAL_PTR(unit, units_exact(&si, 1, unit));
            TEST_ASSERT_TRUE(units_print_in(text, si, unit));
            units_print_number(wanted, number);
            TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, text, unit->name);
        }
    }
}

/* Known values: SI brochure, 9th edition; MiB is 2^20 bytes (IEC 80000-13). The divisions make
 * each the double nearest to the decimal, which a product with 1e-6 would not. */
static void test_known_conversions(void)
{
    static const struct {
        const char *unit;
        double number, si;
    } known[] = {
        {"t", 7.8, 7800},
        {"g", 3, 0.003},
        {"us", 3, 3e-6},
        {"ns", 7, 7e-9},
        {"min", 5, 300},
        {"h", 2, 7200},
        {"mm", 0.3, 0.0003},
        {"um", 29, 29e-6},
        {"cm", 7, 0.07},
        {"km", 1.9, 1900},
        {"kHz", 1, 1000},
        {"kN", 0.4, 400},
        {"%", 95, 0.95},
        {"ppm", 200, 200e-6},
        {"MiB", 1, 1048576},
        {"deg", 180, 3.14159265358979323846},
        {"arcsec", 3600, 0.017453292519943295},
        {"deg/s", 2.5, 0.04363323129985824},
        {"mJ", 0.8, 0.0008},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct units_row *unit = units_find(known[i].unit);

        TEST_ASSERT_NOT_NULL_MESSAGE(unit, known[i].unit);
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(known[i].si),
                                        bits_of(units_to_si(unit, known[i].number)), known[i].unit);
    }
}

/* 5 us is the double nearest to 5e-6, for every count and every decimal unit: 300 of the first 1000
 * would miss it by one bit if units were products with 1e-6. */
static void test_decimal_units_give_the_nearest_double(void)
{
    const struct units_row *unit = NULL;
    char text[32];

    for (int i = 0; (unit = units_at(i)) != NULL; i++) {
        int power = (int)lround(log10(unit->times / unit->over));
        bool decimal = units_same(unit->times / unit->over, pow(10, power));

        for (int k = 1; decimal && k <= 2000; k++) {
            (void)snprintf(text, sizeof text, "%de%d", k, power);
            TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(read_exactly(text)),
                                            bits_of(units_to_si(unit, k)), text);
        }
    }
}

static void test_every_unit_is_one_row_and_its_si_unit_has_factor_one(void)
{
    const struct units_row *unit = NULL;

    for (int i = 0; (unit = units_at(i)) != NULL; i++) {
        const struct units_row *si = units_find(unit->si);

        TEST_ASSERT_EQUAL_PTR_MESSAGE(unit, units_find(unit->name), unit->name);
        TEST_ASSERT_TRUE_MESSAGE(unit->times > 0 && unit->over > 0, unit->name);
        if (strcmp(unit->si, "1") != 0) {
            TEST_ASSERT_NOT_NULL_MESSAGE(si, unit->name);
            TEST_ASSERT_EQUAL_HEX64(bits_of(0.7), bits_of(units_to_si(si, 0.7)));
        }
    }
    TEST_ASSERT_NULL(units_at(-1));
}

static void test_unit_names_are_exact_and_slips_are_seen(void)
{
    TEST_ASSERT_NULL(units_find("KG"));
    TEST_ASSERT_NULL(units_find(""));
    TEST_ASSERT_NULL(units_find("kg "));
    TEST_ASSERT_EQUAL_STRING("kg", units_slip("KG", "kg")->name);
    TEST_ASSERT_EQUAL_STRING("Hz", units_slip("hz", "Hz")->name);
    TEST_ASSERT_EQUAL_STRING("Nm", units_slip("nm", "Nm")->name);
    TEST_ASSERT_NULL(units_slip("KG", "m"));
    TEST_ASSERT_NULL(units_slip("pound", "kg"));
}

static void test_numbers_end_where_the_unit_begins(void)
{
    static const struct {
        const char *text;
        size_t used;
        double number;
    } known[] = {
        {"7.8 t", 3, 7.8}, {"7.8t", 3, 7.8},     {"1e3kg", 3, 1000}, {"1e kg", 1, 1},
        {"5.m", 2, 5},     {"+.5e-1m", 6, 0.05}, {"-0", 2, -0.0},    {"0e9", 3, 0},
        {"2E+3", 4, 2000}, {"5-3", 1, 5},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t used = 0;
        double number = 99;

        TEST_ASSERT_EQUAL_INT(UNITS_FINE, units_number(known[i].text, &used, &number));
        TEST_ASSERT_EQUAL_size_t_MESSAGE(known[i].used, used, known[i].text);
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(bits_of(known[i].number), bits_of(number), known[i].text);
    }
}

static void test_forms_that_other_readers_take_differently_are_refused(void)
{
    refuses(UNITS_NO_NUMBER, "");
    refuses(UNITS_NO_NUMBER, "heavy");
    refuses(UNITS_NO_NUMBER, ".");
    refuses(UNITS_NO_NUMBER, "-");
    refuses(UNITS_NO_NUMBER, "+-5");
    refuses(UNITS_NO_NUMBER, "e5");
    refuses(UNITS_NO_NUMBER, "1.2.3");
    refuses(UNITS_NO_NUMBER, " 5"); /* the caller skips blanks, so that positions stay true */
    refuses(UNITS_NOT_FINITE, ".inf");
    refuses(UNITS_NOT_FINITE, "-.Inf");
    refuses(UNITS_NOT_FINITE, "inf");
    refuses(UNITS_NOT_FINITE, "+nan");
    refuses(UNITS_NOT_FINITE, ".NaN kg");
    refuses(UNITS_TOO_LARGE, "1e999");
    refuses(UNITS_TOO_LARGE, "-1e309 kg");
    refuses(UNITS_TOO_SMALL, "1e-400");
    refuses(UNITS_TOO_SMALL, "1e-310");
    refuses(UNITS_TOO_SMALL, "0.0000001e-310");
    refuses(UNITS_BASE, "0x10");
    refuses(UNITS_BASE, "-0X1f kg");
    refuses(UNITS_BASE, "0o17");
    refuses(UNITS_BASE, "0b101");
    refuses(UNITS_ZEROS, "010");
    refuses(UNITS_ZEROS, "-007.5");
    refuses(UNITS_ZEROS, "00");
    refuses(UNITS_UNDERSCORE, "1_000");
    refuses(UNITS_COMMA, "7,8 t");
    refuses(UNITS_COMMA, "7,800 kg");
}

static void test_every_refusal_that_looks_like_a_number_has_advice(void)
{
    TEST_ASSERT_NULL(units_advice(UNITS_FINE));
    TEST_ASSERT_NULL(units_advice(UNITS_NO_NUMBER));
    for (int fault = UNITS_NOT_FINITE; fault <= UNITS_COMMA; fault++) {
        TEST_ASSERT_NOT_NULL(units_advice((enum units_fault)fault));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_printed_numbers_read_back_bit_for_bit);
    RUN_TEST(test_printed_numbers_are_the_ones_people_wrote);
    RUN_TEST(test_not_finite_numbers_can_be_printed_for_a_reader);
    RUN_TEST(test_values_read_in_any_unit_print_exactly);
    RUN_TEST(test_short_numbers_keep_their_unit);
    RUN_TEST(test_known_conversions);
    RUN_TEST(test_decimal_units_give_the_nearest_double);
    RUN_TEST(test_every_unit_is_one_row_and_its_si_unit_has_factor_one);
    RUN_TEST(test_unit_names_are_exact_and_slips_are_seen);
    RUN_TEST(test_numbers_end_where_the_unit_begins);
    RUN_TEST(test_forms_that_other_readers_take_differently_are_refused);
    RUN_TEST(test_every_refusal_that_looks_like_a_number_has_advice);
    return UNITY_END();
}
