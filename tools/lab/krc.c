/* SPDX-License-Identifier: GPL-3.0-or-later */
/* krc.c - see krc.h. */
#include "tools/lab/krc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/trig.h"

#define DEGREE (BASE_PI / 180.0)
#define ARM_DT 1e-3 /* s, of the arm's own steps */

void krc_default(struct krc_model *m, bool axes)
{
    static const char *const names[2][6] = {{"X", "Y", "Z", "A", "B", "C"},
                                            {"A1", "A2", "A3", "A4", "A5", "A6"}};
    static const double start[2][6] = {{1445.0, -18.1, 1990.0, 12.0, 34.0, -170.0},
                                       {0.0, -90.0, 90.0, 10.0, 45.0, 0.0}};

    memset(m, 0, sizeof *m);
    m->cycle_ns = 4000000;
    m->ipoc = 123645634;
    m->ipoc_step = 4;
    m->axes = axes;
    m->holdon = true;
    m->late_clears = true;
    m->precision = 6;
    m->timeout = 100;
    for (int i = 0; i < 6; i++) {
        m->low[i] = -5.0;
        m->high[i] = 5.0;
        m->start[i] = start[axes][i];
        snprintf(m->channel[i], KRC_NAME_MAX, "%s", names[axes][i]);
    }
    m->monitor_mm = m->monitor_deg = 6.0;
    m->drive_mm = 8.0; /* 2 m/s */
    m->drive_deg = 1.0;
    m->arm = (struct robot_model){
        .dead_time_s = 0.008, .period_s = 0.004, .bandwidth_hz = 15.0, .damping = 1.0};
    snprintf(m->sentype, KRC_NAME_MAX, "ImFree");
    snprintf(m->correction, KRC_NAME_MAX, "%s", axes ? "AKorr" : "RKorr");
    snprintf(m->stop, KRC_NAME_MAX, "Stop");
}

/* R = Rz(A) Ry(B) Rx(C), as three turns one after the other. */
static void turn(double R[static 9], int axis, double angle_deg)
{
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    double s, c;

    trig_sincos(&s, &c, angle_deg * DEGREE);
    for (int row = 0; row < 3; row++) {
        const double a = R[3 * row + j], b = R[3 * row + k];

        R[3 * row + j] = c * a + s * b;
        R[3 * row + k] = c * b - s * a;
    }
}

static void to_pose(struct pose *g, const double place[static 6])
{
    se3_identity(g);
    for (int i = 0; i < 3; i++) {
        g->p[i] = 1e-3 * place[i];
    }
    turn(g->R, 2, place[3]);
    turn(g->R, 1, place[4]);
    turn(g->R, 0, place[5]);
}

static void from_pose(double place[static 6], const struct pose *g)
{
    const double *R = g->R;

    for (int i = 0; i < 3; i++) {
        place[i] = 1e3 * g->p[i];
    }
    place[3] = trig_atan2(R[3], R[0]) / DEGREE;
    place[4] = trig_atan2(-R[6], hypot(R[0], R[3])) / DEGREE;
    place[5] = trig_atan2(R[7], R[8]) / DEGREE;
}

int krc_init(const struct krc_model *m, struct krc *k, int64_t t_ns)
{
    struct motion start;

    memset(k, 0, sizeof *k);
    memset(&start, 0, sizeof start);
    k->start_ns = t_ns;
    k->ipoc = m->ipoc - m->ipoc_step;
    k->answered = true;
    memcpy(k->place, m->start, sizeof k->place);
    memcpy(k->start, m->start, sizeof k->start);
    to_pose(&start.pose, m->start);
    return robot_init(&m->arm, &k->arm, &start, ARM_DT);
}

int64_t krc_instant(const struct krc_model *m, const struct krc *k)
{
    const double since_ns = (double)k->cycles * (double)m->cycle_ns;

    return k->start_ns + (int64_t)floor(since_ns * (1.0 + 1e-6 * m->ppm) + 0.5);
}

static bool is_mm(const struct krc_model *m, int i)
{
    return !m->axes && i < 3;
}

