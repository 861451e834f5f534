/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_rsi_cases.c - the cases a robot link must stand, against the simulated robot controller in virtual time. */
#include "tests/rsi_bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "unity.h"

#define MS 1000000ll
#define S  1000000000ll

static struct bench *b;

void setUp(void)
{
    b = (struct bench *)calloc(1, sizeof *b);
    TEST_ASSERT_NOT_NULL(b);
    bench_init(b, false);
}

void tearDown(void)
{
    free(b);
}

/* 20 mm and 4 deg, smooth from rest. */
static void sine(struct bench *bench, double t_s, double out[static 6])
{
    const double begin_s = 0.2, t = t_s > begin_s ? t_s - begin_s : 0.0, w = 2 * BASE_PI * 0.4;
    const double ramp = t < 1.0 ? t * t * t * (10 - 15 * t + 6 * t * t) : 1.0;

    for (int i = 0; i < 6; i++) {
        const bool metres = !bench->robot_model.axes && i < 3;

        out[i] =
            (metres ? 0.02 : 4 * BENCH_DEGREE) * ramp * sin(w * t + i * 0.0) * (i % 2 ? -1 : 1);
    }
}

static void arm_and_run(int64_t until_ns)
{
    bench_run(b, 100 * MS);
    TEST_ASSERT_EQUAL_STRING("fine", robot_reason_name(bench_arm(b)));
    bench_run(b, until_ns);
}

static void check_clean(void)
{
    b->target = sine;
    bench_start(b, 1);
    arm_and_run(2500 * b->model.cycle_ns);
    TEST_ASSERT_EQUAL_STRING("runs", krc_state_name(b->robot.state));
    TEST_ASSERT_EQUAL(ROBOT_RUN, b->session.mode);
    TEST_ASSERT_EQUAL_UINT64(0, b->robot.missed);
    TEST_ASSERT_EQUAL_UINT64(0, b->robot.wrong);
    TEST_ASSERT_EQUAL_UINT64(0, b->robot.malformed);
    TEST_ASSERT_EQUAL_UINT64(0, b->session.counts.limited);
    TEST_ASSERT_TRUE(b->robot.matched >= 2499);
}

static void test_clean_pose_every_cycle_is_answered(void)
{
    check_clean();
}

static void test_clean_axes_every_cycle_is_answered(void)
{
    bench_init(b, true);
    check_clean();
}

static void test_clean_at_12_ms_every_cycle_is_answered(void)
{
    b->model.cycle_ns = b->robot_model.cycle_ns = 12 * MS;
    b->model.limiter.dt_s = 0.012;
    for (int i = 0; i < 6; i++) {
        b->model.limiter.channel[i].step *= 3;
    }
    b->robot_model.ipoc_step = 12;
    b->robot_model.arm.period_s = 0.012;
    check_clean();
    TEST_ASSERT_EQUAL_UINT64(12, b->session.step);
}

static void test_clean_shouted_and_pretty_printed(void)
{
    b->robot_model.shout = true;
    b->robot_model.pretty = true;
    check_clean();
}

/* What the robot was told against the trajectory itself at the robot's instants. The bound of 1e-4 mm and deg is the
 * design page's; interpolation of 1 kHz points contributes some 1e-8. */
static void compare(struct bench *bench, const struct rsi_answer *answer)
{
    double *worst = (double *)bench->user, want[6];
    const int64_t at_ns =
        krc_instant(&bench->robot_model, &bench->robot) - bench->robot_model.cycle_ns + 100000;
    struct krc_heard h;

    krc_read(&bench->robot_model, &h, answer->bytes, (int)answer->n);
    sine(bench, 1e-9 * (double)(at_ns - bench->model.sample_delay_ns), want);
    for (int i = 0; i < 6 && bench->session.mode == ROBOT_RUN; i++) {
        *worst = fmax(*worst, fabs(h.value[i] - want[i] * (i < 3 ? 1e3 : 1 / BENCH_DEGREE)));
    }
}

