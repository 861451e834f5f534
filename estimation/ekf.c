/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ekf.c - predict, compare, correct [EKF 14], on errors that are folded into the state at once. */
#include "estimation/ekf.h"

#include "model/linear.h"
#include "model/mat.h"

#define N TARGET_ERRORS

RT_SAFE void ekf_predict(const struct target_model *m, struct ekf_state *s, double dt_s)
{
    struct target_transition t;

    target_still(&t);
    target_move(m, &s->x, &t, dt_s);
    target_spread(m, s->P, &t);
}

RT_SAFE void ekf_innovate(struct ekf_innovation *i, const struct ekf_state *s,
                          const struct sighting *z, const struct sighting_scale *scale)
{
    double S[36], y[6];

    target_residual(i->nu, &s->x, z->p, z->q);
    target_sensitivity(i->H, &s->x);
    mat_mul(i->HP, i->H, s->P, 6, N, N);
    mat_mul_nt(S, i->HP, i->H, 6, N, 6);
    sighting_noise(i->R, z, scale);
    mat_add(S, S, i->R, 36);
    (void)linear_cholesky(i->L, S, 6);
    linear_lower_solve(y, i->L, i->nu, 6, 1);
    i->distance = mat_dot6(y, y);
}

/* P = (1 - K H) P (1 - K H)' + K R K', K' = S^-1 H P */
RT_SAFE static void joseph(double P[static N * N], const struct ekf_innovation *i,
                           const double Kt[static 120])
{
    double HA[120], KR[120];

    for (int r = 0; r < N; r++) {
        for (int k = 0; k < 6; k++) {
            mat_add_scaled(P + N * r, -Kt[N * k + r], i->HP + N * k, N);
        }
    }
    /* A = P - K H P is now in P and not symmetric to rounding; A - A H' K' + K R K' = A + (K R - A H') K' */
    mat_mul_nt(HA, P, i->H, N, N, 6);
    mat_mul_tn(KR, Kt, i->R, N, 6, 6);
    mat_sub(KR, KR, HA, 6 * N);
    for (int r = 0; r < N; r++) {
        for (int k = 0; k < 6; k++) {
            mat_add_scaled(P + N * r, KR[6 * r + k], Kt + N * k, N);
        }
    }
    mat_symmetrise(P, N);
}

RT_SAFE void ekf_correct(struct ekf_state *s, const struct ekf_innovation *i)
{
    double Kt[120], e[N];

    linear_cholesky_solve(Kt, i->L, i->HP, 6, N);
    mat_vec_t(e, Kt, i->nu, 6, N);
    joseph(s->P, i, Kt);
    target_add(&s->x, e);
}
