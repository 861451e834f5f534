/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slave.c - see slave.h. What the master asks for is in slave_state.c, here is what happens by itself. */
#include "tools/lab/slave.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/slave_state.h"

#define STEPS_MAX 32 /* device steps made up for in one call; older ones are skipped */

static uint16_t bytes_of(const struct pdo_map *map)
{
    return (uint16_t)((map->bits + 7) / 8);
}

int slave_identify(struct slave *s)
{
    const struct device_type *type = s->model.type;
    struct sii_model m;
    uint8_t *control = &s->esc.memory[ESC_REG_PDI_CONTROL];

    memset(&m, 0, sizeof m);
    m.pdi_control = wire_get_u16(control);
    m.alias = s->model.alias;
    m.vendor = s->model.vendor ? s->model.vendor : type->vendor;
    m.product = s->model.product ? s->model.product : type->product;
    m.revision = s->model.revision ? s->model.revision : type->revision;
    m.serial = s->model.serial;
    m.dc = type->dc;
    m.name = type->title;
    m.order = type->order;
    m.od = &s->od;
    if (type->mailbox) {
        m.mailbox_bytes = SLAVE_MAILBOX;
        m.mailbox_out = 0x1000;
        m.mailbox_in = 0x1000 + SLAVE_MAILBOX;
        m.sm[0] = (struct sii_sm){m.mailbox_out, SLAVE_MAILBOX, 0x26, 1, 1};
        m.sm[1] = (struct sii_sm){m.mailbox_in, SLAVE_MAILBOX, 0x22, 1, 2};
        m.sm_count = 4; /* all four, also with length 0: masters number them by position */
    }
    if (type->mailbox || type->outputs_control != 0) {
        const int i = type->mailbox ? 2 : 0;
        const uint16_t n = bytes_of(&s->outputs);

        m.sm[i] = (struct sii_sm){type->outputs_start, n, type->outputs_control, n > 0, 3};
        m.sm_count = m.sm_count > i ? m.sm_count : i + 1;
    }
    if (type->mailbox || type->inputs_start != 0) {
        const int i = type->mailbox ? 3 : 0;
        const uint16_t n = bytes_of(&s->inputs);

        m.sm[i] = (struct sii_sm){type->inputs_start, n, type->inputs_control, n > 0, 4};
        m.sm_count = m.sm_count > i ? m.sm_count : i + 1;
    }
    od_set(&s->od, 0x1018, 1, m.vendor);
    od_set(&s->od, 0x1018, 2, m.product);
    od_set(&s->od, 0x1018, 3, m.revision);
    od_set(&s->od, 0x1018, 4, m.serial);
    return sii_build(s->sii, &m);
}

static int power_up(struct slave *s, int64_t t_ns)
{
    const struct device_type *type = s->model.type;
    const struct esc_model esc = {type->dc, !type->mailbox, type->mailbox ? 0x05 : 0x04,
                                  s->model.alias};
    int error = devices_objects(type, &s->od);

    esc_init(&s->esc, &esc);
    s->al = (struct al_state){AL_INIT, false, AL_CODE_NONE};
    s->al_pending = false;
    s->outputs_seen = false;
    s->outputs_fresh = false;
    s->watchdog_armed = false;
    s->watchdog_expired = false;
    s->sync_seen = false;
    s->sync_missed = 0;
    s->stepped_ns = t_ns;
    mailbox_reset(&s->mailbox);
    clock_init(&s->clock, t_ns, clock_local(&s->clock, t_ns), s->clock.rate_ppb);
    if (error == 0) {
        error = pdo_build(&s->outputs, &s->od, PDO_OUTPUTS);
    }
    if (error == 0) {
        error = pdo_build(&s->inputs, &s->od, PDO_INPUTS);
    }
    type->reset(&s->device, &s->od);
    slave_state_lock(s);
    return error;
}

int slave_init(struct slave *s, const struct slave_model *model, uint64_t seed, uint64_t stream,
               int64_t t_ns)
{
    const struct device_type *type = model->type;
    int error;

    memset(s, 0, sizeof *s);
    s->model = *model;
    s->outputs_sm = type->mailbox ? 2 : type->outputs_control != 0 ? 0 : -1;
    s->inputs_sm = type->mailbox ? 3 : type->inputs_start != 0 ? 0 : -1;
    s->device.type = type;
    s->device.channel = model->channel;
    random_init(&s->random, seed, stream);
    clock_init(&s->clock, t_ns, model->local_ns, model->rate_ppb);
    s->powered = true;
    error = power_up(s, t_ns);
    if (error == 0) {
        error = slave_identify(s);
    }
    if (error != 0) {
        fprintf(stderr, "freefall-lab: device \"%s\": tables do not fit together: %s\n", type->name,
                strerror(-error));
        return -EINVAL;
    }
    return 0;
}

void slave_power(struct slave *s, int64_t t_ns, bool on)
{
    if (on && !s->powered) {
        (void)power_up(s, t_ns); /* the same tables fitted in slave_init() */
        (void)slave_identify(s);
        wire_put_u16(&s->esc.memory[ESC_REG_ALIAS], s->model.alias);
    }
    s->powered = on;
}

