/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sii.h - the slave information EEPROM: its content, made from the device description, and its registers.
 *
 * Layout: ETG.1000.6 (words 0 to 0x3f fixed, then categories). The master reads identity, mailbox, sync
 * managers, PDOs and names from it.
 */
#ifndef FREEFALL_LAB_SII_H
#define FREEFALL_LAB_SII_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/lab/esc.h"
#include "tools/lab/od.h"

#define SII_BYTES 2048

struct sii_sm {
    uint16_t start, length;
    uint8_t control, activate;
    uint8_t type; /* 1 mailbox out, 2 mailbox in, 3 outputs, 4 inputs */
};

/* What goes into the EEPROM. */
struct sii_model {
    uint16_t pdi_control; /* as register 0x0140 */
    uint16_t alias;
    uint32_t vendor, product, revision, serial;
    uint16_t mailbox_bytes; /* each direction, 0: no mailbox */
    uint16_t mailbox_out, mailbox_in;
    bool dc;
    const char *name;  /* "CiA 402 drive" */
    const char *order; /* "LAB-402" */
    int sm_count;
    struct sii_sm sm[4];
    const struct od *od; /* PDO assignment and mapping are read from it */
};

/* Fill the image; 0, or -ENOSPC when it does not fit. Bytes behind the end are 0xff. */
int sii_build(uint8_t image[static SII_BYTES], const struct sii_model *model);

/* Carry out the command in register 0x0502: read, write, reload. Done at once, never busy. */
void sii_command(uint8_t image[static SII_BYTES], struct esc *e);

#endif
