/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_esc.c - one slave controller: registers, sync managers, FMMUs, EEPROM, state machine. Register values and rules
 * are those of the Beckhoff ESC data sheet, sections I and II. */
#include "tools/lab/esc.h"

#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/al.h"
#include "tools/lab/devices.h"
#include "tools/lab/fmmu.h"
#include "tools/lab/sii.h"
#include "tools/lab/syncman.h"
#include "unity.h"

static struct esc e;
static uint8_t sii[SII_BYTES];
static struct od od;

void setUp(void)
{
    const struct esc_model model = {.dc = true, .pdi = 0x05, .alias = 0x1234};

    esc_init(&e, &model);
}

void tearDown(void)
{
}

static void set_sm(int sm, uint16_t start, uint16_t length, uint8_t control)
{
    uint8_t r[8] = {0};

    wire_put_u16(r, start);
    wire_put_u16(r + 2, length);
    r[4] = control;
    r[6] = 1;
    esc_write(&e, (uint16_t)(ESC_REG_SM + 8 * sm), r, 8);
}

static void set_fmmu(int fmmu, uint32_t logical, uint16_t length, uint8_t first_bit,
                     uint8_t last_bit, uint16_t physical, uint8_t physical_bit, uint8_t type)
{
    uint8_t r[16] = {0};

    wire_put_u32(r, logical);
    wire_put_u16(r + 4, length);
    r[6] = first_bit;
    r[7] = last_bit;
    wire_put_u16(r + 8, physical);
    r[10] = physical_bit;
    r[11] = type;
    r[12] = 1;
    esc_write(&e, (uint16_t)(ESC_REG_FMMU + 16 * fmmu), r, 16);
}

static uint8_t byte_at(uint16_t address)
{
    uint8_t b = 0;

    esc_read(&e, address, &b, 1);
    return b;
}

/* Registers ------------------------------------------------------------------------------------------------------ */

static void test_power_on_values_are_those_of_the_data_sheet(void)
{
    TEST_ASSERT_EQUAL_HEX8(0x11, byte_at(0x0000));
    TEST_ASSERT_EQUAL_HEX16(
        0, wire_get_u16(&e.memory[0x0010])); /* no station address: a master sees a power cycle */
    TEST_ASSERT_EQUAL_HEX16(0x1234, wire_get_u16(&e.memory[0x0012]));
    TEST_ASSERT_EQUAL_HEX8(0x01, byte_at(0x0130));
    TEST_ASSERT_EQUAL_HEX16(0x09c2, wire_get_u16(&e.memory[0x0400]));
    TEST_ASSERT_EQUAL_UINT16(1000, wire_get_u16(&e.memory[0x0420]));
    TEST_ASSERT_EQUAL_HEX16(0x1000, wire_get_u16(&e.memory[0x0930]));
    TEST_ASSERT_EQUAL_HEX8(0x0c, byte_at(0x0008) & 0x0c); /* clocks, 64 bits wide */
}

static void test_a_read_only_register_keeps_its_value_and_does_not_count(void)
{
    const uint8_t data[2] = {0xff, 0xff};

    TEST_ASSERT_FALSE(esc_write(&e, 0x0130, data, 2));
    TEST_ASSERT_EQUAL_HEX8(0x01, byte_at(0x0130));
    TEST_ASSERT_FALSE(esc_write(&e, 0x0000, data, 2));
    TEST_ASSERT_EQUAL_HEX8(0x11, byte_at(0x0000));
}

static void test_a_write_over_several_registers_reaches_the_writable_ones(void)
{
    uint8_t data[6] = {1, 2, 3, 4, 5, 6};

    TEST_ASSERT_TRUE(esc_write(&e, 0x000e, data, 6)); /* 0x000e..0x0013: only 0x0010 and 0x0011 */
    TEST_ASSERT_EQUAL_HEX16(0x0403, wire_get_u16(&e.memory[0x0010]));
    TEST_ASSERT_EQUAL_HEX16(0x1234, wire_get_u16(&e.memory[0x0012]));
}

