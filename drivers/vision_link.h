/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vision_link.h - the socket pose datagrams come in by: one address of ours, one sender, never waits.
 *
 * Bound to one address and connected to one sender: the kernel drops everything else.
 */
#ifndef FREEFALL_VISION_LINK_H
#define FREEFALL_VISION_LINK_H

#include "drivers/vision_message.h"

struct vision_link {
    int fd; /* -1 when closed */
    struct vision_message_state state;
};

/* Listen at address:port for datagrams of sender:sender_port; both in dotted form. 0, or -errno. */
int vision_link_open(struct vision_link *l, const char *address, uint16_t port, const char *sender,
                     uint16_t sender_port);

/* The next pose that is good or late; *receive_ns is the time of this call, CLOCK_MONOTONIC, ns. False when nothing
 * more waits; looks at no more than 64 datagrams. */
bool vision_link_read(struct vision_link *l, struct vision_message *m, int64_t *receive_ns);

void vision_link_close(struct vision_link *l);

#endif
