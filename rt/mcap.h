/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mcap.h - writes the log of a run: an MCAP file, readable whenever the writer is stopped, by whatever.
 *
 *     messages --> [chunk in memory] -- zstd, CRC32 --> file, fdatasync --> ... --> index and summary at the end
 *
 * Every chunk begins with all schemas and channels, so that each can be read without the others. A chunk leaves memory
 * when it spans MCAP_SPAN_NS or is full: what a crash can lose is that and no more. The index of the end is made from
 * the file itself: memory stays the same whatever the length of the run.
 *
 * Called from the helper thread or a tool, never from the cycle. Format: MCAP 0, mcap.dev/spec. Files are little-endian.
 */
#ifndef FREEFALL_MCAP_H
#define FREEFALL_MCAP_H

#include "model/base.h"

#define MCAP_SPAN_NS      200000000ull /* leaves 50 ms of the 250 ms that may be lost for the way here */
#define MCAP_CHUNK_BYTES  (4u << 20) /* uncompressed, at most */
#define MCAP_MAGIC        "\x89MCAP0\r\n"
#define MCAP_MAGIC_BYTES  8
#define MCAP_HEAD_BYTES   9  /* opcode and length before every record */
#define MCAP_MESSAGE_HEAD 22 /* channel, sequence and two times before the data of a message */
#define MCAP_CHANNELS     32
#define MCAP_DEFINITIONS  (64u << 10) /* bytes of all schemas and channels at most */

enum mcap_opcode {
    MCAP_HEADER = 1,
    MCAP_FOOTER,
    MCAP_SCHEMA,
    MCAP_CHANNEL,
    MCAP_MESSAGE,
    MCAP_CHUNK,
    MCAP_MESSAGE_INDEX,
    MCAP_CHUNK_INDEX,
    MCAP_ATTACHMENT,
    MCAP_ATTACHMENT_INDEX,
    MCAP_STATISTICS,
    MCAP_METADATA,
    MCAP_METADATA_INDEX,
    MCAP_SUMMARY_OFFSET,
    MCAP_DATA_END,
};

/* Bytes put together one after the other; what does not fit is remembered as an error, not written. */
struct mcap_bytes {
    uint8_t *data;
    size_t size, most;
    bool full;
};

/* Owned by the caller, all zero before mcap_open(). */
struct mcap_writer {
    int fd;
    uint64_t end; /* of the last complete record in the file */
    bool sync;    /* fdatasync after each chunk */
    int error;    /* the first -errno of writing: messages are lost since, and counted */
    uint64_t lost;

    struct mcap_bytes definitions; /* schemas and channels, as every chunk begins */
    struct mcap_bytes chunk, packed;
    uint8_t *entries; /* message index of this chunk, MCAP_CHANNELS lists by channel */
    void *zstd;
    uint32_t waiting; /* messages in the chunk */
    uint64_t first_ns, last_ns;
    int schemas, channels;
    uint32_t sequence[MCAP_CHANNELS];
};

/* Make the file. 0 or -errno. */
int mcap_open(struct mcap_writer *w, const char *path, const char *profile, bool sync);

/* Go on behind the record that ends at `end`; what is there is overwritten. 0 or -errno. */
int mcap_reopen(struct mcap_writer *w, const char *path, uint64_t end,
                const struct mcap_bytes *definitions);

/* Declare what messages are made of, before the first one. Number of the schema or channel, or -errno; -E2BIG: too many. */
int mcap_schema(struct mcap_writer *w, const char *name, const char *encoding, const char *text);
int mcap_channel(struct mcap_writer *w, int schema, const char *topic, const char *encoding);

/* Keep a message. 0, or -errno: -EINVAL for a channel that is not there, -EMSGSIZE for one larger than a chunk,
 * else what the file system says of the chunk before; the message itself waits in memory. */
int mcap_message(struct mcap_writer *w, int channel, uint64_t time_ns, const void *data,
                 size_t size);

/* Keep a file, or names with values (name, value, ..., NULL), outside chunks. 0 or -errno. */
int mcap_attach(struct mcap_writer *w, const char *name, const char *media, const void *data,
                size_t size);
int mcap_metadata(struct mcap_writer *w, const char *name, const char *const *pairs);

/* Write what waits in memory. 0 or -errno; then its messages are lost and counted, the file is as before. */
int mcap_flush(struct mcap_writer *w);

/* Write the rest, index and summary; release everything. 0, or the first -errno since the file was opened. */
int mcap_close(struct mcap_writer *w);

/* ---- for the summary, and tests ---- */

void mcap_put(struct mcap_bytes *b, const void *data, size_t size);
void mcap_put_number(struct mcap_bytes *b, uint64_t value, int bytes);
void mcap_put_text(struct mcap_bytes *b, const char *text);

/* Begin a record, and end it by setting its length; begin returns what end needs. */
size_t mcap_begin(struct mcap_bytes *b, enum mcap_opcode opcode);
void mcap_end(struct mcap_bytes *b, size_t begin);

/* All of it at this place of the file. 0 or -errno. */
int mcap_write_all(int fd, const void *data, size_t size, uint64_t offset);

#endif
