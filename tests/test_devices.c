/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_devices.c - what the simulated devices do with their process data. */
#include "tools/lab/devices.h"

#include <math.h>

#include "tests/lab_master.h"
#include "tools/lab/layout.h"
#include "unity.h"

static struct lab lab;
static struct master m;
static struct master_map map;
static uint8_t *out, *in; /* image of the device under test */

static void start(const struct device_type *type)
{
    const struct slave_model one = {.type = type};

    memset(&m, 0, sizeof m);
    m.lab = &lab;
    m.step_ns = 1000000;
    TEST_ASSERT_EQUAL_INT(0, lab_init(&lab, &one, 1, 1, 0, NULL));
    master_preop(&m, &map);
    TEST_ASSERT_EQUAL_INT(0, master_op(&m, &map));
    out = map.image + map.outputs[0];
    in = map.image + map.inputs[0];
}

static void run(int cycles)
{
    for (int i = 0; i < cycles; i++) {
        TEST_ASSERT_EQUAL_INT(map.wkc, master_cycle(&m, &map));
    }
}

void setUp(void)
{
}

void tearDown(void)
{
}

/* The table ------------------------------------------------------------------------------------------------------ */

static void test_every_kind_is_found_by_its_name_and_fits_together(void)
{
    for (int i = 0; i < devices_count(); i++) {
        const struct device_type *type = devices_type(i);
        const struct slave_model one = {.type = type};
        static struct slave slave;

        TEST_ASSERT_EQUAL_PTR(type, devices_find(type->name));
        TEST_ASSERT_EQUAL_INT(0, slave_init(&slave, &one, 1, 1, 0));
        TEST_ASSERT_NOT_EQUAL(0, type->vendor);
        for (int k = 0; k < i; k++) {
            TEST_ASSERT_TRUE(type->product != devices_type(k)->product ||
                             type->vendor != devices_type(k)->vendor);
        }
    }
    TEST_ASSERT_NULL(devices_find("toaster"));
    TEST_ASSERT_NULL(devices_type(-1));
    TEST_ASSERT_NULL(devices_type(devices_count()));
}

/* Sizes in bytes as the makers' layouts give them, see the head of each file. */
static void test_process_images_have_the_documented_sizes(void)
{
    static const struct {
        const struct device_type *type;
        unsigned out, in;
    } sizes[] = {
        {&device_coupler, 0, 0},   {&device_di8, 0, 1},      {&device_do8, 1, 0},
        {&device_ft_axia, 8, 32},  {&device_ft_bota, 1, 77}, {&device_drive_cia402, 13, 15},
        {&device_airboard, 13, 9}, {&device_bridge, 32, 32},
    };

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        static struct slave slave;
        const struct slave_model one = {.type = sizes[i].type};

        TEST_ASSERT_EQUAL_INT(0, slave_init(&slave, &one, 1, 1, 0));
        TEST_ASSERT_EQUAL_UINT(8 * sizes[i].out, slave.outputs.bits);
        TEST_ASSERT_EQUAL_UINT(8 * sizes[i].in, slave.inputs.bits);
    }
}

/* Identities stated by vendors and users of the devices; see the design notes of each. */
static void test_identities_are_those_of_the_products(void)
{
    static const struct {
        const char *name;
        uint32_t vendor, product;
    } known[] = {{"coupler", 2, 0x044c2c52}, {"di8", 2, 0x03f03052}, {"do8", 2, 0x07d83052},
                 {"di4", 2, 0x03ec3052},     {"do4", 2, 0x07d43052}, {"ft-axia", 0x732, 0x26483053},
                 {"bridge", 2, 0x1a273052}};

    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const struct slave_model one = {.type = devices_find(known[i].name), .serial = 99};
        static struct slave slave;

        TEST_ASSERT_EQUAL_INT(0, slave_init(&slave, &one, 1, 1, 0));
        TEST_ASSERT_EQUAL_HEX32(known[i].vendor, wire_get_u32(slave.sii + 16));
        TEST_ASSERT_EQUAL_HEX32(known[i].product, wire_get_u32(slave.sii + 20));
        if (one.type->mailbox) { /* the dictionary says the same */
            TEST_ASSERT_EQUAL_HEX32(known[i].vendor, od_get(&slave.od, 0x1018, 1));
            TEST_ASSERT_EQUAL_HEX32(known[i].product, od_get(&slave.od, 0x1018, 2));
            TEST_ASSERT_EQUAL_HEX32(one.type->revision, od_get(&slave.od, 0x1018, 3));
            TEST_ASSERT_EQUAL_UINT32(99, od_get(&slave.od, 0x1018, 4));
        }
    }
}

