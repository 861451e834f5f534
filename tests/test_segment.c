/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_segment.c - frames, working counters, wiring, and slaves brought from INIT to OP and back. Working counters:
 * Beckhoff ESC data sheet, section I, tables 5 and 7. */
#include "tools/lab/segment.h"

#include <stdlib.h>

#include "model/random.h"
#include "tests/lab_master.h"
#include "unity.h"

static struct lab lab;
static struct master m;
static struct master_map map;

void setUp(void)
{
    master_init(&m, &lab, "bench12", 1);
}

void tearDown(void)
{
}

/* Frames --------------------------------------------------------------------------------------------------------- */

static unsigned good_frame(uint8_t *frame)
{
    const uint8_t data[4] = {0};

    return master_frame(frame, M_BRD, 7, 0, data, 4);
}

static void test_a_reply_has_the_same_length_and_the_mark_of_a_slave(void)
{
    uint8_t frame[SEGMENT_FRAME_MAX];
    const unsigned n = good_frame(frame);

    memset(frame + n, 0xee, 60 - n); /* padded, as network cards do */
    TEST_ASSERT_EQUAL_INT(SEGMENT_REPLY, segment_frame(&lab.segment, 1, frame, 60));
    TEST_ASSERT_EQUAL_HEX8(0x12, frame[6]);
    TEST_ASSERT_EQUAL_HEX8(7, frame[17]);
    TEST_ASSERT_EACH_EQUAL_HEX8(0xee, frame + n, 60 - n);
    TEST_ASSERT_EQUAL_UINT16(12, wire_get_u16(frame + 30));
}

static void test_frames_of_others_are_ignored_and_counted(void)
{
    uint8_t frame[SEGMENT_FRAME_MAX];
    const unsigned n = good_frame(frame);

    frame[13] = 0xa5;
    TEST_ASSERT_EQUAL_INT(SEGMENT_FOREIGN, segment_frame(&lab.segment, 1, frame, n));
    frame[13] = 0xa4;
    frame[15] = 0x40; /* another EtherCAT protocol */
    TEST_ASSERT_EQUAL_INT(SEGMENT_FOREIGN, segment_frame(&lab.segment, 1, frame, n));
    TEST_ASSERT_EQUAL_INT(SEGMENT_FOREIGN, segment_frame(&lab.segment, 1, frame, 13));
    TEST_ASSERT_EQUAL_UINT64(3, lab.segment.stats.foreign);
    TEST_ASSERT_EQUAL_HEX8(0x10, frame[6]);
}

static void test_frames_whose_lengths_disagree_are_dropped(void)
{
    uint8_t frame[SEGMENT_FRAME_MAX];
    const unsigned n = good_frame(frame);

    TEST_ASSERT_EQUAL_INT(SEGMENT_MALFORMED,
                          segment_frame(&lab.segment, 1, frame, n - 1)); /* cut off */
    wire_put_u16(frame + 14, 0x1000 | 17);
    TEST_ASSERT_EQUAL_INT(SEGMENT_MALFORMED,
                          segment_frame(&lab.segment, 1, frame, n + 1)); /* a byte too many */
    wire_put_u16(frame + 14, 0x1000 | 16);
    wire_put_u16(frame + 22, 5); /* datagram longer than the frame */
    TEST_ASSERT_EQUAL_INT(SEGMENT_MALFORMED, segment_frame(&lab.segment, 1, frame, n));
    wire_put_u16(frame + 22, 0x8000 | 4); /* promises another datagram */
    TEST_ASSERT_EQUAL_INT(SEGMENT_MALFORMED, segment_frame(&lab.segment, 1, frame, n));
    wire_put_u16(frame + 14, 0x1000); /* no datagram at all */
    TEST_ASSERT_EQUAL_INT(SEGMENT_MALFORMED, segment_frame(&lab.segment, 1, frame, n));
    TEST_ASSERT_EQUAL_UINT64(5, lab.segment.stats.malformed);
    TEST_ASSERT_EQUAL_UINT64(0, lab.segment.stats.frames);
}

