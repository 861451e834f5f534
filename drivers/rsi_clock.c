/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_clock.c - see rsi_clock.h. */
#include "drivers/rsi_clock.h"

#include <math.h>

#define BIN_S     0.25
#define SLOPE_MAX 300e-6 /* clocks of robots are within 200 ppm */

void rsi_clock_start(struct rsi_clock *c, int64_t cycle_ns, int64_t cycle, int64_t arrival_ns)
{
    memset(c, 0, sizeof *c);
    c->origin_ns = arrival_ns;
    c->cycle_ns = cycle_ns;
    c->first = cycle;
    c->least_y_s = HUGE_VAL;
}

RT_SAFE static double line(const struct rsi_clock *c, double x_s)
{
    return c->offset_s + c->slope * x_s;
}

/* Is the line through points i and k below all others, and does it pass the middle? */
RT_SAFE static bool touches(const struct rsi_clock *c, int i, int k, int n, double middle_s)
{
    const double slope = (c->y_s[k] - c->y_s[i]) / (c->x_s[k] - c->x_s[i]);

    if (!(c->x_s[i] <= middle_s && middle_s <= c->x_s[k])) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        if (c->y_s[j] < c->y_s[i] + slope * (c->x_s[j] - c->x_s[i]) - 1e-12) {
            return false;
        }
    }
    return true;
}

RT_SAFE static void fit(struct rsi_clock *c)
{
    const int n = c->count < RSI_CLOCK_BINS ? c->count : RSI_CLOCK_BINS;
    double middle_s = 0.0;

    for (int i = 0; i < n; i++) {
        middle_s += c->x_s[i] / n;
    }
    for (int i = 0; i < n && n > 1; i++) {
        for (int k = 0; k < n; k++) {
            if (c->x_s[k] > c->x_s[i] && touches(c, i, k, n, middle_s)) {
                c->slope = base_clamp((c->y_s[k] - c->y_s[i]) / (c->x_s[k] - c->x_s[i]), -SLOPE_MAX,
                                      SLOPE_MAX);
                c->offset_s = c->y_s[i] - c->slope * c->x_s[i];
                return;
            }
        }
    }
}

RT_SAFE static void close_bin(struct rsi_clock *c, double x_s)
{
    const int at = c->count % RSI_CLOCK_BINS;

    c->x_s[at] = c->least_x_s;
    c->y_s[at] = c->least_y_s;
    c->count++;
    c->bin_begin_s = x_s;
    c->least_y_s = HUGE_VAL;
    fit(c);
}

double rsi_clock_step(struct rsi_clock *c, int64_t cycle, int64_t arrival_ns)
{
    const int64_t nominal_ns = (cycle - c->first) * c->cycle_ns;
    const double x_s = 1e-9 * (double)nominal_ns;
    const double y_s = 1e-9 * (double)(arrival_ns - c->origin_ns - nominal_ns);

    if (y_s - c->slope * x_s < c->least_y_s - c->slope * c->least_x_s) {
        c->least_x_s = x_s;
        c->least_y_s = y_s;
    }
    if (y_s < line(c, x_s)) { /* nothing can be early: the line was too high */
        c->offset_s = y_s - c->slope * x_s;
    }
    if (x_s - c->bin_begin_s >= BIN_S) {
        close_bin(c, x_s);
    }
    return fmax(0.0, y_s - line(c, x_s));
}

int64_t rsi_clock_instant(const struct rsi_clock *c, int64_t cycle)
{
    const int64_t nominal_ns = (cycle - c->first) * c->cycle_ns;

    return c->origin_ns + nominal_ns +
           (int64_t)floor(1e9 * line(c, 1e-9 * (double)nominal_ns) + 0.5);
}
