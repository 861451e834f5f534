/* SPDX-License-Identifier: GPL-3.0-or-later */
/* margin.c - what a flown mission leaves of every limit of the two industrial robots. */
#include "tools/margin.h"

#include <math.h>
#include <string.h>

#include "model/mat.h"
#include "tools/capsule.h"

#define TRAVEL_STEP 0.01
#define TRAVEL_MOST 10.0

/* A robot on its way. */
struct walker {
    bool started, lost;
    double axis_rad[INDUSTRIAL_AXES];
    double from[3]; /* place of the flange at the start, lab */
    struct industrial_shape shape;
};

void margin_limits(struct margin_limits *l, const struct config *c)
{
    l->joint_rad = config_number(c, "check.joint");
    l->reach_m = config_number(c, "check.reach");
    l->singular_rad = config_number(c, "check.singular");
    l->overhead_m = config_number(c, "check.overhead");
    l->gap_m = config_number(c, "check.gap");
    l->share = config_number(c, "check.share");
    l->speed_mps = config_number(c, "robots.speed");
    l->rate_radps = config_number(c, "robots.rate");
    l->acceleration_mps2 = config_number(c, "robots.acceleration");
    l->rotation_radps2 = config_number(c, "robots.rotation");
    l->force_n = config_number(c, "safety.force");
    l->torque_nm = config_number(c, "safety.torque");
}

void margin_clear(struct margin_report *r)
{
    memset(r, 0, sizeof *r);
}

bool margin_good(const struct margin *m)
{
    return !m->seen || m->room >= m->need; /* a NaN is not good */
}

bool margin_passes(const struct margin_report *r)
{
    bool good = true;

    for (int i = 0; i < MARGIN_KINDS; i++) {
        good = good && margin_good(&r->least[i]);
    }
    return good;
}

double margin_until(const struct margin_report *r, double duration_s)
{
    double until = duration_s;

    for (int i = 0; i < CELL_ROBOTS; i++) {
        if (r->first[i].seen && r->first[i].time_s < until) {
            until = r->first[i].time_s;
        }
    }
    return until;
}

/* ---- one row ---- */

static void row(struct margin_report *r, enum margin_kind kind, struct margin m)
{
    struct margin *least = &r->least[kind];
    const int robot = m.robot;

    m.seen = true;
    if (!least->seen || !(m.room - m.need >= least->room - least->need)) {
        *least = m;
    }
    for (int i = 0; i < CELL_ROBOTS; i++) {
        struct margin *first = &r->first[i];

        if ((robot < 0 || robot == i) && !margin_good(&m) &&
            (!first->seen || m.time_s < first->time_s)) {
            *first = m;
            r->kind[i] = kind;
        }
    }
}

/* A value that must stay below a share of its limit. */
static void below(struct margin_report *r, enum margin_kind kind, struct margin at, double value,
                  double limit, double share)
{
    at.value = value;
    at.limit = limit;
    at.room = limit - fabs(value);
    at.need = (1.0 - share) * limit;
    row(r, kind, at);
}

/* A distance that must stay above need. */
static void above(struct margin_report *r, enum margin_kind kind, struct margin at, double value,
                  double need)
{
    at.value = at.room = value;
    at.limit = 0.0;
    at.need = need;
    row(r, kind, at);
}

/* ---- one robot at one instant ---- */

/* The reach of the wrist from axis 2, both ends. */
static void take_reach(struct margin_report *r, struct margin at, const struct cell *c,
                       const struct margin_limits *l, const struct industrial_shape *s)
{
    double arm[3], d;

    mat_sub(arm, s->at[3], s->at[1], 3);
    d = mat_norm3(arm);
    at.value = d;
    at.need = l->reach_m;
    at.limit = d - c->robot.reach_m[0] < c->robot.reach_m[1] - d ? c->robot.reach_m[0]
                                                                 : c->robot.reach_m[1];
    at.room = fabs(at.limit - d);
    row(r, MARGIN_REACH, at);
}

