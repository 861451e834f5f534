/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_link.c - see rsi_link.h. */
#include "rt/rsi_link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "drivers/udp.h"
#include "rt/platform.h"

#define PATIENCE_NS 2000000   /* silence is looked at this often */
#define REPORT_NS   100000000 /* percentiles and words are renewed this often */

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000ll * t.tv_sec + t.tv_nsec;
}

static void carry_out(struct rsi_link *l)
{
    const unsigned asked = atomic_exchange(&l->asked, 0);

    for (int r = ROBOT_ARM; r <= ROBOT_END; r++) { /* the safe ones last: they win */
        if ((asked >> r & 1u) != 0) {
            (void)rsi_session_request(&l->model.rsi, &l->session, (enum robot_request)r, &l->newest,
                                      now_ns());
        }
    }
}

/* Everything in the queue; true if something fresh is among it. */
static bool drain(struct rsi_link *l, int64_t *stamp_ns)
{
    char bytes[RSI_TELEGRAM_MAX + 1];
    bool fresh = false, known = false;

    for (int i = 0; i < 256; i++) {
        struct rsi_peer from;
        int64_t arrival_ns;
        const int n = udp_receive(l->fd, bytes, RSI_TELEGRAM_MAX, &from, &arrival_ns);
        enum rsi_class class;

        if (n < 0) {
            break;
        }
        if (l->model.source != 0 && from.address != l->model.source) {
            l->session.counts.telegrams++;
            l->session.counts.foreign++;
            continue;
        }
        class = rsi_session_receive(&l->model.rsi, &l->session, bytes, (size_t)n, from, arrival_ns);
        known = class == RSI_KNOWN || (known && class == RSI_DROPPED);
        fresh = fresh || class == RSI_FRESH;
        *stamp_ns = class == RSI_FRESH ? arrival_ns : *stamp_ns;
    }
    if (known && !fresh) {
        (void)udp_send(l->fd, l->session.last.bytes, l->session.last.n, l->session.peer);
    }
    return fresh;
}

static void publish(struct rsi_link *l, int64_t t_ns)
{
    const struct rsi_counts *c = &l->session.counts;
    struct robot_health *h = &l->report.health;

    rsi_session_sample(&l->session, &l->report.sample);
    l->report.counts = *c;
    l->report.step = l->session.step;
    h->mode = l->session.mode;
    h->reason = l->session.reason;
    h->telegrams = c->telegrams;
    h->answered = c->answered;
    h->lost = c->lost;
    h->late = c->late;
    h->foreign = c->foreign;
    h->duplicates = c->duplicates;
    h->superseded = c->superseded;
    h->limited = c->limited;
    h->rejected = 0;
    for (int i = 0; i < RSI_REJECTS; i++) {
        h->rejected += c->rejected[i];
    }
    h->clock_ppm = 1e6 * l->session.clock.slope;
    if (t_ns - l->reported_ns >= REPORT_NS ||
        atomic_load(&l->stop)) { /* after the answer: nobody waits for this */
        l->reported_ns = t_ns;
        rsi_session_explain(&l->model.rsi, &l->session, h->text);
        h->answer_p50_s = 1e-9 * (double)histogram_percentile(&l->answer, 0.5);
        h->answer_p99_s = 1e-9 * (double)histogram_percentile(&l->answer, 0.99);
        h->jitter_p99_s = 1e-9 * (double)histogram_percentile(&l->jitter, 0.99);
    }
    exchange_write(&l->reports, &l->report);
}

static void *run(void *self)
{
    struct rsi_link *l = (struct rsi_link *)self;

    while (!atomic_load(&l->stop)) {
        const int came = udp_wait(l->fd, PATIENCE_NS);
        int64_t stamp_ns = 0;

        if (exchange_read(&l->targets, &l->newest)) {
            /* the newest set-points, whole */
        }
        if (came > 0 && drain(l, &stamp_ns)) {
            struct rsi_answer answer;

            carry_out(l);
            rsi_session_answer(&l->model.rsi, &l->session, &l->newest, &answer);
            if (answer.n > 0) {
                (void)udp_send(l->fd, answer.bytes, answer.n, l->session.peer);
                histogram_add(&l->answer, now_ns() - stamp_ns);
                histogram_add(&l->jitter, (int64_t)(1e9 * l->session.jitter_s));
            }
        } else {
            carry_out(l);
        }
        rsi_session_tick(&l->model.rsi, &l->session, now_ns());
        publish(l, now_ns());
    }
    publish(l, now_ns());
    return NULL;
}

