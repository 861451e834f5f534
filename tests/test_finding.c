/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_finding.c - what a machine says can neither leave its line nor become a command. */
#include "tools/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

static struct finding finding;

void setUp(void)
{
    memset(&finding, 0, sizeof finding);
}

void tearDown(void)
{
}

/* What the shell makes of a word. */
static void shell_reads(const char *quoted, char *back, size_t size)
{
    char command[512];
    FILE *shell;
    size_t n;

    snprintf(command, sizeof command, "printf '%%s.' %s", quoted);
    shell = popen(command, "r");
    TEST_ASSERT_NOT_NULL(shell);
    n = fread(back, 1, size - 1, shell);
    back[n] = '\0';
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, pclose(shell), command);
    TEST_ASSERT_GREATER_THAN(0, n);
    back[n - 1] = '\0'; /* the dot keeps line ends at the end */
}

/* The shell itself is the judge: it reads every word back as it was. */
static void test_the_shell_reads_any_word_back(void)
{
    static const char *const words[] = {
        "enp3s0",
        "a b",
        "$(reboot)",
        "`id`",
        "it's",
        "''",
        "\"",
        "\\",
        "a;b",
        "*",
        "~root",
        "#x",
        "-n",
        "a\nb",
        "${HOME}",
        "a&b",
        "\xC3\xA9t\xC3\xA9",
        "!!",
        "(x)",
        "<y>",
        "|",
        " lead",
        "trail ",
        "'",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char quoted[128];
        char back[128];

        finding_shell_word(quoted, sizeof quoted, words[i]);
        shell_reads(quoted, back, sizeof back);
        TEST_ASSERT_EQUAL_STRING(words[i], back);
    }
}

static void test_harmless_words_stay_readable(void)
{
    char quoted[32];

    finding_shell_word(quoted, sizeof quoted, "/usr/bin/freefall");
    TEST_ASSERT_EQUAL_STRING("/usr/bin/freefall", quoted);
    finding_shell_word(quoted, sizeof quoted, "");
    TEST_ASSERT_EQUAL_STRING("''", quoted);
}

static void test_a_word_without_room_is_dropped_whole(void)
{
    char quoted[8];

    finding_shell_word(quoted, sizeof quoted, "1234567");
    TEST_ASSERT_EQUAL_STRING("1234567", quoted);
    finding_shell_word(quoted, sizeof quoted, "12345678");
    TEST_ASSERT_EQUAL_STRING("", quoted);
    finding_shell_word(quoted, sizeof quoted, "1 345");
    TEST_ASSERT_EQUAL_STRING("'1 345'", quoted);
    finding_shell_word(quoted, sizeof quoted, "1 3456");
    TEST_ASSERT_EQUAL_STRING("", quoted);
    finding_shell_word(quoted, sizeof quoted, "'''");
    TEST_ASSERT_EQUAL_STRING("", quoted);
}

static void test_control_characters_are_replaced(void)
{
    finding_fail(&finding, "%s", "a\nb\033[31m\x7f");
    TEST_ASSERT_EQUAL_STRING("a?b?[31m?", finding.found);
    finding_want(&finding, "%s", "x\ry");
    TEST_ASSERT_EQUAL_STRING("x?y", finding.wanted);
    finding_fix(&finding, "echo %s", "1\nreboot");
    TEST_ASSERT_EQUAL_STRING("echo 1?reboot", finding.fix);
}

static void test_a_command_too_long_is_dropped_whole(void)
{
    char text[sizeof finding.fix + 1];

    memset(text, 'x', sizeof text);
    text[sizeof finding.fix - 1] = '\0';
    finding_fix(&finding, "%s", text);
    TEST_ASSERT_EQUAL_STRING(text, finding.fix);
    text[sizeof finding.fix - 1] = 'x';
    text[sizeof finding.fix] = '\0';
    finding_fix(&finding, "%s", text);
    TEST_ASSERT_EQUAL_STRING("", finding.fix);
}

static void test_each_status_has_its_word(void)
{
    finding_pass(&finding, "a");
    TEST_ASSERT_EQUAL_STRING("PASS", finding_name(finding.status));
    finding_warn(&finding, "a");
    TEST_ASSERT_EQUAL_STRING("WARN", finding_name(finding.status));
    finding_fail(&finding, "a");
    TEST_ASSERT_EQUAL_STRING("FAIL", finding_name(finding.status));
    finding_skip(&finding, "a");
    TEST_ASSERT_EQUAL_STRING("SKIP", finding_name(finding.status));
    TEST_ASSERT_EQUAL_STRING("?", finding_name(FINDING_KINDS));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_shell_reads_any_word_back);
    RUN_TEST(test_harmless_words_stay_readable);
    RUN_TEST(test_a_word_without_room_is_dropped_whole);
    RUN_TEST(test_control_characters_are_replaced);
    RUN_TEST(test_a_command_too_long_is_dropped_whole);
    RUN_TEST(test_each_status_has_its_word);
    return UNITY_END();
}
