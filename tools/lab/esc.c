/* SPDX-License-Identifier: GPL-3.0-or-later */
/* esc.c - see esc.h.
 *
 * An access by address is cut into runs: registers, plain memory, the buffer of one sync manager. Each run
 * is allowed or not as a whole; the access counts when one run was allowed.
 */
#include "tools/lab/esc.h"

#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/syncman.h"

enum way { WAY_READ, WAY_OR, WAY_WRITE };

/* How a write to a register range takes effect. */
enum effect {
    EFFECT_STORE,   /* kept */
    EFFECT_CLEAR,   /* any write sets the whole range to zero */
    EFFECT_SM,      /* kept where the sync manager allows it */
    EFFECT_FMMU,    /* kept and decoded */
    EFFECT_SII,     /* kept while the SII belongs to the bus side */
    EFFECT_TRIGGER, /* only the event counts */
    EFFECT_TIME,    /* the value is compared, not kept */
};

struct range {
    uint16_t first, last;
    enum effect effect;
    unsigned event;
    bool dc; /* only there with distributed clocks */
};

/* What the bus side may write below the RAM. Anything else is read-only: no effect, no working count. */
static const struct range ranges[] = {
    {0x0010, 0x0011, EFFECT_STORE, 0, false},
    {0x0100, 0x0103, EFFECT_STORE, ESC_EVENT_CONTROL, false},
    {0x0108, 0x0109, EFFECT_STORE, 0, false},
    {0x0120, 0x0121, EFFECT_STORE, ESC_EVENT_AL, false},
    {0x0200, 0x0201, EFFECT_STORE, 0, false},
    {0x0300, 0x030d, EFFECT_CLEAR, 0, false},
    {0x0310, 0x0313, EFFECT_CLEAR, 0, false},
    {0x0400, 0x0401, EFFECT_STORE, 0, false},
    {0x0410, 0x0411, EFFECT_STORE, 0, false},
    {0x0420, 0x0421, EFFECT_STORE, 0, false},
    {0x0442, 0x0443, EFFECT_CLEAR, 0, false},
    {0x0500, 0x0500, EFFECT_STORE, 0, false},
    {0x0502, 0x050f, EFFECT_SII, 0, false},
    {0x0600, 0x067f, EFFECT_FMMU, 0, false},
    {0x0800, 0x083f, EFFECT_SM, 0, false},
    {0x0900, 0x0903, EFFECT_TRIGGER, ESC_EVENT_LATCH, true},
    {0x0910, 0x0917, EFFECT_TIME, 0, true},
    {0x0920, 0x092b, EFFECT_STORE, ESC_EVENT_CLOCK, true},
    {0x0930, 0x0931, EFFECT_STORE, ESC_EVENT_SPEED, true},
    {0x0934, 0x0935, EFFECT_STORE, 0, true},
    {0x0980, 0x0980, EFFECT_STORE, 0, true},
    {0x0981, 0x0981, EFFECT_STORE, ESC_EVENT_SYNC, true},
    {0x0990, 0x0997, EFFECT_STORE, 0, true},
    {0x09a0, 0x09a7, EFFECT_STORE, 0, true},
};

static void fmmu_store(struct esc *e, unsigned at, const uint8_t *data, unsigned n)
{
    const unsigned first = (at - ESC_REG_FMMU) / 16;
    const unsigned last = (at + n - 1 - ESC_REG_FMMU) / 16;

    memcpy(&e->memory[at], data, n);
    for (unsigned i = first; i <= last; i++) {
        const uint8_t *r = &e->memory[ESC_REG_FMMU + 16 * i];
        struct esc_fmmu *f = &e->fmmu[i];

        f->start = wire_get_u32(r);
        f->length = wire_get_u16(r + 4);
        f->start_bit = r[6] & 0x07;
        f->end_bit = r[7] & 0x07;
        f->physical = wire_get_u16(r + 8);
        f->physical_bit = r[10] & 0x07;
        f->read = (r[11] & 0x01) != 0;
        f->write = (r[11] & 0x02) != 0;
        f->active = (r[12] & 0x01) != 0;
    }
}

/* The SII registers are writable while the bus side owns them; a command in the high byte of 0x0502 is an
 * event. Bits of that register other than the command and write enable are status. */
static bool sii_store(struct esc *e, unsigned at, const uint8_t *data, unsigned n)
{
    if ((e->memory[ESC_REG_SII_OWNER] & 0x01) != 0) {
        return false;
    }
    for (unsigned k = 0; k < n; k++) {
        uint8_t *r = &e->memory[at + k];

        if (at + k == ESC_REG_SII_CONTROL) {
            *r = (uint8_t)((*r & 0xfe) | (data[k] & 0x01));
        } else if (at + k == ESC_REG_SII_CONTROL + 1) {
            *r = data[k] & 0x07;
            e->events |= ESC_EVENT_SII;
        } else {
            *r = data[k];
        }
    }
    return true;
}

