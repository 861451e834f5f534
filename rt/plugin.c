/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const struct obsw_interface *(*table_function)(void);

/* ISO C has no cast from data to function pointers; POSIX promises that the bytes are the same. */
static table_function as_function(void *symbol)
{
    table_function function;

    _Static_assert(sizeof function == sizeof symbol,
                   "POSIX: a symbol of dlsym() may be a function");
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static int refuse(const char *path, int code, const char *text)
{
    fprintf(stderr, "freefall: obsw: %s: %s\n", path, text);
    return code;
}

/* The table of a loaded library, or NULL after a message. */
static const struct obsw_interface *find_table(const char *path, void *library)
{
    void *symbol = dlsym(library, "obsw_table");
    const struct obsw_interface *table = NULL;

    if (symbol == NULL) {
        refuse(path, 0,
               "expected a function obsw_table(), found none; define the one that obsw.h "
               "declares and export it (no -fvisibility=hidden)");
        return NULL;
    }
    table = as_function(symbol)();
    if (table == NULL) {
        refuse(
            path, 0,
            "obsw_table() returned NULL; it must return the address of its struct obsw_interface");
    }
    return table;
}

static int check_table(const char *path, const struct obsw_interface *table)
{
    if (table->version != OBSW_VERSION) {
        fprintf(stderr,
                "freefall: obsw: %s: compiled with version %u of obsw.h, expected %u; compile it "
                "again with the obsw.h of this freefall\n",
                path, (unsigned)table->version, OBSW_VERSION);
        return -EPROTO;
    }
    if (table->name == NULL) {
        return refuse(path, -EPROTO, "its table has no name; set .name");
    }
    if (table->init == NULL || table->step == NULL || table->terminate == NULL ||
        table->phase_name == NULL) {
        fprintf(stderr,
                "freefall: obsw: %s: its table has no %s(); all four functions must be there\n",
                path,
                table->init == NULL        ? "init"
                : table->step == NULL      ? "step"
                : table->terminate == NULL ? "terminate"
                                           : "phase_name");
        return -EPROTO;
    }
    return 0;
}

/* Table and self of a loaded library. */
static int start(struct plugin *p, const char *path, const struct obsw_setup *setup)
{
    int code;

    p->table = find_table(path, p->library);
    if (p->table == NULL) {
        return -ELIBBAD;
    }
    code = check_table(path, p->table);
    if (code != 0) {
        return code;
    }
    p->self = p->table->init(setup);
    if (p->self == NULL) {
        fprintf(
            stderr,
            "freefall: obsw: %s: \"%s\" refused its setup (%u joints, period %lld ns, parameters "
            "\"%.60s\"); correct obsw.parameters or the library's init()\n",
            path, p->table->name, (unsigned)setup->joints, (long long)setup->period_ns,
            setup->parameters);
        return -EINVAL;
    }
    return 0;
}

int plugin_open(struct plugin *p, const char *path, const struct obsw_setup *setup)
{
    char full[PATH_MAX];
    int code;

    *p = (struct plugin){.table = NULL};
    if (setup->version != OBSW_VERSION || setup->size != sizeof *setup ||
        memchr(setup->parameters, '\0', sizeof setup->parameters) == NULL) {
        return refuse(path, -EINVAL,
                      "not started: version, size or end of the parameters of its setup are wrong");
    }
    if (realpath(path, full) == NULL) {
        fprintf(stderr, "freefall: obsw: %s: %s; name the file of a shared library\n", path,
                strerror(errno));
        return -ENOENT;
    }
    p->library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    if (p->library == NULL) {
        fprintf(stderr,
                "freefall: obsw: %s: not a library that can be loaded: %s; compile it with -shared "
                "-fPIC for this machine\n",
                path, dlerror());
        return -ELIBBAD;
    }
    code = start(p, path, setup);
    if (code != 0) {
        dlclose(p->library);
        *p = (struct plugin){.table = NULL};
    }
    return code;
}

void plugin_close(struct plugin *p)
{
    if (p->self != NULL) {
        p->table->terminate(p->self);
    }
    if (p->library != NULL) {
        dlclose(p->library);
    }
    *p = (struct plugin){.table = NULL};
}
