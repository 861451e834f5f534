/* SPDX-License-Identifier: GPL-3.0-or-later */
/* principal.c - eigen-decomposition of the inertia, with uncertainty. */
#include "estimation/principal.h"

#include "model/mat.h"
#include "model/so3.h"

#define N       TARGET_ERRORS
#define UNKNOWN 0.5 /* of the deviation believed before */

/* Columns of V into the order and sign nearest to the axes of C, right-handed. */
static void order(double value[static 3], double V[static 9])
{
    static const int permutation[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    double best = -1.0, W[9], l[3], cross[3];
    const int *take = permutation[0];

    for (int k = 0; k < 6; k++) {
        const int *c = permutation[k];
        const double sum = fabs(V[c[0]]) + fabs(V[3 + c[1]]) + fabs(V[6 + c[2]]);

        if (sum > best) {
            best = sum;
            take = c;
        }
    }
    for (int j = 0; j < 3; j++) {
        const double sign = V[3 * j + take[j]] < 0.0 ? -1.0 : 1.0;

        l[j] = value[take[j]];
        for (int i = 0; i < 3; i++) {
            W[3 * i + j] = sign * V[3 * i + take[j]];
        }
    }
    const double x[3] = {W[0], W[3], W[6]}, y[3] = {W[1], W[4], W[7]};

    mat_cross3(cross, x, y);
    for (int i = 0; i < 3; i++) {
        W[3 * i + 2] = cross[i];
    }
    mat_copy(V, W, 9);
    mat_copy(value, l, 3);
}

/* g of the inertia numbers with dl = g . dd: l = v' M v, and E_i = dM / dd_i. */
static void gradient(double g[static 5], const double v[static 3])
{
    for (int i = 0; i < 5; i++) {
        double e[5] = {0}, E[9], y[3];

        e[i] = 1.0;
        target_inertia(E, e);
        mat_vec3(y, E, v);
        g[i] = mat_dot3(v, y) - mat_dot3(v, v);
    }
}

/* sqrt(g' P g) over a block of P that begins at `from` */
static double deviation(const double *P, int from, const double *g, int n)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++) {
        sum += g[i] * mat_dot(P + N * (from + i) + from, g, n);
    }
    return sqrt(sum > 0.0 ? sum : 0.0);
}

void principal_find(struct principal *out, const struct ekf_state *s,
                    const struct start_prior *prior)
{
    double M[9], V[9], T[9], conjugate[4], g[3][5], between[5];
    double l[3];

    target_inertia(M, s->x.d);
    mat_eigen3(l, V, M);
    order(l, V);
    mat_copy(out->moment, l, 3);
    mat_transpose3(T, V);
    so3_to_quat(out->eta, T);
    mat_scale(conjugate, -1.0, out->eta, 3);
    conjugate[3] = out->eta[3];
    so3_quat_mul(out->q, s->x.mu, conjugate);
    mat_vec3(out->rho, T, s->x.rho);
    out->p_known = true;
    for (int k = 0; k < 3; k++) {
        gradient(g[k], T + 3 * k);
        out->moment_sigma[k] = deviation(s->P, TARGET_D, g[k], 5);
        out->moment_known[k] = out->moment_sigma[k] <= UNKNOWN * prior->inertia;
        out->rho_sigma[k] = deviation(s->P, TARGET_RHO, T + 3 * k, 3);
        out->rho_known[k] = out->rho_sigma[k] <= UNKNOWN * prior->lever;
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;

        out->p[k] = (l[i] - l[j]) / l[k];
        mat_sub(between, g[i], g[j], 5);
        out->p_known = out->p_known && out->moment_known[k] &&
                       fabs(l[i] - l[j]) > 2.0 * deviation(s->P, TARGET_D, between, 5);
    }
}
