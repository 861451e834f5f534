/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_ft.c - both layouts of force/torque sensors. Bytes are written here as the manuals order them. */
#include "drivers/ft.h"
#include "unity.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "drivers/wire.h"

static struct ft_model m;
static struct ft_state s;
static struct ft_sample out;
static uint8_t bytes[80];

void setUp(void)
{
    memset(bytes, 0, sizeof bytes);
    m = (struct ft_model){.layout = ft_find("ft-axia"), .counts_per_n = 1e6, .counts_per_nm = 2e6};
    TEST_ASSERT_EQUAL_INT(0, ft_init(&m, &s));
}

void tearDown(void)
{
}

static void axia(uint32_t counter)
{
    wire_put_i32(bytes + 8, -9806650);
    wire_put_i32(bytes + 20, 3000000);
    wire_put_u32(bytes + 28, counter);
}

static void bota(float z)
{
    m.layout = ft_find("ft-bota");
    wire_put_f32(bytes + 5 + 8, z);
    wire_put_f32(bytes + 5 + 20, 1.5F);
}

static void test_counts_become_newton_and_newtonmetre(void)
{
    axia(1);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(out.valid && out.fresh);
    TEST_ASSERT_EQUAL_DOUBLE(-9.80665, out.wrench[2]);
    TEST_ASSERT_EQUAL_DOUBLE(1.5, out.wrench[5]);
}

static void test_real_numbers_are_taken_as_they_are(void)
{
    bota(-10.25F);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(out.valid);
    TEST_ASSERT_EQUAL_DOUBLE(-10.25, out.wrench[2]);
    TEST_ASSERT_EQUAL_DOUBLE(1.5, out.wrench[5]);
}

/* At 975 Hz a 1 kHz cycle sees one repeat in forty: seen, and still good. The fourth in a row is not. */
static void test_repeated_samples_are_seen_and_a_frozen_sensor_is_refused(void)
{
    axia(7);
    ft_read(&m, &s, bytes, true, &out);
    for (int i = 1; i <= 5; i++) {
        ft_read(&m, &s, bytes, true, &out);
        TEST_ASSERT_FALSE(out.fresh);
        TEST_ASSERT_EQUAL(i <= FT_REPEATS_MAX, out.valid);
    }
    axia(8);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(out.valid && out.fresh);
}

static void test_a_frozen_sensor_without_a_counter_is_refused(void)
{
    bota(1.0F);
    for (int i = 0; i <= 5; i++) {
        ft_read(&m, &s, bytes, true, &out);
        TEST_ASSERT_EQUAL(i <= FT_REPEATS_MAX, out.valid);
    }
    bota(1.000001F);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(out.valid && out.fresh);
}

static void test_the_counter_may_wrap_but_not_jump(void)
{
    axia(UINT32_MAX);
    ft_read(&m, &s, bytes, true, &out);
    axia(1);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(out.valid && !out.jumped);
    axia(12);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(!out.valid && out.jumped);
    axia(14);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(out.valid);
    axia(13); /* backwards */
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(!out.valid && out.jumped);
}

static void test_an_invalid_frame_keeps_the_last_wrench_and_is_not_valid(void)
{
    axia(1);
    ft_read(&m, &s, bytes, true, &out);
    wire_put_i32(bytes + 8, 5);
    axia(2);
    memset(bytes, 0xee, 24);
    for (int i = 0; i < 20; i++) {
        ft_read(&m, &s, bytes, false, &out);
        TEST_ASSERT_FALSE(out.valid || out.fresh);
        TEST_ASSERT_EQUAL_DOUBLE(-9.80665, out.wrench[2]);
    }
    axia(80); /* the sensor went on meanwhile: no jump */
    memset(bytes, 0, 24);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(out.valid && out.fresh && !out.jumped);
}

/* Bits by the table of the sensor: errors invalidate, saturation and warning are told. */
static void test_every_status_bit_does_what_it_stands_for(void)
{
    for (int bit = 0; bit < 32; bit++) {
        const bool error =
            bit == 0 || bit == 1 || bit == 2 || bit == 5 || bit == 27 || bit == 29 || bit == 31;

        axia((uint32_t)bit + 1);
        wire_put_u32(bytes + 24, 1u << bit);
        ft_read(&m, &s, bytes, true, &out);
        TEST_ASSERT_EQUAL(!error, out.valid);
        TEST_ASSERT_EQUAL(bit == 30, out.saturated);
        TEST_ASSERT_EQUAL(bit == 26, out.warning);
        TEST_ASSERT_EQUAL_HEX32(1u << bit, out.status);
    }
}

static void test_bota_tells_errors_saturation_and_numbers_that_are_none(void)
{
    bota(2.0F);
    wire_put_u16(bytes + 29, 4);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_TRUE(out.valid && out.saturated);
    bota(3.0F);
    wire_put_u32(bytes + 1, 1);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_FALSE(out.valid);
    wire_put_u32(bytes + 1, 0);
    bota(NAN);
    ft_read(&m, &s, bytes, true, &out);
    TEST_ASSERT_FALSE(out.valid);
}

static void test_control_word_holds_filter_rate_and_bias(void)
{
    uint8_t o[8];

    m.filter = 5;
    m.rate = 2;
    ft_write(&m, FT_SET_BIAS, o);
    TEST_ASSERT_EQUAL_HEX32(0x2051, wire_get_u32(o));
    ft_write(&m, 0, o);
    TEST_ASSERT_EQUAL_HEX32(0x2050, wire_get_u32(o));
    ft_write(&m, 0xffff, o); /* nothing but the bias bits can be asked for */
    TEST_ASSERT_EQUAL_HEX32(0x2055, wire_get_u32(o));
    TEST_ASSERT_EQUAL_HEX32(0, wire_get_u32(o + 4));
    m.layout = ft_find("ft-bota");
    ft_write(&m, FT_SET_BIAS, o);
    TEST_ASSERT_EQUAL_HEX8(0, o[0]);
}

static void test_wrong_models_are_refused(void)
{
    TEST_ASSERT_NULL(ft_find("ft-other"));
    m.filter = 9;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ft_init(&m, &s));
    m.filter = 0;
    m.rate = 4;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ft_init(&m, &s));
    m.rate = 0;
    m.counts_per_nm = NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ft_init(&m, &s));
    m.layout = NULL;
    TEST_ASSERT_EQUAL_INT(-EINVAL, ft_init(&m, &s));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_counts_become_newton_and_newtonmetre);
    RUN_TEST(test_real_numbers_are_taken_as_they_are);
    RUN_TEST(test_repeated_samples_are_seen_and_a_frozen_sensor_is_refused);
    RUN_TEST(test_a_frozen_sensor_without_a_counter_is_refused);
    RUN_TEST(test_the_counter_may_wrap_but_not_jump);
    RUN_TEST(test_an_invalid_frame_keeps_the_last_wrench_and_is_not_valid);
    RUN_TEST(test_every_status_bit_does_what_it_stands_for);
    RUN_TEST(test_bota_tells_errors_saturation_and_numbers_that_are_none);
    RUN_TEST(test_control_word_holds_filter_rate_and_bias);
    RUN_TEST(test_wrong_models_are_refused);
    return UNITY_END();
}
