/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/freeflyer.h"

#include "model/mat.h"

void freeflyer_start(struct freeflyer *x, const struct multibody_model *robot, const struct pose *g,
                     const double V[static 6], const double *q, const double *qd)
{
    x->robot = robot;
    x->pose = *g;
    x->nu = (struct multibody_vector){{0.0}, {0.0}};
    mat_zero(x->q, MULTIBODY_JOINTS);
    mat_copy(x->q, q, robot->joints);
    mat_copy(x->nu.base, V, 6);
    mat_copy(x->nu.joint, qd, robot->joints);
    multibody_reset(robot, &x->work);
}

void freeflyer_step(struct freeflyer *x, const struct multibody_vector *load,
                    const struct multibody_frame *at, const double F[static 6], double h_s)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    const int n = x->robot->joints;
    struct multibody_contact contact = {*at, {0.0}};
    struct multibody_input input = {*load, {0.0, 0.0, 0.0}, 1, &contact};
    struct multibody_vector acc = {{0.0}, {0.0}}, nu = x->nu, sum_acc = acc, sum_nu = acc;
    double q[MULTIBODY_JOINTS];

    mat_copy(contact.wrench, F, 6);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < n; i++) {
            q[i] = x->q[i] + node[k] * h_s * nu.joint[i]; /* nu of the stage before */
            nu.joint[i] = x->nu.joint[i] + node[k] * h_s * acc.joint[i];
        }
        for (int i = 0; i < 6; i++) {
            nu.base[i] = x->nu.base[i] + node[k] * h_s * acc.base[i];
        }
        multibody_solve_forward(&acc, x->robot, &x->work, q, &nu, &input);
        mat_add_scaled(sum_acc.base, weight[k] / 6.0, acc.base, 6);
        mat_add_scaled(sum_acc.joint, weight[k] / 6.0, acc.joint, n);
        mat_add_scaled(sum_nu.base, weight[k] / 6.0, nu.base, 6);
        mat_add_scaled(sum_nu.joint, weight[k] / 6.0, nu.joint, n);
    }
    se3_step(&x->pose, sum_nu.base, h_s); /* exp of the mean twist: error of third order in h */
    mat_add_scaled(x->q, h_s, sum_nu.joint, n);
    mat_add_scaled(x->nu.base, h_s, sum_acc.base, 6);
    mat_add_scaled(x->nu.joint, h_s, sum_acc.joint, n);
}
