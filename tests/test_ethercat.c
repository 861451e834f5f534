/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_ethercat.c - the whole master layer with SOEM against the simulated segment, in virtual time (virtual.h). */
#include "unity.h"

#include "bench_bus.h"

#include <errno.h>
#include <math.h>

#include "drivers/cia402.h"
#include "drivers/coe.h"
#include "drivers/recovery.h"
#include "drivers/watch.h"
#include "drivers/wire.h"

static struct bench bench;

void setUp(void)
{
}

void tearDown(void)
{
    bench_close(&bench);
}

static void test_twelve_devices_reach_op_and_exchange_data(void)
{
    bench_start(&bench, "bench12", 1);
    TEST_ASSERT_EQUAL_INT(12, bench.bus.count);
    TEST_ASSERT_EQUAL_INT(30, bench.bus.plan.wkc);
    bench_run(&bench, 1000);
    TEST_ASSERT_EQUAL_UINT64(0, bench.stale);
    for (int i = 0; i < bench.bus.count; i++) {
        TEST_ASSERT_TRUE(bench.bus.data.device[i].valid);
    }
}

/* SOEM would take a lost frame of its start for an answer of zeros; three in a hundred are lost here. */
static void test_bring_up_survives_lost_frames(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bench_prepare(&bench, "bench12", seed);
        virtual_tell(bench.world, "drop 2% any for 60000ms");
        virtual_tell(bench.world, "lose 1% any for 60000ms");
        bench_open(&bench, 0);
        bench_close(&bench);
    }
}

/* Twelve devices in under a second, by the clock of the wire: nothing but waiting moves it. */
static void test_bring_up_takes_less_than_a_second(void)
{
    int64_t begin_ns;

    bench_prepare(&bench, "bench12", 1);
    begin_ns = bench.world->now_ns;
    bench_open(&bench, 0);
    bench_operate(&bench);
    TEST_ASSERT_LESS_THAN_INT64(1000000000, bench.world->now_ns - begin_ns);
}

static const struct slave *lab_slave(int position)
{
    return &bench.world->lab.segment.slave[position - 1];
}

static void test_drive_with_another_mapping_is_told_ours(void)
{
    bench_prepare(&bench, "bench12", 1);
    virtual_tell(bench.world,
                 "od 6 1600:01 0x60710010"); /* the first two of its entries changed places */
    virtual_tell(bench.world, "od 6 1600:03 0x60400010");
    virtual_tell(bench.world, "od 7 1c12:01 0x1601"); /* another PDO assigned */
    bench_open(&bench, 0);
    for (int i = 6; i <= 7; i++) {
        TEST_ASSERT_EQUAL_HEX32(0x60400010, od_get(&lab_slave(i)->od, 0x1600, 1));
        TEST_ASSERT_EQUAL_HEX32(0x60710010, od_get(&lab_slave(i)->od, 0x1600, 3));
        TEST_ASSERT_EQUAL_HEX32(0x1600, od_get(&lab_slave(i)->od, 0x1c12, 1));
        TEST_ASSERT_EQUAL_UINT32(1, od_get(&lab_slave(i)->od, 0x1c12, 0));
    }
}

static void test_start_up_object_refused_is_named_with_device_and_reason(void)
{
    int64_t begin_ns;

    bench_prepare(&bench, "bench12", 1);
    begin_ns = bench.world->now_ns;
    virtual_tell(bench.world, "abort 8 60c2:01 0x06090030");
    bench_open(&bench, -EPROTO);
    TEST_ASSERT_NOT_NULL(strstr(bench.messages, "slave 8 CiA 402 drive: object 0x60c2:01"));
    TEST_ASSERT_NOT_NULL(strstr(bench.messages, "0x06090030"));
    TEST_ASSERT_LESS_THAN_INT64(5000000000, bench.world->now_ns - begin_ns);
}

static void test_silent_mailbox_at_start_is_named_within_five_seconds(void)
{
    int64_t begin_ns;

    bench_prepare(&bench, "one", 1);
    begin_ns = bench.world->now_ns;
    virtual_tell(bench.world, "mbx 1 hang");
    bench_open(&bench, -EPROTO);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(bench.messages, "mailbox"), bench.messages);
    TEST_ASSERT_LESS_THAN_INT64(5000000000, bench.world->now_ns - begin_ns);
}

/* 0 lbf, 1 N, 2 klbf; 2 Nm, 3 Nmm: manual of the sensor. */
static void test_sensor_in_other_units_is_refused(void)
{
    bench_prepare(&bench, "bench12", 1);
    virtual_tell(bench.world, "od 4 2021:2f 0");
    bench_open(&bench, -EPROTO);
    TEST_ASSERT_NOT_NULL(strstr(bench.messages, "expected a calibration in N and Nm"));
    bench_close(&bench);
    bench_prepare(&bench, "bench12", 1);
    virtual_tell(bench.world, "od 4 2021:30 3");
    bench_open(&bench, -EPROTO);
}

