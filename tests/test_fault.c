/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_fault.c - the fault script: when faults strike, what each does to frames and devices, what is refused. */
#include "tools/lab/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lab_master.h"
#include "unity.h"

static struct lab lab;
static struct master m;
static struct master_map map;
static char answer[LAB_ANSWER_MAX];

void setUp(void)
{
    master_init(&m, &lab, "bench12", 1);
    m.step_ns = 1000000;
    master_preop(&m, &map);
    TEST_ASSERT_EQUAL_INT(0, master_op(&m, &map));
}

void tearDown(void)
{
}

static void tell(const char *line)
{
    lab_command(&lab, m.t_ns, line, answer);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", answer, line);
}

static void refused(const char *line, const char *part)
{
    lab_command(&lab, m.t_ns, line, answer);
    TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE("error: ", answer, 7, line);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(answer, part), answer);
}

static int cycle(void)
{
    return master_cycle(&m, &map);
}

/* A cycle whose replies are all taken, whatever they are: how many, and the last of them in m.frame. */
static int replies(int64_t wait_ns)
{
    const unsigned n = master_frame(m.frame, M_LRW, ++m.index, 0x10000, map.image, map.bytes);
    uint8_t reply[SEGMENT_FRAME_MAX];
    int count = 0;
    unsigned bytes;

    m.t_ns += m.step_ns;
    lab_in(&lab, m.t_ns, m.frame, n);
    m.t_ns += wait_ns;
    while ((bytes = lab_out(&lab, m.t_ns, reply)) > 0) {
        memcpy(m.frame, reply, bytes);
        m.bytes = bytes;
        count++;
    }
    return count;
}

/* Catalogue rows 1 to 9 and 12: frames -------------------------------------------------------------------------- */

static void test_replies_are_dropped_after_the_devices_saw_the_request(void)
{
    uint32_t frames;

    tell("drop 3");
    map.image[map.outputs[2]] = 0x5a;
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_INT(-1, cycle());
    }
    TEST_ASSERT_EQUAL_INT(map.wkc, cycle());
    TEST_ASSERT_EQUAL_HEX8(0x5a, lab.segment.slave[2].esc.memory[0x0f00]);
    frames = (uint32_t)lab.segment.stats.cycles;
    tell("lose 2");
    TEST_ASSERT_EQUAL_INT(-1, cycle());
    TEST_ASSERT_EQUAL_INT(-1, cycle());
    TEST_ASSERT_EQUAL_UINT64(frames, lab.segment.stats.cycles); /* nobody saw those */
    TEST_ASSERT_EQUAL_INT(map.wkc, cycle());
}

static void test_frames_without_process_data_are_spared_unless_asked_for(void)
{
    tell("drop 1");
    TEST_ASSERT_EQUAL_HEX64(0x08, master_read(&m, 6, 0x0130, 2));
    TEST_ASSERT_EQUAL_INT(-1, cycle());
    tell("drop 1 any");
    TEST_ASSERT_EQUAL_HEX64(~0ull, master_read(&m, 6, 0x0130, 2));
}

static void test_a_share_of_the_replies_is_dropped(void)
{
    int lost = 0;

    tell("drop 10%");
    for (int i = 0; i < 2000; i++) {
        lost += cycle() < 0;
    }
    TEST_ASSERT_INT_WITHIN(40, 200, lost); /* three deviations of the binomial distribution */
}

static void test_a_late_reply_comes_at_its_time(void)
{
    tell("delay 400");
    TEST_ASSERT_EQUAL_INT(0, replies(399999));
    TEST_ASSERT_EQUAL_INT64(m.t_ns + 1, cable_due(&lab.cable));
    TEST_ASSERT_EQUAL_UINT(28 + map.bytes, lab_out(&lab, m.t_ns + 1, m.frame));
    TEST_ASSERT_EQUAL_INT(1, replies(0)); /* only the one was late */
}