static int open_link(struct robot_link *link)
{
    struct rsi_link *l = (struct rsi_link *)link->self;
    const struct platform_schedule schedule = {.priority = l->model.priority, .cpu = l->model.cpu};
    int error;

    l->fd = udp_open(l->model.address, l->model.port);
    if (l->fd < 0) {
        fprintf(stderr,
                "freefall: robot %s: %s:%u: %s; expected an address of this machine on the robot's "
                "network and a free "
                "port\n",
                l->model.name, l->model.address, l->model.port, strerror(-l->fd));
        return l->fd;
    }
    l->model.port = udp_port(l->fd);
    error = platform_thread_start(&l->thread, &schedule, run, l);
    if (error != 0) {
        fprintf(stderr, "freefall: robot %s: thread with priority %d: %s\n", l->model.name,
                l->model.priority, strerror(-error));
        close(l->fd);
        return error;
    }
    l->running = true;
    return 0;
}

bool rsi_link_read(struct rsi_link *l, struct rsi_link_report *report)
{
    const bool fresh = exchange_read(&l->reports, &l->seen);

    *report = l->seen;
    return fresh;
}

static bool newest(struct robot_link *link, struct robot_sample *sample)
{
    struct rsi_link *l = (struct rsi_link *)link->self;
    const uint64_t before = l->seen.sample.number;

    (void)exchange_read(&l->reports, &l->seen);
    *sample = l->seen.sample;
    return sample->valid && sample->number != before;
}

static void submit(struct robot_link *link, const struct robot_target *target)
{
    struct rsi_link *l = (struct rsi_link *)link->self;

    robot_window_push(&l->window, target);
    exchange_write(&l->targets, &l->window);
}

static void request(struct robot_link *link, enum robot_request what)
{
    struct rsi_link *l = (struct rsi_link *)link->self;

    (void)atomic_fetch_or(&l->asked, 1u << what);
}

static void health(struct robot_link *link, struct robot_health *out)
{
    struct rsi_link *l = (struct rsi_link *)link->self;

    (void)exchange_read(&l->reports, &l->seen);
    *out = l->seen.health;
}

static void close_link(struct robot_link *link)
{
    struct rsi_link *l = (struct rsi_link *)link->self;

    if (l->running) {
        atomic_store(&l->stop, true);
        pthread_join(l->thread, NULL);
        close(l->fd);
        l->running = false;
    }
}

static const struct robot_table tables[2] = {
    {"RSI pose", ROBOT_TAKES_POSE | ROBOT_ABSOLUTE | ROBOT_OWNS_CLOCK | ROBOT_TELLS_AXES, open_link,
     newest, submit, request, health, close_link},
    {"RSI axes", ROBOT_TAKES_AXES | ROBOT_ABSOLUTE | ROBOT_OWNS_CLOCK | ROBOT_TELLS_AXES, open_link,
     newest, submit, request, health, close_link},
};

int rsi_link_init(struct rsi_link *l, const struct rsi_link_model *m, struct robot_link *link,
                  char why[static 160])
{
    const int error = rsi_model_init(&m->rsi, why);

    if (error != 0) {
        return error;
    }
    memset(l, 0, sizeof *l);
    l->model = *m;
    l->fd = -1;
    rsi_session_init(&l->session);
    histogram_reset(&l->answer);
    histogram_reset(&l->jitter);
    (void)exchange_latest_init(&l->targets, l->target_memory, sizeof l->target_memory[0]);
    (void)exchange_latest_init(&l->reports, l->report_memory, sizeof l->report_memory[0]);
    *link = (struct robot_link){&tables[m->rsi.kind == RSI_AXES], l};
    return 0;
}
