/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_histogram.c - percentiles of the bins are those of the sorted durations. */
#include "rt/histogram.h"
#include "unity.h"

#include <stdlib.h>

#include "tests/draw.h"

static struct histogram h;

void setUp(void)
{
    histogram_reset(&h);
}

void tearDown(void)
{
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Durations over nine decades; a bin is at most 1/32 wide. */
static void test_percentiles_are_those_of_the_sorted_durations(void)
{
    static int64_t all[20000];
    const double share[] = {0.001, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0};
    struct draw dice = {.state = 3};
    const int n = (int)COUNT_OF(all);

    for (int i = 0; i < n; i++) {
        double x = 1.0;

        for (int k = 0; k < 9; k++) {
            x *= draw_uniform(&dice, 1.0, 10.0);
        }
        all[i] = (int64_t)x;
        histogram_add(&h, all[i]);
    }
    qsort(all, (size_t)n, sizeof all[0], ascending);
    for (int i = 0; i < (int)COUNT_OF(share); i++) {
        const int rank = (int)(share[i] * n + 0.5) - 1;
        const double expected = (double)all[rank < 0 ? 0 : rank];
        const double got = (double)histogram_percentile(&h, share[i]);

        TEST_ASSERT_TRUE(got >= expected && got <= expected * (1.0 + 1.0 / 32) + 1.0);
    }
    TEST_ASSERT_EQUAL_INT64(all[0], h.least_ns);
    TEST_ASSERT_EQUAL_INT64(all[n - 1], histogram_percentile(&h, 1.0));
}

/* Every duration is in the bin whose edges enclose it, and the edges leave no gap. */
static void test_bins_are_gapless(void)
{
    for (int i = 0; i + 1 < HISTOGRAM_BINS; i++) {
        TEST_ASSERT_TRUE(histogram_edge(i) < histogram_edge(i + 1));
        histogram_reset(&h);
        histogram_add(&h, histogram_edge(i));
        histogram_add(&h, histogram_edge(i + 1) - 1);
        TEST_ASSERT_EQUAL_UINT32(2, h.bin[i]);
    }
}

static void test_extremes_are_counted(void)
{
    histogram_add(&h, INT64_MAX);
    histogram_add(&h, -5);
    histogram_add(&h, INT64_MIN);
    TEST_ASSERT_EQUAL_UINT64(3, h.count);
    TEST_ASSERT_EQUAL_UINT64(2, h.early);
    TEST_ASSERT_EQUAL_UINT32(2, h.bin[0]);
    TEST_ASSERT_EQUAL_UINT32(1, h.bin[HISTOGRAM_BINS - 1]);
    TEST_ASSERT_EQUAL_INT64(INT64_MAX, histogram_percentile(&h, 1.0));
    TEST_ASSERT_EQUAL_INT64(0, h.least_ns);
}

static void test_nothing_counted_is_zero(void)
{
    TEST_ASSERT_EQUAL_INT64(0, histogram_percentile(&h, 0.5));
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, histogram_above(&h, 0));
}

static void test_share_above_a_bound(void)
{
    for (int i = 0; i < 100; i++) {
        histogram_add(&h, i < 3 ? 200000 : 5000);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.03, histogram_above(&h, 100000));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, histogram_above(&h, 1000));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_percentiles_are_those_of_the_sorted_durations);
    RUN_TEST(test_bins_are_gapless);
    RUN_TEST(test_extremes_are_counted);
    RUN_TEST(test_nothing_counted_is_zero);
    RUN_TEST(test_share_above_a_bound);
    return UNITY_END();
}
