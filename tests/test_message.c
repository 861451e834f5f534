/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_message.c - positions in a text and the messages that show them: config/source.c and
 * config/message.c. */
#include "config/message.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/source.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static struct source text_source(const char *text)
{
    return (struct source){.name = "lab.yaml", .text = text, .length = strlen(text), .file = true};
}

/* What message_print() writes for one message, in a buffer of the caller. */
static void print_one(char *out, size_t size, const struct source *s, size_t at, size_t length,
                      const char *hint)
{
    struct message_list list = {.source = s};
    FILE *f = fmemopen(out, size, "w");

    TEST_ASSERT_NOT_NULL(f);
    message_hint(message_add(&list, at, length, "it is wrong"), "%s", hint);
    message_print(&list, f);
    TEST_ASSERT_EQUAL_INT(0, fclose(f));
}

/* ---- positions ---- */

/* Offset to line and column and back, for every byte that begins a character. */
static void test_places_and_offsets_are_inverse(void)
{
    static const char *const texts[] = {"",
                                        "a",
                                        "ab\ncd\n\nef",
                                        "a\r\nb\r\nc",
                                        "a\rb\rc",
                                        "\xc3\xa9t\xc3\xa9\n\xe2\x82\xac 5\n\xf0\x9f\x9a\x80x"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct source s = text_source(texts[i]);

        for (size_t at = 0; at <= s.length; at++) {
            if (((unsigned char)s.text[at] & 0xc0) == 0x80 || s.text[at] == '\n') {
                continue;
            }
            struct source_place p = source_place(&s, at);

            TEST_ASSERT_EQUAL_size_t_MESSAGE(at, source_offset(&s, p.line, p.column), texts[i]);
        }
    }
}

static void test_lines_end_as_in_every_system(void)
{
    static const char *const texts[] = {"a\nb\nc", "a\rb\rc", "a\r\nb\r\nc"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct source s = text_source(texts[i]);
        struct source_place p = source_place(&s, (size_t)(strchr(texts[i], 'c') - texts[i]));

        TEST_ASSERT_EQUAL_INT(3, p.line);
        TEST_ASSERT_EQUAL_INT(1, p.column);
        TEST_ASSERT_EQUAL_size_t(s.length, p.end);
    }
}

static void test_columns_count_characters_not_bytes(void)
{
    struct source s = text_source("a\n\xc3\xa9\xe2\x82\xac: x\n");
    struct source_place p = source_place(&s, 9);

    TEST_ASSERT_EQUAL_CHAR('x', s.text[9]);
    TEST_ASSERT_EQUAL_INT(2, p.line);
    TEST_ASSERT_EQUAL_INT(5, p.column);
    TEST_ASSERT_EQUAL_size_t(2, p.begin);
    TEST_ASSERT_EQUAL_size_t(10, p.end);
    TEST_ASSERT_EQUAL_size_t(s.length, source_offset(&s, 99, 99));
    TEST_ASSERT_EQUAL_INT(3, source_place(&s, 999).line);
}

/* ---- UTF-8 ---- */

/* Every code point, encoded by the definition of UTF-8, is read back; the bytes that RFC 3629
 * forbids are not. */
static void test_every_code_point_is_read(void)
{
    for (unsigned long code = 0; code <= 0x10ffff; code += code < 0x900 ? 1 : 97) {
        unsigned char b[4];
        size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        unsigned long read = 0;

        for (size_t i = n; i-- > 1;) {
            b[i] = (unsigned char)(0x80 | (code >> 6 * (n - 1 - i) & 0x3f));
        }
        b[0] = (unsigned char)(n == 1 ? code : (0xf00UL >> n & 0xff) | code >> 6 * (n - 1));
        bool surrogate = code >= 0xd800 && code <= 0xdfff;

        TEST_ASSERT_EQUAL_size_t(surrogate ? 0 : n, source_character((const char *)b, n, &read));
        TEST_ASSERT_TRUE(surrogate || read == code);
        if (n > 1) {
            TEST_ASSERT_EQUAL_size_t(0, source_character((const char *)b, n - 1, &read));
        }
    }
}

static void test_invalid_sequences_are_refused(void)
{
    static const char *const wrong[] = {"\x80",
                                        "\xbf",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xe0\x80\x80",
                                        "\xed\xa0\x80",
                                        "\xf0\x80\x80\x80",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xff",
                                        "\xc3(",
                                        "\xe2\x82("};
    unsigned long code = 0;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        TEST_ASSERT_EQUAL_size_t(0, source_character(wrong[i], strlen(wrong[i]), &code));
    }
}

