/* SPDX-License-Identifier: GPL-3.0-or-later */
/* industrial.h - a six-axis industrial robot with a spherical wrist: where its flange is, and how fast its joints must turn.
 *
 * Seen from the side at internal angles 0, everything stretched out along x of the robot's root:
 *
 *     z ^            elbow_m |----forearm_m----o wrist: axes 4, 5, 6 meet
 *       |   o----upper_m-----o                 '--flange_m--| flange, z outwards
 *       | offset_m
 *       |---' height_m
 *     root: on the floor, axis 1 upwards
 *
 * R = Rz(t1) Ry(t2) Ry(t3) Rx(t4) Ry(t5) Rx(t6) Ry(90 deg) is the flange in the root: at zero its z is x of the root and its x points
 * down, as KUKA has it. Angles on the pendant a_i are t_i = sign_i a_i + zero_i. KUKA: signs - + + - + -, zeros 0.
 */
#ifndef FREEFALL_INDUSTRIAL_H
#define FREEFALL_INDUSTRIAL_H

#include "model/se3.h"

#define INDUSTRIAL_AXES 6

/* Constant after industrial_init(). Axis values as on the pendant. */
struct industrial_model {
    double height_m, offset_m;        /* axis 2: above the root, and before axis 1 */
    double upper_m;                   /* axis 2 to axis 3 */
    double forearm_m, elbow_m;        /* axis 3 to the wrist: along the forearm, and upwards */
    double flange_m;                  /* wrist to flange */
    double sign[INDUSTRIAL_AXES];     /* 1 or -1 */
    double zero_rad[INDUSTRIAL_AXES]; /* internal angle at axis value 0 */
    double lower_rad[INDUSTRIAL_AXES], upper_rad[INDUSTRIAL_AXES];
    double speed_radps[INDUSTRIAL_AXES];
    double acceleration_radps2[INDUSTRIAL_AXES];
    double reach_m[2];  /* of the wrist from axis 2: least and greatest; set by industrial_init() */
    double lower_arm_m; /* axis 3 to wrist, straight */
    double elbow_angle_rad; /* between that and the forearm */
};

/* How far from the places where six axes are as good as five. */
struct industrial_distance {
    double wrist_rad;  /* axes 4 and 6 in line */
    double elbow_rad;  /* arm stretched or folded */
    double overhead_m; /* wrist on axis 1 */
};

/* What axis values say, all in root axes: for the Jacobian, for capsules, for the eye. */
struct industrial_shape {
    double axis[INDUSTRIAL_AXES][3]; /* unit, in the sense in which the axis value grows */
    double at[INDUSTRIAL_AXES][3];   /* a point of it, m: 1 to 3 their own, 4 to 6 the wrist */
    struct pose flange;
};

/* Robots with published geometry. NULL for a name nobody knows. */
const struct industrial_model *industrial_find(const char *name);

/* Check and complete the model. 0, or -EINVAL for a length, sign or limit that no robot has; *what then says which. */
int industrial_init(struct industrial_model *m, const char **what);

/* Pose of the flange in the root. */
RT_SAFE void industrial_forward(struct pose *flange, const struct industrial_model *m,
                                const double axis_rad[static INDUSTRIAL_AXES]);

RT_SAFE void industrial_shape(struct industrial_shape *s, const struct industrial_model *m,
                              const double axis_rad[static INDUSTRIAL_AXES]);

RT_SAFE void industrial_distance(struct industrial_distance *d, const struct industrial_model *m,
                                 const double axis_rad[static INDUSTRIAL_AXES]);

/* J with V = J a', V = [v; w] the twist of the flange in flange axes. */
RT_SAFE void industrial_jacobian(double J[static 36], const struct industrial_shape *s);

/* Axis speeds and accelerations of a flange with twist V and V' = dV/dt, flange axes: a' = J^-1 V, a'' = J^-1 (V' - J' a').
 * False, and zeros where nothing can be told, at a singularity. */
RT_SAFE bool industrial_rates(double speed[static INDUSTRIAL_AXES],
                              double acceleration[static INDUSTRIAL_AXES],
                              const struct industrial_shape *s, const double V[static 6],
                              const double V_dot[static 6]);

#endif
