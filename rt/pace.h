/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace.h - when the next cycle begins, and what becomes of cycles that were missed.
 *
 * Instants are absolute: the next one is the last one plus a period plus the correction that keeps us in step with the
 * bus clock (drivers/dc.h), never "now plus a period", which would drift by every lateness. A cycle that ends after the
 * instant of the next has missed it:
 *
 *     skip           missed cycles are left out, the phase is kept
 *     catch_up_once  the last missed one begins at once, the others are left out; never two in a burst
 *
 * Pure: time comes in, nothing is waited for.
 */
#ifndef FREEFALL_PACE_H
#define FREEFALL_PACE_H

#include "model/base.h"

enum pace_overrun { PACE_SKIP, PACE_CATCH_UP_ONCE };

enum { PACE_REMEMBERED = 1000 }; /* overruns whose cycle is kept at most: safety.overruns */

/* Constant after pace_init(). */
struct pace_model {
    int64_t period_ns;
    enum pace_overrun overrun;
    int tolerated;   /* overruns within the window that call for a HOLD */
    uint64_t window; /* cycles over which they are counted */
};

/* Owned by the caller. */
struct pace_state {
    int64_t next_ns; /* the instant the next cycle begins */
    uint64_t cycle;  /* instants passed since the start, missed ones too */
    uint64_t overruns;
    uint64_t missed;              /* cycles left out */
    uint64_t at[PACE_REMEMBERED]; /* cycles of the last overruns, in a ring */
};

/* What one step says. */
struct pace_output {
    int64_t next_ns; /* wait until then; may be past with catch_up_once */
    uint64_t missed; /* cycles left out since the last one; the models see missed + 1 periods */
    int64_t
        late_ns; /* how long after its instant the next cycle would have begun; 0 when in time */
    bool hold;   /* more overruns in the window than are tolerated */
};

/* Check the model and place the first cycle at start_ns. 0, or -EINVAL for a period not positive, or counts outside
 * 1..PACE_REMEMBERED and 1.. */
int pace_init(const struct pace_model *m, struct pace_state *s, int64_t start_ns);

/* The work of a cycle is done at now_ns: when does the next begin? correction_ns is cut to a hundredth of the period. */
RT_SAFE void pace_step(const struct pace_model *m, struct pace_state *s, int64_t now_ns,
                       int64_t correction_ns, struct pace_output *out);

#endif