static void test_any_write_clears_all_error_counters_of_its_group(void)
{
    const uint8_t any = 0x77;

    memset(&e.memory[0x0300], 0x11, 0x14);
    TEST_ASSERT_TRUE(esc_write(&e, 0x0304, &any, 1));
    for (uint16_t a = 0x0300; a <= 0x030d; a++) {
        TEST_ASSERT_EQUAL_HEX8(0, byte_at(a));
    }
    TEST_ASSERT_EQUAL_HEX8(0x11, byte_at(0x0310));
    TEST_ASSERT_TRUE(esc_write(&e, 0x0310, &any, 1));
    TEST_ASSERT_EQUAL_HEX8(0, byte_at(0x0313));
}

static void test_clock_registers_are_missing_without_distributed_clocks(void)
{
    const struct esc_model model = {.dc = false};
    const uint8_t data[4] = {0};

    esc_init(&e, &model);
    TEST_ASSERT_FALSE(esc_write(&e, 0x0900, data, 4));
    TEST_ASSERT_FALSE(esc_write(&e, 0x0910, data, 4));
    TEST_ASSERT_EQUAL_HEX32(0, e.events);
}

static void test_nothing_lies_behind_the_memory(void)
{
    uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};

    TEST_ASSERT_FALSE(esc_write(&e, ESC_MEMORY, data, 8));
    TEST_ASSERT_FALSE(esc_read(&e, 0xffff, data, 8));
    TEST_ASSERT_TRUE(esc_write(&e, ESC_MEMORY - 2, data, 8)); /* one accessible byte is enough */
    TEST_ASSERT_EQUAL_HEX8(2, e.memory[ESC_MEMORY - 1]);
}

static void test_a_broadcast_read_adds_bits(void)
{
    uint8_t data[2] = {0x20, 0x00};

    e.memory[0x0130] = 0x04;
    TEST_ASSERT_TRUE(esc_or(&e, 0x0130, data, 2));
    TEST_ASSERT_EQUAL_HEX8(0x24, data[0]);
}

/* Sync managers -------------------------------------------------------------------------------------------------- */

static void test_one_write_configures_and_switches_on_a_sync_manager(void)
{
    set_sm(0, 0x1000, 16, 0x26);
    TEST_ASSERT_TRUE(e.sm[0].enabled);
    TEST_ASSERT_TRUE(e.sm[0].mailbox);
    TEST_ASSERT_TRUE(e.sm[0].ecat_writes);
}

static void test_a_sync_manager_cannot_be_changed_while_it_is_on(void)
{
    set_sm(0, 0x1000, 16, 0x26);
    set_sm(0, 0x1200, 99, 0x00);
    TEST_ASSERT_EQUAL_HEX16(0x1000, e.sm[0].start);
    TEST_ASSERT_EQUAL_UINT16(16, e.sm[0].length);
}

static void test_a_mailbox_is_written_and_read_in_turn(void)
{
    uint8_t data[16] = {9};
    uint8_t fetched[16];

    set_sm(0, 0x1000, 16, 0x26);
    TEST_ASSERT_TRUE(esc_write(&e, 0x1000, data, 16));
    TEST_ASSERT_EQUAL_HEX8(0x08, byte_at(0x0805)); /* full */
    TEST_ASSERT_FALSE(esc_write(&e, 0x1000, data, 16));
    TEST_ASSERT_FALSE(esc_read(&e, 0x1000, data, 16)); /* wrong direction */
    TEST_ASSERT_EQUAL_UINT(16, syncman_fetch(&e, 0, fetched, sizeof fetched));
    TEST_ASSERT_EQUAL_HEX8(9, fetched[0]);
    TEST_ASSERT_EQUAL_HEX8(0x00, byte_at(0x0805));
    TEST_ASSERT_EQUAL_UINT(0, syncman_fetch(&e, 0, fetched, sizeof fetched));
    TEST_ASSERT_TRUE(esc_write(&e, 0x1000, data, 16));
}

static void test_a_mailbox_is_full_when_its_last_byte_is_written(void)
{
    uint8_t data[16] = {0};

    set_sm(0, 0x1000, 16, 0x26);
    TEST_ASSERT_FALSE(esc_write(&e, 0x1004, data, 4)); /* must begin at the first byte */
    TEST_ASSERT_TRUE(esc_write(&e, 0x1000, data, 8));
    TEST_ASSERT_EQUAL_HEX8(0x00, byte_at(0x0805));
    TEST_ASSERT_TRUE(esc_write(&e, 0x1008, data, 8));
    TEST_ASSERT_EQUAL_HEX8(0x08, byte_at(0x0805));
}

