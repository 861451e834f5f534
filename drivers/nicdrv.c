/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nicdrv.c - what SOEM asks of a network card, on our own port: it takes the place of oshw/linux/nicdrv.c.
 *
 * SOEM writes a frame into txbuf[index], calls ecx_outframe() and then asks for the reply of that index until it comes
 * or time is over. Frames of several threads may be on the wire at once: whoever reads a reply files it under its index.
 *
 * What is different from the file it replaces: a reply must be as long as the request, come from our own stream, and
 * hold the same command, register and length; the receive is bounded by the caller's time alone. There is no
 * second card. The cyclic frame does not pass through here (ethercat.c).
 *
 * Names and types are SOEM's (nicdrv.h), so the stem is not their prefix.
 */
#include "drivers/port.h"

#include <string.h>

#include "soem/soem.h"

#include "drivers/wire.h"

enum {
    INDEX = 17,
    COMMAND = 16,
    REGISTER = 20,
    LENGTH = 22
}; /* in a frame: of the first datagram */

#define PATIENCE_US 250000 /* before a frame counts as lost */
#define AGAIN_US    25000  /* before it is sent once more */

const uint16 priMAC[3] = EC_PRIMARY_MAC_ARRAY;
const uint16 secMAC[3] = EC_SECONDARY_MAC_ARRAY;

void ec_setupheader(void *p)
{
    port_header((uint8_t *)p, PORT_SERVICE);
}

static void init_locks(ecx_portt *port)
{
    pthread_mutexattr_t kind;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&port->getindex_mutex, &kind);
    pthread_mutex_init(&port->tx_mutex, &kind);
    pthread_mutex_init(&port->rx_mutex, &kind);
    pthread_mutexattr_destroy(&kind);
}

int ecx_setupnic(ecx_portt *port, const char *ifname, int secondary)
{
    struct port p;

    if (secondary) {
        return 0;
    }
    port->sockhandle = -1;
    port->lastidx = 0;
    port->redstate = 0;
    port->stack.sock = &port->sockhandle;
    port->stack.txbuf = &port->txbuf;
    port->stack.txbuflength = &port->txbuflength;
    port->stack.tempbuf = &port->tempinbuf;
    port->stack.rxbuf = &port->rxbuf;
    port->stack.rxbufstat = &port->rxbufstat;
    port->stack.rxsa = &port->rxsa;
    port->stack.rxcnt = 0;
    init_locks(port);
    for (int i = 0; i < EC_MAXBUF; i++) {
        ec_setupheader(port->txbuf[i]);
        port->rxbufstat[i] = EC_BUF_EMPTY;
    }
    ec_setupheader(port->txbuf2);
    if (port_open(&p, ifname, PORT_SERVICE) != 0) {
        return 0;
    }
    port->sockhandle = p.fd;
    return 1;
}

int ecx_closenic(ecx_portt *port)
{
    struct port p = {.fd = port->sockhandle};

    port_close(&p);
    port->sockhandle = -1;
    return 0;
}

void ecx_setbufstat(ecx_portt *port, uint8 idx, int bufstat)
{
    if (idx < EC_MAXBUF) {
        port->rxbufstat[idx] = bufstat;
    }
}

/* The oldest index that nobody uses; when all are in use, the oldest. */
uint8 ecx_getindex(ecx_portt *port)
{
    int index;

    pthread_mutex_lock(&port->getindex_mutex);
    index = (port->lastidx + 1) % EC_MAXBUF;
    for (int i = 0; i < EC_MAXBUF && port->rxbufstat[index] != EC_BUF_EMPTY; i++) {
        index = (index + 1) % EC_MAXBUF;
    }
    port->rxbufstat[index] = EC_BUF_ALLOC;
    port->lastidx = (uint8)index;
    pthread_mutex_unlock(&port->getindex_mutex);
    return (uint8)index;
}

int ecx_outframe(ecx_portt *port, uint8 idx, int sock)
{
    struct port p = {.fd = port->sockhandle, .stream = PORT_SERVICE};
    const int n = port->txbuflength[idx];

    (void)sock;
    port->rxbufstat[idx] = EC_BUF_TX;
    if (port_send(&p, port->txbuf[idx], n) != 0) {
        port->rxbufstat[idx] = EC_BUF_EMPTY;
        return -1;
    }
    return n;
}

