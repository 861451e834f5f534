/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_cia402.c - a drive is led through its states, and nothing moves it before it may. */
#include "drivers/cia402.h"
#include "unity.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/devices.h"

#define DT 0.001

static struct cia402_model m;
static struct cia402_status s;
static struct cia402_sample in;
static struct cia402_command c;
static uint8_t out[CIA402_OUTPUTS];

void setUp(void)
{
    m = (struct cia402_model){CIA402_TORQUE, 1000.0, 100.0, 10.0, 20.0, 1.0};
    TEST_ASSERT_EQUAL_INT(0, cia402_init(&m, &s));
    memset(&in, 0, sizeof in);
    memset(&c, 0, sizeof c);
}

void tearDown(void)
{
}

static int torque(void)
{
    return wire_get_i16(out + 3);
}

static void step(bool valid)
{
    cia402_write(&m, &s, &in, &c, valid, DT, out);
}

static void enabled(void)
{
    in.state = CIA402_ENABLED;
    in.ready = true;
    c.goal = CIA402_GO_RUN;
}

/* The states by their bit patterns, as the standard prints them: x is free. */
static void test_every_status_word_has_the_state_of_the_standard(void)
{
    static const char *const patterns[CIA402_STATES] = {"x0xx0000", "x1xx0000", "x01x0001",
                                                        "x01x0011", "x01x0111", "x00x0111",
                                                        "x0xx1111", "x0xx1000"};

    for (unsigned status = 0; status < 65536; status++) {
        int expected = CIA402_NOT_READY;

        for (int k = 0; k < CIA402_STATES; k++) {
            bool fits = true;

            for (int bit = 0; bit < 8; bit++) {
                const char p = patterns[k][7 - bit];

                fits = fits && (p == 'x' || (status >> bit & 1u) == (p == '1'));
            }
            expected = fits ? k : expected;
        }
        TEST_ASSERT_EQUAL_INT(expected, cia402_decode((uint16_t)status));
    }
}

/* Every state, goal and reset: operation is enabled only from switched on, and a fault is reset only when asked. */
static void test_no_control_word_enables_unless_all_before_it_was_done(void)
{
    for (int state = -1; state <= CIA402_STATES; state++) {
        for (int goal = -1; goal <= CIA402_GOALS; goal++) {
            for (int reset = 0; reset < 2; reset++) {
                const uint16_t word = cia402_next(state, goal, reset != 0);

                if ((word & 0x0f) == 0x0f) {
                    TEST_ASSERT_EQUAL_INT(CIA402_GO_RUN, goal);
                    TEST_ASSERT_TRUE(state == CIA402_SWITCHED_ON || state == CIA402_ENABLED);
                }
                TEST_ASSERT_EQUAL((word & 0x80) != 0, state == CIA402_FAULT && reset != 0);
                TEST_ASSERT_TRUE(goal == CIA402_GO_RUN || goal == CIA402_GO_ON || (word & 1) == 0);
            }
        }
    }
}

/* Against the lab's drive, written apart: every goal is reached from every state in at most four transitions. */
static void test_every_goal_is_reached_from_every_state(void)
{
    static const int wanted[CIA402_GOALS] = {CIA402_DISABLED, CIA402_SWITCHED_ON, CIA402_ENABLED,
                                             CIA402_DISABLED};

    for (int start = CIA402_DISABLED; start < CIA402_STATES; start++) {
        for (int goal = 0; goal < CIA402_GOALS; goal++) {
            int state = start == CIA402_REACTION ? CIA402_FAULT : start;
            uint16_t before = 0;
            int n = 0;

            while (state != wanted[goal] && n < 6) {
                const uint16_t word = cia402_next(state, goal, before != 0x80);

                state = device_cia402_next(state, word, before, false);
                if (state == CIA402_QUICK_STOP) {
                    state = CIA402_DISABLED; /* it stands */
                }
                before = word;
                n++;
            }
            TEST_ASSERT_EQUAL_INT(wanted[goal], state);
            TEST_ASSERT_TRUE(n <= 5);
        }
    }
}

static void test_no_torque_leaves_before_the_drive_follows(void)
{
    c.goal = CIA402_GO_RUN;
    c.torque_nm = 5.0;
    for (int state = 0; state < CIA402_STATES; state++) {
        in.state = state;
        step(true);
        TEST_ASSERT_EQUAL_INT(0, torque());
    }
}

static void test_torque_grows_over_the_ramp_and_is_limited(void)
{
    int last = 0;

    enabled();
    c.torque_nm = 5.0;
    for (int i = 0; i < 60; i++) {
        step(true);
        TEST_ASSERT_TRUE(torque() >= last &&
                         torque() - last <= 11); /* 500 per mille in 50 cycles */
        last = torque();
    }
    TEST_ASSERT_EQUAL_INT(500, last);
    c.torque_nm = -1000.0;
    step(true);
    TEST_ASSERT_EQUAL_INT(-2000, torque());
}

