/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lab_master.h - the least master that can bring up a segment, for tests of the lab: one datagram a frame, time in
 * steps. It follows the protocol documents, not the simulator: layouts are spelled out again here.
 */
#ifndef FREEFALL_LAB_MASTER_H
#define FREEFALL_LAB_MASTER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/lab.h"
#include "tools/lab/layout.h"

enum {
    M_NOP,
    M_APRD,
    M_APWR,
    M_APRW,
    M_FPRD,
    M_FPWR,
    M_FPRW,
    M_BRD,
    M_BWR,
    M_BRW,
    M_LRD,
    M_LWR,
    M_LRW,
    M_ARMW,
    M_FRMW
};

struct master {
    struct lab *lab;
    int64_t t_ns;
    int64_t step_ns; /* between two frames */
    uint8_t index;
    uint8_t frame[SEGMENT_FRAME_MAX];
    unsigned bytes;   /* of the frame */
    uint8_t counter;  /* of the mailbox */
    uint16_t address; /* of the last reply: the position field */
};

/* Layout of the process image: outputs of every device, then inputs, from logical address 0x10000. */
struct master_map {
    unsigned outputs[SEGMENT_SLAVES_MAX], inputs[SEGMENT_SLAVES_MAX]; /* offset of each device */
    unsigned output_bytes, bytes;
    unsigned wkc;
    uint8_t image[1400];
};

static inline unsigned master_frame(uint8_t *frame, uint8_t command, uint8_t index,
                                    uint32_t address, const uint8_t *data, unsigned n)
{
    static const uint8_t head[14] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10,
                                     1,    1,    1,    1,    1,    0x88, 0xa4};

    memset(frame, 0, SEGMENT_FRAME_MAX);
    memcpy(frame, head, sizeof head);
    wire_put_u16(frame + 14, (uint16_t)(0x1000 | (n + 12)));
    frame[16] = command;
    frame[17] = index;
    wire_put_u32(frame + 18, address);
    wire_put_u16(frame + 22, (uint16_t)n);
    memcpy(frame + 26, data, n);
    return 28 + n;
}

/* One datagram there and back: working counter, or -1 when nothing came back. The data is replaced. */
static inline int master_do(struct master *m, uint8_t command, uint32_t address, void *data,
                            unsigned n)
{
    const unsigned bytes = master_frame(m->frame, command, ++m->index, address, (uint8_t *)data, n);

    m->t_ns += m->step_ns;
    lab_in(m->lab, m->t_ns, m->frame, bytes);
    m->bytes = lab_out(m->lab, m->t_ns, m->frame);
    if (m->bytes != bytes) {
        return -1;
    }
    memcpy(data, m->frame + 26, n);
    m->address = wire_get_u16(m->frame + 18);
    return wire_get_u16(m->frame + 26 + n);
}

/* Position (from 1) and register as the address of a command by position. */
static inline uint32_t master_at(int position, uint16_t reg)
{
    return (uint32_t)(uint16_t)(1 - position) | (uint32_t)reg << 16;
}

static inline int master_write(struct master *m, int position, uint16_t reg, const void *data,
                               unsigned n)
{
    uint8_t copy[256];

    memcpy(copy, data, n);
    return master_do(m, M_APWR, master_at(position, reg), copy, n);
}

static inline int master_write16(struct master *m, int position, uint16_t reg, uint16_t value)
{
    uint8_t data[2];

    wire_put_u16(data, value);
    return master_write(m, position, reg, data, 2);
}

static inline uint64_t master_read(struct master *m, int position, uint16_t reg, unsigned n)
{
    uint8_t data[8] = {0};

    return master_do(m, M_APRD, master_at(position, reg), data, n) == 1 ? wire_get_u64(data)
                                                                        : ~0ull;
}

static inline void master_sm(struct master *m, int position, int sm, uint16_t start,
                             uint16_t length, uint8_t control)
{
    uint8_t r[8] = {0};

    wire_put_u16(r, start);
    wire_put_u16(r + 2, length);
    r[4] = control;
    r[6] = length > 0;
    master_write(m, position, (uint16_t)(0x0800 + 8 * sm), r, 8);
}

static inline void master_fmmu(struct master *m, int position, int fmmu, uint32_t logical,
                               uint16_t bytes, uint16_t physical, uint8_t type)
{
    uint8_t r[16] = {0};

    wire_put_u32(r, logical);
    wire_put_u16(r + 4, bytes);
    r[7] = 7;
    wire_put_u16(r + 8, physical);
    r[11] = type;
    r[12] = 1;
    master_write(m, position, (uint16_t)(0x0600 + 16 * fmmu), r, 16);
}

/* Ask for a state; what AL status and code say afterwards (code in the upper half). */
static inline uint32_t master_state(struct master *m, int position, uint16_t control)
{
    master_write16(m, position, 0x0120, control);
    return (uint32_t)(master_read(m, position, 0x0130, 2) | master_read(m, position, 0x0134, 2)
                                                                << 16);
}

static inline void master_mailbox(struct master *m, int position)
{
    master_sm(m, position, 0, 0x1000, 128, 0x26);
    master_sm(m, position, 1, 0x1080, 128, 0x22);
}

