/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.c - propagation of the estimate in the control cycle. */
#include "estimation/predict.h"

#include "model/mat.h"
#include "model/so3.h"

#define STEP_MOST_S                                                                                \
    0.1 /* one Runge-Kutta step is good for this; a longer hole ends the prediction */

void predict_defaults(struct predict_model *m)
{
    m->tau_s = 0.2;
    m->jump_m = 0.030;
    m->jump_rad = 5.0 * BASE_PI / 180.0;
}

RT_SAFE void predict_init(struct predict_state *s)
{
    memset(s, 0, sizeof *s);
}

void predict_publish(struct predict_snapshot *out, const struct vision_model *m,
                     struct vision_state *s, int64_t time_ns)
{
    const uint32_t number = out->number + 1;
    struct vision_output o;

    memset(out, 0, sizeof *out);
    out->number = number != 0 ? number : 1;
    out->time_ns = time_ns;
    out->known = vision_output(m, s, time_ns, &o);
    out->mode = o.mode;
    if (!out->known) {
        return;
    }
    out->x = s->ahead.x;
    target_inertia(out->M, out->x.d);
    (void)mat_inverse3(out->inverse, out->M);
    out->orbit_radps = m->fit.target.orbit_radps;
    out->image_ns = s->filter_ns;
    out->valid_until_ns = o.valid_until_ns;
    out->valid = o.valid;
    out->sigma_m = o.sigma_m;
    out->sigma_rad = o.sigma_rad;
}

/* One Runge-Kutta step of attitude and rate; of the centre of mass two terms of its series: over 0.1 s the rest is
 * below n^3 v h^3. */
RT_SAFE static void move(struct predict_snapshot *p, double h)
{
    const double n = p->orbit_radps;
    double *r = p->x.r, *v = p->x.v;
    const double a[3] = {2.0 * n * v[1] + 3.0 * n * n * r[0], -2.0 * n * v[0], -n * n * r[2]};

    target_turn(p->x.mu, p->x.w, p->M, p->inverse, n, h);
    for (int i = 0; i < 3; i++) {
        r[i] += h * v[i] + 0.5 * h * h * a[i];
        v[i] += h * a[i];
    }
}

/* Bring p to now_ns; false if that is too far. */
RT_SAFE static bool bring(struct predict_snapshot *p, int64_t now_ns)
{
    const double h = (double)(now_ns - p->time_ns) * 1e-9;

    if (!(h >= 0.0 && h <= STEP_MOST_S)) {
        return false;
    }
    if (p->known) {
        move(p, h);
    }
    p->time_ns = now_ns;
    return true;
}

/* Rotation vector from a to b, axes of b. */
RT_SAFE static void rotation(double e[static 3], const double a[static 9], const double b[static 9])
{
    double R[9];

    mat_mul3_tn(R, a, b);
    so3_log(e, R);
}

/* Pose and twist of the prediction alone. */
RT_SAFE static void plain(struct pose *g, double V[static 6], const struct predict_snapshot *p)
{
    double w[3];

    so3_from_quat(g->R, p->x.mu);
    target_position(g->p, &p->x);
    for (int i = 0; i < 3; i++) {
        V[3 + i] = p->x.w[i] - p->orbit_radps * g->R[6 + i];
    }
    mat_cross3(w, V + 3, p->x.rho);
    mat_vec3_t(V, g->R, p->x.v);
    mat_add(V, V, w, 3);
}

/* Offset and rate of the critically damped decay, h later, exact but for exp: e(t) = (e + (e' + e/T) t) exp(-t/T). */
RT_SAFE static void decay(struct predict_state *s, double tau, double h)
{
    const double x = h / tau, y = x / 8.0;
    double a = 1.0 - y * (1.0 - y / 2.0 * (1.0 - y / 3.0 * (1.0 - y / 4.0 * (1.0 - y / 5.0))));

    a *= a; /* exp(-x) = (exp(-x/8))^8 */
    a *= a;
    a *= a;
    for (int i = 0; i < 6; i++) {
        const double e = s->offset[i], v = s->rate[i];

        s->offset[i] = a * ((1.0 + x) * e + h * v);
        s->rate[i] = a * ((1.0 - x) * v - x / tau * e);
    }
}

