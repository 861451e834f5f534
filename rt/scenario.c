/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario.c - from the keys of a configuration to the models the controller computes with. */
#include "rt/scenario.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/mat.h"
#include "model/so3.h"

/* Yielding that is switched off: slower than a micrometre in a year. */
#define SPEED_NONE 1e-15

static void pose_of(struct pose *g, const double position[static 3], const double rpy[static 3])
{
    build_rotation(g->R, rpy);
    mat_copy(g->p, position, 3);
}

/* xx yy zz xy xz yz of a matrix row by row. */
static void six_of(double six[static 6], const double J[static 9])
{
    const double out[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};

    mat_copy(six, out, 6);
}

/* A path beside the configuration, unless it is absolute. */
static int beside(char out[static SCENARIO_PATH_MAX], const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const int folder = name[0] == '/' || slash == NULL ? 0 : (int)(slash - path) + 1;
    const int n = snprintf(out, SCENARIO_PATH_MAX, "%.*s%s", folder, path, name);

    return n < SCENARIO_PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* ---- satellites ---- */

static int build_client(struct scenario *s, const struct config *c)
{
    static const char *const forms[] = {[NOMINAL_UNFORCED] = "unforced",
                                        [NOMINAL_GIVEN] = "given",
                                        [NOMINAL_ABSOLUTE] = "absolute"};
    struct control_model *m = &s->control;
    double J[9], six[6], position[3], rpy[3];

    config_vector(c, "client.inertia", 9, J);
    six_of(six, J);
    config_vector(c, "client.velocity", 3, m->client_velocity);
    config_vector(c, "client.rate", 3, m->client_velocity + 3);
    config_vector(c, "grasp.position", 3, position);
    config_vector(c, "grasp.rotation", 3, rpy);
    pose_of(&s->grasp, position, rpy);
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        if (strcmp(config_text(c, "nominal.form"), forms[i]) == 0) {
            m->nominal.form = (enum nominal_form)i;
        }
    }
    if (rigid_init(&m->client.body, config_number(c, "client.mass"), six) != 0) {
        return -EINVAL;
    }
    m->nominal.body = m->client.body;
    return 0;
}

/* Where the base is to be, and where it starts. */
static void build_place(struct scenario *s, const struct config *c)
{
    double position[3], rpy[3], offset[6];
    struct pose error;

    config_vector(c, "place.position", 3, position);
    config_vector(c, "place.rotation", 3, rpy);
    pose_of(&s->place, position, rpy);
    config_vector(c, "start.position", 3, offset);
    config_vector(c, "start.rotation", 3, offset + 3);
    so3_exp(error.R, offset + 3);
    mat_copy(error.p, offset, 3);
    se3_mul(&s->start, &s->place, &error);
}

/* The description, with the base of the keys in place of its own. */
static int read_robot(struct scenario *s, const struct config *c, const char *path,
                      struct errors *errors)
{
    double J[9];

    if (beside(s->description, path, config_text(c, "arm.description")) != 0) {
        errors_add(errors, 0, "the path is longer than %d characters", SCENARIO_PATH_MAX - 1);
        return -EINVAL;
    }
    if (urdf_open(&s->urdf, errors, s->description) != 0) {
        return -EINVAL;
    }
    struct urdf_link *base = &s->urdf.link[s->urdf.root];

    config_vector(c, "servicer.inertia", 9, J);
    base->inertial = true;
    base->mass_kg = config_number(c, "servicer.mass");
    base->central = (struct urdf_origin){{0.0}, {0.0}};
    six_of(base->inertia_kgm2, J);
    return build_check_links(errors, &s->urdf) > 0
               ? -EINVAL
               : build_robot(&s->robot, errors, &s->urdf, MULTIBODY_FLOATING);
}

