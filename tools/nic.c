/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nic.c - what the kernel says about one network interface when asked by ioctl. */
#include "tools/nic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* One ethtool question; data starts with the command and receives the answer. */
static int ask(int fd, const char *name, void *data)
{
    struct ifreq request;

    memset(&request, 0, sizeof request);
    memcpy(request.ifr_name, name, strlen(name) + 1);
    request.ifr_data = data;
    return ioctl(fd, SIOCETHTOOL, &request) == 0 ? 0 : -errno;
}

static void read_driver(struct nic *nic, int fd, const char *name)
{
    struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

    if (ask(fd, name, &info) == 0) {
        snprintf(nic->driver, sizeof nic->driver, "%.31s", info.driver);
        snprintf(nic->bus, sizeof nic->bus, "%.31s", info.bus_info);
    }
}

static void read_coalescing(struct nic *nic, int fd, const char *name)
{
    struct ethtool_coalesce coalesce = {.cmd = ETHTOOL_GCOALESCE};

    nic->coalesce_error = ask(fd, name, &coalesce);
    if (nic->coalesce_error == 0) {
        nic->rx_usecs = coalesce.rx_coalesce_usecs;
        nic->tx_usecs = coalesce.tx_coalesce_usecs;
        nic->adaptive =
            coalesce.use_adaptive_rx_coalesce != 0 || coalesce.use_adaptive_tx_coalesce != 0;
    }
}

static void read_eee(struct nic *nic, int fd, const char *name)
{
    struct ethtool_eee eee = {.cmd = ETHTOOL_GEEE};

    nic->eee_error = ask(fd, name, &eee);
    nic->eee = nic->eee_error == 0 && eee.eee_enabled != 0;
}

/* The address as text; false when it is not an IP address. */
static bool print_address(char *text, socklen_t size, const struct sockaddr *address)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;

    if (address != NULL && address->sa_family == AF_INET) {
        memcpy(&four, address, sizeof four);
        return inet_ntop(AF_INET, &four.sin_addr, text, size) != NULL;
    }
    if (address != NULL && address->sa_family == AF_INET6) {
        memcpy(&six, address, sizeof six);
        return inet_ntop(AF_INET6, &six.sin6_addr, text, size) != NULL;
    }
    return false;
}

static void read_addresses(struct nic *nic, const char *name)
{
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0) {
        return;
    }
    for (struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
        char text[sizeof nic->address];

        if (strcmp(a->ifa_name, name) != 0 || !print_address(text, sizeof text, a->ifa_addr)) {
            continue;
        }
        if (nic->addresses == 0) {
            memcpy(nic->address, text, sizeof text);
        }
        nic->addresses++;
    }
    freeifaddrs(all);
}

void nic_read(struct nic *nic, const char *name)
{
    int fd;

    memset(nic, 0, sizeof *nic);
    nic->index = strlen(name) < IFNAMSIZ ? (int)if_nametoindex(name) : 0;
    if (nic->index == 0) {
        nic->error = -ENODEV;
        return;
    }
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        nic->error = -errno;
        return;
    }
    read_driver(nic, fd, name);
    read_coalescing(nic, fd, name);
    read_eee(nic, fd, name);
    read_addresses(nic, name);
    close(fd);
}
