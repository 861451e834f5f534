/* SPDX-License-Identifier: GPL-3.0-or-later */
/* process_data.c - see process_data.h. */
#include "drivers/process_data.h"

#include <errno.h>
#include <string.h>

#include "drivers/port.h"
#include "drivers/wire.h"

enum { NOP = 0, FPRD = 4, BRD = 7, LRW = 12, FRMW = 14 };
enum { HEAD = 10, COUNTER = 2 };                         /* bytes around the data of a datagram */
enum { IMAGE, CLOCK, STATES, STATE, SPREAD, DATAGRAMS }; /* in the order of the frame */
enum { MORE = 0x8000, CIRCULATED = 0x4000, LENGTH = 0x07ff };

#define AL_STATUS   0x0130
#define SYSTEM_TIME 0x0910
#define DIFFERENCE  0x092c
#define MAGNITUDE   0x7fffffffu /* of a clock difference; the top bit is its sign */

struct datagram {
    uint8_t command;
    uint32_t address; /* logical, or station address below register */
    int bytes;
};

RT_SAFE static uint32_t station(uint16_t address, uint16_t reg)
{
    return (uint32_t)reg << 16 | address;
}

/* The five datagrams of this cycle. */
RT_SAFE static void plan(const struct process_data_model *m, int polled,
                         struct datagram d[static DATAGRAMS])
{
    d[IMAGE] = (struct datagram){LRW, m->logical, m->image_bytes};
    d[CLOCK] =
        (struct datagram){m->reference != 0 ? FRMW : NOP, station(m->reference, SYSTEM_TIME), 8};
    d[STATES] = (struct datagram){BRD, station(0, AL_STATUS), 2};
    d[STATE] = (struct datagram){FPRD, station(m->device[polled].address, AL_STATUS), 6};
    d[SPREAD] = (struct datagram){BRD, station(0, DIFFERENCE), 4};
}

/* Where each datagram starts in a frame. */
RT_SAFE static int offset(const struct process_data_model *m, int which)
{
    static const int before[] = {0, 0, 8, 10, 16}; /* data between image and datagram */

    return PORT_HEADER + which * (HEAD + COUNTER) + (which > IMAGE ? m->image_bytes : 0) +
           before[which];
}

RT_SAFE static const uint8_t *data(const struct process_data_model *m, const uint8_t *frame,
                                   int which)
{
    return frame + offset(m, which) + HEAD;
}

int process_data_init(struct process_data_model *m, struct process_data_state *s)
{
    m->wkc = 0;
    if (m->count < 1 || m->count > PROCESS_DATA_DEVICES_MAX || m->image_bytes < 1 ||
        m->output_bytes < 0 || m->output_bytes > m->image_bytes || m->period_ns <= 0) {
        return -EINVAL;
    }
    if (m->image_bytes > PROCESS_DATA_IMAGE_MAX) {
        return -EMSGSIZE;
    }
    for (int i = 0; i < m->count; i++) {
        const struct process_data_device *d = &m->device[i];

        if (d->output < 0 || d->outputs < 0 || d->output + d->outputs > m->output_bytes ||
            d->input < 0 || d->inputs < 0 || d->input + d->inputs > m->image_bytes || d->wkc < 0 ||
            d->wkc > 3) {
            return -EINVAL;
        }
        m->wkc += d->wkc;
    }
    memset(s, 0, sizeof *s);
    s->stale_cycles = UINT32_MAX;
    for (int i = 0; i < m->count; i++) {
        s->device[i].age = UINT32_MAX;
    }
    return 0;
}

RT_SAFE int process_data_build(const struct process_data_model *m, struct process_data_state *s,
                               int64_t now_ns)
{
    struct datagram d[DATAGRAMS];
    uint8_t *frame = s->frame;

    s->sequence++;
    s->polled = (s->polled + 1) % m->count;
    s->answered = false;
    s->reply = 0;
    s->rejected = 0;
    s->sent_ns = now_ns;
    plan(m, s->polled, d);
    s->bytes = offset(m, SPREAD) + HEAD + d[SPREAD].bytes + COUNTER;
    memset(frame, 0, (size_t)s->bytes);
    port_header(frame, PORT_CYCLE);
    wire_put_u16(frame + 14, (uint16_t)(1 << 12 | (s->bytes - PORT_HEADER)));
    for (int i = 0; i < DATAGRAMS; i++) {
        uint8_t *at = frame + offset(m, i);

        at[0] = d[i].command;
        at[1] = (uint8_t)(s->sequence >> 8 * i);
        wire_put_u32(at + 2, d[i].address);
        wire_put_u16(at + 6, (uint16_t)(d[i].bytes | (i + 1 < DATAGRAMS ? MORE : 0)));
    }
    memcpy(frame + offset(m, IMAGE) + HEAD, s->outputs, (size_t)m->output_bytes);
    /* The last time known: should the reference not overwrite it, the others see a clock that stands, not zero. */
    wire_put_i64(frame + offset(m, CLOCK) + HEAD, s->anchor_dc_ns);
    return s->bytes;
}