static void test_lockstep_20000_cycles_all_answered_without_drift(void)
{
    double worst = 0.0;

    b->target = sine;
    b->sent = compare;
    b->user = &worst;
    bench_start(b, 1);
    arm_and_run(20000 * b->model.cycle_ns);
    printf("  lockstep: worst difference %.2e mm or deg\n", worst);
    TEST_ASSERT_EQUAL_UINT64(0, b->robot.missed);
    TEST_ASSERT_TRUE(b->robot.matched >= 19999);
    TEST_ASSERT_TRUE(worst < 1e-4);
}

static void test_loss_both_ways_never_steps_and_is_counted(void)
{
    b->target = sine;
    b->to_us_model.loss = b->to_robot_model.loss = 0.02;
    b->robot_model.late_clears = false; /* then the robot's count is the whole truth */
    b->robot_model.timeout = 100000;
    bench_start(b, 3);
    arm_and_run(2500 * b->model.cycle_ns);
    bench_run(b, 2500 * b->model.cycle_ns + 10 * MS);
    TEST_ASSERT_EQUAL(ROBOT_RUN, b->session.mode);
    TEST_ASSERT_TRUE(b->to_us.lost > 20);
    TEST_ASSERT_TRUE(b->to_robot.lost > 20);
    /* one cycle of room: what is lost last shows one telegram later */
    TEST_ASSERT_UINT64_WITHIN(1, b->to_us.lost, b->session.counts.lost);
    TEST_ASSERT_UINT64_WITHIN(2, b->to_us.lost + b->to_robot.lost, b->session.counts.late);
    for (int i = 0; i < 6; i++) {
        const double top = b->model.limiter.channel[i].speed * 0.004;

        TEST_ASSERT_TRUE(b->greatest_step[i] <= 4 * top); /* at most three lost in a row here */
        TEST_ASSERT_TRUE(b->robot.greatest_step[i] <= 4 * top * (i < 3 ? 1e3 : 1 / BENCH_DEGREE));
    }
    TEST_ASSERT_EQUAL_STRING("runs", krc_state_name(b->robot.state));
}

/* Never twice for one IPOC, and the same bytes again for a duplicate. */
struct ledger {
    uint64_t last_ipoc;
    int repeats;
};

static void keep_ledger(struct bench *bench, const struct rsi_answer *answer)
{
    struct ledger *l = (struct ledger *)bench->user;
    struct krc_heard h;

    krc_read(&bench->robot_model, &h, answer->bytes, (int)answer->n);
    l->repeats += h.ipoc <= l->last_ipoc;
    l->last_ipoc = h.ipoc;
}

static void test_reordered_and_doubled_telegrams_advance_once(void)
{
    struct ledger l = {0, 0};

    b->target = sine;
    b->to_us_model.twice = b->to_robot_model.twice = 0.03;
    b->to_us_model.behind = b->to_robot_model.behind = 0.03;
    b->sent = keep_ledger;
    b->user = &l;
    bench_start(b, 5);
    arm_and_run(2500 * b->model.cycle_ns);
    TEST_ASSERT_EQUAL(ROBOT_RUN, b->session.mode);
    TEST_ASSERT_EQUAL(0, l.repeats);
    TEST_ASSERT_TRUE(b->session.counts.duplicates > 20);
    TEST_ASSERT_TRUE(b->session.counts.reordered > 20);
    TEST_ASSERT_EQUAL_STRING("runs", krc_state_name(b->robot.state));
}

static void test_a_duplicate_gets_the_same_bytes(void)
{
    char bytes[KRC_TELEGRAM_MAX];
    struct rsi_answer first, again;
    struct limiter_state before;
    int n;

    bench_start(b, 1);
    bench_run(b, 500 * MS);
    n = krc_cycle(&b->robot_model, &b->robot, bytes);
    TEST_ASSERT_EQUAL(RSI_FRESH, rsi_session_receive(&b->model, &b->session, bytes, (size_t)n,
                                                     b->peer, b->now_ns));
    rsi_session_answer(&b->model, &b->session, &b->window, &first);
    before = b->session.limiter;
    TEST_ASSERT_EQUAL(RSI_KNOWN, rsi_session_receive(&b->model, &b->session, bytes, (size_t)n,
                                                     b->peer, b->now_ns));
    again = b->session.last;
    TEST_ASSERT_EQUAL(first.n, again.n);
    TEST_ASSERT_EQUAL_MEMORY(first.bytes, again.bytes, first.n);
    TEST_ASSERT_EQUAL_MEMORY(&before, &b->session.limiter, sizeof before);
}

