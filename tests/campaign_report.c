/* SPDX-License-Identifier: GPL-3.0-or-later */
/* campaign_report.c - the tables of the estimator report. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "estimation/predict.h"

#include "tests/campaign.h"

#define DEG 57.29577951308232

static struct campaign_run run[CAMPAIGN_RUNS];
static struct tumble body;
static struct vision_state state;
static int failures;

enum field { POSITION, ATTITUDE, VELOCITY, RATE };

static double field_of(const struct campaign_error *e, enum field f)
{
    return f == POSITION   ? e->position * 1e3
           : f == ATTITUDE ? e->attitude * DEG
           : f == VELOCITY ? e->velocity * 1e3
                           : e->rate * DEG;
}

/* mark -1: the bound, -2: the paper's filter */
static double quantile(int runs, int mark, enum field f, double share)
{
    static double x[CAMPAIGN_RUNS];

    for (int i = 0; i < runs; i++) {
        x[i] = field_of(mark == -2   ? &run[i].paper
                        : mark == -1 ? &run[i].bound
                                     : &run[i].ours[mark],
                        f);
    }
    return campaign_quantile(x, runs, share);
}

static double mean_of(int runs, size_t offset)
{
    double sum = 0.0;

    for (int i = 0; i < runs; i++) {
        double x;

        memcpy(&x, (const char *)&run[i] + offset, sizeof x);
        sum += x;
    }
    return sum / runs;
}

static double quantile_of(int runs, size_t offset, double share)
{
    static double x[CAMPAIGN_RUNS];

    for (int i = 0; i < runs; i++) {
        memcpy(&x[i], (const char *)&run[i] + offset, sizeof x[i]);
    }
    return campaign_quantile(x, runs, share);
}

static void row(FILE *out, const char *what, double value, double least, double most)
{
    const bool good = value >= least && value <= most;

    failures += good ? 0 : 1;
    fprintf(out, "| %-46s | %9.3f | %5.4g .. %-5.4g | %s |\n", what, value, least, most,
            good ? "yes" : "NO ");
}

static void draw_runs(const struct tumble_case *c, const struct vision_model *m, int runs,
                      uint64_t seed, bool with_bound)
{
    for (int i = 0; i < runs; i++) {
        run[i].state = &state;
        tumble_draw(&body, c, seed + (uint64_t)i);
        campaign_run(&run[i], m, &body, with_bound);
    }
}

static void totals(int runs, int *compared, int *gated, int *valid, int *beyond)
{
    *compared = *gated = *valid = *beyond = 0;
    for (int i = 0; i < runs; i++) {
        *compared += run[i].compared;
        *gated += run[i].gated;
        *valid += run[i].valid_rows;
        *beyond += run[i].beyond;
    }
}

static void three(FILE *out, int runs, const char *name, int mark)
{
    fprintf(out, "| %s | %.2f / %.2f | %.2f / %.2f |\n", name, quantile(runs, mark, POSITION, 0.5),
            quantile(runs, mark, POSITION, 0.95), quantile(runs, mark, ATTITUDE, 0.5),
            quantile(runs, mark, ATTITUDE, 0.95));
}

