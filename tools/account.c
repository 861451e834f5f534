/* SPDX-License-Identifier: GPL-3.0-or-later */
/* account.c - what a simulated run leaves behind. */
#include "tools/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mat.h"
#include "model/multibody_mass.h"
#include "model/so3.h"
#include "version.h"

#define ATTACHMENT_MOST (16u << 20)

/* Bodies of one account, before their poses are written as numbers. */
struct bodies {
    struct motion client_orbit, client_lab, servicer_orbit, servicer_lab;
};

static void put_pose(double x[static 7], const struct pose *g)
{
    mat_copy(x, g->p, 3);
    so3_to_quat(x + 3, g->R);
}

static void put_bodies(struct record_account *a, const struct bodies *b)
{
    put_pose(a->client_orbit_pose, &b->client_orbit.pose);
    mat_copy(a->client_orbit_velocity, b->client_orbit.velocity, 6);
    put_pose(a->client_lab_pose, &b->client_lab.pose);
    mat_copy(a->client_lab_velocity, b->client_lab.velocity, 6);
    put_pose(a->servicer_orbit_pose, &b->servicer_orbit.pose);
    mat_copy(a->servicer_orbit_velocity, b->servicer_orbit.velocity, 6);
    put_pose(a->servicer_lab_pose, &b->servicer_lab.pose);
    mat_copy(a->servicer_lab_velocity, b->servicer_lab.velocity, 6);
}

/* Momentum of client and servicer about the inertial origin, from their states. */
static void momentum_of(struct record_account *a, const struct bodies *b,
                        const struct control_model *m, struct multibody_work *work)
{
    struct multibody_vector nu = {{0.0}, {0.0}};
    double P[6], spatial[6];

    mat_copy(nu.base, b->servicer_orbit.velocity, 6);
    mat_copy(nu.joint, a->joint_velocity, m->servicer.robot.joints);
    multibody_reset(&m->servicer.robot, work);
    multibody_kinematics(&m->servicer.robot, work, a->joint_position);
    multibody_mass(&m->servicer.robot, work);
    multibody_mass_momentum(P, &m->servicer.robot, work, &nu);
    se3_apply_Ad_inverse_transpose(a->momentum, &b->servicer_orbit.pose, P);

    mat_scale(P, m->client.body.body.mass_kg, b->client_orbit.velocity, 3);
    mat_vec3(P + 3, m->client.body.inertia, b->client_orbit.velocity + 3);
    se3_apply_Ad_inverse_transpose(spatial, &b->client_orbit.pose, P);
    mat_add(a->momentum, a->momentum, spatial, 6);
}

static void believed(struct record_account *a, const struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    const struct control_state *s = &l->state;
    const struct bodies b = {s->flight.client.orbit, s->flight.client.lab, s->servicer_orbit,
                             s->servicer_lab};

    put_bodies(a, &b);
    mat_copy(a->joint_position, l->in.joints.position, n);
    mat_copy(a->joint_velocity, l->in.joints.velocity, n);
    mat_copy(a->joint_torque, l->out.torque, n);
    mat_copy(a->obsw_torque, s->obsw_out.joint_torque, n);
    mat_copy(a->base_wrench, s->obsw_out.base_wrench, 6);
    mat_copy(a->client_wrench, l->in.wrench.value, 6);
    mat_copy(a->gripper_wrench, s->gripper_wrench, 6);
    mat_add(a->momentum, s->flight.client.body.momentum, s->servicer.momentum, 6);
}

/* The lab as it is, mapped to orbit by [REL 23]. */
static void truth(struct record_account *a, struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    const struct world_truth *t = &l->lab.truth;
    const struct motion *nominal = &l->state.flight.nominal.motion;
    struct bodies b = {.client_lab = t->robot[WORLD_CLIENT],
                       .servicer_lab = t->robot[WORLD_SERVICER]};

    se3_relative(&b.client_lab.pose, &l->state.lab, &t->robot[WORLD_CLIENT].pose);
    se3_relative(&b.servicer_lab.pose, &l->state.lab, &t->robot[WORLD_SERVICER].pose);
    mapping_to_orbit(&b.client_orbit, nominal, &b.client_lab);
    mapping_to_orbit(&b.servicer_orbit, nominal, &b.servicer_lab);
    put_bodies(a, &b);
    mat_copy(a->joint_position, t->joint_position, n);
    mat_copy(a->joint_velocity, t->joint_velocity, n);
    mat_copy(a->joint_torque, t->joint_torque, n);
    mat_copy(a->obsw_torque, l->state.obsw_out.joint_torque, n);
    mat_copy(a->base_wrench, l->state.obsw_out.base_wrench, 6);
    mat_copy(a->client_wrench, t->client_wrench, 6);
    mat_copy(a->gripper_wrench, t->gripper_wrench, 6);
    momentum_of(a, &b, &l->control, &l->spare);
}

