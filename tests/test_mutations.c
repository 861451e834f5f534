/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mutations.c - thousands of damaged files and assignments: none may crash, hang, leak, or be
 * half accepted.
 *
 * A good file is changed by a fixed random sequence: bytes, pieces of YAML, lines twice, lines
 * gone, two places swapped. Whatever comes out is read. A file that is accepted must survive
 * printing and reading; one that is refused must have a message that a terminal can show. The
 * sanitizers watch memory.
 */
#include "config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unity.h"

#define TEXT_MAX  16384
#define MUTATIONS 3000

static struct fixture {
    struct config config;
    struct config other;
    char messages[32768];
    char good[TEXT_MAX];
    char text[TEXT_MAX];
    char printed[65536];
    uint64_t random;
    int fd; /* the file in memory that config_read() reads */
    char path[32];
} *f;

void setUp(void)
{
    f = calloc(1, sizeof *f);
    TEST_ASSERT_NOT_NULL(f);
    f->fd = memfd_create("mutation", MFD_CLOEXEC);
    TEST_ASSERT_TRUE(f->fd >= 0);
    (void)snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
    FILE *in = fopen("tests/good/lab.yaml", "r");

    TEST_ASSERT_NOT_NULL(in);
    TEST_ASSERT_GREATER_THAN_size_t(500, fread(f->good, 1, TEXT_MAX - 1, in));
    TEST_ASSERT_EQUAL_INT(0, fclose(in));
}

void tearDown(void)
{
    (void)close(f->fd);
    free(f);
}

static size_t below(size_t n)
{
    f->random ^= f->random >> 12;
    f->random ^= f->random << 25;
    f->random ^= f->random >> 27;
    return n > 0 ? (size_t)((f->random * 0x2545f4914f6cdd1dULL) >> 33) % n : 0;
}

static int read_bytes(struct config *c, const char *text, size_t length)
{
    memset(f->messages, 0, sizeof f->messages);
    FILE *out = fmemopen(f->messages, sizeof f->messages, "w");

    TEST_ASSERT_NOT_NULL(out);
    TEST_ASSERT_EQUAL_INT(0, ftruncate(f->fd, 0));
    TEST_ASSERT_EQUAL_INT((int)length, (int)pwrite(f->fd, text, length, 0));
    int error = config_read(c, f->path, out);

    TEST_ASSERT_EQUAL_INT(0, fclose(out));
    return error;
}

/* Replace `gone` bytes at a place by a piece, if there is room. */
static size_t splice(char *text, size_t length, size_t at, size_t gone, const char *piece, size_t n)
{
    gone = gone < length - at ? gone : length - at;
    if (length - gone + n >= TEXT_MAX) {
        return length;
    }
    memmove(text + at + n, text + at + gone, length - at - gone);
    memcpy(text + at, piece, n);
    return length - gone + n;
}

/* What YAML and our values give a meaning to. */
static const char *const pieces[] = {
    ":",
    ": ",
    "\n",
    "\n  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\"",
    "'",
    "''''",
    "&a ",
    "*a",
    "*beckhoff",
    "!!str ",
    "|\n",
    ">-\n",
    "# ",
    "? ",
    "---\n",
    "...\n",
    "%YAML",
    "\t",
    "<<: ",
    "~",
    "null",
    "true",
    "yes",
    "0x",
    "1e999",
    ".inf",
    ".nan",
    "-",
    "1_0",
    " kg",
    " t",
    " deg/s",
    "\\",
    "\"\\x00\"",
    "\xc3\xa9",
    "\xff",
    "\xe2\x80\xae",
    "\r\n",
    "\r",
    "client",
    "mass",
    "safety:\n",
    "00",
    " 5 5 5 ",
    "[[[[[[[[[",
    "@",
    "`",
    "\xef\xbb\xbf",
};

static size_t mutate(char *text, size_t length)
{
    size_t at = below(length + 1);
    size_t from = below(length + 1);
    char byte = (char)below(256);
    const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
    char copy[64];
    size_t n = below(sizeof copy);

    switch (below(7)) {
    case 0: /* one byte changed */
        return splice(text, length, at, 1, &byte, 1);
    case 1: /* a piece put in */
    case 2:
        return splice(text, length, at, 0, piece, strlen(piece));
    case 3: /* a piece written over */
        return splice(text, length, at, strlen(piece), piece, strlen(piece));
    case 4: /* some bytes gone */
        return splice(text, length, at, n, "", 0);
    case 5: /* some bytes twice */
        n = n < length - from ? n : length - from;
        memcpy(copy, text + from, n);
        return splice(text, length, at, 0, copy, n);
    default: /* a line cut short */
        return splice(text, length, at, strcspn(text + at, "\n"), "", 0);
    }
}

