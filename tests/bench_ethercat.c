/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_ethercat.c - the master layer on a real wire: brings the devices of a configuration to OP, runs cycles at
 * 1 kHz, and prints what happened as lines "name value". Called by bench_ethercat.sh.
 *
 *     bench_ethercat INTERFACE CONFIG CYCLES [ECHO ECHO_FAR]
 *
 * With a second pair of interfaces a child sends every frame on its far end straight back; its round trip is measured in
 * the same cycles, half a period apart. The judge of freshness is the sample counter of the force sensor: it counts
 * 1990 Hz, and what a valid cycle shows may not lie behind our clock by more than a few samples.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drivers/dc.h"
#include "drivers/wire.h"
#include "rt/bus.h"
#include "tools/lab/wire.h"

#define AXIA     3 /* position of the force sensor, from 0 */
#define RATE_HZ  1990.0
#define BEHIND   10.0 /* samples: 5 ms */
#define PRIORITY 50
#define GIVE_UP  5000 /* cycles to reach OP */

struct bench {
    struct ethercat bus;
    struct ethercat_model model;
    struct config config;
    struct dc_model dc;
    struct dc_state lock;
    struct port echo;
    int64_t next_ns;
    double *trip_us, *echo_us; /* of cycles with a reply */
    int trips, echoes;
    double ahead; /* most samples the sensor was before 1990 Hz of our clock */
    bool counted;
    uint64_t stale_accepted, fallen;
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000ll * t.tv_sec + t.tv_nsec;
}

