/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/obsw_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rt/platform.h"

#define SPIN_NS                                                                                    \
    30000 /* an answer usually comes within: longer than two wake-ups, short of a cycle */
#define LOOK_NS   20000 /* between two looks where nobody wakes */
#define SECOND_NS 1000000000
#define SEALS     (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

RT_SAFE static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

RT_SAFE static struct timespec as_timespec(int64_t t_ns)
{
    return (struct timespec){.tv_sec = t_ns / SECOND_NS, .tv_nsec = t_ns % SECOND_NS};
}

/* Wake who sleeps on the word. A system call inside the cycle, and allowed there for these
 * reasons: it never sleeps itself, it wakes at most one thread, its one lock is held for the
 * length of a short list (and lends its holder our priority on PREEMPT_RT), and the page is in
 * memory. On Cobalt it would leave the real-time domain, so there OBSW_MEMORY_WAKE is off and
 * the other side looks by itself. */
RT_SAFE static void wake(bool wakes, atomic_uint *word)
{
    if (wakes) {
        syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

/* Sleep until the word is no longer `old`, or until the time given; may return early. This is
 * the one place where the cycle waits inside its work: bounded by the deadline, and only after
 * the spin found no answer. */
RT_SAFE static void rest(bool wakes, atomic_uint *word, uint32_t old, int64_t until_ns)
{
    const int64_t look_ns = now_ns() + LOOK_NS;
    const struct timespec until = as_timespec(wakes || until_ns < look_ns ? until_ns : look_ns);

    if (wakes) {
        syscall(SYS_futex, word, FUTEX_WAIT_BITSET, old, &until, NULL, FUTEX_BITSET_MATCH_ANY);
    } else {
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
}

RT_SAFE static bool answered(const struct obsw_memory *m)
{
    return atomic_load_explicit(&m->page->answered, memory_order_acquire) == m->asked;
}

/* Has the open question been answered before the deadline? Ends by time, whatever the other side
 * writes. */
RT_SAFE static bool await(struct obsw_memory *m)
{
    const int64_t begin_ns = now_ns(), until_ns = begin_ns + m->deadline_ns;
    int64_t t_ns = begin_ns;

    while (!answered(m)) {
        if (t_ns >= until_ns) {
            return false;
        }
        if (t_ns - begin_ns >= SPIN_NS) {
            const uint32_t seen = atomic_load_explicit(&m->page->answered, memory_order_relaxed);

            if (seen != m->asked) {
                rest(m->wakes, &m->page->answered, seen, until_ns);
            }
        }
        t_ns = now_ns();
    }
    return true;
}

RT_SAFE int obsw_memory_ask(struct obsw_memory *m, const struct obsw_input *in,
                            struct obsw_output *out)
{
    struct obsw_memory_page *page = m->page;

    if (answered(m)) {
        page->input = *in;
        page->output = *out;
        m->asked++;
        atomic_store_explicit(&page->asked, m->asked, memory_order_release);
        wake(m->wakes, &page->asked);
        if (await(m)) {
            *out = page->output;
            return page->code;
        }
    }
    *out = (struct obsw_output){.version = OBSW_VERSION, .size = sizeof *out, .cycle = ~in->cycle};
    return 0;
}

void obsw_memory_end(struct obsw_memory *m)
{
    /* with a new number, so that the word to sleep on changes and the wake cannot be missed */
    atomic_store_explicit(&m->page->end, 1, memory_order_relaxed);
    m->asked++;
    atomic_store_explicit(&m->page->asked, m->asked, memory_order_release);
    wake(m->wakes, &m->page->asked);
}

void obsw_memory_ready(struct obsw_memory *m, const struct obsw_interface *table)
{
    struct obsw_memory_page *page = m->page;

    if ((page->flags & OBSW_MEMORY_FLUSH) != 0) {
        platform_flush_denormals(true);
    }
    page->other_version = table->version;
    snprintf(page->name, sizeof page->name, "%s", table->name);
    atomic_store_explicit(&page->state, OBSW_MEMORY_READY, memory_order_release);
}

void obsw_memory_refuse(struct obsw_memory *m)
{
    atomic_store_explicit(&m->page->state, OBSW_MEMORY_REFUSED, memory_order_release);
}

enum obsw_memory_event obsw_memory_answer(struct obsw_memory *m, const struct obsw_interface *table,
                                          void *self, int64_t wait_ns)
{
    const int64_t until_ns = now_ns() + wait_ns;
    struct obsw_memory_page *page = m->page;
    struct obsw_input in;
    struct obsw_output out;
    uint32_t number = atomic_load_explicit(&page->asked, memory_order_acquire);

    while (number == m->asked) {
        if (now_ns() >= until_ns) {
            return OBSW_MEMORY_NOTHING;
        }
        rest(m->wakes, &page->asked, number, until_ns);
        number = atomic_load_explicit(&page->asked, memory_order_acquire);
    }
    m->asked = number;
    if (atomic_load_explicit(&page->end, memory_order_relaxed) != 0) {
        return OBSW_MEMORY_END;
    }
    /* copies: a library that keeps the pointers must not find the next question behind them */
    in = page->input;
    out = page->output;
    page->code = table->step(self, &in, &out);
    page->output = out;
    atomic_store_explicit(&page->answered, number, memory_order_release);
    wake(m->wakes, &page->answered);
    return OBSW_MEMORY_ANSWERED;
}

/* The whole memory, as a lock: held by the controller's process, and by the kernel's rule
 * released with it. */
static struct flock whole(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

bool obsw_memory_left(const struct obsw_memory *m)
{
    struct flock lock = whole();

    return fcntl(m->fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

/* The memory behind the descriptor, or NULL with errno set. */
static struct obsw_memory_page *map(int fd)
{
    void *page = mmap(NULL, sizeof(struct obsw_memory_page), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_POPULATE, fd, 0);

    return page == MAP_FAILED ? NULL : page;
}

/* Close what there is and say what went wrong. */
static int give_up(struct obsw_memory *m, int error)
{
    fprintf(stderr, "freefall: obsw: no shared memory of %zu bytes: %s\n", sizeof *m->page,
            strerror(error));
    obsw_memory_close(m);
    return -error;
}

int obsw_memory_create(struct obsw_memory *m, const struct obsw_setup *setup, uint32_t flags,
                       int64_t deadline_ns)
{
    struct flock lock = whole();

    *m = (struct obsw_memory){.fd = -1, .deadline_ns = deadline_ns};
    m->wakes = (flags & OBSW_MEMORY_WAKE) != 0;
    m->fd = memfd_create("freefall-obsw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (m->fd < 0 || ftruncate(m->fd, sizeof *m->page) != 0 ||
        fcntl(m->fd, F_ADD_SEALS, SEALS) != 0 || fcntl(m->fd, F_SETLK, &lock) != 0) {
        return give_up(m, errno);
    }
    m->page = map(m->fd);
    if (m->page == NULL) {
        return give_up(m, errno);
    }
    m->page->magic = OBSW_MEMORY_MAGIC;
    m->page->version = OBSW_MEMORY_VERSION;
    m->page->size = sizeof *m->page;
    m->page->obsw_version = OBSW_VERSION;
    m->page->flags = flags;
    m->page->setup = *setup;
    return 0;
}

/* Is this the memory of a controller that speaks our version? 0, or -errno after a message. */
static int check(int fd)
{
    uint32_t head[4] = {0}; /* magic, version, size, obsw_version */
    struct stat file;

    if (fstat(fd, &file) != 0 || pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head ||
        head[0] != OBSW_MEMORY_MAGIC) {
        fprintf(stderr,
                "freefall: obsw: descriptor %d is not the shared memory of a controller; this "
                "program is started by freefall itself, not by hand\n",
                fd);
        return -EBADF;
    }
    if (head[1] != OBSW_MEMORY_VERSION || head[3] != OBSW_VERSION) {
        fprintf(
            stderr,
            "freefall: obsw: the controller speaks version %u of obsw.h in memory of version %u, "
            "expected %u and %u; use programs of the same freefall\n",
            (unsigned)head[3], (unsigned)head[1], OBSW_VERSION, OBSW_MEMORY_VERSION);
        return -EPROTO;
    }
    if (head[2] != sizeof(struct obsw_memory_page) ||
        file.st_size != (off_t)sizeof(struct obsw_memory_page)) {
        fprintf(stderr,
                "freefall: obsw: shared memory of %lld bytes (said to be %u), expected %zu; use "
                "programs of the same freefall\n",
                (long long)file.st_size, (unsigned)head[2], sizeof(struct obsw_memory_page));
        return -EPROTO;
    }
    return 0;
}

int obsw_memory_attach(struct obsw_memory *m, int fd)
{
    const int code = check(fd);

    *m = (struct obsw_memory){.fd = -1};
    if (code != 0) {
        return code;
    }
    m->fd = fd;
    m->page = map(fd);
    if (m->page == NULL) {
        return give_up(m, errno);
    }
    m->wakes = (m->page->flags & OBSW_MEMORY_WAKE) != 0;
    return 0;
}

void obsw_memory_close(struct obsw_memory *m)
{
    if (m->page != NULL) {
        munmap(m->page, sizeof *m->page);
    }
    if (m->fd >= 0) {
        close(m->fd);
    }
    *m = (struct obsw_memory){.fd = -1};
}
