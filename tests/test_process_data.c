/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_process_data.c - a reply gives inputs only if it proves that it answers this cycle's frame.
 *
 * The segment here is a few lines: it answers a frame as three devices would. The protocol is spelled out again: offsets
 * are counted by hand from the layout in process_data.h, for an image of 3 bytes of outputs and 5 of inputs.
 */
#include "drivers/process_data.h"
#include "unity.h"

#include <errno.h>
#include <string.h>

#include "drivers/port.h"
#include "drivers/wire.h"
#include "tests/draw.h"

#define T 1000000

enum { LRW = 16, FRMW = 36, STATES = 56, STATE = 70, SPREAD = 88, BYTES = 104 };

static struct process_data_model m;
static struct process_data_state s;
static uint8_t f[PROCESS_DATA_FRAME_MAX]; /* the reply */
static int64_t now;
static int64_t dc; /* reference clock */

void setUp(void)
{
    memset(&m, 0, sizeof m);
    m.logical = 0x10000;
    m.image_bytes = 8;
    m.output_bytes = 3;
    m.count = 3;
    m.device[0] = (struct process_data_device){0x1001, 0, 0, 3, 1, 1};
    m.device[1] = (struct process_data_device){0x1002, 0, 2, 4, 4, 3};
    m.device[2] = (struct process_data_device){0x1003, 2, 1, 8, 0, 2};
    m.reference = 0x1002;
    m.period_ns = T;
    TEST_ASSERT_EQUAL_INT(0, process_data_init(&m, &s));
    now = 5000000000;
    dc = 700000000000000000;
}

void tearDown(void)
{
}

/* What the wire does to the frame just built: three devices in OP, inputs 0x11 .. 0x55. */
static void segment(void)
{
    memcpy(f, s.frame, sizeof f);
    f[6] |= 0x02;
    for (int i = 0; i < 5; i++) {
        f[LRW + 10 + 3 + i] = (uint8_t)(0x11 * (i + 1));
    }
    wire_put_u16(f + LRW + 18, 6);
    wire_put_i64(f + FRMW + 10, dc);
    wire_put_u16(f + FRMW + 18, 3);
    wire_put_u16(f + STATES + 2, 3); /* each device counts the position on */
    wire_put_u16(f + STATES + 10, 0x08);
    wire_put_u16(f + STATES + 12, 3);
    wire_put_u16(f + STATE + 10, 0x08);
    wire_put_u16(f + STATE + 16, 1);
    wire_put_u16(f + SPREAD + 2, 3);
    wire_put_u32(f + SPREAD + 10, 0x80000000u + 250);
    wire_put_u16(f + SPREAD + 14, 3);
}

static void begin(void)
{
    now += T;
    dc += T;
    TEST_ASSERT_EQUAL_INT(BYTES, process_data_build(&m, &s, now));
    segment();
}

static unsigned end_with_reply(void)
{
    process_data_take(&m, &s, f, BYTES, now + 30000);
    return process_data_end(&m, &s, false);
}

static void good_cycle(void)
{
    begin();
    TEST_ASSERT_EQUAL_HEX(0, end_with_reply());
}

/* The present cycle must not give inputs: they stay, and ages grow. */
static void assert_held(unsigned status)
{
    uint8_t before[sizeof s.inputs];
    const uint32_t age = s.device[1].age;

    memcpy(before, s.inputs, sizeof before);
    TEST_ASSERT_EQUAL_HEX(status, end_with_reply());
    TEST_ASSERT_EQUAL_MEMORY(before, s.inputs, sizeof before);
    for (int i = 0; i < m.count; i++) {
        TEST_ASSERT_FALSE(s.device[i].valid);
    }
    TEST_ASSERT_EQUAL_UINT32(age + 1, s.device[1].age);
}

static void test_a_true_reply_gives_its_inputs(void)
{
    s.outputs[0] = 0xab;
    good_cycle();
    TEST_ASSERT_EQUAL_HEX8(0xab, s.frame[LRW + 10]);
    TEST_ASSERT_EQUAL_HEX8(0x11, s.inputs[m.device[0].input]);
    TEST_ASSERT_EQUAL_HEX8(0x55, s.inputs[m.device[1].input + 3]);
    TEST_ASSERT_EQUAL_INT64(dc, s.dc_time_ns);
    TEST_ASSERT_EQUAL_UINT32(250, s.dc_spread_ns); /* sign taken off */
    TEST_ASSERT_EQUAL_INT64(30000, s.round_trip_ns);
    TEST_ASSERT_EQUAL_HEX(0, s.alarm);
    for (int i = 0; i < m.count; i++) {
        TEST_ASSERT_TRUE(s.device[i].valid);
        TEST_ASSERT_EQUAL_UINT32(0, s.device[i].age);
    }
}

