/* SPDX-License-Identifier: GPL-3.0-or-later */
/* udp.h - datagrams with the time at which the kernel got them. IPv4, one bound address, never connected: the sender
 * of each datagram is known, and whoever else speaks is somebody else's decision. */
#ifndef FREEFALL_UDP_H
#define FREEFALL_UDP_H

#include "drivers/rsi_session.h"

/* Bind "a.b.c.d" and a port (0: any). Descriptor or -errno. */
int udp_open(const char *address, uint16_t port);

/* The port it is bound to. */
uint16_t udp_port(int fd);

/* "a.b.c.d" in host byte order; false if it is none. */
bool udp_address(const char *text, uint32_t *address);

/* Wait for a datagram until the time is over: 1, 0 when nothing came, or -errno. */
int udp_wait(int fd, int64_t timeout_ns);

/* One datagram that is there: its length (size + 1 when it was longer), or -EAGAIN. stamp_ns is its arrival in the kernel on
 * CLOCK_MONOTONIC; without a kernel stamp, now. */
int udp_receive(int fd, char *bytes, size_t size, struct rsi_peer *from, int64_t *stamp_ns);

/* 0 or -errno. */
int udp_send(int fd, const char *bytes, size_t n, struct rsi_peer to);

#endif
