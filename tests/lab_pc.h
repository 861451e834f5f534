/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lab_pc.h - a laboratory PC as it should be, as files and answers: the healthy patient of test_doctor.c.
 *
 * Texts have the form kernels 6.1 give them: proc(5), and Documentation/ABI/testing of the kernel.
 * Four cores without SMT; core 3 belongs to the loop; enp3s0 is an Intel I210 on the bus.
 */
#ifndef FREEFALL_LAB_PC_H
#define FREEFALL_LAB_PC_H

#include "model/base.h"
#include "tests/folder.h"
#include "tools/machine.h"

#define CPU "/sys/devices/system/cpu"

static const char *const lab_pc_files[][2] = {
    {"/proc/sys/kernel/sched_rt_runtime_us", "-1\n"},
    {"/proc/sys/kernel/sched_rt_period_us", "1000000\n"},
    {"/proc/sys/kernel/timer_migration", "0\n"},
    {"/proc/sys/kernel/numa_balancing", "0\n"},
    {"/proc/sys/kernel/nmi_watchdog", "0\n"},
    {"/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme tsc msr constant_tsc\n"},
    {"/proc/cmdline",
     "root=/dev/sda2 isolcpus=managed_irq,domain,3 nohz_full=3 rcu_nocbs=3 irqaffinity=0\n"},
    {"/proc/meminfo", "MemTotal: 16000000 kB\n"},
    {"/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"},
    {"/proc/self/status", "Name:\tfreefall\nCapEff:\t0000000000806000\n"},
    {"/proc/self/uid_map", "         0          0 4294967295\n"},
    {"/proc/net/route", "Iface\tDestination\tGateway\nenp0s31f6\t00000000\t0100000A\t0003\n"},
    {"/proc/irq/default_smp_affinity", "1\n"},
    {"/proc/irq/16/smp_affinity_list", "0\n"},
    {"/proc/irq/16/effective_affinity_list", "0\n"},
    {"/proc/irq/16/ehci_hcd/", ""},
    {"/proc/irq/125/smp_affinity_list", "3\n"},
    {"/proc/irq/125/effective_affinity_list", "3\n"},
    {"/proc/irq/125/enp3s0-TxRx-0/", ""},
    {"/proc/1/comm", "systemd\n"},
    {"/proc/1/cgroup", "0::/init.scope\n"},
    {"/proc/412/comm", "irq/125-enp3s0-\n"},
    {"/proc/412/stat",
     "412 (irq/125-enp3s0-) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 -91 0 1 0 300 0 0 "
     "18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 3 90 1 0 0 0\n"},
    {"/sys/kernel/realtime", "1\n"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
    {"/sys/kernel/tracing/available_tracers", "timerlat osnoise hwlat wakeup_rt nop\n"},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
    {"/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n"},
    {CPU "/online", "0-3\n"},
    {CPU "/isolated", "3\n"},
    {CPU "/nohz_full", "3\n"},
    {CPU "/cpuidle/current_driver", "intel_idle\n"},
    {CPU "/cpu3/cpuidle/state0/name", "POLL\n"},
    {CPU "/cpu3/cpuidle/state0/latency", "0\n"},
    {CPU "/cpu3/cpuidle/state1/name", "C1E\n"},
    {CPU "/cpu3/cpuidle/state1/latency", "10\n"},
    {CPU "/cpu3/cpuidle/state1/disable", "0\n"},
    {CPU "/cpu3/cpuidle/state2/name", "C10\n"},
    {CPU "/cpu3/cpuidle/state2/latency", "890\n"},
    {CPU "/cpu3/cpuidle/state2/disable", "1\n"},
    {CPU "/cpu0/cpufreq/scaling_governor", "powersave\n"}, /* core 0 is nobody's business */
    {CPU "/cpu3/cpufreq/scaling_governor", "performance\n"},
    {CPU "/intel_pstate/no_turbo", "1\n"},
    {CPU "/cpu3/topology/thread_siblings_list", "3\n"},
    {"/sys/class/net/enp3s0/carrier", "1\n"},
    {"/sys/class/net/enp3s0/speed", "100\n"},
    {"/sys/class/net/enp3s0/duplex", "full\n"},
    {"/sys/class/dmi/id/sys_vendor", "Fujitsu\n"},
    {"/sys/class/dmi/id/product_name", "D3644\n"},
    {"/etc/os-release", "ID=debian\n"},
    {"/etc/default/grub", "GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX=\"quiet\"\n"},
    {"/usr/bin/lttng-sessiond", ""},
    {"/usr/bin/babeltrace2", ""},
    {"/dev/cpu_dma_latency", ""},
};

/* Make the files, and a machine that points at them. */
static inline void lab_pc_open(struct folder *t, struct machine *m)
{
    folder_open(t);
    for (size_t i = 0; i < COUNT_OF(lab_pc_files); i++) {
        folder_put(t, lab_pc_files[i][0], lab_pc_files[i][1]);
    }
    memset(m, 0, sizeof *m);
    m->root = t->root;
    m->interface = "enp3s0";
    m->folder = "runs";
    m->program = "/usr/bin/freefall";
    m->user = "alice";
    m->processors = 4;
    m->tracing = true;
    m->flavour = PLATFORM_PREEMPT;
    snprintf(m->name.nodename, sizeof m->name.nodename, "lab");
    snprintf(m->name.machine, sizeof m->name.machine, "x86_64");
    snprintf(m->name.release, sizeof m->name.release, "6.1.0-50-rt-amd64");
    snprintf(m->name.version, sizeof m->name.version, "#1 SMP PREEMPT_RT Debian 6.1.170-1");
    m->trial.flush = true;
    m->trial.priority_limit = 95;
    m->trial.lock_limit = TRIAL_UNLIMITED;
    m->trial.disk.chunks = 51;
    m->trial.disk.bytes = 8355840;
    m->trial.disk.total_ns = 41779200;
    m->trial.disk.worst_ns = 2500000;
    m->trial.disk.free_bytes = (uint64_t)200 << 30;
    m->nic.index = 3;
    snprintf(m->nic.driver, sizeof m->nic.driver, "igb");
    snprintf(m->nic.bus, sizeof m->nic.bus, "0000:03:00.0");
}

#endif
