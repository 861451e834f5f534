/* SPDX-License-Identifier: GPL-3.0-or-later */
/* motion.c - steps of a robot, free or latched. */
#include "model/motion.h"

#include <math.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/so3.h"

/* How much of a position error of a latch is taken out in one step [MAR section 6]. */
#define STABILISATION 0.1

/* Newton steps of the position projection: each squares the error. */
#define PROJECTION_STEPS 3

/* Positions in the world beyond this are a mistake, m. */
#define DISTANCE_MAX 1e9

/* Numbers that cannot be: replaced by zero, the pose by the identity. False if there was one. */
RT_SAFE static bool mend(struct motion_state *s, int joints)
{
    bool good = true;

    for (int i = 0; i < joints; i++) {
        const bool q = fabs(s->q[i]) <= MULTIBODY_ANGLE_MAX;
        const bool qd = fabs(s->nu.joint[i]) <= MULTIBODY_RATE_MAX;

        s->q[i] = q ? s->q[i] : 0.0;
        s->nu.joint[i] = qd ? s->nu.joint[i] : 0.0;
        good = good && q && qd;
    }
    for (int i = 0; i < 6; i++) {
        const bool V = fabs(s->nu.base[i]) <= MULTIBODY_RATE_MAX;

        s->nu.base[i] = V ? s->nu.base[i] : 0.0;
        good = good && V;
    }
    bool pose = true;
    for (int i = 0; i < 9; i++) {
        pose = pose && fabs(s->pose.R[i]) <= 2.0;
    }
    for (int i = 0; i < 3; i++) {
        pose = pose && fabs(s->pose.p[i]) <= DISTANCE_MAX;
    }
    if (!pose) {
        se3_identity(&s->pose);
    }
    return good && pose;
}

/* Where the robot is and how it moves: what changes within a step. */
struct instant {
    struct pose pose;
    double q[MULTIBODY_JOINTS];
    struct multibody_vector nu;
};

RT_SAFE static struct instant now(const struct motion_state *s)
{
    struct instant x = {.pose = s->pose, .nu = s->nu};

    mat_copy(x.q, s->q, MULTIBODY_JOINTS);
    return x;
}

/* Links, rates and M at an instant. */
RT_SAFE static void place(const struct multibody_model *m, struct motion_work *w,
                          const struct instant *x)
{
    multibody_kinematics(m, &w->robot, x->q);
    multibody_rates(m, &w->robot, x->nu.joint);
    multibody_mass(m, &w->robot);
}

/* The latches' rows and their factors; needs those of M. True if all rows are independent. */
RT_SAFE static bool hold(const struct multibody_model *m, struct motion_work *w,
                         const struct instant *x, const struct motion_state *s)
{
    constraint_rows(&w->latch, m, &w->robot, s->latch, s->latches, &x->pose);
    return constraint_factor(&w->latch, m, &w->robot);
}

/* M, the latches' rows and the factors of both at an instant. True if all rows are independent. */
RT_SAFE static bool look(const struct multibody_model *m, struct motion_work *w,
                         const struct instant *x, const struct motion_state *s,
                         const double *extra_kgm2)
{
    place(m, w, x);
    multibody_solve_factor(m, &w->robot, extra_kgm2);
    return hold(m, w, x, s);
}

/* Multipliers mu over time dt as wrenches, latch by latch. */
RT_SAFE static void report(struct motion_output *out, const struct motion_work *w,
                           const struct motion_state *s, const double *mu, double dt_s)
{
    *out = (struct motion_output){.rows = w->latch.rows,
                                  .rank = w->latch.rank,
                                  .least = w->latch.rows > 0 ? w->latch.least : 1.0,
                                  .valid = w->robot.valid && w->latch.rank == w->latch.rows};
    for (int i = 0; i < s->latches; i++) {
        if (s->latch[i].closed) {
            mat_scale(out->wrench[i], 1.0 / dt_s, mu, 6);
            mu += 6;
        }
    }
}

/* nu = nu + sum, entry by entry */
RT_SAFE static void add(struct multibody_vector *x, double factor, const struct multibody_vector *y)
{
    mat_add_scaled(x->base, factor, y->base, 6);
    mat_add_scaled(x->joint, factor, y->joint, MULTIBODY_JOINTS);
}

/* load - h, and gravity, in base axes; joint entries behind the last one are zero */
RT_SAFE static void net_load(struct multibody_vector *net, const struct multibody_model *m,
                             struct motion_work *w, const struct instant *x,
                             const struct motion_input *in)
{
    double g[3];

    mat_vec3_t(g, x->pose.R, in->gravity);
    memset(net, 0, sizeof *net);
    multibody_inverse_hold(net, m, &w->robot, x->nu.base, g);
    mat_sub(net->base, in->load.base, net->base, 6);
    mat_sub(net->joint, in->load.joint, net->joint, m->joints);
}