static void test_before_the_first_reply_nothing_is_valid(void)
{
    begin();
    TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_NO_FRAME, process_data_end(&m, &s, false));
    TEST_ASSERT_FALSE(s.device[0].valid);
    TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, s.device[0].age);
}

static void test_a_lost_frame_ages_every_device(void)
{
    good_cycle();
    for (uint32_t k = 1; k <= 5; k++) {
        begin();
        TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_NO_FRAME, process_data_end(&m, &s, false));
        TEST_ASSERT_EQUAL_UINT32(k, s.device[2].age);
        TEST_ASSERT_EQUAL_UINT32(k, s.stale_cycles);
    }
    good_cycle(); /* six periods by both clocks */
    TEST_ASSERT_EQUAL_UINT32(0, s.device[2].age);
    TEST_ASSERT_EQUAL_UINT64(5, s.count[0]);
}

static void test_a_frame_not_sent_is_a_stale_cycle(void)
{
    good_cycle();
    begin();
    TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_SEND_FAIL, process_data_end(&m, &s, true));
    TEST_ASSERT_EQUAL_UINT32(1, s.device[0].age);
}

/* Stock SOEM takes a reply 16 cycles late (240 in our build) as the present one. */
static void test_a_reply_late_by_any_number_of_cycles_is_refused(void)
{
    static const int lags[] = {1, 2, 15, 16, 17, 48, 239, 240, 255, 256, 257, 65536};

    for (size_t i = 0; i < COUNT_OF(lags); i++) {
        uint8_t late[sizeof f];

        good_cycle();
        begin();
        memcpy(late, f, sizeof late);
        process_data_end(&m, &s, false);
        for (int k = 1; k < lags[i]; k++) {
            good_cycle();
        }
        begin();
        memcpy(f, late, sizeof f);
        assert_held(PROCESS_DATA_NO_FRAME | PROCESS_DATA_STALE);
        good_cycle();
    }
}

static void test_the_true_reply_behind_a_late_one_is_taken(void)
{
    uint8_t late[sizeof f];

    begin();
    memcpy(late, f, sizeof late);
    process_data_end(&m, &s, false);
    begin();
    TEST_ASSERT_FALSE(process_data_take(&m, &s, late, BYTES, now + 10000));
    TEST_ASSERT_TRUE(process_data_take(&m, &s, f, BYTES, now + 30000));
    TEST_ASSERT_EQUAL_HEX(0, process_data_end(&m, &s, false));
}

/* Fault 3: later than the limit but within the cycle is lost all the same. */
static void test_a_reply_read_after_the_limit_is_lost(void)
{
    m.receive_ns = 250000;
    good_cycle();
    begin();
    TEST_ASSERT_FALSE(process_data_take(&m, &s, f, BYTES, now + 250001));
    TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_NO_FRAME | PROCESS_DATA_STALE,
                          process_data_end(&m, &s, false));
    TEST_ASSERT_FALSE(s.device[0].valid);
    begin();
    TEST_ASSERT_TRUE(process_data_take(&m, &s, f, BYTES, now + 250000));
    TEST_ASSERT_EQUAL_HEX(0, process_data_end(&m, &s, false));
}

static void test_a_second_copy_changes_nothing(void)
{
    begin();
    process_data_take(&m, &s, f, BYTES, now + 30000);
    f[LRW + 13] = 0x77;
    TEST_ASSERT_TRUE(process_data_take(&m, &s, f, BYTES, now + 40000));
    TEST_ASSERT_EQUAL_HEX8(0x11, s.inputs[3]);
    TEST_ASSERT_EQUAL_HEX(0, process_data_end(&m, &s, false));
}

static void test_a_reply_cut_anywhere_is_refused(void)
{
    good_cycle();
    begin();
    for (int n = PORT_HEADER; n < BYTES; n++) {
        TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_SHORT, process_data_check(&m, &s, f, n, now + 1));
    }
    TEST_ASSERT_EQUAL_HEX(0, process_data_check(&m, &s, f, 120, now + 1)); /* padded */
}