static void test_one_lost_frame_is_no_step_of_torque(void)
{
    enabled();
    c.torque_nm = 5.0;
    for (int i = 0; i < 60; i++) {
        step(true);
    }
    step(false);
    TEST_ASSERT_EQUAL_INT(500, torque());
    TEST_ASSERT_EQUAL_HEX16(0x0f, wire_get_u16(out));
}

static void test_a_command_that_is_no_number_switches_off(void)
{
    enabled();
    c.torque_nm = NAN;
    step(true);
    TEST_ASSERT_TRUE(s.bad_command);
    TEST_ASSERT_EQUAL_INT(0, torque());
    TEST_ASSERT_EQUAL_HEX16(0, wire_get_u16(out));
    c.torque_nm = 1.0;
    step(true);
    TEST_ASSERT_EQUAL_HEX16(0, wire_get_u16(out)); /* latched */
}

/* Bumpless: the target is where the joint is, then moves with bounded speed. */
static void test_position_starts_where_the_joint_is(void)
{
    m.mode = CIA402_POSITION;
    in.state = CIA402_SWITCHED_ON;
    in.position_rad = 0.7;
    c.goal = CIA402_GO_RUN;
    step(true);
    TEST_ASSERT_EQUAL_INT32(700, wire_get_i32(out + 5));
    enabled();
    for (int i = 1; i <= 10; i++) {
        step(true);
        TEST_ASSERT_INT32_WITHIN(1, 700 - i, wire_get_i32(out + 5)); /* 1 rad/s towards 0 */
    }
    TEST_ASSERT_EQUAL_INT(0, torque());
}

static void test_a_drive_that_does_not_move_on_is_given_up(void)
{
    int n = 0;

    in.state = CIA402_READY;
    c.goal = CIA402_GO_RUN;
    while (!s.timeout && n < 1000) {
        step(true);
        n++;
    }
    TEST_ASSERT_INT_WITHIN(2, 102, n);
    step(true);
    TEST_ASSERT_EQUAL_HEX16(0, wire_get_u16(out));
}

static void test_fault_reset_is_an_edge_and_only_on_request(void)
{
    in.state = CIA402_FAULT;
    in.fault = true;
    step(true);
    TEST_ASSERT_EQUAL_HEX16(0, wire_get_u16(out));
    c.reset = true;
    for (int i = 0; i < 4; i++) {
        step(true);
        TEST_ASSERT_EQUAL_HEX16(i % 2 == 0 ? 0x80 : 0, wire_get_u16(out));
    }
}

static void test_bytes_become_si(void)
{
    uint8_t bytes[CIA402_INPUTS] = {0};

    wire_put_u16(bytes, 0x1227 | 0x0800);
    bytes[2] = 10;
    wire_put_i32(bytes + 3, -1500);
    wire_put_i32(bytes + 7, 50);
    wire_put_i16(bytes + 11, -250);
    wire_put_u16(bytes + 13, 0x8611);
    cia402_read(&m, bytes, &in);
    TEST_ASSERT_EQUAL_INT(CIA402_ENABLED, in.state);
    TEST_ASSERT_TRUE(in.ready && in.limited && !in.fault);
    TEST_ASSERT_EQUAL_DOUBLE(-1.5, in.position_rad);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, in.velocity_rad_s);
    TEST_ASSERT_EQUAL_DOUBLE(-2.5, in.torque_nm);
    TEST_ASSERT_EQUAL_HEX16(0x8611, in.error_code);
    bytes[2] = 8; /* another mode than commanded */
    cia402_read(&m, bytes, &in);
    TEST_ASSERT_FALSE(in.ready);
}

static void test_wrong_models_are_refused(void)
{
    m.increments_per_rad = 0.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, cia402_init(&m, &s));
    m.increments_per_rad = NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, cia402_init(&m, &s));
    m.increments_per_rad = -5.0;
    TEST_ASSERT_EQUAL_INT(0, cia402_init(&m, &s));
    m.torque_max_nm = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, cia402_init(&m, &s));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_status_word_has_the_state_of_the_standard);
    RUN_TEST(test_no_control_word_enables_unless_all_before_it_was_done);
    RUN_TEST(test_every_goal_is_reached_from_every_state);
    RUN_TEST(test_no_torque_leaves_before_the_drive_follows);
    RUN_TEST(test_torque_grows_over_the_ramp_and_is_limited);
    RUN_TEST(test_one_lost_frame_is_no_step_of_torque);
    RUN_TEST(test_a_command_that_is_no_number_switches_off);
    RUN_TEST(test_position_starts_where_the_joint_is);
    RUN_TEST(test_a_drive_that_does_not_move_on_is_given_up);
    RUN_TEST(test_fault_reset_is_an_edge_and_only_on_request);
    RUN_TEST(test_bytes_become_si);
    RUN_TEST(test_wrong_models_are_refused);
    return UNITY_END();
}