static void sleep_until(int64_t t_ns)
{
    const struct timespec t = {t_ns / 1000000000, t_ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

static void hurry(int priority)
{
    const struct sched_param p = {.sched_priority = priority};

    (void)sched_setscheduler(0, SCHED_FIFO, &p);
}

/* The bare echo: as little as a peer can do. */
static pid_t start_echo(const char *interface)
{
    const pid_t child = fork();

    if (child == 0) {
        uint8_t frame[PORT_FRAME_MAX];
        struct pollfd fd = {wire_open(interface), POLLIN, 0};

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        hurry(PRIORITY + 1);
        while (fd.fd >= 0 && poll(&fd, 1, -1) >= 0) {
            int n;

            while ((n = wire_receive(fd.fd, frame, sizeof frame)) > 0) {
                frame[6] |= 0x02;
                (void)wire_send(fd.fd, frame, (unsigned)n);
            }
        }
        _exit(1);
    }
    return child;
}

static void judge(struct bench *b, int64_t t_ns)
{
    const double count = wire_get_u32(ethercat_inputs(&b->bus, AXIA) + 28);
    const double ahead = count - RATE_HZ * 1e-9 * (double)(t_ns % 1000000000000000);

    b->stale_accepted += b->counted && ahead < b->ahead - BEHIND;
    /* our clock and the sensor's differ by some 10 ppm: the mark is let down by 100 */
    b->ahead = b->counted && ahead < b->ahead ? b->ahead - 100e-6 * RATE_HZ * 1e-3 : ahead;
    b->counted = true;
}

static void cycle(struct bench *b)
{
    const int64_t limit_ns = b->model.receive_ns;
    struct dc_input in;
    int64_t begin_ns;
    unsigned status;

    sleep_until(b->next_ns);
    begin_ns = now_ns();
    ft_write(&(struct ft_model){.layout = ft_find("ft-axia"), .rate = 2}, 0,
             ethercat_outputs(&b->bus, AXIA));
    ethercat_send(&b->bus, begin_ns);
    while (!ethercat_receive(&b->bus, now_ns()) &&
           ethercat_wait(&b->bus, begin_ns + limit_ns - now_ns())) {
    }
    status = ethercat_end(&b->bus);
    in = (struct dc_input){status == 0, (status & PROCESS_DATA_DC_JUMP) != 0,
                           b->bus.data.dc_time_ns, b->bus.data.dc_spread_ns};
    if (status == 0) {
        b->trip_us[b->trips++] = 1e-3 * (double)b->bus.data.round_trip_ns;
        if (b->bus.data.device[AXIA].valid) {
            judge(b, begin_ns);
        }
    }
    b->fallen += status == 0 && b->bus.data.alarm != 0;
    b->next_ns += b->model.period_ns + dc_step(&b->dc, &b->lock, &in);
    if (b->next_ns < now_ns()) { /* late: skip, keep the phase */
        b->next_ns +=
            (now_ns() - b->next_ns) / b->model.period_ns * b->model.period_ns + b->model.period_ns;
    }
}

/* The same frame over the other wire, in the middle of the pause. */
static void echo(struct bench *b)
{
    uint8_t frame[PORT_FRAME_MAX];
    int64_t begin_ns;
    int n = 0;

    if (b->echo.fd < 0) {
        return;
    }
    sleep_until(b->next_ns - b->model.period_ns / 2);
    begin_ns = now_ns();
    (void)port_drain(&b->echo);
    (void)port_send(&b->echo, b->bus.data.frame, b->bus.data.bytes);
    while (n <= 0 && now_ns() - begin_ns < b->model.receive_ns) {
        (void)port_wait(&b->echo, b->model.receive_ns);
        n = port_receive(&b->echo, frame);
    }
    if (n > 0) {
        b->echo_us[b->echoes++] = 1e-3 * (double)(now_ns() - begin_ns);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double percentile(double *x, int n, double p)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n > 0 ? x[(int)((n - 1) * p)] : -1.0;
}

static int reach_op(struct bench *b)
{
    b->dc = (struct dc_model){b->model.period_ns, b->model.shift_ns, 500, 0, 0};
    (void)dc_init(&b->dc, &b->lock);
    b->next_ns = now_ns() + b->model.period_ns;
    for (int i = 0; i < 10; i++) {
        cycle(b);
    }
    (void)ethercat_operate(&b->bus);
    for (int i = 0; i < GIVE_UP; i++) {
        cycle(b);
        if (b->bus.data.status == 0 && b->bus.data.alarm == 0) {
            return 0;
        }
        if (i % 100 == 99) { /* one that missed the request under load */
            (void)ethercat_operate(&b->bus);
        }
    }
    fprintf(stderr, "OP not reached: status %x, alarm %x, %d devices\n", b->bus.data.status,
            b->bus.data.alarm, b->bus.data.present);
    return -ETIME;
}

static void print(struct bench *b, int cycles, double bring_up_ms)
{
    printf("bring_up_ms %.1f\ncycles %d\nvalid %d\n", bring_up_ms, cycles, b->trips);
    for (int i = 0; i < PROCESS_DATA_STATUS_BITS; i++) {
        printf("%s %" PRIu64 "\n", process_data_name(i), b->bus.data.count[i]);
    }
    printf("stale_accepted %" PRIu64 "\nfallen %" PRIu64 "\ndrained %" PRIu64 "\nforeign %" PRIu64
           "\nlocked %d\n",
           b->stale_accepted, b->fallen, b->bus.port.count.drained,
           b->bus.port.count.received[PORT_FOREIGN], b->lock.locked);
    printf("trip_p50_us %.1f\ntrip_p99_us %.1f\n", percentile(b->trip_us, b->trips, 0.5),
           percentile(b->trip_us, b->trips, 0.99));
    if (b->echoes > 0) {
        printf("echo_p50_us %.1f\nratio %.3f\n", percentile(b->echo_us, b->echoes, 0.5),
               percentile(b->trip_us, b->trips, 0.5) / percentile(b->echo_us, b->echoes, 0.5));
    }
}

static int run(struct bench *b, int cycles)
{
    const int64_t begin_ns = now_ns();
    double bring_up_ms;

    if (ethercat_open(&b->bus, &b->model, stderr) != 0 || reach_op(b) != 0) {
        return 1;
    }
    bring_up_ms = 1e-6 * (double)(now_ns() - begin_ns);
    memset(b->bus.data.count, 0, sizeof b->bus.data.count);
    b->trips = 0;
    b->echoes = 0;
    b->fallen = 0;
    printf("ready\n");
    fflush(stdout);
    for (int i = 0; i < cycles; i++) {
        cycle(b);
        echo(b);
    }
    print(b, cycles, bring_up_ms);
    return 0;
}

int main(int argc, char **argv)
{
    struct bench *b = (struct bench *)calloc(1, sizeof *b);
    const int cycles = argc > 3 ? atoi(argv[3]) : 0;
    pid_t child = -1;
    int code = 2;

    if (!b || cycles < 1 || config_read(&b->config, argv[2], stderr) != 0 ||
        bus_model(&b->model, &b->config, stderr) != 0) {
        fprintf(stderr, "usage: bench_ethercat INTERFACE CONFIG CYCLES [ECHO ECHO_FAR]\n");
        free(b);
        return 2;
    }
    snprintf(b->model.interface, sizeof b->model.interface, "%s", argv[1]);
    b->trip_us = (double *)calloc((size_t)cycles + GIVE_UP + 100, sizeof(double));
    b->echo_us = (double *)calloc((size_t)cycles, sizeof(double));
    b->echo.fd = -1;
    b->bus.port.fd = -1;
    if (argc > 5) {
        child = start_echo(argv[5]);
        (void)port_open(&b->echo, argv[4], PORT_CYCLE);
    }
    if (b->trip_us && b->echo_us) {
        hurry(PRIORITY);
        (void)mlockall(MCL_CURRENT | MCL_FUTURE);
        code = run(b, cycles);
    }
    ethercat_close(&b->bus);
    if (child > 0) {
        kill(child, SIGTERM);
        waitpid(child, NULL, 0);
    }
    port_close(&b->echo);
    free(b->trip_us);
    free(b->echo_us);
    free(b);
    return code;
}
