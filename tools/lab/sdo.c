/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sdo.c - see sdo.h. Message: CoE header (2), command (1), index (2), sub-index (1), data; a segment has its data
 * right behind the command. */
#include "tools/lab/sdo.h"

#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/al.h"
#include "tools/lab/pdo.h"

enum { HEADER = 6, SHORTEST = 10, MAILBOX_HEADER = 6 };

/* Command byte: the upper three bits say what, the rest how. */
enum { DOWNLOAD_SEGMENT = 0, DOWNLOAD = 1, UPLOAD = 2, UPLOAD_SEGMENT = 3, ABORT = 4 };
enum { SIZE_GIVEN = 0x01, EXPEDITED = 0x02, COMPLETE = 0x10, TOGGLE = 0x10, LAST = 0x01 };

static unsigned answer(uint8_t *reply, uint8_t service, uint8_t command, uint16_t index,
                       uint8_t sub)
{
    memset(reply, 0, SHORTEST);
    wire_put_u16(reply, (uint16_t)(service << 12));
    reply[2] = command;
    wire_put_u16(reply + 3, index);
    reply[5] = sub;
    return SHORTEST;
}

static unsigned refuse(struct sdo *s, uint8_t *reply, uint16_t index, uint8_t sub, uint32_t code)
{
    const unsigned n = answer(reply, SDO_REQUEST, 0x80, index, sub);

    wire_put_u32(reply + HEADER, code);
    s->upload = false;
    s->download = false;
    return n;
}

static uint32_t scripted(const struct sdo_model *m, uint16_t index, uint8_t sub)
{
    for (int i = 0; i < m->refusal_count; i++) {
        const struct sdo_refusal *r = &m->refusals[i];

        if (r->index == index && (r->sub == SDO_ANY_SUB || r->sub == sub)) {
            return r->code;
        }
    }
    return SDO_OK;
}

/* The access bit of a state: PRE-OP 0, SAFE-OP 1, OP 2; write bits lie three higher. */
static unsigned right(uint8_t state, bool write)
{
    const unsigned bit = state == AL_OP ? 2 : state == AL_SAFEOP ? 1 : 0;

    return 1u << (bit + (write ? 3 : 0));
}

static uint32_t permitted(const struct sdo_model *m, const struct od_entry *entry, bool write)
{
    const unsigned access = entry->row->access;

    if ((access & right(m->state, write)) != 0) {
        return SDO_OK;
    }
    if (write) {
        return (access & OD_WRITE) == 0 ? SDO_READ_ONLY : SDO_STATE;
    }
    return (access & OD_RO) == 0 ? SDO_WRITE_ONLY : SDO_STATE;
}

/* Find an entry and check the right to it. */
static uint32_t look_up(const struct sdo_model *m, uint16_t index, uint8_t sub, bool write, int *at)
{
    const uint32_t code = scripted(m, index, sub);

    *at = od_find(m->od, index, sub);
    if (code != SDO_OK) {
        return code;
    }
    if (*at < 0) {
        return od_object(m->od, index, NULL) < 0 ? SDO_NO_OBJECT : SDO_NO_SUB;
    }
    return permitted(m, &m->od->entry[*at], write);
}

/* Append an entry to the transfer buffer; sub-index 0 of a complete object takes two bytes. */
static uint32_t append(struct sdo *s, const struct od *od, int at, bool complete)
{
    const struct od_entry *entry = &od->entry[at];
    const unsigned bytes = complete && entry->sub == 0 ? 2 : entry->bytes;

    if (s->size + bytes > SDO_BYTES_MAX) {
        return SDO_MEMORY;
    }
    memset(&s->buffer[s->size], 0, bytes);
    memcpy(&s->buffer[s->size], &od->value[entry->offset], entry->bytes);
    s->size += bytes;
    return SDO_OK;
}

static uint32_t gather_all(struct sdo *s, const struct sdo_model *m, uint16_t index, uint8_t sub)
{
    const uint32_t count = od_get(m->od, index, 0);
    uint8_t last = 0;
    uint32_t code = sub > 1 ? (uint32_t)SDO_NO_SUB : (uint32_t)SDO_OK;

    if (od_object(m->od, index, &last) >= 0 && last == 0) {
        return SDO_NOT_COMPLETE;
    }
    for (uint32_t i = sub; i <= last && i <= (count > 0 ? count : sub) && code == SDO_OK; i++) {
        int at;

        code = look_up(m, index, (uint8_t)i, false, &at);
        if (code == SDO_OK) {
            code = append(s, m->od, at, true);
        } else if (code == SDO_NO_SUB && i > 0) {
            code = SDO_OK; /* a record may have holes */
        }
    }
    return code;
}

