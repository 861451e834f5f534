/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slave_state.c - see slave_state.h. */
#include "tools/lab/slave_state.h"
#include "tools/lab/syncman.h"

#include <string.h>

#include "drivers/wire.h"

#define SYNC_CYCLE_LEAST 250000u /* ns */

static bool mailbox_fits(const struct esc_sm *sm, bool ecat_writes)
{
    return sm->enabled && sm->mailbox && sm->ecat_writes == ecat_writes &&
           sm->length >= MAILBOX_BYTES_MIN && sm->length <= MAILBOX_BYTES_MAX &&
           sm->start >= 0x1000 && (unsigned)sm->start + sm->length <= ESC_MEMORY;
}

static bool process_fits(const struct esc_sm *sm, const struct pdo_map *map, bool ecat_writes)
{
    const unsigned bytes = (map->bits + 7) / 8;

    if (bytes == 0) {
        return !sm->enabled || sm->length == 0;
    }
    return sm->enabled && !sm->mailbox && sm->ecat_writes == ecat_writes && sm->length == bytes &&
           sm->start >= 0x1000 && (unsigned)sm->start + bytes <= ESC_MEMORY;
}

static uint16_t sync_refusal(const struct slave *s)
{
    const uint8_t *r = s->esc.memory;
    const bool active = (r[ESC_REG_SYNC_ACTIVATE] & 0x03) == 0x03;
    const uint32_t cycle = wire_get_u32(&r[ESC_REG_SYNC_CYCLE]);
    const bool wanted = s->model.sync_required || od_get(&s->od, 0x1c32, 1) == 2;

    if (!active) {
        return wanted ? AL_CODE_SYNC_OFF : AL_CODE_NONE;
    }
    if (cycle < SYNC_CYCLE_LEAST) {
        return AL_CODE_SYNC_LEAST;
    }
    if (od_get(&s->od, 0x1c32, 1) == 2 && cycle != od_get(&s->od, 0x1c32, 2)) {
        return AL_CODE_SYNC_CYCLE;
    }
    return AL_CODE_NONE;
}

static uint16_t safeop_refusal(struct slave *s)
{
    struct pdo_map map;

    if (pdo_build(&map, &s->od, PDO_OUTPUTS) != 0 || !process_fits(&s->esc.sm[2], &map, true)) {
        return AL_CODE_OUTPUTS;
    }
    if (pdo_build(&map, &s->od, PDO_INPUTS) != 0 || !process_fits(&s->esc.sm[3], &map, false)) {
        return AL_CODE_INPUTS;
    }
    return sync_refusal(s);
}

struct al_refusal slave_state_refusal(struct slave *s)
{
    const bool waits = s->model.wait_outputs && s->outputs.bits > 0 && !s->outputs_seen;
    struct al_refusal refusal = {AL_CODE_NONE, AL_CODE_NONE,
                                 waits ? AL_CODE_NO_OUTPUTS : AL_CODE_NONE};

    if (!mailbox_fits(&s->esc.sm[0], true) || !mailbox_fits(&s->esc.sm[1], false)) {
        refusal.preop = AL_CODE_MAILBOX;
    }
    refusal.safeop = safeop_refusal(s);
    return refusal;
}

void slave_state_show(struct slave *s)
{
    s->esc.memory[ESC_REG_AL_STATUS] = (uint8_t)(s->al.value | (s->al.error ? AL_ERROR : 0));
    wire_put_u16(&s->esc.memory[ESC_REG_AL_CODE], s->al.code);
}

void slave_state_lock(struct slave *s)
{
    const bool safeop = s->al.value == AL_SAFEOP;
    const bool op = s->al.value == AL_OP;

    if (s->model.type->mailbox) {
        syncman_lock(&s->esc, 2, !op && !(safeop && !s->model.safeop_mute));
        syncman_lock(&s->esc, 3, !op && !safeop);
    }
}

/* What a change of state brings with it. */
static void enter(struct slave *s, uint8_t before)
{
    if (s->al.value == before) {
        return;
    }
    if (before == AL_INIT) {
        mailbox_reset(&s->mailbox);
    }
    if (before == AL_PREOP && s->al.value == AL_SAFEOP) {
        (void)pdo_build(&s->outputs, &s->od, PDO_OUTPUTS);
        (void)pdo_build(&s->inputs, &s->od, PDO_INPUTS);
        if (s->outputs.bits > 0) {
            memset(&s->esc.memory[s->esc.sm[2].start], 0, (s->outputs.bits + 7) / 8);
        }
        s->outputs_seen = false;
        s->sync_seen = false;
        s->sync_missed = 0;
    }
    if (s->al.value != AL_OP) {
        s->watchdog_armed = false;
    }
    slave_state_lock(s);
}

static void change(struct slave *s)
{
    const struct al_refusal refusal = slave_state_refusal(s);
    const uint8_t before = s->al.value;

    s->al = al_next(s->al, s->al_control, &refusal);
    s->al_pending = false;
    enter(s, before);
    slave_state_show(s);
}

