/* SPDX-License-Identifier: GPL-3.0-or-later */
/* industrial.c - a six-axis industrial robot with a spherical wrist: flange, Jacobian, distances. */
#include "model/industrial.h"

#include <errno.h>
#include <math.h>

#include "model/linear.h"
#include "model/mat.h"
#include "model/trig.h"

#define DEG (BASE_PI / 180.0)
/* Longer than any robot, m; faster than any, rad/s. */
#define LONGEST 100.0
#define FASTEST 1e4

/* Sources: KR 120 R2700-2: joint origins, ranges, speeds and accelerations of kuka_robot_descriptions (kuka_quantec_support), the maker's own
 * figures. KR 120 R2500 pro: joint origins, ranges and speeds of kuka_experimental (kuka_kr120_support), which names no accelerations: those
 * of the other robot are taken. */
#define KUKA_SIGNS {-1, 1, 1, -1, 1, -1}
#define KUKA_RATES {2.7196, 2.343, 6.4348, 17.4326, 9.0414, 8.5889}

static const struct {
    const char *name;
    struct industrial_model model;
} robots[] = {
    {"kr120-r2700-2",
     {.height_m = 0.645,
      .offset_m = 0.33,
      .upper_m = 1.15,
      .forearm_m = 1.22,
      .elbow_m = 0.115,
      .flange_m = 0.215,
      .sign = KUKA_SIGNS,
      .lower_rad = {-185 * DEG, -140 * DEG, -120 * DEG, -350 * DEG, -125 * DEG, -350 * DEG},
      .upper_rad = {185 * DEG, -5 * DEG, 168 * DEG, 350 * DEG, 125 * DEG, 350 * DEG},
      .speed_radps = {2.0385, 1.9452, 2.0833, 3.3161, 3.1416, 4.5379},
      .acceleration_radps2 = KUKA_RATES}},
    {"kr120-r2500-pro",
     {.height_m = 0.675,
      .offset_m = 0.35,
      .upper_m = 1.15,
      .forearm_m = 1.0,
      .elbow_m = -0.041,
      .flange_m = 0.215,
      .sign = KUKA_SIGNS,
      .lower_rad = {-185 * DEG, -155 * DEG, -130 * DEG, -350 * DEG, -130 * DEG, -350 * DEG},
      .upper_rad = {185 * DEG, 35 * DEG, 154 * DEG, 350 * DEG, 130 * DEG, 350 * DEG},
      .speed_radps = {156 * DEG, 156 * DEG, 156 * DEG, 330 * DEG, 330 * DEG, 615 * DEG},
      .acceleration_radps2 = KUKA_RATES}},
};

const struct industrial_model *industrial_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(robots); i++) {
        if (strcmp(robots[i].name, name) == 0) {
            return &robots[i].model;
        }
    }
    return NULL;
}

/* ---- the model ---- */

static bool within(double x, double least, double greatest)
{
    return x >= least && x <= greatest; /* false for NaN */
}

static const char *fault_of(const struct industrial_model *m)
{
    if (!within(m->upper_m, 1e-3, LONGEST)) {
        return "the upper arm must be longer than 1 mm";
    }
    if (!within(m->forearm_m, -LONGEST, LONGEST) || !within(m->elbow_m, -LONGEST, LONGEST) ||
        !(fabs(m->forearm_m) + fabs(m->elbow_m) >= 1e-3)) {
        return "the wrist must be more than 1 mm from axis 3";
    }
    if (!within(m->height_m, -LONGEST, LONGEST) || !within(m->offset_m, -LONGEST, LONGEST) ||
        !within(m->flange_m, -LONGEST, LONGEST)) {
        return "lengths must be finite and below 100 m";
    }
    for (int i = 0; i < INDUSTRIAL_AXES; i++) {
        if (!within(fabs(fabs(m->sign[i]) - 1.0), 0.0, 0.0)) {
            return "the sign of an axis must be 1 or -1";
        }
        if (!within(m->zero_rad[i], -2.0 * BASE_PI, 2.0 * BASE_PI)) {
            return "the zero of an axis must be within a turn";
        }
        if (!within(m->lower_rad[i], -FASTEST, m->upper_rad[i]) ||
            !within(m->upper_rad[i], m->lower_rad[i] + 1e-6, FASTEST)) {
            return "the range of an axis must end above where it begins";
        }
        if (!within(m->speed_radps[i], 1e-6, FASTEST) ||
            !within(m->acceleration_radps2[i], 1e-6, FASTEST)) {
            return "greatest speed and acceleration of an axis must be above zero";
        }
    }
    return NULL;
}

