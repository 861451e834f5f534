/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kind.h - kinds of EtherCAT devices freefall knows: one row each, with its process data and what it is told at start.
 *
 * A new device is a row here, and scaling in its own file when its bytes mean something new (ft.c, cia402.c, ...).
 */
#ifndef FREEFALL_KIND_H
#define FREEFALL_KIND_H

#include <stddef.h>
#include <stdint.h>

enum kind_role {
    KIND_COUPLER, /* no process data */
    KIND_INPUTS,  /* digital */
    KIND_OUTPUTS,
    KIND_FT,
    KIND_DRIVE,
    KIND_BOARD,  /* valves and servos of the planar robot */
    KIND_BRIDGE, /* to another master */
    KIND_OTHER,
};

/* One PDO: the only one assigned in its direction. Entries are written as the device keeps them: index, sub-index, bits.
 * Without entries the direction has no data, or the device has no mailbox. */
struct kind_pdo {
    uint16_t index;
    int count;
    const uint32_t *entry;
};

/* An object written in PRE-OP. */
struct kind_object {
    uint16_t index;
    uint8_t sub;
    uint8_t bytes;
    uint32_t value;
};

struct kind {
    const char *name; /* as bus.devices[].type */
    enum kind_role role;
    uint32_t vendor, product;
    int outputs, inputs; /* bits of process data */
    struct kind_pdo rx, tx;
    int objects;
    const struct kind_object *object;
    uint16_t calibration; /* record with units and counts (ft.h); 0: none */
};

/* By name, or by identity; NULL when there is none. */
const struct kind *kind_find(const char *name);
const struct kind *kind_identified(uint32_t vendor, uint32_t product);

#endif
