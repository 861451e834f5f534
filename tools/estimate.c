/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate.c - freefall estimate: the vision filter over a file of poses, as it would have run.
 *
 * Causal: a row for time t has seen the poses that had arrived by t and no others.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimation/principal.h"
#include "model/mat.h"
#include "rt/sight.h"
#include "tools/command.h"
#include "tools/poses.h"

#define DEG   57.29577951308232
#define ROW_S 0.5
#define T_MAX 9e9 /* s: fits into 64 bits of ns */

enum { CONFIG, TIMES, SET, OUT };

const struct command_option estimate_options[] = {
    {"--config", "CONFIG.yaml", "take the keys vision.* of this file"},
    {"--times", "TIMES.csv", "rows at these times (column t) instead of every 0.5 s"},
    {"--set", "KEY=VALUE", "change a value of the configuration; may be given many times"},
    {"--out", "EST.csv", "where the estimate goes"},
    {NULL, NULL, NULL},
};

static const char *const pose_columns[] = {"seq", "t_img",   "t_rx",     "valid", "px",
                                           "py",  "pz",      "qx",       "qy",    "qz",
                                           "qw",  "sigma_r", "sigma_th", NULL};
static const char *const time_columns[] = {"t", NULL};

enum { SEQ, T_IMG, T_RX, VALID, P, Q = P + 3, SIGMA_R = Q + 4, SIGMA_TH, COLUMNS };

/* All that a call needs; too large for the stack. */
struct work {
    struct config config;
    struct sight sight;
    struct vision_state state;
    struct paper_state paper;
    struct poses poses, times;
    double next[COLUMNS]; /* the pose not yet arrived */
    bool has_next;
    double first_image_s, last_arrival_s, first_valid_s;
    int rows, valid_rows;
    FILE *out;
};

static int64_t ns_of(double s)
{
    return (int64_t)floor(s * 1e9 + 0.5);
}

/* Read one pose ahead. */
static int fetch(struct work *w)
{
    double v[COLUMNS];
    const int code = poses_next(&w->poses, v);

    w->has_next = code > 0;
    if (code <= 0) {
        return code;
    }
    if (!(fabs(v[T_RX]) < T_MAX) || !(fabs(v[T_IMG]) < T_MAX)) {
        fprintf(stderr, "%s:%d: error: expected times t_img and t_rx in s, found %g and %g\n",
                w->poses.path, w->poses.line, v[T_IMG], v[T_RX]);
        return -EINVAL;
    }
    if (v[T_RX] < w->last_arrival_s) {
        fprintf(stderr, "%s:%d: error: expected lines sorted by t_rx, found %.9g after %.9g\n",
                w->poses.path, w->poses.line, v[T_RX], w->last_arrival_s);
        return -EINVAL;
    }
    w->last_arrival_s = v[T_RX];
    memcpy(w->next, v, sizeof v);
    return 0;
}

static bool sigma_good(double x, double least)
{
    return x >= least && x <= 1.0;
}

/* A pose as the filter wants it; false if its numbers are none. */
static bool sighting_of(struct sighting *z, const struct work *w, const double *v)
{
    const bool given = v[SIGMA_R] > 0.0 && v[SIGMA_TH] > 0.0;
    const double sr = given ? v[SIGMA_R] : w->sight.sigma_m;
    const double st = given ? v[SIGMA_TH] : w->sight.sigma_rad;
    const double norm = sqrt(mat_dot(v + Q, v + Q, 4));

    memset(z, 0, sizeof *z);
    z->image_ns = ns_of(v[T_IMG]);
    z->receive_ns = ns_of(v[T_RX]);
    z->sequence = v[SEQ] >= 0.0 && v[SEQ] < 4294967296.0 ? (uint32_t)v[SEQ] : 0;
    mat_copy(z->p, v + P, 3);
    if (!(fabs(norm - 1.0) < 1e-3) || !base_all_finite(v + P, 7) || !sigma_good(sr, 1e-5) ||
        !sigma_good(st, 1e-4)) {
        return false;
    }
    mat_scale(z->q, 1.0 / norm, v + Q, 4);
    sighting_sigma(z, sr, st);
    return true;
}