static void acceptance(FILE *out, int runs, uint64_t seed)
{
    static const double limit[3][4] = {
        {4.8, 0.84, 2.0, 0.40}, {2.8, 0.64, 0.55, 0.15}, {1.4, 0.31, 0.11, 0.039}};
    static const char *const when[3] = {"+10 s", "+30 s", "+91 s"};
    static const char *const unit[4] = {"position, mm", "attitude, deg", "velocity, mm/s",
                                        "rate, deg/s"};
    struct vision_model m;
    int compared, gated, valid, beyond;
    char text[80];

    campaign_model(&m, &tumble_paper);
    draw_runs(&tumble_paper, &m, runs, seed, true);
    totals(runs, &compared, &gated, &valid, &beyond);
    fprintf(out, "## Acceptance scenario, %d runs from seed %llu\n\n", runs,
            (unsigned long long)seed);
    fprintf(out, "| %-46s | %9s | %-14s | met |\n|---|---|---|---|\n", "quantity", "found",
            "accepted");
    row(out, "first valid output, s after the first pose, 95 %",
        quantile_of(runs, offsetof(struct campaign_run, first_valid_s), 0.95), 0.0, 10.0);
    for (int k = 0; k < 3; k++) {
        for (int f = 0; f < 4; f++) {
            snprintf(text, sizeof text, "%s median %s", when[k], unit[f]);
            row(out, text, quantile(runs, k, (enum field)f, 0.5), 0.0, 1.2 * limit[k][f]);
        }
    }
    row(out, "lever, mm, median",
        1e3 * quantile_of(runs, offsetof(struct campaign_run, lever_m), 0.5), 0.0, 1.25);
    row(out, "lever, mm, 95 %",
        1e3 * quantile_of(runs, offsetof(struct campaign_run, lever_m), 0.95), 0.0, 4.75);
    row(out, "inertia (trace 3), median",
        quantile_of(runs, offsetof(struct campaign_run, inertia), 0.5), 0.0, 0.01);
    row(out, "inertia, 95 %", quantile_of(runs, offsetof(struct campaign_run, inertia), 0.95), 0.0,
        0.15);
    row(out, "20 s blind: position, mm, median", quantile(runs, 3, POSITION, 0.5), 0.0, 3.0);
    row(out, "20 s blind: position, mm, 95 %", quantile(runs, 3, POSITION, 0.95), 0.0, 8.0);
    row(out, "20 s blind: attitude, deg, median", quantile(runs, 3, ATTITUDE, 0.5), 0.0, 0.75);
    row(out, "20 s blind: attitude, deg, 95 %", quantile(runs, 3, ATTITUDE, 0.95), 0.0, 2.8);
    row(out, "20 s blind: worst position, mm", quantile(runs, 3, POSITION, 1.0), 0.0, 50.0);
    row(out, "ratio to least squares, position, median",
        quantile(runs, 3, POSITION, 0.5) / quantile(runs, -1, POSITION, 0.5), 0.0, 1.15);
    row(out, "ratio to least squares, position, 95 %",
        quantile(runs, 3, POSITION, 0.95) / quantile(runs, -1, POSITION, 0.95), 0.0, 1.5);
    row(out, "ratio to least squares, attitude, median",
        quantile(runs, 3, ATTITUDE, 0.5) / quantile(runs, -1, ATTITUDE, 0.5), 0.0, 1.15);
    row(out, "ratio to least squares, attitude, 95 %",
        quantile(runs, 3, ATTITUDE, 0.95) / quantile(runs, -1, ATTITUDE, 0.95), 0.0, 1.5);
    row(out, "mean NIS after 20 s", mean_of(runs, offsetof(struct campaign_run, nis)), 5.4, 6.8);
    row(out, "mean NEES of the pose of C", mean_of(runs, offsetof(struct campaign_run, nees)), 4.5,
        8.0);
    row(out, "poses wrongly gated, %", 100.0 * gated / compared, 0.0, 1.0);
    row(out, "valid rows beyond 5 sigma, %", 100.0 * beyond / valid, 0.0, 0.5);
    fprintf(out,
            "\n| 20 s blind, median / 95 %% | position, mm | attitude, deg |\n|---|---|---|\n");
    three(out, runs, "baseline: the paper's 21 states, corrected", -2);
    three(out, runs, "ours", 3);
    three(out, runs, "bound: whole-history least squares, started at the truth", -1);
}

static struct tumble_case variant(const char *name)
{
    struct tumble_case c = tumble_paper;

    c.name = name;
    return c;
}

