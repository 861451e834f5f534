/* SPDX-License-Identifier: GPL-3.0-or-later */
/* integrate.c - the lab's own integrator: classic Runge-Kutta of fourth order. */
#include "tools/lab/integrate.h"

#include "model/mat.h"
#include "model/so3.h"

void integrate_step(double *y, int n, double offset_s, double h_s, integrate_rate *rate, void *user)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double at[INTEGRATE_MOST], k[INTEGRATE_MOST], sum[INTEGRATE_MOST];

    for (int i = 0; i < n; i++) {
        k[i] = sum[i] = 0.0;
    }
    for (int stage = 0; stage < 4; stage++) {
        const double step = node[stage] * h_s;

        for (int i = 0; i < n; i++) {
            at[i] = y[i] + step * k[i];
        }
        rate(user, offset_s + step, at, k);
        mat_add_scaled(sum, weight[stage], k, n);
    }
    mat_add_scaled(y, h_s / 6.0, sum, n);
}

void integrate_put(double y[static INTEGRATE_FRAME], const struct pose *g)
{
    mat_copy(y, g->R, 9);
    mat_copy(y + 9, g->p, 3);
}

void integrate_get(struct pose *g, const double y[static INTEGRATE_FRAME])
{
    mat_copy(g->R, y, 9);
    mat_copy(g->p, y + 9, 3);
}

void integrate_frame(double dy[static INTEGRATE_FRAME], const double y[static INTEGRATE_FRAME],
                     const double V[static 6])
{
    const double *w = V + 3;

    /* rows of R [w] are (row of R) x w */
    for (int i = 0; i < 9; i += 3) {
        mat_cross3(dy + i, y + i, w);
    }
    mat_vec3(dy + 9, y, V);
}

void integrate_tidy(double y[static INTEGRATE_FRAME])
{
    so3_orthonormalise(y);
}
