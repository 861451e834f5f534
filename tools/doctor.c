/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor.c - freefall doctor: asks the machine, judges it, prints the report. */
#include "tools/doctor.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "tools/command.h"
#include "version.h"

enum { INTERFACE, RUNS, FIX, JSON, QUIET, OPTIONS };

const struct command_option doctor_options[] = {
    [INTERFACE] = {"--interface", "NAME", "the network interface of the EtherCAT segment"},
    [RUNS] = {"--runs", "DIR", "where runs are written (default: runs, else this folder)"},
    [FIX] = {"--fix", NULL, "print the fixing commands as a script; nothing is run"},
    [JSON] = {"--json", NULL, "one JSON document instead of text"},
    [QUIET] = {"--quiet", NULL, "only what fails"},
    [OPTIONS] = {NULL, NULL, NULL},
};

static const struct {
    const char *title;
    const struct doctor_check *checks;
} groups[] = {
    {"kernel", doctor_kernel},         {"processor", doctor_processor},
    {"interrupts", doctor_interrupts}, {"memory and rights", doctor_memory},
    {"network", doctor_network},       {"storage", doctor_storage},
    {"tracing", doctor_tracing},
};

void doctor_judge(const struct machine *m, struct doctor_report *r)
{
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        for (const struct doctor_check *c = groups[i].checks; c->name != NULL; c++) {
            struct doctor_row *row = &r->rows[r->n];

            if (r->n == DOCTOR_ROWS_MAX) {
                return;
            }
            row->group = groups[i].title;
            row->name = c->name;
            c->judge(m, &row->finding);
            r->counts[row->finding.status]++;
            r->n++;
        }
    }
}

void doctor_boot_fix(const struct machine *m, struct finding *f, const char *name,
                     const char *value)
{
    f->boot = true;
    if (machine_exists(m, "/etc/default/grub")) {
        finding_fix(f, "sed -i '/%s=/!s/^GRUB_CMDLINE_LINUX=\"/&%s=%s /' /etc/default/grub", name,
                    name, value);
    } else {
        finding_fix(f, "# add to the kernel command line%s: %s=%s",
                    m->container[0] != '\0' ? " of the host" : "", name, value);
    }
}

/* Who runs this, as limits.conf names people. */
static void user_name(char *name, size_t size)
{
    const struct passwd *entry = getpwuid(getuid());

    if (entry != NULL) {
        snprintf(name, size, "%s", entry->pw_name);
    } else {
        snprintf(name, size, "%u:%u", (unsigned)getuid(), (unsigned)getuid());
    }
}

static void ask_machine(struct machine *m, char program[static 256], char user[static 64])
{
    ssize_t n = readlink("/proc/self/exe", program, 255);

    program[n > 0 ? n : 0] = '\0';
    user_name(user, 64);
    m->root = "";
    m->program = program;
    m->user = user;
    m->processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    m->tracing = FREEFALL_TRACE != 0;
    m->flavour = platform_flavour();
    uname(&m->name);
    finding_clean(m->name.nodename);
    trial_run(&m->trial, m->folder);
    if (m->interface != NULL) {
        nic_read(&m->nic, m->interface);
    }
    machine_read(m);
}

/* The interface a configuration names, "" when it names none: an exit code. */
static int configured_interface(char *name, size_t size, const char *file)
{
    struct config *c = malloc(sizeof *c);
    int code = COMMAND_INTERNAL;

    if (c == NULL) {
        fprintf(stderr, "freefall doctor: out of memory\n");
        return code;
    }
    code = config_read(c, file, stderr) == 0 ? COMMAND_PASS : COMMAND_CONFIG;
    if (code == COMMAND_PASS) {
        snprintf(name, size, "%s", config_text(c, "bus.interface"));
    }
    free(c);
    return code;
}

/* Judge the machine and print what was asked for: an exit code. */
static int examine(struct machine *m, const char *const values[static OPTIONS])
{
    struct doctor_report *report = malloc(sizeof *report);
    char program[256];
    char user[64];
    int code = COMMAND_PASS;

    if (report == NULL) {
        fprintf(stderr, "freefall doctor: out of memory\n");
        return COMMAND_INTERNAL;
    }
    ask_machine(m, program, user);
    doctor_judge(m, report);
    if (values[FIX] != NULL) {
        doctor_print_script(stdout, m, report);
    } else if (values[JSON] != NULL) {
        code = doctor_print_json(stdout, m, report) == 0 ? COMMAND_PASS : COMMAND_INTERNAL;
    } else {
        doctor_print_text(stdout, m, report, values[QUIET] != NULL, command_colour(stdout));
    }
    if (code == COMMAND_PASS && report->counts[FINDING_FAIL] > 0) {
        code = COMMAND_FAIL;
    }
    free(report);
    return code;
}

int doctor_main(int argc, char **argv)
{
    const char *values[OPTIONS];
    char configured[64] = "";
    struct machine m = {0};
    int n = command_parse(doctor_options, values, argc, argv, 1);

    if (n < 0) {
        return COMMAND_USAGE;
    }
    if (n == 1) {
        int code = configured_interface(configured, sizeof configured, argv[1]);

        if (code != COMMAND_PASS) {
            return code;
        }
    }
    m.interface = configured[0] != '\0' ? configured : NULL;
    if (values[INTERFACE] != NULL) {
        m.interface = values[INTERFACE];
    }
    m.folder = values[RUNS] != NULL ? values[RUNS] : access("runs", F_OK) == 0 ? "runs" : ".";
    return examine(&m, values);
}
