/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - freefall-lab: a simulated EtherCAT segment on a network interface, for any master on the other end.
 *
 * One thread: wait for a frame, a command, a signal or the next millisecond; act; wait again.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tools/lab/lab.h"
#include "tools/lab/layout.h"
#include "tools/lab/wire.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_USAGE = 2,
    EXIT_CONFIG = 3,
    EXIT_MISSING = 4,
    EXIT_REFUSED = 5
};

struct options {
    const char *interface, *segment, *script, *control;
    uint64_t seed;
    int priority, cpu; /* 0 and -1: as the shell has it */
    bool quiet;
};

/* What the loop waits on. */
struct ends {
    int wire, control, signals;
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000ll * t.tv_sec + t.tv_nsec;
}

static void usage(FILE *out)
{
    fputs("usage: freefall-lab --ethercat INTERFACE [--segment NAME] [options]\n"
          "\n"
          "Simulates an EtherCAT segment on a network interface; any master can be pointed at the "
          "other end.\n"
          "\n"
          "  --ethercat INTERFACE  the lab's end: one side of a veth pair, or a network card\n"
          "  --segment NAME        ready-made segment (default bench12):\n",
          out);
    for (int i = 0; layout_name(i); i++) {
        fprintf(out, "                          %-9s %s\n", layout_name(i), layout_help(i));
    }
    fputs("  --script FILE         fault script, one line each: at 500 drop 3; see \"help\" on the "
          "control socket\n"
          "  --control PATH        Unix datagram socket for commands: stats, devices, help, any "
          "fault\n"
          "  --seed N              start of all random numbers (default 1)\n"
          "  --priority N          SCHED_FIFO priority, 1 to 98; on the master's processor best "
          "one above it\n"
          "  --cpu N               processor to run on\n"
          "  --quiet               do not print what strikes\n"
          "  --help                this text\n"
          "\n"
          "example, as a plain user:\n"
          "  unshare -Urn sh -c 'ip link add ecm type veth peer name ecs; ip link set ecm up; ip "
          "link set ecs up\n"
          "                      freefall-lab --ethercat ecs & sleep 1; slaveinfo ecm'\n",
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

/* -1 when everything is understood, else the exit code. */
static int read_options(struct options *o, int argc, char **argv)
{
    static const struct option table[] = {
        {"ethercat", required_argument, NULL, 'e'}, {"segment", required_argument, NULL, 's'},
        {"script", required_argument, NULL, 'f'},   {"control", required_argument, NULL, 'c'},
        {"seed", required_argument, NULL, 'r'},     {"priority", required_argument, NULL, 'p'},
        {"cpu", required_argument, NULL, 'u'},      {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    uint64_t number = 0;
    int letter;

    while ((letter = getopt_long(argc, argv, "h", table, NULL)) != -1) {
        switch (letter) {
        case 'e':
            o->interface = optarg;
            break;
        case 's':
            o->segment = optarg;
            break;
        case 'f':
            o->script = optarg;
            break;
        case 'c':
            o->control = optarg;
            break;
        case 'q':
            o->quiet = true;
            break;
        case 'h':
            usage(stdout);
            return EXIT_DONE;
        case 'r':
        case 'p':
        case 'u':
            if (!read_number(optarg, letter == 'p',
                             letter == 'r'   ? UINT64_MAX
                             : letter == 'p' ? 98
                                             : 1023,
                             &number)) {
                fprintf(
                    stderr,
                    "freefall-lab: number \"%s\" not understood or out of range; --help shows it\n",
                    optarg);
                return EXIT_USAGE;
            }
            o->seed = letter == 'r' ? number : o->seed;
            o->priority = letter == 'p' ? (int)number : o->priority;
            o->cpu = letter == 'u' ? (int)number : o->cpu;
            break;
        default:
            return EXIT_USAGE;
        }
    }
    if (optind < argc || !o->interface) {
        fprintf(
            stderr,
            "freefall-lab: %s; expected --ethercat INTERFACE [--segment NAME]; --help shows more\n",
            optind < argc ? argv[optind] : "no interface given");
        return EXIT_USAGE;
    }
    return -1;
}

static int open_control(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "freefall-lab: control socket %s: %s\n", path,
                fd < 0 ? strerror(errno) : "name too long");
        return -1;
    }
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        fprintf(stderr, "freefall-lab: control socket %s: %s; is another lab running?\n", path,
                strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Every wish is granted or refused aloud; a lab without them is slower, not wrong. */
static void speed_up(const struct options *o)
{
    const struct sched_param parameter = {.sched_priority = o->priority};
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET((size_t)(o->cpu < 0 ? 0 : o->cpu), &cpus);
    if (o->cpu >= 0 && sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
        fprintf(stderr, "freefall-lab: note: processor %d: %s\n", o->cpu, strerror(errno));
    }
    if (o->priority > 0 && sched_setscheduler(0, SCHED_FIFO, &parameter) != 0) {
        fprintf(stderr, "freefall-lab: note: priority %d: %s\n", o->priority, strerror(errno));
    }
    if (o->priority > 0) {
        (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    }
}

/* Frames in, replies out. False when the interface is gone. */
static bool serve_wire(struct lab *lab, int fd)
{
    uint8_t frame[SEGMENT_FRAME_MAX + 1];
    int n;

    while ((n = wire_receive(fd, frame, sizeof frame)) > 0) {
        unsigned reply;

        lab_in(lab, now_ns(), frame, (unsigned)n);
        while ((reply = lab_out(lab, now_ns(), frame)) > 0) {
            (void)wire_send(fd, frame, reply);
        }
    }
    return n == 0;
}

static void serve_control(struct lab *lab, int fd, char *answer)
{
    char line[256];
    struct sockaddr_un from;
    socklen_t length = sizeof from;
    ssize_t n;

    while ((n = recvfrom(fd, line, sizeof line - 1, 0, (struct sockaddr *)&from, &length)) >= 0) {
        line[n] = '\0';
        lab_command(lab, now_ns(), line, answer);
        if (length > sizeof(sa_family_t)) {
            (void)sendto(fd, answer, strlen(answer), 0, (const struct sockaddr *)&from, length);
        }
        length = sizeof from;
    }
}

static void send_due(struct lab *lab, int fd)
{
    uint8_t frame[SEGMENT_FRAME_MAX];
    unsigned n;

    while ((n = lab_out(lab, now_ns(), frame)) > 0) {
        (void)wire_send(fd, frame, n);
    }
}

static int run(struct lab *lab, const struct ends *ends, char *answer)
{
    struct pollfd fds[] = {
        {ends->wire, POLLIN, 0}, {ends->signals, POLLIN, 0}, {ends->control, POLLIN, 0}};

    for (;;) {
        const int64_t t_ns = now_ns();
        const int64_t due_ns = cable_due(&lab->cable);
        int64_t wait_ns = due_ns < t_ns + 1000000 ? due_ns - t_ns : 1000000;
        struct timespec wait;

        wait_ns = wait_ns > 0 ? wait_ns : 0;
        wait = (struct timespec){0, wait_ns};
        (void)ppoll(fds, 3, &wait, NULL);
        if ((fds[1].revents & POLLIN) != 0) {
            return EXIT_DONE;
        }
        if (fds[0].revents != 0 && !serve_wire(lab, ends->wire)) {
            fprintf(stderr, "freefall-lab: the interface is gone or down\n");
            return EXIT_MISSING;
        }
        if (ends->control >= 0 && (fds[2].revents & POLLIN) != 0) {
            serve_control(lab, ends->control, answer);
        }
        lab_tick(lab, now_ns());
        send_due(lab, ends->wire);
    }
}

static int open_ends(struct ends *ends, const struct options *o)
{
    ends->signals = open_signals();
    ends->wire = wire_open(o->interface);
    if (ends->wire < 0) {
        return ends->wire == -EPERM || ends->wire == -EACCES ? EXIT_REFUSED : EXIT_MISSING;
    }
    ends->control = o->control ? open_control(o->control) : -1;
    return o->control && ends->control < 0 ? EXIT_REFUSED : EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct options o = {.segment = "bench12", .seed = 1, .cpu = -1};
    struct slave_model models[SEGMENT_SLAVES_MAX];
    struct ends ends = {-1, -1, -1};
    struct lab *lab = NULL;
    char *answer = NULL;
    int count;
    int code = read_options(&o, argc, argv);

    if (code >= 0) {
        return code;
    }
    count = layout_named(o.segment, models);
    if (count == 0) {
        fprintf(stderr, "freefall-lab: segment \"%s\" not known; --help lists them\n", o.segment);
        return EXIT_USAGE;
    }
    lab = (struct lab *)calloc(1, sizeof *lab);
    answer = (char *)calloc(1, LAB_ANSWER_MAX);
    if (!lab || !answer ||
        lab_init(lab, models, count, o.seed, now_ns(), o.quiet ? NULL : stderr) != 0) {
        code = EXIT_CONFIG;
        goto out;
    }
    if (o.script && fault_file(&lab->fault, o.script, now_ns(), stderr) != 0) {
        code = EXIT_CONFIG;
        goto out;
    }
    code = open_ends(&ends, &o);
    if (code != EXIT_DONE) {
        goto out;
    }
    speed_up(&o);
    printf("freefall-lab: %d devices on %s, ready\n", count, o.interface);
    fflush(stdout);
    code = run(lab, &ends, answer);
    if (o.control) {
        unlink(o.control);
    }
out:
    if (ends.wire >= 0) {
        close(ends.wire);
    }
    free(answer);
    free(lab);
    return code;
}
