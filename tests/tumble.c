/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tumble.c - the target, its poses, and the least-squares bound. */
#include "tests/tumble.h"

#include <stdlib.h>

#include "model/linear.h"
#include "model/mat.h"
#include "model/orbit.h"
#include "model/so3.h"

#define N      TARGET_ERRORS
#define STEP_S 0.05 /* (0.16 rad/s x 0.05 s)^5 is below rounding */

const struct tumble_case tumble_paper = {
    .name = "paper",
    .inertia = {4.0, 8.0, 5.0},
    .lever = {-0.15, 0.0, 0.0},
    .axes_rad = 0.15,
    .rate = {0.08, 0.16},
    .spin_axis = -1,
    .range_m = 1.5,
    .drift_mps = 0.004,
    .orbit_radps = 1.0381e-3,
    .period_s = 0.5,
    .from_s = 5.0,
    .until_s = 96.0,
    .sigma_m = 0.005,
    .sigma_rad = 0.017453292519943295,
    .claimed = 1.0,
};

double tumble_distance(const double a[static 3], const double b[static 3])
{
    double d[3];

    mat_sub(d, a, b, 3);
    return mat_norm3(d);
}

double tumble_angle(const double a[static 4], const double b[static 4])
{
    const double dot = fabs(mat_dot(a, b, 4));
    double d[4];

    mat_scale(d, mat_dot(a, b, 4) < 0.0 ? -1.0 : 1.0, b, 4);
    mat_sub(d, a, d, 4);
    return dot > 0.9 ? 4.0 * asin(0.5 * sqrt(mat_dot(d, d, 4))) : 2.0 * acos(dot);
}

