/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pdo.h - which objects lie where in the process image, from the assignment (0x1C12, 0x1C13) and the mapping
 * (0x16xx, 0x1Axx) in the object dictionary; and the copy between image and objects.
 */
#ifndef FREEFALL_LAB_PDO_H
#define FREEFALL_LAB_PDO_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/lab/od.h"

#define PDO_ITEMS_MAX 64
#define PDO_OUTPUTS   0x1c12 /* assignment objects */
#define PDO_INPUTS    0x1c13

struct pdo_item {
    uint16_t image_bit; /* where it begins in the image */
    uint16_t bits;
    uint16_t offset; /* of the value in the dictionary */
};

struct pdo_map {
    int count;
    unsigned bits; /* of the whole image, gaps included */
    struct pdo_item item[PDO_ITEMS_MAX];
};

/* Build the map of one direction. -EINVAL when a mapped object does not exist, has another size or may not be
 * mapped in that direction; the map is then empty. */
int pdo_build(struct pdo_map *map, const struct od *od, uint16_t assignment);

/* Image to objects (outputs), objects to image (inputs). */
void pdo_outputs(const struct pdo_map *map, struct od *od, const uint8_t *image);
void pdo_inputs(const struct pdo_map *map, const struct od *od, uint8_t *image);

/* May this value be written to an assignment or mapping object now? 0, or the SDO abort code. Entries change
 * only while their count is zero; a count is taken only when everything it counts can be mapped. */
uint32_t pdo_check(const struct od *od, uint16_t index, uint8_t sub, uint32_t value);

#endif