RT_SAFE void motion_step(const struct multibody_model *m, struct motion_work *w,
                         struct motion_state *s, const struct motion_input *in,
                         struct motion_output *out, double dt_s)
{
    struct multibody_vector net, change = {{0.0}, {0.0}}, nu;
    struct instant x;
    double mu[CONSTRAINT_ROWS], slip[CONSTRAINT_ROWS], extra[MULTIBODY_JOINTS];
    const bool good = mend(s, m->joints);

    /* free: (M + dt b) (nu+ - nu) = dt (load - h - b nu) */
    for (int i = 0; i < m->joints; i++) {
        extra[i] = in->viscous_nms != NULL ? dt_s * in->viscous_nms[i] : 0.0;
    }
    x = now(s);
    nu = x.nu;
    look(m, w, &x, s, extra);
    net_load(&net, m, w, &x, in);
    for (int i = 0; i < m->joints; i++) {
        net.joint[i] -= extra[i] / dt_s * nu.joint[i];
    }
    multibody_solve(&change, m, &w->robot, &net);
    add(&nu, dt_s, &change);

    /* latched: Psi nu+ = drive - kappa e / dt, the rest is mu = dt lambda */
    constraint_apply(slip, &w->latch, &nu);
    for (int r = 0; r < w->latch.rows; r++) {
        slip[r] -= w->latch.drive[r] - STABILISATION * w->latch.error[r] / dt_s;
    }
    constraint_solve(mu, &w->latch, slip);
    constraint_react(&nu, &w->latch, mu);
    report(out, w, s, mu, dt_s);
    out->valid = out->valid && good;

    s->nu = nu;
    se3_step(&s->pose, nu.base, dt_s);
    so3_orthonormalise(s->pose.R);
    mat_add_scaled(s->q, dt_s, nu.joint, m->joints);
    for (int i = 0; i < s->latches; i++) {
        s->latch[i].time_s += dt_s;
    }
}

/* ---- fourth order ---- */

/* Rate of an instant: u are exponential coordinates of the base, g = g_0 exp(u). */
struct rate {
    double u[6];
    struct multibody_vector nu; /* that of q is the velocity there */
    double q[MULTIBODY_JOINTS];
};

/* u' = V + ad_u V / 2 + ad_u^2 V / 12 + O(u^4) */
RT_SAFE static void coordinate_rate(double rate[static 6], const double u[static 6],
                                    const double V[static 6])
{
    double once[6], twice[6];

    se3_apply_ad(once, u, V);
    se3_apply_ad(twice, u, once);
    for (int i = 0; i < 6; i++) {
        rate[i] = V[i] + once[i] / 2.0 + twice[i] / 12.0;
    }
}

/* Acceleration under the load with the latches at rest: Psi nudot = -Psidot nu. */
RT_SAFE static void acceleration(struct multibody_vector *acc, double *lambda,
                                 const struct multibody_model *m, struct motion_work *w,
                                 const struct instant *x, const struct motion_state *s,
                                 const struct motion_input *in)
{
    struct multibody_vector net;
    double b[CONSTRAINT_ROWS];
    int r = 0;

    place(m, w, x);
    net_load(&net, m, w, x, in);
    memset(acc, 0, sizeof *acc);
    multibody_solve_once(acc, m, &w->robot, NULL, &net);
    hold(m, w, x, s);
    if (w->latch.rows == 0) {
        return;
    }
    constraint_apply(b, &w->latch, acc);
    for (int i = 0; i < s->latches; i++) {
        double bias[6];

        if (s->latch[i].closed) {
            multibody_frame_bias(bias, &w->robot, &s->latch[i].frame, x->nu.base);
            mat_add(&b[r], &b[r], bias, 6);
            r += 6;
        }
    }
    constraint_solve(lambda, &w->latch, b);
    constraint_react(acc, &w->latch, lambda);
}

/* The instant a time t along a rate from another. The pose is needed only by gravity and latches. */
RT_SAFE static void move(struct instant *to, const struct instant *from, const struct rate *rate,
                         double t, int joints, bool with_pose)
{
    if (with_pose) {
        to->pose = from->pose;
        se3_step(&to->pose, rate->u, t);
    }
    for (int i = 0; i < joints; i++) {
        to->q[i] = from->q[i] + t * rate->q[i];
        to->nu.joint[i] = from->nu.joint[i] + t * rate->nu.joint[i];
    }
    for (int i = 0; i < 6; i++) {
        to->nu.base[i] = from->nu.base[i] + t * rate->nu.base[i];
    }
}