/* Hand over all poses that have arrived by t. */
static int arrive(struct work *w, double t)
{
    while (w->has_next && ns_of(w->next[T_RX]) <= ns_of(t)) {
        struct sighting z;

        if (isnan(w->first_image_s)) {
            w->first_image_s = w->next[T_IMG];
        }
        vision_advance(&w->sight.model, &w->state, ns_of(w->next[T_RX]));
        if (w->next[VALID] > 0.5 && sighting_of(&z, w, w->next)) {
            if (w->sight.use_paper) {
                (void)paper_input(&w->sight.paper, &w->paper, &z);
            } else {
                (void)vision_input(&w->sight.model, &w->state, &z);
            }
        } else {
            w->state.count[VISION_NOT_VALID]++;
        }
        const int code = fetch(w);

        if (code < 0) {
            return code;
        }
    }
    return 0;
}

static int row(struct work *w, double t)
{
    struct vision_output o;
    const int code = arrive(w, t);

    if (code < 0) {
        return code;
    }
    w->rows++;
    const bool known = w->sight.use_paper ? paper_output(&w->sight.paper, &w->paper, ns_of(t), &o)
                                          : vision_output(&w->sight.model, &w->state, ns_of(t), &o);

    if (!known) {
        fprintf(w->out, "%.9g,0,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan\n", t);
        return 0;
    }
    if (o.valid) {
        w->valid_rows++;
        w->first_valid_s = isnan(w->first_valid_s) ? t : w->first_valid_s;
    }
    fprintf(w->out,
            "%.9g,%d,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g,"
            "%.12g,%.6g,%.6g\n",
            t, o.valid ? 1 : 0, o.p[0], o.p[1], o.p[2], o.q[0], o.q[1], o.q[2], o.q[3], o.v[0],
            o.v[1], o.v[2], o.w[0], o.w[1], o.w[2], o.sigma_m, o.sigma_rad);
    return 0;
}

/* Rows at the times of a file. */
static int rows_given(struct work *w, const char *path)
{
    double t, last = -T_MAX;
    int code = poses_open(&w->times, path, time_columns);

    while (code == 0 && (code = poses_next(&w->times, &t)) > 0) {
        if (!(fabs(t) < T_MAX) || t < last) {
            fprintf(stderr, "%s:%d: error: expected ascending times in s, found %g after %g\n",
                    path, w->times.line, t, last);
            code = -EINVAL;
            break;
        }
        last = t;
        code = row(w, t);
    }
    poses_close(&w->times);
    return code;
}

/* Rows every half second from the first arrival to the last. */
static int rows_regular(struct work *w)
{
    double k = w->has_next ? ceil(w->next[T_RX] / ROW_S - 1e-9) : 0.0;
    int code = 0;

    while (code == 0 && w->has_next) {
        code = row(w, ROW_S * k);
        k += 1.0;
    }
    return code;
}

static void print_inertia(const struct work *w)
{
    static const char axis[3] = {'x', 'y', 'z'};
    struct principal p;

    if (!w->state.tracking) {
        return;
    }
    principal_find(&p, &w->state.now, &w->sight.model.prior);
    for (int k = 0; k < 3; k++) {
        if (p.moment_known[k]) {
            printf("inertia %c   %.4f +- %.4f   of a sum of 3\n", axis[k], p.moment[k],
                   p.moment_sigma[k]);
        } else {
            printf("inertia %c   unknown: the motion has not shown it\n", axis[k]);
        }
    }
    if (p.p_known) {
        printf("p           %.4f %.4f %.4f\n", p.p[0], p.p[1], p.p[2]);
        printf("eta         %.5f %.5f %.5f %.5f   C to principal axes, x y z w\n", p.eta[0],
               p.eta[1], p.eta[2], p.eta[3]);
    } else {
        printf("p           unknown\neta         unknown\n");
    }
    for (int k = 0; k < 3; k++) {
        if (p.rho_known[k]) {
            printf("rho_t %c     %.1f +- %.1f mm\n", axis[k], 1e3 * p.rho[k], 1e3 * p.rho_sigma[k]);
        } else {
            printf("rho_t %c     unknown\n", axis[k]);
        }
    }
}

