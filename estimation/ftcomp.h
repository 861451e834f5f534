/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ftcomp.h - the contact wrench out of what a force/torque sensor under a mock-up reports.
 *
 * The sensor carries the mock-up (here: the tool), so it also feels the tool's weight, its inertia when the robot moves,
 * and its own bias. All three are computed and taken off; what remains is the contact, moved to the body frame T.
 *
 *     measured, lab motion, gravity --> [ftcomp] --> contact wrench on the body, at T in T axes
 *
 * Frame f: the sensor, fixed in the mock-up. The sensor reports the wrench of the tool side on the sensor.
 */
#ifndef FREEFALL_FTCOMP_H
#define FREEFALL_FTCOMP_H

#include "model/body.h"
#include "model/mapping.h"

/* Constant after ftcomp_init(). */
struct ftcomp_model {
    struct body tool; /* M_m: everything beyond the sensor, told in f */
    double bias[6];   /* N and Nm, f axes */
    struct pose g_tf; /* sensor in T */
    double filter_hz; /* corner of the sensor's own first-order filter; 0: it has none */
};

/* Owned by the caller. */
struct ftcomp_state {
    double acceleration[6]; /* V_f' through the filter of the sensor */
    bool started;
};

/* One cycle; lab is the motion of T in the lab: measured pose and twist, acceleration of the last command. */
struct ftcomp_input {
    double measured[6];
    struct motion lab;
    double gravity[3]; /* m/s^2 in the axes lab.pose is told in */
};

/* Start the filter. 0, or -EINVAL for a tool that body_check() refuses, a bias or pose that is not finite or a filter
 * below zero. */
int ftcomp_init(const struct ftcomp_model *m, struct ftcomp_state *s);

/* F = measured - bias - weight + M_m V_f' - ad_{V_f}^T M_m V_f, all in f; gravity in f axes. */
RT_SAFE void ftcomp_contact(double F[static 6], const struct ftcomp_model *m,
                            const double measured[static 6], const double V_f[static 6],
                            const double V_f_dot[static 6], const double gravity_f[static 3]);

/* Contact wrench F_t on the body at T, T axes. */
RT_SAFE void ftcomp_step(const struct ftcomp_model *m, struct ftcomp_state *s,
                         const struct ftcomp_input *in, double F_t[static 6], double dt_s);

/* How strongly the acceleration of the last command feeds back: greatest eigenvalue of M_t^-1 M_m, both about T. The
 * loop cannot be stable above 1, where the mock-up is heavier than the simulated satellite in some direction; it
 * is stable below 1/2 however late the robot executes, and in between it depends on the lateness (8 cycles: 0.53).
 * simulated: the body in orbit, told in T. NaN when it has no inverse. */
RT_SAFE double ftcomp_feedback(const struct ftcomp_model *m, const struct body *simulated);

/* ---- identification, not for the cycle ---- */

#define FTCOMP_POSES_MIN 12

/* The sensor at rest in one attitude. */
struct ftcomp_sample {
    double gravity[3];  /* m/s^2, f axes: R_f' g_lab */
    double measured[6]; /* mean of many readings */
};

struct ftcomp_fit {
    double bias[6];
    double mass_kg, com[3];            /* of the tool, m in f */
    double mass_sigma_kg, com_sigma_m; /* what the residuals let expect, 1 sigma, worst axis */
    double residual_n, residual_nm;    /* rms over all samples and axes */
    int worst;                         /* sample with the largest residual, in units of the rms */
    double spread; /* variety of the attitudes: 0 none, 2/3 evenly in all directions */
};

/* Least attitude variety accepted: about 10 degrees of tilt to all sides. */
#define FTCOMP_SPREAD_MIN 0.01

/* Bias, mass and centre of mass by least squares. 0; -EINVAL for fewer than FTCOMP_POSES_MIN samples or numbers that
 * are not finite; -EDOM when the attitudes do not differ enough (fit->spread says how little); -ERANGE when the
 * mass comes out not positive, as it does with gravity or the sign of the wrench reversed. */
int ftcomp_identify(struct ftcomp_fit *fit, const struct ftcomp_sample *sample, int n);

#endif
