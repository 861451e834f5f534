/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sight.h - the keys vision.* become the model of the vision filter. */
#ifndef FREEFALL_SIGHT_H
#define FREEFALL_SIGHT_H

#include "config/config.h"
#include "estimation/paper.h"
#include "estimation/vision.h"

/* Constant after sight_build(). */
struct sight {
    struct vision_model model;
    bool use_paper; /* the paper's own filter instead, for comparison */
    struct paper_model paper;
    double sigma_m, sigma_rad; /* noise of poses whose source gives none */
};

/* 0, or -EINVAL after saying on `messages` what is wrong. */
int sight_build(struct sight *s, const struct config *c, FILE *messages);

#endif