static void test_malformed_telegrams_get_no_answer_and_are_counted(void)
{
    uint64_t rejected = 0;

    b->target = sine;
    b->malformed = 0.1;
    b->robot_model.timeout = 1000;
    bench_start(b, 9);
    arm_and_run(2500 * b->model.cycle_ns);
    for (int i = 1; i < RSI_REJECTS; i++) {
        rejected += b->session.counts.rejected[i];
    }
    for (int i = 0; i < KRC_SPOILS; i++) {
        TEST_ASSERT_TRUE_MESSAGE(b->spoiled_kind[i] > 5, krc_spoil_name(i));
    }
    TEST_ASSERT_EQUAL_UINT64(b->spoiled, rejected);
    TEST_ASSERT_EQUAL_UINT64(0, b->robot.wrong);
    TEST_ASSERT_UINT64_WITHIN(1, b->spoiled, b->robot.missed);
    TEST_ASSERT_EQUAL(ROBOT_RUN, b->session.mode);
}

static void test_each_kind_of_malformed_telegram_has_its_reason(void)
{
    static const enum rsi_reject reason[KRC_SPOILS] = {
        RSI_CUT,    RSI_NUMBER, RSI_NUMBER, RSI_NUMBER,  RSI_CUT,      RSI_SYNTAX, RSI_TOO_LONG,
        RSI_DOUBLE, RSI_EMPTY,  RSI_DEPTH,  RSI_NO_IPOC, RSI_BAD_IPOC, RSI_NUMBER, RSI_DECLARATION};
    char good[KRC_TELEGRAM_MAX], bad[KRC_TELEGRAM_MAX];
    struct rsi_telegram t;
    int n;

    bench_start(b, 1);
    n = krc_cycle(&b->robot_model, &b->robot, good);
    TEST_ASSERT_EQUAL(RSI_UNDERSTOOD, rsi_parse(&t, &b->model, good, (size_t)n));
    for (int kind = 0; kind < KRC_SPOILS; kind++) {
        const int m = krc_spoil(bad, good, n, kind, 12345);

        TEST_ASSERT_EQUAL_STRING_MESSAGE(rsi_reject_name(reason[kind]),
                                         rsi_reject_name(rsi_parse(&t, &b->model, bad, (size_t)m)),
                                         krc_spoil_name(kind));
    }
}

static void test_copies_of_a_foreign_sender_are_ignored(void)
{
    char bytes[KRC_TELEGRAM_MAX];
    const struct rsi_peer port = {BENCH_US, 50002}, host = {BENCH_US + 1, 50001};
    struct krc copy;

    b->target = sine;
    bench_start(b, 1);
    arm_and_run(1 * S);
    for (int i = 0; i < 500; i++) {
        int n;

        copy = b->robot;
        n = krc_cycle(&b->robot_model, &copy, bytes);
        TEST_ASSERT_EQUAL(RSI_DROPPED, rsi_session_receive(&b->model, &b->session, bytes, (size_t)n,
                                                           i % 2 ? port : host, b->now_ns));
        bench_run(b, b->now_ns + 4 * MS);
    }
    TEST_ASSERT_EQUAL_UINT64(500, b->session.counts.foreign);
    TEST_ASSERT_EQUAL_UINT64(0, b->robot.missed);
    TEST_ASSERT_EQUAL(ROBOT_RUN, b->session.mode);
}

