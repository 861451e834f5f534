/* SPDX-License-Identifier: GPL-3.0-or-later */
/* finding.h - what one check of `freefall doctor` found, what it wanted, and the command that fixes it.
 *
 * What machines say ends up on a terminal and in a shell script: control characters are replaced, and a
 * command that does not fit is dropped whole, never cut.
 */
#ifndef FREEFALL_FINDING_H
#define FREEFALL_FINDING_H

#include <stdbool.h>
#include <stddef.h>

enum finding_status {
    FINDING_PASS,
    FINDING_WARN, /* a run works, timing may suffer */
    FINDING_FAIL, /* not ready for a real-time run */
    FINDING_SKIP, /* not judged; found says why */
    FINDING_KINDS,
};

struct finding {
    enum finding_status status;
    char found[160];
    char wanted[96];
    char fix
        [320]; /* one line of shell, "# ..." where only a person can act; "" when nothing to do */
    bool boot; /* the fix takes effect after update-grub and a reboot */
};

/* "PASS", "WARN", "FAIL", "SKIP" */
const char *finding_name(enum finding_status status);

/* Set the status and what was found; for skip the reason. */
__attribute__((format(printf, 2, 3))) void finding_pass(struct finding *f, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_warn(struct finding *f, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_fail(struct finding *f, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_skip(struct finding *f, const char *format, ...);

__attribute__((format(printf, 2, 3))) void finding_want(struct finding *f, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_fix(struct finding *f, const char *format, ...);

/* A word for the shell: as it is when harmless, else in single quotes. Empty when it does not fit. */
void finding_shell_word(char *quoted, size_t size, const char *word);

/* Replace control characters, so that text of unknown origin stays on its line. */
void finding_clean(char *text);

#endif
