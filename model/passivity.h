/* SPDX-License-Identifier: GPL-3.0-or-later */
/* passivity.h - keeps the delay of a robot from feeding energy into a contact.
 *
 * A robot executes a pose late; against a stiff contact the lateness acts as negative damping and the contact
 * rings up. Lead first, the passivity controller as a guard:
 *
 *     lab motion --> [lead] --> [+ drift] --> command of the robot
 *                                  ^
 *     measured pose, model pose, wrench --> [observer: energy E] --> [controller: dashpot in series]
 *
 * The observer adds up the energy that the difference of executed and computed motion has taken out of the contact
 * pair; negative means energy was made. The controller lets the body yield along the wrench until that is
 * paid back: a dashpot in series between satellite and grapple. It leaves momentum alone, which a damper in parallel
 * would not. One observer for each robot. [REL 26-28], design page section 5.
 */
#ifndef FREEFALL_PASSIVITY_H
#define FREEFALL_PASSIVITY_H

#include "model/mapping.h"

/* Longest delay, cycles. */
#define PASSIVITY_DELAY_MAX 100

/* Constant after passivity_init(). */
struct passivity_model {
    int delay_cycles;        /* d, from a command to its measured execution */
    double speed_limit_mps;  /* of the yielding motion; usual 0.02 */
    double rate_limit_radps; /* the same for its turning; usual 0.02 */
    double bleed_s;          /* time constant of the way back without contact; usual 0.5 */
    double
        tolerated_j; /* energy made that is let be: a body must not yield to the noise of its sensor */
};

/* Owned by the caller, changed by passivity_step() only. */
struct passivity_state {
    double energy_j;          /* E, taken out of the contact by the lateness; below 0: made */
    double effective_j;       /* E and what was commanded but is not executed yet */
    struct pose drift;        /* how far the body has yielded, body axes */
    double drift_velocity[6]; /* V_pc, m/s and rad/s */
    struct pose measured;     /* last cycle */
    struct pose model;
    double wrench[6];
    double pending_j[PASSIVITY_DELAY_MAX + 1]; /* ring of the last d + 1 cycles */
    int next;
    bool started; /* there is a last cycle */
    bool valid;   /* false: the last input was not finite and was left out */
};

/* One robot in one cycle, all at the same instant. */
struct passivity_input {
    struct pose measured; /* of the body in orbit, from the measured lab pose [REL 23] */
    struct pose model;    /* of the body in orbit, as integrated */
    double wrench[6];     /* W on the body in body axes: F_t, or F_e moved to B */
    double mobility[36];  /* M^-1 of the body, body axes */
    bool contact;         /* false: nothing touches, the drift may go back */
};

/* Check the model and start with no energy and no drift. 0, or -EINVAL for a delay outside 0..PASSIVITY_DELAY_MAX or a
 * limit or time that is not positive, or a tolerated energy below zero. */
int passivity_init(const struct passivity_model *m, struct passivity_state *s);

/* Observe one cycle and move the drift. */
RT_SAFE void passivity_step(const struct passivity_model *m, struct passivity_state *s,
                            const struct passivity_input *in, double dt_s);

/* Where the lab body will be lead_s from now, g exp(l V + l^2/2 V'), and its twist there; lead_s is the dead time
 * of the robot and one of its interpolation periods. */
RT_SAFE void passivity_lead(struct motion *ahead, const struct motion *lab, double lead_s);

/* The command: the motion with the drift of the state behind it. */
RT_SAFE void passivity_command(struct motion *command, const struct passivity_state *s,
                               const struct motion *ahead);

/* omega, rad/s, of the fastest oscillation of a contact: stiffness and mobility (modes_add_mobility() of both bodies)
 * in the contact frame. NaN if the mobility is not positive definite. */
RT_SAFE double passivity_frequency(const double stiffness[static 36],
                                   const double mobility[static 36]);

/* Growth of that oscillation, 1/s, when the robots are delay_s late and nothing is done: omega^2 d / 2. */
RT_SAFE double passivity_growth(double omega_radps, double delay_s);

#endif
