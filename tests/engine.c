/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine.c - robots in random states, and the textbook's kinematics and mass matrix. */
#include "tests/engine.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/mat.h"
#include "model/multibody_bias.h"
#include "model/multibody_mass.h"
#include "model/so3.h"

/* Without the engine no test can say anything: end here. */
static void insist(bool good, const struct engine *e, const char *what)
{
    if (!good) {
        fprintf(stderr, "engine: robot \"%s\": %s\n", e->robot.name, what);
        exit(1);
    }
}

void engine_build(struct engine *e, int i)
{
    const struct robot *const list[6] = {&robots_floating, &robots_servicer, &robots_light,
                                         &robots_fixed,    &robots_multiarm, &robots_planar};
    const int base[3] = {6, 3, 0};

    memset(e, 0, sizeof *e);
    if (i < 6) {
        e->robot = *list[i];
    } else {
        robots_random(&e->robot, e->table, base[i - 6], 77ULL + (unsigned long long)i);
    }
    insist(robots_model_build(&e->m, &e->robot) == 0, e, "refused by the engine");
    multibody_reset(&e->m, &e->w);
}

void engine_vector(struct multibody_vector *x, const struct engine *e, struct draw *d, double size)
{
    double dense[MULTIBODY_DOF];

    draw_vector(d, dense, multibody_dof(&e->m), size);
    multibody_unstack(x, &e->m, dense);
}

void engine_draw(struct engine *e, struct draw *d)
{
    draw_vector(d, e->q, e->m.joints, 3.0);
    engine_vector(&e->nu, e, d, 1.0);
}

void engine_stages(struct engine *e)
{
    multibody_kinematics(&e->m, &e->w, e->q);
    multibody_rates(&e->m, &e->w, e->nu.joint);
    multibody_mass(&e->m, &e->w);
    multibody_mass_joint(&e->m, &e->w);
    multibody_bias(&e->m, &e->w);
    insist(e->w.valid, e, "a good state was called bad");
}

static void pose_of(struct pose *g, const struct robots_pose *place)
{
    robots_rotation(g->R, place->q);
    mat_copy(g->p, place->p, 3);
}

void engine_link_pose(struct pose *g, const struct engine *e, const double *q, int link)
{
    se3_identity(g);
    if (link == ROBOTS_BASE) {
        return;
    }
    struct robots_pose place;
    struct pose before, here, turn;
    double w[3];
    int parent;

    robots_place(&place, &parent, &e->robot, link);
    engine_link_pose(&before, e, q, parent);
    pose_of(&here, &place);
    se3_identity(&turn);
    mat_scale(w, q[link], robots_joint(&e->robot, link)->axis, 3);
    so3_exp(turn.R, w);
    se3_mul(g, &before, &here);
    se3_mul(g, g, &turn);
}

void engine_jacobian(double *J, const struct engine *e, const double *q, int link,
                     const struct pose *g)
{
    const int n = 6 + e->m.joints;
    struct pose g_bf, g_bj, g_fj;
    double column[6];

    mat_zero(J, 6 * n);
    engine_link_pose(&g_bf, e, q, link);
    se3_mul(&g_bf, &g_bf, g);
    for (int j = 0; j < 6; j++) {
        double V[6] = {0.0};

        V[j] = 1.0;
        se3_apply_Ad_inverse(column, &g_bf, V);
        for (int r = 0; r < 6; r++) {
            J[n * r + j] = column[r];
        }
    }
    while (link != ROBOTS_BASE) {
        struct robots_pose place;
        double turn[6] = {0.0};

        mat_copy(turn + 3, robots_joint(&e->robot, link)->axis, 3);
        engine_link_pose(&g_bj, e, q, link);
        se3_relative(&g_fj, &g_bf, &g_bj);
        se3_apply_Ad(column, &g_fj, turn);
        for (int r = 0; r < 6; r++) {
            J[n * r + 6 + link] = column[r];
        }
        robots_place(&place, &link, &e->robot, link);
    }
}

void engine_mass(double *M, const struct engine *e, const double *q)
{
    const int n = 6 + e->m.joints;
    struct pose here;

    se3_identity(&here);
    mat_zero(M, n * n);
    for (int link = ROBOTS_BASE; link < e->m.joints; link++) {
        double J[6 * MULTIBODY_DOF], IJ[6 * MULTIBODY_DOF], I[36],
            sum[MULTIBODY_DOF * MULTIBODY_DOF];
        struct robots_mass mass;
        struct body body;

        robots_merge(&mass, &e->robot, link);
        body_make(&body, mass.mass_kg, mass.com, mass.inertia);
        body_matrix(I, &body);
        engine_jacobian(J, e, q, link, &here);
        mat_mul(IJ, I, J, 6, 6, n);
        mat_mul_tn(sum, J, IJ, n, 6, n);
        mat_add(M, M, sum, n * n);
    }
    for (int i = 0; i < e->m.joints; i++) {
        M[(n + 1) * (6 + i)] += robots_joint(&e->robot, i)->rotor_kgm2;
    }
}

void engine_dense_mass(double *M, struct engine *e, const double *q)
{
    multibody_kinematics(&e->m, &e->w, q);
    multibody_mass(&e->m, &e->w);
    multibody_mass_joint(&e->m, &e->w);
    multibody_mass_dense(M, &e->m, &e->w);
}

void engine_mass_rate(double *M_dot, struct engine *e)
{
    const double h = 2e-3, weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    const int n = multibody_dof(&e->m);
    double M[MULTIBODY_DOF * MULTIBODY_DOF], q[MULTIBODY_JOINTS];

    mat_zero(M_dot, n * n);
    for (int p = 0; p < 4; p++) {
        for (int j = 0; j < e->m.joints; j++) {
            q[j] = e->q[j] + h * (p < 2 ? p - 2 : p - 1) * e->nu.joint[j];
        }
        engine_dense_mass(M, e, q);
        mat_add_scaled(M_dot, weight[p] / h, M, n * n);
    }
}
