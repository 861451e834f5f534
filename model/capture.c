/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/capture.h"

#include <errno.h>

#include "model/linear.h"
#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/so3.h"

enum { N = MULTIBODY_LANES };

static bool positive(const double *x, int n)
{
    bool good = base_all_finite(x, n);

    for (int i = 0; i < n; i++) {
        good = good && x[i] >= 0.0;
    }
    return good;
}

int capture_init(const struct capture_model *m, struct capture_state *s)
{
    const double scalars[] = {m->posture_gain_ps,   m->standoff_m,
                              m->base.position_npm, m->base.orientation_nmprad,
                              m->tool.position_npm, m->tool.orientation_nmprad,
                              m->rigidise_damping,  m->grasp_s};
    const bool good = m->robot.base == MULTIBODY_FLOATING && m->robot.arms == 1 &&
                      m->robot.joints >= 6 && m->gripper.arm == 0 &&
                      positive(scalars, (int)COUNT_OF(scalars)) && positive(m->base_damping, 6) &&
                      positive(m->joint_damping, m->robot.joints) &&
                      base_all_finite(m->posture_rad, m->robot.joints) &&
                      positive(m->tool_ramp_s, 2) && positive(m->approach_s, 2) &&
                      m->tool_ramp_s[0] < m->tool_ramp_s[1] && m->approach_s[0] < m->approach_s[1];

    if (!good) {
        return -EINVAL;
    }
    s->phase = CAPTURE_SYNCHRONISE;
    s->time_s = s->phase_time_s = s->storage_j = 0.0;
    s->base_error_m = s->base_error_rad = s->tool_error_m = 0.0;
    s->valid = true;
    multibody_reset(&m->robot, &s->work);
    return 0;
}

enum capture_phase capture_next(const struct capture_model *m, enum capture_phase phase,
                                const struct capture_event *event)
{
    switch (phase) {
    case CAPTURE_SYNCHRONISE:
        return event->time_s >= m->approach_s[0] ? CAPTURE_APPROACH : phase;
    case CAPTURE_APPROACH:
        return event->time_s >= m->approach_s[1] ? CAPTURE_GRASP : phase;
    case CAPTURE_GRASP:
        return event->latched && event->phase_time_s >= m->grasp_s ? CAPTURE_RIGIDISE : phase;
    default:
        return phase;
    }
}

/* Quintic from 0 to 1 between two times, with its first two derivatives: at rest at both ends. */
RT_SAFE static void quintic(double y[static 3], const double between_s[static 2], double t_s)
{
    const double T = between_s[1] - between_s[0];
    const double x = base_clamp((t_s - between_s[0]) / T, 0.0, 1.0);

    y[0] = x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
    y[1] = 30.0 * x * x * (1.0 + x * (-2.0 + x)) / T;
    y[2] = 60.0 * x * (1.0 + x * (-3.0 + 2.0 * x)) / (T * T);
}

/* What a body fixed in the moving client would do at g, seen in the axes of g: W = Ad_g^-1 V_t and
 * W' = Ad_g^-1 V_t' - ad_{V - W} W, where V is the twist of the frame itself. */
RT_SAFE static void carried(double W[static 6], double W_dot[static 6], const struct pose *g,
                            const double V[static 6], const double V_t[static 6],
                            const double V_t_dot[static 6])
{
    double own[6], turn[6];

    se3_apply_Ad_inverse(W, g, V_t);
    mat_sub(own, V, W, 6);
    se3_apply_Ad_inverse(W_dot, g, V_t_dot);
    se3_apply_ad(turn, own, W);
    mat_sub(W_dot, W_dot, turn, 6);
}

