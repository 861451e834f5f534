/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.c - the real-time platform below us: PREEMPT_RT or Xenomai's Cobalt core. */
#include "rt/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum platform_flavour platform_flavour(void)
{
#ifdef __COBALT__
    return PLATFORM_COBALT;
#else
    return PLATFORM_PREEMPT;
#endif
}

/* First line of a file below root, without its end; false when the file cannot be read. */
static bool read_line(const char *root, const char *path, char *text, int size)
{
    char name[PATH_MAX];
    FILE *file;
    bool read;

    text[0] = '\0';
    if (snprintf(name, sizeof name, "%s%s", root, path) >= (int)sizeof name) {
        return false;
    }
    file = fopen(name, "re");
    if (file == NULL) {
        return false;
    }
    read = fgets(text, size, file) != NULL;
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return read;
}

void platform_kernel(const char *root, const struct utsname *name, struct platform_kernel *kernel)
{
    char text[16];

    memset(kernel, 0, sizeof *kernel);
    kernel->name_says_realtime =
        strstr(name->version, "PREEMPT_RT") != NULL || strstr(name->version, "PREEMPT RT") != NULL;
    kernel->file_found = read_line(root, "/sys/kernel/realtime", text, (int)sizeof text);
    kernel->file_says_realtime = kernel->file_found && strcmp(text, "1") == 0;
    kernel->realtime = kernel->name_says_realtime || kernel->file_says_realtime;
    read_line(root, "/proc/xenomai/version", kernel->cobalt, (int)sizeof kernel->cobalt);
}

RT_SAFE bool platform_flush_denormals(bool flush)
{
#if defined(__SSE2__)
    const unsigned bits = 0x8040; /* MXCSR: results (FTZ, 15) and operands (DAZ, 6) */

    _mm_setcsr(flush ? _mm_getcsr() | bits : _mm_getcsr() & ~bits);
    return true;
#elif defined(__aarch64__)
    const uint64_t bit = (uint64_t)1 << 24; /* FPCR: FZ, both ways */
    uint64_t control;

    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control = flush ? control | bit : control & ~bit;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
    return true;
#else
    (void)flush;
    return false;
#endif
}

RT_SAFE int64_t platform_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void platform_wait_until(int64_t instant_ns)
{
    const struct timespec t = {.tv_sec = (time_t)(instant_ns / 1000000000),
                               .tv_nsec = (long)(instant_ns % 1000000000)};

    if (instant_ns <= 0) {
        return;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

int platform_lock_memory(void)
{
    return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : -errno;
}

int platform_stay_awake(void)
{
    const int32_t none_us = 0;
    const int file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

    if (file < 0) {
        return -errno;
    }
    if (write(file, &none_us, sizeof none_us) != (ssize_t)sizeof none_us) {
        const int error = errno;

        close(file);
        return -error;
    }
    return file;
}

int platform_thread_start(pthread_t *thread, const struct platform_schedule *schedule,
                          void *(*run)(void *), void *self)
{
    const struct sched_param parameter = {.sched_priority = schedule->priority};
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);

    if (error != 0) {
        return -error;
    }
    error = pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    if (error == 0) {
        error = pthread_attr_setschedpolicy(&attributes,
                                            schedule->priority > 0 ? SCHED_FIFO : SCHED_OTHER);
    }
    if (error == 0) {
        error = pthread_attr_setschedparam(&attributes, &parameter);
    }
    if (error == 0 && schedule->cpu >= CPU_SETSIZE) {
        error = EINVAL;
    }
    if (error == 0 && schedule->cpu >= 0) {
        cpu_set_t one;

        CPU_ZERO(&one);
        CPU_SET((size_t)schedule->cpu, &one);
        error = pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    }
    if (error == 0) {
        error = pthread_create(thread, &attributes, run, self);
    }
    pthread_attr_destroy(&attributes);
    return -error;
}

void platform_thread_figures(struct platform_thread_figures *figures)
{
    struct rusage usage;

    memset(figures, 0, sizeof *figures);
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        *figures = (struct platform_thread_figures){.minor_faults = usage.ru_minflt,
                                                    .major_faults = usage.ru_majflt,
                                                    .waits = usage.ru_nvcsw,
                                                    .preempted = usage.ru_nivcsw};
    }
}
