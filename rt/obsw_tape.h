/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_tape.h - stands between the controller and its on-board software: keeps each answer, or plays a kept one.
 *
 * Software in another process may answer late, and a library may be gone when a run is computed again: what it answered is
 * an input of the run like any sample.
 */
#ifndef FREEFALL_OBSW_TAPE_H
#define FREEFALL_OBSW_TAPE_H

#include "rt/record.h"

struct obsw_tape {
    struct obsw_interface table;
    struct control_obsw inner; /* no table: answers come from `last` */
    struct record_obsw last;
    bool asked; /* since it was last cleared */
};

/* What a control_model gets. inner NULL: play. Plain until the first step; `tape` must stay where it is. */
struct control_obsw obsw_tape_open(struct obsw_tape *tape, const struct control_obsw *inner);

#endif
