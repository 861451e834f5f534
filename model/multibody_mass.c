/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_mass.c - composite inertias, the blocks of the mass matrix, and what follows from them. */
#include "model/multibody_mass.h"

#include "model/lane.h"
#include "model/mat.h"

/* Link inertias about the base origin in base axes. With the joint frame's axes x,
 * y and origin p, and the numbers C = zz, A = (xx - zz)/2, B = (yy - zz)/2, D = xy, E = xz, F = yz
 * of the link (z z' = 1 - x x' - y y'):
 *
 *     h = R h_link + m p
 *     J = C 1 + x a' + a x' + y b' + b y' + 2 (p.u) 1 - p u' - u p'
 *     a = A x + D y + E z,  b = B y + F z,  u = R h_link + m p / 2
 */
RT_SAFE LANE_KERNEL void link_inertias(struct multibody_arm_work *restrict w)
{
    for (int l = 0; l < LANES; l++) {
        const struct lane3 x = LANE3(w->x, l), y = LANE3(w->y, l), z = LANE3(w->S + 3, l);
        const struct lane3 p = LANE3(w->p, l);
        const double m = w->body[0][l];
        const struct lane3 h =
            lane_add(lane_add(lane_scale(w->body[1][l], x), lane_scale(w->body[2][l], y)),
                     lane_scale(w->body[3][l], z));
        const struct lane3 u = lane_add(h, lane_scale(0.5 * m, p));
        const struct lane3 a =
            lane_add(lane_add(lane_scale(w->body[5][l], x), lane_scale(w->body[7][l], y)),
                     lane_scale(w->body[8][l], z));
        const struct lane3 b = lane_add(lane_scale(w->body[6][l], y), lane_scale(w->body[9][l], z));
        const double C = w->body[4][l];
        const struct lane3 pu = {p.x * u.x, p.y * u.y, p.z * u.z};

        const struct lane3 moment = lane_add(u, lane_scale(0.5 * m, p));
        const struct lane_sym J = {
            C + 2.0 * ((x.x * a.x + y.x * b.x) + (pu.y + pu.z)),
            C + 2.0 * ((x.y * a.y + y.y * b.y) + (pu.z + pu.x)),
            C + 2.0 * ((x.z * a.z + y.z * b.z) + (pu.x + pu.y)),
            ((x.x * a.y + a.x * x.y) + (y.x * b.y + b.x * y.y)) - (p.x * u.y + u.x * p.y),
            ((x.x * a.z + a.x * x.z) + (y.x * b.z + b.x * y.z)) - (p.x * u.z + u.x * p.z),
            ((x.y * a.z + a.y * x.z) + (y.y * b.z + b.y * y.z)) - (p.y * u.z + u.y * p.z)};

        LANE3_PUT(w->I, l, moment);
        LANE_SYM_PUT(w->I + 3, l, J);
    }
}

/* Ic_l = I_l + I_(l+1) + ..., F_l = Ic_l S_l */
RT_SAFE LANE_KERNEL void composites(struct multibody_arm_work *restrict w)
{
    lane_sum_outwards(w->Ic + 1, w->I);
    lane_sum_outwards(w->Ic + 4, w->I + 3);
    lane_sum_outwards(w->Ic + 7, w->I + 6);
    for (int l = 0; l < LANES; l++) {
        LANE6_PUT(w->F, l,
                  lane_momentum(w->Ic[0][l], LANE3(w->Ic + 1, l), LANE_SYM(w->Ic + 4, l),
                                LANE6(w->S, l)));
    }
}

/* Inverse of a symmetric positive definite 3 x 3 through its adjugate. */
RT_SAFE LANE_INLINE struct lane_sym sym_inverse(struct lane_sym s)
{
    const double xx = s.yy * s.zz - s.yz * s.yz;
    const double xy = s.xz * s.yz - s.xy * s.zz;
    const double xz = s.xy * s.yz - s.xz * s.yy;
    const double d = 1.0 / (s.xx * xx + s.xy * xy + s.xz * xz);

    return (struct lane_sym){
        d * xx, d * (s.xx * s.zz - s.xz * s.xz), d * (s.xx * s.yy - s.xy * s.xy), d * xy,
        d * xz, d * (s.xy * s.xz - s.xx * s.yz)};
}

/* M_bb^-1 on the free directions: all, or x, y and yaw, or none. The centre of mass is told for
 * every base. */
