/* SPDX-License-Identifier: GPL-3.0-or-later */
/* segment.c - see segment.h.
 *
 * Frame: Ethernet header (14), EtherCAT header (2: length in bits 0-10, type in 12-15), datagrams. Datagram: command,
 * index, address (4), length and flags (2: length in bits 0-10, bit 14 circulating, bit 15 more follow), interrupt
 * (2), data, working counter (2).
 */
#include "tools/lab/segment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/fmmu.h"
#include "tools/lab/topology.h"

#define FRAME_HEADER    16
#define DATAGRAM_HEADER 10
#define SHORTEST        (FRAME_HEADER + DATAGRAM_HEADER + 2)

enum command {
    NOP,
    APRD,
    APWR,
    APRW,
    FPRD,
    FPWR,
    FPRW,
    BRD,
    BWR,
    BRW,
    LRD,
    LWR,
    LRW,
    ARMW,
    FRMW,
};

struct datagram {
    uint8_t command;
    uint16_t position, offset; /* the two halves of the address */
    uint32_t logical;          /* or the whole of it */
    uint8_t *data;
    unsigned bytes;
    unsigned wkc;
};

/* Is the frame EtherCAT with datagrams that fill its length exactly? */
static enum segment_result examine(const uint8_t *frame, unsigned n)
{
    unsigned length;
    unsigned at = FRAME_HEADER;
    bool more = true;

    if (n < FRAME_HEADER || frame[12] != 0x88 || frame[13] != 0xa4 || frame[15] >> 4 != 1) {
        return SEGMENT_FOREIGN;
    }
    length = wire_get_u16(frame + 14) & 0x7ff;
    if (n > SEGMENT_FRAME_MAX || FRAME_HEADER + length > n || n < SHORTEST) {
        return SEGMENT_MALFORMED;
    }
    while (more) {
        unsigned flags;

        if (at + DATAGRAM_HEADER + 2 > FRAME_HEADER + length) {
            return SEGMENT_MALFORMED;
        }
        flags = wire_get_u16(frame + at + 6);
        more = (flags & 0x8000) != 0;
        at += DATAGRAM_HEADER + (flags & 0x7ff) + 2;
    }
    return at == FRAME_HEADER + length ? SEGMENT_REPLY : SEGMENT_MALFORMED;
}

bool segment_cyclic(const uint8_t *frame, unsigned n)
{
    unsigned at = FRAME_HEADER;
    bool more = examine(frame, n) == SEGMENT_REPLY;

    while (more) {
        const unsigned flags = wire_get_u16(frame + at + 6);

        if (frame[at] >= LRD && frame[at] <= LRW) {
            return true;
        }
        more = (flags & 0x8000) != 0;
        at += DATAGRAM_HEADER + (flags & 0x7ff) + 2;
    }
    return false;
}

static int64_t arrival(const struct segment *s, int i, int64_t t_ns)
{
    return t_ns + s->arrival_ns[i];
}

/* Read and write one slave by physical address. What is written is what came in; what is read is the memory before
 * the write, or-ed to what came in for broadcasts. */
static void access_slave(struct segment *s, int i, int64_t t_ns, struct datagram *d, bool read,
                         bool write, bool combine)
{
    struct slave *slave = &s->slave[i];
    const int64_t now = arrival(s, i, t_ns);
    uint8_t incoming[SEGMENT_FRAME_MAX];
    const bool both = read && write;

    if (both) {
        memcpy(incoming, d->data, d->bytes);
    }
    if (read) {
        slave_refresh(slave, d->offset, d->bytes, now);
        if (combine ? esc_or(&slave->esc, d->offset, d->data, d->bytes)
                    : esc_read(&slave->esc, d->offset, d->data, d->bytes)) {
            d->wkc += 1;
        }
    }
    if (write && esc_write(&slave->esc, d->offset, both ? incoming : d->data, d->bytes)) {
        d->wkc += both ? 2 : 1;
    }
    slave_react(slave, now);
}

/* Every slave adds one to the position as the frame passes: the one that sees zero is meant. */
static void by_position(struct segment *s, int64_t t_ns, struct datagram *d)
{
    for (int k = 0; k < s->reached; k++) {
        const bool addressed = d->position == 0;

        if (d->command == ARMW) {
            access_slave(s, s->order[k], t_ns, d, addressed, !addressed, false);
        } else if (addressed) {
            access_slave(s, s->order[k], t_ns, d, d->command != APWR, d->command != APRD, false);
        }
        d->position++;
    }
}

static bool answers_to(const struct slave *slave, uint16_t address)
{
    const uint8_t *r = slave->esc.memory;
    const bool alias = (r[ESC_REG_DL_CONTROL + 3] & 0x01) != 0;

    return wire_get_u16(&r[ESC_REG_STATION]) == address ||
           (alias && wire_get_u16(&r[ESC_REG_ALIAS]) == address);
}

static void by_address(struct segment *s, int64_t t_ns, struct datagram *d)
{
    for (int k = 0; k < s->reached; k++) {
        const int i = s->order[k];
        const bool addressed = answers_to(&s->slave[i], d->position);

        if (d->command == FRMW) {
            access_slave(s, i, t_ns, d, addressed, !addressed, false);
        } else if (addressed) {
            access_slave(s, i, t_ns, d, d->command != FPWR, d->command != FPRD, false);
        }
    }
}