static void test_several_datagrams_in_a_frame_are_run_in_order(void)
{
    uint8_t frame[SEGMENT_FRAME_MAX];
    uint8_t second[SEGMENT_FRAME_MAX];
    const uint8_t address[2] = {0x34, 0x12};
    const uint8_t nothing[2] = {0};
    const unsigned n = master_frame(frame, M_APWR, 1, master_at(3, 0x0010), address, 2);

    master_frame(second, M_FPRD, 2, 0x1234 | 0x0010u << 16, nothing, 2);
    memcpy(frame + n, second + 16, 14);
    wire_put_u16(frame + 14, 0x1000 | 28);
    wire_put_u16(frame + 22, 0x8000 | 2);
    TEST_ASSERT_EQUAL_INT(SEGMENT_REPLY, segment_frame(&lab.segment, 1, frame, n + 14));
    TEST_ASSERT_EQUAL_UINT16(1, wire_get_u16(frame + 28));
    TEST_ASSERT_EQUAL_HEX16(
        0x1234, wire_get_u16(frame + n + 10)); /* the second sees what the first wrote */
    TEST_ASSERT_EQUAL_UINT16(1, wire_get_u16(frame + n + 12));
}

/* Working counters ----------------------------------------------------------------------------------------------- */

static int wkc(uint8_t command, uint32_t address, uint16_t value)
{
    uint8_t data[2];

    wire_put_u16(data, value);
    return master_do(&m, command, address, data, 2);
}

static void test_every_command_counts_as_the_data_sheet_says(void)
{
    const uint32_t reg = 0x0200u << 16;   /* readable and writable */
    const uint32_t fixed = 0x0130u << 16; /* only readable */

    for (int i = 1; i <= 12; i++) {
        master_write16(&m, i, 0x0010, (uint16_t)(0x1000 + i));
    }
    TEST_ASSERT_EQUAL_INT(0, wkc(M_NOP, reg, 0));
    TEST_ASSERT_EQUAL_INT(1, wkc(M_APRD, master_at(5, 0x0200), 0));
    TEST_ASSERT_EQUAL_INT(1, wkc(M_APWR, master_at(5, 0x0200), 0));
    TEST_ASSERT_EQUAL_INT(3, wkc(M_APRW, master_at(5, 0x0200), 0));
    TEST_ASSERT_EQUAL_INT(1, wkc(M_APRW, master_at(5, 0x0130), 0)); /* read, not written */
    TEST_ASSERT_EQUAL_INT(0, wkc(M_APRD, 1 | reg, 0));              /* before the first */
    TEST_ASSERT_EQUAL_INT(0, wkc(M_APRD, master_at(13, 0x0200), 0));
    TEST_ASSERT_EQUAL_INT(1, wkc(M_FPRD, 0x1005 | reg, 0));
    TEST_ASSERT_EQUAL_INT(1, wkc(M_FPWR, 0x1005 | reg, 0));
    TEST_ASSERT_EQUAL_INT(3, wkc(M_FPRW, 0x1005 | reg, 0));
    TEST_ASSERT_EQUAL_INT(0, wkc(M_FPRD, 0x2005 | reg, 0));
    TEST_ASSERT_EQUAL_INT(0, wkc(M_FPWR, 0x1005 | fixed, 0));
    TEST_ASSERT_EQUAL_INT(12, wkc(M_BRD, reg, 0));
    TEST_ASSERT_EQUAL_INT(12, wkc(M_BWR, reg, 0));
    TEST_ASSERT_EQUAL_INT(36, wkc(M_BRW, reg, 0));
    TEST_ASSERT_EQUAL_INT(0, wkc(M_BWR, fixed, 0));
    TEST_ASSERT_EQUAL_INT(12, wkc(M_ARMW, master_at(5, 0x0200), 0));
    TEST_ASSERT_EQUAL_INT(12, wkc(M_FRMW, 0x1005 | reg, 0));
    TEST_ASSERT_EQUAL_INT(12, wkc(M_FRMW, 0x2005 | reg, 0)); /* nobody to read, everybody writes */
    TEST_ASSERT_EQUAL_INT(0, wkc(M_LRD, 0x10000, 0));
    TEST_ASSERT_EQUAL_INT(0, wkc(M_LWR, 0x10000, 0));
    TEST_ASSERT_EQUAL_INT(0, wkc(M_LRW, 0x10000, 0));
    TEST_ASSERT_EQUAL_INT(0, wkc(15, reg, 0)); /* no such command */
}

