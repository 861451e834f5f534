/* SPDX-License-Identifier: GPL-3.0-or-later */
/* body.c - the inertia of one rigid body as ten numbers. */
#include "model/body.h"

#include <math.h>

#include "model/mat.h"

/* What a table rounded to a few digits may miss, as a part of the greatest moment. */
#define ROUNDED_TABLE 1e-9

enum { XX, YY, ZZ, XY, XZ, YZ };

/* J = J + factor (x.x 1 - x x') xx yy zz xy xz yz: a point mass at x */
RT_SAFE static void add_point(double J[static 6], double factor, const double x[static 3])
{
    const double xx = factor * x[0] * x[0], yy = factor * x[1] * x[1], zz = factor * x[2] * x[2];

    J[XX] += yy + zz;
    J[YY] += zz + xx;
    J[ZZ] += xx + yy;
    J[XY] -= factor * x[0] * x[1];
    J[XZ] -= factor * x[0] * x[2];
    J[YZ] -= factor * x[1] * x[2];
}

RT_SAFE static void unpack(double A[static 9], const double J[static 6])
{
    A[0] = J[XX];
    A[4] = J[YY];
    A[8] = J[ZZ];
    A[1] = A[3] = J[XY];
    A[2] = A[6] = J[XZ];
    A[5] = A[7] = J[YZ];
}

RT_SAFE void body_make(struct body *b, double mass_kg, const double com[static 3],
                       const double inertia_com[static 6])
{
    b->mass_kg = mass_kg;
    mat_scale(b->moment, mass_kg, com, 3);
    mat_copy(b->inertia, inertia_com, 6);
    add_point(b->inertia, mass_kg, com);
}

RT_SAFE void body_add(struct body *sum, const struct body *b)
{
    sum->mass_kg += b->mass_kg;
    mat_add(sum->moment, sum->moment, b->moment, 3);
    mat_add(sum->inertia, sum->inertia, b->inertia, 6);
}

RT_SAFE void body_place(struct body *in_a, const struct pose *g_ab, const struct body *in_b)
{
    const double m = in_b->mass_kg;
    const double *R = g_ab->R, *p = g_ab->p;
    double h[3], J[9], RJ[9], turned[9];

    /* h_a = R h + m p;  J_a = R J R' + 2 (p.u) 1 - p u' - u p',  u = R h + m p / 2 */
    mat_vec3(h, R, in_b->moment);
    unpack(J, in_b->inertia);
    mat_mul3(RJ, R, J);
    mat_mul3_nt(turned, RJ, R);
    const double u[3] = {h[0] + 0.5 * m * p[0], h[1] + 0.5 * m * p[1], h[2] + 0.5 * m * p[2]};

    in_a->mass_kg = m;
    for (int i = 0; i < 3; i++) {
        in_a->moment[i] = h[i] + m * p[i];
    }
    in_a->inertia[XX] = turned[0] + 2.0 * (p[1] * u[1] + p[2] * u[2]);
    in_a->inertia[YY] = turned[4] + 2.0 * (p[2] * u[2] + p[0] * u[0]);
    in_a->inertia[ZZ] = turned[8] + 2.0 * (p[0] * u[0] + p[1] * u[1]);
    in_a->inertia[XY] = 0.5 * (turned[1] + turned[3]) - (p[0] * u[1] + p[1] * u[0]);
    in_a->inertia[XZ] = 0.5 * (turned[2] + turned[6]) - (p[0] * u[2] + p[2] * u[0]);
    in_a->inertia[YZ] = 0.5 * (turned[5] + turned[7]) - (p[1] * u[2] + p[2] * u[1]);
}

RT_SAFE void body_central(double com[static 3], double inertia_com[static 6], const struct body *b)
{
    const double inverse = b->mass_kg > 0.0 ? 1.0 / b->mass_kg : 0.0;

    mat_scale(com, inverse, b->moment, 3);
    mat_copy(inertia_com, b->inertia, 6);
    add_point(inertia_com, -b->mass_kg, com);
}

RT_SAFE void body_momentum(double P[static 6], const struct body *b, const double V[static 6])
{
    double A[9], wh[3], hv[3], Jw[3], mv[3];

    unpack(A, b->inertia);
    mat_cross3(wh, V + 3, b->moment);
    mat_cross3(hv, b->moment, V);
    mat_vec3(Jw, A, V + 3);
    mat_scale(mv, b->mass_kg, V, 3);
    mat_add(P, mv, wh, 3);
    mat_add(P + 3, hv, Jw, 3);
}

RT_SAFE void body_bias(double h[static 6], const struct body *b, const double V[static 6])
{
    double P[6];

    body_momentum(P, b, V);
    se3_apply_ad_transpose(h, V, P);
    mat_scale(h, -1.0, h, 6);
}

RT_SAFE void body_matrix(double A[static 36], const struct body *b)
{
    for (int j = 0; j < 6; j++) {
        double V[6] = {0.0}, P[6];

        V[j] = 1.0;
        body_momentum(P, b, V);
        for (int i = 0; i < 6; i++) {
            A[6 * i + j] = P[i];
        }
    }
}

RT_SAFE void body_principal(double moment_kgm2[static 3], const struct body *b)
{
    double com[3], J[6], A[9], axes[9];

    body_central(com, J, b);
    unpack(A, J);
    mat_eigen3(moment_kgm2, axes, A);
}

RT_SAFE static double greatest_moment(const struct body *b)
{
    double greatest = 0.0;

    for (int i = 0; i < 3; i++) {
        greatest = fmax(greatest, fabs(b->moment[i]));
    }
    for (int i = 0; i < 6; i++) {
        greatest = fmax(greatest, fabs(b->inertia[i]));
    }
    return greatest;
}

RT_SAFE enum body_fault body_check(const struct body *b, double *worst)
{
    double moment[3] = {0.0, 0.0, 0.0}, unread = 0.0;
    double *const show = worst ? worst : &unread;

    *show = 0.0;
    if (!base_finite(b->mass_kg) || !base_all_finite(b->moment, 3) ||
        !base_all_finite(b->inertia, 6)) {
        return BODY_NOT_FINITE;
    }
    *show = b->mass_kg;
    if (b->mass_kg < 0.0) {
        return BODY_MASS_NEGATIVE;
    }
    const double greatest = greatest_moment(b);
    *show = fmax(b->mass_kg, greatest);
    if (*show > BODY_MAX) {
        return BODY_TOO_LARGE;
    }
    if (b->mass_kg <= 0.0) {
        return greatest <= 0.0 ? BODY_GOOD : BODY_MOMENT_ONLY;
    }

    body_principal(moment, b);
    /* The parallel-axis term was added and is taken off again: its rounding counts, too. */
    const double scale =
        fabs(moment[2]) + 1e-6 * (b->inertia[XX] + b->inertia[YY] + b->inertia[ZZ]);
    if (!(moment[0] >= -ROUNDED_TABLE * scale)) {
        *show = moment[0];
        return BODY_NOT_POSITIVE;
    }
    if (!(moment[0] + moment[1] - moment[2] >= -ROUNDED_TABLE * scale)) {
        *show = moment[0] + moment[1] - moment[2];
        return BODY_NOT_TRIANGLE;
    }
    return BODY_GOOD;
}
