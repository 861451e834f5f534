/* SPDX-License-Identifier: GPL-3.0-or-later */
/* udp.c - see udp.h. */
#include "drivers/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ns(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return 1000000000ll * t.tv_sec + t.tv_nsec;
}

bool udp_address(const char *text, uint32_t *address)
{
    struct in_addr a;

    if (inet_pton(AF_INET, text, &a) != 1) {
        return false;
    }
    *address = ntohl(a.s_addr);
    return true;
}

int udp_open(const char *address, uint16_t port)
{
    const int on = 1;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd, error;

    if (inet_pton(AF_INET, address, &here.sin_addr) != 1) {
        return -EINVAL;
    }
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -errno;
    }
    if (bind(fd, (const struct sockaddr *)&here, sizeof here) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) {
        error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

uint16_t udp_port(int fd)
{
    struct sockaddr_in here;
    socklen_t length = sizeof here;

    return getsockname(fd, (struct sockaddr *)&here, &length) == 0 ? ntohs(here.sin_port) : 0;
}

int udp_wait(int fd, int64_t timeout_ns)
{
    struct pollfd p = {fd, POLLIN, 0};
    const struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    const int n = ppoll(&p, 1, &t, NULL);

    return n < 0 ? (errno == EINTR ? 0 : -errno) : n;
}

/* The kernel stamps with the wall clock; it is brought over by the difference of the two clocks now, so that a change of the
 * wall clock harms one stamp at most. */
static int64_t stamp(struct msghdr *m)
{
    const int64_t now_ns = clock_ns(CLOCK_MONOTONIC), wall_ns = clock_ns(CLOCK_REALTIME);

    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS) {
            struct timespec t;
            int64_t age_ns;

            memcpy(&t, CMSG_DATA(c), sizeof t);
            age_ns = wall_ns - (1000000000ll * t.tv_sec + t.tv_nsec);
            return age_ns >= 0 && age_ns < 10000000000ll ? now_ns - age_ns : now_ns;
        }
    }
    return now_ns;
}

int udp_receive(int fd, char *bytes, size_t size, struct rsi_peer *from, int64_t *stamp_ns)
{
    _Alignas(struct cmsghdr) char control[128];
    struct sockaddr_in sender;
    struct iovec piece = {bytes, size};
    struct msghdr m = {.msg_name = &sender,
                       .msg_namelen = sizeof sender,
                       .msg_iov = &piece,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    const ssize_t n = recvmsg(fd, &m, 0);

    if (n < 0) {
        return -errno;
    }
    *from = (struct rsi_peer){ntohl(sender.sin_addr.s_addr), ntohs(sender.sin_port)};
    *stamp_ns = stamp(&m);
    return (m.msg_flags & MSG_TRUNC) != 0 ? (int)size + 1 : (int)n;
}

int udp_send(int fd, const char *bytes, size_t n, struct rsi_peer to)
{
    const struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons(to.port), .sin_addr.s_addr = htonl(to.address)};

    return sendto(fd, bytes, n, 0, (const struct sockaddr *)&there, sizeof there) < 0 ? -errno : 0;
}
