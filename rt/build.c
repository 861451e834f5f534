/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build.c - from a robot description to a robot of the engine. */
#include "rt/build.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/mat.h"
#include "model/trig.h"

#define SHAPE "expected one base and at most 2 arms of at most 8 joints"

_Static_assert(MULTIBODY_ARMS == 2 && MULTIBODY_LANES == 8, "SHAPE says so");

/* Every link as a part of the one that carries it: the base, or a link behind a moving joint. */
struct merge {
    int carrier[URDF_LINKS_MAX];
    struct pose place[URDF_LINKS_MAX]; /* in the carrier's frame */
    struct body body[URDF_LINKS_MAX];  /* of a carrier with all it carries, in its frame */
};

/* ---- geometry ---- */

/* sin and cos; exact where the angle is k quarter turns to the last bit of a double. */
static void quarter_sincos(double *s, double *c, double angle_rad)
{
    static const double sine[4] = {0, 1, 0, -1};
    const double quarter = BASE_PI / 2;
    const double k = floor(angle_rad / quarter + 0.5);
    const int phase = (int)(k - 4 * floor(k / 4));

    if (fabs(angle_rad - k * quarter) <= 0x1p-52 * fabs(angle_rad)) {
        *s = sine[phase];
        *c = sine[(phase + 1) % 4];
        return;
    }
    trig_sincos(s, c, angle_rad);
}

void build_rotation(double R[static 9], const double rpy_rad[static 3])
{
    double s[3], c[3];

    for (int i = 0; i < 3; i++) {
        quarter_sincos(&s[i], &c[i], rpy_rad[i]);
    }
    // clang-format off
    const double turn[9] = {
        c[2] * c[1],  c[2] * s[1] * s[0] - s[2] * c[0],  c[2] * s[1] * c[0] + s[2] * s[0],
        s[2] * c[1],  s[2] * s[1] * s[0] + c[2] * c[0],  s[2] * s[1] * c[0] - c[2] * s[0],
        0 - s[1],     c[1] * s[0],                       c[1] * c[0]};
    // clang-format on
    mat_copy(R, turn, 9);
}

static struct pose pose_of(const struct urdf_origin *origin)
{
    struct pose g = {{0}, {0}};

    build_rotation(g.R, origin->rpy_rad);
    mat_copy(g.p, origin->xyz_m, 3);
    return g;
}

/* ---- bodies ---- */

int build_check_links(struct errors *errors, const struct urdf *u)
{
    int bad = 0;

    for (int i = 0; i < u->links; i++) {
        const struct urdf_link *link = &u->link[i];
        const double centre[3] = {0};
        double principal[3], worst = 0;
        struct body b;

        body_make(&b, link->mass_kg, centre, link->inertia_kgm2);
        const enum body_fault fault = link->inertial ? body_check(&b, &worst) : BODY_GOOD;

        bad += fault != BODY_GOOD;
        switch (fault) {
        case BODY_GOOD:
            break;
        case BODY_MASS_NEGATIVE:
            errors_add(errors, link->inertia_line,
                       "link \"%s\": mass: expected zero or more, found %g kg", link->name, worst);
            break;
        case BODY_MOMENT_ONLY:
            errors_add(errors, link->inertia_line, "link \"%s\": inertia without mass", link->name);
            break;
        case BODY_NOT_POSITIVE:
            errors_add(
                errors, link->inertia_line,
                "link \"%s\": inertia not positive definite (smallest eigenvalue %.3g kg m^2)",
                link->name, worst);
            break;
        case BODY_NOT_TRIANGLE:
            body_principal(principal, &b);
            errors_add(errors, link->inertia_line,
                       "link \"%s\": inertia of no body: principal moments %.4g, %.4g and %.4g kg "
                       "m^2, the "
                       "greatest above the sum of the others",
                       link->name, principal[0], principal[1], principal[2]);
            break;
        default:
            errors_add(errors, link->inertia_line, "link \"%s\": mass or inertia beyond %g",
                       link->name, BODY_MAX);
            break;
        }
    }
    return bad;
}

