/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ours.c - the multibody engine doing the work units, as a caller of its public stages would.
 *
 * Compiled twice, for any x86-64 and for AVX2, together with model/ at the same flags.
 */
#include "tests/perf/ours.h"
#include "tests/robots_model.h"
#include "model/mat.h"
#include "model/multibody_bias.h"
#include "model/multibody_inverse.h"
#include "model/multibody_mass.h"
#include "model/multibody_solve.h"
#include "model/trig.h"

#include <stdio.h>
#include <stdlib.h>

static int open_robot(struct ours_robot *o, const struct robot *r)
{
    int error = robots_model_build(&o->m, r);

    for (int i = 0; i < r->arms && !error; i++) {
        error = robots_model_frame(&o->frame[i], &o->m, r, i);
    }
    multibody_reset(&o->m, &o->w);
    if (error) {
        fprintf(stderr, "perf: the engine refuses the robot \"%s\" with %d\n", r->name, error);
    }
    return error;
}

static void *open_ours(void)
{
    struct ours *o = aligned_alloc(64, (sizeof *o + 63) / 64 * 64);

    if (!o) {
        return NULL;
    }
    memset(o, 0, sizeof *o);
    if (open_robot(&o->floating, &robots_floating) || open_robot(&o->two, &robots_multiarm) ||
        open_robot(&o->fixed, &robots_fixed)) {
        return NULL;
    }
    multibody_reset(&o->floating.m, &o->plant.robot);
    return o;
}

static void unit_fk_jac(void *self, const struct perf_state *s)
{
    struct ours_robot *o = &((struct ours *)self)->floating;

    multibody_kinematics(&o->m, &o->w, s->q);
    multibody_frame_jacobian(&o->J[0], &o->w, &o->frame[0]);
}

static void unit_crba(void *self, const struct perf_state *s)
{
    struct ours_robot *o = &((struct ours *)self)->floating;

    multibody_kinematics(&o->m, &o->w, s->q);
    multibody_mass(&o->m, &o->w);
    multibody_mass_joint(&o->m, &o->w);
}

static void unit_bias(void *self, const struct perf_state *s)
{
    struct ours *p = self;
    struct ours_robot *o = &p->floating;

    multibody_kinematics(&o->m, &o->w, s->q);
    multibody_rates(&o->m, &o->w, s->qd);
    multibody_mass_links(&o->m, &o->w);
    multibody_inverse_bias(&p->h, &o->m, &o->w, s->V);
}

static void input_of(struct multibody_input *in, struct multibody_contact *contact,
                     const struct ours_robot *o, const struct perf_state *s)
{
    *in = (struct multibody_input){.contacts = 1, .contact = contact};
    mat_copy(in->load.base, s->F_b, 6);
    mat_copy(in->load.joint, s->tau, o->m.joints);
    contact->frame = o->frame[0];
    mat_copy(contact->wrench, s->F_e, 6);
}

static void velocity_of(struct multibody_vector *nu, const struct ours_robot *o,
                        const struct perf_state *s)
{
    mat_copy(nu->base, s->V, 6);
    mat_copy(nu->joint, s->qd, o->m.joints);
}

static void unit_forward(void *self, const struct perf_state *s)
{
    struct ours *p = self;
    struct ours_robot *o = &p->floating;
    struct multibody_contact contact;
    struct multibody_input in;
    struct multibody_vector nu;

    input_of(&in, &contact, o, s);
    velocity_of(&nu, o, s);
    multibody_solve_forward(&p->acc, &o->m, &o->w, s->q, &nu, &in);
}

/* Poses, Jacobian, M and the sums of the bias: what eval and cycle begin with. */
static void begin(struct ours_robot *o, const struct perf_state *s)
{
    multibody_kinematics(&o->m, &o->w, s->q);
    multibody_rates(&o->m, &o->w, s->qd);
    multibody_frame_jacobian(&o->J[0], &o->w, &o->frame[0]);
    multibody_mass(&o->m, &o->w);
    multibody_mass_joint(&o->m, &o->w);
    multibody_bias(&o->m, &o->w);
}

static void unit_eval(void *self, const struct perf_state *s)
{
    struct ours *p = self;
    struct ours_robot *o = &p->floating;
    struct multibody_vector load;

    begin(o, s);
    multibody_bias_base(p->h.base, &o->w, s->V);
    multibody_bias_joint(p->h.joint, &o->m, &o->w, s->V);
    multibody_bias_base(p->h_ground.base, &o->w, s->V_ground);
    multibody_bias_joint(p->h_ground.joint, &o->m, &o->w, s->V_ground);

    mat_sub(load.base, s->F_b, p->h.base, 6);
    mat_sub(load.joint, s->tau, p->h.joint, o->m.joints);
    multibody_frame_wrench(&load, &o->m, &o->w, &o->frame[0], s->F_e);
    multibody_mass_base_solve(p->base_acc, &o->w, load.base);
    multibody_solve_once(&p->acc, &o->m, &o->w, NULL, &load);
}