/* Sync managers as the EEPROM gives them: mailboxes 0 and 1, outputs 2, inputs 3; one for a terminal. */
static void test_the_eeprom_gives_the_sync_managers_of_each_kind(void)
{
    for (int i = 0; i < devices_count(); i++) {
        const struct device_type *type = devices_type(i);
        const struct slave_model one = {.type = type};
        static struct slave slave;
        unsigned at = 0x80;

        TEST_ASSERT_EQUAL_INT(0, slave_init(&slave, &one, 1, 1, 0));
        while (wire_get_u16(slave.sii + at) != 41) {
            at += 4 + 2u * wire_get_u16(slave.sii + at + 2);
        }
        if (type->mailbox) {
            TEST_ASSERT_EQUAL_UINT16(
                16, wire_get_u16(slave.sii + at + 2)); /* words: four sync managers */
            TEST_ASSERT_EQUAL_HEX8(0x26, slave.sii[at + 4 + 4]);
            TEST_ASSERT_EQUAL_HEX8(0x22, slave.sii[at + 12 + 4]);
            TEST_ASSERT_EQUAL_HEX8(0x64, slave.sii[at + 20 + 4]); /* outputs with watchdog */
            TEST_ASSERT_EQUAL_HEX8(0x20, slave.sii[at + 28 + 4]);
            TEST_ASSERT_EQUAL_UINT16((slave.outputs.bits + 7) / 8,
                                     wire_get_u16(slave.sii + at + 20 + 2));
            TEST_ASSERT_EQUAL_UINT16((slave.inputs.bits + 7) / 8,
                                     wire_get_u16(slave.sii + at + 28 + 2));
            TEST_ASSERT_EQUAL_HEX8(0, slave.sii[at + 20] %
                                          8); /* buffers begin at multiples of eight */
        } else if (type->row_count > 0) {
            TEST_ASSERT_EQUAL_UINT16(4, wire_get_u16(slave.sii + at + 2));
            TEST_ASSERT_EQUAL_HEX8(slave.outputs.bits > 0 ? 0x44 : 0x00, slave.sii[at + 4 + 4]);
        }
    }
}

static void test_ready_made_segments_exist(void)
{
    struct slave_model models[SEGMENT_SLAVES_MAX];

    for (int i = 0; layout_name(i); i++) {
        const int n = layout_named(layout_name(i), models);

        TEST_ASSERT_GREATER_THAN_INT(0, n);
        for (int k = 0; k < n; k++) {
            TEST_ASSERT_NOT_NULL(models[k].type);
        }
    }
    TEST_ASSERT_EQUAL_INT(12, layout_named("bench12", models));
    TEST_ASSERT_EQUAL_INT(1, models[4].channel); /* second force sensor */
    TEST_ASSERT_EQUAL_INT(6, models[11].channel);
    TEST_ASSERT_EQUAL_INT(0, layout_named("none", models));
}

/* Force/torque sensors ------------------------------------------------------------------------------------------- */

static uint32_t axia_counter(void)
{
    return wire_get_u32(in + 28);
}

static void test_axia_counts_are_micronewtons(void)
{
    start(&device_ft_axia);
    run(10);
    TEST_ASSERT_EQUAL_INT32(0, wire_get_i32(in));
    TEST_ASSERT_EQUAL_INT32(-10000000, wire_get_i32(in + 8)); /* 10 N down */
    TEST_ASSERT_EQUAL_HEX32(0, wire_get_u32(in + 24));
}

