/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor_network.c - checks of the network interface of the EtherCAT segment.
 *
 * One frame leaves and comes back each millisecond. Everything that waits for more frames, saves power or
 * sends other traffic takes its time from that one.
 */
#include "tools/doctor.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

static const char net_folder[] = "/sys/class/net";

/* May a name stand in a path and in a command? The kernel allows more than anybody uses. */
static bool is_plain_name(const char *name)
{
    char word[IFNAMSIZ + 2];

    if (strlen(name) >= IFNAMSIZ || strchr(name, '/') != NULL || name[0] == '.' || name[0] == '-') {
        return false;
    }
    finding_shell_word(word, sizeof word, name);
    return strcmp(word, name) == 0;
}

/* A wired interface with a device behind it, to propose. */
static void propose(const struct machine *m, char *name, size_t size)
{
    static const char *const beginnings[] = {"en", "eth"};

    for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
        if (machine_entry(m, name, size, beginnings[i], net_folder) && is_plain_name(name)) {
            return;
        }
    }
    snprintf(name, size, "NAME");
}

bool doctor_nic_present(const struct machine *m, struct finding *f)
{
    char name[IFNAMSIZ];

    if (m->interface == NULL) {
        propose(m, name, sizeof name);
        finding_skip(f, "no interface named: freefall doctor --interface %s", name);
        return false;
    }
    if (m->nic.error != 0 || !is_plain_name(m->interface)) {
        finding_skip(f, "no interface %s", m->interface);
        return false;
    }
    return true;
}

/* The way to everything else: what frees the interface for the bus would cut the machine off. */
static bool carries_default_route(const struct machine *m)
{
    char begin[IFNAMSIZ + 16];

    snprintf(begin, sizeof begin, "%s\t00000000\t", m->interface);
    return machine_contains(m, begin, "/proc/net/route");
}

/* Take back a fix that would do so. */
static void spare_default_route(const struct machine *m, struct finding *f)
{
    if (carries_default_route(m)) {
        finding_fix(f, "# use another port for the bus: this one carries the default route");
    }
}

