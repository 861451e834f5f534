/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_builtin.h - the on-board software that comes with freefall, behind the same table as any
 * plug-in.
 *
 * Two of them: "zero" commands nothing (unforced motion), "capture" is the controller of
 * model/capture.h. Their memory belongs to the caller, so the init of these tables makes none and
 * returns NULL; terminate frees none.
 *
 *     static struct obsw_builtin_capture capture;      capture.model filled by the caller
 *
 *     obsw_builtin_capture_init(&capture, &setup);
 *     obsw = (struct control_obsw){&obsw_builtin_capture_table, &capture};
 */
#ifndef FREEFALL_OBSW_BUILTIN_H
#define FREEFALL_OBSW_BUILTIN_H

#include "model/capture.h"
#include "model/obsw.h"

/* The capture controller and its memory. */
struct obsw_builtin_capture {
    struct capture_model model; /* filled by the caller before init */
    struct capture_state start; /* what every run begins with */
    struct capture_state state;
    double dt_s;
};

/* Commands nothing; self is not used and may be NULL. */
extern const struct obsw_interface obsw_builtin_zero_table;

/* self is a struct obsw_builtin_capture. Cycle 0 begins a run: the same inputs then give the
 * same commands again, however often the operator starts. */
extern const struct obsw_interface obsw_builtin_capture_table;

/* Check model and setup. 0, or -EINVAL: another version, a period not positive, joints unlike
 * the model's, or a model that capture_init() refuses. */
int obsw_builtin_capture_init(struct obsw_builtin_capture *c, const struct obsw_setup *setup);

#endif
