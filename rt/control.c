/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/control.h"

#include <errno.h>

#include "model/mat.h"
#include "rt/flight.h"
#include "rt/inspect.h"

static bool positive(double x)
{
    return base_finite(x) && x > 0.0;
}

static bool thresholds_good(const struct control_thresholds *t)
{
    return positive(t->force_n) && positive(t->torque_nm) && positive(t->tracking_m) &&
           positive(t->tracking_rad) && positive(t->energy_j) && positive(t->contact_n) &&
           t->wrench_stale >= 0 && t->joints_stale >= 0 && t->robot_late >= 0 &&
           t->wrench_frozen > 0 && t->obsw_late >= 0;
}

static bool limits_good(const struct control_model *m)
{
    bool good = positive(m->torque_rate_nmps) && positive(m->base_force_n) &&
                positive(m->base_torque_nm) && base_all_finite(m->gravity, 3) &&
                base_all_finite(m->client_velocity, 6);

    for (int i = 0; i < m->servicer.robot.joints && i < MULTIBODY_LANES; i++) {
        good = good && positive(m->torque_nm[i]) && base_finite(m->hold_damping[i]) &&
               m->hold_damping[i] >= 0.0;
    }
    for (int i = 0; i < m->servicer.robot.joints && i < MULTIBODY_LANES; i++) {
        good = good && m->joint_low_rad[i] < m->joint_high_rad[i] && m->joint_rate_radps[i] > 0.0;
    }
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        good = good && limit_init(&m->limit[i]) == 0 && base_finite(m->lead_s[i]) &&
               m->lead_s[i] >= 0.0;
    }
    return good;
}

static bool obsw_good(const struct obsw_interface *table)
{
    return table != NULL && table->version == OBSW_VERSION && table->step != NULL;
}

/* Every body where it is when motion begins. */
static int prepare(const struct control_model *m, struct control_flight *f)
{
    struct pose g_t;
    int bad = 0;

    se3_identity(&g_t);
    bad |= nominal_init(&m->nominal, &f->nominal, &g_t, m->client_velocity);
    bad |= client_init(&m->client, &f->client, &f->nominal.motion, &g_t, m->client_velocity);
    bad |= sensors_star_init(&m->star, &f->star, m->seed, 1);
    bad |= sensors_relative_init(&m->navigation, &f->navigation, m->seed, 2);
    bad |= friction_init(&m->friction, &f->friction);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        bad |= passivity_init(&m->passivity[i], &f->passivity[i]);
    }
    return bad;
}

int control_init(const struct control_model *m, struct control_state *s)
{
    memset(s, 0, sizeof *s);
    if (!positive(m->dt_s) || servicer_init(&m->servicer) != 0 || !limits_good(m) ||
        !thresholds_good(&m->threshold) || !obsw_good(m->obsw.table) ||
        prepare(m, &s->start) != 0) {
        return -EINVAL;
    }
    s->flight = s->start;
    s->mode = SAFETY_INIT;
    se3_identity(&s->lab);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        limit_start(&s->limit[i], &s->lab);
    }
    multibody_reset(&m->servicer.robot, &s->ahead.ahead);
    multibody_reset(&m->servicer.robot, &s->servicer.work);
    return 0;
}

/* The mode after these causes, and what first led out of motion. */
RT_SAFE static void decide(const struct control_model *m, struct control_state *s,
                           const struct control_input *in, uint32_t causes,
                           enum safety_request request)
{
    struct safety_event event = {request, causes, in->ready, false, true};
    enum safety_mode next;

    event.aligned = inspect_aligned(m, s, in);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        event.still = event.still && !(mat_dot6(s->limit[i].velocity, s->limit[i].velocity) > 0.0);
    }
    next = safety_next(s->mode, &event);
    if (next >= SAFETY_HOLD && s->mode < SAFETY_HOLD) {
        s->first_causes = causes;
    }
    s->mode = next;
}

/* While links come up the command is where the robots are; READY freezes it there. */
RT_SAFE static void stand(const struct control_model *m, struct control_state *s,
                          const struct control_input *in)
{
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        if (inspect_robot(m, &in->robot[i])) {
            limit_start(&s->limit[i], &in->robot[i].pose);
        }
    }
}

/* Is the motion told with a pose the motion that leads to it? Twist and acceleration are fed forward by robots: they must be
 * numbers, within the limits, and no further from those of the commands than half a period of the greatest acceleration
 * explains, with as much for the acceleration's own change. */
RT_SAFE static bool agrees(const struct limit_model *m, const struct limit_state *s,
                           const struct motion *wanted, double dt_s)
{
    double dV[6];

    mat_sub(dV, wanted->velocity, s->velocity, 6);
    return mat_norm3(dV) <= m->acceleration_mps2 * dt_s &&
           mat_norm3(dV + 3) <= m->rotation_radps2 * dt_s &&
           mat_norm3(wanted->acceleration) <= m->acceleration_mps2 &&
           mat_norm3(wanted->acceleration + 3) <= m->rotation_radps2;
}

