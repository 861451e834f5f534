/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_command.c - from words to commands: what is meant is found, what is wrong is named. */
#include "tools/command.h"

#include <stdlib.h>
#include <string.h>

#include "model/base.h"
#include "tools/dispatch.h"
#include "tools/help.h"
#include "unity.h"

/* A little program of its own: "lab move [--speed N] [--dry] ROBOT", "lab bus scan", "lab bus show". */
static int calls;
static int last_argc;
static char *last_argv[8];

static int note(int argc, char **argv)
{
    calls++;
    last_argc = argc;
    for (int i = 0; i < argc; i++) {
        last_argv[i] = argv[i];
    }
    return COMMAND_SAFETY;
}

static const struct command_option move_options[] = {
    {"--speed", "N", "percent"},
    {"--dry", NULL, "compute only"},
    {NULL, NULL, NULL},
};

static const struct command bus_rows[] = {
    {.name = "scan", .operands = "", .summary = "count the slaves", .example = "lab bus scan"},
    {.name = "show", .operands = "", .summary = "show one", .example = "lab bus show"},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct command rows[] = {
    {.name = "move",
     .operands = "ROBOT",
     .summary = "move a robot",
     .text = "First.\n\n.Second \\ 'quoted' -1.",
     .example = "lab move --speed 5 client",
     .exits = "0   moved",
     .options = move_options,
     .main = note},
    {.name = "bus",
     .operands = "WORD",
     .summary = "ask the bus",
     .example = "lab bus scan",
     .sub = bus_rows,
     .main = note},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct command lab = {.name = "lab",
                                   .operands = "COMMAND",
                                   .summary = "a laboratory",
                                   .text = "Only for tests.",
                                   .example = "lab move",
                                   .exits = "0   good",
                                   .sub = rows};

static FILE *saved_out;
static FILE *saved_err;
static char *out;
static char *err;
static size_t out_size;
static size_t err_size;

void setUp(void)
{
    calls = 0;
    saved_out = stdout;
    saved_err = stderr;
    out = NULL;
    err = NULL;
    stdout = open_memstream(&out, &out_size);
    stderr = open_memstream(&err, &err_size);
}

/* Give the streams back before a test asserts: Unity prints on stdout. */
static void end_capture(void)
{
    if (stdout != saved_out) {
        fclose(stdout);
        fclose(stderr);
        stdout = saved_out;
        stderr = saved_err;
    }
}

void tearDown(void)
{
    end_capture();
    free(out);
    free(err);
}

/* Run "lab" with the words of a line. */
static int run(const char *line)
{
    static char words[256];
    char *argv[8] = {NULL};
    int argc = 0;
    int code;
    char *rest;

    snprintf(words, sizeof words, "%s", line);
    for (char *w = strtok_r(words, " ", &rest); w != NULL && argc < 8;
         w = strtok_r(NULL, " ", &rest)) {
        argv[argc++] = w;
    }
    code = dispatch_run(&lab, argc, argv);
    end_capture();
    return code;
}

static void test_a_command_gets_its_own_words(void)
{
    TEST_ASSERT_EQUAL_INT(COMMAND_SAFETY, run("lab move --speed 5 client"));
    TEST_ASSERT_EQUAL_INT(1, calls);
    TEST_ASSERT_EQUAL_INT(4, last_argc);
    TEST_ASSERT_EQUAL_STRING("move", last_argv[0]);
    TEST_ASSERT_EQUAL_STRING("client", last_argv[3]);
}

static void test_a_second_level_is_checked_and_handed_on(void)
{
    TEST_ASSERT_EQUAL_INT(COMMAND_SAFETY, run("lab bus scan now"));
    TEST_ASSERT_EQUAL_STRING("bus", last_argv[0]);
    TEST_ASSERT_EQUAL_STRING("scan", last_argv[1]);
    TEST_ASSERT_EQUAL_INT(3, last_argc);
}

static void test_an_unknown_second_word_is_refused(void)
{
    TEST_ASSERT_EQUAL_INT(COMMAND_USAGE, run("lab bus scna"));
    TEST_ASSERT_EQUAL_STRING("freefall bus: unknown command \"scna\"; did you mean \"scan\"?\n"
                             "  see: freefall bus --help\n",
                             err);
    TEST_ASSERT_EQUAL_STRING("", out);
    TEST_ASSERT_EQUAL_INT(0, calls);
}

static void test_a_word_unlike_all_others_gets_no_proposal(void)
{
    TEST_ASSERT_EQUAL_INT(COMMAND_USAGE, run("lab teleport"));
    TEST_ASSERT_NULL(strstr(err, "did you mean"));
    TEST_ASSERT_EQUAL_STRING("", out);
}

static void test_no_word_shows_help_on_stderr(void)
{
    TEST_ASSERT_EQUAL_INT(COMMAND_USAGE, run("lab"));
    TEST_ASSERT_EQUAL_STRING("", out);
    TEST_ASSERT_NOT_NULL(strstr(err, "usage: lab COMMAND"));
}

static void test_help_on_each_level_has_an_example(void)
{
    static const char *const lines[][2] = {
        {"lab --help", "example:\n  lab move\n"},
        {"lab -h", "example:\n  lab move\n"},
        {"lab move --help", "example:\n  lab move --speed 5 client\n"},
        {"lab move --speed 5 client -h", "usage: lab move [OPTIONS] ROBOT\n"},
        {"lab bus --help", "  scan       count the slaves\n"},
        {"lab bus scan --help", "usage: lab bus scan\n"},
    };

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        TEST_ASSERT_EQUAL_INT(COMMAND_PASS, run(lines[i][0]));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, lines[i][1]), lines[i][0]);
        TEST_ASSERT_EQUAL_STRING("", err);
        TEST_ASSERT_EQUAL_INT(0, calls);
        tearDown();
        setUp();
    }
}

