/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verb_device.c - see verb_device.h. Positions were checked when the order was read. */
#include "tools/lab/verb_device.h"

#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/topology.h"
#include "tools/lab/words.h"

static struct slave *slave_of(const struct verb_order *o, const struct verb_target *t)
{
    return &t->segment->slave[o->position[0] - 1];
}

void verb_device_stall(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    t->cable->stalled_until_ns = t_ns + 1000000 * (o->number[0] < 60000 ? o->number[0] : 60000);
}

void verb_device_wkc(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    t->segment->wkc_fault[o->position[0] - 1] = (int16_t)o->number[0];
}

void verb_device_wkc_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    t->segment->wkc_fault[o->position[0] - 1] = 0;
}

/* "Behind device k" is before device k + 1; 0 is the cable to the master. */
void verb_device_cut(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    segment_cut(t->segment, o->position[0] + 1, true);
}

void verb_device_heal(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    segment_cut(t->segment, o->position[0] + 1, false);
}

void verb_device_power(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    segment_power(t->segment, o->position[0], t_ns, o->number[0] != 0);
}

void verb_device_power_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    segment_power(t->segment, o->position[0], t_ns, o->number[0] == 0);
}

void verb_device_al(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_fall(slave_of(o, t), (uint8_t)o->number[0], (uint16_t)o->number[1]);
}

/* By the registers, as a master would do it: units of (divider + 2) * 40 ns. */
void verb_device_wd(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    uint8_t *r = slave_of(o, t)->esc.memory;
    const int64_t unit_ns = 40 * (wire_get_u16(&r[ESC_REG_WD_DIVIDER]) + 2);
    const int64_t units = 1000 * o->number[0] / unit_ns;

    (void)t_ns;
    wire_put_u16(&r[ESC_REG_WD_DATA], (uint16_t)(units < 0 ? 0 : units < 0xffff ? units : 0xffff));
}

enum { PPM, STEP, JITTER, KILL, REVIVE };

void verb_device_dc(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    struct clock *c = &slave_of(o, t)->clock;
    const int64_t value = o->number[1]; /* thousandths: ppb, or 1e-3 ns */
    const int64_t most = 1000000000;

    switch (o->number[0]) {
    case PPM:
        clock_set_rate(c, t_ns, (int32_t)(value < -most ? -most : value < most ? value : most));
        break;
    case STEP:
        clock_step(c, t_ns, value / 1000);
        break;
    case JITTER:
        c->jitter_ns = (int32_t)(value / 1000 < 0 ? 0 : value / 1000 < most ? value / 1000 : most);
        break;
    default:
        clock_stop(c, t_ns, o->number[0] == KILL);
        break;
    }
}

/* A jump stays; everything else goes back to what the model says. */
void verb_device_dc_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    struct slave *s = slave_of(o, t);

    if (o->number[0] == PPM) {
        clock_set_rate(&s->clock, t_ns, s->model.rate_ppb);
    } else if (o->number[0] == JITTER) {
        s->clock.jitter_ns = 0;
    } else if (o->number[0] == KILL || o->number[0] == REVIVE) {
        clock_stop(&s->clock, t_ns, o->number[0] == REVIVE);
    }
}

void verb_device_emcy(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    const uint8_t nothing[5] = {0};
    struct slave *s = slave_of(o, t);

    (void)t_ns;
    if (s->model.type->mailbox) {
        mailbox_emergency(&s->mailbox, (uint16_t)o->number[0], (uint8_t)o->number[1], nothing);
    }
}

static void forget_refusal(struct mailbox *m, uint16_t index, uint16_t sub)
{
    int kept = 0;

    for (int i = 0; i < m->refusal_count; i++) {
        if (m->refusal[i].index != index || m->refusal[i].sub != sub) {
            m->refusal[kept++] = m->refusal[i];
        }
    }
    m->refusal_count = kept;
}

void verb_device_abort(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    struct mailbox *m = &slave_of(o, t)->mailbox;
    const uint16_t index = (uint16_t)(o->number[0] >> 16);
    const uint16_t sub = (uint16_t)(o->number[0] & 0xffff);

    (void)t_ns;
    forget_refusal(m, index, sub);
    if (o->number[1] != 0 && m->refusal_count < SDO_ABORTS_MAX) {
        m->refusal[m->refusal_count++] = (struct sdo_refusal){index, sub, (uint32_t)o->number[1]};
    }
}

