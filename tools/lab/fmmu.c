/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fmmu.c - see fmmu.h. Whole bytes move as a block; anything else bit by bit. */
#include "tools/lab/fmmu.h"

/* The part of the datagram one FMMU covers: bytes [first, end) of the FMMU's own area. */
struct overlap {
    unsigned first, end;
    uint8_t *data; /* of byte `first` */
};

static bool overlaps(const struct esc_fmmu *f, uint32_t logical, uint8_t *data, unsigned n,
                     struct overlap *o)
{
    const uint64_t low = f->start > logical ? f->start : logical;
    const uint64_t fmmu_end = (uint64_t)f->start + f->length;
    const uint64_t data_end = (uint64_t)logical + n;
    const uint64_t high = fmmu_end < data_end ? fmmu_end : data_end;

    if (low >= high) {
        return false;
    }
    o->first = (unsigned)(low - f->start);
    o->end = (unsigned)(high - f->start);
    o->data = data + (low - logical);
    return true;
}

static bool whole_bytes(const struct esc_fmmu *f)
{
    return f->start_bit == 0 && f->end_bit == 7 && f->physical_bit == 0;
}

/* Move one bit; the other bits of the byte it arrives in keep their value. */
static bool move_bit(struct esc *e, unsigned physical, unsigned physical_bit, uint8_t *data,
                     unsigned bit, bool write)
{
    const uint8_t mask = (uint8_t)(1u << physical_bit);
    uint8_t byte;

    if (physical >= ESC_MEMORY) {
        return false;
    }
    if (write) {
        byte = e->memory[physical];
        byte = (uint8_t)((*data >> bit & 1) != 0 ? byte | mask : byte & ~mask);
        return esc_write(e, (uint16_t)physical, &byte, 1);
    }
    if (!esc_read(e, (uint16_t)physical, &byte, 1)) {
        return false;
    }
    *data = (uint8_t)((byte & mask) != 0 ? *data | 1u << bit : *data & ~(1u << bit));
    return true;
}

static bool move_bits(struct esc *e, const struct esc_fmmu *f, const struct overlap *o, bool write)
{
    bool success = false;

    for (unsigned byte = o->first; byte < o->end; byte++) {
        const unsigned low = byte == 0 ? f->start_bit : 0;
        const unsigned high = byte == f->length - 1u ? f->end_bit : 7;

        for (unsigned bit = low; bit <= high; bit++) {
            const unsigned k = 8 * byte + bit - f->start_bit + f->physical_bit;

            success |=
                move_bit(e, f->physical + k / 8, k % 8, &o->data[byte - o->first], bit, write);
        }
    }
    return success;
}

static bool move(struct esc *e, const struct esc_fmmu *f, const struct overlap *o, bool write)
{
    const unsigned physical = f->physical + o->first;

    if (!whole_bytes(f)) {
        return move_bits(e, f, o, write);
    }
    if (physical >= ESC_MEMORY) {
        return false;
    }
    return write ? esc_write(e, (uint16_t)physical, o->data, o->end - o->first)
                 : esc_read(e, (uint16_t)physical, o->data, o->end - o->first);
}

static bool pass(struct esc *e, uint32_t logical, uint8_t *data, unsigned n, bool write)
{
    bool success = false;

    for (int i = 0; i < ESC_FMMU_COUNT; i++) {
        const struct esc_fmmu *f = &e->fmmu[i];
        struct overlap o;

        if (f->active && (write ? f->write : f->read) && overlaps(f, logical, data, n, &o)) {
            success |= move(e, f, &o, write);
        }
    }
    return success;
}

unsigned fmmu_access(struct esc *e, uint32_t logical, uint8_t *data, unsigned n, bool read,
                     bool write)
{
    unsigned served = 0;

    if (write && pass(e, logical, data, n, true)) {
        served |= FMMU_WRITTEN;
    }
    if (read && pass(e, logical, data, n, false)) {
        served |= FMMU_READ;
    }
    return served;
}
