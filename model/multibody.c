/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody.c - building a robot, its work space and payloads; where its links are and how they
 * move.
 *
 * The user's link frames have the joint axis anywhere. The engine wants it to be z, so each link
 * has a second frame, the joint frame, turned against the link frame by a constant rotation; only
 * this file knows of both.
 */
#include "model/multibody.h"

#include <errno.h>

#include "model/lane.h"
#include "model/mat.h"
#include "model/so3.h"
#include "model/trig.h"

_Static_assert((int)LANES == (int)MULTIBODY_LANES, "lane.h and multibody.h disagree");
_Static_assert((int)LANES == (int)TRIG_LANES, "lane.h and trig.h disagree");

/* A pose whose rotation is none of these is refused; URDF files carry about six digits of pi/2. */
#define ROTATION_TOLERANCE 1e-9

/* Placements beyond this are a mistake in the units, m. */
#define DISTANCE_MAX 1e6

static bool is_pose(const struct pose *g)
{
    double RtR[9], u[3];

    if (!base_all_finite(g->R, 9) || !base_all_finite(g->p, 3)) {
        return false;
    }
    mat_mul3_tn(RtR, g->R, g->R);
    for (int i = 0; i < 9; i++) {
        if (!(fabs(RtR[i] - (i % 4 == 0 ? 1.0 : 0.0)) <= ROTATION_TOLERANCE)) {
            return false;
        }
    }
    /* right-handed: x cross y = z */
    const double x[3] = {g->R[0], g->R[3], g->R[6]}, y[3] = {g->R[1], g->R[4], g->R[7]};
    mat_cross3(u, x, y);
    return u[0] * g->R[2] + u[1] * g->R[5] + u[2] * g->R[8] > 0.0 &&
           fabs(g->p[0]) + fabs(g->p[1]) + fabs(g->p[2]) <= DISTANCE_MAX;
}

/* Where link i sits; false if there is none. */
static bool find_link(int *arm, int *lane, const struct multibody_model *m, int link)
{
    if (link < 0 || link >= m->joints) {
        return false;
    }
    *arm = link < m->arm[0].joints ? 0 : 1;
    *lane = *arm == 0 ? link : link - m->arm[0].joints;
    return true;
}

/* g_jl: the user's link frame in the joint frame. */
static struct pose link_in_joint(const struct multibody_arm *a, int lane)
{
    struct pose g;

    se3_identity(&g);
    for (int r = 0; r < 9; r++) {
        g.R[r] = a->turn[r][lane];
    }
    return g;
}

/* R with R axis = z. Turns about the common normal; for an axis that points down half a turn about
 * x comes first. */
static void turn_to_z(double R[static 9], const double axis[static 3])
{
    const double x = axis[0], y = axis[1], z = axis[2];
    const double s = z >= 0.0 ? 1.0 : -1.0;
    const double k = 1.0 / (1.0 + s * z);
    // clang-format off
    const double turn[9] = {1.0 - k * x * x,  -k * x * y,             -s * x,
                            -s * k * x * y,   s * (1.0 - k * y * y),  -y,
                            x,                y,                      z};
    // clang-format on

    mat_copy(R, turn, 9);
}

/* The ten numbers of a body in a lane, as the model keeps them. */
RT_SAFE static void add_to_lane(double rows[static 10][MULTIBODY_LANES], int lane,
                                const struct body *b)
{
    const double *J = b->inertia;
    const double numbers[10] = {
        b->mass_kg,          b->moment[0],        b->moment[1], b->moment[2], J[2],
        0.5 * (J[0] - J[2]), 0.5 * (J[1] - J[2]), J[3],         J[4],         J[5]};

    for (int r = 0; r < 10; r++) {
        rows[r][lane] += numbers[r];
    }
}

int multibody_init(struct multibody_model *m, enum multibody_base base, const struct body *body)
{
    if (body_check(body, NULL) != BODY_GOOD) {
        return -EINVAL;
    }
    if (base != MULTIBODY_FIXED && base != MULTIBODY_PLANAR && base != MULTIBODY_FLOATING) {
        return -EINVAL;
    }
    if (base != MULTIBODY_FIXED && !(body->mass_kg > 0.0)) {
        return -EINVAL;
    }
    *m = (struct multibody_model){.base = base, .base_body = *body};
    return 0;
}

static bool is_joint(const struct multibody_joint *j)
{
    const double length = mat_norm3(j->axis);

    return is_pose(&j->place) && base_all_finite(j->axis, 3) && length > 1e-6 && length < 1e6 &&
           body_check(&j->body, NULL) == BODY_GOOD && j->rotor_kgm2 >= 0.0 &&
           j->rotor_kgm2 <= BODY_MAX;
}

