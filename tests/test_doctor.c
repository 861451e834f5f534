/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_doctor.c - a healthy machine passes, and each defect shows in its own row and in no other. */
#include "tools/doctor.h"

#include <errno.h>

#include "tests/lab_pc.h"
#include "unity.h"

static struct folder tree;
static struct machine machine;
static struct doctor_report healthy;
static struct doctor_report report;

void setUp(void)
{
    lab_pc_open(&tree, &machine);
    machine_read(&machine);
    doctor_judge(&machine, &healthy);
}

void tearDown(void)
{
    folder_close(&tree);
}

static const struct doctor_row *row_of(const struct doctor_report *r, const char *group,
                                       const char *name)
{
    for (int i = 0; i < r->n; i++) {
        if (strcmp(r->rows[i].group, group) == 0 && strcmp(r->rows[i].name, name) == 0) {
            return &r->rows[i];
        }
    }
    TEST_FAIL_MESSAGE(name);
    return NULL;
}

static void judge_again(void)
{
    machine_read(&machine);
    doctor_judge(&machine, &report);
}

/* One row, word by word. */
static void expect(const char *group, const char *name, enum finding_status status,
                   const char *found, const char *wanted, const char *fix)
{
    const struct finding *f = &row_of(&report, group, name)->finding;

    TEST_ASSERT_EQUAL_STRING_MESSAGE(found, f->found, name);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(finding_name(status), finding_name(f->status), name);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, f->wanted, name);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(fix, f->fix, name);
}

/* No row but this one differs from the healthy machine's. */
static void expect_alone(const char *group, const char *name)
{
    TEST_ASSERT_EQUAL_INT(healthy.n, report.n);
    for (int i = 0; i < report.n; i++) {
        const struct doctor_row *row = &report.rows[i];

        if (strcmp(row->group, group) != 0 || strcmp(row->name, name) != 0) {
            TEST_ASSERT_EQUAL_INT_MESSAGE(healthy.rows[i].finding.status, row->finding.status,
                                          row->name);
            TEST_ASSERT_EQUAL_STRING_MESSAGE(healthy.rows[i].finding.found, row->finding.found,
                                             row->name);
        }
    }
}

static void test_a_good_lab_pc_passes_every_check(void)
{
    for (int i = 0; i < healthy.n; i++) {
        const struct doctor_row *row = &healthy.rows[i];
        bool skips =
            strcmp(row->name, "Cobalt core") == 0 || strcmp(row->name, "firmware (SMI)") == 0;

        TEST_ASSERT_EQUAL_STRING_MESSAGE(skips ? "SKIP" : "PASS", finding_name(row->finding.status),
                                         row->name);
        TEST_ASSERT_NOT_EQUAL_MESSAGE('\0', row->finding.found[0], row->name);
        if (!skips) {
            TEST_ASSERT_EQUAL_STRING_MESSAGE("", row->finding.fix, row->name);
            TEST_ASSERT_NOT_EQUAL_MESSAGE('\0', row->finding.wanted[0], row->name);
        }
    }
    TEST_ASSERT_EQUAL_INT(healthy.n - 2, healthy.counts[FINDING_PASS]);
    TEST_ASSERT_EQUAL_INT(2, healthy.counts[FINDING_SKIP]);
}

#define SED(name, value)                                                                           \
    "sed -i '/" name "=/!s/^GRUB_CMDLINE_LINUX=\"/&" name "=" value " /' /etc/default/grub"

