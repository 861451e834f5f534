/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verb_arm.h - faults of the industrial robots and their links, for the table of verb.c. */
#ifndef FREEFALL_LAB_VERB_ARM_H
#define FREEFALL_LAB_VERB_ARM_H

#include "tools/lab/verb.h"

#define VERB_ARM_HELP                                                                              \
    "loss_in 2 (%), latency 100 (us), ppm 150, silent 1, ...; settings: " ARMS_WORDS

void verb_arm(const struct verb_order *o, const struct verb_target *t, int64_t t_ns);
void verb_arm_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns);

#endif
