/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sii.c - see sii.h. */
#include "tools/lab/sii.h"

#include <errno.h>
#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/pdo.h"

#define STRINGS_MAX 96
#define HEADER      128 /* bytes before the first category */

enum category {
    CATEGORY_STRINGS = 10,
    CATEGORY_GENERAL = 30,
    CATEGORY_FMMU = 40,
    CATEGORY_SM = 41
};
enum { CATEGORY_TXPDO = 50, CATEGORY_RXPDO = 51, CATEGORY_DC = 60, CATEGORY_END = 0xffff };

/* Strings are numbered from 1 in the order of their first use; other categories name them by number, but
 * stand behind them: so everything else is written to `body` first. */
struct builder {
    uint8_t body[SII_BYTES];
    unsigned used;
    unsigned category; /* where the open one begins */
    bool overflow;
    int strings;
    const char *string[STRINGS_MAX];
};

static void put8(struct builder *b, unsigned value)
{
    if (b->used < sizeof b->body) {
        b->body[b->used++] = (uint8_t)value;
    } else {
        b->overflow = true;
    }
}

static void put16(struct builder *b, unsigned value)
{
    put8(b, value & 0xff);
    put8(b, value >> 8 & 0xff);
}

static uint8_t string(struct builder *b, const char *text)
{
    if (!text || !*text) {
        return 0;
    }
    for (int i = 0; i < b->strings; i++) {
        if (strcmp(b->string[i], text) == 0) {
            return (uint8_t)(i + 1);
        }
    }
    if (b->strings >= STRINGS_MAX) {
        return 0; /* a nameless entry is allowed */
    }
    b->string[b->strings++] = text;
    return (uint8_t)b->strings;
}

static void begin(struct builder *b, unsigned type)
{
    put16(b, type);
    b->category = b->used;
    put16(b, 0);
}

/* Pad to a whole word and enter the length. */
static void end(struct builder *b, uint8_t padding)
{
    if (b->used % 2 != 0) {
        put8(b, padding);
    }
    if (!b->overflow) {
        wire_put_u16(&b->body[b->category], (uint16_t)((b->used - b->category - 2) / 2));
    }
}

static void general(struct builder *b, const struct sii_model *m)
{
    const unsigned first = b->used + 4;

    begin(b, CATEGORY_GENERAL);
    put8(b, 0);                   /* group */
    put8(b, 0);                   /* image */
    put8(b, string(b, m->order)); /* order number */
    put8(b, string(b, m->name));  /* name */
    put8(b, 0);                   /* reserved */
    put8(b,
         m->mailbox_bytes ? 0x2f : 0); /* CoE: SDO, info, PDO assign, configure, complete access */
    for (int i = 0; i < 6; i++) {
        put8(b, 0); /* FoE, EoE, SoE, DS402 channels, class, flags */
    }
    put16(b, 0); /* E-bus current */
    while (b->used < first + 32 && !b->overflow) {
        put8(b, 0);
    }
    end(b, 0);
}

/* Four FMMU uses at most: 1 outputs, 2 inputs, 3 mailbox status. */
static void fmmus(struct builder *b, const struct sii_model *m)
{
    begin(b, CATEGORY_FMMU);
    for (int i = 0; i < m->sm_count; i++) {
        if (m->sm[i].type == 3 || m->sm[i].type == 4) {
            put8(b, m->sm[i].type == 3 ? 1 : 2);
        }
    }
    if (m->mailbox_bytes) {
        put8(b, 3);
    }
    end(b, 0xff);
}

static void sync_managers(struct builder *b, const struct sii_model *m)
{
    begin(b, CATEGORY_SM);
    for (int i = 0; i < m->sm_count; i++) {
        const struct sii_sm *sm = &m->sm[i];

        put16(b, sm->start);
        put16(b, sm->length);
        put8(b, sm->control);
        put8(b, 0);
        put8(b, sm->activate);
        put8(b, sm->type);
    }
    end(b, 0);
}

static void pdo(struct builder *b, const struct od *od, uint16_t index, int sm)
{
    const uint32_t objects = od_get(od, index, 0);
    const int first = od_object(od, index, NULL);

    put16(b, index);
    put8(b, objects);
    put8(b, (unsigned)sm);
    put8(b, 0); /* synchronisation */
    put8(b, first >= 0 ? string(b, od->entry[first].row->name) : 0);
    put16(b, 0);
    for (uint32_t i = 1; i <= objects; i++) {
        const uint32_t object = od_get(od, index, (uint8_t)i);
        const int at = od_find(od, (uint16_t)(object >> 16), (uint8_t)(object >> 8));

        put16(b, object >> 16);
        put8(b, object >> 8 & 0xff);
        put8(b, at >= 0 ? string(b, od->entry[at].row->name) : 0);
        put8(b, at >= 0 ? od->entry[at].row->type : 0);
        put8(b, object & 0xff);
        put16(b, 0);
    }
}

