/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coe.c - see coe.h. */
#include "drivers/coe.h"

#include <errno.h>
#include <string.h>

#include "soem/soem.h"

#include "drivers/wire.h"

enum {
    HEADER = 6,
    COE = 3,
    ANSWERS = 8
}; /* mailbox header; its type; messages looked at for one answer */
enum { SENDS = 3 };
enum { EMERGENCY = 1, REQUEST = 2, RESPONSE = 3 };                        /* services */
enum { UPLOAD = 0x40, DOWNLOAD = 0x23, DOWNLOADED = 0x60, ABORT = 0x80 }; /* commands */

/* Bytes of a message behind the mailbox header: service 2, command, index 2, sub-index, data 4. */
enum { COMMAND = HEADER + 2, INDEX = HEADER + 3, SUB = HEADER + 5, DATA = HEADER + 6, SDO = 10 };

static void keep(struct ethercat *e, int position, const uint8_t *message)
{
    struct ethercat_event *event = &e->event[e->events % ETHERCAT_EVENTS];

    event->position = position;
    event->code = wire_get_u16(message + HEADER + 2);
    event->error_register = message[HEADER + 4];
    memcpy(event->data, message + HEADER + 5, sizeof event->data);
    e->events++;
}

static bool is_emergency(const uint8_t *message)
{
    return (message[5] & 0x0f) == COE && wire_get_u16(message + HEADER) >> 12 == EMERGENCY &&
           wire_get_u16(message) >= SDO;
}

/* The next message that is no emergency, copied: its length behind the header, or 0. */
static int receive(struct ethercat *e, int position, uint8_t *message, int timeout_us)
{
    for (int i = 0; i < ANSWERS; i++) {
        ec_mbxbuft *box = NULL;
        const int wkc =
            ecx_mbxreceive(e->soem, (uint16)(position + 1), &box, timeout_us > 0 ? timeout_us : 1);
        bool emergency;

        if (wkc <= 0 || !box) {
            return 0;
        }
        memcpy(message, *box, EC_MAXMBX);
        ecx_dropmbx(e->soem, box);
        emergency = is_emergency(message);
        if (!emergency) {
            return wire_get_u16(message);
        }
        keep(e, position, message);
    }
    return 0;
}

int coe_poll(struct ethercat *e, int position)
{
    uint8_t message[EC_MAXMBX];
    const uint64_t before = e->events;
    uint8 status = 0;

    for (int i = 0; i < ANSWERS; i++) {
        if (e->soem->slavelist[position + 1].mbx_l == 0 ||
            ecx_FPRD(&e->soem->port, e->slave[position].address, ECT_REG_SM1STAT, 1, &status,
                     EC_TIMEOUTRET3) <= 0 ||
            (status & 0x08) == 0) {
            break;
        }
        (void)receive(e, position, message, EC_TIMEOUTTXM);
    }
    return (int)(e->events - before);
}

static bool send(struct ethercat *e, int position, const uint8_t sdo[static SDO - 2])
{
    ec_slavet *s = &e->soem->slavelist[position + 1];
    ec_mbxbuft *box = ecx_getmbx(e->soem);
    uint8_t *message;

    if (!box) {
        return false;
    }
    message = (uint8_t *)box;
    memset(message, 0, EC_MAXMBX);
    s->mbx_cnt = ec_nextmbxcnt(s->mbx_cnt);
    wire_put_u16(message, SDO);
    message[5] = (uint8_t)(COE | s->mbx_cnt << 4);
    wire_put_u16(message + HEADER, REQUEST << 12);
    memcpy(message + COMMAND, sdo, SDO - 2);
    return ecx_mbxsend(e->soem, (uint16)(position + 1), box, EC_TIMEOUTTXM) > 0;
}

/* Send a request and find its answer: command byte, data in `answer`; or -errno. */
static int exchange(struct ethercat *e, int position, const uint8_t sdo[static SDO - 2],
                    uint8_t answer[static 4], uint32_t *abort_code)
{
    uint8_t message[EC_MAXMBX];
    bool sent = false;

    *abort_code = 0;
    if (e->soem->slavelist[position + 1].mbx_l == 0) {
        return -ENOTSUP;
    }
    /* What lies there from before is no answer; and as long as it lies there, no request is taken. */
    for (int i = 0; i < SENDS && !sent; i++) {
        (void)coe_poll(e, position);
        sent = send(e, position, sdo);
    }
    if (!sent) {
        return -ETIMEDOUT;
    }
    for (int i = 0; i < ANSWERS; i++) {
        const int bytes = receive(e, position, message, EC_TIMEOUTRXM);

        if (bytes == 0) {
            return -ETIMEDOUT;
        }
        if (bytes >= SDO && (message[5] & 0x0f) == COE &&
            memcmp(message + INDEX, sdo + 1, 3) == 0) {
            memcpy(answer, message + DATA, 4);
            *abort_code = message[COMMAND] == ABORT ? wire_get_u32(answer) : 0;
            return message[COMMAND] == ABORT ? -EPROTO : message[COMMAND];
        }
    }
    return -EPROTO;
}

int coe_read(struct ethercat *e, int position, uint16_t index, uint8_t sub, uint32_t *value,
             uint32_t *abort_code)
{
    uint8_t sdo[SDO - 2] = {UPLOAD};
    uint8_t answer[4] = {0};
    int command;

    wire_put_u16(sdo + 1, index);
    sdo[3] = sub;
    command = exchange(e, position, sdo, answer, abort_code);
    if (command < 0) {
        return command;
    }
    if ((command & 0xe2) != 0x42) { /* expedited */
        return -EPROTO;
    }
    for (int i = 4 - (command >> 2 & 3); (command & 1) != 0 && i < 4; i++) {
        answer[i] = 0;
    }
    *value = wire_get_u32(answer);
    return 0;
}

int coe_write(struct ethercat *e, int position, uint16_t index, uint8_t sub, uint32_t value,
              int bytes, uint32_t *abort_code)
{
    uint8_t sdo[SDO - 2] = {(uint8_t)(DOWNLOAD | (4 - bytes) << 2)};
    uint8_t answer[4];
    int command;

    wire_put_u16(sdo + 1, index);
    sdo[3] = sub;
    wire_put_u32(sdo + 4, value);
    command = exchange(e, position, sdo, answer, abort_code);
    if (command < 0) {
        return command;
    }
    return command == DOWNLOADED ? 0 : -EPROTO;
}

const char *coe_abort_text(uint32_t abort_code)
{
    return ec_sdoerror2string(abort_code);
}
