/* SPDX-License-Identifier: GPL-3.0-or-later */
/* post.c - see post.h. */
#include "tools/lab/post.h"

#include <math.h>
#include <string.h>

void post_init(struct post *p, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    random_init(&p->random, seed, 0x905);
    for (int i = 0; i < POST_QUEUE; i++) {
        p->letter[i].due_ns = INT64_MAX;
    }
}

static void put(struct post *p, int64_t due_ns, const char *bytes, int n)
{
    for (int i = 0; i < POST_QUEUE; i++) {
        if (p->letter[i].due_ns == INT64_MAX) {
            p->letter[i].due_ns = due_ns;
            p->letter[i].n = n;
            memcpy(p->letter[i].bytes, bytes, (size_t)n);
            return;
        }
    }
    p->overflow++;
}

void post_send(const struct post_model *m, struct post *p, int64_t t_ns, int64_t gap_ns,
               const char *bytes, int n)
{
    /* always the same number of draws, so that one fault does not change another */
    const double u = random_uniform(&p->random), lost = random_uniform(&p->random);
    const double twice = random_uniform(&p->random), behind = random_uniform(&p->random);
    int64_t due_ns = t_ns + (int64_t)(1e9 * (m->latency_s - m->jitter_s * log(1.0 - u)));

    p->sent++;
    if (p->lose_next > 0 || lost < m->loss) {
        p->lose_next -= p->lose_next > 0;
        p->lost++;
        return;
    }
    if (behind < m->behind) {
        due_ns += gap_ns + gap_ns / 4;
        p->reordered++;
    }
    put(p, due_ns, bytes, n);
    if (twice < m->twice) {
        put(p, due_ns + gap_ns / 8, bytes, n);
        p->doubled++;
    }
}

static int earliest(const struct post *p)
{
    int best = 0;

    for (int i = 1; i < POST_QUEUE; i++) {
        best = p->letter[i].due_ns < p->letter[best].due_ns ? i : best;
    }
    return best;
}

int64_t post_due(const struct post *p)
{
    return p->letter[earliest(p)].due_ns;
}

int post_receive(struct post *p, int64_t t_ns, int64_t *arrival_ns,
                 char out[static KRC_TELEGRAM_MAX])
{
    struct post_letter *l = &p->letter[earliest(p)];

    if (l->due_ns > t_ns) {
        return -1;
    }
    *arrival_ns = l->due_ns;
    memcpy(out, l->bytes, (size_t)l->n);
    l->due_ns = INT64_MAX;
    return l->n;
}