/* Sample rates by code 0 to 3: 487, 975, 1990, 3900 Hz; the bus runs at 1 kHz for two seconds. */
static void test_axia_sample_counter_runs_at_the_chosen_rate(void)
{
    static const uint32_t rates[] = {487, 975, 1990, 3900};

    for (uint32_t code = 0; code < 4; code++) {
        uint32_t before;
        unsigned repeats = 0;

        start(&device_ft_axia);
        wire_put_u32(out, code << 12);
        run(5);
        before = axia_counter();
        for (int i = 0; i < 2000; i++) {
            const uint32_t last = axia_counter();

            run(1);
            repeats += axia_counter() == last;
        }
        TEST_ASSERT_UINT32_WITHIN(4, 2 * rates[code], axia_counter() - before);
        if (code == 1) {
            TEST_ASSERT_UINT32_WITHIN(2, 50, repeats); /* 25 a second */
        }
        if (code >= 2) {
            TEST_ASSERT_EQUAL_UINT(0, repeats);
        }
    }
}

static void test_axia_bias_is_set_and_cleared_by_rising_bits(void)
{
    start(&device_ft_axia);
    run(10);
    wire_put_u32(out, 0x2001);
    run(3);
    TEST_ASSERT_EQUAL_INT32(0, wire_get_i32(in + 8));
    lab.plant.model.wrench[2] = -12;
    run(3); /* bit still set: no new bias */
    TEST_ASSERT_EQUAL_INT32(-2000000, wire_get_i32(in + 8));
    wire_put_u32(out, 0x2004);
    run(3);
    TEST_ASSERT_EQUAL_INT32(-12000000, wire_get_i32(in + 8));
}

static void test_axia_filter_slows_the_reading(void)
{
    start(&device_ft_axia);
    wire_put_u32(out, 0x2000 | 5 << 4); /* time constant 2^5 samples */
    run(500);
    lab.plant.model.wrench[0] = 100;
    run(16); /* 32 samples: one time constant */
    TEST_ASSERT_INT32_WITHIN(2000000, (int32_t)(1e8 * (1 - exp(-1.0))), wire_get_i32(in));
    run(500);
    TEST_ASSERT_INT32_WITHIN(10, 100000000, wire_get_i32(in));
}

static void test_axia_shows_saturation_and_scripted_status(void)
{
    start(&device_ft_axia);
    lab.plant.model.wrench[1] = 700;
    run(3);
    TEST_ASSERT_EQUAL_INT32(500000000, wire_get_i32(in + 4));
    TEST_ASSERT_EQUAL_HEX32(1u << 30, wire_get_u32(in + 24));
    lab.plant.model.wrench[1] = 0;
    lab.plant.model.wrench[3] = -25;
    run(3);
    TEST_ASSERT_EQUAL_INT32(-20000000, wire_get_i32(in + 12));
    TEST_ASSERT_EQUAL_HEX32(1u << 30, wire_get_u32(in + 24));
    lab.plant.model.wrench[3] = 0;
    lab.segment.slave[0].device.status_bits = 0x80000004;
    run(3);
    TEST_ASSERT_EQUAL_HEX32(0x80000004, wire_get_u32(in + 24));
}

static void test_axia_calibration_says_its_units(void)
{
    bool refused;

    start(&device_ft_axia);
    TEST_ASSERT_EQUAL_UINT32(1, master_sdo_read(&m, 1, 0x2021, 0x2f, &refused)); /* N */
    TEST_ASSERT_FALSE(refused);
    TEST_ASSERT_EQUAL_UINT32(2, master_sdo_read(&m, 1, 0x2021, 0x30, &refused)); /* Nm */
    TEST_ASSERT_EQUAL_UINT32(1000000, master_sdo_read(&m, 1, 0x2021, 0x37, &refused));
}

static void test_bota_readings_are_in_si_and_differ_by_noise(void)
{
    float last;

    start(&device_ft_bota);
    run(5);
    TEST_ASSERT_FLOAT_WITHIN(0.2F, -10.0F, wire_get_f32(in + 5 + 8));
    TEST_ASSERT_FLOAT_WITHIN(1e-3F, 9.80665F,
                             wire_get_f32(in + 31 + 8)); /* acceleration behind 1 + 4 + 24 + 2 */
    TEST_ASSERT_EQUAL_FLOAT(25.0F, wire_get_f32(in + 57));
    TEST_ASSERT_EQUAL_FLOAT(1.0F, wire_get_f32(in + 73));
    last = wire_get_f32(in + 5);
    run(1);
    TEST_ASSERT_TRUE(wire_get_f32(in + 5) < last || wire_get_f32(in + 5) > last);
}

