/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure.c - the clock, the order of the calls, and the statistics.
 *
 * A busy neighbour slows whoever runs at the moment. So the libraries take turns in batches of a fraction of a
 * millisecond, round after round, and the whole is done several times over: what happens to one happens to all.
 */
#include "tests/perf/measure.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    CALLS = 8,    /* in a sample */
    BATCH = 10,   /* samples of one library before the next has its turn */
    ROUNDS = 100, /* turns of each library, in each pass */
    PASSES = 5,
    SAMPLES = BATCH * ROUNDS * PASSES,
    COLD_SAMPLES = 60,
    COLD_MIDDLE = COLD_SAMPLES / 2,
    SWEEP_BYTES = 48 << 20
};

#if defined(__x86_64__)
/* The time-stamp counter: a tenth of the cost of a system clock, and a sample is short. */
static uint64_t ticks(void)
{
    __builtin_ia32_lfence();
    const uint64_t now = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return now;
}
#else
static uint64_t ticks(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
#endif

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Length of a tick, over 50 ms. */
static double tick_ns(void)
{
    const double begin_ns = now_ns();
    const uint64_t begin = ticks();

    while (now_ns() - begin_ns < 5e7) {
    }
    return (now_ns() - begin_ns) / (double)(ticks() - begin);
}

void measure_pin(void)
{
    cpu_set_t all, one;
    size_t last = 0;

    if (sched_getaffinity(0, sizeof all, &all) != 0) {
        return;
    }
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        last = CPU_ISSET(i, &all) ? i : last;
    }
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Which state the next call gets; each library goes through all of them. */
struct turn {
    uint32_t *sample; /* ticks */
    int samples;
    int state;
};

static uint32_t sample(const struct unit_set *set, enum perf_unit unit, int k, int *state)
{
    const struct unit_library *library = &set->library[k];
    void (*work)(void *, const struct perf_state *) = library->table->unit[unit];
    const uint64_t begin = ticks();

    for (int i = 0; i < CALLS; i++) {
        work(library->self, &set->state[*state]);
        *state = (*state + 1) % PERF_STATES;
    }
    return (uint32_t)(ticks() - begin);
}

static void batch(struct turn *turn, const struct unit_set *set, enum perf_unit unit, int k)
{
    sample(set, unit, k, &turn->state); /* not counted: the other libraries were in the caches */
    for (int i = 0; i < BATCH; i++) {
        turn->sample[turn->samples++] = sample(set, unit, k, &turn->state);
    }
}

static void pass(struct turn turn[][UNIT_LIBRARIES], const struct unit_set *set)
{
    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        for (int round = 0; round < ROUNDS; round++) {
            for (int k = 0; k < set->libraries; k++) {
                if (set->library[k].table->unit[unit]) {
                    batch(&turn[unit][k], set, unit, k);
                }
            }
        }
    }
}

void measure_warm(struct measure_table *t, const struct unit_set *set)
{
    static struct turn turn[PERF_UNITS][UNIT_LIBRARIES];
    const double scale = tick_ns() / CALLS;

    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        for (int k = 0; k < set->libraries; k++) {
            turn[unit][k] = (struct turn){calloc(SAMPLES, sizeof(uint32_t)), 0, 0};
            if (!turn[unit][k].sample) {
                fprintf(stderr, "perf: no memory for samples\n");
                exit(3);
            }
        }
    }
    for (int i = 0; i < PASSES; i++) {
        pass(turn, set);
    }
    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        for (int k = 0; k < set->libraries; k++) {
            const struct turn *x = &turn[unit][k];
            qsort(x->sample, (size_t)x->samples, sizeof *x->sample, ascending);
            if (x->samples > 0) {
                const int middle = x->samples / 2, late = x->samples * 99 / 100;
                struct measure_row *row = &t->row[unit][k];
                row->min_ns = scale * x->sample[0];
                row->median_ns = scale * x->sample[middle];
                row->p99_ns = scale * x->sample[late];
            }
            free(x->sample);
        }
    }
}

/* Every cache line of a block larger than the last cache is written. */
static void sweep(volatile char *block)
{
    for (size_t i = 0; i < SWEEP_BYTES; i += 64) {
        block[i]++;
    }
}

static uint32_t cold_call(const struct unit_set *set, enum perf_unit unit, int k, int state,
                          volatile char *block)
{
    const struct unit_library *library = &set->library[k];
    void (*work)(void *, const struct perf_state *) = library->table->unit[unit];

    sweep(block);
    const uint64_t begin = ticks();
    work(library->self, &set->state[state]);
    return (uint32_t)(ticks() - begin);
}

void measure_cold(struct measure_table *t, const struct unit_set *set)
{
    char *block = calloc(1, SWEEP_BYTES);
    const double scale = tick_ns();
    uint32_t x[UNIT_LIBRARIES][COLD_SAMPLES];

    if (!block) {
        fprintf(stderr, "perf: no memory to sweep, %d MB\n", SWEEP_BYTES >> 20);
        exit(3);
    }
    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        for (int i = 0; i < COLD_SAMPLES; i++) {
            for (int k = 0; k < set->libraries; k++) {
                x[k][i] = set->library[k].table->unit[unit] ? cold_call(set, unit, k, i, block) : 0;
            }
        }
        for (int k = 0; k < set->libraries; k++) {
            qsort(x[k], COLD_SAMPLES, sizeof x[k][0], ascending);
            t->row[unit][k].cold_ns = scale * x[k][COLD_MIDDLE];
        }
    }
    free(block);
}
