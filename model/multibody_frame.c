/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_frame.c - pose, twist, Jacobian, its bias, and wrenches at frames of a robot. */
#include "model/multibody_frame.h"

#include "model/lane.h"
#include "model/mat.h"

RT_SAFE void multibody_frame_pose(struct pose *g, const struct multibody_work *w,
                                  const struct multibody_frame *f)
{
    const double *R = f->offset.R, *p = f->offset.p;

    if (f->lane < 0) {
        *g = f->offset;
        return;
    }
    const struct multibody_arm_work *a = &w->arm[f->arm];
    for (int i = 0; i < 3; i++) {
        const double x = a->x[i][f->lane], y = a->y[i][f->lane], z = a->S[3 + i][f->lane];

        g->R[3 * i] = x * R[0] + y * R[3] + z * R[6];
        g->R[3 * i + 1] = x * R[1] + y * R[4] + z * R[7];
        g->R[3 * i + 2] = x * R[2] + y * R[5] + z * R[8];
        g->p[i] = a->p[i][f->lane] + (x * p[0] + y * p[1] + z * p[2]);
    }
}

/* Row l of a [row][lane] array as six numbers; zero for the base, which does not move against
 * itself. */
RT_SAFE static void of_link(double x[static 6], double rows[static 6][MULTIBODY_LANES],
                            const struct multibody_frame *f)
{
    for (int r = 0; r < 6; r++) {
        x[r] = f->lane < 0 ? 0.0 : rows[r][f->lane];
    }
}

RT_SAFE void multibody_frame_twist(double V_f[static 6], struct multibody_work *w,
                                   const struct multibody_frame *f, const double V[static 6])
{
    struct pose g;
    double v[6], base[6];

    LANE6_STORE(base, lane_six(V, MULTIBODY_RATE_MAX, &w->valid));
    of_link(v, w->arm[f->lane < 0 ? 0 : f->arm].v, f);
    mat_add(v, v, base, 6);
    multibody_frame_pose(&g, w, f);
    se3_apply_Ad_inverse(V_f, &g, v);
}

RT_SAFE void multibody_frame_bias(double a_f[static 6], struct multibody_work *w,
                                  const struct multibody_frame *f, const double V[static 6])
{
    struct multibody_arm_work *arm = &w->arm[f->lane < 0 ? 0 : f->arm];
    struct pose g;
    double v[6], a[6], base[6], Vv[6];

    LANE6_STORE(base, lane_six(V, MULTIBODY_RATE_MAX, &w->valid));
    /* sum of ad(V + v) S qd = a + ad(V) v; moving to the frame adds nothing, because ad(V_f) V_f =
     * 0 */
    of_link(v, arm->v, f);
    of_link(a, arm->a, f);
    se3_apply_ad(Vv, base, v);
    mat_add(a, a, Vv, 6);
    multibody_frame_pose(&g, w, f);
    se3_apply_Ad_inverse(a_f, &g, a);
}

/* J_b = Ad(g)^-1 = [R', -R'[p]; 0, R'] */
RT_SAFE LANE_KERNEL void base_block(double J[static restrict 36], const struct pose *restrict g)
{
    const struct lane3 p = LANE3_OF(g->p);

    for (int i = 0; i < 3; i++) {
        const struct lane3 axis = {g->R[i], g->R[3 + i], g->R[6 + i]};
        const struct lane3 arm = lane_cross(p, axis);
        double *upper = &J[6 * i], *lower = &J[6 * (i + 3)];

        upper[0] = lower[3] = axis.x;
        upper[1] = lower[4] = axis.y;
        upper[2] = lower[5] = axis.z;
        upper[3] = arm.x;
        upper[4] = arm.y;
        upper[5] = arm.z;
        lower[0] = lower[1] = lower[2] = 0.0;
    }
}

/* J_q,l = Ad(g)^-1 S_l of every joint of the arm */
RT_SAFE LANE_KERNEL void joint_block(double J[static restrict 6][LANES],
                                     const struct pose *restrict g,
                                     const struct multibody_arm_work *restrict a)
{
    const double *R = g->R;
    const struct lane3 p = LANE3_OF(g->p);
    const struct lane3 rx = {R[0], R[3], R[6]}, ry = {R[1], R[4], R[7]}, rz = {R[2], R[5], R[8]};

    for (int l = 0; l < LANES; l++) {
        const struct lane3 z = LANE3(a->S + 3, l);
        const struct lane3 v = lane_sub(LANE3(a->S, l), lane_cross(p, z));

        LANE3_PUT(J, l, ((struct lane3){lane_dot(rx, v), lane_dot(ry, v), lane_dot(rz, v)}));
        LANE3_PUT(J + 3, l, ((struct lane3){lane_dot(rx, z), lane_dot(ry, z), lane_dot(rz, z)}));
    }
}

/* Joints behind the frame do not move it. */
RT_SAFE LANE_KERNEL void clear_behind(double J[static 6][LANES], int lane)
{
    for (int r = 0; r < 6; r++) {
        for (int l = lane + 1; l < LANES; l++) {
            J[r][l] = 0.0;
        }
    }
}

RT_SAFE void multibody_frame_jacobian(struct multibody_jacobian *J, const struct multibody_work *w,
                                      const struct multibody_frame *f)
{
    J->arm = f->arm;
    multibody_frame_pose(&J->g, w, f);
    if (w->fixed) {
        mat_zero(J->base, 36);
    } else {
        base_block(J->base, &J->g);
    }
    if (f->lane < 0) {
        memset(J->joint, 0, sizeof J->joint);
        return;
    }
    joint_block(J->joint, &J->g, &w->arm[f->arm]);
    if (f->lane + 1 < w->joints[f->arm]) {
        clear_behind(J->joint, f->lane);
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
    double at_base[6];

    if (!lane_usable(F, 6, MULTIBODY_LOAD_MAX)) {
        w->valid = false;
        return;
    }
    multibody_frame_pose(&g, w, f);
    se3_apply_Ad_inverse_transpose(at_base, &g, F);
    mat_add(load->base, load->base, at_base, 6);
    const int first = f->arm == 1 ? m->arm[0].joints : 0;
    for (int l = 0; l <= f->lane; l++) {
        load->joint[first + l] += lane_dot6(LANE6(w->arm[f->arm].S, l), LANE6_OF(at_base));
    }
}
