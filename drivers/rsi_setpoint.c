/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_setpoint.c - see rsi_setpoint.h. */
#include "drivers/rsi_setpoint.h"

#include "drivers/abc.h"

#define LATE_NS  3000000
#define STALE_NS 8000000

void rsi_setpoint_channels(double out[static 6], const struct rsi_model *m,
                           const struct robot_target *target, const double near[static 6])
{
    if (m->kind == RSI_AXES) {
        memcpy(out, target->axes_rad, 6 * sizeof out[0]);
        return;
    }
    memcpy(out, target->pose.p, 3 * sizeof out[0]);
    abc_from_matrix(out + 3, target->pose.R, near + 3);
}

/* Slope of channel i between two points, per second. */
RT_SAFE static double slope(const double a[static 6], const double b[static 6], int64_t a_ns,
                            int64_t b_ns, int i)
{
    return (b[i] - a[i]) / (1e-9 * (double)(b_ns - a_ns));
}

/* Cubic Hermite between y[1] and y[2] with slopes from the neighbours y[0] and y[3]. */
RT_SAFE static void cubic(double out[static 6], double y[4][6], const int64_t t[static 4],
                          int64_t at_ns)
{
    const double h = 1e-9 * (double)(t[2] - t[1]),
                 u = (double)(at_ns - t[1]) / (double)(t[2] - t[1]);

    for (int i = 0; i < 6; i++) {
        const double d1 =
            t[0] < t[1] ? slope(y[0], y[2], t[0], t[2], i) : slope(y[1], y[2], t[1], t[2], i);
        const double d2 =
            t[3] > t[2] ? slope(y[1], y[3], t[1], t[3], i) : slope(y[1], y[2], t[1], t[2], i);

        out[i] = y[1][i] * (1 + 2 * u) * (1 - u) * (1 - u) + y[2][i] * u * u * (3 - 2 * u) +
                 h * (d1 * u * (1 - u) * (1 - u) - d2 * u * u * (1 - u));
    }
}

/* Between the newest two, or beyond: at the last velocity. */
RT_SAFE static enum rsi_sampled beyond(double out[static 6], const struct rsi_model *m,
                                       const struct robot_window *w, int64_t t_ns,
                                       const double near[static 6])
{
    const struct robot_target *last = &w->target[w->count - 1];
    const int64_t age_ns = t_ns - last->stamp_ns;
    double before[6];

    if (age_ns > STALE_NS) {
        return RSI_STALE;
    }
    rsi_setpoint_channels(out, m, last, near);
    if (w->count > 1 && base_all_finite(out, 6)) {
        const struct robot_target *other = &w->target[w->count - 2];

        rsi_setpoint_channels(before, m, other, out);
        for (int i = 0; i < 6; i++) {
            out[i] +=
                slope(before, out, other->stamp_ns, last->stamp_ns, i) * 1e-9 * (double)age_ns;
        }
    }
    return age_ns > LATE_NS ? RSI_EXTRAPOLATED : RSI_SAMPLED;
}

RT_SAFE static void between(double out[static 6], const struct rsi_model *m,
                            const struct robot_window *w, int64_t t_ns, const double near[static 6])
{
    double y[4][6];
    int64_t t[4];
    int k = 1; /* the first newer than t_ns */

    while (k < w->count - 1 && w->target[k].stamp_ns <= t_ns) {
        k++;
    }
    for (int i = 0; i < 4; i++) {
        int at = k - 2 + i;

        at = at < 0 ? 0 : at >= w->count ? w->count - 1 : at;
        rsi_setpoint_channels(y[i], m, &w->target[at], i == 0 ? near : y[i - 1]);
        t[i] = w->target[at].stamp_ns;
    }
    cubic(out, y, t, t_ns < t[1] ? t[1] : t_ns);
}

enum rsi_sampled rsi_setpoint_sample(double out[static 6], const struct rsi_model *m,
                                     const struct robot_window *w, int64_t t_ns,
                                     const double near[static 6])
{
    enum rsi_sampled how = RSI_SAMPLED;

    if (w->count == 0) {
        return RSI_STALE;
    }
    if (w->count == 1 || t_ns >= w->target[w->count - 1].stamp_ns) {
        how = beyond(out, m, w, t_ns, near);
    } else {
        between(out, m, w, t_ns, near);
    }
    return how != RSI_STALE && !base_all_finite(out, 6) ? RSI_NO_NUMBER : how;
}