static unsigned upload(struct sdo *s, const struct sdo_model *m, uint8_t command, uint16_t index,
                       uint8_t sub, uint8_t *reply)
{
    const uint8_t complete = command & COMPLETE;
    const unsigned room = m->mailbox_bytes - MAILBOX_HEADER - SHORTEST;
    uint32_t code;
    unsigned n;
    int at;

    s->size = 0;
    if (complete != 0) {
        code = gather_all(s, m, index, sub);
    } else {
        code = look_up(m, index, sub, false, &at);
        code = code == SDO_OK ? append(s, m->od, at, false) : code;
    }
    if (code != SDO_OK) {
        return refuse(s, reply, index, sub, code);
    }
    if (s->size > 0 && s->size <= 4) {
        n = answer(reply, SDO_RESPONSE, (uint8_t)(0x43 | (4 - s->size) << 2 | complete), index,
                   sub);
        memcpy(reply + HEADER, s->buffer, s->size);
        return n;
    }
    n = answer(reply, SDO_RESPONSE, (uint8_t)(0x41 | complete), index, sub);
    wire_put_u32(reply + HEADER, s->size);
    s->done = s->size < room ? s->size : room;
    memcpy(reply + n, s->buffer, s->done);
    s->upload = s->done < s->size;
    s->toggle = 0;
    s->index = index;
    s->sub = sub;
    return n + s->done;
}

static unsigned upload_segment(struct sdo *s, const struct sdo_model *m, uint8_t command,
                               uint8_t *reply)
{
    const unsigned room = m->mailbox_bytes - MAILBOX_HEADER - 3;
    const unsigned left = s->size - s->done;
    const unsigned n = left < room ? left : room;
    const bool last = n == left;
    const unsigned unused = n < 7 ? 7 - n : 0;

    if (!s->upload || (command & TOGGLE) != s->toggle) {
        return refuse(s, reply, s->index, s->sub, s->upload ? SDO_TOGGLE : SDO_COMMAND);
    }
    memset(reply, 0, SHORTEST);
    wire_put_u16(reply, SDO_RESPONSE << 12);
    reply[2] = (uint8_t)(s->toggle | unused << 1 | (last ? LAST : 0));
    memcpy(reply + 3, s->buffer + s->done, n);
    s->done += n;
    s->upload = !last;
    s->toggle ^= TOGGLE;
    return n < 7 ? SHORTEST : 3 + n;
}

/* Write one entry of n bytes. Numbers have their exact size; texts and byte strings may be shorter. */
static uint32_t write_entry(const struct sdo_model *m, uint16_t index, uint8_t sub,
                            const uint8_t *data, unsigned n)
{
    const struct od_entry *entry;
    uint32_t code;
    uint32_t number = 0;
    bool text;
    int at;

    code = look_up(m, index, sub, true, &at);
    if (code != SDO_OK) {
        return code;
    }
    entry = &m->od->entry[at];
    text = entry->row->type == OD_TEXT || entry->row->type == OD_BYTES;
    if (n > entry->bytes) {
        return SDO_TOO_LONG;
    }
    if (n < entry->bytes && !text) {
        return SDO_TOO_SHORT;
    }
    for (unsigned i = 0; i < n && i < 4; i++) {
        number |= (uint32_t)data[i] << (8 * i);
    }
    code = pdo_check(m->od, index, sub, number);
    if (code == SDO_OK) {
        memset(&m->od->value[entry->offset], 0, entry->bytes);
        memcpy(&m->od->value[entry->offset], data, n);
    }
    return code;
}

/* Complete access: the count (two bytes) when it begins at sub-index 0, then the entries. The count is zero
 * meanwhile, as PDO objects demand it; after a refusal it stays zero. */
static uint32_t write_all(const struct sdo_model *m, uint16_t index, uint8_t sub,
                          const uint8_t *data, unsigned n)
{
    const uint8_t none = 0;
    const bool counted = sub == 0 && n >= 2;
    unsigned i = 1;
    unsigned used = counted ? 2 : 0;
    uint32_t code = SDO_OK;

    if (sub > 1 || (sub == 0 && n < 2)) {
        return sub > 1 ? SDO_NO_SUB : SDO_TOO_SHORT;
    }
    code = counted ? write_entry(m, index, 0, &none, 1) : SDO_OK;
    while (code == SDO_OK && used < n) {
        const int at = i <= 0xff ? od_find(m->od, index, (uint8_t)i) : -1;
        const unsigned bytes = at >= 0 ? m->od->entry[at].bytes : 0;

        if (bytes == 0 || used + bytes > n) {
            return SDO_LENGTH;
        }
        code = write_entry(m, index, (uint8_t)i, data + used, bytes);
        used += bytes;
        i++;
    }
    return code == SDO_OK && counted ? write_entry(m, index, 0, data, 1) : code;
}