/* The orbit run; what its bodies would do in this lab by the same mapping. */
static void reference(struct record_account *a, struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    const struct motion *nominal = &l->state.flight.nominal.motion;
    struct bodies b = {.client_orbit = l->orbit.client, .servicer_orbit = l->orbit.servicer};

    mapping_to_lab(&b.client_lab, nominal, &b.client_orbit);
    mapping_to_lab(&b.servicer_lab, nominal, &b.servicer_orbit);
    put_bodies(a, &b);
    mat_copy(a->joint_position, l->orbit.joint_position, n);
    mat_copy(a->joint_velocity, l->orbit.joint_velocity, n);
    mat_copy(a->joint_torque, l->twin_out.joint_torque, n);
    mat_copy(a->obsw_torque, l->twin_out.joint_torque, n);
    mat_copy(a->base_wrench, l->twin_out.base_wrench, 6);
    mat_copy(a->client_wrench, l->orbit.client_wrench, 6);
    mat_copy(a->gripper_wrench, l->orbit.gripper_wrench, 6);
    momentum_of(a, &b, &l->control, &l->spare);
}

/* ---- the cycle record: its head, an account in its middle, its tail ---- */

static void cycle_of(struct record_cycle *c, const struct loop *l)
{
    struct record_account a = {0};

    c->t_s = l->time_s;
    c->mode = (uint32_t)l->out.mode;
    c->phase = l->out.phase;
    put_pose(c->nominal_pose, &l->state.flight.nominal.motion.pose);
    mat_copy(c->nominal_velocity, l->state.flight.nominal.motion.velocity, 6);
    believed(&a, l);
    /* the same list of fields in the same order: rt/record.h */
    memcpy((uint8_t *)c + offsetof(struct record_cycle, client_orbit_pose), a.client_orbit_pose,
           sizeof a - offsetof(struct record_account, client_orbit_pose));
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        c->energy_observer[i] = l->state.flight.passivity[i].energy_j;
    }
}

static int write_accounts(struct account *a, struct loop *l)
{
    const int64_t t = l->in.time_ns;
    struct record_account lab = {0}, orbit = {0};
    struct record_cycle cycle = {0};
    int code;

    truth(&lab, l);
    reference(&orbit, l);
    cycle_of(&cycle, l);
    code = record_write(&a->record, RECORD_TRUTH, t, &lab);
    code = code != 0 ? code : record_write(&a->record, RECORD_REFERENCE, t, &orbit);
    return code != 0 ? code : record_write(&a->record, RECORD_CYCLE, t, &cycle);
}

int account_write(struct account *a, struct loop *l)
{
    struct record_raw raw = {0};
    int code = 0;

    if (!a->record.open) {
        return 0;
    }
    if (a->tape.asked) {
        a->tape.asked = false;
        code = record_write(&a->record, RECORD_OBSW, l->in.time_ns, &a->tape.last);
    }
    record_take(&raw, &l->in, &l->out);
    code = code != 0 ? code : record_raw_write(&a->record, &raw);
    if (code == 0 && l->out.mode == SAFETY_RUN &&
        (l->state.run_cycles - 1) % (uint64_t)a->every == 0) {
        code = write_accounts(a, l);
    }
    return code;
}

/* ---- the file ---- */

static int attach(struct account *a, const char *folder, const char *name, const char *media)
{
    char path[2 * SCENARIO_PATH_MAX];
    char *data = malloc(ATTACHMENT_MOST);
    FILE *file = NULL;
    size_t n = 0;
    int code = data != NULL ? 0 : -ENOMEM;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (code == 0) {
        file = fopen(path, "rb");
        code = file != NULL ? 0 : -errno;
    }
    if (code == 0) {
        n = fread(data, 1, ATTACHMENT_MOST, file);
        code = n < ATTACHMENT_MOST ? mcap_attach(&a->record.file, name, media, data, n) : -E2BIG;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    free(data);
    return code;
}

int account_open(struct account *a, const char *folder, const char *description, int joints,
                 int viewers)
{
    char path[2 * SCENARIO_PATH_MAX], count[16];
    const char *const facts[] = {
        "version", FREEFALL_VERSION, "commit", FREEFALL_COMMIT, "flags",       FREEFALL_CFLAGS,
        "made by", "freefall sim",   "joints", count,           "description", description,
        NULL};
    int code;

    (void)snprintf(count, sizeof count, "%d", joints);
    (void)snprintf(path, sizeof path, "%s/" RECORD_FILE, folder);
    code = record_open(&a->record, path, joints, viewers, false);
    code = code != 0 ? code : mcap_metadata(&a->record.file, "freefall", facts);
    code = code != 0 ? code : attach(a, folder, "config.yaml", "text/yaml");
    return code != 0 ? code : attach(a, folder, description, "application/xml");
}

int account_close(struct account *a)
{
    return record_close(&a->record);
}