/* The correction of this cycle, from the answer or from its absence. */
static void correct(const struct krc_model *m, struct krc *k)
{
    double far = 0.0, turned = 0.0;

    for (int i = 0; i < 6; i++) {
        const double value = k->answered || m->holdon ? k->value[i] : 0.0;
        const double wanted = m->relative ? k->sum[i] + value : value;
        const double next = base_clamp(wanted, m->low[i], m->high[i]); /* silently */
        const double step = fabs(next - k->sum[i]);

        k->greatest_step[i] = fmax(k->greatest_step[i], step);
        if (step > (is_mm(m, i) ? m->drive_mm : m->drive_deg)) {
            k->state = KRC_DRIVE;
        }
        k->sum[i] = next;
        if (is_mm(m, i)) {
            far += next * next;
        } else {
            turned = fmax(turned, fabs(next));
        }
    }
    if (sqrt(far) > m->monitor_mm || turned > m->monitor_deg) {
        k->state = KRC_MONITOR;
    }
}

static void move_arm(const struct krc_model *m, struct krc *k)
{
    const int steps = (int)(m->cycle_ns / 1000000);
    const double lag = 2.0 * BASE_PI * m->arm.bandwidth_hz * 1e-9 * (double)m->cycle_ns;
    struct motion command, now;
    double place[6];

    for (int i = 0; i < 6; i++) {
        place[i] = k->start[i] + k->sum[i];
        if (m->axes) {
            k->place[i] += (place[i] - k->place[i]) * (lag > 0.0 ? lag / (1.0 + lag) : 1.0);
        }
    }
    if (m->axes) {
        return;
    }
    memset(&command, 0, sizeof command);
    to_pose(&command.pose, place);
    for (int i = 0; i < steps; i++) {
        robot_step(&m->arm, &k->arm, &command, 1);
    }
    robot_motion(&now, &k->arm);
    from_pose(k->place, &now.pose);
}

int krc_cycle(const struct krc_model *m, struct krc *k, char out[static KRC_TELEGRAM_MAX])
{
    if (k->state != KRC_RUNS) {
        return 0;
    }
    if (k->cycles > 0) {
        k->late = k->answered ? (m->late_clears ? 0 : k->late) : k->late + 1;
        k->missed += !k->answered;
        correct(m, k);
        move_arm(m, k);
    }
    if (k->state == KRC_RUNS && k->late >= (uint64_t)m->timeout) {
        k->state = KRC_TIMEOUT;
    }
    if (k->state == KRC_RUNS && k->told_stop) {
        k->state = KRC_STOPPED;
    }
    if (k->state != KRC_RUNS) {
        return 0;
    }
    k->ipoc += m->ipoc_step;
    k->cycles++;
    k->answered = false;
    return krc_write(m, k, out);
}

void krc_answer(const struct krc_model *m, struct krc *k, const char *bytes, int n)
{
    struct krc_heard h;

    krc_read(m, &h, bytes, n);
    if (!h.good) {
        k->malformed++;
    } else if (h.ipoc != k->ipoc) {
        k->wrong++;
    } else if (!k->answered) {
        k->answered = true;
        k->matched++;
        k->told_stop = k->told_stop || h.stop;
        memcpy(k->value, h.value, sizeof k->value);
    }
}

void krc_restart(const struct krc_model *m, struct krc *k, uint64_t ipoc)
{
    k->state = KRC_RUNS;
    k->ipoc = ipoc;
    k->answered = true;
    k->told_stop = false;
    k->late = 0;
    for (int i = 0; i < 6; i++) { /* the path goes on where the last correction led */
        k->start[i] += k->sum[i];
        k->sum[i] = 0.0;
        k->value[i] = 0.0;
    }
    (void)m;
}

const char *krc_state_name(enum krc_state state)
{
    static const char *const names[KRC_STATES] = {"runs", "KSS29002 RSITimeout",
                                                  "KSS29000 correction monitor", "drive fault",
                                                  "ended by Stop"};

    return (unsigned)state < KRC_STATES ? names[state] : "?";
}
