/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.c - what a simulated cycle leaves behind, and the file it is kept in. */
#include "tools/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mat.h"
#include "model/multibody_mass.h"
#include "model/so3.h"

/* The row being put together. Without a file, names are collected in its place: one walk over the columns makes both, so
 * that they cannot disagree. */
struct row {
    double *value; /* NULL: names */
    char *names;
    int count;
    size_t length;
    const char *prefix;
};

static void put(struct row *r, const char *name, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (r->value != NULL) {
            r->value[r->count] = x[i];
        } else {
            const int most = (int)(RECORD_LINE - r->length);
            const int used = n == 1 ? snprintf(r->names + r->length, (size_t)most, "%s%s%s",
                                               r->count > 0 ? "," : "", r->prefix, name)
                                    : snprintf(r->names + r->length, (size_t)most, "%s%s%s[%d]",
                                               r->count > 0 ? "," : "", r->prefix, name, i);

            r->length += (size_t)(used < most ? used : most - 1);
        }
        r->count++;
    }
}

static void put_pose(struct row *r, const char *name, const struct pose *g)
{
    double x[7];

    mat_copy(x, g->p, 3);
    so3_to_quat(x + 3, g->R);
    put(r, name, x, 7);
}

/* One of the three accounts of the same instant. */
struct account {
    struct motion client_orbit, client_lab, servicer_orbit, servicer_lab;
    double position[MULTIBODY_LANES], velocity[MULTIBODY_LANES], torque[MULTIBODY_LANES];
    double obsw_torque[MULTIBODY_LANES];
    double base_wrench[6], client_wrench[6], gripper_wrench[6], momentum[6];
};

static void put_account(struct row *r, const char *prefix, const struct account *a, int n)
{
    r->prefix = prefix;
    put_pose(r, "client_orbit_pose", &a->client_orbit.pose);
    put(r, "client_orbit_velocity", a->client_orbit.velocity, 6);
    put_pose(r, "client_lab_pose", &a->client_lab.pose);
    put(r, "client_lab_velocity", a->client_lab.velocity, 6);
    put_pose(r, "servicer_orbit_pose", &a->servicer_orbit.pose);
    put(r, "servicer_orbit_velocity", a->servicer_orbit.velocity, 6);
    put_pose(r, "servicer_lab_pose", &a->servicer_lab.pose);
    put(r, "servicer_lab_velocity", a->servicer_lab.velocity, 6);
    put(r, "joint_position", a->position, n);
    put(r, "joint_velocity", a->velocity, n);
    put(r, "joint_torque", a->torque, n);
    put(r, "obsw_torque", a->obsw_torque, n);
    put(r, "base_wrench", a->base_wrench, 6);
    put(r, "client_wrench", a->client_wrench, 6);
    put(r, "gripper_wrench", a->gripper_wrench, 6);
    put(r, "momentum", a->momentum, 6);
    r->prefix = "";
}

/* ---- the three accounts ---- */

/* Momentum of client and servicer about the inertial origin, from their states. */
static void momentum_of(struct account *a, const struct control_model *m,
                        struct multibody_work *work)
{
    struct multibody_vector nu = {{0.0}, {0.0}};
    double P[6], spatial[6];

    mat_copy(nu.base, a->servicer_orbit.velocity, 6);
    mat_copy(nu.joint, a->velocity, m->servicer.robot.joints);
    multibody_reset(&m->servicer.robot, work);
    multibody_kinematics(&m->servicer.robot, work, a->position);
    multibody_mass(&m->servicer.robot, work);
    multibody_mass_momentum(P, &m->servicer.robot, work, &nu);
    se3_apply_Ad_inverse_transpose(a->momentum, &a->servicer_orbit.pose, P);

    mat_scale(P, m->client.body.body.mass_kg, a->client_orbit.velocity, 3);
    mat_vec3(P + 3, m->client.body.inertia, a->client_orbit.velocity + 3);
    se3_apply_Ad_inverse_transpose(spatial, &a->client_orbit.pose, P);
    mat_add(a->momentum, a->momentum, spatial, 6);
}

static void believed(struct account *a, const struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    const struct control_state *s = &l->state;

    a->client_orbit = s->flight.client.orbit;
    a->client_lab = s->flight.client.lab;
    a->servicer_orbit = s->servicer_orbit;
    a->servicer_lab = s->servicer_lab;
    mat_copy(a->position, l->in.joints.position, n);
    mat_copy(a->velocity, l->in.joints.velocity, n);
    mat_copy(a->torque, l->out.torque, n);
    mat_copy(a->obsw_torque, s->obsw_out.joint_torque, n);
    mat_copy(a->base_wrench, s->obsw_out.base_wrench, 6);
    mat_copy(a->client_wrench, l->in.wrench.value, 6);
    mat_copy(a->gripper_wrench, s->gripper_wrench, 6);
    mat_add(a->momentum, s->flight.client.body.momentum, s->servicer.momentum, 6);
}

/* The lab as it is, mapped to orbit by [REL 23]. */
static void truth(struct account *a, const struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    const struct world_truth *t = &l->lab.truth;
    const struct motion *nominal = &l->state.flight.nominal.motion;

    a->client_lab = t->robot[WORLD_CLIENT];
    a->servicer_lab = t->robot[WORLD_SERVICER];
    se3_relative(&a->client_lab.pose, &l->state.lab, &t->robot[WORLD_CLIENT].pose);
    se3_relative(&a->servicer_lab.pose, &l->state.lab, &t->robot[WORLD_SERVICER].pose);
    mapping_to_orbit(&a->client_orbit, nominal, &a->client_lab);
    mapping_to_orbit(&a->servicer_orbit, nominal, &a->servicer_lab);
    mat_copy(a->position, t->joint_position, n);
    mat_copy(a->velocity, t->joint_velocity, n);
    mat_copy(a->torque, t->joint_torque, n);
    mat_copy(a->obsw_torque, l->state.obsw_out.joint_torque, n);
    mat_copy(a->base_wrench, l->state.obsw_out.base_wrench, 6);
    mat_copy(a->client_wrench, t->client_wrench, 6);
    mat_copy(a->gripper_wrench, t->gripper_wrench, 6);
}

