/* SPDX-License-Identifier: GPL-3.0-or-later */
/* latency.c - freefall latency: how late our loop wakes, beside a bare loop in the same seconds.
 *
 * On a shared or virtual machine a wake-up is stolen for milliseconds now and then, whoever waits: a figure by itself
 * says nothing about the program. So a loop that does nothing but sleep runs on the same processor, half a period apart
 * from ours, and what counts is the ratio.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/units.h"
#include "rt/histogram.h"
#include "rt/pace.h"
#include "rt/platform.h"
#include "tools/command.h"
#include "tools/json.h"

#define PERIOD_NS   1000000
#define SETTLE_NS   20000000 /* before the first cycle: both threads are up by then */
#define WARM_UP     100      /* cycles not counted */
#define LONG_NS     100000   /* wake-ups later than this are told apart */
#define SECONDS_MAX 86400.0

enum { OPTION_CPU, OPTION_PRIORITY, OPTION_JSON, OPTIONS };

const struct command_option latency_options[] = {
    {"--cpu", "N", "processor both loops run on; default: the last one"},
    {"--priority", "N", "SCHED_FIFO priority of both, 0 for none; default 80"},
    {"--json", NULL, "one JSON document on stdout"},
    {NULL, NULL, NULL},
};

/* One of the two loops. */
struct sleeper {
    int64_t start_ns;
    uint64_t cycles;
    struct histogram late;
    struct pace_state pace;
    struct platform_thread_figures before, after;
};

/* What freefall run does around its drivers: pace, stamps, statistics. */
static void *run_ours(void *self)
{
    const struct pace_model m = {
        .period_ns = PERIOD_NS, .overrun = PACE_SKIP, .tolerated = 3, .window = 1000};
    struct sleeper *s = self;
    struct pace_output out = {.next_ns = s->start_ns};

    pace_init(&m, &s->pace, s->start_ns);
    for (uint64_t k = 0; s->pace.cycle < s->cycles; k++) {
        platform_wait_until(out.next_ns);
        const int64_t woke = platform_now_ns();

        if (k == WARM_UP) {
            platform_thread_figures(&s->before);
        }
        if (k >= WARM_UP) {
            histogram_add(&s->late, woke - out.next_ns);
        }
        pace_step(&m, &s->pace, platform_now_ns(), 0, &out);
    }
    platform_thread_figures(&s->after);
    return NULL;
}

/* Sleep, look at the clock, and nothing else; instants that are over are left out, as cyclictest does. */
static void *run_bare(void *self)
{
    struct sleeper *s = self;
    const int64_t end = s->start_ns + (int64_t)s->cycles * PERIOD_NS;

    for (int64_t next = s->start_ns, k = 0; next < end; k++) {
        platform_wait_until(next);
        const int64_t woke = platform_now_ns();

        if (k >= WARM_UP) {
            histogram_add(&s->late, woke - next);
        }
        next += PERIOD_NS * ((woke - next) / PERIOD_NS + 1);
    }
    return NULL;
}

static const struct {
    const char *name, *key;
    double share;
} row[] = {{"p50", "p50", 0.5},       {"p90", "p90", 0.9},          {"p99", "p99", 0.99},
           {"p99.9", "p99_9", 0.999}, {"p99.99", "p99_99", 0.9999}, {"max", "max", 1.0}};

enum { ROWS = COUNT_OF(row) };

static void print_text(const struct sleeper *ours, const struct sleeper *bare,
                       const struct platform_schedule *schedule, bool realtime)
{
    printf("wake-up later than asked, us; %llu cycles of 1 ms, processor %d, %s, kernel %s\n",
           (unsigned long long)ours->late.count, schedule->cpu,
           schedule->priority > 0 ? "SCHED_FIFO" : "ordinary scheduling",
           realtime ? "real-time" : "not real-time");
    printf("%10s %10s %10s %7s\n", "", "freefall", "bare loop", "ratio");
    for (int i = 0; i < ROWS; i++) {
        const double a = 1e-3 * (double)histogram_percentile(&ours->late, row[i].share);
        const double b = 1e-3 * (double)histogram_percentile(&bare->late, row[i].share);

        printf("%10s %10.1f %10.1f %7.2f\n", row[i].name, a, b, b > 0.0 ? a / b : 0.0);
    }
    printf("%10s %9.3f%% %9.3f%%\n", "> 100 us", 100.0 * histogram_above(&ours->late, LONG_NS),
           100.0 * histogram_above(&bare->late, LONG_NS));
    printf("missed cycles %llu, page faults %ld, taken off the processor %ld times\n",
           (unsigned long long)ours->pace.missed,
           ours->after.minor_faults + ours->after.major_faults - ours->before.minor_faults -
               ours->before.major_faults,
           ours->after.preempted - ours->before.preempted);
}

static void add_loop(struct json *j, const char *name, const struct sleeper *s)
{
    json_object(j, name);
    for (int i = 0; i < ROWS; i++) {
        json_integer(j, row[i].key, histogram_percentile(&s->late, row[i].share));
    }
    json_number(j, "above_100us", histogram_above(&s->late, LONG_NS));
    json_end(j);
}

