/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/flight.h"

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/so3.h"
#include "rt/inspect.h"

void flight_begin(const struct control_model *m, struct control_state *s,
                  const struct control_input *in)
{
    static const double at_rest[6] = {0.0};
    struct motion client, servicer;
    struct pose g_t, g_tb;

    /* the commands stand still at the measured poses: what starts there cannot step */
    s->lab = s->limit[CONTROL_CLIENT].pose;
    se3_relative(&g_tb, &s->lab, &s->limit[CONTROL_SERVICER].pose);
    se3_identity(&g_t);
    mapping_start(&client, &servicer, &g_t, m->client_velocity, &g_tb, at_rest);
    s->flight = s->start;
    servicer_start(&m->servicer, &s->servicer, &servicer.pose, servicer.velocity,
                   in->joints.position, in->joints.velocity);
    multibody_reset(&m->servicer.robot, &s->ahead.ahead);
    s->servicer_orbit = servicer;
    s->obsw_out = (struct obsw_output){.version = OBSW_VERSION};
    s->obsw_bad = 0;
    s->run_cycles = 0;
}

/* Contact wrench at the gripper from the one measured at the client, through the measured poses: F_e = -Ad_{g_te}^T F_t. */
RT_SAFE static void contact(const struct control_model *m, struct control_state *s,
                            const struct control_input *in)
{
    struct pose g_tb, g_be, g_te;

    multibody_kinematics(&m->servicer.robot, &s->ahead.ahead, in->joints.position);
    multibody_frame_pose(&g_be, &s->ahead.ahead, &m->servicer.gripper);
    se3_relative(&g_tb, &in->robot[CONTROL_CLIENT].pose, &in->robot[CONTROL_SERVICER].pose);
    se3_mul(&g_te, &g_tb, &g_be);
    se3_apply_Ad_transpose(s->gripper_wrench, &g_te, in->wrench.value);
    mat_scale(s->gripper_wrench, -1.0, s->gripper_wrench, 6);
}

/* Measured robots, mapped to orbit [REL 23]: the satellites as their own sensors would see them. */
RT_SAFE static void map_measured(struct control_state *s, const struct control_input *in)
{
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        struct motion lab = {.acceleration = {0.0}};

        se3_relative(&lab.pose, &s->lab, &in->robot[i].pose);
        mat_copy(lab.velocity, in->robot[i].velocity, 6);
        mapping_to_orbit(&s->measured_orbit[i], &s->flight.nominal.motion, &lab);
    }
}

RT_SAFE static void sense(const struct control_model *m, struct control_state *s,
                          const struct control_input *in)
{
    struct control_flight *f = &s->flight;
    struct obsw_input *o = &s->obsw_in;
    const int64_t now_ns = (int64_t)s->run_cycles * (int64_t)(m->dt_s * 1e9 + 0.5);
    const struct motion *base = &s->measured_orbit[CONTROL_SERVICER];

    sensors_star_step(&m->star, &f->star, base, now_ns);
    sensors_relative_step(&m->navigation, &f->navigation, &s->measured_orbit[CONTROL_CLIENT], base,
                          now_ns);
    *o = (struct obsw_input){.version = OBSW_VERSION, .size = sizeof *o};
    o->cycle = s->run_cycles;
    o->time_ns = now_ns;
    o->latched = in->latched;
    o->valid = OBSW_VALID_RATE | OBSW_VALID_JOINTS | OBSW_VALID_WRENCH;
    o->valid |= f->star.sample.valid ? OBSW_VALID_ATTITUDE : 0u;
    o->valid |= f->navigation.sample.valid ? OBSW_VALID_NAVIGATION : 0u;
    o->attitude_time_ns = f->star.sample.time_ns;
    mat_copy(o->attitude, f->star.sample.q, 4);
    mat_copy(o->base_velocity, base->velocity, 6);
    mat_copy(o->relative_pose, f->navigation.sample.g_tb.p, 3);
    so3_to_quat(o->relative_pose + 3, f->navigation.sample.g_tb.R);
    mat_copy(o->client_velocity, f->navigation.sample.V_t, 6);
    mat_copy(o->joint_position, in->joints.position, m->servicer.robot.joints);
    mat_copy(o->joint_velocity, in->joints.velocity, m->servicer.robot.joints);
    mat_copy(o->gripper_wrench, s->gripper_wrench, 6);
}

