/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_catalogue.c - every row of the fault catalogue, by command and by file, in virtual time: real frames, SOEM, the
 * whole master layer, and a judge of how old accepted inputs are. Prints the table.
 */
#include "unity.h"

#include "catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "drivers/coe.h"
#include "drivers/recovery.h"

#define NEVER (-1)

/* One row that strikes a running bus. Cycles are counted from the first the fault can be seen in: 0 is "same cycle". */
struct row {
    const char *number, *line;
    int run;         /* cycles to look at */
    int within;      /* noticed, at the latest; NEVER: it must not show */
    int reaction;    /* greatest */
    int soft, hard;  /* cycle of the reaction at the latest; NEVER: must not come */
    unsigned status; /* bits that must have been seen */
    bool back;       /* valid again at the end */
};

static const struct row rows[] = {
    {"1", "drop 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"1", "lose 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"2", "drop 2", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"2", "drop 12", 40, 0, ESCALATION_HARD, 2, 9, PROCESS_DATA_NO_FRAME, true},
    {"3", "delay 600 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"4", "delay 1500 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"4", "delay 15700 25", 80, 0, ESCALATION_HARD, 2, 9, PROCESS_DATA_NO_FRAME, true},
    {"4", "delay 16000 25", 80, 0, ESCALATION_HARD, 2, 9, PROCESS_DATA_NO_FRAME, true},
    {"4", "reorder 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"4", "stall 5", 40, 0, ESCALATION_SOFT, 2, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"4", "stall 48", 120, 0, ESCALATION_HARD, 2, 9, PROCESS_DATA_NO_FRAME, false},
    {"5", "dup 5", 20, NEVER, ESCALATION_NONE, NEVER, NEVER, 0, true},
    {"6", "truncate 60 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"6", "truncate 400 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"6", "flip wkc 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_WKC_LOW, true},
    {"6", "flip index 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_STALE, true},
    {"6", "flip length 1", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_NO_FRAME, true},
    {"7", "foreign alike 25", 40, NEVER, ESCALATION_NONE, NEVER, NEVER, 0, true},
    {"7", "foreign ip 25", 40, NEVER, ESCALATION_NONE, NEVER, NEVER, 0, true},
    {"8", "wkc 6 -1 for 2", 20, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_WKC_LOW, true},
    {"8", "wkc 6 -3 for 12", 40, 0, ESCALATION_HARD, 2, 9, PROCESS_DATA_WKC_LOW, true},
    {"9", "wkc 6 1 for 1", 20, 0, ESCALATION_SOFT, 0, NEVER, PROCESS_DATA_WKC_HIGH, true},
    {"10", "power 8 off", 40, 0, ESCALATION_HARD, 2, 9, PROCESS_DATA_WKC_LOW, false},
    {"11", "cut 7", 40, 0, ESCALATION_HARD, 2, 9, PROCESS_DATA_WKC_LOW, false},
    {"12", "cut 0", 40, 0, ESCALATION_HARD, 2, 9, PROCESS_DATA_NO_FRAME, false},
    {"13", "al 8 safeop 0x001d", 40, 0, ESCALATION_HARD, 12, 12, 0, false},
    {"13", "al 4 safeop 0x001d", 40, 0, ESCALATION_SOFT, 12, NEVER, 0, false},
    {"14", "wd 8 500", 40, 12, ESCALATION_HARD, 14, 14, 0, false},
    {"15", "dc ppm REF 100", 4000, NEVER, ESCALATION_NONE, NEVER, NEVER, 0, true},
    {"15", "dc ppm REF -100", 4000, NEVER, ESCALATION_NONE, NEVER, NEVER, 0, true},
    {"16", "dc step REF 3000000", 10, 0, ESCALATION_HOLD, NEVER, NEVER, PROCESS_DATA_DC_JUMP, true},
    {"17", "dc kill REF", 40, 1, ESCALATION_HARD, 3, 10, PROCESS_DATA_DC_JUMP, false},
    {"18", "al 8 safeop 0x0032", 40, 0, ESCALATION_HARD, 12, 12, 0, false},
    {"18", "al 8 safeop 0x001a", 40, 0, ESCALATION_HARD, 12, 12, 0, false},
    {"24", "freeze 4", 20, 5, ESCALATION_SOFT, 5, NEVER, 0, true},
    {"25", "status 4 0x80000000", 20, 1, ESCALATION_SOFT, 1, NEVER, 0, true},
    {"25", "status 4 0x40000000", 20, 1, ESCALATION_SOFT, 7, NEVER, 0, true},
    {"26", "fault 8 0x2310", 20, 1, ESCALATION_SOFT, 1, NEVER, 0, true},
    {"28", "crc 5 1 20", 200, 120, ESCALATION_SOFT, 120, NEVER, 0, true},
    {"30", "estop open", 20, 1, ESCALATION_HARD, 1, 1, 0, true},
};

static struct controller c;
static char message[256];

void setUp(void)
{
}

void tearDown(void)
{
    bench_close(&c.bench);
}

/* "REF" is the device with the reference clock. */
static void spell(const char *line, char *out, size_t size)
{
    const char *mark = strstr(line, "REF");

    if (!mark) {
        snprintf(out, size, "%s", line);
    } else {
        snprintf(out, size, "%.*s%d%s", (int)(mark - line), line,
                 c.bench.bus.plan.reference - 0x1000, mark + 3);
    }
}

/* The same fault by file: it strikes with the next cycle. */
static void by_file(const char *line)
{
    struct virtual *v = c.bench.world;
    char path[] = "/tmp/catalogue.XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "# a fault script\nat %llu %s\n",
            (unsigned long long)v->lab.segment.stats.cycles + 1, line);
    fclose(file);
    TEST_ASSERT_EQUAL_INT(0, fault_file(&v->lab.fault, path, v->now_ns, stderr));
    unlink(path);
}

static bool at_most(int64_t found, int limit)
{
    return limit == NEVER ? found < 0 : found >= 0 && found <= limit;
}

static void strike(const struct row *r, bool file)
{
    char line[64];

    controller_start(&c);
    spell(r->line, line, sizeof line);
    if (file) {
        by_file(line);
    } else {
        virtual_tell(c.bench.world, line);
    }
    controller_run(&c, r->run, 0);
    snprintf(message, sizeof message,
             "row %s \"%s\" by %s: noticed %lld, soft %lld, hard %lld, %s, status %02x, stale %llu",
             r->number, line, file ? "file" : "command", (long long)c.noticed, (long long)c.soft,
             (long long)c.hard, escalation_name(c.greatest), c.seen,
             (unsigned long long)c.stale_accepted);
}

static void show(const char *number, const char *line, int64_t after, const char *reaction)
{
    char text[16];

    snprintf(text, sizeof text, after < 0 ? "-" : "%lld", (long long)after);
    printf("# %-3s %-26s %6s  %s\n", number, line, text, reaction);
}

static void check(const struct row *r)
{
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, c.stale_accepted, message);
    TEST_ASSERT_TRUE_MESSAGE(at_most(c.noticed, r->within), message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(r->reaction, c.greatest, message);
    TEST_ASSERT_TRUE_MESSAGE(
        at_most(c.soft, r->soft == NEVER && r->hard != NEVER ? r->hard : r->soft), message);
    TEST_ASSERT_TRUE_MESSAGE(at_most(c.hard, r->hard), message);
    TEST_ASSERT_EQUAL_HEX_MESSAGE(r->status, c.seen & r->status, message);
    /* A cycle without a reply ends in time: nothing may make it longer. */
    TEST_ASSERT_LESS_OR_EQUAL_INT64_MESSAGE(BENCH_RECEIVE_NS + 30000, c.bench.wake_ns, message);
    if (r->back) {
        TEST_ASSERT_EQUAL_HEX_MESSAGE(0, c.bench.bus.data.status, message);
    }
}

static void test_every_row_is_noticed_in_time_by_command_and_by_file(void)
{
    printf("# row injected                    after  reaction (cycle it came in)\n");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char reaction[96];

        strike(&rows[i], true);
        check(&rows[i]);
        bench_close(&c.bench);
        strike(&rows[i], false);
        check(&rows[i]);
        snprintf(reaction, sizeof reaction, "%s%s", escalation_name(c.greatest),
                 c.bench.bus.data.status == 0 && c.noticed >= 0 ? ", then valid again" : "");
        if (c.soft >= 0) {
            snprintf(reaction, sizeof reaction, "SOFT at %lld%s", (long long)c.soft,
                     c.hard >= 0 ? "" : " latched");
        }
        if (c.hard >= 0 && c.soft < c.hard) {
            snprintf(reaction, sizeof reaction, "SOFT at %lld, HARD at %lld latched",
                     (long long)c.soft, (long long)c.hard);
        } else if (c.hard >= 0) {
            snprintf(reaction, sizeof reaction, "HARD at %lld latched", (long long)c.hard);
        }
        show(rows[i].number, rows[i].line, c.noticed, reaction);
        bench_close(&c.bench);
    }
}

static void test_late_and_foreign_frames_are_counted(void)
{
    controller_start(&c);
    virtual_tell(c.bench.world, "delay 600 1");
    virtual_tell(c.bench.world, "foreign alike 25");
    controller_run(&c, 40, 0);
    TEST_ASSERT_EQUAL_UINT64(c.drained + 1, c.bench.bus.port.count.drained);
    TEST_ASSERT_EQUAL_UINT64(c.foreign + 25, c.bench.bus.port.count.received[PORT_FOREIGN]);
}

static void test_state_and_code_of_a_fallen_device_are_known(void)
{
    controller_start(&c);
    virtual_tell(c.bench.world, "al 8 safeop 0x0032");
    controller_run(&c, 12, 0);
    TEST_ASSERT_EQUAL_HEX16(0x14, c.bench.bus.data.device[7].state);
    TEST_ASSERT_EQUAL_HEX16(0x0032, c.bench.bus.data.device[7].code);
    TEST_ASSERT_EQUAL_HEX16(0x08, c.bench.bus.data.device[6].state);
    TEST_ASSERT_EQUAL_HEX(0, c.bench.bus.data.status); /* the working counter did not show it */
}

static void test_phase_stays_within_20_us_while_the_reference_drifts(void)
{
    char line[32];

    controller_start(&c);
    spell("dc ppm REF 100", line, sizeof line);
    virtual_tell(c.bench.world, line);
    for (int i = 0; i < 4000; i++) {
        controller_run(&c, 1, 0);
        TEST_ASSERT_INT64_WITHIN(20000, 0, c.bench.lock.error_ns);
    }
}

static void refuse(const char *line, int error, const char *words, const char *number)
{
    int64_t begin_ns;

    memset(&c, 0, sizeof c);
    bench_prepare(&c.bench, "bench12", 1);
    begin_ns = c.bench.world->now_ns;
    virtual_tell(c.bench.world, line);
    bench_open(&c.bench, error);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(c.bench.messages, words), c.bench.messages);
    TEST_ASSERT_LESS_THAN_INT64(2000000000, c.bench.world->now_ns - begin_ns);
    show(number, line, -1, "start refused, device and cause named");
    bench_close(&c.bench);
}

