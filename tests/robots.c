/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robots.c - masses, lengths and axes of the robots, and how parts of a link become one body.
 *
 * Origins: arm [REL section 8], multi-arm robot [MAR section 5], planar robot [AIR section 1]. The 300 kg and 3 kg bases
 * and the general mount are ours, chosen without any symmetry.
 */
#include "tests/robots.h"

#include <math.h>
#include <stddef.h>

#define NO_TURN     {0.0, 0.0, 0.0, 1.0}
#define AT(x, y, z) {{x, y, z}, NO_TURN}
#define Z_AXIS      {0.0, 0.0, 1.0}
#define Y_AXIS      {0.0, 1.0, 0.0}
#define X_AXIS      {1.0, 0.0, 0.0}

/* clang-format off */
static const struct robots_joint arm14[7] = {
    {{{0, 0, 0.1575}, {0, 0, 0, 1}}, Z_AXIS, {5.76, {0, -0.03, 0.12},        {0.0333, 0.033, 0.0123, 0, 0, 0}}, 0},
    {{{0, 0, 0.2025}, {0, 1, 1, 0}}, Z_AXIS, {6.35, {0.0003, 0.059, 0.042},  {0.0305, 0.0304, 0.011, 0, 0, 0}}, 0},
    {{{0, 0.2045, 0}, {0, 1, 1, 0}}, Z_AXIS, {3.5,  {0, 0.03, 0.13},         {0.025, 0.0238, 0.0076, 0, 0, 0}}, 0},
    {{{0, 0, 0.2155}, {1, 0, 0, 1}}, Z_AXIS, {3.5,  {0, 0.067, 0.034},       {0.017, 0.0164, 0.006, 0, 0, 0}}, 0},
    {{{0, 0.1845, 0}, {0, 1, 1, 0}}, Z_AXIS, {3.5,  {0.0001, 0.021, 0.076},  {0.01, 0.0087, 0.00449, 0, 0, 0}}, 0},
    {{{0, 0, 0.2155}, {1, 0, 0, 1}}, Z_AXIS, {1.8,  {0, 0.0006, 0.0004},     {0.0049, 0.0047, 0.0036, 0, 0, 0}}, 0},
    {{{0, 0.081, 0},  {0, 1, 1, 0}}, Z_AXIS, {1.2,  {0, 0, 0.02},            {0.001, 0.001, 0.001, 0, 0, 0}}, 0},
};

#define TOOL       {6, AT(0, 0, 0), {2.0, {0, 0, 0.105}, {0.006, 0.006, 0.004, 0, 0, 0}}}
#define TOOL_POINT {6, AT(0, 0, 0.225)}

const struct robot robots_floating = {
    .name = "floating 7",
    .base = 6,
    .base_mass = {300.0, {0.02, -0.01, 0.03}, {45.0, 52.0, 40.0, 1.2, -0.8, 0.6}},
    .arm = {{{{0.4, -0.2, 0.5}, {0.3, -0.2, 0.5, 0.7}}, arm14, 7}},
    .arms = 1,
    .part = {TOOL},
    .parts = 1,
    .frame = {TOOL_POINT},
    .frames = 1,
};

/* arm z is +x of the base, arm x is -z: a quarter turn about y */
#define SERVICER_MOUNT {{1.10, 0, 0.30}, {0, 1, 0, 1}}

const struct robot robots_servicer = {
    .name = "servicer 7",
    .base = 6,
    .base_mass = {1500.0, {0, 0, 0}, {1050.0, 1090.0, 880.0, 12.0, -18.0, 9.0}},
    .arm = {{SERVICER_MOUNT, arm14, 7}},
    .arms = 1,
    .part = {TOOL, {ROBOTS_BASE, SERVICER_MOUNT, {5.0, {-0.1, 0, 0.07}, {0.05, 0.06, 0.03, 0, 0, 0}}}},
    .parts = 2,
    .frame = {TOOL_POINT},
    .frames = 1,
};

const struct robot robots_light = {
    .name = "light base 7",
    .base = 6,
    .base_mass = {3.0, {0.01, -0.02, 0.015}, {0.02, 0.025, 0.018, 0.001, -0.002, 0.0015}},
    .arm = {{{{0.1, -0.05, 0.08}, {0.3, -0.2, 0.5, 0.7}}, arm14, 7}},
    .arms = 1,
    .part = {TOOL},
    .parts = 1,
    .frame = {TOOL_POINT},
    .frames = 1,
};

