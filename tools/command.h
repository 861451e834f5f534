/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.h - what the subcommands of the freefall program share.
 *
 * One row of the table in tools/freefall.c describes one subcommand; `--help`, the man page and the
 * completion of the shell are all printed from that row. A subcommand is a function
 *
 *     int x_main(int argc, char **argv)      argv[0] is its own name: "doctor", "config"
 *
 * that returns an exit code below. It prints its result on stdout, one JSON document with --json, and
 * everything else on stderr. It never sees --help or -h: the table answers these.
 */
#ifndef FREEFALL_COMMAND_H
#define FREEFALL_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of every freefall command. */
enum command_exit {
    COMMAND_PASS = 0,     /* done, or the verdict is pass */
    COMMAND_FAIL = 1,     /* the verdict is fail */
    COMMAND_USAGE = 2,    /* the command line is wrong */
    COMMAND_CONFIG = 3,   /* the configuration is wrong */
    COMMAND_MISSING = 4,  /* hardware or link missing */
    COMMAND_REFUSED = 5,  /* not permitted: rights, limits, records */
    COMMAND_SAFETY = 6,   /* stopped by safety */
    COMMAND_OPERATOR = 7, /* stopped by the operator */
    COMMAND_INTERNAL = 8, /* internal error, or the output could not be written */
    COMMAND_RETRY = 75,   /* busy, try again later */
};

/* One option. A table of them ends with a row without a name. */
struct command_option {
    const char *name;     /* "--json" */
    const char *argument; /* what follows it, as written in help: "NAME"; NULL when nothing does */
    const char *help;     /* one line */
};

/* One row of a table of commands. A table ends with a row without a name. */
struct command {
    const char *name;
    const char *operands; /* "[CONFIG]", as written in the usage line; "" when there are none */
    const char *summary;  /* one line, lower case, no full stop */
    const char *text;     /* more, in lines of at most 76 columns; NULL when the summary says it */
    const char *example;  /* at least one line that can be copied */
    const char *exits;    /* lines "0  meaning"; NULL when only 0 and 2 occur */
    const struct command_option *options; /* NULL when there are none */

    /* The next level ("config show"), or NULL. Its rows only describe: main below is called for each
     * of them with argv[0] "config" and argv[1] "show", after the word has been checked. */
    const struct command *sub;
    int (*main)(int argc, char **argv);
};

/* The subcommands. */
int doctor_main(int argc, char **argv);
int model_main(int argc, char **argv);
int keys_main(int argc, char **argv); /* freefall config */
int scan_main(int argc, char **argv);
int links_main(int argc, char **argv);
int rsi_config_main(int argc, char **argv);
int inject_main(int argc, char **argv);
int obsw_host_main(int argc, char **argv);
int sim_main(int argc, char **argv);
int check_main(int argc, char **argv);
int export_main(int argc, char **argv);
int latency_main(int argc, char **argv);
int estimate_main(int argc, char **argv);
int handeye_main(int argc, char **argv);
int replay_main(int argc, char **argv);
int version_main(int argc, char **argv);

/* Options a subcommand reads with command_parse() and its row shows in help. */
extern const struct command_option doctor_options[];
extern const struct command_option model_options[];
extern const struct command_option scan_options[];
extern const struct command_option links_options[];
extern const struct command_option rsi_config_options[];
extern const struct command_option inject_options[];
extern const struct command_option sim_options[];
extern const struct command_option check_options[];
extern const struct command_option export_options[];
extern const struct command_option latency_options[];
extern const struct command_option estimate_options[];
extern const struct command_option handeye_options[];
extern const struct command_option replay_options[];
extern const struct command_option version_options[];

/* Sort the words behind argv[0] into options and operands.
 *
 * values[i] gets what was given for options[i]: its argument, "" for an option without one, NULL when
 * absent. Operands move to argv[1] and up, in order; at most `most` of them. "--x=y" and "--x y" mean the
 * same, "--" ends the options. Returns the number of operands, or -1 after saying on stderr what is wrong:
 * the caller returns COMMAND_USAGE. */
int command_parse(const struct command_option *options, const char **values, int argc, char **argv,
                  int most);

/* All values given to an option that may be given many times, in order, before command_parse() moves the words. Room for argc of them.
 * Returns their number. */
int command_many(const char *option, const char **values, int argc, char **argv);

/* Say on stderr what is wrong with the command line of `command`, and where its help is.
 * Returns COMMAND_USAGE. */
__attribute__((format(printf, 2, 3))) int command_refuse(const char *command, const char *format,
                                                         ...);

/* Letters to change, insert, drop or swap to make b of a: what "did you mean" is measured by.
 * Words longer than 32 letters are far from everything (100). */
int command_distance(const char *a, const char *b);

/* Is the word near enough to the candidate to be a slip of the hand? */
bool command_similar(const char *word, const char *candidate);

/* May escape sequences for colour be written to this stream? Only on a terminal, never with NO_COLOR. */
bool command_colour(FILE *out);

#endif
