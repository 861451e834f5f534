/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robots.h - keys of a configuration to the links of the industrial robots. */
#ifndef FREEFALL_ROBOTS_H
#define FREEFALL_ROBOTS_H

#include "config/config.h"
#include "rt/rsi_link.h"

#define ROBOTS_MAX 2

/* Fill the models from robots.links: their number, or -EINVAL after saying on `messages` what is wrong. */
int robots_models(struct rsi_link_model models[static ROBOTS_MAX], const struct config *c,
                  FILE *messages);

#endif