/* "--" ends what is read as options, help included. */
static void test_help_after_two_dashes_is_an_operand(void)
{
    TEST_ASSERT_EQUAL_INT(COMMAND_SAFETY, run("lab move -- --help"));
    TEST_ASSERT_EQUAL_INT(1, calls);
}

/* Parse a line against move_options; operands stay in last_argv. */
static int parse(const char *line, const char **values, int most)
{
    static char words[256];
    int n;
    char *rest;

    snprintf(words, sizeof words, "%s", line);
    last_argc = 0;
    for (char *w = strtok_r(words, " ", &rest); w != NULL; w = strtok_r(NULL, " ", &rest)) {
        last_argv[last_argc++] = w;
    }
    n = command_parse(move_options, values, last_argc, last_argv, most);
    end_capture();
    return n;
}

static void test_options_and_operands_are_sorted(void)
{
    const char *values[2];

    TEST_ASSERT_EQUAL_INT(2, parse("move a --speed 5 b --dry", values, 2));
    TEST_ASSERT_EQUAL_STRING("5", values[0]);
    TEST_ASSERT_EQUAL_STRING("", values[1]);
    TEST_ASSERT_EQUAL_STRING("a", last_argv[1]);
    TEST_ASSERT_EQUAL_STRING("b", last_argv[2]);
}

static void test_a_value_may_follow_an_equals_sign(void)
{
    const char *values[2];

    TEST_ASSERT_EQUAL_INT(0, parse("move --speed=1=2", values, 0));
    TEST_ASSERT_EQUAL_STRING("1=2", values[0]);
    TEST_ASSERT_NULL(values[1]);
}

static void test_a_single_dash_and_words_after_two_are_operands(void)
{
    const char *values[2];

    TEST_ASSERT_EQUAL_INT(2, parse("move - -- --dry", values, 2));
    TEST_ASSERT_EQUAL_STRING("-", last_argv[1]);
    TEST_ASSERT_EQUAL_STRING("--dry", last_argv[2]);
    TEST_ASSERT_NULL(values[1]);
}

