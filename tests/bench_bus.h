/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_bus.h - a running bus for tests in virtual time: opened, in OP, one cycle a millisecond. */
#ifndef FREEFALL_BENCH_BUS_H
#define FREEFALL_BENCH_BUS_H

#include <stdio.h>
#include <string.h>

#include "drivers/dc.h"
#include "drivers/ethercat.h"
#include "unity.h"
#include "virtual.h"

#define BENCH_PERIOD_NS  1000000
#define BENCH_RECEIVE_NS 250000

struct bench {
    struct virtual *world;
    struct ethercat bus;
    struct ethercat_model model;
    struct dc_model dc;
    struct dc_state lock;
    uint64_t cycles, stale;
    int64_t wake_ns; /* latest instant a cycle has ended after its beginning */
    char messages[4096];
    void (*act)(struct bench *); /* called between receive and the end of a cycle */
    void *user;
    bool open;
};

static inline void bench_prepare(struct bench *b, const char *segment, uint64_t seed)
{
    const struct slave *s;

    memset(b, 0, sizeof *b);
    b->world = virtual_init(segment, seed);
    b->model.count = b->world->lab.segment.count;
    b->model.period_ns = BENCH_PERIOD_NS;
    b->model.shift_ns = BENCH_PERIOD_NS / 2;
    b->model.watchdog_ms = 20;
    b->model.watchdog_io_ms = 50;
    snprintf(b->model.interface, sizeof b->model.interface, "virtual");
    for (int i = 0; i < b->model.count; i++) {
        struct identity *d = &b->model.expected[i];

        s = &b->world->lab.segment.slave[i];
        b->model.kind[i] = kind_find(s->model.type->name);
        d->vendor = s->model.type->vendor;
        d->product = s->model.type->product;
        d->revision = s->model.type->revision;
        snprintf(d->name, sizeof d->name, "%s-%d", s->model.type->name, i + 1);
    }
}

static inline void bench_open(struct bench *b, int expected)
{
    FILE *messages = fmemopen(b->messages, sizeof b->messages - 1, "w");
    const int error = ethercat_open(&b->bus, &b->model, messages);

    fclose(messages);
    b->open = true;
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, error, b->messages);
}

/* One cycle of the loop, as rt will run it: send, wait for the reply, act, end, next instant from the clocks. */
static inline void bench_cycle(struct virtual *v)
{
    struct bench *b = (struct bench *)v->user;
    const int64_t begin_ns = v->now_ns;
    struct dc_input in;
    unsigned status;

    ethercat_send(&b->bus, begin_ns);
    while (!ethercat_receive(&b->bus, v->now_ns) &&
           ethercat_wait(&b->bus, begin_ns + BENCH_RECEIVE_NS - v->now_ns)) {
    }
    status = ethercat_end(&b->bus);
    b->cycles++;
    b->stale += status != 0;
    in = (struct dc_input){status == 0, (status & PROCESS_DATA_DC_JUMP) != 0,
                           b->bus.data.dc_time_ns, b->bus.data.dc_spread_ns};
    if (b->act) {
        b->act(b);
    }
    b->wake_ns = v->now_ns - begin_ns > b->wake_ns ? v->now_ns - begin_ns : b->wake_ns;
    v->next_ns += BENCH_PERIOD_NS + dc_step(&b->dc, &b->lock, &in);
    v->next_ns = v->next_ns > v->now_ns ? v->next_ns : v->now_ns + 1000;
}

static inline void bench_run(struct bench *b, int cycles)
{
    const uint64_t end = b->cycles + (uint64_t)cycles;

    while (b->cycles < end) {
        virtual_sleep(b->world, BENCH_PERIOD_NS / 4);
    }
}

/* Cycles begin, the clocks lock, all devices go to OP. */
static inline void bench_operate(struct bench *b)
{
    struct virtual *v = b->world;

    b->dc = (struct dc_model){BENCH_PERIOD_NS, BENCH_PERIOD_NS / 2, 50, 0, 0};
    TEST_ASSERT_EQUAL_INT(0, dc_init(&b->dc, &b->lock));
    v->user = b;
    v->cycle = bench_cycle;
    v->next_ns = v->now_ns + BENCH_PERIOD_NS;
    bench_run(b, 20);
    TEST_ASSERT_EQUAL_INT(0, ethercat_operate(&b->bus));
    for (int i = 0; i < 500 && (b->bus.data.alarm != 0 || b->bus.data.status != 0); i++) {
        bench_run(b, 1);
    }
    TEST_ASSERT_EQUAL_UINT(0, b->bus.data.alarm);
    TEST_ASSERT_EQUAL_UINT(0, b->bus.data.status);
    b->cycles = 0;
    b->stale = 0;
}

static inline void bench_start(struct bench *b, const char *segment, uint64_t seed)
{
    bench_prepare(b, segment, seed);
    bench_open(b, 0);
    bench_operate(b);
}

static inline void bench_close(struct bench *b)
{
    if (b->open) {
        b->world->cycle = NULL;
        ethercat_close(&b->bus);
    }
    b->open = false;
}

#endif
