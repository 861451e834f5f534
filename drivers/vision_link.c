/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vision_link.c - a bounded, non-blocking UDP socket for poses. */
#include "drivers/vision_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE 64 /* datagrams looked at per call: a flood must not hold up the helper */

static bool address_of(struct sockaddr_in *a, const char *text, uint16_t port)
{
    memset(a, 0, sizeof *a);
    a->sin_family = AF_INET;
    a->sin_port = htons(port);
    return inet_pton(AF_INET, text, &a->sin_addr) == 1;
}

int vision_link_open(struct vision_link *l, const char *address, uint16_t port, const char *sender,
                     uint16_t sender_port)
{
    struct sockaddr_in here, there;
    int error;

    memset(l, 0, sizeof *l);
    l->fd = -1;
    if (!address_of(&here, address, port) || !address_of(&there, sender, sender_port)) {
        return -EINVAL;
    }
    l->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (l->fd < 0) {
        return -errno;
    }
    if (bind(l->fd, (const struct sockaddr *)&here, sizeof here) != 0 ||
        connect(l->fd, (const struct sockaddr *)&there, sizeof there) != 0) {
        error = -errno;
        vision_link_close(l);
        return error;
    }
    return 0;
}

static int64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool vision_link_read(struct vision_link *l, struct vision_message *m, int64_t *receive_ns)
{
    uint8_t bytes[VISION_MESSAGE_SIZE + 1]; /* one more, so that a longer datagram shows */

    for (int i = 0; i < AT_ONCE && l->fd >= 0; i++) {
        const ssize_t n = recv(l->fd, bytes, sizeof bytes, 0);
        enum vision_message_verdict v;

        if (n < 0) {
            if (errno == EINTR || errno == ECONNREFUSED) {
                continue; /* the sender was not there yet: not our trouble */
            }
            return false;
        }
        v = vision_message_read(m, &l->state, bytes, (size_t)n);
        if (v == VISION_MESSAGE_GOOD || v == VISION_MESSAGE_LATE) {
            *receive_ns = now_ns();
            return true;
        }
    }
    return false;
}

void vision_link_close(struct vision_link *l)
{
    if (l->fd >= 0) {
        close(l->fd);
        l->fd = -1;
    }
}
