/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_format.c - see rsi_format.h. RSI_ANSWER_MAX holds 17 names and 7 numbers of greatest length. */
#include "drivers/rsi_format.h"

#include "drivers/rsi_number.h"

#define RADIAN (180.0 / BASE_PI) /* deg */

RT_SAFE static char *put(char *at, const char *text)
{
    while (*text != '\0') {
        *at++ = *text++;
    }
    return at;
}

RT_SAFE static char *put_open(char *at, const char *name)
{
    *at++ = '<';
    at = put(at, name);
    *at++ = '>';
    return at;
}

RT_SAFE static char *put_close(char *at, const char *name)
{
    at = put(at, "</");
    at = put(at, name);
    *at++ = '>';
    return at;
}

/* NULL when a number cannot be written. */
RT_SAFE static char *put_correction(char *at, const struct rsi_model *m,
                                    const double correction[static 6])
{
    *at++ = '<';
    at = put(at, m->tags.correction);
    for (int i = 0; i < 6; i++) {
        const double scale = m->kind == RSI_POSE && i < 3 ? 1e3 : RADIAN;
        size_t n;

        *at++ = ' ';
        at = put(at, m->tags.channel[i]);
        at = put(at, "=\"");
        n = rsi_number_put(at, scale * correction[i], m->decimals);
        if (n == 0) {
            return NULL;
        }
        at += n;
        *at++ = '"';
    }
    return put(at, " />");
}

void rsi_format(struct rsi_answer *a, const struct rsi_model *m, uint64_t ipoc,
                const double correction[static 6], bool stop)
{
    const struct rsi_tags *t = &m->tags;
    char *at = a->bytes;

    *at++ = '<';
    at = put(at, t->answer);
    at = put(at, " Type=\"");
    at = put(at, t->type);
    at = put(at, "\">");
    if (t->text[0] != '\0') {
        at = put_open(at, t->text);
        at = put(at, t->message);
        at = put_close(at, t->text);
    }
    at = put_correction(at, m, correction);
    if (!at) {
        a->n = 0;
        return;
    }
    if (t->stop[0] != '\0') {
        at = put_open(at, t->stop);
        *at++ = stop ? '1' : '0';
        at = put_close(at, t->stop);
    }
    at = put_open(at, t->ipoc);
    at += rsi_number_put_integer(at, ipoc);
    at = put_close(at, t->ipoc);
    at = put_close(at, t->answer);
    a->n = (size_t)(at - a->bytes);
}