static void test_a_duplicate_comes_twice_and_a_foreign_frame_before(void)
{
    uint8_t first[SEGMENT_FRAME_MAX];

    tell("dup");
    TEST_ASSERT_EQUAL_INT(2, replies(0));
    tell("foreign ip");
    TEST_ASSERT_EQUAL_INT(2, replies(0));
    TEST_ASSERT_EQUAL_INT(map.wkc, wire_get_u16(m.frame + 26 + map.bytes));
    tell("foreign alike");
    m.t_ns += m.step_ns;
    lab_in(&lab, m.t_ns, m.frame, master_frame(m.frame, M_LRW, 99, 0x10000, map.image, map.bytes));
    TEST_ASSERT_EQUAL_UINT(28 + map.bytes, lab_out(&lab, m.t_ns, first));
    TEST_ASSERT_EQUAL_HEX8(99, first[17]);
    TEST_ASSERT_EQUAL_HEX8(0x10, first[6]); /* no slave has marked it */
    TEST_ASSERT_EACH_EQUAL_HEX8(0xa5, first + 26, map.bytes);
    TEST_ASSERT_EQUAL_UINT(28 + map.bytes, lab_out(&lab, m.t_ns, first));
    TEST_ASSERT_EQUAL_HEX8(0x12, first[6]);
}

static void test_a_reordered_reply_comes_behind_the_next(void)
{
    tell("reorder");
    TEST_ASSERT_EQUAL_INT(0, replies(0));
    TEST_ASSERT_EQUAL_INT(2, replies(0));
    TEST_ASSERT_EQUAL_HEX8((uint8_t)(m.index - 1), m.frame[17]); /* the older one was last */
}

static void test_a_truncated_reply_is_shorter(void)
{
    tell("truncate 60");
    TEST_ASSERT_EQUAL_INT(1, replies(0));
    TEST_ASSERT_EQUAL_UINT(60, m.bytes);
    tell("truncate -5"); /* nothing shorter than a header can travel */
    TEST_ASSERT_EQUAL_INT(1, replies(0));
    TEST_ASSERT_EQUAL_UINT(14, m.bytes);
    tell("truncate 5000");
    TEST_ASSERT_EQUAL_INT(1, replies(0));
    TEST_ASSERT_EQUAL_UINT(28 + map.bytes, m.bytes);
}

static int bits_differing(const uint8_t *a, const uint8_t *b, unsigned n)
{
    int bits = 0;

    for (unsigned i = 0; i < n; i++) {
        for (unsigned x = a[i] ^ b[i]; x; x &= x - 1) {
            bits++;
        }
    }
    return bits;
}

static void test_a_flipped_bit_hits_the_field_named(void)
{
    static const struct {
        const char *line;
        unsigned first, last;
    } fields[] = {{"flip ethertype", 12, 13}, {"flip length", 14, 14},
                  {"flip command", 16, 16},   {"flip index", 17, 17},
                  {"flip address", 18, 21},   {"flip data", 26, 26 + 300}};

    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        uint8_t good[SEGMENT_FRAME_MAX];

        lab.segment.slave[3].device.frozen = true; /* so that two cycles give the same bytes */
        lab.segment.slave[4].device.frozen = true;
        TEST_ASSERT_EQUAL_INT(1, replies(0));
        TEST_ASSERT_EQUAL_INT(1, replies(0));
        memcpy(good, m.frame, m.bytes);
        m.index--;
        tell(fields[i].line);
        TEST_ASSERT_EQUAL_INT(1, replies(0));
        TEST_ASSERT_EQUAL_INT(1, bits_differing(good, m.frame, m.bytes));
        TEST_ASSERT_EQUAL_INT(0, bits_differing(good, m.frame, fields[i].first));
        TEST_ASSERT_EQUAL_INT(0, bits_differing(good + fields[i].last + 1,
                                                m.frame + fields[i].last + 1,
                                                m.bytes - fields[i].last - 1));
    }
    tell("flip wkc");
    TEST_ASSERT_NOT_EQUAL((int)map.wkc, cycle());
}

