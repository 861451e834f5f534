/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_host.c - freefall obsw-host LIBRARY: on-board software of a library, in a process of its
 * own.
 *
 * Started by the controller with the shared memory as descriptor 3. Loads the library, answers one
 * question per cycle, and ends when asked to or when the controller is gone.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "rt/obsw_process.h"
#include "rt/plugin.h"
#include "tools/command.h"

#define WAIT_NS 100000000 /* between two looks whether the controller still lives */

/* Answer until the end. */
static void serve(struct obsw_memory *memory, const struct plugin *plugin)
{
    enum obsw_memory_event event;

    do {
        event = obsw_memory_answer(memory, plugin->table, plugin->self, WAIT_NS);
    } while (event != OBSW_MEMORY_END &&
             (event == OBSW_MEMORY_ANSWERED || !obsw_memory_left(memory)));
}

int obsw_host_main(int argc, char **argv)
{
    static const struct command_option no_options[] = {{NULL, NULL, NULL}};
    struct obsw_memory memory;
    struct obsw_setup setup;
    struct plugin plugin;

    if (command_parse(no_options, NULL, argc, argv, 1) < 0) {
        return COMMAND_USAGE;
    }
    if (argc < 2) {
        return command_refuse(argv[0], "expected the file of a shared library");
    }
    if (obsw_memory_attach(&memory, OBSW_PROCESS_FD) != 0) {
        return COMMAND_MISSING;
    }
    setup = memory.page->setup;
    if (plugin_open(&plugin, argv[1], &setup) != 0) {
        obsw_memory_refuse(&memory);
        obsw_memory_close(&memory);
        return COMMAND_CONFIG;
    }
    /* no page of code or data shall be missing when a question comes; without the right it is
     * slower, not wrong */
    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    obsw_memory_ready(&memory, plugin.table);
    serve(&memory, &plugin);
    plugin_close(&plugin);
    obsw_memory_close(&memory);
    return COMMAND_PASS;
}
