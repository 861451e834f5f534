/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vision.c - what happens to a pose, and when the window is fitted. */
#include "estimation/vision.h"

#include <errno.h>

#include "model/mat.h"
#include "model/so3.h"

#define AGREED       3 /* accepted in a row that end a doubt */
#define LATE_NS      2000000000
#define APART_NS     1000000000 /* image and arrival */
#define HORIZON_STEP 500000000
#define CLOCK_FAULT  3
#define EARLY_REFITS 3 /* whose covariance is still too small */
#define EARLY_WIDER  1.5
#define PASSES       4
#define PASSES_LAST  8   /* before a prediction: until it no longer moves */
#define RATIO_MOST   0.6 /* of the errors of two solutions, with nothing to choose by */
#define BLIND_RAD    0.7 /* attitude no longer known well enough to compare a pose with it */

void vision_defaults(struct vision_model *m)
{
    static const struct vision_model model = {
        .fit = {{0.0, 5e-5, 1e-5}, 4.0, WINDOW_MAX},
        .prior = {0.5, 0.3, 0.35, 1.0, 0.05, 0.25, {0}, {0}},
        .forget = 0.98,
        .gate = 22.46,
        .first_fit = 20,
        .recovery = 6,
        .learn_noise = true,
        .silence_s = 0.75,
        .limit_m = 0.015,
        .limit_rad = 4.0 * BASE_PI / 180.0,
        .horizon_s = 60.0,
    };

    *m = model;
}

static bool in_range(double x, double least, double greatest)
{
    return x >= least && x <= greatest;
}

int vision_check(const struct vision_model *m)
{
    const struct target_model *t = &m->fit.target;
    const struct start_prior *p = &m->prior;
    const bool good = in_range(t->orbit_radps, 0.0, 1.3e-3) && in_range(t->sigma_tau, 1e-12, 1.0) &&
                      in_range(t->sigma_f, 1e-12, 1.0) && in_range(m->fit.huber, 1.0, 100.0) &&
                      m->fit.size >= m->first_fit && m->fit.size <= WINDOW_MAX &&
                      m->first_fit >= 8 && in_range(p->attitude, 1e-6, 10.0) &&
                      in_range(p->rate, 1e-6, 10.0) && in_range(p->inertia, 1e-6, 10.0) &&
                      in_range(p->position, 1e-6, 1e4) && in_range(p->velocity, 1e-9, 1e3) &&
                      in_range(p->lever, 1e-6, 1e3) && base_all_finite(p->d, 5) &&
                      base_all_finite(p->rho, 3) && in_range(m->forget, 0.5, 0.9999) &&
                      in_range(m->gate, 6.0, 1e6) && m->recovery >= 2 &&
                      in_range(m->silence_s, 0.01, 100.0) && in_range(m->limit_m, 1e-6, 1e3) &&
                      in_range(m->limit_rad, 1e-6, 10.0) && in_range(m->horizon_s, 0.5, 600.0);

    return good ? 0 : -EINVAL;
}

static void forget_all(const struct vision_model *m, struct vision_state *s)
{
    s->tracking = false;
    s->has_horizon = false;
    s->updates = s->fresh = s->refused_in_row = s->agreed_in_row = 0;
    window_reset(&s->track);
    window_reset(&s->found);
    adapt_reset(&s->noise, m->forget, !m->learn_noise);
}

void vision_init(const struct vision_model *m, struct vision_state *s)
{
    memset(s, 0, sizeof *s);
    forget_all(m, s);
}

void vision_enable(const struct vision_model *m, struct vision_state *s)
{
    forget_all(m, s);
    s->mode = VISION_INIT;
}

void vision_contact(const struct vision_model *m, struct vision_state *s, bool touched)
{
    if (touched && s->mode != VISION_OFF) {
        s->mode = VISION_CONTACT;
    } else if (!touched && s->mode == VISION_CONTACT) {
        vision_enable(m, s);
    }
}

