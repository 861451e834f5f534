/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mcap_summary.c - the end of an MCAP file, made from the file itself. */
#include "rt/mcap_summary.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "drivers/wire.h"

#define BUFFER     8192
#define CHUNK_HEAD 32  /* times, size, CRC and length of the name of the compression */
#define START      512 /* bytes of a record that are looked at */
#define FOOTER     20

/* Where a record stands and how it begins. */
struct spot {
    enum mcap_opcode opcode;
    uint64_t offset, length; /* of the whole record */
    uint8_t start[START];    /* of its content */
    size_t known;
};

/* What is being written: buffered, its CRC kept. */
struct sink {
    int fd;
    uint64_t offset;
    uint32_t crc;
    int code;
    struct mcap_bytes bytes;
    uint8_t memory[BUFFER];
};

struct totals {
    uint64_t messages, chunks, attachments, metadata, first_ns, last_ns;
    uint64_t channel[MCAP_CHANNELS];
    uint16_t schemas, channels;
};

static void drain(struct sink *s)
{
    if (s->code == 0 && s->bytes.size > 0) {
        s->code = s->bytes.full ? -EMSGSIZE
                                : mcap_write_all(s->fd, s->bytes.data, s->bytes.size, s->offset);
        s->crc = (uint32_t)crc32_z(s->crc, s->bytes.data, s->bytes.size);
        s->offset += s->bytes.size;
    }
    s->bytes.size = 0;
}

/* The record at *offset, and step over it. 1, 0 at the end, or -errno. */
static int next(int fd, uint64_t *offset, uint64_t end, struct spot *spot)
{
    uint8_t head[MCAP_HEAD_BYTES];
    ssize_t n;

    if (*offset == end) {
        return 0;
    }
    if (pread(fd, head, sizeof head, (off_t)*offset) != (ssize_t)sizeof head) {
        return -EBADMSG;
    }
    spot->opcode = head[0];
    spot->offset = *offset;
    spot->length = wire_get_u64(head + 1);
    if (end - *offset < MCAP_HEAD_BYTES || spot->length > end - *offset - MCAP_HEAD_BYTES) {
        return -EBADMSG;
    }
    spot->known = spot->length < START ? (size_t)spot->length : START;
    n = pread(fd, spot->start, spot->known, (off_t)(*offset + MCAP_HEAD_BYTES));
    if (n != (ssize_t)spot->known) {
        return -EBADMSG;
    }
    spot->length += MCAP_HEAD_BYTES;
    *offset += spot->length;
    return 1;
}

/* ---- counting ---- */

static void count_one(struct totals *t, const struct spot *spot)
{
    if (spot->opcode == MCAP_CHUNK && spot->known >= CHUNK_HEAD) {
        const uint64_t first = wire_get_u64(spot->start), last = wire_get_u64(spot->start + 8);

        t->first_ns = t->chunks == 0 || first < t->first_ns ? first : t->first_ns;
        t->last_ns = last > t->last_ns ? last : t->last_ns;
        t->chunks++;
    } else if (spot->opcode == MCAP_MESSAGE_INDEX && spot->known >= 6) {
        const uint16_t channel = wire_get_u16(spot->start);
        const uint64_t n = wire_get_u32(spot->start + 2) / 16;

        t->messages += n;
        t->channel[channel % MCAP_CHANNELS] += n;
    } else if (spot->opcode == MCAP_ATTACHMENT) {
        t->attachments++;
    } else if (spot->opcode == MCAP_METADATA) {
        t->metadata++;
    }
}

/* Index records whose chunk did not come whole, at the very end, count for nothing: end stands behind whole ones. */
static int count(int fd, uint64_t end, const struct mcap_bytes *definitions, struct totals *t)
{
    uint64_t offset = MCAP_MAGIC_BYTES;
    struct spot spot;
    int code;

    while ((code = next(fd, &offset, end, &spot)) > 0) {
        count_one(t, &spot);
    }
    for (size_t i = 0; i < definitions->size;
         i += MCAP_HEAD_BYTES + wire_get_u64(definitions->data + i + 1)) {
        *(definitions->data[i] == MCAP_SCHEMA ? &t->schemas : &t->channels) += 1;
    }
    return code;
}

/* ---- the groups of the summary ---- */