static void test_an_empty_mailbox_gives_nothing_and_leaves_the_data_alone(void)
{
    uint8_t data[16];
    const uint8_t reply[3] = {1, 2, 3};

    set_sm(1, 0x1080, 16, 0x22);
    memset(data, 0x5a, sizeof data);
    TEST_ASSERT_FALSE(esc_read(&e, 0x1080, data, 16));
    TEST_ASSERT_EACH_EQUAL_HEX8(0x5a, data, 16);
    TEST_ASSERT_TRUE(syncman_offer(&e, 1, reply, 3));
    TEST_ASSERT_FALSE(syncman_offer(&e, 1, reply, 3));
    TEST_ASSERT_TRUE(esc_read(&e, 0x1080, data, 16));
    TEST_ASSERT_EQUAL_HEX8(3, data[2]);
    TEST_ASSERT_EQUAL_HEX8(0, data[3]); /* the rest of the buffer is zero */
    TEST_ASSERT_FALSE(esc_read(&e, 0x1080, data, 16));
}

static void test_process_data_has_a_direction(void)
{
    uint8_t data[8] = {7};

    set_sm(2, 0x1100, 8, 0x64);
    set_sm(3, 0x1400, 8, 0x20);
    TEST_ASSERT_TRUE(esc_write(&e, 0x1100, data, 8));
    TEST_ASSERT_TRUE(esc_write(&e, 0x1100, data, 8)); /* always writable */
    TEST_ASSERT_FALSE(esc_read(&e, 0x1100, data, 8));
    TEST_ASSERT_TRUE(esc_read(&e, 0x1400, data, 8));
    TEST_ASSERT_FALSE(esc_write(&e, 0x1400, data, 8));
    TEST_ASSERT_EQUAL_HEX32(1u << 2, e.sm_written);
}

static void test_a_locked_buffer_is_closed_both_ways(void)
{
    uint8_t data[8] = {0};

    set_sm(2, 0x1100, 8, 0x64);
    syncman_lock(&e, 2, true);
    TEST_ASSERT_FALSE(esc_write(&e, 0x1100, data, 8));
    TEST_ASSERT_EQUAL_HEX8(0x01, byte_at(0x0817));
    syncman_lock(&e, 2, false);
    TEST_ASSERT_TRUE(esc_write(&e, 0x1100, data, 8));
}

static void test_memory_without_a_sync_manager_is_plain(void)
{
    uint8_t data[4] = {1, 2, 3, 4};

    TEST_ASSERT_TRUE(esc_write(&e, 0x1100, data, 4));
    memset(data, 0, sizeof data);
    TEST_ASSERT_TRUE(esc_read(&e, 0x1100, data, 4));
    TEST_ASSERT_EQUAL_HEX8(3, data[2]);
}

static void test_a_buffer_of_one_byte_only_triggers(void)
{
    uint8_t data = 0x81;

    set_sm(0, 0x0f00, 1, 0x44);
    TEST_ASSERT_TRUE(esc_write(&e, 0x0f00, &data, 1));
    TEST_ASSERT_TRUE(esc_read(&e, 0x0f00, &data, 1));
    TEST_ASSERT_EQUAL_HEX32(1u, e.sm_written);
}

static void test_an_access_that_begins_before_a_buffer_stops_at_it(void)
{
    uint8_t data[16];

    set_sm(3, 0x1108, 8, 0x20);
    memset(data, 0xaa, sizeof data);
    TEST_ASSERT_TRUE(esc_write(&e, 0x1100, data, 16)); /* plain memory, then inputs */
    TEST_ASSERT_EQUAL_HEX8(0xaa, e.memory[0x1107]);
    TEST_ASSERT_EQUAL_HEX8(0x00, e.memory[0x1108]);
}

static void test_an_access_over_two_buffers_counts_when_one_is_open(void)
{
    uint8_t data[16] = {0};

    set_sm(2, 0x1100, 8, 0x64);
    set_sm(3, 0x1108, 8, 0x20);
    memset(&e.memory[0x1100], 0xaa, 16);
    TEST_ASSERT_TRUE(esc_read(&e, 0x1100, data, 16));
    TEST_ASSERT_EQUAL_HEX8(0x00, data[7]); /* closed half is left alone */
    TEST_ASSERT_EQUAL_HEX8(0xaa, data[8]);
}

/* FMMUs ---------------------------------------------------------------------------------------------------------- */