static void test_a_device_can_count_too_little_or_too_much(void)
{
    tell("wkc 6 -1");
    TEST_ASSERT_EQUAL_INT(map.wkc - 1, cycle());
    tell("wkc 6 2");
    TEST_ASSERT_EQUAL_INT(map.wkc + 2, cycle());
    tell("wkc 1 0");
    tell("wkc 6 0");
    TEST_ASSERT_EQUAL_INT(map.wkc, cycle());
}

/* 48 ms without the lab, then everything at once: what made stock SOEM read stale data for ever. */
static void test_a_stall_ends_in_a_flood(void)
{
    tell("stall 48");
    for (int i = 0; i < 47; i++) {
        TEST_ASSERT_EQUAL_INT(0, replies(0));
    }
    TEST_ASSERT_EQUAL_INT64(m.t_ns + m.step_ns, cable_due(&lab.cable));
    TEST_ASSERT_EQUAL_INT(48, replies(0));
    TEST_ASSERT_EQUAL_INT(1, replies(0));
    TEST_ASSERT_EQUAL_INT64(INT64_MAX, cable_due(&lab.cable));
}

static void test_a_stall_longer_than_the_queue_loses_frames_and_nothing_else(void)
{
    tell("stall 600");
    for (int i = 0; i < 599; i++) {
        TEST_ASSERT_EQUAL_INT(0, replies(0));
    }
    TEST_ASSERT_EQUAL_INT(CABLE_FRAMES, replies(0));
    TEST_ASSERT_GREATER_THAN_UINT64(0, lab.cable.overflow);
}

/* Rows 10 to 18: wiring, states, clocks --------------------------------------------------------------------------- */

static void test_cables_break_and_mend_by_the_device_before_them(void)
{
    uint8_t nothing[2] = {0};

    tell("cut 5"); /* between device 5 and 6 */
    TEST_ASSERT_EQUAL_INT(5, master_do(&m, M_BRD, 0, nothing, 2));
    tell("heal 5");
    TEST_ASSERT_EQUAL_INT(12, master_do(&m, M_BRD, 0, nothing, 2));
    tell("cut 5 for 1");
    cycle();
    cycle();
    tell("cut 5");
    cycle();
    cycle(); /* what has ended does not end again */
    TEST_ASSERT_EQUAL_INT(5, master_do(&m, M_BRD, 0, nothing, 2));
    tell("heal 5");
    tell("cut 0");
    TEST_ASSERT_EQUAL_INT(-1, cycle());
    tell("heal 0");
    TEST_ASSERT_EQUAL_INT(map.wkc, cycle());
}

static void test_power_goes_and_comes_back_by_itself_after_a_time(void)
{
    tell("power 6 off for 20ms");
    TEST_ASSERT_EQUAL_INT(9, cycle());
    m.t_ns += 17000000;
    TEST_ASSERT_EQUAL_INT(9, cycle());
    m.t_ns += 1000000;
    TEST_ASSERT_EQUAL_INT(map.wkc - 3, cycle()); /* it is in INIT, the others count again */
    TEST_ASSERT_EQUAL_HEX64(0, master_read(&m, 6, 0x0010, 2));
}

static void test_a_device_falls_with_a_code_and_a_full_working_counter(void)
{
    tell("al 7 SAFE-OP 0x1b");
    TEST_ASSERT_EQUAL_INT(map.wkc, cycle());
    TEST_ASSERT_EQUAL_HEX64(0x14, master_read(&m, 7, 0x0130, 2));
    TEST_ASSERT_EQUAL_HEX64(0x1b, master_read(&m, 7, 0x0134, 2));
    tell("al 8 safeop 0x32");
    TEST_ASSERT_EQUAL_HEX64(0x32, master_read(&m, 8, 0x0134, 2));
}

