/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.h - the command line of freefall-lab. */
#ifndef FREEFALL_LAB_OPTIONS_H
#define FREEFALL_LAB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Exit codes, the same as those of every freefall command. */
enum options_exit {
    OPTIONS_DONE = 0,
    OPTIONS_FAIL = 1,
    OPTIONS_USAGE = 2,
    OPTIONS_CONFIG = 3,
    OPTIONS_MISSING = 4,
    OPTIONS_REFUSED = 5,
};

struct options {
    const char *interface;
    const char *file;    /* configuration with the devices, or NULL */
    const char *segment; /* ready-made one, when there is no file */
    const char *script, *control, *ask;
    uint64_t seed;
    int priority, cpu; /* 0 and -1: as the shell has it */
    bool quiet;
    bool robots, lockstep; /* the robots of the file, too; as fast as they are answered */
};

/* Read the command line: -1, or the exit code after answering --help or saying what is wrong. */
int options_read(struct options *o, int argc, char **argv);

#endif