/* The filter was changed: what was worked out ahead of it is no longer true. */
static void changed(struct vision_state *s)
{
    s->ahead = s->now;
    s->ahead_ns = s->filter_ns;
    s->has_horizon = false;
}

static void refit(const struct vision_model *m, struct vision_state *s, int passes)
{
    const struct sighting_scale scale = adapt_scale(&s->noise);

    s->fresh = 0;
    if (!window_fit(&m->fit, &s->track, &scale, passes, &s->now)) {
        return;
    }
    s->refits++;
    if (s->refits <= EARLY_REFITS) {
        mat_scale(s->now.P, EARLY_WIDER, s->now.P, TARGET_NUMBERS);
    }
    changed(s);
}

/* After updates 4, 8, 12, 18, 26, 36, then every 10. */
static bool refit_due(int updates)
{
    static const int early[] = {4, 8, 12, 18, 26, 36};

    for (size_t i = 0; i < COUNT_OF(early); i++) {
        if (updates == early[i]) {
            return true;
        }
    }
    return updates > 36 && (updates - 36) % 10 == 0;
}

/* The poses that wait for a first fit have become one motion. */
static void adopt(struct vision_state *s, const struct adapt_state *noise,
                  const struct ekf_state *last)
{
    s->track = s->found;
    s->noise = *noise;
    s->now = *last;
    s->filter_ns = s->track.pose[s->track.count - 1].image_ns;
    s->receive_ns = s->track.pose[s->track.count - 1].receive_ns;
    s->restarts += s->tracking ? 1 : 0;
    s->tracking = true;
    s->mode = VISION_TRACK;
    s->updates = s->fresh = s->refits = s->refused_in_row = s->agreed_in_row = 0;
    window_reset(&s->found);
    changed(s);
}

/* INIT: one more pose for the first fit; the oldest leaves when the fit finds no single motion. */
static enum vision_outcome collect(const struct vision_model *m, struct vision_state *s,
                                   const struct sighting *z)
{
    struct window_model few = m->fit;
    struct adapt_state noise;
    struct ekf_state last;
    enum window_put put;

    if (z->has_second && z->ambiguity > RATIO_MOST) {
        return VISION_AMBIGUOUS;
    }
    few.size = m->first_fit;
    adapt_reset(&noise, m->forget, !m->learn_noise);
    put = window_add(&few, &s->found, z);
    if (put != WINDOW_TAKEN) {
        return put == WINDOW_TWICE ? VISION_TWICE : VISION_TOO_OLD;
    }
    if (s->found.count == m->first_fit && start_fit(&few, &m->prior, &s->found, &noise, &last)) {
        adopt(s, &noise, &last);
    }
    return VISION_COLLECTED;
}

/* Of two ways to see a planar marker, the one nearer to what is expected. */
static void choose(struct sighting *z, const struct target_state *x)
{
    double first[6], second[6];

    if (!z->has_second) {
        return;
    }
    target_residual(first, x, z->p, z->q);
    target_residual(second, x, z->p, z->second);
    if (mat_dot3(second + 3, second + 3) < mat_dot3(first + 3, first + 3)) {
        mat_copy(z->q, z->second, 4);
    }
}

static void accept(const struct vision_model *m, struct vision_state *s, const struct sighting *z,
                   const struct ekf_innovation *i)
{
    ekf_correct(&s->now, i);
    adapt_taken(&s->noise, &s->now, z);
    s->receive_ns = z->receive_ns;
    s->refused_in_row = 0;
    s->updates++;
    s->fresh++;
    changed(s);
    if (s->mode != VISION_INIT) {
        s->mode = VISION_TRACK;
    } else if (++s->agreed_in_row >= AGREED) {
        s->mode = VISION_TRACK; /* the refused ones were wrong after all */
        window_reset(&s->found);
    }
    if (refit_due(s->updates)) {
        refit(m, s, PASSES);
    }
}

/* So many refused in a row: let them in and fit. If the fit refuses them too, either the target has been disturbed or
 * the source is wrong: not valid until a first fit over new poses or the old motion is confirmed. */
