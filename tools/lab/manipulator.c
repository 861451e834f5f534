/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manipulator.c - the real arm of the lab, by forward dynamics with its base motion given. */
#include "tools/lab/manipulator.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"

/* Of the random numbers, so that no two instruments share theirs. */
#define STREAM 102

static bool not_negative(const double *x, int n)
{
    bool all = true;

    for (int i = 0; i < n; i++) {
        all = all && base_finite(x[i]) && x[i] >= 0.0;
    }
    return all;
}

bool manipulator_rubs(const struct manipulator_model *m)
{
    bool any = false;

    for (int i = 0; i < m->robot.joints; i++) {
        any = any || m->coulomb_nm[i] > 0.0;
    }
    return any;
}

int manipulator_init(struct manipulator_model *m, struct manipulator_state *s, const double *q,
                     const double *qd, uint64_t seed)
{
    const double scalar[] = {m->slip_radps, m->torque_step_nm, m->encoder_step_rad,
                             m->velocity_noise_radps};
    const int n = m->robot.joints;

    memset(s, 0, sizeof *s);
    if (m->robot.arms != 1 || n < 1 || n > MULTIBODY_LANES || m->latency < 0 ||
        m->latency >= MANIPULATOR_QUEUE || !not_negative(scalar, COUNT_OF(scalar)) ||
        !not_negative(m->coulomb_nm, n) || !not_negative(m->viscous_nms, n) ||
        !base_all_finite(q, n) || !base_all_finite(qd, n)) {
        return -EINVAL;
    }
    if (manipulator_rubs(m) && !(m->slip_radps > 0.0)) {
        return -EINVAL;
    }
    m->robot.base = MULTIBODY_FIXED; /* carried: no force of the arm moves it */
    mat_copy(s->q, q, n);
    mat_copy(s->qd, qd, n);
    random_init(&s->noise, seed, STREAM);
    multibody_reset(&m->robot, &s->work);
    return 0;
}

/* x to the nearest step; 0: no steps */
static double stepped(double x, double step)
{
    return step > 0.0 ? step * floor(x / step + 0.5) : x;
}

void manipulator_command(const struct manipulator_model *m, struct manipulator_state *s,
                         const double *torque, bool on)
{
    const int n = m->robot.joints;
    struct manipulator_torque *now = &s->queue[s->cycle % MANIPULATOR_QUEUE];
    const uint64_t back = s->cycle + MANIPULATOR_QUEUE - (uint64_t)m->latency;

    s->refused = !base_all_finite(torque, n);
    *now = (struct manipulator_torque){.on = on};
    if (!s->refused) {
        mat_copy(now->joint, torque, n);
    }
    s->drive = s->queue[back % MANIPULATOR_QUEUE];
    s->cycle++;
    for (int i = 0; i < n; i++) {
        s->drive.joint[i] = s->drive.on ? stepped(s->drive.joint[i], m->torque_step_nm) : 0.0;
        s->qd[i] = s->drive.on ? s->qd[i] : 0.0; /* brakes */
    }
}

void manipulator_put(const struct manipulator_model *m, struct manipulator_state *s,
                     const double *q, const double *qd)
{
    const size_t size = (size_t)m->robot.joints * sizeof *q;
    const struct multibody_arm_work *arm = &s->work.arm[0];

    if (s->placed && memcmp(q, arm->q, size) == 0 && memcmp(qd, arm->qd, size) == 0) {
        return;
    }
    multibody_kinematics(&m->robot, &s->work, q);
    multibody_rates(&m->robot, &s->work, qd);
    s->placed = s->work.valid;
}

void manipulator_place(const struct manipulator_model *m, struct manipulator_state *s,
                       const double *q, const double *qd, const double V[static 6],
                       struct pose *g_be, double V_e[static 6])
{
    manipulator_put(m, s, q, qd);
    multibody_frame_pose(g_be, &s->work, &m->gripper);
    multibody_frame_twist(V_e, &s->work, &m->gripper, V);
}

double manipulator_friction(const struct manipulator_model *m, int joint, double qd_radps)
{
    const double c = m->coulomb_nm[joint], s = m->slip_radps, v = qd_radps;
    const double coulomb = c > 0.0 ? c * v / sqrt(v * v + s * s) : 0.0;

    return -coulomb - m->viscous_nms[joint] * v;
}

/* extra = h/2 times the slope of Coulomb's friction, c s^2 / (v^2 + s^2)^(3/2): nothing to speak of while a joint slides */
static void implicit_part(double *extra, const struct manipulator_model *m, const double *qd,
                          double h_s)
{
    const double s2 = m->slip_radps * m->slip_radps;

    for (int i = 0; i < m->robot.joints; i++) {
        const double r2 = qd[i] * qd[i] + s2;

        extra[i] = 0.5 * h_s * m->coulomb_nm[i] * s2 / (r2 * sqrt(r2));
    }
}

void manipulator_acceleration(double *qdd, const struct manipulator_model *m,
                              struct manipulator_state *s, const double *qd,
                              const struct manipulator_load *load, double h_s)
{
    const struct multibody_model *robot = &m->robot;
    const int n = robot->joints;
    struct multibody_vector acc = {{0.0}, {0.0}}, need, rest = acc;
    double extra[MULTIBODY_LANES];
    const bool coulomb = manipulator_rubs(m);

    if (!s->drive.on) {
        mat_zero(qdd, n);
        return;
    }
    /* what the joints need to go on unaccelerated on this base, from what they are given */
    multibody_mass(robot, &s->work);
    mat_copy(acc.base, load->acceleration, 6);
    multibody_inverse(&need, robot, &s->work, load->velocity, &acc, load->gravity);
    for (int i = 0; i < n; i++) {
        rest.joint[i] = s->drive.joint[i] + manipulator_friction(m, i, qd[i]) - need.joint[i];
    }
    if (!(mat_dot6(load->gripper, load->gripper) <= 0.0)) { /* mostly nothing touches it */
        multibody_frame_wrench(&rest, robot, &s->work, &m->gripper, load->gripper);
    }
    if (coulomb) {
        implicit_part(extra, m, qd, h_s);
    }
    multibody_solve_factor(robot, &s->work, coulomb ? extra : NULL);
    multibody_solve(&acc, robot, &s->work, &rest);
    mat_copy(qdd, acc.joint, n);
}

void manipulator_measure(const struct manipulator_model *m, struct manipulator_state *s,
                         double *position, double *velocity)
{
    for (int i = 0; i < m->robot.joints; i++) {
        position[i] = stepped(s->q[i], m->encoder_step_rad);
        velocity[i] = s->qd[i];
        if (m->velocity_noise_radps > 0.0) {
            velocity[i] += m->velocity_noise_radps * random_normal(&s->noise);
        }
    }
}
