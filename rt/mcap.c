/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mcap.c - writes the log of a run as an MCAP file. */
#include "rt/mcap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "drivers/wire.h"
#include "rt/mcap_summary.h"
#include "version.h"

/* Fastest level that still halves the file: measured in rt/README.md. */
#define LEVEL 1

/* Messages of a chunk with an entry in its index; a chunk that has more is closed. */
#define ENTRIES      4096u
#define ENTRY_BYTES  18 /* channel, time, offset */
#define CHUNK_HEAD   32 /* of a chunk record before its compression's name */
#define INDEX_ENTRY  16
#define PACKED_EXTRA 256

/* ---- bytes ---- */

void mcap_put(struct mcap_bytes *b, const void *data, size_t size)
{
    if (size > b->most - b->size) {
        b->full = true;
        return;
    }
    if (size > 0) {
        memcpy(b->data + b->size, data, size);
    }
    b->size += size;
}

void mcap_put_number(struct mcap_bytes *b, uint64_t value, int bytes)
{
    uint8_t raw[8];

    wire_put_u64(raw, value);
    mcap_put(b, raw, (size_t)bytes);
}

void mcap_put_text(struct mcap_bytes *b, const char *text)
{
    const size_t n = strlen(text);

    mcap_put_number(b, n, 4);
    mcap_put(b, text, n);
}

size_t mcap_begin(struct mcap_bytes *b, enum mcap_opcode opcode)
{
    const size_t begin = b->size;

    mcap_put_number(b, opcode, 1);
    mcap_put_number(b, 0, 8);
    return begin;
}

void mcap_end(struct mcap_bytes *b, size_t begin)
{
    if (!b->full) {
        wire_put_u64(b->data + begin + 1, b->size - begin - MCAP_HEAD_BYTES);
    }
}