static void test_a_frozen_sensor_repeats_its_last_image(void)
{
    uint8_t before[32];

    start(&device_ft_axia);
    run(5);
    memcpy(before, in, 32);
    lab.segment.slave[0].device.frozen = true;
    run(20);
    TEST_ASSERT_EQUAL_HEX8_ARRAY(before, in, 32);
    lab.segment.slave[0].device.frozen = false;
    run(2);
    TEST_ASSERT_NOT_EQUAL(wire_get_u32(before + 28), axia_counter());
}

/* CiA 402 drive -------------------------------------------------------------------------------------------------- */

/* The transitions of the standard: control word, from, to. */
static void test_drive_states_follow_the_standard(void)
{
    enum {
        ND = DEVICE_DRIVE_DISABLED,
        RD = DEVICE_DRIVE_READY,
        SO = DEVICE_DRIVE_SWITCHED_ON,
        OE = DEVICE_DRIVE_ENABLED
    };
    enum { QS = DEVICE_DRIVE_QUICK_STOP, FR = DEVICE_DRIVE_REACTION, FA = DEVICE_DRIVE_FAULT };
    static const struct {
        uint16_t control;
        int from, to;
    } rows[] = {
        {0x06, ND, RD}, {0x07, ND, ND}, {0x0f, ND, ND}, {0x00, ND, ND}, {0x07, RD, SO},
        {0x0f, RD, SO}, {0x06, RD, RD}, {0x02, RD, ND}, {0x00, RD, ND}, {0x0f, SO, OE},
        {0x07, SO, SO}, {0x06, SO, RD}, {0x00, SO, ND}, {0x02, SO, ND}, {0x07, OE, SO},
        {0x06, OE, RD}, {0x00, OE, ND}, {0x02, OE, QS}, {0x0f, OE, OE}, {0x00, QS, ND},
        {0x02, QS, QS}, {0x0f, QS, OE}, {0x0f, FA, FA}, {0x06, FA, FA}, {0x80, FA, ND},
        {0x8f, FA, ND}, {0x80, FR, FR}, {0x0f, FR, FR},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(
            rows[i].to, device_cia402_next(rows[i].from, rows[i].control, 0, true), "row");
    }
    TEST_ASSERT_EQUAL_INT(QS, device_cia402_next(QS, 0x0f, 0, false));
    TEST_ASSERT_EQUAL_INT(FA, device_cia402_next(FA, 0x80, 0x80, true)); /* not an edge */
    TEST_ASSERT_EQUAL_INT(ND, device_cia402_next(DEVICE_DRIVE_NOT_READY, 0x00, 0, true));
}

static uint16_t status(void)
{
    return wire_get_u16(in);
}

static void command(uint16_t control, int8_t mode, int16_t torque, int32_t position)
{
    wire_put_u16(out, control);
    out[2] = (uint8_t)mode;
    wire_put_i16(out + 3, torque);
    wire_put_i32(out + 5, position);
}

static void enable(int8_t mode)
{
    start(&device_drive_cia402);
    command(0x06, mode, 0, 0);
    run(2);
    TEST_ASSERT_EQUAL_HEX16(0x21, status() & 0x6f);
    command(0x07, mode, 0, 0);
    run(2);
    TEST_ASSERT_EQUAL_HEX16(0x23, status() & 0x6f);
    command(0x0f, mode, 0, 0);
    run(2);
    TEST_ASSERT_EQUAL_HEX16(0x27, status() & 0x6f);
    TEST_ASSERT_EQUAL_HEX16(0, status() & 0x1000); /* the brake opens first */
    run(25);
    TEST_ASSERT_EQUAL_HEX16(0x1000, status() & 0x1000);
    TEST_ASSERT_EQUAL_INT8(mode, (int8_t)in[2]);
}

static double position_rad(void)
{
    return wire_get_i32(in + 3) * 2 * BASE_PI / 1048576;
}

