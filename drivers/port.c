/* SPDX-License-Identifier: GPL-3.0-or-later */
/* port.c - see port.h.
 *
 * The wait is select(): libcobalt takes over select() and not poll(), and Linux gives it high-resolution timers. So both
 * platforms run the same lines.
 */
#include "drivers/port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/wire.h"

#define ETHERTYPE   0x88a4
#define COMMANDS    1           /* type of the EtherCAT part: datagrams */
#define REPLY_BIT   0x02        /* of the first octet of the source address */
#define DATAGRAM    12          /* header and working counter of a datagram without data */
#define ADDRESS     0x10010101u /* first four octets of the source, as EC_PRIMARY_MAC of the Makefile */
#define ADDRESS_END 0x0100u     /* the last two; the stream is added */

/* The kernel holds back replies to the other stream; anything else comes through, to be counted. Where there are no
 * socket filters (RTnet) port_classify() alone does it. */
static void hold_back(int fd, uint8_t stream)
{
    const uint8_t other = stream == PORT_CYCLE ? PORT_SERVICE : PORT_CYCLE;
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 6),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ADDRESS | REPLY_BIT << 24, 0, 3),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 10),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ADDRESS_END | other, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, 0xffff),
    };
    const struct sock_fprog filter = {COUNT_OF(program), program};

    (void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

/* Receive every frame of the wire as long as the socket is open; the cycle also skips the queue of the send side (then a
 * recorder on this interface sees its replies only). Neither is there on every platform, so neither is an error. */
static void prefer(int fd, int index, uint8_t stream)
{
    const int on = stream == PORT_CYCLE;
    struct packet_mreq request;

    memset(&request, 0, sizeof request);
    request.mr_ifindex = index;
    request.mr_type = PACKET_MR_PROMISC;
    (void)setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request, sizeof request);
    (void)setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on);
}

static int bind_to(int fd, const char *interface, uint8_t stream)
{
    struct ifreq request;
    struct sockaddr_ll address;

    memset(&request, 0, sizeof request);
    if (strlen(interface) >= sizeof request.ifr_name) {
        return -ENODEV;
    }
    memcpy(request.ifr_name, interface, strlen(interface));
    if (ioctl(fd, SIOCGIFINDEX, &request) != 0) {
        return -errno;
    }
    memset(&address, 0, sizeof address);
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETHERTYPE);
    address.sll_ifindex = request.ifr_ifindex;
    hold_back(fd, stream);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        return -errno;
    }
    prefer(fd, address.sll_ifindex, stream);
    if (ioctl(fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP) == 0) {
        return -ENETDOWN;
    }
    return 0;
}

int port_open(struct port *p, const char *interface, enum port_stream stream)
{
    int error;

    memset(p, 0, sizeof *p);
    p->stream = (uint8_t)stream;
    /* Protocol 0: nothing is received before the socket is bound to its interface. */
    p->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (p->fd < 0) {
        return -errno;
    }
    error = p->fd < FD_SETSIZE ? bind_to(p->fd, interface, p->stream) : -EMFILE;
    if (error != 0) {
        port_close(p);
    }
    return error;
}

void port_close(struct port *p)
{
    if (p->fd >= 0) {
        close(p->fd);
    }
    p->fd = -1;
}

RT_SAFE void port_header(uint8_t *frame, uint8_t stream)
{
    static const uint8_t source[] = {0x10, 0x01, 0x01, 0x01, 0x01};

    memset(frame, 0xff, 6);
    memcpy(frame + 6, source, sizeof source);
    frame[11] = stream;
    frame[12] = ETHERTYPE >> 8;
    frame[13] = ETHERTYPE & 0xff;
}

RT_SAFE int port_length(const uint8_t *frame)
{
    return wire_get_u16(frame + 14) & 0x07ff;
}

RT_SAFE enum port_class port_classify(const uint8_t *frame, int n, uint8_t stream)
{
    uint8_t wanted[14];

    if (n < PORT_HEADER) {
        return PORT_SHORT;
    }
    port_header(wanted, stream);
    wanted[6] |= REPLY_BIT;
    if (memcmp(frame + 6, wanted + 6, sizeof wanted - 6) != 0 || frame[15] >> 4 != COMMANDS) {
        return PORT_FOREIGN;
    }
    return port_length(frame) >= DATAGRAM && port_length(frame) <= n - PORT_HEADER ? PORT_REPLY
                                                                                   : PORT_SHORT;
}

RT_SAFE int port_send(struct port *p, const uint8_t *frame, int n)
{
    const ssize_t sent = sendto(p->fd, frame, (size_t)n, MSG_DONTWAIT, NULL, 0);

    if (sent != n) {
        p->count.send_failed++;
        return sent < 0 ? -errno : -EIO;
    }
    p->count.sent++;
    return 0;
}

RT_SAFE int port_receive(struct port *p, uint8_t *frame)
{
    for (int i = 0; i < PORT_BURST; i++) {
        const int n = (int)recv(p->fd, frame, PORT_FRAME_MAX, MSG_DONTWAIT);
        enum port_class class;

        if (n <= 0) {
            return 0;
        }
        class = port_classify(frame, n, p->stream);
        p->count.received[class]++;
        if (class == PORT_REPLY) {
            return n;
        }
    }
    return 0;
}

RT_SAFE int port_drain(struct port *p)
{
    uint8_t frame[PORT_FRAME_MAX];
    int drained = 0;

    while (drained < PORT_BURST && port_receive(p, frame) > 0) {
        drained++;
    }
    p->count.drained += (uint64_t)drained;
    return drained;
}

bool port_wait(const struct port *p, int64_t timeout_ns)
{
    struct timeval time = {0, 0};
    fd_set set;

    if (timeout_ns > 0) {
        time.tv_sec = timeout_ns / 1000000000;
        time.tv_usec = timeout_ns % 1000000000 / 1000;
    }
    FD_ZERO(&set);
    FD_SET(p->fd, &set);
    return select(p->fd + 1, &set, NULL, NULL, &time) > 0;
}
