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

static void read_addresses(struct nic *nic, const char *name)
{
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0) {
        return;
    }
    for (struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
        const void *bytes = NULL;

        if (a->ifa_addr == NULL || strcmp(a->ifa_name, name) != 0) {
            continue;
        }
        if (a->ifa_addr->sa_family == AF_INET) {
            bytes = &((const struct sockaddr_in *)(const void *)a->ifa_addr)->sin_addr;
        } else if (a->ifa_addr->sa_family == AF_INET6) {
            bytes = &((const struct sockaddr_in6 *)(const void *)a->ifa_addr)->sin6_addr;
        }
        if (bytes == NULL) {
            continue;
        }
        if (nic->addresses == 0) {
            inet_ntop(a->ifa_addr->sa_family, bytes, nic->address, sizeof nic->address);
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
