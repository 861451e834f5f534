/* SPDX-License-Identifier: GPL-3.0-or-later */
/* finding.c - what one check of `freefall doctor` found, and how it is worded. */
#include "tools/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *finding_name(enum finding_status status)
{
    static const char *const names[FINDING_KINDS] = {"PASS", "WARN", "FAIL", "SKIP"};

    return status < FINDING_KINDS ? names[status] : "?";
}

void finding_clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
        if (*c < 0x20 || *c == 0x7F) {
            *c = '?';
        }
    }
}

/* Format, clean; the length it would have needed. */
__attribute__((format(printf, 3, 0))) static int say(char *text, size_t size, const char *format,
                                                     va_list arguments)
{
    int n = vsnprintf(text, size, format, arguments);

    finding_clean(text);
    return n;
}

void finding_pass(struct finding *f, const char *format, ...)
{
    va_list arguments;

    f->status = FINDING_PASS;
    va_start(arguments, format);
    say(f->found, sizeof f->found, format, arguments);
    va_end(arguments);
}

void finding_warn(struct finding *f, const char *format, ...)
{
    va_list arguments;

    f->status = FINDING_WARN;
    va_start(arguments, format);
    say(f->found, sizeof f->found, format, arguments);
    va_end(arguments);
}

void finding_fail(struct finding *f, const char *format, ...)
{
    va_list arguments;

    f->status = FINDING_FAIL;
    va_start(arguments, format);
    say(f->found, sizeof f->found, format, arguments);
    va_end(arguments);
}

void finding_skip(struct finding *f, const char *format, ...)
{
    va_list arguments;

    f->status = FINDING_SKIP;
    va_start(arguments, format);
    say(f->found, sizeof f->found, format, arguments);
    va_end(arguments);
}

void finding_want(struct finding *f, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(f->wanted, sizeof f->wanted, format, arguments);
    va_end(arguments);
}

void finding_fix(struct finding *f, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (say(f->fix, sizeof f->fix, format, arguments) >= (int)sizeof f->fix) {
        f->fix[0] = '\0';
    }
    va_end(arguments);
}

void finding_shell_word(char *quoted, size_t size, const char *word)
{
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    size_t used = 1;

    if (word[0] != '\0' && word[strspn(word, harmless)] == '\0') {
        quoted[0] = '\0';
        if (strlen(word) < size) {
            memcpy(quoted, word, strlen(word) + 1);
        }
        return;
    }
    quoted[0] = '\'';
    for (; *word != '\0'; word++) {
        const char *piece = *word == '\'' ? "'\\''" : NULL;
        size_t n = piece != NULL ? 4 : 1;

        if (used + n + 2 > size) {
            quoted[0] = '\0';
            return;
        }
        memcpy(quoted + used, piece != NULL ? piece : word, n);
        used += n;
    }
    quoted[used] = '\'';
    quoted[used + 1] = '\0';
}
