/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_session.c - see rsi_session.h. */
#include "drivers/rsi_session.h"

#include <math.h>
#include <stdio.h>

#include "drivers/abc.h"
#include "drivers/rsi_setpoint.h"

#define SILENT_CYCLES 3  /* a warning */
#define LOST_CYCLES   25 /* the relative motion is void */
#define BACKLOG_MAX   2  /* telegrams that may lie in the queue without being a stall */
#define RESTART_NS    1000000000
#define LIMITED_NS    50000000
#define ASTRAY_NS     100000000
#define STOP_NS       100000000
#define SAME_M        1e-3
#define SAME_RAD      (0.1 * BASE_PI / 180.0)
#define SPEED_KEEP    0.97 /* a cycle: what was fast 30 cycles ago still counts a third */

void rsi_session_init(struct rsi_session *s)
{
    memset(s, 0, sizeof *s);
}

RT_SAFE static void hold(struct rsi_session *s, enum robot_reason reason, int channel, double asked,
                         double seen)
{
    if (s->mode == ROBOT_RUN) {
        s->mode = ROBOT_HOLD;
        s->counts.holds++;
        s->reason = reason;
        s->channel = channel;
        s->asked = asked;
        s->seen = seen;
    }
}

RT_SAFE static const double *measured(const struct rsi_model *m, const struct rsi_telegram *t)
{
    return m->kind == RSI_POSE ? t->pose : t->axes;
}

RT_SAFE static bool is_metres(const struct rsi_model *m, int channel)
{
    return m->kind == RSI_POSE && channel < 3;
}

/* Does the robot stand where it stood? */
RT_SAFE static bool same_place(const struct rsi_model *m, const struct rsi_session *s,
                               const struct rsi_telegram *t)
{
    const double *a = measured(m, &s->now), *b = measured(m, t);
    bool same = true;

    for (int i = 0; i < 6; i++) {
        const double far = is_metres(m, i) ? b[i] - a[i] : abc_unwrap(b[i], a[i]) - a[i];

        same = same && fabs(far) <= (is_metres(m, i) ? SAME_M : SAME_RAD);
    }
    return same;
}

RT_SAFE static void begin(const struct rsi_model *m, struct rsi_session *s,
                          const struct rsi_telegram *t, struct rsi_peer from, int64_t arrival_ns)
{
    const bool first = !s->known;

    s->known = true;
    s->peer = from;
    s->ipoc = t->ipoc;
    s->step = 0;
    s->cycle = 0;
    s->seen_bits = 1;
    s->arrival_ns = arrival_ns;
    s->silent = false;
    s->now = *t;
    s->delay = t->delay;
    s->jitter_s = 0.0;
    s->waiting = 1;
    s->cycles_due = 1;
    memcpy(s->start, measured(m, t), sizeof s->start);
    memcpy(s->near, s->start, sizeof s->near);
    memset(s->speed, 0, sizeof s->speed);
    rsi_clock_start(&s->clock, m->cycle_ns, 0, arrival_ns);
    limiter_start(&s->limiter);
    s->counts.sessions++;
    if (s->mode == ROBOT_RUN) {
        s->counts.holds++;
    }
    if (first || s->mode == ROBOT_RUN || s->mode == ROBOT_HOLD) {
        s->mode = ROBOT_HOLD;
        s->reason = ROBOT_NEW_SESSION;
    }
}

/* How many cycles of the robot lie between the last IPOC and this one. */
RT_SAFE static int64_t advance(struct rsi_session *s, uint64_t ipoc)
{
    const uint64_t difference = ipoc - s->ipoc;

    if (s->step == 0 ||
        difference < s->step) { /* the first ones were lost, or this is the second telegram */
        s->step = difference;
        return 1;
    }
    return difference / s->step > INT32_MAX ? INT32_MAX
                                            : (int64_t)((difference + s->step / 2) / s->step);
}

/* A telegram older than the last: seen before, or overtaken on the way. */
RT_SAFE static void take_old(struct rsi_session *s, uint64_t ipoc)
{
    const uint64_t back = s->step > 0 ? (s->ipoc - ipoc) / s->step : 64;

    s->counts.old++;
    if (back < 64 && back <= (uint64_t)s->cycle && (s->seen_bits >> back & 1u) == 0) {
        s->seen_bits |= 1ull << back;
        s->counts.reordered++;
        s->counts.lost -= s->counts.lost > 0;
    }
}

