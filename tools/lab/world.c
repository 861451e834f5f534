/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world.c - the physics of the simulated facility, one period of the controller at a time. */
#include "tools/lab/world.h"

#include <errno.h>

#include "model/mat.h"

/* Angle of a servo's own frequency in a period, rad, below which one RK4 step of it is as good as two: its error is the
 * fifth power, 3e-6 of what changes. 15 Hz at 1 kHz: 0.09. */
#define SERVO_SMOOTH 0.2

/* Everything that moves, in one array: client robot, servicer robot, q, qd. */
enum {
    SERVICER = ROBOT_STATE,
    JOINT = SERVICER + ROBOT_STATE,
    JOINT_V = JOINT + MULTIBODY_LANES,
    NUMBERS = JOINT_V + MULTIBODY_LANES
};

_Static_assert((int)NUMBERS <= (int)INTEGRATE_MOST, "the world must fit the integrator");

struct stage {
    const struct world_model *m;
    struct world_state *s;
    bool close;
    double h_s;
    struct grip_output met;
};

/* Place the arm on its base and look from the ring at the gripper. */
static void see(struct stage *x, const struct motion *client, const struct motion *base,
                const double *q, const double *qd)
{
    struct grip_input in = {.client = client->pose, .base = base->pose, .close = x->close};

    mat_copy(in.client_velocity, client->velocity, 6);
    manipulator_place(&x->m->arm, &x->s->arm, q, qd, base->velocity, &in.gripper,
                      in.gripper_velocity);
    grip_see(&x->met.seen, &x->m->grip, &in);
}

static void rate(void *user, double offset_s, const double *y, double *dy)
{
    struct stage *x = (struct stage *)user;
    const struct world_model *m = x->m;
    const int n = m->arm.robot.joints;
    struct motion client, base;
    struct manipulator_load load;

    robot_rate(&client, dy, &m->robot[WORLD_CLIENT], &x->s->robot[WORLD_CLIENT], y, offset_s);
    robot_rate(&base, dy + SERVICER, &m->robot[WORLD_SERVICER], &x->s->robot[WORLD_SERVICER],
               y + SERVICER, offset_s);
    if (x->s->near) {
        see(x, &client, &base, y + JOINT, y + JOINT_V);
        grip_pull(&x->met, &m->grip, &x->s->contact, offset_s);
    } else {
        manipulator_put(&m->arm, &x->s->arm, y + JOINT, y + JOINT_V);
        mat_zero(x->met.wrench.F_e, 6);
    }

    mat_copy(load.velocity, base.velocity, 6);
    mat_copy(load.acceleration, base.acceleration, 6);
    mat_vec3_t(load.gravity, base.pose.R, m->gravity);
    mat_copy(load.gripper, x->met.wrench.F_e, 6);
    mat_zero(dy + JOINT, 2 * MULTIBODY_LANES);
    mat_copy(dy + JOINT, y + JOINT_V, n);
    manipulator_acceleration(dy + JOINT_V, &m->arm, &x->s->arm, y + JOINT_V, &load, x->h_s);
}

/* Where everything is at the end of a period. */
static void look(struct stage *x, struct world_output *out)
{
    struct world_state *s = x->s;
    struct world_truth *t = &out->truth;

    memset(out, 0, sizeof *out);
    for (int i = 0; i < WORLD_ROBOTS; i++) {
        robot_motion(&t->robot[i], &s->robot[i]);
        out->robot[i] = t->robot[i];
    }
    see(x, &t->robot[WORLD_CLIENT], &t->robot[WORLD_SERVICER], s->arm.q, s->arm.qd);
}

