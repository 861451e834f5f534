/* SPDX-License-Identifier: GPL-3.0-or-later */
/* feasible.c - can the robots of the laboratory carry out the missions of a configuration? */
#include "tools/feasible.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/mat.h"
#include "model/modes.h"
#include "model/random.h"

/* Robots take set-points every 4 ms: nothing between is commanded. */
#define SAMPLE_S 0.004

/* Opened limits: no motion of a robot is beyond these. */
#define OPEN_LIMIT 1e9

/* Passivity control held a latch up to this angle of the fastest oscillation within the delay (0.73 was too much). */
#define PASSIVE_ANGLE 0.37

/* Search of a shift, m. */
#define SHIFT_FIRST    0.4
#define SHIFT_HALVINGS 4
#define SHIFT_MOST     1.0
#define COARSE         10 /* every how many samples the search looks */

/* Motion must have begun by then, cycles: what holds it back does not go away. */
#define WAIT_MOST 10000

static const double nowhere[3] = {0.0, 0.0, 0.0};

int feasible_open(struct feasible *f, const struct config *c, const char *path)
{
    memset(f, 0, sizeof *f);
    f->path = path;
    f->runs = (int)config_integer(c, "check.runs");
    f->sim = aligned_alloc(64, (sizeof *f->sim + 63) / 64 * 64);
    f->config = malloc(sizeof *f->config);
    f->track = calloc((size_t)f->runs, sizeof *f->track);
    if (f->sim == NULL || f->config == NULL || f->track == NULL) {
        perror("freefall check");
        return -ENOMEM;
    }
    margin_limits(&f->limits, c);
    return cell_build(&f->cell, c, stderr);
}

static void forget(struct margin_track *t)
{
    free(t->sample);
    memset(t, 0, sizeof *t);
}

void feasible_close(struct feasible *f)
{
    for (int i = 0; f->track != NULL && i < f->runs; i++) {
        forget(&f->track[i]);
    }
    free(f->track);
    free(f->config);
    free(f->sim);
}

/* ---- dispersions ---- */

static int set_numbers(struct config *c, const char *key, const double *x, int n, const char *unit)
{
    char line[SCHEMA_TEXT_MAX];
    int used = snprintf(line, sizeof line, "%s=", key);

    for (int i = 0; i < n; i++) {
        used +=
            snprintf(line + used, sizeof line - (size_t)used, "%s%.15g", i > 0 ? " " : "", x[i]);
    }
    (void)snprintf(line + used, sizeof line - (size_t)used, "%s%s", unit[0] != '\0' ? " " : "",
                   unit);
    return config_set(c, line, stderr);
}

/* A body heavier by a factor, its shape the same. */
static int disperse_body(struct config *c, const char *mass, const char *inertia, double factor)
{
    double m = factor * config_number(c, mass), J[9];

    config_vector(c, inertia, 9, J);
    mat_scale(J, factor, J, 9);
    return set_numbers(c, mass, &m, 1, "kg") != 0 || set_numbers(c, inertia, J, 9, "kgm2") != 0
               ? -EINVAL
               : 0;
}

static int disperse_vector(struct config *c, const char *key, const char *unit, double sigma,
                           struct random_state *dice)
{
    double x[3];

    config_vector(c, key, 3, x);
    for (int i = 0; i < 3; i++) {
        x[i] += sigma * random_normal(dice);
    }
    return set_numbers(c, key, x, 3, unit);
}