static void unit_cycle(void *self, const struct perf_state *s)
{
    struct ours *p = self;
    struct ours_robot *o = &p->floating;
    const double weightless[6] = {0};
    const double upward[6] = {-s->gravity[0], -s->gravity[1], -s->gravity[2]};
    double W[6], pull[6];

    begin(o, s);
    multibody_mass_reaction(W, &o->m, &o->w, s->qdd); /* M_bq qdd */
    se3_apply_Ad_inverse_transpose(pull, &o->J[0].g, s->F_e);
    for (int i = 0; i < 6; i++) {
        W[i] = s->F_b[i] + pull[i] - W[i];
    }
    multibody_bias_step(p->V, &o->w, s->V, W, PERF_STEP_S); /* four stages */
    multibody_bias_between(p->feed, &o->m, &o->w, s->V_ground, upward, s->V, weightless);
}

static void unit_plant(void *self, const struct perf_state *s)
{
    struct ours *p = self;
    struct ours_robot *o = &p->floating;
    struct motion_input in = {0};

    mat_copy(in.load.joint, s->tau, o->m.joints);
    se3_identity(&p->moved.pose);
    mat_copy(p->moved.q, s->q, o->m.joints);
    velocity_of(&p->moved.nu, o, s);
    motion_rk4(&o->m, &p->plant, &p->moved, &in, &p->out, PERF_STEP_S);
}

static void unit_20_kindyn(void *self, const struct perf_state *s)
{
    struct ours *p = self;
    struct ours_robot *o = &p->two;

    multibody_kinematics(&o->m, &o->w, s->q);
    multibody_rates(&o->m, &o->w, s->qd);
    multibody_frame_jacobian(&o->J[0], &o->w, &o->frame[0]);
    multibody_frame_jacobian(&o->J[1], &o->w, &o->frame[1]);
    multibody_mass(&o->m, &o->w);
    multibody_mass_joint(&o->m, &o->w);
    multibody_inverse_bias(&p->h, &o->m, &o->w, s->V);
}

static void unit_20_ctrl(void *self, const struct perf_state *s)
{
    struct ours *p = self;
    struct ours_robot *o = &p->two;

    unit_20_kindyn(self, s);
    multibody_solve_factor(&o->m, &o->w, NULL);
    taskspace_solve(&o->m, &o->w, o->J, 2, &p->task);
}

static void unit_fix_mass(void *self, const struct perf_state *s)
{
    struct ours_robot *o = &((struct ours *)self)->fixed;

    multibody_kinematics(&o->m, &o->w, s->q);
    multibody_mass(&o->m, &o->w);
    multibody_mass_joint(&o->m, &o->w);
}

static void unit_fix_bias(void *self, const struct perf_state *s)
{
    struct ours *p = self;
    struct ours_robot *o = &p->fixed;
    const double still[6] = {0};

    multibody_kinematics(&o->m, &o->w, s->q);
    multibody_rates(&o->m, &o->w, s->qd);
    multibody_mass_links(&o->m, &o->w);
    multibody_inverse_bias(&p->h, &o->m, &o->w, still);
}

static void unit_fix_fk_jac(void *self, const struct perf_state *s)
{
    struct ours_robot *o = &((struct ours *)self)->fixed;

    multibody_kinematics(&o->m, &o->w, s->q);
    multibody_frame_jacobian(&o->J[0], &o->w, &o->frame[0]);
}

static void unit_sincos(void *self, const struct perf_state *s)
{
    struct ours *p = self;

    trig_sincos8(p->s, p->c, s->q);
}

#ifndef PERF_NAME
#define PERF_NAME "ours"
#endif

PERF_EXPORT extern const struct perf_library perf_library;
const struct perf_library perf_library = {
    .name = PERF_NAME,
    .build = PERF_BUILD,
    .ours = 1,
#ifdef __AVX2__
    .needs_avx2 = 1,
#endif
    .open = open_ours,
    .unit = {[PERF_FK_JAC] = unit_fk_jac,
             [PERF_CRBA] = unit_crba,
             [PERF_BIAS] = unit_bias,
             [PERF_FORWARD] = unit_forward,
             [PERF_EVAL] = unit_eval,
             [PERF_CYCLE] = unit_cycle,
             [PERF_PLANT] = unit_plant,
             [PERF_20_KINDYN] = unit_20_kindyn,
             [PERF_20_CTRL] = unit_20_ctrl,
             [PERF_FIX_MASS] = unit_fix_mass,
             [PERF_FIX_BIAS] = unit_fix_bias,
             [PERF_FIX_FK_JAC] = unit_fix_fk_jac,
             [PERF_SINCOS] = unit_sincos},
    .result = ours_result,
};
