/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verb.h - the faults that can be scripted: one row each, with its arguments, what it does and what undoes it.
 *
 * Devices are named by their position on the wire, from 1. Numbers are decimal or 0x...; objects are INDEX or INDEX:SUB
 * in hexadecimal.
 */
#ifndef FREEFALL_LAB_VERB_H
#define FREEFALL_LAB_VERB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lab/arms.h"
#include "tools/lab/cable.h"
#include "tools/lab/plant.h"
#include "tools/lab/segment.h"

#define VERB_ERROR_MAX 160

/* What the faults act on. */
struct verb_target {
    struct segment *segment;
    struct cable *cable;
    struct plant *plant; /* NULL: the world is somebody else's, and the stop button too */
    struct arms *arms;   /* the industrial robots; NULL: none */
};

/* One fault, its arguments read. */
struct verb_order {
    int verb;
    int position[2];   /* of devices, from 1; of cables, from 0 */
    int64_t number[3]; /* the other arguments in their order */
    uint32_t frames;   /* cable: how many */
    double probability;
    bool any; /* cable: also frames without process data */
    bool lasting;
};

struct verb_row {
    const char *name;
    const char *arguments; /* as written in help */
    const char *help;
};

/* The table, for help; NULL behind the last. */
const struct verb_row *verb_row(int i);

/* Read the words of one fault; `lasting` when a duration was given. 0, or -EINVAL with the reason in `error`. */
int verb_parse(struct verb_order *o, const struct verb_target *t, char *const *words, int count,
               bool lasting, char error[static VERB_ERROR_MAX]);

/* Do it at t_ns; undo it. */
void verb_apply(const struct verb_order *o, const struct verb_target *t, int64_t t_ns);
void verb_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns);

#endif
