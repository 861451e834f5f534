/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_doctor_print.c - the report is readable in 100 columns, and its script contains nothing foreign. */
#include "tools/doctor.h"

#include <errno.h>

#include "tests/lab_pc.h"
#include "unity.h"

static struct folder tree;
static struct machine machine;
static struct doctor_report report;
static char *text;
static size_t size;
static FILE *out;

static void reopen(void)
{
    if (out != NULL) {
        fclose(out);
    }
    free(text);
    text = NULL;
    out = open_memstream(&text, &size);
}

void setUp(void)
{
    lab_pc_open(&tree, &machine);
    out = NULL;
    text = NULL;
    reopen();
}

void tearDown(void)
{
    fclose(out);
    free(text);
    folder_close(&tree);
}

static void judge(void)
{
    machine_read(&machine);
    doctor_judge(&machine, &report);
}

/* Everything wrong at once, with the longest words. */
static void make_it_bad(void)
{
    folder_remove(&tree, "/sys/kernel");
    folder_put(&tree, "/proc/cpuinfo", "flags : fpu hypervisor\n");
    folder_put(&tree, "/sys/class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n");
    folder_put(&tree, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
    folder_put(&tree, CPU "/isolated", "\n");
    folder_put(&tree, CPU "/nohz_full", "\n");
    folder_put(&tree, CPU "/cpu3/cpuidle/state2/disable", "0\n");
    folder_put(&tree, "/proc/cmdline", "quiet\n");
    folder_put(&tree, "/proc/77/comm", "irqbalance\n");
    folder_put(&tree, "/proc/self/status", "CapEff:\t0000000000000000\n");
    machine.interface = "enxa0cec8123456";
    machine.nic.rx_usecs = 1000;
    machine.nic.tx_usecs = 1000;
    machine.nic.adaptive = true;
    machine.nic.eee = true;
    machine.nic.addresses = 1;
    snprintf(machine.nic.address, sizeof machine.nic.address,
             "fd00:1234:5678:9abc:def0:1234:5678:9abc");
    snprintf(machine.name.version, sizeof machine.name.version, "#1 SMP PREEMPT_DYNAMIC");
    machine.trial.fifo_error = -EPERM;
    machine.trial.raw_error = -EPERM;
    machine.trial.lock_error = -ENOMEM;
    machine.trial.lock_free_error = -EPERM;
    machine.trial.lock_limit = 65536;
    machine.trial.priority_limit = 0;
    machine.trial.idle_error = -EACCES;
    machine.trial.netspace_error = -ENOSPC;
    machine.trial.disk.error = -EROFS;
    machine.tracing = false;
    judge();
}

static void test_a_good_machine_is_declared_ready(void)
{
    judge();
    doctor_print_text(out, &machine, &report, false, false);
    fflush(out);
    TEST_ASSERT_EQUAL_STRING_LEN("freefall 0.", text, 11);
    TEST_ASSERT_NOT_NULL(
        strstr(text, " on lab: Linux 6.1.0-50-rt-amd64, 4 processors, as alice\n"));
    TEST_ASSERT_NOT_NULL(strstr(text, "\n  PASS isolated cores:     core 3\n"));
    TEST_ASSERT_NOT_NULL(
        strstr(text, " pass, 0 warn, 0 fail, 2 skip: this machine is ready for a real-time run\n"));
    TEST_ASSERT_NULL(strstr(text, "fix:"));
}

/* The line users.md promises, with its column. */
static void test_a_row_shows_found_wanted_and_fix(void)
{
    machine.nic.rx_usecs = 3;
    judge();
    doctor_print_text(out, &machine, &report, false, false);
    fflush(out);
    TEST_ASSERT_NOT_NULL(strstr(text, "\n  FAIL nic enp3s0:         rx-usecs 3 (want 0)   "
                                      "fix: ethtool -C enp3s0 rx-usecs 0\n"));
    TEST_ASSERT_NOT_NULL(
        strstr(text, "1 fail, 2 skip: this machine is not ready for a real-time run\n"));
}

static void test_a_warning_alone_leaves_the_machine_ready(void)
{
    machine.tracing = false;
    judge();
    doctor_print_text(out, &machine, &report, false, false);
    fflush(out);
    TEST_ASSERT_NOT_NULL(
        strstr(text, "1 warn, 0 fail, 2 skip: this machine is ready for a real-time run, "
                     "with reservations\n"));
}

/* Only commands, which must be copied whole, may be wider. */
static void test_text_fits_a_hundred_columns(void)
{
    char *rest;

    make_it_bad();
    doctor_print_text(out, &machine, &report, false, false);
    fflush(out);
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "       fix: ", 12) != 0) {
            TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(100, strlen(line), line);
        }
    }
}

static void test_quiet_shows_only_what_fails(void)
{
    make_it_bad();
    doctor_print_text(out, &machine, &report, true, false);
    fflush(out);
    TEST_ASSERT_NOT_NULL(strstr(text, "  FAIL "));
    TEST_ASSERT_NULL(strstr(text, "  PASS "));
    TEST_ASSERT_NULL(strstr(text, "  WARN "));
    TEST_ASSERT_NULL(strstr(text, "  SKIP "));
    TEST_ASSERT_NULL(strstr(text, " pass, "));
}

static void test_quiet_says_nothing_of_a_good_machine(void)
{
    judge();
    doctor_print_text(out, &machine, &report, true, false);
    fflush(out);
    TEST_ASSERT_EQUAL_INT(0, size);
}

