/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane.c - the sums that run across the lanes, where vectors do not help: written for few
 * instructions. */
#include "model/lane.h"

/* One row. The running sums stay in registers and leave in two wide stores. */
RT_SAFE LANE_INLINE void row_outwards(double y[static restrict LANES],
                                      const double x[static restrict LANES])
{
    const double s6 = x[6] + x[7], s5 = x[5] + s6, s4 = x[4] + s5, s3 = x[3] + s4;
    const double s2 = x[2] + s3, s1 = x[1] + s2, s0 = x[0] + s1;

    lane_put4(y, s0, s1, s2, s3);
    lane_put4(y + 4, s4, s5, s6, x[7]);
}

RT_SAFE void lane_sum_outwards(double y[static restrict 3][LANES],
                               double x[static restrict 3][LANES])
{
    row_outwards(y[0], x[0]);
    row_outwards(y[1], x[1]);
    row_outwards(y[2], x[2]);
}

#define STEP(x, sum, l)                                                                            \
    do {                                                                                           \
        (sum) = lane_add(LANE3(x, l), sum);                                                        \
        LANE3_PUT(x, l, sum);                                                                      \
    } while (0)

RT_SAFE void lane_sum_in_place(double x[static 3][LANES], int n)
{
    struct lane3 sum = LANE3(x, 6);

    if (n == LANES) {
        sum = lane_add(sum, LANE3(x, 7));
        LANE3_PUT(x, 6, sum);
    }
    STEP(x, sum, 5);
    STEP(x, sum, 4);
    STEP(x, sum, 3);
    STEP(x, sum, 2);
    STEP(x, sum, 1);
    STEP(x, sum, 0);
}

RT_SAFE LANE_INLINE void row_from_base(double y[static restrict LANES],
                                       const double x[static restrict LANES])
{
    const double s1 = x[0] + x[1], s2 = s1 + x[2], s3 = s2 + x[3], s4 = s3 + x[4];
    const double s5 = s4 + x[5], s6 = s5 + x[6], s7 = s6 + x[7];

    lane_put4(y, x[0], s1, s2, s3);
    lane_put4(y + 4, s4, s5, s6, s7);
}

RT_SAFE void lane_sum_from_base(double y[static restrict 3][LANES],
                                double x[static restrict 3][LANES])
{
    row_from_base(y[0], x[0]);
    row_from_base(y[1], x[1]);
    row_from_base(y[2], x[2]);
}

RT_SAFE void lane_mend(double lane[static LANES], double limit)
{
    for (int l = 0; l < LANES; l++) {
        lane[l] = fabs(lane[l]) <= limit ? lane[l] : 0.0;
    }
}

/* A call by itself: in a loop over rows gcc turns the loop inside out and transposes. */
RT_SAFE void lane_subtract(double y[static restrict LANES], double factor,
                           const double x[static restrict LANES])
{
    for (int l = 0; l < LANES; l++) {
        y[l] -= factor * x[l];
    }
}

RT_SAFE void lane_subtract4(double y[static restrict 4], double factor,
                            const double x[static restrict 4])
{
    for (int l = 0; l < 4; l++) {
        y[l] -= factor * x[l];
    }
}

RT_SAFE void lane_products(double (*restrict M)[LANES], double (*restrict F)[LANES],
                           double (*restrict S)[LANES], const double *restrict extra, int n)
{
    for (int i = 0; i < n; i++) {
        const struct lane6 f = LANE6(F, i);

        for (int l = 0; l < LANES; l++) {
            M[i][l] = lane_dot6(f, LANE6(S, l));
        }
        M[i][i] += extra[i];
    }
}

/* Lane l and lane l + 4 first: an order that suits vectors of two, four and eight. */
RT_SAFE void lane_rows_times(double y[static restrict 6], double rows[static restrict 6][LANES],
                             const double x[static restrict LANES])
{
    double t[6][4];

    for (int r = 0; r < 6; r++) {
        for (int l = 0; l < 4; l++) {
            t[r][l] = rows[r][l] * x[l] + rows[r][l + 4] * x[l + 4];
        }
    }
    for (int r = 0; r < 6; r++) {
        y[r] = (t[r][0] + t[r][2]) + (t[r][1] + t[r][3]);
    }
}
