/* SPDX-License-Identifier: GPL-3.0-or-later */
/* client.h - the client satellite: a rigid body in orbit, and what its robot does in the lab.
 *
 * Momentum form (design page, section 3 step 3): the body in orbit is integrated by its spatial momentum; the lab
 * motion follows from it by algebra, so the two cannot drift apart.
 *
 *     wrench F_t -----------------> [client] --> orbit: g_t, V_t, V_t'
 *     nominal g_n, V_n, V_n' ---->           --> lab:   g_c, V_c, V_c'
 *
 * Beside it the two forms of the paper as plain functions, for a robot that wants an acceleration (admittance) or
 * a wrench (impedance); all three agree.
 */
#ifndef FREEFALL_CLIENT_H
#define FREEFALL_CLIENT_H

#include "model/mapping.h"
#include "model/rigid.h"

/* Constant after rigid_init(&body, ...). Frame T: centre of mass. */
struct client_model {
    struct rigid_model body;
};

/* Owned by the caller, changed by client_step() only. */
struct client_state {
    struct motion orbit;     /* g_t, V_t, V_t' */
    struct motion lab;       /* g_c, V_c, V_c': command and feed-forward of the robot */
    struct rigid_state body; /* pose and spatial momentum */
    double wrench[6];        /* the last wrench, spatial, N and Nm about the inertial origin */
    bool valid;              /* false: the last wrench was not finite and was taken as zero */
};

/* Start at g_t with body twist V_t, no wrench. 0, or -EINVAL for a body that rigid_init() has not accepted or a start
 * that is not finite. */
int client_init(const struct client_model *m, struct client_state *s, const struct motion *nominal,
                const struct pose *g_t, const double V_t[static 6]);

/* Advance one period by the wrench F_t = [f; m], N and Nm at T in T axes, measured at the end of it; nominal is
 * the motion at the end, too. */
RT_SAFE void client_step(const struct client_model *m, struct client_state *s,
                         const struct motion *nominal, const double F_t[static 6], double dt_s);

/* What the forms need to know: the lab twist, and the nominal motion carried there (mapping_carried()). */
struct client_input {
    double V_c[6], dV_c[6], dV_c_dot[6];
    double wrench[6]; /* measured, at T in T axes */
};

/* Admittance: V_c' of the lab body [REL 11]. */
RT_SAFE void client_admittance(double V_c_dot[static 6], const struct client_model *m,
                               const struct client_input *in);

/* Impedance: wrench F_c the robot must put on the mock-up, a body told in frame T, so that it moves like the
 * client [REL 9]. */
RT_SAFE void client_impedance(double F_c[static 6], const struct client_model *m,
                              const struct body *mockup, const struct client_input *in);

/* The same for a mock-up with the inertia of the client, which needs no force sensor [REL 10]. */
RT_SAFE void client_impedance_equal(double F_c[static 6], const struct client_model *m,
                                    const struct client_input *in);

#endif