RT_SAFE static int counter(const struct process_data_model *m, const uint8_t *frame, int which)
{
    const int bytes = wire_get_u16(frame + offset(m, which) + 6) & LENGTH;

    return wire_get_u16(data(m, frame, which) + bytes);
}

/* Length and every header as sent; slaves count a position on when a command is not addressed by station. */
RT_SAFE static unsigned check_headers(const struct process_data_model *m,
                                      const struct process_data_state *s, const uint8_t *frame,
                                      int n)
{
    unsigned status = 0;

    if (n < s->bytes || port_length(frame) != s->bytes - PORT_HEADER) {
        return PROCESS_DATA_SHORT;
    }
    for (int i = 0; i < DATAGRAMS; i++) {
        const uint8_t *sent = s->frame + offset(m, i);
        const uint8_t *got = frame + offset(m, i);
        const bool position = sent[0] == BRD;

        if (got[0] != sent[0] || memcmp(got + 4, sent + 4, 4) != 0 ||
            (!position && memcmp(got + 2, sent + 2, 2) != 0 && i != STATE)) {
            status |= PROCESS_DATA_SHORT;
        }
        if (got[1] != sent[1]) {
            status |= PROCESS_DATA_STALE;
        }
    }
    /* The device whose state is polled is another one each cycle: a late reply shows it here too. */
    if (memcmp(frame + offset(m, STATE) + 2, s->frame + offset(m, STATE) + 2, 2) != 0) {
        status |= PROCESS_DATA_STALE;
    }
    return status;
}

/* Time between two frames by the reference clock and by ours. The instants a frame passes the reference lie within its
 * round trip; beyond that a fifth of a period and 500 ppm are allowed. */
RT_SAFE static unsigned check_clock(const struct process_data_model *m,
                                    const struct process_data_state *s, const uint8_t *frame,
                                    int64_t now_ns)
{
    const int64_t ours = s->sent_ns - s->anchor_sent_ns;
    const int64_t allowed =
        m->period_ns / 5 + ours / 2000 + (now_ns - s->sent_ns) + s->anchor_trip_ns;
    const uint64_t theirs = wire_get_u64(data(m, frame, CLOCK)) - (uint64_t)s->anchor_dc_ns;
    /* as unsigned, because a hostile time could overflow: shifted so that all allowed is small */
    const uint64_t excess = theirs - (uint64_t)ours + (uint64_t)allowed;

    if (m->reference == 0) {
        return 0;
    }
    if (counter(m, frame, CLOCK) == 0) {
        return PROCESS_DATA_DC_JUMP;
    }
    return s->anchored && excess > 2 * (uint64_t)allowed ? PROCESS_DATA_DC_JUMP : 0;
}

RT_SAFE unsigned process_data_check(const struct process_data_model *m,
                                    const struct process_data_state *s, const uint8_t *frame, int n,
                                    int64_t now_ns)
{
    unsigned status = check_headers(m, s, frame, n);
    int wkc;

    if (status != 0) {
        return status;
    }
    wkc = counter(m, frame, IMAGE);
    status |= wkc < m->wkc ? PROCESS_DATA_WKC_LOW : 0u;
    status |= wkc > m->wkc ? PROCESS_DATA_WKC_HIGH : 0u;
    if (memcmp(data(m, frame, IMAGE), data(m, s->frame, IMAGE), (size_t)m->output_bytes) != 0) {
        status |= PROCESS_DATA_ECHO;
    }
    return status | check_clock(m, s, frame, now_ns);
}