/* |asked - measured| must stay below speed * loop delay + tolerance; the robot tells nobody when it clamps. */
RT_SAFE static void check_tracking(const struct rsi_model *m, struct rsi_session *s,
                                   int64_t passed_ns)
{
    const double *x = measured(m, &s->now);
    int worst = -1;
    double most = 1.0;

    for (int i = 0; i < 6; i++) {
        const double error = fabs(s->start[i] + s->limiter.x[i] - x[i]);
        const double room = s->speed[i] * 1e-9 * (double)m->loop_delay_ns +
                            (is_metres(m, i) ? m->tracking_m : m->tracking_rad);

        if (error / room > most) {
            most = error / room;
            worst = i;
        }
    }
    s->astray_ns = worst < 0 ? 0 : s->astray_ns + passed_ns;
    if (s->astray_ns >= ASTRAY_NS) {
        hold(s, ROBOT_TRACKING, worst, s->limiter.x[worst], x[worst] - s->start[worst]);
    }
}

/* Angles of the telegram without leaps against the one before. */
RT_SAFE static void take_place(const struct rsi_model *m, struct rsi_session *s,
                               const struct rsi_telegram *t)
{
    struct rsi_telegram next = *t;

    if (m->kind == RSI_POSE) {
        double R[9];

        abc_to_matrix(R, t->pose + 3);
        abc_from_matrix(next.pose + 3, R, s->now.pose + 3);
    }
    s->now = next;
}

RT_SAFE static void take_fresh(const struct rsi_model *m, struct rsi_session *s,
                               const struct rsi_telegram *t, int64_t arrival_ns)
{
    const uint64_t step = s->step;
    const int64_t steps = advance(s, t->ipoc), quiet_ns = arrival_ns - s->arrival_ns;

    s->counts.lost += (uint64_t)(steps - 1);
    s->seen_bits = steps < 64 ? s->seen_bits << steps | 1u : 1u;
    s->cycle += steps;
    s->ipoc = t->ipoc;
    s->arrival_ns = arrival_ns;
    s->silent = false;
    s->waiting++;
    s->cycles_due += steps;
    if (t->delay > s->delay) {
        s->counts.late += t->delay - s->delay;
    }
    s->delay = t->delay;
    take_place(m, s, t);
    if (steps >= LOST_CYCLES || (step != 0 && s->step != step)) {
        rsi_clock_start(&s->clock, m->cycle_ns, s->cycle, arrival_ns);
        s->jitter_s = 0.0;
    } else {
        s->jitter_s = rsi_clock_step(&s->clock, s->cycle, arrival_ns);
    }
    if (quiet_ns >= LOST_CYCLES * m->cycle_ns) {
        hold(s, ROBOT_LOST, 0, 1e-9 * (double)quiet_ns, 0.0);
    }
    if (steps >= LOST_CYCLES) {
        hold(s, ROBOT_JUMPED, 0, (double)steps, 0.0);
    }
    if (s->mode == ROBOT_RUN) {
        check_tracking(m, s, steps * m->cycle_ns);
    }
}

enum rsi_class rsi_session_receive(const struct rsi_model *m, struct rsi_session *s,
                                   const char *bytes, size_t n, struct rsi_peer from,
                                   int64_t arrival_ns)
{
    const bool stranger =
        s->known && (from.address != s->peer.address || from.port != s->peer.port);
    const int64_t quiet_ns = s->known ? arrival_ns - s->arrival_ns : 0;
    struct rsi_telegram t;
    enum rsi_reject reject;

    s->counts.telegrams++;
    if (stranger && (from.address != s->peer.address || quiet_ns < LOST_CYCLES * m->cycle_ns)) {
        s->counts.foreign++;
        return RSI_DROPPED;
    }
    reject = rsi_parse(&t, m, bytes, n);
    if (reject != RSI_UNDERSTOOD) {
        s->counts.rejected[reject]++;
        return RSI_DROPPED;
    }
    if (s->known && !stranger && t.ipoc == s->ipoc) {
        s->counts.duplicates++;
        return s->last.n > 0 && s->waiting == 0 ? RSI_KNOWN : RSI_DROPPED;
    }
    if (s->known && !stranger && t.ipoc > s->ipoc) {
        take_fresh(m, s, &t, arrival_ns);
        return RSI_FRESH;
    }
    if (s->known && !stranger && quiet_ns <= RESTART_NS) {
        take_old(s, t.ipoc);
        return RSI_DROPPED;
    }
    if (s->known && !same_place(m, s, &t)) {
        s->counts.moved++;
        return RSI_DROPPED;
    }
    begin(m, s, &t, from, arrival_ns);
    return RSI_FRESH;
}

