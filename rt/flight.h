/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flight.h - the middle of the cycle: the satellites fly on, their software decides, the robots' wanted motion follows.
 *
 * Steps 6 to 12 of the path of a sample: nominal motion, client, servicer, sensors, on-board software, arm torque, passivity.
 */
#ifndef FREEFALL_FLIGHT_H
#define FREEFALL_FLIGHT_H

#include "rt/control.h"

/* What the flight wants of the lab in this cycle, before the limits. */
struct flight_output {
    struct motion robot[CONTROL_ROBOTS]; /* as the robots' poses are told */
    double torque[MULTIBODY_LANES];
    uint32_t causes;
};

/* Lay frame N into the client robot and put every body to its start, the servicer where its robot stands. */
RT_SAFE void flight_begin(const struct control_model *m, struct control_state *s,
                          const struct control_input *in);

/* One period. */
RT_SAFE void flight_step(const struct control_model *m, struct control_state *s,
                         const struct control_input *in, struct flight_output *out);

/* Torque that carries the arm where it is, with damping: for every mode but RUN in which the drives are on. */
RT_SAFE void flight_hold_torque(const struct control_model *m, struct control_state *s,
                                const struct control_input *in, double *torque);

#endif