static void put_statistics(struct sink *s, const struct totals *t)
{
    struct mcap_bytes *b = &s->bytes;
    const size_t begin = mcap_begin(b, MCAP_STATISTICS);
    size_t at;

    mcap_put_number(b, t->messages, 8);
    mcap_put_number(b, t->schemas, 2);
    mcap_put_number(b, t->channels, 4);
    mcap_put_number(b, t->attachments, 4);
    mcap_put_number(b, t->metadata, 4);
    mcap_put_number(b, t->chunks, 4);
    mcap_put_number(b, t->first_ns, 8);
    mcap_put_number(b, t->last_ns, 8);
    at = b->size;
    mcap_put_number(b, 0, 4);
    for (uint16_t i = 0; i < t->channels && i < MCAP_CHANNELS; i++) {
        mcap_put_number(b, i, 2);
        mcap_put_number(b, t->channel[i], 8);
    }
    wire_put_u32(b->data + at, (uint32_t)(b->size - at - 4));
    mcap_end(b, begin);
    drain(s);
}

/* A chunk, and where the index of each of its channels stands. */
static int put_chunk(struct sink *s, const struct spot *chunk, int fd, uint64_t offset,
                     uint64_t end)
{
    struct mcap_bytes *b = &s->bytes;
    const size_t begin = mcap_begin(b, MCAP_CHUNK_INDEX);
    const size_t name = chunk->known < CHUNK_HEAD ? 0 : wire_get_u32(chunk->start + 28);
    const uint64_t from = offset;
    struct spot spot;
    size_t at;

    if (chunk->known < CHUNK_HEAD || name > 16 || chunk->known < CHUNK_HEAD + name + 8) {
        return -EBADMSG;
    }
    mcap_put(b, chunk->start, 16); /* first and last time */
    mcap_put_number(b, chunk->offset, 8);
    mcap_put_number(b, chunk->length, 8);
    at = b->size;
    mcap_put_number(b, 0, 4);
    for (uint64_t i = offset; next(fd, &i, end, &spot) > 0 && spot.opcode == MCAP_MESSAGE_INDEX;) {
        mcap_put(b, spot.start, 2);
        mcap_put_number(b, spot.offset, 8);
        offset = i;
    }
    wire_put_u32(b->data + at, (uint32_t)(b->size - at - 4));
    mcap_put_number(b, offset - from, 8);
    mcap_put(b, chunk->start + 28, 4 + name);
    mcap_put(b, chunk->start + CHUNK_HEAD + name, 8); /* compressed */
    mcap_put(b, chunk->start + 16, 8);                /* uncompressed */
    mcap_end(b, begin);
    return 0;
}

static int put_attachment(struct sink *s, const struct spot *spot)
{
    struct mcap_bytes *b = &s->bytes;
    const size_t begin = mcap_begin(b, MCAP_ATTACHMENT_INDEX);
    const size_t name = spot->known >= 20 ? wire_get_u32(spot->start + 16) : SIZE_MAX;
    size_t media = SIZE_MAX;

    if (name <= 200 && spot->known >= 24 + name) {
        media = wire_get_u32(spot->start + 20 + name);
    }
    if (media > 200 || spot->known < 32 + name + media) {
        return -EBADMSG;
    }
    mcap_put_number(b, spot->offset, 8);
    mcap_put_number(b, spot->length, 8);
    mcap_put(b, spot->start, 16);
    mcap_put(b, spot->start + 24 + name + media, 8);
    mcap_put(b, spot->start + 16, 8 + name + media);
    mcap_end(b, begin);
    return 0;
}

static int put_metadata(struct sink *s, const struct spot *spot)
{
    struct mcap_bytes *b = &s->bytes;
    const size_t begin = mcap_begin(b, MCAP_METADATA_INDEX);
    const size_t name = spot->known >= 4 ? wire_get_u32(spot->start) : SIZE_MAX;

    if (name > START - 4 || spot->known < 4 + name) {
        return -EBADMSG;
    }
    mcap_put_number(b, spot->offset, 8);
    mcap_put_number(b, spot->length, 8);
    mcap_put(b, spot->start, 4 + name);
    mcap_end(b, begin);
    return 0;
}