/* Is the answer one to this question, in our version, and all numbers? */
RT_SAFE static uint32_t judge(const struct control_state *s, int joints, int code,
                              const struct obsw_output *answer)
{
    if (code != 0) {
        return SAFETY_BIT(SAFETY_OBSW_INVALID);
    }
    if (answer->version != OBSW_VERSION || answer->size != sizeof *answer) {
        return SAFETY_BIT(SAFETY_OBSW_VERSION);
    }
    if (answer->cycle != s->obsw_in.cycle) {
        return SAFETY_BIT(SAFETY_OBSW_LATE);
    }
    if (!base_all_finite(answer->base_wrench, 6) ||
        !base_all_finite(answer->joint_torque, joints)) {
        return SAFETY_BIT(SAFETY_OBSW_INVALID);
    }
    return 0;
}

/* Ask the on-board software and limit what it wants, so that the model feels what acts. An answer that cannot be used lets
 * the last command decay for as many cycles as are bridged; then the run holds. */
RT_SAFE static uint32_t ask(const struct control_model *m, struct control_state *s)
{
    const int joints = m->servicer.robot.joints;
    struct obsw_output answer = {/* untouched means late, not wrong */
                                 .version = OBSW_VERSION,
                                 .size = sizeof answer,
                                 .cycle = ~s->obsw_in.cycle};
    const int code = m->obsw.table->step(m->obsw.self, &s->obsw_in, &answer);
    const uint32_t causes = judge(s, joints, code, &answer);

    if (causes != 0) {
        s->obsw_bad++;
        mat_scale(s->obsw_out.base_wrench, 0.5, s->obsw_out.base_wrench, 6);
        mat_scale(s->obsw_out.joint_torque, 0.5, s->obsw_out.joint_torque, joints);
        return s->obsw_bad > m->threshold.obsw_late ? causes : 0;
    }
    s->obsw_bad = 0;
    for (int i = 0; i < 6; i++) {
        const double most = i < 3 ? m->base_force_n : m->base_torque_nm;

        answer.base_wrench[i] = base_clamp(answer.base_wrench[i], -most, most);
    }
    for (int i = 0; i < joints; i++) {
        answer.joint_torque[i] =
            base_clamp(answer.joint_torque[i], -m->torque_nm[i], m->torque_nm[i]);
    }
    s->obsw_out = answer;
    return 0;
}

/* M^-1 of each body in its own axes. */
RT_SAFE static void mobility(double A[static 36], const struct control_model *m,
                             struct control_state *s, int body)
{
    for (int j = 0; j < 6; j++) {
        double unit[6] = {0.0}, column[6];

        unit[j] = 1.0;
        if (body == CONTROL_CLIENT) {
            static const double still[6] = {0.0};

            rigid_acceleration(column, &m->client.body, still, unit);
        } else {
            multibody_mass_base_solve(column, &s->servicer.work, unit);
        }
        for (int i = 0; i < 6; i++) {
            A[6 * i + j] = column[i];
        }
    }
}

/* Energy the lateness of the robots makes, and the command that takes it out; lead first. */
RT_SAFE static uint32_t lead(const struct control_model *m, struct control_state *s,
                             const struct control_input *in, struct flight_output *out)
{
    const double *F_t = in->wrench.value;
    const bool touches = in->latched || mat_norm3(F_t) > m->threshold.contact_n;
    uint32_t causes = 0;

    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        struct passivity_state *p = &s->flight.passivity[i];
        const bool client = i == CONTROL_CLIENT;
        const struct motion *lab = client ? &s->flight.client.lab : &s->servicer_lab;
        struct passivity_input p_in = {.contact = touches};
        struct motion ahead, command;

        p_in.measured = s->measured_orbit[i].pose;
        p_in.model = client ? s->flight.client.orbit.pose : s->servicer_orbit.pose;
        if (client) {
            mat_copy(p_in.wrench, F_t, 6);
        } else {
            se3_apply_Ad_inverse_transpose(p_in.wrench, &s->servicer.gripper, s->gripper_wrench);
        }
        mobility(p_in.mobility, m, s, i);
        passivity_step(&m->passivity[i], p, &p_in, m->dt_s);
        causes |= p->effective_j < -m->threshold.energy_j ? SAFETY_BIT(SAFETY_ENERGY) : 0u;
        passivity_lead(&ahead, lab, m->lead_s[i]);
        passivity_command(&command, p, &ahead);
        out->robot[i] = command;
        se3_mul(&out->robot[i].pose, &s->lab, &command.pose);
    }
    return causes;
}

/* Arm torque [REL 22] for the servicer as it moves on its robot. */
RT_SAFE static void torque(const struct control_model *m, struct control_state *s,
                           const struct servicer_input *in, double *tau_q)
{
    struct servicer_relative relative;
    double dV[6], gravity[3];

    relative.pose = s->servicer_lab.pose;
    mat_copy(relative.velocity, s->servicer_lab.velocity, 6);
    mapping_carried(dV, relative.nominal_acceleration, &s->flight.nominal.motion, &relative.pose,
                    relative.velocity);
    mat_vec3_t(gravity, s->lab.R, m->gravity);
    servicer_torque(&m->servicer, &s->ahead, tau_q, in, s->obsw_out.joint_torque, &relative,
                    s->servicer.velocity, gravity);
}

