/* SPDX-License-Identifier: GPL-3.0-or-later */
/* so3.c - rotations.
 *
 * exp[w], its Jacobians and their inverses are all 1 + a [w] + b [w]^2 with a and b from the
 * functions c_k. There is one switch, on |w|^2: below it c_4 and c_5 are power series and the
 * others follow by c_k = 1/k! - t c_{k+2}, which loses nothing; above it they follow upwards from
 * sine and cosine. The logarithm goes through the quaternion, which is well conditioned at every
 * angle.
 */
#include "model/so3.h"

#include <math.h>

#include "model/mat.h"
#include "model/trig.h"

/* Where series and closed form meet, rad^2: ten terms still suffice, and dividing by it is
 * harmless. */
#define SERIES_LIMIT 4.0

RT_SAFE static void series(double c[static 6], double t)
{
    static const double even[9] = {
        1.0 / 1124000727777607680000.0,
        1.0 / 2432902008176640000.0,
        1.0 / 6402373705728000.0,
        1.0 / 20922789888000.0,
        1.0 / 87178291200.0,
        1.0 / 479001600.0,
        1.0 / 3628800.0,
        1.0 / 40320.0,
        1.0 / 720.0,
    }; /* 1/22!, 1/20!, ... 1/6! */
    static const double odd[9] = {
        1.0 / 25852016738884976640000.0,
        1.0 / 51090942171709440000.0,
        1.0 / 121645100408832000.0,
        1.0 / 355687428096000.0,
        1.0 / 1307674368000.0,
        1.0 / 6227020800.0,
        1.0 / 39916800.0,
        1.0 / 362880.0,
        1.0 / 5040.0,
    }; /* 1/23!, 1/21!, ... 1/7! */
    double c4 = even[0];
    double c5 = odd[0];

    for (int i = 1; i < 9; i++) {
        c4 = even[i] - t * c4;
        c5 = odd[i] - t * c5;
    }
    c[4] = 1.0 / 24.0 - t * c4;
    c[5] = 1.0 / 120.0 - t * c5;
    c[3] = 1.0 / 6.0 - t * c[5];
    c[2] = 0.5 - t * c[4];
    c[1] = 1.0 - t * c[3];
    c[0] = 1.0 - t * c[2];
}

/* By the half angle: sin a near pi and 1 - cos a near 2 pi keep their relative accuracy */
RT_SAFE static void closed_form(double c[static 6], double t)
{
    const double angle = sqrt(t);
    const double inverse = 1.0 / t;
    double s, k;

    trig_sincos(&s, &k, 0.5 * angle);
    c[0] = 1.0 - 2.0 * s * s;
    c[1] = 2.0 * s * k / angle;
    c[2] = 2.0 * s * s * inverse;
    c[3] = (1.0 - c[1]) * inverse;
    c[4] = (0.5 - c[2]) * inverse;
    c[5] = (1.0 / 6.0 - c[3]) * inverse;
}

RT_SAFE void so3_coefficients(double c[static 6], double angle2_rad2)
{
    if (angle2_rad2 < SERIES_LIMIT) {
        series(c, angle2_rad2);
    } else {
        closed_form(c, angle2_rad2);
    }
}

RT_SAFE void so3_hat(double S[static 9], const double w[static 3])
{
    const double x = w[0], y = w[1], z = w[2];

    S[0] = S[4] = S[8] = 0.0;
    S[1] = -z;
    S[2] = y;
    S[3] = z;
    S[5] = -x;
    S[6] = -y;
    S[7] = x;
}

/* [w]^2 = w w' - |w|^2, written so that nothing cancels */
RT_SAFE void so3_quadratic(double M[static 9], const double w[static 3], double a, double b)
{
    const double x = w[0], y = w[1], z = w[2];

    M[0] = 1.0 - b * (y * y + z * z);
    M[4] = 1.0 - b * (z * z + x * x);
    M[8] = 1.0 - b * (x * x + y * y);
    M[1] = b * x * y - a * z;
    M[3] = b * x * y + a * z;
    M[2] = b * x * z + a * y;
    M[6] = b * x * z - a * y;
    M[5] = b * y * z - a * x;
    M[7] = b * y * z + a * x;
}

RT_SAFE void so3_exp(double R[static 9], const double w[static 3])
{
    double c[6];

    so3_coefficients(c, mat_dot3(w, w));
    so3_quadratic(R, w, c[1], c[2]);
}

RT_SAFE void so3_left_jacobian(double J[static 9], const double w[static 3])
{
    double c[6];

    so3_coefficients(c, mat_dot3(w, w));
    so3_quadratic(J, w, c[2], c[3]);
}

