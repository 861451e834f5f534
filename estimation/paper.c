/* SPDX-License-Identifier: GPL-3.0-or-later */
/* paper.c - the paper's filter with 21 states, corrected. */
#include "estimation/paper.h"

#include "model/linear.h"
#include "model/mat.h"
#include "model/orbit.h"
#include "model/so3.h"

#define N      PAPER_ERRORS
#define STEP_S 0.1

enum { DQ = 0, W = 3, RATIO = 6, R = 9, V = 12, RHO = 15, DETA = 18 };

void paper_defaults(struct paper_model *m)
{
    m->orbit_radps = 0.0;
    m->sigma_tau = 1e-3; /* the best of those tried */
    m->sigma_f = 1e-5;
    m->gate = HUGE_VAL;
    m->first = 20;
}

void paper_init(struct paper_state *s)
{
    memset(s, 0, sizeof *s);
}

/* w' = p * (w_y w_z, w_z w_x, w_x w_y) [EKF 3] */
static void acceleration(double a[static 3], const double p[static 3], const double w[static 3])
{
    a[0] = p[0] * w[1] * w[2];
    a[1] = p[1] * w[2] * w[0];
    a[2] = p[2] * w[0] * w[1];
}

/* q' = 1/2 q o w - 1/2 n o q, by the quaternion product */
static void turn_rate(double d[static 4], const double q[static 4], const double w[static 3],
                      double n)
{
    const double body[4] = {w[0], w[1], w[2], 0.0}, orbit[4] = {0.0, 0.0, n, 0.0};
    double b[4];

    so3_quat_mul(d, q, body);
    so3_quat_mul(b, orbit, q);
    mat_sub(d, d, b, 4);
    mat_scale(d, 0.5, d, 4);
}

/* Mid-point steps of attitude and rate, small enough for this purpose. */
static void turn(struct paper_state *s, double n, double h)
{
    double a[3], w[3], d[4], q[4];

    for (int k = 0; k < 10; k++) {
        acceleration(a, s->p, s->w);
        mat_copy(w, s->w, 3);
        mat_add_scaled(w, 0.05 * h, a, 3);
        turn_rate(d, s->q, s->w, n);
        mat_copy(q, s->q, 4);
        mat_add_scaled(q, 0.05 * h, d, 4);
        turn_rate(d, q, w, n);
        acceleration(a, s->p, w);
        mat_add_scaled(s->q, 0.1 * h, d, 4);
        mat_add_scaled(s->w, 0.1 * h, a, 3);
    }
    mat_scale(s->q, 1.0 / sqrt(mat_dot(s->q, s->q, 4)), s->q, 4);
}

/* F of the first nine errors at the mean rate. */
static void dynamics(double F[static 81], const double p[static 3], const double w[static 3])
{
    double hat[9];

    mat_zero(F, 81);
    so3_hat(hat, w);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;

        for (int c = 0; c < 3; c++) {
            F[9 * i + c] = -hat[3 * i + c];
        }
        F[9 * i + 3 + i] = 0.5;
        F[9 * (3 + i) + 3 + j] = p[i] * w[k];
        F[9 * (3 + i) + 3 + k] = p[i] * w[j];
        F[9 * (3 + i) + 6 + i] = w[j] * w[k];
    }
}

