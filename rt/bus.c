/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bus.c - see bus.h. */
#include "rt/bus.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define WATCHDOG_MS 20 /* ten lost frames stop the run; a device must not stop before */

static uint32_t code(const struct config *c, const char *key, int i)
{
    return (uint32_t)config_item(c, key, i)->value.integer;
}

int bus_model(struct ethercat_model *m, const struct config *c, FILE *messages)
{
    memset(m, 0, sizeof *m);
    m->count = config_count(c, "bus.devices");
    if (m->count < 1 || m->count > ETHERCAT_DEVICES_MAX) {
        fprintf(messages, "freefall: bus.devices: expected 1 to %d devices, found %d\n",
                ETHERCAT_DEVICES_MAX, m->count);
        return -EINVAL;
    }
    snprintf(m->interface, sizeof m->interface, "%.15s", config_text(c, "bus.interface"));
    m->period_ns = (int64_t)floor(config_number(c, "rt.period") * 1e9 + 0.5);
    m->shift_ns = m->period_ns / 2;
    m->watchdog_ms = WATCHDOG_MS;
    for (int i = 0; i < m->count; i++) {
        struct identity *d = &m->expected[i];

        snprintf(d->name, sizeof d->name, "%.31s",
                 config_item(c, "bus.devices[].name", i)->value.text);
        d->vendor = code(c, "bus.devices[].vendor", i);
        d->product = code(c, "bus.devices[].product", i);
        d->revision = code(c, "bus.devices[].revision", i);
        d->serial = code(c, "bus.devices[].serial", i);
    }
    return 0;
}
