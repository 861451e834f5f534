/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bus.h - keys of a configuration to the EtherCAT segment that is expected. */
#ifndef FREEFALL_BUS_H
#define FREEFALL_BUS_H

#include "config/config.h"
#include "drivers/ethercat.h"

/* Fill the model from bus.* and rt.period: 0; -EINVAL after saying on `messages` that there are no devices, or more
 * than the driver can hold. The interface may be empty: then the caller names it. */
int bus_model(struct ethercat_model *m, const struct config *c, FILE *messages);

#endif