/* Every single bit of a reply that is not data, not an interrupt word and not a position is under watch. */
static void test_every_other_bit_of_a_header_counts(void)
{
    good_cycle();
    begin();
    for (int bit = 14 * 8; bit < BYTES * 8; bit++) {
        static const int starts[] = {LRW, FRMW, STATES, STATE, SPREAD};
        bool header = bit / 8 == 14 || (bit / 8 == 15 && bit % 8 < 3);

        for (size_t k = 0; k < COUNT_OF(starts); k++) {
            const int at = bit / 8 - starts[k];

            header = header || (at >= 0 && at < 8 && !((k == 2 || k == 4) && (at == 2 || at == 3)));
        }
        if (header) {
            f[bit / 8] ^= (uint8_t)(1u << bit % 8);
            TEST_ASSERT_NOT_EQUAL(0, process_data_check(&m, &s, f, BYTES, now + 1));
            f[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

static void test_outputs_that_come_back_changed_are_refused(void)
{
    good_cycle();
    for (int i = 0; i < m.output_bytes; i++) {
        begin();
        f[LRW + 10 + i] ^= 0x10;
        assert_held(PROCESS_DATA_NO_FRAME | PROCESS_DATA_ECHO);
    }
}

static void test_every_other_working_counter_is_refused(void)
{
    good_cycle();
    for (uint16_t wkc = 0; wkc < 20; wkc++) {
        begin();
        wire_put_u16(f + LRW + 18, wkc);
        if (wkc != 6) {
            assert_held(wkc < 6 ? PROCESS_DATA_WKC_LOW : PROCESS_DATA_WKC_HIGH);
        }
    }
}

static void test_a_jump_of_the_reference_clock_holds_one_cycle(void)
{
    static const int64_t jumps[] = {-15000000, -T + 1, -500000, 500000, T, 15000000};

    for (size_t i = 0; i < COUNT_OF(jumps); i++) {
        good_cycle();
        dc += jumps[i];
        begin();
        assert_held(PROCESS_DATA_DC_JUMP);
        good_cycle();
    }
}

/* Our own thread late by 5 ms: both clocks agree, so nothing is wrong. */
static void test_a_late_wake_up_of_ours_is_no_jump(void)
{
    good_cycle();
    now += 5 * T;
    dc += 5 * T;
    good_cycle();
}

static void test_a_hostile_time_is_a_jump_and_no_overflow(void)
{
    static const int64_t times[] = {INT64_MIN, INT64_MAX, -1, 0};

    for (size_t i = 0; i < COUNT_OF(times); i++) {
        good_cycle();
        begin();
        wire_put_i64(f + FRMW + 10, times[i]);
        assert_held(PROCESS_DATA_DC_JUMP);
        begin();
        TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_DC_JUMP, end_with_reply()); /* and back again */
    }
}

static void test_a_missing_reference_clock_is_seen(void)
{
    good_cycle();
    begin();
    memcpy(f + FRMW + 10, s.frame + FRMW + 10, 8); /* nobody wrote its time */
    wire_put_u16(f + FRMW + 18, 2);
    assert_held(PROCESS_DATA_DC_JUMP);
    TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_REFERENCE, s.alarm);
    begin();
    wire_put_u16(f + FRMW + 18, 0);
    assert_held(PROCESS_DATA_DC_JUMP);
    good_cycle();
}

/* Rule 6: the working counter may stay full. */
static void test_a_device_that_left_op_is_not_valid_though_the_counter_is_full(void)
{
    int cycles = 0;

    good_cycle();
    do {
        begin();
        wire_put_u16(f + STATES + 10, 0x1c); /* OP or SAFE-OP with error */
        if (wire_get_u16(f + STATE + 2) == 0x1003) {
            wire_put_u16(f + STATE + 10, 0x14);
            wire_put_u16(f + STATE + 14, 0x001b);
        }
        TEST_ASSERT_EQUAL_HEX(0, end_with_reply());
        TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_NOT_OP, s.alarm); /* in the very cycle */
        cycles++;
    } while (s.device[2].valid && cycles < 10);
    TEST_ASSERT_TRUE(cycles <= m.count); /* named after one round */
    TEST_ASSERT_EQUAL_HEX16(0x14, s.device[2].state);
    TEST_ASSERT_EQUAL_HEX16(0x001b, s.device[2].code);
    TEST_ASSERT_TRUE(s.device[0].valid);
    good_cycle();
    TEST_ASSERT_TRUE(s.device[2].valid);
}

static void test_a_missing_device_is_an_alarm(void)
{
    good_cycle();
    begin();
    wire_put_u16(f + STATES + 12, 2);
    TEST_ASSERT_EQUAL_HEX(0, end_with_reply());
    TEST_ASSERT_EQUAL_HEX(PROCESS_DATA_MISSING, s.alarm);
    TEST_ASSERT_EQUAL_INT(2, s.present);
}

/* Random bytes in place of any part of a true reply: never accepted unless only data of inputs changed. */
static void test_random_damage_is_never_valid(void)
{
    struct draw draw = {99};
    int refused = 0;

    good_cycle();
    for (int i = 0; i < 20000; i++) {
        const int at = 14 + draw_index(&draw, BYTES - 14);
        uint8_t old;

        begin();
        old = f[at];
        f[at] = (uint8_t)draw_bits(&draw);
        if (f[at] != old && process_data_check(&m, &s, f, BYTES, now + 30000) == 0) {
            const bool input = at >= LRW + 13 && at < LRW + 18;
            const bool free_field = (at >= LRW + 8 && at < LRW + 10) || at >= FRMW + 8;

            TEST_ASSERT_TRUE(input || free_field || at == 15);
        } else {
            refused++;
        }
        process_data_end(&m, &s, false);
    }
    TEST_ASSERT_TRUE(refused > 10000);
}

static void test_a_wrong_plan_is_refused(void)
{
    m.device[0].input = 8;
    TEST_ASSERT_EQUAL_INT(-EINVAL, process_data_init(&m, &s));
    m.device[0].input = 3;
    m.device[2].output = 3;
    TEST_ASSERT_EQUAL_INT(-EINVAL, process_data_init(&m, &s));
    m.device[2].output = 2;
    m.period_ns = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, process_data_init(&m, &s));
    m.period_ns = T;
    m.count = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, process_data_init(&m, &s));
    m.count = PROCESS_DATA_DEVICES_MAX + 1;
    TEST_ASSERT_EQUAL_INT(-EINVAL, process_data_init(&m, &s));
    m.count = 3;
    m.image_bytes = PROCESS_DATA_IMAGE_MAX + 1;
    TEST_ASSERT_EQUAL_INT(-EMSGSIZE, process_data_init(&m, &s));
    m.image_bytes = PROCESS_DATA_IMAGE_MAX;
    TEST_ASSERT_EQUAL_INT(0, process_data_init(&m, &s));
    TEST_ASSERT_EQUAL_INT(PROCESS_DATA_FRAME_MAX, process_data_build(&m, &s, 0));
}