static void test_position_rises_by_one_at_every_slave(void)
{
    wkc(M_BRD, 0x0200u << 16, 0);
    TEST_ASSERT_EQUAL_HEX16(12, m.address);
    wkc(M_APRD, master_at(5, 0x0200), 0);
    TEST_ASSERT_EQUAL_HEX16(8, m.address); /* -4 + 12 */
    wkc(M_FPRD, 0x2005 | 0x0200u << 16, 0);
    TEST_ASSERT_EQUAL_HEX16(0x2005, m.address);
}

static void test_read_and_write_exchange_old_and_new(void)
{
    uint8_t data[2] = {0x55, 0xaa};

    master_write16(&m, 4, 0x0200, 0x1122);
    TEST_ASSERT_EQUAL_INT(3, master_do(&m, M_APRW, master_at(4, 0x0200), data, 2));
    TEST_ASSERT_EQUAL_HEX16(0x1122, wire_get_u16(data));
    TEST_ASSERT_EQUAL_HEX16(0xaa55, master_read(&m, 4, 0x0200, 2));
}

static void test_broadcast_reads_are_or_ed(void)
{
    uint8_t data[2] = {0, 0};

    master_write16(&m, 2, 0x0200, 0x0101);
    master_write16(&m, 9, 0x0200, 0x8001);
    master_do(&m, M_BRD, 0x0200u << 16, data, 2);
    TEST_ASSERT_EQUAL_HEX16(0x8101, wire_get_u16(data));
}

static void test_multiple_write_spreads_the_value_of_one(void)
{
    uint8_t data[2] = {0xff, 0xff};

    master_write16(&m, 3, 0x0200, 0x4321);
    master_do(&m, M_ARMW, master_at(3, 0x0200), data, 2);
    TEST_ASSERT_EQUAL_HEX16(0x4321, master_read(&m, 12, 0x0200, 2));
    TEST_ASSERT_EQUAL_HEX16(0xffff,
                            master_read(&m, 2, 0x0200, 2)); /* it passed here before it was read */
}

static void test_an_alias_answers_only_when_enabled(void)
{
    const uint8_t on = 1;

    wire_put_u16(&lab.segment.slave[3].esc.memory[0x0012], 0x0777);
    TEST_ASSERT_EQUAL_INT(0, wkc(M_FPRD, 0x0777 | 0x0200u << 16, 0));
    master_write(&m, 4, 0x0103, &on, 1);
    TEST_ASSERT_EQUAL_INT(1, wkc(M_FPRD, 0x0777 | 0x0200u << 16, 0));
}

/* Command and address in one datagram, then the data, as masters do it. */
static void test_the_eeprom_is_read_over_the_bus(void)
{
    const uint8_t command[6] = {0x00, 0x01, 0x0a, 0x00, 0x00, 0x00};

    TEST_ASSERT_EQUAL_INT(1, master_write(&m, 4, 0x0502, command, 6));
    TEST_ASSERT_EQUAL_HEX64(0, master_read(&m, 4, 0x0502, 2) & 0xf800);
    TEST_ASSERT_EQUAL_HEX64(0x26483053, master_read(&m, 4, 0x0508, 4));
}

/* States --------------------------------------------------------------------------------------------------------- */

static void test_twelve_devices_reach_op_with_the_expected_working_counter(void)
{
    master_preop(&m, &map);
    TEST_ASSERT_EQUAL_INT(0, master_op(&m, &map));
    TEST_ASSERT_EQUAL_UINT(1 + 2 + 3 + 3 + 7 * 3,
                           map.wkc); /* by hand: coupler 0, inputs 1, outputs 2, the rest 3 */
    TEST_ASSERT_EQUAL_INT(map.wkc, master_cycle(&m, &map));
    TEST_ASSERT_EQUAL_INT(
        10, master_do(&m, M_LWR, 0x10000, map.image, map.bytes)); /* one per device with outputs */
    TEST_ASSERT_EQUAL_INT(
        10, master_do(&m, M_LRD, 0x10000, map.image, map.bytes)); /* one per device with inputs */
}

static void test_process_data_is_closed_before_safe_op(void)
{
    master_preop(&m, &map);
    TEST_ASSERT_EQUAL_INT(
        1 + 2 + 2,
        master_cycle(&m, &map)); /* terminals, and Bota's output of one byte: no protection */
    for (int i = 1; i <= 12; i++) {
        master_state(&m, i, 0x04);
    }
    TEST_ASSERT_EQUAL_INT(map.wkc, master_cycle(&m, &map));
    TEST_ASSERT_EQUAL_INT(0, master_state(&m, 6, 0x01) >> 16);
    TEST_ASSERT_EQUAL_INT(map.wkc - 3,
                          master_cycle(&m, &map)); /* in INIT it does not answer any more */
}