int industrial_init(struct industrial_model *m, const char **what)
{
    const char *fault = fault_of(m);

    if (what != NULL) {
        *what = fault;
    }
    if (fault != NULL) {
        return -EINVAL;
    }
    m->lower_arm_m = sqrt(m->forearm_m * m->forearm_m + m->elbow_m * m->elbow_m);
    m->elbow_angle_rad = trig_atan2(m->elbow_m, m->forearm_m);
    m->reach_m[0] = fabs(m->upper_m - m->lower_arm_m);
    m->reach_m[1] = m->upper_m + m->lower_arm_m;
    return 0;
}

/* ---- forward ---- */

RT_SAFE static void internal(double t[static TRIG_LANES], const struct industrial_model *m,
                             const double axis_rad[static INDUSTRIAL_AXES])
{
    mat_zero(t, TRIG_LANES);
    for (int i = 0; i < INDUSTRIAL_AXES; i++) {
        t[i] = m->sign[i] * axis_rad[i] + m->zero_rad[i];
    }
}

RT_SAFE void industrial_shape(struct industrial_shape *s, const struct industrial_model *m,
                              const double axis_rad[static INDUSTRIAL_AXES])
{
    double t[TRIG_LANES], sn[TRIG_LANES], cs[TRIG_LANES];

    internal(t, m, axis_rad);
    t[6] = t[1] + t[2]; /* pitch of the forearm */
    trig_sincos8(sn, cs, t);

    /* places in the plane of the arm: (forward, up) */
    const double elbow[2] = {m->offset_m + cs[1] * m->upper_m, m->height_m - sn[1] * m->upper_m};
    const double wrist[2] = {elbow[0] + cs[6] * m->forearm_m + sn[6] * m->elbow_m,
                             elbow[1] - sn[6] * m->forearm_m + cs[6] * m->elbow_m};
    const double plane[3][2] = {
        {m->offset_m, m->height_m}, {elbow[0], elbow[1]}, {wrist[0], wrist[1]}};

    s->at[0][0] = s->at[0][1] = 0.0;
    s->at[0][2] = m->height_m;
    for (int k = 0; k < 5; k++) {
        const double *x = plane[k < 2 ? k : 2];

        s->at[k + 1][0] = cs[0] * x[0];
        s->at[k + 1][1] = sn[0] * x[0];
        s->at[k + 1][2] = x[1];
    }
    /* F = Rz(t1) Ry(t2 + t3): the forearm; W = Rx(t4) Ry(t5) Rx(t6), written out */
    // clang-format off
    const double F[9] = {cs[0] * cs[6], -sn[0], cs[0] * sn[6],
                         sn[0] * cs[6],  cs[0], sn[0] * sn[6],
                              -sn[6],      0.0,         cs[6]};
    const double W[9] = { cs[4],          sn[4] * sn[5],                         sn[4] * cs[5],
                          sn[3] * sn[4],  cs[3] * cs[5] - sn[3] * cs[4] * sn[5], -cs[3] * sn[5] - sn[3] * cs[4] * cs[5],
                         -cs[3] * sn[4],  sn[3] * cs[5] + cs[3] * cs[4] * sn[5], -sn[3] * sn[5] + cs[3] * cs[4] * cs[5]};
    // clang-format on
    double H[9];

    mat_mul3(H, F, W);
    for (int i = 0; i < 3; i++) { /* times Ry(90 deg): x is -z, z is x */
        s->flange.R[3 * i] = -H[3 * i + 2];
        s->flange.R[3 * i + 1] = H[3 * i + 1];
        s->flange.R[3 * i + 2] = H[3 * i];
        s->flange.p[i] = s->at[3][i] + H[3 * i] * m->flange_m;

        s->axis[0][i] = i == 2 ? m->sign[0] : 0.0;
        s->axis[1][i] = m->sign[1] * F[3 * i + 1];
        s->axis[2][i] = m->sign[2] * F[3 * i + 1];
        s->axis[3][i] = m->sign[3] * F[3 * i];
        s->axis[4][i] = m->sign[4] * (F[3 * i + 1] * cs[3] + F[3 * i + 2] * sn[3]);
        s->axis[5][i] = m->sign[5] * H[3 * i];
    }
}

