/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_example.c - on-board software to copy and change: stop the base turning, hold the arm where
 * it is.
 *
 *     F_b = [0; -d w]              the base's rate is damped, its velocity left alone
 *     tau = k (q0 - q) - b dq      the joints are held where the first cycle found them
 *
 * It needs obsw.h and nothing else of freefall, and is valid C11 and C++11. The gains may be given
 * in the configuration as text, "d k b" in Nms/rad, Nm/rad and Nms/rad: README.md beside this file
 * says how to compile and run it.
 */
#include "obsw.h"

#include <stdio.h>
#include <stdlib.h>

enum phase { PHASE_WAIT, PHASE_DAMP };

/* Everything that lasts longer than a cycle, behind the one pointer. */
struct example {
    double rate_damping;    /* d, Nms/rad */
    double joint_stiffness; /* k, Nm/rad */
    double joint_damping;   /* b, Nms/rad */
    uint32_t joints;
    enum phase phase;
    double start[OBSW_JOINTS]; /* q0, rad */
};

/* Before the first cycle: here one may allocate, read files and refuse. */
static void *init(const struct obsw_setup *setup)
{
    struct example *e;

    if (setup->version != OBSW_VERSION || setup->size != sizeof *setup ||
        setup->joints > OBSW_JOINTS) {
        return NULL;
    }
    e = (struct example *)calloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    e->rate_damping = 400.0;
    /* damping times period over inertia must stay well below 1: the last joint of the LBR has 0.005 kgm2 */
    e->joint_stiffness = 5.0;
    e->joint_damping = 0.5;
    e->joints = setup->joints;
    if (setup->parameters[0] != '\0' &&
        (sscanf(setup->parameters, "%lf %lf %lf", &e->rate_damping, &e->joint_stiffness,
                &e->joint_damping) != 3 ||
         !(e->rate_damping >= 0.0 && e->joint_stiffness >= 0.0 && e->joint_damping >= 0.0))) {
        fprintf(stderr, "obsw_example: expected three gains not below 0 as \"400 5 0.5\"\n");
        free(e);
        return NULL;
    }
    return e;
}

/* Every cycle: no allocation, lock, wait or file. Cycle 0 begins a run, maybe not the first one. */
static int step(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    struct example *e = (struct example *)self;
    uint32_t i;

    out->version = OBSW_VERSION;
    out->size = sizeof *out;
    out->cycle = in->cycle;
    out->grip = 0;
    for (i = 0; i < 6; i++) {
        out->base_wrench[i] = 0.0;
    }
    for (i = 0; i < OBSW_JOINTS; i++) {
        out->joint_torque[i] = 0.0;
    }

    if (in->cycle == 0) {
        e->phase = PHASE_WAIT;
    }
    if (in->valid & OBSW_VALID_RATE) {
        for (i = 3; i < 6; i++) {
            out->base_wrench[i] = -e->rate_damping * in->base_velocity[i];
        }
    }
    if (in->valid & OBSW_VALID_JOINTS) {
        for (i = 0; i < e->joints; i++) {
            if (e->phase == PHASE_WAIT) {
                e->start[i] = in->joint_position[i];
            }
            out->joint_torque[i] = e->joint_stiffness * (e->start[i] - in->joint_position[i]) -
                                   e->joint_damping * in->joint_velocity[i];
        }
        e->phase = PHASE_DAMP;
    }
    out->phase = (uint32_t)e->phase;
    return 0;
}

static void terminate(void *self)
{
    free(self);
}

static const char *phase_name(uint32_t phase)
{
    return phase == PHASE_WAIT ? "wait" : phase == PHASE_DAMP ? "damp" : NULL;
}

const struct obsw_interface *obsw_table(void)
{
    static const struct obsw_interface table = {OBSW_VERSION, 0,         "example", init,
                                                step,         terminate, phase_name};

    return &table;
}