static void test_a_mute_device_counts_outputs_only_in_op(void)
{
    struct slave_model one = {.type = &device_drive_cia402, .safeop_mute = true};

    TEST_ASSERT_EQUAL_INT(0, lab_init(&lab, &one, 1, 1, 0, NULL));
    m.lab = &lab;
    master_preop(&m, &map);
    master_state(&m, 1, 0x04);
    TEST_ASSERT_EQUAL_INT(1, master_cycle(&m, &map));
    master_state(&m, 1, 0x08);
    TEST_ASSERT_EQUAL_INT(3, master_cycle(&m, &map));
}

static void test_terminals_copy_al_control(void)
{
    TEST_ASSERT_EQUAL_HEX32(
        0x12, master_state(&m, 2, 0x12)); /* the acknowledge bit too, as the chip does */
    TEST_ASSERT_EQUAL_HEX32(0x08, master_state(&m, 2, 0x08)); /* nothing is checked */
}

static void test_a_wrong_mailbox_refuses_pre_op(void)
{
    TEST_ASSERT_EQUAL_HEX32(0x00160011, master_state(&m, 6, 0x02));
    master_sm(&m, 6, 0, 0x1000, 128, 0x22); /* both directions wrong */
    master_sm(&m, 6, 1, 0x1080, 128, 0x26);
    TEST_ASSERT_EQUAL_HEX32(0x00160011, master_state(&m, 6, 0x12));
}

static uint32_t safeop_with(uint16_t outputs, uint16_t inputs)
{
    master_init(&m, &lab, "one", 1);
    master_mailbox(&m, 1);
    master_state(&m, 1, 0x02);
    master_sm(&m, 1, 2, 0x1100, outputs, 0x64);
    master_sm(&m, 1, 3, 0x1400, inputs, 0x20);
    return master_state(&m, 1, 0x04);
}

static void test_a_wrong_image_refuses_safe_op(void)
{
    TEST_ASSERT_EQUAL_HEX32(0x04, safeop_with(13, 15));
    TEST_ASSERT_EQUAL_HEX32(0x001d0012, safeop_with(12, 15));
    TEST_ASSERT_EQUAL_HEX32(0x001e0012, safeop_with(13, 16));
    TEST_ASSERT_EQUAL_HEX32(0x001d0012, safeop_with(0, 15));
}

static void test_another_assignment_wants_another_image(void)
{
    master_init(&m, &lab, "one", 1);
    master_mailbox(&m, 1);
    master_state(&m, 1, 0x02);
    TEST_ASSERT_EQUAL_HEX32(0, master_sdo(&m, 1, 0x1c12, 0, 2, 1)); /* with the torque offset */
    master_sm(&m, 1, 2, 0x1100, 13, 0x64);
    master_sm(&m, 1, 3, 0x1400, 15, 0x20);
    TEST_ASSERT_EQUAL_HEX32(0x001d0012, master_state(&m, 1, 0x04));
    master_sm(&m, 1, 2, 0, 0, 0);
    master_sm(&m, 1, 2, 0x1100, 15, 0x64);
    TEST_ASSERT_EQUAL_HEX32(0x04, master_state(&m, 1, 0x14));
}

static void test_op_may_wait_for_outputs(void)
{
    struct slave_model one = {.type = &device_drive_cia402, .wait_outputs = true};

    TEST_ASSERT_EQUAL_INT(0, lab_init(&lab, &one, 1, 1, 0, NULL));
    master_preop(&m, &map);
    master_state(&m, 1, 0x04);
    TEST_ASSERT_EQUAL_HEX32(0x00190014, master_state(&m, 1, 0x08));
    master_cycle(&m, &map);
    TEST_ASSERT_EQUAL_HEX32(0x08, master_state(&m, 1, 0x18));
}

