/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor_memory.c - checks of memory and rights: may this user run a real-time program? */
#include "tools/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rights come from limits, or in a container from how it was started. */
static void fix_limit(const struct machine *m, struct finding *f, const char *limit,
                      const char *value)
{
    char user[64];

    finding_shell_word(user, sizeof user, m->user);
    if (m->user_space) {
        finding_fix(f, "# run outside the user namespace");
    } else if (m->container[0] != '\0') {
        finding_fix(f, "# start the container with --cap-add=SYS_NICE --cap-add=IPC_LOCK");
    } else if (user[0] != '\0') {
        finding_fix(
            f, "echo %s - %s %s > /etc/security/limits.d/freefall-%s.conf  # then log in again",
            user, limit, value, limit);
    }
}

/* A small limit lets a small program lock its memory, and refuses the run. */
static void judge_lock(const struct machine *m, struct finding *f)
{
    const struct trial *t = &m->trial;
    unsigned long long kib = t->lock_limit / 1024;

    finding_want(f, "unlimited");
    if (t->lock_free_error == 0) {
        finding_pass(f, "mlockall() works, by CAP_IPC_LOCK");
    } else if (t->lock_error == 0 && t->lock_limit == TRIAL_UNLIMITED) {
        finding_pass(f, "mlockall() works, limit unlimited");
    } else {
        if (t->lock_limit == TRIAL_UNLIMITED) {
            finding_fail(f, "mlockall(): %s", strerror(-t->lock_error));
        } else if (t->lock_error != 0) {
            finding_fail(f, "mlockall(): %s, limit %llu KiB", strerror(-t->lock_error), kib);
        } else {
            finding_fail(f, "limit %llu KiB: too small for a run", kib);
        }
        fix_limit(m, f, "memlock", "unlimited");
    }
}

/* Kernels with real-time group scheduling refuse SCHED_FIFO outside the root group, whatever one's
 * rights, and say no more than EPERM. */
static bool has_group_scheduling(const struct machine *m)
{
    return machine_exists(m, "/sys/fs/cgroup/cpu/cpu.rt_runtime_us") ||
           machine_contains(m, "CONFIG_RT_GROUP_SCHED=y", "/boot/config-%s", m->name.release);
}

static void judge_fifo(const struct machine *m, struct finding *f)
{
    const struct trial *t = &m->trial;
    bool capable = !m->user_space && (m->capabilities >> MACHINE_SYS_NICE & 1) != 0;
    bool entitled = capable || t->priority_limit >= TRIAL_PRIORITY;
    const char *reason = strerror(-t->fifo_error);
    char value[16];

    finding_want(f, "granted");
    if (t->fifo_error == 0) {
        finding_pass(f, "priority %d granted", TRIAL_PRIORITY);
    } else if (entitled && has_group_scheduling(m)) {
        finding_fail(f, "%s, by CONFIG_RT_GROUP_SCHED", reason);
        finding_fix(f, "sysctl -w kernel.sched_rt_runtime_us=-1");
    } else if (entitled) {
        finding_fail(f, "%s, though the rights are there", reason);
        finding_fix(f, "# look for a seccomp filter, or CONFIG_RT_GROUP_SCHED in the kernel");
    } else {
        finding_fail(f, "%s, rtprio limit %llu", reason, (unsigned long long)t->priority_limit);
        snprintf(value, sizeof value, "%d", TRIAL_PRIORITY);
        fix_limit(m, f, "rtprio", value);
    }
}

/* The bus needs raw sockets; the other two rights may come from limits as well. What counts is what was
 * granted when tried: in a user namespace a capability may be worth nothing. */