const struct robot robots_fixed = {
    .name = "fixed 7",
    .base = 0,
    .base_mass = {5.0, {-0.1, 0, 0.07}, {0.05, 0.06, 0.03, 0, 0, 0}},
    .arm = {{AT(0, 0, 0), arm14, 7}},
    .arms = 1,
    .part = {TOOL},
    .parts = 1,
    .frame = {TOOL_POINT},
    .frames = 1,
};

static const struct robots_joint walker_arm[7] = {
    {AT(0, 0, 0.20), Z_AXIS, {2.5, {0, 0, 0.00},  {0.006, 0.006, 0.005, 0, 0, 0}}, 0.20},
    {AT(0, 0, 0),    Y_AXIS, {2.5, {0, 0, 0.05},  {0.007, 0.007, 0.005, 0, 0, 0}}, 0.20},
    {AT(0, 0, 0),    Z_AXIS, {4.5, {0, 0, 0.33},  {0.115, 0.115, 0.010, 0, 0, 0}}, 0.20},
    {AT(0, 0, 0.60), Y_AXIS, {4.5, {0, 0, 0.27},  {0.115, 0.115, 0.010, 0, 0, 0}}, 0.20},
    {AT(0, 0, 0.60), Z_AXIS, {2.5, {0, 0, -0.05}, {0.007, 0.007, 0.005, 0, 0, 0}}, 0.20},
    {AT(0, 0, 0),    Y_AXIS, {2.5, {0, 0, 0.00},  {0.006, 0.006, 0.005, 0, 0, 0}}, 0.20},
    {AT(0, 0, 0),    Z_AXIS, {3.0, {0, 0, 0.12},  {0.011, 0.011, 0.007, 0, 0, 0}}, 0.20},
};

/* turned by -120 and +120 degrees about x */
#define HALF_OF_ROOT_3 0.86602540378443864676
#define MOUNT_1 {{0, 0.22, 0.20}, {-HALF_OF_ROOT_3, 0, 0, 0.5}}
#define MOUNT_2 {{0, -0.22, 0.20}, {HALF_OF_ROOT_3, 0, 0, 0.5}}
#define LINK_0  {3.0, {0, 0, 0.08}, {0.011, 0.011, 0.007, 0, 0, 0}}

const struct robot robots_multiarm = {
    .name = "floating 2x7",
    .base = 6,
    .base_mass = {30.0, {0, 0, 0.20}, {0.70, 0.70, 0.80, 0, 0, 0}},
    .arm = {{MOUNT_1, walker_arm, 7}, {MOUNT_2, walker_arm, 7}},
    .arms = 2,
    .part = {{ROBOTS_BASE, MOUNT_1, LINK_0}, {ROBOTS_BASE, MOUNT_2, LINK_0}},
    .parts = 2,
    .frame = {{6, AT(0, 0, 0.20)}, {13, AT(0, 0, 0.20)}, {ROBOTS_BASE, AT(0, 0, 0)}},
    .frames = 3,
};

/* Of the base only the yaw inertia is given; the other two are never felt. */
#define SERVO_ROTOR 1.39e-3

static const struct robots_joint planar_arm[5] = {
    {AT(0.05, 0, 0.25), Z_AXIS, {0.16, {0, 0, 0.03},  {8e-5, 8e-5, 8e-5, 0, 0, 0}},   SERVO_ROTOR},
    {AT(0, 0, 0.06),    Y_AXIS, {0.18, {0.06, 0, 0},  {5e-5, 22e-5, 22e-5, 0, 0, 0}}, SERVO_ROTOR},
    {AT(0.105, 0, 0),   Y_AXIS, {0.16, {0.055, 0, 0}, {5e-5, 19e-5, 19e-5, 0, 0, 0}}, SERVO_ROTOR},
    {AT(0.10, 0, 0),    Y_AXIS, {0.10, {0.03, 0, 0},  {4e-5, 6e-5, 6e-5, 0, 0, 0}},   SERVO_ROTOR},
    {AT(0.05, 0, 0),    X_AXIS, {0.20, {0.06, 0, 0},  {7e-5, 16e-5, 16e-5, 0, 0, 0}}, SERVO_ROTOR},
};

