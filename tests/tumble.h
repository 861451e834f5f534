/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tumble.h - a tumbling target and a camera that looks at it: truth and poses for the tests of the vision filter.
 *
 * Independent of the filter: the body turns in principal axes and inertial space by model/rigid (momentum and pose),
 * the centre of mass moves by Runge-Kutta on the Hill equations, and the least-squares bound differentiates this
 * simulation numerically.
 */
#ifndef FREEFALL_TUMBLE_H
#define FREEFALL_TUMBLE_H

#include "estimation/vision.h"
#include "model/random.h"
#include "model/rigid.h"

#define TUMBLE_POSES 600

/* What to draw, and how the camera behaves. */
struct tumble_case {
    const char *name;
    double inertia[3];   /* principal, any scale */
    double lever[3];     /* from the centre of mass to C, principal axes, m */
    double axes_rad;     /* rms turn of the principal axes from C, about each axis */
    double rate[2];      /* rad/s, least and greatest, in a random direction */
    int spin_axis;       /* -1: random direction; else about this principal axis */
    double nutation_rad; /* of such a spin */
    double range_m, drift_mps;
    double orbit_radps;
    double period_s, from_s, until_s;
    double sigma_m, sigma_rad; /* of each number of a pose */
    double claimed;            /* claimed over true deviation */
    double outliers;           /* share of poses that are grossly wrong */
    double dropouts;           /* share that is missing */
    double flips;              /* share with an attitude turned by 40 deg */
    double delay_s, jitter_s;  /* from image to arrival */
    double swapped;            /* share that arrives after its successor */
    double louder_s;           /* noise is louder_by times higher from here on; 0: never */
    double louder_by;
    double gap_s[2]; /* no poses in between */
    double lie_s[2]; /* poses of a motion that does not exist in between */
};

/* Motion at one instant. */
struct tumble_truth {
    double p[3], q[4]; /* C in A */
    double v[3];       /* of its origin, A axes */
    double w[3];       /* inertial, C axes */
};

/* One drawn run: the body at t = 0, in the filter's own unknowns too. */
struct tumble {
    const struct tumble_case *c;
    struct target_state start; /* at t = 0 */
    struct random_state random;
    int count;
    struct sighting pose[TUMBLE_POSES]; /* in the order of arrival */
    double error[6 * TUMBLE_POSES];
};

/* The acceptance scenario. */
extern const struct tumble_case tumble_paper;

/* Draw run number `seed` and all its poses. */
void tumble_draw(struct tumble *t, const struct tumble_case *c, uint64_t seed);

/* Motion from a start, at n ascending times. */
void tumble_motion(struct tumble_truth *out, const struct target_state *start, double orbit_radps,
                   const double *times_s, int n);

/* Least squares over all poses that have arrived by `by_s`, started at the truth; no prior. The solution at t = 0. */
void tumble_bound(struct target_state *best, const struct tumble *t, double by_s);

/* Distance of two poses: m and rad. */
double tumble_distance(const double a[static 3], const double b[static 3]);
double tumble_angle(const double a[static 4], const double b[static 4]);

#endif
