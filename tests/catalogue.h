/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue.h - a small controller on a running bus, for the fault catalogue: reads both force sensors, keeps seven
 * drives enabled, watches the stop chain, escalates; and a judge that knows how old the inputs really are.
 *
 * The judge: before each cycle the force on the sensors is set to the number of the cycle (modulo 400, in N). What a
 * valid image shows must be the force of this cycle or the one before: a device samples at SYNC0, once a cycle.
 */
#ifndef FREEFALL_CATALOGUE_H
#define FREEFALL_CATALOGUE_H

#include <math.h>

#include "bench_bus.h"
#include "drivers/chain.h"
#include "drivers/cia402.h"
#include "drivers/escalation.h"
#include "drivers/watch.h"

enum { AT_INPUTS = 1, AT_OUTPUTS = 2, AT_AXIA = 3, AT_BOTA = 4, AT_DRIVE = 5, DRIVES = 7 };
enum { JUDGE_WRAP = 400, JUDGE_AGE = 1 };

struct controller {
    struct bench bench;
    struct ft_model ft_model[2];
    struct ft_state ft_state[2];
    struct ft_sample ft[2];
    struct cia402_model drive_model;
    struct cia402_status drive_status[DRIVES];
    struct cia402_sample drive[DRIVES];
    int goal;
    struct chain_state chain;
    struct escalation_state escalation;
    struct escalation_input last;
    struct watch watch;
    uint32_t link_errors; /* found by the helper, for the next cycle */
    int64_t begun_ns;
    int reaction;

    int64_t number;     /* of the cycle */
    int64_t noticed;    /* since the fault: first cycle with anything unusual, -1: none */
    int64_t soft, hard; /* first cycle of each reaction, -1: none */
    int greatest;       /* reaction */
    unsigned seen;      /* status bits */
    uint64_t stale_accepted;
    uint64_t foreign, drained; /* counters of the port before the fault */
};

static inline void controller_judge(struct controller *c)
{
    const struct bench *b = &c->bench;
    const int64_t shown = (int64_t)floor(-c->ft[1].wrench[2] + 0.5);
    const int64_t age = (c->number - shown % JUDGE_WRAP + 2 * JUDGE_WRAP) % JUDGE_WRAP;

    /* A sensor of its own can stand still (row 24): the other one judges the frame. */
    if (b->bus.data.status == 0 && b->bus.data.device[AT_BOTA].valid && age > JUDGE_AGE) {
        c->stale_accepted++;
    }
}

static inline void controller_read(struct controller *c)
{
    struct ethercat *e = &c->bench.bus;
    struct escalation_input *in = &c->last;

    memset(in, 0, sizeof *in);
    for (int i = 0; i < 2; i++) {
        const int at = AT_AXIA + i;
        const bool valid = e->data.device[at].valid;

        ft_read(&c->ft_model[i], &c->ft_state[i], ethercat_inputs(e, at), valid, &c->ft[i]);
        in->sensor_bad = in->sensor_bad || (valid && !c->ft[i].valid);
        in->saturated = in->saturated || (valid && c->ft[i].saturated);
    }
    for (int i = 0; i < DRIVES; i++) {
        if (e->data.device[AT_DRIVE + i].valid) {
            cia402_read(&c->drive_model, ethercat_inputs(e, AT_DRIVE + i), &c->drive[i]);
        }
        in->drive_fault = in->drive_fault || c->drive[i].fault;
    }
    for (int i = 0; i < e->count; i++) {
        const bool lost = e->data.status == 0 && e->data.device[i].state != PROCESS_DATA_OP;
        const bool drive = i >= AT_DRIVE;

        in->drive_lost = in->drive_lost || (lost && drive);
        in->device_lost = in->device_lost || (lost && !drive);
    }
    c->chain = chain_next(&chain_default, c->chain, *ethercat_inputs(e, AT_INPUTS),
                          e->data.device[AT_INPUTS].valid, false, 0.001);
    in->stop_open = chain_read(&c->chain, true).stop_open;
    in->stale_cycles = e->data.stale_cycles;
    in->count_high = (e->data.status & PROCESS_DATA_WKC_HIGH) != 0;
    in->alarm = e->data.alarm != 0;
}

static inline void controller_write(struct controller *c)
{
    struct ethercat *e = &c->bench.bus;

    for (int i = 0; i < 2; i++) {
        ft_write(&c->ft_model[i], 0, ethercat_outputs(e, AT_AXIA + i));
    }
    for (int i = 0; i < DRIVES; i++) {
        const struct cia402_command command = {
            c->reaction == ESCALATION_HARD ? CIA402_GO_OFF : c->goal, false, 0.0, 0.0};

        cia402_write(&c->drive_model, &c->drive_status[i], &c->drive[i], &command,
                     e->data.device[AT_DRIVE + i].valid, 0.001, ethercat_outputs(e, AT_DRIVE + i));
    }
    *ethercat_outputs(e, AT_OUTPUTS) = chain_outputs(&chain_default, &c->chain, true);
}