static void test_after_a_stall_only_the_newest_is_answered_and_the_robot_held(void)
{
    uint64_t answers;

    b->target = sine;
    b->robot_model.timeout = 10;
    bench_start(b, 1);
    arm_and_run(1 * S);
    answers = b->answers;
    b->stalled_until_ns = b->now_ns + 60 * MS;
    bench_run(b, b->stalled_until_ns);
    TEST_ASSERT_EQUAL_UINT64(answers + 1, b->answers);
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    TEST_ASSERT_EQUAL(ROBOT_STALLED, b->session.reason);
    TEST_ASSERT_TRUE(b->session.counts.superseded >= 8);
    TEST_ASSERT_EQUAL_STRING("KSS29002 RSITimeout", krc_state_name(b->robot.state));
}

static void test_silence_of_50_cycles_holds_until_armed_again(void)
{
    double x[6];

    b->robot_model.timeout = 1000;
    bench_start(b, 1);
    arm_and_run(500 * MS);
    b->silent = true;
    bench_run(b, 700 * MS);
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    TEST_ASSERT_EQUAL(ROBOT_LOST, b->session.reason);
    TEST_ASSERT_TRUE(b->held_ns - 500 * MS < 110 * MS);
    TEST_ASSERT_TRUE(b->session.counts.silences > 0);
    TEST_ASSERT_EQUAL(ROBOT_SILENT, bench_arm(b)); /* nobody to arm */
    b->silent = false;
    bench_run(b, 800 * MS);
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    memcpy(x, b->session.limiter.x, sizeof x);
    TEST_ASSERT_EQUAL(ROBOT_FINE, bench_arm(b));
    bench_run(b, 900 * MS);
    TEST_ASSERT_EQUAL(ROBOT_RUN, b->session.mode);
    TEST_ASSERT_EQUAL_UINT64(1, b->session.counts.sessions);
}

static void test_a_new_port_after_silence_is_a_new_session_in_hold(void)
{
    b->robot_model.timeout = 1000;
    bench_start(b, 1);
    arm_and_run(500 * MS);
    b->silent = true;
    bench_run(b, 700 * MS);
    b->silent = false;
    b->peer.port = 50077;
    bench_run(b, 800 * MS);
    TEST_ASSERT_EQUAL_UINT64(2, b->session.counts.sessions);
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    TEST_ASSERT_EQUAL_UINT16(50077, b->session.peer.port);
    TEST_ASSERT_EQUAL(ROBOT_FINE, bench_arm(b));
}

static void test_a_new_port_elsewhere_is_refused(void)
{
    b->robot_model.timeout = 1000;
    bench_start(b, 1);
    arm_and_run(500 * MS);
    b->silent = true;
    b->robot.start[0] += 3.0; /* mm: somebody moved it, or it is another robot */
    bench_run(b, 900 * MS);
    b->silent = false;
    b->peer.port = 50077;
    for (int i = 0; i < 100; i++) {
        bench_run(b, b->now_ns + 4 * MS);
    }
    TEST_ASSERT_EQUAL_UINT64(1, b->session.counts.sessions);
    TEST_ASSERT_TRUE(b->session.counts.moved > 50);
}

static void test_a_counter_that_begins_again_needs_a_second_of_silence(void)
{
    b->robot_model.timeout = 1000;
    bench_start(b, 1);
    arm_and_run(500 * MS);
    krc_restart(&b->robot_model, &b->robot, 1000);
    bench_run(b, 540 * MS);
    TEST_ASSERT_TRUE(b->session.counts.old >= 9);
    TEST_ASSERT_EQUAL_UINT64(1, b->session.counts.sessions);
    bench_run(b, 1700 * MS);
    TEST_ASSERT_EQUAL_UINT64(2, b->session.counts.sessions);
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    TEST_ASSERT_EQUAL(ROBOT_NEW_SESSION, b->session.reason);
}

