/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_platform.c - a real-time kernel is recognised by each of its signs, and by nothing else. */
#include "rt/platform.h"

#include "tests/folder.h"
#include "unity.h"
#include "version.h"

static struct folder tree;

void setUp(void)
{
    folder_open(&tree);
}

void tearDown(void)
{
    folder_close(&tree);
}

/* The kernel with this uname -v, and the files below the tree. */
static struct platform_kernel kernel_named(const char *version)
{
    struct utsname name;
    struct platform_kernel kernel;

    memset(&name, 0, sizeof name);
    snprintf(name.version, sizeof name.version, "%s", version);
    platform_kernel(tree.root, &name, &kernel);
    return kernel;
}

static void test_flavour_is_the_one_of_the_build(void)
{
    TEST_ASSERT_EQUAL_STRING(FREEFALL_RT,
                             platform_flavour() == PLATFORM_COBALT ? "cobalt" : "preempt");
}

/* uname -v of Debian 12's linux-image-rt-amd64; there is no /sys/kernel/realtime in a container. */
static void test_the_name_alone_is_enough(void)
{
    struct platform_kernel k = kernel_named("#1 SMP PREEMPT_RT Debian 6.1.170-1 (2025-01-01)");

    TEST_ASSERT_TRUE(k.realtime);
    TEST_ASSERT_TRUE(k.name_says_realtime);
    TEST_ASSERT_FALSE(k.file_found);
}

/* Kernels up to 5.x wrote it with a space. */
static void test_the_older_spelling_is_known(void)
{
    TEST_ASSERT_TRUE(kernel_named("#1 SMP PREEMPT RT Debian 4.19.37-5+deb10u1").realtime);
}

static void test_the_file_alone_is_enough(void)
{
    struct platform_kernel k;

    folder_put(&tree, "/sys/kernel/realtime", "1\n");
    k = kernel_named("#1 SMP PREEMPT_DYNAMIC");
    TEST_ASSERT_TRUE(k.realtime);
    TEST_ASSERT_TRUE(k.file_says_realtime);
    TEST_ASSERT_FALSE(k.name_says_realtime);
}

static void test_a_stock_kernel_is_not_real_time(void)
{
    TEST_ASSERT_FALSE(kernel_named("#1 SMP PREEMPT_DYNAMIC Debian 6.1.170-1").realtime);
    TEST_ASSERT_FALSE(kernel_named("#1 SMP PREEMPT").realtime);
    TEST_ASSERT_FALSE(kernel_named("#1 SMP").realtime);
}

static void test_a_file_with_another_number_is_no_sign(void)
{
    static const char *const texts[] = {"0\n", "", "10\n", "yes\n"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        folder_put(&tree, "/sys/kernel/realtime", texts[i]);
        TEST_ASSERT_FALSE_MESSAGE(kernel_named("#1 SMP").realtime, texts[i]);
    }
}

static void test_a_running_cobalt_core_tells_its_version(void)
{
    TEST_ASSERT_EQUAL_STRING("", kernel_named("#1 SMP").cobalt);
    folder_put(&tree, "/proc/xenomai/version", "3.2.1\n");
    TEST_ASSERT_EQUAL_STRING("3.2.1", kernel_named("#1 SMP").cobalt);
}

static void test_a_root_too_long_reads_nothing(void)
{
    static char root[PATH_MAX + 1];
    struct utsname name;
    struct platform_kernel kernel;

    memset(root, 'a', sizeof root - 1);
    memset(&name, 0, sizeof name);
    platform_kernel(root, &name, &kernel);
    TEST_ASSERT_FALSE(kernel.file_found);
    TEST_ASSERT_EQUAL_STRING("", kernel.cobalt);
}

/* volatile: the compiler must multiply at run time, where the switch counts. */
static void test_denormal_numbers_can_be_flushed_and_kept(void)
{
    volatile double denormal = 0x1p-1030;
    volatile double smallest = 0x1p-1022;
    volatile double half = 0.5;
    volatile double one = 1.0;

    TEST_ASSERT_TRUE(platform_flush_denormals(true));
    volatile double operand = denormal * one;
    volatile double result = smallest * half;
    platform_flush_denormals(false);
    TEST_ASSERT_FALSE(operand > 0.0);
    TEST_ASSERT_FALSE(result > 0.0);
    operand = denormal * one;
    result = smallest * half;
    TEST_ASSERT_TRUE(operand > 0.0);
    TEST_ASSERT_TRUE(result > 0.0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_flavour_is_the_one_of_the_build);
    RUN_TEST(test_the_name_alone_is_enough);
    RUN_TEST(test_the_older_spelling_is_known);
    RUN_TEST(test_the_file_alone_is_enough);
    RUN_TEST(test_a_stock_kernel_is_not_real_time);
    RUN_TEST(test_a_file_with_another_number_is_no_sign);
    RUN_TEST(test_a_running_cobalt_core_tells_its_version);
    RUN_TEST(test_a_root_too_long_reads_nothing);
    RUN_TEST(test_denormal_numbers_can_be_flushed_and_kept);
    return UNITY_END();
}
