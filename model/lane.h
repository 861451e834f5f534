/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane.h - arithmetic of one lane: vectors, twists and inertias in scalars, for loops over eight
 * lanes.
 *
 * The dynamics keep one number of every link side by side, x[row][lane]. A loop over the lanes that
 * is straight-line arithmetic becomes vector code with any compiler and any vector width, and every
 * lane has the same bits as scalar code. So nothing here has a branch, a call or an array.
 *
 * Private to the multibody files.
 */
#ifndef FREEFALL_LANE_H
#define FREEFALL_LANE_H

#include <math.h>

#include "model/base.h"

enum { LANES = 8 };

/* Always inline: gcc -O2 leaves bodies with several callers out of line, and the loop would stay
 * scalar. */
#define LANE_INLINE static inline __attribute__((always_inline))

/* A loop over the lanes is a function by itself: inlined among others it would share their
 * registers, and gcc spills a third more. */
#define LANE_KERNEL static __attribute__((noinline, hot))

struct lane3 {
    double x, y, z;
};

/* Twist [v; w], wrench [f; m] or momentum: linear part first. */
struct lane6 {
    struct lane3 lin, ang;
};

/* Symmetric 3 x 3. */
struct lane_sym {
    double xx, yy, zz, xy, xz, yz;
};

/* Rows of a [row][lane] array as a vector, and back. */
#define LANE3(rows, l) ((struct lane3){(rows)[0][l], (rows)[1][l], (rows)[2][l]})
#define LANE6(rows, l) ((struct lane6){LANE3(rows, l), LANE3((rows) + 3, l)})
#define LANE_SYM(rows, l)                                                                          \
    ((struct lane_sym){(rows)[0][l], (rows)[1][l], (rows)[2][l], (rows)[3][l], (rows)[4][l],       \
                       (rows)[5][l]})
#define LANE3_PUT(rows, l, value)                                                                  \
    do {                                                                                           \
        const struct lane3 put3 = (value);                                                         \
        (rows)[0][l] = put3.x;                                                                     \
        (rows)[1][l] = put3.y;                                                                     \
        (rows)[2][l] = put3.z;                                                                     \
    } while (0)
#define LANE6_PUT(rows, l, value)                                                                  \
    do {                                                                                           \
        const struct lane6 put6 = (value);                                                         \
        LANE3_PUT(rows, l, put6.lin);                                                              \
        LANE3_PUT((rows) + 3, l, put6.ang);                                                        \
    } while (0)
#define LANE_SYM_PUT(rows, l, value)                                                               \
    do {                                                                                           \
        const struct lane_sym put = (value);                                                       \
        (rows)[0][l] = put.xx;                                                                     \
        (rows)[1][l] = put.yy;                                                                     \
        (rows)[2][l] = put.zz;                                                                     \
        (rows)[3][l] = put.xy;                                                                     \
        (rows)[4][l] = put.xz;                                                                     \
        (rows)[5][l] = put.yz;                                                                     \
    } while (0)

/* A flat array of three, six as a vector. */
#define LANE3_OF(a) ((struct lane3){(a)[0], (a)[1], (a)[2]})
#define LANE6_OF(a) ((struct lane6){LANE3_OF(a), LANE3_OF((a) + 3)})
#define LANE6_STORE(a, value)                                                                      \
    do {                                                                                           \
        const struct lane6 store = (value);                                                        \
        (a)[0] = store.lin.x;                                                                      \
        (a)[1] = store.lin.y;                                                                      \
        (a)[2] = store.lin.z;                                                                      \
        (a)[3] = store.ang.x;                                                                      \
        (a)[4] = store.ang.y;                                                                      \
        (a)[5] = store.ang.z;                                                                      \
    } while (0)
#define LANE_SYM_OF(a) ((struct lane_sym){(a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5]})

