/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugin.h - on-board software from a shared library, checked before its first step.
 *
 *     LIBRARY.so --> obsw_table() --> version, every function --> init(setup) --> table and self
 *
 * Nothing here runs inside the cycle; only the library's own step() does, and it must keep the
 * promise written in model/obsw.h. A library lives in our process: what it breaks, it breaks for
 * the robots too. Software that is not trusted belongs into a process of its own
 * (rt/obsw_process.h).
 */
#ifndef FREEFALL_PLUGIN_H
#define FREEFALL_PLUGIN_H

#include "model/obsw.h"

struct plugin {
    const struct obsw_interface *table;
    void *self;    /* what init returned */
    void *library; /* handle of dlopen() */
};

/* Load the file, check it and start it. A name without a slash is a file of the current folder,
 * not a search through the system's libraries. 0, or after a message on stderr: -ENOENT no such
 * file, -ELIBBAD not a library or without obsw_table(), -EPROTO another version or a table with
 * holes, -EINVAL it refused the setup. */
int plugin_open(struct plugin *p, const char *path, const struct obsw_setup *setup);

/* Let it free what it has, and unload it. A plugin that was never opened, but is all zero, is
 * left alone. */
void plugin_close(struct plugin *p);

#endif
