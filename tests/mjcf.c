/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mjcf.c - a robot's table as MJCF, MuJoCo's own description language.
 *
 * MuJoCo wants inertias diagonal. Its own compiler (version 2.2.2) finds the principal axes only roughly: given as
 * fullinertia, 199 random tensors came back changed by up to 1.6e-6 of themselves. Here the axes are found to rounding, so that a comparison is limited by arithmetic alone. Parts are merged into their links: MuJoCo would
 * spend time on a body for each.
 */
#include "tests/mjcf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include <mujoco/mujoco.h>

struct writer {
    char *text;
    size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) say(struct writer *w, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    const size_t room = w->used < w->size ? w->size - w->used : 0;
    w->used += (size_t)vsnprintf(room ? w->text + w->used : NULL, room, format, list);
    va_end(list);
}

static void say_pose(struct writer *w, const struct robots_pose *g)
{
    say(w, " pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"", g->p[0], g->p[1], g->p[2],
        g->q[3], g->q[0], g->q[1], g->q[2]);
}

/* One turn in the plane (a, b) that makes A_ab zero: A <- G' A G, V <- V G. */
static void jacobi_turn(double A[static 9], double V[static 9], int a, int b)
{
    if (fabs(A[3 * a + b]) < 1e-300) {
        return;
    }
    const double theta = (A[4 * b] - A[4 * a]) / (2.0 * A[3 * a + b]);
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double x = A[3 * k + a], y = A[3 * k + b];
        A[3 * k + a] = c * x - s * y;
        A[3 * k + b] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        const double x = A[3 * a + k], y = A[3 * b + k];
        A[3 * a + k] = c * x - s * y;
        A[3 * b + k] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        const double x = V[3 * k + a], y = V[3 * k + b];
        V[3 * k + a] = c * x - s * y;
        V[3 * k + b] = s * x + c * y;
    }
}

static void say_inertial(struct writer *w, const struct robots_mass *mass)
{
    const double *s = mass->inertia;
    double A[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    double V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    mjtNum quat[4];

    for (int sweep = 0; sweep < 12; sweep++) {
        jacobi_turn(A, V, 0, 1);
        jacobi_turn(A, V, 0, 2);
        jacobi_turn(A, V, 1, 2);
    }
    mju_mat2Quat(quat, V);
    say(w, "<inertial mass=\"%.17g\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"",
        mass->mass_kg, mass->com[0], mass->com[1], mass->com[2], quat[0], quat[1], quat[2],
        quat[3]);
    say(w, " diaginertia=\"%.17g %.17g %.17g\"/>\n", A[0], A[4], A[8]);
}

static void say_link(struct writer *w, const struct robot *r, int link)
{
    struct robots_mass mass;

    robots_merge(&mass, r, link);
    say_inertial(w, &mass);
    for (int i = 0; i < r->frames; i++) {
        if (r->frame[i].link == link) {
            say(w, "<site name=\"frame%d\"", i);
            say_pose(w, &r->frame[i].place);
            say(w, "/>\n");
        }
    }
}

static void say_arm(struct writer *w, const struct robot *r, int first, int joints)
{
    for (int i = first; i < first + joints; i++) {
        const struct robots_joint *joint = robots_joint(r, i);
        struct robots_pose place;
        int parent;
        robots_place(&place, &parent, r, i);
        say(w, "<body");
        say_pose(w, &place);
        say(w, ">\n<joint type=\"hinge\" axis=\"%.17g %.17g %.17g\" armature=\"%.17g\"/>\n",
            joint->axis[0], joint->axis[1], joint->axis[2], joint->rotor_kgm2);
        say_link(w, r, i);
    }
    for (int i = 0; i < joints; i++) {
        say(w, "</body>");
    }
    say(w, "\n");
}

int mjcf_write(char *text, size_t size, const struct robot *r)
{
    struct writer w = {text, size, 0};

    say(&w, "<mujoco>\n<compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n");
    say(&w, "<option timestep=\"0.001\" integrator=\"RK4\" gravity=\"0 0 0\">\n");
    say(&w, "<flag constraint=\"disable\" contact=\"disable\" passive=\"disable\" "
            "limit=\"disable\" equality=\"disable\""
            " frictionloss=\"disable\" sensor=\"disable\" actuation=\"disable\" "
            "warmstart=\"disable\"/>\n</option>\n");
    say(&w, "<worldbody>\n<body>\n");
    if (r->base == 6) {
        say(&w, "<freejoint/>\n");
    } else if (r->base == 3) {
        say(&w, "<joint type=\"slide\" axis=\"1 0 0\"/>\n<joint type=\"slide\" axis=\"0 1 0\"/>\n"
                "<joint type=\"hinge\" axis=\"0 0 1\"/>\n");
    }
    say_link(&w, r, ROBOTS_BASE);
    for (int k = 0, first = 0; k < r->arms; first += r->arm[k].joints, k++) {
        say_arm(&w, r, first, r->arm[k].joints);
    }
    say(&w, "</body>\n</worldbody>\n</mujoco>\n");
    return w.used < size ? (int)w.used : -1;
}
