/* SPDX-License-Identifier: GPL-3.0-or-later */
/* al.h - the EtherCAT state machine of a device with a processor: which state a request leads to.
 *
 *     INIT <-> PRE-OP <-> SAFE-OP <-> OP         up one step at a time, down to any
 *
 * While the error bit is set, a request for a higher state without acknowledge is ignored; one for the
 * same or a lower state clears it. Pure: what speaks against a step is computed by the caller and given as
 * an AL status code.
 */
#ifndef FREEFALL_LAB_AL_H
#define FREEFALL_LAB_AL_H

#include <stdbool.h>
#include <stdint.h>

enum al_value { AL_INIT = 1, AL_PREOP = 2, AL_BOOT = 3, AL_SAFEOP = 4, AL_OP = 8 };

/* Bits of AL control and AL status beside the state. */
enum al_bit { AL_STATE = 0x0f, AL_ERROR = 0x10 };

/* AL status codes of ETG.1020 that this simulator raises. */
enum al_code {
    AL_CODE_NONE = 0,
    AL_CODE_INVALID_CHANGE = 0x0011,
    AL_CODE_UNKNOWN_STATE = 0x0012,
    AL_CODE_NO_BOOT = 0x0013,
    AL_CODE_MAILBOX = 0x0016,    /* mailbox sync managers wrong */
    AL_CODE_NO_OUTPUTS = 0x0019, /* none received before OP */
    AL_CODE_SYNC = 0x001a,       /* outputs no longer arrive in step with SYNC0 */
    AL_CODE_WATCHDOG = 0x001b,
    AL_CODE_OUTPUTS = 0x001d, /* output sync manager wrong */
    AL_CODE_INPUTS = 0x001e,
    AL_CODE_SYNC_LOST = 0x002c,  /* SYNC0 stopped */
    AL_CODE_SYNC_OFF = 0x0030,   /* SYNC0 required, not active */
    AL_CODE_SYNC_LEAST = 0x0035, /* SYNC0 cycle too short */
    AL_CODE_SYNC_CYCLE = 0x0036, /* SYNC0 cycle is not the one in 0x1C32:02 */
};

struct al_state {
    uint8_t value; /* enum al_value */
    bool error;
    uint16_t code; /* meaningful while error is set */
};

/* What forbids each step up at this moment, AL_CODE_NONE when nothing does. */
struct al_refusal {
    uint16_t preop, safeop, op;
};

/* The state after the master wrote `control` (state and acknowledge bit) to AL control. */
struct al_state al_next(struct al_state now, uint8_t control, const struct al_refusal *refusal);

/* The state after the device itself fell to `value` with a code: the error bit is set. */
struct al_state al_fall(uint8_t value, uint16_t code);

/* "INIT", "PRE-OP", ...; "?" for anything else. */
const char *al_name(uint8_t value);

/* The value behind such a name, in any case and with or without the dash; 0 when it is none. */
uint8_t al_parse(const char *name);

#endif
