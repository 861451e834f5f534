/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verb_arm.c - see verb_arm.h. */
#include "tools/lab/verb_arm.h"

static void set(const struct verb_order *o, const struct verb_target *t, double value)
{
    if (t->arms) {
        arms_set(t->arms, o->position[0] - 1, (enum arms_setting)o->number[0], value);
    }
}

void verb_arm(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    set(o, t, 1e-3 * (double)o->number[1]);
}

/* Back to what a robot is without faults. Events (port, restart, jump) have happened and stay. */
void verb_arm_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    if (o->number[0] != ARMS_PORT && o->number[0] != ARMS_RESTART && o->number[0] != ARMS_JUMP) {
        set(o, t, o->number[0] == ARMS_HOLDON ? 1.0 : 0.0);
    }
}
