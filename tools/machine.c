/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine.c - files of the kernel, read below a root that a test may choose. */
#include "tools/machine.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/finding.h"

/* The path below root in full: 0, or -ENAMETOOLONG. */
__attribute__((format(printf, 3, 0))) static int full_path(const struct machine *m,
                                                           char path[static PATH_MAX],
                                                           const char *format, va_list arguments)
{
    int n = snprintf(path, PATH_MAX, "%s", m->root);
    int more = n < PATH_MAX ? vsnprintf(path + n, (size_t)(PATH_MAX - n), format, arguments) : 0;

    return n + more < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* First line of the file at a full path. */
static int read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    int error = 0;

    text[0] = '\0';
    if (file == NULL) {
        return -errno;
    }
    errno = 0;
    if (fgets(text, (int)size, file) == NULL) {
        text[0] = '\0';
        error = ferror(file) ? -errno : 0; /* an empty file is an empty line */
    }
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    finding_clean(text);
    return error;
}

int machine_line(const struct machine *m, char *text, size_t size, const char *path, ...)
{
    char full[PATH_MAX];
    va_list arguments;
    int error;

    va_start(arguments, path);
    error = full_path(m, full, path, arguments);
    va_end(arguments);
    text[0] = '\0';
    return error != 0 ? error : read_line(full, text, size);
}

int machine_integer(const struct machine *m, long *value, const char *path, ...)
{
    char full[PATH_MAX];
    char text[64];
    va_list arguments;
    char *end;
    int error;

    va_start(arguments, path);
    error = full_path(m, full, path, arguments);
    va_end(arguments);
    error = error != 0 ? error : read_line(full, text, sizeof text);
    if (error != 0) {
        return error;
    }
    errno = 0;
    *value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' ? 0 : -EINVAL;
}

int machine_cpus(const struct machine *m, struct cpus *set, const char *path, ...)
{
    char full[PATH_MAX];
    char text[MACHINE_LINE];
    va_list arguments;
    int error;

    memset(set, 0, sizeof *set);
    va_start(arguments, path);
    error = full_path(m, full, path, arguments);
    va_end(arguments);
    error = error != 0 ? error : read_line(full, text, sizeof text);
    return error != 0 ? error : cpus_parse_list(set, text);
}

bool machine_exists(const struct machine *m, const char *path, ...)
{
    char full[PATH_MAX];
    va_list arguments;
    int error;

    va_start(arguments, path);
    error = full_path(m, full, path, arguments);
    va_end(arguments);
    return error == 0 && access(full, F_OK) == 0;
}

bool machine_contains(const struct machine *m, const char *text, const char *path, ...)
{
    char full[PATH_MAX];
    char line[4096]; /* the processor's flags are the longest line asked for, about 2000 */
    va_list arguments;
    bool found = false;
    FILE *file;
    int error;

    va_start(arguments, path);
    error = full_path(m, full, path, arguments);
    va_end(arguments);
    file = error == 0 ? fopen(full, "re") : NULL;
    if (file == NULL) {
        return false;
    }
    while (!found && fgets(line, sizeof line, file) != NULL) {
        found = strstr(line, text) != NULL;
    }
    fclose(file);
    return found;
}

/* The folder below root, opened, or NULL. */
static DIR *open_folder(const struct machine *m, const char *path)
{
    char full[PATH_MAX];

    if (snprintf(full, sizeof full, "%s%s", m->root, path) >= (int)sizeof full) {
        return NULL;
    }
    return opendir(full);
}

static int compare(const void *a, const void *b)
{
    int left = *(const int *)a;
    int right = *(const int *)b;

    return (left > right) - (left < right);
}

static bool is_number(const char *text)
{
    size_t n = strspn(text, "0123456789");

    return n > 0 && n < 10 && text[n] == '\0';
}

int machine_numbers(const struct machine *m, int *numbers, int most, const char *path)
{
    DIR *folder = open_folder(m, path);
    struct dirent *entry;
    int n = 0;

    if (folder == NULL) {
        return 0;
    }
    while (n < most && (entry = readdir(folder)) != NULL) {
        if (is_number(entry->d_name)) {
            numbers[n++] = (int)strtol(entry->d_name, NULL, 10);
        }
    }
    closedir(folder);
    qsort(numbers, (size_t)n, sizeof *numbers, compare);
    return n;
}

bool machine_entry(const struct machine *m, char *name, size_t size, const char *begins,
                   const char *path)
{
    DIR *folder = open_folder(m, path);
    struct dirent *entry;
    bool found = false;

    name[0] = '\0';
    if (folder == NULL) {
        return false;
    }
    while (!found && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, begins, strlen(begins)) == 0) {
            found = snprintf(name, size, "%s", entry->d_name) < (int)size;
        }
    }
    closedir(folder);
    return found;
}

