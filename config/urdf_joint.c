/* SPDX-License-Identifier: GPL-3.0-or-later */
/* urdf_joint.c - the joints of a robot description, and the motors behind them. */
#include "config/urdf_joint.h"

#include <math.h>
#include <string.h>

#define AXIS_LEAST                                                                                 \
    1e-3 /* a length outside these is a slip, not a direction that was left unnormalised */
#define AXIS_GREATEST 1e3

static int find_joint(const struct urdf *u, const char *name)
{
    for (int i = 0; i < u->joints; i++) {
        if (strcmp(u->joint[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_kind(struct xml *x, const xmlNode *node, enum urdf_kind *kind)
{
    const char *type = xml_required(x, node, "type");

    if (type == NULL) {
        return false;
    }
    if (strcmp(type, "floating") == 0 || strcmp(type, "planar") == 0) {
        xml_error(x, node, "type %s: only the base floats, and it needs no joint; remove it", type);
        return false;
    }
    if (strcmp(type, "prismatic") == 0) {
        xml_error(
            x, node,
            "type prismatic is not supported; joints turn (revolute, continuous) or hold (fixed)");
        return false;
    }
    *kind = strcmp(type, "fixed") == 0      ? URDF_FIXED
            : strcmp(type, "revolute") == 0 ? URDF_REVOLUTE
                                            : URDF_CONTINUOUS;
    if (*kind == URDF_CONTINUOUS && strcmp(type, "continuous") != 0) {
        xml_error(x, node, "type: expected revolute, continuous or fixed, found \"%.40s\"", type);
        return false;
    }
    return true;
}

/* The link a <parent> or <child> names; -1 after an error. */
static int read_end(const struct urdf *u, struct xml *x, const xmlNode *node, const char *which)
{
    const xmlNode *end = xml_child(x, node, which);
    const char *name = NULL;
    int link = -1;

    if (end == NULL) {
        xml_error(x, node, "<joint> without <%s>", which);
        return -1;
    }
    xml_only(x, end, "link", "");
    name = xml_required(x, end, "link");
    if (name != NULL) {
        link = urdf_find_link(u, name);
        if (link < 0) {
            xml_error(x, end, "<%s>: there is no link \"%.64s\"", which, name);
        }
    }
    return link;
}

/* The axis with length one. A single non-zero component becomes exactly 1: it is divided by
 * itself first. */
static void read_axis(struct xml *x, const xmlNode *node, double axis[static 3])
{
    const xmlNode *element = xml_child(x, node, "axis");
    double length = 0;
    double most = 0;

    axis[0] = 1;
    axis[1] = axis[2] = 0;
    if (element == NULL) {
        return;
    }
    xml_only(x, element, "xyz", "");
    if (!xml_numbers(x, element, "xyz", true, axis, 3)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(axis[i]));
    }
    if (!(most >= AXIS_LEAST && most <= AXIS_GREATEST)) {
        xml_error(x, element, "<axis>: expected a direction of length 1, found %g %g %g", axis[0],
                  axis[1], axis[2]);
        return;
    }
    for (int i = 0; i < 3; i++) {
        axis[i] /= most;
        length += axis[i] * axis[i];
    }
    for (int i = 0; i < 3; i++) {
        axis[i] /= sqrt(length);
    }
}

static void read_not_negative(struct xml *x, const xmlNode *node, const char *attribute,
                              bool required, double *number)
{
    if (xml_numbers(x, node, attribute, required, number, 1) && *number < 0) {
        xml_error(x, node, "<%s> %s: expected zero or more, found %g", (const char *)node->name,
                  attribute, *number);
    }
}

static void read_limit(struct xml *x, const xmlNode *node, struct urdf_joint *joint)
{
    const xmlNode *limit = xml_child(x, node, "limit");
    double lower = 0;
    double upper = 0;

    joint->lower_rad = -(double)INFINITY;
    joint->upper_rad = joint->effort_nm = joint->velocity_rad_s = (double)INFINITY;
    if (limit == NULL) {
        if (joint->kind == URDF_REVOLUTE) {
            xml_error(x, node, "a revolute joint needs <limit>; without end it is continuous");
        }
        return;
    }
    xml_only(x, limit, "lower upper effort velocity acceleration deceleration jerk", "");
    read_not_negative(x, limit, "effort", true, &joint->effort_nm);
    read_not_negative(x, limit, "velocity", true, &joint->velocity_rad_s);
    if (joint->kind == URDF_CONTINUOUS) {
        return; /* URDF: its range means nothing */
    }
    if (!xml_numbers(x, limit, "lower", true, &lower, 1) ||
        !xml_numbers(x, limit, "upper", true, &upper, 1)) {
        return;
    }
    if (!(lower < upper)) {
        xml_error(x, limit, "<limit>: expected lower below upper, found %g and %g rad", lower,
                  upper);
    }
    joint->lower_rad = lower;
    joint->upper_rad = upper;
}

static void read_dynamics(struct xml *x, const xmlNode *node, struct urdf_joint *joint)
{
    const xmlNode *dynamics = xml_child(x, node, "dynamics");

    if (dynamics != NULL) {
        xml_only(x, dynamics, "damping friction", "");
        read_not_negative(x, dynamics, "damping", false, &joint->damping_nms);
        read_not_negative(x, dynamics, "friction", false, &joint->friction_nm);
    }
}

void urdf_joint_read(struct urdf *u, struct xml *x, const xmlNode *node)
{
    struct urdf_joint *joint = &u->joint[u->joints];
    int twin = -1;

    *joint = (struct urdf_joint){.line = xml_line(node)};
    if (!urdf_read_name(x, node, joint->name)) {
        return;
    }
    twin = find_joint(u, joint->name);
    if (twin >= 0) {
        xml_error(x, node, "second joint of this name, the first is in line %d",
                  u->joint[twin].line);
        return;
    }
    u->joints++;
    xml_only(x, node, "name type",
             "parent child origin axis limit dynamics mimic safety_controller calibration");
    joint->parent = read_end(u, x, node, "parent");
    joint->child = read_end(u, x, node, "child");
    if (!read_kind(x, node, &joint->kind)) {
        return;
    }
    urdf_read_origin(x, node, &joint->origin);
    if (xml_child(x, node, "mimic") != NULL) {
        xml_error(x, xml_child(x, node, "mimic"),
                  "<mimic> is not supported; make the joint fixed, or give it a drive of its own");
    }
    if (joint->kind != URDF_FIXED) {
        read_axis(x, node, joint->axis);
        read_limit(x, node, joint);
        read_dynamics(x, node, joint);
    }
}

/* ---- transmissions ---- */

/* The joint a transmission drives; -1 after an error. */
static int read_driven(const struct urdf *u, struct xml *x, const xmlNode *node)
{
    const xmlNode *element = xml_child(x, node, "joint");
    const char *name = element != NULL ? xml_required(x, element, "name") : NULL;
    int joint = name != NULL ? find_joint(u, name) : -1;

    if (element == NULL) {
        xml_error(x, node, "<transmission> without <joint>");
    } else if (name != NULL && joint < 0) {
        xml_error(x, element, "<joint>: there is no joint \"%.64s\"", name);
    } else if (joint >= 0 && u->joint[joint].kind == URDF_FIXED) {
        xml_error(x, element, "<joint>: joint \"%.64s\" is fixed, it cannot be driven", name);
        joint = -1;
    } else if (joint >= 0 && u->joint[joint].rotor) {
        xml_error(x, element, "<joint>: joint \"%.64s\" has a rotor already", name);
        joint = -1;
    }
    return joint;
}

/* Only a transmission that gives a rotor inertia says something about the mechanics. */
void urdf_joint_read_transmission(struct urdf *u, struct xml *x, const xmlNode *node)
{
    char name[URDF_NAME_MAX];
    const xmlNode *actuator = NULL;
    const xmlNode *reduction = NULL;
    const xmlNode *rotor = NULL;
    double N = 1;
    double J = 0;

    if (!urdf_read_name(x, node, name)) {
        return;
    }
    xml_only(x, node, "name", "type joint actuator");
    actuator = xml_child(x, node, "actuator");
    if (actuator == NULL) {
        return;
    }
    xml_only(x, actuator, "name", "hardwareInterface mechanicalReduction rotorInertia");
    reduction = xml_child(x, actuator, "mechanicalReduction");
    rotor = xml_child(x, actuator, "rotorInertia");
    if (rotor == NULL || !xml_content(x, rotor, &J) ||
        (reduction != NULL && !xml_content(x, reduction, &N))) {
        return;
    }
    if (J < 0 || fpclassify(N) == FP_ZERO) {
        xml_error(x, J < 0 ? rotor : reduction, "<%s>: expected %s, found %g",
                  J < 0 ? "rotorInertia" : "mechanicalReduction",
                  J < 0 ? "zero or more" : "not zero", J < 0 ? J : N);
        return;
    }
    const int joint = read_driven(u, x, node);

    if (joint >= 0) {
        u->joint[joint].rotor = true;
        u->joint[joint].rotor_kgm2 = J * N * N;
    }
}