/* Send both robots towards what the flight wants. Limits hit become causes. Where none is, out gets the twist of the flight
 * itself: the one between two commands is half a period old. */
RT_SAFE static uint32_t follow(const struct control_model *m, struct control_state *s,
                               const struct flight_output *wanted, bool exact[CONTROL_ROBOTS])
{
    uint32_t causes = 0;

    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        const unsigned hit =
            limit_follow(&m->limit[i], &s->limit[i], &wanted->robot[i].pose, m->dt_s);

        exact[i] = hit == 0 && agrees(&m->limit[i], &s->limit[i], &wanted->robot[i], m->dt_s);
        causes |= (hit & LIMIT_POSE) != 0 ? SAFETY_BIT(SAFETY_POSE_LIMIT) : 0u;
        causes |= (hit & LIMIT_SPEED) != 0 ? SAFETY_BIT(SAFETY_SPEED_LIMIT) : 0u;
        causes |= (hit & LIMIT_ACCELERATION) != 0 ? SAFETY_BIT(SAFETY_ACCELERATION_LIMIT) : 0u;
        causes |= (hit & LIMIT_NOT_FINITE) != 0 ? SAFETY_BIT(SAFETY_NOT_FINITE) : 0u;
    }
    return causes;
}

RT_SAFE static void ramp(const struct control_model *m, struct control_state *s)
{
    const double share = s->mode == SAFETY_HOLD ? LIMIT_HOLD_SHARE : 1.0;

    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        (void)limit_ramp(&m->limit[i], &s->limit[i], share, m->dt_s);
    }
}

/* Torque within its limit and rate; a value that is no number keeps the last one. */
RT_SAFE static void push(const struct control_model *m, struct control_state *s,
                         const double *wanted)
{
    const double step = m->torque_rate_nmps * m->dt_s;

    for (int i = 0; i < m->servicer.robot.joints; i++) {
        const double t = base_finite(wanted[i]) ? wanted[i] : s->torque[i];
        const double near = base_clamp(t, s->torque[i] - step, s->torque[i] + step);

        s->torque[i] = base_clamp(near, -m->torque_nm[i], m->torque_nm[i]);
    }
}

RT_SAFE static void report(const struct control_model *m, const struct control_state *s,
                           uint32_t causes, struct control_output *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        out->robot[i].pose = s->limit[i].pose;
        mat_copy(out->robot[i].velocity, s->limit[i].velocity, 6);
        mat_copy(out->robot[i].acceleration, s->limit[i].acceleration, 6);
    }
    out->torque_on = s->mode >= SAFETY_READY && s->mode != SAFETY_FAULT;
    if (out->torque_on) {
        mat_copy(out->torque, s->torque, m->servicer.robot.joints);
    }
    out->grip = s->obsw_out.grip != 0;
    out->phase = s->obsw_out.phase;
    out->mode = s->mode;
    out->causes = causes;
}

void control_step(const struct control_model *m, struct control_state *s,
                  const struct control_input *in, struct control_output *out)
{
    const enum safety_mode before = s->mode;
    uint32_t causes = inspect_input(m, s, in);
    struct flight_output wanted;
    double torque[MULTIBODY_LANES] = {0.0};
    bool exact[CONTROL_ROBOTS] = {false};

    if (inspect_joints(m, &in->joints)) {
        mat_copy(s->joints, in->joints.position, m->servicer.robot.joints);
        s->joints_known = true;
    }
    decide(m, s, in, causes, in->request);
    if (s->mode == SAFETY_RUN) {
        if (before != SAFETY_RUN) {
            flight_begin(m, s, in);
        }
        flight_step(m, s, in, &wanted);
        causes |= wanted.causes;
        decide(m, s, in, causes, SAFETY_ASK_NOTHING);
    }
    if (s->mode == SAFETY_RUN) {
        mat_copy(torque, wanted.torque, m->servicer.robot.joints);
        causes |= follow(m, s, &wanted, exact);
        decide(m, s, in, causes, SAFETY_ASK_NOTHING); /* the command itself is bounded already */
    } else {
        if (before == SAFETY_INIT) {
            stand(m, s, in);
        } else if (s->mode >= SAFETY_HOLD) {
            ramp(m, s);
        }
        flight_hold_torque(m, s, in, torque);
    }
    push(m, s, torque);
    report(m, s, causes, out);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        if (exact[i]) {
            mat_copy(out->robot[i].velocity, wanted.robot[i].velocity, 6);
            mat_copy(out->robot[i].acceleration, wanted.robot[i].acceleration, 6);
        }
    }
}