/* Phi = 1 + F h + F^2 h^2/2 on the first nine, Hill on the translation. */
static void spread(const struct paper_model *m, struct paper_state *s, const double w[static 3],
                   double h)
{
    const double q = m->sigma_f * m->sigma_f, t = m->sigma_tau * m->sigma_tau;
    double Phi[N * N], F[81], FF[81], hill[36], T[N * N];

    dynamics(F, s->p, w);
    mat_mul(FF, F, F, 9, 9, 9);
    orbit_transition(hill, m->orbit_radps, h);
    mat_identity(Phi, N);
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++) {
            Phi[N * i + j] += h * F[9 * i + j] + 0.5 * h * h * FF[9 * i + j];
        }
    }
    for (int i = 0; i < 6; i++) {
        mat_copy(Phi + N * (R + i) + R, hill + 6 * i, 6);
    }
    mat_mul(T, Phi, s->P, N, N, N);
    mat_mul_nt(s->P, T, Phi, N, N, N);
    for (int i = 0; i < 3; i++) {
        s->P[N * (DQ + i) + DQ + i] += t * h * h * h / 12.0;
        s->P[N * (DQ + i) + W + i] += t * h * h / 4.0;
        s->P[N * (W + i) + DQ + i] += t * h * h / 4.0;
        s->P[N * (W + i) + W + i] += t * h;
        s->P[N * (R + i) + R + i] += q * h * h * h / 3.0;
        s->P[N * (R + i) + V + i] += q * h * h / 2.0;
        s->P[N * (V + i) + R + i] += q * h * h / 2.0;
        s->P[N * (V + i) + V + i] += q * h;
    }
    mat_symmetrise(s->P, N);
}

static void predict(const struct paper_model *m, struct paper_state *s, int64_t to_ns)
{
    const double dt = (double)(to_ns - s->time_ns) * 1e-9;
    const int n = dt < 1000.0 ? (int)(dt / STEP_S) + 1 : 10000;
    double hill[36], x[6], y[6];

    for (int k = 0; k < n; k++) {
        double mean[3];

        mat_copy(mean, s->w, 3);
        turn(s, m->orbit_radps, dt / n);
        for (int i = 0; i < 3; i++) {
            mean[i] = 0.5 * (mean[i] + s->w[i]);
        }
        spread(m, s, mean, dt / n);
    }
    orbit_transition(hill, m->orbit_radps, dt);
    mat_copy(x, s->r, 3);
    mat_copy(x + 3, s->v, 3);
    mat_vec6(y, hill, x);
    mat_copy(s->r, y, 3);
    mat_copy(s->v, y + 3, 3);
    s->time_ns = to_ns;
}

/* H: position by dq, r and rho; attitude dq o deta by both. */
static void sensitivity(double H[static 6 * N], double rot[static 9], const struct paper_state *s)
{
    double B[9];

    so3_from_quat(rot, s->q);
    so3_hat(B, s->rho);
    mat_mul3(B, rot, B);
    mat_zero(H, 6 * N);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            H[N * i + DQ + j] = -2.0 * B[3 * i + j];
            H[N * i + RHO + j] = rot[3 * i + j];
        }
        H[N * i + R + i] = 1.0;
        H[N * (3 + i) + DQ + i] = 1.0;
        H[N * (3 + i) + DETA + i] = 1.0;
    }
}

/* vec(q* o z o eta*), sign by the scalar part; position less expected */
static void residual(double nu[static 6], const struct paper_state *s, const double rot[static 9],
                     const struct sighting *z)
{
    const double qc[4] = {-s->q[0], -s->q[1], -s->q[2], s->q[3]};
    const double ec[4] = {-s->eta[0], -s->eta[1], -s->eta[2], s->eta[3]};
    double a[4], b[4], p[3];

    mat_vec3(p, rot, s->rho);
    mat_add(p, p, s->r, 3);
    mat_sub(nu, z->p, p, 3);
    so3_quat_mul(a, qc, z->q);
    so3_quat_mul(b, a, ec);
    mat_scale(nu + 3, b[3] < 0.0 ? -1.0 : 1.0, b, 3);
}

static void half_angle(double q[static 4], const double e[static 3])
{
    const double n2 = mat_dot3(e, e);

    mat_copy(q, e, 3);
    q[3] = n2 > 0.5 ? 1.0 : sqrt(1.0 - n2);
    mat_scale(q, 1.0 / sqrt(mat_dot(q, q, 4)), q, 4);
}

