/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bus.h - keys of a configuration to the EtherCAT segment that is expected. */
#ifndef FREEFALL_BUS_H
#define FREEFALL_BUS_H

#include "config/config.h"
#include "drivers/cia402.h"
#include "drivers/escalation.h"
#include "drivers/ethercat.h"
#include "drivers/ft.h"

/* Fill the model from bus.* and rt.period: 0; -EINVAL after saying on `messages` that there are no devices, or more
 * than the driver can hold. The interface may be empty: then the caller names it. */
int bus_model(struct ethercat_model *m, const struct config *c, FILE *messages);

/* Scaling and limits of a drive, of the device at this place of the list. */
void bus_drive(struct cia402_model *m, const struct config *c, int device);

/* Layout, filter and rate of a force sensor: 0, or -EINVAL when the device is none. Counts come from the sensor
 * (ft_calibrate). */
int bus_ft(struct ft_model *m, const struct config *c, int device);

/* Limits of escalation: 0, or -EINVAL after saying on `messages` which of them contradict each other. */
int bus_escalation(struct escalation_model *m, const struct config *c, FILE *messages);

#endif