/* States: all at once when all are in OP, else of the one that was asked. */
RT_SAFE static void take_states(const struct process_data_model *m, struct process_data_state *s,
                                const uint8_t *frame)
{
    const uint16_t any = wire_get_u16(data(m, frame, STATES)) & 0x1f;
    const uint8_t *one = data(m, frame, STATE);

    s->present = counter(m, frame, STATES);
    s->alarm = (any != PROCESS_DATA_OP ? PROCESS_DATA_NOT_OP : 0u) |
               (s->present != m->count ? PROCESS_DATA_MISSING : 0u);
    if (counter(m, frame, STATE) == 0) {
        s->device[s->polled].state = 0;
        s->device[s->polled].code = 0;
    } else {
        s->device[s->polled].state = wire_get_u16(one) & 0x1f;
        s->device[s->polled].code = wire_get_u16(one + 4);
    }
    for (int i = 0; i < m->count && s->alarm == 0; i++) {
        s->device[i].state = PROCESS_DATA_OP;
        s->device[i].code = 0;
    }
}

RT_SAFE static void take_clock(const struct process_data_model *m, struct process_data_state *s,
                               const uint8_t *frame)
{
    const int64_t time_ns = wire_get_i64(data(m, frame, CLOCK));

    if (m->reference == 0) {
        return;
    }
    if (counter(m, frame, CLOCK) == 0 || (s->anchored && time_ns == s->anchor_dc_ns)) {
        s->alarm |= PROCESS_DATA_REFERENCE;
        return;
    }
    s->anchored = true;
    s->anchor_dc_ns = time_ns;
    s->anchor_sent_ns = s->sent_ns;
    s->anchor_trip_ns = s->round_trip_ns;
    s->dc_spread_ns = wire_get_u32(data(m, frame, SPREAD)) & MAGNITUDE;
}

RT_SAFE static void tally(struct process_data_state *s, unsigned status)
{
    for (int i = 0; i < PROCESS_DATA_STATUS_BITS; i++) {
        s->count[i] += status >> i & 1u;
    }
}

RT_SAFE bool process_data_take(const struct process_data_model *m, struct process_data_state *s,
                               const uint8_t *frame, int n, int64_t now_ns)
{
    const bool late = m->receive_ns > 0 && now_ns - s->sent_ns > m->receive_ns;
    const unsigned status =
        process_data_check(m, s, frame, n, now_ns) | (late ? PROCESS_DATA_STALE : 0u);

    if ((status & (PROCESS_DATA_SHORT | PROCESS_DATA_STALE | PROCESS_DATA_ECHO)) != 0 ||
        s->answered) {
        tally(s, status);
        s->rejected |= status;
        return s->answered;
    }
    s->answered = true;
    s->reply = status;
    s->wkc = counter(m, frame, IMAGE);
    s->round_trip_ns = now_ns - s->sent_ns;
    take_states(m, s, frame);
    take_clock(m, s, frame);
    if (status == 0) {
        memcpy(s->inputs, data(m, frame, IMAGE), (size_t)m->image_bytes);
        s->dc_time_ns = s->anchor_dc_ns;
    }
    return true;
}

RT_SAFE unsigned process_data_end(const struct process_data_model *m, struct process_data_state *s,
                                  bool failed)
{
    s->status = failed ? PROCESS_DATA_SEND_FAIL : s->answered ? s->reply : PROCESS_DATA_NO_FRAME;
    tally(s, s->status);
    s->status |= s->answered ? 0u : s->rejected;
    s->valid_cycles += s->status == 0;
    s->stale_cycles = s->status == 0                  ? 0
                      : s->stale_cycles == UINT32_MAX ? UINT32_MAX
                                                      : s->stale_cycles + 1;
    for (int i = 0; i < m->count; i++) {
        struct process_data_sample *d = &s->device[i];

        d->valid = s->status == 0 && d->state == PROCESS_DATA_OP;
        d->age = d->valid ? 0 : d->age == UINT32_MAX ? UINT32_MAX : d->age + 1;
    }
    return s->status;
}

const char *process_data_name(int bit)
{
    static const char *const names[PROCESS_DATA_STATUS_BITS] = {
        "NO_FRAME", "WKC_LOW", "WKC_HIGH",  "ECHO_MISMATCH",
        "SHORT",    "DC_JUMP", "SEND_FAIL", "STALE",
    };

    return bit >= 0 && bit < PROCESS_DATA_STATUS_BITS ? names[bit] : "?";
}

const char *process_data_state_name(uint16_t state)
{
    switch (state & 0x0f) {
    case 0x00:
        return "none";
    case 0x01:
        return "INIT";
    case 0x02:
        return "PRE-OP";
    case 0x03:
        return "BOOT";
    case 0x04:
        return "SAFE-OP";
    case 0x08:
        return "OP";
    default:
        return "?";
    }
}