static void test_drive_shows_voltage_and_remote(void)
{
    start(&device_drive_cia402);
    run(2);
    TEST_ASSERT_EQUAL_HEX16(0x0250, status());
}

/* 10 Nm rated: 200 permille are 2 Nm, against a spring of 20 Nm/rad: 0.1 rad in the end. */
static void test_torque_mode_pulls_the_spring_to_its_balance(void)
{
    enable(10);
    command(0x0f, 10, 200, 0);
    run(4000);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.1, position_rad());
    TEST_ASSERT_EQUAL_INT16(200, wire_get_i16(in + 11));
    TEST_ASSERT_INT32_WITHIN(200, 0, wire_get_i32(in + 7)); /* at rest, in increments per second */
}

/* Period of inertia on spring: 2 pi sqrt(0.1/20) = 0.444 s; half of it after the step the joint turns back. */
static void test_torque_mode_swings_with_the_period_of_the_plant(void)
{
    int turn = 0;

    enable(10);
    lab.plant.model.damping_nms_rad = 0;
    command(0x0f, 10, 100, 0);
    run(20);
    while (wire_get_i32(in + 7) > 0 && turn < 1000) {
        run(1);
        turn++;
    }
    TEST_ASSERT_INT_WITHIN(4, 222, turn + 20);
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.1, position_rad()); /* twice the balance */
}

static void test_no_torque_before_operation_is_enabled(void)
{
    start(&device_drive_cia402);
    command(0x07, 10, 1000, 0);
    run(50);
    TEST_ASSERT_EQUAL_INT32(0, wire_get_i32(in + 3));
    TEST_ASSERT_EQUAL_INT16(0, wire_get_i16(in + 11));
}

static void test_torque_is_limited_and_says_so(void)
{
    enable(10);
    lab.plant.model.spring_nm_rad = 1000; /* so that it does not spin up */
    TEST_ASSERT_EQUAL_HEX32(0, master_sdo(&m, 1, 0x6072, 0, 500, 2));
    command(0x0f, 10, 800, 0);
    run(3);
    TEST_ASSERT_EQUAL_INT16(500, wire_get_i16(in + 11));
    TEST_ASSERT_EQUAL_HEX16(0x0800, status() & 0x0800);
}

static void test_position_mode_reaches_its_target(void)
{
    enable(8);
    for (int i = 0; i <= 200; i++) {
        command(0x0f, 8, 0, 50 * i);
        run(1);
    }
    run(1000);
    /* 400 Nm/rad against 20 Nm/rad of spring: a twentieth of the way is missing */
    TEST_ASSERT_INT32_WITHIN(20, 10000 * 400 / 420, wire_get_i32(in + 3));
}

static void test_a_following_error_is_a_fault(void)
{
    enable(8);
    command(0x0f, 8, 0, 500000);
    run(15); /* the window may be left for 20 ms */
    TEST_ASSERT_EQUAL_HEX16(0x2027, status() & 0x206f);
    run(100);
    TEST_ASSERT_EQUAL_HEX16(0x08, status() & 0x4f);
    TEST_ASSERT_EQUAL_HEX16(0x8611, wire_get_u16(in + 13));
}

static void test_a_fault_is_reset_by_a_rising_edge_and_reported_by_an_emergency(void)
{
    uint8_t box[128] = {0};

    enable(10);
    lab.segment.slave[0].device.fault_code = 0x2310;
    run(5);
    TEST_ASSERT_EQUAL_HEX16(0x08, status() & 0x4f);
    TEST_ASSERT_EQUAL_HEX16(0x2310, wire_get_u16(in + 13));
    TEST_ASSERT_EQUAL_INT(1, master_do(&m, M_APRD, master_at(1, 0x1080), box, sizeof box));
    TEST_ASSERT_EQUAL_HEX16(0x1000, wire_get_u16(box + 6));
    TEST_ASSERT_EQUAL_HEX16(0x2310, wire_get_u16(box + 8));
    command(0x80, 10, 0, 0);
    run(2);
    TEST_ASSERT_EQUAL_HEX16(0x40, status() & 0x4f);
    TEST_ASSERT_EQUAL_HEX16(0, wire_get_u16(in + 13));
}

