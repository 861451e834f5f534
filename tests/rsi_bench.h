/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_bench.h - our side and the simulated robot controller in one process and in virtual time, for the tests.
 *
 * Three things happen in the order of their instants: our loop submits a set-point every millisecond, the robot sends a
 * telegram at its own instants, a datagram arrives on either side. What arrives is answered at once.
 */
#ifndef FREEFALL_TESTS_RSI_BENCH_H
#define FREEFALL_TESTS_RSI_BENCH_H

#include <math.h>
#include <string.h>

#include "drivers/abc.h"
#include "drivers/rsi_session.h"
#include "tools/lab/post.h"

#define BENCH_DEGREE (BASE_PI / 180.0)
#define BENCH_US     (0xc0a80102u)

struct bench {
    struct rsi_model model;
    struct rsi_session session;
    struct robot_window window;
    struct krc_model robot_model;
    struct krc robot;
    struct post_model to_us_model, to_robot_model;
    struct post to_us, to_robot;
    struct rsi_peer peer;
    int64_t now_ns, loop_ns, stalled_until_ns;
    bool silent;      /* the robot's cable is out: it goes on without us */
    double malformed; /* share of its telegrams that are spoiled */
    uint64_t spoiled, spoiled_kind[KRC_SPOILS];
    struct random_state random;
    bool mute; /* the loop submits nothing */
    void (*target)(struct bench *b, double t_s,
                   double out[static 6]); /* offset from the start, SI */
    void (*sent)(struct bench *b, const struct rsi_answer *answer);
    double greatest_step[6], last_x[6];
    uint64_t answers;
    int64_t held_ns; /* first instant in HOLD after RUN */
    void *user;
};

static inline void bench_still(struct bench *b, double t_s, double out[static 6])
{
    (void)b;
    (void)t_s;
    memset(out, 0, 6 * sizeof out[0]);
}

static inline void bench_init(struct bench *b, bool axes)
{
    memset(b, 0, sizeof *b);
    rsi_model_default(&b->model, axes ? RSI_AXES : RSI_POSE);
    krc_default(&b->robot_model, axes);
    for (int i = 0; i < 6; i++) {
        b->robot_model.low[i] = -400.0;
        b->robot_model.high[i] = 400.0;
    }
    b->robot_model.monitor_mm = b->robot_model.monitor_deg = 1000.0;
    b->peer = (struct rsi_peer){BENCH_US, 50001};
    b->to_us_model.latency_s = b->to_robot_model.latency_s = 100e-6;
    b->target = bench_still;
    b->held_ns = -1;
    random_init(&b->random, 7, 7);
}

/* After the models were changed. */
static inline void bench_start(struct bench *b, uint64_t seed)
{
    rsi_session_init(&b->session);
    post_init(&b->to_us, seed);
    post_init(&b->to_robot, seed + 1000);
    (void)krc_init(&b->robot_model, &b->robot, 1000000);
    b->loop_ns = 300000;
}

static inline void bench_loop(struct bench *b)
{
    const double scale = 1e-3;
    double offset[6], place[6];
    struct robot_target t;

    memset(&t, 0, sizeof t);
    b->target(b, 1e-9 * (double)b->loop_ns, offset);
    for (int i = 0; i < 6; i++) {
        const bool metres = !b->robot_model.axes && i < 3;

        place[i] = b->robot_model.start[i] * (metres ? scale : BENCH_DEGREE) + offset[i];
    }
    memcpy(t.pose.p, place, sizeof t.pose.p);
    abc_to_matrix(t.pose.R, place + 3);
    memcpy(t.axes_rad, place, sizeof t.axes_rad);
    t.stamp_ns = b->loop_ns;
    if (!b->mute) {
        robot_window_push(&b->window, &t);
    }
    rsi_session_tick(&b->model, &b->session, b->now_ns);
    b->loop_ns += 1000000;
}

