/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loop.h - the controller and the simulated lab in lock-step, and beside them the same mission in orbit.
 *
 *     .--> [control_step] -- poses, torque, grip --> [world_step: the lab under 1 g] --.
 *     '------------------- wrench, joints, robot poses <-------------------------------'
 *
 *     .--> [on-board software] -- F_b, tau, grip --> [reference_step: orbit, no lab] --.
 *     '------------------- what its sensors would see <--------------------------------'
 *
 * Both begin in the same state; the second instance of the on-board software has the same sensors with the same errors.
 * What the two differ by is what the laboratory does to weightlessness. No clock and no file: the same
 * configuration gives the same bits.
 */
#ifndef FREEFALL_LOOP_H
#define FREEFALL_LOOP_H

#include "tools/facility.h"

/* Owned by the caller; large, so not for the stack. */
struct loop {
    struct control_model control;
    struct control_state state;
    struct control_input in;
    struct control_output out;
    struct ftcomp_model ftcomp;
    struct ftcomp_state ftcomp_state;

    struct world_model world;
    struct world_state world_state;
    struct world_output lab; /* at the instant of `in` */

    struct reference_model reference;
    struct reference_state reference_state;
    struct reference_output orbit; /* at the same instant */
    struct control_obsw twin;      /* on-board software of the reference */
    struct sensors_relative_state navigation;
    struct obsw_output twin_out; /* limited: what acts in orbit */

    struct multibody_work spare; /* for who looks on: everything else must stay as it is */

    uint64_t cycle;
    bool started;  /* motion has begun */
    double time_s; /* of the samples in `in`, since motion began */
};

/* Put everything to its start. The software is opened by the caller, one instance for each side. 0 or -EINVAL. */
int loop_init(struct loop *l, const struct scenario *s, const struct facility *f,
              const struct control_obsw *lab, const struct control_obsw *orbit);

/* First half of a period: samples are read, the controllers decide. All fields then belong to one instant. */
void loop_decide(struct loop *l);

/* Second half: lab and orbit move on. */
void loop_move(struct loop *l);

/* Still flying? False when safety has ended the motion. */
bool loop_flies(const struct loop *l);

/* The relative pose B in T of the lab as it is, and of the reference. */
void loop_relative(struct pose *lab, struct pose *orbit, const struct loop *l);

#endif