static struct body body_of(const struct urdf_link *link)
{
    const double centre[3] = {0};
    const struct pose g = pose_of(&link->central);
    struct body b;

    body_make(&b, link->mass_kg, centre, link->inertia_kgm2);
    body_place(&b, &g, &b);
    return b;
}

/* Parents come first, so a carrier is known before what it carries. */
static void merge_links(struct merge *m, const struct urdf *u)
{
    for (int k = 0; k < u->links; k++) {
        const int i = u->order[k];
        const struct urdf_joint *joint =
            u->link[i].parent >= 0 ? &u->joint[u->link[i].parent] : NULL;
        struct body part = body_of(&u->link[i]);

        se3_identity(&m->place[i]);
        m->carrier[i] = i;
        if (joint == NULL || joint->kind != URDF_FIXED) {
            m->body[i] = part;
            continue;
        }
        const struct pose g = pose_of(&joint->origin);

        m->carrier[i] = m->carrier[joint->parent];
        se3_mul(&m->place[i], &m->place[joint->parent], &g);
        body_place(&part, &m->place[i], &part);
        body_add(&m->body[m->carrier[i]], &part);
    }
}

/* ---- arms ---- */

/* The next moving joint behind joint `after` in the file that sits on this carrier; -1 if
 * there is none. */
static int next_joint(const struct urdf *u, const struct merge *m, int carrier, int after)
{
    for (int j = after + 1; j < u->joints; j++) {
        if (u->joint[j].kind != URDF_FIXED && m->carrier[u->joint[j].parent] == carrier) {
            return j;
        }
    }
    return -1;
}

/* Is there something to turn? A joint at the end of an arm must have inertia about its own axis. */
static void check_moving(struct errors *errors, const struct urdf *u, const struct merge *m,
                         const struct urdf_joint *joint)
{
    const char *link = u->link[joint->child].name;
    const struct body *b = &m->body[joint->child];
    const double *J = b->inertia, *a = joint->axis;
    const double about = J[0] * a[0] * a[0] + J[1] * a[1] * a[1] + J[2] * a[2] * a[2] +
                         2 * (J[3] * a[0] * a[1] + J[4] * a[0] * a[2] + J[5] * a[1] * a[2]);

    if (!(b->mass_kg > 0)) {
        errors_add(errors, u->link[joint->child].line,
                   "link \"%s\": missing <inertial>; joint \"%s\" moves it, and nothing fixed to "
                   "it has mass",
                   link, joint->name);
    } else if (next_joint(u, m, joint->child, -1) < 0 &&
               !(about + joint->rotor_kgm2 > 1e-12 * (J[0] + J[1] + J[2]))) {
        errors_add(errors, joint->line,
                   "joint \"%s\": link \"%s\" has no inertia about the axis, and there is no rotor "
                   "inertia",
                   joint->name, link);
    }
}

static void check_joints(struct errors *errors, const struct urdf *u, const struct merge *m)
{
    for (int j = 0; j < u->joints; j++) {
        const struct urdf_joint *joint = &u->joint[j];
        const int carrier = m->carrier[joint->parent];

        if (joint->kind == URDF_FIXED) {
            continue;
        }
        check_moving(errors, u, m, joint);
        if (carrier != u->root && next_joint(u, m, carrier, -1) != j) {
            errors_add(errors, joint->line,
                       "joint \"%s\": link \"%s\" is a second branch on link \"%s\"; " SHAPE,
                       joint->name, u->link[joint->child].name, u->link[joint->parent].name);
        }
    }
}

