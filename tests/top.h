/* SPDX-License-Identifier: GPL-3.0-or-later */
/* top.h - the free asymmetric top in closed form, long double, for the tests only.
 *
 * Rates in principal axes are Jacobi elliptic functions (Landau and Lifshitz, Mechanics, section 37), computed
 * by the arithmetic-geometric mean. The attitude follows from L, which is fixed in space: two angles are known
 * from the rates, the third is the integral of a smooth function of them, by Gauss quadrature.
 */
#ifndef FREEFALL_TESTS_TOP_H
#define FREEFALL_TESTS_TOP_H

#include <math.h>

typedef long double real;

/* Axes are ordered so that axis[2] is the one the motion goes round (greatest or least moment) and axis[1] the
 * intermediate one: the rates are cn, sn, dn along axis 0, 1, 2. */
struct top {
    real I[3], axis[3][3]; /* moments, and unit vectors in body axes, right-handed */
    real amplitude[3], L;
    real rate, phase, m, m1; /* argument rate t + phase, parameter m, m1 = 1 - m */
    real start[9];           /* what turns the solution into R = 1 at t = 0 */
};

/* Symmetric 3 x 3: eigenvalues ascending, vectors as rows of a right-handed frame, by cyclic Jacobi rotations. */
static void top_eigen(real value[3], real row[3][3], const double A[9])
{
    real S[3][3], V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int order[3] = {0, 1, 2};

    for (int i = 0; i < 9; i++) {
        S[i / 3][i % 3] = (real)A[i];
    }
    for (int turn = 0; turn < 60; turn++) {
        const int p = turn % 3, q = (p + 1) % 3;
        const real gap = S[q][q] - S[p][p]; /* turns of at most 45 degrees: only they converge */
        const real angle = 0.5L * atan2l(gap < 0.0L ? -2.0L * S[p][q] : 2.0L * S[p][q], fabsl(gap));
        const real c = cosl(angle), s = sinl(angle);

        for (int k = 0; k < 3; k++) {
            const real a = S[k][p], b = S[k][q];
            S[k][p] = c * a - s * b;
            S[k][q] = s * a + c * b;
        }
        for (int k = 0; k < 3; k++) {
            const real a = S[p][k], b = S[q][k], v = V[p][k], w = V[q][k];
            S[p][k] = c * a - s * b;
            S[q][k] = s * a + c * b;
            V[p][k] = c * v - s * w;
            V[q][k] = s * v + c * w;
        }
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2 - i; j++) {
            if (S[order[j]][order[j]] > S[order[j + 1]][order[j + 1]]) {
                const int keep = order[j];
                order[j] = order[j + 1];
                order[j + 1] = keep;
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        value[i] = S[order[i]][order[i]];
        for (int k = 0; k < 3; k++) {
            row[i][k] = V[order[i]][k];
        }
    }
    value[2] = S[order[2]][order[2]];
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        row[2][k] = row[0][a] * row[1][b] - row[0][b] * row[1][a];
    }
}

/* Incomplete integral of the first kind F(phi, m), m1 = 1 - m, |phi| <= pi. */
static real top_integral(real phi, real m1)
{
    real a = 1.0L, b = sqrtl(m1), scale = 1.0L;

    for (int n = 0; n < 9; n++) {
        /* tan(phi' - phi) = (b/a) tan phi, on the branch that keeps phi' - phi near phi */
        const real turns = floorl(phi / acosl(-1.0L) + 0.5L);
        const real mean = 0.5L * (a + b);

        phi += atanl(b / a * tanl(phi)) + turns * acosl(-1.0L);
        b = sqrtl(a * b);
        a = mean;
        scale *= 2.0L;
    }
    return phi / (scale * a);
}

/* y = cn, sn, dn of u */
static void top_jacobi(real y[3], real u, real m, real m1)
{
    real a[10], c[10], b = sqrtl(m1), phi;

    a[0] = 1.0L;
    for (int n = 0; n < 9; n++) {
        a[n + 1] = 0.5L * (a[n] + b);
        c[n + 1] = 0.5L * (a[n] - b);
        b = sqrtl(a[n] * b);
    }
    phi = ldexpl(a[9] * u, 9);
    for (int n = 9; n > 0; n--) {
        phi = 0.5L * (phi + asinl(c[n] / a[n] * sinl(phi)));
    }
    y[0] = cosl(phi);
    y[1] = sinl(phi);
    y[2] = sqrtl(m1 + m * y[0] * y[0]);
}

static void top_rates(const struct top *t, real w[3], real time)
{
    real y[3];

    top_jacobi(y, t->rate * time + t->phase, t->m, t->m1);
    for (int i = 0; i < 3; i++) {
        w[i] = t->amplitude[i] * y[i];
    }
}

