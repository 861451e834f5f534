/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sight.c - the keys vision.* become the model of the vision filter. */
#include "rt/sight.h"

#include <errno.h>
#include <string.h>

#include "model/mat.h"

static void build_prior(struct start_prior *p, const struct config *c)
{
    double J[9];

    p->attitude = config_number(c, "vision.prior.mu");
    p->rate = config_number(c, "vision.prior.w");
    p->inertia = config_number(c, "vision.prior.d");
    p->position = config_number(c, "vision.prior.r");
    p->velocity = config_number(c, "vision.prior.v");
    p->lever = config_number(c, "vision.prior.rho");
    config_vector(c, "vision.prior.lever", 3, p->rho);
    config_vector(c, "vision.prior.inertia", 9, J);
    mat_scale(J, 3.0 / (J[0] + J[4] + J[8]), J, 9); /* only the ratios show */
    target_numbers(p->d, J);
}

int sight_build(struct sight *s, const struct config *c, FILE *messages)
{
    struct vision_model *m = &s->model;

    vision_defaults(m);
    m->fit.target.orbit_radps = config_number(c, "vision.n_z");
    m->fit.target.sigma_tau = config_number(c, "vision.sigma_tau");
    m->fit.target.sigma_f = config_number(c, "vision.sigma_f");
    m->fit.huber = config_number(c, "vision.huber");
    m->fit.size = (int)config_integer(c, "vision.window");
    m->forget = config_number(c, "vision.forgetting");
    m->gate = config_number(c, "vision.gate");
    m->first_fit = (int)config_integer(c, "vision.first_fit");
    m->recovery = (int)config_integer(c, "vision.recovery");
    m->learn_noise = config_flag(c, "vision.learn_noise");
    m->silence_s = config_number(c, "vision.silence");
    m->limit_m = config_number(c, "vision.limit_position");
    m->limit_rad = config_number(c, "vision.limit_attitude");
    m->horizon_s = config_number(c, "vision.horizon");
    build_prior(&m->prior, c);
    paper_defaults(&s->paper);
    s->use_paper = strcmp(config_text(c, "vision.filter"), "paper") == 0;
    s->paper.orbit_radps = m->fit.target.orbit_radps;
    s->sigma_m = config_number(c, "vision.sigma_r");
    s->sigma_rad = config_number(c, "vision.sigma_theta");
    if (vision_check(m) != 0) {
        fprintf(messages, "freefall: vision: these values together make no filter: see the ranges "
                          "with freefall config keys\n");
        return -EINVAL;
    }
    return 0;
}
