/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor_kernel.c - checks of the kernel: is it real-time, and does it keep its hands off? */
#include "tools/doctor.h"

#include <errno.h>
#include <string.h>

static void fix_realtime(const struct machine *m, struct finding *f)
{
    bool intel = strcmp(m->name.machine, "x86_64") == 0;

    if (m->container[0] != '\0') {
        finding_fix(f, "# install a PREEMPT_RT kernel on the host of this container");
    } else if (machine_contains(m, "ID=ubuntu", "/etc/os-release")) {
        finding_fix(f, "pro enable realtime-kernel && reboot");
    } else if (machine_contains(m, "ID=debian", "/etc/os-release") &&
               (intel || strcmp(m->name.machine, "aarch64") == 0)) {
        finding_fix(f, "apt install linux-image-rt-%s && reboot", intel ? "amd64" : "arm64");
    } else {
        finding_fix(f, "# install a kernel built with CONFIG_PREEMPT_RT and boot it");
    }
}

static void judge_realtime(const struct machine *m, struct finding *f)
{
    const struct platform_kernel *k = &m->kernel;
    const char *name = k->name_says_realtime ? "PREEMPT_RT" : "no PREEMPT_RT";
    const char *file = !k->file_found ? "absent" : k->file_says_realtime ? "1" : "not 1";

    finding_want(f, "PREEMPT_RT");
    if (k->realtime) {
        finding_pass(f, "uname -v: %s, /sys/kernel/realtime: %s", name, file);
    } else if (m->flavour == PLATFORM_COBALT) {
        finding_skip(f, "built for Cobalt, which does not need it");
    } else {
        finding_fail(f, "uname -v: %s, /sys/kernel/realtime: %s", name, file);
        fix_realtime(m, f);
    }
}

static void judge_cobalt(const struct machine *m, struct finding *f)
{
    bool runs = m->kernel.cobalt[0] != '\0';

    if (m->flavour == PLATFORM_COBALT) {
        finding_want(f, "a running Cobalt core");
        if (runs) {
            finding_pass(f, "Cobalt core %s", m->kernel.cobalt);
        } else {
            finding_fail(f, "no Cobalt core: /proc/xenomai/version is absent");
            finding_fix(
                f,
                "# boot a kernel with the Cobalt core of Xenomai 3, or build with make RT=preempt");
        }
        return;
    }
    if (runs) {
        finding_want(f, "a program built for it");
        finding_warn(f, "Cobalt core %s runs, this program does not use it", m->kernel.cobalt);
        finding_fix(f, "make RT=cobalt && make RT=cobalt install");
    } else {
        finding_skip(f, "built for PREEMPT_RT, which does not need it");
    }
}