RT_SAFE LANE_KERNEL void invert_base(struct multibody_base_inverse *inverse,
                                     enum multibody_base base, const struct body *total)
{
    const double d = total->mass_kg > 0.0 ? 1.0 / total->mass_kg : 0.0;
    const struct lane3 h = LANE3_OF(total->moment), c = lane_scale(d, h);
    const struct lane_sym J = LANE_SYM_OF(total->inertia);
    const struct lane_sym Jc = {J.xx - (h.y * c.y + h.z * c.z),
                                J.yy - (h.z * c.z + h.x * c.x),
                                J.zz - (h.x * c.x + h.y * c.y),
                                J.xy + h.x * c.y,
                                J.xz + h.x * c.z,
                                J.yz + h.y * c.z};
    struct lane_sym K = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double along = base == MULTIBODY_FIXED ? 0.0 : 1.0;
    const double up = base == MULTIBODY_FLOATING ? 1.0 : 0.0;

    if (base == MULTIBODY_FLOATING) {
        K = sym_inverse(Jc);
    } else if (base == MULTIBODY_PLANAR) {
        K.zz = 1.0 / Jc.zz;
    }
    *inverse =
        (struct multibody_base_inverse){.com = {c.x, c.y, c.z},
                                        .reciprocal = d,
                                        .free = {along, along, up},
                                        .mass_inverse = {along * d, along * d, up * d},
                                        .inertia = {K.xx, K.yy, K.zz, K.xy, K.xz, K.yz},
                                        .central = {Jc.xx, Jc.yy, Jc.zz, Jc.xy, Jc.xz, Jc.yz}};
}

/* sum = base + the first composite of an arm; sum may be base */
RT_SAFE static void add_arm(struct body *sum, const struct body *base,
                            const struct multibody_arm_work *a)
{
    sum->mass_kg = base->mass_kg + a->Ic[0][0];
    for (int r = 0; r < 3; r++) {
        sum->moment[r] = base->moment[r] + a->Ic[1 + r][0];
    }
    for (int r = 0; r < 6; r++) {
        sum->inertia[r] = base->inertia[r] + a->Ic[4 + r][0];
    }
}

RT_SAFE void multibody_mass_links(const struct multibody_model *m, struct multibody_work *w)
{
    for (int k = 0; k < m->arms; k++) {
        link_inertias(&w->arm[k]);
    }
}

RT_SAFE void multibody_mass(const struct multibody_model *m, struct multibody_work *w)
{
    for (int k = 0; k < m->arms; k++) {
        link_inertias(&w->arm[k]);
        composites(&w->arm[k]);
    }
    add_arm(&w->total, &w->base, &w->arm[0]); /* without an arm its lanes are zero */
    if (m->arms == 2) {
        add_arm(&w->total, &w->total, &w->arm[1]);
    }
    invert_base(&w->inverse, m->base, &w->total);
}

RT_SAFE void multibody_mass_joint(const struct multibody_model *m, struct multibody_work *w)
{
    for (int k = 0; k < m->arms; k++) {
        struct multibody_arm_work *a = &w->arm[k];

        lane_products(a->M, a->F, a->S, m->arm[k].rotor, m->arm[k].joints);
    }
}

RT_SAFE void multibody_mass_dense(double *M, const struct multibody_model *m,
                                  const struct multibody_work *w)
{
    const int n = multibody_dof(m), nb = (int)m->base;
    double Mbb[36];

    mat_zero(M, n * n);
    body_matrix(Mbb, &w->total);
    for (int i = 0; i < nb; i++) {
        const int row = multibody_base_row(m, i);

        for (int j = 0; j < nb; j++) {
            M[n * i + j] = Mbb[6 * row + multibody_base_row(m, j)];
        }
    }
    for (int k = 0, first = nb; k < m->arms; first += m->arm[k].joints, k++) {
        const struct multibody_arm_work *a = &w->arm[k];

        for (int i = 0; i < m->arm[k].joints; i++) {
            double *row = &M[n * (first + i)];

            for (int b = 0; b < nb; b++) {
                row[b] = M[n * b + first + i] = a->F[multibody_base_row(m, b)][i];
            }
            for (int j = 0; j <= i; j++) {
                row[first + j] = M[n * (first + j) + first + i] = a->M[i][j];
            }
        }
    }
}

