/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect.h - looks at the samples of a cycle before anything is computed from them. */
#ifndef FREEFALL_INSPECT_H
#define FREEFALL_INSPECT_H

#include "rt/control.h"

/* Causes seen in the input: missing, stale, frozen or not finite samples, wrench over the limit, a robot that does not follow
 * its command. Counts frozen samples in the state. */
RT_SAFE uint32_t inspect_input(const struct control_model *m, struct control_state *s,
                               const struct control_input *in);

/* Are measured and commanded poses the same within the thresholds? */
RT_SAFE bool inspect_aligned(const struct control_model *m, const struct control_state *s,
                             const struct control_input *in);

/* Is this sample one to compute with: there, young enough, numbers, an attitude that exists? */
RT_SAFE bool inspect_joints(const struct control_model *m, const struct control_joints *j);
RT_SAFE bool inspect_robot(const struct control_model *m, const struct control_robot *r);

#endif
