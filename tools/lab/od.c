/* SPDX-License-Identifier: GPL-3.0-or-later */
/* od.c - see od.h. */
#include "tools/lab/od.h"

#include <errno.h>
#include <string.h>

#include "drivers/wire.h"

static uint16_t size_of(const struct od_row *row)
{
    switch (row->type) {
    case OD_BOOL:
    case OD_I8:
    case OD_U8:
        return 1;
    case OD_I16:
    case OD_U16:
        return 2;
    case OD_U64:
        return 8;
    case OD_TEXT:
        return (uint16_t)(row->text ? strlen(row->text) : 0);
    case OD_BYTES:
        return (uint16_t)row->initial;
    default:
        return 4;
    }
}

static unsigned key(uint16_t index, uint8_t sub)
{
    return (unsigned)index << 8 | sub;
}

static unsigned hash(uint16_t index, uint8_t sub)
{
    return (index + 29u * (index >> 8) + 67u * sub) % OD_HINTS;
}

/* Place where the entry is, or would have to be inserted. */
static int place(const struct od *od, unsigned wanted)
{
    int low = 0;
    int high = od->count;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (key(od->entry[middle].index, od->entry[middle].sub) < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void put(uint8_t *value, unsigned bytes, uint32_t number)
{
    for (unsigned i = 0; i < bytes; i++) {
        value[i] = (uint8_t)(i < 4 ? number >> (8 * i) : 0);
    }
}

static int add(struct od *od, const struct od_row *row, unsigned i, unsigned *used)
{
    const uint8_t sub = (uint8_t)(row->sub + i);
    const uint16_t bytes = size_of(row);
    const int at = place(od, key(row->index, sub));
    struct od_entry *entry = &od->entry[at];

    if (od->count >= OD_ENTRIES_MAX || *used + bytes > OD_BYTES_MAX) {
        return -ENOSPC;
    }
    if (at < od->count && entry->index == row->index && entry->sub == sub) {
        return -EEXIST;
    }
    memmove(entry + 1, entry, (size_t)(od->count - at) * sizeof *entry);
    *entry = (struct od_entry){row->index, sub, bytes, (uint16_t)*used, row};
    if (row->type == OD_TEXT) {
        memcpy(&od->value[*used], row->text ? row->text : "", bytes);
    } else if (row->type != OD_BYTES) {
        put(&od->value[*used], bytes, row->initial + i * row->step);
    }
    od->count++;
    *used += bytes;
    return 0;
}

static unsigned bytes_used(const struct od *od)
{
    unsigned used = 0;

    for (int i = 0; i < od->count; i++) {
        used += od->entry[i].bytes;
    }
    return used;
}

void od_init(struct od *od)
{
    memset(od, 0, sizeof *od);
}

int od_add(struct od *od, const struct od_row *rows, int count)
{
    unsigned used = bytes_used(od);

    for (int k = 0; k < count; k++) {
        const unsigned repeat = rows[k].repeat > 0 ? rows[k].repeat : 1;

        for (unsigned i = 0; i < repeat; i++) {
            const int error = add(od, &rows[k], i, &used);

            if (error != 0) {
                return error;
            }
        }
    }
    for (int i = 0; i < od->count; i++) {
        od->hint[hash(od->entry[i].index, od->entry[i].sub)] = (uint16_t)i;
    }
    return 0;
}

static bool is(const struct od *od, int at, uint16_t index, uint8_t sub)
{
    return at < od->count && od->entry[at].index == index && od->entry[at].sub == sub;
}

/* Devices look up a dozen objects in every step: the hint finds most of them at once. */
int od_find(const struct od *od, uint16_t index, uint8_t sub)
{
    int at = od->hint[hash(index, sub)];

    if (!is(od, at, index, sub)) {
        at = place(od, key(index, sub));
    }
    return is(od, at, index, sub) ? at : -1;
}

int od_object(const struct od *od, uint16_t index, uint8_t *last)
{
    const int first = place(od, key(index, 0));

    if (first >= od->count || od->entry[first].index != index) {
        return -1;
    }
    for (int i = first; last && i < od->count && od->entry[i].index == index; i++) {
        *last = od->entry[i].sub;
    }
    return first;
}

unsigned od_bits(const struct od_entry *entry)
{
    return entry->row->type == OD_BOOL ? 1 : 8u * entry->bytes;
}

uint32_t od_get(const struct od *od, uint16_t index, uint8_t sub)
{
    const int at = od_find(od, index, sub);
    uint32_t number = 0;

    for (unsigned i = 0; at >= 0 && i < od->entry[at].bytes && i < 4; i++) {
        number |= (uint32_t)od->value[od->entry[at].offset + i] << (8 * i);
    }
    return number;
}

int32_t od_get_signed(const struct od *od, uint16_t index, uint8_t sub)
{
    const int at = od_find(od, index, sub);
    const uint32_t number = od_get(od, index, sub);

    if (at >= 0 && od->entry[at].bytes == 1) {
        return (int8_t)number;
    }
    return at >= 0 && od->entry[at].bytes == 2 ? (int16_t)number : (int32_t)number;
}

void od_set(struct od *od, uint16_t index, uint8_t sub, uint32_t value)
{
    const int at = od_find(od, index, sub);

    if (at >= 0) {
        put(&od->value[od->entry[at].offset], od->entry[at].bytes, value);
    }
}

void od_set_real(struct od *od, uint16_t index, uint8_t sub, double value)
{
    const int at = od_find(od, index, sub);

    if (at >= 0 && od->entry[at].bytes == 4) {
        wire_put_f32(&od->value[od->entry[at].offset], (float)value);
    }
}