static void suspect(const struct vision_model *m, struct vision_state *s)
{
    const struct ekf_state before = s->now;
    const struct target_state first = s->track.first;
    const int n = s->track.count < m->recovery ? s->track.count : m->recovery;
    int refused = 0;

    for (int i = s->track.count - n; i < s->track.count; i++) {
        s->track.pose[i].out = false;
    }
    refit(m, s, PASSES_LAST);
    for (int i = s->track.count - n; i < s->track.count; i++) {
        refused += s->track.norm2[i] > m->gate ? 1 : 0;
    }
    s->refused_in_row = 0;
    if (2 * refused <= n) {
        return;
    }
    for (int i = s->track.count - n; i < s->track.count; i++) {
        s->track.pose[i].out = true;
    }
    s->now = before;
    s->track.first = first;
    changed(s);
    s->mode = VISION_INIT;
    s->agreed_in_row = 0;
    window_reset(&s->found);
}

static void refuse(const struct vision_model *m, struct vision_state *s, const struct sighting *z,
                   const struct ekf_innovation *i)
{
    adapt_refused(&s->noise, i->nu, z);
    changed(s);
    s->agreed_in_row = 0;
    s->refused_in_row++;
    if (s->mode != VISION_INIT && s->refused_in_row >= m->recovery) {
        suspect(m, s);
    }
    if (s->mode == VISION_INIT) {
        (void)collect(m, s, z);
    }
}

static enum vision_outcome compare(const struct vision_model *m, struct vision_state *s,
                                   struct sighting *z)
{
    const struct sighting_scale scale = adapt_scale(&s->noise);
    struct ekf_innovation i;
    double S[36];

    ekf_predict(&m->fit.target, &s->now, (double)(z->image_ns - s->filter_ns) * 1e-9);
    s->filter_ns = z->image_ns;
    target_pose_covariance(S, &s->now.x, s->now.P);
    if (!(S[21] + S[28] + S[35] < BLIND_RAD * BLIND_RAD)) {
        s->restarts++;
        vision_enable(m, s);
        return collect(m, s, z);
    }
    choose(z, &s->now.x);
    ekf_innovate(&i, &s->now, z, &scale);
    s->distance = i.distance;
    z->out = !(i.distance < m->gate);
    (void)window_add(&m->fit, &s->track, z);
    if (z->out) {
        refuse(m, s, z, &i);
        return VISION_GATED;
    }
    accept(m, s, z, &i);
    return VISION_ACCEPTED;
}

/* Behind the filter: only the window can still use it. */
static enum vision_outcome late(const struct vision_model *m, struct vision_state *s,
                                struct sighting *z)
{
    enum window_put put;

    if (s->filter_ns - z->image_ns > LATE_NS) {
        return VISION_TOO_OLD;
    }
    z->out = false;
    put = window_add(&m->fit, &s->track, z);
    s->fresh += put == WINDOW_TAKEN ? 1 : 0;
    return put == WINDOW_TAKEN ? VISION_LATE : put == WINDOW_TWICE ? VISION_TWICE : VISION_TOO_OLD;
}

static enum vision_outcome sort(const struct vision_model *m, struct vision_state *s,
                                struct sighting *z)
{
    const double norm2 = mat_dot(z->q, z->q, 4);

    if (s->mode == VISION_OFF || s->mode == VISION_CONTACT) {
        return VISION_IGNORED;
    }
    if (!base_all_finite(z->p, 3) || !base_all_finite(z->q, 4) || !(fabs(norm2 - 1.0) < 2e-3) ||
        !base_all_finite(z->factor, 36)) {
        return VISION_NOT_VALID;
    }
    if (z->image_ns > z->receive_ns || z->receive_ns - z->image_ns > APART_NS) {
        s->clock_in_row++;
        s->clock_fault = s->clock_fault || s->clock_in_row >= CLOCK_FAULT;
        return VISION_CLOCK;
    }
    s->clock_in_row = 0;
    if (!s->tracking) {
        return collect(m, s, z);
    }
    return z->image_ns > s->filter_ns ? compare(m, s, z) : late(m, s, z);
}

