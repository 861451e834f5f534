/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plant.c - see plant.h. */
#include "tools/lab/plant.h"

#include <stddef.h>
#include <string.h>

#include "model/base.h"

const struct plant_model plant_default = {
    .inertia_kgm2 = 0.1,
    .spring_nm_rad = 20.0,
    .damping_nms_rad = 0.5,
    .wrench = {0, 0, -10, 0, 0, 0},
    .robot_rate = 20.0,
};

enum { CHANNEL_A = 1, CHANNEL_B = 2, ENABLING = 4, CONTACTOR = 8 };

void plant_init(struct plant *p, const struct plant_model *model)
{
    memset(p, 0, sizeof *p);
    p->model = *model;
}

static bool contactor(const struct plant *p)
{
    return !p->stop_pressed && (!p->model.needs_request || (p->relays & 1) != 0);
}

/* J dw = tau - k q - d w, Euler: velocity first, then position with the new velocity. */
static void joint(void *user, int channel, double torque_nm, bool braked, double dt_s,
                  struct physics_motion *motion)
{
    struct plant *p = (struct plant *)user;
    struct physics_motion *j = &p->joint[channel % PLANT_JOINTS_MAX];
    const struct plant_model *m = &p->model;

    if (braked) {
        j->velocity_rad_s = 0;
    } else {
        const double torque =
            torque_nm - m->spring_nm_rad * j->position_rad - m->damping_nms_rad * j->velocity_rad_s;

        j->velocity_rad_s += dt_s * torque / m->inertia_kgm2;
        j->position_rad += dt_s * j->velocity_rad_s;
    }
    j->powered = contactor(p);
    *motion = *j;
}

static void wrench(void *user, int channel, int64_t t_ns, double out[static 6])
{
    const struct plant *p = (const struct plant *)user;

    (void)channel;
    (void)t_ns;
    memcpy(out, p->model.wrench, sizeof p->model.wrench);
}

static uint32_t contacts(void *user, int channel)
{
    const struct plant *p = (const struct plant *)user;
    const uint32_t chain = p->stop_pressed ? CHANNEL_B : CHANNEL_A;

    return channel == 0 ? chain | ENABLING | (contactor(p) ? CONTACTOR : 0u) : 0u;
}

static void relays(void *user, int channel, uint32_t bits)
{
    struct plant *p = (struct plant *)user;

    if (channel == 0) {
        p->relays = bits;
    }
}

static void air(void *user, int channel, uint8_t valves, const double servo_rad[static 6],
                double dt_s)
{
    struct plant *p = (struct plant *)user;

    (void)channel;
    (void)dt_s;
    p->valves = valves;
    memcpy(p->servo_rad, servo_rad, sizeof p->servo_rad);
}

/* First-order lag towards the command; without one the robot stays. */
static void robot(void *user, int channel, const struct physics_pose *command, double dt_s,
                  struct physics_pose *measured)
{
    struct plant *p = (struct plant *)user;
    struct physics_pose *r = &p->robot[channel % PLANT_JOINTS_MAX];
    const double gain = base_clamp(p->model.robot_rate * dt_s, 0, 1);

    for (int i = 0; command && i < 3; i++) {
        r->position_m[i] += gain * (command->position_m[i] - r->position_m[i]);
        r->abc_rad[i] += gain * (command->abc_rad[i] - r->abc_rad[i]);
    }
    r->mode = command ? command->mode : 0;
    r->flags = command ? (uint8_t)(command->flags | PLANT_TAKEN) : 0;
    *measured = *r;
}

struct physics plant_physics(struct plant *p)
{
    return (struct physics){.user = p,
                            .joint = joint,
                            .wrench = wrench,
                            .contacts = contacts,
                            .relays = relays,
                            .air = air,
                            .robot = robot};
}