/* One cycle of RUN: sample, limit. */
RT_SAFE static void follow(const struct rsi_model *m, struct rsi_session *s,
                           const struct robot_window *w, int64_t cycle)
{
    const int64_t at_ns = rsi_clock_instant(&s->clock, cycle) - m->sample_delay_ns;
    double wanted[6];
    const enum rsi_sampled how = rsi_setpoint_sample(wanted, m, w, at_ns, s->near);
    unsigned limited;

    if (how == RSI_STALE || how == RSI_NO_NUMBER) {
        const int64_t newest_ns = w->count > 0 ? w->target[w->count - 1].stamp_ns : at_ns;

        hold(s, how == RSI_STALE ? ROBOT_STALE : ROBOT_NOT_FINITE, 0,
             1e-9 * (double)(at_ns - newest_ns), 0.0);
        (void)limiter_ramp(&m->limiter, &s->limiter);
        return;
    }
    s->counts.extrapolated += how == RSI_EXTRAPOLATED;
    memcpy(s->near, wanted, sizeof wanted);
    for (int i = 0; i < 6; i++) {
        wanted[i] -= s->start[i];
    }
    limited = limiter_follow(&m->limiter, &s->limiter, wanted);
    s->counts.limited += limited != 0;
    s->limited_ns = limited != 0 ? s->limited_ns + m->cycle_ns : 0;
    if (s->limited_ns > LIMITED_NS) {
        int i = 0;

        while (i < 5 && (limited >> i & 1u) == 0) {
            i++;
        }
        hold(s, ROBOT_LIMITED, i, wanted[i], s->limiter.x[i]);
    }
}

/* One cycle of the robot. */
RT_SAFE static void move(const struct rsi_model *m, struct rsi_session *s,
                         const struct robot_window *w, int64_t cycle)
{
    if (s->mode == ROBOT_RUN) {
        follow(m, s, w, cycle);
    } else {
        (void)limiter_ramp(&m->limiter, &s->limiter);
    }
    for (int i = 0; i < 6; i++) {
        s->speed[i] = fmax(SPEED_KEEP * s->speed[i], fabs(s->limiter.v[i]));
    }
}

void rsi_session_answer(const struct rsi_model *m, struct rsi_session *s,
                        const struct robot_window *w, struct rsi_answer *answer)
{
    const int64_t due = s->cycles_due < LOST_CYCLES ? s->cycles_due : LOST_CYCLES;

    answer->n = 0;
    if (s->waiting == 0 || s->mode == ROBOT_ENDED) {
        s->waiting = 0;
        return;
    }
    s->counts.superseded += (uint64_t)(s->waiting - 1);
    if (s->waiting - 1 > BACKLOG_MAX) {
        hold(s, ROBOT_STALLED, 0, s->waiting - 1, 0.0);
    }
    for (int64_t i = 1; i <= due; i++) {
        move(m, s, w, s->cycle - due + i);
    }
    s->waiting = 0;
    s->cycles_due = 0;
    rsi_format(answer, m, s->ipoc, s->limiter.x, s->mode == ROBOT_STOP);
    s->last = *answer;
    s->counts.answered += answer->n > 0;
    if (s->mode == ROBOT_STOP && s->arrival_ns - s->stop_ns >= STOP_NS) {
        s->mode = ROBOT_ENDED;
    }
}

void rsi_session_tick(const struct rsi_model *m, struct rsi_session *s, int64_t now_ns)
{
    const int64_t quiet_ns = now_ns - s->arrival_ns;

    if (!s->known) {
        return;
    }
    if (!s->silent && quiet_ns >= SILENT_CYCLES * m->cycle_ns) {
        s->silent = true;
        s->counts.silences++;
    }
    if (quiet_ns >= LOST_CYCLES * m->cycle_ns) {
        hold(s, ROBOT_LOST, 0, 1e-9 * (double)quiet_ns, 0.0);
    }
}