/* What is given out: the prediction with what is left of the last change-over. */
RT_SAFE static void blend(const struct predict_state *s, struct pose *g, double V[static 6])
{
    double R[9], v[3], w[3];

    plain(g, V, &s->now);
    mat_vec3(v, g->R, V);
    mat_add(v, v, s->rate, 3);
    mat_add(g->p, g->p, s->offset, 3);
    so3_exp(R, s->offset + 3);
    mat_vec3_t(w, R, V + 3);
    mat_add(V + 3, w, s->rate + 3, 3);
    mat_mul3(R, g->R, R);
    mat_copy(g->R, R, 9);
    mat_vec3_t(V, g->R, v);
}

/* Change over from what was given out to the new prediction. True if the difference is too large to hide. */
RT_SAFE static bool change(const struct predict_model *m, struct predict_state *s,
                           const struct pose *was, const double V_was[static 6])
{
    struct pose g;
    double V[6], R[9], a[3], b[3];

    plain(&g, V, &s->now);
    mat_sub(s->offset, was->p, g.p, 3);
    rotation(s->offset + 3, g.R, was->R);
    mat_vec3(a, was->R, V_was);
    mat_vec3(b, g.R, V);
    mat_sub(s->rate, a, b, 3);
    so3_exp(R, s->offset + 3);
    mat_vec3_t(b, R, V + 3);
    mat_sub(s->rate + 3, V_was + 3, b, 3);
    if (mat_norm3(s->offset) <= m->jump_m && mat_norm3(s->offset + 3) <= m->jump_rad) {
        return false;
    }
    mat_zero(s->offset, 6);
    mat_zero(s->rate, 6);
    s->jumps++;
    return true;
}

/* The instant of a waiting snapshot has come. */
RT_SAFE static bool take(const struct predict_model *m, struct predict_state *s, int64_t now_ns)
{
    const bool had = s->now.known && s->waiting.known;
    struct pose was;
    double V[6];
    bool jumped = false;

    if (s->waiting.number == 0 || s->waiting.number == s->now.number ||
        now_ns < s->waiting.time_ns) {
        return false;
    }
    if (!bring(&s->waiting, now_ns)) {
        s->late++;
        s->waiting.number = 0;
        return false;
    }
    if (had) {
        blend(s, &was, V);
    }
    s->now = s->waiting;
    s->waiting.number = 0;
    if (had) {
        jumped = change(m, s, &was, V);
    } else {
        mat_zero(s->offset, 6);
        mat_zero(s->rate, 6);
    }
    return jumped;
}

RT_SAFE void predict_step(const struct predict_model *m, struct predict_state *s,
                          const struct predict_snapshot *newest, int64_t now_ns,
                          struct predict_output *out)
{
    const double h = (double)(now_ns - s->now.time_ns) * 1e-9;

    if (newest != NULL && newest->number != 0 && newest->number != s->now.number &&
        newest->number != s->waiting.number) {
        s->waiting = *newest;
    }
    if (s->now.known && !bring(&s->now, now_ns)) {
        s->now.known = false; /* the cycle stood still too long, or its clock ran back */
        mat_zero(s->offset, 6);
        mat_zero(s->rate, 6);
    } else if (s->now.known) {
        decay(s, m->tau_s, h);
    }
    memset(out, 0, sizeof *out);
    out->jumped = take(m, s, now_ns);
    out->mode = s->now.mode;
    if (!s->now.known) {
        se3_identity(&out->pose);
        return;
    }
    blend(s, &out->pose, out->velocity);
    mat_copy(out->rate, s->now.x.w, 3);
    out->sigma_m = s->now.sigma_m;
    out->sigma_rad = s->now.sigma_rad;
    out->age_s = (double)(now_ns - s->now.image_ns) * 1e-9;
    out->valid = s->now.valid && now_ns <= s->now.valid_until_ns;
    if (!out->valid && out->mode == VISION_PREDICT) {
        out->mode = VISION_LOST;
    }
}
