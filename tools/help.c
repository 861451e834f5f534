/* SPDX-License-Identifier: GPL-3.0-or-later */
/* help.c - the table of commands, printed: for a reader, for man(1), for the shell's completion. */
#include "tools/help.h"

#include <string.h>

#include "version.h"

static void print_indented(FILE *out, const char *text, int indent)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");

        fprintf(out, "%*s%.*s\n", n > 0 ? indent : 0, "", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_options(FILE *out, const struct command_option *options)
{
    for (const struct command_option *o = options; o != NULL && o->name != NULL; o++) {
        const char *argument = o->argument != NULL ? o->argument : "";
        int width = (int)strlen(o->name) + 1;

        fprintf(out, "  %s %-*s %s\n", o->name, 20 - width, argument, o->help);
    }
}

void help_print(FILE *out, const char *path, const struct command *row)
{
    const char *options = row->options != NULL && row->options->name != NULL ? " [OPTIONS]" : "";

    fprintf(out, "%s - %s\n\nusage: %s%s", path, row->summary, path, options);
    fprintf(out, row->operands[0] != '\0' ? " %s\n" : "%s\n", row->operands);
    if (row->text != NULL) {
        fprintf(out, "\n%s\n", row->text);
    }
    if (row->sub != NULL) {
        fputs("\ncommands:\n", out);
        for (const struct command *sub = row->sub; sub->name != NULL; sub++) {
            fprintf(out, "  %-10s %s\n", sub->name, sub->summary);
        }
    }
    fputs("\noptions:\n", out);
    print_options(out, row->options);
    fprintf(out, "  %-20s this page\n\nexample:\n", "--help");
    print_indented(out, row->example, 2);
    if (row->exits != NULL) {
        fputs("\nexit codes:\n", out);
        print_indented(out, row->exits, 2);
    }
}

/* n letters for troff: a backslash and a hyphen are named, a line never starts with a request. */
static void man_span(FILE *out, const char *text, size_t n)
{
    bool start = true;

    for (size_t i = 0; i < n; i++) {
        char c = text[i];

        if (start && (c == '.' || c == '\'')) {
            fputs("\\&", out);
        }
        if (c == '\\') {
            fputs("\\e", out);
        } else if (c == '-') {
            fputs("\\-", out);
        } else if (c == '\'') {
            fputs("\\(aq", out);
        } else {
            fputc(c, out);
        }
        start = c == '\n';
    }
    fputc('\n', out);
}

static void man_text(FILE *out, const char *text)
{
    man_span(out, text, strlen(text));
}

/* Lines as they are, under a title. */
static void man_verbatim(FILE *out, const char *title, const char *text)
{
    fprintf(out, ".PP\n%s%s.nf\n.RS\n", title, title[0] != '\0' ? "\n" : "");
    man_text(out, text);
    fputs(".RE\n.fi\n", out);
}

/* troff wants .PP where the text has an empty line. */
static void man_paragraphs(FILE *out, const char *text)
{
    const char *gap;

    while ((gap = strstr(text, "\n\n")) != NULL) {
        fputs(".PP\n", out);
        man_span(out, text, (size_t)(gap - text));
        text = gap + 2;
    }
    fputs(".PP\n", out);
    man_text(out, text);
}

static void man_row(FILE *out, const char *path, const struct command *row)
{
    fputs(".SS ", out);
    man_text(out, path);
    fputs(".B ", out);
    man_text(out, path);
    if (row->options != NULL && row->options->name != NULL) {
        fputs("[OPTIONS]\n", out);
    }
    if (row->operands[0] != '\0') {
        man_text(out, row->operands);
    }
    fputs(".PP\n", out);
    fprintf(out, "%c", row->summary[0] >= 'a' ? row->summary[0] - 'a' + 'A' : row->summary[0]);
    man_text(out, row->summary + 1);
    if (row->text != NULL) {
        man_paragraphs(out, row->text);
    }
    for (const struct command_option *o = row->options; o != NULL && o->name != NULL; o++) {
        fputs(".TP\n.B ", out);
        fprintf(out, "\\-\\-%s%s%s\n", o->name + 2, o->argument != NULL ? " " : "",
                o->argument != NULL ? o->argument : "");
        man_text(out, o->help);
    }
    man_verbatim(out, "Example:", row->example);
    if (row->exits != NULL) {
        man_verbatim(out, "Exit codes:", row->exits);
    }
}

static void man_rows(FILE *out, const char *path, const struct command *table)
{
    for (const struct command *row = table; row->name != NULL; row++) {
        char name[128];

        snprintf(name, sizeof name, "%s %s", path, row->name);
        man_row(out, name, row);
        for (const struct command *sub = row->sub; sub != NULL && sub->name != NULL; sub++) {
            char sub_name[192];

            snprintf(sub_name, sizeof sub_name, "%s %s", name, sub->name);
            man_row(out, sub_name, sub);
        }
    }
}

void help_print_man(FILE *out, const struct command *program)
{
    fprintf(out, ".TH FREEFALL 1 \"\" \"freefall %s\" \"User Commands\"\n", FREEFALL_VERSION);
    fprintf(out, ".SH NAME\n%s \\- %s\n", program->name, program->summary);
    fprintf(out, ".SH SYNOPSIS\n.B %s\n", program->name);
    man_text(out, program->operands);
    fputs(".SH DESCRIPTION\n", out);
    man_text(out, program->text);
    fputs(".SH COMMANDS\n", out);
    man_rows(out, program->name, program->sub);
    fputs(".SH EXIT STATUS\n", out);
    man_verbatim(out, "", program->exits);
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n", out);
    fputs("When set and not empty, no colour is written, on a terminal either.\n", out);
    fputs(".SH EXAMPLES\n", out);
    man_verbatim(out, "", program->example);
}

void help_print_words(FILE *out, const struct command *program, int n, char **words)
{
    const struct command *row = program;

    for (int i = 0; i < n && row->sub != NULL; i++) {
        const struct command *next = row->sub;

        while (next->name != NULL && strcmp(next->name, words[i]) != 0) {
            next++;
        }
        if (next->name == NULL) {
            return;
        }
        row = next;
    }
    for (const struct command *sub = row->sub; sub != NULL && sub->name != NULL; sub++) {
        fprintf(out, "%s\n", sub->name);
    }
    for (const struct command_option *o = row->options; o != NULL && o->name != NULL; o++) {
        fprintf(out, "%s\n", o->name);
    }
    fputs("--help\n", out);
}