static void test_bytes_outside_the_mapping_are_left_alone(void)
{
    uint8_t data[8];

    set_fmmu(0, 0x1000, 4, 0, 7, 0x1400, 0, 1);
    memcpy(&e.memory[0x1400], "abcd", 4);
    memset(data, '.', 8);
    TEST_ASSERT_EQUAL_UINT(FMMU_READ, fmmu_access(&e, 0x0ffe, data, 8, true, false));
    TEST_ASSERT_EQUAL_MEMORY("..abcd..", data, 8);
    memset(data, '.', 8);
    TEST_ASSERT_EQUAL_UINT(FMMU_READ, fmmu_access(&e, 0x1002, data, 8, true, false));
    TEST_ASSERT_EQUAL_MEMORY("cd......", data, 8);
    TEST_ASSERT_EQUAL_UINT(0, fmmu_access(&e, 0x1004, data, 8, true, false));
    TEST_ASSERT_EQUAL_UINT(0,
                           fmmu_access(&e, 0x1000, data, 4, false, true)); /* maps reading only */
}

static void test_a_mapping_at_the_end_of_the_address_space_does_not_wrap(void)
{
    uint8_t data[8] = {0};

    set_fmmu(0, 0xfffffffc, 16, 0, 7, 0x1400, 0, 3);
    TEST_ASSERT_EQUAL_UINT(FMMU_READ | FMMU_WRITTEN,
                           fmmu_access(&e, 0xfffffffc, data, 4, true, true));
    TEST_ASSERT_EQUAL_UINT(0, fmmu_access(&e, 0, data, 8, true, true));
}

static void test_outputs_are_taken_before_inputs_are_inserted_at_the_same_address(void)
{
    uint8_t data[2] = {0x12, 0x34};

    set_sm(2, 0x1100, 2, 0x64);
    set_sm(3, 0x1400, 2, 0x20);
    memcpy(&e.memory[0x1400], "\xab\xcd", 2);
    set_fmmu(0, 0, 2, 0, 7, 0x1400, 0, 1);
    set_fmmu(1, 0, 2, 0, 7, 0x1100, 0, 2);
    TEST_ASSERT_EQUAL_UINT(FMMU_READ | FMMU_WRITTEN, fmmu_access(&e, 0, data, 2, true, true));
    TEST_ASSERT_EQUAL_MEMORY("\x12\x34", &e.memory[0x1100], 2);
    TEST_ASSERT_EQUAL_MEMORY("\xab\xcd", data, 2);
}

static void test_a_register_can_be_mapped(void)
{
    const uint8_t reply = 1;
    uint8_t data = 0;

    set_sm(1, 0x1080, 16, 0x22);
    set_fmmu(2, 0x20, 1, 0, 7, 0x080d, 0, 1); /* mailbox status as an input byte, as SOEM does it */
    TEST_ASSERT_EQUAL_UINT(FMMU_READ, fmmu_access(&e, 0x20, &data, 1, true, true));
    TEST_ASSERT_EQUAL_HEX8(0x00, data);
    syncman_offer(&e, 1, &reply, 1);
    fmmu_access(&e, 0x20, &data, 1, true, true);
    TEST_ASSERT_EQUAL_HEX8(0x08, data);
}

static void test_single_bits_move_across_bytes_and_leave_their_neighbours(void)
{
    uint8_t data[2] = {0x00, 0xff};

    e.memory[0x1400] = 0x0d;
    set_fmmu(0, 0x100, 2, 6, 1, 0x1400, 0,
             1); /* four bits: 6 and 7 of the first byte, 0 and 1 of the second */
    TEST_ASSERT_EQUAL_UINT(FMMU_READ, fmmu_access(&e, 0x100, data, 2, true, false));
    TEST_ASSERT_EQUAL_HEX8(0x40, data[0]); /* 1101b: bit 0 = 1, bit 1 = 0 */
    TEST_ASSERT_EQUAL_HEX8(0xff, data[1]); /* bits 2 and 3 = 1, the others as they came */

    e.memory[0x0f00] = 0xf0;
    data[0] = 0x80;
    data[1] = 0x02;
    set_fmmu(1, 0x100, 2, 6, 1, 0x0f00, 0, 2);
    TEST_ASSERT_EQUAL_UINT(FMMU_WRITTEN, fmmu_access(&e, 0x100, data, 2, false, true));
    TEST_ASSERT_EQUAL_HEX8(0xfa, e.memory[0x0f00]);
}

