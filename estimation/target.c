/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target.c - motion of the target, its errors, and how a measured pose answers to them. */
#include "estimation/target.h"

#include "model/mat.h"
#include "model/orbit.h"
#include "model/so3.h"

#define SQRT1_2    0.70710678118654752440
#define SQRT1_6    0.40824829046386301637
#define STEP_S     0.1 /* 3e-9 rad of attitude error per half second at 0.5 rad/s */
#define STEPS_MAX  20000
#define MOMENT_LOW 0.02
#define MOMENT_TOP 1.49

RT_SAFE void target_inertia(double M[static 9], const double d[static 5])
{
    M[0] = 1.0 + SQRT1_2 * d[0] - SQRT1_6 * d[1];
    M[4] = 1.0 - SQRT1_2 * d[0] - SQRT1_6 * d[1];
    M[8] = 1.0 + 2.0 * SQRT1_6 * d[1];
    M[1] = M[3] = SQRT1_2 * d[2];
    M[2] = M[6] = SQRT1_2 * d[3];
    M[5] = M[7] = SQRT1_2 * d[4];
}

RT_SAFE void target_numbers(double d[static 5], const double M[static 9])
{
    d[0] = SQRT1_2 * (M[0] - M[4]);
    d[1] = SQRT1_6 * (2.0 * M[8] - M[0] - M[4]);
    d[2] = SQRT1_2 * (M[1] + M[3]);
    d[3] = SQRT1_2 * (M[2] + M[6]);
    d[4] = SQRT1_2 * (M[5] + M[7]);
}

/* Principal values into their range, the rest of the trace shared by those that are free to take it. */
RT_SAFE static void clamp_moments(double l[static 3])
{
    for (int k = 0; k < 8; k++) {
        const double missing = (3.0 - l[0] - l[1] - l[2]) / 3.0;

        for (int i = 0; i < 3; i++) {
            l[i] = base_clamp(l[i] + missing, MOMENT_LOW, MOMENT_TOP);
        }
    }
}

RT_SAFE void target_physical(double d[static 5])
{
    double M[9], V[9], l[3], W[9];

    target_inertia(M, d);
    mat_eigen3(l, V, M);
    if (l[0] >= MOMENT_LOW && l[2] <= MOMENT_TOP) {
        return;
    }
    clamp_moments(l);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            W[3 * i + j] = V[3 * i + j] * l[j];
        }
    }
    mat_mul3_nt(M, W, V);
    target_numbers(d, M);
}

RT_SAFE void target_acceleration(double w_dot[static 3], const double M[static 9],
                                 const double inverse[static 9], const double w[static 3])
{
    double L[3], t[3];

    mat_vec3(L, M, w);
    mat_cross3(t, L, w);
    mat_vec3(w_dot, inverse, t);
}

/* mu' = 1/2 mu o w - 1/2 n o mu [EKF 2, with the orbital rate put in] */
RT_SAFE static void attitude_rate(double q_dot[static 4], const double q[static 4],
                                  const double w[static 3], double n)
{
    q_dot[0] = 0.5 * (q[3] * w[0] + q[1] * w[2] - q[2] * w[1] + n * q[1]);
    q_dot[1] = 0.5 * (q[3] * w[1] + q[2] * w[0] - q[0] * w[2] - n * q[0]);
    q_dot[2] = 0.5 * (q[3] * w[2] + q[0] * w[1] - q[1] * w[0] - n * q[3]);
    q_dot[3] = 0.5 * (-q[0] * w[0] - q[1] * w[1] - q[2] * w[2] + n * q[2]);
}

RT_SAFE void target_turn(double mu[static 4], double w[static 3], const double M[static 9],
                         const double inverse[static 9], double orbit_radps, double h_s)
{
    static const double at[4] = {0.0, 0.5, 0.5, 1.0};
    static const double weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double q_sum[4] = {0}, w_sum[3] = {0}, dq[4] = {0}, dw[3] = {0}, q[4], u[3];

    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 4; i++) {
            q[i] = mu[i] + at[k] * h_s * dq[i];
        }
        for (int i = 0; i < 3; i++) {
            u[i] = w[i] + at[k] * h_s * dw[i];
        }
        attitude_rate(dq, q, u, orbit_radps);
        target_acceleration(dw, M, inverse, u);
        mat_add_scaled(q_sum, weight[k] * h_s, dq, 4);
        mat_add_scaled(w_sum, weight[k] * h_s, dw, 3);
    }
    mat_add(mu, mu, q_sum, 4);
    mat_add(w, w, w_sum, 3);
    mat_scale(mu, 1.0 / sqrt(mat_dot(mu, mu, 4)), mu, 4);
}