/* y = M_bq x of one arm */
RT_SAFE static void arm_reaction(double y[static 6], struct multibody_work *w, int k,
                                 const double *x, int joints)
{
    double lane_x[LANES];

    if (!lane_take(lane_x, x, joints, MULTIBODY_LOAD_MAX)) {
        w->valid = false;
    }
    lane_rows_times(y, w->arm[k].F, lane_x);
}

RT_SAFE void multibody_mass_reaction(double P[static 6], const struct multibody_model *m,
                                     struct multibody_work *w, const double *x)
{
    const int n = m->arm[0].joints;
    double second[6];

    arm_reaction(P, w, 0, x, n);
    if (m->arms == 2) {
        arm_reaction(second, w, 1, x + n, m->arm[1].joints);
        mat_add(P, P, second, 6);
    }
}

RT_SAFE void multibody_mass_momentum(double P[static 6], const struct multibody_model *m,
                                     struct multibody_work *w, const struct multibody_vector *nu)
{
    const struct lane6 V = lane_six(nu->base, MULTIBODY_LOAD_MAX, &w->valid);
    const struct lane6 whole = lane_momentum(w->total.mass_kg, LANE3_OF(w->total.moment),
                                             LANE_SYM_OF(w->total.inertia), V);
    double base[6];

    LANE6_STORE(base, whole);
    multibody_mass_reaction(P, m, w, nu->joint);
    mat_add(P, P, base, 6);
}

/* y_q = M_bq' V + M_qq x of one arm */
RT_SAFE static void joint_rows(double *y, const struct multibody_arm_work *a, int n, struct lane6 V,
                               const double x[static LANES])
{
    double sum[LANES];

    for (int l = 0; l < LANES; l++) {
        sum[l] = lane_dot6(LANE6(a->F, l), V);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            sum[i] += a->M[i][j] * x[j];
            sum[j] += a->M[i][j] * x[i];
        }
        sum[i] += a->M[i][i] * x[i];
    }
    mat_copy(y, sum, n);
}

RT_SAFE void multibody_mass_times(struct multibody_vector *y, const struct multibody_model *m,
                                  struct multibody_work *w, const struct multibody_vector *x)
{
    const struct lane6 V = lane_six(x->base, MULTIBODY_LOAD_MAX, &w->valid);

    multibody_mass_momentum(y->base, m, w, x);
    for (int k = 0, first = 0; k < m->arms; first += m->arm[k].joints, k++) {
        const int n = m->arm[k].joints;
        double lane_x[LANES];

        lane_take(lane_x, &x->joint[first], n, MULTIBODY_LOAD_MAX);
        joint_rows(&y->joint[first], &w->arm[k], n, V, lane_x);
    }
}

RT_SAFE double multibody_mass_energy(const struct multibody_model *m, struct multibody_work *w,
                                     const struct multibody_vector *nu)
{
    struct multibody_vector p;

    multibody_mass_times(&p, m, w, nu);
    const double twice = mat_dot6(p.base, nu->base) + mat_dot(p.joint, nu->joint, m->joints);
    return base_finite(twice) ? 0.5 * twice : 0.0;
}

RT_SAFE void multibody_mass_gravity(struct multibody_vector *load, const struct multibody_model *m,
                                    struct multibody_work *w, const double gravity[static 3])
{
    const struct lane3 g = lane_three(gravity, MULTIBODY_LOAD_MAX, &w->valid);
    const struct lane6 weight = {lane_scale(w->total.mass_kg, g),
                                 lane_cross(LANE3_OF(w->total.moment), g)};

    LANE6_STORE(load->base, weight);
    for (int k = 0, first = 0; k < m->arms; first += m->arm[k].joints, k++) {
        double sum[LANES];

        for (int l = 0; l < LANES; l++) {
            sum[l] = lane_dot(LANE3(w->arm[k].F, l), g);
        }
        memcpy(&load->joint[first], sum, sizeof sum);
    }
}

RT_SAFE void multibody_mass_base_solve(double Vdot[static 6], struct multibody_work *w,
                                       const double F[static 6])
{
    const struct multibody_base_inverse *b = &w->inverse;
    const struct lane6 f = lane_six(F, MULTIBODY_LOAD_MAX, &w->valid);

    LANE6_STORE(Vdot, lane_body_solve(LANE3_OF(b->com), LANE3_OF(b->mass_inverse),
                                      LANE_SYM_OF(b->inertia), f));
}