static void pdos(struct builder *b, const struct sii_model *m, uint16_t assignment, uint8_t type)
{
    const uint32_t count = od_get(m->od, assignment, 0);
    int sm = 0;

    while (sm < m->sm_count && m->sm[sm].type != type) {
        sm++;
    }
    if (count == 0 || sm == m->sm_count) {
        return;
    }
    begin(b, type == 4 ? CATEGORY_TXPDO : CATEGORY_RXPDO);
    for (uint32_t i = 1; i <= count; i++) {
        pdo(b, m->od, (uint16_t)od_get(m->od, assignment, (uint8_t)i), sm);
    }
    end(b, 0);
}

/* One operation mode: SYNC0 with the cycle of the master. */
static void clocks(struct builder *b)
{
    begin(b, CATEGORY_DC);
    for (int i = 0; i < 24; i++) {
        put8(b, i == 15 ? 0x03 : 0); /* bytes 14-15: activation word 0x0300 */
    }
    end(b, 0);
}

/* CRC-8, polynomial x^8 + x^2 + x + 1, start 0xff, over the first 14 bytes. */
static uint8_t checksum(const uint8_t *image)
{
    unsigned crc = 0xff;

    for (int i = 0; i < 14; i++) {
        crc ^= image[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 0x80) != 0 ? (crc << 1 ^ 0x07) & 0xff : crc << 1;
        }
    }
    return (uint8_t)crc;
}

static void header(uint8_t *image, const struct sii_model *m)
{
    memset(image, 0, HEADER);
    wire_put_u16(image, m->pdi_control);
    wire_put_u16(image + 8, m->alias);
    image[14] = checksum(image);
    wire_put_u32(image + 16, m->vendor);
    wire_put_u32(image + 20, m->product);
    wire_put_u32(image + 24, m->revision);
    wire_put_u32(image + 28, m->serial);
    if (m->mailbox_bytes) {
        wire_put_u16(image + 48, m->mailbox_out);
        wire_put_u16(image + 50, m->mailbox_bytes);
        wire_put_u16(image + 52, m->mailbox_in);
        wire_put_u16(image + 54, m->mailbox_bytes);
        wire_put_u16(image + 56, 0x0004); /* CoE */
    }
    wire_put_u16(image + 124, SII_BYTES / 128 - 1); /* size in kbit, less one */
    wire_put_u16(image + 126, 1);                   /* version */
}

int sii_build(uint8_t image[static SII_BYTES], const struct sii_model *m)
{
    struct builder b;
    struct builder head;

    memset(&b, 0, sizeof b);
    memset(&head, 0, sizeof head);
    string(&b, m->name); /* masters take string 1 as the name */
    general(&b, m);
    fmmus(&b, m);
    sync_managers(&b, m);
    pdos(&b, m, PDO_INPUTS, 4);
    pdos(&b, m, PDO_OUTPUTS, 3);
    if (m->dc) {
        clocks(&b);
    }
    put16(&b, CATEGORY_END);

    begin(&head, CATEGORY_STRINGS);
    put8(&head, (unsigned)b.strings);
    for (int i = 0; i < b.strings; i++) {
        const size_t n = strlen(b.string[i]) < 255 ? strlen(b.string[i]) : 255;

        put8(&head, (unsigned)n);
        for (size_t k = 0; k < n; k++) {
            put8(&head, (uint8_t)b.string[i][k]);
        }
    }
    end(&head, 0);
    if (b.overflow || head.overflow || HEADER + head.used + b.used > SII_BYTES) {
        return -ENOSPC;
    }
    memset(image, 0xff, SII_BYTES);
    header(image, m);
    memcpy(image + HEADER, head.body, head.used);
    memcpy(image + HEADER + head.used, b.body, b.used);
    return 0;
}

void sii_command(uint8_t image[static SII_BYTES], struct esc *e)
{
    uint8_t *control = &e->memory[ESC_REG_SII_CONTROL];
    const uint8_t command = control[1] & 0x07;
    const bool enabled = (control[0] & 0x01) != 0;
    const uint64_t byte = 2ull * wire_get_u32(&e->memory[ESC_REG_SII_ADDRESS]);

    control[0] &= 0xfe; /* write enable lasts for one command */
    control[1] = 0;
    if (command == 1) {
        for (unsigned i = 0; i < 8; i++) {
            e->memory[ESC_REG_SII_DATA + i] = byte + i < SII_BYTES ? image[byte + i] : 0xff;
        }
    } else if (command == 2 && !enabled) {
        control[1] = 0x40; /* error: write without write enable */
    } else if (command == 2 && byte + 2 <= SII_BYTES) {
        memcpy(&image[byte], &e->memory[ESC_REG_SII_DATA], 2);
    } else if (command == 4) {
        memcpy(&e->memory[ESC_REG_ALIAS], &image[8], 2);
    } else if (command != 0) {
        control[1] = 0x20; /* error: command */
    }
}
