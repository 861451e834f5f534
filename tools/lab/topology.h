/* SPDX-License-Identifier: GPL-3.0-or-later */
/* topology.h - the wiring of the segment: who is reached, when a frame passes, what the ports show.
 *
 * Slaves are listed in the order in which a frame is processed. Each hangs on a port of an earlier one, usually of the
 * one before; a frame leaves a slave by its ports in the order 3, 1, 2, and a port without a partner is closed by the
 * slave itself, so the frame always comes back.
 */
#ifndef FREEFALL_LAB_TOPOLOGY_H
#define FREEFALL_LAB_TOPOLOGY_H

#include "tools/lab/segment.h"

/* Index of the first model whose connection is not possible in that order, or -1. */
int topology_check(const struct slave_model *models, int count);

/* Find out who is reached and when; set the link registers; count links that were lost. */
void topology_update(struct segment *s);

#endif