static void test_a_shortened_watchdog_fires_on_the_next_gap(void)
{
    tell("wd 6 500");
    TEST_ASSERT_EQUAL_INT64(500000, slave_watchdog_ns(&lab.segment.slave[5]));
    cycle();
    cycle(); /* 1 ms apart */
    TEST_ASSERT_EQUAL_HEX64(0x1b, master_read(&m, 6, 0x0134, 2));
}

static void test_clocks_drift_jump_and_stop(void)
{
    const struct clock *c = &lab.segment.slave[5].clock;
    int64_t before;

    tell("dc ppm 6 -100.5");
    TEST_ASSERT_EQUAL_INT32(-100500, c->rate_ppb);
    before = clock_local(c, m.t_ns);
    tell("dc step 6 2000000");
    TEST_ASSERT_EQUAL_INT64(before + 2000000, clock_local(c, m.t_ns));
    tell("dc jitter 6 250");
    TEST_ASSERT_EQUAL_INT32(250, c->jitter_ns);
    tell("dc kill 6 for 5");
    TEST_ASSERT_EQUAL_INT64(clock_local(c, m.t_ns), clock_local(c, m.t_ns + 1000000));
    for (int i = 0; i < 6; i++) {
        cycle();
    }
    TEST_ASSERT_NOT_EQUAL(clock_local(c, m.t_ns), clock_local(c, m.t_ns + 1000000));
}

/* Rows 19 to 26, 28, 30: devices --------------------------------------------------------------------------------- */

static void test_an_object_is_refused_with_the_scripted_code(void)
{
    bool no;

    tell("abort 6 6060 0x06040043");
    TEST_ASSERT_EQUAL_HEX32(0x06040043, master_sdo(&m, 6, 0x6060, 0, 10, 1));
    tell("abort 6 1018:2 0x08000020 for 10");
    TEST_ASSERT_EQUAL_HEX32(0x08000020, master_sdo_read(&m, 6, 0x1018, 2, &no));
    TEST_ASSERT_TRUE(no);
    (void)master_sdo_read(&m, 6, 0x1018, 1, &no);
    TEST_ASSERT_FALSE(no);
    for (int i = 0; i < 11; i++) {
        cycle();
    }
    (void)master_sdo_read(&m, 6, 0x1018, 2, &no);
    TEST_ASSERT_FALSE(no);
    tell("abort 6 6060 0");
    TEST_ASSERT_EQUAL_HEX32(0, master_sdo(&m, 6, 0x6060, 0, 10, 1));
}

static void test_a_mailbox_hangs_and_recovers(void)
{
    tell("mbx 6 hang");
    TEST_ASSERT_EQUAL_HEX32(0xffffffff, master_sdo(&m, 6, 0x6060, 0, 10, 1));
    tell("mbx 6 ok");
    TEST_ASSERT_EQUAL_HEX64(0x08,
                            master_read(&m, 6, 0x080d, 1) & 0x08); /* now the answer is there */
    tell("mbx 6 hang for 2");
    cycle();
    cycle();
    cycle();
    TEST_ASSERT_FALSE(lab.segment.slave[5].mailbox.hang);
    tell("mbx 6 slow 30");
    TEST_ASSERT_EQUAL_INT64(30000000, lab.segment.slave[5].mailbox.slow_ns);
}

static void test_an_emergency_is_sent(void)
{
    uint8_t box[128] = {0};

    tell("emcy 6 0x8700 0x21");
    cycle();
    TEST_ASSERT_EQUAL_INT(1, master_do(&m, M_APRD, master_at(6, 0x1080), box, sizeof box));
    TEST_ASSERT_EQUAL_HEX16(0x8700, wire_get_u16(box + 8));
    TEST_ASSERT_EQUAL_HEX8(0x21, box[10]);
    tell("emcy 2 0x8700 0x21"); /* a terminal has no mailbox: nothing happens */
}

