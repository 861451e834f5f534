/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/obsw_process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt/platform.h"

#define LOOK_NS 1000000 /* between two looks at a program that starts or ends */

RT_SAFE static int process_step(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    struct obsw_process *p = self;

    return obsw_memory_ask(&p->memory, in, out);
}

/* The program is started by open, which knows more than a setup. */
static void *make_nothing(const struct obsw_setup *setup)
{
    (void)setup;
    return NULL;
}

static void process_terminate(void *self)
{
    obsw_process_close(self);
}

/* Names of phases stay in the other process; the number is shown. */
static const char *process_phase_name(uint32_t phase)
{
    (void)phase;
    return NULL;
}

/* Start the program with the memory as its descriptor 3 and nothing else of ours: sockets of the
 * bus are not for it. In a process group of its own a Ctrl-C reaches the controller alone, which
 * then ends it in order. */
static int start(struct obsw_process *p, char *const *argv)
{
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t all, none;
    int code;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    code = posix_spawn_file_actions_adddup2(&files, p->memory.fd, OBSW_PROCESS_FD);
    if (code == 0) {
        code = posix_spawn_file_actions_addclosefrom_np(&files, OBSW_PROCESS_FD + 1);
    }
    if (code == 0) {
        posix_spawnattr_setflags(&how, flags);
        posix_spawnattr_setpgroup(&how, 0);
        posix_spawnattr_setsigdefault(&how, &all);
        posix_spawnattr_setsigmask(&how, &none);
        code = posix_spawnp(&p->pid, argv[0], &files, &how, argv, environ);
    }
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (code != 0) {
        p->pid = 0;
        fprintf(stderr,
                "freefall: obsw: cannot start %s: %s; name a program that can be executed\n",
                argv[0], strerror(code));
    }
    return -code;
}

/* Has it ended, and how? Leaves it to be collected, so that its number stays taken and cannot
 * mean another process. */
static bool has_ended(const struct obsw_process *p, siginfo_t *how)
{
    how->si_pid = 0;
    return waitid(P_PID, (id_t)p->pid, how, WEXITED | WNOHANG | WNOWAIT) != 0 || how->si_pid != 0;
}

bool obsw_process_runs(const struct obsw_process *p, char text[static OBSW_PROCESS_TEXT_SIZE])
{
    siginfo_t how = {.si_pid = 0};

    text[0] = '\0';
    if (p->pid == 0) {
        snprintf(text, OBSW_PROCESS_TEXT_SIZE, "was not started");
        return false;
    }
    if (!has_ended(p, &how)) {
        return true;
    }
    if (how.si_pid == 0) {
        snprintf(text, OBSW_PROCESS_TEXT_SIZE, "ended, and nobody knows how");
    } else if (how.si_code == CLD_EXITED) {
        snprintf(text, OBSW_PROCESS_TEXT_SIZE, "ended with exit code %d", how.si_status);
    } else {
        snprintf(text, OBSW_PROCESS_TEXT_SIZE, "was ended by signal %d (%s)", how.si_status,
                 strsignal(how.si_status));
    }
    return false;
}

static void look_again(int64_t *left_ns)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};

    nanosleep(&look, NULL);
    *left_ns -= LOOK_NS;
}

/* Wait for what the program says about itself. 0, or -errno after a message. */
static int await_ready(const struct obsw_process *p, const struct obsw_process_model *m)
{
    const struct obsw_memory_page *page = p->memory.page;
    int64_t left_ns = m->start_ns;
    unsigned state;

    while ((state = atomic_load_explicit(&page->state, memory_order_acquire)) ==
           OBSW_MEMORY_STARTING) {
        char text[OBSW_PROCESS_TEXT_SIZE];

        if (!obsw_process_runs(p, text)) {
            fprintf(
                stderr,
                "freefall: obsw: %s %s before it was ready; it must map descriptor %d and answer "
                "(freefall obsw-host does that for a library)\n",
                m->argv[0], text, OBSW_PROCESS_FD);
            return -ECHILD;
        }
        if (left_ns <= 0) {
            fprintf(stderr,
                    "freefall: obsw: %s was not ready within %.3f s; make it start faster\n",
                    m->argv[0], (double)m->start_ns * 1e-9);
            return -ETIMEDOUT;
        }
        look_again(&left_ns);
    }
    if (state != OBSW_MEMORY_READY) {
        fprintf(stderr, "freefall: obsw: %s refused to work; its own message is above\n",
                m->argv[0]);
        return -EPROTO;
    }
    if (page->other_version != OBSW_VERSION) {
        fprintf(
            stderr,
            "freefall: obsw: %s speaks version %u of obsw.h, expected %u; compile it again with "
            "the obsw.h of this freefall\n",
            m->argv[0], (unsigned)page->other_version, OBSW_VERSION);
        return -EPROTO;
    }
    return 0;
}

int obsw_process_open(struct obsw_process *p, const struct obsw_process_model *m,
                      const struct obsw_setup *setup)
{
    const bool wakes = platform_flavour() == PLATFORM_PREEMPT;
    const uint32_t flags =
        (wakes ? OBSW_MEMORY_WAKE : 0u) | (m->flush_denormals ? OBSW_MEMORY_FLUSH : 0u);
    int code;

    *p = (struct obsw_process){.end_ns = m->end_ns};
    if (m->argv == NULL || m->argv[0] == NULL || m->deadline_ns <= 0) {
        fprintf(stderr, "freefall: obsw: a process needs a program and a deadline above 0 ns\n");
        return -EINVAL;
    }
    code = obsw_memory_create(&p->memory, setup, flags, m->deadline_ns);
    if (code == 0) {
        code = start(p, m->argv);
    }
    if (code == 0) {
        code = await_ready(p, m);
    }
    if (code != 0) {
        obsw_process_close(p);
        return code;
    }
    snprintf(p->name, sizeof p->name, "%.*s", (int)sizeof p->name - 1, p->memory.page->name);
    p->table = (struct obsw_interface){
        .version = OBSW_VERSION,
        .name = p->name,
        .init = make_nothing,
        .step = process_step,
        .terminate = process_terminate,
        .phase_name = process_phase_name,
    };
    return 0;
}

static bool ends_within(const struct obsw_process *p, int64_t left_ns)
{
    siginfo_t how;

    while (!has_ended(p, &how)) {
        if (left_ns <= 0) {
            return false;
        }
        look_again(&left_ns);
    }
    return true;
}

void obsw_process_close(struct obsw_process *p)
{
    siginfo_t how;

    if (p->pid > 0) {
        obsw_memory_end(&p->memory);
        if (!ends_within(p, p->end_ns)) {
            kill(-p->pid, SIGTERM);
            ends_within(p, p->end_ns);
        }
        /* what it started itself is in its group and goes with it; a number no longer ours is
         * left alone */
        if (!has_ended(p, &how) || how.si_pid != 0) {
            kill(-p->pid, SIGKILL);
            waitpid(p->pid, NULL, 0);
        }
    }
    if (p->memory.page != NULL) {
        obsw_memory_close(&p->memory);
    }
    *p = (struct obsw_process){.pid = 0};
}