/* Steps of equal length, none above the limit; a time that makes no sense gives the greatest number. */
RT_SAFE static int steps(double dt_s)
{
    const double n = fabs(dt_s) / STEP_S;

    return n < STEPS_MAX ? (int)n + 1 : STEPS_MAX;
}

RT_SAFE static void drift(struct target_state *s, const double hill[static 36])
{
    double x[6], y[6];

    mat_copy(x, s->r, 3);
    mat_copy(x + 3, s->v, 3);
    mat_vec6(y, hill, x);
    mat_copy(s->r, y, 3);
    mat_copy(s->v, y + 3, 3);
}

RT_SAFE void target_step(const struct target_model *m, struct target_state *s, double dt_s)
{
    const int n = steps(dt_s);
    double M[9], inverse[9], hill[36];

    target_inertia(M, s->d);
    (void)mat_inverse3(inverse, M);
    for (int k = 0; k < n; k++) {
        target_turn(s->mu, s->w, M, inverse, m->orbit_radps, dt_s / n);
    }
    orbit_transition(hill, m->orbit_radps, dt_s);
    drift(s, hill);
}

RT_SAFE void target_still(struct target_transition *t)
{
    mat_zero(t->G, 66);
    for (int i = 0; i < 6; i++) {
        t->G[12 * i] = 1.0;
    }
    mat_identity(t->hill, 6);
    mat_zero(t->Q, 36);
    t->dt_s = 0.0;
}

/* A_w = -M^-1 ([w] M - [M w]), A_d(:,i) = -M^-1 (w x E_i w + E_i w'); A_d is 3 x 5. */
RT_SAFE static void rate_partials(double A_w[static 9], double A_d[static 15],
                                  const double M[static 9], const double inverse[static 9],
                                  const double w[static 3])
{
    static const double zero[5] = {0};
    double W[9], L[3], Lx[9], T[9], E[9], w_dot[3], e[5], a[3], b[3];

    so3_hat(W, w);
    mat_vec3(L, M, w);
    so3_hat(Lx, L);
    mat_mul3(T, W, M);
    mat_sub(T, Lx, T, 9);
    mat_mul3(A_w, inverse, T);
    target_acceleration(w_dot, M, inverse, w);
    for (int i = 0; i < 5; i++) {
        mat_copy(e, zero, 5);
        e[i] = 1.0;
        target_inertia(E, e);
        E[0] -= 1.0;
        E[4] -= 1.0;
        E[8] -= 1.0;
        mat_vec3(a, E, w);
        mat_cross3(a, a, w);
        mat_vec3(b, E, w_dot);
        mat_sub(a, a, b, 3);
        mat_vec3(a, inverse, a);
        for (int k = 0; k < 3; k++) {
            A_d[5 * k + i] = a[k];
        }
    }
}

/* Phi_h = 1 + F h + F^2 h^2 / 2 with F = [-[w] 1/2 0; 0 A_w A_d]: its 6 x 11 rows. */
RT_SAFE static void substep(double Phi[static 66], const double M[static 9],
                            const double inverse[static 9], const double w[static 3], double h)
{
    const double g = 0.5 * h * h;
    double A_w[9], A_d[15], W[9], WW[9], AA[9], AD[15];

    rate_partials(A_w, A_d, M, inverse, w);
    so3_hat(W, w);
    mat_mul3(WW, W, W);
    mat_mul3(AA, A_w, A_w);
    mat_mul(AD, A_w, A_d, 3, 3, 5);
    for (int i = 0; i < 3; i++) {
        double *top = Phi + 11 * i, *low = Phi + 11 * (i + 3);

        for (int j = 0; j < 3; j++) {
            const int k = 3 * i + j;
            const double one = i == j ? 1.0 : 0.0;

            top[j] = one - h * W[k] + g * WW[k];
            top[3 + j] = 0.5 * h * one + 0.5 * g * (A_w[k] - W[k]);
            low[j] = 0.0;
            low[3 + j] = one + h * A_w[k] + g * AA[k];
        }
        for (int j = 0; j < 5; j++) {
            top[6 + j] = 0.5 * g * A_d[5 * i + j];
            low[6 + j] = h * A_d[5 * i + j] + g * AD[5 * i + j];
        }
    }
}

