/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_clock.c - distributed clocks: one clock alone, then a whole segment measured and synchronised as a master does
 * it (data sheet section I, chapter 9). */
#include "tools/lab/clock.h"

#include <stdlib.h>

#include "tests/lab_master.h"
#include "unity.h"

#define SECOND 1000000000ll

static struct lab lab;

void setUp(void)
{
}

void tearDown(void)
{
}

/* One clock ------------------------------------------------------------------------------------------------------ */

static void test_a_fast_oscillator_gains_exactly_its_rate(void)
{
    struct clock c;

    clock_init(&c, 5, 1000, 20000); /* 20 ppm */
    TEST_ASSERT_EQUAL_INT64(1000, clock_local(&c, 5));
    TEST_ASSERT_EQUAL_INT64(1000 + SECOND / 2 + 10000, clock_local(&c, 5 + SECOND / 2));
    TEST_ASSERT_EQUAL_INT64(1000 + SECOND + 20000, clock_local(&c, 5 + SECOND));
    TEST_ASSERT_EQUAL_INT64(1000 + 864000 * SECOND + 864000 * 20000ll,
                            clock_local(&c, 5 + 864000 * SECOND)); /* 10 days */
    clock_set_rate(&c, 5 + SECOND, -100000);
    TEST_ASSERT_EQUAL_INT64(1000 + 2 * SECOND + 20000 - 100000, clock_local(&c, 5 + 2 * SECOND));
}

static void test_a_change_of_rate_does_not_move_the_time(void)
{
    struct clock c;
    int64_t before;

    clock_init(&c, 0, 0, 12345);
    before = clock_local(&c, 777777777);
    clock_set_rate(&c, 777777777, -54321);
    TEST_ASSERT_EQUAL_INT64(before, clock_local(&c, 777777777));
    clock_step(&c, 777777777, 1000000);
    TEST_ASSERT_EQUAL_INT64(before + 1000000, clock_local(&c, 777777777));
    clock_stop(&c, 777777777, true);
    TEST_ASSERT_EQUAL_INT64(before + 1000000, clock_local(&c, 5 * SECOND));
    clock_stop(&c, 5 * SECOND, false);
    TEST_ASSERT_GREATER_THAN_INT64(before + 1000000, clock_local(&c, 5 * SECOND + 10));
}

static void test_the_control_loop_never_jumps(void)
{
    struct clock c;
    int64_t last;

    clock_init(&c, 0, 0, 0);
    last = clock_system(&c, 0);
    for (int i = 1; i <= 100; i++) {
        clock_compare(&c, 0, 50000); /* 50 us ahead */
        TEST_ASSERT_LESS_OR_EQUAL_INT64(1000, llabs(clock_system(&c, 0) - last));
        last = clock_system(&c, 0);
    }
    TEST_ASSERT_EQUAL_INT64(50000, last);
}

static void test_difference_shows_magnitude_and_who_is_behind(void)
{
    struct clock c;

    clock_init(&c, 0, 10000, 0);
    clock_compare(&c, 0, 10000 + 400);
    TEST_ASSERT_EQUAL_HEX32(0x80000000u | 100,
                            clock_difference(&c)); /* own time behind; mean over four */
    clock_init(&c, 0, 10000, 0);
    clock_compare(&c, 0, 10000 - 400);
    TEST_ASSERT_EQUAL_HEX32(100, clock_difference(&c));
}

static void test_the_comparison_works_across_the_wrap_of_32_bits(void)
{
    struct clock c;

    clock_init(&c, 0, 0x1fffffff0, 0);
    clock_compare(&c, 0, 0x00000010); /* 32 ns ahead, past the wrap */
    TEST_ASSERT_EQUAL_INT64(0x1fffffff0 + 32, clock_system(&c, 0));
}

static void test_sync_pulses_come_at_start_and_every_cycle(void)
{
    struct clock c;

    clock_init(&c, 0, 0, 0);
    clock_sync(&c, 0, true, 100, 50);
    TEST_ASSERT_EQUAL_INT(0, clock_pulses(&c, 99, 10));
    TEST_ASSERT_EQUAL_INT(1, clock_pulses(&c, 100, 10));
    TEST_ASSERT_EQUAL_INT(0, clock_pulses(&c, 149, 10));
    TEST_ASSERT_EQUAL_INT(3, clock_pulses(&c, 250, 10));
    TEST_ASSERT_EQUAL_INT(10, clock_pulses(&c, 100000, 10)); /* older ones are skipped */
    TEST_ASSERT_EQUAL_INT(0, clock_pulses(&c, 100000, 10));
    clock_sync(&c, 100000, false, 0, 0);
    TEST_ASSERT_EQUAL_INT(0, clock_pulses(&c, 200000, 10));
}