static void test_a_leap_of_the_counter_holds(void)
{
    bench_start(b, 1);
    arm_and_run(500 * MS);
    b->robot.ipoc += 4000;
    bench_run(b, 520 * MS);
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    TEST_ASSERT_EQUAL(ROBOT_JUMPED, b->session.reason);
    TEST_ASSERT_EQUAL(ROBOT_FINE, bench_arm(b));
    bench_run(b, 600 * MS);
    TEST_ASSERT_EQUAL(ROBOT_RUN, b->session.mode);
    TEST_ASSERT_EQUAL_UINT64(0, b->robot.missed);
}

static int64_t saturated_ns;

static void note_saturation(struct bench *bench, const struct rsi_answer *answer)
{
    (void)answer;
    if (saturated_ns == 0 && fabs(bench->robot.sum[0]) >= 5.0) {
        saturated_ns = bench->now_ns;
    }
}

static void test_the_silent_clamp_is_found_within_200_ms_and_named(void)
{
    char text[ROBOT_TEXT_MAX];

    krc_default(&b->robot_model, false); /* limits as delivered: 5 mm, silently */
    b->robot_model.monitor_mm = b->robot_model.monitor_deg = 100.0;
    b->target = sine;
    b->sent = note_saturation;
    saturated_ns = 0;
    bench_start(b, 1);
    arm_and_run(3 * S);
    rsi_session_explain(&b->model, &b->session, text);
    printf("  clamp: held %.0f ms after saturation: %s\n",
           1e-6 * (double)(b->held_ns - saturated_ns), text);
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    TEST_ASSERT_EQUAL(ROBOT_TRACKING, b->session.reason);
    TEST_ASSERT_TRUE(saturated_ns > 0 && b->held_ns > 0 && b->held_ns - saturated_ns <= 200 * MS);
    TEST_ASSERT_NOT_NULL(strstr(text, "clamped"));
}

static void test_the_loud_monitor_stops_the_simulated_robot(void)
{
    krc_default(&b->robot_model, false);
    for (int i = 0; i < 6; i++) {
        b->robot_model.low[i] = -50.0;
        b->robot_model.high[i] = 50.0;
    }
    b->target = sine;
    bench_start(b, 1);
    arm_and_run(3 * S);
    TEST_ASSERT_EQUAL_STRING("KSS29000 correction monitor", krc_state_name(b->robot.state));
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
}

static void leap(struct bench *bench, double t_s, double out[static 6])
{
    (void)bench;
    memset(out, 0, 6 * sizeof out[0]);
    out[0] = t_s > 0.5 ? 0.4 : 0.0;
}

static void test_a_step_of_400_mm_never_reaches_the_robot(void)
{
    b->target = leap;
    bench_start(b, 1);
    arm_and_run(3 * S);
    TEST_ASSERT_TRUE(b->greatest_step[0] <= b->model.limiter.channel[0].step * 1.000001);
    TEST_ASSERT_TRUE(b->robot.greatest_step[0] <= 2.0001);
    TEST_ASSERT_EQUAL_STRING("runs", krc_state_name(b->robot.state));
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    TEST_ASSERT_EQUAL(ROBOT_LIMITED, b->session.reason);
}

/* The instant the clock model gives against the true one, after the two seconds it may take to learn. */
static void clock_error(struct bench *bench, const struct rsi_answer *answer)
{
    double *worst = (double *)bench->user;
    const double at = ((double)bench->robot.cycles - 1.0) * (double)bench->robot_model.cycle_ns *
                          (1.0 + 1e-6 * bench->robot_model.ppm) +
                      1e6 + 1e5; /* start and least latency */
    const int64_t instant = rsi_clock_instant(&bench->session.clock, bench->session.cycle);

    (void)answer;
    if (bench->now_ns > 2 * S) {
        *worst = fmax(*worst, fabs((double)instant - at));
    }
}

