/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor_print.c - the report of freefall doctor as text, as JSON, and as a script of fixes. */
#include "tools/doctor.h"

#include <string.h>

#include "tools/command.h"
#include "tools/json.h"
#include "version.h"

#define WIDTH  100 /* columns of the text */
#define INDENT 27  /* column of what was found */

static const char *verdict(const struct doctor_report *r)
{
    if (r->counts[FINDING_FAIL] > 0) {
        return "this machine is not ready for a real-time run";
    }
    return r->counts[FINDING_WARN] > 0
               ? "this machine is ready for a real-time run, with reservations"
               : "this machine is ready for a real-time run";
}

/* What stands before the colon: rows of the network say which interface. */
static void row_label(char *label, size_t size, const struct machine *m,
                      const struct doctor_row *row)
{
    if (strcmp(row->group, "network") == 0 && m->interface != NULL) {
        snprintf(label, size, "nic %s:", m->interface);
    } else {
        snprintf(label, size, "%s:", row->name);
    }
    finding_clean(label);
}

/* Words of the text from a column on, broken before the right margin; the column behind the last. */
static int print_wrapped(FILE *out, int column, const char *text)
{
    while (*text != '\0') {
        int n = (int)strcspn(text, " ");

        if (column > INDENT && column + 1 + n > WIDTH) {
            fprintf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    return column;
}

static void print_row(FILE *out, const struct machine *m, const struct doctor_row *row, bool colour)
{
    static const char *const colours[FINDING_KINDS] = {"\033[32m", "\033[33m", "\033[1;31m",
                                                       "\033[2m"};
    const struct finding *f = &row->finding;
    bool bad = f->status == FINDING_WARN || f->status == FINDING_FAIL;
    char label[48];
    char text[sizeof f->found + sizeof f->wanted + 16];
    int start;
    int column;

    row_label(label, sizeof label, m, row);
    snprintf(text, sizeof text, bad ? "%s (want %s)" : "%s", f->found, f->wanted);
    fprintf(out, "  %s%s%s %-19s ", colour ? colours[f->status] : "", finding_name(f->status),
            colour ? "\033[0m" : "", label);
    start = strlen(label) > 19 ? INDENT + (int)strlen(label) - 19 : INDENT;
    column = print_wrapped(out, start, text);
    if (f->fix[0] != '\0') {
        bool fits =
            start + (int)strlen(text) == column && column + 8 + (int)strlen(f->fix) <= WIDTH;

        fprintf(out, "%s%s: %s", fits ? "   " : "\n       ", bad ? "fix" : "run", f->fix);
    }
    fputc('\n', out);
}

/* How many rows from the first on are skipped for one and the same reason. */
static int same_reason(const struct doctor_report *r, int first)
{
    const struct doctor_row *row = &r->rows[first];
    int n = 1;

    while (row->finding.status == FINDING_SKIP && first + n < r->n &&
           r->rows[first + n].finding.status == FINDING_SKIP &&
           strcmp(r->rows[first + n].group, row->group) == 0 &&
           strcmp(r->rows[first + n].finding.found, row->finding.found) == 0) {
        n++;
    }
    return n;
}

/* Several rows skipped for one reason, on a line. */
static void print_skipped(FILE *out, const struct doctor_row *rows, int n, bool colour)
{
    char label[24];
    char text[512];
    size_t used = 0;

    for (int i = 0; i < n && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? ", " : "",
                                 rows[i].name);
    }
    snprintf(label, sizeof label, "%d checks:", n);
    fprintf(out, "  %sSKIP%s %-19s ", colour ? "\033[2m" : "", colour ? "\033[0m" : "", label);
    print_wrapped(out, INDENT, rows[0].finding.found);
    fprintf(out, "\n%*s", INDENT, "");
    print_wrapped(out, INDENT, text);
    fputc('\n', out);
}

void doctor_print_text(FILE *out, const struct machine *m, const struct doctor_report *r,
                       bool quiet, bool colour)
{
    const char *group = "";
    bool boot = false;

    if (!quiet) {
        fprintf(out, "freefall %s on %s: Linux %s, %d processors, as %s\n", FREEFALL_VERSION,
                m->name.nodename, m->name.release, cpus_count(&m->online), m->user);
    }
    for (int i = 0, n; i < r->n; i += n) {
        const struct doctor_row *row = &r->rows[i];

        n = same_reason(r, i);
        boot = boot || row->finding.boot;
        if (quiet && row->finding.status != FINDING_FAIL) {
            continue;
        }
        if (!quiet && strcmp(group, row->group) != 0) {
            group = row->group;
            fprintf(out, "\n%s%s%s\n", colour ? "\033[1m" : "", group, colour ? "\033[0m" : "");
        }
        if (n > 1) {
            print_skipped(out, row, n, colour);
        } else {
            print_row(out, m, row, colour);
        }
    }
    if (quiet) {
        return;
    }
    fprintf(out, "\n%d pass, %d warn, %d fail, %d skip: %s\n", r->counts[FINDING_PASS],
            r->counts[FINDING_WARN], r->counts[FINDING_FAIL], r->counts[FINDING_SKIP], verdict(r));
    if (boot && machine_exists(m, "/etc/default/grub")) {
        fputs("What changes /etc/default/grub works after: update-grub && reboot\n", out);
    }
}

int doctor_print_json(FILE *out, const struct machine *m, const struct doctor_report *r)
{
    struct json j;

    json_open(&j, out);
    json_object(&j, NULL);
    json_string(&j, "version", FREEFALL_VERSION);
    json_string(&j, "host", m->name.nodename);
    json_string(&j, "kernel", m->name.release);
    json_string(&j, "interface", m->interface);
    json_bool(&j, "ready", r->counts[FINDING_FAIL] == 0);
    json_object(&j, "summary");
    json_integer(&j, "pass", r->counts[FINDING_PASS]);
    json_integer(&j, "warn", r->counts[FINDING_WARN]);
    json_integer(&j, "fail", r->counts[FINDING_FAIL]);
    json_integer(&j, "skip", r->counts[FINDING_SKIP]);
    json_end(&j);
    json_array(&j, "checks");
    for (int i = 0; i < r->n; i++) {
        const struct doctor_row *row = &r->rows[i];

        json_object(&j, NULL);
        json_string(&j, "group", row->group);
        json_string(&j, "name", row->name);
        json_string(&j, "status", finding_name(row->finding.status));
        json_string(&j, "found", row->finding.found);
        json_string(&j, "wanted", row->finding.wanted);
        json_string(&j, "fix", row->finding.fix[0] != '\0' ? row->finding.fix : NULL);
        json_bool(&j, "boot", row->finding.boot);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    return json_close(&j);
}

void doctor_print_script(FILE *out, const struct machine *m, const struct doctor_report *r)
{
    bool boot = false;

    fprintf(out, "#!/bin/sh\n# freefall doctor --fix on %s: read it, then run it as root.\n",
            m->name.nodename);
    for (int i = 0; i < r->n; i++) {
        const struct finding *f = &r->rows[i].finding;
        char label[48];

        if (f->status != FINDING_WARN && f->status != FINDING_FAIL) {
            continue;
        }
        row_label(label, sizeof label, m, &r->rows[i]);
        fprintf(out, "\n# %s %s %s (want %s)\n", finding_name(f->status), label, f->found,
                f->wanted);
        fprintf(out, "%s\n", f->fix[0] != '\0' ? f->fix : "# no command fixes this");
        boot = boot || (f->boot && f->fix[0] != '#');
    }
    if (boot) {
        fputs("\n# what changed /etc/default/grub above; then reboot\nupdate-grub\n", out);
    }
}