static void test_a_start_in_the_past_never_fires_and_cycle_zero_fires_once(void)
{
    struct clock c;

    clock_init(&c, 0, 1000, 0);
    clock_sync(&c, 0, true, 999, 50);
    TEST_ASSERT_EQUAL_INT(0, clock_pulses(&c, 100000, 10));
    clock_sync(&c, 0, true, 1500, 0);
    TEST_ASSERT_EQUAL_INT(1, clock_pulses(&c, 600, 10));
    TEST_ASSERT_EQUAL_INT(0, clock_pulses(&c, 700, 10));
}

static void test_hostile_register_values_do_no_harm(void)
{
    struct clock c;

    clock_init(&c, 0, 0, 0);
    c.offset_ns = INT64_MAX;
    (void)clock_system(&c, SECOND);
    clock_sync(&c, SECOND, true, INT64_MAX, 1);
    (void)clock_pulses(&c, 2 * SECOND, 10);
    c.offset_ns = INT64_MIN;
    (void)clock_pulses(&c, 2 * SECOND, 10);
    clock_compare(&c, 0, 0x80000000);
    (void)clock_difference(&c);
    TEST_ASSERT_EQUAL_INT(0, clock_pulses(&c, 2 * SECOND, 0));
}

/* A segment ------------------------------------------------------------------------------------------------------ */

static int32_t port_time(struct master *m, int position, int port)
{
    return (int32_t)master_read(m, position, (uint16_t)(0x0900 + 4 * port), 4);
}

static void latch(struct master *m)
{
    uint8_t zero[4] = {0};

    TEST_ASSERT_GREATER_THAN_INT(0, master_do(m, M_BWR, 0x0900u << 16, zero, 4));
}

/* In a chain: half of what is spent behind the slave before, less what is spent behind this one. */
static void test_delays_of_a_chain_are_found_to_a_nanosecond(void)
{
    struct slave_model models[6] = {{0}};
    struct master m = {.lab = &lab, .step_ns = 1000};
    int32_t delay = 0;
    int32_t expected = 0;

    for (int i = 0; i < 6; i++) {
        models[i].type = &device_drive_cia402;
        models[i].hop_ns = 600 + 37 * i;
        models[i].local_ns = 1000 * i; /* equal rates: what is measured is exact */
    }
    TEST_ASSERT_EQUAL_INT(0, lab_init(&lab, models, 6, 1, 0, NULL));
    latch(&m);
    for (int i = 2; i <= 6; i++) {
        const int32_t before = port_time(&m, i - 1, 1) - port_time(&m, i - 1, 0);
        const int32_t here = i < 6 ? port_time(&m, i, 1) - port_time(&m, i, 0) : 0;

        delay += (before - here) / 2;
        expected += models[i - 1].hop_ns;
        TEST_ASSERT_INT32_WITHIN(1, expected, delay);
    }
    TEST_ASSERT_EQUAL_INT32(0, port_time(&m, 6, 1)); /* end of the line: port not used */
}

