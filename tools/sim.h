/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim.h - one simulated mission from its configuration to its verdict: what freefall sim does, without the command line. */
#ifndef FREEFALL_SIM_H
#define FREEFALL_SIM_H

#include "rt/scenario_obsw.h"
#include "tools/account.h"
#include "tools/verdict.h"

/* Owned by the caller, all zero before the first use; large, so not for the stack. */
struct sim {
    struct config config;
    struct scenario scenario;
    struct facility facility;
    struct scenario_obsw lab, orbit; /* on-board software, one instance for each side */
    struct loop loop;
    struct verdict verdict;
    struct account account; /* not open: nothing is recorded */
};

/* Build everything from s->config, read from path. 0, or -errno after a message on stderr. */
int sim_open(struct sim *s, const char *path);
void sim_close(struct sim *s);

/* Begin anew with the same models, a lead and the passivity controller as told (lead_s < 0: as configured). */
int sim_rewind(struct sim *s, double lead_s, bool control);

/* One period. False when the time is over or safety has ended the motion. -EIO of the record is kept in *error. */
bool sim_step(struct sim *s, int *error);

/* The lead at which the lateness of the robots neither makes nor takes energy, by bisection between 0 and most_s: the
 * observer's energy at the end of the run changes its sign there. 0, or -EDOM when it does not (no contact, one too gentle
 * to tell from noise, or the lead lies beyond); energy_j gets what was left at the last try. */
int sim_find_lead(struct sim *s, double *lead_s, double most_s, double *energy_j);

#endif