static void test_unclean_bytes_are_found_and_named(void)
{
    char what[SOURCE_WHY_MAX] = "";

    TEST_ASSERT_EQUAL_size_t(9, source_unclean("a\tb\r\n\xc3\xa9 c", 9, what));
    TEST_ASSERT_EQUAL_size_t(1, source_unclean("a\0b", 3, what));
    TEST_ASSERT_EQUAL_STRING("the control character U+0000", what);
    TEST_ASSERT_EQUAL_size_t(2, source_unclean("ab\033[31m", 7, what));
    TEST_ASSERT_EQUAL_STRING("the control character U+001B", what);
    TEST_ASSERT_EQUAL_size_t(0, source_unclean("\xc2\x9b", 2, what));
    TEST_ASSERT_EQUAL_STRING("the control character U+009B", what);
    TEST_ASSERT_EQUAL_size_t(1, source_unclean("a\xe9t\xe9", 4, what));
    TEST_ASSERT_EQUAL_STRING("the byte 0xe9, which is not UTF-8", what);
}

/* ---- messages ---- */

static void test_a_message_has_line_caret_tildes_and_hint(void)
{
    struct source s = text_source("a: 1\n  mass: 7.8\n");
    char out[1024];

    print_one(out, sizeof out, &s, 13, 3, "write 7.8 t");
    TEST_ASSERT_EQUAL_STRING("lab.yaml:2:9: error: it is wrong\n"
                             "    2 |   mass: 7.8\n"
                             "      |         ^~~   write 7.8 t\n",
                             out);
}

static void test_an_argument_has_no_line_number(void)
{
    struct source s = {.name = "--set", .text = "a=1", .length = 3};
    char out[1024];

    print_one(out, sizeof out, &s, 2, 1, "");
    TEST_ASSERT_EQUAL_STRING("--set: error: it is wrong\n      | a=1\n      |   ^\n", out);
}

static void test_the_caret_stands_below_its_character(void)
{
    struct source s = text_source("\t\xc3\xa9\xc3\xa9 x");
    char out[1024];

    print_one(out, sizeof out, &s, 6, 1, "");
    TEST_ASSERT_EQUAL_STRING(
        "lab.yaml:1:5: error: it is wrong\n    1 | \t\xc3\xa9\xc3\xa9 x\n      | \t   ^\n", out);
}

static void test_a_mark_ends_with_its_line(void)
{
    struct source s = text_source("abc\ndef\n");
    char out[1024];

    print_one(out, sizeof out, &s, 1, 100, "");
    TEST_ASSERT_EQUAL_STRING("lab.yaml:1:2: error: it is wrong\n    1 | abc\n      |  ^~\n", out);
    print_one(out, sizeof out, &s, s.length, 0, "");
    TEST_ASSERT_EQUAL_STRING("lab.yaml:3:1: error: it is wrong\n    3 | \n      | ^\n", out);
}

static void test_a_long_line_is_cut_around_the_caret(void)
{
    char text[5001];
    struct source s;
    char out[1024];

    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    text[3000] = 'X';
    s = text_source(text);
    print_one(out, sizeof out, &s, 3000, 1, "");
    char *line = strchr(out, '\n') + 1;
    char *below = strchr(line, '\n') + 1;

    TEST_ASSERT_EQUAL_STRING_LEN("    1 | ...aaa", line, 14);
    TEST_ASSERT_EQUAL_CHAR('X', line[strchr(below, '^') - below]);
    TEST_ASSERT_EQUAL_STRING_LEN("aaa...\n", below - 7, 7);
    TEST_ASSERT_LESS_THAN_size_t(320, strlen(out));
}

/* A file must not be able to move the cursor, change colours or turn the writing direction of a
 * terminal. */
static void test_nothing_of_the_text_can_change_a_terminal(void)
{
    struct source s = text_source("a\033[2Jb \xe2\x80\xae\xc2\x9b \xff\n");
    char out[1024];

    s.name = "x\033]0;y\007.yaml";
    print_one(out, sizeof out, &s, 0, 1, "h\033[0m");
    TEST_ASSERT_EQUAL_STRING(
        "x?]0;y?.yaml:1:1: error: it is wrong\n    1 | a?[2Jb ?? ?\n      | ^   h?[0m\n", out);
}

static void test_messages_come_in_the_order_of_the_text(void)
{
    struct source s = text_source("abcdefgh");
    struct message_list list = {.source = &s};
    static const size_t order[] = {5, 1, 7, 3, 3, 0};

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        message_hint(message_add(&list, order[i], 1, "n%zu", i), "h%zu", i);
    }
    TEST_ASSERT_EQUAL_INT(6, list.count);
    TEST_ASSERT_EQUAL_STRING("n5", list.message[0].text);
    TEST_ASSERT_EQUAL_STRING("n1", list.message[1].text);
    TEST_ASSERT_EQUAL_STRING("n3", list.message[2].text);
    TEST_ASSERT_EQUAL_STRING("n4", list.message[3].text);
    TEST_ASSERT_EQUAL_STRING("h2", list.message[5].hint);
}