static inline void controller_note(struct controller *c, int64_t since)
{
    const struct process_data_state *d = &c->bench.bus.data;
    const bool unusual = d->status != 0 || d->alarm != 0 || c->reaction > ESCALATION_NONE;

    c->seen |= d->status;
    c->greatest = c->reaction > c->greatest ? c->reaction : c->greatest;
    c->noticed = c->noticed < 0 && unusual ? since : c->noticed;
    c->soft = c->soft < 0 && c->reaction >= ESCALATION_SOFT ? since : c->soft;
    c->hard = c->hard < 0 && c->reaction >= ESCALATION_HARD ? since : c->hard;
}

/* Called in the cycle, behind receive. */
static inline void controller_cycle(struct bench *b)
{
    struct controller *c = (struct controller *)b->user;
    const int64_t sent_ns = b->bus.data.sent_ns;
    const int64_t gap_ns = sent_ns - c->begun_ns;

    controller_read(c);
    controller_judge(c);
    c->last.overruns = c->begun_ns > 0 && gap_ns > 3 * BENCH_PERIOD_NS / 2;
    c->last.link_errors = c->link_errors;
    c->link_errors = 0;
    c->begun_ns = sent_ns;
    c->reaction = escalation_next(&escalation_default, &c->escalation, &c->last);
    controller_write(c);
    c->number++;
    b->world->lab.plant.model.wrench[2] = -(double)(c->number % JUDGE_WRAP);
}

static inline void controller_model(struct controller *c)
{
    struct bench *b = &c->bench;

    b->user = c;
    b->act = controller_cycle;
    c->ft_model[0] = (struct ft_model){.layout = ft_find("ft-axia"), .rate = 2};
    c->ft_model[1] = (struct ft_model){.layout = ft_find("ft-bota")};
    TEST_ASSERT_EQUAL_INT(0, ft_calibrate(&c->ft_model[0], &b->bus.calibration[AT_AXIA]));
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL_INT(0, ft_init(&c->ft_model[i], &c->ft_state[i]));
    }
    c->drive_model = (struct cia402_model){
        CIA402_TORQUE, 1048576.0 / (2 * BASE_PI), 1048576.0 / (2 * BASE_PI), 10.0, 8.0, 1.0};
    for (int i = 0; i < DRIVES; i++) {
        TEST_ASSERT_EQUAL_INT(0, cia402_init(&c->drive_model, &c->drive_status[i]));
    }
    watch_init(&c->watch);
}

/* Cycles, and every tenth the helper's round. */
static inline void controller_run(struct controller *c, int cycles, int64_t since)
{
    for (int i = 0; i < cycles; i++) {
        bench_run(&c->bench, 1);
        controller_note(c, since + i);
        if (i % 10 == 9) {
            (void)watch_step(&c->watch, &c->bench.bus);
            c->link_errors += c->watch.errors;
        }
    }
}

/* From nothing to seven enabled drives, clocks locked, nothing wrong. */
static inline void controller_start(struct controller *c)
{
    memset(c, 0, sizeof *c);
    bench_start(&c->bench, "bench12", 1);
    controller_model(c);
    c->goal = CIA402_GO_RUN;
    controller_run(c, 10, 0);
    c->stale_accepted = 0; /* before, the force was no number of a cycle */
    controller_run(c, 700, 0);
    c->escalation = (struct escalation_state){0};
    c->reaction = ESCALATION_NONE;
    controller_run(c, 100, 0);
    TEST_ASSERT_EQUAL_INT_MESSAGE(ESCALATION_NONE, c->reaction,
                                  escalation_cause(c->escalation.cause));
    for (int i = 0; i < DRIVES; i++) {
        TEST_ASSERT_TRUE(c->drive[i].ready);
    }
    TEST_ASSERT_TRUE(c->bench.lock.locked);
    TEST_ASSERT_EQUAL_UINT64(0, c->stale_accepted);
    c->noticed = c->soft = c->hard = -1;
    c->greatest = ESCALATION_NONE;
    c->seen = 0;
    c->bench.wake_ns = 0;
    c->foreign = c->bench.bus.port.count.received[PORT_FOREIGN];
    c->drained = c->bench.bus.port.count.drained;
}

#endif