int multibody_add_joint(struct multibody_model *m, int parent, const struct multibody_joint *joint)
{
    struct pose before, turn, place;
    struct body body;
    double axis[3], quat[4], step[3];

    if (!is_joint(joint) || (parent != MULTIBODY_BASE && parent != m->joints - 1)) {
        return -EINVAL;
    }
    const int k = parent == MULTIBODY_BASE ? m->arms : m->arms - 1;
    if (k < 0 || k >= MULTIBODY_ARMS || m->arm[k].joints >= MULTIBODY_LANES) {
        return k < 0 ? -EINVAL : -ENOSPC;
    }
    struct multibody_arm *a = &m->arm[k];
    const int lane = a->joints;

    /* place of the joint frame in the parent's joint frame: g_jl(parent) place g_jl(this)^-1 */
    se3_identity(&before);
    if (lane > 0) {
        before = link_in_joint(a, lane - 1);
    }
    mat_scale(axis, 1.0 / mat_norm3(joint->axis), joint->axis, 3);
    se3_identity(&turn);
    turn_to_z(turn.R, axis);
    se3_mul(&place, &before, &joint->place);
    mat_mul3_nt(place.R, place.R, turn.R);
    body_place(&body, &turn, &joint->body);

    so3_to_quat(quat, place.R);
    mat_vec3_t(step, place.R, place.p);
    for (int r = 0; r < 9; r++) {
        a->turn[r][lane] = turn.R[r];
    }
    for (int r = 0; r < 7; r++) {
        a->place[r][lane] = r < 4 ? quat[r] : step[r - 4];
    }
    add_to_lane(a->body, lane, &body);
    a->rotor[lane] = joint->rotor_kgm2;
    a->joints++;
    m->arms = k + 1;
    return m->joints++;
}

int multibody_frame(struct multibody_frame *f, const struct multibody_model *m, int link,
                    const struct pose *g)
{
    int arm = MULTIBODY_BASE, lane = -1;

    if (!is_pose(g) || (link != MULTIBODY_BASE && !find_link(&arm, &lane, m, link))) {
        return -EINVAL;
    }
    *f = (struct multibody_frame){.offset = *g, .arm = arm, .lane = lane};
    if (lane >= 0) {
        const struct pose turn = link_in_joint(&m->arm[arm], lane);

        se3_mul(&f->offset, &turn, g);
    }
    return 0;
}

int multibody_add_body(struct multibody_model *m, int link, const struct pose *g,
                       const struct body *body)
{
    struct multibody_frame at;
    struct body placed;

    if (body_check(body, NULL) != BODY_GOOD || multibody_frame(&at, m, link, g) != 0) {
        return -EINVAL;
    }
    body_place(&placed, &at.offset, body);
    if (at.lane < 0) {
        body_add(&m->base_body, &placed);
    } else {
        add_to_lane(m->arm[at.arm].body, at.lane, &placed);
    }
    return 0;
}

/* Masses from each link outwards; they change with the payload only. */
RT_SAFE static void sum_masses(struct multibody_arm_work *a)
{
    double sum = 0.0;

    for (int l = LANES - 1; l >= 0; l--) {
        sum += a->body[0][l];
        a->Ic[0][l] = sum;
    }
}

RT_SAFE void multibody_reset(const struct multibody_model *m, struct multibody_work *w)
{
    memset(w, 0, sizeof *w);
    w->base = m->base_body;
    w->fixed = m->base == MULTIBODY_FIXED;
    for (int k = 0; k < MULTIBODY_ARMS; k++) {
        memcpy(w->arm[k].body, m->arm[k].body, sizeof w->arm[k].body);
        sum_masses(&w->arm[k]);
        w->joints[k] = m->arm[k].joints;
    }
}

RT_SAFE bool multibody_attach(struct multibody_work *w, const struct multibody_frame *at,
                              const struct body *load)
{
    struct body placed;

    if (body_check(load, NULL) != BODY_GOOD) {
        return false;
    }
    body_place(&placed, &at->offset, load);
    if (at->lane < 0) {
        body_add(&w->base, &placed);
    } else {
        add_to_lane(w->arm[at->arm].body, at->lane, &placed);
        sum_masses(&w->arm[at->arm]);
    }
    return true;
}

RT_SAFE void multibody_detach(const struct multibody_model *m, struct multibody_work *w,
                              const struct multibody_frame *at)
{
    if (at->lane < 0) {
        w->base = m->base_body;
        return;
    }
    for (int r = 0; r < 10; r++) {
        w->arm[at->arm].body[r][at->lane] = m->arm[at->arm].body[r][at->lane];
    }
    sum_masses(&w->arm[at->arm]);
}

