/* SPDX-License-Identifier: GPL-3.0-or-later */
/* port.h - a raw socket on the EtherCAT interface: sends frames, and gives back only frames that can be replies.
 *
 * Two of them are open on a running bus: one for the cyclic frame, one for everything else (mailbox, states, repair;
 * SOEM sits on it, see nicdrv.c). They differ in the last octet of their source address, and each socket tells the
 * kernel to hold back the other's replies. So the cycle shares no buffer and no lock with anybody.
 *
 * A reply differs from what was sent in one bit of the source address: the first slave on the wire sets it. A frame
 * without it, of another kind or shorter than it says never passes.
 */
#ifndef FREEFALL_PORT_H
#define FREEFALL_PORT_H

#include <stdint.h>

#include "model/base.h"

#define PORT_FRAME_MAX 1514 /* Ethernet, without checksum */
#define PORT_HEADER    16   /* Ethernet 14, EtherCAT 2 */
#define PORT_BURST     512  /* frames looked at in one call */

/* Last octet of the source address. */
enum port_stream { PORT_SERVICE = 1, PORT_CYCLE = 2 };

/* What a received frame is. */
enum port_class {
    PORT_REPLY,
    PORT_SHORT,   /* shorter than its header says, or no room for one datagram */
    PORT_FOREIGN, /* no EtherCAT commands, or not from our stream and back */
    PORT_CLASSES
};

struct port_counters {
    uint64_t sent;
    uint64_t send_failed;
    uint64_t received[PORT_CLASSES];
    uint64_t drained; /* replies thrown away before a send: they came too late */
};

struct port {
    int fd;
    uint8_t stream; /* enum port_stream */
    struct port_counters count;
};

/* Open on an interface: 0 or -errno (-EPERM without CAP_NET_RAW, -ENODEV, -ENETDOWN). Puts -1 into fd on failure. */
int port_open(struct port *p, const char *interface, enum port_stream stream);
void port_close(struct port *p);

/* Ethernet header of a frame of this stream: 14 bytes. */
RT_SAFE void port_header(uint8_t *frame, uint8_t stream);

/* Class of a received frame of n bytes. Pure. */
RT_SAFE enum port_class port_classify(const uint8_t *frame, int n, uint8_t stream);

/* Length of the EtherCAT part by its own header, without the two bytes of it. The frame has 16 bytes or more. */
RT_SAFE int port_length(const uint8_t *frame);

/* Send; 0 or -errno. Never waits: a full queue is an error. */
RT_SAFE int port_send(struct port *p, const uint8_t *frame, int n);

/* The next reply in the queue, at most PORT_FRAME_MAX bytes: its length, 0 when there is none. Never waits. */
RT_SAFE int port_receive(struct port *p, uint8_t *frame);

/* Throw away what is in the queue: the number of replies among it. */
RT_SAFE int port_drain(struct port *p);

/* Wait until a frame is there, at most this long: true when one is. It waits, so it is the loop's to call. */
bool port_wait(const struct port *p, int64_t timeout_ns);

#endif
