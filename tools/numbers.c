/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numbers.c - the dynamics of a robot at one state, for people and as JSON. */
#include "tools/numbers.h"

#include <errno.h>

#include "model/mat.h"
#include "model/multibody_frame.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/so3.h"
#include "tools/summary.h"

#define COLUMNS 9 /* of a matrix side by side, for people */

int numbers_compute(struct numbers *n, const struct build_robot *robot, const struct state *s)
{
    const struct multibody_model *m = &robot->model;
    struct multibody_work *w = &n->work;
    struct multibody_vector x;
    struct multibody_contact contact = {.wrench = {0}};
    struct multibody_input in = {.contacts = s->frame >= 0,
                                 .contact = s->frame >= 0 ? &contact : NULL};

    n->dof = multibody_dof(m);
    if (s->frame >= 0) {
        contact.frame = robot->frame[s->frame].at;
        mat_copy(contact.wrench, s->F, 6);
    }
    mat_copy(in.load.joint, s->tau, m->joints);
    mat_vec3_t(in.gravity, s->pose.R, s->gravity);

    multibody_reset(m, w);
    multibody_solve_forward(&x, m, w, s->q, &s->nu, &in);
    multibody_stack(n->acceleration, m, &x);
    if (!w->valid) {
        return -EDOM;
    }
    multibody_mass_joint(m, w);
    multibody_mass_dense(n->M, m, w);
    multibody_inverse_bias(&x, m, w, s->nu.base);
    multibody_stack(n->bias, m, &x);
    multibody_mass_gravity(&x, m, w, in.gravity);
    multibody_stack(n->gravity, m, &x);
    multibody_mass_momentum(n->momentum, m, w, &s->nu);
    n->energy_j = multibody_mass_energy(m, w, &s->nu);
    return w->valid ? 0 : -EDOM;
}

/* Where a frame is in the world, and its Jacobian. */
static void at_frame(struct pose *g, double *J, const struct numbers *n,
                     const struct build_robot *robot, const struct state *s, int frame)
{
    struct multibody_jacobian jacobian;

    multibody_frame_jacobian(&jacobian, &n->work, &robot->frame[frame].at);
    multibody_frame_dense(J, &robot->model, &jacobian);
    se3_mul(g, &s->pose, &jacobian.g);
}

/* ---- for people ---- */

static const char *row_name(const struct build_robot *robot, int i)
{
    static const char *const twist[6] = {"v x", "v y", "v z", "w x", "w y", "w z"};
    const int base = (int)robot->model.base;

    return i >= base ? robot->joint[i - base].name : twist[multibody_base_row(&robot->model, i)];
}

static void print_matrix(FILE *out, const struct numbers *n, const struct build_robot *robot)
{
    for (int from = 0; from < n->dof; from += COLUMNS) {
        const int to = from + COLUMNS < n->dof ? from + COLUMNS : n->dof;

        fprintf(out, "\nmass matrix, columns %d to %d of %d\n", from + 1, to, n->dof);
        for (int i = 0; i < n->dof; i++) {
            fprintf(out, "%-10.10s", row_name(robot, i));
            for (int j = from; j < to; j++) {
                fprintf(out, " %9.3g", n->M[n->dof * i + j]);
            }
            fputc('\n', out);
        }
    }
}

void numbers_print(FILE *out, const struct numbers *n, const struct build_robot *robot,
                   const struct state *s)
{
    static const char *const base[7] = {"fixed", "", "", "planar", "", "", "floating"};
    double J[6 * MULTIBODY_DOF], q[4];
    struct pose g;

    fprintf(out, "%s on a %s base: %d velocities\n", robot->name, base[robot->model.base], n->dof);
    print_matrix(out, n, robot);
    fprintf(out, "\n%-24s %14s %14s %14s\n", "", "bias", "gravity", "acceleration");
    for (int i = 0; i < n->dof; i++) {
        fprintf(out, "%-24.24s %14.6g %14.6g %14.6g\n", row_name(robot, i), n->bias[i],
                n->gravity[i], n->acceleration[i]);
    }
    fprintf(out, "\n%-24s %-33s quaternion x y z w\n", "frame", "  position in the world, m");
    for (int i = 0; i < robot->frames; i++) {
        at_frame(&g, J, n, robot, s, i);
        so3_to_quat(q, g.R);
        fprintf(out, "%-24.24s %10.5g %10.5g %10.5g   %8.5f %8.5f %8.5f %8.5f\n",
                robot->frame[i].name, g.p[0], g.p[1], g.p[2], q[0], q[1], q[2], q[3]);
    }
    fprintf(out, "\nkinetic energy %.6g J\n", n->energy_j);
    fprintf(out, "momentum %.6g %.6g %.6g Ns, %.6g %.6g %.6g Nms (base axes, base origin)\n",
            n->momentum[0], n->momentum[1], n->momentum[2], n->momentum[3], n->momentum[4],
            n->momentum[5]);
}

/* ---- as JSON ---- */

static void write_matrix(struct json *j, const char *name, const double *A, int rows, int columns)
{
    json_array(j, name);
    for (int i = 0; i < rows; i++) {
        summary_numbers(j, NULL, A + (ptrdiff_t)columns * i, columns);
    }
    json_end(j);
}

void numbers_json(struct json *j, const struct numbers *n, const struct build_robot *robot,
                  const struct state *s)
{
    json_object(j, NULL);
    write_matrix(j, "M", n->M, n->dof, n->dof);
    summary_numbers(j, "bias", n->bias, n->dof);
    summary_numbers(j, "gravity", n->gravity, n->dof);
    json_object(j, "frames");
    for (int i = 0; i < robot->frames; i++) {
        double J[6 * MULTIBODY_DOF];
        struct pose g;

        at_frame(&g, J, n, robot, s, i);
        json_object(j, robot->frame[i].name);
        summary_pose(j, &g);
        write_matrix(j, "J", J, 6, n->dof);
        json_end(j);
    }
    json_end(j);
    summary_numbers(j, "acceleration", n->acceleration, n->dof);
    json_number(j, "energy", n->energy_j);
    summary_numbers(j, "momentum", n->momentum, 6);
    json_end(j);
}