/* Fold the errors into the state: they begin at zero again. */
static void fold(struct paper_state *s, const double e[static N])
{
    double d[4], q[4];

    half_angle(d, e + DQ);
    so3_quat_mul(q, s->q, d);
    mat_copy(s->q, q, 4);
    half_angle(d, e + DETA);
    so3_quat_mul(q, d, s->eta);
    mat_copy(s->eta, q, 4);
    mat_add(s->w, s->w, e + W, 3);
    mat_add(s->p, s->p, e + RATIO, 3);
    mat_add(s->r, s->r, e + R, 3);
    mat_add(s->v, s->v, e + V, 3);
    mat_add(s->rho, s->rho, e + RHO, 3);
    for (int i = 0; i < 3; i++) {
        s->p[i] = base_clamp(s->p[i], -0.99, 0.99);
    }
}

static void begin(struct paper_state *s, const struct sighting *z)
{
    static const double sigma[7] = {0.5, 0.3, 0.5, 1.0, 0.05, 0.25, 0.25};

    mat_copy(s->q, z->q, 4);
    mat_copy(s->r, z->p, 3);
    s->eta[3] = 1.0;
    mat_zero(s->P, N * N);
    for (int i = 0; i < N; i++) {
        s->P[(N + 1) * i] = sigma[i / 3] * sigma[i / 3];
    }
    s->time_ns = z->image_ns;
}

bool paper_input(const struct paper_model *m, struct paper_state *s, const struct sighting *z)
{
    const struct sighting_scale one = {1.0, 1.0};
    double H[6 * N], HP[6 * N], S[36], rot[9], noise[36], nu[6], y[6], e[N];

    if (s->poses == 0) {
        begin(s, z);
    } else if (z->image_ns <= s->time_ns) {
        return false;
    } else {
        predict(m, s, z->image_ns);
    }
    sensitivity(H, rot, s);
    residual(nu, s, rot, z);
    mat_mul(HP, H, s->P, 6, N, N);
    mat_mul_nt(S, HP, H, 6, N, 6);
    sighting_noise(noise, z, &one);
    mat_add(S, S, noise, 36);
    (void)linear_cholesky(S, S, 6);
    linear_lower_solve(y, S, nu, 6, 1);
    s->distance = mat_dot6(y, y);
    s->poses++;
    if (!(s->distance < m->gate)) {
        s->gated++;
        return false;
    }
    /* Z = L^-1 H P: e = Z' y, P = P - Z'Z */
    linear_lower_solve(HP, S, HP, 6, N);
    mat_vec_t(e, HP, y, 6, N);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 6; k++) {
            mat_add_scaled(s->P + N * i, -HP[N * k + i], HP + N * k, N);
        }
    }
    mat_symmetrise(s->P, N);
    fold(s, e);
    return true;
}

bool paper_output(const struct paper_model *m, const struct paper_state *s, int64_t now_ns,
                  struct vision_output *out)
{
    struct paper_state a = *s;
    double H[6 * N], HP[6 * N], S[36], rot[9], T[9], w[3];

    memset(out, 0, sizeof *out);
    out->mode = s->poses < m->first ? VISION_INIT : VISION_TRACK;
    if (s->poses == 0 || now_ns < s->time_ns) {
        return false;
    }
    predict(m, &a, now_ns);
    sensitivity(H, rot, &a);
    mat_mul(HP, H, a.P, 6, N, N);
    mat_mul_nt(S, HP, H, 6, N, 6);
    out->sigma_m = sqrt(S[0] + S[7] + S[14]);
    out->sigma_rad = 2.0 * sqrt(S[21] + S[28] + S[35]);
    mat_vec3(out->p, rot, a.rho);
    mat_add(out->p, out->p, a.r, 3);
    so3_quat_mul(out->q, a.q, a.eta);
    (void)so3_quat_normalise(out->q);
    for (int i = 0; i < 3; i++) {
        w[i] = a.w[i] - m->orbit_radps * rot[6 + i];
    }
    mat_cross3(w, w, a.rho);
    mat_vec3(out->v, rot, w);
    mat_add(out->v, out->v, a.v, 3);
    so3_from_quat(T, a.eta);
    mat_vec3_t(out->w, T, a.w);
    out->age_s = (double)(now_ns - s->time_ns) * 1e-9;
    out->valid = s->poses >= m->first && base_all_finite(out->p, 3) && base_all_finite(out->q, 4);
    out->valid_until_ns = INT64_MAX;
    return true;
}