static void test_calibration_of_the_sensor_scales_its_counts(void)
{
    struct ft_model m = {.layout = ft_find("ft-axia"), .rate = 2};
    struct ft_state s;
    struct ft_sample sample;

    bench_start(&bench, "bench12", 1);
    TEST_ASSERT_EQUAL_INT(0, ft_calibrate(&m, &bench.bus.calibration[3]));
    TEST_ASSERT_EQUAL_INT(0, ft_init(&m, &s));
    bench_run(&bench, 10);
    ft_read(&m, &s, ethercat_inputs(&bench.bus, 3), true, &sample);
    TEST_ASSERT_TRUE(sample.valid);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -10.0, sample.wrench[2]); /* the lab hangs 10 N on it */
}

static void test_watchdogs_are_those_of_the_model(void)
{
    bench_start(&bench, "bench12", 1);
    TEST_ASSERT_EQUAL_INT64(20000000, slave_watchdog_ns(lab_slave(6)));
    TEST_ASSERT_EQUAL_INT64(50000000, slave_watchdog_ns(lab_slave(3)));
}

static void test_clocks_lock_within_two_seconds_at_100_ppm(void)
{
    char line[32];

    bench_start(&bench, "bench12", 1);
    snprintf(line, sizeof line, "dc ppm %d 100", bench.bus.plan.reference - 0x1000);
    virtual_tell(bench.world, line);
    bench_run(&bench, 2000);
    TEST_ASSERT_TRUE(bench.lock.locked);
    for (int i = 0; i < 3000; i++) {
        bench_run(&bench, 1);
        TEST_ASSERT_TRUE(bench.lock.locked);
    }
    TEST_ASSERT_INT64_WITHIN(20000, 0, bench.lock.error_ns);
}

static int recover(int position, bool stopped)
{
    FILE *messages = fmemopen(bench.messages, sizeof bench.messages - 1, "w");
    const int error = position > 0 ? recovery_device(&bench.bus, position - 1, stopped, messages)
                                   : recovery_all(&bench.bus, stopped, messages);

    fclose(messages);
    return error;
}

/* Power of a drive in the middle of the chain: it comes back without address, clock or mapping. */
static void test_returned_device_is_in_op_again_with_its_clock(void)
{
    bench_start(&bench, "bench12", 1);
    virtual_tell(bench.world, "power 8 off");
    bench_run(&bench, 100);
    TEST_ASSERT_EQUAL_INT(7, bench.bus.data.present);
    virtual_tell(bench.world, "power 8 on");
    bench_run(&bench, 100);
    TEST_ASSERT_EQUAL_INT(-EBUSY, recover(8, false));
    TEST_ASSERT_EQUAL_INT_MESSAGE(5, recover(0, true),
                                  bench.messages); /* 9 to 12 had fallen by watchdog */
    bench_run(&bench, 300);
    TEST_ASSERT_EQUAL_UINT(0, bench.bus.data.status);
    TEST_ASSERT_EQUAL_UINT(0, bench.bus.data.alarm);
    TEST_ASSERT_LESS_THAN_UINT32(1000, bench.bus.data.dc_spread_ns);
    TEST_ASSERT_TRUE(lab_slave(8)->clock.sync_active);
    TEST_ASSERT_TRUE(bench.bus.data.device[7].valid);
    TEST_ASSERT_TRUE(bench.bus.masked[7]); /* no output before the operator says so */
}

static void test_another_device_in_the_place_of_the_old_is_refused_and_latched(void)
{
    bench_start(&bench, "bench12", 1);
    virtual_tell(bench.world, "power 8 off");
    bench_run(&bench, 50);
    virtual_tell(bench.world, "ident 8 serial 4711");
    virtual_tell(bench.world, "power 8 on");
    bench_run(&bench, 50);
    TEST_ASSERT_EQUAL_INT(-ENODEV, recover(8, true));
    TEST_ASSERT_NOT_NULL(strstr(bench.messages, "WRONG DEVICE"));
    virtual_tell(bench.world, "ident 8 serial 1007");
    TEST_ASSERT_EQUAL_INT(-ENODEV, recover(8, true));
    TEST_ASSERT_FALSE(bench.bus.data.device[7].valid);
}

