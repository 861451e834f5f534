/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capsule.c - how near two robots come, with every link taken for a rod with round ends. */
#include "tools/capsule.h"

#include <math.h>

#include "model/mat.h"

enum { POINTS = 5 };

/* Place of the point x on a-b, as a share of the way, nearest to p. */
static double share_of(const double a[static 3], const double u[static 3], const double p[static 3])
{
    const double n2 = mat_dot3(u, u);
    double x[3];

    mat_sub(x, p, a, 3);
    return n2 > 0.0 ? base_clamp(mat_dot3(x, u) / n2, 0.0, 1.0) : 0.0;
}

static double point_distance(const double a[static 3], const double u[static 3],
                             const double p[static 3])
{
    const double t = share_of(a, u, p);
    double x[3];

    for (int i = 0; i < 3; i++) {
        x[i] = a[i] + t * u[i] - p[i];
    }
    return mat_norm3(x);
}

/* Two segments are nearest at an end of one of them, or where the common normal of their lines meets both. */
double capsule_distance(const double a[static 3], const double b[static 3],
                        const double c[static 3], const double d[static 3])
{
    double u[3], v[3], n[3], w[3], x[3];

    mat_sub(u, b, a, 3);
    mat_sub(v, d, c, 3);
    mat_sub(w, c, a, 3);
    double least = fmin(fmin(point_distance(a, u, c), point_distance(a, u, d)),
                        fmin(point_distance(c, v, a), point_distance(c, v, b)));

    mat_cross3(n, u, v);
    const double n2 = mat_dot3(n, n);

    if (n2 > 0.0) {
        mat_cross3(x, w, v);
        const double s = mat_dot3(x, n) / n2;

        mat_cross3(x, w, u);
        const double t = mat_dot3(x, n) / n2;

        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
            least = fmin(least, fabs(mat_dot3(w, n)) / sqrt(n2));
        }
    }
    return least;
}

/* Foot, shoulder, elbow, wrist and flange in the lab. */
static void skeleton(double x[static POINTS][3], const struct pose *base,
                     const struct industrial_shape *s)
{
    static const double foot[3] = {0.0};
    const double *const point[POINTS] = {foot, s->at[1], s->at[2], s->at[3], s->flange.p};

    for (int i = 0; i < POINTS; i++) {
        se3_point(x[i], base, point[i]);
    }
}

double capsule_robots_gap(const struct cell *c, const struct industrial_shape *client,
                          const struct industrial_shape *servicer)
{
    double x[POINTS][3], y[POINTS][3], least = HUGE_VAL;

    skeleton(x, &c->base[CELL_CLIENT], client);
    skeleton(y, &c->base[CELL_SERVICER], servicer);
    for (int i = 0; i + 1 < POINTS; i++) {
        for (int j = 0; j + 1 < POINTS; j++) {
            least = fmin(least, capsule_distance(x[i], x[i + 1], y[j], y[j + 1]));
        }
    }
    return least - 2.0 * c->radius_m;
}
