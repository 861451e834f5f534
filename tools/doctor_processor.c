/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor_processor.c - checks of the processors: is there one for the loop alone, and is it awake? */
#include "tools/doctor.h"

#include <string.h>

#define LATENCY_MAX_US 10 /* waking from idle may cost this much of a period of 1000 us */
#define STATES_MAX     16

static const char cpu_folder[] = "/sys/devices/system/cpu";

/* Without the kernel's folder about processors nothing is known of them. */
static bool readable(const struct machine *m, struct finding *f)
{
    if (machine_exists(m, "%s", cpu_folder)) {
        return true;
    }
    finding_skip(f, "%s is not readable", cpu_folder);
    return false;
}

static void judge_isolated(const struct machine *m, struct finding *f)
{
    struct cpus cores = machine_loop_cores(m);
    char list[64];
    char value[96];

    finding_want(f, "a core for the loop alone");
    cpus_print(list, sizeof list, &cores);
    if (!readable(m, f)) {
        return;
    }
    if (cpus_count(&m->isolated) > 0) {
        finding_pass(f, "core %s", list);
    } else if (cpus_count(&cores) == 0) {
        finding_fail(f, "the machine has one processor");
        finding_fix(f, "# use a machine with at least two cores");
    } else {
        finding_fail(f, "none");
        snprintf(value, sizeof value, "managed_irq,domain,%s", list);
        doctor_boot_fix(m, f, "isolcpus", value);
    }
}

/* A boot parameter that lists processors should hold those of the loop. */
static void judge_covered(const struct machine *m, struct finding *f, const struct cpus *covered,
                          const char *name)
{
    struct cpus cores = machine_loop_cores(m);
    struct cpus missing = cpus_minus(&cores, covered);
    char list[64];
    char wanted[64];

    cpus_print(list, sizeof list, covered);
    cpus_print(wanted, sizeof wanted, &cores);
    finding_want(f, "core %s", wanted);
    if (!readable(m, f)) {
        return;
    }
    if (cpus_count(&cores) == 0) {
        finding_skip(f, "the machine has one processor");
    } else if (cpus_count(&missing) == 0) {
        finding_pass(f, "core %s", list);
    } else {
        finding_warn(f, "%s", list);
        doctor_boot_fix(m, f, name, wanted);
    }
}

static void judge_tick(const struct machine *m, struct finding *f)
{
    struct cpus covered;

    machine_cpus(m, &covered, "%s/nohz_full", cpu_folder);
    judge_covered(m, f, &covered, "nohz_full");
}

static void judge_rcu(const struct machine *m, struct finding *f)
{
    char value[MACHINE_LINE];
    struct cpus covered = {{0}};
    struct cpus full;

    if (machine_parameter(m, value, sizeof value, "rcu_nocbs") == 0) {
        if (strcmp(value, "all") == 0 || value[0] == '\0') {
            covered = m->online;
        } else {
            cpus_parse_list(&covered, value);
        }
    }
    /* nohz_full implies it for its own cores */
    machine_cpus(m, &full, "%s/nohz_full", cpu_folder);
    covered = cpus_join(&covered, &full);
    judge_covered(m, f, &covered, "rcu_nocbs");
}

/* The slowest idle state the candidates may enter: its exit latency in us, -1 when there are no states. */
static long deepest_state(const struct machine *m, char *name, size_t size)
{
    struct cpus cores = machine_candidates(m);
    int cpu = cpus_last(&cores);
    long deepest = -1;

    for (int state = 0; state < STATES_MAX; state++) {
        long latency;
        long disabled = 0;

        if (machine_integer(m, &latency, "%s/cpu%d/cpuidle/state%d/latency", cpu_folder, cpu,
                            state) != 0) {
            break;
        }
        machine_integer(m, &disabled, "%s/cpu%d/cpuidle/state%d/disable", cpu_folder, cpu, state);
        if (disabled == 0 && latency > deepest) {
            deepest = latency;
            machine_line(m, name, size, "%s/cpu%d/cpuidle/state%d/name", cpu_folder, cpu, state);
        }
    }
    return deepest;
}

