/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_compare.c - the same library in this process and in another one, the same questions: are the
 * answers the same bytes?
 *
 *     obsw_compare LIBRARY CYCLES PARAMETERS PROGRAM [WORDS...]
 *
 * PROGRAM with its words is the other process. Runs twice, the second time with denormal numbers
 * flushed to zero and questions full of them. Ends with 0 when nothing differs, 1 when something
 * does, 2 when it could not start. For tests/obsw.sh.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/so3.h"
#include "rt/obsw_process.h"
#include "rt/platform.h"
#include "rt/plugin.h"
#include "tests/draw.h"

enum { JOINTS = 7 };

static void draw_question(struct draw *d, uint64_t cycle, bool tiny, struct obsw_input *in)
{
    const double size = tiny ? 1e-310 : 1.0;
    double turn[3], R[9];

    *in = (struct obsw_input){.version = OBSW_VERSION, .size = sizeof *in, .cycle = cycle};
    in->time_ns = (int64_t)cycle * 1000000;
    in->valid = (uint32_t)draw_bits(d) & 31u;
    in->latched = draw_index(d, 50) == 0;
    draw_vector(d, turn, 3, 1.0);
    so3_exp(R, turn);
    so3_to_quat(in->attitude, R);
    so3_to_quat(in->relative_pose + 3, R);
    draw_vector(d, in->relative_pose, 3, 5.0);
    draw_vector(d, in->base_velocity, 6, 0.1 * size);
    draw_vector(d, in->client_velocity, 6, 0.1 * size);
    draw_vector(d, in->joint_position, JOINTS, 2.0 * size);
    draw_vector(d, in->joint_velocity, JOINTS, 0.5 * size);
    draw_vector(d, in->gripper_wrench, 6, 100.0 * size);
}

/* How many answers differ, and how many command anything at all. */
struct count {
    long different, commands;
};

static struct count compare(const struct plugin *library, struct obsw_process *process,
                            uint64_t cycles, bool tiny)
{
    struct draw d = {2024};
    struct count count = {0, 0};

    for (uint64_t k = 0; k < cycles; k++) {
        struct obsw_output here = {.cycle = ~k}, there = {.cycle = ~k};
        struct obsw_input in;
        int code[2];

        platform_flush_denormals(false); /* or the questions themselves would be zero */
        draw_question(&d, k, tiny, &in);
        platform_flush_denormals(tiny);
        code[0] = library->table->step(library->self, &in, &here);
        code[1] = process->table.step(process, &in, &there);
        if (code[0] != code[1] || memcmp(&here, &there, sizeof here) != 0) {
            if (count.different == 0) {
                printf("first difference in cycle %llu: code %d and %d, answers to %llu and %llu\n",
                       (unsigned long long)k, code[0], code[1], (unsigned long long)here.cycle,
                       (unsigned long long)there.cycle);
            }
            count.different++;
        }
        count.commands += draw_size(here.base_wrench, 6) > 0.0;
    }
    return count;
}

static int run(const char *path, uint64_t cycles, const struct obsw_setup *setup, char **argv,
               bool tiny)
{
    const int64_t second = 1000000000;
    const struct obsw_process_model model = {argv, 100 * second, 20 * second, second, tiny};
    struct obsw_process process;
    struct plugin library;
    char text[OBSW_PROCESS_TEXT_SIZE];
    struct count count;
    int code = 2;

    if (plugin_open(&library, path, setup) != 0) {
        return code;
    }
    if (obsw_process_open(&process, &model, setup) == 0) {
        count = compare(&library, &process, cycles, tiny);
        platform_flush_denormals(false);
        if (!obsw_process_runs(&process, text)) {
            printf("the process %s\n", text);
        }
        printf("%s: %llu cycles, %ld with a command, %ld differ\n", process.table.name,
               (unsigned long long)cycles, count.commands, count.different);
        code = count.different == 0 ? 0 : 1;
        obsw_process_close(&process);
    }
    plugin_close(&library);
    return code;
}

int main(int argc, char **argv)
{
    struct obsw_setup setup = {OBSW_VERSION, sizeof setup, 1000000, JOINTS, 0, 1, ""};
    uint64_t cycles;
    int code;

    if (argc < 5) {
        fprintf(stderr, "usage: obsw_compare LIBRARY CYCLES PARAMETERS PROGRAM [WORDS...]\n");
        return 2;
    }
    cycles = strtoull(argv[2], NULL, 10);
    snprintf(setup.parameters, sizeof setup.parameters, "%s", argv[3]);
    code = run(argv[1], cycles, &setup, argv + 4, false);
    return code != 0 ? code : run(argv[1], cycles, &setup, argv + 4, true);
}
