/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robot.c - an industrial robot as a pose servo that is late. */
#include "tools/lab/robot.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"

/* How far from a whole number a quotient of two times may be and still mean it. */
#define WHOLE 1e-9

/* g <- g exp(V s + A s^2 / 2), the twist likewise: how a set-point goes on by itself. */
static void advance(struct motion *x, double s)
{
    double mean[6];

    for (int i = 0; i < 6; i++) {
        mean[i] = x->velocity[i] + 0.5 * s * x->acceleration[i];
        x->velocity[i] += s * x->acceleration[i];
    }
    if (fabs(s) > 0.0) {
        se3_step(&x->pose, mean, s);
    }
}

static bool finite_motion(const struct motion *x)
{
    return base_all_finite(x->pose.R, 9) && base_all_finite(x->pose.p, 3) &&
           base_all_finite(x->velocity, 6) && base_all_finite(x->acceleration, 6);
}

/* *n = t / dt; false if that is not a whole number from 0 to most */
static bool whole_cycles(int *n, double t_s, double dt_s, int most)
{
    const double x = t_s / dt_s, nearest = floor(x + 0.5);

    if (!(x >= 0.0 && nearest <= most && fabs(x - nearest) < WHOLE)) {
        return false;
    }
    *n = (int)nearest;
    return true;
}

static int check(const struct robot_model *m, struct robot_state *s, double dt_s)
{
    const double W = 2.0 * BASE_PI * m->bandwidth_hz, dead = m->dead_time_s / dt_s;

    if (!(dt_s > 0.0) || !base_finite(dt_s) || !(dead >= 0.0 && dead <= ROBOT_QUEUE - 2) ||
        !whole_cycles(&s->every, m->period_s, dt_s, ROBOT_QUEUE) ||
        !whole_cycles(&s->phase, m->phase_s, dt_s, s->every > 0 ? s->every - 1 : 0)) {
        return -EINVAL;
    }
    if (!(W >= 0.0 && W * dt_s <= 1.0) ||
        (m->bandwidth_hz > 0.0 ? !(m->damping > 0.0 && m->damping <= 10.0) : s->every > 0)) {
        return -EINVAL;
    }
    s->behind = (int)ceil(dead - WHOLE);
    s->ahead_s = fmax(0.0, s->behind * dt_s - m->dead_time_s);
    if (s->ahead_s < WHOLE * dt_s) {
        s->ahead_s = 0.0;
    }
    return 0;
}

/* The command of the dead time ago. */
static void delayed(struct motion *x, const struct robot_state *s)
{
    *x = s->queue[(s->cycle - (uint64_t)s->behind) % ROBOT_QUEUE];
    advance(x, s->ahead_s);
}

/* Straight screw from where the last set-point was to where the new one is, within one period. */
static void next_piece(struct robot_state *s)
{
    struct motion x;
    struct pose way;

    s->from = (struct motion){.pose = s->target};
    s->since_s = 0.0;
    delayed(&x, s);
    s->target = x.pose;
    se3_relative(&way, &s->from.pose, &s->target);
    se3_log(s->from.velocity, &way);
    mat_scale(s->from.velocity, 1.0 / (s->every * s->dt_s), s->from.velocity, 6);
}

static void update_path(struct robot_state *s)
{
    if (s->every == 0) {
        delayed(&s->from, s);
        s->since_s = 0.0;
    } else if (s->cycle % (uint64_t)s->every == (uint64_t)s->phase) {
        next_piece(s);
    } else {
        s->since_s += s->dt_s;
    }
}

/* Past of a robot that has followed this motion for ever, up to the end of the cycle before the first command. */
static void fill_past(struct robot_state *s, const struct motion *start)
{
    struct motion now = {.pose = start->pose}, end;

    mat_copy(now.velocity, start->velocity, 6);
    for (int i = 0; i < ROBOT_QUEUE; i++) { /* told i cycles before that one */
        struct motion *x = &s->queue[(s->cycle - (uint64_t)i) % ROBOT_QUEUE];

        *x = now;
        advance(x, -(i + 1) * s->dt_s);
    }
    delayed(&s->from, s);
    if (s->every >
        0) { /* the set-point in force was taken some cycles ago, at the end of the piece before */
        const int age = (int)((s->cycle - (uint64_t)s->phase) % (uint64_t)s->every);

        advance(&s->from, -(age + s->every) * s->dt_s);
        s->since_s = age * s->dt_s;
        end = s->from;
        advance(&end, s->every * s->dt_s);
        s->target = end.pose;
    }
    robot_path(&end, s, s->dt_s);
    integrate_put(s->y, &end.pose);
    mat_copy(s->y + INTEGRATE_FRAME, end.velocity, 6);
}

