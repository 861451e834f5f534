/* SPDX-License-Identifier: GPL-3.0-or-later */
/* version.c - freefall version: what this program is made of.
 *
 * The facts of the build come from the generated version.h. The libraries are those the dynamic linker
 * really loaded into this process, so the list cannot be out of date; only their names and licences are
 * written here, and a library without a row is shown with licence "unknown".
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/json.h"
#include "version.h"

#ifdef __clang__
#define COMPILER __VERSION__ /* "Debian Clang 19.1.7 ..." names itself */
#else
#define COMPILER "gcc " __VERSION__
#endif

#define LICENCE "GPL-3.0-or-later"

const struct command_option version_options[] = {
    {"--json", NULL, "one JSON document instead of text"},
    {NULL, NULL, NULL},
};

/* One shared library. The symbol is a function "const char *f(void)" that tells the version. */
struct library {
    const char *file; /* how the file name begins */
    const char *name; /* NULL: part of another one, or not ours to name */
    const char *symbol;
    const char *licence;
};

static const struct library libraries[] = {
    {"linux-vdso", NULL, NULL, NULL},
    {"linux-gate", NULL, NULL, NULL},
    {"ld-linux", NULL, NULL, NULL},
    {"libm.so", NULL, NULL, NULL},
    {"libdl.so", NULL, NULL, NULL},
    {"librt.so", NULL, NULL, NULL},
    {"libpthread.so", NULL, NULL, NULL},
    {"libc.so", "glibc", "gnu_get_libc_version", "LGPL-2.1-or-later"},
    {"libfyaml", "libfyaml", "fy_library_version", "MIT"},
    {"libxml2", "libxml2", NULL, "MIT"},
    {"libz.so", "zlib", "zlibVersion", "Zlib"},
    {"libzstd", "zstd", "ZSTD_versionString", "BSD-3-Clause"},
    {"liblzma", "liblzma", "lzma_version_string", "0BSD"},
    {"libicudata", NULL, NULL, NULL},
    {"libicu", "icu", NULL, "ICU"},
    {"libstdc++", "libstdc++", NULL, "GPL-3.0-or-later WITH GCC-exception-3.1"},
    {"libgcc_s", "libgcc", NULL, "GPL-3.0-or-later WITH GCC-exception-3.1"},
    {"liblttng-ust", "lttng-ust", NULL, "MIT AND LGPL-2.1-only"},
    {"libcobalt", "libcobalt", NULL, "LGPL-2.1-or-later"},
    {"libmodechk", "libmodechk", NULL, "LGPL-2.1-or-later"},
    {"libasan", "libasan", NULL, "Apache-2.0 WITH LLVM-exception"},
    {"libubsan", "libubsan", NULL, "Apache-2.0 WITH LLVM-exception"},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* What the library says of itself, else the name of the file behind the links: "libx.so.1.0.0". */
static void library_version(char *text, size_t size, const struct library *row, const char *path)
{
    void *symbol = row->symbol != NULL ? dlsym(RTLD_DEFAULT, row->symbol) : NULL;
    char target[PATH_MAX];

    if (symbol != NULL) {
        const char *(*version)(void);

        memcpy((void *)&version, (void *)&symbol, sizeof version);
        snprintf(text, size, "%s", version());
    } else {
        snprintf(text, size, "%.100s", base_name(realpath(path, target) != NULL ? target : path));
    }
}

/* Where one visit of dl_iterate_phdr() writes to: the document, or the text when json is NULL. */
struct listing {
    struct json *json;
};

static void list_library(struct listing *l, const char *name, const char *version,
                         const char *licence)
{
    if (l->json == NULL) {
        printf("  %-12s %-24s %s\n", name, version, licence);
        return;
    }
    json_object(l->json, NULL);
    json_string(l->json, "name", name);
    json_string(l->json, "version", version);
    json_string(l->json, "licence", licence);
    json_end(l->json);
}

static int visit_library(struct dl_phdr_info *info, size_t size, void *data)
{
    const char *file = base_name(info->dlpi_name);
    struct library unknown = {file, file, NULL, "unknown"};
    const struct library *row = &unknown;
    char version[128];

    (void)size;
    if (file[0] == '\0') {
        return 0; /* the program itself */
    }
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (strncmp(file, libraries[i].file, strlen(libraries[i].file)) == 0) {
            row = &libraries[i];
            break;
        }
    }
    if (row->name != NULL) {
        library_version(version, sizeof version, row, info->dlpi_name);
        list_library(data, row->name, version, row->licence);
    }
    return 0;
}

/* SOEM is linked statically, and only by what calls it: the name is there if it is. */
extern const char ecx_config_init[] __attribute__((weak));

static void list_libraries(struct listing *l)
{
    if (ecx_config_init != NULL) {
        list_library(l, "SOEM", FREEFALL_SOEM_VERSION, "GPL-3.0-only");
    }
    dl_iterate_phdr(visit_library, l);
}

static int print_json(void)
{
    struct json j;
    struct listing listing = {&j};

    json_open(&j, stdout);
    json_object(&j, NULL);
    json_string(&j, "name", "freefall");
    json_string(&j, "version", FREEFALL_VERSION);
    json_string(&j, "commit", FREEFALL_COMMIT);
    json_string(&j, "licence", LICENCE);
    json_string(&j, "compiler", COMPILER);
    json_string(&j, "flags", FREEFALL_CFLAGS);
    json_string(&j, "arch", FREEFALL_ARCH);
    json_string(&j, "rt", FREEFALL_RT);
    json_bool(&j, "trace", FREEFALL_TRACE != 0);
    json_bool(&j, "sanitize", FREEFALL_SANITIZE != 0);
    json_array(&j, "libraries");
    list_libraries(&listing);
    json_end(&j);
    json_end(&j);
    return json_close(&j) == 0 ? COMMAND_PASS : COMMAND_INTERNAL;
}

static void print_text(void)
{
    struct listing listing = {NULL};

    printf("freefall %s (%s)\n", FREEFALL_VERSION, FREEFALL_COMMIT);
    printf("  %-12s %s\n", "licence", LICENCE);
    printf("  %-12s %s\n", "compiler", COMPILER);
    printf("  %-12s %s\n", "flags", FREEFALL_CFLAGS);
    printf("  %-12s %s\n", "real-time", FREEFALL_RT);
    printf("  %-12s %s\n", "trace marks", FREEFALL_TRACE ? "none yet; LTTng is linked" : "none");
    printf("  %-12s %s\n", "sanitizers", FREEFALL_SANITIZE ? "address, undefined" : "none");
    printf("libraries\n");
    list_libraries(&listing);
}

int version_main(int argc, char **argv)
{
    const char *values[1];

    if (command_parse(version_options, values, argc, argv, 0) < 0) {
        return COMMAND_USAGE;
    }
    if (values[0] != NULL) {
        return print_json();
    }
    print_text();
    return COMMAND_PASS;
}