/* The configuration of mission `run`: 0 is as written. */
static int disperse(struct config *c, int run)
{
    const double mass = config_number(c, "check.dispersion.mass");
    const double seed = (double)config_integer(c, "sim.seed") + run;
    struct random_state dice;

    if (run == 0) {
        return 0;
    }
    random_init(&dice, (uint64_t)config_integer(c, "sim.seed"), (uint64_t)run);
    /* three sigma at most: a body keeps a mass */
    const double client = 1.0 + mass * base_clamp(random_normal(&dice), -1.9, 3.0);
    const double servicer = 1.0 + mass * base_clamp(random_normal(&dice), -1.9, 3.0);

    if (disperse_body(c, "client.mass", "client.inertia", client) != 0 ||
        disperse_body(c, "servicer.mass", "servicer.inertia", servicer) != 0 ||
        disperse_vector(c, "client.rate", "rad/s", config_number(c, "check.dispersion.rate"),
                        &dice) != 0 ||
        disperse_vector(c, "start.position", "m", config_number(c, "check.dispersion.position"),
                        &dice) != 0 ||
        disperse_vector(c, "start.rotation", "rad", config_number(c, "check.dispersion.attitude"),
                        &dice) != 0) {
        return -EINVAL;
    }
    return set_numbers(c, "sim.seed", &seed, 1, "");
}

/* ---- flying ---- */

/* The controller's limits of speed and acceleration out of the way (not its box: who leaves that is stopped, and told so); robots that begin with speed follow exactly. */
static bool prepare(struct sim *s)
{
    struct control_model *m = &s->scenario.control;
    const bool running = m->nominal.form == NOMINAL_ABSOLUTE &&
                         mat_dot6(m->client_velocity, m->client_velocity) > 0.0;

    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        struct limit_model *l = &m->limit[i];

        l->speed_mps = l->rate_radps = l->acceleration_mps2 = l->rotation_radps2 = OPEN_LIMIT;
        l->jerk_mps3 = l->twitch_radps3 = OPEN_LIMIT;
        if (running) {
            m->lead_s[i] = 0.0;
            m->passivity[i].delay_cycles = 1;
            s->facility.world.robot[i] = (struct robot_model){.damping = 1.0};
        }
    }
    return running;
}

static int keep(struct margin_track *t, const struct loop *l)
{
    const double *wrench = l->in.wrench.value;
    struct margin_sample *to = NULL;

    if (t->count == t->most) {
        const int most = t->most > 0 ? 2 * t->most : 4096;
        struct margin_sample *more = realloc(t->sample, (size_t)most * sizeof *more);

        if (more == NULL) {
            return -ENOMEM;
        }
        t->sample = more;
        t->most = most;
    }
    to = &t->sample[t->count++];
    to->time_s = l->time_s;
    for (int i = 0; i < CELL_ROBOTS; i++) {
        to->body[i] = l->lab.truth.robot[i];
    }
    to->force_n = mat_norm3(wrench);
    to->torque_nm = mat_norm3(wrench + 3);
    return 0;
}

/* One mission of f->config. */
static int fly(struct feasible *f, struct margin_track *t, int run)
{
    struct sim *s = f->sim;
    int error = 0, code, every;

    forget(t);
    memset(s, 0, sizeof *s);
    s->config = *f->config;
    code = sim_open(s, f->path);
    if (code == 0) {
        f->running_start = prepare(s);
        code = sim_rewind(s, -1.0, true);
    }
    every = code == 0 ? (int)fmax(1.0, floor(SAMPLE_S / s->loop.control.dt_s + 0.5)) : 1;
    for (uint64_t n = 0; code == 0 && sim_step(s, &error);) {
        /* the first cycle of an absolute motion still has the robots at rest */
        if (s->loop.started && n++ % (uint64_t)every == (uint64_t)(every > 1)) {
            code = keep(t, &s->loop);
        }
        if (!s->loop.started && s->loop.cycle > WAIT_MOST) {
            break;
        }
    }
    if (code == 0 && t->count == 0) {
        fprintf(stderr,
                "freefall: %s: the motion does not begin: expected safety limits above what the "
                "sensors "
                "show at rest, and sim.duration above 4 ms; freefall sim shows more\n",
                f->path);
        code = -EINVAL;
    }
    t->run = run;
    t->duration_s = s->scenario.duration_s;
    t->stopped = s->verdict.mode != SAFETY_RUN;
    t->causes = s->verdict.causes;
    sim_close(s);
    return code;
}

