/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inertia.c - can nine numbers be the inertia matrix of a rigid body? */
#include "config/inertia.h"

#include <stdbool.h>
#include <stddef.h>

/* A symmetric 3 x 3 matrix is positive definite when its leading minors are positive. */
static bool positive(const double m[static 9])
{
    double two = m[0] * m[4] - m[1] * m[3];
    double three = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                   m[2] * (m[3] * m[7] - m[4] * m[6]);

    return m[0] > 0 && two > 0 && three > 0;
}

static bool differ(double x, double y)
{
    return x < y || x > y;
}

/* With the moments of second order S = tr(I)/2 E - I, a body has I > 0 and S >= 0: no principal
 * moment exceeds the sum of the others. S is taken a little larger, so that a flat plate passes in
 * spite of rounding. */
const char *inertia_lacks(const double m[static 9], int *a, int *b)
{
    static const int mirrored[3][2] = {{1, 3}, {2, 6}, {5, 7}};
    double half = (m[0] + m[4] + m[8]) / 2;
    double s[9];

    for (int i = 0; i < 3; i++) {
        *a = mirrored[i][0];
        *b = mirrored[i][1];
        if (differ(m[*a], m[*b])) {
            return "a symmetric matrix";
        }
    }
    *a = 0;
    *b = 0;
    for (int i = 0; i < 9; i++) {
        s[i] = (i % 4 == 0 ? half * (1 + 1e-9) : 0) - m[i];
    }
    if (!positive(m)) {
        return "a positive definite matrix";
    }
    return positive(s)
               ? NULL
               : "a matrix whose principal moments are each at most the sum of the other two";
}