static void test_a_step_up_may_take_its_time_and_a_step_down_never(void)
{
    struct slave_model one = {.type = &device_drive_cia402, .transition_ms = 50};

    TEST_ASSERT_EQUAL_INT(0, lab_init(&lab, &one, 1, 1, 0, NULL));
    master_mailbox(&m, 1);
    TEST_ASSERT_EQUAL_HEX32(0x01, master_state(&m, 1, 0x02));
    m.t_ns += 49000000;
    TEST_ASSERT_EQUAL_HEX32(0x01, master_read(&m, 1, 0x0130, 2));
    m.t_ns += 1000000;
    TEST_ASSERT_EQUAL_HEX32(0x02, master_read(&m, 1, 0x0130, 2));
    TEST_ASSERT_EQUAL_HEX32(0x01, master_state(&m, 1, 0x01));
}

static void set_sync(int position, uint32_t cycle_ns)
{
    uint8_t r[20] = {0};
    const uint8_t active = 3;

    wire_put_u64(r, master_read(&m, position, 0x0910, 8) + 2000000);
    wire_put_u32(r + 16, cycle_ns);
    master_write(&m, position, 0x0990, r, 20);
    master_write(&m, position, 0x0981, &active, 1);
}

static void test_synchronised_operation_wants_sync_pulses_of_the_right_cycle(void)
{
    master_init(&m, &lab, "one", 1);
    master_preop(&m, &map);
    TEST_ASSERT_EQUAL_HEX32(0, master_sdo(&m, 1, 0x1c32, 1, 2, 2));
    TEST_ASSERT_EQUAL_HEX32(0x00300012, master_state(&m, 1, 0x04)); /* not active */
    set_sync(1, 100000);
    TEST_ASSERT_EQUAL_HEX32(0x00350012, master_state(&m, 1, 0x14)); /* too fast */
    set_sync(1, 2000000);
    TEST_ASSERT_EQUAL_HEX32(0x00360012, master_state(&m, 1, 0x14)); /* 0x1C32:02 says 1 ms */
    set_sync(1, 1000000);
    TEST_ASSERT_EQUAL_HEX32(0x04, master_state(&m, 1, 0x14));
}

/* Watchdogs ------------------------------------------------------------------------------------------------------ */

static void run_to_op(const char *segment)
{
    master_init(&m, &lab, segment, 1);
    master_preop(&m, &map);
    TEST_ASSERT_EQUAL_INT(0, master_op(&m, &map));
    for (int i = 0; i < 20; i++) {
        m.t_ns += 1000000 - m.step_ns;
        TEST_ASSERT_EQUAL_INT(map.wkc, master_cycle(&m, &map));
    }
}

/* (0x09c2 + 2) * 40 ns = 100 us; 0x0420 = 200 of them: 20 ms. */
static void test_the_watchdog_ends_op_after_its_time_and_not_before(void)
{
    run_to_op("one");
    master_write16(&m, 1, 0x0420, 200);
    master_cycle(&m, &map);
    m.t_ns += 20000000 - 2 * m.step_ns;
    TEST_ASSERT_EQUAL_HEX32(0x01, master_read(&m, 1, 0x0440, 2));
    TEST_ASSERT_EQUAL_HEX32(0x08, master_read(&m, 1, 0x0130, 2)); /* 20 ms after the outputs */
    TEST_ASSERT_EQUAL_HEX32(0x14, master_read(&m, 1, 0x0130, 2));
    TEST_ASSERT_EQUAL_HEX32(0x1b, master_read(&m, 1, 0x0134, 2));
    TEST_ASSERT_EQUAL_HEX32(0x00, master_read(&m, 1, 0x0440, 2));
    TEST_ASSERT_EQUAL_HEX32(0x01, master_read(&m, 1, 0x0442, 1));
    TEST_ASSERT_EQUAL_INT(map.wkc,
                          master_cycle(&m, &map)); /* and the working counter does not show it */
    TEST_ASSERT_EQUAL_HEX32(0x00, master_state(&m, 1, 0x14) >> 16);
    TEST_ASSERT_EQUAL_HEX32(0x08, master_state(&m, 1, 0x08));
}

static void test_watchdog_time_zero_switches_it_off(void)
{
    run_to_op("one");
    master_write16(&m, 1, 0x0420, 0);
    master_cycle(&m, &map);
    m.t_ns += 5000000000;
    TEST_ASSERT_EQUAL_HEX32(0x08, master_read(&m, 1, 0x0130, 2));
}

