/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reference.c - client, servicer and contact in orbit, by forward dynamics and RK4. */
#include "tools/lab/reference.h"

#include <errno.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"

enum {
    CLIENT_V = INTEGRATE_FRAME,
    BASE = CLIENT_V + 6,
    BASE_V = BASE + INTEGRATE_FRAME,
    JOINT = BASE_V + 6,
    JOINT_V = JOINT + MULTIBODY_LANES
};

_Static_assert((int)JOINT_V + (int)MULTIBODY_LANES == (int)REFERENCE_NUMBERS, "layout of y");
_Static_assert((int)REFERENCE_NUMBERS <= (int)INTEGRATE_MOST, "y must fit the integrator");

struct stage {
    const struct reference_model *m;
    struct reference_state *s;
    const struct reference_input *in;
    struct grip_output met;
    bool valid;
};

/* The arm in this state; nothing to do where it was placed last: a period begins where the one before ended. */
static void place(struct stage *x, const double *y)
{
    const size_t size = (size_t)x->m->servicer.joints * sizeof *y;
    struct reference_state *s = x->s;
    const struct multibody_arm_work *arm = &s->work.arm[0];

    if (s->placed && memcmp(y + JOINT, arm->q, size) == 0 &&
        memcmp(y + JOINT_V, arm->qd, size) == 0) {
        return;
    }
    multibody_kinematics(&x->m->servicer, &s->work, y + JOINT);
    multibody_rates(&x->m->servicer, &s->work, y + JOINT_V);
    s->placed = s->work.valid;
    s->factored = false;
}

static void factor(struct stage *x)
{
    struct reference_state *s = x->s;

    if (!s->factored) {
        multibody_mass(&x->m->servicer, &s->work);
        multibody_solve_factor(&x->m->servicer, &s->work, NULL);
        s->factored = s->placed;
    }
}

/* Place the arm and look at the contact. */
static void meet(struct stage *x, double offset_s, const double *y)
{
    const struct reference_model *m = x->m;
    struct multibody_work *w = &x->s->work;
    struct grip_input in = {.close = x->in->grip};

    place(x, y);
    integrate_get(&in.client, y);
    integrate_get(&in.base, y + BASE);
    mat_copy(in.client_velocity, y + CLIENT_V, 6);
    multibody_frame_pose(&in.gripper, w, &m->gripper);
    multibody_frame_twist(in.gripper_velocity, w, &m->gripper, y + BASE_V);
    grip_meet(&x->met, &m->grip, &x->s->contact, &in, offset_s);
}

/* M nu' + h = [F_b; tau] + J' F_e [REL 12], and the client's own equation [REL 2] */
static void rate(void *user, double offset_s, const double *y, double *dy)
{
    struct stage *x = (struct stage *)user;
    const struct multibody_model *robot = &x->m->servicer;
    struct multibody_work *w = &x->s->work;
    struct multibody_vector load;
    const int n = robot->joints;

    mat_zero(dy, REFERENCE_NUMBERS);
    if (x->s->near) {
        meet(x, offset_s, y);
    } else {
        place(x, y);
    }
    integrate_frame(dy, y, y + CLIENT_V);
    rigid_acceleration(dy + CLIENT_V, &x->m->client, y + CLIENT_V, x->met.client);

    factor(x);
    multibody_inverse_bias(&load, robot, w, y + BASE_V);
    mat_sub(load.base, x->in->base_wrench, load.base, 6);
    mat_sub(load.joint, x->in->joint_torque, load.joint, n);
    if (x->s->near) {
        multibody_frame_wrench(&load, robot, w, &x->m->gripper, x->met.wrench.F_e);
    }
    multibody_solve(&load, robot, w, &load);
    integrate_frame(dy + BASE, y + BASE, y + BASE_V);
    mat_copy(dy + BASE_V, load.base, 6);
    mat_copy(dy + JOINT, y + JOINT_V, n);
    mat_copy(dy + JOINT_V, load.joint, n);
    x->valid = x->valid && w->valid;
}

