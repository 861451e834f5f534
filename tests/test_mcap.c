/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mcap.c - the log: written, read back, cut anywhere, damaged anywhere, on a full disk.
 *
 * tests/mcap.sh has the same files read by another reader, and kills the writer. */
#include "rt/mcap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/mcap_read.h"
#include "tests/draw.h"
#include "unity.h"

#define MS 1000000ull

enum { CYCLES = 1000, WORDS = 20, CHUNK = 200 };

static char path[64];
static struct mcap_writer w = {.fd = -1};
static struct mcap_reader r = {.fd = -1};

/* What message k carries: noise made from k alone. */
static void words_of(uint64_t k, uint64_t *word)
{
    struct draw d = {k * 2 + 1};

    for (int i = 0; i < WORDS; i++) {
        word[i] = draw_bits(&d);
    }
    word[0] = k;
}

void setUp(void)
{
    const int fd = mkstemp(strcpy(path, "/tmp/test_mcap.XXXXXX"));

    TEST_ASSERT_TRUE(fd >= 0);
    (void)close(fd);
    w = (struct mcap_writer){.fd = -1};
    r = (struct mcap_reader){.fd = -1};
}

void tearDown(void)
{
    (void)mcap_close(&w);
    mcap_read_close(&r);
    (void)unlink(path);
}

static int open_log(void)
{
    static const char *const pairs[] = {"commit", "abc", "joints", "7", NULL};
    int schema;

    TEST_ASSERT_EQUAL_INT(0, mcap_open(&w, path, "ros2", false));
    schema = mcap_schema(&w, "test/msg/Words", "ros2msg", "uint64[20] word\n");
    TEST_ASSERT_EQUAL_INT(1, schema);
    TEST_ASSERT_EQUAL_INT(0, mcap_channel(&w, schema, "/words", "cdr"));
    TEST_ASSERT_EQUAL_INT(1, mcap_channel(&w, schema, "/more", "cdr"));
    TEST_ASSERT_EQUAL_INT(0, mcap_attach(&w, "config.yaml", "text/yaml", "a: 1\n", 5));
    return mcap_metadata(&w, "freefall", pairs);
}

static int put_words(uint64_t k)
{
    uint64_t word[WORDS];

    words_of(k, word);
    return mcap_message(&w, k % 10 == 0 ? 1 : 0, k * MS, word, sizeof word);
}

static void write_log(int cycles)
{
    TEST_ASSERT_EQUAL_INT(0, open_log());
    for (int k = 0; k < cycles; k++) {
        TEST_ASSERT_EQUAL_INT(0, put_words((uint64_t)k));
    }
    TEST_ASSERT_EQUAL_INT(0, mcap_close(&w));
}

/* Messages that come out, each checked whole and in order; how many, and the other items. */
static int read_log(int *others)
{
    struct mcap_read_item item;
    uint64_t word[WORDS], last = 0;
    int n = 0;

    *others = 0;
    do {
        TEST_ASSERT_EQUAL_INT(0, mcap_read_next(&r, &item));
        if (item.kind == MCAP_READ_MESSAGE) {
            TEST_ASSERT_EQUAL_size_t(sizeof word, item.size);
            memcpy(word, item.data, sizeof word[0]);
            words_of(word[0], word);
            TEST_ASSERT_EQUAL_MEMORY(word, item.data, sizeof word);
            TEST_ASSERT_TRUE(n == 0 || word[0] > last);
            TEST_ASSERT_EQUAL_UINT64(word[0] * MS, item.time_ns);
            TEST_ASSERT_EQUAL_STRING(word[0] % 10 == 0 ? "/more" : "/words",
                                     r.channel[item.channel].topic);
            last = word[0];
            n++;
        } else if (item.kind != MCAP_READ_END) {
            (*others)++;
        }
    } while (item.kind != MCAP_READ_END);
    return n;
}

static uint8_t *load(size_t *size)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    uint8_t *data;

    TEST_ASSERT_NOT_NULL(f);
    TEST_ASSERT_EQUAL_INT(0, stat(path, &st));
    *size = (size_t)st.st_size;
    data = malloc(*size);
    TEST_ASSERT_NOT_NULL(data);
    TEST_ASSERT_EQUAL_size_t(*size, fread(data, 1, *size, f));
    (void)fclose(f);
    return data;
}

static void store(const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");

    TEST_ASSERT_NOT_NULL(f);
    TEST_ASSERT_EQUAL_size_t(size, fwrite(data, 1, size, f));
    TEST_ASSERT_EQUAL_INT(0, fclose(f));
}

