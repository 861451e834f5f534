/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt/obsw_builtin.h"

#include <errno.h>

int obsw_builtin_capture_init(struct obsw_builtin_capture *c, const struct obsw_setup *setup)
{
    if (setup->version != OBSW_VERSION || setup->size != sizeof *setup || setup->period_ns <= 0 ||
        setup->joints != (uint32_t)c->model.robot.joints) {
        return -EINVAL;
    }
    c->dt_s = (double)setup->period_ns * 1e-9;
    if (capture_init(&c->model, &c->start) != 0) {
        return -EINVAL;
    }
    c->state = c->start;
    return 0;
}

/* Memory is the caller's: a setup alone makes none. */
static void *make_nothing(const struct obsw_setup *setup)
{
    (void)setup;
    return NULL;
}

static void free_nothing(void *self)
{
    (void)self;
}

RT_SAFE static int zero_step(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    (void)self;
    *out = (struct obsw_output){.version = OBSW_VERSION, .size = sizeof *out, .cycle = in->cycle};
    return 0;
}

static const char *zero_phase_name(uint32_t phase)
{
    return phase == 0 ? "unforced" : NULL;
}

RT_SAFE static int capture_table_step(void *self, const struct obsw_input *in,
                                      struct obsw_output *out)
{
    struct obsw_builtin_capture *c = self;

    if (in->cycle == 0) {
        c->state = c->start;
    }
    capture_step(&c->model, &c->state, in, out, c->dt_s);
    return 0;
}

const struct obsw_interface obsw_builtin_zero_table = {
    .version = OBSW_VERSION,
    .name = "zero",
    .init = make_nothing,
    .step = zero_step,
    .terminate = free_nothing,
    .phase_name = zero_phase_name,
};

const struct obsw_interface obsw_builtin_capture_table = {
    .version = OBSW_VERSION,
    .name = "capture",
    .init = make_nothing,
    .step = capture_table_step,
    .terminate = free_nothing,
    .phase_name = capture_phase_name,
};