static void test_two_robots_at_150_ppm_for_60_s(void)
{
    struct bench *other = (struct bench *)calloc(1, sizeof *other);
    struct bench *const both[2] = {b, other};
    double worst[2] = {0.0, 0.0};

    TEST_ASSERT_NOT_NULL(other);
    bench_init(other, false);
    for (int i = 0; i < 2; i++) {
        both[i]->robot_model.ppm = i == 0 ? 150.0 : -150.0;
        both[i]->to_us_model.jitter_s = both[i]->to_robot_model.jitter_s = 50e-6;
        both[i]->target = sine;
        both[i]->sent = clock_error;
        both[i]->user = &worst[i];
        bench_start(both[i], 11 + (uint64_t)i);
    }
    for (int64_t t = 100 * MS; t <= 60 * S; t += 100 * MS) {
        for (int i = 0; i < 2; i++) {
            bench_run(both[i], t);
            if (t == 100 * MS) {
                TEST_ASSERT_EQUAL(ROBOT_FINE, bench_arm(both[i]));
            }
        }
    }
    printf("  two robots: worst instant %.2f and %.2f us\n", 1e-3 * worst[0], 1e-3 * worst[1]);
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL_UINT64(0, both[i]->robot.missed);
        TEST_ASSERT_TRUE(both[i]->robot.matched > 14990);
        TEST_ASSERT_EQUAL(ROBOT_RUN, both[i]->session.mode);
        TEST_ASSERT_EQUAL_UINT64(0, both[i]->session.counts.limited);
        TEST_ASSERT_TRUE(worst[i] <= 5000.0);
    }
    free(other);
}

static void test_holdon_0_in_absolute_mode_trips_the_robot_and_holdon_1_does_not(void)
{
    for (int holdon = 0; holdon < 2; holdon++) {
        bench_init(b, false);
        b->target = sine;
        b->robot_model.holdon = holdon == 1;
        bench_start(b, 1);
        arm_and_run(1600 * MS); /* the sine is far from zero */
        b->to_robot.lose_next = 1;
        bench_run(b, 2 * S);
        TEST_ASSERT_EQUAL(holdon ? KRC_RUNS : KRC_DRIVE, b->robot.state);
        memset(b, 0, sizeof *b);
    }
}

static void test_relative_mode_adds_up_and_holdon_repeats_the_increment(void)
{
    char bytes[KRC_TELEGRAM_MAX], answer[256];

    for (int holdon = 0; holdon < 2; holdon++) {
        krc_default(&b->robot_model, false);
        b->robot_model.relative = true;
        b->robot_model.holdon = holdon == 1;
        (void)krc_init(&b->robot_model, &b->robot, 0);
        for (int i = 0; i < 10; i++) {
            (void)krc_cycle(&b->robot_model, &b->robot, bytes);
            snprintf(answer, sizeof answer,
                     "<Sen Type=\"ImFree\"><RKorr X=\"0.1\" Y=\"0\" Z=\"0\" A=\"0\" B=\"0\" "
                     "C=\"0\" /><IPOC>%llu</IPOC>"
                     "</Sen>",
                     (unsigned long long)b->robot.ipoc);
            if (i != 9) {
                krc_answer(&b->robot_model, &b->robot, answer, (int)strlen(answer));
            }
        }
        (void)krc_cycle(&b->robot_model, &b->robot, bytes);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, holdon ? 1.0 : 0.9, b->robot.sum[0]);
    }
}

static void test_set_points_that_cease_lead_to_rest_within_100_ms(void)
{
    b->target = sine;
    bench_start(b, 1);
    arm_and_run(2 * S);
    b->mute = true;
    bench_run(b, 2 * S + 120 * MS);
    TEST_ASSERT_EQUAL(ROBOT_HOLD, b->session.mode);
    TEST_ASSERT_EQUAL(ROBOT_STALE, b->session.reason);
    for (int i = 0; i < 6; i++) {
        TEST_ASSERT_TRUE(!(fabs(b->session.limiter.v[i]) > 0.0));
    }
}

