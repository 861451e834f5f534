/* SPDX-License-Identifier: GPL-3.0-or-later */
/* feasible.h - can the robots of the laboratory carry out the missions of a configuration? And if not, what would help?
 *
 *     configuration --> as written, and dispersed --> [sim: the same as freefall sim] --> tracks --> [margin] --> report
 *                                                                                            '--> remedies, each tried
 *
 * The controller's own limits of speed and acceleration are opened while it flies: how much the motion needs is what is asked.
 * Motion that begins with speed (absolute) is taken as already going on at t = 0, with robots that follow exactly: the run-up before it is not
 * looked at.
 */
#ifndef FREEFALL_FEASIBLE_H
#define FREEFALL_FEASIBLE_H

#include "tools/margin.h"
#include "tools/sim.h"

/* What would help; each was tried. */
struct feasible_remedy {
    bool nominal;         /* the unforced nominal motion passes */
    double needs_m, of_m; /* travel of the robot then, and what it has in that direction */
    bool shifted;         /* a shift was found that helps */
    bool shift_passes;    /* ... to the end */
    double shift_m[3];    /* of everything in the lab */
    double shift_until_s; /* when it does not */
    double
        stop_s; /* last 0.1 s at which a ramp to rest still ends before the violation; below 0: none */
};

/* Owned by the caller; large. */
struct feasible {
    const char *path;
    struct sim *sim;
    struct config *config; /* of the mission being flown */
    struct cell cell;
    struct margin_limits limits;
    struct margin_track *track; /* one for each mission */
    int runs;
    bool running_start; /* the motion begins with speed */
    struct margin_report report;
    struct feasible_remedy remedy;
};

/* Read the cell and make room. 0, or -errno after a message on stderr. Close in any case. */
int feasible_open(struct feasible *f, const struct config *c, const char *path);
void feasible_close(struct feasible *f);

/* Fly all missions of the configuration and fill the report. 0 or -errno after a message. */
int feasible_fly(struct feasible *f, const struct config *c);

/* Look for remedies against the first violation. 0 or -errno. */
int feasible_help(struct feasible *f, const struct config *c);

/* The robot that is in trouble first, or -1. */
int feasible_first(const struct feasible *f);

/* Everything kept, nothing stopped? */
bool feasible_passes(const struct feasible *f);

#endif