/* Every record of one kind gets its entry. */
static void put_kind(struct sink *s, int fd, uint64_t end, enum mcap_opcode kind)
{
    uint64_t offset = MCAP_MAGIC_BYTES;
    struct spot spot;
    int code = 0;

    while (s->code == 0 && (code = next(fd, &offset, end, &spot)) > 0) {
        if (spot.opcode != kind) {
            continue;
        }
        if (kind == MCAP_CHUNK) {
            code = put_chunk(s, &spot, fd, offset, end);
        } else {
            code = (kind == MCAP_ATTACHMENT ? put_attachment : put_metadata)(s, &spot);
        }
        s->code = s->code != 0 ? s->code : code;
        drain(s);
    }
    s->code = s->code != 0 || code >= 0 ? s->code : code;
}

/* Definitions of one kind. */
static void put_definitions(struct sink *s, const struct mcap_bytes *d, enum mcap_opcode kind)
{
    for (size_t i = 0; i < d->size;) {
        const size_t n = MCAP_HEAD_BYTES + wire_get_u64(d->data + i + 1);

        if (d->data[i] == kind) {
            for (size_t k = 0; k < n; k += BUFFER) { /* a schema may be longer than the buffer */
                mcap_put(&s->bytes, d->data + i + k, n - k < BUFFER ? n - k : BUFFER);
                drain(s);
            }
        }
        i += n;
    }
}

/* Where each group stands; groups are in the order of their opcodes below. */
static void put_offsets(struct sink *s, const uint64_t *start, const enum mcap_opcode *kind, int n)
{
    for (int i = 0; i < n; i++) {
        if (start[i + 1] > start[i]) {
            const size_t begin = mcap_begin(&s->bytes, MCAP_SUMMARY_OFFSET);

            mcap_put_number(&s->bytes, kind[i], 1);
            mcap_put_number(&s->bytes, start[i], 8);
            mcap_put_number(&s->bytes, start[i + 1] - start[i], 8);
            mcap_end(&s->bytes, begin);
            drain(s);
        }
    }
}

static void put_footer(struct sink *s, uint64_t summary, uint64_t offsets)
{
    struct mcap_bytes *b = &s->bytes;

    mcap_put_number(b, MCAP_FOOTER, 1);
    mcap_put_number(b, FOOTER, 8);
    mcap_put_number(b, summary, 8);
    mcap_put_number(b, offsets, 8);
    drain(s);
    mcap_put_number(b, s->crc, 4); /* of everything from the summary to here */
    mcap_put(b, MCAP_MAGIC, MCAP_MAGIC_BYTES);
    drain(s);
}

int mcap_summary_write(int fd, uint64_t end, const struct mcap_bytes *definitions)
{
    static const enum mcap_opcode kind[] = {MCAP_SCHEMA,           MCAP_CHANNEL,
                                            MCAP_STATISTICS,       MCAP_CHUNK_INDEX,
                                            MCAP_ATTACHMENT_INDEX, MCAP_METADATA_INDEX};
    uint64_t start[COUNT_OF(kind) + 1];
    struct totals totals = {0};
    struct sink s = {.fd = fd, .offset = end};

    s.bytes = (struct mcap_bytes){.data = s.memory, .most = sizeof s.memory};
    s.code = count(fd, end, definitions, &totals);
    mcap_put_number(&s.bytes, MCAP_DATA_END, 1);
    mcap_put_number(&s.bytes, 4, 8);
    mcap_put_number(&s.bytes, 0, 4); /* chunks and attachments have their own CRC */
    drain(&s);
    s.crc = 0;
    for (size_t i = 0; i < COUNT_OF(kind); i++) {
        start[i] = s.offset;
        switch (kind[i]) {
        case MCAP_SCHEMA:
        case MCAP_CHANNEL:
            put_definitions(&s, definitions, kind[i]);
            break;
        case MCAP_STATISTICS:
            put_statistics(&s, &totals);
            break;
        default:
            put_kind(&s, fd, end,
                     kind[i] == MCAP_CHUNK_INDEX        ? MCAP_CHUNK
                     : kind[i] == MCAP_ATTACHMENT_INDEX ? MCAP_ATTACHMENT
                                                        : MCAP_METADATA);
            break;
        }
    }
    start[COUNT_OF(kind)] = s.offset;
    put_offsets(&s, start, kind, COUNT_OF(kind));
    put_footer(&s, start[0], start[COUNT_OF(kind)]);
    return s.code;
}
