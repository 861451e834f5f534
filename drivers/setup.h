/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setup.h - what a device is told in PRE-OP, at start and again when it has come back: process data, objects, watchdog,
 * SYNC0; and what it is asked: its calibration.
 */
#ifndef FREEFALL_SETUP_H
#define FREEFALL_SETUP_H

#include <stdio.h>

#include "drivers/ethercat.h"

/* Position from 0. PDO assignment and mapping of its kind are compared, and written when they differ; then the objects.
 * 0, or -EPROTO after saying on `messages` which object of which device was refused, and why. Blocks. */
int setup_device(struct ethercat *e, int position, FILE *messages);

/* Watchdog and SYNC0 by registers: 0, or -EIO when the device does not answer. */
int setup_registers(struct ethercat *e, int position);

/* After mapping: has the device as much process data as its kind says? 0, or -EPROTO after saying so. */
int setup_check(const struct ethercat *e, int position, FILE *messages);

#endif