int ecx_outframe_red(ecx_portt *port, uint8 idx)
{
    return ecx_outframe(port, idx, 0);
}

/* Is the frame the reply to what was sent under its index? Positions count on in every slave, and data and working
 * counter change; command, register and the length of the data do not. */
static bool answers(const ecx_portt *port, const uint8_t *frame)
{
    const uint8_t index = frame[INDEX];
    const uint8_t *sent = port->txbuf[index < EC_MAXBUF ? index : 0];

    return index < EC_MAXBUF && port->rxbufstat[index] == EC_BUF_TX &&
           port_length(frame) == port_length(sent) && frame[COMMAND] == sent[COMMAND] &&
           memcmp(frame + REGISTER, sent + REGISTER, 2) == 0 &&
           ((wire_get_u16(frame + LENGTH) ^ wire_get_u16(sent + LENGTH)) & 0x87ff) == 0;
}

/* Take one reply from the socket and file it under its index; false when there was none. */
static bool file_reply(ecx_portt *port)
{
    struct port p = {.fd = port->sockhandle, .stream = PORT_SERVICE};
    uint8_t *frame = port->tempinbuf;

    port->tempinbufs = port_receive(&p, frame);
    if (port->tempinbufs <= 0) {
        return false;
    }
    port->stack.rxcnt++;
    if (answers(port, frame)) {
        memcpy(port->rxbuf[frame[INDEX]], frame + ETH_HEADERSIZE, (size_t)port_length(frame) + 2);
        port->rxbufstat[frame[INDEX]] = EC_BUF_RCVD;
    }
    return true;
}

/* The working counter of the last datagram when the reply is there; the buffers hold the frame behind its Ethernet
 * header. */
static int collect(ecx_portt *port, uint8 idx)
{
    const uint8_t *reply = port->rxbuf[idx];

    if (port->rxbufstat[idx] != EC_BUF_RCVD) {
        return EC_NOFRAME;
    }
    port->rxbufstat[idx] = EC_BUF_COMPLETE;
    return wire_get_u16(reply + (wire_get_u16(reply) & 0x07ff));
}

/* Another thread may hold the lock because it reads; then our reply is in its buffer the next time we look. */
static int look(ecx_portt *port, uint8 idx)
{
    int wkc;

    pthread_mutex_lock(&port->rx_mutex);
    wkc = collect(port, idx);
    while (wkc == EC_NOFRAME && file_reply(port)) {
        wkc = collect(port, idx);
    }
    pthread_mutex_unlock(&port->rx_mutex);
    return wkc;
}

static int wait_until(ecx_portt *port, uint8 idx, osal_timert *timer)
{
    const struct port p = {.fd = port->sockhandle, .stream = PORT_SERVICE};
    int wkc = look(port, idx);

    /* 50 us: how long a reply that another thread has read for us can lie there unseen. */
    while (wkc == EC_NOFRAME && !osal_timer_is_expired(timer)) {
        (void)port_wait(&p, 50000);
        wkc = look(port, idx);
    }
    return wkc;
}

int ecx_waitinframe(ecx_portt *port, uint8 idx, int timeout)
{
    osal_timert timer;

    osal_timer_start(&timer, (uint32)timeout);
    return wait_until(port, idx, &timer);
}

/* Send, wait for the reply, and send again until the time is over.
 *
 * SOEM would call a frame lost after 2 ms and go on without it: a word of an EEPROM read as 0 then means "no mailbox",
 * and the device refuses PRE-OP with code 0x0016. Here time costs nothing, because the cyclic frame has its own socket:
 * a reply is waited for as long as a busy computer may let it lie. */
int ecx_srconfirm(ecx_portt *port, uint8 idx, int timeout)
{
    const int most = timeout > PATIENCE_US ? timeout : PATIENCE_US;
    osal_timert whole;
    int wkc;

    osal_timer_start(&whole, (uint32)most);
    do {
        (void)ecx_outframe_red(port, idx);
        wkc = ecx_waitinframe(port, idx, AGAIN_US);
    } while (wkc == EC_NOFRAME && !osal_timer_is_expired(&whole));
    return wkc;
}
