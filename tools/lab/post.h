/* SPDX-License-Identifier: GPL-3.0-or-later */
/* post.h - datagrams on their way in one direction: late, lost, doubled, overtaken. Time comes from outside. */
#ifndef FREEFALL_LAB_POST_H
#define FREEFALL_LAB_POST_H

#include "model/random.h"
#include "tools/lab/krc.h"

#define POST_QUEUE 32

struct post_model {
    double latency_s, jitter_s; /* least delay; mean of what comes on top (exponential) */
    double loss, twice, behind; /* probabilities: lost, doubled, delivered after the next one */
};

struct post_letter {
    int64_t due_ns; /* INT64_MAX: empty place */
    int n;
    char bytes[KRC_TELEGRAM_MAX];
};

struct post {
    struct random_state random;
    uint64_t sent, lost, doubled, reordered, overflow;
    int lose_next; /* so many are lost whatever the probability */
    struct post_letter letter[POST_QUEUE];
};

void post_init(struct post *p, uint64_t seed);

/* Hand in; `gap_ns` is when the next one follows, what is overtaken comes behind it. */
void post_send(const struct post_model *m, struct post *p, int64_t t_ns, int64_t gap_ns,
               const char *bytes, int n);

/* When the next one arrives; INT64_MAX: nothing is on the way. */
int64_t post_due(const struct post *p);

/* One that has arrived by t_ns, earliest first: its bytes, -1 for none. *arrival_ns when it did. */
int post_receive(struct post *p, int64_t t_ns, int64_t *arrival_ns,
                 char out[static KRC_TELEGRAM_MAX]);

#endif