/* grad U = [k_p R' p; k_o vee((R - R')/2)] of the error pose, and U itself. */
RT_SAFE static double spring(double gradient[static 6], const struct capture_stiffness *k,
                             double share, const struct pose *error)
{
    const double *R = error->R, *p = error->p;
    const double k_p = share * k->position_npm, k_o = share * k->orientation_nmprad;

    mat_vec3_t(gradient, R, p);
    mat_scale(gradient, k_p, gradient, 3);
    gradient[3] = 0.5 * k_o * (R[7] - R[5]);
    gradient[4] = 0.5 * k_o * (R[2] - R[6]);
    gradient[5] = 0.5 * k_o * (R[3] - R[1]);
    return 0.5 * k_p * mat_dot3(p, p) + 0.5 * k_o * (3.0 - (R[0] + R[4] + R[8]));
}

/* The arm as the law needs it: J_m (6 x n, E axes), its derivative, and the pose of the gripper. */
struct arm {
    int n;
    struct pose g_be;
    double J[6 * N], J_dot[6 * N];
    double V_arm[6]; /* J_m qd: gripper relative to the base */
};

RT_SAFE static void arm_look(struct arm *a, const struct capture_model *m, struct capture_state *s,
                             const double *qd)
{
    struct multibody_jacobian jacobian;
    double outer[6] = {0.0}; /* sum of J_j qd_j over the joints beyond i */

    a->n = m->robot.joints;
    multibody_frame_jacobian(&jacobian, &s->work, &m->gripper);
    a->g_be = jacobian.g;
    for (int i = a->n - 1; i >= 0; i--) {
        double column[6], turn[6];

        for (int r = 0; r < 6; r++) {
            column[r] = jacobian.joint[r][i];
        }
        se3_apply_ad(turn, outer, column); /* J_i' = -ad_outer J_i */
        for (int r = 0; r < 6; r++) {
            a->J[r * a->n + i] = column[r];
            a->J_dot[r * a->n + i] = -turn[r];
            outer[r] += column[r] * qd[i];
        }
    }
    mat_copy(a->V_arm, outer, 6);
}

/* Joint rates with which the gripper follows W_e while the base follows W_b, exactly, and their derivative:
 *     q_r' = z + J'(J J')^-1 e,   e = W_e - J_b W_b - J z,   z = -k_n (q - q0)                       [REL section 6]
 * With y = (J J')^-1 e:  q_r'' = z' + J^.' y + J'(J J')^-1 (e' - J^. J' y - J J^.' y). */
RT_SAFE static void follow(double *rate, double *rate_dot, const struct capture_model *m,
                           const struct arm *a, const double *q, const double *qd,
                           const double W_b[static 12], const double W_e[static 12])
{
    const int n = a->n;
    double z[N], z_dot[N], e[6], e_dot[6], base[6], turn[6], L[36], y[6], Jy[N], Jdy[N], left[6];

    for (int i = 0; i < n; i++) {
        z[i] = -m->posture_gain_ps * (q[i] - m->posture_rad[i]);
        z_dot[i] = -m->posture_gain_ps * qd[i];
    }
    /* e and e'; (J_b W_b)' = J_b W_b' - ad_{J qd} J_b W_b */
    se3_apply_Ad_inverse(base, &a->g_be, W_b);
    mat_vec(e, a->J, z, 6, n);
    for (int r = 0; r < 6; r++) {
        e[r] = W_e[r] - base[r] - e[r];
    }
    se3_apply_ad(turn, a->V_arm, base);
    se3_apply_Ad_inverse(base, &a->g_be, W_b + 6);
    mat_vec(e_dot, a->J, z_dot, 6, n);
    mat_vec(left, a->J_dot, z, 6, n);
    for (int r = 0; r < 6; r++) {
        e_dot[r] = W_e[6 + r] - base[r] + turn[r] - e_dot[r] - left[r];
    }
    mat_mul_nt(L, a->J, a->J, 6, n, 6);
    linear_cholesky(L, L, 6);
    linear_cholesky_solve(y, L, e, 6, 1);
    mat_vec_t(Jy, a->J, y, 6, n);
    mat_vec_t(Jdy, a->J_dot, y, 6, n);
    mat_add(rate, z, Jy, n);

    mat_vec(left, a->J_dot, Jy, 6, n);
    mat_sub(e_dot, e_dot, left, 6);
    mat_vec(left, a->J, Jdy, 6, n);
    mat_sub(e_dot, e_dot, left, 6);
    linear_cholesky_solve(y, L, e_dot, 6, 1);
    mat_vec_t(rate_dot, a->J, y, 6, n);
    mat_add(rate_dot, rate_dot, z_dot, n);
    mat_add(rate_dot, rate_dot, Jdy, n);
}

