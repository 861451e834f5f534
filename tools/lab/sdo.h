/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sdo.h - the SDO server of a CoE device: upload and download, expedited, normal and segmented, single entry or
 * complete access. Bytes in, bytes out; the mailbox around them is mailbox.h.
 */
#ifndef FREEFALL_LAB_SDO_H
#define FREEFALL_LAB_SDO_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/lab/od.h"

#define SDO_BYTES_MAX  1024 /* longest value of one transfer */
#define SDO_ABORTS_MAX 8
#define SDO_ANY_SUB    0x100

/* CoE services, in the upper four bits of the CoE header. */
enum sdo_service {
    SDO_EMERGENCY = 1,
    SDO_REQUEST = 2,
    SDO_RESPONSE = 3,
    SDO_INFORMATION = 8,
};

enum sdo_code {
    SDO_OK = 0,
    SDO_TOGGLE = 0x05030000,
    SDO_COMMAND = 0x05040001,
    SDO_MEMORY = 0x05040005,
    SDO_WRITE_ONLY = 0x06010001,
    SDO_READ_ONLY = 0x06010002,
    SDO_NOT_COMPLETE = 0x06010004, /* complete access to an object that is one value */
    SDO_NO_OBJECT = 0x06020000,
    SDO_INCOMPATIBLE = 0x06040043,
    SDO_LENGTH = 0x06070010,
    SDO_TOO_LONG = 0x06070012,
    SDO_TOO_SHORT = 0x06070013,
    SDO_NO_SUB = 0x06090011,
    SDO_RANGE = 0x06090030,
    SDO_STATE = 0x08000022,
};

/* An object that answers with this code whatever is asked of it: a scripted fault. */
struct sdo_refusal {
    uint16_t index;
    uint16_t sub; /* or SDO_ANY_SUB */
    uint32_t code;
};

/* What a transfer works on. */
struct sdo_model {
    struct od *od;
    uint8_t state;          /* of the device, enum al_value */
    unsigned mailbox_bytes; /* of the reply mailbox */
    const struct sdo_refusal *refusals;
    int refusal_count;
};

/* A transfer in several mailboxes. */
struct sdo {
    bool upload, download;
    uint16_t index;
    uint8_t sub;
    bool complete;
    uint8_t toggle; /* expected next, 0x00 or 0x10 */
    unsigned size, done;
    uint8_t buffer[SDO_BYTES_MAX];
};

void sdo_init(struct sdo *s);

/* Answer one CoE message of service 2 (header included, n bytes): bytes of the reply, 0 for none. `reply` has
 * room for mailbox_bytes. An abort goes out as service 2, which is how devices send it and masters know it. */
unsigned sdo_answer(struct sdo *s, const struct sdo_model *m, const uint8_t *request, unsigned n,
                    uint8_t *reply);

#endif