RT_SAFE void industrial_forward(struct pose *flange, const struct industrial_model *m,
                                const double axis_rad[static INDUSTRIAL_AXES])
{
    struct industrial_shape s;

    industrial_shape(&s, m, axis_rad);
    *flange = s.flange;
}

/* Distance of an angle from the nearest multiple of half a turn. */
RT_SAFE static double from_half_turn(double angle_rad)
{
    return fabs(angle_rad - BASE_PI * floor(angle_rad / BASE_PI + 0.5));
}

RT_SAFE void industrial_distance(struct industrial_distance *d, const struct industrial_model *m,
                                 const double axis_rad[static INDUSTRIAL_AXES])
{
    double t[TRIG_LANES];
    struct industrial_shape s;

    internal(t, m, axis_rad);
    industrial_shape(&s, m, axis_rad);
    d->wrist_rad = from_half_turn(t[4]);
    d->elbow_rad = from_half_turn(t[2] - m->elbow_angle_rad);
    d->overhead_m = sqrt(s.at[3][0] * s.at[3][0] + s.at[3][1] * s.at[3][1]);
}

/* ---- rates ---- */

RT_SAFE void industrial_jacobian(double J[static 36], const struct industrial_shape *s)
{
    for (int k = 0; k < INDUSTRIAL_AXES; k++) {
        double arm[3], v[3];

        mat_sub(arm, s->flange.p, s->at[k], 3);
        mat_cross3(v, s->axis[k], arm);
        mat_vec3_t(v, s->flange.R, v);
        mat_vec3_t(arm, s->flange.R, s->axis[k]);
        for (int i = 0; i < 3; i++) {
            J[6 * i + k] = v[i];
            J[6 * (i + 3) + k] = arm[i];
        }
    }
}

/* J' a', the change of the twist in flange axes at constant axis speeds: outwards along the arm, in root axes,
 *     alpha_k = alpha_k-1 + w_k-1 x z_k a_k',   acceleration of a point r further on: alpha x r + w x (w x r),
 * then v' = R'p'' - w x v and w' = R' alpha. */
RT_SAFE static void drift(double y[static 6], const struct industrial_shape *s,
                          const double speed[static INDUSTRIAL_AXES], const double V[static 6])
{
    double w[3] = {0}, alpha[3] = {0}, p[3] = {0}, x[3], turn[3];

    for (int k = 0; k < INDUSTRIAL_AXES; k++) {
        mat_cross3(x, w, s->axis[k]);
        mat_add_scaled(alpha, speed[k], x, 3);
        mat_add_scaled(w, speed[k], s->axis[k], 3);
        mat_sub(x, k + 1 < INDUSTRIAL_AXES ? s->at[k + 1] : s->flange.p, s->at[k], 3);
        mat_cross3(turn, alpha, x);
        mat_add(p, p, turn, 3);
        mat_cross3(turn, w, x);
        mat_cross3(turn, w, turn);
        mat_add(p, p, turn, 3);
    }
    mat_vec3_t(y, s->flange.R, p);
    mat_vec3_t(y + 3, s->flange.R, alpha);
    mat_cross3(x, V + 3, V);
    mat_sub(y, y, x, 3);
}

RT_SAFE bool industrial_rates(double speed[static INDUSTRIAL_AXES],
                              double acceleration[static INDUSTRIAL_AXES],
                              const struct industrial_shape *s, const double V[static 6],
                              const double V_dot[static 6])
{
    double J[36], rest[6];
    int rank;

    industrial_jacobian(J, s);
    rank = linear_solve(speed, J, V, 6, 1, NULL);
    drift(rest, s, speed, V);
    mat_sub(rest, V_dot, rest, 6);
    return linear_solve(acceleration, J, rest, 6, 1, NULL) == 6 && rank == 6;
}
