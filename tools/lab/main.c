/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - freefall-lab: a simulated EtherCAT segment on a network interface, for any master on the other end.
 *
 * One thread: wait for a frame, a command, a signal or the next quarter of a millisecond; act; wait again.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "tools/lab/control.h"
#include "tools/lab/lab.h"
#include "tools/lab/layout.h"
#include "tools/lab/options.h"
#include "tools/lab/wire.h"

#define TICK_NS 250000 /* devices step between frames, not while one waits for its answer */

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
    struct pollfd fds[3 + ARMS_MAX] = {
        {ends->wire, POLLIN, 0}, {ends->signals, POLLIN, 0}, {ends->control, POLLIN, 0}};

    for (;;) {
        const int64_t t_ns = now_ns();
        const int64_t due_ns = cable_due(&lab->cable);
        int64_t wait_ns = due_ns < t_ns + TICK_NS ? due_ns - t_ns : TICK_NS;
        struct timespec wait;

        if (lab->arms.count > 0) {
            const int64_t robots_ns = arms_step(&lab->arms, t_ns) - t_ns;

            wait_ns = robots_ns < wait_ns ? robots_ns : wait_ns;
        }
        wait_ns = wait_ns > 0 ? wait_ns : 0;
        wait = (struct timespec){0, wait_ns};
        for (int i = 0; i < lab->arms.count; i++) { /* a robot may have taken another port */
            fds[3 + i] = (struct pollfd){lab->arms.arm[i].fd, POLLIN, 0};
        }
        (void)ppoll(fds, (nfds_t)(3 + lab->arms.count), &wait, NULL);
        if ((fds[1].revents & POLLIN) != 0) {
            return OPTIONS_DONE;
        }
        if (fds[0].revents != 0 && !serve_wire(lab, ends->wire)) {
            fprintf(stderr, "freefall-lab: the interface is gone or down\n");
            return OPTIONS_MISSING;
        }
        if (ends->control >= 0 && (fds[2].revents & POLLIN) != 0) {
            control_serve(lab, ends->control, now_ns(), answer);
        }
        /* A frame lets time go on by itself, and its sender is waiting. */
        if (fds[0].revents == 0) {
            lab_tick(lab, now_ns());
        }
        if (fds[0].revents == 0 && ends->wire >= 0) {
            send_due(lab, ends->wire);
        }
    }
}

static int open_ends(struct ends *ends, const struct options *o)
{
    ends->signals = open_signals();
    ends->wire = o->interface ? wire_open(o->interface) : -1;
    if (o->interface && ends->wire < 0) {
        return ends->wire == -EPERM || ends->wire == -EACCES ? OPTIONS_REFUSED : OPTIONS_MISSING;
    }
    ends->control = o->control ? control_open(o->control) : -1;
    return o->control && ends->control < 0 ? OPTIONS_REFUSED : OPTIONS_DONE;
}

/* Devices of the file or of the ready-made segment: their number, or minus the exit code. */
static int find_devices(const struct options *o,
                        struct slave_model models[static SEGMENT_SLAVES_MAX])
{
    const char *name = o->segment ? o->segment : "bench12";
    int count;

    if (o->file && o->interface) {
        count = layout_file(o->file, models, stderr);
        return count > 0 ? count : -OPTIONS_CONFIG;
    }
    count = layout_named(name, models);
    if (count == 0) {
        fprintf(stderr, "freefall-lab: segment \"%s\" not known; --help lists them\n", name);
        return -OPTIONS_USAGE;
    }
    return count;
}

/* Build the lab, open its ends, run it: exit code. */
static int start(struct lab *lab, const struct options *o, char *answer)
{
    struct slave_model models[SEGMENT_SLAVES_MAX];
    struct ends ends = {-1, -1, -1};
    const int count = find_devices(o, models);
    int code;

    if (count < 0) {
        return -count;
    }
    if (o->robots && arms_file(&lab->arms, o->file, o->seed, stderr) < 0) {
        return OPTIONS_CONFIG;
    }
    lab->arms.lockstep = o->lockstep;
    if (lab_init(lab, models, count, o->seed, now_ns(), o->quiet ? NULL : stderr) != 0 ||
        (o->script && fault_file(&lab->fault, o->script, now_ns(), stderr) != 0)) {
        return OPTIONS_CONFIG;
    }
    code = open_ends(&ends, o);
    if (code == OPTIONS_DONE && arms_open(&lab->arms, now_ns(), stderr) != 0) {
        code = OPTIONS_MISSING;
    }
    if (code == OPTIONS_DONE) {
        speed_up(o);
        if (o->interface) {
            printf("freefall-lab: %d devices on %s, ready\n", count, o->interface);
        }
        if (o->robots) {
            printf("freefall-lab: %d robots, ready\n", lab->arms.count);
        }
        fflush(stdout);
        code = run(lab, &ends, answer);
    }
    arms_close(&lab->arms);
    if (ends.control >= 0) {
        close(ends.control);
        unlink(o->control);
    }
    if (ends.wire >= 0) {
        close(ends.wire);
    }
    if (ends.signals >= 0) {
        close(ends.signals);
    }
    return code;
}

int main(int argc, char **argv)
{
    struct options o;
    struct lab *lab = NULL;
    char *answer = NULL;
    int code = options_read(&o, argc, argv);

    if (code >= 0) {
        return code;
    }
    lab = (struct lab *)calloc(1, sizeof *lab);
    answer = (char *)calloc(1, LAB_ANSWER_MAX);
    if (!lab || !answer) {
        fprintf(stderr, "freefall-lab: no memory\n");
        code = OPTIONS_MISSING;
    } else if (o.ask) {
        code = control_ask(o.control, o.ask, answer);
        code = code < 0 ? OPTIONS_MISSING : code;
    } else {
        code = start(lab, &o, answer);
    }
    free(answer);
    free(lab);
    return code;
}
