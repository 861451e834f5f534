/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.c - what a robot description says, for people and as JSON. */
#include "tools/summary.h"

#include <math.h>
#include <string.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tools/reach.h"

#define DEG (180 / BASE_PI)

static double total_mass(const struct build_robot *robot)
{
    double mass = robot->model.base_body.mass_kg;

    for (int i = 0; i < robot->model.joints; i++) {
        mass += robot->joint[i].body.mass_kg;
    }
    return mass;
}

static const char *link_name(const struct build_robot *robot, int link)
{
    return link == MULTIBODY_BASE ? robot->frame[0].name : robot->joint[link].link;
}

/* ---- for people ---- */

/* Long names are cut, so that the columns stay. */
static void print_name(FILE *out, const char *name, int width)
{
    if ((int)strlen(name) > width) {
        fprintf(out, "%.*s..  ", width - 2, name);
    } else {
        fprintf(out, "%-*s  ", width, name);
    }
}

static void print_limit(FILE *out, double limit, double factor, int width)
{
    if (isinf(limit)) {
        fprintf(out, " %*s", width, "-");
    } else {
        fprintf(out, " %*.5g", width, limit * factor);
    }
}

static void print_base(FILE *out, const struct build_robot *robot)
{
    double com[3], inertia[6];

    body_central(com, inertia, &robot->model.base_body);
    fprintf(out, "base \"%s\": %.6g kg", robot->frame[0].name, robot->model.base_body.mass_kg);
    if (robot->model.base_body.mass_kg > 0) {
        fprintf(out, ", centre of mass %.4g %.4g %.4g m, inertia about it %.4g %.4g %.4g kg m^2",
                com[0], com[1], com[2], inertia[0], inertia[1], inertia[2]);
    } else {
        fputs(", a fixed frame only", out);
    }
    fputc('\n', out);
}

static void print_joints(FILE *out, const struct build_robot *robot)
{
    fprintf(out, "\n%-4s%-16s  %-16s  %7s  %8s %6s %7s %7s %8s %9s\n", "", "joint", "moves", "kg",
            "from deg", "to", "deg/s", "Nm", "Nms/rad", "rotor");
    for (int i = 0; i < robot->model.joints; i++) {
        const struct build_joint *joint = &robot->joint[i];

        fprintf(out, "%2d  ", i + 1);
        print_name(out, joint->name, 16);
        print_name(out, joint->link, 16);
        fprintf(out, "%7.5g ", joint->body.mass_kg);
        print_limit(out, joint->lower_rad, DEG, 8);
        print_limit(out, joint->upper_rad, DEG, 6);
        print_limit(out, joint->velocity_rad_s, DEG, 7);
        print_limit(out, joint->effort_nm, 1, 7);
        fprintf(out, " %8.4g %9.4g\n", joint->damping_nms, joint->rotor_kgm2);
    }
    fputs("    Nm: greatest torque, Nms/rad: damping, rotor: kg m^2 seen from the joint\n", out);
}

static void print_friction(FILE *out, const struct build_robot *robot)
{
    for (int i = 0; i < robot->model.joints; i++) {
        const struct build_joint *joint = &robot->joint[i];

        if (joint->friction_nm > 0) {
            fprintf(out, "dry friction of %s: %.4g Nm\n", joint->name, joint->friction_nm);
        }
    }
}

static void print_reach(FILE *out, const struct build_robot *robot)
{
    for (int k = 0; k < robot->model.arms; k++) {
        const struct build_frame *end = reach_end(robot, k);
        double q[MULTIBODY_JOINTS];
        const double reach_m = reach_search(robot, &end->at, q);

        fprintf(out, "reach of %s: %.4f m from the base origin (greatest found)\n", end->name,
                reach_m);
    }
}

