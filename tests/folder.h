/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder.h - a folder with files of some machine in it, for tests of what reads /proc and /sys. */
#ifndef FREEFALL_FOLDER_H
#define FREEFALL_FOLDER_H

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unity.h"

struct folder {
    char root[64];
};

static inline void folder_open(struct folder *t)
{
    const char *folder = getenv("TMPDIR");

    snprintf(t->root, sizeof t->root, "%.40s/freefall-XXXXXX", folder != NULL ? folder : "/tmp");
    TEST_ASSERT_NOT_NULL_MESSAGE(mkdtemp(t->root), t->root);
}

/* Write a file, making the folders above it. A path that ends in a slash makes only folders. */
static inline void folder_put(const struct folder *t, const char *path, const char *text)
{
    char full[PATH_MAX];
    FILE *file;

    snprintf(full, sizeof full, "%s%s", t->root, path);
    for (char *slash = strchr(full + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    if (full[strlen(full) - 1] == '/') {
        return;
    }
    file = fopen(full, "w");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, full);
    fputs(text, file);
    fclose(file);
}

static inline int folder_remove_one(const char *path, const struct stat *s, int kind,
                                    struct FTW *place)
{
    (void)s;
    (void)kind;
    (void)place;
    return remove(path);
}

/* Remove a file, or a folder with all in it. */
static inline void folder_remove(const struct folder *t, const char *path)
{
    char full[PATH_MAX];

    snprintf(full, sizeof full, "%s%s", t->root, path);
    nftw(full, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void folder_close(const struct folder *t)
{
    folder_remove(t, "");
}

#endif
