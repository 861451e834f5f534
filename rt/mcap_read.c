/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mcap_read.c - reads an MCAP file from front to end, believing nothing. */
#include "rt/mcap_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "drivers/wire.h"

/* Bytes still to be taken; taking too many makes bad, and zeros. */
struct view {
    const uint8_t *p;
    size_t left;
    bool bad;
};

static const uint8_t *take(struct view *v, uint64_t n)
{
    const uint8_t *p = v->p;

    if (n > v->left) {
        v->bad = true;
        v->left = 0;
        return NULL;
    }
    v->p += n;
    v->left -= (size_t)n;
    return p;
}

static uint64_t take_number(struct view *v, int bytes)
{
    const uint8_t *p = take(v, (uint64_t)bytes);
    uint8_t raw[8] = {0};

    if (p != NULL) {
        memcpy(raw, p, (size_t)bytes);
    }
    return wire_get_u64(raw);
}

static void take_text(struct view *v, char *text, size_t most)
{
    const uint64_t n = take_number(v, 4);
    const uint8_t *p = take(v, n);

    text[0] = '\0';
    if (p == NULL || n >= most) {
        v->bad = true;
        return;
    }
    memcpy(text, p, (size_t)n);
    text[n] = '\0';
}

static bool read_at(const struct mcap_reader *r, void *data, size_t size, uint64_t offset)
{
    uint8_t *p = data;

    while (size > 0) {
        const ssize_t n = pread(r->fd, p, size, (off_t)offset);

        if (n <= 0) {
            return false;
        }
        p += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

static int room(uint8_t **memory, size_t *most, size_t size)
{
    if (size > *most) {
        uint8_t *p = realloc(*memory, size);

        if (p == NULL) {
            return -ENOMEM;
        }
        *memory = p;
        *most = size;
    }
    return 0;
}

int mcap_read_open(struct mcap_reader *r, const char *path)
{
    char magic[MCAP_MAGIC_BYTES];
    struct stat st;
    int code = 0;

    memset(r, 0, sizeof *r);
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) {
        return -errno;
    }
    if (fstat(r->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        code = -EINVAL;
    } else {
        r->size = (uint64_t)st.st_size;
        r->offset = r->whole = MCAP_MAGIC_BYTES;
        if (!read_at(r, magic, sizeof magic, 0) ||
            memcmp(magic, MCAP_MAGIC, MCAP_MAGIC_BYTES) != 0) {
            code = -EINVAL;
        }
    }
    if (code != 0) {
        mcap_read_close(r);
    }
    return code;
}

void mcap_read_close(struct mcap_reader *r)
{
    if (r->fd >= 0) {
        (void)close(r->fd);
    }
    r->fd = -1;
    free(r->packed);
    free(r->chunk);
    r->packed = r->chunk = NULL;
    r->packed_most = r->chunk_most = 0;
}

/* ---- inside a chunk ---- */

static void define_schema(struct mcap_reader *r, struct view v)
{
    const uint64_t id = take_number(&v, 2);
    struct mcap_read_schema s = {.known = true};
    char encoding[MCAP_READ_NAME];

    take_text(&v, s.name, sizeof s.name);
    take_text(&v, encoding, sizeof encoding);
    s.size = (uint32_t)take_number(&v, 4);
    s.text = (const char *)take(&v, s.size);
    if (!v.bad && id > 0 && id < COUNT_OF(r->schema)) {
        r->schema[id] = s;
    }
}

static void define_channel(struct mcap_reader *r, struct view v)
{
    const uint64_t id = take_number(&v, 2);
    struct mcap_read_channel c = {.known = true};

    c.schema = (uint16_t)take_number(&v, 2);
    take_text(&v, c.topic, sizeof c.topic);
    if (!v.bad && id < MCAP_CHANNELS && c.schema < COUNT_OF(r->schema)) {
        r->channel[id] = c;
    }
}

static bool message(const struct mcap_reader *r, struct view v, struct mcap_read_item *item)
{
    const uint64_t channel = take_number(&v, 2);

    item->sequence = (uint32_t)take_number(&v, 4);
    item->time_ns = take_number(&v, 8);
    (void)take_number(&v, 8);
    if (v.bad || channel >= MCAP_CHANNELS || !r->channel[channel].known) {
        return false;
    }
    item->kind = MCAP_READ_MESSAGE;
    item->channel = (int)channel;
    item->data = v.p;
    item->size = v.left;
    return true;
}

/* The next message of the chunk in memory. */
static bool next_in_chunk(struct mcap_reader *r, struct mcap_read_item *item)
{
    while (r->at < r->chunk_size) {
        struct view v = {r->chunk + r->at, r->chunk_size - r->at, false};
        const uint64_t opcode = take_number(&v, 1);
        const uint64_t length = take_number(&v, 8);
        struct view content = {take(&v, length), (size_t)length, false};

        if (v.bad) {
            r->damaged++;
            r->at = r->chunk_size;
            return false;
        }
        r->at = (size_t)(v.p - r->chunk);
        if (opcode == MCAP_SCHEMA) {
            define_schema(r, content);
        } else if (opcode == MCAP_CHANNEL) {
            define_channel(r, content);
        } else if (opcode == MCAP_MESSAGE && message(r, content, item)) {
            return true;
        }
    }
    return false;
}

/* Unpack and check. 0 when its messages can be read; 1 when not, counted; -ENOMEM. */
static int open_chunk(struct mcap_reader *r, struct view v)
{
    char compression[16];
    uint64_t size, packed;
    uint32_t crc;
    const uint8_t *data;
    int code;

    (void)take(&v, 16);
    size = take_number(&v, 8);
    crc = (uint32_t)take_number(&v, 4);
    take_text(&v, compression, sizeof compression);
    packed = take_number(&v, 8);
    data = take(&v, packed);
    if (v.bad) {
        r->damaged++;
        return 1;
    }
    if (size > MCAP_READ_MOST || (strcmp(compression, "zstd") != 0 && compression[0] != '\0')) {
        r->unreadable++;
        return 1;
    }
    code = room(&r->chunk, &r->chunk_most, (size_t)size + 1);
    if (code != 0) {
        return code;
    }
    if (compression[0] == '\0' && packed == size) {
        memcpy(r->chunk, data, (size_t)size);
    } else if (compression[0] == '\0' ||
               ZSTD_decompress(r->chunk, (size_t)size, data, (size_t)packed) != (size_t)size) {
        r->damaged++;
        return 1;
    }
    if (crc != 0 && crc32_z(0, r->chunk, (size_t)size) != crc) {
        r->damaged++;
        return 1;
    }
    memset(r->schema, 0, sizeof r->schema); /* their text was in the chunk before */
    r->at = 0;
    r->chunk_size = (size_t)size;
    return 0;
}

/* ---- outside chunks ---- */

static bool attachment(struct mcap_reader *r, struct view v, struct mcap_read_item *item)
{
    const uint8_t *start = v.p;
    char media[MCAP_READ_NAME];
    uint32_t crc;
    size_t covered;

    (void)take(&v, 16);
    take_text(&v, item->name, sizeof item->name);
    take_text(&v, media, sizeof media);
    item->size = (size_t)take_number(&v, 8);
    item->data = take(&v, item->size);
    covered = (size_t)(v.p - start);
    crc = (uint32_t)take_number(&v, 4);
    if (v.bad || (crc != 0 && crc32_z(0, start, covered) != crc)) {
        r->damaged++;
        return false;
    }
    item->kind = MCAP_READ_ATTACHMENT;
    return true;
}

static bool metadata(struct mcap_reader *r, struct view v, struct mcap_read_item *item)
{
    take_text(&v, item->name, sizeof item->name);
    item->size = (size_t)take_number(&v, 4);
    item->data = take(&v, item->size);
    if (v.bad) {
        r->damaged++;
        return false;
    }
    item->kind = MCAP_READ_METADATA;
    return true;
}

/* The record at the offset into memory: its opcode, 0 at the end of what is whole, or -errno. */
static int load(struct mcap_reader *r, struct view *content)
{
    uint8_t head[MCAP_HEAD_BYTES];
    uint64_t length;
    int code;

    if (r->size - r->offset < sizeof head || !read_at(r, head, sizeof head, r->offset)) {
        r->cut = true;
        return 0;
    }
    length = wire_get_u64(head + 1);
    if (length > r->size - r->offset - sizeof head || head[0] == 0) {
        r->cut = true;
        return 0;
    }
    r->offset += sizeof head + length;
    if (length > MCAP_READ_MOST) {
        r->unreadable++;
        *content = (struct view){NULL, 0, false};
        return MCAP_SUMMARY_OFFSET; /* one nobody asks for: stepped over */
    }
    code = room(&r->packed, &r->packed_most, (size_t)length + 1);
    if (code != 0) {
        return code;
    }
    if (!read_at(r, r->packed, (size_t)length, r->offset - length)) {
        return -EIO;
    }
    *content = (struct view){r->packed, (size_t)length, false};
    return head[0];
}

int mcap_read_next(struct mcap_reader *r, struct mcap_read_item *item)
{
    for (;;) {
        struct view v;
        int opcode;

        memset(item, 0, sizeof *item);
        if (next_in_chunk(r, item)) {
            return 0;
        }
        opcode = load(r, &v);
        if (opcode <= 0 || opcode == MCAP_DATA_END || opcode == MCAP_FOOTER) {
            r->offset = r->whole; /* asked again, the same answer */
            return opcode < 0 ? opcode : 0;
        }
        if (opcode != MCAP_MESSAGE_INDEX) {
            r->chunk_at = opcode == MCAP_CHUNK ? r->whole : 0;
        }
        r->whole = r->offset;
        if (opcode == MCAP_CHUNK) {
            const int code = open_chunk(r, v);

            if (code < 0) {
                return code;
            }
            r->chunk_at = code == 0 ? r->chunk_at : 0;
        }
        if ((opcode == MCAP_ATTACHMENT && attachment(r, v, item)) ||
            (opcode == MCAP_METADATA && metadata(r, v, item))) {
            return 0;
        }
        if (opcode == MCAP_SCHEMA) {
            define_schema(r, v);
        } else if (opcode == MCAP_CHANNEL) {
            define_channel(r, v);
        }
    }
}

bool mcap_read_value(const struct mcap_read_item *item, const char *name, char *value, size_t most)
{
    struct view v = {item->data, item->size, false};

    while (v.left > 0 && !v.bad) {
        char key[MCAP_READ_NAME];

        take_text(&v, key, sizeof key);
        if (!v.bad && strcmp(key, name) == 0) {
            take_text(&v, value, most);
            return !v.bad;
        }
        (void)take(&v, take_number(&v, 4));
    }
    value[0] = '\0';
    return false;
}

/* ---- repair ---- */

/* All schemas and channels of the file, as its chunks begin. */
static int collect(struct mcap_reader *r, struct mcap_bytes *d)
{
    struct mcap_read_item item;
    int code;

    do {
        const bool none = d->size == 0;

        code = mcap_read_next(r, &item);
        for (size_t i = 0; none && item.kind == MCAP_READ_MESSAGE && i < r->at;) {
            const uint64_t n = MCAP_HEAD_BYTES + wire_get_u64(r->chunk + i + 1);

            if (r->chunk[i] == MCAP_SCHEMA || r->chunk[i] == MCAP_CHANNEL) {
                mcap_put(d, r->chunk + i, (size_t)n);
            }
            i += (size_t)n;
        }
    } while (code == 0 && item.kind != MCAP_READ_END);
    return code == 0 && d->full ? -E2BIG : code;
}

/* The last chunk, still in memory, whose index may be cut off. */
static void write_again(struct mcap_writer *w, struct mcap_reader *r)
{
    struct mcap_read_item item;

    r->at = 0;
    while (next_in_chunk(r, &item)) {
        w->sequence[item.channel] = item.sequence;
        (void)mcap_message(w, item.channel, item.time_ns, item.data, item.size);
    }
}

int mcap_repair(const char *path)
{
    struct mcap_bytes d = {.data = malloc(MCAP_DEFINITIONS), .most = MCAP_DEFINITIONS};
    struct mcap_reader r = {.fd = -1};
    struct mcap_writer w;
    uint64_t end;
    int code = d.data != NULL ? mcap_read_open(&r, path) : -ENOMEM;

    if (code != 0) {
        goto out;
    }
    code = collect(&r, &d);
    if (code == 0 && !r.cut) {
        code = 1;
    }
    if (code != 0) {
        goto out;
    }
    end = r.chunk_at != 0 ? r.chunk_at : r.whole;
    code = mcap_reopen(&w, path, end, &d);
    if (code == 0) {
        if (r.chunk_at != 0) {
            write_again(&w, &r);
        }
        code = mcap_close(&w);
    }
out:
    mcap_read_close(&r);
    free(d.data);
    return code;
}