static void test_colour_is_written_only_when_asked(void)
{
    make_it_bad();
    doctor_print_text(out, &machine, &report, false, false);
    fflush(out);
    TEST_ASSERT_NULL(strchr(text, '\033'));
    doctor_print_text(out, &machine, &report, false, true);
    fflush(out);
    TEST_ASSERT_NOT_NULL(strstr(text, "\033[1;31mFAIL\033[0m"));
}

static void test_rows_skipped_for_one_reason_share_a_line(void)
{
    machine.interface = NULL;
    judge();
    doctor_print_text(out, &machine, &report, false, false);
    fflush(out);
    TEST_ASSERT_NOT_NULL(strstr(
        text,
        "\n  SKIP 7 checks:           no interface named: freefall doctor --interface enp3s0\n"
        "                           interface, driver, link, coalescing, EEE,"));
    TEST_ASSERT_NOT_NULL(strstr(text, " 11 skip: "));
}

/* Every line is empty, a comment, a fix of the report, or update-grub. */
static void expect_only_fixes(void)
{
    char *rest;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        bool known = line[0] == '#' || strcmp(line, "update-grub") == 0;

        for (int i = 0; i < report.n && !known; i++) {
            known = strcmp(line, report.rows[i].finding.fix) == 0;
        }
        TEST_ASSERT_TRUE_MESSAGE(known, line);
    }
}

static void test_the_script_contains_every_fix_and_nothing_else(void)
{
    make_it_bad();
    doctor_print_script(out, &machine, &report);
    fflush(out);
    for (int i = 0; i < report.n; i++) {
        const struct finding *f = &report.rows[i].finding;

        if (f->status == FINDING_FAIL || f->status == FINDING_WARN) {
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, f->found), f->found);
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, f->fix), f->fix);
        }
    }
    TEST_ASSERT_NOT_NULL(strstr(text, "\nupdate-grub\n"));
    expect_only_fixes();
}

static void test_the_script_of_a_good_machine_does_nothing(void)
{
    judge();
    doctor_print_script(out, &machine, &report);
    fflush(out);
    TEST_ASSERT_EQUAL_STRING(
        "#!/bin/sh\n# freefall doctor --fix on lab: read it, then run it as root.\n", text);
}

/* Names an attacker would choose: they stay on their comment line or in quotes. */
static void test_hostile_names_do_not_become_commands(void)
{
    static const char *const interfaces[] = {"x;reboot",  "$(reboot)", "a\nreboot",
                                             "../../etc", "-C",        "a b"};

    machine.user = "eve;reboot";
    machine.program = "/home/eve/c d'$(halt)/freefall";
    machine.folder = "runs\nreboot";
    folder_put(&tree, "/sys/class/dmi/id/product_name", "x\033[2J$(reboot)\nreboot\n");
    for (size_t i = 0; i < COUNT_OF(interfaces); i++) {
        make_it_bad();
        machine.interface = interfaces[i];
        judge();
        doctor_print_script(out, &machine, &report);
        fflush(out);
        for (int k = 0; k < report.n; k++) {
            const char *fix = report.rows[k].finding.fix;

            if (fix[0] != '#') {
                TEST_ASSERT_NULL_MESSAGE(strstr(fix, interfaces[i]), fix);
            }
        }
        TEST_ASSERT_NULL(strstr(text, "\nreboot"));
        TEST_ASSERT_NULL(strchr(text, '\033'));
        TEST_ASSERT_NOT_NULL(strstr(text, "\necho 'eve;reboot' - rtprio 95 > "));
        TEST_ASSERT_NOT_NULL(strstr(text, "+ep '/home/eve/c d'\\''$(halt)/freefall'\n"));
        expect_only_fixes();
        reopen();
    }
}

static void test_json_holds_every_row(void)
{
    const char *at;
    int n = 0;

    make_it_bad();
    TEST_ASSERT_EQUAL_INT(0, doctor_print_json(out, &machine, &report));
    TEST_ASSERT_NOT_NULL(strstr(text, "\n  \"ready\": false,\n"));
    TEST_ASSERT_NOT_NULL(strstr(text, "\n  \"interface\": \"enxa0cec8123456\",\n"));
    for (at = text; (at = strstr(at, "\"status\": ")) != NULL; at++) {
        n++;
    }
    TEST_ASSERT_EQUAL_INT(report.n, n);
    TEST_ASSERT_NOT_NULL(strstr(text, "\"fix\": null"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_good_machine_is_declared_ready);
    RUN_TEST(test_a_row_shows_found_wanted_and_fix);
    RUN_TEST(test_a_warning_alone_leaves_the_machine_ready);
    RUN_TEST(test_text_fits_a_hundred_columns);
    RUN_TEST(test_quiet_shows_only_what_fails);
    RUN_TEST(test_quiet_says_nothing_of_a_good_machine);
    RUN_TEST(test_colour_is_written_only_when_asked);
    RUN_TEST(test_rows_skipped_for_one_reason_share_a_line);
    RUN_TEST(test_the_script_contains_every_fix_and_nothing_else);
    RUN_TEST(test_the_script_of_a_good_machine_does_nothing);
    RUN_TEST(test_hostile_names_do_not_become_commands);
    RUN_TEST(test_json_holds_every_row);
    return UNITY_END();
}