int machine_process(const struct machine *m, const char *name, bool whole)
{
    DIR *folder = open_folder(m, "/proc");
    struct dirent *entry;
    int pid = 0;

    if (folder == NULL) {
        return 0;
    }
    while (pid == 0 && (entry = readdir(folder)) != NULL) {
        char command[32];

        if (is_number(entry->d_name) &&
            machine_line(m, command, sizeof command, "/proc/%s/comm", entry->d_name) == 0 &&
            strncmp(command, name, strlen(name) + whole) == 0) {
            pid = (int)strtol(entry->d_name, NULL, 10);
        }
    }
    closedir(folder);
    return pid;
}

int machine_parameter(const struct machine *m, char *value, size_t size, const char *name)
{
    char line[4096];
    size_t n = strlen(name);
    char *rest;
    int error = machine_line(m, line, sizeof line, "/proc/cmdline");

    value[0] = '\0';
    if (error != 0) {
        return error;
    }
    for (char *word = strtok_r(line, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (strncmp(word, name, n) == 0 && (word[n] == '=' || word[n] == '\0')) {
            snprintf(value, size, "%s", word[n] == '=' ? word + n + 1 : "");
            return 0;
        }
    }
    return -ENOENT;
}

static void read_container(struct machine *m)
{
    m->container[0] = '\0';
    if (machine_exists(m, "/run/.containerenv")) {
        snprintf(m->container, sizeof m->container, "podman");
    } else if (machine_exists(m, "/.dockerenv")) {
        snprintf(m->container, sizeof m->container, "docker");
    } else if (machine_exists(m, "/run/systemd/container")) {
        machine_line(m, m->container, sizeof m->container, "/run/systemd/container");
    } else if (machine_contains(m, "kubepods", "/proc/1/cgroup")) {
        snprintf(m->container, sizeof m->container, "kubernetes");
    }
}

/* The effective set of this process, and whether it is the whole machine's. */
static void read_rights(struct machine *m)
{
    unsigned long inside = 0;
    unsigned long outside = 0;
    unsigned long count = 0;
    char line[MACHINE_LINE];
    char path[PATH_MAX];
    FILE *file = NULL;

    m->capabilities = 0;
    m->capabilities_known = false;
    if (snprintf(path, sizeof path, "%s/proc/self/status", m->root) < (int)sizeof path) {
        file = fopen(path, "re");
    }
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "CapEff:", 7) == 0) {
            m->capabilities = strtoull(line + 7, NULL, 16);
            m->capabilities_known = true;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    /* The first user namespace maps all 2^32 - 1 identifiers to themselves. */
    m->user_space = machine_line(m, line, sizeof line, "/proc/self/uid_map") == 0 &&
                    sscanf(line, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
                    !(inside == 0 && outside == 0 && count == 4294967295ul);
}

/* Isolated at boot, or by control groups: newer kernels sum these up in one file, older ones have only
 * the partitions themselves. */
static void read_isolated(struct machine *m)
{
    struct cpus boot;
    struct cpus group;
    struct dirent *entry;
    DIR *folder;

    machine_cpus(m, &boot, "/sys/devices/system/cpu/isolated");
    m->isolated = boot;
    if (machine_cpus(m, &group, "/sys/fs/cgroup/cpuset.cpus.isolated") == 0) {
        m->isolated = cpus_join(&boot, &group);
        return;
    }
    folder = open_folder(m, "/sys/fs/cgroup");
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char kind[32];

        if (machine_line(m, kind, sizeof kind, "/sys/fs/cgroup/%s/cpuset.cpus.partition",
                         entry->d_name) == 0 &&
            strcmp(kind, "isolated") == 0) {
            machine_cpus(m, &group, "/sys/fs/cgroup/%s/cpuset.cpus.effective", entry->d_name);
            m->isolated = cpus_join(&m->isolated, &group);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

void machine_read(struct machine *m)
{
    platform_kernel(m->root, &m->name, &m->kernel);
    if (machine_cpus(m, &m->online, "/sys/devices/system/cpu/online") != 0) {
        for (int cpu = 0; cpu < m->processors; cpu++) {
            cpus_add(&m->online, cpu);
        }
    }
    read_isolated(m);
    read_container(m);
    read_rights(m);
}

struct cpus machine_candidates(const struct machine *m)
{
    return cpus_count(&m->isolated) > 0 ? m->isolated : m->online;
}

struct cpus machine_loop_cores(const struct machine *m)
{
    struct cpus cores = m->isolated;

    if (cpus_count(&cores) == 0 && cpus_count(&m->online) > 1) {
        cpus_add(&cores, cpus_last(&m->online));
    }
    return cores;
}