static void test_a_field_of_bits_over_three_bytes_moves_whole(void)
{
    uint8_t data[3] = {0};

    memcpy(&e.memory[0x1400], "\xff\xff\xff", 3);
    set_fmmu(0, 0x100, 3, 4, 3, 0x1400, 0, 1); /* 16 bits in the middle */
    TEST_ASSERT_EQUAL_UINT(FMMU_READ, fmmu_access(&e, 0x100, data, 3, true, false));
    TEST_ASSERT_EQUAL_MEMORY("\xf0\xff\x0f", data, 3);
    TEST_ASSERT_EQUAL_UINT(
        FMMU_READ, fmmu_access(&e, 0x101, data, 1, true, false)); /* its middle byte alone */
}

static void test_bits_may_begin_inside_a_physical_byte_and_end_nowhere(void)
{
    uint8_t data = 0;

    e.memory[0x1400] = 0x28;
    set_fmmu(0, 0x100, 1, 0, 3, 0x1400, 3, 1);
    TEST_ASSERT_EQUAL_UINT(FMMU_READ, fmmu_access(&e, 0x100, &data, 1, true, false));
    TEST_ASSERT_EQUAL_HEX8(0x05, data);
    set_fmmu(0, 0x100, 1, 0, 3, 0xfff0, 3, 3); /* no memory there */
    TEST_ASSERT_EQUAL_UINT(0, fmmu_access(&e, 0x100, &data, 1, true, true));
    set_fmmu(0, 0x100, 1, 0, 7, 0xfff0, 0, 3);
    TEST_ASSERT_EQUAL_UINT(0, fmmu_access(&e, 0x100, &data, 1, true, true));
    set_sm(2, 0x1100, 8, 0x64);
    set_fmmu(0, 0x100, 1, 0, 3, 0x1100, 0, 1); /* outputs cannot be read */
    TEST_ASSERT_EQUAL_UINT(0, fmmu_access(&e, 0x100, &data, 1, true, false));
    TEST_ASSERT_EQUAL_HEX8(0x05, data);
}

/* State machine -------------------------------------------------------------------------------------------------- */

/* Over all 5 x 2 x 256 situations and both answers of the device. */
static void test_no_request_can_skip_a_state_or_rise_with_an_error(void)
{
    static const uint8_t states[] = {AL_INIT, AL_PREOP, AL_SAFEOP, AL_OP};
    const struct al_refusal free_way = {0, 0, 0};

    for (int from = 0; from < 4; from++) {
        for (int error = 0; error < 2; error++) {
            for (int control = 0; control < 256; control++) {
                const struct al_state now = {states[from], error != 0, error ? 0x1b : 0};
                const struct al_state next = al_next(now, (uint8_t)control, &free_way);
                const bool acknowledged = (control & 0x10) != 0;
                int to = 0;

                while (to < 4 && states[to] != next.value) {
                    to++;
                }
                TEST_ASSERT_LESS_THAN_INT(4, to);
                TEST_ASSERT_LESS_OR_EQUAL_INT(from + 1, to);
                if (to > from) {
                    TEST_ASSERT_TRUE(!error || acknowledged);
                    TEST_ASSERT_FALSE(next.error);
                }
                if (next.value != (control & 0x0f)) {
                    TEST_ASSERT_TRUE(next.error);
                    TEST_ASSERT_NOT_EQUAL(0, next.code);
                    TEST_ASSERT_EQUAL_HEX8(now.value, next.value);
                }
            }
        }
    }
}

/* Codes of ETG.1020. */
static void test_each_refused_request_has_its_code(void)
{
    const struct al_refusal refusal = {0x16, 0x1d, 0x19};
    const struct al_state init = {AL_INIT, false, 0};
    const struct al_state preop = {AL_PREOP, false, 0};
    const struct al_state safeop = {AL_SAFEOP, false, 0};

    TEST_ASSERT_EQUAL_HEX16(0x11, al_next(init, AL_SAFEOP, &refusal).code);
    TEST_ASSERT_EQUAL_HEX16(0x11, al_next(preop, AL_OP, &refusal).code);
    TEST_ASSERT_EQUAL_HEX16(0x12, al_next(init, 0x07, &refusal).code);
    TEST_ASSERT_EQUAL_HEX16(0x13, al_next(init, AL_BOOT, &refusal).code);
    TEST_ASSERT_EQUAL_HEX16(0x16, al_next(init, AL_PREOP, &refusal).code);
    TEST_ASSERT_EQUAL_HEX16(0x1d, al_next(preop, AL_SAFEOP, &refusal).code);
    TEST_ASSERT_EQUAL_HEX16(0x19, al_next(safeop, AL_OP, &refusal).code);
}