/* G <- Phi G and Q <- Phi Q Phi' + noise of one substep; the rows of d in G are those of the unit matrix. */
RT_SAFE static void chain(struct target_transition *t, const double Phi[static 66],
                          const double noise[static 9], double h)
{
    double G[66], A[36], AQ[36];

    for (int i = 0; i < 6; i++) {
        mat_copy(A + 6 * i, Phi + 11 * i, 6);
        mat_copy(G + 11 * i, Phi + 11 * i, 11);
        mat_zero(G + 11 * i, 6);
        for (int k = 0; k < 6; k++) {
            mat_add_scaled(G + 11 * i, Phi[11 * i + k], t->G + 11 * k, 11);
        }
    }
    mat_copy(t->G, G, 66);
    mat_mul6(AQ, A, t->Q);
    mat_mul_nt(t->Q, AQ, A, 6, 6, 6);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double W = noise[3 * i + j];

            t->Q[6 * i + j] += W * h * h * h / 12.0;
            t->Q[6 * i + 3 + j] += W * h * h / 4.0;
            t->Q[6 * (i + 3) + j] += W * h * h / 4.0;
            t->Q[6 * (i + 3) + 3 + j] += W * h;
        }
    }
}

RT_SAFE void target_move(const struct target_model *m, struct target_state *s,
                         struct target_transition *t, double dt_s)
{
    const int n = steps(dt_s);
    const double h = dt_s / n;
    double M[9], inverse[9], noise[9], hill[36], both[36], Phi[66], mean[3];

    target_inertia(M, s->d);
    (void)mat_inverse3(inverse, M);
    mat_mul3_nt(noise, inverse, inverse);
    mat_scale(noise, m->sigma_tau * m->sigma_tau, noise, 9);
    for (int k = 0; k < n; k++) {
        mat_copy(mean, s->w, 3);
        target_turn(s->mu, s->w, M, inverse, m->orbit_radps, h);
        for (int i = 0; i < 3; i++) {
            mean[i] = 0.5 * (mean[i] + s->w[i]);
        }
        substep(Phi, M, inverse, mean, h);
        chain(t, Phi, noise, h);
    }
    orbit_transition(hill, m->orbit_radps, dt_s);
    drift(s, hill);
    mat_mul6(both, hill, t->hill);
    mat_copy(t->hill, both, 36);
    t->dt_s += dt_s;
}

RT_SAFE void target_spread(const struct target_model *m, double P[static TARGET_NUMBERS],
                           const struct target_transition *t)
{
    const double q = m->sigma_f * m->sigma_f, T = t->dt_s;
    double row[12 * TARGET_ERRORS];

    /* rows, then columns: T = Phi P, P = T Phi' = (Phi T')' because the result is symmetric */
    for (int pass = 0; pass < 2; pass++) {
        mat_mul(row, t->G, P, 6, 11, TARGET_ERRORS);
        mat_mul(row + 6 * TARGET_ERRORS, t->hill, P + TARGET_ERRORS * TARGET_R, 6, 6,
                TARGET_ERRORS);
        mat_copy(P, row, 6 * TARGET_ERRORS);
        mat_copy(P + TARGET_ERRORS * TARGET_R, row + 6 * TARGET_ERRORS, 6 * TARGET_ERRORS);
        for (int i = 0; i < TARGET_ERRORS; i++) {
            for (int j = 0; j < i; j++) {
                const double x = P[TARGET_ERRORS * i + j];

                P[TARGET_ERRORS * i + j] = P[TARGET_ERRORS * j + i];
                P[TARGET_ERRORS * j + i] = x;
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        mat_add(P + TARGET_ERRORS * i, P + TARGET_ERRORS * i, t->Q + 6 * i, 6);
    }
    for (int i = 0; i < 3; i++) {
        const int r = TARGET_R + i, v = TARGET_V + i;

        P[TARGET_ERRORS * r + r] += q * T * T * T / 3.0;
        P[TARGET_ERRORS * r + v] += q * T * T / 2.0;
        P[TARGET_ERRORS * v + r] += q * T * T / 2.0;
        P[TARGET_ERRORS * v + v] += q * T;
    }
    mat_symmetrise(P, TARGET_ERRORS);
}
