/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loop.c - the controller and the simulated lab in lock-step, and beside them the same mission in orbit. */
#include "tools/loop.h"

#include <errno.h>

#include "model/mat.h"
#include "model/so3.h"

/* Cycles the arm hangs in its holding torque before the operator's go, done here by the program. */
#define SETTLE 100

int loop_init(struct loop *l, const struct scenario *s, const struct facility *f,
              const struct control_obsw *lab, const struct control_obsw *orbit)
{
    memset(l, 0, sizeof *l);
    l->control = s->control;
    l->control.obsw = *lab;
    l->ftcomp = s->ftcomp;
    l->world = f->world;
    l->reference = f->reference;
    l->twin = *orbit;
    if (control_init(&l->control, &l->state) != 0 ||
        ftcomp_init(&l->ftcomp, &l->ftcomp_state) != 0 ||
        world_init(&l->world, &l->world_state, &f->start, &l->lab) != 0 ||
        sensors_relative_init(&l->control.navigation, &l->navigation, l->control.seed, 2) != 0) {
        return -EINVAL;
    }
    return 0;
}

/* What the drivers would have made of the samples. */
static void sample(struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    struct control_input *in = &l->in;
    struct ftcomp_input felt = {.lab = l->lab.robot[WORLD_CLIENT]};

    memset(in, 0, sizeof *in);
    in->cycle = l->cycle;
    in->time_ns = (int64_t)((double)l->cycle * l->control.dt_s * 1e9 + 0.5);
    in->ready = true;
    in->latched = l->lab.latched;
    in->request = l->cycle == SETTLE ? SAFETY_ASK_ARM : SAFETY_ASK_NOTHING;

    mat_copy(felt.measured, l->lab.wrench, 6);
    mat_copy(felt.lab.acceleration, l->out.robot[CONTROL_CLIENT].acceleration, 6);
    mat_copy(felt.gravity, l->control.gravity, 3);
    ftcomp_step(&l->ftcomp, &l->ftcomp_state, &felt, in->wrench.value, l->control.dt_s);
    in->wrench.valid = in->joints.valid = true;
    mat_copy(in->joints.position, l->lab.joint_position, n);
    mat_copy(in->joints.velocity, l->lab.joint_velocity, n);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        in->robot[i].pose = l->lab.robot[i].pose;
        mat_copy(in->robot[i].velocity, l->lab.robot[i].velocity, 6);
        in->robot[i].valid = true;
    }
}

/* The orbit run begins as the lab truly is when motion begins. */
static void begin(struct loop *l)
{
    static const double at_rest[6] = {0.0};
    const struct world_truth *t = &l->lab.truth;
    struct reference_start start;
    struct motion client, base;
    struct pose g_t, g_tb;

    se3_identity(&g_t);
    se3_relative(&g_tb, &t->robot[WORLD_CLIENT].pose, &t->robot[WORLD_SERVICER].pose);
    mapping_start(&client, &base, &g_t, l->control.client_velocity, &g_tb, at_rest);
    start.client = client.pose;
    start.base = base.pose;
    mat_copy(start.client_velocity, client.velocity, 6);
    mat_copy(start.base_velocity, base.velocity, 6);
    mat_copy(start.joint_position, t->joint_position, MULTIBODY_LANES);
    mat_copy(start.joint_velocity, t->joint_velocity, MULTIBODY_LANES);
    (void)reference_init(&l->reference, &l->reference_state, &start, &l->orbit);
    l->started = true;
}

/* The on-board software in orbit: it sees what it would see there. */
static void ask_twin(struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    const struct sensors_relative_sample *seen = &l->navigation.sample;
    struct obsw_output *out = &l->twin_out;
    struct obsw_input in = l->state.obsw_in; /* version, time, validity and star tracker alike */

    (void)sensors_relative_step(&l->control.navigation, &l->navigation, &l->orbit.client,
                                &l->orbit.servicer, in.time_ns);
    in.latched = l->orbit.latched;
    mat_copy(in.base_velocity, l->orbit.servicer.velocity, 6);
    mat_copy(in.relative_pose, seen->g_tb.p, 3);
    so3_to_quat(in.relative_pose + 3, seen->g_tb.R);
    mat_copy(in.client_velocity, seen->V_t, 6);
    mat_copy(in.joint_position, l->orbit.joint_position, n);
    mat_copy(in.joint_velocity, l->orbit.joint_velocity, n);
    mat_copy(in.gripper_wrench, l->orbit.gripper_wrench, 6);
    (void)l->twin.table->step(l->twin.self, &in, out);
    for (int i = 0; i < 6; i++) {
        const double most = i < 3 ? l->control.base_force_n : l->control.base_torque_nm;

        out->base_wrench[i] = base_clamp(out->base_wrench[i], -most, most);
    }
    for (int i = 0; i < n; i++) {
        const double most = l->control.torque_nm[i];

        out->joint_torque[i] = base_clamp(out->joint_torque[i], -most, most);
    }
}

void loop_decide(struct loop *l)
{
    sample(l);
    control_step(&l->control, &l->state, &l->in, &l->out);
    if (l->out.mode == SAFETY_RUN) {
        if (!l->started) {
            begin(l);
        }
        l->time_s = (double)(l->state.run_cycles - 1) * l->control.dt_s;
        ask_twin(l);
    }
}

void loop_move(struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    struct world_input lab = {.torque_on = l->out.torque_on, .grip = l->out.grip};

    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        lab.robot[i] = l->out.robot[i];
    }
    mat_copy(lab.torque, l->out.torque, n);
    world_step(&l->world, &l->world_state, &lab, &l->lab);
    if (l->out.mode == SAFETY_RUN) {
        struct reference_input orbit = {.grip = l->twin_out.grip != 0};

        mat_copy(orbit.base_wrench, l->twin_out.base_wrench, 6);
        mat_copy(orbit.joint_torque, l->twin_out.joint_torque, n);
        reference_step(&l->reference, &l->reference_state, &orbit, &l->orbit);
    }
    l->cycle++;
}

bool loop_flies(const struct loop *l)
{
    return l->out.mode < SAFETY_HOLD && (!l->started || l->out.mode == SAFETY_RUN);
}

void loop_relative(struct pose *lab, struct pose *orbit, const struct loop *l)
{
    const struct world_truth *t = &l->lab.truth;

    se3_relative(lab, &t->robot[WORLD_CLIENT].pose, &t->robot[WORLD_SERVICER].pose);
    se3_relative(orbit, &l->orbit.client.pose, &l->orbit.servicer.pose);
}
