/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/inspect.h"

#include <math.h>

#include "model/mat.h"
#include "model/so3.h"

/* Of measured attitudes: a thousand roundings of a robot that reports single precision, and far below what matters. */
#define ROTATION_ERROR 1e-4

RT_SAFE static uint32_t wrench_causes(const struct control_model *m, struct control_state *s,
                                      const struct control_wrench *w)
{
    const struct control_thresholds *t = &m->threshold;
    uint32_t causes = 0;

    if (!w->valid || w->age > t->wrench_stale || !base_all_finite(w->value, 6)) {
        return SAFETY_BIT(SAFETY_WRENCH_STALE);
    }
    /* a live sensor has noise: the same bits again and again are a dead one; a repeated sample is not counted */
    if (w->age == 0) {
        s->frozen = memcmp(w->value, s->last_wrench, sizeof w->value) == 0 ? s->frozen + 1 : 0;
        mat_copy(s->last_wrench, w->value, 6);
    }
    causes |= s->frozen >= t->wrench_frozen ? SAFETY_BIT(SAFETY_WRENCH_FROZEN) : 0u;
    causes |= mat_norm3(w->value) > t->force_n || mat_norm3(w->value + 3) > t->torque_nm
                  ? SAFETY_BIT(SAFETY_WRENCH_LIMIT)
                  : 0u;
    return causes;
}

RT_SAFE bool inspect_joints(const struct control_model *m, const struct control_joints *j)
{
    const int n = m->servicer.robot.joints;

    return j->valid && j->age <= m->threshold.joints_stale && base_all_finite(j->position, n) &&
           base_all_finite(j->velocity, n);
}

/* A joint beyond what its description allows; the samples are usable. */
RT_SAFE static bool joints_inside(const struct control_model *m, const struct control_joints *j)
{
    bool inside = true;

    for (int i = 0; i < m->servicer.robot.joints; i++) {
        inside = inside && j->position[i] >= m->joint_low_rad[i] &&
                 j->position[i] <= m->joint_high_rad[i] &&
                 fabs(j->velocity[i]) <= m->joint_rate_radps[i];
    }
    return inside;
}

/* Three rows of length one, at right angles: a datagram of zeros is finite, and no attitude. */
RT_SAFE static bool rotation(const double R[static 9])
{
    bool good = true;

    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            const double dot = mat_dot3(R + 3 * i, R + 3 * j);

            good = good && fabs(dot - (i == j ? 1.0 : 0.0)) < ROTATION_ERROR;
        }
    }
    return good;
}

RT_SAFE bool inspect_robot(const struct control_model *m, const struct control_robot *r)
{
    return r->valid && r->age <= m->threshold.robot_late && base_all_finite(r->pose.p, 3) &&
           rotation(r->pose.R) && base_all_finite(r->velocity, 6);
}

/* Distance and angle of the measured from the commanded pose. */
RT_SAFE static void deviation(double *distance_m, double *angle_rad, const struct pose *command,
                              const struct pose *measured)
{
    struct pose error;
    double turn[3];

    se3_relative(&error, command, measured);
    so3_log(turn, error.R);
    *distance_m = mat_norm3(error.p);
    *angle_rad = mat_norm3(turn);
}

/* A robot is late by its known delay: that much of the commanded velocity is no fault, and twice of it leaves room for
 * its servo. */
RT_SAFE static bool follows(const struct control_model *m, const struct control_state *s,
                            const struct control_input *in, int i)
{
    const double *V = s->limit[i].velocity;
    const double late_s = 2.0 * (m->lead_s[i] + m->dt_s);
    double distance_m, angle_rad;

    deviation(&distance_m, &angle_rad, &s->limit[i].pose, &in->robot[i].pose);
    return distance_m <= m->threshold.tracking_m + late_s * mat_norm3(V) &&
           angle_rad <= m->threshold.tracking_rad + late_s * mat_norm3(V + 3);
}

uint32_t inspect_input(const struct control_model *m, struct control_state *s,
                       const struct control_input *in)
{
    uint32_t causes = in->causes | wrench_causes(m, s, &in->wrench);

    if (!inspect_joints(m, &in->joints)) {
        causes |= SAFETY_BIT(SAFETY_JOINTS_STALE);
    } else if (!joints_inside(m, &in->joints)) {
        causes |= SAFETY_BIT(SAFETY_JOINT_LIMIT);
    }
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        if (!inspect_robot(m, &in->robot[i])) {
            causes |= SAFETY_BIT(SAFETY_ROBOT_LATE);
        } else if (safety_moves(s->mode) && !follows(m, s, in, i)) {
            causes |= SAFETY_BIT(SAFETY_ROBOT_TRACKING);
        }
    }
    return causes;
}

bool inspect_aligned(const struct control_model *m, const struct control_state *s,
                     const struct control_input *in)
{
    bool aligned = true;

    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        aligned = aligned && inspect_robot(m, &in->robot[i]) && follows(m, s, in, i);
    }
    return aligned;
}