/* sum = sum + part rate */
RT_SAFE static void add_rate(struct rate *sum, double part, const struct rate *rate, int joints)
{
    mat_add_scaled(sum->u, part, rate->u, 6);
    mat_add_scaled(sum->nu.base, part, rate->nu.base, 6);
    mat_add_scaled(sum->nu.joint, part, rate->nu.joint, joints);
    mat_add_scaled(sum->q, part, rate->q, joints);
}

RT_SAFE void motion_rk4(const struct multibody_model *m, struct motion_work *w,
                        struct motion_state *s, const struct motion_input *in,
                        struct motion_output *out, double dt_s)
{
    const double step[4] = {0.5 * dt_s, 0.5 * dt_s, dt_s, dt_s};
    const double part[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    const bool weight = mat_dot3(in->gravity, in->gravity) > 0.0;
    bool valid = mend(s, m->joints);
    const struct instant begin = now(s);
    struct instant x = begin;
    struct rate rate, sum = {{0.0}, {{0.0}, {0.0}}, {0.0}};
    double u[6] = {0.0}, lambda[CONSTRAINT_ROWS] = {0.0};

    for (int k = 0; k < 4; k++) {
        coordinate_rate(rate.u, u, x.nu.base);
        mat_copy(rate.q, x.nu.joint, MULTIBODY_JOINTS);
        acceleration(&rate.nu, lambda, m, w, &x, s, in);
        valid = valid && w->robot.valid;
        if (k == 0) {
            report(out, w, s, lambda, 1.0);
        }
        add_rate(&sum, part[k], &rate, m->joints);
        mat_scale(u, step[k], rate.u, 6);
        move(&x, &begin, k < 3 ? &rate : &sum, step[k], m->joints,
             k == 3 || weight || w->latch.rows > 0);
    }
    s->pose = x.pose;
    so3_orthonormalise(s->pose.R);
    mat_copy(s->q, x.q, m->joints);
    s->nu = x.nu;
    if (w->latch.rows > 0) {
        valid = motion_project(m, w, s) && valid;
    }
    out->valid = out->valid && valid;
}

/* ---- latches ---- */

RT_SAFE bool motion_project(const struct multibody_model *m, struct motion_work *w,
                            struct motion_state *s)
{
    double mu[CONSTRAINT_ROWS], b[CONSTRAINT_ROWS];
    bool good = true;

    for (int k = 0; k < PROJECTION_STEPS; k++) {
        const struct instant x = now(s);
        struct multibody_vector back = {{0.0}, {0.0}};

        good = look(m, w, &x, s, NULL) && good;
        constraint_solve(mu, &w->latch, w->latch.error);
        constraint_react(&back, &w->latch, mu);
        se3_step(&s->pose, back.base, 1.0);
        so3_orthonormalise(s->pose.R);
        mat_add(s->q, s->q, back.joint, m->joints);
    }
    const struct instant x = now(s);
    good = look(m, w, &x, s, NULL) && good;
    constraint_apply(b, &w->latch, &s->nu);
    mat_sub(b, b, w->latch.drive, w->latch.rows);
    constraint_solve(mu, &w->latch, b);
    constraint_react(&s->nu, &w->latch, mu);
    return good && w->robot.valid;
}

RT_SAFE void motion_latch(const struct multibody_model *m, struct motion_work *w,
                          struct motion_state *s, int i, const struct pose *nominal,
                          struct motion_output *out)
{
    const bool good = mend(s, m->joints);
    struct multibody_vector nu = s->nu;
    struct pose g_bf, g_wf;
    double mu[CONSTRAINT_ROWS], slip[CONSTRAINT_ROWS];

    multibody_kinematics(m, &w->robot, s->q);
    multibody_frame_pose(&g_bf, &w->robot, &s->latch[i].frame);
    se3_mul(&g_wf, &s->pose, &g_bf);
    constraint_close(&s->latch[i], &g_wf, nominal);

    const struct instant x = now(s);
    look(m, w, &x, s, NULL);
    multibody_mass_joint(m, &w->robot);
    const double before_j = multibody_mass_energy(m, &w->robot, &nu);
    constraint_apply(slip, &w->latch, &nu);
    mat_sub(slip, slip, w->latch.drive, w->latch.rows);
    constraint_solve(mu, &w->latch, slip);
    constraint_react(&nu, &w->latch, mu);
    report(out, w, s, mu, 1.0);
    out->valid = out->valid && good;
    out->energy_lost_j = before_j - multibody_mass_energy(m, &w->robot, &nu);
    s->nu = nu;
}

RT_SAFE void motion_unlatch(struct motion_state *s, int i)
{
    const struct multibody_frame frame = s->latch[i].frame;

    constraint_open(&s->latch[i], &frame);
}