static int build_servicer(struct scenario *s, const struct config *c, struct errors *errors)
{
    struct control_model *m = &s->control;
    const char *gripper = config_text(c, "arm.gripper");
    const int frame = build_find_frame(&s->robot, gripper);
    const int joints = s->robot.model.joints;

    if (s->robot.model.arms != 1 || joints != SCENARIO_JOINTS) {
        errors_add(errors, 0, "expected one arm of %d joints, found %d arm%s with %d joints",
                   SCENARIO_JOINTS, s->robot.model.arms, s->robot.model.arms == 1 ? "" : "s",
                   joints);
        return -EINVAL;
    }
    if (frame < 0 || s->robot.frame[frame].at.arm != 0) {
        errors_add(errors, 0, "arm.gripper: expected a link of the arm, found \"%s\"", gripper);
        return -EINVAL;
    }
    m->servicer.robot = s->robot.model;
    m->servicer.gripper = s->robot.frame[frame].at;
    m->servicer.torque_ahead_s = 0.5 * m->dt_s + config_number(c, "arm.latency");
    config_vector(c, "arm.posture", SCENARIO_JOINTS, s->posture);
    config_vector(c, "arm.hold_damping", SCENARIO_JOINTS, m->hold_damping);
    m->torque_rate_nmps = config_number(c, "arm.torque_rate");
    for (int i = 0; i < joints;
         i++) { /* a joint without a limit is limited by what sense can be made of */
        const double effort = s->robot.joint[i].effort_nm;
        const double rate = s->robot.joint[i].velocity_rad_s;

        m->joint_low_rad[i] = s->robot.joint[i].lower_rad;
        m->joint_high_rad[i] = s->robot.joint[i].upper_rad;
        m->joint_rate_radps[i] = rate > 0.0 ? rate : (double)INFINITY;
        m->torque_nm[i] = base_finite(effort) && effort > 0.0 ? effort : 1e3;
    }
    if (config_flag(c, "friction.observer")) {
        m->friction.bandwidth_radps = 2.0 * BASE_PI * config_number(c, "friction.bandwidth");
        m->friction.joints = joints;
        config_vector(c, "friction.limit", SCENARIO_JOINTS, m->friction.limit_nm);
    }
    m->base_force_n = config_number(c, "thrust.force");
    m->base_torque_nm = config_number(c, "thrust.torque");
    config_vector(c, "lab.gravity", 3, m->gravity);
    return 0;
}

/* ---- robots and sensors ---- */

static void build_robots(struct control_model *m, const struct config *c)
{
    const double late =
        config_number(c, "robots.dead_time") + config_number(c, "robots.interpolation");
    const double cycles = floor(late / m->dt_s + 0.5) + 1.0;
    const bool control = config_flag(c, "passivity.control");
    struct limit_model limit = {.speed_mps = config_number(c, "robots.speed"),
                                .rate_radps = config_number(c, "robots.rate"),
                                .acceleration_mps2 = config_number(c, "robots.acceleration"),
                                .rotation_radps2 = config_number(c, "robots.rotation"),
                                .jerk_mps3 = config_number(c, "robots.jerk"),
                                .twitch_radps3 = config_number(c, "robots.twitch")};

    config_vector(c, "robots.low", 3, limit.low);
    config_vector(c, "robots.high", 3, limit.high);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        m->limit[i] = limit;
        m->lead_s[i] = config_number(c, "robots.lead");
        m->passivity[i] = (struct passivity_model){
            .delay_cycles = (int)fmin(cycles, PASSIVITY_DELAY_MAX),
            .speed_limit_mps = control ? config_number(c, "passivity.speed") : SPEED_NONE,
            .rate_limit_radps = control ? config_number(c, "passivity.rate") : SPEED_NONE,
            .bleed_s = config_number(c, "passivity.bleed"),
            .tolerated_j = config_number(c, "passivity.tolerated")};
    }
}

static void fill(double x[static 3], double value)
{
    x[0] = x[1] = x[2] = value;
}

static void build_sensors(struct control_model *m, const struct config *c)
{
    struct sensors_relative_model *n = &m->navigation;

    sensors_star_typical(&m->star);
    n->timing = (struct sensors_timing){(int64_t)(m->dt_s * 1e9 + 0.5), 0};
    fill(n->position_m, config_number(c, "navigation.position"));
    fill(n->attitude_rad, config_number(c, "navigation.attitude"));
    fill(n->velocity_mps, config_number(c, "navigation.velocity"));
    fill(n->rate_radps, config_number(c, "navigation.rate"));
    n->correlation_s = config_number(c, "navigation.correlation");
    m->seed = (uint64_t)config_integer(c, "sim.seed");
}

static void build_thresholds(struct control_thresholds *t, const struct config *c)
{
    t->force_n = config_number(c, "safety.force");
    t->torque_nm = config_number(c, "safety.torque");
    t->wrench_stale = (int)config_integer(c, "safety.ft_stale");
    t->joints_stale = (int)config_integer(c, "safety.bus_losses");
    t->robot_late = (int)config_integer(c, "safety.rsi_late");
    t->wrench_frozen = (int)config_integer(c, "safety.ft_frozen");
    t->tracking_m = config_number(c, "safety.tracking");
    t->tracking_rad = config_number(c, "safety.tracking_turn");
    t->energy_j = config_number(c, "safety.energy");
    t->contact_n = config_number(c, "safety.contact");
    t->obsw_late = (int)config_integer(c, "safety.obsw_late");
}