/* One file changed (text), or gone (NULL): one row changes. */
static const struct defect {
    const char *path;
    const char *text;
    const char *group;
    const char *name;
    enum finding_status status;
    const char *found;
    const char *wanted;
    const char *fix;
} defects[] = {
    {"/sys/kernel/realtime", NULL, "kernel", "real-time kernel", FINDING_PASS,
     "uname -v: PREEMPT_RT, /sys/kernel/realtime: absent", "PREEMPT_RT", ""},
    {"/sys/kernel/realtime", "0\n", "kernel", "real-time kernel", FINDING_PASS,
     "uname -v: PREEMPT_RT, /sys/kernel/realtime: not 1", "PREEMPT_RT", ""},
    {"/proc/xenomai/version", "3.2.1\n", "kernel", "Cobalt core", FINDING_WARN,
     "Cobalt core 3.2.1 runs, this program does not use it", "a program built for it",
     "make RT=cobalt && make RT=cobalt install"},
    {"/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n", "kernel", "machine", FINDING_WARN,
     "virtual (D3644): timing figures are not meaningful", "bare metal",
     "# run on the machine itself"},
    {"/sys/class/dmi/id/sys_vendor", "QEMU\n", "kernel", "machine", FINDING_WARN,
     "virtual (D3644): timing figures are not meaningful", "bare metal",
     "# run on the machine itself"},
    {"/proc/cpuinfo", NULL, "kernel", "machine", FINDING_SKIP, "/proc/cpuinfo is not readable",
     "bare metal", ""},
    {"/proc/sys/kernel/sched_rt_runtime_us", "950000\n", "kernel", "RT throttling", FINDING_WARN,
     "threads stop after 950000 of 1000000 us", "-1, with a watchdog",
     "sysctl -w kernel.sched_rt_runtime_us=-1"},
    {"/proc/sys/kernel/sched_rt_runtime_us", "0\n", "kernel", "RT throttling", FINDING_FAIL,
     "real-time threads get no time: 0 of 1000000 us", "-1, with a watchdog",
     "sysctl -w kernel.sched_rt_runtime_us=-1"},
    {"/proc/sys/kernel/sched_rt_runtime_us", NULL, "kernel", "RT throttling", FINDING_SKIP,
     "/proc/sys/kernel/sched_rt_runtime_us is not readable", "-1, with a watchdog", ""},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", "kernel",
     "clock source", FINDING_FAIL, "hpet: reading the time takes a microsecond or more", "tsc",
     "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n", "kernel",
     "clock source", FINDING_WARN, "kvm-clock", "tsc",
     "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL, "kernel",
     "clock source", FINDING_SKIP, "/sys/devices/system/clocksource/clocksource0 is not readable",
     "tsc", ""},
    {"/proc/sys/kernel/timer_migration", "1\n", "kernel", "timer migration", FINDING_WARN,
     "kernel.timer_migration 1", "0", "sysctl -w kernel.timer_migration=0"},
    {"/proc/sys/kernel/numa_balancing", "1\n", "kernel", "NUMA balancing", FINDING_WARN,
     "kernel.numa_balancing 1", "0", "sysctl -w kernel.numa_balancing=0"},
    {"/proc/sys/kernel/numa_balancing", NULL, "kernel", "NUMA balancing", FINDING_PASS,
     "not in this kernel", "0", ""},
    {"/proc/sys/kernel/nmi_watchdog", "1\n", "kernel", "NMI watchdog", FINDING_WARN,
     "kernel.nmi_watchdog 1", "0", "sysctl -w kernel.nmi_watchdog=0"},
    {"/proc/sys/kernel/nmi_watchdog", "on\n", "kernel", "NMI watchdog", FINDING_SKIP,
     "/proc/sys/kernel/nmi_watchdog is not readable", "0", ""},
    {"/proc/lockdep_stats", "\n", "kernel", "lock debugging", FINDING_WARN,
     "the kernel checks every lock it takes (lockdep)", "a kernel without lock debugging",
     "# boot a kernel built without CONFIG_PROVE_LOCKING and CONFIG_LOCK_STAT"},
    {"/sys/kernel/tracing/available_tracers", "function nop\n", "kernel", "firmware (SMI)",
     FINDING_SKIP, "not measured: this kernel has no hwlat tracer", "no hole above 10 us in 60 s",
     ""},
    {"/sys/kernel/tracing/available_tracers", NULL, "kernel", "firmware (SMI)", FINDING_SKIP,
     "not measured; the tracers of the kernel are not readable", "no hole above 10 us in 60 s",
     "hwlatdetect --duration=60s --threshold=10"},

    {CPU "/nohz_full", "(null)\n", "processor", "nohz_full", FINDING_WARN, "none", "core 3",
     SED("nohz_full", "3")},
    {"/proc/irq/default_smp_affinity", "ff\n", "interrupts", "irqaffinity", FINDING_WARN,
     "new interrupts go to core 0-3", "without core 3", SED("irqaffinity", "0")},
    {"/proc/irq/default_smp_affinity", NULL, "interrupts", "irqaffinity", FINDING_SKIP,
     "/proc/irq/default_smp_affinity is not readable", "without core 3", ""},
    {"/proc/irq/16/effective_affinity_list", "3\n", "interrupts", "other devices", FINDING_WARN,
     "1 on the isolated cores: 16", "no other device on the isolated cores",
     "for i in /proc/irq/[0-9]*; do echo 0 > $i/smp_affinity_list; done 2>/dev/null"},
    {"/proc/77/comm", "irqbalance\n", "interrupts", "irqbalance", FINDING_FAIL,
     "running (process 77): it moves interrupts around", "not running",
     "systemctl disable --now irqbalance"},
    {CPU "/cpu3/cpufreq/scaling_governor", "powersave\n", "processor", "governor", FINDING_FAIL,
     "core 3: powersave", "performance",
     "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"},
    {CPU "/cpu3/cpufreq/scaling_governor", NULL, "processor", "governor", FINDING_SKIP,
     "no frequency scaling seen", "performance", ""},
    {CPU "/intel_pstate/no_turbo", "0\n", "processor", "turbo", FINDING_WARN, "on",
     "off: one frequency, one execution time",
     "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"},
    {CPU "/intel_pstate/no_turbo", NULL, "processor", "turbo", FINDING_SKIP,
     "no turbo setting seen", "off: one frequency, one execution time", ""},
    {CPU "/cpu3/topology/thread_siblings_list", "1,3\n", "processor", "SMT", FINDING_FAIL,
     "processor 1 shares the core of the loop", "no sibling thread online",
     "echo off > /sys/devices/system/cpu/smt/control"},
    {CPU "/cpu3/topology/thread_siblings_list", "3,7\n", "processor", "SMT", FINDING_PASS,
     "no sibling thread online", "no sibling thread online", ""}, /* 7 is off line */
    {CPU "/cpu3/topology/thread_siblings_list", NULL, "processor", "SMT", FINDING_SKIP,
     "the topology of the processors is not readable", "no sibling thread online", ""},

    {"/proc/swaps", "Filename Type Size Used Priority\n/dev/sda3 partition 999 0 -2\n",
     "memory and rights", "swap", FINDING_WARN, "in use: other programs may wait for the disk",
     "none", "swapoff -a"},
    {"/proc/swaps", NULL, "memory and rights", "swap", FINDING_PASS, "none", "none", ""},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n", "memory and rights",
     "huge pages", FINDING_WARN, "always: the kernel moves memory to make huge pages",
     "madvise or never", "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n", "memory and rights",
     "huge pages", FINDING_PASS, "never", "madvise or never", ""},
    {"/sys/kernel/mm/transparent_hugepage/enabled", NULL, "memory and rights", "huge pages",
     FINDING_PASS, "not in this kernel", "madvise or never", ""},

    {"/sys/class/net/enp3s0/wireless/status", "0\n", "network", "interface", FINDING_FAIL,
     "wireless", "a wired interface", "# use a wired port of its own"},
    {"/proc/net/route", "Iface\tDestination\nenp3s0\t00000000\t0100000A\n", "network", "interface",
     FINDING_FAIL, "carries the default route of this machine", "a port of its own",
     "# use another port for the bus"},
    {"/sys/class/net/enp3s0/carrier", "0\n", "network", "link", FINDING_WARN,
     "no link: interface down, or first slave without power", "100 Mbit/s, full duplex",
     "ip link set enp3s0 up"},
    {"/sys/class/net/enp3s0/speed", "1000\n", "network", "link", FINDING_FAIL,
     "1000 Mbit/s, full duplex", "100 Mbit/s, full duplex",
     "ethtool -s enp3s0 speed 100 duplex full autoneg on"},
    {"/sys/class/net/enp3s0/duplex", "half\n", "network", "link", FINDING_FAIL,
     "100 Mbit/s, half duplex", "100 Mbit/s, full duplex",
     "ethtool -s enp3s0 speed 100 duplex full autoneg on"},
    {"/sys/class/net/enp3s0/speed", "-1\n", "network", "link", FINDING_SKIP,
     "link up, the driver does not tell its speed", "100 Mbit/s, full duplex", ""},
    {"/sys/class/net/enp3s0", NULL, "network", "link", FINDING_SKIP,
     "/sys/class/net does not show it", "100 Mbit/s, full duplex", ""},
    {"/proc/irq/125/smp_affinity_list", "0-3\n", "interrupts", "NIC interrupts", FINDING_FAIL,
     "interrupt 125 goes to core 0-3", "core 3", "echo 3 > /proc/irq/125/smp_affinity_list"},
    {"/proc/412/stat",
     "412 (irq/125-enp3s0-) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 -51 0 1 0 300 0 0 "
     "18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 3 50 1 0 0 0\n",
     "interrupts", "NIC thread", FINDING_FAIL, "thread of interrupt 125: priority 50",
     "SCHED_FIFO 90", "chrt -f -p 90 412"},
    {"/proc/412/comm", "other\n", "interrupts", "NIC thread", FINDING_SKIP,
     "no interrupt thread of the interface seen", "SCHED_FIFO 90", ""},

    {"/usr/bin/babeltrace2", NULL, "tracing", "LTTng", FINDING_WARN, "missing: babeltrace2",
     "lttng-tools, babeltrace2", "apt install babeltrace2"},
};