static void to_all(struct segment *s, int64_t t_ns, struct datagram *d)
{
    for (int k = 0; k < s->reached; k++) {
        access_slave(s, s->order[k], t_ns, d, d->command != BWR, d->command != BRD, true);
        d->position++;
    }
}

static void by_logical(struct segment *s, int64_t t_ns, struct datagram *d)
{
    const bool read = d->command != LWR;
    const bool write = d->command != LRD;

    for (int k = 0; k < s->reached; k++) {
        const int i = s->order[k];
        struct slave *slave = &s->slave[i];
        const unsigned served =
            fmmu_access(&slave->esc, d->logical, d->data, d->bytes, read, write);

        d->wkc += (served & FMMU_READ) != 0 ? 1 : 0;
        d->wkc += (served & FMMU_WRITTEN) != 0 ? (read ? 2 : 1) : 0;
        if (served != 0) {
            d->wkc += (unsigned)s->wkc_fault[i];
        }
        slave_react(slave, arrival(s, i, t_ns));
    }
}

static void run(struct segment *s, int64_t t_ns, struct datagram *d)
{
    switch (d->command) {
    case APRD:
    case APWR:
    case APRW:
    case ARMW:
        by_position(s, t_ns, d);
        break;
    case FPRD:
    case FPWR:
    case FPRW:
    case FRMW:
        by_address(s, t_ns, d);
        break;
    case BRD:
    case BWR:
    case BRW:
        to_all(s, t_ns, d);
        break;
    case LRD:
    case LWR:
    case LRW:
        by_logical(s, t_ns, d);
        break;
    default: /* no operation, or unknown: passed on as it is */
        break;
    }
}

/* Run the datagram at p and put the result back; bytes it takes. */
static unsigned run_datagram(struct segment *s, int64_t t_ns, uint8_t *p)
{
    struct datagram d = {
        .command = p[0],
        .position = wire_get_u16(p + 2),
        .offset = wire_get_u16(p + 4),
        .logical = wire_get_u32(p + 2),
        .data = p + DATAGRAM_HEADER,
        .bytes = wire_get_u16(p + 6) & 0x7ff,
    };
    uint8_t *wkc = d.data + d.bytes;
    const bool logical = d.command >= LRD && d.command <= LRW;

    d.wkc = wire_get_u16(wkc);
    run(s, t_ns, &d);
    if (!logical) {
        wire_put_u16(p + 2, d.position);
    }
    wire_put_u16(wkc, (uint16_t)d.wkc);
    s->stats.datagrams[d.command % SEGMENT_COMMANDS]++;
    return DATAGRAM_HEADER + d.bytes + 2;
}

enum segment_result segment_frame(struct segment *s, int64_t t_ns, uint8_t *frame, unsigned n)
{
    const enum segment_result result = examine(frame, n);
    unsigned at = FRAME_HEADER;
    unsigned end;

    s->stats.foreign += result == SEGMENT_FOREIGN;
    s->stats.malformed += result == SEGMENT_MALFORMED;
    if (result != SEGMENT_REPLY) {
        return result;
    }
    segment_tick(s, t_ns);
    s->stats.frames++;
    if (s->reached == 0) {
        s->stats.unanswered++;
        return SEGMENT_NOBODY;
    }
    s->stats.cycles += segment_cyclic(frame, n);
    end = FRAME_HEADER + (wire_get_u16(frame + 14) & 0x7ffu);
    while (at < end) {
        at += run_datagram(s, t_ns, frame + at);
    }
    frame[6] |= 0x02; /* a slave controller marks the frames it has processed */
    return SEGMENT_REPLY;
}

void segment_tick(struct segment *s, int64_t t_ns)
{
    for (int i = 0; i < s->count; i++) {
        slave_tick(&s->slave[i], t_ns, &s->physics);
    }
}

void segment_cut(struct segment *s, int position, bool cut)
{
    s->cut[position - 1] = cut;
    topology_update(s);
}

void segment_power(struct segment *s, int position, int64_t t_ns, bool on)
{
    slave_power(&s->slave[position - 1], t_ns, on);
    topology_update(s);
}

int segment_init(struct segment *s, const struct slave_model *models, int count,
                 const struct physics *physics, uint64_t seed, int64_t t_ns)
{
    int wrong;

    if (count < 1 || count > SEGMENT_SLAVES_MAX) {
        fprintf(stderr, "freefall-lab: %d devices on the segment, expected 1 to %d\n", count,
                SEGMENT_SLAVES_MAX);
        return -EINVAL;
    }
    wrong = topology_check(models, count);
    if (wrong >= 0) {
        fprintf(stderr,
                "freefall-lab: device %d cannot hang %d before itself on port %d: expected a "
                "device the frame has not "
                "left yet, and its ports in the order 3, 1, 2\n",
                wrong + 1, models[wrong].branch, models[wrong].port);
        return -EINVAL;
    }
    memset(s, 0, sizeof *s);
    s->physics = *physics;
    s->count = count;
    for (int i = 0; i < count; i++) {
        if (slave_init(&s->slave[i], &models[i], seed, (uint64_t)i + 1, t_ns) != 0) {
            return -EINVAL;
        }
    }
    topology_update(s);
    return 0;
}