/* Where the law wants base and gripper, and how far they are from it. */
struct target {
    double W_b[12],
        W_e[12]; /* twist and its derivative, of the client's frame at B and of D at E */
    struct pose base_error, tool_error;
};

RT_SAFE static void aim(struct target *t, const struct capture_model *m, double time_s,
                        const struct arm *a, const struct pose *g_tb, const double V_b[static 6],
                        const double V_t[static 6], const double V_t_dot[static 6])
{
    double V_e[6], at_tool[6], at_tool_dot[6], s[3], slide[6], slide_dot[6], turn[6], own[6];
    struct pose g_te, g_td = m->grasp;

    carried(t->W_b, t->W_b + 6, g_tb, V_b, V_t, V_t_dot);
    se3_relative(&t->base_error, &m->base_place, g_tb);

    se3_mul(&g_te, g_tb, &a->g_be);
    se3_apply_Ad_inverse(V_e, &a->g_be, V_b);
    mat_add(V_e, V_e, a->V_arm, 6);
    carried(at_tool, at_tool_dot, &g_te, V_e, V_t, V_t_dot);

    /* D = G trans(0, 0, -s): the wanted place of the jaws slides along the grasp axis from -standoff to 0 */
    quintic(s, m->approach_s, time_s);
    for (int i = 0; i < 3; i++) {
        g_td.p[i] -= m->standoff_m * (1.0 - s[0]) * m->grasp.R[3 * i + 2];
    }
    se3_relative(&t->tool_error, &g_td, &g_te);
    mat_zero(slide, 6);
    mat_zero(slide_dot, 6);
    slide[2] = m->standoff_m * s[1];
    slide_dot[2] = m->standoff_m * s[2];
    se3_apply_Ad_inverse(slide, &t->tool_error, slide);
    se3_apply_Ad_inverse(slide_dot, &t->tool_error, slide_dot);
    for (int i = 0; i < 6; i++) {
        own[i] = V_e[i] - at_tool[i] - slide[i]; /* E relative to D */
    }
    se3_apply_ad(turn, own, slide);
    for (int i = 0; i < 6; i++) {
        t->W_e[i] = at_tool[i] + slide[i];
        t->W_e[6 + i] = at_tool_dot[i] + slide_dot[i] - turn[i];
    }
}

/* [F_b; tau], and W in s->storage_j. */
RT_SAFE static void law(struct multibody_vector *command, const struct capture_model *m,
                        struct capture_state *s, const struct arm *a, const struct target *t,
                        const struct multibody_vector *nu, const double *q)
{
    const bool rigid = s->phase == CAPTURE_RIGIDISE;
    const double off = rigid ? 0.0 : 1.0;
    const double joints = rigid ? m->rigidise_damping : 1.0;
    struct multibody_vector ref = {{0.0}, {0.0}}, ref_dot = ref, error;
    double ramp[3], U_b[6], U_e[6], back[6];

    mat_copy(ref.base, t->W_b, 6);
    mat_copy(ref_dot.base, t->W_b + 6, 6);
    if (!rigid) { /* the arm of a rigidised pair stands still: q_r' = 0 */
        follow(ref.joint, ref_dot.joint, m, a, q, nu->joint, t->W_b, t->W_e);
    }
    quintic(ramp, m->tool_ramp_s, s->time_s);
    mat_sub(error.base, nu->base, ref.base, 6);
    mat_zero(error.joint, MULTIBODY_JOINTS);
    mat_sub(error.joint, nu->joint, ref.joint, a->n);
    multibody_mass_joint(&m->robot, &s->work);
    s->storage_j = multibody_mass_energy(&m->robot, &s->work, &error) +
                   spring(U_b, &m->base, off, &t->base_error) +
                   spring(U_e, &m->tool, off * ramp[0], &t->tool_error);

    multibody_inverse_coriolis(command, &m->robot, &s->work, nu->base, &ref, &ref_dot);
    se3_apply_Ad_inverse_transpose(back, &a->g_be, U_e);
    for (int i = 0; i < 6; i++) {
        command->base[i] -= m->base_damping[i] * error.base[i] + U_b[i] + back[i];
    }
    for (int i = 0; i < a->n; i++) {
        command->joint[i] -= joints * m->joint_damping[i] * error.joint[i];
        for (int r = 0; r < 6; r++) {
            command->joint[i] -= a->J[r * a->n + i] * U_e[r];
        }
    }
}

