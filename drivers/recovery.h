/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recovery.h - a device that fell out of OP, or went away and came back, is brought into the running bus again.
 *
 * Helper side, while cycles go on. Only when the robots stand: the caller says so. The outputs of the device are zero
 * from before the first step until ethercat_mask() is taken back by the operator: a drive never enables itself again.
 *
 *     address    kept: it only fell; 0: it had no power; another one: the wiring has changed
 *     identity   vendor, product, revision, serial as at the start, else WRONG DEVICE, latched until the bus is opened anew
 *     states     INIT, sync managers, PRE-OP, set-up (setup.h), clock, FMMUs, SAFE-OP, OP
 *     clock      offset and delay restored, followed to within a microsecond, SYNC0 in phase
 */
#ifndef FREEFALL_RECOVERY_H
#define FREEFALL_RECOVERY_H

#include <stdio.h>

#include "drivers/ethercat.h"

/* One device, position from 0. 0 when it is in OP again; -EBUSY while the robots may move; -ENXIO when nothing answers
 * there; -ENODEV for a wrong device or wiring; -EPROTO when it refuses; -ETIME when its clock does not follow. Says why. */
int recovery_device(struct ethercat *e, int position, bool stopped, FILE *messages);

/* Every device that is not in OP, in the order of the wire: how many were brought back, or the first error. */
int recovery_all(struct ethercat *e, bool stopped, FILE *messages);

#endif