/* Rows 19 and 22: at the start. */
static void test_wrong_devices_and_refused_objects_refuse_the_start(void)
{
    refuse("abort 8 60c2:01 0x06090030", -EPROTO, "slave 8", "19");
    refuse("swap 4 6", -ENODEV, "slave 4", "22");
    refuse("ident 6 product 0x403", -ENODEV, "slave 6", "22");
    refuse("ident 6 revision 9", -ENODEV, "slave 6", "22");
    refuse("cut 9", -ENODEV, "slave 10", "22");
}

static void test_extra_device_refuses_the_start(void)
{
    memset(&c, 0, sizeof c);
    bench_prepare(&c.bench, "bench12", 1);
    c.bench.model.count = 11;
    bench_open(&c.bench, -ENODEV);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(c.bench.messages, "slave 12"), c.bench.messages);
    show("22", "one device more", -1, "start refused, device named");
}

/* Row 20: the helper waits in vain, the cycle does not. */
static void test_hanging_mailbox_changes_nothing_in_the_cycle(void)
{
    uint32_t value, abort_code;
    int64_t longest_ns;

    controller_start(&c);
    controller_run(&c, 100, 0);
    longest_ns = c.bench.wake_ns;
    virtual_tell(c.bench.world, "mbx 9 hang");
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, coe_read(&c.bench.bus, 8, 0x6076, 0, &value, &abort_code));
    TEST_ASSERT_EQUAL_UINT64(0, c.stale_accepted);
    TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, c.reaction);
    TEST_ASSERT_EQUAL_INT64(longest_ns, c.bench.wake_ns);
    show("20", "mbx 9 hang", -1, "helper gives up after 0.7 s; no cycle longer or stale");
}

