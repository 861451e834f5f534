/* SPDX-License-Identifier: GPL-3.0-or-later */
/* obsw_tape.c - keeps each answer of the on-board software, or plays a kept one. */
#include "rt/obsw_tape.h"

#include "model/mat.h"

RT_SAFE static void keep(struct record_obsw *r, uint64_t cycle, int code,
                         const struct obsw_output *out)
{
    r->cycle = cycle;
    r->code = code;
    r->version = out->version;
    r->answered = out->cycle;
    r->size = out->size;
    r->phase = out->phase;
    r->grip = out->grip;
    mat_copy(r->base_wrench, out->base_wrench, 6);
    mat_copy(r->joint_torque, out->joint_torque, OBSW_JOINTS);
}

/* Without an answer for this cycle the output stays as it came: late. */
RT_SAFE static int play(const struct record_obsw *r, uint64_t cycle, struct obsw_output *out)
{
    if (r->cycle != cycle) {
        return 0;
    }
    out->version = r->version;
    out->cycle = r->answered;
    out->size = r->size;
    out->phase = r->phase;
    out->grip = r->grip;
    mat_copy(out->base_wrench, r->base_wrench, 6);
    mat_copy(out->joint_torque, r->joint_torque, OBSW_JOINTS);
    return r->code;
}

RT_SAFE static int tape_step(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    struct obsw_tape *t = self;
    int code;

    t->asked = true;
    if (t->inner.table == NULL) {
        return play(&t->last, in->cycle, out);
    }
    code = t->inner.table->step(t->inner.self, in, out);
    keep(&t->last, in->cycle, code, out);
    return code;
}

struct control_obsw obsw_tape_open(struct obsw_tape *tape, const struct control_obsw *inner)
{
    memset(tape, 0, sizeof *tape);
    tape->last.cycle = UINT64_MAX;
    tape->table = (struct obsw_interface){
        .version = OBSW_VERSION, .name = "recorded answers", .step = tape_step};
    if (inner != NULL) {
        tape->inner = *inner;
        tape->table.version = inner->table->version;
        tape->table.name = inner->table->name;
        tape->table.phase_name = inner->table->phase_name;
    }
    return (struct control_obsw){&tape->table, tape};
}
