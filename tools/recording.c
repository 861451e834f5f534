/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recording.c - a recorded run, record by record. */
#include "tools/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int recording_open(struct recording *r, const char *command, const char *run)
{
    struct stat st;
    int code;

    memset(r, 0, sizeof *r);
    r->command = command;
    r->reader.fd = -1;
    if (snprintf(r->path, sizeof r->path, "%s%s", run,
                 stat(run, &st) == 0 && S_ISDIR(st.st_mode) ? "/" RECORD_FILE : "") >=
        (int)sizeof r->path) {
        fprintf(stderr, "freefall %s: %.60s...: this path is too long\n", command, run);
        return -ENAMETOOLONG;
    }
    code = mcap_read_open(&r->reader, r->path);
    if (code != 0) {
        fprintf(stderr, "freefall %s: %s: expected the record of a run, found %s\n", command,
                r->path, code == -EINVAL ? "something that is no MCAP file" : strerror(-code));
    }
    return code;
}

void recording_close(struct recording *r)
{
    mcap_read_close(&r->reader);
}

const void *recording_last(const struct recording *r, enum record_kind kind)
{
    switch (kind) {
    case RECORD_RAW:
        return &r->raw;
    case RECORD_CYCLE:
        return &r->cycle;
    case RECORD_OBSW:
        return &r->obsw;
    case RECORD_TRUTH:
        return &r->truth;
    default:
        return &r->reference;
    }
}

static void learn(struct recording *r)
{
    char number[16];

    if (strcmp(r->item.name, "freefall") == 0) {
        if (mcap_read_value(&r->item, "joints", number, sizeof number)) {
            const long n = strtol(number, NULL, 10);

            r->joints = n > 0 && n <= RECORD_JOINTS ? (int)n : 0;
        }
        (void)mcap_read_value(&r->item, "description", r->description, sizeof r->description);
    }
}

int recording_next(struct recording *r)
{
    for (;;) {
        int code = mcap_read_next(&r->reader, &r->item);

        if (code != 0) {
            fprintf(stderr, "freefall %s: %s: cannot be read: %s\n", r->command, r->path,
                    strerror(-code));
            return code;
        }
        if (r->item.kind == MCAP_READ_END) {
            return RECORDING_END;
        }
        if (r->item.kind == MCAP_READ_ATTACHMENT) {
            return RECORDING_ATTACHMENT;
        }
        if (r->item.kind == MCAP_READ_METADATA) {
            learn(r);
            continue;
        }
        code = record_kind_of(&r->reader, &r->item);
        if (code >= 0) {
            void *record[RECORD_KINDS] = {&r->raw, &r->cycle, &r->obsw, &r->truth, &r->reference};

            record_copy((enum record_kind)code, record[code], &r->item);
            return code;
        }
        if (code == -EPROTO) {
            fprintf(stderr,
                    "freefall %s: %s: expected %s as this version lays it out, found another "
                    "layout; use the version of freefall that recorded it\n",
                    r->command, r->path, r->reader.channel[r->item.channel].topic);
            return code;
        }
    }
}

bool recording_whole(const struct recording *r)
{
    if (r->reader.damaged > 0 || r->reader.unreadable > 0) {
        fprintf(stderr,
                "freefall %s: %s: %d parts fail their checksum or cannot be read; left out\n",
                r->command, r->path, r->reader.damaged + r->reader.unreadable);
    }
    if (r->reader.cut) {
        fprintf(stderr, "freefall %s: %s: the file is cut off; all before that was used\n",
                r->command, r->path);
    }
    return !r->reader.cut && r->reader.damaged == 0 && r->reader.unreadable == 0;
}
