/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain.h - the enable and emergency-stop chain as the controller sees it through digital inputs, and its answer.
 *
 * The chain itself opens the power of the drives in hardware; here it is read, obeyed and reported. Two contacts of the
 * stop are antivalent: closed is A = 1, B = 0; open is A = 0, B = 1; anything else contradicts itself. Closing is
 * believed after three samples that agree, opening at once. Channels that contradict each other for more than 50 ms
 * mean a broken contact or wire: latched until somebody resets it while the channels agree.
 *
 *     inputs --> [chain_next] --> may the robot move, and what is wrong
 *            --> [chain_outputs] --> enable request, and a bit that toggles as long as the cycle lives
 */
#ifndef FREEFALL_CHAIN_H
#define FREEFALL_CHAIN_H

#include <stdint.h>

#include "model/base.h"

#define CHAIN_RISING        3    /* samples that agree before a contact counts as closed */
#define CHAIN_DISCREPANCY_S 0.05 /* longest contradiction of the two channels */

/* Bits of the input and output bytes. */
struct chain_model {
    uint8_t stop_a;    /* 1: closed */
    uint8_t stop_b;    /* 0: closed */
    uint8_t enable;    /* enabling switch, 1: held */
    uint8_t contactor; /* feedback, 1: drives have power */
    uint8_t request;   /* output: ask for power */
    uint8_t alive;     /* output: toggles every cycle */
};

enum chain_contact { CHAIN_STOP, CHAIN_ENABLE, CHAIN_CONTACTOR, CHAIN_CONTACTS };

struct chain_state {
    int agreed[CHAIN_CONTACTS];  /* samples in a row that say closed */
    bool closed[CHAIN_CONTACTS]; /* after debouncing */
    double contradicted_s;       /* how long the channels have */
    bool discrepancy;            /* latched */
    bool alive;
};

struct chain_sample {
    bool stop_open; /* stop button, or no proof that it is closed: everything stops in this cycle */
    bool enabled;   /* enabling switch held */
    bool powered;   /* contactor closed */
    bool discrepancy; /* latched: the two channels contradicted each other */
    bool permitted;   /* motion: stop closed, enabled, no discrepancy, inputs valid */
};

/* The bits of the bench: inputs 0 to 3, outputs 0 and 1. */
extern const struct chain_model chain_default;

/* The next state from one cycle's input byte. Pure. `valid`: the byte is of this cycle; without it the contacts count as
 * they were, and the contradiction goes on. `reset`: the operator clears the latch. */
RT_SAFE struct chain_state chain_next(const struct chain_model *m, struct chain_state before,
                                      uint8_t inputs, bool valid, bool reset, double dt_s);

/* What the state means. */
RT_SAFE struct chain_sample chain_read(const struct chain_state *s, bool valid);

/* Output byte with the alive bit toggled; the request only while nothing speaks against it. */
RT_SAFE uint8_t chain_outputs(const struct chain_model *m, struct chain_state *s, bool request);

#endif