static void test_nothing_to_bring_back_while_it_is_away(void)
{
    bench_start(&bench, "bench12", 1);
    virtual_tell(bench.world, "cut 7");
    bench_run(&bench, 50);
    TEST_ASSERT_EQUAL_INT(-ENXIO, recover(8, true));
}

static void test_emergency_is_seen_within_50_ms(void)
{
    struct watch w;
    const struct ethercat_event *event = &bench.bus.event[0];
    int64_t begin_ns;

    bench_start(&bench, "bench12", 1);
    watch_init(&w);
    virtual_tell(bench.world, "emcy 9 0x8700 0x21");
    begin_ns = bench.world->now_ns;
    while (bench.bus.events == 0 && bench.world->now_ns - begin_ns < 50000000) {
        virtual_sleep(bench.world, 10000000);
        (void)watch_step(&w, &bench.bus);
    }
    TEST_ASSERT_EQUAL_UINT64(1, bench.bus.events);
    TEST_ASSERT_EQUAL_INT(8, event->position);
    TEST_ASSERT_EQUAL_HEX16(0x8700, event->code);
    TEST_ASSERT_EQUAL_HEX8(0x21, event->error_register);
}

static void test_objects_are_read_and_written_while_cycles_run_and_keep_emergencies(void)
{
    uint32_t value = 0;
    uint32_t abort_code = 0;

    bench_start(&bench, "bench12", 1);
    virtual_tell(bench.world, "emcy 9 0x8700 0x21");
    TEST_ASSERT_EQUAL_INT(0, coe_read(&bench.bus, 8, 0x6076, 0, &value, &abort_code));
    TEST_ASSERT_EQUAL_UINT32(10000, value);
    TEST_ASSERT_EQUAL_UINT64(1, bench.bus.events);
    TEST_ASSERT_EQUAL_INT(0, coe_write(&bench.bus, 8, 0x6072, 0, 1500, 2, &abort_code));
    TEST_ASSERT_EQUAL_INT(0, coe_read(&bench.bus, 8, 0x6072, 0, &value, &abort_code));
    TEST_ASSERT_EQUAL_UINT32(1500, value);
    TEST_ASSERT_EQUAL_INT(-EPROTO, coe_read(&bench.bus, 8, 0x4711, 0, &value, &abort_code));
    TEST_ASSERT_EQUAL_HEX32(0x06020000, abort_code);
    TEST_ASSERT_EQUAL_INT(-ENOTSUP, coe_read(&bench.bus, 0, 0x1000, 0, &value, &abort_code));
    TEST_ASSERT_EQUAL_UINT64(0, bench.stale);
}

/* A hanging mailbox holds up the helper, not the cycle. */
static void test_hanging_mailbox_leaves_the_cycle_alone(void)
{
    uint32_t value, abort_code;

    bench_start(&bench, "bench12", 1);
    virtual_tell(bench.world, "mbx 9 hang");
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, coe_read(&bench.bus, 8, 0x6076, 0, &value, &abort_code));
    TEST_ASSERT_GREATER_THAN_UINT64(600, bench.cycles);
    TEST_ASSERT_EQUAL_UINT64(0, bench.stale);
}

static void test_receive_errors_are_seen_with_their_port(void)
{
    struct watch w;
    uint32_t errors = 0;

    bench_start(&bench, "bench12", 1);
    watch_init(&w);
    for (int i = 0; i < WATCH_ROUND; i++) {
        (void)watch_step(&w, &bench.bus);
    }
    virtual_tell(bench.world, "crc 5 1 7");
    for (int i = 0; i < WATCH_ROUND && errors == 0; i++) {
        (void)watch_step(&w, &bench.bus);
        errors = w.errors;
    }
    TEST_ASSERT_EQUAL_UINT32(7, errors);
    TEST_ASSERT_EQUAL_INT(4, w.worst_position);
    TEST_ASSERT_EQUAL_INT(1, w.worst_port);
}

static void test_place_of_a_break_is_named(void)
{
    char text[WATCH_BREAK_TEXT];

    watch_break(12, 12, text);
    TEST_ASSERT_EQUAL_STRING("", text);
    watch_break(7, 12, text);
    TEST_ASSERT_NOT_NULL(strstr(text, "between slave 7 and slave 8"));
    watch_break(0, 12, text);
    TEST_ASSERT_NOT_NULL(strstr(text, "between the computer and slave 1"));
}

/* One drive in the cycle. */
struct axis {
    struct cia402_model model;
    struct cia402_status status;
    struct cia402_sample sample;
    struct cia402_command command;
    double greatest_nm; /* commanded before operation was enabled */
    double first_rad, jump_rad;
    bool was_ready;
};