static void test_an_error_waits_for_its_acknowledge(void)
{
    const struct al_refusal free_way = {0, 0, 0};
    const struct al_state fallen = al_fall(AL_SAFEOP, 0x1b);
    struct al_state next = al_next(fallen, AL_OP, &free_way);

    TEST_ASSERT_EQUAL_HEX8(AL_SAFEOP, next.value);
    TEST_ASSERT_TRUE(next.error);
    TEST_ASSERT_EQUAL_HEX16(0x1b, next.code);
    next = al_next(fallen, 0x14 /* SAFE-OP, acknowledged */, &free_way);
    TEST_ASSERT_FALSE(next.error);
    TEST_ASSERT_EQUAL_HEX8(AL_OP, al_next(next, AL_OP, &free_way).value);
    TEST_ASSERT_FALSE(
        al_next(fallen, AL_SAFEOP, &free_way).error); /* asking for where it is settles it too */
}

static void test_state_names_read_back(void)
{
    TEST_ASSERT_EQUAL_HEX8(AL_SAFEOP, al_parse(al_name(AL_SAFEOP)));
    TEST_ASSERT_EQUAL_HEX8(AL_OP, al_parse("op"));
    TEST_ASSERT_EQUAL_HEX8(AL_PREOP, al_parse("preop"));
    TEST_ASSERT_EQUAL_HEX8(0, al_parse("up"));
    TEST_ASSERT_EQUAL_STRING("?", al_name(7));
}

/* EEPROM --------------------------------------------------------------------------------------------------------- */

static void build_sii(void)
{
    const struct sii_model m = {
        .pdi_control = 0x0005,
        .alias = 0x0042,
        .vendor = 0x732,
        .product = 0x26483053,
        .revision = 1,
        .serial = 77,
        .mailbox_bytes = 128,
        .mailbox_out = 0x1000,
        .mailbox_in = 0x1080,
        .dc = true,
        .name = "sensor",
        .order = "S-1",
        .sm_count = 4,
        .sm = {{0x1000, 128, 0x26, 1, 1},
               {0x1080, 128, 0x22, 1, 2},
               {0x1100, 8, 0x64, 1, 3},
               {0x1400, 32, 0x20, 1, 4}},
        .od = &od,
    };

    TEST_ASSERT_EQUAL_INT(0, devices_objects(&device_ft_axia, &od));
    TEST_ASSERT_EQUAL_INT(0, sii_build(sii, &m));
}

/* Byte offset of the data of a category, 0 when it is missing; walks as ETG.1000.6 describes. */
static unsigned category(unsigned type, unsigned *bytes)
{
    unsigned at = 0x80;

    while (at + 4 <= SII_BYTES && wire_get_u16(sii + at) != 0xffff) {
        *bytes = 2u * wire_get_u16(sii + at + 2);
        if (wire_get_u16(sii + at) == type) {
            return at + 4;
        }
        at += 4 + *bytes;
    }
    return 0;
}

static void test_eeprom_holds_identity_and_mailbox_at_their_words(void)
{
    build_sii();
    TEST_ASSERT_EQUAL_HEX16(0x0042, wire_get_u16(sii + 2 * 0x04));
    TEST_ASSERT_EQUAL_HEX32(0x00000732, wire_get_u32(sii + 2 * 0x08));
    TEST_ASSERT_EQUAL_HEX32(0x26483053, wire_get_u32(sii + 2 * 0x0a));
    TEST_ASSERT_EQUAL_HEX32(1, wire_get_u32(sii + 2 * 0x0c));
    TEST_ASSERT_EQUAL_UINT32(77, wire_get_u32(sii + 2 * 0x0e));
    TEST_ASSERT_EQUAL_HEX16(0x1000, wire_get_u16(sii + 2 * 0x18));
    TEST_ASSERT_EQUAL_UINT16(128, wire_get_u16(sii + 2 * 0x19));
    TEST_ASSERT_EQUAL_HEX16(0x1080, wire_get_u16(sii + 2 * 0x1a));
    TEST_ASSERT_EQUAL_HEX16(0x0004, wire_get_u16(sii + 2 * 0x1c));
}