/* Everything at the end of the period, from one more look at it. */
static void report(struct stage *x, struct reference_output *out)
{
    const double *y = x->s->y;
    const int n = x->m->servicer.joints;
    double dy[REFERENCE_NUMBERS];

    memset(out, 0, sizeof *out);
    meet(x, 0.0, y);
    x->s->near = grip_near(&x->m->grip, &x->s->contact, &x->met.seen, x->m->dt_s);
    rate(x, 0.0, y, dy);
    integrate_get(&out->client.pose, y);
    mat_copy(out->client.velocity, y + CLIENT_V, 6);
    mat_copy(out->client.acceleration, dy + CLIENT_V, 6);
    integrate_get(&out->servicer.pose, y + BASE);
    mat_copy(out->servicer.velocity, y + BASE_V, 6);
    mat_copy(out->servicer.acceleration, dy + BASE_V, 6);
    mat_copy(out->joint_position, y + JOINT, n);
    mat_copy(out->joint_velocity, y + JOINT_V, n);
    mat_copy(out->client_wrench, x->met.client, 6);
    mat_copy(out->gripper_wrench, x->met.wrench.F_e, 6);
    out->grip = x->met.seen.g_ge;
    out->latched = x->s->contact.phase == CONTACT_LATCHED;
    out->valid = x->valid;
}

int reference_init(const struct reference_model *m, struct reference_state *s,
                   const struct reference_start *start, struct reference_output *out)
{
    const struct reference_input none = {.grip = false};
    const int n = m->servicer.joints;
    struct stage x = {.m = m, .s = s, .in = &none, .valid = true};

    memset(s, 0, sizeof *s);
    if (!(m->dt_s > 0.0) || !base_finite(m->dt_s) || m->substeps < 1 || m->servicer.arms != 1 ||
        n > MULTIBODY_LANES || m->servicer.base != MULTIBODY_FLOATING || !rigid_ready(&m->client) ||
        contact_init(&m->grip.contact, &s->contact) != 0) {
        return -EINVAL;
    }
    integrate_put(s->y, &start->client);
    mat_copy(s->y + CLIENT_V, start->client_velocity, 6);
    integrate_put(s->y + BASE, &start->base);
    mat_copy(s->y + BASE_V, start->base_velocity, 6);
    mat_copy(s->y + JOINT, start->joint_position, n);
    mat_copy(s->y + JOINT_V, start->joint_velocity, n);
    if (!base_all_finite(s->y, REFERENCE_NUMBERS)) {
        return -EINVAL;
    }
    multibody_reset(&m->servicer, &s->work);
    report(&x, out);
    return 0;
}

/* What is not finite acts as zero. */
static bool usable(struct reference_input *use, const struct reference_input *in, int n)
{
    const bool good = base_all_finite(in->base_wrench, 6) && base_all_finite(in->joint_torque, n);

    *use = good ? *in : (struct reference_input){.grip = in->grip};
    return good;
}

void reference_step(const struct reference_model *m, struct reference_state *s,
                    const struct reference_input *in, struct reference_output *out)
{
    struct reference_input use;
    struct stage x = {.m = m, .s = s, .in = &use};

    x.valid = usable(&use, in, m->servicer.joints);
    s->near = s->near || use.grip;
    const int steps = s->near ? m->substeps : 1;
    const double h = m->dt_s / steps;
    for (int i = 0; i < steps; i++) {
        integrate_step(s->y, REFERENCE_NUMBERS, i * h, h, rate, &x);
        integrate_tidy(s->y);
        integrate_tidy(s->y + BASE);
    }
    meet(&x, m->dt_s, s->y);
    contact_next(&m->grip.contact, &s->contact, &x.met.seen, m->dt_s);
    report(&x, out);
}

void reference_balance(const struct reference_model *m, struct reference_state *s,
                       double momentum[static 6], double *energy_j)
{
    const struct reference_input none = {.grip = false};
    struct stage x = {.m = m, .s = s, .in = &none, .valid = true};
    struct multibody_vector nu = {{0.0}, {0.0}};
    struct pose client, base;
    double P[6], robot[6];

    meet(&x, 0.0, s->y);
    integrate_get(&client, s->y);
    integrate_get(&base, s->y + BASE);
    mat_copy(nu.base, s->y + BASE_V, 6);
    mat_copy(nu.joint, s->y + JOINT_V, m->servicer.joints);
    factor(&x);
    multibody_mass_joint(&m->servicer, &s->work);
    multibody_mass_momentum(robot, &m->servicer, &s->work, &nu);
    body_momentum(P, &m->client.body, s->y + CLIENT_V);
    *energy_j = 0.5 * mat_dot6(P, s->y + CLIENT_V) + x.met.wrench.energy_j +
                multibody_mass_energy(&m->servicer, &s->work, &nu);
    se3_apply_Ad_inverse_transpose(momentum, &client, P);
    se3_apply_Ad_inverse_transpose(robot, &base, robot);
    mat_add(momentum, momentum, robot, 6);
}