static void test_each_file_that_differs_shows_in_its_own_row(void)
{
    for (size_t i = 0; i < COUNT_OF(defects); i++) {
        const struct defect *d = &defects[i];

        if (d->text != NULL) {
            folder_put(&tree, d->path, d->text);
        } else {
            folder_remove(&tree, d->path);
        }
        judge_again();
        expect(d->group, d->name, d->status, d->found, d->wanted, d->fix);
        expect_alone(d->group, d->name);
        tearDown();
        setUp();
    }
}

static void deny_fifo(struct machine *m)
{
    m->trial.fifo_error = -EPERM;
    m->trial.priority_limit = 0;
}

static void test_a_user_without_scheduling_right_is_told_how_to_get_it(void)
{
    folder_put(&tree, "/proc/self/status", "CapEff:\t0000000000000000\n");
    deny_fifo(&machine);
    judge_again();
    expect("memory and rights", "SCHED_FIFO", FINDING_FAIL,
           "Operation not permitted, rtprio limit 0", "granted",
           "echo alice - rtprio 95 > /etc/security/limits.d/freefall-rtprio.conf  # then log in "
           "again");
    expect("memory and rights", "capabilities", FINDING_FAIL, "without sys_nice",
           "net_raw, sys_nice, ipc_lock",
           "setcap cap_net_raw,cap_sys_nice,cap_ipc_lock+ep /usr/bin/freefall");
}

