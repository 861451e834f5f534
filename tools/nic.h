/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nic.h - what the kernel says about one network interface when asked by ioctl. Nothing is changed. */
#ifndef FREEFALL_NIC_H
#define FREEFALL_NIC_H

#include <stdbool.h>
#include <stdint.h>

struct nic {
    int error;        /* 0, or -errno: -ENODEV when there is no such interface */
    int index;        /* the kernel's number for it */
    char driver[32];  /* "igb"; "" when unknown */
    char bus[32];     /* "0000:03:00.0", "usb-...", "" when unknown */
    char address[64]; /* its first IP address; "" when it has none */
    int addresses;    /* how many IP addresses it has */

    int coalesce_error; /* 0, or -errno: -EOPNOTSUPP when the driver has no such setting */
    uint32_t rx_usecs;  /* delay of a receive interrupt, us (some drivers: 1 and 3 mean adaptive) */
    uint32_t tx_usecs;
    bool adaptive; /* the driver changes the delays by itself */

    int eee_error; /* 0, or -errno */
    bool eee;      /* Energy Efficient Ethernet: the link sleeps between frames */
};

/* Ask for everything above. */
void nic_read(struct nic *nic, const char *name);

#endif