/* Time passes, and with it the phases. */
RT_SAFE static void advance(const struct capture_model *m, struct capture_state *s, bool latched,
                            double dt_s)
{
    const struct capture_event event = {s->time_s, s->phase_time_s, latched};
    const enum capture_phase next = capture_next(m, s->phase, &event);

    s->phase_time_s = next == s->phase ? s->phase_time_s + dt_s : 0.0;
    s->phase = next;
    s->time_s += dt_s;
}

RT_SAFE static bool usable(const struct obsw_input *in, int joints)
{
    const uint32_t needed = OBSW_VALID_RATE | OBSW_VALID_NAVIGATION | OBSW_VALID_JOINTS;

    return (in->valid & needed) == needed && base_all_finite(in->base_velocity, 6) &&
           base_all_finite(in->relative_pose, 7) && base_all_finite(in->client_velocity, 6) &&
           base_all_finite(in->joint_position, joints) &&
           base_all_finite(in->joint_velocity, joints);
}

void capture_step(const struct capture_model *m, struct capture_state *s,
                  const struct obsw_input *in, struct obsw_output *out, double dt_s)
{
    static const double no_wrench[6] = {0.0};
    struct multibody_vector nu = {{0.0}, {0.0}}, command;
    struct target target;
    struct arm arm;
    struct pose g_tb;
    double V_t_dot[6], turn[3];

    *out = (struct obsw_output){.version = OBSW_VERSION, .size = sizeof *out, .cycle = in->cycle};
    advance(m, s, in->latched != 0, dt_s);
    out->phase = s->phase;
    out->grip = s->phase >= CAPTURE_GRASP;
    s->valid = usable(in, m->robot.joints);
    if (!s->valid) {
        return;
    }
    mat_copy(g_tb.p, in->relative_pose, 3);
    so3_from_quat(g_tb.R, in->relative_pose + 3);
    mat_copy(nu.base, in->base_velocity, 6);
    mat_copy(nu.joint, in->joint_velocity, m->robot.joints);
    rigid_acceleration(V_t_dot, &m->client, in->client_velocity, no_wrench);

    multibody_kinematics(&m->robot, &s->work, in->joint_position);
    multibody_rates(&m->robot, &s->work, in->joint_velocity);
    multibody_mass(&m->robot, &s->work);
    arm_look(&arm, m, s, in->joint_velocity);
    aim(&target, m, s->time_s, &arm, &g_tb, in->base_velocity, in->client_velocity, V_t_dot);
    law(&command, m, s, &arm, &target, &nu, in->joint_position);
    s->valid = s->work.valid;
    if (!s->valid) {
        return;
    }
    mat_copy(out->base_wrench, command.base, 6);
    mat_copy(out->joint_torque, command.joint, m->robot.joints);
    so3_log(turn, target.base_error.R);
    s->base_error_m = mat_norm3(target.base_error.p);
    s->base_error_rad = mat_norm3(turn);
    s->tool_error_m = mat_norm3(target.tool_error.p);
}

const char *capture_phase_name(uint32_t phase)
{
    static const char *const names[CAPTURE_PHASES] = {"synchronise", "approach", "grasp",
                                                      "rigidise"};

    return phase < CAPTURE_PHASES ? names[phase] : "unknown";
}