static void test_quick_stop_brakes_then_disables(void)
{
    enable(10);
    command(0x0f, 10, 500, 0);
    run(60);
    TEST_ASSERT_GREATER_THAN_INT32(100000, wire_get_i32(in + 7));
    command(0x02, 10, 500, 0);
    run(2);
    TEST_ASSERT_EQUAL_HEX16(0x07, status() & 0x6f);
    run(200);
    TEST_ASSERT_EQUAL_HEX16(0x40, status() & 0x4f);
    TEST_ASSERT_EQUAL_INT32(0, wire_get_i32(in + 7));
}

static void test_quick_stop_can_be_left_when_the_option_allows(void)
{
    enable(10);
    TEST_ASSERT_EQUAL_HEX32(0, master_sdo(&m, 1, 0x605a, 0, 5, 2));
    command(0x02, 10, 0, 0);
    run(50);
    TEST_ASSERT_EQUAL_HEX16(0x07, status() & 0x6f); /* stays in quick stop */
    command(0x0f, 10, 0, 0);
    run(2);
    TEST_ASSERT_EQUAL_HEX16(0x27, status() & 0x6f);
}

static void test_a_drive_without_its_master_faults_and_stands_still(void)
{
    enable(10);
    command(0x0f, 10, 500, 0);
    run(60);
    m.t_ns += 150000000; /* past the watchdog */
    lab_tick(&lab, m.t_ns);
    run(2);
    TEST_ASSERT_EQUAL_HEX16(0x0f, status() & 0x4f); /* the motor brakes first */
    run(100);
    TEST_ASSERT_EQUAL_HEX16(0x08, status() & 0x4f);
    TEST_ASSERT_EQUAL_HEX16(0x7500, wire_get_u16(in + 13));
    TEST_ASSERT_EQUAL_INT32(0, wire_get_i32(in + 7));
}

static void test_an_open_safety_chain_takes_the_power(void)
{
    enable(10);
    lab.plant.stop_pressed = true;
    run(5);
    TEST_ASSERT_EQUAL_HEX16(0, status() & 0x0010);
    TEST_ASSERT_EQUAL_HEX16(0x3220, wire_get_u16(in + 13));
    TEST_ASSERT_EQUAL_HEX16(0x08, status() & 0x4f);
}

/* Switches, valves, robots --------------------------------------------------------------------------------------- */

static void test_inputs_show_the_safety_chain(void)
{
    start(&device_di8);
    run(2);
    TEST_ASSERT_EQUAL_HEX8(0x0d,
                           in[0]); /* A closed, B closed (antivalent), enabling switch, contactor */
    lab.plant.stop_pressed = true;
    run(2);
    TEST_ASSERT_EQUAL_HEX8(0x06, in[0]);
    lab.segment.slave[0].device.input_mask = 0x02;
    run(2);
    TEST_ASSERT_EQUAL_HEX8(0x04, in[0]); /* the two channels disagree */
}

static void test_the_contactor_can_want_a_request(void)
{
    start(&device_do8);
    lab.plant.model.needs_request = true;
    run(2);
    TEST_ASSERT_FALSE(lab.segment.physics.contacts(&lab.plant, 0) & 8);
    out[0] = 0x01;
    run(2);
    TEST_ASSERT_TRUE(lab.segment.physics.contacts(&lab.plant, 0) & 8);
}

static void test_air_board_passes_valves_and_servo_angles(void)
{
    uint16_t sequence;

    start(&device_airboard);
    out[0] = 0xff;
    wire_put_i16(out + 1, -15708);
    wire_put_i16(out + 11, 10000);
    run(3);
    TEST_ASSERT_EQUAL_HEX8(0x3f, lab.plant.valves);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1.5708, lab.plant.servo_rad[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, lab.plant.servo_rad[5]);
    TEST_ASSERT_EQUAL_HEX8(0x3f, in[0]);
    sequence = wire_get_u16(in + 1);
    run(1);
    TEST_ASSERT_NOT_EQUAL(sequence, wire_get_u16(in + 1));
    master_state(&m, 1, 0x04);
    lab_tick(&lab, m.t_ns + 1000000);
    TEST_ASSERT_EQUAL_HEX8(0, lab.plant.valves);
}

