/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_cpus.c - sets of processors are read and written as the kernel does it. */
#include "tools/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static struct cpus list(const char *text)
{
    struct cpus set;

    TEST_ASSERT_EQUAL_INT_MESSAGE(0, cpus_parse_list(&set, text), text);
    return set;
}

static const char *print(const struct cpus *set)
{
    static char text[4096];

    cpus_print(text, sizeof text, set);
    return text;
}

/* What is written reads back as the same set, as a list and as a mask made by hand. */
static void test_any_set_reads_back(void)
{
    unsigned noise = 1;

    for (int i = 0; i < 500; i++) {
        struct cpus set = {{0}};
        struct cpus back;
        struct cpus masked;
        char mask[CPUS_MAX / 4 + CPUS_MAX / 32 + 1];
        int used = 0;

        for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
            noise = noise * 1664525u + 1013904223u;
            if ((noise >> 28) < (unsigned)(1 + i % 15)) {
                cpus_add(&set, cpu);
            }
        }
        back = list(print(&set));
        TEST_ASSERT_EQUAL_MEMORY(&set, &back, sizeof set);
        for (int word = CPUS_MAX / 32 - 1; word >= 0; word--) {
            unsigned bits = 0;

            for (int k = 0; k < 32; k++) {
                bits |= (unsigned)cpus_has(&set, 32 * word + k) << k;
            }
            used += snprintf(mask + used, sizeof mask - (size_t)used, word > 0 ? "%08x," : "%08x",
                             bits);
        }
        TEST_ASSERT_EQUAL_INT(0, cpus_parse_mask(&masked, mask));
        TEST_ASSERT_EQUAL_MEMORY(&set, &masked, sizeof set);
    }
}

static void test_lists_of_the_kernel_are_read(void)
{
    struct cpus set = list("0-2,5,7-8\n");

    TEST_ASSERT_EQUAL_STRING("0-2,5,7-8", print(&set));
    TEST_ASSERT_EQUAL_INT(6, cpus_count(&set));
    TEST_ASSERT_EQUAL_INT(8, cpus_last(&set));
    TEST_ASSERT_TRUE(cpus_has(&set, 1));
    TEST_ASSERT_FALSE(cpus_has(&set, 3));
}

static void test_masks_of_the_kernel_are_read(void)
{
    struct cpus set;

    TEST_ASSERT_EQUAL_INT(0, cpus_parse_mask(&set, "7\n"));
    TEST_ASSERT_EQUAL_STRING("0-2", print(&set));
    TEST_ASSERT_EQUAL_INT(0, cpus_parse_mask(&set, "1,80000000\n"));
    TEST_ASSERT_EQUAL_STRING("31-32", print(&set));
}

/* An empty file, a line end, and what nohz_full shows on kernels that were not told. */
static void test_no_processor_is_the_empty_set(void)
{
    static const char *const texts[] = {"", "\n", "(null)\n"};

    for (int i = 0; i < 3; i++) {
        struct cpus set = list(texts[i]);

        TEST_ASSERT_EQUAL_INT(0, cpus_count(&set));
        TEST_ASSERT_EQUAL_INT(-1, cpus_last(&set));
        TEST_ASSERT_EQUAL_STRING("none", print(&set));
    }
}

static void test_other_text_is_refused_and_gives_no_processor(void)
{
    static const char *const texts[] = {"a",   "1,",  ",1",   "3-1",    "1-",
                                        "-1",  "1 2", "1024", "0-1024", "99999999999999999999",
                                        "0x1", "1;2"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct cpus set = list("3");

        TEST_ASSERT_EQUAL_INT_MESSAGE(-EINVAL, cpus_parse_list(&set, texts[i]), texts[i]);
        TEST_ASSERT_EQUAL_INT(0, cpus_count(&set));
    }
    {
        struct cpus set = list("3");

        TEST_ASSERT_EQUAL_INT(-EINVAL, cpus_parse_mask(&set, "fg"));
        TEST_ASSERT_EQUAL_INT(0, cpus_count(&set));
    }
}

static void test_sets_are_joined_and_cut(void)
{
    struct cpus a = list("0-3");
    struct cpus b = list("2-5");
    struct cpus joined = cpus_join(&a, &b);
    struct cpus both = cpus_both(&a, &b);
    struct cpus minus = cpus_minus(&a, &b);

    TEST_ASSERT_EQUAL_STRING("0-5", print(&joined));
    TEST_ASSERT_EQUAL_STRING("2-3", print(&both));
    TEST_ASSERT_EQUAL_STRING("0-1", print(&minus));
}

static void test_processors_outside_the_range_are_ignored(void)
{
    struct cpus set = {{0}};

    cpus_add(&set, -1);
    cpus_add(&set, CPUS_MAX);
    TEST_ASSERT_EQUAL_INT(0, cpus_count(&set));
    TEST_ASSERT_FALSE(cpus_has(&set, -1));
    TEST_ASSERT_FALSE(cpus_has(&set, CPUS_MAX));
    cpus_add(&set, CPUS_MAX - 1);
    TEST_ASSERT_EQUAL_STRING("1023", print(&set));
}

static void test_a_long_list_is_cut_visibly(void)
{
    struct cpus set = list("0,2,4,6,8,10,12,14");
    char text[12];

    cpus_print(text, sizeof text, &set);
    TEST_ASSERT_EQUAL_STRING("0,2,4,6,8..", text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_any_set_reads_back);
    RUN_TEST(test_lists_of_the_kernel_are_read);
    RUN_TEST(test_masks_of_the_kernel_are_read);
    RUN_TEST(test_no_processor_is_the_empty_set);
    RUN_TEST(test_other_text_is_refused_and_gives_no_processor);
    RUN_TEST(test_sets_are_joined_and_cut);
    RUN_TEST(test_processors_outside_the_range_are_ignored);
    RUN_TEST(test_a_long_list_is_cut_visibly);
    return UNITY_END();
}
