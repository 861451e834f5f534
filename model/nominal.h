/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nominal.h - the motion that is taken out of the lab: g_n, V_n, V_n'.
 *
 * Whatever client and servicer do together with it needs no room in the lab. The usual choice is the motion the
 * client would have if nobody touched it; its axis and rate are the caller's data. "Absolute" takes nothing out and
 * is there to compare both formulations.
 */
#ifndef FREEFALL_NOMINAL_H
#define FREEFALL_NOMINAL_H

#include "model/mapping.h"
#include "model/rigid.h"

enum nominal_form {
    NOMINAL_UNFORCED, /* free rigid body, usually the client's own inertia [REL 4] */
    NOMINAL_GIVEN,    /* constant body twist */
    NOMINAL_ABSOLUTE  /* at rest where it starts: V_n = 0 */
};

/* Constant after nominal_init(). */
struct nominal_model {
    enum nominal_form form;
    struct rigid_model body; /* NOMINAL_UNFORCED only, from rigid_init() */
};

struct nominal_state {
    struct motion motion; /* g_n, V_n, V_n' now */
    struct rigid_state body;
};

/* Start at g with body twist V = [v; w], m/s and rad/s; NOMINAL_ABSOLUTE ignores V. 0, or -EINVAL for an
 * unknown form, a start that is not finite, or an unforced body that rigid_init() has not accepted. */
int nominal_init(const struct nominal_model *m, struct nominal_state *s, const struct pose *g,
                 const double V[static 6]);

/* One period on. */
RT_SAFE void nominal_step(const struct nominal_model *m, struct nominal_state *s, double dt_s);

#endif
