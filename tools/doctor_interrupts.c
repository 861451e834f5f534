/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor_interrupts.c - checks of interrupts: those of the bus to the core of the loop, all others away.
 *
 * On a real-time kernel a thread serves each interrupt; the one of the bus must come before those that
 * wait for its frames.
 */
#include "tools/doctor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define IRQS_MAX     512
#define IRQ_PRIORITY 90 /* above the threads of a run that wait for frames */

static void judge_default_affinity(const struct machine *m, struct finding *f)
{
    struct cpus cores = machine_loop_cores(m);
    char mask[MACHINE_LINE];
    char list[64];
    struct cpus set;
    struct cpus shared;

    cpus_print(list, sizeof list, &cores);
    finding_want(f, "without core %s", list);
    if (cpus_count(&cores) == 0) {
        finding_skip(f, "the machine has one processor");
        return;
    }
    if (machine_line(m, mask, sizeof mask, "/proc/irq/default_smp_affinity") != 0 ||
        cpus_parse_mask(&set, mask) != 0) {
        finding_skip(f, "/proc/irq/default_smp_affinity is not readable");
        return;
    }
    set = cpus_both(&set, &m->online);
    shared = cpus_both(&set, &cores);
    cpus_print(list, sizeof list, &set);
    if (cpus_count(&shared) == 0) {
        finding_pass(f, "core %s", list);
    } else {
        finding_warn(f, "new interrupts go to core %s", list);
        doctor_boot_fix(m, f, "irqaffinity", "0");
    }
}

/* Interrupts of the interface: those its device owns, or those the kernel named after it. */
static bool is_nic_interrupt(const struct machine *m, int irq)
{
    struct finding unused = {0};
    char folder[64];
    char name[64];

    if (!doctor_nic_present(m, &unused)) {
        return false;
    }
    if (machine_exists(m, "/sys/class/net/%s/device/msi_irqs/%d", m->interface, irq)) {
        return true;
    }
    /* "enp3s0" and "enp3s0-TxRx-0", but not "enp3s0f1": that is another port */
    snprintf(folder, sizeof folder, "/proc/irq/%d", irq);
    return machine_entry(m, name, sizeof name, m->interface, folder) &&
           !isalnum((unsigned char)name[strlen(m->interface)]);
}

/* Interrupts of other devices that reach an isolated core, as text "16, 27, ..."; how many. */
static int stray_interrupts(const struct machine *m, char *text, size_t size)
{
    int irqs[IRQS_MAX];
    int n = machine_numbers(m, irqs, IRQS_MAX, "/proc/irq");
    size_t used = 0;
    int stray = 0;

    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        struct cpus set;

        if (machine_cpus(m, &set, "/proc/irq/%d/effective_affinity_list", irqs[i]) != 0 ||
            cpus_count(&set) == 0) {
            machine_cpus(m, &set, "/proc/irq/%d/smp_affinity_list", irqs[i]);
        }
        set = cpus_both(&set, &m->isolated);
        if (cpus_count(&set) == 0 || is_nic_interrupt(m, irqs[i])) {
            continue;
        }
        if (stray < 4) {
            used += (size_t)snprintf(text + used, size - used, stray > 0 ? ", %d" : "%d", irqs[i]);
        }
        stray++;
    }
    if (stray > 4) {
        snprintf(text + used, size - used, " and %d more", stray - 4);
    }
    return stray;
}

static void judge_others(const struct machine *m, struct finding *f)
{
    char text[96];
    int stray;

    finding_want(f, "no other device on the isolated cores");
    if (cpus_count(&m->isolated) == 0) {
        finding_skip(f, "no isolated core");
        return;
    }
    if (!machine_exists(m, "/proc/irq")) {
        finding_skip(f, "/proc/irq is not readable");
        return;
    }
    stray = stray_interrupts(m, text, sizeof text);
    if (stray == 0) {
        finding_pass(f, "none on the isolated cores");
    } else {
        finding_warn(f, "%d on the isolated cores: %s", stray, text);
        finding_fix(
            f, "for i in /proc/irq/[0-9]*; do echo 0 > $i/smp_affinity_list; done 2>/dev/null");
    }
}

static void judge_irqbalance(const struct machine *m, struct finding *f)
{
    int pid = machine_process(m, "irqbalance", true);

    finding_want(f, "not running");
    if (!machine_exists(m, "/proc/self")) {
        finding_skip(f, "/proc is not readable");
    } else if (pid == 0) {
        finding_pass(f, "not running");
    } else {
        finding_fail(f, "running (process %d): it moves interrupts around", pid);
        finding_fix(f, "systemctl disable --now irqbalance");
    }
}

/* The interrupts of the interface; how many. */
static int nic_interrupts(const struct machine *m, int irqs[static IRQS_MAX])
{
    int all = machine_numbers(m, irqs, IRQS_MAX, "/proc/irq");
    int n = 0;

    for (int i = 0; i < all; i++) {
        if (is_nic_interrupt(m, irqs[i])) {
            irqs[n++] = irqs[i];
        }
    }
    return n;
}

static void judge_nic(const struct machine *m, struct finding *f)
{
    int irqs[IRQS_MAX];
    char cores[64];
    char list[64];
    int n;

    cpus_print(cores, sizeof cores, &m->isolated);
    finding_want(f, "the core of the loop");
    if (!doctor_nic_present(m, f)) {
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
    if (!doctor_nic_present(m, f)) {
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

const struct doctor_check doctor_interrupts[] = {
    {"irqaffinity", judge_default_affinity},
    {"other devices", judge_others},
    {"irqbalance", judge_irqbalance},
    {"NIC interrupts", judge_nic},
    {"NIC thread", judge_thread},
    {NULL, NULL},
};
