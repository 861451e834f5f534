/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mailbox.h - the mailbox of a CoE device: requests from sync manager 0, replies into sync manager 1, repeated when
 * the master asks again, emergencies of the device's own accord.
 */
#ifndef FREEFALL_LAB_MAILBOX_H
#define FREEFALL_LAB_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/lab/esc.h"
#include "tools/lab/od.h"
#include "tools/lab/sdo.h"

#define MAILBOX_BYTES_MAX 1024
#define MAILBOX_BYTES_MIN 32
#define MAILBOX_QUEUE     8

struct mailbox_message {
    uint16_t bytes;
    uint8_t data[MAILBOX_BYTES_MAX];
};

struct mailbox {
    struct sdo sdo;
    uint8_t counter_in;  /* of the last request: the same again is a duplicate */
    uint8_t counter_out; /* of the last reply */
    int first, count;    /* replies waiting to be read */
    struct mailbox_message queue[MAILBOX_QUEUE];
    struct mailbox_message offered; /* lies in sync manager 1, or was the last to lie there */
    struct mailbox_message read;    /* the last one the master took: it may not have arrived */
    bool followed;                  /* `offered` came without a request behind `read` */
    bool waiting;                   /* a request lies in sync manager 0 */
    int64_t due_ns;                 /* when it is answered */

    /* scripted faults */
    bool hang;
    int64_t slow_ns;
    int refusal_count;
    struct sdo_refusal refusal[SDO_ABORTS_MAX];

    /* counters */
    uint32_t requests, refused, duplicates, repeats, emergencies, lost;
};

/* Forget everything but the scripted faults and the counters: the device enters PRE-OP. */
void mailbox_reset(struct mailbox *m);

/* Take up what the master did to the two sync managers, answer what is due at t_ns. `state` is that of the
 * device (enum al_value): rights depend on it. */
void mailbox_step(struct mailbox *m, struct esc *e, struct od *od, uint8_t state, int64_t t_ns);

/* Queue an emergency: error code, error register, five bytes of the maker. Lost when the queue is full. */
void mailbox_emergency(struct mailbox *m, uint16_t code, uint8_t error_register,
                       const uint8_t data[static 5]);

#endif
