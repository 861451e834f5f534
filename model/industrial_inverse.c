/* SPDX-License-Identifier: GPL-3.0-or-later */
/* industrial_inverse.c - axis values of a six-axis robot for a pose of its flange, in closed form.
 *
 * Wrist centre first: axis 1 turns the plane of the arm to it, axes 2 and 3 are a triangle in that plane. What then is left of the rotation
 * is made by axes 4, 5 and 6. No sine of a computed angle is taken: cosines and sines come from the sides, angles are read off at the end.
 */
#include "model/industrial_inverse.h"

#include <math.h>

#include "model/mat.h"
#include "model/trig.h"

/* Below this a direction is rounding: the axis keeps its value, and the pose is missed by no more than this. */
#define NOTHING 1e-14

/* A direction in a plane. */
struct turn {
    double c, s;
};

RT_SAFE static double angle_of(struct turn t)
{
    return trig_atan2(t.s, t.c);
}

/* (x, y) of length r as a direction; that of the angle in its stead when r is nothing. */
RT_SAFE static struct turn turn_of(double x, double y, double r, double otherwise_rad)
{
    struct turn t;

    if (r > NOTHING) {
        t.c = x / r;
        t.s = y / r;
    } else {
        trig_sincos(&t.s, &t.c, otherwise_rad);
    }
    return t;
}

/* The axis value for an internal angle: within the range and nearest, else nearest. */
RT_SAFE static double value_of(bool *inside, const struct industrial_model *m, int i, double t_rad,
                               double near_rad)
{
    const double turn = 2.0 * BASE_PI;
    const double a = m->sign[i] * (t_rad - m->zero_rad[i]);
    const double nearest = a + turn * floor((near_rad - a) / turn + 0.5);
    const double lowest = a - turn * floor((a - m->lower_rad[i]) / turn);
    const double highest = a + turn * floor((m->upper_rad[i] - a) / turn);

    if (lowest > m->upper_rad[i]) { /* no turn of it is within */
        *inside = false;
        return nearest;
    }
    return base_clamp(nearest, lowest, highest);
}

/* Both branches of the wrist behind a forearm F = Rz(t1) Ry(t2 + t3). H = F' R Ry(-90 deg) = Rx(t4) Ry(t5) Rx(t6) has the first column
 * [c5, s4 s5, -c4 s5]; t6 is what Ry(-t5) Rx(-t4) H still turns about x, so that its error makes up for theirs. */
RT_SAFE static void wrist(double t[static 2][3], const double F[static 9],
                          const struct pose *flange, double near4_rad)
{
    double H[9];
    const double *R = flange->R;
    // clang-format off
    const double B[9] = {R[2], R[1], -R[0],
                         R[5], R[4], -R[3],
                         R[8], R[7], -R[6]};
    // clang-format on

    mat_mul3_tn(H, F, B);
    const double s5 = sqrt(H[3] * H[3] + H[6] * H[6]);
    const struct turn t4 = turn_of(-H[6], H[3], s5, near4_rad);
    /* second row of Rx(-t4) H, which Ry does not touch: [0, c6, -s6] */
    const struct turn t6 = {t4.c * H[4] + t4.s * H[7], -(t4.c * H[5] + t4.s * H[8])};

    t[0][0] = angle_of(t4);
    t[0][1] = trig_atan2(s5, H[0]);
    t[0][2] = angle_of(t6);
    t[1][0] = t[0][0] + BASE_PI;
    t[1][1] = -t[0][1];
    t[1][2] = t[0][2] + BASE_PI;
}

/* The two elbows of one plane: target (r, u) from axis 2, u downwards. False if it is out of reach, by *beyond_m. */
RT_SAFE static bool triangle(double t2[static 2], double t3[static 2], struct turn fore[static 2],
                             const struct industrial_model *m, double r, double u, double *beyond_m)
{
    const double a = m->upper_m, b = m->lower_arm_m, d2 = r * r + u * u, d = sqrt(d2);
    const double far = (m->reach_m[1] - d) * (m->reach_m[1] + d);
    const double near = (d - m->reach_m[0]) * (d + m->reach_m[0]);
    const double c = (d2 - a * a - b * b) / (2.0 * a * b);
    const double s = far > 0.0 && near > 0.0 ? sqrt(far * near) / (2.0 * a * b) : 0.0;
    const double to_target = trig_atan2(u, r);

    *beyond_m = fmax(0.0, fmax(d - m->reach_m[1], m->reach_m[0] - d));
    /* touching the limit of the reach to rounding is reaching */
    if (!(far >= -NOTHING * d2) || !(near >= -NOTHING * a * b)) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        const double bend = trig_atan2(k == 0 ? s : -s, c);

        t2[k] = to_target - trig_atan2(k == 0 ? b * s : -b * s, a + b * c);
        t3[k] = bend + m->elbow_angle_rad;
        trig_sincos(&fore[k].s, &fore[k].c, t2[k] + t3[k]);
    }
    return true;
}