/* Without a processor the controller copies AL control to AL status; with one, a step up may take its time. */
static void request(struct slave *s, int64_t t_ns)
{
    const uint8_t control = s->esc.memory[ESC_REG_AL_CONTROL] & (AL_STATE | AL_ERROR);

    if (s->esc.model.emulation) {
        s->al.value = control & AL_STATE;
        s->esc.memory[ESC_REG_AL_STATUS] = control;
        return;
    }
    s->al_control = control;
    s->al_pending = true;
    s->al_due_ns = t_ns;
    if ((control & AL_STATE) > s->al.value) {
        s->al_due_ns += 1000000ll * s->model.transition_ms;
    }
}

static void latch(struct slave *s, int64_t t_ns)
{
    for (int p = 0; p < SLAVE_PORTS; p++) {
        const int64_t at = s->port_ns[p] >= 0 ? clock_local(&s->clock, t_ns + s->port_ns[p]) : 0;

        wire_put_u32(&s->esc.memory[ESC_REG_PORT_TIME + 4 * p], (uint32_t)at);
    }
    wire_put_i64(&s->esc.memory[ESC_REG_RECEIVE_TIME], clock_local(&s->clock, t_ns));
}

static void clock_events(struct slave *s, unsigned events, int64_t t_ns)
{
    const uint8_t *r = s->esc.memory;

    if ((events & ESC_EVENT_LATCH) != 0) {
        latch(s, t_ns);
    }
    if ((events & ESC_EVENT_CLOCK) != 0) {
        s->clock.offset_ns = wire_get_i64(&r[ESC_REG_TIME_OFFSET]);
        s->clock.delay_ns = wire_get_u32(&r[ESC_REG_TIME_DELAY]);
    }
    if ((events & ESC_EVENT_SPEED) != 0) {
        s->clock.difference_ns = 0;
    }
    if ((events & ESC_EVENT_TIME) != 0) {
        clock_compare(&s->clock, t_ns, s->esc.received_time);
    }
    if ((events & (ESC_EVENT_TIME | ESC_EVENT_SPEED)) != 0) {
        wire_put_u32(&s->esc.memory[ESC_REG_TIME_DIFFERENCE], clock_difference(&s->clock));
    }
    if ((events & ESC_EVENT_SYNC) != 0) {
        clock_sync(&s->clock, t_ns, (r[ESC_REG_SYNC_ACTIVATE] & 0x03) == 0x03,
                   wire_get_i64(&r[ESC_REG_SYNC_START]), wire_get_u32(&r[ESC_REG_SYNC_CYCLE]));
    }
}

static void buffers(struct slave *s, int64_t t_ns)
{
    const unsigned outputs = s->outputs_sm >= 0 ? 1u << s->outputs_sm : 0;

    if ((s->esc.sm_written & outputs) != 0) {
        s->outputs_seen = true;
        s->outputs_fresh = true;
        if (s->esc.sm[s->outputs_sm].watchdog) {
            s->watchdog_armed = true;
            s->watchdog_expired = false;
            s->watchdog_ns = t_ns;
            s->esc.memory[ESC_REG_WD_STATUS] = 1;
        }
    }
    s->esc.sm_written = 0;
}

static void talk(struct slave *s, int64_t t_ns)
{
    if (s->model.type->mailbox && s->al.value != AL_INIT) {
        mailbox_step(&s->mailbox, &s->esc, &s->od, s->al.value, t_ns);
    }
    s->esc.sm_read = 0;
    s->esc.sm_repeat = 0;
}

void slave_refresh(struct slave *s, unsigned address, unsigned n, int64_t t_ns)
{
    int64_t jitter = 0;

    if (!s->esc.model.dc || address + n <= ESC_REG_SYSTEM_TIME ||
        address >= ESC_REG_SYNC_START + 8) {
        return;
    }
    if (s->clock.jitter_ns > 0) {
        const uint64_t span = 2 * (uint64_t)s->clock.jitter_ns + 1;

        jitter = (int64_t)(random_bits(&s->random) % span) - s->clock.jitter_ns;
    }
    wire_put_u64(&s->esc.memory[ESC_REG_SYSTEM_TIME],
                 (uint64_t)clock_system(&s->clock, t_ns) - s->clock.delay_ns + (uint64_t)jitter);
    if (s->clock.sync_active) {
        wire_put_i64(&s->esc.memory[ESC_REG_SYNC_START], s->clock.sync_next_ns);
    }
}

void slave_react(struct slave *s, int64_t t_ns)
{
    const unsigned events = s->esc.events;

    if (events == 0) {
        return;
    }
    s->esc.events = 0;
    clock_events(s, events, t_ns);
    if ((events & ESC_EVENT_SII) != 0) {
        sii_command(s->sii, &s->esc);
    }
    if ((events & ESC_EVENT_AL) != 0) {
        request(s, t_ns);
    }
    if ((events & ESC_EVENT_SM) != 0) {
        buffers(s, t_ns);
    }
    slave_state_tick(s, t_ns);
}

void slave_state_tick(struct slave *s, int64_t t_ns)
{
    if (s->al_pending && t_ns >= s->al_due_ns) {
        change(s);
    }
    talk(s, t_ns);
}
