/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_frame.c - pose, twist, Jacobian, its bias, and wrenches at frames of a robot. */
#include "model/multibody_frame.h"

#include "model/lane.h"
#include "model/mat.h"

RT_SAFE void multibody_frame_pose(struct pose *g, const struct multibody_work *w,
                                  const struct multibody_frame *f)
{
    if (f->lane < 0) {
        *g = f->offset;
        return;
    }
    const struct multibody_arm_work *a = &w->arm[f->arm];
    struct pose joint;

    for (int i = 0; i < 3; i++) {
        joint.R[3 * i] = a->x[i][f->lane];
        joint.R[3 * i + 1] = a->y[i][f->lane];
        joint.R[3 * i + 2] = a->S[3 + i][f->lane];
        joint.p[i] = a->p[i][f->lane];
    }
    se3_mul(g, &joint, &f->offset);
}

/* Row l of a [row][lane] array as six numbers; zero for the base, which does not move against
 * itself. */
RT_SAFE static void of_link(double x[static 6], const double rows[static 6][MULTIBODY_LANES],
                            const struct multibody_frame *f)
{
    for (int r = 0; r < 6; r++) {
        x[r] = f->lane < 0 ? 0.0 : rows[r][f->lane];
    }
}

RT_SAFE void multibody_frame_twist(double V_f[static 6], const struct multibody_work *w,
                                   const struct multibody_frame *f, const double V[static 6])
{
    struct pose g;
    double v[6];

    of_link(v, w->arm[f->lane < 0 ? 0 : f->arm].v, f);
    mat_add(v, v, V, 6);
    multibody_frame_pose(&g, w, f);
    se3_apply_Ad_inverse(V_f, &g, v);
}

RT_SAFE void multibody_frame_bias(double a_f[static 6], const struct multibody_work *w,
                                  const struct multibody_frame *f, const double V[static 6])
{
    const struct multibody_arm_work *arm = &w->arm[f->lane < 0 ? 0 : f->arm];
    struct pose g;
    double v[6], a[6], Vv[6];

    /* sum of ad(V + v) S qd = a + ad(V) v; moving to the frame adds nothing, because ad(V_f) V_f =
     * 0 */
    of_link(v, arm->v, f);
    of_link(a, arm->a, f);
    se3_apply_ad(Vv, V, v);
    mat_add(a, a, Vv, 6);
    multibody_frame_pose(&g, w, f);
    se3_apply_Ad_inverse(a_f, &g, a);
}

RT_SAFE void multibody_frame_jacobian(struct multibody_jacobian *J, const struct multibody_work *w,
                                      const struct multibody_frame *f)
{
    const double *R = J->g.R;
    const double lane_number[LANES] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
    const double last = (double)f->lane;

    J->arm = f->arm;
    multibody_frame_pose(&J->g, w, f);

    /* J_b = Ad(g)^-1 = [R', -R'[p]; 0, R'] */
    const struct lane3 p = LANE3_OF(J->g.p);
    for (int i = 0; i < 3; i++) {
        const struct lane3 axis = {R[i], R[3 + i], R[6 + i]};
        const struct lane3 arm = lane_cross(p, axis);
        double *upper = &J->base[6 * i], *lower = &J->base[6 * (i + 3)];

        upper[0] = lower[3] = axis.x;
        upper[1] = lower[4] = axis.y;
        upper[2] = lower[5] = axis.z;
        upper[3] = arm.x;
        upper[4] = arm.y;
        upper[5] = arm.z;
        lower[0] = lower[1] = lower[2] = 0.0;
    }

    /* J_q,l = Ad(g)^-1 S_l for the joints up to the frame */
    const struct multibody_arm_work *a = &w->arm[f->lane < 0 ? 0 : f->arm];
    const struct lane3 rx = {R[0], R[3], R[6]}, ry = {R[1], R[4], R[7]}, rz = {R[2], R[5], R[8]};
    for (int l = 0; l < LANES; l++) {
        const double moves = lane_number[l] <= last ? 1.0 : 0.0;
        const struct lane3 z = lane_scale(moves, LANE3(a->S + 3, l));
        const struct lane3 v = lane_sub(lane_scale(moves, LANE3(a->S, l)), lane_cross(p, z));

        LANE3_PUT(J->joint, l, ((struct lane3){lane_dot(rx, v), lane_dot(ry, v), lane_dot(rz, v)}));
        LANE3_PUT(J->joint + 3, l,
                  ((struct lane3){lane_dot(rx, z), lane_dot(ry, z), lane_dot(rz, z)}));
    }
}

RT_SAFE void multibody_frame_dense(double *J_dense, const struct multibody_model *m,
                                   const struct multibody_jacobian *J)
{
    const int first = J->arm == 1 ? m->arm[0].joints : 0;
    const int columns = multibody_dof(m);

    for (int r = 0; r < 6; r++) {
        struct multibody_vector row = {{0.0}, {0.0}};

        mat_copy(row.base, &J->base[6 * r], 6);
        if (J->arm >= 0) {
            mat_copy(&row.joint[first], J->joint[r], m->arm[J->arm].joints);
        }
        multibody_stack(&J_dense[r * columns], m, &row);
    }
}

RT_SAFE void multibody_frame_wrench(struct multibody_vector *load, const struct multibody_model *m,
                                    struct multibody_work *w, const struct multibody_frame *f,
                                    const double F[static 6])
{
    struct pose g;
    double checked[LANES], at_base[6];
    const bool good = lane_take(checked, F, 6, MULTIBODY_LOAD_MAX);

    w->valid = w->valid && good;
    multibody_frame_pose(&g, w, f);
    se3_apply_Ad_inverse_transpose(at_base, &g, checked);
    mat_add(load->base, load->base, at_base, 6);
    const int first = f->arm == 1 ? m->arm[0].joints : 0;
    for (int l = 0; l <= f->lane; l++) {
        load->joint[first + l] += lane_dot6(LANE6(w->arm[f->arm].S, l), LANE6_OF(at_base));
    }
}