static void judge_capabilities(const struct machine *m, struct finding *f)
{
    const struct trial *t = &m->trial;
    bool raw = t->raw_error == 0;
    bool nice = t->fifo_error == 0;
    bool lock = t->lock_free_error == 0 || (t->lock_error == 0 && t->lock_limit == TRIAL_UNLIMITED);
    char program[256];

    finding_want(f, "net_raw, sys_nice, ipc_lock");
    if (raw && nice && lock) {
        bool own = (m->capabilities >> MACHINE_SYS_NICE & 1) != 0 &&
                   (m->capabilities >> MACHINE_IPC_LOCK & 1) != 0;

        finding_pass(f, "%s",
                     own || !m->capabilities_known ? "net_raw, sys_nice, ipc_lock"
                                                   : "net_raw; scheduling and memory by limits");
        return;
    }
    finding_fail(f, "without%s%s%s", raw ? "" : " net_raw", nice ? "" : " sys_nice",
                 lock ? "" : " ipc_lock");
    finding_shell_word(program, sizeof program, m->program);
    if (m->user_space) {
        finding_fix(f, "# run outside the user namespace");
    } else if (m->container[0] != '\0') {
        finding_fix(f, "# start the container with --cap-add=NET_RAW --cap-add=SYS_NICE "
                       "--cap-add=IPC_LOCK");
    } else if (program[0] != '\0') {
        finding_fix(f, "setcap cap_net_raw,cap_sys_nice,cap_ipc_lock+ep %s", program);
    }
}

static void judge_swap(const struct machine *m, struct finding *f)
{
    char line[MACHINE_LINE];

    finding_want(f, "none");
    if (machine_line(m, line, sizeof line, "/proc/swaps") == -ENOENT) {
        if (machine_exists(m, "/proc/meminfo")) {
            finding_pass(f, "none");
        } else {
            finding_skip(f, "/proc/swaps is not readable");
        }
    } else if (machine_contains(m, "/",
                                "/proc/swaps")) { /* below the titles every line is a path */
        finding_warn(f, "in use: other programs may wait for the disk");
        finding_fix(f, "swapoff -a");
    } else {
        finding_pass(f, "none");
    }
}

static void judge_huge_pages(const struct machine *m, struct finding *f)
{
    static const char file[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    char line[MACHINE_LINE];

    finding_want(f, "madvise or never");
    if (machine_line(m, line, sizeof line, "%s", file) != 0) {
        if (machine_exists(m, "/sys/kernel/mm")) {
            finding_pass(f, "not in this kernel");
        } else {
            finding_skip(f, "%s is not readable", file);
        }
    } else if (strstr(line, "[always]") != NULL) {
        finding_warn(f, "always: the kernel moves memory to make huge pages");
        finding_fix(f, "echo madvise > %s", file);
    } else {
        finding_pass(f, "%s", strstr(line, "[never]") != NULL ? "never" : "madvise");
    }
}

/* What forbids user namespaces, by the switch that does it. */
static void fix_namespaces(const struct machine *m, struct finding *f)
{
    long value;

    if (m->container[0] != '\0') {
        finding_fix(f, "# start the container with --cap-add=SYS_ADMIN --cap-add=NET_ADMIN");
    } else if (machine_integer(m, &value, "/proc/sys/kernel/unprivileged_userns_clone") == 0 &&
               value == 0) {
        finding_fix(f, "sysctl -w kernel.unprivileged_userns_clone=1");
    } else if (machine_integer(m, &value,
                               "/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 0 &&
               value != 0) {
        finding_fix(f, "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
    } else if (machine_integer(m, &value, "/proc/sys/user/max_user_namespaces") == 0 &&
               value == 0) {
        finding_fix(f, "sysctl -w user.max_user_namespaces=15000");
    }
}

static void judge_namespaces(const struct machine *m, struct finding *f)
{
    finding_want(f, "a private network, for the simulated bench");
    if (m->trial.netspace_error == 0) {
        finding_pass(f, "a private network can be made");
    } else {
        finding_warn(f, "no private network: %s", strerror(-m->trial.netspace_error));
        fix_namespaces(m, f);
    }
}

const struct doctor_check doctor_memory[] = {
    {"memory lock", judge_lock},
    {"SCHED_FIFO", judge_fifo},
    {"capabilities", judge_capabilities},
    {"swap", judge_swap},
    {"huge pages", judge_huge_pages},
    {"network namespace", judge_namespaces},
    {NULL, NULL},
};