static int print_json(const struct sleeper *ours, const struct sleeper *bare,
                      const struct platform_schedule *schedule, bool realtime)
{
    struct json j;

    json_open(&j, stdout);
    json_object(&j, NULL);
    json_integer(&j, "cycles", (int64_t)ours->late.count);
    json_integer(&j, "cpu", schedule->cpu);
    json_integer(&j, "priority", schedule->priority);
    json_bool(&j, "realtime_kernel", realtime);
    json_string(&j, "unit", "ns");
    add_loop(&j, "freefall", ours);
    add_loop(&j, "bare", bare);
    json_integer(&j, "missed", (int64_t)ours->pace.missed);
    json_integer(&j, "page_faults",
                 ours->after.minor_faults + ours->after.major_faults - ours->before.minor_faults -
                     ours->before.major_faults);
    json_integer(&j, "preempted", ours->after.preempted - ours->before.preempted);
    json_end(&j);
    return json_close(&j) == 0 ? COMMAND_PASS : COMMAND_INTERNAL;
}

/* "60s", "500 ms" -> cycles of 1 ms; 0 when it is no such time. */
static uint64_t cycles_of(const char *text)
{
    const struct units_row *unit;
    size_t used;
    double number;

    if (units_number(text, &used, &number) != UNITS_FINE) {
        return 0;
    }
    text += used + strspn(text + used, " ");
    unit = units_find(text);
    if (unit == NULL || strcmp(unit->si, "s") != 0) {
        return 0;
    }
    const double seconds = units_to_si(unit, number);
    return seconds >= 0.2 && seconds <= SECONDS_MAX ? (uint64_t)(seconds * 1e3 + 0.5) : 0;
}

/* A whole number in a range; -1 when it is none. */
static int whole(const char *text, int most)
{
    char *end;
    const long n = strtol(text, &end, 10);

    return end != text && *end == '\0' && n >= 0 && n <= most ? (int)n : -1;
}

static int last_cpu(void)
{
    cpu_set_t all;
    int last = 0;

    if (sched_getaffinity(0, sizeof all, &all) == 0) {
        for (int i = 0; i < CPU_SETSIZE; i++) {
            last = CPU_ISSET((size_t)i, &all) ? i : last;
        }
    }
    return last;
}

/* Both at once; the bare one half a period later. 0 or -errno. */
static int measure(struct sleeper *ours, struct sleeper *bare,
                   const struct platform_schedule *schedule, uint64_t cycles)
{
    pthread_t thread[2];
    int error;

    ours->start_ns = platform_now_ns() + SETTLE_NS;
    bare->start_ns = ours->start_ns + PERIOD_NS / 2;
    ours->cycles = bare->cycles = cycles;
    error = platform_thread_start(&thread[0], schedule, run_ours, ours);
    if (error != 0) {
        return error;
    }
    error = platform_thread_start(&thread[1], schedule, run_bare, bare);
    pthread_join(thread[0], NULL);
    if (error == 0) {
        pthread_join(thread[1], NULL);
    }
    return error;
}

int latency_main(int argc, char **argv)
{
    static struct sleeper ours, bare;
    const char *value[OPTIONS] = {NULL};
    struct platform_schedule schedule = {.priority = 80, .cpu = last_cpu()};
    struct platform_kernel kernel;
    struct utsname name;
    const int operands = command_parse(latency_options, value, argc, argv, 1);
    const uint64_t cycles = operands == 1 ? cycles_of(argv[1]) : operands == 0 ? 10000 : 0;

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    if (cycles == 0) {
        return command_refuse(
            "latency", "expected a time from 0.2s to 24h, as 60s or 5min, found \"%s\"", argv[1]);
    }
    if (value[OPTION_CPU] != NULL) {
        schedule.cpu = whole(value[OPTION_CPU], 1023);
    }
    if (value[OPTION_PRIORITY] != NULL) {
        schedule.priority = whole(value[OPTION_PRIORITY], 98);
    }
    if (schedule.cpu < 0) {
        return command_refuse("latency", "--cpu: expected a processor from 0 to 1023, found \"%s\"",
                              value[OPTION_CPU]);
    }
    if (schedule.priority < 0) {
        return command_refuse("latency", "--priority: expected 0 to 98, found \"%s\"",
                              value[OPTION_PRIORITY]);
    }
    const int locked = platform_lock_memory(), awake = platform_stay_awake();
    if (locked != 0 || awake < 0) {
        fprintf(stderr,
                "freefall: latency: without %s%s%s: figures will be worse; freefall doctor tells "
                "more\n",
                locked != 0 ? "locked memory" : "", locked != 0 && awake < 0 ? " and " : "",
                awake < 0 ? "the right to keep processors awake" : "");
    }
    int error = measure(&ours, &bare, &schedule, cycles);
    if (error == -EPERM && value[OPTION_PRIORITY] == NULL) {
        fprintf(stderr,
                "freefall: latency: no right to SCHED_FIFO: measured with ordinary scheduling\n");
        schedule.priority = 0;
        error = measure(&ours, &bare, &schedule, cycles);
    }
    if (error != 0) {
        fprintf(stderr, "freefall: latency: a thread with priority %d on processor %d: %s\n",
                schedule.priority, schedule.cpu, strerror(-error));
        return error == -EPERM ? COMMAND_REFUSED : COMMAND_MISSING;
    }
    uname(&name);
    platform_kernel("", &name, &kernel);
    if (value[OPTION_JSON] != NULL) {
        return print_json(&ours, &bare, &schedule, kernel.realtime);
    }
    print_text(&ours, &bare, &schedule, kernel.realtime);
    return COMMAND_PASS;
}