static void drive_cycle(struct bench *b)
{
    struct axis *a = (struct axis *)b->user;
    uint8_t *outputs = ethercat_outputs(&b->bus, 5);
    const bool valid = b->bus.data.device[5].valid;
    double torque;

    if (valid) {
        cia402_read(&a->model, ethercat_inputs(&b->bus, 5), &a->sample);
    }
    cia402_write(&a->model, &a->status, &a->sample, &a->command, valid, 0.001, outputs);
    torque = wire_get_i16(outputs + 3) * a->model.rated_nm / 1000.0;
    if (!a->sample.ready) {
        a->greatest_nm = fabs(torque) > a->greatest_nm ? fabs(torque) : a->greatest_nm;
        a->first_rad = a->sample.position_rad;
    } else {
        const double moved = fabs(a->sample.position_rad - a->first_rad);

        a->was_ready = true;
        a->jump_rad = a->jump_rad > moved ? a->jump_rad : moved;
    }
}

static void run_axis(struct axis *a, enum cia402_mode mode)
{
    bench_start(&bench, "bench12", 1);
    memset(a, 0, sizeof *a);
    a->model = (struct cia402_model){
        mode, 1048576.0 / (2 * BASE_PI), 1048576.0 / (2 * BASE_PI), 10.0, 8.0, 1.0};
    TEST_ASSERT_EQUAL_INT(0, cia402_init(&a->model, &a->status));
    bench.user = a;
    bench.act = drive_cycle;
    bench_run(&bench, 100);
}

static void test_torque_mode_gives_no_torque_before_enabled_and_then_ramps(void)
{
    struct axis a;

    run_axis(&a, CIA402_TORQUE);
    a.command = (struct cia402_command){CIA402_GO_RUN, false, 2.0, 0.0};
    bench_run(&bench, 1000);
    TEST_ASSERT_TRUE(a.sample.ready);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, a.greatest_nm);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 2.0, a.sample.torque_nm);
    bench_run(&bench, 3000);
    TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.1,
                              a.sample.position_rad); /* 2 Nm on a spring of 20 Nm/rad */
    a.command.goal = CIA402_GO_OFF;
    bench_run(&bench, 20);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, a.sample.torque_nm);
}

/* The joint hangs on a spring and is somewhere when it is enabled: it must stay there. */
static void test_position_mode_holds_where_it_is_when_enabled(void)
{
    struct axis a;

    run_axis(&a, CIA402_POSITION);
    bench.world->lab.plant.joint[0].position_rad = 0.3;
    bench.world->lab.plant.joint[0].velocity_rad_s = 0.0;
    a.command = (struct cia402_command){CIA402_GO_RUN, false, 0.0, 0.0};
    for (int i = 0; i < 500 && !a.was_ready; i++) {
        a.command.position_rad = a.sample.position_rad;
        bench_run(&bench, 1);
    }
    TEST_ASSERT_TRUE(a.was_ready);
    a.command.position_rad = a.first_rad + 0.1;
    bench_run(&bench, 10);
    TEST_ASSERT_TRUE(a.jump_rad < 0.02);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, a.greatest_nm);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_twelve_devices_reach_op_and_exchange_data);
    RUN_TEST(test_bring_up_survives_lost_frames);
    RUN_TEST(test_bring_up_takes_less_than_a_second);
    RUN_TEST(test_drive_with_another_mapping_is_told_ours);
    RUN_TEST(test_start_up_object_refused_is_named_with_device_and_reason);
    RUN_TEST(test_silent_mailbox_at_start_is_named_within_five_seconds);
    RUN_TEST(test_sensor_in_other_units_is_refused);
    RUN_TEST(test_calibration_of_the_sensor_scales_its_counts);
    RUN_TEST(test_watchdogs_are_those_of_the_model);
    RUN_TEST(test_clocks_lock_within_two_seconds_at_100_ppm);
    RUN_TEST(test_returned_device_is_in_op_again_with_its_clock);
    RUN_TEST(test_another_device_in_the_place_of_the_old_is_refused_and_latched);
    RUN_TEST(test_nothing_to_bring_back_while_it_is_away);
    RUN_TEST(test_emergency_is_seen_within_50_ms);
    RUN_TEST(test_objects_are_read_and_written_while_cycles_run_and_keep_emergencies);
    RUN_TEST(test_hanging_mailbox_leaves_the_cycle_alone);
    RUN_TEST(test_receive_errors_are_seen_with_their_port);
    RUN_TEST(test_place_of_a_break_is_named);
    RUN_TEST(test_torque_mode_gives_no_torque_before_enabled_and_then_ramps);
    RUN_TEST(test_position_mode_holds_where_it_is_when_enabled);
    return UNITY_END();
}