static void add_joint(struct build_robot *r, struct errors *errors, const struct urdf *u,
                      const struct merge *m, const struct urdf_joint *joint, int parent)
{
    struct multibody_joint j = {.body = m->body[joint->child], .rotor_kgm2 = joint->rotor_kgm2};
    const struct pose g = pose_of(&joint->origin);
    int number = 0;

    se3_mul(&j.place, &m->place[joint->parent], &g);
    mat_copy(j.axis, joint->axis, 3);
    number = multibody_add_joint(&r->model, parent, &j);
    if (number == -ENOSPC) {
        const bool arm = parent == MULTIBODY_BASE;

        errors_add(errors, joint->line, "joint \"%s\": link \"%s\" %s; " SHAPE, joint->name,
                   u->link[joint->child].name,
                   arm ? "begins a third arm" : "is the ninth of its arm");
        return;
    }
    if (number < 0) {
        errors_add(errors, joint->line, "joint \"%s\": mass or rotor inertia beyond %g",
                   joint->name, BODY_MAX);
        return;
    }
    r->joint[number] = (struct build_joint){.body = j.body,
                                            .lower_rad = joint->lower_rad,
                                            .upper_rad = joint->upper_rad,
                                            .effort_nm = joint->effort_nm,
                                            .velocity_rad_s = joint->velocity_rad_s,
                                            .damping_nms = joint->damping_nms,
                                            .friction_nm = joint->friction_nm,
                                            .rotor_kgm2 = joint->rotor_kgm2};
    memcpy(r->joint[number].name, joint->name, URDF_NAME_MAX);
    memcpy(r->joint[number].link, u->link[joint->child].name, URDF_NAME_MAX);
}

/* One arm from the joint on the base outwards. */
static void add_arm(struct build_robot *r, struct errors *errors, const struct urdf *u,
                    const struct merge *m, int first)
{
    int parent = MULTIBODY_BASE;

    for (int j = first; j >= 0 && errors->count == 0; j = next_joint(u, m, u->joint[j].child, -1)) {
        add_joint(r, errors, u, m, &u->joint[j], parent);
        parent = r->model.joints - 1;
    }
}

static int joint_number(const struct build_robot *r, const char *link)
{
    for (int i = 0; i < r->model.joints; i++) {
        if (strcmp(r->joint[i].link, link) == 0) {
            return i;
        }
    }
    return MULTIBODY_BASE;
}

static int add_frames(struct build_robot *r, const struct urdf *u, const struct merge *m)
{
    int result = 0;

    for (int k = 0; k < u->links && result == 0; k++) {
        const int i = u->order[k];
        struct build_frame *f = &r->frame[r->frames++];

        memcpy(f->name, u->link[i].name, URDF_NAME_MAX);
        f->link = joint_number(r, u->link[m->carrier[i]].name);
        f->place = m->place[i];
        result = multibody_frame(&f->at, &r->model, f->link, &f->place);
    }
    return result;
}

int build_robot(struct build_robot *r, struct errors *errors, const struct urdf *u,
                enum multibody_base base)
{
    const struct urdf_link *root = &u->link[u->root];
    struct merge m;

    memset(r, 0, sizeof *r);
    memcpy(r->name, u->name, URDF_NAME_MAX);
    merge_links(&m, u);
    check_joints(errors, u, &m);
    if (base != MULTIBODY_FIXED && !(m.body[u->root].mass_kg > 0)) {
        errors_add(errors, root->line, "link \"%s\": the base has no mass; it can only be fixed",
                   root->name);
    } else if (errors->count == 0 && multibody_init(&r->model, base, &m.body[u->root]) != 0) {
        errors_add(errors, root->line, "link \"%s\": mass or inertia beyond %g", root->name,
                   BODY_MAX);
    }
    for (int j = next_joint(u, &m, u->root, -1); j >= 0 && errors->count == 0;
         j = next_joint(u, &m, u->root, j)) {
        add_arm(r, errors, u, &m, j);
    }
    if (errors->count == 0 && add_frames(r, u, &m) != 0) {
        errors_add(errors, root->line, "link \"%s\": a frame is beyond reach of the engine",
                   root->name);
    }
    return errors->count == 0 ? 0 : -EINVAL;
}

int build_open(struct build_robot *r, struct urdf *u, struct errors *errors, const char *path,
               enum multibody_base base)
{
    const int read = urdf_open(u, errors, path);

    if (build_check_links(errors, u) > 0 || read != 0) {
        return -EINVAL;
    }
    return build_robot(r, errors, u, base);
}

int build_find_frame(const struct build_robot *r, const char *name)
{
    for (int i = 0; i < r->frames; i++) {
        if (strcmp(r->frame[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}