/* Row 21 */
static void test_emergency_reaches_the_helper_within_50_ms(void)
{
    int64_t after = 0;

    controller_start(&c);
    virtual_tell(c.bench.world, "emcy 9 0x8700 0x21");
    while (c.bench.bus.events == 0 && after < 50) {
        controller_run(&c, 10, 0);
        after += 10;
    }
    TEST_ASSERT_EQUAL_UINT64(1, c.bench.bus.events);
    TEST_ASSERT_EQUAL_INT(ESCALATION_NONE, c.greatest);
    show("21", "emcy 9 0x8700 0x21", after, "event with code and register");
}

/* Row 23 */
static void test_swapped_device_is_latched(void)
{
    FILE *nowhere = fopen("/dev/null", "w");
    int error;

    controller_start(&c);
    virtual_tell(c.bench.world, "power 8 off");
    controller_run(&c, 50, 0);
    virtual_tell(c.bench.world, "ident 8 serial 4711");
    virtual_tell(c.bench.world, "power 8 on");
    controller_run(&c, 50, 0);
    error = recovery_device(&c.bench.bus, 7, true, nowhere);
    fclose(nowhere);
    TEST_ASSERT_EQUAL_INT(-ENODEV, error);
    TEST_ASSERT_TRUE(c.bench.bus.wrong_device);
    show("23", "ident 8 serial 4711", -1, "HARD; WRONG DEVICE latched at recovery");
}