/* What rubs in the real arm, taken off its torque; acceleration is what the model expects of the joints. */
RT_SAFE static void rub(const struct control_model *m, struct control_state *s,
                        const struct control_input *in, const double *acceleration, double *tau_q)
{
    const int n = m->friction.joints;
    const struct multibody_arm_work *arm = &s->servicer.work.arm[0];
    double M[MULTIBODY_LANES * MULTIBODY_LANES];

    multibody_mass_joint(&m->servicer.robot, &s->servicer.work);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            M[n * i + j] = M[n * j + i] = arm->M[i][j];
        }
    }
    friction_step(&m->friction, &s->flight.friction, in->joints.velocity, acceleration, M, m->dt_s);
    mat_sub(tau_q, tau_q, s->flight.friction.torque, n);
}

void flight_step(const struct control_model *m, struct control_state *s,
                 const struct control_input *in, struct flight_output *out)
{
    struct control_flight *f = &s->flight;
    struct servicer_input servicer;
    struct multibody_vector acc;

    contact(m, s, in);
    mat_copy(servicer.joint_position, in->joints.position, m->servicer.robot.joints);
    mat_copy(servicer.joint_velocity, in->joints.velocity, m->servicer.robot.joints);
    mat_copy(servicer.gripper_wrench, s->gripper_wrench, 6);
    mat_copy(servicer.base_wrench, s->obsw_out.base_wrench, 6);
    if (s->run_cycles > 0) { /* the first cycle is the start itself */
        nominal_step(&m->nominal, &f->nominal, m->dt_s);
        client_step(&m->client, &f->client, &f->nominal.motion, in->wrench.value, m->dt_s);
        servicer_step(&m->servicer, &s->servicer, &servicer, m->dt_s);
    }
    map_measured(s, in);
    sense(m, s, in);
    out->causes = ask(m, s);

    mat_copy(servicer.base_wrench, s->obsw_out.base_wrench, 6);
    servicer_acceleration(&m->servicer, &s->servicer, &acc, &servicer, s->obsw_out.joint_torque);
    s->servicer_orbit.pose = s->servicer.pose;
    mat_copy(s->servicer_orbit.velocity, s->servicer.velocity, 6);
    mat_copy(s->servicer_orbit.acceleration, acc.base, 6);
    mapping_to_lab(&s->servicer_lab, &f->nominal.motion, &s->servicer_orbit);
    torque(m, s, &servicer, out->torque);
    if (m->friction.bandwidth_radps > 0.0) {
        rub(m, s, in, acc.joint, out->torque);
    }
    out->causes |= lead(m, s, in, out);
    if (!f->client.valid || !s->servicer.work.valid || !s->ahead.ahead.valid ||
        !base_all_finite(out->torque, m->servicer.robot.joints)) {
        out->causes |= SAFETY_BIT(SAFETY_NOT_FINITE);
    }
    s->run_cycles++;
}

void flight_hold_torque(const struct control_model *m, struct control_state *s,
                        const struct control_input *in, double *tau)
{
    static const double at_rest[6] = {0.0}, no_rate[MULTIBODY_LANES] = {0.0};
    const bool seen = inspect_joints(m, &in->joints);
    const struct control_robot *robot = &in->robot[CONTROL_SERVICER];
    const double *R = inspect_robot(m, robot) ? robot->pose.R : s->limit[CONTROL_SERVICER].pose.R;
    const double *qd = seen ? in->joints.velocity : no_rate;
    struct multibody_vector load;
    double gravity[3];

    /* where samples are absent the arm is carried at the place it was seen last: what they hold is not to be believed */
    mat_vec3_t(gravity, R, m->gravity);
    multibody_kinematics(&m->servicer.robot, &s->ahead.ahead, s->joints);
    multibody_rates(&m->servicer.robot, &s->ahead.ahead, qd);
    multibody_mass(&m->servicer.robot, &s->ahead.ahead);
    multibody_inverse_hold(&load, &m->servicer.robot, &s->ahead.ahead, at_rest, gravity);
    for (int i = 0; i < m->servicer.robot.joints; i++) {
        tau[i] = s->joints_known && s->ahead.ahead.valid
                     ? load.joint[i] - m->hold_damping[i] * qd[i]
                     : s->torque[i]; /* blind: the last torque is the best guess */
    }
}
