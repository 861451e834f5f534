/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grip.h - where gripper and client meet, the same in the lab and in the reference orbit. */
#ifndef FREEFALL_GRIP_H
#define FREEFALL_GRIP_H

#include "model/contact.h"

/* Constant after contact_init(). */
struct grip_model {
    struct contact_model contact;
    struct pose grasp; /* G in the client's frame T */
};

/* Both sides, told in one frame; twists in their own axes. */
struct grip_input {
    struct pose client, base;   /* T and B */
    struct pose gripper;        /* E in B */
    double client_velocity[6];  /* of T */
    double gripper_velocity[6]; /* of E, base motion included */
    bool close;                 /* the jaws are told to hold */
};

struct grip_output {
    struct contact_input seen;    /* E from G */
    struct contact_output wrench; /* on the gripper at E, on the client at G */
    double client[6];             /* F_t: the second moved to T, T axes */
};

/* E as seen from G. */
void grip_see(struct contact_input *seen, const struct grip_model *m, const struct grip_input *in);

/* The wrenches of what is seen, later_s after the moment the contact's own clock shows. Changes nothing. */
void grip_pull(struct grip_output *out, const struct grip_model *m, const struct contact_state *s,
               double later_s);

/* May the two touch within a period of dt_s from what is seen now? False: no wrench can arise in it. */
bool grip_near(const struct grip_model *m, const struct contact_state *s,
               const struct contact_input *seen, double dt_s);

/* Both. */
void grip_meet(struct grip_output *out, const struct grip_model *m, const struct contact_state *s,
               const struct grip_input *in, double later_s);

#endif
