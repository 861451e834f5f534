/* SPDX-License-Identifier: GPL-3.0-or-later */
/* abc.c - see abc.h. */
#include "drivers/abc.h"

#include <math.h>

#include "model/trig.h"

void abc_to_matrix(double R[static 9], const double abc[static 3])
{
    double sa, ca, sb, cb, sc, cc;

    trig_sincos(&sa, &ca, abc[0]);
    trig_sincos(&sb, &cb, abc[1]);
    trig_sincos(&sc, &cc, abc[2]);
    R[0] = ca * cb;
    R[1] = ca * sb * sc - sa * cc;
    R[2] = ca * sb * cc + sa * sc;
    R[3] = sa * cb;
    R[4] = sa * sb * sc + ca * cc;
    R[5] = sa * sb * cc - ca * sc;
    R[6] = -sb;
    R[7] = cb * sc;
    R[8] = cb * cc;
}

double abc_unwrap(double x, double near)
{
    return x - 2.0 * BASE_PI * floor((x - near) / (2.0 * BASE_PI) + 0.5);
}

void abc_from_matrix(double abc[static 3], const double R[static 9], const double near[static 3])
{
    const double A = trig_atan2(R[3], R[0]), C = trig_atan2(R[7], R[8]);
    const double B = trig_atan2(-R[6], sqrt(R[0] * R[0] + R[3] * R[3]));
    const double one[3] = {abc_unwrap(A, near[0]), abc_unwrap(B, near[1]), abc_unwrap(C, near[2])};
    const double two[3] = {abc_unwrap(A + BASE_PI, near[0]), abc_unwrap(BASE_PI - B, near[1]),
                           abc_unwrap(C + BASE_PI, near[2])};
    double far[2] = {0.0, 0.0};

    for (int i = 0; i < 3; i++) {
        far[0] += fabs(one[i] - near[i]);
        far[1] += fabs(two[i] - near[i]);
    }
    memcpy(abc, far[0] <= far[1] ? one : two, sizeof one);
}