static void test_outputs_of_a_terminal_go_off_without_a_master(void)
{
    run_to_op("bits");
    map.image[map.outputs[4]] = 0xff; /* do8 at position 5 */
    map.image[map.outputs[2]] = 0x05; /* do4 at position 3: channel 0 of the plant */
    master_cycle(&m, &map);
    m.t_ns += 1000000;
    master_cycle(&m, &map);
    TEST_ASSERT_EQUAL_HEX32(0x05, lab.plant.relays);
    TEST_ASSERT_EQUAL_HEX8(0xff, lab.segment.slave[4].esc.memory[0x0f00]);
    m.t_ns += 101000000;
    lab_tick(&lab, m.t_ns);
    TEST_ASSERT_EQUAL_HEX32(0x00, lab.plant.relays);
    TEST_ASSERT_EQUAL_HEX8(0x00, lab.segment.slave[4].esc.memory[0x0f00]);
    TEST_ASSERT_EQUAL_HEX32(0x08,
                            master_read(&m, 5, 0x0130, 2)); /* no processor: the state stays */
}

static void run_synchronised(int cycles, bool outputs)
{
    for (int i = 0; i < cycles; i++) {
        m.t_ns += 1000000 - m.step_ns;
        if (outputs) {
            master_cycle(&m, &map);
        } else {
            (void)master_read(&m, 1, 0x0130, 2);
        }
    }
}

static void start_synchronised(void)
{
    master_init(&m, &lab, "one", 1);
    master_preop(&m, &map);
    set_sync(1, 1000000);
    TEST_ASSERT_EQUAL_INT(0, master_op(&m, &map));
    run_synchronised(50, true);
    TEST_ASSERT_EQUAL_HEX32(0x08, master_read(&m, 1, 0x0130, 2));
}

static void test_a_drive_notices_missing_outputs_between_pulses(void)
{
    start_synchronised();
    run_synchronised(21, false); /* the first pulse still has outputs before it, twenty have none */
    TEST_ASSERT_EQUAL_HEX32(0x08, master_read(&m, 1, 0x0130, 2));
    run_synchronised(1, false);
    TEST_ASSERT_EQUAL_HEX32(0x14, master_read(&m, 1, 0x0130, 2));
    TEST_ASSERT_EQUAL_HEX32(0x1a, master_read(&m, 1, 0x0134, 2));
}

static void test_a_drive_notices_that_the_pulses_stop(void)
{
    const uint8_t off = 0;

    start_synchronised();
    master_write(&m, 1, 0x0981, &off, 1);
    run_synchronised(2, true);
    TEST_ASSERT_EQUAL_HEX32(0x14, master_read(&m, 1, 0x0130, 2));
    TEST_ASSERT_EQUAL_HEX32(0x2c, master_read(&m, 1, 0x0134, 2));
    start_synchronised();
    clock_stop(&lab.segment.slave[0].clock, m.t_ns, true);
    run_synchronised(30, true);
    TEST_ASSERT_EQUAL_HEX32(0x2c, master_read(&m, 1, 0x0134, 2));
}

/* Wiring --------------------------------------------------------------------------------------------------------- */

static void test_a_cut_cable_hides_what_lies_behind_it(void)
{
    run_to_op("bench12");
    segment_cut(&lab.segment, 6, true);
    TEST_ASSERT_EQUAL_INT(5, wkc(M_BRD, 0, 0));
    TEST_ASSERT_EQUAL_INT(9, master_cycle(&m, &map)); /* 1 + 2 + 3 + 3 */
    TEST_ASSERT_EQUAL_HEX32(0,
                            master_read(&m, 5, 0x0110, 2) & 0x0020); /* no link behind device 5 */
    TEST_ASSERT_EQUAL_HEX32(1, master_read(&m, 5, 0x0311, 1));
    segment_cut(&lab.segment, 6, false);
    TEST_ASSERT_EQUAL_INT(12, wkc(M_BRD, 0, 0));
    TEST_ASSERT_EQUAL_HEX32(0x0020, master_read(&m, 5, 0x0110, 2) & 0x0020);
}

static void test_a_cut_at_the_master_answers_nothing(void)
{
    segment_cut(&lab.segment, 1, true);
    TEST_ASSERT_EQUAL_INT(-1, wkc(M_BRD, 0, 0));
    TEST_ASSERT_EQUAL_UINT64(1, lab.segment.stats.unanswered);
}

