/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_capture.c - the built-in capture controller as a plug-in library, for tests/obsw.sh. */
#include <stdlib.h>

#include "rt/obsw_builtin.h"
#include "tests/robots_model.h"

static int set_model(struct capture_model *m)
{
    static const double inertia[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
    int bad = robots_model_build(&m->robot, &robots_servicer);

    bad |= robots_model_frame(&m->gripper, &m->robot, &robots_servicer, 0);
    bad |= rigid_init(&m->client, 7827.867, inertia);
    se3_identity(&m->base_place);
    se3_identity(&m->grasp);
    m->base = m->tool = (struct capture_stiffness){500.0, 300.0};
    for (int i = 0; i < 6; i++) {
        m->base_damping[i] = 1000.0;
    }
    for (int i = 0; i < m->robot.joints; i++) {
        m->joint_damping[i] = 10.0;
    }
    m->rigidise_damping = 1.0;
    m->tool_ramp_s[1] = 0.3;
    m->approach_s[0] = 0.5;
    m->approach_s[1] = 1.5;
    return bad;
}

static void *init(const struct obsw_setup *setup)
{
    struct obsw_builtin_capture *c = calloc(1, sizeof *c);

    if (c != NULL && (set_model(&c->model) != 0 || obsw_builtin_capture_init(c, setup) != 0)) {
        free(c);
        c = NULL;
    }
    return c;
}

static int step(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    return obsw_builtin_capture_table.step(self, in, out);
}

static const char *phase_name(uint32_t phase)
{
    return obsw_builtin_capture_table.phase_name(phase);
}

const struct obsw_interface *obsw_table(void)
{
    static const struct obsw_interface table = {
        OBSW_VERSION, 0, "capture as a library", init, step, free, phase_name};

    return &table;
}