static uint32_t product_of(int position)
{
    return wire_get_u32(&lab.segment.slave[position - 1].sii[20]);
}

static void test_devices_change_places_and_identity(void)
{
    tell("swap 4 5");
    TEST_ASSERT_EQUAL_HEX32(0x26483053, product_of(5));
    TEST_ASSERT_EQUAL_HEX64(0x01, master_read(&m, 5, 0x0130, 2));
    tell("ident 6 product 0x77");
    TEST_ASSERT_EQUAL_HEX32(0x77, product_of(6));
    tell("ident 6 serial 5");
    TEST_ASSERT_EQUAL_HEX32(5, wire_get_u32(&lab.segment.slave[5].sii[28]));
    tell("ident 6 alias 9");
    TEST_ASSERT_EQUAL_HEX64(9, master_read(&m, 6, 0x0012, 2));
    tell("power 6 off");
    tell("power 6 on");
    TEST_ASSERT_EQUAL_HEX32(0x77, product_of(6)); /* it is another device now */
}

static void test_values_and_counters_are_set(void)
{
    bool no;

    tell("od 6 6076 25000");
    TEST_ASSERT_EQUAL_UINT32(25000, master_sdo_read(&m, 6, 0x6076, 0, &no));
    tell("crc 3 1 40");
    TEST_ASSERT_EQUAL_HEX64(40, master_read(&m, 3, 0x0302, 1));
    tell("crc 3 1 1000");
    TEST_ASSERT_EQUAL_HEX64(0xff, master_read(&m, 3, 0x0302, 1)); /* the counter stops there */
}

static void test_sensors_freeze_and_report_errors(void)
{
    uint32_t counter;

    cycle();
    counter = wire_get_u32(map.image + map.inputs[3] + 28);
    tell("freeze 4 for 5");
    cycle();
    TEST_ASSERT_EQUAL_UINT32(counter, wire_get_u32(map.image + map.inputs[3] + 28));
    for (int i = 0; i < 10; i++) {
        cycle();
    }
    TEST_ASSERT_NOT_EQUAL(counter, wire_get_u32(map.image + map.inputs[3] + 28));
    tell("status 4 0x80000002");
    for (int i = 0; i < 5; i++) {
        cycle();
    }
    TEST_ASSERT_EQUAL_HEX32(0x80000002, wire_get_u32(map.image + map.inputs[3] + 24));
}

static void test_drive_faults_and_the_stop_button(void)
{
    tell("fault 6 0x2310");
    for (int i = 0; i < 5; i++) {
        cycle();
    }
    TEST_ASSERT_EQUAL_HEX16(0x08, wire_get_u16(map.image + map.inputs[5]) & 0x4f);
    tell("estop open for 4");
    cycle();
    cycle();
    TEST_ASSERT_EQUAL_HEX8(0x02, map.image[map.inputs[1]] & 0x0b);
    for (int i = 0; i < 5; i++) {
        cycle();
    }
    TEST_ASSERT_EQUAL_HEX8(0x09, map.image[map.inputs[1]] & 0x0b);
    tell("contact 2 0x02");
    cycle();
    cycle();
    TEST_ASSERT_EQUAL_HEX8(0x0b, map.image[map.inputs[1]] & 0x0b); /* the channels disagree */
}

/* The script ------------------------------------------------------------------------------------------------------*/

static void test_a_fault_strikes_at_its_cycle_and_not_before(void)
{
    const uint64_t now = lab.segment.stats.cycles;
    char line[64];

    snprintf(line, sizeof line, "at %d drop 2", (int)now + 4);
    tell(line);
    for (int i = 1; i <= 6; i++) {
        TEST_ASSERT_EQUAL_INT(i == 4 || i == 5 ? -1 : (int)map.wkc, cycle());
    }
}