/* The orbit run; what its bodies would do in this lab by the same mapping. */
static void reference(struct account *a, const struct loop *l)
{
    const int n = l->control.servicer.robot.joints;
    const struct motion *nominal = &l->state.flight.nominal.motion;

    a->client_orbit = l->orbit.client;
    a->servicer_orbit = l->orbit.servicer;
    mapping_to_lab(&a->client_lab, nominal, &a->client_orbit);
    mapping_to_lab(&a->servicer_lab, nominal, &a->servicer_orbit);
    mat_copy(a->position, l->orbit.joint_position, n);
    mat_copy(a->velocity, l->orbit.joint_velocity, n);
    mat_copy(a->torque, l->twin_out.joint_torque, n);
    mat_copy(a->obsw_torque, l->twin_out.joint_torque, n);
    mat_copy(a->base_wrench, l->twin_out.base_wrench, 6);
    mat_copy(a->client_wrench, l->orbit.client_wrench, 6);
    mat_copy(a->gripper_wrench, l->orbit.gripper_wrench, 6);
}

/* All columns in their order; l is NULL for the names alone. */
static void walk(struct row *r, struct loop *l, int joints)
{
    static const struct motion none = {.pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}}};
    static const char *const prefix[3] = {"", "true_", "reference_"};
    const double head[3] = {l != NULL ? l->time_s : 0.0, l != NULL ? (double)l->out.mode : 0.0,
                            l != NULL ? (double)l->out.phase : 0.0};
    const struct motion *nominal = l != NULL ? &l->state.flight.nominal.motion : &none;
    double energy[CONTROL_ROBOTS] = {0.0};

    r->prefix = "";
    put(r, "t_s", &head[0], 1);
    put(r, "mode", &head[1], 1);
    put(r, "phase", &head[2], 1);
    put_pose(r, "nominal_pose", &nominal->pose);
    put(r, "nominal_velocity", nominal->velocity, 6);
    for (int i = 0; i < 3; i++) {
        struct account a = {
            .client_orbit = none, .client_lab = none, .servicer_orbit = none, .servicer_lab = none};

        if (l != NULL && i == 0) {
            believed(&a, l);
        } else if (l != NULL) {
            (i == 1 ? truth : reference)(&a, l);
            momentum_of(&a, &l->control, &l->spare);
        }
        put_account(r, prefix[i], &a, joints);
    }
    for (int i = 0; i < CONTROL_ROBOTS && l != NULL; i++) {
        energy[i] = l->state.flight.passivity[i].energy_j;
    }
    put(r, "energy_observer", energy, CONTROL_ROBOTS);
}

/* ---- the file ---- */

static int open_file(struct record *r, const char *folder, const char *mode)
{
    char path[SCENARIO_PATH_MAX];

    if (snprintf(path, sizeof path, "%s/" RECORD_FILE, folder) >= (int)sizeof path) {
        return -ENAMETOOLONG;
    }
    r->file = fopen(path, mode);
    return r->file != NULL ? 0 : -errno;
}

int record_open(struct record *r, const char *folder, int joints)
{
    struct row row = {.names = calloc(1, RECORD_LINE)};
    int code = -ENOMEM;

    *r = (struct record){.joints = joints};
    if (row.names != NULL) {
        walk(&row, NULL, joints);
        r->columns = row.count;
        code = row.count <= RECORD_COLUMNS ? open_file(r, folder, "wb") : -E2BIG;
    }
    if (code == 0 && fprintf(r->file, "%s\n", row.names) < 0) {
        code = -EIO;
    }
    free(row.names);
    return code;
}

int record_write(struct record *r, struct loop *l)
{
    double value[RECORD_COLUMNS];
    struct row row = {.value = value};

    walk(&row, l, r->joints);
    return fwrite(value, sizeof value[0], (size_t)row.count, r->file) == (size_t)row.count ? 0
                                                                                           : -EIO;
}

int record_close(struct record *r)
{
    FILE *file = r->file;

    r->file = NULL;
    return file == NULL || fclose(file) == 0 ? 0 : -EIO;
}

int record_read_open(struct record *r, const char *folder, char names[static RECORD_LINE])
{
    int code;

    *r = (struct record){.columns = 1};
    code = open_file(r, folder, "rb");
    if (code != 0) {
        return code;
    }
    if (fgets(names, RECORD_LINE, r->file) == NULL || strncmp(names, "t_s,mode,", 9) != 0 ||
        strchr(names, '\n') == NULL) {
        (void)record_close(r);
        return -EINVAL;
    }
    *strchr(names, '\n') = '\0';
    for (const char *p = names; *p != '\0'; p++) {
        r->columns += *p == ',';
    }
    if (r->columns > RECORD_COLUMNS) {
        (void)record_close(r);
        return -EINVAL;
    }
    return 0;
}

int record_read(struct record *r, double *row)
{
    const size_t n = fread(row, sizeof row[0], (size_t)r->columns, r->file);

    if (n == (size_t)r->columns) {
        return 1;
    }
    return n == 0 && feof(r->file) ? 0 : -EIO;
}
