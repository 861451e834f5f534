/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.c - see options.h. */
#include "tools/lab/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lab/layout.h"

static void usage(FILE *out)
{
    fputs("usage: freefall-lab --ethercat INTERFACE [FILE.yaml | --segment NAME] [options]\n"
          "       freefall-lab --robots FILE.yaml [options]\n"
          "       freefall-lab --control PATH --ask COMMAND\n"
          "\n"
          "Simulates an EtherCAT segment on a network interface; any master can be pointed at the\n"
          "other end. The devices are those of bus.devices in FILE.yaml, or a ready-made segment.\n"
          "\n"
          "  --ethercat INTERFACE  the lab's end: one side of a veth pair, or a network card\n"
          "  --segment NAME        ready-made segment (default bench12):\n",
          out);
    for (int i = 0; layout_name(i); i++) {
        fprintf(out, "                          %-9s %s\n", layout_name(i), layout_help(i));
    }
    fputs(
        "  --robots              the robots of robots.links in FILE.yaml, over UDP (RSI)\n"
        "  --lockstep            they send as soon as they are answered\n"
        "  --script FILE         fault script, one line each: at 500 drop 3\n"
        "  --control PATH        Unix datagram socket for commands\n"
        "  --ask COMMAND         ask the lab that runs with --control PATH, print its answer and\n"
        "                        end: stats, devices, help (lists the faults), or a fault\n"
        "  --seed N              start of all random numbers (default 1)\n"
        "  --priority N          SCHED_FIFO priority, 1 to 98; on the master's processor best one\n"
        "                        above the master's\n"
        "  --cpu N               processor to run on\n"
        "  --quiet               do not print what strikes\n"
        "  --help                this text\n"
        "\n"
        "example, as a plain user:\n"
        "  unshare -Urn sh -c 'ip link add ecm type veth peer name ecs\n"
        "      ip link set ecm up; ip link set ecs up\n"
        "      freefall-lab --ethercat ecs & sleep 1; slaveinfo ecm'\n",
        out);
}

static bool read_number(const char *text, uint64_t least, uint64_t greatest, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && *out >= least &&
           *out <= greatest;
}

/* The options that take a number: letter, range, as written in a message. */
static bool take_number(struct options *o, int letter, const char *text)
{
    const uint64_t greatest = letter == 'r' ? UINT64_MAX : letter == 'p' ? 98 : 1023;
    const char *name = letter == 'r' ? "--seed" : letter == 'p' ? "--priority" : "--cpu";
    uint64_t number;

    if (!read_number(text, letter == 'p', greatest, &number)) {
        fprintf(stderr, "freefall-lab: %s: expected a number from %d to %llu, found \"%s\"\n", name,
                letter == 'p', (unsigned long long)greatest, text);
        return false;
    }
    o->seed = letter == 'r' ? number : o->seed;
    o->priority = letter == 'p' ? (int)number : o->priority;
    o->cpu = letter == 'u' ? (int)number : o->cpu;
    return true;
}

/* The options that take a text: where it goes. */
static const char **place(struct options *o, int letter)
{
    switch (letter) {
    case 'e':
        return &o->interface;
    case 's':
        return &o->segment;
    case 'f':
        return &o->script;
    case 'c':
        return &o->control;
    default:
        return &o->ask;
    }
}

static int refuse(const char *what)
{
    fprintf(stderr,
            "freefall-lab: %s; expected --ethercat INTERFACE [FILE.yaml | --segment NAME], or "
            "--control PATH --ask COMMAND; --help shows more\n",
            what);
    return OPTIONS_USAGE;
}

int options_read(struct options *o, int argc, char **argv)
{
    static const struct option table[] = {
        {"ethercat", required_argument, NULL, 'e'},
        {"segment", required_argument, NULL, 's'},
        {"script", required_argument, NULL, 'f'},
        {"control", required_argument, NULL, 'c'},
        {"ask", required_argument, NULL, 'a'},
        {"seed", required_argument, NULL, 'r'},
        {"priority", required_argument, NULL, 'p'},
        {"cpu", required_argument, NULL, 'u'},
        {"robots", no_argument, NULL, 'b'},
        {"lockstep", no_argument, NULL, 'l'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int letter;

    *o = (struct options){.seed = 1, .cpu = -1};
    while ((letter = getopt_long(argc, argv, "h", table, NULL)) != -1) {
        if (letter == 'h') {
            usage(stdout);
            return OPTIONS_DONE;
        }
        if (letter == '?' || (strchr("rpu", letter) && !take_number(o, letter, optarg))) {
            return OPTIONS_USAGE;
        }
        o->quiet = o->quiet || letter == 'q';
        o->robots = o->robots || letter == 'b';
        o->lockstep = o->lockstep || letter == 'l';
        if (strchr("esfca", letter)) {
            *place(o, letter) = optarg;
        }
    }
    o->file = optind < argc ? argv[optind] : NULL;
    if (optind + 1 < argc) {
        return refuse("more than one file");
    }
    if (o->ask) {
        return o->control ? -1 : refuse("--ask without --control PATH");
    }
    if (o->robots && !o->file) {
        return refuse("--robots without a file");
    }
    if (!o->interface && !o->robots) {
        return refuse("no interface given");
    }
    if (o->file && o->segment) {
        return refuse("a file and --segment");
    }
    return -1;
}
