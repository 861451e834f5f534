/* SPDX-License-Identifier: GPL-3.0-or-later */
/* facility.c - from the keys of a configuration to the simulated lab, and to the orbit it is judged by. */
#include "tools/facility.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/trig.h"

/* Pads in a circle about the axis of the gripper. */
static void build_pads(struct contact_model *m, const struct config *c)
{
    const double radius = config_number(c, "contact.radius");
    const double reach = config_number(c, "contact.reach");

    m->pads = (int)config_integer(c, "contact.pads");
    for (int i = 0; i < m->pads && i < CONTACT_PADS; i++) {
        double sine, cosine;

        trig_sincos(&sine, &cosine, 2.0 * BASE_PI * i / m->pads);
        m->pad[i][0] = radius * cosine;
        m->pad[i][1] = radius * sine;
        m->pad[i][2] = reach;
    }
    m->face_npm = m->pads > 0 ? config_number(c, "contact.stiffness") : 0.0;
    m->face_friction = config_number(c, "contact.friction");
    m->face_slip_mps = 1e-3; /* steel on rubber creeps before it slips */
}

static void build_latch(struct contact_model *m, const struct config *c)
{
    for (int i = 0; i < 6; i++) {
        m->latch_stiffness[i] = config_number(c, "latch.stiffness") * (i < 3) +
                                config_number(c, "latch.stiffness_turn") * (i >= 3);
        m->latch_damping[i] = config_number(c, "latch.damping") * (i < 3) +
                              config_number(c, "latch.damping_turn") * (i >= 3);
    }
    m->latch_ramp_s = config_number(c, "latch.ramp");
    m->latch_pull_s = config_number(c, "latch.pull");
    m->latch_distance_m = config_number(c, "latch.distance");
    m->latch_angle_rad = config_number(c, "latch.angle");
    m->latch_speed_mps = config_number(c, "latch.speed");
    m->latch_hold_s = config_number(c, "latch.hold");
    m->release_n = config_number(c, "latch.release_force");
    m->release_nm = config_number(c, "latch.release_torque");
}

static void build_arm(struct manipulator_model *m, const struct scenario *s, const struct config *c)
{
    m->robot = s->control.servicer.robot;
    m->gripper = s->control.servicer.gripper;
    config_vector(c, "lab.friction", SCENARIO_JOINTS, m->coulomb_nm);
    config_vector(c, "lab.viscous", SCENARIO_JOINTS, m->viscous_nms);
    m->slip_radps = config_number(c, "lab.slip");
    m->latency = (int)floor(config_number(c, "arm.latency") / s->control.dt_s + 0.5);
    m->torque_step_nm = config_number(c, "lab.torque_step");
    m->encoder_step_rad = config_number(c, "lab.encoder_step");
    m->velocity_noise_radps = config_number(c, "lab.velocity_noise");
}

/* The sensor the controller believes in, with its noise. */
static void build_sensor(struct sensor_model *m, const struct scenario *s, const struct config *c)
{
    m->place = s->ftcomp.g_tf;
    m->mockup = s->ftcomp.tool;
    mat_copy(m->bias, s->ftcomp.bias, 6);
    for (int i = 0; i < 6; i++) {
        m->noise[i] = config_number(c, "sensor.noise_force") * (i < 3) +
                      config_number(c, "sensor.noise_torque") * (i >= 3);
    }
    m->filter_s = config_number(c, "sensor.filter");
}

static void build_start(struct facility *f, const struct scenario *s, const struct config *c)
{
    struct pose lab;

    se3_identity(&lab);
    lab.p[2] = config_number(c, "lab.height");
    f->start.robot[WORLD_CLIENT].pose = lab;
    se3_mul(&f->start.robot[WORLD_SERVICER].pose, &lab, &s->start);
    mat_copy(f->start.joint_position, s->posture, MULTIBODY_LANES);
}

int facility_build(struct facility *f, const struct scenario *s, const struct config *c,
                   FILE *messages)
{
    const struct robot_model robot = {.dead_time_s = config_number(c, "robots.dead_time"),
                                      .period_s = config_number(c, "robots.interpolation"),
                                      .bandwidth_hz = config_number(c, "robots.bandwidth"),
                                      .damping = config_number(c, "robots.damping")};
    struct world_model *w = &f->world;
    struct reference_model *r = &f->reference;
    struct robot_state unused;

    memset(f, 0, sizeof *f);
    w->dt_s = r->dt_s = s->control.dt_s;
    w->substeps = r->substeps = (int)config_integer(c, "lab.substeps");
    w->seed = s->control.seed;
    mat_copy(w->gravity, s->control.gravity, 3);
    w->robot[WORLD_CLIENT] = w->robot[WORLD_SERVICER] = robot;
    build_arm(&w->arm, s, c);
    build_sensor(&w->sensor, s, c);
    build_pads(&w->grip.contact, c);
    build_latch(&w->grip.contact, c);
    w->grip.grasp = s->grasp;
    build_start(f, s, c);

    r->client = s->control.client.body;
    r->servicer = s->control.servicer.robot;
    r->gripper = s->control.servicer.gripper;
    r->grip = w->grip;
    if (robot_init(&robot, &unused, &f->start.robot[WORLD_CLIENT], w->dt_s) != 0) {
        fprintf(messages,
                "freefall: robots: expected an interpolation period of whole cycles, with a "
                "bandwidth above 0 Hz, and 2 pi bandwidth times the cycle below 1\n");
        return -EINVAL;
    }
    return 0;
}
