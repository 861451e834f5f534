/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/servicer.h"

#include <errno.h>

#include "model/mat.h"
#include "model/multibody_bias.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/so3.h"

int servicer_init(const struct servicer_model *m)
{
    const bool good = m->robot.base == MULTIBODY_FLOATING && m->robot.arms == 1 &&
                      m->gripper.arm == 0 && base_finite(m->torque_ahead_s) &&
                      m->torque_ahead_s >= 0.0;

    return good ? 0 : -EINVAL;
}

/* Everything of the robot at q, qd that the base needs: M_b, M_bq and the pose of the gripper. */
RT_SAFE static void look(const struct servicer_model *m, struct servicer_state *s, const double *q,
                         const double *qd)
{
    multibody_kinematics(&m->robot, &s->work, q);
    multibody_rates(&m->robot, &s->work, qd);
    multibody_mass(&m->robot, &s->work);
    multibody_frame_pose(&s->gripper, &s->work, &m->gripper);
}

/* V_b = M_b^-1 (Ad_g^T mu - M_bq qd): the twist that has this momentum. */
RT_SAFE static void velocity_at(double V_b[static 6], const struct servicer_model *m,
                                struct servicer_state *s, const struct pose *g, const double *qd)
{
    struct multibody_vector joints_only = {{0.0}, {0.0}};
    double P[6], P_arm[6];

    mat_copy(joints_only.joint, qd, m->robot.joints);
    multibody_mass_momentum(P_arm, &m->robot, &s->work, &joints_only);
    se3_apply_Ad_transpose(P, g, s->momentum);
    mat_sub(P, P, P_arm, 6);
    multibody_mass_base_solve(V_b, &s->work, P);
}

void servicer_start(const struct servicer_model *m, struct servicer_state *s, const struct pose *g,
                    const double V[static 6], const double *q, const double *qd)
{
    struct multibody_vector nu = {{0.0}, {0.0}};
    double P[6];

    multibody_reset(&m->robot, &s->work);
    look(m, s, q, qd);
    s->pose = *g;
    mat_copy(s->velocity, V, 6);
    mat_zero(s->wrench, 6);
    mat_copy(nu.base, V, 6);
    mat_copy(nu.joint, qd, m->robot.joints);
    multibody_mass_momentum(P, &m->robot, &s->work, &nu);
    se3_apply_Ad_inverse_transpose(s->momentum, g, P);
}

void servicer_step(const struct servicer_model *m, struct servicer_state *s,
                   const struct servicer_input *in, double dt_s)
{
    struct pose middle = s->pose, ahead = s->pose;
    double impulse[6], at_base[6], wrench[6], V1[6], V_mean[6];

    look(m, s, in->joint_position, in->joint_velocity);

    /* mu_b += T Ad_{g_mid^-1}^T F_b + T/2 (w_prev + w), w = Ad_{g_b^-1}^T J_b^T F_e at the predicted pose */
    se3_step(&middle, s->velocity, 0.5 * dt_s);
    se3_apply_Ad_inverse_transpose(impulse, &middle, in->base_wrench);
    se3_step(&ahead, s->velocity, dt_s);
    se3_apply_Ad_inverse_transpose(at_base, &s->gripper, in->gripper_wrench);
    se3_apply_Ad_inverse_transpose(wrench, &ahead, at_base);
    for (int i = 0; i < 6; i++) {
        s->momentum[i] += dt_s * (impulse[i] + 0.5 * (s->wrench[i] + wrench[i]));
    }

    /* g_b <- g_b exp(T/2 (V_b + V1)), V1 the twist at the predicted pose */
    velocity_at(V1, m, s, &ahead, in->joint_velocity);
    for (int i = 0; i < 6; i++) {
        V_mean[i] = 0.5 * (s->velocity[i] + V1[i]);
    }
    se3_step(&s->pose, V_mean, dt_s);
    so3_orthonormalise(s->pose.R);
    velocity_at(s->velocity, m, s, &s->pose, in->joint_velocity);
    se3_apply_Ad_inverse_transpose(s->wrench, &s->pose, at_base);
}

void servicer_acceleration(const struct servicer_model *m, struct servicer_state *s,
                           struct multibody_vector *acc, const struct servicer_input *in,
                           const double *tau)
{
    struct multibody_vector load = {{0.0}, {0.0}}, bias;

    /* M acc = [F_b; tau] + J' F_e - h */
    mat_copy(load.base, in->base_wrench, 6);
    mat_copy(load.joint, tau, m->robot.joints);
    multibody_frame_wrench(&load, &m->robot, &s->work, &m->gripper, in->gripper_wrench);
    multibody_inverse_bias(&bias, &m->robot, &s->work, s->velocity);
    mat_sub(load.base, load.base, bias.base, 6);
    mat_sub(load.joint, load.joint, bias.joint, m->robot.joints);
    multibody_solve_factor(&m->robot, &s->work, NULL);
    multibody_solve(acc, &m->robot, &s->work, &load);
}

