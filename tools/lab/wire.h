/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wire.h - the lab's end of a network interface: one raw socket for EtherCAT frames. */
#ifndef FREEFALL_LAB_WIRE_H
#define FREEFALL_LAB_WIRE_H

#include <stdint.h>

/* Open a non-blocking socket on the interface: its descriptor, or -errno after saying on stderr what is wrong and what
 * to do. Needs CAP_NET_RAW, which root of a private network namespace has. */
int wire_open(const char *interface);

/* Next frame: its bytes, 0 when none is there, -errno when the interface is gone. */
int wire_receive(int fd, uint8_t *frame, unsigned most);

/* Send a frame as it is; a full queue loses it, as a cable would. 0 or -errno. */
int wire_send(int fd, const uint8_t *frame, unsigned n);

#endif
