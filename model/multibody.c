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
    double axis[3];

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

    for (int r = 0; r < 9; r++) {
        a->place[r][lane] = place.R[r];
        a->turn[r][lane] = turn.R[r];
    }
    for (int r = 0; r < 3; r++) {
        a->place[9 + r][lane] = place.p[r];
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

RT_SAFE void multibody_reset(const struct multibody_model *m, struct multibody_work *w)
{
    memset(w, 0, sizeof *w);
    w->base = m->base_body;
    for (int k = 0; k < MULTIBODY_ARMS; k++) {
        memcpy(w->arm[k].body, m->arm[k].body, sizeof w->arm[k].body);
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

/* a s + b c + d e, the vector with these coordinates on three axes */
RT_SAFE LANE_INLINE struct lane3 on_axes(struct lane3 x, struct lane3 y, struct lane3 z,
                                         struct lane3 c)
{
    return lane_add(lane_add(lane_scale(c.x, x), lane_scale(c.y, y)), lane_scale(c.z, z));
}

/* Frames of one arm along the chain: R_l = R_(l-1) A_l, p_l = p_(l-1) + R_(l-1) t_l, A_l = place
 * Rz(q) */
RT_SAFE static void chain_frames(const struct multibody_arm *restrict c,
                                 struct multibody_arm_work *restrict a,
                                 const double q[static LANES])
{
    double sine[LANES], cosine[LANES];
    double ax[3][LANES], ay[3][LANES];

    trig_sincos8(sine, cosine, q);
    for (int r = 0; r < 3; r++) {
        for (int l = 0; l < LANES; l++) {
            ax[r][l] = cosine[l] * c->place[3 * r][l] + sine[l] * c->place[3 * r + 1][l];
            ay[r][l] = cosine[l] * c->place[3 * r + 1][l] - sine[l] * c->place[3 * r][l];
        }
    }

    struct lane3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0}, p = {0.0, 0.0, 0.0};
    for (int l = 0; l < c->joints; l++) {
        const struct lane3 az = {c->place[2][l], c->place[5][l], c->place[8][l]};
        const struct lane3 to_x = on_axes(x, y, z, LANE3(ax, l));
        const struct lane3 to_y = on_axes(x, y, z, LANE3(ay, l));
        const struct lane3 to_z = on_axes(x, y, z, az);

        p = lane_add(p, on_axes(x, y, z, LANE3(c->place + 9, l)));
        x = to_x;
        y = to_y;
        z = to_z;
        LANE3_PUT(a->x, l, x);
        LANE3_PUT(a->y, l, y);
        LANE3_PUT(a->S + 3, l, z);
        LANE3_PUT(a->p, l, p);
    }
}

RT_SAFE void multibody_kinematics(const struct multibody_model *m, struct multibody_work *w,
                                  const double *q)
{
    w->valid = true;
    for (int k = 0; k < m->arms; k++) {
        struct multibody_arm_work *a = &w->arm[k];
        double lane_q[LANES];
        const bool good = lane_take(lane_q, q, m->arm[k].joints, MULTIBODY_ANGLE_MAX);

        w->valid = w->valid && good;
        q += m->arm[k].joints;
        chain_frames(&m->arm[k], a, lane_q);
        for (int l = 0; l < LANES; l++) {
            LANE3_PUT(a->S, l, lane_cross(LANE3(a->p, l), LANE3(a->S + 3, l)));
        }
    }
}

RT_SAFE void multibody_rates(const struct multibody_model *m, struct multibody_work *w,
                             const double *qd)
{
    for (int k = 0; k < m->arms; k++) {
        struct multibody_arm_work *a = &w->arm[k];
        const bool good = lane_take(a->qd, qd, m->arm[k].joints, MULTIBODY_RATE_MAX);

        w->valid = w->valid && good;
        qd += m->arm[k].joints;

        /* v_l = sum of S qd up to l */
        for (int r = 0; r < 6; r++) {
            for (int l = 0; l < LANES; l++) {
                a->v[r][l] = a->S[r][l] * a->qd[l];
            }
            lane_sum_from_base(a->v[r]);
        }
        /* a_l = sum of ad(v) S qd up to l */
        for (int l = 0; l < LANES; l++) {
            const struct lane6 v = LANE6(a->v, l);
            const struct lane3 xv = lane_scale(a->qd[l], LANE3(a->S, l));
            const struct lane3 xw = lane_scale(a->qd[l], LANE3(a->S + 3, l));

            LANE3_PUT(a->a, l, lane_add(lane_cross(v.ang, xv), lane_cross(v.lin, xw)));
            LANE3_PUT(a->a + 3, l, lane_cross(v.ang, xw));
        }
        for (int r = 0; r < 6; r++) {
            lane_sum_from_base(a->a[r]);
        }
    }
}