static void test_a_fault_strikes_at_its_time(void)
{
    const double now_ms = 1e-6 * (double)m.t_ns;
    char line[64];

    snprintf(line, sizeof line, "at %.3fms cut 0 for 3ms", now_ms + 2.5);
    tell(line);
    for (int i = 1; i <= 7; i++) {
        TEST_ASSERT_EQUAL_INT(i >= 3 && i <= 5 ? -1 : (int)map.wkc, cycle());
    }
}

static void test_what_cannot_be_is_refused_with_the_reason(void)
{
    refused("explode 3", "unknown fault");
    refused("cut 12", "devices 1 to 12"); /* nothing hangs behind the last */
    refused("power 13 off", "devices 1 to 12");
    refused("power 0 off", "devices 1 to 12");
    refused("power 3 maybe", "power I off|on");
    refused("power 3", "missing argument");
    refused("power 3 off now", "too much");
    refused("drop 0", "not understood");
    refused("drop 101%", "not understood");
    refused("drop 1.5", "not understood");
    refused("drop many", "not understood");
    refused("delay soon", "not understood");
    refused("abort 3 zz 1", "not understood");
    refused("abort 3 16060 1", "not understood");
    refused("abort 3 6060:1ff 0x06010000", "not understood");
    refused("al 3 upwards 0", "not understood");
    refused("at noon drop 1", "at \"noon\"");
    refused("at", "at");
    refused("drop 1 for ever", "for \"ever\"");
    refused("emcy 6 1 1 for 5", "a duration has no meaning");
    refused("at 5", "unknown fault");
    refused("drop 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "too long");
    TEST_ASSERT_EQUAL_UINT64(0, lab.fault.struck);
}

static void test_too_many_waiting_faults_are_refused(void)
{
    for (int i = 0; i < FAULT_ENTRIES_MAX; i++) {
        tell("at 1000000 drop 1");
    }
    refused("at 1000000 drop 1", "too many");
}

static void test_a_script_file_names_its_wrong_lines(void)
{
    char path[] = "/tmp/freefall-script-XXXXXX";
    char text[512] = "";
    FILE *messages = fmemopen(text, sizeof text, "w");
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    TEST_ASSERT_NOT_NULL(messages);
    TEST_ASSERT_NOT_NULL(file);
    fputs("# a comment\n\nat 5 drop 1\nat 6 fly\ndrop 2\n", file);
    fclose(file);
    TEST_ASSERT_EQUAL_INT(-EINVAL, fault_file(&lab.fault, path, m.t_ns, messages));
    fclose(messages);
    TEST_ASSERT_NOT_NULL(strstr(text, ":4: error: unknown fault \"fly\""));
    TEST_ASSERT_EQUAL_INT(1, (int)lab.fault.struck); /* drop 2 */
    unlink(path);
    messages = fmemopen(text, sizeof text, "w");
    TEST_ASSERT_EQUAL_INT(-ENOENT, fault_file(&lab.fault, path, m.t_ns, messages));
    fclose(messages);
}

static void test_what_strikes_is_logged_with_its_frame(void)
{
    char text[512] = "";
    FILE *log = fmemopen(text, sizeof text, "w");

    lab.fault.log = log;
    tell("cut 3 for 1");
    cycle();
    cycle();
    lab.fault.log = NULL;
    fclose(log);
    TEST_ASSERT_NOT_NULL(strstr(text, "cut 3 for 1"));
    TEST_ASSERT_NOT_NULL(strstr(text, "ends"));
    TEST_ASSERT_EQUAL_STRING_LEN("lab: frame ", text, 11);
}

static void test_help_lists_every_fault_and_statistics_are_one_object(void)
{
    lab_command(&lab, m.t_ns, "help", answer);
    for (int i = 0; verb_row(i); i++) {
        TEST_ASSERT_NOT_NULL(strstr(answer, verb_row(i)->name));
    }
    lab_command(&lab, m.t_ns, "stats\n", answer);
    TEST_ASSERT_EQUAL_CHAR('{', answer[0]);
    TEST_ASSERT_EQUAL_STRING("}]}", answer + strlen(answer) - 3);
    TEST_ASSERT_NOT_NULL(
        strstr(answer, "\"position\":12,\"type\":\"drive\",\"powered\":true,\"state\":\"OP\""));
    lab_command(&lab, m.t_ns, "devices", answer);
    TEST_ASSERT_NOT_NULL(strstr(answer, "12  drive"));
    tell("");
}

static void test_random_commands_do_no_harm(void)
{
    struct random_state r;

    random_init(&r, 3, 0);
    for (int i = 0; i < 20000; i++) {
        static const char *const parts[] = {"at",   "for",  "5",  "20ms", "-1",     "0x1b",
                                            "any",  "6",    "12", "op",   "6060:0", "99999999999",
                                            "hang", "step", "ip", "%"};
        char line[200];
        int n = snprintf(line, sizeof line, "%s", verb_row((int)(random_bits(&r) % 29))->name);

        for (int k = (int)(random_bits(&r) % 6); k > 0; k--) {
            n += snprintf(line + n, sizeof line - (size_t)n, " %s",
                          parts[random_bits(&r) % COUNT_OF(parts)]);
        }
        lab_command(&lab, m.t_ns, line, answer);
        TEST_ASSERT_TRUE(strcmp(answer, "ok") == 0 || strncmp(answer, "error: ", 7) == 0);
        if (i % 20 == 0) {
            (void)replies(0);
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_replies_are_dropped_after_the_devices_saw_the_request);
    RUN_TEST(test_frames_without_process_data_are_spared_unless_asked_for);
    RUN_TEST(test_a_share_of_the_replies_is_dropped);
    RUN_TEST(test_a_late_reply_comes_at_its_time);
    RUN_TEST(test_a_duplicate_comes_twice_and_a_foreign_frame_before);
    RUN_TEST(test_a_reordered_reply_comes_behind_the_next);
    RUN_TEST(test_a_truncated_reply_is_shorter);
    RUN_TEST(test_a_flipped_bit_hits_the_field_named);
    RUN_TEST(test_a_device_can_count_too_little_or_too_much);
    RUN_TEST(test_a_stall_ends_in_a_flood);
    RUN_TEST(test_a_stall_longer_than_the_queue_loses_frames_and_nothing_else);
    RUN_TEST(test_cables_break_and_mend_by_the_device_before_them);
    RUN_TEST(test_power_goes_and_comes_back_by_itself_after_a_time);
    RUN_TEST(test_a_device_falls_with_a_code_and_a_full_working_counter);
    RUN_TEST(test_a_shortened_watchdog_fires_on_the_next_gap);
    RUN_TEST(test_clocks_drift_jump_and_stop);
    RUN_TEST(test_an_object_is_refused_with_the_scripted_code);
    RUN_TEST(test_a_mailbox_hangs_and_recovers);
    RUN_TEST(test_an_emergency_is_sent);
    RUN_TEST(test_devices_change_places_and_identity);
    RUN_TEST(test_values_and_counters_are_set);
    RUN_TEST(test_sensors_freeze_and_report_errors);
    RUN_TEST(test_drive_faults_and_the_stop_button);
    RUN_TEST(test_a_fault_strikes_at_its_cycle_and_not_before);
    RUN_TEST(test_a_fault_strikes_at_its_time);
    RUN_TEST(test_what_cannot_be_is_refused_with_the_reason);
    RUN_TEST(test_too_many_waiting_faults_are_refused);
    RUN_TEST(test_a_script_file_names_its_wrong_lines);
    RUN_TEST(test_what_strikes_is_logged_with_its_frame);
    RUN_TEST(test_help_lists_every_fault_and_statistics_are_one_object);
    RUN_TEST(test_random_commands_do_no_harm);
    return UNITY_END();
}