/* A coupler with a branch on port 3 (two drives), then the line goes on at port 1. */
static void test_a_branch_is_visited_before_the_line_goes_on(void)
{
    struct slave_model models[4] = {
        {.type = &device_coupler},
        {.type = &device_drive_cia402, .branch = 1, .port = 3, .hop_ns = 1000},
        {.type = &device_drive_cia402, .branch = 1, .hop_ns = 200},
        {.type = &device_drive_cia402, .branch = 3, .port = 1, .hop_ns = 5000},
    };
    struct master m = {.lab = &lab, .step_ns = 1000};
    int32_t entry;

    TEST_ASSERT_EQUAL_INT(0, lab_init(&lab, models, 4, 1, 0, NULL));
    latch(&m);
    entry = port_time(&m, 1, 0);
    TEST_ASSERT_EQUAL_INT32(2 * 1200, port_time(&m, 1, 3) - entry);
    TEST_ASSERT_EQUAL_INT32(2 * 1200 + 2 * 5000, port_time(&m, 1, 1) - entry);
    TEST_ASSERT_EQUAL_INT32(2 * 200, port_time(&m, 2, 1) - port_time(&m, 2, 0));
    TEST_ASSERT_EQUAL_INT32(1200, lab.segment.arrival_ns[2]);
    TEST_ASSERT_EQUAL_INT32(2 * 1200 + 5000, lab.segment.arrival_ns[3]);
    TEST_ASSERT_EQUAL_INT32(0, port_time(&m, 1, 2));
    TEST_ASSERT_EQUAL_HEX64(0xcf, master_read(&m, 1, 0x0007, 1)); /* it has a port 3 */
    /* ports 0, 1 and 3 of the coupler have a link, port 2 is closed */
    TEST_ASSERT_EQUAL_HEX16(0x0001 | 0x00b0 | 2u << 8 | 2u << 10 | 1u << 12 | 2u << 14,
                            master_read(&m, 1, 0x0110, 2));
}

static void test_impossible_wiring_is_refused(void)
{
    struct slave_model models[4] = {
        {.type = &device_coupler},
        {.type = &device_coupler, .branch = 1, .port = 1},
        {.type = &device_coupler, .branch = 2, .port = 2}, /* the line leaves device 2 for good */
        {.type = &device_coupler, .branch = 2, .port = 2},
    };
    struct physics physics = plant_physics(&lab.plant);
    static struct segment s;

    TEST_ASSERT_EQUAL_INT(-22, segment_init(&s, models, 4, &physics, 1, 0));
    models[3].branch = 3;
    models[3].port = 3; /* port 3 of the first comes before its port 2 */
    TEST_ASSERT_EQUAL_INT(-22, segment_init(&s, models, 4, &physics, 1, 0));
    models[3].branch = 1;
    TEST_ASSERT_EQUAL_INT(0, segment_init(&s, models, 4, &physics, 1, 0));
    TEST_ASSERT_EQUAL_INT(-22, segment_init(&s, models, 0, &physics, 1, 0));
    TEST_ASSERT_EQUAL_INT(-22, segment_init(&s, models, 65, &physics, 1, 0));
}

/* Offsets and delays as a master sets them: every time equals that of device 1 then, but for the delay. */
static void set_up_clocks(struct master *m)
{
    latch(m);
    for (int i = 1; i <= lab.segment.count; i++) {
        uint8_t r[12];

        wire_put_u64(r, 7000 * SECOND - master_read(m, i, 0x0918, 8));
        wire_put_u32(r + 8, (uint32_t)lab.segment.arrival_ns[i - 1]);
        master_write(m, i, 0x0920, r, 12);
    }
}

static uint32_t greatest_difference(struct master *m)
{
    uint32_t most = 0;

    for (int i = 1; i <= lab.segment.count; i++) {
        const uint32_t d = (uint32_t)master_read(m, i, 0x092c, 4) & 0x7fffffff;

        most = d > most ? d : most;
    }
    return most;
}

/* FRMW from the first device every millisecond, clocks between -20 and +20 ppm, or worse. */
static void run_clocks(struct master *m, int cycles)
{
    for (int i = 0; i < cycles; i++) {
        uint8_t time[8] = {0};

        m->t_ns += 1000000 - m->step_ns;
        master_do(m, M_FRMW, 0x1001 | 0x0910u << 16, time, 8);
    }
}

static void test_all_clocks_follow_the_first(void)
{
    struct master m;

    master_init(&m, &lab, "bench12", 1);
    for (int i = 1; i <= 12; i++) {
        master_write16(&m, i, 0x0010, (uint16_t)(0x1000 + i));
    }
    clock_set_rate(&lab.segment.slave[6].clock, 0, 100000);
    clock_set_rate(&lab.segment.slave[7].clock, 0, -100000);
    set_up_clocks(&m);
    run_clocks(&m, 500);
    TEST_ASSERT_LESS_THAN_UINT32(
        200, greatest_difference(&m)); /* 100 ppm in 1 ms are 100 ns, 120 to the reference */
    for (int i = 0; i < 12; i++) {
        const int64_t apart = clock_system(&lab.segment.slave[i].clock, m.t_ns) -
                              clock_system(&lab.segment.slave[0].clock, m.t_ns);

        if (lab.segment.slave[i].model.type->dc) {
            TEST_ASSERT_INT64_WITHIN(150, 0, apart);
        }
    }
}