void servicer_torque(const struct servicer_model *m, struct servicer_work *w, double *tau_q,
                     const struct servicer_input *in, const double *tau,
                     const struct servicer_relative *relative, const double V_b[static 6],
                     const double gravity_lab[static 3])
{
    const int n = m->robot.joints;
    struct pose g_s = relative->pose;
    const double *dV = relative->nominal_acceleration;
    struct multibody_vector gravity;
    double q[MULTIBODY_LANES], h_s[MULTIBODY_LANES], h_b[MULTIBODY_LANES], g_S[3];

    /* a torque held for a period acts at its middle on average: look there, or it pushes late and feeds
     * energy in (0.68 rad against 4e-4 rad after 20 s) */
    for (int i = 0; i < n; i++) {
        q[i] = in->joint_position[i] + m->torque_ahead_s * in->joint_velocity[i];
    }
    se3_step(&g_s, relative->velocity, m->torque_ahead_s);
    mat_vec3_t(g_S, g_s.R, gravity_lab);

    multibody_kinematics(&m->robot, &w->ahead, q);
    multibody_rates(&m->robot, &w->ahead, in->joint_velocity);
    multibody_mass(&m->robot, &w->ahead);
    multibody_bias(&m->robot, &w->ahead);

    /* ID(..; V_s, 0, g_S)_q = h_q(V_s) - gravity,  ID(..; V_b, dV_s', 0)_q = h_q(V_b) + M_bq' dV_s' */
    multibody_bias_joint(h_s, &m->robot, &w->ahead, relative->velocity);
    multibody_bias_joint(h_b, &m->robot, &w->ahead, V_b);
    multibody_mass_gravity(&gravity, &m->robot, &w->ahead, g_S);
    for (int i = 0; i < n; i++) {
        double push = 0.0; /* row i of M_bq' dV_s'; column i of M_bq is F */

        for (int r = 0; r < 6; r++) {
            push += w->ahead.arm[0].F[r][i] * dV[r];
        }
        tau_q[i] = tau[i] + (h_s[i] - gravity.joint[i]) - (h_b[i] + push);
    }
}

void servicer_admittance(const struct servicer_model *m, struct servicer_state *s,
                         double V_s_dot[static 6], const struct servicer_input *in,
                         const double *qdd, const double dV_s_dot[static 6])
{
    struct multibody_vector joints_only = {{0.0}, {0.0}}, bias;
    double F[6], M_bq_qdd[6];

    /* M_b V_s' = J_b^T F_e + F_b - M_b dV_s' - M_bq qdd - (C_b V_b + C_bq qd) */
    multibody_inverse_bias(&bias, &m->robot, &s->work, s->velocity);
    mat_copy(joints_only.joint, qdd, m->robot.joints);
    multibody_mass_momentum(M_bq_qdd, &m->robot, &s->work, &joints_only);
    se3_apply_Ad_inverse_transpose(F, &s->gripper, in->gripper_wrench);
    for (int i = 0; i < 6; i++) {
        F[i] += in->base_wrench[i] - M_bq_qdd[i] - bias.base[i];
    }
    multibody_mass_base_solve(V_s_dot, &s->work, F);
    mat_sub(V_s_dot, V_s_dot, dV_s_dot, 6);
}

void servicer_impedance(const struct servicer_model *m, struct servicer_state *s,
                        const struct multibody_model *lab, struct multibody_work *lab_work,
                        double F_s[static 6], const struct servicer_input *in, const double *qdd,
                        const struct servicer_relative *relative)
{
    struct multibody_vector joints_only = {{0.0}, {0.0}}, bias, bias_s;
    double F_be[6], M_bq_qdd[6], orbit[6], V_dot[6], M_s_V_dot[6];

    multibody_reset(lab, lab_work);
    multibody_kinematics(lab, lab_work, in->joint_position);
    multibody_rates(lab, lab_work, in->joint_velocity);
    multibody_mass(lab, lab_work);
    multibody_inverse_bias(&bias, &m->robot, &s->work, s->velocity);
    multibody_inverse_bias(&bias_s, lab, lab_work, relative->velocity);
    mat_copy(joints_only.joint, qdd, m->robot.joints);
    multibody_mass_momentum(M_bq_qdd, &m->robot, &s->work, &joints_only);
    se3_apply_Ad_inverse_transpose(F_be, &s->gripper, in->gripper_wrench);

    /* F_s = M_s M_b^-1 (F_b + J_b^T F_e - h_b(V_b) - M_bq qdd) - M_s dV_s' + h_s(V_s) - J_b^T F_e + M_bq qdd
     * [REL 16]; the print counts the contact twice and leaves out the terms in qdd */
    for (int i = 0; i < 6; i++) {
        orbit[i] = in->base_wrench[i] + F_be[i] - bias.base[i] - M_bq_qdd[i];
    }
    multibody_mass_base_solve(V_dot, &s->work, orbit);
    mat_sub(V_dot, V_dot, relative->nominal_acceleration, 6);
    body_momentum(M_s_V_dot, &lab_work->total, V_dot);
    for (int i = 0; i < 6; i++) {
        F_s[i] = M_s_V_dot[i] + bias_s.base[i] - F_be[i] + M_bq_qdd[i];
    }
}
