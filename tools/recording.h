/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recording.h - a recorded run, record by record: what export and replay read. */
#ifndef FREEFALL_RECORDING_H
#define FREEFALL_RECORDING_H

#include "rt/record.h"
#include "rt/scenario.h"

/* The last record of each kind. Owned by the caller; large, so not for the stack. */
struct recording {
    const char *command; /* for messages */
    char path[SCENARIO_PATH_MAX];
    struct mcap_reader reader;
    struct mcap_read_item item;       /* an attachment, when one was found */
    int joints;                       /* 0: the file does not say */
    char description[MCAP_READ_NAME]; /* name of the robot description among the attachments */
    struct record_raw raw;
    struct record_cycle cycle;
    struct record_obsw obsw;
    struct record_account truth, reference;
};

enum { RECORDING_ATTACHMENT = RECORD_KINDS, RECORDING_END };

/* A folder with run.mcap in it, or the file itself. 0, or -errno after a message. */
int recording_open(struct recording *r, const char *command, const char *run);

/* Step to the next record: its kind, RECORDING_ATTACHMENT, RECORDING_END, or -errno after a message. */
int recording_next(struct recording *r);

/* True when the file was whole; else says what was left out. */
bool recording_whole(const struct recording *r);

void recording_close(struct recording *r);

/* The last record of a kind. */
const void *recording_last(const struct recording *r, enum record_kind kind);

#endif