static void test_a_power_cycle_forgets_everything_but_the_eeprom(void)
{
    run_to_op("bench12");
    master_write16(&m, 6, 0x0010, 0x1006);
    segment_power(&lab.segment, 6, m.t_ns, false);
    TEST_ASSERT_EQUAL_INT(5, wkc(M_BRD, 0, 0)); /* and all behind it */
    segment_power(&lab.segment, 6, m.t_ns, true);
    TEST_ASSERT_EQUAL_INT(12, wkc(M_BRD, 0, 0));
    TEST_ASSERT_EQUAL_HEX32(0, master_read(&m, 6, 0x0010, 2));
    TEST_ASSERT_EQUAL_HEX32(0x01, master_read(&m, 6, 0x0130, 2));
    TEST_ASSERT_EQUAL_HEX32(0x08,
                            master_read(&m, 7, 0x0130, 2) & 0x08); /* the next only missed frames */
    TEST_ASSERT_EQUAL_INT(map.wkc - 3, master_cycle(&m, &map));
    TEST_ASSERT_EQUAL_HEX32(0x00000402, wire_get_u32(&lab.segment.slave[5].sii[20]));
}

/* The whole -------------------------------------------------------------------------------------------------------*/

/* Everything the master ever receives, folded into one number (FNV-1a). */
static uint64_t fold_run(uint64_t seed, int cycles)
{
    uint64_t hash = 0xcbf29ce484222325u;

    master_init(&m, &lab, "bench12", seed);
    master_preop(&m, &map);
    (void)master_op(&m, &map);
    for (int i = 0; i < cycles; i++) {
        map.image[i % (int)map.output_bytes] = (uint8_t)(i * 7);
        m.t_ns += 1000000 - m.step_ns;
        (void)master_cycle(&m, &map);
        for (unsigned k = 0; k < m.bytes; k++) {
            hash = (hash ^ m.frame[k]) * 0x100000001b3u;
        }
    }
    return hash;
}

static void test_the_same_seed_gives_the_same_bytes(void)
{
    const uint64_t first = fold_run(42, 500);

    TEST_ASSERT_EQUAL_HEX64(first, fold_run(42, 500));
    TEST_ASSERT_NOT_EQUAL(first, fold_run(43, 500)); /* noise of the Bota sensor */
}

/* Is a frame well formed? Written again from the document, for the test below. */
static bool well_formed(const uint8_t *f, unsigned n)
{
    unsigned at = 16;
    unsigned end;

    if (n < 28 || n > 1514 || f[12] != 0x88 || f[13] != 0xa4 || f[15] >> 4 != 1) {
        return false;
    }
    end = 16 + (f[14] | (f[15] & 7u) << 8);
    while (end <= n && at + 12 <= end) {
        const unsigned length = f[at + 6] | (f[at + 7] & 7u) << 8;

        at += 12 + length;
        if ((f[at - length - 12 + 7] & 0x80) == 0) {
            return at == end;
        }
    }
    return false;
}

/* Half pure noise behind a plausible header, half good frames with a few bytes changed. */
static unsigned hostile(struct random_state *r, uint8_t *frame)
{
    unsigned n = 16 + (unsigned)(random_bits(r) % 200);

    if (random_bits(r) % 2 == 0) {
        uint8_t data[200];

        for (unsigned i = 0; i < sizeof data; i += 8) {
            wire_put_u64(data + i, random_bits(r));
        }
        n = master_frame(frame, (uint8_t)(random_bits(r) % 16), 0,
                         (uint32_t)(random_bits(r) % 16 == 0
                                        ? random_bits(r)
                                        : master_at((int)(random_bits(r) % 14),
                                                    (uint16_t)(random_bits(r) % 0x1500))),
                         data, (unsigned)(random_bits(r) % 160));
        for (int k = (int)(random_bits(r) % 3); k > 0; k--) {
            frame[random_bits(r) % n] = (uint8_t)random_bits(r);
        }
        return n;
    }
    for (unsigned i = 0; i < n; i++) {
        frame[i] = (uint8_t)random_bits(r);
    }
    frame[12] = 0x88;
    frame[13] = 0xa4;
    wire_put_u16(frame + 14, (uint16_t)(0x1000 | (n - 16)));
    return n;
}