static void judge_present(const struct machine *m, struct finding *f)
{
    char name[IFNAMSIZ];

    finding_want(f, "a wired interface");
    if (m->interface == NULL) {
        doctor_nic_present(m, f);
    } else if (!is_plain_name(m->interface)) {
        finding_fail(f, "\"%s\" is not the name of an interface", m->interface);
    } else if (m->nic.error != 0) {
        propose(m, name, sizeof name);
        finding_fail(f, "%s",
                     m->nic.error == -ENODEV ? "there is no such interface"
                                             : strerror(-m->nic.error));
        finding_fix(f, "# name another: freefall doctor --interface %s", name);
    } else if (machine_exists(m, "%s/%s/wireless", net_folder, m->interface)) {
        finding_fail(f, "wireless");
        finding_fix(f, "# use a wired port of its own");
    } else if (carries_default_route(m)) {
        finding_want(f, "a port of its own");
        finding_fail(f, "carries the default route of this machine");
        finding_fix(f, "# use another port for the bus");
    } else {
        finding_pass(f, "a wired interface");
    }
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void judge_driver(const struct machine *m, struct finding *f)
{
    static const char *const known[] = {"e1000",    "e1000e",    "igb",    "igc",  "ixgbe",
                                        "i40e",     "r8169",     "tg3",    "macb", "fec",
                                        "bcmgenet", "stmmaceth", "st_gmac"};
    static const char *const virtual[] = {"veth", "virtio_net", "vmxnet3", "hv_netvsc",
                                          "tun",  "bridge",     "dummy",   "macvlan"};
    const char *driver = m->nic.driver;

    finding_want(f, "igb, igc, e1000e");
    if (!doctor_nic_present(m, f)) {
        return;
    }
    if (driver[0] == '\0') {
        finding_skip(f, "the driver does not tell its name");
    } else if (strncmp(m->nic.bus, "usb", 3) == 0) {
        finding_fail(f, "driver %s on USB: frames wait for the USB schedule", driver);
        finding_fix(f, "# use a port on PCI Express");
    } else if (is_one_of(driver, known, COUNT_OF(known))) {
        finding_pass(f, "driver %s", driver);
    } else if (is_one_of(driver, virtual, COUNT_OF(virtual))) {
        finding_warn(f, "driver %s: a virtual wire, for the bench only", driver);
    } else {
        finding_warn(f, "driver %s: not known to us, measure it", driver);
    }
}

static void judge_link(const struct machine *m, struct finding *f)
{
    const char *name = m->interface;
    char duplex[16];
    long carrier = 0;
    long speed;

    finding_want(f, "100 Mbit/s, full duplex");
    if (!doctor_nic_present(m, f)) {
        return;
    }
    if (!machine_exists(m, "%s/%s", net_folder, name)) {
        finding_skip(f, "%s does not show it", net_folder);
    } else if (machine_integer(m, &carrier, "%s/%s/carrier", net_folder, name) != 0 ||
               carrier == 0) {
        finding_warn(f, "no link: interface down, or first slave without power");
        finding_fix(f, "ip link set %s up", name);
    } else if (machine_integer(m, &speed, "%s/%s/speed", net_folder, name) != 0 || speed <= 0 ||
               machine_line(m, duplex, sizeof duplex, "%s/%s/duplex", net_folder, name) != 0) {
        finding_skip(f, "link up, the driver does not tell its speed");
    } else if (speed == 100 && strcmp(duplex, "full") == 0) {
        finding_pass(f, "100 Mbit/s, full duplex");
    } else {
        finding_fail(f, "%ld Mbit/s, %s duplex", speed, duplex);
        finding_fix(f, "ethtool -s %s speed 100 duplex full autoneg on", name);
        spare_default_route(m, f);
    }
}

static void judge_coalescing(const struct machine *m, struct finding *f)
{
    const struct nic *nic = &m->nic;
    const char *rx = nic->rx_usecs != 0 ? " rx-usecs 0" : "";
    const char *tx = nic->tx_usecs != 0 ? " tx-usecs 0" : "";

    finding_want(f, "rx-usecs 0, tx-usecs 0");
    if (!doctor_nic_present(m, f)) {
        return;
    }
    if (nic->coalesce_error == -EOPNOTSUPP) {
        finding_pass(f, "the driver delays no interrupts");
    } else if (nic->coalesce_error != 0) {
        finding_skip(f, "coalescing: %s", strerror(-nic->coalesce_error));
    } else if (rx[0] == '\0' && tx[0] == '\0' && !nic->adaptive) {
        finding_pass(f, "rx-usecs 0, tx-usecs 0");
    } else {
        /* "rx-usecs 3, tx-usecs 50, adaptive": only what is not as wanted */
        char found[64];
        size_t used = 0;

        if (rx[0] != '\0') {
            used += (size_t)snprintf(found, sizeof found, "rx-usecs %u", nic->rx_usecs);
        }
        if (tx[0] != '\0') {
            used += (size_t)snprintf(found + used, sizeof found - used, "%stx-usecs %u",
                                     used > 0 ? ", " : "", nic->tx_usecs);
        }
        if (nic->adaptive) {
            snprintf(found + used, sizeof found - used, "%sadaptive", used > 0 ? ", " : "");
        }
        finding_want(f, "%s", nic->adaptive ? "0, not adaptive" : "0");
        finding_fail(f, "%s", found);
        finding_fix(f, "ethtool -C %s%s%s%s", m->interface,
                    nic->adaptive ? " adaptive-rx off adaptive-tx off" : "", rx, tx);
    }
}

static void judge_eee(const struct machine *m, struct finding *f)
{
    finding_want(f, "EEE off");
    if (!doctor_nic_present(m, f)) {
        return;
    }
    if (m->nic.eee_error == -EOPNOTSUPP) {
        finding_pass(f, "EEE not offered by the driver");
    } else if (m->nic.eee_error != 0) {
        finding_skip(f, "EEE: %s", strerror(-m->nic.eee_error));
    } else if (m->nic.eee) {
        finding_fail(f, "EEE on: the link sleeps between frames");
        finding_fix(f, "ethtool --set-eee %s eee off", m->interface);
    } else {
        finding_pass(f, "EEE off");
    }
}

static void judge_address(const struct machine *m, struct finding *f)
{
    finding_want(f, "no IP address");
    if (!doctor_nic_present(m, f)) {
        return;
    }
    if (m->nic.addresses == 0) {
        finding_pass(f, "no IP address");
    } else {
        finding_fail(f, "IP address %s: other traffic shares the wire", m->nic.address);
        finding_fix(f, "ip address flush dev %s && sysctl -w net.ipv6.conf.%s.disable_ipv6=1",
                    m->interface, m->interface);
        spare_default_route(m, f);
    }
}

static void judge_manager(const struct machine *m, struct finding *f)
{
    static const char state[] = "/run/NetworkManager/devices";
    const char *name = m->interface;
    bool manager = machine_process(m, "NetworkManager", true) != 0;
    bool networkd =
        machine_process(m, "systemd-network", true) != 0; /* the kernel keeps 15 letters */

    finding_want(f, "managed by nobody");
    if (!doctor_nic_present(m, f)) {
        return;
    }
    if (!machine_exists(m, "/proc/self")) {
        finding_skip(f, "/proc is not readable");
    } else if (manager && (machine_contains(m, "managed=true", "%s/%d", state, m->nic.index) ||
                           machine_contains(m, "managed=1", "%s/%d", state, m->nic.index))) {
        finding_fail(f, "managed by NetworkManager");
        finding_fix(f, "nmcli device set %s managed no", name);
        spare_default_route(m, f);
    } else if (networkd && machine_exists(m, "/run/systemd/netif/links/%d", m->nic.index) &&
               !machine_contains(m, "ADMIN_STATE=unmanaged", "/run/systemd/netif/links/%d",
                                 m->nic.index)) {
        finding_fail(f, "managed by systemd-networkd");
        finding_fix(f,
                    "printf '[Match]\\nName=%s\\n[Link]\\nUnmanaged=yes\\n' > "
                    "/etc/systemd/network/10-freefall.network && networkctl reload",
                    name);
        spare_default_route(m, f);
    } else {
        finding_pass(f, "managed by nobody");
    }
}

const struct doctor_check doctor_network[] = {
    {"interface", judge_present},     {"driver", judge_driver},   {"link", judge_link},
    {"coalescing", judge_coalescing}, {"EEE", judge_eee},

    {"IP address", judge_address},    {"manager", judge_manager}, {NULL, NULL},
};
