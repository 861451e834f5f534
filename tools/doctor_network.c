/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor_network.c - checks of the network interface of the EtherCAT segment.
 *
 * One frame leaves and comes back each millisecond. Everything that waits for more frames, saves power or
 * sends other traffic takes its time from that one.
 */
#include "tools/doctor.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#define IRQS_MAX 512
#define IRQ_PRIORITY                                                                               \
    90 /* of the thread that serves the interface, above those that wait for its frames */

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

/* Is there an interface to look at? If not, says why in the finding. */
static bool present(const struct machine *m, struct finding *f)
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

/* Interrupts of the interface: those its device owns, or those the kernel named after it. */
bool doctor_nic_interrupt(const struct machine *m, int irq)
{
    char folder[64];
    char name[64];

    if (m->interface == NULL || m->nic.error != 0 || !is_plain_name(m->interface)) {
        return false;
    }
    if (machine_exists(m, "%s/%s/device/msi_irqs/%d", net_folder, m->interface, irq)) {
        return true;
    }
    snprintf(folder, sizeof folder, "/proc/irq/%d", irq);
    return machine_entry(m, name, sizeof name, m->interface, folder);
}

static void judge_present(const struct machine *m, struct finding *f)
{
    char name[IFNAMSIZ];

    finding_want(f, "a wired interface");
    if (m->interface == NULL) {
        present(m, f);
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
    if (!present(m, f)) {
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
    if (!present(m, f)) {
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
    if (!present(m, f)) {
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
    if (!present(m, f)) {
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

/* The interrupts of the interface; how many. */
static int nic_interrupts(const struct machine *m, int irqs[static IRQS_MAX])
{
    int all = machine_numbers(m, irqs, IRQS_MAX, "/proc/irq");
    int n = 0;

    for (int i = 0; i < all; i++) {
        if (doctor_nic_interrupt(m, irqs[i])) {
            irqs[n++] = irqs[i];
        }
    }
    return n;
}

static void judge_affinity(const struct machine *m, struct finding *f)
{
    int irqs[IRQS_MAX];
    char cores[64];
    char list[64];
    int n;

    cpus_print(cores, sizeof cores, &m->isolated);
    finding_want(f, "the core of the loop");
    if (!present(m, f)) {
        return;
    }
    n = nic_interrupts(m, irqs);
    if (n == 0 || cpus_count(&m->isolated) == 0) {
        finding_skip(f, n == 0 ? "no interrupt of the interface seen"
                               : "interrupts: no isolated core");
        return;
    }
    finding_want(f, "core %s", cores);
    for (int i = 0; i < n; i++) {
        struct cpus set;
        struct cpus outside;

        machine_cpus(m, &set, "/proc/irq/%d/smp_affinity_list", irqs[i]);
        outside = cpus_minus(&set, &m->isolated);
        cpus_print(list, sizeof list, &set);
        if (cpus_count(&set) == 0 || cpus_count(&outside) > 0) {
            finding_fail(f, "interrupt %d goes to core %s", irqs[i], list);
            finding_fix(f, "echo %d > /proc/irq/%d/smp_affinity_list", cpus_last(&m->isolated),
                        irqs[i]);
            return;
        }
    }
    finding_pass(f, "interrupts go to core %s", list);
}

/* Real-time priority of a process, field 40 of its stat line; its name is in parentheses and may contain
 * spaces. 0 when it is not real-time or cannot be read. */
static long priority_of(const struct machine *m, int pid)
{
    char line[MACHINE_LINE];
    const char *rest;

    machine_line(m, line, sizeof line, "/proc/%d/stat", pid);
    rest = strrchr(line, ')');
    for (int field = 2; rest != NULL && field < 40; field++) {
        rest = strchr(rest + 1, ' ');
    }
    return rest != NULL ? strtol(rest, NULL, 10) : 0;
}

static void judge_thread(const struct machine *m, struct finding *f)
{
    int irqs[IRQS_MAX];
    int n;

    finding_want(f, "SCHED_FIFO %d", IRQ_PRIORITY);
    if (!present(m, f)) {
        return;
    }
    n = nic_interrupts(m, irqs);
    for (int i = 0; i < n; i++) {
        char name[32];
        long priority;
        int pid;

        snprintf(name, sizeof name, "irq/%d-", irqs[i]);
        pid = machine_process(m, name, false);
        priority = pid > 0 ? priority_of(m, pid) : 0;

        if (pid > 0 && priority < IRQ_PRIORITY) {
            finding_fail(f, "thread of interrupt %d: priority %ld", irqs[i], priority);
            finding_fix(f, "chrt -f -p %d %d", IRQ_PRIORITY, pid);
            return;
        }
        if (pid > 0) {
            finding_pass(f, "thread of interrupt %d: priority %ld", irqs[i], priority);
        }
    }
    if (f->found[0] == '\0') {
        finding_skip(f, "no interrupt thread of the interface seen");
    }
}

static void judge_address(const struct machine *m, struct finding *f)
{
    finding_want(f, "no IP address");
    if (!present(m, f)) {
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
    if (!present(m, f)) {
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
    {"interface", judge_present},
    {"driver", judge_driver},
    {"link", judge_link},
    {"coalescing", judge_coalescing},
    {"EEE", judge_eee},
    {"interrupt affinity", judge_affinity},
    {"interrupt thread", judge_thread},
    {"IP address", judge_address},
    {"manager", judge_manager},
    {NULL, NULL},
};
