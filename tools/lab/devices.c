/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices.c - the table of device kinds and the objects they have in common. */
#include "tools/lab/devices.h"

#include <stddef.h>
#include <string.h>

#include "model/base.h"

static const struct device_type *const table[] = {
    &device_coupler, &device_di8,     &device_di4,          &device_do8,      &device_do4,
    &device_ft_axia, &device_ft_bota, &device_drive_cia402, &device_airboard, &device_bridge,
};

/* Identity (0x1018) and name are filled in by devices_objects() and by the owner of the dictionary. */
static const struct od_row common[] = {
    {0x1001, 0, OD_U8, OD_RO, "Error register", 0, NULL, 0, 0},
    {0x1009, 0, OD_TEXT, OD_RO, "Hardware version", 0, "lab", 0, 0},
    {0x100a, 0, OD_TEXT, OD_RO, "Software version", 0, "1.0", 0, 0},
    {0x1018, 0, OD_U8, OD_RO, "Identity", 4, NULL, 0, 0},
    {0x1018, 1, OD_U32, OD_RO, "Vendor ID", 0, NULL, 0, 0},
    {0x1018, 2, OD_U32, OD_RO, "Product code", 0, NULL, 0, 0},
    {0x1018, 3, OD_U32, OD_RO, "Revision", 0, NULL, 0, 0},
    {0x1018, 4, OD_U32, OD_RO, "Serial number", 0, NULL, 0, 0},
    {0x1c00, 0, OD_U8, OD_RO, "Sync manager type", 4, NULL, 0, 0},
    {0x1c00, 1, OD_U8, OD_RO, "Sync manager", 1, NULL, 4, 1},
    {0x1c32, 0, OD_U8, OD_RO, "Output synchronisation", 5, NULL, 0, 0},
    {0x1c32, 1, OD_U16, OD_RW, "Synchronisation type", 1, NULL, 0, 0},
    {0x1c32, 2, OD_U32, OD_RW, "Cycle time, ns", 1000000, NULL, 0, 0},
    {0x1c32, 4, OD_U16, OD_RO, "Supported types", 0x0007, NULL, 0, 0},
    {0x1c32, 5, OD_U32, OD_RO, "Least cycle time, ns", 250000, NULL, 0, 0},
    {0x1c33, 0, OD_U8, OD_RO, "Input synchronisation", 5, NULL, 0, 0},
    {0x1c33, 1, OD_U16, OD_RW, "Synchronisation type", 1, NULL, 0, 0},
    {0x1c33, 2, OD_U32, OD_RW, "Cycle time, ns", 1000000, NULL, 0, 0},
    {0x1c33, 4, OD_U16, OD_RO, "Supported types", 0x0007, NULL, 0, 0},
    {0x1c33, 5, OD_U32, OD_RO, "Least cycle time, ns", 250000, NULL, 0, 0},
    {0x2f00, 0, OD_BYTES, OD_RW, "Lab scratch memory", 600, NULL, 0, 0},
};

int devices_count(void)
{
    return (int)COUNT_OF(table);
}

const struct device_type *devices_type(int i)
{
    return i >= 0 && i < devices_count() ? table[i] : NULL;
}

const struct device_type *devices_find(const char *name)
{
    for (int i = 0; i < devices_count(); i++) {
        if (strcmp(table[i]->name, name) == 0) {
            return table[i];
        }
    }
    return NULL;
}

int devices_objects(const struct device_type *type, struct od *od)
{
    int error = 0;

    od_init(od);
    if (type->mailbox) {
        error = od_add(od, common, (int)COUNT_OF(common));
    }
    if (error == 0) {
        error = od_add(od, type->rows, type->row_count);
    }
    return error;
}

uint16_t devices_crc16(const uint8_t *data, unsigned n)
{
    unsigned crc = 0xffff;

    for (unsigned i = 0; i < n; i++) {
        crc ^= (unsigned)data[i] << 8;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 0x8000) != 0 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1;
        }
    }
    return (uint16_t)crc;
}
