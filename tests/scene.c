/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/scene.h"

#include "model/mat.h"
#include "tests/robots_model.h"

const double scene_posture[7] = {0.0, 1.10, 0.0, 2.05, 0.0, 0.95, 0.0};

void scene_place(struct pose *g_tb)
{
    *g_tb = (struct pose){{-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0}, {5.1354, 0.0, 1.5631}};
}

int scene_model(struct control_model *m, const struct obsw_interface *table, void *self)
{
    static const double inertia[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
    static const double torque[7] = {320.0, 320.0, 176.0, 176.0, 110.0, 40.0, 40.0};
    static const double damping[7] = {20.0, 20.0, 12.0, 12.0, 5.0, 3.0, 1.2};
    static const double range_deg[7] = {170.0, 120.0, 170.0, 120.0, 170.0, 120.0, 175.0};
    static const double rate_deg[7] = {85.0, 85.0, 100.0, 75.0, 130.0, 135.0, 135.0};
    int bad;

    memset(m, 0, sizeof *m);
    m->dt_s = 1e-3;
    bad = rigid_init(&m->client.body, 7827.867, inertia);
    m->nominal = (struct nominal_model){NOMINAL_UNFORCED, m->client.body};
    bad |= robots_model_build(&m->servicer.robot, &robots_servicer);
    bad |= robots_model_frame(&m->servicer.gripper, &m->servicer.robot, &robots_servicer, 0);
    m->servicer.torque_ahead_s = 0.5e-3;
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        m->passivity[i] = (struct passivity_model){1, 0.02, 0.02, 0.5, 0.0};
        m->limit[i] = (struct limit_model){
            1.0, 1.0, 5.0, 5.0, 500.0, 500.0, {-20.0, -20.0, -20.0}, {20.0, 20.0, 20.0}};
    }
    sensors_star_typical(&m->star);
    m->navigation.timing = (struct sensors_timing){1000000, 0};
    m->obsw = (struct control_obsw){table, self};
    for (int i = 0; i < 7; i++) {
        m->joint_high_rad[i] = range_deg[i] * SCENE_DEG;
        m->joint_low_rad[i] = -m->joint_high_rad[i];
        m->joint_rate_radps[i] = rate_deg[i] * SCENE_DEG;
    }
    mat_copy(m->torque_nm, torque, 7);
    mat_copy(m->hold_damping, damping, 7);
    m->torque_rate_nmps = 1e5;
    m->base_force_n = 80.0;
    m->base_torque_nm = 60.0;
    m->gravity[2] = -9.81;
    m->client_velocity[4] = -2.5 * SCENE_DEG;
    m->threshold = (struct control_thresholds){400.0, 200.0, 3, 3, 2, 50, 0.01, 0.01, 1.0, 0.5, 2};
    return bad;
}

void scene_input(struct control_input *in, uint64_t cycle)
{
    struct pose g_tb;

    memset(in, 0, sizeof *in);
    in->cycle = cycle;
    in->time_ns = (int64_t)cycle * 1000000;
    in->ready = true;
    in->wrench.valid = in->joints.valid = true;
    in->wrench.value[0] = 1e-9 * (double)(cycle % 7);
    mat_copy(in->joints.position, scene_posture, 7);
    scene_place(&g_tb);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        in->robot[i].valid = true;
        se3_identity(&in->robot[i].pose);
    }
    in->robot[CONTROL_CLIENT].pose.p[2] = 1.5;
    se3_mul(&in->robot[CONTROL_SERVICER].pose, &in->robot[CONTROL_CLIENT].pose, &g_tb);
}
