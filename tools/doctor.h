/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor.h - is this machine ready for a real-time run?
 *
 *     machine ---> [one small function per check] ---> report ---> text, JSON, or a script of fixes
 *
 * A check looks at the machine and words one finding; it changes nothing. The checks of a group are one
 * table in its own file: doctor_kernel.c, doctor_processor.c, doctor_interrupts.c, doctor_memory.c,
 * doctor_network.c, doctor_storage.c.
 */
#ifndef FREEFALL_DOCTOR_H
#define FREEFALL_DOCTOR_H

#include <stdio.h>

#include "tools/finding.h"
#include "tools/machine.h"

#define DOCTOR_ROWS_MAX 64

/* A table of checks ends with a row without a name. */
struct doctor_check {
    const char *name;
    void (*judge)(const struct machine *m, struct finding *f);
};

extern const struct doctor_check doctor_kernel[];
extern const struct doctor_check doctor_processor[];
extern const struct doctor_check doctor_interrupts[];
extern const struct doctor_check doctor_memory[];
extern const struct doctor_check doctor_network[];
extern const struct doctor_check doctor_storage[];
extern const struct doctor_check doctor_tracing[];

struct doctor_row {
    const char *group;
    const char *name;
    struct finding finding;
};

struct doctor_report {
    int n;
    struct doctor_row rows[DOCTOR_ROWS_MAX];
    int counts[FINDING_KINDS]; /* rows of each status */
};

/* Ask every check. */
void doctor_judge(const struct machine *m, struct doctor_report *r);

/* Print the report. quiet: only what fails, and no summary. */
void doctor_print_text(FILE *out, const struct machine *m, const struct doctor_report *r,
                       bool quiet, bool colour);
int doctor_print_json(FILE *out, const struct machine *m, const struct doctor_report *r);
void doctor_print_script(FILE *out, const struct machine *m, const struct doctor_report *r);

/* A fix by the kernel command line: a line for GRUB's file that does nothing a second time; advice where
 * the machine has no such file. */
void doctor_boot_fix(const struct machine *m, struct finding *f, const char *name,
                     const char *value);

/* Is there an interface of the EtherCAT segment to look at? If not, the finding is skipped with the reason. */
bool doctor_nic_present(const struct machine *m, struct finding *f);

#endif