RT_SAFE void multibody_stack(double *dense, const struct multibody_model *m,
                             const struct multibody_vector *x)
{
    const int nb = (int)m->base;

    for (int i = 0; i < nb; i++) {
        dense[i] = x->base[multibody_base_row(m, i)];
    }
    for (int i = 0; i < m->joints; i++) {
        dense[nb + i] = x->joint[i];
    }
}

RT_SAFE void multibody_unstack(struct multibody_vector *x, const struct multibody_model *m,
                               const double *dense)
{
    const int nb = (int)m->base;

    *x = (struct multibody_vector){0};
    for (int i = 0; i < nb; i++) {
        x->base[multibody_base_row(m, i)] = dense[i];
    }
    for (int i = 0; i < m->joints; i++) {
        x->joint[i] = dense[nb + i];
    }
}

struct quat {
    double x, y, z, w;
};

RT_SAFE LANE_INLINE struct quat quat_mul(struct quat a, struct quat b)
{
    return (struct quat){(a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
                         (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z),
                         (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x),
                         (a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z)};
}

#define QUAT(rows, l) ((struct quat){(rows)[0][l], (rows)[1][l], (rows)[2][l], (rows)[3][l]})

/* Four joints in a row, the first against what it stands on. */
RT_SAFE LANE_INLINE void half_chain(double (*restrict to)[LANES], double (*restrict from)[LANES],
                                    int l, bool four)
{
    const struct quat none = {0.0, 0.0, 0.0, 0.0};
    const struct quat a = QUAT(from, l), b = quat_mul(a, QUAT(from, l + 1));
    const struct quat c = quat_mul(b, QUAT(from, l + 2));
    const struct quat d = four ? quat_mul(c, QUAT(from, l + 3)) : none;

    lane_put4(&to[0][l], a.x, b.x, c.x, d.x);
    lane_put4(&to[1][l], a.y, b.y, c.y, d.y);
    lane_put4(&to[2][l], a.z, b.z, c.z, d.z);
    lane_put4(&to[3][l], a.w, b.w, c.w, d.w);
}

/* Along the chain, the only part where one joint must wait for another: both halves of the arm at
 * the same time, then the outer four on the inner ones. A quaternion costs two thirds of a matrix
 * here. */
RT_SAFE LANE_KERNEL void chain(double to[static restrict 4][LANES],
                               double from[static restrict 4][LANES], int joints)
{
    half_chain(to, from, 0, true);
    if (joints == LANES) {
        half_chain(to, from, 4, true);
    } else {
        half_chain(to, from, 4, false);
    }
    const struct quat elbow = QUAT(to, 3);
    for (int l = 4; l < LANES; l++) {
        const struct quat a = quat_mul(elbow, QUAT(to, l));

        to[0][l] = a.x;
        to[1][l] = a.y;
        to[2][l] = a.z;
        to[3][l] = a.w;
    }
}

/* Joint frames turned by q against their parents: quaternion place (0, 0, sin q/2, cos q/2), and
 * the way from the parent's origin in the turned axes. */
RT_SAFE LANE_KERNEL void turn_joints(double quat[static restrict 4][LANES],
                                     double way[static restrict 2][LANES],
                                     const struct multibody_arm *restrict c,
                                     const double q[static restrict LANES])
{
    double sine[LANES], cosine[LANES];

    trig_sincos_half8(sine, cosine, q);
    for (int l = 0; l < LANES; l++) {
        const double s = sine[l], k = cosine[l], s_full = 2.0 * s * k, k_full = k * k - s * s;

        quat[0][l] = c->place[0][l] * k + c->place[1][l] * s;
        quat[1][l] = c->place[1][l] * k - c->place[0][l] * s;
        quat[2][l] = c->place[2][l] * k + c->place[3][l] * s;
        quat[3][l] = c->place[3][l] * k - c->place[2][l] * s;
        way[0][l] = k_full * c->place[4][l] + s_full * c->place[5][l];
        way[1][l] = k_full * c->place[5][l] - s_full * c->place[4][l];
    }
}

/* Axes from quaternions (a lane without a joint has a zero quaternion and stays zero), and the way
 * from the parent's origin in base axes: its x and y parts are in way, the z part in the model. */
RT_SAFE LANE_KERNEL void axes(struct multibody_arm_work *restrict a,
                              double step[static restrict 3][LANES],
                              const struct multibody_arm *restrict c,
                              double quat[static restrict 4][LANES],
                              double way[static restrict 2][LANES])
{
    for (int l = 0; l < LANES; l++) {
        const double x = quat[0][l], y = quat[1][l], z = quat[2][l], w = quat[3][l];
        const double x2 = x + x, y2 = y + y, w2 = w + w;
        const double xy = x2 * y, xz = x2 * z, yz = y2 * z, wx = w2 * x, wy = w2 * y, wz = w2 * z;
        const double xx = x * x, yy = y * y, zz = z * z, ww = w * w;
        const struct lane3 X = {(ww + xx) - (yy + zz), xy + wz, xz - wy};
        const struct lane3 Y = {xy - wz, (ww + yy) - (xx + zz), yz + wx};
        const struct lane3 Z = {xz + wy, yz - wx, (ww + zz) - (xx + yy)};

        LANE3_PUT(a->x, l, X);
        LANE3_PUT(a->y, l, Y);
        LANE3_PUT(a->S + 3, l, Z);
        LANE3_PUT(step, l,
                  lane_add(lane_add(lane_scale(way[0][l], X), lane_scale(way[1][l], Y)),
                           lane_scale(c->place[6][l], Z)));
    }
}

/* S = [p x z; z] */
RT_SAFE LANE_KERNEL void screws(struct multibody_arm_work *restrict a)
{
    for (int l = 0; l < LANES; l++) {
        LANE3_PUT(a->S, l, lane_cross(LANE3(a->p, l), LANE3(a->S + 3, l)));
    }
}

RT_SAFE static void arm_kinematics(struct multibody_work *w, int k, const struct multibody_arm *c,
                                   const double *q)
{
    struct multibody_arm_work *a = &w->arm[k];
    double alone[4][LANES], quat[4][LANES], way[2][LANES], step[3][LANES];

    if (!lane_take(a->q, q, c->joints, MULTIBODY_ANGLE_MAX)) {
        w->valid = false;
    }
    turn_joints(alone, way, c, a->q);
    chain(quat, alone, c->joints);
    axes(a, step, c, quat, way);
    lane_sum_from_base(a->p, step);
    screws(a);
}

RT_SAFE void multibody_kinematics(const struct multibody_model *m, struct multibody_work *w,
                                  const double *q)
{
    w->valid = true;
    if (m->arms == 2) {
        arm_kinematics(w, 1, &m->arm[1], q + m->arm[0].joints);
    }
    arm_kinematics(w, 0, &m->arm[0], q);
}

/* x = S qd */
RT_SAFE LANE_KERNEL void joint_twists(double x[static restrict 6][LANES],
                                      const struct multibody_arm_work *restrict a)
{
    for (int l = 0; l < LANES; l++) {
        LANE3_PUT(x, l, lane_scale(a->qd[l], LANE3(a->S, l)));
        LANE3_PUT(x + 3, l, lane_scale(a->qd[l], LANE3(a->S + 3, l)));
    }
}

/* x = S qd becomes ad(v) S qd */
RT_SAFE LANE_KERNEL void joint_accelerations(double x[static restrict 6][LANES],
                                             const struct multibody_arm_work *restrict a)
{
    for (int l = 0; l < LANES; l++) {
        const struct lane3 v = LANE3(a->v, l), w = LANE3(a->v + 3, l);
        const struct lane3 lin = LANE3(x, l), ang = LANE3(x + 3, l);

        LANE3_PUT(x, l, lane_add(lane_cross(w, lin), lane_cross(v, ang)));
        LANE3_PUT(x + 3, l, lane_cross(w, ang));
    }
}

/* v_l = sum of S qd up to l, a_l = sum of ad(v) S qd up to l */
RT_SAFE static void arm_rates(struct multibody_work *w, int k, int joints, const double *qd)
{
    struct multibody_arm_work *a = &w->arm[k];
    double x[6][LANES];

    if (!lane_take(a->qd, qd, joints, MULTIBODY_RATE_MAX)) {
        w->valid = false;
    }
    joint_twists(x, a);
    lane_sum_from_base(a->v, x);
    lane_sum_from_base(a->v + 3, x + 3);
    joint_accelerations(x, a);
    lane_sum_from_base(a->a, x);
    lane_sum_from_base(a->a + 3, x + 3);
}

RT_SAFE void multibody_rates(const struct multibody_model *m, struct multibody_work *w,
                             const double *qd)
{
    if (m->arms == 2) {
        arm_rates(w, 1, m->arm[1].joints, qd + m->arm[0].joints);
    }
    arm_rates(w, 0, m->arm[0].joints, qd);
}
