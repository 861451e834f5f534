/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario_obsw.h - on-board software as a configuration asks for it, behind one table whatever it is.
 *
 *     obsw.kind: capture | zero      built in
 *                library             obsw.library, in this process
 *                process             obsw.library in a process of its own (freefall obsw-host), or obsw.program
 */
#ifndef FREEFALL_SCENARIO_OBSW_H
#define FREEFALL_SCENARIO_OBSW_H

#include "rt/obsw_builtin.h"
#include "rt/obsw_process.h"
#include "rt/plugin.h"
#include "rt/scenario.h"

/* One instance: every controller has its own. Owned by the caller, all zero before the first use; obsw points into it, so it
 * stays where it was opened. */
struct scenario_obsw {
    struct obsw_builtin_capture capture;
    struct plugin plugin;
    struct obsw_process process;
    struct control_obsw obsw; /* for a control_model */
};

/* Start it. least_s: a process has this long for an answer even if obsw.deadline says less; 0 in real time, seconds where
 * time is simulated. 0, or -errno after a message. */
int scenario_obsw_open(struct scenario_obsw *o, const struct scenario *s, const struct config *c,
                       double least_s, FILE *messages);
void scenario_obsw_close(struct scenario_obsw *o);

#endif