static void test_wrong_options_are_named(void)
{
    static const struct {
        const char *line;
        const char *message;
    } cases[] = {
        {"move --sped 5", "freefall move: unknown option \"--sped\"; did you mean \"--speed\"?\n"},
        {"move --quux", "freefall move: unknown option \"--quux\"\n"},
        {"move -x", "freefall move: unknown option \"-x\"\n"},
        {"move --speed", "freefall move: option --speed expects N, found nothing\n"},
        {"move --dry=1", "freefall move: option --dry takes no value, found \"--dry=1\"\n"},
        {"move a b", "freefall move: unexpected \"b\"\n"},
        {"move --speedy 1",
         "freefall move: unknown option \"--speedy\"; did you mean \"--speed\"?\n"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *values[2];

        TEST_ASSERT_EQUAL_INT(-1, parse(cases[i].line, values, 1));
        TEST_ASSERT_EQUAL_STRING_LEN(cases[i].message, err, strlen(cases[i].message));
        TEST_ASSERT_EQUAL_STRING("", out);
        tearDown();
        setUp();
    }
}

static void test_a_command_without_options_refuses_all(void)
{
    char name[] = "status";
    char option[] = "--all";
    char *argv[] = {name, option};
    int n = command_parse(NULL, NULL, 2, argv, 0);

    end_capture();
    TEST_ASSERT_EQUAL_INT(-1, n);
}

/* Symmetric, zero only for equal words; Damerau's example "ca" -> "abc" costs 3 when a swap is final. */
static void test_distance_counts_slips_of_the_hand(void)
{
    TEST_ASSERT_EQUAL_INT(0, command_distance("doctor", "doctor"));
    TEST_ASSERT_EQUAL_INT(1, command_distance("docter", "doctor"));
    TEST_ASSERT_EQUAL_INT(1, command_distance("dotcor", "doctor"));
    TEST_ASSERT_EQUAL_INT(1, command_distance("doctr", "doctor"));
    TEST_ASSERT_EQUAL_INT(1, command_distance("dooctor", "doctor"));
    TEST_ASSERT_EQUAL_INT(3, command_distance("kitten", "sitting"));
    TEST_ASSERT_EQUAL_INT(3, command_distance("sitting", "kitten"));
    TEST_ASSERT_EQUAL_INT(3, command_distance("ca", "abc"));
    TEST_ASSERT_EQUAL_INT(4, command_distance("", "four"));
    TEST_ASSERT_EQUAL_INT(100, command_distance("a", "123456789012345678901234567890123"));
    TEST_ASSERT_EQUAL_INT(31, command_distance("a", "12345678901234567890123456789a12"));
    end_capture();
}

static void test_only_near_words_are_proposed(void)
{
    end_capture();
    TEST_ASSERT_TRUE(command_similar("docotr", "doctor"));
    TEST_ASSERT_TRUE(command_similar("ver", "version"));
    TEST_ASSERT_FALSE(command_similar("x", "version"));
    TEST_ASSERT_FALSE(command_similar("ba", "bus"));
    TEST_ASSERT_FALSE(command_similar("launch", "version"));
}

/* troff: no line starts with a dot or quote of the text, backslash and hyphen are named. */
static void test_the_man_page_escapes_text(void)
{
    help_print_man(stdout, &lab);
    end_capture();
    TEST_ASSERT_NOT_NULL(strstr(out, ".SH NAME\nlab \\- a laboratory\n"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\n.PP\n\\&.Second \\e \\(aqquoted\\(aq \\-1.\n"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\n.B \\-\\-speed N\n"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\n.SS lab bus scan\n"));
    TEST_ASSERT_NULL(strstr(out, "\n\n"));
}

static const char *words_after(int n, char **words)
{
    help_print_words(stdout, &lab, n, words);
    end_capture();
    return out;
}

static void test_completion_offers_the_next_level(void)
{
    TEST_ASSERT_EQUAL_STRING("move\nbus\n--help\n", words_after(0, NULL));
}

static void test_completion_offers_options(void)
{
    char move[] = "move";
    char *words[] = {move};

    TEST_ASSERT_EQUAL_STRING("--speed\n--dry\n--help\n", words_after(1, words));
}

static void test_completion_is_silent_after_an_unknown_word(void)
{
    char fly[] = "fly";
    char *words[] = {fly};

    TEST_ASSERT_EQUAL_STRING("", words_after(1, words));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_command_gets_its_own_words);
    RUN_TEST(test_a_second_level_is_checked_and_handed_on);
    RUN_TEST(test_an_unknown_second_word_is_refused);
    RUN_TEST(test_a_word_unlike_all_others_gets_no_proposal);
    RUN_TEST(test_no_word_shows_help_on_stderr);
    RUN_TEST(test_help_on_each_level_has_an_example);
    RUN_TEST(test_help_after_two_dashes_is_an_operand);
    RUN_TEST(test_options_and_operands_are_sorted);
    RUN_TEST(test_a_value_may_follow_an_equals_sign);
    RUN_TEST(test_a_single_dash_and_words_after_two_are_operands);
    RUN_TEST(test_wrong_options_are_named);
    RUN_TEST(test_a_command_without_options_refuses_all);
    RUN_TEST(test_distance_counts_slips_of_the_hand);
    RUN_TEST(test_only_near_words_are_proposed);
    RUN_TEST(test_the_man_page_escapes_text);
    RUN_TEST(test_completion_offers_the_next_level);
    RUN_TEST(test_completion_offers_options);
    RUN_TEST(test_completion_is_silent_after_an_unknown_word);
    return UNITY_END();
}