RT_SAFE void so3_right_jacobian(double J[static 9], const double w[static 3])
{
    double c[6];

    so3_coefficients(c, mat_dot3(w, w));
    so3_quadratic(J, w, -c[2], c[3]);
}

/* (1 - c_1 / (2 c_2)) / t, without its 0/0 because 2 c_2 - c_1 = t (c_3 - 2 c_4) */
RT_SAFE static double inverse_coefficient(const double w[static 3])
{
    double c[6];

    so3_coefficients(c, mat_dot3(w, w));
    return (c[3] - 2.0 * c[4]) / (2.0 * c[2]);
}

RT_SAFE void so3_left_jacobian_inverse(double J[static 9], const double w[static 3])
{
    so3_quadratic(J, w, -0.5, inverse_coefficient(w));
}

RT_SAFE void so3_right_jacobian_inverse(double J[static 9], const double w[static 3])
{
    so3_quadratic(J, w, 0.5, inverse_coefficient(w));
}

RT_SAFE void so3_log(double w[static 3], const double R[static 9])
{
    double q[4];

    so3_to_quat(q, R);

    const double n2 = mat_dot3(q, q);
    double factor; /* angle / sin(angle / 2) */

    if (n2 < 1e-4) {
        const double t = n2 / (q[3] * q[3]); /* tan^2 of the half angle */

        factor = 2.0 / q[3] * (1.0 - t * (1.0 / 3.0 - t * (1.0 / 5.0 - t * (1.0 / 7.0))));
    } else {
        factor = 2.0 * trig_atan2(sqrt(n2), q[3]) / sqrt(n2);
    }
    mat_scale(w, factor, q, 3);
}

RT_SAFE void so3_from_quat(double R[static 9], const double q[static 4])
{
    const double b = 2.0 / (mat_dot3(q, q) + q[3] * q[3]);

    so3_quadratic(R, q, b * q[3], b);
}

/* Four times the square of each component is 1 plus or minus the diagonal entries; dividing the
 * sums and differences off the diagonal by the largest of them keeps every bit. */
RT_SAFE void so3_to_quat(double q[static 4], const double R[static 9])
{
    const double trace = R[0] + R[4] + R[8];
    const double x = R[7] - R[5], y = R[2] - R[6], z = R[3] - R[1];

    if (trace >= R[0] && trace >= R[4] && trace >= R[8]) {
        q[0] = x;
        q[1] = y;
        q[2] = z;
        q[3] = 1.0 + trace;
    } else if (R[0] >= R[4] && R[0] >= R[8]) {
        q[0] = 1.0 + R[0] - R[4] - R[8];
        q[1] = R[1] + R[3];
        q[2] = R[2] + R[6];
        q[3] = x;
    } else if (R[4] >= R[8]) {
        q[0] = R[1] + R[3];
        q[1] = 1.0 + R[4] - R[8] - R[0];
        q[2] = R[5] + R[7];
        q[3] = y;
    } else {
        q[0] = R[2] + R[6];
        q[1] = R[5] + R[7];
        q[2] = 1.0 + R[8] - R[0] - R[4];
        q[3] = z;
    }

    const double norm = sqrt(mat_dot3(q, q) + q[3] * q[3]);

    mat_scale(q, 1.0 / (q[3] < 0.0 ? -norm : norm), q, 4);
}

RT_SAFE void so3_quat_mul(double q[static 4], const double a[static 4], const double b[static 4])
{
    const double x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    const double y = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    const double z = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    const double w = a[3] * b[3] - mat_dot3(a, b);

    q[0] = x;
    q[1] = y;
    q[2] = z;
    q[3] = w;
}

RT_SAFE bool so3_quat_normalise(double q[static 4])
{
    const double size = fabs(q[0]) + fabs(q[1]) + fabs(q[2]) + fabs(q[3]);

    if (!(size > 0.0 && base_finite(size))) {
        mat_zero(q, 3);
        q[3] = 1.0;
        return false;
    }
    for (int i = 0; i < 4; i++) {
        q[i] /= size; /* so that the squares neither overflow nor vanish */
    }

    const double norm = sqrt(mat_dot3(q, q) + q[3] * q[3]);

    mat_scale(q, 1.0 / (q[3] < 0.0 ? -norm : norm), q, 4);
    return true;
}

RT_SAFE void so3_orthonormalise(double R[static 9])
{
    double S[9];

    mat_mul3_tn(S, R, R);
    mat_scale(S, -0.5, S, 9);
    S[0] += 1.5;
    S[4] += 1.5;
    S[8] += 1.5;
    mat_mul3(R, R, S);
}