static void test_no_arming_near_the_singularity_far_away_or_without_set_points(void)
{
    b->robot_model.start[4] = 81.0;
    bench_start(b, 1);
    bench_run(b, 100 * MS);
    TEST_ASSERT_EQUAL(ROBOT_SINGULAR, bench_arm(b));
    b->robot_model.start[4] = 79.0;
    bench_start(b, 1);
    b->mute = true;
    b->window.count = 0;
    b->now_ns = 0;
    bench_run(b, 100 * MS);
    TEST_ASSERT_EQUAL(ROBOT_NO_SETPOINT, bench_arm(b));
    b->mute = false;
    b->robot_model.start[0] += 3.0; /* the loop believes the robot stands elsewhere */
    bench_run(b, 120 * MS);
    TEST_ASSERT_EQUAL(ROBOT_FAR, bench_arm(b));
    b->robot_model.start[0] -= 3.0;
    bench_run(b, 140 * MS);
    TEST_ASSERT_EQUAL(ROBOT_FINE, bench_arm(b));
}

static void test_stop_is_told_for_100_ms_then_nothing_more(void)
{
    b->target = sine;
    b->robot_model.stop[0] =
        '\0'; /* a robot whose program does not listen to Stop: its timeout is the last line */
    bench_start(b, 1);
    arm_and_run(2 * S);
    (void)rsi_session_request(&b->model, &b->session, ROBOT_END, &b->window, b->now_ns);
    bench_run(b, 2 * S + 90 * MS);
    TEST_ASSERT_EQUAL(ROBOT_STOP, b->session.mode);
    TEST_ASSERT_NOT_NULL(strstr(b->session.last.bytes, "<Stop>1</Stop>"));
    bench_run(b, 3 * S);
    TEST_ASSERT_EQUAL(ROBOT_ENDED, b->session.mode);
    TEST_ASSERT_EQUAL_STRING("KSS29002 RSITimeout", krc_state_name(b->robot.state));
    TEST_ASSERT_EQUAL(ROBOT_SILENT, bench_arm(b)); /* no way back but opening the link again */
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_clean_pose_every_cycle_is_answered);
    RUN_TEST(test_clean_axes_every_cycle_is_answered);
    RUN_TEST(test_clean_at_12_ms_every_cycle_is_answered);
    RUN_TEST(test_clean_shouted_and_pretty_printed);
    RUN_TEST(test_lockstep_20000_cycles_all_answered_without_drift);
    RUN_TEST(test_loss_both_ways_never_steps_and_is_counted);
    RUN_TEST(test_reordered_and_doubled_telegrams_advance_once);
    RUN_TEST(test_a_duplicate_gets_the_same_bytes);
    RUN_TEST(test_malformed_telegrams_get_no_answer_and_are_counted);
    RUN_TEST(test_each_kind_of_malformed_telegram_has_its_reason);
    RUN_TEST(test_copies_of_a_foreign_sender_are_ignored);
    RUN_TEST(test_after_a_stall_only_the_newest_is_answered_and_the_robot_held);
    RUN_TEST(test_silence_of_50_cycles_holds_until_armed_again);
    RUN_TEST(test_a_new_port_after_silence_is_a_new_session_in_hold);
    RUN_TEST(test_a_new_port_elsewhere_is_refused);
    RUN_TEST(test_a_counter_that_begins_again_needs_a_second_of_silence);
    RUN_TEST(test_a_leap_of_the_counter_holds);
    RUN_TEST(test_the_silent_clamp_is_found_within_200_ms_and_named);
    RUN_TEST(test_the_loud_monitor_stops_the_simulated_robot);
    RUN_TEST(test_a_step_of_400_mm_never_reaches_the_robot);
    RUN_TEST(test_two_robots_at_150_ppm_for_60_s);
    RUN_TEST(test_holdon_0_in_absolute_mode_trips_the_robot_and_holdon_1_does_not);
    RUN_TEST(test_relative_mode_adds_up_and_holdon_repeats_the_increment);
    RUN_TEST(test_set_points_that_cease_lead_to_rest_within_100_ms);
    RUN_TEST(test_no_arming_near_the_singularity_far_away_or_without_set_points);
    RUN_TEST(test_stop_is_told_for_100_ms_then_nothing_more);
    return UNITY_END();
}
