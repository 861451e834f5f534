/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_hygiene.c - the control step asks nothing of the operating system: no system call, no allocation.
 *
 * A thread that may make no system call at all (a seccomp filter of its own; whatever it tries is recorded, not done)
 * flies the whole Envisat capture through control_step(), against the lab in the same process. A second test
 * shows that filter and counter do notice.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/sim.h"
#include "unity.h"

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

static struct sim sim;
static _Thread_local bool watched; /* this thread is in the part that is watched */
static volatile sig_atomic_t calls, last_call;
static int allocations;

/* Every allocation of the process comes here; under the address sanitizer it has its own, and this test does not count. */
#ifndef __SANITIZE_ADDRESS__
#define COUNTS_ALLOCATIONS 1
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

void *malloc(size_t size)
{
    allocations += watched;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    allocations += watched;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    allocations += watched;
    return __libc_realloc(p, size);
}

void free(void *p)
{
    allocations += watched;
    __libc_free(p);
}
#else
#define COUNTS_ALLOCATIONS 0
#endif

static void on_call(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    calls = calls + 1;
    last_call = info->si_syscall;
}

void setUp(void)
{
    if (!COUNTS_ALLOCATIONS) {
        TEST_IGNORE_MESSAGE("the address sanitizer makes system calls and allocations of its own");
    }
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};

    sigemptyset(&action.sa_mask);
    TEST_ASSERT_EQUAL_INT(0, sigaction(SIGSYS, &action, NULL));
    calls = last_call = allocations = 0;
}

void tearDown(void)
{
}

#define LOAD(field)                                                                                \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define ALLOW_CALL(number)                                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* From here on this thread may only come back from a signal and end; anything else is
 * recorded and not done. */
static int forbid_calls(void)
{
    struct sock_filter rule[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW_CALL(SYS_rt_sigreturn),
        ALLOW_CALL(SYS_exit),
        ALLOW_CALL(SYS_madvise), /* the end of a thread gives its stack back */
        ALLOW_CALL(SYS_rt_sigprocmask),
        ALLOW_CALL(SYS_futex), /* and wakes who waits for it */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    const struct sock_fprog program = {.len = COUNT_OF(rule), .filter = rule};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return -errno;
    }
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : -errno;
}

/* What a thread found. */
struct report {
    int error; /* of the filter: the kernel may not offer it */
    uint64_t cycles;
    bool latched;
};

static void *fly(void *self)
{
    struct report *r = self;
    int error = 0;

    r->error = forbid_calls();
    watched = true;
    while (sim_step(&sim, &error)) {
        r->cycles++;
        r->latched = r->latched || sim.loop.in.latched;
    }
    watched = false;
    return NULL;
}

/* 40 s of mission, every mode and phase of it. */
static void test_a_whole_capture_makes_no_system_call_and_no_allocation(void)
{
    struct report r = {0};
    pthread_t thread;

    TEST_ASSERT_EQUAL_INT(0, config_read(&sim.config, "config/envisat.yaml", stderr));
    TEST_ASSERT_EQUAL_INT(0, sim_open(&sim, "config/envisat.yaml"));
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, fly, &r));
    pthread_join(thread, NULL);
    sim_close(&sim);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.error, "seccomp filter");
    TEST_ASSERT_TRUE(r.cycles > 30000);
    TEST_ASSERT_TRUE(r.latched); /* it did get to the end */
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, calls, "system calls of the control step");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, allocations, "allocations of the control step");
}

static void *offend(void *self)
{
    struct report *r = self;
    char *volatile kept = malloc(1); /* the thread's own heap is set up by its first allocation */

    free(kept);
    r->error = forbid_calls();
    watched = true;
    (void)syscall(SYS_getppid);
    kept = malloc(1);
    free(kept);
    watched = false;
    return NULL;
}

static void test_what_must_not_happen_would_be_noticed(void)
{
    struct report r = {0};
    pthread_t thread;

    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, offend, &r));
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.error, "seccomp filter");
    TEST_ASSERT_TRUE(calls >= 1);
    TEST_ASSERT_EQUAL_INT(2, allocations);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_whole_capture_makes_no_system_call_and_no_allocation);
    RUN_TEST(test_what_must_not_happen_would_be_noticed);
    return UNITY_END();
}