void verb_device_abort_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    forget_refusal(&slave_of(o, t)->mailbox, (uint16_t)(o->number[0] >> 16),
                   (uint16_t)(o->number[0] & 0xffff));
}

enum { MBX_OK, MBX_HANG, MBX_SLOW };

void verb_device_mbx(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    struct mailbox *m = &slave_of(o, t)->mailbox;

    (void)t_ns;
    m->hang = o->number[0] == MBX_HANG;
    m->slow_ns =
        o->number[0] == MBX_SLOW ? 1000000 * (o->number[1] < 60000 ? o->number[1] : 60000) : 0;
}

void verb_device_mbx_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_of(o, t)->mailbox.hang = false;
    slave_of(o, t)->mailbox.slow_ns = 0;
}

/* The devices change places, the cables stay: both are unplugged and powered on at their new place. */
void verb_device_swap(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    struct slave *a = &t->segment->slave[o->position[0] - 1];
    struct slave *b = &t->segment->slave[o->position[1] - 1];
    struct slave_model first = b->model;
    struct slave_model second = a->model;

    first.branch = a->model.branch;
    first.port = a->model.port;
    first.hop_ns = a->model.hop_ns;
    second.branch = b->model.branch;
    second.port = b->model.port;
    second.hop_ns = b->model.hop_ns;
    (void)slave_init(a, &first, random_bits(&t->cable->random), 0, t_ns);
    (void)slave_init(b, &second, random_bits(&t->cable->random), 0, t_ns);
    topology_update(t->segment);
}

enum { VENDOR, PRODUCT, REVISION, SERIAL, ALIAS };

void verb_device_ident(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    struct slave *s = slave_of(o, t);
    const uint32_t value = (uint32_t)o->number[1];

    (void)t_ns;
    s->model.vendor = o->number[0] == VENDOR ? value : s->model.vendor;
    s->model.product = o->number[0] == PRODUCT ? value : s->model.product;
    s->model.revision = o->number[0] == REVISION ? value : s->model.revision;
    s->model.serial = o->number[0] == SERIAL ? value : s->model.serial;
    if (o->number[0] == ALIAS) {
        s->model.alias = (uint16_t)value;
        wire_put_u16(&s->esc.memory[ESC_REG_ALIAS], s->model.alias);
    }
    (void)slave_identify(s);
}

void verb_device_od(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    const unsigned sub = (unsigned)(o->number[0] & 0xffff);

    (void)t_ns;
    od_set(&slave_of(o, t)->od, (uint16_t)(o->number[0] >> 16),
           (uint8_t)(sub == WORDS_ANY_SUB ? 0 : sub), (uint32_t)o->number[1]);
}

/* Invalid frames and physical errors of one port. */
void verb_device_crc(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    const unsigned port = (unsigned)o->number[0] % SLAVE_PORTS;
    uint8_t *counter = &slave_of(o, t)->esc.memory[ESC_REG_RX_ERROR + 2 * port];
    const int64_t sum = *counter + o->number[1];

    (void)t_ns;
    *counter = (uint8_t)(sum < 0 ? 0 : sum < 0xff ? sum : 0xff);
}

void verb_device_freeze(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_of(o, t)->device.frozen = true;
}

void verb_device_thaw(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_of(o, t)->device.frozen = false;
}

void verb_device_status(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_of(o, t)->device.status_bits = (uint32_t)o->number[0];
}

void verb_device_status_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_of(o, t)->device.status_bits = 0;
}

void verb_device_fault(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_of(o, t)->device.fault_code = (uint16_t)o->number[0];
}

void verb_device_contact(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_of(o, t)->device.input_mask = (uint32_t)o->number[0];
}

void verb_device_contact_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    slave_of(o, t)->device.input_mask = 0;
}

void verb_device_estop(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    if (t->plant) {
        t->plant->stop_pressed = o->number[0] != 0;
    }
}

void verb_device_estop_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    (void)t_ns;
    if (t->plant) {
        t->plant->stop_pressed = o->number[0] == 0;
    }
}
