/* SPDX-License-Identifier: GPL-3.0-or-later */
/* od.h - object dictionary of one CoE device: objects declared as rows of a table, values as bytes.
 *
 * A row stands for one entry, or for `repeat` entries with consecutive sub-indices (arrays). Values are kept
 * little-endian, as they travel. Objects with more than one entry have their count at sub-index 0.
 */
#ifndef FREEFALL_LAB_OD_H
#define FREEFALL_LAB_OD_H

#include <stdbool.h>
#include <stdint.h>

#define OD_ENTRIES_MAX 256
#define OD_BYTES_MAX   4096
#define OD_HINTS       256

/* Data types of CoE. */
enum od_type {
    OD_BOOL = 0x01,
    OD_I8 = 0x02,
    OD_I16 = 0x03,
    OD_I32 = 0x04,
    OD_U8 = 0x05,
    OD_U16 = 0x06,
    OD_U32 = 0x07,
    OD_F32 = 0x08,
    OD_TEXT = 0x09,
    OD_BYTES = 0x0a,
    OD_U64 = 0x1b,
};

/* Access rights as SDO information shows them: read and write in PRE-OP, SAFE-OP, OP; PDO mapping. */
enum od_access {
    OD_RO = 0x0007,
    OD_RW = 0x003f,
    OD_RW_PREOP = 0x000f, /* written in PRE-OP only: PDO assignment and mapping */
    OD_WRITE = 0x0038,
    OD_RX = 0x0040, /* may be mapped into outputs */
    OD_TX = 0x0080, /* may be mapped into inputs */
};

struct od_row {
    uint16_t index;
    uint8_t sub;
    uint8_t type;
    uint16_t access;
    const char *name; /* of the object at sub-index 0, of the entry elsewhere */
    uint32_t initial; /* number, or size in bytes for OD_BYTES; real numbers by their bits */
    const char *text; /* value of OD_TEXT */
    uint8_t repeat;   /* entries, 0 means 1 */
    uint32_t step;    /* added to initial for each of them */
};

struct od_entry {
    uint16_t index;
    uint8_t sub;
    uint16_t bytes;  /* 1 for OD_BOOL */
    uint16_t offset; /* of the value */
    const struct od_row *row;
};

struct od {
    int count;
    struct od_entry entry[OD_ENTRIES_MAX]; /* by index, then sub-index */
    uint16_t hint[OD_HINTS]; /* where an entry most likely is, by a hash of its address */
    uint8_t value[OD_BYTES_MAX];
};

/* Empty, then add tables; rows may come in any order. -ENOSPC when there is no room, -EEXIST when an entry is
 * there already. */
void od_init(struct od *od);
int od_add(struct od *od, const struct od_row *rows, int count);

/* Number of the entry, or -1. */
int od_find(const struct od *od, uint16_t index, uint8_t sub);

/* Number of the first entry of the object, or -1; its highest sub-index through *last when not NULL. */
int od_object(const struct od *od, uint16_t index, uint8_t *last);

/* Bits an entry takes in a process image. */
unsigned od_bits(const struct od_entry *entry);

/* Values by address; reading what does not exist gives 0, writing it does nothing. Numbers are widened or
 * cut to the size of the entry. */
uint32_t od_get(const struct od *od, uint16_t index, uint8_t sub);
int32_t od_get_signed(const struct od *od, uint16_t index, uint8_t sub);
void od_set(struct od *od, uint16_t index, uint8_t sub, uint32_t value);
void od_set_real(struct od *od, uint16_t index, uint8_t sub, double value);

#endif