/* ---- the contact loop ---- */

/* Mobility of a rigid body of these keys, felt at g in it. */
static void add_body(double Y[static 36], const struct config *c, const char *mass,
                     const char *inertia, const struct pose *g)
{
    double X[36] = {0}, J[9];

    config_vector(c, inertia, 9, J);
    (void)mat_inverse3(J, J);
    for (int i = 0; i < 3; i++) {
        X[7 * i] = 1.0 / config_number(c, mass);
        mat_copy(&X[6 * (i + 3) + 3], &J[3 * i], 3);
    }
    modes_add_mobility(Y, g, X);
}

/* How late the robots may be when the latch holds: its own damping takes out what a delay of damping / stiffness makes; the passivity
 * controller holds up to PASSIVE_ANGLE of the fastest oscillation. The arm is taken as stiff. */
static void contact_delay(struct feasible *f, const struct config *c)
{
    const double late = config_number(c, "robots.dead_time") +
                        config_number(c, "robots.interpolation") - config_number(c, "robots.lead");
    const double k[2] = {config_number(c, "latch.stiffness"),
                         config_number(c, "latch.stiffness_turn")};
    const double d[2] = {config_number(c, "latch.damping"), config_number(c, "latch.damping_turn")};
    struct margin *row = &f->report.least[MARGIN_DELAY];
    double K[36] = {0}, Y[36] = {0}, omega, bears;
    struct pose g_bG;

    if (!(k[0] > 0.0) || !(k[1] > 0.0)) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        K[7 * i] = k[i / 3];
    }
    se3_relative(&g_bG, &f->sim->scenario.place, &f->sim->scenario.grasp);
    add_body(Y, c, "client.mass", "client.inertia", &f->sim->scenario.grasp);
    add_body(Y, c, "servicer.mass", "servicer.inertia", &g_bG);
    omega = passivity_frequency(K, Y);
    bears = fmin(d[0] / k[0], d[1] / k[1]);
    if (config_flag(c, "passivity.control")) {
        bears = fmax(bears, PASSIVE_ANGLE / omega);
    }
    *row = (struct margin){.seen = true,
                           .value = late,
                           .limit = bears,
                           .room = bears - fmax(late, 0.0),
                           .need = (1.0 - f->limits.share) * bears,
                           .robot = -1,
                           .axis = -1};
}

int feasible_fly(struct feasible *f, const struct config *c)
{
    int code = 0;

    margin_clear(&f->report);
    for (int run = 0; code == 0 && run < f->runs; run++) {
        *f->config = *c;
        code = disperse(f->config, run);
        if (code == 0) {
            code = fly(f, &f->track[run], run);
        }
        if (code == 0) {
            margin_walk(&f->report, &f->cell, &f->limits, &f->track[run], nowhere, 1);
        }
    }
    if (code == 0) {
        contact_delay(f, c);
    }
    return code;
}

int feasible_first(const struct feasible *f)
{
    int first = -1;

    for (int i = 0; i < CELL_ROBOTS; i++) {
        const struct margin *m = &f->report.first[i];

        if (m->seen && (first < 0 || m->time_s < f->report.first[first].time_s)) {
            first = i;
        }
    }
    return first;
}

static bool stopped(const struct feasible *f)
{
    bool any = false;

    for (int i = 0; i < f->runs; i++) {
        any = any || f->track[i].stopped;
    }
    return any;
}

bool feasible_passes(const struct feasible *f)
{
    return margin_passes(&f->report) && !stopped(f);
}

/* ---- remedies ---- */

/* All missions, moved: until when they last. The score is that, and between shifts that last as long the one that lacks less is better (units mixed:
 * it only shows the way). */
