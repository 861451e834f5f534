/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pdo.c - see pdo.h. */
#include "tools/lab/pdo.h"

#include <errno.h>
#include <string.h>

enum {
    ABORT_COUNT_NOT_ZERO = 0x06010003,
    ABORT_NOT_MAPPABLE = 0x06040041,
    ABORT_RANGE = 0x06090030,
};

static bool is_assignment(uint16_t index)
{
    return index == PDO_OUTPUTS || index == PDO_INPUTS;
}

static bool is_mapping(uint16_t index)
{
    return (index >= 0x1600 && index < 0x1800) || (index >= 0x1a00 && index < 0x1c00);
}

/* A mapped object: index, sub-index and bits in one number; 0x0000:00 is a gap. Entry number, -1 for a gap,
 * -2 when it cannot be mapped. */
static int mapped(const struct od *od, uint32_t object, uint16_t direction)
{
    const int at = od_find(od, (uint16_t)(object >> 16), (uint8_t)(object >> 8));

    if (object >> 8 == 0) {
        return -1;
    }
    if (at < 0 || (od->entry[at].row->access & direction) == 0 ||
        od_bits(&od->entry[at]) != (object & 0xff)) {
        return -2;
    }
    return at;
}

static int add(struct pdo_map *map, const struct od *od, uint32_t object, uint16_t direction)
{
    const int at = mapped(od, object, direction);

    if (at == -2 || map->count >= PDO_ITEMS_MAX || map->bits + (object & 0xff) > 0x4000) {
        return -EINVAL;
    }
    if (at >= 0) {
        map->item[map->count++] =
            (struct pdo_item){(uint16_t)map->bits, (uint16_t)(object & 0xff), od->entry[at].offset};
    }
    map->bits += object & 0xff;
    return 0;
}

int pdo_build(struct pdo_map *map, const struct od *od, uint16_t assignment)
{
    const uint16_t direction = assignment == PDO_OUTPUTS ? OD_RX : OD_TX;
    const uint32_t pdos = od_get(od, assignment, 0);

    memset(map, 0, sizeof *map);
    for (uint32_t p = 1; p <= pdos; p++) {
        const uint16_t pdo = (uint16_t)od_get(od, assignment, (uint8_t)p);
        const uint32_t objects = od_get(od, pdo, 0);

        for (uint32_t i = 1; i <= objects; i++) {
            if (i > 0xff || add(map, od, od_get(od, pdo, (uint8_t)i), direction) != 0) {
                memset(map, 0, sizeof *map);
                return -EINVAL;
            }
        }
    }
    return 0;
}

/* Single bits are objects of one byte, 0 or 1; everything else is copied as bits, from anywhere to anywhere. */
static void copy_bits(uint8_t *to, unsigned to_bit, const uint8_t *from, unsigned from_bit,
                      unsigned n)
{
    if (to_bit % 8 == 0 && from_bit % 8 == 0 && n % 8 == 0) {
        memcpy(to + to_bit / 8, from + from_bit / 8, n / 8);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned bit = (unsigned)from[(from_bit + i) / 8] >> ((from_bit + i) % 8) & 1u;
        const uint8_t mask = (uint8_t)(1u << (to_bit + i) % 8);
        uint8_t *byte = &to[(to_bit + i) / 8];

        *byte = (uint8_t)(bit ? *byte | mask : *byte & ~mask);
    }
}

void pdo_outputs(const struct pdo_map *map, struct od *od, const uint8_t *image)
{
    for (int i = 0; i < map->count; i++) {
        const struct pdo_item *item = &map->item[i];

        copy_bits(&od->value[item->offset], 0, image, item->image_bit, item->bits);
    }
}

void pdo_inputs(const struct pdo_map *map, const struct od *od, uint8_t *image)
{
    for (int i = 0; i < map->count; i++) {
        const struct pdo_item *item = &map->item[i];

        copy_bits(image, item->image_bit, &od->value[item->offset], 0, item->bits);
    }
}

/* Would a count of n make a usable mapping or assignment? */
static uint32_t check_count(const struct od *od, uint16_t index, uint32_t n)
{
    const uint16_t direction = index == PDO_OUTPUTS || index < 0x1800 ? OD_RX : OD_TX;

    for (uint32_t i = 1; i <= n; i++) {
        const uint32_t object = od_get(od, index, (uint8_t)i);

        if (i > 0xff || od_find(od, index, (uint8_t)i) < 0) {
            return ABORT_RANGE;
        }
        if (is_mapping(index) ? mapped(od, object, direction) == -2
                              : od_find(od, (uint16_t)object, 0) < 0) {
            return ABORT_NOT_MAPPABLE;
        }
    }
    return 0;
}

uint32_t pdo_check(const struct od *od, uint16_t index, uint8_t sub, uint32_t value)
{
    const uint16_t direction = index == PDO_OUTPUTS || index < 0x1800 ? OD_RX : OD_TX;

    if (!is_assignment(index) && !is_mapping(index)) {
        return 0;
    }
    if (sub == 0) {
        return check_count(od, index, value);
    }
    if (od_get(od, index, 0) != 0) {
        return ABORT_COUNT_NOT_ZERO;
    }
    if (is_mapping(index)) {
        return mapped(od, value, direction) == -2 ? ABORT_NOT_MAPPABLE : 0;
    }
    return od_find(od, (uint16_t)value, 0) >= 0 && is_mapping((uint16_t)value) &&
                   (value < 0x1800) == (index == PDO_OUTPUTS)
               ? 0
               : ABORT_NOT_MAPPABLE;
}