const struct robot robots_planar = {
    .name = "planar 5",
    .base = 3,
    .base_mass = {15.0, {0, 0, 0}, {0.45, 0.45, 0.45, 0, 0, 0}},
    .arm = {{AT(0, 0, 0), planar_arm, 5}},
    .arms = 1,
    .frame = {{4, AT(0.09, 0, 0)}},
    .frames = 1,
};
/* clang-format on */

double robots_uniform(unsigned long long *seed, double range)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    const double unit = (double)((*seed * 2685821657736338717ULL) >> 11) * 0x1p-53;
    return range * (2.0 * unit - 1.0);
}

static void random_vector(double *x, int n, double range, unsigned long long *seed)
{
    for (int i = 0; i < n; i++) {
        x[i] = robots_uniform(seed, range);
    }
}

static void random_pose(struct robots_pose *g, unsigned long long *seed)
{
    random_vector(g->p, 3, 0.4, seed);
    random_vector(g->q, 4, 1.0, seed);
    g->q[3] += copysign(0.2, g->q[3]); /* never near the zero quaternion */
}

/* Five point masses around their centre: a body that can exist, with products of inertia. */
static void random_mass(struct robots_mass *m, double mass_kg, double size_m,
                        unsigned long long *seed)
{
    *m = (struct robots_mass){.mass_kg = mass_kg};
    random_vector(m->com, 3, 0.2, seed);
    for (int k = 0; k < 5; k++) {
        double r[3];
        random_vector(r, 3, size_m, seed);
        const double share = mass_kg / 5.0;
        m->inertia[0] += share * (r[1] * r[1] + r[2] * r[2]);
        m->inertia[1] += share * (r[0] * r[0] + r[2] * r[2]);
        m->inertia[2] += share * (r[0] * r[0] + r[1] * r[1]);
        m->inertia[3] -= share * r[0] * r[1];
        m->inertia[4] -= share * r[0] * r[2];
        m->inertia[5] -= share * r[1] * r[2];
    }
}

static void random_axis(double axis[static 3], unsigned long long *seed)
{
    random_vector(axis, 3, 1.0, seed);
    axis[2] += copysign(0.3, axis[2]);
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int k = 0; k < 3; k++) {
        axis[k] /= length;
    }
}

void robots_random(struct robot *r, struct robots_joint table[ROBOTS_JOINTS], int base,
                   unsigned long long seed)
{
    const int joints[ROBOTS_ARMS] = {8, 6};

    *r = (struct robot){
        .name = "random tilted 8+6", .base = base, .arms = 2, .parts = 2, .frames = 3};
    random_mass(&r->base_mass, 40.0, 0.5, &seed);
    for (int k = 0, first = 0; k < r->arms; first += joints[k], k++) {
        random_pose(&r->arm[k].mount, &seed);
        r->arm[k].joint = &table[first];
        r->arm[k].joints = joints[k];
        for (int i = first; i < first + joints[k]; i++) {
            random_pose(&table[i].place, &seed);
            random_axis(table[i].axis, &seed);
            random_mass(&table[i].link, 2.5 + robots_uniform(&seed, 1.5), 0.15, &seed);
            table[i].rotor_kgm2 = 0.1 + robots_uniform(&seed, 0.1);
        }
    }
    const int link[3] = {13, 7, 3};
    for (int i = 0; i < 3; i++) {
        r->frame[i].link = link[i];
        random_pose(&r->frame[i].place, &seed);
    }
    for (int i = 0; i < r->parts; i++) {
        r->part[i].link = i == 0 ? ROBOTS_BASE : 10;
        random_pose(&r->part[i].place, &seed);
        random_mass(&r->part[i].mass, 1.5, 0.1, &seed);
    }
}

int robots_joints(const struct robot *r)
{
    int n = 0;

    for (int k = 0; k < r->arms; k++) {
        n += r->arm[k].joints;
    }
    return n;
}

const struct robots_joint *robots_joint(const struct robot *r, int i)
{
    const int first = r->arm[0].joints;

    return i < first ? &r->arm[0].joint[i] : &r->arm[1].joint[i - first];
}

