/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handeye.c - rotation first, from the axes of relative motions; then the place, by linear least squares. */
#include "estimation/handeye.h"

#include <math.h>

#include "model/linear.h"
#include "model/mat.h"
#include "model/so3.h"

#define SPAN_LEAST 0.5236 /* 30 deg */
#define DISAGREE_RAD                                                                               \
    0.05 /* rms difference of the angles of A and B: far above any noise worth calibrating with */
#define PASSES 20

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* Motion from pose i to pose j: of the flange, A = g_i^-1 g_j, and of the camera, B = c_i c_j^-1. */
static void motions(struct pose *A, struct pose *B, const struct handeye_pair *i,
                    const struct handeye_pair *j)
{
    struct pose back;

    se3_relative(A, &i->robot, &j->robot);
    se3_inverse(&back, &j->marker);
    se3_mul(B, &i->marker, &back);
}

/* Greatest rotation between two poses, the greatest one across its axis, and how far A and B differ in angle. */
static double spans(struct handeye_result *r, const struct handeye_pair *pair, int n)
{
    double axis[3] = {0}, sum = 0.0;
    int count = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                struct pose A, B;
                double a[3], b[3], across[3], angle;

                motions(&A, &B, &pair[i], &pair[j]);
                so3_log(a, A.R);
                so3_log(b, B.R);
                angle = mat_norm3(a);
                if (pass == 0) {
                    sum += (angle - mat_norm3(b)) * (angle - mat_norm3(b));
                    count++;
                    if (angle > r->turn_span_rad) {
                        r->turn_span_rad = angle;
                        mat_scale(axis, 1.0 / angle, a, 3);
                    }
                    continue;
                }
                mat_cross3(across, a, axis);
                r->second_span_rad = greater(r->second_span_rad, mat_norm3(across));
            }
        }
    }
    return sqrt(sum / count);
}

/* R with a = R b in the least squares: Newton on the rotation, from the best of a grid of starts. */
static double align(double R[static 9], const double K[static 9])
{
    double trace = 0.0;

    for (int k = 0; k < PASSES; k++) {
        double G[9], g[3], S[9], e[3], D[9], T[9];

        /* G = K R': its trace is what is made greatest */
        mat_mul3_nt(G, K, R);
        trace = G[0] + G[4] + G[8];
        g[0] = G[7] - G[5];
        g[1] = G[2] - G[6];
        g[2] = G[3] - G[1];
        for (int i = 0; i < 9; i++) {
            S[i] = (i % 4 == 0 ? fabs(trace) + 1e-12 : 0.0) - 0.5 * (G[i] + G[3 * (i % 3) + i / 3]);
        }
        (void)linear_solve(e, S, g, 3, 1, NULL);
        if (mat_norm3(e) > 0.5) {
            mat_scale(e, 0.5 / mat_norm3(e), e, 3);
        }
        so3_exp(D, e);
        mat_mul3(T, D, R);
        mat_copy(R, T, 9);
        so3_orthonormalise(R);
    }
    return trace;
}

static void solve_rotation(double R[static 9], const struct handeye_pair *pair, int n)
{
    double K[9] = {0}, best = -HUGE_VAL;

    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            struct pose A, B;
            double a[3], b[3];

            motions(&A, &B, &pair[i], &pair[j]);
            so3_log(a, A.R);
            so3_log(b, B.R);
            if (mat_norm3(a) > 3.0) {
                continue; /* near half a turn the axis may have either sign */
            }
            for (int k = 0; k < 9; k++) {
                K[k] += a[k / 3] * b[k % 3];
            }
        }
    }
    for (int k = 0; k < 27; k++) {
        const int at[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        const double start[3] = {2.0 * at[0], 2.0 * at[1], 2.0 * at[2]};
        double T[9], trace;

        so3_exp(T, start);
        trace = align(T, K);
        if (trace > best) {
            best = trace;
            mat_copy(R, T, 9);
        }
    }
}

/* (R_A - 1) t = R_X t_B - t_A over all pairs */
static void solve_place(struct pose *X, const struct handeye_pair *pair, int n)
{
    double N[9] = {0}, g[3] = {0};

    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            struct pose A, B;
            double C[9], CC[9], y[3], z[3];

            motions(&A, &B, &pair[i], &pair[j]);
            mat_copy(C, A.R, 9);
            for (int k = 0; k < 3; k++) {
                C[4 * k] -= 1.0;
            }
            mat_vec3(y, X->R, B.p);
            mat_sub(y, y, A.p, 3);
            mat_mul3_tn(CC, C, C);
            mat_add(N, N, CC, 9);
            mat_vec3_t(z, C, y);
            mat_add(g, g, z, 3);
        }
    }
    (void)linear_solve(X->p, N, g, 3, 1, NULL);
}

/* The marker must be at one place in the base. */
static void scatter(struct handeye_result *r, const struct handeye_pair *pair, int n)
{
    double mean[6] = {0}, turn = 0.0, place = 0.0;
    struct pose m, first;

    for (int i = 0; i < n; i++) {
        double e[3], R[9];

        se3_mul(&m, &pair[i].robot, &r->camera);
        se3_mul(&m, &m, &pair[i].marker);
        if (i == 0) {
            first = m;
        }
        mat_mul3_tn(R, first.R, m.R);
        so3_log(e, R);
        mat_add_scaled(mean, 1.0 / n, m.p, 3);
        mat_add_scaled(mean + 3, 1.0 / n, e, 3);
    }
    so3_exp(m.R, mean + 3);
    mat_mul3(r->marker.R, first.R, m.R);
    mat_copy(r->marker.p, mean, 3);
    for (int i = 0; i < n; i++) {
        double e[3], R[9];

        se3_mul(&m, &pair[i].robot, &r->camera);
        se3_mul(&m, &m, &pair[i].marker);
        mat_mul3_tn(R, r->marker.R, m.R);
        so3_log(e, R);
        turn += mat_dot3(e, e) / n;
        r->turn_worst_rad = greater(r->turn_worst_rad, mat_norm3(e));
        mat_sub(e, m.p, r->marker.p, 3);
        place += mat_dot3(e, e) / n;
        if (mat_norm3(e) >= r->place_worst_m) {
            r->place_worst_m = mat_norm3(e);
            r->worst = i;
        }
    }
    r->turn_rms_rad = sqrt(turn);
    r->place_rms_m = sqrt(place);
}

enum handeye_verdict handeye_solve(struct handeye_result *r, const struct handeye_pair *pair, int n)
{
    double apart;

    memset(r, 0, sizeof *r);
    se3_identity(&r->camera);
    se3_identity(&r->marker);
    if (n < HANDEYE_LEAST || n > HANDEYE_MOST) {
        return HANDEYE_FEW;
    }
    apart = spans(r, pair, n);
    if (r->turn_span_rad < SPAN_LEAST) {
        return HANDEYE_SMALL;
    }
    if (r->second_span_rad < SPAN_LEAST) {
        return HANDEYE_ONE_AXIS;
    }
    if (!(apart < DISAGREE_RAD)) {
        return HANDEYE_DISAGREE;
    }
    solve_rotation(r->camera.R, pair, n);
    solve_place(&r->camera, pair, n);
    scatter(r, pair, n);
    return HANDEYE_GOOD;
}