static bool is_virtual(const struct machine *m, char *name, size_t size)
{
    static const char *const vendors[] = {"QEMU",      "VMware", "innotek",       "Xen",
                                          "Parallels", "Bochs",  "Google Compute"};
    bool flagged = machine_contains(m, " hypervisor", "/proc/cpuinfo");
    bool named =
        machine_line(m, name, size, "/sys/class/dmi/id/product_name") == 0 && name[0] != '\0';
    char vendor[MACHINE_LINE];

    if (!named && (machine_line(m, name, size, "/sys/hypervisor/type") != 0 || name[0] == '\0')) {
        snprintf(name, size, "hypervisor");
    }
    if (flagged || machine_exists(m, "/proc/device-tree/hypervisor")) {
        return true;
    }
    /* Other processors have no flag: go by the maker. */
    machine_line(m, vendor, sizeof vendor, "/sys/class/dmi/id/sys_vendor");
    for (size_t i = 0; i < COUNT_OF(vendors); i++) {
        if (strstr(vendor, vendors[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void judge_machine(const struct machine *m, struct finding *f)
{
    char name[64];

    finding_want(f, "bare metal");
    if (is_virtual(m, name, sizeof name)) {
        finding_warn(f, "virtual (%s): timing figures are not meaningful", name);
        finding_fix(f, "# run on the machine itself");
    } else if (!machine_exists(m, "/proc/cpuinfo")) {
        finding_skip(f, "/proc/cpuinfo is not readable");
    } else if (m->container[0] != '\0') {
        finding_pass(f, "no hypervisor; in a container (%s)", m->container);
    } else {
        finding_pass(f, "no hypervisor");
    }
}

/* The default takes 50 ms of each second from a real-time thread that does not sleep: a runaway is
 * survived, but a robot would not survive the hole. Without it only a watchdog stops a runaway. */
static void judge_throttling(const struct machine *m, struct finding *f)
{
    long runtime;
    long period = 1000000;

    finding_want(f, "-1, with a watchdog");
    machine_integer(m, &period, "/proc/sys/kernel/sched_rt_period_us");
    if (machine_integer(m, &runtime, "/proc/sys/kernel/sched_rt_runtime_us") != 0) {
        finding_skip(f, "/proc/sys/kernel/sched_rt_runtime_us is not readable");
    } else if (runtime < 0) {
        finding_pass(f, "off");
    } else {
        if (runtime == 0) {
            finding_fail(f, "real-time threads get no time: 0 of %ld us", period);
        } else {
            finding_warn(f, "threads stop after %ld of %ld us", runtime, period);
        }
        finding_fix(f, "sysctl -w kernel.sched_rt_runtime_us=-1");
    }
}

static void judge_clock(const struct machine *m, struct finding *f)
{
    static const char folder[] = "/sys/devices/system/clocksource/clocksource0";
    char clock[MACHINE_LINE];
    const char *wanted = strcmp(m->name.machine, "aarch64") == 0 ? "arch_sys_counter" : "tsc";

    finding_want(f, "%s", wanted);
    if (machine_line(m, clock, sizeof clock, "%s/current_clocksource", folder) != 0) {
        finding_skip(f, "%s is not readable", folder);
    } else if (strcmp(clock, wanted) == 0) {
        finding_pass(f, "%s", clock);
    } else if (strcmp(clock, "hpet") != 0 && strcmp(clock, "acpi_pm") != 0 &&
               strcmp(clock, "jiffies") != 0) {
        finding_warn(f, "%s", clock);
    } else {
        finding_fail(f, "%s: reading the time takes a microsecond or more", clock);
    }
    if (f->status == FINDING_WARN || f->status == FINDING_FAIL) {
        if (machine_contains(m, wanted, "%s/available_clocksource", folder)) {
            finding_fix(f, "echo %s > %s/current_clocksource", wanted, folder);
        } else if (strcmp(wanted, "tsc") == 0) {
            doctor_boot_fix(m, f, "tsc", "reliable");
        }
    }
}

/* A switch of the kernel that should be off; absent means not built in. */
static void judge_switch(const struct machine *m, struct finding *f, const char *name)
{
    long value;
    int error = machine_integer(m, &value, "/proc/sys/kernel/%s", name);

    finding_want(f, "0");
    if (error == -ENOENT && machine_exists(m, "/proc/sys/kernel")) {
        finding_pass(f, "not in this kernel");
    } else if (error != 0) {
        finding_skip(f, "/proc/sys/kernel/%s is not readable", name);
    } else if (value == 0) {
        finding_pass(f, "off");
    } else {
        finding_warn(f, "kernel.%s %ld", name, value);
        finding_fix(f, "sysctl -w kernel.%s=0", name);
    }
}

static void judge_migration(const struct machine *m, struct finding *f)
{
    judge_switch(m, f, "timer_migration");
}

static void judge_numa(const struct machine *m, struct finding *f)
{
    judge_switch(m, f, "numa_balancing");
}

static void judge_watchdog(const struct machine *m, struct finding *f)
{
    judge_switch(m, f, "nmi_watchdog");
}

static void judge_debugging(const struct machine *m, struct finding *f)
{
    finding_want(f, "a kernel without lock debugging");
    if (!machine_exists(m, "/proc/self")) {
        finding_skip(f, "/proc is not readable");
    } else if (machine_exists(m, "/proc/lockdep_stats") || machine_exists(m, "/proc/lock_stat")) {
        finding_warn(f, "the kernel checks every lock it takes (lockdep)");
        finding_fix(f, "# boot a kernel built without CONFIG_PROVE_LOCKING and CONFIG_LOCK_STAT");
    } else {
        finding_pass(f, "no lock debugging");
    }
}

/* Firmware stops all processors for its own work and nothing masks that: it can only be measured, which
 * takes a minute, root, and the tracer. So this check says how and never guesses. */
static void judge_firmware(const struct machine *m, struct finding *f)
{
    static const char *const files[] = {"/sys/kernel/tracing/available_tracers",
                                        "/sys/kernel/debug/tracing/available_tracers"};
    char tracers[MACHINE_LINE] = "";
    bool readable = machine_line(m, tracers, sizeof tracers, "%s", files[0]) == 0 ||
                    machine_line(m, tracers, sizeof tracers, "%s", files[1]) == 0;

    finding_want(f, "no hole above 10 us in 60 s");
    if (readable && strstr(tracers, "hwlat") == NULL) {
        finding_skip(f, "not measured: this kernel has no hwlat tracer");
        return;
    }
    finding_skip(f, "not measured%s",
                 readable ? "" : "; the tracers of the kernel are not readable");
    finding_fix(f, "hwlatdetect --duration=60s --threshold=10");
}

const struct doctor_check doctor_kernel[] = {
    {"real-time kernel", judge_realtime},
    {"Cobalt core", judge_cobalt},
    {"machine", judge_machine},
    {"RT throttling", judge_throttling},
    {"clock source", judge_clock},
    {"timer migration", judge_migration},
    {"NUMA balancing", judge_numa},
    {"NMI watchdog", judge_watchdog},
    {"lock debugging", judge_debugging},
    {"firmware (SMI)", judge_firmware},
    {NULL, NULL},
};