static void test_a_jump_of_one_clock_is_seen_and_taken_back_slowly(void)
{
    struct master m;

    master_init(&m, &lab, "bench12", 1);
    for (int i = 1; i <= 12; i++) {
        master_write16(&m, i, 0x0010, (uint16_t)(0x1000 + i));
    }
    set_up_clocks(&m);
    run_clocks(&m, 200);
    clock_step(&lab.segment.slave[8].clock, m.t_ns, 100000);
    run_clocks(&m, 5);
    TEST_ASSERT_GREATER_THAN_UINT32(50000, greatest_difference(&m));
    run_clocks(&m, 200);
    TEST_ASSERT_LESS_THAN_UINT32(200, greatest_difference(&m));
}

/* On the bus the time is that at which the frame passed the reference: all slaves show the same. */
static void test_system_time_on_the_bus_has_the_delay_taken_off(void)
{
    struct slave_model models[3] = {{.type = &device_drive_cia402},
                                    {.type = &device_drive_cia402},
                                    {.type = &device_drive_cia402}};
    struct master m = {.lab = &lab, .step_ns = 1000};

    TEST_ASSERT_EQUAL_INT(0, lab_init(&lab, models, 3, 1, 0, NULL));
    TEST_ASSERT_EQUAL_INT32(2 * 700,
                            lab.segment.arrival_ns[2]); /* 700 ns a hop unless said otherwise */
    for (int i = 1; i <= 3; i++) {
        master_write(&m, i, 0x0928, &lab.segment.arrival_ns[i - 1], 4); /* little-endian host */
    }
    for (int i = 1; i <= 3; i++) {
        m.t_ns = 5000000;
        TEST_ASSERT_EQUAL_UINT64(5001000, master_read(&m, i, 0x0910, 8));
    }
}

static void test_jitter_stays_within_its_bound_and_repeats_with_the_seed(void)
{
    struct master m;
    uint64_t first[50];

    for (int run = 0; run < 2; run++) {
        master_init(&m, &lab, "one", 9);
        lab.segment.slave[0].clock.jitter_ns = 300;
        lab.segment.slave[0].clock.rate_ppb = 0;
        for (int i = 0; i < 50; i++) {
            const uint64_t t = master_read(&m, 1, 0x0910, 8);

            TEST_ASSERT_INT64_WITHIN(300, clock_system(&lab.segment.slave[0].clock, m.t_ns),
                                     (int64_t)t);
            if (run == 0) {
                first[i] = t;
            }
            TEST_ASSERT_EQUAL_UINT64(first[i], t);
        }
    }
    TEST_ASSERT_NOT_EQUAL(first[1] - first[0], first[2] - first[1]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_fast_oscillator_gains_exactly_its_rate);
    RUN_TEST(test_a_change_of_rate_does_not_move_the_time);
    RUN_TEST(test_the_control_loop_never_jumps);
    RUN_TEST(test_difference_shows_magnitude_and_who_is_behind);
    RUN_TEST(test_the_comparison_works_across_the_wrap_of_32_bits);
    RUN_TEST(test_sync_pulses_come_at_start_and_every_cycle);
    RUN_TEST(test_a_start_in_the_past_never_fires_and_cycle_zero_fires_once);
    RUN_TEST(test_hostile_register_values_do_no_harm);
    RUN_TEST(test_delays_of_a_chain_are_found_to_a_nanosecond);
    RUN_TEST(test_a_branch_is_visited_before_the_line_goes_on);
    RUN_TEST(test_impossible_wiring_is_refused);
    RUN_TEST(test_all_clocks_follow_the_first);
    RUN_TEST(test_a_jump_of_one_clock_is_seen_and_taken_back_slowly);
    RUN_TEST(test_system_time_on_the_bus_has_the_delay_taken_off);
    RUN_TEST(test_jitter_stays_within_its_bound_and_repeats_with_the_seed);
    return UNITY_END();
}
