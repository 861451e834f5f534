/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_airboard.c - valve bits and servo words of the planar robot. */
#include "drivers/airboard.h"
#include "unity.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "drivers/wire.h"

static struct airboard_model m;
static struct airboard_state s;
static uint8_t out[AIRBOARD_OUTPUTS];

void setUp(void)
{
    memset(&m, 0, sizeof m);
    for (int i = 0; i < AIRBOARD_SERVOS; i++) {
        m.servo_least_rad[i] = -2.5;
        m.servo_most_rad[i] = 2.5;
    }
    m.servo_rate_rad_s = 3.0;
    m.pressure_least_pa = 4e5;
    m.supply_least_v = 6.0;
    TEST_ASSERT_EQUAL_INT(0, airboard_init(&m, &s));
}

void tearDown(void)
{
}

/* [AIR] nozzles 1-3, 2-5 and 4-6 push against each other. */
static void test_opposing_nozzles_never_open_together(void)
{
    for (int bits = 0; bits < 256; bits++) {
        const struct airboard_command c = {true, (uint8_t)bits, {0}};

        airboard_write(&m, &s, &c, 0.001, out);
        TEST_ASSERT_EQUAL_HEX8(0, out[0] & 0xc0);
        TEST_ASSERT_NOT_EQUAL(0x05, out[0] & 0x05);
        TEST_ASSERT_NOT_EQUAL(0x12, out[0] & 0x12);
        TEST_ASSERT_NOT_EQUAL(0x28, out[0] & 0x28);
    }
}

/* Forward is nozzles 3 and 4, left is 2: rows of the table pass as they are. */
static void test_rows_of_the_nozzle_table_pass(void)
{
    static const uint8_t rows[] = {0x0c, 0x21, 0x24, 0x09, 0x02, 0x10};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct airboard_command c = {true, rows[i], {0}};

        airboard_write(&m, &s, &c, 0.001, out);
        TEST_ASSERT_EQUAL_HEX8(rows[i], out[0]);
    }
}

static void test_off_closes_valves_and_leaves_servos(void)
{
    struct airboard_command c = {true, 0x0c, {1.0, -1.0, 0.5, 0, 0, 2.4}};

    airboard_write(&m, &s, &c, 0.001, out);
    TEST_ASSERT_EQUAL_INT16(10000, wire_get_i16(out + 1));
    TEST_ASSERT_EQUAL_INT16(-10000, wire_get_i16(out + 3));
    c.on = false;
    c.servo_rad[0] = 0.0;
    airboard_write(&m, &s, &c, 0.001, out);
    TEST_ASSERT_EQUAL_HEX8(0, out[0]);
    TEST_ASSERT_EQUAL_INT16(10000, wire_get_i16(out + 1));
}

static void test_servo_goes_no_faster_than_it_may_nor_beyond_its_range(void)
{
    struct airboard_command c = {true, 0, {0}};

    airboard_write(&m, &s, &c, 0.001, out);
    c.servo_rad[2] = 9.0;
    airboard_write(&m, &s, &c, 0.001, out);
    TEST_ASSERT_EQUAL_INT16(30, wire_get_i16(out + 5)); /* 3 rad/s in 1 ms, 1e-4 rad */
    for (int i = 0; i < 2000; i++) {
        airboard_write(&m, &s, &c, 0.001, out);
    }
    TEST_ASSERT_EQUAL_INT16(25000, wire_get_i16(out + 5));
    c.servo_rad[2] = NAN;
    airboard_write(&m, &s, &c, 0.001, out);
    TEST_ASSERT_EQUAL_INT16(25000, wire_get_i16(out + 5));
}

static void test_board_that_stands_still_or_complains_is_not_valid(void)
{
    uint8_t in[AIRBOARD_INPUTS] = {0x0c, 1, 0, 0x70, 0x17, 0xe8, 0x1c, 0, 0};
    struct airboard_sample sample;

    airboard_read(&m, &s, in, true, &sample);
    TEST_ASSERT_TRUE(sample.valid);
    TEST_ASSERT_EQUAL_HEX8(0x0c, sample.valves);
    TEST_ASSERT_EQUAL_DOUBLE(6e5, sample.pressure_pa);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 7.4, sample.supply_v);
    TEST_ASSERT_FALSE(sample.low);
    for (int i = 0; i < AIRBOARD_REPEATS_MAX; i++) {
        airboard_read(&m, &s, in, true, &sample);
        TEST_ASSERT_TRUE(sample.valid);
    }
    airboard_read(&m, &s, in, true, &sample);
    TEST_ASSERT_FALSE(sample.valid);
    in[1] = 2;
    airboard_read(&m, &s, in, true, &sample);
    TEST_ASSERT_TRUE(sample.valid);
    in[1] = 3;
    in[7] = 1;
    in[4] = 0;
    airboard_read(&m, &s, in, true, &sample);
    TEST_ASSERT_FALSE(sample.valid);
    TEST_ASSERT_TRUE(sample.low);
}

static void test_bad_models_are_refused(void)
{
    m.servo_rate_rad_s = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, airboard_init(&m, &s));
    setUp();
    m.servo_most_rad[3] = 3.5;
    TEST_ASSERT_EQUAL_INT(-EINVAL, airboard_init(&m, &s));
    setUp();
    m.servo_least_rad[3] = 2.5;
    TEST_ASSERT_EQUAL_INT(-EINVAL, airboard_init(&m, &s));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_opposing_nozzles_never_open_together);
    RUN_TEST(test_rows_of_the_nozzle_table_pass);
    RUN_TEST(test_off_closes_valves_and_leaves_servos);
    RUN_TEST(test_servo_goes_no_faster_than_it_may_nor_beyond_its_range);
    RUN_TEST(test_board_that_stands_still_or_complains_is_not_valid);
    RUN_TEST(test_bad_models_are_refused);
    return UNITY_END();
}