static void test_names_are_said(void)
{
    TEST_ASSERT_EQUAL_STRING("NO_FRAME", process_data_name(0));
    TEST_ASSERT_EQUAL_STRING("STALE", process_data_name(7));
    TEST_ASSERT_EQUAL_STRING("?", process_data_name(8));
    TEST_ASSERT_EQUAL_STRING("SAFE-OP", process_data_state_name(0x14));
    TEST_ASSERT_EQUAL_STRING("?", process_data_state_name(0x0c));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_true_reply_gives_its_inputs);
    RUN_TEST(test_before_the_first_reply_nothing_is_valid);
    RUN_TEST(test_a_lost_frame_ages_every_device);
    RUN_TEST(test_a_frame_not_sent_is_a_stale_cycle);
    RUN_TEST(test_a_reply_late_by_any_number_of_cycles_is_refused);
    RUN_TEST(test_the_true_reply_behind_a_late_one_is_taken);
    RUN_TEST(test_a_reply_read_after_the_limit_is_lost);
    RUN_TEST(test_a_second_copy_changes_nothing);
    RUN_TEST(test_a_reply_cut_anywhere_is_refused);
    RUN_TEST(test_every_other_bit_of_a_header_counts);
    RUN_TEST(test_outputs_that_come_back_changed_are_refused);
    RUN_TEST(test_every_other_working_counter_is_refused);
    RUN_TEST(test_a_jump_of_the_reference_clock_holds_one_cycle);
    RUN_TEST(test_a_late_wake_up_of_ours_is_no_jump);
    RUN_TEST(test_a_hostile_time_is_a_jump_and_no_overflow);
    RUN_TEST(test_a_missing_reference_clock_is_seen);
    RUN_TEST(test_a_device_that_left_op_is_not_valid_though_the_counter_is_full);
    RUN_TEST(test_a_missing_device_is_an_alarm);
    RUN_TEST(test_random_damage_is_never_valid);
    RUN_TEST(test_a_wrong_plan_is_refused);
    RUN_TEST(test_names_are_said);
    return UNITY_END();
}