/* Classical Runge-Kutta on the Hill equations. */
static void fly(double r[static 3], double v[static 3], double n, double h)
{
    double k[4][6], x[6], y[6];

    mat_copy(x, r, 3);
    mat_copy(x + 3, v, 3);
    for (int s = 0; s < 4; s++) {
        mat_copy(y, x, 6);
        if (s > 0) {
            mat_add_scaled(y, s == 3 ? h : 0.5 * h, k[s - 1], 6);
        }
        mat_copy(k[s], y + 3, 3);
        orbit_hill(k[s] + 3, n, y, y + 3);
    }
    for (int i = 0; i < 6; i++) {
        x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
    mat_copy(r, x, 3);
    mat_copy(v, x + 3, 3);
}

static void observe(struct tumble_truth *o, const struct rigid_model *m,
                    const struct rigid_state *s, const struct target_state *x, double n, double t)
{
    const double turn[3] = {0.0, 0.0, -n * t}, normal[3] = {0.0, 0.0, n};
    double Rz[9], R[9], V[6], w[3], rel[3];

    so3_exp(Rz, turn);
    mat_mul3(R, Rz, s->pose.R);
    so3_to_quat(o->q, R);
    rigid_velocity(V, m, s);
    mat_copy(o->w, V + 3, 3);
    mat_vec3_t(w, R, normal);
    mat_sub(rel, o->w, w, 3);
    mat_cross3(rel, rel, x->rho);
    mat_vec3(o->v, R, rel);
    mat_add(o->v, o->v, x->v, 3);
    mat_vec3(o->p, R, x->rho);
    mat_add(o->p, o->p, x->r, 3);
}

void tumble_motion(struct tumble_truth *out, const struct target_state *start, double orbit_radps,
                   const double *times_s, int n)
{
    static const double none[6] = {0};
    struct target_state x = *start;
    struct rigid_model m;
    struct rigid_state s;
    struct pose g;
    double M[9], V[6] = {0}, t = 0.0;

    target_inertia(M, x.d);
    const double inertia[6] = {M[0], M[4], M[8], M[1], M[2], M[5]};

    if (rigid_init(&m, 1.0, inertia) != 0) {
        abort();
    }
    se3_identity(&g);
    so3_from_quat(g.R, x.mu);
    mat_copy(V + 3, x.w, 3);
    rigid_start(&m, &s, &g, V);
    for (int i = 0; i < n; i++) {
        while (times_s[i] - t > 1e-12) {
            const double h = times_s[i] - t < STEP_S ? times_s[i] - t : STEP_S;

            rigid_step(&m, &s, none, h);
            fly(x.r, x.v, orbit_radps, h);
            t += h;
        }
        observe(&out[i], &m, &s, &x, orbit_radps, t);
    }
}

static void direction(struct random_state *r, double x[static 3], double length)
{
    for (int i = 0; i < 3; i++) {
        x[i] = random_normal(r);
    }
    mat_scale(x, length / mat_norm3(x), x, 3);
}

/* The body at t = 0. Principal axes B; R_cb turns them into C. */
static void draw_body(struct tumble *t)
{
    const struct tumble_case *c = t->c;
    struct target_state *x = &t->start;
    const double sum = (c->inertia[0] + c->inertia[1] + c->inertia[2]) / 3.0;
    double turn[3], R_cb[9], R_ac[9], D[9] = {0}, M[9], w[3] = {0}, lever[3];
    const double rate = c->rate[0] + (c->rate[1] - c->rate[0]) * random_uniform(&t->random);

    for (int i = 0; i < 3; i++) {
        turn[i] = c->axes_rad * random_normal(&t->random);
        D[4 * i] = c->inertia[i] / sum;
    }
    so3_exp(R_cb, turn);
    mat_mul3(M, R_cb, D);
    mat_mul3_nt(M, M, R_cb);
    target_numbers(x->d, M);
    mat_vec3(x->rho, R_cb, c->lever);
    if (c->spin_axis < 0) {
        direction(&t->random, w, rate);
    } else {
        w[c->spin_axis] = rate * cos(c->nutation_rad);
        w[(c->spin_axis + 1) % 3] = rate * sin(c->nutation_rad);
    }
    mat_vec3(x->w, R_cb, w);
    direction(&t->random, turn, 3.0 * random_uniform(&t->random));
    so3_exp(R_ac, turn);
    so3_to_quat(x->mu, R_ac);
    direction(&t->random, x->r, c->range_m);
    direction(&t->random, x->v, c->drift_mps);
    mat_vec3(lever, R_ac, x->rho);
    mat_sub(x->r, x->r, lever, 3);
}

static bool inside(const double range[static 2], double t)
{
    return t >= range[0] && t < range[1];
}

/* Noise and faults of one pose. */
static void spoil(struct tumble *t, struct sighting *z, const struct tumble_truth *truth, double at)
{
    const struct tumble_case *c = t->c;
    const double louder = c->louder_s > 0.0 && at >= c->louder_s ? c->louder_by : 1.0;
    double e[6], R[9], q[4];

    for (int i = 0; i < 6; i++) {
        e[i] = louder * (i < 3 ? c->sigma_m : c->sigma_rad) * random_normal(&t->random);
    }
    if (random_uniform(&t->random) < c->outliers) {
        double far[3];

        direction(&t->random, far, 0.05 + 0.5 * random_uniform(&t->random));
        mat_add(e, e, far, 3);
        direction(&t->random, far, 0.2 + 1.5 * random_uniform(&t->random));
        mat_add(e + 3, e + 3, far, 3);
    }
    if (random_uniform(&t->random) < c->flips) {
        double far[3];

        direction(&t->random, far, 0.7);
        mat_add(e + 3, e + 3, far, 3);
    }
    if (inside(c->lie_s, at)) {
        e[0] += 0.2;
        e[4] += 0.3;
    }
    mat_add(z->p, truth->p, e, 3);
    so3_exp(R, e + 3);
    so3_to_quat(q, R);
    so3_quat_mul(z->q, truth->q, q);
    sighting_sigma(z, c->claimed * c->sigma_m, c->claimed * c->sigma_rad);
}

static void draw_poses(struct tumble *t)
{
    const struct tumble_case *c = t->c;
    static double times[TUMBLE_POSES];
    static struct tumble_truth truth[TUMBLE_POSES];
    int n = 0;

    for (double at = c->from_s; at < c->until_s - 1e-9 && n < TUMBLE_POSES; at += c->period_s) {
        times[n++] = at;
    }
    tumble_motion(truth, &t->start, c->orbit_radps, times, n);
    t->count = 0;
    for (int i = 0; i < n; i++) {
        struct sighting *z = &t->pose[t->count];
        const bool missing = random_uniform(&t->random) < c->dropouts;
        const double delay = c->delay_s + c->jitter_s * random_uniform(&t->random);

        memset(z, 0, sizeof *z);
        spoil(t, z, &truth[i], times[i]);
        z->sequence = (uint32_t)i;
        z->image_ns = (int64_t)(times[i] * 1e9 + 0.5);
        z->receive_ns = z->image_ns + (int64_t)(delay * 1e9);
        if (missing || inside(c->gap_s, times[i])) {
            continue;
        }
        if (t->count > 0 && random_uniform(&t->random) < c->swapped) {
            const struct sighting later = *z;

            t->pose[t->count - 1].receive_ns = later.receive_ns + 1000;
            t->pose[t->count] = t->pose[t->count - 1];
            t->pose[t->count - 1] = later;
        }
        t->count++;
    }
}

void tumble_draw(struct tumble *t, const struct tumble_case *c, uint64_t seed)
{
    t->c = c;
    random_init(&t->random, seed, 8);
    draw_body(t);
    draw_poses(t);
}

/* ---- the bound: Gauss-Newton with numerical derivatives of the simulation ---- */

static void residuals(double *y, const struct target_state *start, const struct tumble *t, int n,
                      const double *times, struct tumble_truth *motion)
{
    const double sm = t->c->sigma_m, sr = 0.5 * t->c->sigma_rad;

    tumble_motion(motion, start, t->c->orbit_radps, times, n);
    for (int i = 0; i < n; i++) {
        const struct sighting *z = &t->pose[i];
        const double a[4] = {-motion[i].q[0], -motion[i].q[1], -motion[i].q[2], motion[i].q[3]};
        double q[4];

        so3_quat_mul(q, a, z->q);
        for (int k = 0; k < 3; k++) {
            y[6 * i + k] = (z->p[k] - motion[i].p[k]) / sm;
            y[6 * i + 3 + k] = (q[3] < 0.0 ? -q[k] : q[k]) / sr;
        }
    }
}

void tumble_bound(struct target_state *best, const struct tumble *t, double by_s)
{
    static double times[TUMBLE_POSES], y[6 * TUMBLE_POSES], J[N][6 * TUMBLE_POSES],
        minus[6 * TUMBLE_POSES];
    static struct tumble_truth motion[TUMBLE_POSES];
    double A[N * N], g[N], e[N];
    int n = 0;

    while (n < t->count && (double)t->pose[n].receive_ns * 1e-9 <= by_s) {
        times[n] = (double)t->pose[n].image_ns * 1e-9;
        n++;
    }
    *best = t->start;
    for (int pass = 0; pass < 4; pass++) {
        residuals(y, best, t, n, times, motion);
        for (int k = 0; k < N; k++) {
            const double h = 1e-5;
            struct target_state x = *best;

            mat_zero(e, N);
            e[k] = h;
            target_add(&x, e);
            residuals(J[k], &x, t, n, times, motion);
            x = *best;
            e[k] = -h;
            target_add(&x, e);
            residuals(minus, &x, t, n, times, motion);
            for (int i = 0; i < 6 * n; i++) {
                J[k][i] = (minus[i] - J[k][i]) / (2.0 * h);
            }
        }
        for (int i = 0; i < N; i++) {
            g[i] = mat_dot(J[i], y, 6 * n);
            for (int j = 0; j < N; j++) {
                A[N * i + j] = mat_dot(J[i], J[j], 6 * n);
            }
        }
        (void)linear_cholesky(A, A, N);
        linear_cholesky_solve(e, A, g, N, 1);
        target_add(best, e);
    }
}
