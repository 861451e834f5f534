/* SPDX-License-Identifier: GPL-3.0-or-later */
/* freefall.c - the program: a table with one row per subcommand, and main().
 *
 * To add a subcommand: write tools/x.c with x_main(), declare it in tools/command.h, add its row here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"

#define NO_ROW {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

static const struct command commands[] = {
    {
        .name = "doctor",
        .operands = "",
        .summary = "is this machine ready for a real-time run?",
        .text =
            "Looks at kernel, processors, memory and rights, network interface, disk and tracing.\n"
            "Each check prints what was found, what is wanted, and the command that fixes it.\n"
            "Nothing is changed: what must be tried is tried in a child process and undone.",
        .example = "freefall doctor --interface enp3s0\n"
                   "freefall doctor --fix > fix.sh",
        .exits = "0   nothing fails\n"
                 "1   at least one check fails\n"
                 "2   wrong command line",
        .options = doctor_options,
        .main = doctor_main,
    },
    {
        .name = "version",
        .operands = "",
        .summary = "what this program is made of",
        .text = "Version, commit, compiler and flags, real-time flavour, build options, and every\n"
                "library in the process with its version and licence.",
        .example = "freefall version --json",
        .options = version_options,
        .main = version_main,
    },
    {
        .name = "help",
        .operands = "[COMMAND...]",
        .summary = "the help of a command, the same as COMMAND --help",
        .example = "freefall help version",
        .options = help_options,
        .main = help_main,
    },
    NO_ROW,
};

const struct command freefall_command = {
    .name = "freefall",
    .operands = "COMMAND [OPTIONS] [ARGUMENTS]",
    .summary = "weightlessness for laboratory robots",
    .text = "A hard real-time controller that makes robots move like bodies in orbit.\n"
            "It is not a safety device.",
    .example = "freefall version",
    .exits = "0   pass\n"
             "1   verdict fail\n"
             "2   wrong command line\n"
             "3   configuration error\n"
             "4   hardware or link missing\n"
             "5   not permitted (rights, limits, records)\n"
             "6   stopped by safety\n"
             "7   stopped by the operator\n"
             "8   internal error, or the output could not be written\n"
             "75  busy, try again later",
    .sub = commands,
};

/* A closed standard stream would be taken over by the next file opened, and our output written there.
 * Occupy the number with something that refuses what the stream is for. */
static void occupy_closed_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

            if (open("/dev/null", mode) != fd) {
                return;
            }
        }
    }
}

/* Buffered output can fail as late as here: a full disk, a reader that went away. */
static int end_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    fprintf(stderr, "freefall: cannot write the output: %s\n",
            errno != 0 ? strerror(errno) : "an earlier write failed");
    return COMMAND_INTERNAL;
}

int main(int argc, char **argv)
{
    char version_word[] = "version";

    occupy_closed_streams();
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        argv[1] = version_word;
    }
    return end_output(command_run(&freefall_command, argc, argv));
}
