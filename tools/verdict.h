/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict.h - was it weightlessness? The worst of a run against its limits, as a table and as verdict.json.
 *
 *     capture    was the client held, and how fast did it turn relative to the servicer at that moment
 *     dynamics   the lab's relative motion against the orbit reference
 *     energy     what the lateness of the robots made and nobody took out
 *     timing     only a run in real time has one
 */
#ifndef FREEFALL_VERDICT_H
#define FREEFALL_VERDICT_H

#include "tools/json.h"
#include "tools/loop.h"

#define VERDICT_SCHEMA 1 /* of verdict.json; another layout has another number */

enum verdict_status { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP };
enum verdict_row {
    VERDICT_CAPTURE,
    VERDICT_DYNAMICS,
    VERDICT_ENERGY,
    VERDICT_TIMING,
    VERDICT_ROWS
};

/* From the configuration. */
struct verdict_limits {
    bool capture; /* must the client be held at the end? */
    double position_m, rotation_rad, gripper_m, grasp_rate_radps, energy_j;
};

/* The worst so far; all zero at the start. */
struct verdict {
    struct verdict_limits limit;
    double time_s;                    /* reached */
    double position_m, rotation_rad;  /* B in T, lab against reference */
    double gripper_m;                 /* E in G, lab against reference */
    bool latched;                     /* now */
    double grasp_s, grasp_rate_radps; /* when the latch closed */
    double made_j;                    /* by lateness, at the worst moment, both robots */
    double left_j;                    /* of it and not taken out */
    uint32_t causes;                  /* what safety stopped the run for */
    int mode;                         /* at the end */
};

void verdict_init(struct verdict *v, const struct config *c);

/* Take one instant into account: after loop_decide(). */
void verdict_step(struct verdict *v, const struct loop *l);

enum verdict_status verdict_status(const struct verdict *v, enum verdict_row row);

/* Pass if no row fails and the motion came to its end. */
bool verdict_passes(const struct verdict *v);

/* One row of the table in words; and its name. */
void verdict_text(const struct verdict *v, enum verdict_row row, char *out, size_t size);
const char *verdict_name(enum verdict_row row);
const char *verdict_word(enum verdict_status status);

void verdict_print(const struct verdict *v, FILE *out);
void verdict_json(const struct verdict *v, struct json *j, const char *scenario, uint64_t seed);

#endif
