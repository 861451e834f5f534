/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapping.h - from orbit to lab and back, through the nominal motion.
 *
 * The lab stands still as seen from the nominal frame N, which moves in orbit with g_n, V_n:
 *
 *     orbit                                lab (what a robot executes)
 *     client    g_t = g_n g_c, V_t         g_c, V_c        [REL 5, 6]
 *     servicer  g_b = g_n g_s, V_b         g_s, V_s        [REL 5, 15]
 *
 * N multiplies from the left, so client and servicer see each other the same way in both, and wrenches in body
 * axes have the same numbers. Measured lab motion maps to orbit by the same formulas [REL 23].
 */
#ifndef FREEFALL_MAPPING_H
#define FREEFALL_MAPPING_H

#include "model/se3.h"

/* How a frame moves in another: pose, body twist V = [v; w] and its derivative. */
struct motion {
    struct pose pose;
    double velocity[6];     /* m/s, rad/s, axes of the moving frame */
    double acceleration[6]; /* V', m/s^2, rad/s^2 */
};

/* The nominal motion as a body in the lab sees it: dV = Ad_g^-1 V_n [REL 6] and
 * dV' = Ad_g^-1 V_n' - ad_V dV [REL 7, sign corrected], g and V the lab pose and twist of the body. */
RT_SAFE void mapping_carried(double dV[static 6], double dV_dot[static 6],
                             const struct motion *nominal, const struct pose *lab_pose,
                             const double lab_velocity[static 6]);

/* Motion in orbit from motion in the lab, measured or commanded [REL 5, 6, 15, 23]. */
RT_SAFE void mapping_to_orbit(struct motion *orbit, const struct motion *nominal,
                              const struct motion *lab);

/* Motion in the lab from motion in orbit. When orbit and nominal have the same bits, the lab motion is
 * exactly the identity at rest. */
RT_SAFE void mapping_to_lab(struct motion *lab, const struct motion *nominal,
                            const struct motion *orbit);

/* Wrench on the client in T axes from the wrench on the gripper in E axes, F_t = -Ad_{g_te^-1}^T F_e. */
RT_SAFE void mapping_contact(double F_t[static 6], const struct pose *g_te,
                             const double F_e[static 6]);

/* Initial conditions in orbit: the servicer base at g_tb from the client, moving with the client except for the
 * lab twist V_s. V_s = 0 is co-moving: V_b = Ad_{g_tb^-1} V_t. Accelerations are set to zero.
 * With the nominal motion started as the client is, the lab starts at g_c = 1, V_c = 0, g_s = g_tb, V_s. */
RT_SAFE void mapping_start(struct motion *client, struct motion *servicer, const struct pose *g_t,
                           const double V_t[static 6], const struct pose *g_tb,
                           const double V_s[static 6]);

/* How fast a lab body can be: |V_s| <= |V_b| + |dV_s| [REL 29], linear and angular part apart. */
struct mapping_bound {
    double speed_mps, rate_radps;             /* of the lab body */
    double speed_bound_mps, rate_bound_radps; /* never less than these */
};

RT_SAFE void mapping_bound(struct mapping_bound *b, const struct motion *nominal,
                           const struct motion *lab, const struct motion *orbit);

#endif