/* The force sensor as the controller knows it. */
static int build_ftcomp(struct ftcomp_model *m, const struct config *c)
{
    double position[3], rpy[3], centre[3], J[6] = {0.0};
    const double filter_s = config_number(c, "sensor.filter");
    struct ftcomp_state unused;
    struct pose g = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    static const double origin[3] = {0.0};

    config_vector(c, "sensor.position", 3, position);
    config_vector(c, "sensor.rotation", 3, rpy);
    pose_of(&m->g_tf, position, rpy);
    config_vector(c, "sensor.bias_force", 3, m->bias);
    config_vector(c, "sensor.bias_torque", 3, m->bias + 3);
    config_vector(c, "mockup.centre", 3, centre);
    config_vector(c, "mockup.inertia", 3, J);
    body_make(&m->tool, config_number(c, "mockup.mass"), origin, J);
    mat_copy(g.p, centre, 3);
    body_place(&m->tool, &g, &m->tool);
    m->filter_hz = filter_s > 0.0 ? 1.0 / (2.0 * BASE_PI * filter_s) : 0.0;
    return ftcomp_init(m, &unused);
}

/* ---- on-board software ---- */

static void build_capture(struct scenario *s, const struct config *c)
{
    struct capture_model *m = &s->capture;
    const double linear = config_number(c, "capture.base_damping");
    const double turn = config_number(c, "capture.base_damping_turn");

    m->robot = s->control.servicer.robot;
    m->gripper = s->control.servicer.gripper;
    m->client = s->control.client.body;
    m->base_place = s->place;
    m->grasp = s->grasp;
    mat_copy(m->posture_rad, s->posture, SCENARIO_JOINTS);
    m->posture_gain_ps = 1.0 / config_number(c, "capture.posture_time");
    m->standoff_m = config_number(c, "capture.standoff");
    m->base.position_npm = config_number(c, "capture.base_stiffness");
    m->base.orientation_nmprad = config_number(c, "capture.base_stiffness_turn");
    m->tool.position_npm = config_number(c, "capture.tool_stiffness");
    m->tool.orientation_nmprad = config_number(c, "capture.tool_stiffness_turn");
    for (int i = 0; i < 6; i++) {
        m->base_damping[i] = i < 3 ? linear : turn;
    }
    config_vector(c, "capture.joint_damping", SCENARIO_JOINTS, m->joint_damping);
    m->rigidise_damping = config_number(c, "capture.rigidise");
    config_vector(c, "capture.ramp", 2, m->tool_ramp_s);
    config_vector(c, "capture.approach", 2, m->approach_s);
    m->grasp_s = config_number(c, "capture.grasp");
}

/* ---- all of it ---- */

static enum scenario_software software_of(const struct config *c)
{
    const char *kind = config_text(c, "obsw.kind");

    if (strcmp(kind, "zero") == 0) {
        return SCENARIO_ZERO;
    }
    if (strcmp(kind, "process") == 0) {
        return SCENARIO_PROCESS;
    }
    return strcmp(kind, "library") == 0 ? SCENARIO_LIBRARY : SCENARIO_CAPTURE;
}

/* What one look at the numbers together refuses, in words. */
static int judge(const struct scenario *s, FILE *messages)
{
    const struct limit_model *box = &s->control.limit[CONTROL_CLIENT];

    for (int i = 0; i < 3; i++) {
        if (!(box->low[i] < box->high[i])) {
            fprintf(
                messages,
                "freefall: robots.low, robots.high: expected the lower corner below the upper one, "
                "found %g m and %g m on axis %c\n",
                box->low[i], box->high[i], "xyz"[i]);
            return -EINVAL;
        }
    }
    return 0;
}

int scenario_build(struct scenario *s, const struct config *c, const char *path, FILE *messages)
{
    struct errors errors;
    int code;

    memset(s, 0, sizeof *s);
    errors_init(&errors);
    s->control.dt_s = config_number(c, "rt.period");
    s->duration_s = config_number(c, "sim.duration");
    s->software = software_of(c);
    if (build_client(s, c) != 0) {
        fprintf(messages,
                "freefall: client.inertia: expected a body that can turn about every axis\n");
        return -EINVAL;
    }
    build_place(s, c);
    code = read_robot(s, c, path, &errors);
    if (code == 0) {
        code = build_servicer(s, c, &errors);
    }
    if (code != 0) {
        errors_print(&errors, messages, s->description);
        return -EINVAL;
    }
    build_robots(&s->control, c);
    build_sensors(&s->control, c);
    build_thresholds(&s->control.threshold, c);
    build_capture(s, c);
    if (build_ftcomp(&s->ftcomp, c) != 0) {
        fprintf(messages, "freefall: mockup: expected a mass with moments that a body can have\n");
        return -EINVAL;
    }
    return judge(s, messages);
}