static void take_axes(struct margin_report *r, struct margin at, const struct cell *c,
                      const struct margin_limits *l, const double a[static INDUSTRIAL_AXES])
{
    const struct industrial_model *m = &c->robot;

    for (int i = 0; i < INDUSTRIAL_AXES; i++) {
        const bool low = a[i] - m->lower_rad[i] < m->upper_rad[i] - a[i];

        at.axis = i;
        at.value = a[i];
        at.limit = low ? m->lower_rad[i] : m->upper_rad[i];
        at.room = low ? a[i] - m->lower_rad[i] : m->upper_rad[i] - a[i];
        at.need = l->joint_rad;
        row(r, MARGIN_JOINT, at);
    }
}

static void take_singular(struct margin_report *r, struct margin at, const struct cell *c,
                          const struct margin_limits *l, const double a[static INDUSTRIAL_AXES])
{
    struct industrial_distance d;

    industrial_distance(&d, &c->robot, a);
    above(r, MARGIN_WRIST, at, d.wrist_rad, l->singular_rad);
    above(r, MARGIN_ELBOW, at, d.elbow_rad, l->singular_rad);
    above(r, MARGIN_OVERHEAD, at, d.overhead_m, l->overhead_m);
}

/* Twist and its change of the body, and of the axes that make it. */
static void take_rates(struct margin_report *r, struct margin at, const struct cell *c,
                       const struct margin_limits *l, const struct motion *body,
                       const struct industrial_shape *s)
{
    const struct industrial_model *m = &c->robot;
    double V[6], V_dot[6], speed[INDUSTRIAL_AXES], acceleration[INDUSTRIAL_AXES];

    below(r, MARGIN_SPEED, at, mat_norm3(body->velocity), l->speed_mps, l->share);
    below(r, MARGIN_RATE, at, mat_norm3(body->velocity + 3), l->rate_radps, l->share);
    below(r, MARGIN_ACCELERATION, at, mat_norm3(body->acceleration), l->acceleration_mps2,
          l->share);
    below(r, MARGIN_ROTATION, at, mat_norm3(body->acceleration + 3), l->rotation_radps2, l->share);
    se3_apply_Ad(V, &c->body[at.robot], body->velocity);
    se3_apply_Ad(V_dot, &c->body[at.robot], body->acceleration);
    if (!industrial_rates(speed, acceleration, s, V, V_dot)) {
        return; /* the row of the singularity says so */
    }
    for (int i = 0; i < INDUSTRIAL_AXES; i++) {
        at.axis = i;
        below(r, MARGIN_JOINT_SPEED, at, speed[i], m->speed_radps[i], l->share);
        below(r, MARGIN_JOINT_ACCELERATION, at, acceleration[i], m->acceleration_radps2[i],
              l->share);
    }
}

/* Axes for the flange: the roomiest at the start, the nearest later. False if there are none; `at` then tells how far it is. */
static bool solve(struct walker *w, struct margin *at, const struct cell *c,
                  const struct pose *flange)
{
    static const double middle[INDUSTRIAL_AXES] = {0.0};
    struct industrial_inverse s;
    int branch;

    industrial_inverse(&s, &c->robot, flange, w->started ? w->axis_rad : middle);
    branch = w->started ? industrial_nearest(&s, w->axis_rad) : industrial_roomiest(&s, &c->robot);
    if (branch < 0 && s.exists != 0) { /* can be reached, but by no axes within their ranges */
        branch = industrial_nearest(&s, middle);
    }
    if (branch < 0) {
        at->room = -s.beyond_m;
        at->limit = c->robot.reach_m[1];
        at->value = at->limit + s.beyond_m;
        return false;
    }
    mat_copy(w->axis_rad, s.axis_rad[branch], INDUSTRIAL_AXES);
    w->started = true;
    return true;
}