static void print_summary(struct work *w)
{
    const struct vision_state *s = &w->state;
    const struct sighting_scale scale = adapt_scale(&s->noise);

    printf("rows        %d, %d valid\n", w->rows, w->valid_rows);
    if (isnan(w->first_valid_s)) {
        printf("first valid never\n");
    } else {
        printf("first valid %.2f s after the first image\n", w->first_valid_s - w->first_image_s);
    }
    if (w->sight.use_paper) {
        printf("poses       %d\nfilter      paper: 21 states, for comparison\n", w->paper.poses);
        return;
    }
    for (int i = VISION_COLLECTED; i < VISION_OUTCOMES; i++) {
        if (i == VISION_ACCEPTED || i == VISION_GATED || s->count[i] > 0) {
            printf("%-11s %u\n", vision_outcome_name((enum vision_outcome)i), s->count[i]);
        }
    }
    printf("fits        %d of the window, %u restarts%s\n", s->refits, s->restarts,
           s->clock_fault ? ", CLOCK FAULT" : "");
    printf("noise       position %.2f, attitude %.2f times what was claimed (%.2f mm, %.3f deg for "
           "vision.sigma_r, sigma_theta)\n",
           scale.position, scale.attitude, 1e3 * scale.position * w->sight.sigma_m,
           DEG * scale.attitude * w->sight.sigma_rad);
    print_inertia(w);
    printf("mode        %s\n", vision_mode_name(s->mode));
    if (s->tracking && s->has_horizon) {
        printf("horizon     %.1f s after the last image\n",
               fmax(0.0, (double)(s->valid_until_ns - s->filter_ns) * 1e-9));
    }
}

static int configure(struct work *w, const char *path, int argc, char **argv)
{
    int code = 0;

    if (path != NULL) {
        code = config_read(&w->config, path, stderr);
    } else {
        store_init(&w->config.store, "defaults");
    }
    for (int i = 1; code == 0 && i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--set=", 6) == 0) {
            code = config_set(&w->config, argv[i] + 6, stderr);
        } else if (strcmp(argv[i], "--set") == 0 && i + 1 < argc) {
            code = config_set(&w->config, argv[++i], stderr);
        }
    }
    return code == 0 ? sight_build(&w->sight, &w->config, stderr) : code;
}

static int run(struct work *w, const char *path, const char *const *value)
{
    int code = poses_open(&w->poses, path, pose_columns);

    if (code != 0) {
        return COMMAND_CONFIG;
    }
    w->out = fopen(value[OUT], "w");
    if (w->out == NULL) {
        fprintf(stderr, "%s: error: could not be written: %s\n", value[OUT], strerror(errno));
        poses_close(&w->poses);
        return COMMAND_INTERNAL;
    }
    fprintf(w->out, "t,valid,px,py,pz,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,sig_pos,sig_att\n");
    vision_init(&w->sight.model, &w->state);
    vision_enable(&w->sight.model, &w->state);
    w->first_image_s = w->first_valid_s = (double)NAN;
    w->last_arrival_s = -T_MAX;
    code = fetch(w);
    if (code == 0) {
        code = value[TIMES] != NULL ? rows_given(w, value[TIMES]) : rows_regular(w);
    }
    poses_close(&w->poses);
    const bool written = !ferror(w->out);

    if (fclose(w->out) != 0 || !written) {
        fprintf(stderr, "%s: error: could not be written: %s\n", value[OUT], strerror(errno));
        return COMMAND_INTERNAL;
    }
    if (code < 0) {
        return COMMAND_CONFIG;
    }
    print_summary(w);
    return COMMAND_PASS;
}

int estimate_main(int argc, char **argv)
{
    const char *value[4];
    struct work *w = calloc(1, sizeof *w);
    char **copy = calloc((size_t)argc + 1, sizeof *copy);
    int operands = 0, result = COMMAND_INTERNAL;

    if (w == NULL || copy == NULL) {
        perror("freefall estimate");
    } else {
        memcpy(copy, argv, (size_t)argc * sizeof *copy);
        operands = command_parse(estimate_options, value, argc, argv, 1);
        if (operands < 0) {
            result = COMMAND_USAGE;
        } else if (operands == 0) {
            result = command_refuse(argv[0], "expected a file of poses, MEAS.csv");
        } else if (value[OUT] == NULL) {
            result = command_refuse(argv[0], "expected --out EST.csv");
        } else if (configure(w, value[CONFIG], argc, copy) != 0) {
            result = COMMAND_CONFIG;
        } else {
            result = run(w, argv[1], value);
        }
    }
    free(copy);
    free(w);
    return result;
}
