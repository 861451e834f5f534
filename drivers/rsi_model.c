/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_model.c - see rsi_model.h. */
#include "drivers/rsi_model.h"

#include <errno.h>
#include <stdio.h>

#define DEGREE (BASE_PI / 180.0)

static void name(char out[static RSI_NAME_MAX], const char *text)
{
    snprintf(out, RSI_NAME_MAX, "%s", text);
}

static void default_tags(struct rsi_tags *t, enum rsi_kind kind)
{
    static const char *const channels[2][6] = {{"X", "Y", "Z", "A", "B", "C"},
                                               {"A1", "A2", "A3", "A4", "A5", "A6"}};

    name(t->root, "Rob");
    name(t->pose, "RIst");
    name(t->axes, "AIPos");
    name(t->delay, "Delay");
    name(t->delay_value, "D");
    name(t->ipoc, "IPOC");
    name(t->answer, "Sen");
    name(t->type, "ImFree");
    name(t->correction, kind == RSI_POSE ? "RKorr" : "AKorr");
    name(t->stop, "Stop");
    name(t->text, "EStr");
    name(t->message, "freefall");
    for (int i = 0; i < 6; i++) {
        name(t->channel[i], channels[kind == RSI_AXES][i]);
    }
}

void rsi_model_default(struct rsi_model *m, enum rsi_kind kind)
{
    memset(m, 0, sizeof *m);
    m->kind = kind;
    m->cycle_ns = 4000000;
    m->decimals = 6;
    default_tags(&m->tags, kind);
    for (int i = 0; i < 6; i++) {
        const bool metres = kind == RSI_POSE && i < 3;

        m->limiter.channel[i] =
            metres ? (struct limiter_channel){0.002, 0.25, 5.0, 500.0, -0.4, 0.4}
                   : (struct limiter_channel){0.5 * DEGREE,   30 * DEGREE,  600 * DEGREE,
                                              60000 * DEGREE, -60 * DEGREE, 60 * DEGREE};
    }
    m->limiter.dt_s = 0.004;
    m->sample_delay_ns = 2000000;
    m->loop_delay_ns = 30000000;
    m->tracking_m = 1e-3;
    m->tracking_rad = 0.5 * DEGREE;
    m->arm_m = 2e-3;
    m->arm_rad = 0.5 * DEGREE;
    m->singular_rad = 10 * DEGREE;
}

/* A name that can stand in a telegram without being taken for something else. */
static bool good_name(const char *text, bool may_be_empty)
{
    const size_t n = strnlen(text, RSI_NAME_MAX);

    for (size_t i = 0; i < n && n < RSI_NAME_MAX; i++) {
        const char c = text[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':'))) {
            return false;
        }
    }
    return n < RSI_NAME_MAX && (n > 0 || may_be_empty);
}

static bool good_tags(const struct rsi_tags *t, char why[static 160])
{
    const char *const needed[] = {t->root, t->pose,   t->axes, t->delay,     t->delay_value,
                                  t->ipoc, t->answer, t->type, t->correction};
    const char *wrong = NULL;

    for (size_t i = 0; i < COUNT_OF(needed); i++) {
        wrong = good_name(needed[i], false) ? wrong : needed[i];
    }
    for (int i = 0; i < 6; i++) {
        wrong = good_name(t->channel[i], false) ? wrong : t->channel[i];
    }
    wrong = good_name(t->stop, true) ? wrong : t->stop;
    wrong = good_name(t->text, true) ? wrong : t->text;
    wrong = good_name(t->message, true) ? wrong : t->message;
    if (wrong) {
        snprintf(why, 160,
                 "name \"%.32s\": expected a letter, then letters, digits, . : _ or -, at most %d",
                 wrong, RSI_NAME_MAX - 1);
    }
    return !wrong;
}

int rsi_model_init(const struct rsi_model *m, char why[static 160])
{
    const double positive[] = {m->tracking_m, m->tracking_rad, m->arm_m, m->arm_rad,
                               m->singular_rad};

    why[0] = '\0';
    if (m->cycle_ns < 1000000 || m->cycle_ns > 100000000) {
        snprintf(why, 160, "cycle %.3f ms: expected 4 ms (IPO_FAST) or 12 ms (IPO)",
                 1e-6 * (double)m->cycle_ns);
    } else if (m->decimals < 4 || m->decimals > 9) {
        snprintf(why, 160, "%d decimals: expected 4 to 9, fewer than 4 are coarser than the robot",
                 m->decimals);
    } else if (m->sample_delay_ns < 0 || m->loop_delay_ns < 0 || m->sample_delay_ns > 20000000) {
        snprintf(why, 160,
                 "delays: expected 0 to 20 ms before sampling and a loop delay not negative");
    } else if (limiter_init(&m->limiter, why) != 0 || !good_tags(&m->tags, why)) {
        return -EINVAL;
    }
    for (size_t i = 0; i < COUNT_OF(positive); i++) {
        if (!base_finite(positive[i]) || !(positive[i] > 0)) {
            snprintf(why, 160, "tolerance %g: expected a positive number", positive[i]);
        }
    }
    return why[0] == '\0' ? 0 : -EINVAL;
}