RT_SAFE static enum robot_reason arm(const struct rsi_model *m, struct rsi_session *s,
                                     const struct robot_window *w, int64_t now_ns)
{
    double wanted[6];

    if (!s->known || s->mode == ROBOT_ENDED || s->mode == ROBOT_STOP ||
        now_ns - s->arrival_ns >= SILENT_CYCLES * m->cycle_ns) {
        return ROBOT_SILENT;
    }
    if (m->kind == RSI_POSE &&
        fabs(fabs(abc_unwrap(s->now.pose[4], 0.0)) - 0.5 * BASE_PI) < m->singular_rad) {
        s->seen = s->now.pose[4];
        return ROBOT_SINGULAR;
    }
    if (w->count == 0 || now_ns - w->target[w->count - 1].stamp_ns > 8000000) {
        return ROBOT_NO_SETPOINT;
    }
    rsi_setpoint_channels(wanted, m, &w->target[w->count - 1], measured(m, &s->now));
    for (int i = 0; i < 6; i++) {
        const double far = wanted[i] - s->start[i] - s->limiter.x[i];

        if (!(fabs(far) <= (is_metres(m, i) ? m->arm_m : m->arm_rad))) {
            s->channel = i;
            s->asked = wanted[i] - s->start[i];
            s->seen = s->limiter.x[i];
            return ROBOT_FAR;
        }
    }
    for (int i = 0; i < 6; i++) {
        s->near[i] = s->start[i] + s->limiter.x[i];
    }
    s->limited_ns = 0;
    s->astray_ns = 0;
    s->mode = ROBOT_RUN;
    return ROBOT_FINE;
}

enum robot_reason rsi_session_request(const struct rsi_model *m, struct rsi_session *s,
                                      enum robot_request request, const struct robot_window *w,
                                      int64_t now_ns)
{
    if (request == ROBOT_ARM && s->mode != ROBOT_RUN) {
        s->reason = arm(m, s, w, now_ns);
        return s->reason;
    }
    if (request == ROBOT_KEEP) {
        hold(s, ROBOT_ASKED, 0, 0.0, 0.0);
    }
    if (request == ROBOT_END && s->mode != ROBOT_ENDED && s->mode != ROBOT_STOP) {
        s->mode = s->known ? ROBOT_STOP : ROBOT_ENDED;
        s->reason = ROBOT_ASKED;
        s->stop_ns = s->arrival_ns;
    }
    return ROBOT_FINE;
}

void rsi_session_sample(const struct rsi_session *s, struct robot_sample *out)
{
    out->valid = s->known;
    out->has_pose = s->now.has_pose;
    out->has_axes = s->now.has_axes;
    out->stamp_ns = rsi_clock_instant(&s->clock, s->cycle);
    out->number = s->counts.telegrams;
    memcpy(out->pose.p, s->now.pose, sizeof out->pose.p);
    abc_to_matrix(out->pose.R, s->now.pose + 3);
    memcpy(out->axes_rad, s->now.axes, sizeof out->axes_rad);
}

void rsi_session_explain(const struct rsi_model *m, const struct rsi_session *s,
                         char out[static ROBOT_TEXT_MAX])
{
    const bool metres = is_metres(m, s->channel);
    const double unit = metres ? 1e3 : 180.0 / BASE_PI;
    const char *name = m->tags.channel[s->channel], *sign = metres ? "mm" : "deg";

    switch (s->reason) {
    case ROBOT_TRACKING:
        snprintf(out, ROBOT_TEXT_MAX,
                 "robot does not follow: %s asked %.3f %s, reached %.3f %s (clamped by POSCORR or "
                 "AXISCORR limits, "
                 "T1 speed, or stopped)",
                 name, unit * s->asked, sign, unit * s->seen, sign);
        break;
    case ROBOT_LIMITED:
    case ROBOT_FAR:
        snprintf(out, ROBOT_TEXT_MAX, "%s: %s wanted %.3f %s, at %.3f %s",
                 robot_reason_name(s->reason), name, unit * s->asked, sign, unit * s->seen, sign);
        break;
    case ROBOT_LOST:
        snprintf(out, ROBOT_TEXT_MAX, "robot silent for %.0f ms", 1e3 * s->asked);
        break;
    case ROBOT_STALE:
        snprintf(out, ROBOT_TEXT_MAX, "no new set-points for %.0f ms", 1e3 * s->asked);
        break;
    case ROBOT_STALLED:
    case ROBOT_JUMPED:
        snprintf(out, ROBOT_TEXT_MAX, "%s: %.0f telegrams", robot_reason_name(s->reason), s->asked);
        break;
    case ROBOT_SINGULAR:
        snprintf(out, ROBOT_TEXT_MAX,
                 "B = %.2f deg is nearer than %.1f deg to +-90: move the start pose, or use axes",
                 180.0 / BASE_PI * s->seen, 180.0 / BASE_PI * m->singular_rad);
        break;
    default:
        snprintf(out, ROBOT_TEXT_MAX, "%s", robot_reason_name(s->reason));
        break;
    }
}