/* A link that moves is a frame too, but one look at the joints says where. */
static void print_frames(FILE *out, const struct build_robot *robot)
{
    bool title = false;

    for (int i = 0; i < robot->frames; i++) {
        const struct build_frame *f = &robot->frame[i];

        if (strcmp(f->name, link_name(robot, f->link)) == 0) {
            continue;
        }
        if (!title) {
            fprintf(out, "\n%-4s%-24s  %-24s  %s\n", "", "frame", "fixed to", "at m");
            title = true;
        }
        fputs("    ", out);
        print_name(out, f->name, 24);
        print_name(out, link_name(robot, f->link), 24);
        fprintf(out, "%.5g %.5g %.5g\n", f->place.p[0], f->place.p[1], f->place.p[2]);
    }
}

void summary_print(FILE *out, const struct build_robot *robot)
{
    const struct multibody_model *m = &robot->model;

    fprintf(out, "%s: %d bod%s, %d arm%s, %d joint%s, %.6g kg\n", robot->name, m->joints + 1,
            m->joints == 0 ? "y" : "ies", m->arms, m->arms == 1 ? "" : "s", m->joints,
            m->joints == 1 ? "" : "s", total_mass(robot));
    print_base(out, robot);
    if (m->joints > 0) {
        print_joints(out, robot);
        fputc('\n', out);
        print_friction(out, robot);
        print_reach(out, robot);
    }
    print_frames(out, robot);
}

/* ---- as JSON ---- */

void summary_numbers(struct json *j, const char *name, const double *x, int n)
{
    json_array(j, name);
    for (int i = 0; i < n; i++) {
        json_number(j, NULL, x[i]);
    }
    json_end(j);
}

void summary_pose(struct json *j, const struct pose *g)
{
    double q[4];

    so3_to_quat(q, g->R);
    summary_numbers(j, "p", g->p, 3);
    summary_numbers(j, "q", q, 4);
}

static void write_body(struct json *j, const struct body *body)
{
    double com[3], inertia[6];

    body_central(com, inertia, body);
    json_number(j, "mass", body->mass_kg);
    summary_numbers(j, "com", com, 3);
    summary_numbers(j, "inertia", inertia, 6);
}

static void write_joint(struct json *j, const struct build_joint *joint)
{
    json_object(j, NULL);
    json_string(j, "name", joint->name);
    json_string(j, "link", joint->link);
    write_body(j, &joint->body);
    json_number(j, "lower", joint->lower_rad);
    json_number(j, "upper", joint->upper_rad);
    json_number(j, "velocity", joint->velocity_rad_s);
    json_number(j, "effort", joint->effort_nm);
    json_number(j, "damping", joint->damping_nms);
    json_number(j, "friction", joint->friction_nm);
    json_number(j, "rotor", joint->rotor_kgm2);
    json_end(j);
}

static void write_arms(struct json *j, const struct build_robot *robot)
{
    int first = 0;

    json_array(j, "arms");
    for (int k = 0; k < robot->model.arms; k++) {
        const struct build_frame *end = reach_end(robot, k);
        double q[MULTIBODY_JOINTS];

        json_object(j, NULL);
        json_string(j, "end", end->name);
        json_number(j, "reach", reach_search(robot, &end->at, q));
        json_array(j, "joints");
        for (int i = 0; i < robot->model.arm[k].joints; i++) {
            write_joint(j, &robot->joint[first + i]);
        }
        first += robot->model.arm[k].joints;
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

void summary_json(struct json *j, const struct build_robot *robot)
{
    json_object(j, NULL);
    json_string(j, "robot", robot->name);
    json_number(j, "mass", total_mass(robot));
    json_object(j, "base");
    json_string(j, "link", robot->frame[0].name);
    write_body(j, &robot->model.base_body);
    json_end(j);
    write_arms(j, robot);
    json_object(j, "frames");
    for (int i = 0; i < robot->frames; i++) {
        json_object(j, robot->frame[i].name);
        json_string(j, "link", link_name(robot, robot->frame[i].link));
        summary_pose(j, &robot->frame[i].place);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}