static void test_what_was_written_is_read_back(void)
{
    int others;

    write_log(CYCLES);
    TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&r, path));
    TEST_ASSERT_EQUAL_INT(CYCLES, read_log(&others));
    TEST_ASSERT_EQUAL_INT(2, others);
    TEST_ASSERT_FALSE(r.cut);
    TEST_ASSERT_EQUAL_INT(0, r.damaged + r.unreadable);
    TEST_ASSERT_EQUAL_STRING("test/msg/Words", r.schema[r.channel[0].schema].name);
}

static void test_attachments_and_metadata_come_back(void)
{
    struct mcap_read_item item;
    char value[16];

    write_log(1);
    TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&r, path));
    TEST_ASSERT_EQUAL_INT(0, mcap_read_next(&r, &item));
    TEST_ASSERT_EQUAL_INT(MCAP_READ_ATTACHMENT, item.kind);
    TEST_ASSERT_EQUAL_STRING("config.yaml", item.name);
    TEST_ASSERT_EQUAL_MEMORY("a: 1\n", item.data, 5);
    TEST_ASSERT_EQUAL_INT(0, mcap_read_next(&r, &item));
    TEST_ASSERT_EQUAL_INT(MCAP_READ_METADATA, item.kind);
    TEST_ASSERT_TRUE(mcap_read_value(&item, "joints", value, sizeof value));
    TEST_ASSERT_EQUAL_STRING("7", value);
    TEST_ASSERT_FALSE(mcap_read_value(&item, "none", value, sizeof value));
    TEST_ASSERT_FALSE(mcap_read_value(&item, "commit", value, 3));
}

/* Cut behind any byte: every chunk that is complete is there, and repair makes a whole file of it. */
static void test_a_cut_file_gives_all_its_complete_chunks(void)
{
    struct draw d = {3};
    size_t size;
    uint8_t *data;
    int others, least = 0, last = 0;

    write_log(CYCLES);
    data = load(&size);
    for (int i = 0; i < 200; i++) {
        const size_t cut = (size_t)MCAP_MAGIC_BYTES + (size_t)i * (size - MCAP_MAGIC_BYTES) / 200 +
                           (size_t)draw_index(&d, 50);
        int n;

        store(data, cut < size ? cut : size - 1);
        TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&r, path));
        n = read_log(&others);
        TEST_ASSERT_EQUAL_INT(0, n % CHUNK);
        TEST_ASSERT_TRUE(n >= least);
        TEST_ASSERT_EQUAL_INT(0, r.damaged);
        least = n;
        last = n;
        mcap_read_close(&r);
        TEST_ASSERT_TRUE(mcap_repair(path) >= 0);
        TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&r, path));
        TEST_ASSERT_EQUAL_INT(n, read_log(&others));
        TEST_ASSERT_FALSE(r.cut);
        mcap_read_close(&r);
        TEST_ASSERT_EQUAL_INT(1, mcap_repair(path));
    }
    free(data);
    TEST_ASSERT_EQUAL_INT(CYCLES, last);
}

/* Any flipped bit: no crash, no message that was not written, and at most one chunk is lost unless a length is hit. */
static void test_a_flipped_bit_never_gives_a_wrong_message(void)
{
    struct draw d = {4};
    size_t size;
    uint8_t *data;
    int others, harmed = 0;

    write_log(CYCLES);
    data = load(&size);
    for (int i = 0; i < 400; i++) {
        const size_t at = (size_t)(draw_bits(&d) % size);
        const uint8_t bit = (uint8_t)(1u << draw_index(&d, 8));

        data[at] ^= bit;
        store(data, size);
        if (mcap_read_open(&r, path) == 0) {
            const int n = read_log(&others);

            harmed += n < CYCLES;
            TEST_ASSERT_TRUE(n == CYCLES || r.damaged + r.unreadable > 0 || r.cut ||
                             n % CHUNK == 0);
        }
        mcap_read_close(&r);
        data[at] ^= bit;
    }
    free(data);
    TEST_ASSERT_TRUE(harmed > 200); /* most bytes are in chunks */
}

static void test_foreign_files_are_refused_or_give_nothing(void)
{
    struct draw d = {5};
    uint8_t data[4096];
    int others;

    TEST_ASSERT_EQUAL_INT(-ENOENT, mcap_read_open(&r, "/nowhere/run.mcap"));
    TEST_ASSERT_EQUAL_INT(-EINVAL, mcap_read_open(&r, "/tmp"));
    store(data, 0);
    TEST_ASSERT_EQUAL_INT(-EINVAL, mcap_read_open(&r, path));
    for (int i = 0; i < 200; i++) {
        for (size_t k = 0; k < sizeof data; k++) {
            data[k] = (uint8_t)draw_bits(&d);
        }
        store(data, sizeof data);
        TEST_ASSERT_EQUAL_INT(-EINVAL, mcap_read_open(&r, path));
        for (int k = 0; k < MCAP_MAGIC_BYTES; k++) { /* then looks like one */
            data[k] = (uint8_t)MCAP_MAGIC[k];
        }
        data[MCAP_MAGIC_BYTES] = (uint8_t)(i % 17);
        memset(data + MCAP_MAGIC_BYTES + 2, 0, 7);
        store(data, sizeof data);
        TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&r, path));
        TEST_ASSERT_EQUAL_INT(0, read_log(&others));
        mcap_read_close(&r);
    }
}