static inline void bench_answer(struct bench *b)
{
    struct rsi_answer answer;

    rsi_session_answer(&b->model, &b->session, &b->window, &answer);
    if (answer.n > 0) {
        for (int i = 0; i < 6; i++) {
            const double step = fabs(b->session.limiter.x[i] - b->last_x[i]);

            b->greatest_step[i] = fmax(b->greatest_step[i], step);
            b->last_x[i] = b->session.limiter.x[i];
        }
        b->answers++;
        if (b->sent) {
            b->sent(b, &answer);
        }
        post_send(&b->to_robot_model, &b->to_robot, b->now_ns, b->robot_model.cycle_ns,
                  answer.bytes, (int)answer.n);
    }
}

static inline void bench_receive(struct bench *b)
{
    char bytes[KRC_TELEGRAM_MAX];
    int64_t arrival_ns;
    int n;

    if (b->now_ns < b->stalled_until_ns) {
        return;
    }
    while ((n = post_receive(&b->to_us, b->now_ns, &arrival_ns, bytes)) >= 0) {
        if (rsi_session_receive(&b->model, &b->session, bytes, (size_t)n, b->peer, arrival_ns) ==
            RSI_KNOWN) {
            post_send(&b->to_robot_model, &b->to_robot, b->now_ns, b->robot_model.cycle_ns,
                      b->session.last.bytes, (int)b->session.last.n);
        }
    }
    bench_answer(b);
}

static inline void bench_telegram(struct bench *b)
{
    char bytes[KRC_TELEGRAM_MAX], bad[KRC_TELEGRAM_MAX];
    int n = krc_cycle(&b->robot_model, &b->robot, bytes);

    if (n == 0) {
        b->robot.cycles++; /* time goes on for a controller that has ended RSI */
        return;
    }
    if (random_uniform(&b->random) < b->malformed) {
        const int kind = (int)(b->spoiled % KRC_SPOILS);

        n = krc_spoil(bad, bytes, n, kind, random_bits(&b->random));
        memcpy(bytes, bad, (size_t)n);
        b->spoiled++;
        b->spoiled_kind[kind]++;
    }
    if (!b->silent) {
        post_send(&b->to_us_model, &b->to_us, b->now_ns, b->robot_model.cycle_ns, bytes, n);
    }
}

/* Let everything happen until t_ns. */
static inline void bench_run(struct bench *b, int64_t t_ns)
{
    for (;;) {
        const int64_t robot_ns = krc_instant(&b->robot_model, &b->robot);
        int64_t us_ns = post_due(&b->to_us), answer_ns = post_due(&b->to_robot), next_ns;

        us_ns = us_ns < b->stalled_until_ns ? b->stalled_until_ns : us_ns;
        next_ns = robot_ns < us_ns ? robot_ns : us_ns;
        next_ns = answer_ns < next_ns ? answer_ns : next_ns;
        next_ns = b->loop_ns < next_ns ? b->loop_ns : next_ns;
        if (next_ns > t_ns) {
            b->now_ns = t_ns;
            return;
        }
        b->now_ns = next_ns;
        if (next_ns == answer_ns) {
            char bytes[KRC_TELEGRAM_MAX];
            int64_t arrival_ns;
            const int n = post_receive(&b->to_robot, next_ns, &arrival_ns, bytes);

            krc_answer(&b->robot_model, &b->robot, bytes, n);
        } else if (next_ns == us_ns) {
            bench_receive(b);
        } else if (next_ns == b->loop_ns) {
            bench_loop(b);
        } else {
            bench_telegram(b);
        }
        if (b->held_ns < 0 && b->session.counts.holds > 0) {
            b->held_ns = b->now_ns;
        }
    }
}

static inline enum robot_reason bench_arm(struct bench *b)
{
    return rsi_session_request(&b->model, &b->session, ROBOT_ARM, &b->window, b->now_ns);
}

#endif
