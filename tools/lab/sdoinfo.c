/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sdoinfo.c - see sdoinfo.h. Message: CoE header (2), opcode (1, bit 7: more follows), reserved (1), fragments left
 * (2), data. */
#include "tools/lab/sdoinfo.h"

#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/sdo.h"

enum { HEADER = 6, MAILBOX_HEADER = 6, ROOM = 1486 };
enum { LIST_REQUEST = 1, LIST, OBJECT_REQUEST, OBJECT, ENTRY_REQUEST, ENTRY, REFUSED };
enum { OBJECT_VARIABLE = 7, OBJECT_ARRAY = 8, OBJECT_RECORD = 9 };

struct reply {
    uint8_t data[ROOM];
    unsigned used;
};

static void head(struct reply *r, uint8_t opcode, uint16_t fragments)
{
    memset(r->data, 0, HEADER);
    wire_put_u16(r->data, SDO_INFORMATION << 12);
    r->data[2] = (uint8_t)(opcode | (fragments > 0 ? 0x80 : 0));
    wire_put_u16(r->data + 4, fragments);
    r->used = HEADER;
}

static void put16(struct reply *r, uint16_t value)
{
    wire_put_u16(r->data + r->used, value);
    r->used += 2;
}

static void put_text(struct reply *r, const char *text, unsigned room)
{
    const unsigned n = (unsigned)strlen(text);
    const unsigned fits = r->used < room ? room - r->used : 0;

    memcpy(r->data + r->used, text, n < fits ? n : fits);
    r->used += n < fits ? n : fits;
}

static void refuse(uint32_t code, sdoinfo_sink *sink, void *user)
{
    struct reply r;

    head(&r, REFUSED, 0);
    wire_put_u32(r.data + HEADER, code);
    sink(user, r.data, HEADER + 4);
}

/* Lists: 1 all, 2 mappable into outputs, 3 mappable into inputs, 4 kept for replacement, 5 settings. */
static bool listed(const struct od *od, int first, uint16_t list)
{
    unsigned access = 0;

    for (int i = first; i < od->count && od->entry[i].index == od->entry[first].index; i++) {
        access |= od->entry[i].row->access;
    }
    switch (list) {
    case 1:
        return true;
    case 2:
        return (access & OD_RX) != 0;
    case 3:
        return (access & OD_TX) != 0;
    default:
        return false;
    }
}

static unsigned gather(const struct od *od, uint16_t list, uint8_t *out)
{
    unsigned n = 0;

    for (int i = 0; i < od->count; i++) {
        if ((i == 0 || od->entry[i].index != od->entry[i - 1].index) && listed(od, i, list)) {
            wire_put_u16(out + 2 * n, od->entry[i].index);
            n++;
        }
    }
    return n;
}

/* List 0 is the length of the other five. The list type stands in the first fragment only. */
static void send_list(const struct od *od, unsigned room, uint16_t list, sdoinfo_sink *sink,
                      void *user)
{
    uint8_t all[2 + 2 * OD_ENTRIES_MAX];
    unsigned bytes = 2;
    unsigned done = 0;

    wire_put_u16(all, list);
    if (list == 0) {
        for (uint16_t i = 1; i <= 5; i++) {
            uint8_t unused[2 * OD_ENTRIES_MAX];

            wire_put_u16(all + bytes, (uint16_t)gather(od, i, unused));
            bytes += 2;
        }
    } else {
        bytes += 2 * gather(od, list, all + 2);
    }
    room = (room - HEADER) & ~1u;
    do {
        const unsigned n = bytes - done < room ? bytes - done : room;
        struct reply r;

        head(&r, LIST, (uint16_t)((bytes - done - n + room - 1) / room));
        memcpy(r.data + HEADER, all + done, n);
        sink(user, r.data, HEADER + n);
        done += n;
    } while (done < bytes);
}

static void send_object(const struct od *od, unsigned room, uint16_t index, sdoinfo_sink *sink,
                        void *user)
{
    uint8_t last = 0;
    const int first = od_object(od, index, &last);
    struct reply r;

    if (first < 0) {
        refuse(SDO_NO_OBJECT, sink, user);
        return;
    }
    head(&r, OBJECT, 0);
    put16(&r, index);
    put16(&r, od->entry[first].row->type);
    r.data[r.used++] = last;
    r.data[r.used++] = last == 0 ? OBJECT_VARIABLE : OBJECT_RECORD;
    put_text(&r, od->entry[first].row->name, room);
    sink(user, r.data, r.used);
}

static void send_entry(const struct od *od, unsigned room, uint16_t index, uint8_t sub,
                       sdoinfo_sink *sink, void *user)
{
    const int at = od_find(od, index, sub);
    struct reply r;

    if (at < 0) {
        refuse(od_object(od, index, NULL) < 0 ? SDO_NO_OBJECT : SDO_NO_SUB, sink, user);
        return;
    }
    head(&r, ENTRY, 0);
    put16(&r, index);
    r.data[r.used++] = sub;
    r.data[r.used++] = 0; /* no unit, default, least or greatest value follows */
    put16(&r, od->entry[at].row->type);
    put16(&r, (uint16_t)od_bits(&od->entry[at]));
    put16(&r, od->entry[at].row->access);
    put_text(&r, od->entry[at].row->name, room);
    sink(user, r.data, r.used);
}

void sdoinfo_answer(const struct od *od, unsigned mailbox_bytes, const uint8_t *request, unsigned n,
                    sdoinfo_sink *sink, void *user)
{
    const unsigned longest = mailbox_bytes - MAILBOX_HEADER;
    const unsigned room = longest < ROOM ? longest : ROOM;
    const uint8_t opcode = n > 2 ? request[2] & 0x7f : 0;

    if (opcode == LIST_REQUEST && n >= HEADER + 2) {
        const uint16_t list = wire_get_u16(request + HEADER);

        if (list > 5) {
            refuse(SDO_RANGE, sink, user);
        } else {
            send_list(od, room, list, sink, user);
        }
    } else if (opcode == OBJECT_REQUEST && n >= HEADER + 2) {
        send_object(od, room, wire_get_u16(request + HEADER), sink, user);
    } else if (opcode == ENTRY_REQUEST && n >= HEADER + 4) {
        send_entry(od, room, wire_get_u16(request + HEADER), request[HEADER + 2], sink, user);
    } else {
        refuse(SDO_COMMAND, sink, user);
    }
}