static void walk_robot(struct margin_report *r, struct walker *w, const struct cell *c,
                       const struct margin_limits *l, const struct motion *body, struct margin at)
{
    struct pose flange, lab;
    double way[3];
    const bool began = w->started;

    cell_flange(&flange, c, at.robot, &body->pose);
    if (!solve(w, &at, c, &flange)) {
        at.need = l->reach_m;
        row(r, MARGIN_REACH, at);
        w->lost = true;
        return;
    }
    industrial_shape(&w->shape, &c->robot, w->axis_rad);
    take_reach(r, at, c, l, &w->shape);
    take_axes(r, at, c, l, w->axis_rad);
    take_singular(r, at, c, l, w->axis_rad);
    take_rates(r, at, c, l, body, &w->shape);
    se3_mul(&lab, &c->base[at.robot], &w->shape.flange);
    if (!began) {
        mat_copy(w->from, lab.p, 3);
    }
    mat_sub(way, lab.p, w->from, 3);
    if (mat_norm3(way) > r->travel_m[at.robot]) {
        r->travel_m[at.robot] = mat_norm3(way);
        mat_scale(r->direction[at.robot], 1.0 / mat_norm3(way), way, 3);
    }
    w->lost = r->first[at.robot].seen;
}

/* The worse of two missions, row by row. */
static void merge(struct margin_report *r, const struct margin_report *one)
{
    for (int i = 0; i < MARGIN_KINDS; i++) {
        if (one->least[i].seen) {
            row(r, (enum margin_kind)i, one->least[i]);
        }
    }
    for (int i = 0; i < CELL_ROBOTS; i++) {
        if (one->first[i].seen &&
            (!r->first[i].seen || one->first[i].time_s < r->first[i].time_s)) {
            r->first[i] = one->first[i];
            r->kind[i] = one->kind[i];
        }
        if (one->travel_m[i] > r->travel_m[i]) {
            r->travel_m[i] = one->travel_m[i];
            mat_copy(r->direction[i], one->direction[i], 3);
        }
    }
}

void margin_walk(struct margin_report *r, const struct cell *c, const struct margin_limits *l,
                 const struct margin_track *t, const double shift[static 3], int every)
{
    struct margin_report one;
    struct walker w[CELL_ROBOTS];
    struct margin at = {.robot = -1, .axis = -1, .run = t->run};

    margin_clear(&one);
    memset(w, 0, sizeof w);
    for (int k = 0; k < t->count; k += every) {
        const struct margin_sample *s = &t->sample[k];

        at.time_s = s->time_s;
        for (int i = 0; i < CELL_ROBOTS; i++) {
            struct motion body = s->body[i];

            mat_add(body.pose.p, body.pose.p, shift, 3);
            at.robot = i;
            if (!w[i].lost) {
                walk_robot(&one, &w[i], c, l, &body, at);
            }
        }
        at.robot = -1;
        below(&one, MARGIN_FORCE, at, s->force_n, l->force_n, l->share);
        below(&one, MARGIN_TORQUE, at, s->torque_nm, l->torque_nm, l->share);
        if (w[0].lost || w[1].lost) {
            continue;
        }
        above(&one, MARGIN_GAP, at, capsule_robots_gap(c, &w[0].shape, &w[1].shape), l->gap_m);
    }
    merge(r, &one);
}

double margin_free_travel(const struct cell *c, const struct margin_limits *l,
                          const struct margin_track *t, int robot, const double direction[static 3])
{
    struct margin_report r;
    struct walker w;
    struct motion body = t->sample[0].body[robot];
    struct margin at = {.robot = robot, .axis = -1};
    double way = 0.0;

    margin_clear(&r);
    memset(&w, 0, sizeof w);
    mat_zero(body.velocity, 6);
    mat_zero(body.acceleration, 6);
    while (way < TRAVEL_MOST) {
        walk_robot(&r, &w, c, l, &body, at);
        if (w.lost) {
            break;
        }
        way += TRAVEL_STEP;
        mat_add_scaled(body.pose.p, TRAVEL_STEP, direction, 3);
    }
    return way;
}