/* a + b */
RT_SAFE LANE_INLINE struct lane3 lane_add(struct lane3 a, struct lane3 b)
{
    return (struct lane3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* a - b */
RT_SAFE LANE_INLINE struct lane3 lane_sub(struct lane3 a, struct lane3 b)
{
    return (struct lane3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* s a */
RT_SAFE LANE_INLINE struct lane3 lane_scale(double s, struct lane3 a)
{
    return (struct lane3){s * a.x, s * a.y, s * a.z};
}

/* a . b */
RT_SAFE LANE_INLINE double lane_dot(struct lane3 a, struct lane3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* F . V */
RT_SAFE LANE_INLINE double lane_dot6(struct lane6 a, struct lane6 b)
{
    return lane_dot(a.lin, b.lin) + lane_dot(a.ang, b.ang);
}

/* a x b */
RT_SAFE LANE_INLINE struct lane3 lane_cross(struct lane3 a, struct lane3 b)
{
    return (struct lane3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* S a */
RT_SAFE LANE_INLINE struct lane3 lane_sym_times(struct lane_sym s, struct lane3 a)
{
    return (struct lane3){s.xx * a.x + s.xy * a.y + s.xz * a.z,
                          s.xy * a.x + s.yy * a.y + s.yz * a.z,
                          s.xz * a.x + s.yz * a.y + s.zz * a.z};
}

/* I V of the body with mass m, moment h, inertia J: [m v + w x h; h x v + J w] */
RT_SAFE LANE_INLINE struct lane6 lane_momentum(double m, struct lane3 h, struct lane_sym J,
                                               struct lane6 V)
{
    return (struct lane6){lane_add(lane_scale(m, V.lin), lane_cross(V.ang, h)),
                          lane_add(lane_cross(h, V.lin), lane_sym_times(J, V.ang))};
}

/* Rate of the inertia J about the origin of a body that moves with V, first moment h:
 * 2 (h.v) 1 - v h' - h v' + [w] J - J [w] */
RT_SAFE LANE_INLINE struct lane_sym lane_inertia_rate(struct lane3 h, struct lane_sym J,
                                                      struct lane6 V)
{
    const struct lane3 v = V.lin, w = V.ang;
    const double vx = v.x * h.x, vy = v.y * h.y, vz = v.z * h.z;
    const double wx = w.x * J.yz, wy = w.y * J.xz, wz = w.z * J.xy;

    return (struct lane_sym){
        2.0 * ((vy + vz) + (wy - wz)),
        2.0 * ((vz + vx) + (wz - wx)),
        2.0 * ((vx + vy) + (wx - wy)),
        w.z * (J.xx - J.yy) + (w.y * J.yz - w.x * J.xz) - (v.x * h.y + v.y * h.x),
        w.y * (J.zz - J.xx) + (w.x * J.xy - w.z * J.yz) - (v.x * h.z + v.z * h.x),
        w.x * (J.yy - J.zz) + (w.z * J.xz - w.y * J.xy) - (v.y * h.z + v.z * h.y)};
}

/* V with I V = F for the rigid body with this centre of mass, mass inverse by axis, and inverse
 * inertia about the centre: w = K (m - c x f), v = f / m - w x c */
RT_SAFE LANE_INLINE struct lane6 lane_body_solve(struct lane3 c, struct lane3 mass_inverse,
                                                 struct lane_sym K, struct lane6 F)
{
    const struct lane3 w = lane_sym_times(K, lane_sub(F.ang, lane_cross(c, F.lin)));
    const struct lane3 a = {mass_inverse.x * F.lin.x, mass_inverse.y * F.lin.y,
                            mass_inverse.z * F.lin.z};

    return (struct lane6){lane_sub(a, lane_cross(w, c)), w};
}

/* Sums of three rows from the last lane to each: y[l] = x[l] + x[l+1] + ... + x[7] */
RT_SAFE void lane_sum_outwards(double y[static 3][LANES], double x[static 3][LANES]);

/* The same in place, of an arm with n joints, by narrow stores: fewer instructions, but whoever loads
 * the row next has to wait. */
RT_SAFE void lane_sum_in_place(double x[static 3][LANES], int n);

/* Sums from the first lane to each: y[l] = x[0] + ... + x[l] */
RT_SAFE void lane_sum_from_base(double y[static 3][LANES], double x[static 3][LANES]);

/* Lanes that are NaN or beyond the limit become zero. */
RT_SAFE void lane_mend(double lane[static LANES], double limit);

/* y = y - factor x */
RT_SAFE void lane_subtract(double y[static LANES], double factor, const double x[static LANES]);

/* The same of the first four lanes. */
RT_SAFE void lane_subtract4(double y[static 4], double factor, const double x[static 4]);

/* M[i][l] = F_i . S_l for rows i < n, F and S six rows each, and extra[i] more on the diagonal. */
RT_SAFE void lane_products(double (*M)[LANES], double (*F)[LANES], double (*S)[LANES],
                           const double *extra, int n);

/* y = rows x, six sums over all lanes. */
RT_SAFE void lane_rows_times(double y[static 6], double rows[static 6][LANES],
                             const double x[static LANES]);

/* Are these numbers usable: sum of magnitudes within the limit? A NaN is not. */
RT_SAFE LANE_INLINE bool lane_usable(const double *x, int n, double limit)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++) {
        sum += fabs(x[i]);
    }
    return sum <= limit;
}

/* Six numbers as a twist or wrench; zero, with *valid cleared, if they are not usable. */
RT_SAFE LANE_INLINE struct lane6 lane_six(const double x[static 6], double limit, bool *valid)
{
    if (lane_usable(x, 6, limit)) {
        return LANE6_OF(x);
    }
    *valid = false;
    return (struct lane6){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

/* Three numbers likewise. */
RT_SAFE LANE_INLINE struct lane3 lane_three(const double x[static 3], double limit, bool *valid)
{
    if (lane_usable(x, 3, limit)) {
        return LANE3_OF(x);
    }
    *valid = false;
    return (struct lane3){0.0, 0.0, 0.0};
}

/* Sum of magnitudes. */
RT_SAFE LANE_INLINE double lane_size(const double lane[static LANES])
{
    double t[4];

    for (int l = 0; l < 4; l++) {
        t[l] = fabs(lane[l]) + fabs(lane[l + 4]);
    }
    return (t[0] + t[2]) + (t[1] + t[3]);
}

/* True if the lanes are usable; if not, those that are not become zero. */
RT_SAFE LANE_INLINE bool lane_settle(double lane[static LANES], double limit)
{
    if (lane_size(lane) <= limit) {
        return true;
    }
    lane_mend(lane, limit);
    return false;
}

/* Four neighbouring lanes from scalars. Written one below the other they become one wide store: a
 * wide load behind four narrow ones would wait until those have left the processor. */
RT_SAFE LANE_INLINE void lane_put4(double *restrict y, double a, double b, double c, double d)
{
    y[0] = a;
    y[1] = b;
    y[2] = c;
    y[3] = d;
}

/* All lanes become zero. */
RT_SAFE LANE_INLINE void lane_clear(double lane[static LANES])
{
    for (int l = 0; l < LANES; l++) {
        lane[l] = 0.0;
    }
}

/* The first n lanes become x, the others zero. Unusable numbers become zero and give false. Seven
 * and eight joints are written out, because this begins every stage. */
RT_SAFE LANE_INLINE bool lane_take(double lane[static LANES], const double *x, int n, double limit)
{
    if (n == 7) {
        const double none = x[6] - x[6]; /* NaN if x[6] is none, and that is mended with it */

        lane_put4(lane, x[0], x[1], x[2], x[3]);
        lane_put4(lane + 4, x[4] + 0.0, x[5] + 0.0, x[6] + 0.0, none + 0.0); /* sums: one store */
    } else {
        for (int l = 0; l < LANES; l++) {
            lane[l] = l < n ? x[l] : 0.0;
        }
    }
    return lane_settle(lane, limit);
}

#endif
