/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robots_model.c - the table goes in as it stands: mounts, parts and frames are merged by the engine, not here. */
#include "tests/robots_model.h"

#include "model/so3.h"

static void pose_of(struct pose *g, const struct robots_pose *place)
{
    so3_from_quat(g->R, place->q);
    for (int k = 0; k < 3; k++) {
        g->p[k] = place->p[k];
    }
}

static void body_of(struct body *b, const struct robots_mass *mass)
{
    body_make(b, mass->mass_kg, mass->com, mass->inertia);
}

static int add_arm(struct multibody_model *m, const struct robots_arm *arm)
{
    int link = MULTIBODY_BASE;
    struct pose mount;

    pose_of(&mount, &arm->mount);
    for (int i = 0; i < arm->joints; i++) {
        const struct robots_joint *row = &arm->joint[i];
        struct multibody_joint joint = {.rotor_kgm2 = row->rotor_kgm2};
        pose_of(&joint.place, &row->place);
        if (i == 0) {
            se3_mul(&joint.place, &mount, &joint.place);
        }
        for (int k = 0; k < 3; k++) {
            joint.axis[k] = row->axis[k];
        }
        body_of(&joint.body, &row->link);
        link = multibody_add_joint(m, link, &joint);
        if (link < 0) {
            return link;
        }
    }
    return 0;
}

int robots_model_build(struct multibody_model *m, const struct robot *r)
{
    struct body body;

    body_of(&body, &r->base_mass);
    int error = multibody_init(m, (enum multibody_base)r->base, &body);
    for (int k = 0; k < r->arms && !error; k++) {
        error = add_arm(m, &r->arm[k]);
    }
    for (int i = 0; i < r->parts && !error; i++) {
        struct pose g;
        pose_of(&g, &r->part[i].place);
        body_of(&body, &r->part[i].mass);
        error = multibody_add_body(m, r->part[i].link, &g, &body);
    }
    return error;
}

int robots_model_frame(struct multibody_frame *f, const struct multibody_model *m,
                       const struct robot *r, int i)
{
    struct pose g;

    pose_of(&g, &r->frame[i].place);
    return multibody_frame(f, m, r->frame[i].link, &g);
}
