/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch.c - see watch.h. */
#include "drivers/watch.h"

#include <string.h>

#include "soem/soem.h"

#include "drivers/coe.h"

#define ERROR_COUNTERS 0x0300
#define MAILBOX_STATUS 0x080d /* of sync manager 1 */
#define FULL           0x08
#define LOST_LINKS     16  /* of the counters: one byte a port */
#define NEARLY_FULL    128 /* they stop at 255: cleared before */

void watch_init(struct watch *w)
{
    memset(w, 0, sizeof *w);
    w->worst_position = -1;
    w->worst_port = -1;
}

uint32_t watch_risen(const uint8_t before[static WATCH_COUNTERS],
                     const uint8_t after[static WATCH_COUNTERS], int *worst_port)
{
    uint32_t sum = 0;
    uint32_t most = 0;

    for (int p = 0; p < WATCH_PORTS; p++) {
        const int at[] = {2 * p, LOST_LINKS + p};
        uint32_t n = 0;

        for (size_t k = 0; k < COUNT_OF(at); k++) {
            const int i = at[k];

            n += (uint32_t)(after[i] >= before[i] ? after[i] - before[i] : after[i]);
        }
        if (n > most) {
            most = n;
            *worst_port = p;
        }
        sum += n;
    }
    return sum;
}

static bool nearly_full(const uint8_t counters[static WATCH_COUNTERS])
{
    for (int i = 0; i < WATCH_COUNTERS; i++) {
        if (counters[i] >= NEARLY_FULL) {
            return true;
        }
    }
    return false;
}

static uint32_t read_counters(struct watch *w, struct ethercat *e, int i, int *port)
{
    uint8_t now[WATCH_COUNTERS] = {0};
    const uint16_t address = e->slave[i].address;
    uint32_t risen = 0;

    if (ecx_FPRD(&e->soem->port, address, ERROR_COUNTERS, sizeof now, now, EC_TIMEOUTRET3) <= 0) {
        w->known[i] = false; /* it may come back with other counts */
        return 0;
    }
    if (w->known[i]) {
        risen = watch_risen(w->last[i], now, port);
    }
    w->known[i] = true;
    if (nearly_full(now)) {
        memset(now, 0, sizeof now);
        (void)ecx_FPWR(&e->soem->port, address, ERROR_COUNTERS, sizeof now, now, EC_TIMEOUTRET3);
    }
    memcpy(w->last[i], now, sizeof now);
    return risen;
}

int watch_step(struct watch *w, struct ethercat *e)
{
    uint8_t status = 0;
    uint32_t most = 0;
    int taken = 0;

    w->errors = 0;
    w->worst_position = -1;
    w->worst_port = -1;
    /* One datagram asks all mailboxes at once: or-ed, so bit 3 is set when any is full. */
    if (ecx_BRD(&e->soem->port, 0, MAILBOX_STATUS, 1, &status, EC_TIMEOUTRET3) > 0 &&
        (status & FULL) != 0) {
        for (int i = 0; i < e->count; i++) {
            taken += coe_poll(e, i);
        }
    }
    for (int i = 0; w->steps % WATCH_ROUND == 0 && i < e->count; i++) {
        int port = -1;
        const uint32_t risen = read_counters(w, e, i, &port);

        if (risen > most) {
            most = risen;
            w->worst_position = i;
            w->worst_port = port;
        }
        w->errors += risen;
    }
    w->steps++;
    return taken;
}

void watch_break(int present, int count, char text[static WATCH_BREAK_TEXT])
{
    text[0] = '\0';
    if (present >= count) {
        return;
    }
    if (present <= 0) {
        snprintf(text, WATCH_BREAK_TEXT,
                 "no device answers: cable between the computer and slave 1, or supply of slave 1");
    } else {
        snprintf(text, WATCH_BREAK_TEXT,
                 "%d of %d devices answer: cable between slave %d and slave %d, or supply of "
                 "slave %d",
                 present, count, present, present + 1, present + 1);
    }
}