int64_t slave_watchdog_ns(const struct slave *s)
{
    const int64_t divider = wire_get_u16(&s->esc.memory[ESC_REG_WD_DIVIDER]);

    return (divider + 2) * 40 * wire_get_u16(&s->esc.memory[ESC_REG_WD_DATA]);
}

void slave_fall(struct slave *s, uint8_t state, uint16_t code)
{
    s->al = al_fall(state, code);
    s->al_pending = false;
    slave_state_show(s);
    slave_state_lock(s);
}

static void watch(struct slave *s, int64_t t_ns)
{
    uint8_t *counter = &s->esc.memory[ESC_REG_WD_COUNT];
    const int64_t limit = slave_watchdog_ns(s);

    if (!s->watchdog_armed || limit == 0 || t_ns - s->watchdog_ns <= limit) {
        return;
    }
    s->watchdog_armed = false;
    s->watchdog_expired = true;
    s->esc.memory[ESC_REG_WD_STATUS] = 0;
    *counter = (uint8_t)(*counter < 0xff ? *counter + 1 : 0xff);
    if (s->esc.model.emulation) {
        s->esc.memory[s->model.type->outputs_start] = 0;
    } else if (s->al.value == AL_OP) {
        slave_fall(s, AL_SAFEOP, AL_CODE_WATCHDOG);
    }
}

/* Where the process data of a sync manager lies, or NULL while it cannot be used. */
static uint8_t *image(struct slave *s, int sm, const struct pdo_map *map)
{
    const uint16_t start = sm == s->outputs_sm && s->esc.model.emulation
                               ? s->model.type->outputs_start
                               : s->esc.sm[sm < 0 ? 0 : sm].start;

    if (sm < 0 || map->bits == 0 || start < ESC_RAM || start + bytes_of(map) > ESC_MEMORY) {
        return NULL;
    }
    return s->esc.sm[sm].enabled ? &s->esc.memory[start] : NULL;
}

static void step(struct slave *s, int64_t t_ns, int64_t dt_ns, const struct physics *physics)
{
    const struct device_step in = {
        .t_ns = t_ns,
        .dt_s = 1e-9 * (double)dt_ns,
        .operational = s->al.value == AL_OP && !s->watchdog_expired,
        .physics = physics,
        .random = &s->random,
    };
    const bool shown = s->al.value == AL_SAFEOP || s->al.value == AL_OP;
    uint8_t *outputs = image(s, s->outputs_sm, &s->outputs);
    uint8_t *inputs = image(s, s->inputs_sm, &s->inputs);

    s->stepped_ns = t_ns;
    if (s->device.frozen) {
        return;
    }
    if (outputs && in.operational) {
        pdo_outputs(&s->outputs, &s->od, outputs);
    }
    s->device.type->step(&s->device, &s->od, &in);
    if (inputs && shown) {
        pdo_inputs(&s->inputs, &s->od, inputs);
    }
    if (s->device.emergency) {
        const uint8_t nothing[5] = {0};

        s->device.emergency = false;
        if (s->al.value != AL_INIT && s->model.type->mailbox) {
            mailbox_emergency(&s->mailbox, s->device.emergency_code, 0x01, nothing);
        }
    }
}

/* In OP, outputs must come between two pulses, and pulses must come. */
static void watch_sync(struct slave *s, int64_t t_ns, int pulses)
{
    const int limit = s->model.type->sync_limit;
    const int64_t longest = (int64_t)limit * s->clock.sync_cycle_ns;

    if (pulses > 0) {
        s->sync_seen = true;
        s->sync_ns = t_ns;
        s->sync_missed = s->outputs_fresh ? pulses - 1 : s->sync_missed + pulses;
        s->outputs_fresh = false;
    }
    if (s->al.value != AL_OP || limit == 0 || !s->sync_seen) {
        return;
    }
    if (s->sync_missed > limit) {
        slave_fall(s, AL_SAFEOP, AL_CODE_SYNC);
    } else if (!s->clock.sync_active || t_ns - s->sync_ns > longest) {
        slave_fall(s, AL_SAFEOP, AL_CODE_SYNC_LOST);
    }
}

static void free_run(struct slave *s, int64_t t_ns, const struct physics *physics)
{
    if (t_ns - s->stepped_ns > STEPS_MAX * (int64_t)SLAVE_FREE_NS) {
        s->stepped_ns = t_ns - STEPS_MAX * (int64_t)SLAVE_FREE_NS;
    }
    while (t_ns - s->stepped_ns >= SLAVE_FREE_NS) {
        step(s, s->stepped_ns + SLAVE_FREE_NS, SLAVE_FREE_NS, physics);
    }
}

void slave_tick(struct slave *s, int64_t t_ns, const struct physics *physics)
{
    const int pulses = s->powered ? clock_pulses(&s->clock, t_ns, STEPS_MAX) : 0;
    const int64_t cycle = s->clock.sync_cycle_ns;

    if (!s->powered) {
        return;
    }
    watch(s, t_ns);
    watch_sync(s, t_ns, pulses);
    for (int i = 0; i < pulses; i++) {
        step(s, t_ns - (pulses - 1 - i) * cycle, cycle > 0 ? cycle : SLAVE_FREE_NS, physics);
    }
    if (!s->clock.sync_active || !s->sync_seen) {
        free_run(s, t_ns, physics);
    }
    slave_state_tick(s, t_ns);
}