void robots_rotation(double R[9], const double q[4])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double s = 2.0 / (x * x + y * y + z * z + w * w);

    R[0] = 1.0 - s * (y * y + z * z);
    R[1] = s * (x * y - z * w);
    R[2] = s * (x * z + y * w);
    R[3] = s * (x * y + z * w);
    R[4] = 1.0 - s * (x * x + z * z);
    R[5] = s * (y * z - x * w);
    R[6] = s * (x * z - y * w);
    R[7] = s * (y * z + x * w);
    R[8] = 1.0 - s * (x * x + y * y);
}

void robots_place(struct robots_pose *in_parent, int *parent, const struct robot *r, int i)
{
    const int first = r->arm[0].joints;
    const struct robots_joint *joint = robots_joint(r, i);

    *in_parent = joint->place;
    *parent = i - 1;
    if (i != 0 && i != first) {
        return;
    }
    const struct robots_pose *a = &r->arm[i == 0 ? 0 : 1].mount, *b = &joint->place;
    double R[9];
    robots_rotation(R, a->q);
    for (int k = 0; k < 3; k++) {
        in_parent->p[k] =
            a->p[k] + R[3 * k] * b->p[0] + R[3 * k + 1] * b->p[1] + R[3 * k + 2] * b->p[2];
    }
    in_parent->q[0] = a->q[3] * b->q[0] + a->q[0] * b->q[3] + a->q[1] * b->q[2] - a->q[2] * b->q[1];
    in_parent->q[1] = a->q[3] * b->q[1] + a->q[1] * b->q[3] + a->q[2] * b->q[0] - a->q[0] * b->q[2];
    in_parent->q[2] = a->q[3] * b->q[2] + a->q[2] * b->q[3] + a->q[0] * b->q[1] - a->q[1] * b->q[0];
    in_parent->q[3] = a->q[3] * b->q[3] - a->q[0] * b->q[0] - a->q[1] * b->q[1] - a->q[2] * b->q[2];
    *parent = ROBOTS_BASE;
}

/* Mass, first and second moments about the link's origin. */
struct moments {
    double m, h[3], J[9];
};

/* a 3x3 from xx yy zz xy xz yz */
static void square(double A[static 9], const double s[static 6])
{
    const double a[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};

    for (int k = 0; k < 9; k++) {
        A[k] = a[k];
    }
}

/* J += m (c'c 1 - c c') */
static void add_steiner(double J[static 9], double m, const double c[static 3])
{
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            J[3 * i + j] += m * ((i == j ? cc : 0.0) - c[i] * c[j]);
        }
    }
}

static void add_mass(struct moments *sum, const struct robots_pose *g,
                     const struct robots_mass *part)
{
    double R[9], I[9], c[3];

    robots_rotation(R, g->q);
    square(I, part->inertia);
    for (int i = 0; i < 3; i++) {
        c[i] = g->p[i] + R[3 * i] * part->com[0] + R[3 * i + 1] * part->com[1] +
               R[3 * i + 2] * part->com[2];
        sum->h[i] += part->mass_kg * c[i];
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 9; k++) {
                sum->J[3 * i + j] += R[3 * i + k / 3] * I[k] * R[3 * j + k % 3];
            }
        }
    }
    add_steiner(sum->J, part->mass_kg, c);
    sum->m += part->mass_kg;
}

void robots_merge(struct robots_mass *sum, const struct robot *r, int link)
{
    const struct robots_pose here = AT(0, 0, 0);
    struct moments all = {0};
    double c[3];

    add_mass(&all, &here, link == ROBOTS_BASE ? &r->base_mass : &robots_joint(r, link)->link);
    for (int i = 0; i < r->parts; i++) {
        if (r->part[i].link == link) {
            add_mass(&all, &r->part[i].place, &r->part[i].mass);
        }
    }
    for (int k = 0; k < 3; k++) {
        c[k] = all.h[k] / all.m;
    }
    add_steiner(all.J, -all.m, c);
    *sum = (struct robots_mass){
        .mass_kg = all.m,
        .com = {c[0], c[1], c[2]},
        .inertia = {all.J[0], all.J[4], all.J[8], all.J[1], all.J[2], all.J[5]},
    };
}