enum vision_outcome vision_input(const struct vision_model *m, struct vision_state *s,
                                 const struct sighting *z)
{
    struct sighting copy = *z;
    enum vision_outcome outcome;

    vision_advance(m, s, z->receive_ns);
    outcome = sort(m, s, &copy);
    s->count[outcome]++;
    return outcome;
}

void vision_advance(const struct vision_model *m, struct vision_state *s, int64_t now_ns)
{
    if (s->mode == VISION_TRACK && (double)(now_ns - s->receive_ns) * 1e-9 > m->silence_s) {
        s->mode = VISION_PREDICT;
        if (s->fresh > 0) {
            refit(m, s, PASSES_LAST);
        }
    }
}

/* Is the motion known well enough? */
static bool good(const struct vision_model *m, const struct ekf_state *s)
{
    double S[36];

    target_pose_covariance(S, &s->x, s->P);
    return 4.0 * (S[0] + S[7] + S[14]) <= m->limit_m * m->limit_m &&
           4.0 * (S[21] + S[28] + S[35]) <= m->limit_rad * m->limit_rad;
}

/* The last instant, in steps of half a second, before the uncertainty passes its limit. */
static void find_horizon(const struct vision_model *m, struct vision_state *s)
{
    const int most = (int)(m->horizon_s * 2.0);
    struct ekf_state x = s->now;

    s->has_horizon = true;
    s->valid_until_ns = s->filter_ns - HORIZON_STEP; /* not good even now: never valid */
    for (int k = 0; k <= most && good(m, &x); k++) {
        s->valid_until_ns += HORIZON_STEP;
        ekf_predict(&m->fit.target, &x, 0.5);
    }
}

bool vision_output(const struct vision_model *m, struct vision_state *s, int64_t now_ns,
                   struct vision_output *out)
{
    double S[36];

    memset(out, 0, sizeof *out);
    vision_advance(m, s, now_ns);
    out->mode = s->mode;
    if (!s->tracking || now_ns < s->filter_ns) {
        return false;
    }
    if (now_ns < s->ahead_ns) {
        s->ahead = s->now;
        s->ahead_ns = s->filter_ns;
    }
    if (now_ns > s->ahead_ns) {
        ekf_predict(&m->fit.target, &s->ahead, (double)(now_ns - s->ahead_ns) * 1e-9);
        s->ahead_ns = now_ns;
    }
    if (!s->has_horizon) {
        find_horizon(m, s);
    }
    if (now_ns > s->valid_until_ns && (s->mode == VISION_TRACK || s->mode == VISION_PREDICT)) {
        s->mode = s->mode == VISION_PREDICT ? VISION_LOST : VISION_TRACK;
    }
    out->mode = s->mode;
    out->valid =
        now_ns <= s->valid_until_ns && (s->mode == VISION_TRACK || s->mode == VISION_PREDICT);
    target_position(out->p, &s->ahead.x);
    mat_copy(out->q, s->ahead.x.mu, 4);
    (void)so3_quat_normalise(out->q);
    target_velocity(out->v, &s->ahead.x, m->fit.target.orbit_radps);
    mat_copy(out->w, s->ahead.x.w, 3);
    target_pose_covariance(S, &s->ahead.x, s->ahead.P);
    out->sigma_m = sqrt(S[0] + S[7] + S[14]);
    out->sigma_rad = sqrt(S[21] + S[28] + S[35]);
    out->valid_until_ns = s->valid_until_ns;
    out->age_s = (double)(now_ns - s->filter_ns) * 1e-9;
    return true;
}

const char *vision_mode_name(enum vision_mode mode)
{
    static const char *const names[] = {"OFF", "INIT", "TRACK", "PREDICT", "LOST", "CONTACT"};

    return names[mode];
}

const char *vision_outcome_name(enum vision_outcome outcome)
{
    static const char *const names[VISION_OUTCOMES] = {
        "ignored", "collected",      "accepted", "gated",     "late",
        "too old", "received twice", "clock",    "ambiguous", "not valid"};

    return names[outcome];
}