/* The four branches with the plane of the arm turned to t1. */
RT_SAFE static void one_side(struct industrial_inverse *s, const struct industrial_model *m,
                             const struct pose *flange, const double w[static 3], struct turn t1,
                             int back, const double near_rad[static INDUSTRIAL_AXES],
                             double *beyond_m)
{
    const double r = t1.c * w[0] + t1.s * w[1] - m->offset_m;
    const double near4 = m->sign[3] * near_rad[3] + m->zero_rad[3];
    const double turned = angle_of(t1);
    double t2[2], t3[2], t456[2][3];
    struct turn fore[2];

    if (!triangle(t2, t3, fore, m, r, m->height_m - w[2], beyond_m)) {
        return;
    }
    for (int elbow = 0; elbow < 2; elbow++) {
        const double c = fore[elbow].c, sn = fore[elbow].s;
        // clang-format off
        const double F[9] = {t1.c * c, -t1.s, t1.c * sn,
                             t1.s * c,  t1.c, t1.s * sn,
                                  -sn,   0.0,        c};
        // clang-format on
        wrist(t456, F, flange, near4);
        for (int k = 0; k < 2; k++) {
            const int branch = 4 * back + 2 * elbow + k;
            const double t[INDUSTRIAL_AXES] = {turned,     t2[elbow],  t3[elbow],
                                               t456[k][0], t456[k][1], t456[k][2]};
            bool inside = true;

            for (int i = 0; i < INDUSTRIAL_AXES; i++) {
                s->axis_rad[branch][i] = value_of(&inside, m, i, t[i], near_rad[i]);
            }
            s->exists |= 1u << branch;
            s->inside |= inside ? 1u << branch : 0u;
        }
    }
}

RT_SAFE void industrial_inverse(struct industrial_inverse *s, const struct industrial_model *m,
                                const struct pose *flange,
                                const double near_rad[static INDUSTRIAL_AXES])
{
    double w[3], beyond[2] = {0.0, 0.0};
    struct turn t1;

    memset(s, 0, sizeof *s);
    if (!base_all_finite(flange->R, 9) || !base_all_finite(flange->p, 3) ||
        !base_all_finite(near_rad, INDUSTRIAL_AXES)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        w[i] = flange->p[i] - m->flange_m * flange->R[3 * i + 2];
    }
    t1 = turn_of(w[0], w[1], sqrt(w[0] * w[0] + w[1] * w[1]),
                 m->sign[0] * near_rad[0] + m->zero_rad[0]);
    one_side(s, m, flange, w, t1, 0, near_rad, &beyond[0]);
    t1 = (struct turn){-t1.c, -t1.s};
    one_side(s, m, flange, w, t1, 1, near_rad, &beyond[1]);
    s->beyond_m = fmin(beyond[0], beyond[1]);
}

RT_SAFE int industrial_nearest(const struct industrial_inverse *s,
                               const double near_rad[static INDUSTRIAL_AXES])
{
    double least = 0.0;
    int best = -1;

    for (int b = 0; b < INDUSTRIAL_BRANCHES; b++) {
        double change = 0.0;

        for (int i = 0; i < INDUSTRIAL_AXES; i++) {
            change = fmax(change, fabs(s->axis_rad[b][i] - near_rad[i]));
        }
        if ((s->exists >> b & 1u) != 0 && (best < 0 || change < least)) {
            best = b;
            least = change;
        }
    }
    return best;
}

RT_SAFE int industrial_roomiest(const struct industrial_inverse *s,
                                const struct industrial_model *m)
{
    double most = 0.0;
    int best = -1;

    for (int b = 0; b < INDUSTRIAL_BRANCHES; b++) {
        double room = 1.0;

        for (int i = 0; i < INDUSTRIAL_AXES; i++) {
            const double a = s->axis_rad[b][i], range = m->upper_rad[i] - m->lower_rad[i];

            room = fmin(room, fmin(a - m->lower_rad[i], m->upper_rad[i] - a) / range);
        }
        if ((s->inside >> b & 1u) != 0 && (best < 0 || room > most)) {
            best = b;
            most = room;
        }
    }
    return best;
}
