/* SPDX-License-Identifier: GPL-3.0-or-later */
/* campaign.h - the vision filter over drawn runs: errors, consistency, ratio to the bound. */
#ifndef FREEFALL_CAMPAIGN_H
#define FREEFALL_CAMPAIGN_H

#include <stdio.h>

#include "tests/tumble.h"

#define CAMPAIGN_RUNS  1000
#define CAMPAIGN_MARKS 4 /* 10 s, 30 s, 91 s after the first pose, and 20 s after the last */

/* Errors at one instant: m, rad, m/s, rad/s. */
struct campaign_error {
    double position, attitude, velocity, rate;
};

/* What one run gave. */
struct campaign_run {
    struct campaign_error ours[CAMPAIGN_MARKS];
    struct campaign_error bound; /* 20 s after the last pose */
    struct campaign_error paper; /* the paper's 21 states, there */
    double first_valid_s;        /* after the first pose; infinite if never */
    double nis, nees;            /* means after 20 s of tracking */
    double lever_m, inertia;     /* errors when the view is lost */
    double scale[2];             /* learnt noise over the claimed one */
    int compared, gated;
    int rows, beyond; /* valid outputs, and those with an error over 5 sigma */
    int valid_rows;
    bool valid_late; /* valid 20 s after the last pose */
    struct vision_state *state;
};

/* One run. with_bound: also the least squares. */
void campaign_run(struct campaign_run *r, const struct vision_model *m, const struct tumble *t,
                  bool with_bound);

/* The k-th of n values that is not exceeded by the share of them: 0.5 is the median. Sorts x. */
double campaign_quantile(double *x, int n, double share);

/* The filter's model for a case. */
void campaign_model(struct vision_model *m, const struct tumble_case *c);

/* All tables; 0 if every figure of the acceptance table is met. */
int campaign_report(FILE *out, int runs, uint64_t seed);

#endif
