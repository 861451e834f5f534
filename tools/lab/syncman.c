/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syncman.c - see syncman.h. */
#include "tools/lab/syncman.h"

#include <string.h>

#include "drivers/wire.h"

/* Offsets inside the eight registers of a sync manager. */
enum { SM_CONTROL = 4, SM_STATUS = 5, SM_ACTIVATE = 6, SM_PDI = 7 };

static uint8_t *registers(struct esc *e, int i)
{
    return &e->memory[ESC_REG_SM + 8 * i];
}

/* Status as the master reads it: bit 3 mailbox full; bits 4-5 last written buffer, 3 = none yet. */
void syncman_show(struct esc *e, int i)
{
    const struct esc_sm *sm = &e->sm[i];
    uint8_t *status = &registers(e, i)[SM_STATUS];

    if (sm->mailbox) {
        *status = sm->full ? 0x08 : 0x00;
    } else {
        *status = sm->enabled && sm->full ? 0x00 : 0x30;
    }
}

static void decode(struct esc *e, int i, uint8_t activate_before)
{
    const uint8_t *r = registers(e, i);
    struct esc_sm *sm = &e->sm[i];

    sm->start = wire_get_u16(r);
    sm->length = wire_get_u16(r + 2);
    sm->mailbox = (r[SM_CONTROL] & 0x03) == 0x02;
    sm->ecat_writes = (r[SM_CONTROL] & 0x0c) == 0x04;
    sm->watchdog = (r[SM_CONTROL] & 0x40) != 0;
    sm->enabled = (r[SM_ACTIVATE] & 0x01) != 0;
    if (!sm->enabled || (activate_before & 0x01) == 0) {
        sm->full = false;
        sm->open = false;
    }
    if (((r[SM_ACTIVATE] ^ activate_before) & 0x02) != 0 && sm->enabled) {
        e->sm_repeat |= 1u << i;
        e->events |= ESC_EVENT_SM;
    }
    syncman_show(e, i);
}

/* Start, length and control are writable only while the sync manager is off; status and PDI control never.
 * Whether it is off is decided before the write, so that one datagram can set all and switch on. */
void syncman_store(struct esc *e, unsigned at, const uint8_t *data, unsigned n)
{
    const int first = (int)(at - ESC_REG_SM) / 8;
    const int last = (int)(at + n - 1 - ESC_REG_SM) / 8;

    for (int i = first; i <= last; i++) {
        uint8_t *r = registers(e, i);
        const uint8_t before = r[SM_ACTIVATE];

        for (unsigned k = 0; k < 8; k++) {
            const unsigned address = ESC_REG_SM + 8 * (unsigned)i + k;
            const bool writable = k == SM_ACTIVATE || (k <= SM_CONTROL && (before & 0x01) == 0);

            if (writable && address >= at && address < at + n) {
                r[k] = data[address - at];
            }
        }
        decode(e, i, before);
    }
}

/* The sync manager whose buffer holds address `at`, or -1; *run is shortened to where that ends. */
int syncman_at(const struct esc *e, unsigned at, unsigned *run)
{
    int found = -1;

    for (int i = 0; i < ESC_SM_COUNT; i++) {
        const struct esc_sm *sm = &e->sm[i];
        const unsigned end = (unsigned)sm->start + sm->length;

        if (!sm->enabled || sm->length == 0) {
            continue;
        }
        if (at >= sm->start && at < end) {
            *run = found < 0 && end - at < *run ? end - at : *run;
            found = found < 0 ? i : found;
        } else if (sm->start > at && sm->start - at < *run) {
            *run = sm->start - at;
        }
    }
    return found;
}

/* A buffer of one byte only triggers the watchdog, it protects nothing. */
bool syncman_allows(const struct esc_sm *sm, unsigned at, bool write)
{
    if (sm->length <= 1) {
        return true;
    }
    if (sm->locked || sm->ecat_writes != write) {
        return false;
    }
    if (!sm->mailbox) {
        return true;
    }
    return sm->full != write && (at == sm->start || sm->open);
}

void syncman_touched(struct esc *e, int i, unsigned end, bool write)
{
    struct esc_sm *sm = &e->sm[i];
    const bool last = end == (unsigned)sm->start + sm->length;

    sm->open = sm->mailbox && !last;
    if (!last) {
        return;
    }
    if (write) {
        sm->full = true;
        e->sm_written |= 1u << i;
    } else if (sm->mailbox) {
        sm->full = false;
        e->sm_read |= 1u << i;
    }
    e->events |= ESC_EVENT_SM;
    syncman_show(e, i);
}

unsigned syncman_fetch(struct esc *e, int sm, uint8_t *data, unsigned most)
{
    struct esc_sm *s = &e->sm[sm];
    const unsigned n = s->length < most ? s->length : most;

    if (!s->enabled || !s->mailbox || !s->full || (unsigned)s->start + n > ESC_MEMORY) {
        return 0;
    }
    memcpy(data, &e->memory[s->start], n);
    s->full = false;
    syncman_show(e, sm);
    return n;
}

bool syncman_offer(struct esc *e, int sm, const uint8_t *data, unsigned n)
{
    struct esc_sm *s = &e->sm[sm];

    if (!s->enabled || !s->mailbox || s->full || n > s->length ||
        (unsigned)s->start + s->length > ESC_MEMORY) {
        return false;
    }
    memset(&e->memory[s->start], 0, s->length);
    memcpy(&e->memory[s->start], data, n);
    s->full = true;
    s->open = false;
    syncman_show(e, sm);
    return true;
}

void syncman_lock(struct esc *e, int sm, bool locked)
{
    uint8_t *pdi = &registers(e, sm)[SM_PDI];

    e->sm[sm].locked = locked;
    *pdi = (uint8_t)((*pdi & 0xfe) | (locked ? 0x01 : 0x00));
    if (locked) {
        e->sm[sm].full = false;
        e->sm[sm].open = false;
        syncman_show(e, sm);
    }
}