/* A message followed by its checksum has the remainder zero: polynomial division over 15 bytes, start 0xff. */
static void test_eeprom_checksum_divides_without_remainder(void)
{
    unsigned remainder = 0xff;

    build_sii();
    for (int bit = 0; bit < 15 * 8; bit++) {
        const unsigned in = (unsigned)sii[bit / 8] >> (7 - bit % 8) & 1u;
        const unsigned out = (remainder >> 7 & 1u) ^ in;

        remainder = (remainder << 1 & 0xff) ^ (out ? 0x07u : 0u);
    }
    TEST_ASSERT_EQUAL_HEX8(0, remainder);
}

/* Text number n of the strings category, as bytes with their length before. */
static const uint8_t *text(unsigned n)
{
    unsigned bytes = 0;
    unsigned at = category(10, &bytes) + 1;

    while (--n > 0) {
        at += 1u + sii[at];
    }
    return sii + at;
}

static void test_eeprom_categories_describe_the_device(void)
{
    unsigned bytes = 0;
    unsigned at;

    build_sii();
    at = category(10, &bytes);
    TEST_ASSERT_NOT_EQUAL(0, at);
    TEST_ASSERT_EQUAL_MEMORY("\x06sensor", sii + at + 1, 7); /* string 1 is the name */
    at = category(30, &bytes);
    TEST_ASSERT_EQUAL_UINT(32, bytes);
    TEST_ASSERT_EQUAL_HEX8(0x2f, sii[at + 5]);
    at = category(41, &bytes);
    TEST_ASSERT_EQUAL_UINT(32, bytes); /* four sync managers */
    TEST_ASSERT_EQUAL_HEX16(0x1400, wire_get_u16(sii + at + 24));
    at = category(40, &bytes);
    TEST_ASSERT_EQUAL_HEX8_ARRAY("\x01\x02\x03\xff", sii + at,
                                 4); /* outputs, inputs, mailbox state */
    at = category(50, &bytes);
    TEST_ASSERT_EQUAL_HEX16(0x1a00, wire_get_u16(sii + at));
    TEST_ASSERT_EQUAL_UINT8(8, sii[at + 2]);
    TEST_ASSERT_EQUAL_UINT(8 + 8 * 8, bytes);
    TEST_ASSERT_EQUAL_MEMORY("\x08Readings", text(sii[at + 5]), 9);
    TEST_ASSERT_EQUAL_MEMORY("\x05"
                             "Force",
                             text(sii[at + 8 + 3]), 6);
    TEST_ASSERT_EQUAL_MEMORY("\x06"
                             "Torque",
                             text(sii[at + 8 + 3 * 8 + 3]), 7);
    at = category(51, &bytes);
    TEST_ASSERT_EQUAL_HEX16(0x1601, wire_get_u16(sii + at));
    TEST_ASSERT_EQUAL_UINT8(2, sii[at + 3]); /* its sync manager */
    at = category(60, &bytes);
    TEST_ASSERT_EQUAL_HEX16(0x0300, wire_get_u16(sii + at + 14)); /* activation word */
    TEST_ASSERT_EQUAL_UINT(0, category(99, &bytes));
    TEST_ASSERT_EQUAL_HEX8(0xff, sii[SII_BYTES - 1]); /* nothing behind the end */
}

static uint32_t sii_do(uint16_t command, uint32_t word)
{
    uint8_t r[6];

    wire_put_u16(r, command);
    wire_put_u32(r + 2, word);
    e.events = 0;
    esc_write(&e, 0x0502, r, 6);
    if ((e.events & ESC_EVENT_SII) != 0) {
        sii_command(sii, &e);
    }
    return wire_get_u32(&e.memory[0x0508]);
}

static void test_eeprom_is_read_by_command(void)
{
    build_sii();
    TEST_ASSERT_EQUAL_HEX32(0x00000732, sii_do(0x0100, 0x08));
    TEST_ASSERT_EQUAL_HEX32(0x26483053,
                            wire_get_u32(&e.memory[0x050c])); /* eight bytes at a time */
    TEST_ASSERT_EQUAL_HEX16(0, wire_get_u16(&e.memory[0x0502]) & 0xf800);
    TEST_ASSERT_EQUAL_HEX32(0xffffffff, sii_do(0x0100, SII_BYTES / 2));
    TEST_ASSERT_EQUAL_HEX32(0xffffffff, sii_do(0x0100, 0xffffffff));
}

