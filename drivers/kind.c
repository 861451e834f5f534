/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kind.c - see kind.h. Layouts as in design and in tools/lab/README.md. */
#include "drivers/kind.h"

#include <string.h>

#include "model/base.h"

#define LAB_VENDOR 0xe0000f1fu /* a number nobody has: devices of the simulated segment */

static const uint32_t axia_rx[] = {0x70100120, 0x70100220};
static const uint32_t axia_tx[] = {0x60000120, 0x60000220, 0x60000320, 0x60000420,
                                   0x60000520, 0x60000620, 0x60100020, 0x60200020};
static const uint32_t drive_rx[] = {0x60400010, 0x60600008, 0x60710010, 0x607a0020, 0x60ff0020};
static const uint32_t drive_tx[] = {0x60410010, 0x60610008, 0x60640020,
                                    0x606c0020, 0x60770010, 0x603f0010};
static const uint32_t board_rx[] = {0x70000108, 0x70000210, 0x70000310, 0x70000410,
                                    0x70000510, 0x70000610, 0x70000710};
static const uint32_t board_tx[] = {0x60000108, 0x60000210, 0x60000310, 0x60000410, 0x60000510};

/* Interpolation time 1 * 10^-3 s; quick stop by its ramp, then switch-on disabled. */
static const struct kind_object drive_objects[] = {
    {0x60c2, 1, 1, 1},
    {0x60c2, 2, 1, 0xfd},
    {0x605a, 0, 2, 2},
};

#define PDO(index, entries) {(index), (int)COUNT_OF(entries), (entries)}
#define NO_PDO              {0, 0, NULL}

static const struct kind table[] = {
    {"coupler", KIND_COUPLER, 2, 0x044c2c52, 0, 0, NO_PDO, NO_PDO, 0, NULL, 0},
    {"di8", KIND_INPUTS, 2, 0x03f03052, 0, 8, NO_PDO, NO_PDO, 0, NULL, 0},
    {"di4", KIND_INPUTS, 2, 0x03ec3052, 0, 4, NO_PDO, NO_PDO, 0, NULL, 0},
    {"do8", KIND_OUTPUTS, 2, 0x07d83052, 8, 0, NO_PDO, NO_PDO, 0, NULL, 0},
    {"do4", KIND_OUTPUTS, 2, 0x07d43052, 4, 0, NO_PDO, NO_PDO, 0, NULL, 0},
    {"ft-axia", KIND_FT, 0x00000732, 0x26483053, 64, 256, PDO(0x1601, axia_rx),
     PDO(0x1a00, axia_tx), 0, NULL, 0x2021},
    /* object numbers of this sensor are not known for certain: its own mapping is taken, and its size checked */
    {"ft-bota", KIND_FT, LAB_VENDOR, 0x00000b07, 8, 616, NO_PDO, NO_PDO, 0, NULL, 0},
    {"drive", KIND_DRIVE, LAB_VENDOR, 0x00000402, 104, 120, PDO(0x1600, drive_rx),
     PDO(0x1a00, drive_tx), (int)COUNT_OF(drive_objects), drive_objects, 0},
    {"airboard", KIND_BOARD, LAB_VENDOR, 0x00000a12, 104, 72, PDO(0x1600, board_rx),
     PDO(0x1a00, board_tx), 0, NULL, 0},
    {"bridge", KIND_BRIDGE, 2, 0x1a273052, 256, 256, NO_PDO, NO_PDO, 0, NULL, 0},
};

const struct kind *kind_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

const struct kind *kind_identified(uint32_t vendor, uint32_t product)
{
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (table[i].vendor == vendor && table[i].product == product) {
            return &table[i];
        }
    }
    return NULL;
}