/* Rz(phi) Rx(theta) Rz(psi) from l = R' e_z = (sin theta sin psi, sin theta cos psi, cos theta) */
static void top_frame(const struct top *t, real R[9], real phi, real time)
{
    real w[3], l[3], st;

    top_rates(t, w, time);
    for (int i = 0; i < 3; i++) {
        l[i] = t->I[i] * w[i] / t->L;
    }
    st = sqrtl(l[0] * l[0] + l[1] * l[1]);
    const real sp = l[0] / st, cp = l[1] / st, ct = l[2], s = sinl(phi), c = cosl(phi);
    const real frame[9] = {c * cp - s * ct * sp,
                           -c * sp - s * ct * cp,
                           s * st,
                           s * cp + c * ct * sp,
                           -s * sp + c * ct * cp,
                           -c * st,
                           l[0],
                           l[1],
                           l[2]};
    for (int i = 0; i < 3; i++) { /* columns from principal to body axes */
        for (int k = 0; k < 3; k++) {
            R[3 * i + k] = frame[3 * i] * t->axis[0][k] + frame[3 * i + 1] * t->axis[1][k] +
                           frame[3 * i + 2] * t->axis[2][k];
        }
    }
}

/* Angle about L from 0 to time: phi' = L (I_0 w_0^2 + I_1 w_1^2) / (I_0^2 w_0^2 + I_1^2 w_1^2) */
static real top_precession(const struct top *t, real time)
{
    const real node[3] = {0.0L, 0.53846931010568309103631L, 0.90617984593866399279763L};
    const real weight[3] = {0.56888888888888888888889L, 0.47862867049936646804129L,
                            0.23692688505618908751426L};
    const int panels = (int)ceill(time);
    real sum = 0.0L;

    for (int i = 0; i < panels; i++) {
        const real h = 0.5L * time / (real)panels, middle = (real)(2 * i + 1) * h;

        for (int k = -2; k <= 2; k++) {
            const int j = k < 0 ? -k : k;
            real w[3];

            top_rates(t, w, middle + (k < 0 ? -h : h) * node[j]);
            const real a = t->I[0] * w[0] * w[0], b = t->I[1] * w[1] * w[1];
            sum += h * weight[j] * t->L * (a + b) / (t->I[0] * a + t->I[1] * b);
        }
    }
    return sum;
}

/* Free top with the inertia about its centre of mass and the body rate w at t = 0, where R = 1. */
static void top_init(struct top *t, const double inertia[9], const double w[3])
{
    real I[3], axis[3][3], rate[3], energy2 = 0.0L, square = 0.0L, excess = 0.0L;

    top_eigen(I, axis, inertia);
    for (int i = 0; i < 3; i++) {
        rate[i] = axis[i][0] * (real)w[0] + axis[i][1] * (real)w[1] + axis[i][2] * (real)w[2];
        energy2 += I[i] * rate[i] * rate[i];
        square += I[i] * I[i] * rate[i] * rate[i];
        excess += I[i] * (I[i] - I[1]) * rate[i] * rate[i]; /* L^2 - 2 E I_1 */
    }
    if (excess <
        0.0L) { /* round the least axis: exchange, and turn one round to stay right-handed */
        for (int k = 0; k < 3; k++) {
            const real keep = axis[0][k];
            axis[0][k] = axis[2][k];
            axis[2][k] = keep;
            axis[1][k] = -axis[1][k];
        }
        const real keep_I = I[0], keep_rate = rate[0];
        I[0] = I[2];
        I[2] = keep_I;
        rate[0] = rate[2];
        rate[2] = keep_rate;
        rate[1] = -rate[1];
    }
    if (rate[2] < 0.0L) {
        for (int k = 0; k < 3; k++) {
            axis[0][k] = -axis[0][k];
            axis[2][k] = -axis[2][k];
        }
        rate[0] = -rate[0];
        rate[2] = -rate[2];
    }
    const real A = I[0], B = I[1], C = I[2];
    const real high = energy2 * C - square, low = square - energy2 * A; /* same sign */

    t->L = sqrtl(square);
    t->amplitude[0] = sqrtl(high / (A * (C - A)));
    t->amplitude[1] = sqrtl(high / (B * (C - B)));
    t->amplitude[2] = sqrtl(low / (C * (C - A)));
    t->rate = sqrtl((C - B) * low / (A * B * C));
    t->m1 = (C - A) * excess / ((C - B) * low);
    t->m = 1.0L - t->m1;
    for (int i = 0; i < 3; i++) {
        t->I[i] = I[i];
        for (int k = 0; k < 3; k++) {
            t->axis[i][k] = axis[i][k];
        }
    }
    /* the exchanged frame runs the other way: I_0 w_0' = (I_1 - I_2) w_1 w_2 has the sign of C > B */
    t->rate = C > B ? t->rate : -t->rate;
    t->phase = top_integral(atan2l(rate[1] / t->amplitude[1], rate[0] / t->amplitude[0]), t->m1);
    top_frame(t, t->start, 0.0L, 0.0L);
}

/* Attitude of the body at time, R = 1 at 0. */
static void top_attitude(const struct top *t, double R[9], int time)
{
    real now[9];

    top_frame(t, now, top_precession(t, (real)time), (real)time);
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;

        R[i] = (double)(t->start[r] * now[c] + t->start[3 + r] * now[3 + c] +
                        t->start[6 + r] * now[6 + c]);
    }
}

#endif