/* The refusal LinuxCNC users could not explain: rights are there, the kernel groups real-time threads. */
static void test_group_scheduling_is_named_as_the_cause(void)
{
    machine.trial.fifo_error = -EPERM;
    folder_put(&tree, "/boot/config-6.1.0-50-rt-amd64", "CONFIG_SMP=y\nCONFIG_RT_GROUP_SCHED=y\n");
    judge_again();
    expect("memory and rights", "SCHED_FIFO", FINDING_FAIL,
           "Operation not permitted, by CONFIG_RT_GROUP_SCHED", "granted",
           "sysctl -w kernel.sched_rt_runtime_us=-1");
    folder_remove(&tree, "/boot");
    judge_again();
    expect("memory and rights", "SCHED_FIFO", FINDING_FAIL,
           "Operation not permitted, though the rights are there", "granted",
           "# look for a seccomp filter, or CONFIG_RT_GROUP_SCHED in the kernel");
    folder_put(&tree, "/proc/self/status", "CapEff:\t0000000000000000\n"); /* rights by the limit */
    judge_again();
    TEST_ASSERT_NOT_NULL(strstr(row_of(&report, "memory and rights", "SCHED_FIFO")->finding.found,
                                "rights are there"));
    folder_put(&tree, "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "0\n");
    judge_again();
    TEST_ASSERT_NOT_NULL(strstr(row_of(&report, "memory and rights", "SCHED_FIFO")->finding.found,
                                "RT_GROUP_SCHED"));
}

/* Without rights the kernel's groups are not yet to blame. */
static void test_missing_rights_come_before_group_scheduling(void)
{
    folder_put(&tree, "/proc/self/status", "CapEff:\t0000000000000000\n");
    folder_put(&tree, "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "0\n");
    deny_fifo(&machine);
    judge_again();
    TEST_ASSERT_EQUAL_STRING("Operation not permitted, rtprio limit 0",
                             row_of(&report, "memory and rights", "SCHED_FIFO")->finding.found);
}

static void test_memory_lock_needs_no_limit_or_the_capability(void)
{
    static const char fix[] = "echo alice - memlock unlimited > "
                              "/etc/security/limits.d/freefall-memlock.conf  # then log in again";

    machine.trial.lock_limit = 8388608;
    judge_again();
    expect("memory and rights", "memory lock", FINDING_PASS, "mlockall() works, by CAP_IPC_LOCK",
           "unlimited", "");
    machine.trial.lock_limit = TRIAL_UNLIMITED;
    machine.trial.lock_free_error = -ENOMEM;
    judge_again();
    expect("memory and rights", "memory lock", FINDING_PASS, "mlockall() works, limit unlimited",
           "unlimited", "");
    machine.trial.lock_limit = 8388608;
    judge_again();
    expect("memory and rights", "memory lock", FINDING_FAIL, "limit 8192 KiB: too small for a run",
           "unlimited", fix);
    machine.trial.lock_error = -ENOMEM;
    judge_again();
    expect("memory and rights", "memory lock", FINDING_FAIL,
           "mlockall(): Cannot allocate memory, limit 8192 KiB", "unlimited", fix);
    machine.trial.lock_limit = TRIAL_UNLIMITED;
    machine.trial.lock_error = -EPERM;
    judge_again();
    expect("memory and rights", "memory lock", FINDING_FAIL, "mlockall(): Operation not permitted",
           "unlimited", fix);
}

static void test_the_bus_needs_raw_sockets(void)
{
    machine.trial.raw_error = -EPERM;
    judge_again();
    expect("memory and rights", "capabilities", FINDING_FAIL, "without net_raw",
           "net_raw, sys_nice, ipc_lock",
           "setcap cap_net_raw,cap_sys_nice,cap_ipc_lock+ep /usr/bin/freefall");
    expect_alone("memory and rights", "capabilities");
}

static void test_limits_may_stand_in_for_capabilities(void)
{
    folder_put(&tree, "/proc/self/status", "CapEff:\t0000000000002000\n");
    machine.trial.lock_free_error = -EPERM;
    judge_again();
    expect("memory and rights", "capabilities", FINDING_PASS,
           "net_raw; scheduling and memory by limits", "net_raw, sys_nice, ipc_lock", "");
}

static void test_deep_sleep_needs_the_latency_device(void)
{
    static const char wanted[] = "10 us at most, or /dev/cpu_dma_latency opens";

    folder_put(&tree, CPU "/cpu3/cpuidle/state2/disable", "0\n");
    judge_again();
    expect("processor", "C-states", FINDING_PASS,
           "deepest C10, 890 us, intel_idle; /dev/cpu_dma_latency opens", wanted, "");
    machine.trial.idle_error = -EACCES;
    judge_again();
    expect("processor", "C-states", FINDING_FAIL,
           "deepest C10, 890 us, intel_idle; /dev/cpu_dma_latency: Permission denied", wanted,
           "chown alice /dev/cpu_dma_latency");
    folder_put(&tree, CPU "/cpu3/cpuidle/state2/disable", "1\n");
    judge_again();
    expect("processor", "C-states", FINDING_PASS, "deepest C1E, 10 us, intel_idle", wanted, "");
    folder_put(&tree, CPU "/cpu3/cpuidle/state1/latency", "11\n");
    machine.trial.idle_error = -ENOENT;
    folder_remove(&tree, "/dev/cpu_dma_latency");
    judge_again();
    expect("processor", "C-states", FINDING_FAIL,
           "deepest C1E, 11 us, intel_idle; /dev/cpu_dma_latency: No such file or directory",
           wanted, SED("processor.max_cstate", "1 intel_idle.max_cstate=1"));
    folder_remove(&tree, CPU "/cpu3/cpuidle");
    judge_again();
    TEST_ASSERT_EQUAL_INT(FINDING_WARN, row_of(&report, "processor", "C-states")->finding.status);
}

static void test_without_isolated_cores_all_boot_parameters_are_proposed(void)
{
    folder_put(&tree, "/proc/cmdline", "root=/dev/sda2 quiet\n");
    folder_put(&tree, CPU "/isolated", "\n");
    folder_put(&tree, CPU "/nohz_full", "(null)\n");
    folder_put(&tree, "/proc/irq/default_smp_affinity", "f\n");
    judge_again();
    expect("processor", "isolated cores", FINDING_FAIL, "none", "a core for the loop alone",
           SED("isolcpus", "managed_irq,domain,3"));
    expect("processor", "nohz_full", FINDING_WARN, "none", "core 3", SED("nohz_full", "3"));
    expect("processor", "rcu_nocbs", FINDING_WARN, "none", "core 3", SED("rcu_nocbs", "3"));
    expect("interrupts", "irqaffinity", FINDING_WARN, "new interrupts go to core 0-3",
           "without core 3", SED("irqaffinity", "0"));
    expect("interrupts", "other devices", FINDING_SKIP, "no isolated core",
           "no other device on the isolated cores", "");
    TEST_ASSERT_TRUE(row_of(&report, "processor", "nohz_full")->finding.boot);
}

/* The kernel's documentation: nohz_full implies rcu_nocbs for its cores; "all" is a list too. */
static void test_rcu_callbacks_may_be_moved_in_three_ways(void)
{
    folder_put(&tree, "/proc/cmdline", "quiet\n");
    judge_again();
    expect("processor", "rcu_nocbs", FINDING_PASS, "core 3", "core 3", "");
    folder_put(&tree, CPU "/nohz_full", "2\n");
    judge_again();
    expect("processor", "nohz_full", FINDING_WARN, "2", "core 3", SED("nohz_full", "3"));
    expect("processor", "rcu_nocbs", FINDING_WARN, "2", "core 3", SED("rcu_nocbs", "3"));
    folder_put(&tree, CPU "/nohz_full", "\n");
    folder_put(&tree, "/proc/cmdline", "rcu_nocbs=all\n");
    judge_again();
    expect("processor", "rcu_nocbs", FINDING_PASS, "core 0-3", "core 3", "");
    folder_put(&tree, "/proc/cmdline", "rcu_nocbs=0-2\n");
    judge_again();
    expect("processor", "rcu_nocbs", FINDING_WARN, "0-2", "core 3", SED("rcu_nocbs", "3"));
}

static void test_a_single_processor_is_not_enough(void)
{
    folder_put(&tree, CPU "/online", "0\n");
    folder_put(&tree, CPU "/isolated", "\n");
    judge_again();
    expect("processor", "isolated cores", FINDING_FAIL, "the machine has one processor",
           "a core for the loop alone", "# use a machine with at least two cores");
    expect("processor", "nohz_full", FINDING_SKIP, "the machine has one processor", "core none",
           "");
}

/* enp3s0f1 is another port: what it does is not this one's business. */
static void test_interfaces_with_a_common_beginning_are_kept_apart(void)
{
    folder_put(&tree, "/proc/irq/124/enp3s0f1-TxRx-0/", "");
    folder_put(&tree, "/proc/irq/124/smp_affinity_list", "0\n");
    folder_put(&tree, "/proc/irq/124/effective_affinity_list", "0\n");
    judge_again();
    expect_alone("", "");
    folder_put(&tree, "/proc/irq/124/effective_affinity_list", "3\n");
    judge_again();
    expect("interrupts", "other devices", FINDING_WARN, "1 on the isolated cores: 124",
           "no other device on the isolated cores",
           "for i in /proc/irq/[0-9]*; do echo 0 > $i/smp_affinity_list; done 2>/dev/null");
}

/* Drivers that name interrupts after themselves: the device's own list tells. */
static void test_interrupts_are_found_by_the_device_too(void)
{
    folder_remove(&tree, "/proc/irq/125/enp3s0-TxRx-0");
    folder_put(&tree, "/proc/irq/125/virtio0-input.0/", "");
    folder_put(&tree, "/sys/class/net/enp3s0/device/msi_irqs/125", "msix\n");
    judge_again();
    expect_alone("", "");
}

static void test_many_stray_interrupts_are_summed_up(void)
{
    static const char *const irqs[] = {"20", "21", "22", "23", "24", "25"};

    for (size_t i = 0; i < COUNT_OF(irqs); i++) {
        char path[64];

        snprintf(path, sizeof path, "/proc/irq/%s/smp_affinity_list", irqs[i]);
        folder_put(&tree, path, "2-3\n");
    }
    judge_again();
    TEST_ASSERT_EQUAL_STRING("6 on the isolated cores: 20, 21, 22, 23 and 2 more",
                             row_of(&report, "interrupts", "other devices")->finding.found);
}

/* Running the fix changes GRUB's line once, however often it is run; two parameters do not disturb. */
static void test_the_boot_fix_changes_the_file_once(void)
{
    char command[512];
    char line[MACHINE_LINE];
    const char *fix;
    const char *at;

    snprintf(
        command, sizeof command,
        "for i in 1 2; do for p in isolcpus=managed_irq,domain,3 nohz_full=3; do "
        "sed -i \"/${p%%%%=*}=/!s/^GRUB_CMDLINE_LINUX=\\\"/&$p /\" %s/etc/default/grub; done; done",
        tree.root);
    TEST_ASSERT_EQUAL_INT(0, system(command));
    folder_put(&tree, CPU "/nohz_full", "\n");
    judge_again();
    fix = row_of(&report, "processor", "nohz_full")->finding.fix;
    at = strstr(fix, "/etc/default/grub");
    TEST_ASSERT_NOT_NULL(at);
    snprintf(command, sizeof command, "%.*s%s%s", (int)(at - fix), fix, tree.root, at);
    TEST_ASSERT_EQUAL_INT(0, system(command));
    TEST_ASSERT_TRUE(machine_contains(
        &machine, "GRUB_CMDLINE_LINUX=\"nohz_full=3 isolcpus=managed_irq,domain,3 quiet\"\n",
        "/etc/default/grub"));
    TEST_ASSERT_EQUAL_INT(0, machine_line(&machine, line, sizeof line, "/etc/default/grub"));
    TEST_ASSERT_EQUAL_STRING("GRUB_TIMEOUT=5", line);
}

static void test_coalescing_is_reported_as_the_guide_shows(void)
{
    machine.nic.rx_usecs = 3;
    judge_again();
    expect("network", "coalescing", FINDING_FAIL, "rx-usecs 3", "0",
           "ethtool -C enp3s0 rx-usecs 0");
    expect_alone("network", "coalescing");
    machine.nic.tx_usecs = 50;
    machine.nic.adaptive = true;
    judge_again();
    expect("network", "coalescing", FINDING_FAIL, "rx-usecs 3, tx-usecs 50, adaptive",
           "0, not adaptive",
           "ethtool -C enp3s0 adaptive-rx off adaptive-tx off rx-usecs 0 tx-usecs 0");
    machine.nic.coalesce_error = -EOPNOTSUPP;
    judge_again();
    expect("network", "coalescing", FINDING_PASS, "the driver delays no interrupts",
           "rx-usecs 0, tx-usecs 0", "");
    machine.nic.coalesce_error = -EPERM;
    judge_again();
    expect("network", "coalescing", FINDING_SKIP, "coalescing: Operation not permitted",
           "rx-usecs 0, tx-usecs 0", "");
}

static void test_a_link_that_sleeps_fails(void)
{
    machine.nic.eee = true;
    judge_again();
    expect("network", "EEE", FINDING_FAIL, "EEE on: the link sleeps between frames", "EEE off",
           "ethtool --set-eee enp3s0 eee off");
    expect_alone("network", "EEE");
    machine.nic.eee_error = -EOPNOTSUPP;
    judge_again();
    expect("network", "EEE", FINDING_PASS, "EEE not offered by the driver", "EEE off", "");
}

static void test_drivers_are_told_apart(void)
{
    static const struct {
        const char *driver;
        const char *bus;
        enum finding_status status;
        const char *found;
    } cases[] = {
        {"igc", "0000:01:00.0", FINDING_PASS, "driver igc"},
        {"r8152", "usb-0000:00:14.0-2", FINDING_FAIL,
         "driver r8152 on USB: frames wait for the USB schedule"},
        {"veth", "", FINDING_WARN, "driver veth: a virtual wire, for the bench only"},
        {"atlantic", "0000:01:00.0", FINDING_WARN, "driver atlantic: not known to us, measure it"},
        {"", "", FINDING_SKIP, "the driver does not tell its name"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        snprintf(machine.nic.driver, sizeof machine.nic.driver, "%s", cases[i].driver);
        snprintf(machine.nic.bus, sizeof machine.nic.bus, "%s", cases[i].bus);
        judge_again();
        expect("network", "driver", cases[i].status, cases[i].found, "igb, igc, e1000e",
               cases[i].status == FINDING_FAIL ? "# use a port on PCI Express" : "");
        expect_alone("network", "driver");
    }
}

static void test_an_address_on_the_bus_fails(void)
{
    machine.nic.addresses = 1;
    snprintf(machine.nic.address, sizeof machine.nic.address, "10.0.0.2");
    judge_again();
    expect("network", "IP address", FINDING_FAIL,
           "IP address 10.0.0.2: other traffic shares the wire", "no IP address",
           "ip address flush dev enp3s0 && sysctl -w net.ipv6.conf.enp3s0.disable_ipv6=1");
    expect_alone("network", "IP address");
}

/* The fixes for a bus port would cut the machine off its network: then none of them is proposed. */
static void test_the_way_to_the_network_is_never_cut(void)
{
    static const char *const rows[] = {"link", "IP address", "manager"};

    machine.nic.addresses = 1;
    folder_put(&tree, "/proc/net/route", "Iface\tDestination\nenp3s0\t00000000\t0100000A\n");
    folder_put(&tree, "/sys/class/net/enp3s0/speed", "1000\n");
    folder_put(&tree, "/proc/50/comm", "NetworkManager\n");
    folder_put(&tree, "/run/NetworkManager/devices/3", "[device]\nmanaged=true\n");
    judge_again();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct finding *f = &row_of(&report, "network", rows[i])->finding;

        TEST_ASSERT_EQUAL_INT_MESSAGE(FINDING_FAIL, f->status, rows[i]);
        TEST_ASSERT_EQUAL_CHAR('#', f->fix[0]);
    }
}

static void test_managers_of_the_network_are_found(void)
{
    folder_put(&tree, "/proc/50/comm", "NetworkManager\n");
    judge_again();
    expect("network", "manager", FINDING_PASS, "managed by nobody", "managed by nobody", "");
    folder_put(&tree, "/run/NetworkManager/devices/3", "[device]\nmanaged=true\n");
    judge_again();
    expect("network", "manager", FINDING_FAIL, "managed by NetworkManager", "managed by nobody",
           "nmcli device set enp3s0 managed no");
    expect_alone("network", "manager");
    folder_remove(&tree, "/proc/50");
    folder_put(&tree, "/proc/51/comm", "systemd-network\n");
    folder_put(&tree, "/run/systemd/netif/links/3",
               "ADMIN_STATE=configured\nOPER_STATE=routable\n");
    judge_again();
    expect("network", "manager", FINDING_FAIL, "managed by systemd-networkd", "managed by nobody",
           "printf '[Match]\\nName=enp3s0\\n[Link]\\nUnmanaged=yes\\n' > "
           "/etc/systemd/network/10-freefall.network && networkctl reload");
    folder_put(&tree, "/run/systemd/netif/links/3", "ADMIN_STATE=unmanaged\n");
    judge_again();
    expect("network", "manager", FINDING_PASS, "managed by nobody", "managed by nobody", "");
}

static void test_no_interface_named_skips_and_proposes_one(void)
{
    machine.interface = NULL;
    judge_again();
    for (int i = 0; i < report.n; i++) {
        if (strcmp(report.rows[i].group, "network") == 0) {
            TEST_ASSERT_EQUAL_INT(FINDING_SKIP, report.rows[i].finding.status);
            TEST_ASSERT_EQUAL_STRING("no interface named: freefall doctor --interface enp3s0",
                                     report.rows[i].finding.found);
        }
    }
}

static void test_an_interface_that_is_not_there_fails_once(void)
{
    machine.interface = "enp9s0";
    machine.nic.error = -ENODEV;
    judge_again();
    expect("network", "interface", FINDING_FAIL, "there is no such interface", "a wired interface",
           "# name another: freefall doctor --interface enp3s0");
    TEST_ASSERT_EQUAL_INT(1, report.counts[FINDING_FAIL]);
    expect("network", "driver", FINDING_SKIP, "no interface enp9s0", "igb, igc, e1000e", "");
}

static void test_the_disk_must_keep_up(void)
{
    static const char wanted[] = "each chunk on the disk in 250 ms, 5 MB/s";

    judge_again();
    expect("storage", "disk speed", FINDING_PASS, "200 MB/s, slowest of 51 chunks 2.5 ms", wanted,
           "");
    machine.trial.disk.worst_ns = 251000000;
    judge_again();
    expect("storage", "disk speed", FINDING_WARN, "200 MB/s, slowest of 51 chunks 251 ms", wanted,
           "# write runs to a faster disk: --runs DIR");
    machine.trial.disk.worst_ns = 2500000;
    machine.trial.disk.total_ns = 8355840 * INT64_C(250);
    judge_again();
    expect("storage", "disk speed", FINDING_WARN, "4 MB/s, slowest of 51 chunks 2.5 ms", wanted,
           "# write runs to a faster disk: --runs DIR");
    machine.trial.disk.error = -EACCES;
    judge_again();
    expect("storage", "disk speed", FINDING_FAIL, "runs: Permission denied", wanted,
           "# name a folder you may write: freefall doctor --runs DIR");
}

static void test_the_disk_must_have_room(void)
{
    machine.trial.disk.free_bytes = UINT64_C(5) << 30;
    judge_again();
    expect("storage", "disk space", FINDING_WARN, "5 GiB", "20 GiB, for eight hours",
           "# make room, or write runs to another disk: --runs DIR");
    expect_alone("storage", "disk space");
}

static void test_namespaces_refused_name_the_switch(void)
{
    static const char wanted[] = "a private network, for the simulated bench";

    machine.trial.netspace_error = -EPERM;
    judge_again();
    expect("memory and rights", "network namespace", FINDING_WARN,
           "no private network: Operation not permitted", wanted, "");
    folder_put(&tree, "/proc/sys/user/max_user_namespaces", "0\n");
    judge_again();
    expect("memory and rights", "network namespace", FINDING_WARN,
           "no private network: Operation not permitted", wanted,
           "sysctl -w user.max_user_namespaces=15000");
    folder_put(&tree, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
    judge_again();
    expect("memory and rights", "network namespace", FINDING_WARN,
           "no private network: Operation not permitted", wanted,
           "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
    folder_put(&tree, "/proc/sys/kernel/unprivileged_userns_clone", "0\n");
    judge_again();
    expect("memory and rights", "network namespace", FINDING_WARN,
           "no private network: Operation not permitted", wanted,
           "sysctl -w kernel.unprivileged_userns_clone=1");
}

static void test_a_cobalt_build_wants_its_core_and_not_preempt_rt(void)
{
    machine.flavour = PLATFORM_COBALT;
    snprintf(machine.name.version, sizeof machine.name.version, "#1 SMP PREEMPT");
    folder_remove(&tree, "/sys/kernel/realtime");
    judge_again();
    expect("kernel", "real-time kernel", FINDING_SKIP, "built for Cobalt, which does not need it",
           "PREEMPT_RT", "");
    expect("kernel", "Cobalt core", FINDING_FAIL, "no Cobalt core: /proc/xenomai/version is absent",
           "a running Cobalt core",
           "# boot a kernel with the Cobalt core of Xenomai 3, or build with make RT=preempt");
    folder_put(&tree, "/proc/xenomai/version", "3.2.1\n");
    judge_again();
    expect("kernel", "Cobalt core", FINDING_PASS, "Cobalt core 3.2.1", "a running Cobalt core", "");
}

static void test_a_stock_kernel_fails_with_the_fix_of_its_distribution(void)
{
    static const struct {
        const char *system;
        const char *machine;
        const char *fix;
    } cases[] = {
        {"ID=debian\n", "x86_64", "apt install linux-image-rt-amd64 && reboot"},
        {"ID=debian\n", "aarch64", "apt install linux-image-rt-arm64 && reboot"},
        {"ID=debian\n", "riscv64", "# install a kernel built with CONFIG_PREEMPT_RT and boot it"},
        {"ID=ubuntu\nID_LIKE=debian\n", "x86_64", "pro enable realtime-kernel && reboot"},
        {"ID=gentoo\n", "x86_64", "# install a kernel built with CONFIG_PREEMPT_RT and boot it"},
    };

    snprintf(machine.name.version, sizeof machine.name.version, "#1 SMP PREEMPT_DYNAMIC");
    folder_remove(&tree, "/sys/kernel/realtime");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        folder_put(&tree, "/etc/os-release", cases[i].system);
        snprintf(machine.name.machine, sizeof machine.name.machine, "%s", cases[i].machine);
        judge_again();
        expect("kernel", "real-time kernel", FINDING_FAIL,
               "uname -v: no PREEMPT_RT, /sys/kernel/realtime: absent", "PREEMPT_RT", cases[i].fix);
    }
}

static int count_of(enum finding_status status)
{
    return report.counts[status];
}

/* A laptop: stock kernel, all cores shared, power saving everywhere, plain user. */
static void test_a_laptop_fails_where_it_must(void)
{
    static const char *const fails[][2] = {
        {"kernel", "real-time kernel"},
        {"processor", "isolated cores"},
        {"processor", "C-states"},
        {"processor", "governor"},
        {"processor", "SMT"},
        {"interrupts", "irqbalance"},
        {"memory and rights", "memory lock"},
        {"memory and rights", "SCHED_FIFO"},
        {"memory and rights", "capabilities"},
    };

    snprintf(machine.name.version, sizeof machine.name.version, "#1 SMP PREEMPT_DYNAMIC");
    folder_remove(&tree, "/sys/kernel/realtime");
    folder_put(&tree, CPU "/isolated", "\n");
    folder_put(&tree, CPU "/nohz_full", "(null)\n");
    folder_put(&tree, CPU "/cpu3/cpuidle/state2/disable", "0\n");
    folder_put(&tree, CPU "/cpu3/topology/thread_siblings_list", "1,3\n");
    folder_put(&tree, "/proc/cmdline", "quiet splash\n");
    folder_put(&tree, "/proc/77/comm", "irqbalance\n");
    folder_put(&tree, "/proc/self/status", "CapEff:\t0000000000000000\n");
    machine.interface = NULL;
    machine.trial.idle_error = -EACCES;
    machine.trial.fifo_error = -EPERM;
    machine.trial.raw_error = -EPERM;
    machine.trial.lock_free_error = -EPERM;
    machine.trial.lock_limit = 8388608;
    machine.trial.priority_limit = 0;
    judge_again();
    for (size_t i = 0; i < COUNT_OF(fails); i++) {
        const struct finding *f = &row_of(&report, fails[i][0], fails[i][1])->finding;

        TEST_ASSERT_EQUAL_STRING_MESSAGE("FAIL", finding_name(f->status), fails[i][1]);
        TEST_ASSERT_NOT_EQUAL_MESSAGE('\0', f->fix[0], fails[i][1]);
    }
    TEST_ASSERT_EQUAL_INT(COUNT_OF(fails), count_of(FINDING_FAIL));
}

/* A container: /proc of the host, no /sys, root without power. */
static void test_a_container_without_sys_is_judged_by_what_it_shows(void)
{
    static const char fix[] = "# start the container with --cap-add=SYS_NICE --cap-add=IPC_LOCK";

    folder_remove(&tree, "/sys");
    folder_remove(&tree, "/etc/default/grub");
    folder_put(&tree, "/.dockerenv", "");
    machine.interface = NULL;
    machine.trial.fifo_error = -EPERM;
    machine.trial.priority_limit = 0;
    folder_put(&tree, "/proc/self/status",
               "CapEff:\t00000000a80425fb\n"); /* what docker leaves to root */
    judge_again();
    expect("kernel", "machine", FINDING_PASS, "no hypervisor; in a container (docker)",
           "bare metal", "");
    expect("processor", "isolated cores", FINDING_SKIP, CPU " is not readable",
           "a core for the loop alone", "");
    expect("processor", "nohz_full", FINDING_SKIP, CPU " is not readable", "core 3", "");
    expect("memory and rights", "SCHED_FIFO", FINDING_FAIL,
           "Operation not permitted, rtprio limit 0", "granted", fix);
    expect("memory and rights", "huge pages", FINDING_SKIP,
           "/sys/kernel/mm/transparent_hugepage/enabled is not readable", "madvise or never", "");
    folder_put(&tree, CPU "/isolated", "\n");
    judge_again();
    expect("processor", "isolated cores", FINDING_FAIL, "none", "a core for the loop alone",
           "# add to the kernel command line of the host: isolcpus=managed_irq,domain,3");
}

static void test_root_of_a_user_namespace_is_told_to_leave_it(void)
{
    folder_put(&tree, "/proc/self/uid_map", "0 1000 1\n");
    machine.trial.fifo_error = -EPERM;
    machine.trial.priority_limit = 0;
    judge_again();
    expect("memory and rights", "SCHED_FIFO", FINDING_FAIL,
           "Operation not permitted, rtprio limit 0", "granted",
           "# run outside the user namespace");
}

/* Nothing to read at all: no crash, no row without words, no fix out of thin air. */
static void test_a_machine_without_any_file_is_mostly_skipped(void)
{
    static const char *const folders[] = {"/proc", "/sys", "/etc", "/usr", "/dev"};

    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        folder_remove(&tree, folders[i]);
    }
    judge_again();
    TEST_ASSERT_EQUAL_INT(healthy.n, report.n);
    TEST_ASSERT_EQUAL_INT(0, count_of(FINDING_FAIL));
    TEST_ASSERT_GREATER_OR_EQUAL(20, count_of(FINDING_SKIP));
    for (int i = 0; i < report.n; i++) {
        TEST_ASSERT_NOT_EQUAL_MESSAGE('\0', report.rows[i].finding.found[0], report.rows[i].name);
    }
}

static void test_each_row_is_counted_once_and_named_once(void)
{
    int all = 0;

    for (int k = 0; k < FINDING_KINDS; k++) {
        all += healthy.counts[k];
    }
    TEST_ASSERT_EQUAL_INT(healthy.n, all);
    for (int i = 0; i < healthy.n; i++) {
        TEST_ASSERT_EQUAL_PTR(&healthy.rows[i],
                              row_of(&healthy, healthy.rows[i].group, healthy.rows[i].name));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_good_lab_pc_passes_every_check);
    RUN_TEST(test_each_file_that_differs_shows_in_its_own_row);
    RUN_TEST(test_a_user_without_scheduling_right_is_told_how_to_get_it);
    RUN_TEST(test_group_scheduling_is_named_as_the_cause);
    RUN_TEST(test_missing_rights_come_before_group_scheduling);
    RUN_TEST(test_memory_lock_needs_no_limit_or_the_capability);
    RUN_TEST(test_the_bus_needs_raw_sockets);
    RUN_TEST(test_limits_may_stand_in_for_capabilities);
    RUN_TEST(test_deep_sleep_needs_the_latency_device);
    RUN_TEST(test_without_isolated_cores_all_boot_parameters_are_proposed);
    RUN_TEST(test_rcu_callbacks_may_be_moved_in_three_ways);
    RUN_TEST(test_a_single_processor_is_not_enough);
    RUN_TEST(test_interfaces_with_a_common_beginning_are_kept_apart);
    RUN_TEST(test_interrupts_are_found_by_the_device_too);
    RUN_TEST(test_many_stray_interrupts_are_summed_up);
    RUN_TEST(test_the_boot_fix_changes_the_file_once);
    RUN_TEST(test_coalescing_is_reported_as_the_guide_shows);
    RUN_TEST(test_a_link_that_sleeps_fails);
    RUN_TEST(test_drivers_are_told_apart);
    RUN_TEST(test_an_address_on_the_bus_fails);
    RUN_TEST(test_the_way_to_the_network_is_never_cut);
    RUN_TEST(test_managers_of_the_network_are_found);
    RUN_TEST(test_no_interface_named_skips_and_proposes_one);
    RUN_TEST(test_an_interface_that_is_not_there_fails_once);
    RUN_TEST(test_the_disk_must_keep_up);
    RUN_TEST(test_the_disk_must_have_room);
    RUN_TEST(test_namespaces_refused_name_the_switch);
    RUN_TEST(test_a_cobalt_build_wants_its_core_and_not_preempt_rt);
    RUN_TEST(test_a_stock_kernel_fails_with_the_fix_of_its_distribution);
    RUN_TEST(test_a_laptop_fails_where_it_must);
    RUN_TEST(test_a_container_without_sys_is_judged_by_what_it_shows);
    RUN_TEST(test_root_of_a_user_namespace_is_told_to_leave_it);
    RUN_TEST(test_a_machine_without_any_file_is_mostly_skipped);
    RUN_TEST(test_each_row_is_counted_once_and_named_once);
    return UNITY_END();
}
