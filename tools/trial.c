/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trial.c - what this process may do, found out by trying. */
#include "tools/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt/platform.h"

#define CHUNK_BYTES 163840 /* about 250 cycles of the log, a quarter of a second */
#define DISK_BYTES  8388608
#define DISK_NS     300000000
#define DISK_SPARE  67108864 /* a disk with less than this left is not filled further */

/* Run one trial in a child. It returns 0 or an errno, which is small enough for an exit code. */
static int in_child(int (*attempt)(void))
{
    pid_t child = fork();
    pid_t ended;
    int status;

    if (child < 0) {
        return -errno;
    }
    if (child == 0) {
        _exit(attempt() & 0xFF);
    }
    do {
        ended = waitpid(child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended != child || !WIFEXITED(status)) {
        return -ECANCELED; /* ended by a signal: a sandbox that kills instead of refusing */
    }
    return -WEXITSTATUS(status);
}

/* The bare system call: in a Cobalt build the library's own name is redirected to another scheduler. */
static int attempt_fifo(void)
{
    struct sched_param parameter = {.sched_priority = TRIAL_PRIORITY};

    return syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &parameter) == 0 ? 0 : errno;
}

static int attempt_lock(void)
{
    return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno;
}

static int attempt_lock_free(void)
{
    struct rlimit none = {0, 0};

    if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) {
        return errno;
    }
    return attempt_lock();
}

/* Protocol 0: it would receive nothing even while it is open. */
static int try_raw(void)
{
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    int error = fd < 0 ? -errno : 0;

    if (fd >= 0) {
        close(fd);
    }
    return error;
}

/* Opening asks for nothing yet: the request is the number written afterwards. */
static int try_idle(void)
{
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    int error = fd < 0 ? -errno : 0;

    if (fd >= 0) {
        close(fd);
    }
    return error;
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        /* What matters is whether the network can be configured afterwards. */
        ssize_t written = write(fd, text, strlen(text));

        (void)written;
        close(fd);
    }
}

/* A user namespace may be granted and its rights taken away again (AppArmor does): so raise the loopback
 * interface of the new network, which needs them. */
static int attempt_netspace(void)
{
    struct ifreq request;
    char map[64];
    uid_t uid = geteuid();
    gid_t gid = getegid();
    int fd;

    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) {
        snprintf(map, sizeof map, "0 %u 1", (unsigned)uid);
        write_file("/proc/self/uid_map", map);
        write_file("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "0 %u 1", (unsigned)gid);
        write_file("/proc/self/gid_map", map);
    } else if (uid != 0 || unshare(CLONE_NEWNET) != 0) {
        return errno;
    }
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    memset(&request, 0, sizeof request);
    memcpy(request.ifr_name, "lo", 3);
    request.ifr_flags = IFF_UP;
    return ioctl(fd, SIOCSIFFLAGS, &request) == 0 ? 0 : errno;
}

/* The compiler does not know that the switch changes arithmetic: volatile keeps the order. */
static bool try_flush(void)
{
    volatile double tiny = 1e-310;
    volatile double one = 1.0;
    volatile double flushed;

    if (!platform_flush_denormals(true)) {
        return false;
    }
    flushed = tiny * one;
    platform_flush_denormals(false);
    return !(flushed > 0.0) && tiny > 0.0;
}

static uint64_t limit_of(__rlimit_resource_t resource)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0) {
        return 0;
    }
    return limit.rlim_cur == RLIM_INFINITY ? TRIAL_UNLIMITED : (uint64_t)limit.rlim_cur;
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int write_chunk(int fd, const char *chunk)
{
    for (ssize_t done = 0; done < CHUNK_BYTES;) {
        ssize_t n = write(fd, chunk + done, (size_t)(CHUNK_BYTES - done));

        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        done += n > 0 ? n : 0;
    }
    return fdatasync(fd) == 0 ? 0 : -errno;
}

static void fill_disk(struct trial_disk *d, int fd)
{
    char *chunk = malloc(CHUNK_BYTES);
    uint32_t noise = 1;

    if (chunk == NULL) {
        d->error = -ENOMEM;
        return;
    }
    /* Noise, so that a file system that compresses has to store it. */
    for (int i = 0; i < CHUNK_BYTES; i++) {
        noise = noise * 1664525u + 1013904223u;
        chunk[i] = (char)(noise >> 24);
    }
    while (d->error == 0 && d->bytes + CHUNK_BYTES <= DISK_BYTES && d->total_ns < DISK_NS) {
        int64_t begin_ns = now_ns();
        int64_t took_ns;

        d->error = write_chunk(fd, chunk);
        took_ns = now_ns() - begin_ns;
        d->worst_ns = took_ns > d->worst_ns ? took_ns : d->worst_ns;
        d->total_ns += took_ns;
        d->bytes += CHUNK_BYTES;
        d->chunks++;
    }
    free(chunk);
}

static void try_disk(struct trial_disk *d, const char *folder)
{
    char name[PATH_MAX];
    struct statvfs space;
    int fd;

    if (snprintf(name, sizeof name, "%s/.freefall-doctor-XXXXXX", folder) >= (int)sizeof name) {
        d->error = -ENAMETOOLONG;
        return;
    }
    fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) {
        d->error = -errno;
        return;
    }
    unlink(name); /* at once: gone even when we are killed */
    if (fstatvfs(fd, &space) == 0) {
        d->free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
    }
    if (d->free_bytes < DISK_SPARE) {
        d->error = -ENOSPC;
    } else {
        fill_disk(d, fd);
    }
    close(fd);
}

void trial_run(struct trial *t, const char *folder)
{
    memset(t, 0, sizeof *t);
    fflush(NULL); /* children must not hold a copy of buffered output */
    t->fifo_error = in_child(attempt_fifo);
    t->lock_error = in_child(attempt_lock);
    t->lock_free_error = in_child(attempt_lock_free);
    t->raw_error = try_raw();
    t->netspace_error = in_child(attempt_netspace);
    t->idle_error = try_idle();
    t->flush = try_flush();
    t->priority_limit = limit_of(RLIMIT_RTPRIO);
    t->lock_limit = limit_of(RLIMIT_MEMLOCK);
    try_disk(&t->disk, folder);
}