static void test_eeprom_is_written_only_with_write_enable(void)
{
    const uint8_t data[2] = {0x21, 0x43};

    build_sii();
    esc_write(&e, 0x0508, data, 2);
    sii_do(0x0200, 0x04);
    TEST_ASSERT_EQUAL_HEX16(0x0042, wire_get_u16(sii + 8));
    TEST_ASSERT_EQUAL_HEX16(0x4000, wire_get_u16(&e.memory[0x0502]) & 0x7800); /* error shown */
    esc_write(&e, 0x0508, data, 2);
    sii_do(0x0201, 0x04);
    TEST_ASSERT_EQUAL_HEX16(0x4321, wire_get_u16(sii + 8));
    sii_do(0x0400, 0);
    TEST_ASSERT_EQUAL_HEX16(0x4321, wire_get_u16(&e.memory[0x0012])); /* reload sets the alias */
}

static void test_eeprom_of_the_device_is_closed_to_the_master(void)
{
    const uint8_t pdi = 1;

    build_sii();
    sii_do(0x0100, 0x0c);
    esc_write(&e, 0x0500, &pdi, 1);
    TEST_ASSERT_FALSE(esc_write(&e, 0x0502, &pdi, 1));
    sii_do(0x0100, 0x08);
    TEST_ASSERT_EQUAL_HEX32(1,
                            wire_get_u32(&e.memory[0x0508])); /* still the revision read before */
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_power_on_values_are_those_of_the_data_sheet);
    RUN_TEST(test_a_read_only_register_keeps_its_value_and_does_not_count);
    RUN_TEST(test_a_write_over_several_registers_reaches_the_writable_ones);
    RUN_TEST(test_any_write_clears_all_error_counters_of_its_group);
    RUN_TEST(test_clock_registers_are_missing_without_distributed_clocks);
    RUN_TEST(test_nothing_lies_behind_the_memory);
    RUN_TEST(test_a_broadcast_read_adds_bits);
    RUN_TEST(test_one_write_configures_and_switches_on_a_sync_manager);
    RUN_TEST(test_a_sync_manager_cannot_be_changed_while_it_is_on);
    RUN_TEST(test_a_mailbox_is_written_and_read_in_turn);
    RUN_TEST(test_a_mailbox_is_full_when_its_last_byte_is_written);
    RUN_TEST(test_an_empty_mailbox_gives_nothing_and_leaves_the_data_alone);
    RUN_TEST(test_process_data_has_a_direction);
    RUN_TEST(test_a_locked_buffer_is_closed_both_ways);
    RUN_TEST(test_memory_without_a_sync_manager_is_plain);
    RUN_TEST(test_a_buffer_of_one_byte_only_triggers);
    RUN_TEST(test_an_access_that_begins_before_a_buffer_stops_at_it);
    RUN_TEST(test_an_access_over_two_buffers_counts_when_one_is_open);
    RUN_TEST(test_bytes_outside_the_mapping_are_left_alone);
    RUN_TEST(test_a_mapping_at_the_end_of_the_address_space_does_not_wrap);
    RUN_TEST(test_outputs_are_taken_before_inputs_are_inserted_at_the_same_address);
    RUN_TEST(test_a_register_can_be_mapped);
    RUN_TEST(test_single_bits_move_across_bytes_and_leave_their_neighbours);
    RUN_TEST(test_a_field_of_bits_over_three_bytes_moves_whole);
    RUN_TEST(test_bits_may_begin_inside_a_physical_byte_and_end_nowhere);
    RUN_TEST(test_no_request_can_skip_a_state_or_rise_with_an_error);
    RUN_TEST(test_each_refused_request_has_its_code);
    RUN_TEST(test_an_error_waits_for_its_acknowledge);
    RUN_TEST(test_state_names_read_back);
    RUN_TEST(test_eeprom_holds_identity_and_mailbox_at_their_words);
    RUN_TEST(test_eeprom_checksum_divides_without_remainder);
    RUN_TEST(test_eeprom_categories_describe_the_device);
    RUN_TEST(test_eeprom_is_read_by_command);
    RUN_TEST(test_eeprom_is_written_only_with_write_enable);
    RUN_TEST(test_eeprom_of_the_device_is_closed_to_the_master);
    return UNITY_END();
}