/* Every message line can be shown, and begins as a message does. */
static void check_messages(void)
{
    size_t n = strlen(f->messages);

    TEST_ASSERT_TRUE_MESSAGE(n > 0 && f->messages[n - 1] == '\n', f->text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(f->messages, ": error: "), f->messages);
    TEST_ASSERT_EQUAL_STRING_LEN(f->path, f->messages, strlen(f->path));
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)f->messages[i];

        TEST_ASSERT_TRUE_MESSAGE((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t', f->messages);
    }
}

/* What was accepted must be complete and survive printing. */
static void check_accepted(const struct config *c)
{
    memset(f->printed, 0, sizeof f->printed);
    FILE *out = fmemopen(f->printed, sizeof f->printed, "w");

    TEST_ASSERT_NOT_NULL(out);
    TEST_ASSERT_EQUAL_STRING("", f->messages);
    config_print(c, out, true);
    TEST_ASSERT_EQUAL_INT(0, fclose(out));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, read_bytes(&f->other, f->printed, strlen(f->printed)),
                                  f->messages);
    for (int i = 0; i < STORE_SLOTS_MAX; i++) {
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&c->store.slot[i].value, &f->other.store.slot[i].value,
                                         sizeof c->store.slot[i].value, f->printed);
    }
}

static void test_damaged_files_are_accepted_whole_or_refused(void)
{
    int accepted = 0;

    f->random = 20260504;
    for (int i = 0; i < MUTATIONS; i++) {
        size_t length = strlen(f->good);
        size_t times = 1 + below(4);

        memcpy(f->text, f->good, TEXT_MAX);
        for (size_t k = 0; k < times; k++) {
            length = mutate(f->text, length);
            f->text[length] = '\0';
        }
        int error = read_bytes(&f->config, f->text, length);

        if (error == 0) {
            check_accepted(&f->config);
            accepted++;
        } else {
            TEST_ASSERT_EQUAL_INT(-EINVAL, error);
            check_messages();
        }
    }
    /* neither all nor none: the mutations reach the values behind the syntax */
    TEST_ASSERT_GREATER_THAN_INT(MUTATIONS / 50, accepted);
    TEST_ASSERT_LESS_THAN_INT(MUTATIONS / 2, accepted);
}

/* A file cut at any byte, as a full disk leaves it. */
static void test_cut_files_are_accepted_whole_or_refused(void)
{
    size_t length = strlen(f->good);

    for (size_t n = 0; n < length; n++) {
        int error = read_bytes(&f->config, f->good, n);

        if (error == 0) {
            check_accepted(&f->config);
        } else {
            TEST_ASSERT_EQUAL_INT(-EINVAL, error);
            check_messages();
        }
    }
}

static void test_damaged_assignments_are_carried_out_whole_or_refused(void)
{
    static const char *const good[] = {"client.mass=7.8 t", "bus.devices[1].vendor=0x732",
                                       "client.rate=0 -2.5 0 deg/s", "description=a text",
                                       "rt.lock_memory=true"};

    f->random = 7;
    TEST_ASSERT_EQUAL_INT(0, read_bytes(&f->config, f->good, strlen(f->good)));
    for (int i = 0; i < MUTATIONS; i++) {
        size_t length = (size_t)snprintf(f->text, TEXT_MAX, "%s", good[below(5)]);
        size_t times = 1 + below(3);

        for (size_t k = 0; k < times; k++) {
            length = mutate(f->text, length);
            f->text[length] = '\0';
        }
        f->other = f->config;
        memset(f->messages, 0, sizeof f->messages);
        FILE *out = fmemopen(f->messages, sizeof f->messages, "w");

        TEST_ASSERT_NOT_NULL(out);
        int error = config_set(&f->config, f->text, out);

        TEST_ASSERT_EQUAL_INT(0, fclose(out));
        TEST_ASSERT_EQUAL_INT(error == 0 ? 0 : -EINVAL, error);
        TEST_ASSERT_EQUAL_INT(error == 0, f->messages[0] == '\0');
        if (error != 0) {
            TEST_ASSERT_EQUAL_MEMORY(&f->other, &f->config, sizeof f->config);
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_damaged_files_are_accepted_whole_or_refused);
    RUN_TEST(test_cut_files_are_accepted_whole_or_refused);
    RUN_TEST(test_damaged_assignments_are_carried_out_whole_or_refused);
    return UNITY_END();
}
