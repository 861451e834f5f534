/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_format.h - one answer to the robot, from numbers to bytes. */
#ifndef FREEFALL_RSI_FORMAT_H
#define FREEFALL_RSI_FORMAT_H

#include "drivers/rsi_model.h"

struct rsi_answer {
    size_t n; /* 0: there is none */
    char bytes[RSI_ANSWER_MAX];
};

/* The answer to the telegram with that IPOC: correction in m and rad (RSI_POSE) or rad (RSI_AXES). A value that is not
 * finite leaves no answer: the robot holds its last one, which is better than any guess. */
RT_SAFE void rsi_format(struct rsi_answer *a, const struct rsi_model *m, uint64_t ipoc,
                        const double correction[static 6], bool stop);

#endif
