/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi.c - what a telegram of 900 bytes costs: parser, formatter, and the whole session. Goal: parser and formatter at
 * most 5 us at the median. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "drivers/rsi_session.h"

#define RUNS 20000

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000ll * t.tv_sec + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int make(char text[static 2048], unsigned long long ipoc)
{
    static const char *const elements[] = {"RIst",  "RSol",  "AIPos", "ASPos",
                                           "EIPos", "ESPos", "MACur"};
    int n = sprintf(text, "<Rob Type=\"KUKA\">");

    for (size_t i = 0; i < COUNT_OF(elements); i++) {
        n += sprintf(text + n, "<%s", elements[i]);
        for (int k = 0; k < 6; k++) {
            static const char *const pose[] = {"X", "Y", "Z", "A", "B", "C"};

            n += i < 2 ? sprintf(text + n, " %s=\"%.4f\"", pose[k], 1234.5678 - k)
                       : sprintf(text + n, " %c%d=\"%.4f\"", i == 4 || i == 5 ? 'E' : 'A', k + 1,
                                 -12.3456 * k);
        }
        n += sprintf(text + n, " />");
    }
    n += sprintf(text + n, "<Delay D=\"0\" /><DiL>0</DiL><Digout o1=\"0\" o2=\"0\" o3=\"0\" />");
    while (n < 870) {
        n += sprintf(text + n, "<Tech C11=\"0.0000\" C12=\"0.0000\" />");
    }
    return n + sprintf(text + n, "<IPOC>%llu</IPOC></Rob>", ipoc);
}

int main(void)
{
    static int64_t both[RUNS], whole[RUNS];
    static struct rsi_model model;
    static struct rsi_session session;
    static const struct robot_window none;
    const double c[6] = {0.0123456, -0.0234567, 0.0345678, 0.1, -0.2, 0.3};
    char text[2048];
    struct rsi_telegram t;
    static struct rsi_answer a;
    int n = 0;

    rsi_model_default(&model, RSI_POSE);
    rsi_session_init(&session);
    for (int i = 0; i < RUNS; i++) {
        int64_t begin;

        n = make(text, 4208163634ull + 4ull * (unsigned)i);
        begin = now_ns();
        if (rsi_parse(&t, &model, text, (size_t)n) != RSI_UNDERSTOOD) {
            return 1;
        }
        rsi_format(&a, &model, t.ipoc, c, false);
        both[i] = now_ns() - begin;
        begin = now_ns();
        (void)rsi_session_receive(&model, &session, text, (size_t)n, (struct rsi_peer){1, 1},
                                  4000000ll * i);
        rsi_session_answer(&model, &session, &none, &a);
        whole[i] = now_ns() - begin;
    }
    qsort(both, RUNS, sizeof both[0], by_size);
    qsort(whole, RUNS, sizeof whole[0], by_size);
    printf("RSI telegram of %d bytes: parse and format p50 %.2f us, p99 %.2f us (goal: p50 5 us); "
           "whole session p50 %.2f "
           "us\n",
           n, 1e-3 * (double)both[RUNS / 2], 1e-3 * (double)both[RUNS * 99 / 100],
           1e-3 * (double)whole[RUNS / 2]);
    return both[RUNS / 2] <= 5000 ? 0 : 1;
}