static void judge_idle(const struct machine *m, struct finding *f)
{
    char driver[32];
    char state[32] = "";
    char found[128];
    char user[64];
    long latency_us = deepest_state(m, state, sizeof state);
    bool held = m->trial.idle_error == 0;

    finding_want(f, "%d us at most, or /dev/cpu_dma_latency opens", LATENCY_MAX_US);
    machine_line(m, driver, sizeof driver, "%s/cpuidle/current_driver", cpu_folder);
    if (latency_us < 0) {
        snprintf(found, sizeof found, "idle states unknown");
    } else {
        snprintf(found, sizeof found, "deepest %s, %ld us%s%s", state, latency_us,
                 driver[0] != '\0' ? ", " : "", driver);
    }
    if (held) {
        finding_pass(f, "%s; /dev/cpu_dma_latency opens", found);
    } else if (latency_us >= 0 && latency_us <= LATENCY_MAX_US) {
        finding_pass(f, "%s", found);
    } else {
        const char *reason = strerror(-m->trial.idle_error);

        if (latency_us < 0) {
            finding_warn(f, "%s; /dev/cpu_dma_latency: %s", found, reason);
        } else {
            finding_fail(f, "%s; /dev/cpu_dma_latency: %s", found, reason);
        }
        finding_shell_word(user, sizeof user, m->user);
        if (machine_exists(m, "/dev/cpu_dma_latency")) {
            finding_fix(f, "chown %s /dev/cpu_dma_latency", user);
        } else {
            doctor_boot_fix(m, f, "processor.max_cstate", "1 intel_idle.max_cstate=1");
        }
    }
}

static void judge_governor(const struct machine *m, struct finding *f)
{
    struct cpus cores = machine_candidates(m);
    char governor[32];
    int judged = 0;

    finding_want(f, "performance");
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!cpus_has(&cores, cpu) ||
            machine_line(m, governor, sizeof governor, "%s/cpu%d/cpufreq/scaling_governor",
                         cpu_folder, cpu) != 0) {
            continue;
        }
        judged++;
        if (strcmp(governor, "performance") != 0) {
            finding_fail(f, "core %d: %s", cpu, governor);
            finding_fix(f, "echo performance | tee %s/cpu*/cpufreq/scaling_governor", cpu_folder);
            return;
        }
    }
    if (judged == 0) {
        finding_skip(f, "no frequency scaling seen");
    } else {
        finding_pass(f, "performance");
    }
}

static void judge_turbo(const struct machine *m, struct finding *f)
{
    long value;

    finding_want(f, "off: one frequency, one execution time");
    if (machine_integer(m, &value, "%s/intel_pstate/no_turbo", cpu_folder) == 0) {
        if (value == 0) {
            finding_warn(f, "on");
            finding_fix(f, "echo 1 > %s/intel_pstate/no_turbo", cpu_folder);
        } else {
            finding_pass(f, "off");
        }
    } else if (machine_integer(m, &value, "%s/cpufreq/boost", cpu_folder) == 0) {
        if (value != 0) {
            finding_warn(f, "on");
            finding_fix(f, "echo 0 > %s/cpufreq/boost", cpu_folder);
        } else {
            finding_pass(f, "off");
        }
    } else {
        finding_skip(f, "no turbo setting seen");
    }
}

/* Two threads of one core share its units: what runs on the sibling slows the loop. */
static void judge_siblings(const struct machine *m, struct finding *f)
{
    struct cpus cores = machine_loop_cores(m);
    struct cpus siblings = {{0}};
    char list[64];
    bool known = false;

    finding_want(f, "no sibling thread online");
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        struct cpus threads;

        if (cpus_has(&cores, cpu) &&
            machine_cpus(m, &threads, "%s/cpu%d/topology/thread_siblings_list", cpu_folder, cpu) ==
                0) {
            struct cpus self = {{0}};

            cpus_add(&self, cpu);
            threads = cpus_minus(&threads, &self);
            siblings = cpus_join(&siblings, &threads);
            known = true;
        }
    }
    siblings = cpus_both(&siblings, &m->online);
    cpus_print(list, sizeof list, &siblings);
    if (!known) {
        finding_skip(f, "the topology of the processors is not readable");
    } else if (cpus_count(&siblings) == 0) {
        finding_pass(f, "no sibling thread online");
    } else {
        finding_fail(f, "processor %s shares the core of the loop", list);
        finding_fix(f, "echo off > %s/smt/control", cpu_folder);
    }
}

static void judge_denormals(const struct machine *m, struct finding *f)
{
    finding_want(f, "can be flushed to zero");
    if (m->trial.flush) {
        finding_pass(f, "can be flushed to zero");
    } else {
        finding_warn(f, "this processor keeps them: filters slow down near zero");
        finding_fix(f, "# use an x86-64 or aarch64 processor");
    }
}

const struct doctor_check doctor_processor[] = {
    {"isolated cores", judge_isolated},
    {"nohz_full", judge_tick},
    {"rcu_nocbs", judge_rcu},
    {"C-states", judge_idle},
    {"governor", judge_governor},
    {"turbo", judge_turbo},
    {"SMT", judge_siblings},
    {"denormal numbers", judge_denormals},
    {NULL, NULL},
};