/* One row of the table of hard cases. */
static void hard(FILE *out, const struct tumble_case *c, const struct vision_model *m, int runs,
                 uint64_t seed)
{
    int compared, gated, valid, beyond, late = 0;

    draw_runs(c, m, runs, seed, false);
    totals(runs, &compared, &gated, &valid, &beyond);
    for (int i = 0; i < runs; i++) {
        late += run[i].valid_late;
    }
    fprintf(out,
            "| %-34s | %6.1f / %6.1f | %5.2f / %5.2f | %4.1f | %4.2f %4.2f | %4.1f %5.1f | %5.2f | "
            "%3.0f | %5.1f |\n",
            c->name, quantile(runs, 3, POSITION, 0.5), quantile(runs, 3, POSITION, 0.95),
            quantile(runs, 3, ATTITUDE, 0.5), quantile(runs, 3, ATTITUDE, 0.95),
            compared > 0 ? 100.0 * gated / compared : 0.0,
            quantile_of(runs, offsetof(struct campaign_run, scale), 0.5),
            quantile_of(runs, offsetof(struct campaign_run, scale) + sizeof(double), 0.5),
            quantile_of(runs, offsetof(struct campaign_run, nis), 0.5),
            quantile_of(runs, offsetof(struct campaign_run, nees), 0.5),
            valid > 0 ? 100.0 * beyond / valid : 0.0, 100.0 * late / runs,
            quantile_of(runs, offsetof(struct campaign_run, first_valid_s), 0.95));
}

static void paper_cases(FILE *out, int runs, uint64_t seed)
{
    struct vision_model m;
    struct tumble_case c = variant("outliers 10 %, dropouts 15 %");

    campaign_model(&m, &c);
    c.outliers = 0.10;
    c.dropouts = 0.15;
    hard(out, &c, &m, runs, seed);
    c = variant("noise 3 x what is claimed");
    c.sigma_m *= 3.0;
    c.sigma_rad *= 3.0;
    c.claimed = 1.0 / 3.0;
    hard(out, &c, &m, runs, seed);
    c = variant("noise 1/3 of what is claimed");
    c.claimed = 3.0;
    c.sigma_m /= 3.0;
    c.sigma_rad /= 3.0;
    hard(out, &c, &m, runs, seed);
    c = variant("noise x 4 from 50 s on");
    c.louder_s = 50.0;
    c.louder_by = 4.0;
    hard(out, &c, &m, runs, seed);
    c = variant("delay 0.3 s, jitter 0.3 s, 10 % late");
    c.delay_s = c.jitter_s = 0.3;
    c.swapped = 0.1;
    hard(out, &c, &m, runs, seed);
    c = variant("10 % of attitudes flipped");
    c.flips = 0.1;
    hard(out, &c, &m, runs, seed);
    c = variant("no pose from 40 s to 55 s");
    c.gap_s[0] = 40.0;
    c.gap_s[1] = 55.0;
    hard(out, &c, &m, runs, seed);
    c = variant("6 wrong poses at 50 s");
    c.lie_s[0] = 50.0;
    c.lie_s[1] = 53.0;
    hard(out, &c, &m, runs, seed);
    c = variant("6 wrong poses at 18 s");
    c.lie_s[0] = 18.0;
    c.lie_s[1] = 21.0;
    hard(out, &c, &m, runs, seed);
    c = variant("pure spin about a principal axis");
    c.spin_axis = 1;
    hard(out, &c, &m, runs, seed);
}

static void envisat_cases(FILE *out, int runs, uint64_t seed)
{
    struct tumble_case c = variant("Envisat, flat spin");
    struct vision_model m;

    campaign_model(&m, &c);
    m.prior.position = 10.0;
    m.prior.velocity = 0.5;
    m.prior.lever = 3.0;
    c.inertia[0] = 17023.0;
    c.inertia[1] = 124826.0;
    c.inertia[2] = 129112.0;
    c.lever[0] = -2.9;
    c.rate[0] = c.rate[1] = 0.04363323129985824;
    c.spin_axis = 2;
    c.range_m = 5.0;
    c.sigma_m = 0.010;
    hard(out, &c, &m, runs, seed);
    c.name = "Envisat, 5 deg nutation";
    c.nutation_rad = 0.08726646259971647;
    hard(out, &c, &m, runs, seed);
    c.name = "the same, inertia known to 0.03";
    c.axes_rad = 0.0;
    m.prior.inertia = 0.03;
    tumble_draw(&body, &c, 1);
    for (int i = 0; i < 5; i++) {
        m.prior.d[i] = body.start.d[i];
    }
    c.axes_rad = 0.01;
    hard(out, &c, &m, runs, seed);
}