static uint32_t finish_download(struct sdo *s, const struct sdo_model *m)
{
    s->download = false;
    return s->complete ? write_all(m, s->index, s->sub, s->buffer, s->size)
                       : write_entry(m, s->index, s->sub, s->buffer, s->size);
}

static unsigned download(struct sdo *s, const struct sdo_model *m, const uint8_t *request,
                         unsigned n, uint8_t *reply)
{
    const uint8_t command = request[2];
    const uint16_t index = wire_get_u16(request + 3);
    const uint8_t sub = request[5];
    const bool expedited = (command & EXPEDITED) != 0;
    const uint8_t *data = request + (expedited ? HEADER : SHORTEST);
    unsigned given = n - SHORTEST;
    uint32_t code;
    int at;

    s->index = index;
    s->sub = sub;
    s->complete = (command & COMPLETE) != 0;
    s->size = wire_get_u32(request + HEADER);
    if (expedited) {
        const int entry = od_find(m->od, index, sub);

        s->size = (command & SIZE_GIVEN) != 0 ? 4u - (command >> 2 & 3u) : 4u;
        if ((command & SIZE_GIVEN) == 0 && entry >= 0 && m->od->entry[entry].bytes < 4) {
            s->size = m->od->entry[entry].bytes;
        }
        given = s->size;
    }
    code = look_up(m, index, sub, true, &at);
    if (s->complete && code == SDO_NO_SUB && sub == 1) {
        code = SDO_OK;
    }
    if (code == SDO_OK && s->size > SDO_BYTES_MAX) {
        code = SDO_MEMORY;
    }
    if (code == SDO_OK) {
        s->done = given < s->size ? given : s->size;
        memcpy(s->buffer, data, s->done);
        s->download = s->done < s->size;
        s->toggle = 0;
        code = s->download ? (uint32_t)SDO_OK : finish_download(s, m);
    }
    return code == SDO_OK ? answer(reply, SDO_RESPONSE, 0x60, index, sub)
                          : refuse(s, reply, index, sub, code);
}

static unsigned download_segment(struct sdo *s, const struct sdo_model *m, const uint8_t *request,
                                 unsigned n, uint8_t *reply)
{
    const uint8_t command = request[2];
    unsigned given = n - 3;
    uint32_t code = SDO_OK;

    if (given == 7) {
        given -= command >> 1 & 7u;
    }
    if (!s->download) {
        code = SDO_COMMAND;
    } else if ((command & TOGGLE) != s->toggle) {
        code = SDO_TOGGLE;
    } else if (given > s->size - s->done) {
        code = SDO_TOO_LONG;
    } else {
        memcpy(s->buffer + s->done, request + 3, given);
        s->done += given;
        if ((command & LAST) != 0) {
            code = s->done == s->size ? finish_download(s, m) : (uint32_t)SDO_TOO_SHORT;
        }
    }
    if (code != SDO_OK) {
        return refuse(s, reply, s->index, s->sub, code);
    }
    answer(reply, SDO_RESPONSE, (uint8_t)(0x20 | s->toggle), 0, 0);
    s->toggle ^= TOGGLE;
    return SHORTEST;
}

void sdo_init(struct sdo *s)
{
    memset(s, 0, sizeof *s);
}

unsigned sdo_answer(struct sdo *s, const struct sdo_model *m, const uint8_t *request, unsigned n,
                    uint8_t *reply)
{
    const unsigned what = n > 2 ? request[2] >> 5 : ABORT;

    if (n < SHORTEST || what == ABORT) {
        s->upload = false;
        s->download = false;
        return 0;
    }
    switch (what) {
    case UPLOAD:
        s->download = false;
        return upload(s, m, request[2], wire_get_u16(request + 3), request[5], reply);
    case UPLOAD_SEGMENT:
        return upload_segment(s, m, request[2], reply);
    case DOWNLOAD:
        s->upload = false;
        return download(s, m, request, n, reply);
    case DOWNLOAD_SEGMENT:
        return download_segment(s, m, request, n, reply);
    default:
        return refuse(s, reply, wire_get_u16(request + 3), request[5], SDO_COMMAND);
    }
}
