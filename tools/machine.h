/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine.h - the machine as `freefall doctor` sees it: files of the kernel, and answers to questions
 * that only a call can ask.
 *
 * Everything is read through this struct. A test fills one by hand and points root at a folder with the
 * files of some other machine.
 *
 * Paths are formats: machine_line(m, text, size, "/proc/irq/%d/smp_affinity_list", irq).
 */
#ifndef FREEFALL_MACHINE_H
#define FREEFALL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

#include "rt/platform.h"
#include "tools/cpus.h"
#include "tools/nic.h"
#include "tools/trial.h"

#define MACHINE_LINE 512

/* Bits of the kernel's capability sets. */
enum machine_capability {
    MACHINE_NET_RAW = 13,
    MACHINE_IPC_LOCK = 14,
    MACHINE_SYS_NICE = 23,
};

struct machine {
    /* given */
    const char *root;      /* before every path: "" on a real machine */
    const char *interface; /* of the EtherCAT segment, NULL when none is named */
    const char *folder;    /* where runs are written */
    const char *program;   /* path of this program, for commands that give it rights */
    const char *user;      /* who runs it, for limits */
    int processors;        /* how many, should the files not say */
    bool tracing;          /* built with trace marks */
    enum platform_flavour flavour;

    /* asked */
    struct utsname name;
    struct trial trial;
    struct nic nic;

    /* read by machine_read() */
    struct platform_kernel kernel;
    struct cpus online;
    struct cpus isolated;
    char container[32];      /* "docker", "lxc", ...; "" outside */
    bool user_space;         /* in a user namespace: root here has no power over the machine */
    bool capabilities_known; /* /proc tells */
    uint64_t capabilities;   /* the effective set */
};

/* Fill the last part from the files below root. */
void machine_read(struct machine *m);

/* First line of a file, without its end and without control characters: 0, or -errno. */
__attribute__((format(printf, 4, 5))) int machine_line(const struct machine *m, char *text,
                                                       size_t size, const char *path, ...);

/* A whole number that is all of a file's first line: 0, or -errno. */
__attribute__((format(printf, 3, 4))) int machine_integer(const struct machine *m, long *value,
                                                          const char *path, ...);

/* A list of processors: 0, or -errno and the empty set. */
__attribute__((format(printf, 3, 4))) int machine_cpus(const struct machine *m, struct cpus *set,
                                                       const char *path, ...);

__attribute__((format(printf, 2, 3))) bool machine_exists(const struct machine *m, const char *path,
                                                          ...);

/* Is the text in some line of the file? */
__attribute__((format(printf, 3, 4))) bool
machine_contains(const struct machine *m, const char *text, const char *path, ...);

/* Entries of a folder that are whole numbers (interrupts, processes), smallest first; how many there are,
 * at most `most`. */
int machine_numbers(const struct machine *m, int *numbers, int most, const char *path);

/* Process identifier of a running program or kernel thread whose name is, or with `whole` false begins
 * with, the name given; 0 when there is none. */
int machine_process(const struct machine *m, const char *name, bool whole);

/* Value of a word "name=value" of the kernel command line, "" for the bare word; -ENOENT when absent. */
int machine_parameter(const struct machine *m, char *value, size_t size, const char *name);

/* The processors a run could use now: the isolated ones, or all while there are none. */
struct cpus machine_candidates(const struct machine *m);

/* The processors a run should have: the isolated ones, or the last while there are none (core 0 takes the
 * interrupts of most machines); empty on a machine with a single processor. */
struct cpus machine_loop_cores(const struct machine *m);

/* Name of the first entry of a folder that begins so; false when there is none. */
bool machine_entry(const struct machine *m, char *name, size_t size, const char *begins,
                   const char *folder);

#endif