int robot_init(const struct robot_model *m, struct robot_state *s, const struct motion *start,
               double dt_s)
{
    memset(s, 0, sizeof *s);
    s->dt_s = dt_s;
    s->cycle = ROBOT_QUEUE;
    if (check(m, s, dt_s) != 0 || !finite_motion(start)) {
        return -EINVAL;
    }
    fill_past(s, start);
    return 0;
}

void robot_command(const struct robot_model *m, struct robot_state *s, const struct motion *command)
{
    const struct motion *last = &s->queue[s->cycle % ROBOT_QUEUE];

    (void)m;
    s->cycle++;
    s->refused = !finite_motion(command);
    if (s->refused) { /* a robot that hears nothing sensible stays at its last set-point */
        s->queue[s->cycle % ROBOT_QUEUE] = (struct motion){.pose = last->pose};
    } else {
        s->queue[s->cycle % ROBOT_QUEUE] = *command;
    }
    update_path(s);
}

void robot_path(struct motion *r, const struct robot_state *s, double offset_s)
{
    *r = s->from;
    advance(r, s->since_s + offset_s);
}

/* e = [p; (R - R')^ / 2] of the path seen from the body: the angle up to its third power, and smooth everywhere */
static void servo(double V_dot[static 6], const struct robot_model *m, const struct pose *body,
                  const double V[static 6], const struct motion *path)
{
    const double W = 2.0 * BASE_PI * m->bandwidth_hz, damping = 2.0 * m->damping * W;
    struct pose d;
    double wanted[6];

    se3_relative(&d, body, &path->pose);
    const double e[6] = {d.p[0],
                         d.p[1],
                         d.p[2],
                         0.5 * (d.R[7] - d.R[5]),
                         0.5 * (d.R[2] - d.R[6]),
                         0.5 * (d.R[3] - d.R[1])};
    se3_apply_Ad(wanted, &d, path->velocity);
    for (int i = 0; i < 6; i++) {
        V_dot[i] = W * W * e[i] + damping * (wanted[i] - V[i]);
    }
}

void robot_rate(struct motion *now, double dy[static ROBOT_STATE], const struct robot_model *m,
                const struct robot_state *s, const double y[static ROBOT_STATE], double offset_s)
{
    struct motion path;

    robot_path(&path, s, offset_s);
    if (!(m->bandwidth_hz > 0.0)) {
        *now = path;
        mat_zero(dy, ROBOT_STATE);
        return;
    }
    integrate_get(&now->pose, y);
    mat_copy(now->velocity, y + INTEGRATE_FRAME, 6);
    servo(now->acceleration, m, &now->pose, now->velocity, &path);
    integrate_frame(dy, y, now->velocity);
    mat_copy(dy + INTEGRATE_FRAME, now->acceleration, 6);
}

void robot_arrive(const struct robot_model *m, struct robot_state *s,
                  const double y[static ROBOT_STATE])
{
    struct motion now;
    double dy[ROBOT_STATE];

    mat_copy(s->y, y, ROBOT_STATE);
    integrate_tidy(s->y);
    robot_rate(&now, dy, m, s, s->y, s->dt_s);
    integrate_put(s->y, &now.pose);
    mat_copy(s->y + INTEGRATE_FRAME, now.velocity, 6);
    mat_copy(s->acceleration, now.acceleration, 6);
}

void robot_motion(struct motion *now, const struct robot_state *s)
{
    integrate_get(&now->pose, s->y);
    mat_copy(now->velocity, s->y + INTEGRATE_FRAME, 6);
    mat_copy(now->acceleration, s->acceleration, 6);
}

struct alone {
    const struct robot_model *m;
    const struct robot_state *s;
};

static void rate_alone(void *user, double offset_s, const double *y, double *dy)
{
    const struct alone *a = (const struct alone *)user;
    struct motion now;

    robot_rate(&now, dy, a->m, a->s, y, offset_s);
}

void robot_step(const struct robot_model *m, struct robot_state *s, const struct motion *command,
                int substeps)
{
    const double h = s->dt_s / substeps;
    struct alone alone = {m, s};
    double y[ROBOT_STATE];

    robot_command(m, s, command);
    mat_copy(y, s->y, ROBOT_STATE);
    for (int i = 0; i < substeps; i++) {
        integrate_step(y, ROBOT_STATE, i * h, h, rate_alone, &alone);
    }
    robot_arrive(m, s, y);
}
