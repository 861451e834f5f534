/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mcap_read.h - reads an MCAP file from front to end, also one that was cut off or damaged.
 *
 * Believes nothing: every length is checked, every chunk and attachment by its CRC. A damaged chunk is left out and counted;
 * where records no longer fit together, reading ends and `cut` says so. Memory is bounded by the greatest chunk.
 */
#ifndef FREEFALL_MCAP_READ_H
#define FREEFALL_MCAP_READ_H

#include "rt/mcap.h"

#define MCAP_READ_MOST (64u << 20) /* bytes of a chunk or attachment that are accepted */
#define MCAP_READ_NAME 128

struct mcap_read_channel {
    bool known;
    uint16_t schema;
    char topic[MCAP_READ_NAME];
};

struct mcap_read_schema {
    bool known;
    char name[MCAP_READ_NAME];
    const char *text; /* schema_size bytes, valid until the next call of mcap_read_next() */
    uint32_t size;
};

enum mcap_read_kind { MCAP_READ_END, MCAP_READ_MESSAGE, MCAP_READ_ATTACHMENT, MCAP_READ_METADATA };

/* What mcap_read_next() found; pointers are valid until its next call. */
struct mcap_read_item {
    enum mcap_read_kind kind;
    int channel; /* of a message: index into channel[] */
    uint32_t sequence;
    uint64_t time_ns;
    char name[MCAP_READ_NAME]; /* of an attachment or metadata */
    const uint8_t *data;       /* of metadata: its pairs, as in the file */
    size_t size;
};

/* Owned by the caller, all zero before mcap_read_open(). */
struct mcap_reader {
    int fd;
    uint64_t offset, size;
    uint64_t whole; /* end of the last complete record of the data section */
    bool cut;       /* the file ends without its end */
    int damaged;    /* chunks and attachments left out */
    int unreadable; /* chunks in a compression we do not know, or greater than accepted */
    uint8_t *packed, *chunk;
    size_t packed_most, chunk_most;
    size_t at, chunk_size; /* in the chunk */
    uint64_t chunk_at;     /* where it stands in the file, while nothing but its index follows */
    struct mcap_read_channel channel[MCAP_CHANNELS];
    struct mcap_read_schema schema[MCAP_CHANNELS + 1];
};

/* 0, or -errno; -EINVAL: not an MCAP file. */
int mcap_read_open(struct mcap_reader *r, const char *path);

/* The next message, attachment or metadata. 0, also at the end (kind); -ENOMEM, -EIO. */
int mcap_read_next(struct mcap_reader *r, struct mcap_read_item *item);

void mcap_read_close(struct mcap_reader *r);

/* The value of a name in metadata, copied with its end; false when it is not there or does not fit. */
bool mcap_read_value(const struct mcap_read_item *item, const char *name, char *value, size_t most);

/* Give a file that was cut off its index and end. 0, 1 when it had them, or -errno. */
int mcap_repair(const char *path);

#endif