static double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void cost_row(FILE *out, const char *what, double *us, int n)
{
    const double median = campaign_quantile(us, n, 0.5), p99 = campaign_quantile(us, n, 0.99);

    fprintf(out, "| %s | %.2f | %.2f | %.2f |\n", what, median, p99, us[n - 1]);
}

/* Wall-clock time on this machine, whoever else runs on it: the worst is the scheduler's as much as ours. */
static void costs(FILE *out, uint64_t seed)
{
    static double us[20000];
    struct tumble_case c = tumble_paper;
    struct vision_model m;
    struct predict_model smooth;
    static struct predict_state cycle;
    static struct predict_snapshot shot;
    struct predict_output o;
    struct ekf_state last;
    const struct sighting_scale one = {1.0, 1.0};
    int n = 0;

    c.until_s = 130.0; /* 250 poses: the window is full */
    campaign_model(&m, &c);
    predict_defaults(&smooth);
    tumble_draw(&body, &c, seed);
    vision_init(&m, &state);
    vision_enable(&m, &state);
    for (int i = 0; i < body.count; i++) {
        struct ekf_state copy = state.now;
        struct ekf_innovation inn;
        const double from = now_us();

        if (state.tracking) {
            ekf_predict(&m.fit.target, &copy, 0.5);
            ekf_innovate(&inn, &copy, &body.pose[i], &one);
            ekf_correct(&copy, &inn);
            us[n++] = now_us() - from;
        }
        (void)vision_input(&m, &state, &body.pose[i]);
    }
    fprintf(out, "\n## Cost, microseconds of wall-clock time\n\n| what | median | 99 %% | worst |\n"
                 "|---|---|---|---|\n");
    cost_row(out, "predict 0.5 s + update", us, n);
    for (n = 0; n < 100; n++) {
        const double from = now_us();

        (void)window_fit(&m.fit, &state.track, &one, 3, &last);
        us[n] = now_us() - from;
    }
    cost_row(out, "refit of 240 poses, up to 3 passes", us, n);
    predict_publish(&shot, &m, &state, state.filter_ns + 1000000);
    predict_init(&cycle);
    for (n = 0; n < 20000; n++) {
        const double from = now_us();

        predict_step(&smooth, &cycle, &shot, state.filter_ns + (n + 1) * (int64_t)1000000, &o);
        us[n] = now_us() - from;
    }
    cost_row(out, "propagation in the control cycle", us, n);
    fprintf(out, "\nMemory: vision_state %zu bytes, predict_state %zu, nothing allocated\n",
            sizeof state, sizeof cycle);
}

int campaign_report(FILE *out, int runs, uint64_t seed)
{
    const int few = runs > 48 ? 48 : runs;

    if (runs < 1 || runs > CAMPAIGN_RUNS) {
        fprintf(stderr, "estimator_report: expected 1 to %d runs, found %d\n", CAMPAIGN_RUNS, runs);
        return 2;
    }
    failures = 0;
    acceptance(out, runs, seed);
    fprintf(out,
            "\n## Hard cases, %d runs each, 20 s blind, median / 95 %%\n\n"
            "| case | position, mm | attitude, deg | gated %% | scale found | NIS NEES | beyond 5 "
            "sigma %% | valid %% | first valid s |\n|---|---|---|---|---|---|---|---|---|\n",
            few);
    paper_cases(out, few, seed);
    envisat_cases(out, few > 24 ? 24 : few, seed);
    costs(out, seed);
    fprintf(out, "\n%d figures of the acceptance table are not met\n", failures);
    return failures > 0 ? 1 : 0;
}