/* Send one mailbox message (behind the header) and read the answer: its bytes behind the header, 0 for none. */
static inline unsigned master_mail(struct master *m, int position, uint8_t type,
                                   const uint8_t *data, unsigned n, uint8_t answer[static 128])
{
    uint8_t box[128] = {0};

    m->counter = (uint8_t)(m->counter % 7 + 1);
    wire_put_u16(box, (uint16_t)n);
    box[5] = (uint8_t)(type | m->counter << 4);
    memcpy(box + 6, data, n);
    if (master_write(m, position, 0x1000, box, sizeof box) != 1 ||
        (master_read(m, position, 0x080d, 1) & 0x08) == 0 ||
        master_do(m, M_APRD, master_at(position, 0x1080), box, sizeof box) != 1) {
        return 0;
    }
    memcpy(answer, box + 6, sizeof box - 6);
    return wire_get_u16(box);
}

/* Expedited write; 0, or the abort code. */
static inline uint32_t master_sdo(struct master *m, int position, uint16_t index, uint8_t sub,
                                  uint32_t value, unsigned n)
{
    uint8_t request[10] = {0x00, 0x20, (uint8_t)(0x23 | (4 - n) << 2)};
    uint8_t answer[128];

    wire_put_u16(request + 3, index);
    request[5] = sub;
    wire_put_u32(request + 6, value);
    if (master_mail(m, position, 3, request, sizeof request, answer) != 10) {
        return 0xffffffff;
    }
    return answer[2] == 0x80 ? wire_get_u32(answer + 6) : 0;
}

/* Expedited read; the abort code comes back with *refused set. */
static inline uint32_t master_sdo_read(struct master *m, int position, uint16_t index, uint8_t sub,
                                       bool *refused)
{
    uint8_t request[10] = {0x00, 0x20, 0x40};
    uint8_t answer[128] = {0};

    wire_put_u16(request + 3, index);
    request[5] = sub;
    *refused =
        master_mail(m, position, 3, request, sizeof request, answer) != 10 || answer[2] == 0x80;
    return wire_get_u32(answer + 6);
}

static inline const struct slave *master_slave(const struct master *m, int position)
{
    return &m->lab->segment.slave[position - 1];
}

/* Sync managers and FMMUs of one device for its default image; moves *outputs and *inputs on. */
static inline void master_map_device(struct master *m, int position, struct master_map *map,
                                     unsigned *outputs, unsigned *inputs)
{
    const struct slave *s = master_slave(m, position);
    const struct device_type *type = s->model.type;
    const unsigned out = (s->outputs.bits + 7) / 8;
    const unsigned in = (s->inputs.bits + 7) / 8;
    int fmmu = 0;

    map->outputs[position - 1] = *outputs;
    map->inputs[position - 1] = *inputs;
    if (out > 0 || type->mailbox) {
        master_sm(m, position, type->mailbox ? 2 : 0, type->outputs_start, (uint16_t)out,
                  type->outputs_control);
    }
    if (in > 0 || type->mailbox) {
        master_sm(m, position, type->mailbox ? 3 : 0, type->inputs_start, (uint16_t)in,
                  type->inputs_control);
    }
    if (out > 0) {
        master_fmmu(m, position, fmmu++, 0x10000 + *outputs, (uint16_t)out, type->outputs_start, 2);
        map->wkc += 2;
    }
    if (in > 0) {
        master_fmmu(m, position, fmmu++, 0x10000 + *inputs, (uint16_t)in, type->inputs_start, 1);
        map->wkc += 1;
    }
    *outputs += out;
    *inputs += in;
}

/* All devices to PRE-OP with their images mapped. */
static inline void master_preop(struct master *m, struct master_map *map)
{
    unsigned outputs = 0;
    unsigned inputs = 0;

    memset(map, 0, sizeof *map);
    for (int i = 0; i < m->lab->segment.count; i++) {
        inputs += (m->lab->segment.slave[i].outputs.bits + 7) / 8;
    }
    map->output_bytes = inputs;
    for (int i = 1; i <= m->lab->segment.count; i++) {
        if (master_slave(m, i)->model.type->mailbox) {
            master_mailbox(m, i);
        }
        master_state(m, i, 0x02);
        master_map_device(m, i, map, &outputs, &inputs);
    }
    map->bytes = inputs;
}

/* One cycle of process data: working counter. */
static inline int master_cycle(struct master *m, struct master_map *map)
{
    return master_do(m, M_LRW, 0x10000, map->image, map->bytes);
}

/* To OP; 0, or the position of the first device that did not get there. */
static inline int master_op(struct master *m, struct master_map *map)
{
    static const uint8_t states[] = {0x04, 0x08};

    for (int k = 0; k < 2; k++) {
        for (int i = 1; i <= m->lab->segment.count; i++) {
            if ((master_state(m, i, states[k]) & 0x1f) != states[k]) {
                return i;
            }
        }
        master_cycle(m, map);
    }
    return 0;
}

/* A lab of a ready-made segment and a master on it, at time zero. */
static inline void master_init(struct master *m, struct lab *lab, const char *segment,
                               uint64_t seed)
{
    struct slave_model models[SEGMENT_SLAVES_MAX];
    const int count = layout_named(segment, models);

    memset(m, 0, sizeof *m);
    m->lab = lab;
    m->step_ns = 20000;
    (void)lab_init(lab, models, count, seed, 0, NULL);
}

#endif
