/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mailbox.c - see mailbox.h. Header of a message: length (2), address (2), channel and priority (1), type and
 * counter (1). */
#include "tools/lab/mailbox.h"

#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/sdoinfo.h"
#include "tools/lab/syncman.h"

enum { OUT = 0, IN = 1 }; /* sync managers, seen from the master */
enum { HEADER = 6, TYPE_ERROR = 0, TYPE_COE = 3 };
enum { ERROR_PROTOCOL = 2, ERROR_SERVICE = 4, ERROR_SHORT = 6, ERROR_SIZE = 8 };

void mailbox_reset(struct mailbox *m)
{
    sdo_init(&m->sdo);
    m->counter_in = 0;
    m->counter_out = 0;
    m->first = 0;
    m->count = 0;
    m->offered.bytes = 0;
    m->read.bytes = 0;
    m->followed = true;
    m->waiting = false;
}

/* Queue a reply of n bytes behind a fresh header. */
static void push(struct mailbox *m, uint16_t address, uint8_t type, const uint8_t *data, unsigned n)
{
    struct mailbox_message *message = &m->queue[(m->first + m->count) % MAILBOX_QUEUE];

    if (m->count >= MAILBOX_QUEUE || HEADER + n > MAILBOX_BYTES_MAX) {
        m->lost++;
        return;
    }
    m->counter_out = (uint8_t)(m->counter_out % 7 + 1);
    wire_put_u16(message->data, (uint16_t)n);
    wire_put_u16(message->data + 2, address);
    message->data[4] = 0;
    message->data[5] = (uint8_t)(type | m->counter_out << 4);
    memcpy(message->data + HEADER, data, n);
    message->bytes = (uint16_t)(HEADER + n);
    m->count++;
}

static void push_error(struct mailbox *m, uint16_t address, uint16_t detail)
{
    uint8_t data[4] = {0x01, 0x00, 0x00, 0x00};

    wire_put_u16(data + 2, detail);
    m->refused++;
    push(m, address, TYPE_ERROR, data, sizeof data);
}

struct sink {
    struct mailbox *mailbox;
    uint16_t address;
};

static void push_info(void *user, const uint8_t *reply, unsigned n)
{
    struct sink *sink = (struct sink *)user;

    push(sink->mailbox, sink->address, TYPE_COE, reply, n);
}

static void answer_coe(struct mailbox *m, const struct sdo_model *model, uint16_t address,
                       const uint8_t *data, unsigned n)
{
    const unsigned service = wire_get_u16(data) >> 12;

    if (service == SDO_REQUEST) {
        uint8_t reply[MAILBOX_BYTES_MAX];
        const unsigned bytes = sdo_answer(&m->sdo, model, data, n, reply);

        if (bytes > 0) {
            m->refused += reply[2] == 0x80;
            push(m, address, TYPE_COE, reply, bytes);
        }
    } else if (service == SDO_INFORMATION) {
        struct sink sink = {m, address};

        sdoinfo_answer(model->od, model->mailbox_bytes, data, n, push_info, &sink);
    } else {
        push_error(m, address, ERROR_SERVICE);
    }
}

static void answer(struct mailbox *m, const struct sdo_model *model, const uint8_t *request,
                   unsigned n)
{
    const unsigned bytes = wire_get_u16(request);
    const uint16_t address = wire_get_u16(request + 2);
    const uint8_t type = request[5] & 0x0f;
    const uint8_t counter = request[5] >> 4 & 0x07;

    m->requests++;
    if (counter != 0 && counter == m->counter_in) {
        m->duplicates++;
        return;
    }
    m->counter_in = counter;
    if (bytes > n - HEADER) {
        push_error(m, address, ERROR_SIZE);
    } else if (type != TYPE_COE) {
        push_error(m, address, ERROR_PROTOCOL);
    } else if (bytes < 2) {
        push_error(m, address, ERROR_SHORT);
    } else {
        answer_coe(m, model, address, request + HEADER, bytes);
    }
}

static void take_request(struct mailbox *m, struct esc *e, struct od *od, uint8_t state)
{
    const struct sdo_model model = {
        .od = od,
        .state = state,
        .mailbox_bytes = e->sm[IN].length,
        .refusals = m->refusal,
        .refusal_count = m->refusal_count,
    };
    uint8_t request[MAILBOX_BYTES_MAX];
    const unsigned n = syncman_fetch(e, OUT, request, sizeof request);

    m->waiting = false;
    if (n >= MAILBOX_BYTES_MIN && model.mailbox_bytes >= MAILBOX_BYTES_MIN &&
        model.mailbox_bytes <= MAILBOX_BYTES_MAX) {
        answer(m, &model, request, n);
    }
}

static bool offer(struct mailbox *m, struct esc *e, const struct mailbox_message *message)
{
    if (!syncman_offer(e, IN, message->data, message->bytes)) {
        return false;
    }
    m->offered = *message;
    return true;
}

/* The master toggled the repeat request: it read a reply whose frame was lost, or its reading was lost. In the
 * first case the reply is offered again. Sync manager 1 may hold the next message already: if that answers a
 * later request, the master has seen the one before and wants this one; else it goes back to the queue. */
static void repeat(struct mailbox *m, struct esc *e)
{
    uint8_t *r = &e->memory[ESC_REG_SM + 8 * IN];

    m->repeats++;
    if (m->read.bytes > 0 && (!e->sm[IN].full || (m->followed && m->count < MAILBOX_QUEUE))) {
        if (e->sm[IN].full) {
            m->first = (m->first + MAILBOX_QUEUE - 1) % MAILBOX_QUEUE;
            m->queue[m->first] = m->offered;
            m->count++;
            e->sm[IN].full = false;
        }
        offer(m, e, &m->read);
    }
    r[7] = (uint8_t)((r[7] & ~0x02) | (r[6] & 0x02));
}

void mailbox_step(struct mailbox *m, struct esc *e, struct od *od, uint8_t state, int64_t t_ns)
{
    if ((e->sm_read & 1u << IN) != 0) {
        m->read = m->offered;
        m->followed = true;
    }
    if ((e->sm_repeat & 1u << IN) != 0) {
        repeat(m, e);
    }
    e->sm_read = 0;
    e->sm_repeat = 0;
    if (!m->waiting && e->sm[OUT].mailbox && e->sm[OUT].full) {
        m->waiting = true;
        m->due_ns = t_ns + m->slow_ns;
    }
    if (m->waiting && !m->hang && m->count == 0 && !e->sm[IN].full && t_ns >= m->due_ns) {
        take_request(m, e, od, state);
        m->followed = false;
    }
    if (m->count > 0 && !m->hang && !e->sm[IN].full && offer(m, e, &m->queue[m->first])) {
        m->first = (m->first + 1) % MAILBOX_QUEUE;
        m->count--;
    }
}

void mailbox_emergency(struct mailbox *m, uint16_t code, uint8_t error_register,
                       const uint8_t data[static 5])
{
    uint8_t message[10];

    wire_put_u16(message, SDO_EMERGENCY << 12);
    wire_put_u16(message + 2, code);
    message[4] = error_register;
    memcpy(message + 5, data, 5);
    m->emergencies++;
    push(m, 0, TYPE_COE, message, sizeof message);
}
