/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.c - the real-time platform below us: PREEMPT_RT or Xenomai's Cobalt core. */
#include "rt/platform.h"

#include <limits.h>
#include <stdio.h>

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