/* Check value of the catalogue of CRC algorithms: "123456789" gives 0x29b1. */
static void test_checksum_of_the_pose_block_is_the_common_one(void)
{
    TEST_ASSERT_EQUAL_HEX16(0x29b1, devices_crc16((const uint8_t *)"123456789", 9));
}

static void test_bridge_moves_the_robot_when_the_checksum_is_right(void)
{
    start(&device_bridge);
    wire_put_u16(out, 1);
    out[2] = 3;
    out[3] = 5;
    wire_put_i32(out + 4, 250000);   /* 0.25 m */
    wire_put_i32(out + 16, -900000); /* -90 deg */
    wire_put_i32(out + 24, 451234);
    run(2);
    TEST_ASSERT_EQUAL_UINT8(0, in[2]); /* checksum wrong: nothing commanded */
    TEST_ASSERT_EQUAL_INT32(0, wire_get_i32(in + 4));
    wire_put_u16(out + 30, devices_crc16(out, 30));
    run(1000);
    TEST_ASSERT_EQUAL_UINT8(3, in[2]);
    TEST_ASSERT_INT32_WITHIN(1, 250000, wire_get_i32(in + 4));
    TEST_ASSERT_INT32_WITHIN(1, -900000, wire_get_i32(in + 16));
    TEST_ASSERT_INT32_WITHIN(1, 0, wire_get_i32(in + 20));
    TEST_ASSERT_INT32_WITHIN(1, 451234, wire_get_i32(in + 24));
    TEST_ASSERT_EQUAL_HEX8(0x85, in[3]); /* our flags, and that the command was taken */
    TEST_ASSERT_EQUAL_HEX16(devices_crc16(in, 30), wire_get_u16(in + 30));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_kind_is_found_by_its_name_and_fits_together);
    RUN_TEST(test_process_images_have_the_documented_sizes);
    RUN_TEST(test_identities_are_those_of_the_products);
    RUN_TEST(test_the_eeprom_gives_the_sync_managers_of_each_kind);
    RUN_TEST(test_ready_made_segments_exist);
    RUN_TEST(test_axia_counts_are_micronewtons);
    RUN_TEST(test_axia_sample_counter_runs_at_the_chosen_rate);
    RUN_TEST(test_axia_bias_is_set_and_cleared_by_rising_bits);
    RUN_TEST(test_axia_filter_slows_the_reading);
    RUN_TEST(test_axia_shows_saturation_and_scripted_status);
    RUN_TEST(test_axia_calibration_says_its_units);
    RUN_TEST(test_bota_readings_are_in_si_and_differ_by_noise);
    RUN_TEST(test_a_frozen_sensor_repeats_its_last_image);
    RUN_TEST(test_drive_states_follow_the_standard);
    RUN_TEST(test_drive_shows_voltage_and_remote);
    RUN_TEST(test_torque_mode_pulls_the_spring_to_its_balance);
    RUN_TEST(test_torque_mode_swings_with_the_period_of_the_plant);
    RUN_TEST(test_no_torque_before_operation_is_enabled);
    RUN_TEST(test_torque_is_limited_and_says_so);
    RUN_TEST(test_position_mode_reaches_its_target);
    RUN_TEST(test_a_following_error_is_a_fault);
    RUN_TEST(test_a_fault_is_reset_by_a_rising_edge_and_reported_by_an_emergency);
    RUN_TEST(test_quick_stop_brakes_then_disables);
    RUN_TEST(test_quick_stop_can_be_left_when_the_option_allows);
    RUN_TEST(test_a_drive_without_its_master_faults_and_stands_still);
    RUN_TEST(test_an_open_safety_chain_takes_the_power);
    RUN_TEST(test_inputs_show_the_safety_chain);
    RUN_TEST(test_the_contactor_can_want_a_request);
    RUN_TEST(test_air_board_passes_valves_and_servo_angles);
    RUN_TEST(test_checksum_of_the_pose_block_is_the_common_one);
    RUN_TEST(test_bridge_moves_the_robot_when_the_checksum_is_right);
    return UNITY_END();
}
