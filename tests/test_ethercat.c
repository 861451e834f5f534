/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_ethercat.c - the whole master layer with SOEM against the simulated segment, in virtual time (virtual.h). */
#include "unity.h"

#include "bench_bus.h"

#include <errno.h>

static struct bench bench;

void setUp(void)
{
}

void tearDown(void)
{
    bench_close(&bench);
}

static void test_twelve_devices_reach_op_and_exchange_data(void)
{
    bench_start(&bench, "bench12", 1);
    TEST_ASSERT_EQUAL_INT(12, bench.bus.count);
    TEST_ASSERT_EQUAL_INT(30, bench.bus.plan.wkc);
    bench_run(&bench, 1000);
    TEST_ASSERT_EQUAL_UINT64(0, bench.stale);
    for (int i = 0; i < bench.bus.count; i++) {
        TEST_ASSERT_TRUE(bench.bus.data.device[i].valid);
    }
}

/* SOEM would take a lost frame of its start for an answer of zeros; a tenth of all are lost here, both ways. */
static void test_bring_up_survives_lost_frames(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bench_prepare(&bench, "bench12", seed);
        virtual_tell(bench.world, "drop 10% any for 60000ms");
        virtual_tell(bench.world, "lose 3% any for 60000ms");
        bench_open(&bench, 0);
        bench_close(&bench);
    }
}

/* Twelve devices in under a second, by the clock of the wire: nothing but waiting moves it. */
static void test_bring_up_takes_less_than_a_second(void)
{
    int64_t begin_ns;

    bench_prepare(&bench, "bench12", 1);
    begin_ns = bench.world->now_ns;
    bench_open(&bench, 0);
    bench_operate(&bench);
    TEST_ASSERT_LESS_THAN_INT64(1000000000, bench.world->now_ns - begin_ns);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_twelve_devices_reach_op_and_exchange_data);
    RUN_TEST(test_bring_up_survives_lost_frames);
    RUN_TEST(test_bring_up_takes_less_than_a_second);
    return UNITY_END();
}