/* Of many messages the first in the text are kept, whatever order they came in. */
static void test_only_the_first_are_printed_and_all_counted(void)
{
    static struct message_list list; /* too large for the stack, as out is */
    static char out[8192];
    char text[101];
    struct source s;
    FILE *f = fmemopen(out, sizeof out, "w");
    int lines = 0;

    memset(text, '\n', 100);
    text[100] = '\0';
    s = text_source(text);
    list = (struct message_list){.source = &s};

    for (size_t i = 0; i < 100; i++) {
        message_hint(message_add(&list, i * 37 % 100, 1, "n%zu", i * 37 % 100), "h%zu",
                     i * 37 % 100);
    }
    message_print(&list, f);
    TEST_ASSERT_EQUAL_INT(0, fclose(f));
    for (size_t i = 0; i < MESSAGE_MAX; i++) {
        char wanted[16];

        (void)snprintf(wanted, sizeof wanted, "n%zu", i);
        TEST_ASSERT_EQUAL_STRING(wanted, list.message[i].text);
        TEST_ASSERT_EQUAL_STRING(wanted + 1, list.message[i].hint + 1);
    }
    for (const char *c = out; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    TEST_ASSERT_EQUAL_INT(3 * MESSAGE_MAX + 1, lines);
    TEST_ASSERT_NOT_NULL(strstr(out, "lab.yaml: error: 100 errors, the first 20 are shown\n"));
}

static void test_quotations_are_cut_between_characters(void)
{
    static const char euro[3] = {'\xe2', '\x82', '\xac'};
    char out[MESSAGE_FOUND_MAX];

    message_quote(out, "7.8 m", 5);
    TEST_ASSERT_EQUAL_STRING("\"7.8 m\"", out);
    message_quote(out, "a\nb\tc", 5);
    TEST_ASSERT_EQUAL_STRING("\"a b c\"", out);
    for (size_t pad = 0; pad < 4; pad++) {
        char text[201] = "xxxx";
        unsigned long code = 0;

        for (size_t i = pad; i + 3 < sizeof text; i += 3) {
            memcpy(text + i, euro, sizeof euro);
        }
        message_quote(out, text, 150);
        size_t n = strlen(out);

        TEST_ASSERT_LESS_THAN_size_t(MESSAGE_FOUND_MAX, n);
        TEST_ASSERT_EQUAL_STRING("...\"", out + n - 4);
        for (size_t i = 0; i < n;) {
            size_t step = source_character(out + i, n - i, &code);

            TEST_ASSERT_GREATER_THAN_size_t(0, step);
            i += step;
        }
    }
}

/* ---- colour ---- */

/* What message_say() writes to a terminal: a pseudo terminal plays it. */
static void say_on_terminal(char *out, size_t size)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    TEST_ASSERT_TRUE(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);

    TEST_ASSERT_TRUE(slave >= 0);
    FILE *f = fdopen(slave, "w");

    TEST_ASSERT_NOT_NULL(f);
    message_say(f, "lab.yaml", "it is wrong");
    TEST_ASSERT_EQUAL_INT(0, fflush(f));
    ssize_t n = read(master, out, size - 1);

    out[n > 0 ? n : 0] = '\0';
    TEST_ASSERT_EQUAL_INT(0, fclose(f));
    TEST_ASSERT_EQUAL_INT(0, close(master));
}

static void test_colour_is_for_terminals_that_want_it(void)
{
    char out[256];

    TEST_ASSERT_EQUAL_INT(0, setenv("TERM", "xterm", 1));
    TEST_ASSERT_EQUAL_INT(0, unsetenv("NO_COLOR"));
    say_on_terminal(out, sizeof out);
    TEST_ASSERT_NOT_NULL(strstr(out, "\033[1;31merror: \033[0m"));

    TEST_ASSERT_EQUAL_INT(0, setenv("NO_COLOR", "1", 1));
    say_on_terminal(out, sizeof out);
    TEST_ASSERT_EQUAL_STRING("lab.yaml: error: it is wrong\r\n", out);

    TEST_ASSERT_EQUAL_INT(0, unsetenv("NO_COLOR"));
    TEST_ASSERT_EQUAL_INT(0, setenv("TERM", "dumb", 1));
    say_on_terminal(out, sizeof out);
    TEST_ASSERT_EQUAL_STRING("lab.yaml: error: it is wrong\r\n", out);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_places_and_offsets_are_inverse);
    RUN_TEST(test_lines_end_as_in_every_system);
    RUN_TEST(test_columns_count_characters_not_bytes);
    RUN_TEST(test_every_code_point_is_read);
    RUN_TEST(test_invalid_sequences_are_refused);
    RUN_TEST(test_unclean_bytes_are_found_and_named);
    RUN_TEST(test_a_message_has_line_caret_tildes_and_hint);
    RUN_TEST(test_an_argument_has_no_line_number);
    RUN_TEST(test_the_caret_stands_below_its_character);
    RUN_TEST(test_a_mark_ends_with_its_line);
    RUN_TEST(test_a_long_line_is_cut_around_the_caret);
    RUN_TEST(test_nothing_of_the_text_can_change_a_terminal);
    RUN_TEST(test_messages_come_in_the_order_of_the_text);
    RUN_TEST(test_only_the_first_are_printed_and_all_counted);
    RUN_TEST(test_quotations_are_cut_between_characters);
    RUN_TEST(test_colour_is_for_terminals_that_want_it);
    return UNITY_END();
}
