/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bus.c - see bus.h. */
#include "rt/bus.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static uint32_t code(const struct config *c, const char *key, int i)
{
    return (uint32_t)config_item(c, key, i)->value.integer;
}

static double number(const struct config *c, const char *key, int i)
{
    return config_item(c, key, i)->value.number[0];
}

/* What its bytes mean: by the word of the file, or by its identity. */
static const struct kind *kind_of(const struct config *c, int i)
{
    const char *type = config_item(c, "bus.devices[].type", i)->value.text;

    return strcmp(type, "auto") == 0 ? kind_identified(code(c, "bus.devices[].vendor", i),
                                                       code(c, "bus.devices[].product", i))
                                     : kind_find(type);
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
    m->receive_ns = (int64_t)floor(config_number(c, "bus.receive_limit") * 1e9 + 0.5);
    m->watchdog_ms = (int)floor(config_number(c, "bus.watchdog") * 1e3 + 0.5);
    m->watchdog_io_ms = (int)floor(config_number(c, "bus.watchdog_io") * 1e3 + 0.5);
    for (int i = 0; i < m->count; i++) {
        struct identity *d = &m->expected[i];

        snprintf(d->name, sizeof d->name, "%.31s",
                 config_item(c, "bus.devices[].name", i)->value.text);
        d->vendor = code(c, "bus.devices[].vendor", i);
        d->product = code(c, "bus.devices[].product", i);
        d->revision = code(c, "bus.devices[].revision", i);
        d->serial = code(c, "bus.devices[].serial", i);
        m->kind[i] = kind_of(c, i);
    }
    return 0;
}

void bus_drive(struct cia402_model *m, const struct config *c, int device)
{
    const double sign =
        config_item(c, "bus.devices[].reversed", device)->value.integer != 0 ? -1.0 : 1.0;
    const double turn = (double)config_item(c, "bus.devices[].increments", device)->value.integer;
    const char *mode = config_item(c, "bus.devices[].mode", device)->value.text;

    memset(m, 0, sizeof *m);
    m->mode = strcmp(mode, "position") == 0 ? CIA402_POSITION : CIA402_TORQUE;
    m->increments_per_rad = sign * turn / (2.0 * BASE_PI);
    m->speed_per_rad_s = m->increments_per_rad;
    m->rated_nm = sign * number(c, "bus.devices[].rated_torque", device);
    m->torque_max_nm = number(c, "bus.devices[].torque_limit", device);
    m->velocity_max_rad_s = number(c, "bus.devices[].velocity_limit", device);
}

int bus_ft(struct ft_model *m, const struct config *c, int device)
{
    const struct kind *kind = kind_of(c, device);

    memset(m, 0, sizeof *m);
    m->layout = kind && kind->role == KIND_FT ? ft_find(kind->name) : NULL;
    m->filter = code(c, "bus.devices[].filter", device);
    m->rate = code(c, "bus.devices[].rate", device);
    return m->layout ? 0 : -EINVAL;
}

int bus_escalation(struct escalation_model *m, const struct config *c, FILE *messages)
{
    const double period_s = config_number(c, "rt.period");
    const double watchdog_s = config_number(c, "bus.watchdog");

    *m = escalation_default;
    m->soft_cycles = (uint32_t)config_integer(c, "bus.soft_cycles");
    m->hard_cycles = (uint32_t)config_integer(c, "bus.hard_cycles");
    m->saturated_cycles = (uint32_t)config_integer(c, "bus.saturated_cycles");
    m->overruns = (uint32_t)config_integer(c, "bus.overruns");
    m->link_errors = (uint32_t)config_integer(c, "bus.link_errors");
    if (escalation_check(m, period_s, watchdog_s) == 0) {
        return 0;
    }
    fprintf(messages,
            "freefall: bus: expected bus.soft_cycles < bus.hard_cycles and bus.hard_cycles * "
            "rt.period < bus.watchdog, found %u, %u, %g ms and %g ms\n",
            m->soft_cycles, m->hard_cycles, 1e3 * period_s, 1e3 * watchdog_s);
    return -EINVAL;
}