/* Row 27: our own loop is late. The frame of a late cycle carries the outputs of the one before. */
static void test_three_overruns_stop_softly(void)
{
    controller_start(&c);
    for (int i = 0; i < 3; i++) {
        c.bench.world->next_ns += 2 * BENCH_PERIOD_NS;
        controller_run(&c, 10, 10 * i);
        TEST_ASSERT_EQUAL_INT(i < 2 ? ESCALATION_NONE : ESCALATION_SOFT, c.reaction);
    }
    TEST_ASSERT_EQUAL_UINT64(0, c.stale_accepted);
    show("27", "three cycles 2 ms late", c.soft - 20, "SOFT latched with the third");
}

/* Row 29: the program is gone; what remains are the watchdogs. Then a new one starts from INIT. */
static void test_devices_switch_off_when_the_program_dies_and_a_new_one_starts(void)
{
    const struct slave *drive = &virtual_world.lab.segment.slave[5];
    const struct slave *outputs = &virtual_world.lab.segment.slave[2];
    static struct ethercat killed;
    int64_t drive_ms = -1;

    controller_start(&c);
    c.bench.world->cycle = NULL;
    for (int i = 1; i <= 60; i++) {
        virtual_sleep(c.bench.world, 1000000);
        drive_ms = drive_ms < 0 && drive->al.value != AL_OP ? i : drive_ms;
    }
    TEST_ASSERT_TRUE(drive_ms >= 0 && drive_ms <= 22);
    TEST_ASSERT_EQUAL_HEX16(AL_CODE_WATCHDOG, drive->al.code);
    TEST_ASSERT_TRUE(outputs->watchdog_expired);
    TEST_ASSERT_EQUAL_HEX8(0, outputs->esc.memory[0x0f00]);
    show("29", "no more frames", drive_ms, "drives off by watchdog, outputs 0; restart from INIT");
    killed = c.bench.bus; /* nobody closed it */
    bench_open(&c.bench, 0);
    bench_operate(&c.bench);
    ethercat_close(&killed);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_row_is_noticed_in_time_by_command_and_by_file);
    RUN_TEST(test_late_and_foreign_frames_are_counted);
    RUN_TEST(test_state_and_code_of_a_fallen_device_are_known);
    RUN_TEST(test_phase_stays_within_20_us_while_the_reference_drifts);
    RUN_TEST(test_wrong_devices_and_refused_objects_refuse_the_start);
    RUN_TEST(test_extra_device_refuses_the_start);
    RUN_TEST(test_hanging_mailbox_changes_nothing_in_the_cycle);
    RUN_TEST(test_emergency_reaches_the_helper_within_50_ms);
    RUN_TEST(test_swapped_device_is_latched);
    RUN_TEST(test_three_overruns_stop_softly);
    RUN_TEST(test_devices_switch_off_when_the_program_dies_and_a_new_one_starts);
    return UNITY_END();
}
