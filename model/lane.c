/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane.c - the sums that run across the lanes, where vectors do not help: written for few
 * instructions. */
#include "model/lane.h"

/* In place and three rows side by side, written out: compilers neither transpose it nor wait for
 * each sum. */
#define STEP(x, sum, l)                                                                            \
    do {                                                                                           \
        (sum) = lane_add(LANE3(x, l), sum);                                                        \
        LANE3_PUT(x, l, sum);                                                                      \
    } while (0)

RT_SAFE void lane_sum_outwards(double x[static 3][LANES], int n)
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

RT_SAFE void lane_sum_from_base(double x[static 3][LANES], int n)
{
    struct lane3 sum = LANE3(x, 0);

    STEP(x, sum, 1);
    STEP(x, sum, 2);
    STEP(x, sum, 3);
    STEP(x, sum, 4);
    STEP(x, sum, 5);
    STEP(x, sum, 6);
    if (n == LANES) {
        STEP(x, sum, 7);
    }
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

/* b as a product too: a number stored into a row by itself would hold up the row's next reader. */
RT_SAFE void lane_system(double (*restrict M)[LANES], double (*restrict F)[LANES],
                         double (*restrict S)[LANES], const double *restrict b, int n)
{
    static const double last[LANES] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};

    for (int i = 0; i < n; i++) {
        const struct lane6 f = LANE6(F, i);

        for (int l = 0; l < LANES; l++) {
            M[i][l] = lane_dot6(f, LANE6(S, l)) + b[i] * last[l];
        }
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
