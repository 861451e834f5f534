/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wire.c - see wire.h. Bound to the EtherCAT protocol alone: such a socket does not see what it sends itself. */
#include "tools/lab/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ETHERCAT 0x88a4

static int refuse(int fd, const char *interface, int error, const char *advice)
{
    fprintf(stderr, "freefall-lab: interface %s: %s; %s\n", interface, strerror(error), advice);
    if (fd >= 0) {
        close(fd);
    }
    return -error;
}

static bool is_up(int fd, const char *interface)
{
    struct ifreq request;

    memset(&request, 0, sizeof request);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
    return ioctl(fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP) != 0;
}

int wire_open(const char *interface)
{
    const unsigned index = if_nametoindex(interface);
    const struct sockaddr_ll address = {
        .sll_family = AF_PACKET,
        .sll_protocol = htons(ETHERCAT),
        .sll_ifindex = (int)index,
    };
    const struct packet_mreq all = {.mr_ifindex = (int)index, .mr_type = PACKET_MR_PROMISC};
    const int on = 1;
    int fd;

    if (index == 0) {
        return refuse(-1, interface, errno,
                      "expected the lab's end of a veth pair or a network card (ip link)");
    }
    fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC,
                0); /* nothing arrives before bind() */
    if (fd < 0) {
        return refuse(-1, interface, errno,
                      "expected CAP_NET_RAW: run as root or inside \"unshare -Urn\"");
    }
    if (!is_up(fd, interface)) {
        return refuse(fd, interface, ENETDOWN, "run \"ip link set INTERFACE up\" for both ends");
    }
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        return refuse(fd, interface, errno, "bind failed");
    }
    /* Both only help: frames for any address are taken, and they leave without waiting in a queue. */
    (void)setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all);
    (void)setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on);
    return fd;
}

int wire_receive(int fd, uint8_t *frame, unsigned most)
{
    const ssize_t n = recv(fd, frame, most, MSG_TRUNC);

    if (n >= 0) {
        return n <= (ssize_t)most
                   ? (int)n
                   : (int)most; /* longer than any frame: its length tells it is malformed */
    }
    return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int wire_send(int fd, const uint8_t *frame, unsigned n)
{
    if (send(fd, frame, n, 0) >= 0 || errno == EAGAIN || errno == ENOBUFS || errno == EINTR) {
        return 0;
    }
    return -errno;
}