/* A limit on the size of files stands in for the disk. */
static void test_a_full_disk_loses_messages_counts_them_and_keeps_the_file_readable(void)
{
    struct rlimit before, small;
    int others, code = 0;
    uint64_t lost;

    TEST_ASSERT_EQUAL_INT(0, open_log());
    (void)signal(SIGXFSZ, SIG_IGN);
    TEST_ASSERT_EQUAL_INT(0, getrlimit(RLIMIT_FSIZE, &before));
    small = (struct rlimit){100000, before.rlim_max};
    TEST_ASSERT_EQUAL_INT(0, setrlimit(RLIMIT_FSIZE, &small));
    for (int k = 0; k < CYCLES; k++) {
        const int one = put_words((uint64_t)k);

        code = code != 0 ? code : one;
    }
    (void)mcap_flush(&w);
    lost = w.lost;
    TEST_ASSERT_EQUAL_INT(-EFBIG, code);
    TEST_ASSERT_EQUAL_INT(-EFBIG, mcap_close(&w));
    TEST_ASSERT_EQUAL_INT(0, setrlimit(RLIMIT_FSIZE, &before));
    TEST_ASSERT_TRUE(lost >= CHUNK);
    TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&r, path));
    TEST_ASSERT_EQUAL_INT(CYCLES - (int)lost, read_log(&others));
    TEST_ASSERT_TRUE(CYCLES > (int)lost);
}

static void test_space_that_comes_back_is_used(void)
{
    struct rlimit before, small;
    int others;

    TEST_ASSERT_EQUAL_INT(0, open_log());
    (void)signal(SIGXFSZ, SIG_IGN);
    TEST_ASSERT_EQUAL_INT(0, getrlimit(RLIMIT_FSIZE, &before));
    for (int k = 0; k < CYCLES; k++) {
        small = k >= 300 && k < 500 ? (struct rlimit){1000, before.rlim_max} : before;
        TEST_ASSERT_EQUAL_INT(0, setrlimit(RLIMIT_FSIZE, &small));
        (void)put_words((uint64_t)k);
    }
    TEST_ASSERT_EQUAL_INT(-EFBIG, mcap_close(&w));
    TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&r, path));
    TEST_ASSERT_EQUAL_INT(CYCLES - CHUNK, read_log(&others));
    TEST_ASSERT_FALSE(r.cut);
}

static void test_wrong_calls_are_refused(void)
{
    static uint8_t large[MCAP_CHUNK_BYTES];

    TEST_ASSERT_EQUAL_INT(-ENOENT, mcap_open(&w, "/nowhere/run.mcap", "ros2", false));
    TEST_ASSERT_EQUAL_INT(0, open_log());
    TEST_ASSERT_EQUAL_INT(-EINVAL, mcap_message(&w, -1, 0, "a", 1));
    TEST_ASSERT_EQUAL_INT(-EINVAL, mcap_message(&w, 2, 0, "a", 1));
    TEST_ASSERT_EQUAL_INT(-EMSGSIZE, mcap_message(&w, 0, 0, large, sizeof large));
    TEST_ASSERT_EQUAL_INT(-EINVAL, mcap_channel(&w, 9, "/x", "cdr"));
    for (int i = 2; i < MCAP_CHANNELS; i++) {
        TEST_ASSERT_EQUAL_INT(i, mcap_channel(&w, 1, "/x", "cdr"));
    }
    TEST_ASSERT_EQUAL_INT(-E2BIG, mcap_channel(&w, 1, "/x", "cdr"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_was_written_is_read_back);
    RUN_TEST(test_attachments_and_metadata_come_back);
    RUN_TEST(test_a_cut_file_gives_all_its_complete_chunks);
    RUN_TEST(test_a_flipped_bit_never_gives_a_wrong_message);
    RUN_TEST(test_foreign_files_are_refused_or_give_nothing);
    RUN_TEST(test_a_full_disk_loses_messages_counts_them_and_keeps_the_file_readable);
    RUN_TEST(test_space_that_comes_back_is_used);
    RUN_TEST(test_wrong_calls_are_refused);
    return UNITY_END();
}