static double until_with(const struct feasible *f, const double shift[static 3], int every,
                         double *score)
{
    const double end = f->track[0].duration_s;
    struct margin_report r;

    margin_clear(&r);
    for (int i = 0; i < f->runs; i++) {
        margin_walk(&r, &f->cell, &f->limits, &f->track[i], shift, every);
    }
    *score = margin_until(&r, end);
    for (int i = 0; i < CELL_ROBOTS; i++) {
        if (r.first[i].seen) {
            *score -= 1e-3 * base_clamp(r.first[i].need - r.first[i].room, 0.0, 1.0);
        }
    }
    return margin_until(&r, end);
}

/* Greedy along the axes of the lab, with smaller and smaller steps: the shift with which it goes on longest. */
static void find_shift(struct feasible *f)
{
    struct feasible_remedy *h = &f->remedy;
    const double end = f->track[0].duration_s;
    double best, unused, until = until_with(f, nowhere, COARSE, &best);
    const double without = until;

    for (int halving = 0; halving < SHIFT_HALVINGS && until < end; halving++) {
        const double step = ldexp(SHIFT_FIRST, -halving);

        for (int tries = 0, better = 1; better != 0 && tries < 8 && until < end; tries++) {
            better = 0;
            for (int k = 0; k < 6 && until < end; k++) {
                double shift[3], score = 0.0, lasts = 0.0;

                mat_copy(shift, h->shift_m, 3);
                shift[k / 2] += k % 2 == 0 ? step : -step;
                if (fabs(shift[k / 2]) > SHIFT_MOST) {
                    continue;
                }
                lasts = until_with(f, shift, COARSE, &score);
                if (score > best) {
                    best = score;
                    until = lasts;
                    better = 1;
                    mat_copy(h->shift_m, shift, 3);
                }
            }
        }
    }
    h->shift_until_s = until_with(f, h->shift_m, 1, &unused);
    h->shifted = h->shift_until_s > without + 0.1;
    h->shift_passes = h->shifted && h->shift_until_s >= end;
}

/* The same missions with the tumbling taken out of the lab. */
static int try_unforced(struct feasible *f, const struct config *c, int robot)
{
    struct margin_report keep_report = f->report;
    struct feasible_remedy *h = &f->remedy;
    const bool running = f->running_start;
    struct margin_track one = {0};
    int code = 0;

    margin_clear(&f->report);
    h->nominal = true;
    for (int run = 0; code == 0 && run < f->runs; run++) {
        *f->config = *c;
        code = config_set(f->config, "nominal.form=unforced", stderr);
        if (code == 0) {
            code = disperse(f->config, run);
        }
        if (code == 0) {
            code = fly(f, &one, run);
        }
        if (code == 0) {
            margin_walk(&f->report, &f->cell, &f->limits, &one, nowhere, 1);
            h->nominal = h->nominal && !one.stopped;
        }
    }
    if (code == 0) {
        h->nominal = h->nominal && margin_passes(&f->report);
        h->needs_m = f->report.travel_m[robot];
        h->of_m = margin_free_travel(&f->cell, &f->limits, &one, robot, f->report.direction[robot]);
    }
    forget(&one);
    f->report = keep_report;
    f->running_start = running;
    return code;
}

static void find_stop(struct feasible *f, int robot)
{
    const struct margin *first = &f->report.first[robot];
    const struct margin_track *t = &f->track[first->run];
    double speed = 0.0, last = -1.0;

    for (int k = 0; k < t->count && t->sample[k].time_s <= first->time_s; k++) {
        speed = mat_norm3(t->sample[k].body[robot].velocity);
    }
    last = first->time_s - speed / (LIMIT_HOLD_SHARE * f->limits.acceleration_mps2);
    f->remedy.stop_s = last > 0.1 ? floor(10.0 * last) / 10.0 : -1.0;
}

int feasible_help(struct feasible *f, const struct config *c)
{
    const int robot = feasible_first(f);

    memset(&f->remedy, 0, sizeof f->remedy);
    f->remedy.stop_s = -1.0;
    if (robot < 0) {
        return 0;
    }
    find_stop(f, robot);
    find_shift(f);
    return strcmp(config_text(c, "nominal.form"), "unforced") == 0 ? 0 : try_unforced(f, c, robot);
}