static bool store(struct esc *e, const struct range *range, unsigned at, const uint8_t *data,
                  unsigned n)
{
    bool stored = true;

    switch (range->effect) {
    case EFFECT_STORE:
        memcpy(&e->memory[at], data, n);
        break;
    case EFFECT_CLEAR:
        memset(&e->memory[range->first], 0, (size_t)range->last - range->first + 1);
        break;
    case EFFECT_SM:
        syncman_store(e, at, data, n);
        break;
    case EFFECT_FMMU:
        fmmu_store(e, at, data, n);
        break;
    case EFFECT_SII:
        stored = sii_store(e, at, data, n);
        break;
    case EFFECT_TIME:
        if (at == ESC_REG_SYSTEM_TIME && n >= 4) {
            e->received_time = wire_get_u32(data);
            e->events |= ESC_EVENT_TIME;
        }
        break;
    case EFFECT_TRIGGER:
        break;
    }
    e->events |= range->event;
    return stored;
}

static bool registers_write(struct esc *e, unsigned at, const uint8_t *data, unsigned n)
{
    bool written = false;

    for (size_t i = 0; i < COUNT_OF(ranges) && ranges[i].first < at + n; i++) {
        const struct range *range = &ranges[i];
        const unsigned low = at > range->first ? at : range->first;
        const unsigned high = at + n < range->last + 1u ? at + n : range->last + 1u;

        if (low < high && (!range->dc || e->model.dc)) {
            written |= store(e, range, low, data + (low - at), high - low);
        }
    }
    return written;
}

static void move(struct esc *e, unsigned at, uint8_t *data, unsigned n, enum way way)
{
    if (way == WAY_WRITE) {
        memcpy(&e->memory[at], data, n);
    } else if (way == WAY_READ) {
        memcpy(data, &e->memory[at], n);
    } else {
        for (unsigned i = 0; i < n; i++) {
            data[i] |= e->memory[at + i];
        }
    }
}

static bool transfer(struct esc *e, unsigned at, uint8_t *data, unsigned n, enum way way)
{
    const unsigned end = at + n < ESC_MEMORY ? at + n : ESC_MEMORY;
    bool success = false;

    while (at < end) {
        unsigned run = end - at;
        int sm = -1;
        bool allowed = true;

        if (at < ESC_RAM) {
            run = run < ESC_RAM - at ? run : ESC_RAM - at;
        } else {
            sm = syncman_at(e, at, &run);
            allowed = sm < 0 || syncman_allows(&e->sm[sm], at, way == WAY_WRITE);
        }
        if (at < ESC_RAM && way == WAY_WRITE) {
            allowed = registers_write(e, at, data, run);
        } else if (allowed) {
            move(e, at, data, run, way);
        }
        if (allowed && sm >= 0) {
            syncman_touched(e, sm, at + run, way == WAY_WRITE);
        }
        success |= allowed;
        at += run;
        data += run;
    }
    return success;
}

bool esc_read(struct esc *e, uint16_t address, uint8_t *data, unsigned n)
{
    return transfer(e, address, data, n, WAY_READ);
}

bool esc_or(struct esc *e, uint16_t address, uint8_t *data, unsigned n)
{
    return transfer(e, address, data, n, WAY_OR);
}

bool esc_write(struct esc *e, uint16_t address, const uint8_t *data, unsigned n)
{
    uint8_t copy[1500]; /* a datagram is never longer than a frame */

    n = n < sizeof copy ? n : (unsigned)sizeof copy;
    memcpy(copy, data, n);
    return transfer(e, address, copy, n, WAY_WRITE);
}

void esc_init(struct esc *e, const struct esc_model *model)
{
    memset(e, 0, sizeof *e);
    e->model = *model;
    e->memory[ESC_REG_TYPE] = 0x11;
    e->memory[0x0001] = 0x01;
    wire_put_u16(&e->memory[0x0002], 2);
    e->memory[0x0004] = ESC_FMMU_COUNT;
    e->memory[0x0005] = ESC_SM_COUNT;
    e->memory[0x0006] = (ESC_MEMORY - 0x1000) / 1024;
    e->memory[0x0007] = 0x0f; /* ports 0 and 1: MII */
    wire_put_u16(&e->memory[ESC_REG_FEATURES], model->dc ? 0x01fc : 0x01f0);
    wire_put_u16(&e->memory[ESC_REG_ALIAS], model->alias);
    e->memory[ESC_REG_AL_CONTROL] = 0x01;
    e->memory[ESC_REG_AL_STATUS] = 0x01;
    e->memory[ESC_REG_PDI_CONTROL] = model->pdi;
    e->memory[ESC_REG_PDI_CONTROL + 1] = model->emulation ? 0x01 : 0x00;
    wire_put_u16(&e->memory[ESC_REG_WD_DIVIDER], 0x09c2);
    wire_put_u16(&e->memory[ESC_REG_WD_PDI], 1000);
    wire_put_u16(&e->memory[ESC_REG_WD_DATA], 1000);
    e->memory[ESC_REG_WD_STATUS] = 0x01;
    e->memory[ESC_REG_SII_CONTROL] = 0x60; /* two address bytes, eight bytes at a time */
    wire_put_u16(&e->memory[ESC_REG_SPEED_START], 0x1000);
    e->memory[0x0934] = 0x04;
    e->memory[0x0935] = 0x0c;
    for (int i = 0; i < ESC_SM_COUNT; i++) {
        syncman_show(e, i);
    }
}