static void test_hostile_frames_are_answered_only_when_well_formed(void)
{
    struct random_state r;
    unsigned dropped = 0;
    unsigned answered = 0;

    random_init(&r, 2024, 7);
    for (int i = 0; i < 50000; i++) {
        uint8_t frame[SEGMENT_FRAME_MAX] = {0};
        const unsigned n = hostile(&r, frame);
        const bool good = well_formed(frame, n);
        enum segment_result result;

        m.t_ns += (int64_t)(random_bits(&r) % 2000000);
        result = segment_frame(&lab.segment, m.t_ns, frame, n);
        TEST_ASSERT_EQUAL_INT(good, result == SEGMENT_REPLY);
        dropped += !good;
        answered += good;
    }
    TEST_ASSERT_GREATER_THAN_UINT(5000, dropped);
    TEST_ASSERT_GREATER_THAN_UINT(5000, answered);
    TEST_ASSERT_EQUAL_UINT64(dropped, lab.segment.stats.foreign + lab.segment.stats.malformed);
    TEST_ASSERT_EQUAL_UINT64(answered, lab.segment.stats.frames);
}

static void test_sixty_four_devices_are_possible(void)
{
    struct slave_model models[SEGMENT_SLAVES_MAX] = {{0}};

    for (int i = 0; i < SEGMENT_SLAVES_MAX; i++) {
        models[i].type = i == 0 ? &device_coupler : i % 2 == 0 ? &device_di4 : &device_do8;
    }
    TEST_ASSERT_EQUAL_INT(0, lab_init(&lab, models, SEGMENT_SLAVES_MAX, 1, 0, NULL));
    TEST_ASSERT_EQUAL_INT(64, wkc(M_BRD, 0, 0));
    master_preop(&m, &map);
    TEST_ASSERT_EQUAL_INT(0, master_op(&m, &map));
    TEST_ASSERT_EQUAL_INT(31 * 1 + 32 * 2, master_cycle(&m, &map));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_reply_has_the_same_length_and_the_mark_of_a_slave);
    RUN_TEST(test_frames_of_others_are_ignored_and_counted);
    RUN_TEST(test_frames_whose_lengths_disagree_are_dropped);
    RUN_TEST(test_several_datagrams_in_a_frame_are_run_in_order);
    RUN_TEST(test_every_command_counts_as_the_data_sheet_says);
    RUN_TEST(test_position_rises_by_one_at_every_slave);
    RUN_TEST(test_read_and_write_exchange_old_and_new);
    RUN_TEST(test_broadcast_reads_are_or_ed);
    RUN_TEST(test_multiple_write_spreads_the_value_of_one);
    RUN_TEST(test_an_alias_answers_only_when_enabled);
    RUN_TEST(test_the_eeprom_is_read_over_the_bus);
    RUN_TEST(test_twelve_devices_reach_op_with_the_expected_working_counter);
    RUN_TEST(test_process_data_is_closed_before_safe_op);
    RUN_TEST(test_a_mute_device_counts_outputs_only_in_op);
    RUN_TEST(test_terminals_copy_al_control);
    RUN_TEST(test_a_wrong_mailbox_refuses_pre_op);
    RUN_TEST(test_a_wrong_image_refuses_safe_op);
    RUN_TEST(test_another_assignment_wants_another_image);
    RUN_TEST(test_op_may_wait_for_outputs);
    RUN_TEST(test_a_step_up_may_take_its_time_and_a_step_down_never);
    RUN_TEST(test_synchronised_operation_wants_sync_pulses_of_the_right_cycle);
    RUN_TEST(test_the_watchdog_ends_op_after_its_time_and_not_before);
    RUN_TEST(test_watchdog_time_zero_switches_it_off);
    RUN_TEST(test_outputs_of_a_terminal_go_off_without_a_master);
    RUN_TEST(test_a_drive_notices_missing_outputs_between_pulses);
    RUN_TEST(test_a_drive_notices_that_the_pulses_stop);
    RUN_TEST(test_a_cut_cable_hides_what_lies_behind_it);
    RUN_TEST(test_a_cut_at_the_master_answers_nothing);
    RUN_TEST(test_a_power_cycle_forgets_everything_but_the_eeprom);
    RUN_TEST(test_the_same_seed_gives_the_same_bytes);
    RUN_TEST(test_hostile_frames_are_answered_only_when_well_formed);
    RUN_TEST(test_sixty_four_devices_are_possible);
    return UNITY_END();
}