int mcap_write_all(int fd, const void *data, size_t size, uint64_t offset)
{
    const uint8_t *p = data;

    while (size > 0) {
        const ssize_t n = pwrite(fd, p, size, (off_t)offset);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? -errno : -EIO;
        }
        p += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static int make(struct mcap_bytes *b, size_t most)
{
    *b = (struct mcap_bytes){.data = malloc(most), .most = most};
    return b->data != NULL ? 0 : -ENOMEM;
}

/* ---- the file ---- */

/* Behind the last complete record, or not at all: what was written in part is taken away again. */
static int append(struct mcap_writer *w, const struct mcap_bytes *b)
{
    int code = b->full ? -EMSGSIZE : mcap_write_all(w->fd, b->data, b->size, w->end);

    if (code == 0 && w->sync && fdatasync(w->fd) != 0) {
        code = -errno;
    }
    if (code == 0) {
        w->end += b->size;
    } else {
        (void)!ftruncate(w->fd, (off_t)w->end); /* when this fails too, readers find the cut */
        w->error = w->error != 0 ? w->error : code;
    }
    return code;
}

static void release(struct mcap_writer *w)
{
    if (w->fd >= 0) {
        (void)close(w->fd);
    }
    w->fd = -1;
    free(w->definitions.data);
    free(w->chunk.data);
    free(w->packed.data);
    free(w->entries);
    ZSTD_freeCCtx(w->zstd);
    w->definitions.data = w->chunk.data = w->packed.data = w->entries = NULL;
    w->zstd = NULL;
}

static int write_header(struct mcap_writer *w, const char *profile)
{
    size_t begin;

    mcap_put(&w->packed, MCAP_MAGIC, MCAP_MAGIC_BYTES);
    begin = mcap_begin(&w->packed, MCAP_HEADER);
    mcap_put_text(&w->packed, profile);
    mcap_put_text(&w->packed, "freefall " FREEFALL_VERSION);
    mcap_end(&w->packed, begin);
    return append(w, &w->packed);
}

static int prepare(struct mcap_writer *w, const char *path, int flags)
{
    int code;

    memset(w, 0, sizeof *w);
    w->fd = open(path, O_RDWR | O_CLOEXEC | flags, 0666);
    if (w->fd < 0) {
        return -errno;
    }
    w->zstd = ZSTD_createCCtx();
    w->entries = malloc((size_t)ENTRIES * ENTRY_BYTES);
    code = w->zstd != NULL && w->entries != NULL ? 0 : -ENOMEM;
    code = code != 0 ? code : make(&w->definitions, MCAP_DEFINITIONS);
    code = code != 0 ? code : make(&w->chunk, MCAP_CHUNK_BYTES);
    code = code != 0
               ? code
               : make(&w->packed, ZSTD_compressBound(MCAP_CHUNK_BYTES) + ENTRIES * INDEX_ENTRY +
                                      (MCAP_CHANNELS + 1) * 32 + PACKED_EXTRA);
    if (code != 0) {
        release(w);
    }
    return code;
}

int mcap_open(struct mcap_writer *w, const char *path, const char *profile, bool sync)
{
    int code = prepare(w, path, O_CREAT | O_TRUNC);

    if (code == 0) {
        w->sync = sync;
        code = write_header(w, profile);
        if (code != 0) {
            release(w);
        }
    }
    return code;
}

int mcap_reopen(struct mcap_writer *w, const char *path, uint64_t end,
                const struct mcap_bytes *definitions)
{
    const int code = prepare(w, path, 0);

    if (code != 0) {
        return code;
    }
    w->end = end;
    w->sync = true;
    w->channels = MCAP_CHANNELS; /* whichever the definitions have */
    mcap_put(&w->definitions, definitions->data, definitions->size);
    if (ftruncate(w->fd, (off_t)end) != 0) {
        w->error = -errno;
        release(w);
        return w->error;
    }
    return 0;
}

/* ---- definitions ---- */

int mcap_schema(struct mcap_writer *w, const char *name, const char *encoding, const char *text)
{
    const size_t begin = mcap_begin(&w->definitions, MCAP_SCHEMA);

    mcap_put_number(&w->definitions, (uint64_t)w->schemas + 1, 2); /* 0 means none */
    mcap_put_text(&w->definitions, name);
    mcap_put_text(&w->definitions, encoding);
    mcap_put_text(&w->definitions, text);
    mcap_end(&w->definitions, begin);
    return w->definitions.full || w->waiting > 0 ? -E2BIG : ++w->schemas;
}

int mcap_channel(struct mcap_writer *w, int schema, const char *topic, const char *encoding)
{
    size_t begin;

    if (schema < 0 || schema > w->schemas || w->channels >= MCAP_CHANNELS || w->waiting > 0) {
        return schema < 0 || schema > w->schemas ? -EINVAL : -E2BIG;
    }
    begin = mcap_begin(&w->definitions, MCAP_CHANNEL);
    mcap_put_number(&w->definitions, (uint64_t)w->channels, 2);
    mcap_put_number(&w->definitions, (uint64_t)schema, 2);
    mcap_put_text(&w->definitions, topic);
    mcap_put_text(&w->definitions, encoding);
    mcap_put_number(&w->definitions, 0, 4); /* no metadata */
    mcap_end(&w->definitions, begin);
    return w->definitions.full ? -E2BIG : w->channels++;
}

/* ---- chunks ---- */

/* One index record for each channel with messages in this chunk. */
static void put_index(struct mcap_writer *w)
{
    for (int channel = 0; channel < w->channels; channel++) {
        size_t begin = 0, count = 0;

        for (uint32_t i = 0; i < w->waiting; i++) {
            const uint8_t *entry = w->entries + (size_t)i * ENTRY_BYTES;

            if (wire_get_u16(entry) != channel) {
                continue;
            }
            if (count++ == 0) {
                begin = mcap_begin(&w->packed, MCAP_MESSAGE_INDEX);
                mcap_put_number(&w->packed, (uint64_t)channel, 2);
                mcap_put_number(&w->packed, 0, 4); /* bytes, set below */
            }
            mcap_put(&w->packed, entry + 2, INDEX_ENTRY);
        }
        if (count > 0 && !w->packed.full) {
            wire_put_u32(w->packed.data + begin + MCAP_HEAD_BYTES + 2,
                         (uint32_t)(count * INDEX_ENTRY));
            mcap_end(&w->packed, begin);
        }
    }
}

/* The chunk as a record, with its index behind it. */
static int pack(struct mcap_writer *w)
{
    struct mcap_bytes *b = &w->packed;
    size_t begin, size_at, n;

    b->size = 0;
    b->full = false;
    begin = mcap_begin(b, MCAP_CHUNK);
    mcap_put_number(b, w->first_ns, 8);
    mcap_put_number(b, w->last_ns, 8);
    mcap_put_number(b, w->chunk.size, 8);
    mcap_put_number(b, crc32(0, w->chunk.data, (uInt)w->chunk.size), 4);
    mcap_put_text(b, "zstd");
    size_at = b->size;
    mcap_put_number(b, 0, 8);
    n = ZSTD_compressCCtx(w->zstd, b->data + b->size, b->most - b->size, w->chunk.data,
                          w->chunk.size, LEVEL);
    if (ZSTD_isError(n)) {
        return -EIO;
    }
    b->size += n;
    wire_put_u64(b->data + size_at, n);
    mcap_end(b, begin);
    put_index(w);
    return 0;
}

int mcap_flush(struct mcap_writer *w)
{
    int code;

    if (w->waiting == 0) {
        return 0;
    }
    code = pack(w);
    if (code == 0) {
        code = append(w, &w->packed);
    }
    if (code != 0) {
        w->lost += w->waiting;
    }
    w->waiting = 0;
    w->chunk.size = 0;
    return code;
}

int mcap_message(struct mcap_writer *w, int channel, uint64_t time_ns, const void *data,
                 size_t size)
{
    const size_t whole = MCAP_HEAD_BYTES + MCAP_MESSAGE_HEAD + size;
    uint8_t *entry;
    size_t begin;
    int code = 0;

    if (channel < 0 || channel >= w->channels) {
        return -EINVAL;
    }
    if (whole > MCAP_CHUNK_BYTES - w->definitions.size) {
        return -EMSGSIZE;
    }
    if (w->waiting > 0 && (time_ns - w->first_ns >= MCAP_SPAN_NS || w->waiting == ENTRIES ||
                           whole > w->chunk.most - w->chunk.size)) {
        code = mcap_flush(w);
    }
    if (w->waiting == 0) {
        w->chunk.size = 0;
        w->chunk.full = false;
        mcap_put(&w->chunk, w->definitions.data, w->definitions.size);
        w->first_ns = w->last_ns = time_ns;
    }
    entry = w->entries + (size_t)w->waiting++ * ENTRY_BYTES;
    wire_put_u16(entry, (uint16_t)channel);
    wire_put_u64(entry + 2, time_ns);
    wire_put_u64(entry + 10, w->chunk.size);
    w->last_ns = time_ns > w->last_ns ? time_ns : w->last_ns;
    begin = mcap_begin(&w->chunk, MCAP_MESSAGE);
    mcap_put_number(&w->chunk, (uint64_t)channel, 2);
    mcap_put_number(&w->chunk, w->sequence[channel]++, 4);
    mcap_put_number(&w->chunk, time_ns, 8);
    mcap_put_number(&w->chunk, time_ns, 8);
    mcap_put(&w->chunk, data, size);
    mcap_end(&w->chunk, begin);
    return code;
}

/* ---- beside the messages ---- */

int mcap_attach(struct mcap_writer *w, const char *name, const char *media, const void *data,
                size_t size)
{
    struct mcap_bytes b;
    size_t begin;
    int code = mcap_flush(w);

    if (make(&b, size + strlen(name) + strlen(media) + PACKED_EXTRA) != 0) {
        return -ENOMEM;
    }
    begin = mcap_begin(&b, MCAP_ATTACHMENT);
    mcap_put_number(&b, 0, 8); /* no wall clock: the same run gives the same file */
    mcap_put_number(&b, 0, 8);
    mcap_put_text(&b, name);
    mcap_put_text(&b, media);
    mcap_put_number(&b, size, 8);
    mcap_put(&b, data, size);
    mcap_put_number(
        &b, crc32_z(0, b.data + begin + MCAP_HEAD_BYTES, b.size - begin - MCAP_HEAD_BYTES), 4);
    mcap_end(&b, begin);
    code = code != 0 ? code : append(w, &b);
    free(b.data);
    return code;
}

int mcap_metadata(struct mcap_writer *w, const char *name, const char *const *pairs)
{
    struct mcap_bytes b;
    size_t begin, at;
    int code = mcap_flush(w);

    if (make(&b, MCAP_DEFINITIONS) != 0) {
        return -ENOMEM;
    }
    begin = mcap_begin(&b, MCAP_METADATA);
    mcap_put_text(&b, name);
    at = b.size;
    mcap_put_number(&b, 0, 4);
    for (; pairs[0] != NULL && pairs[1] != NULL; pairs += 2) {
        mcap_put_text(&b, pairs[0]);
        mcap_put_text(&b, pairs[1]);
    }
    if (!b.full) {
        wire_put_u32(b.data + at, (uint32_t)(b.size - at - 4));
    }
    mcap_end(&b, begin);
    code = code != 0 ? code : append(w, &b);
    free(b.data);
    return code;
}

int mcap_close(struct mcap_writer *w)
{
    int code;

    if (w->fd < 0) {
        return w->error;
    }
    (void)mcap_flush(w);
    code = mcap_summary_write(w->fd, w->end, &w->definitions);
    if (code == 0 && w->sync && fdatasync(w->fd) != 0) {
        code = -errno;
    }
    if (code != 0) {
        (void)!ftruncate(w->fd, (off_t)w->end);
    }
    code = w->error != 0 ? w->error : code;
    release(w);
    return code;
}