/* All samples of this instant, and the truth behind them. */
static void report(struct stage *x, struct world_output *out)
{
    const struct world_model *m = x->m;
    struct world_state *s = x->s;
    struct world_truth *t = &out->truth;
    struct sensor_input felt;

    grip_pull(&x->met, &m->grip, &s->contact, 0.0);
    s->near = grip_near(&m->grip, &s->contact, &x->met.seen, m->dt_s);
    mat_copy(t->joint_position, s->arm.q, MULTIBODY_LANES);
    mat_copy(t->joint_velocity, s->arm.qd, MULTIBODY_LANES);
    mat_copy(t->joint_torque, s->arm.drive.joint, MULTIBODY_LANES);
    mat_copy(t->client_wrench, x->met.client, 6);
    mat_copy(t->gripper_wrench, x->met.wrench.F_e, 6);
    t->grip = x->met.seen.g_ge;
    t->contact_j = x->met.wrench.energy_j;

    felt.body = t->robot[WORLD_CLIENT];
    mat_copy(felt.gravity, m->gravity, 3);
    mat_copy(felt.contact, t->client_wrench, 6);
    sensor_feel(t->sensor_wrench, &m->sensor, &felt);
    sensor_step(out->wrench, &m->sensor, &s->sensor, &felt);
    manipulator_measure(&m->arm, &s->arm, out->joint_position, out->joint_velocity);
    out->latched = s->contact.phase == CONTACT_LATCHED;
    out->refused =
        s->arm.refused || s->robot[WORLD_CLIENT].refused || s->robot[WORLD_SERVICER].refused;
}

int world_init(struct world_model *m, struct world_state *s, const struct world_start *start,
               struct world_output *out)
{
    struct stage x = {.m = m, .s = s};

    if (!(m->dt_s > 0.0) || m->substeps < 1 || !base_all_finite(m->gravity, 3) ||
        !base_all_finite(m->grip.grasp.R, 9) || !base_all_finite(m->grip.grasp.p, 3)) {
        return -EINVAL;
    }
    if (contact_init(&m->grip.contact, &s->contact) != 0 ||
        sensor_init(&m->sensor, &s->sensor, m->seed, m->dt_s) != 0 ||
        manipulator_init(&m->arm, &s->arm, start->joint_position, start->joint_velocity, m->seed) !=
            0) {
        return -EINVAL;
    }
    s->rough = manipulator_rubs(&m->arm);
    for (int i = 0; i < WORLD_ROBOTS; i++) {
        s->rough = s->rough || 2.0 * BASE_PI * m->robot[i].bandwidth_hz * m->dt_s > SERVO_SMOOTH;
        if (robot_init(&m->robot[i], &s->robot[i], &start->robot[i], m->dt_s) != 0) {
            return -EINVAL;
        }
    }
    look(&x, out);
    report(&x, out);
    return 0;
}

/* The jaws as they are now told: a period that begins with their closing is near from its beginning. */
static int substeps(struct stage *x)
{
    const struct world_model *m = x->m;
    struct world_state *s = x->s;

    s->near = s->near || x->close;
    return s->near || s->rough ? m->substeps : 1;
}

static void integrate(struct stage *x)
{
    const struct world_model *m = x->m;
    struct world_state *s = x->s;
    struct robot_state *client = &s->robot[WORLD_CLIENT], *servicer = &s->robot[WORLD_SERVICER];
    const int steps = substeps(x);
    double y[NUMBERS];

    x->h_s = m->dt_s / steps;
    mat_copy(y, client->y, ROBOT_STATE);
    mat_copy(y + SERVICER, servicer->y, ROBOT_STATE);
    mat_copy(y + JOINT, s->arm.q, MULTIBODY_LANES);
    mat_copy(y + JOINT_V, s->arm.qd, MULTIBODY_LANES);
    for (int i = 0; i < steps; i++) {
        integrate_step(y, NUMBERS, i * x->h_s, x->h_s, rate, x);
    }
    robot_arrive(&m->robot[WORLD_CLIENT], client, y);
    robot_arrive(&m->robot[WORLD_SERVICER], servicer, y + SERVICER);
    mat_copy(s->arm.q, y + JOINT, MULTIBODY_LANES);
    mat_copy(s->arm.qd, y + JOINT_V, MULTIBODY_LANES);
}

void world_step(const struct world_model *m, struct world_state *s, const struct world_input *in,
                struct world_output *out)
{
    struct stage x = {.m = m, .s = s, .close = in->grip};

    for (int i = 0; i < WORLD_ROBOTS; i++) {
        robot_command(&m->robot[i], &s->robot[i], &in->robot[i]);
    }
    manipulator_command(&m->arm, &s->arm, in->torque, in->torque_on);
    integrate(&x);

    /* jaws latch or release where the period has ended */
    look(&x, out);
    contact_next(&m->grip.contact, &s->contact, &x.met.seen, m->dt_s);
    report(&x, out);
}
