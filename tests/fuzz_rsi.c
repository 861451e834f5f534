/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_rsi.c - any bytes as telegrams of a robot: never a crash, never an answer to what was not understood.
 *
 *     clang-19 -g -O1 -D_GNU_SOURCE -I. -fsanitize=fuzzer,address,undefined -o fuzz tests/fuzz_rsi.c \
 *         drivers/{rsi_parse,rsi_number,rsi_format,rsi_model,rsi_session,rsi_clock,rsi_setpoint,limiter,abc,robot}.c \
 *         model/{trig,so3,se3,mat}.c -lm
 *     ./fuzz -max_len=4200 -max_total_time=600
 *
 * The first byte chooses pose or axes and the sender; the rest is parsed, and goes through a session that runs.
 */
#include <stdlib.h>

#include "drivers/rsi_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char start[] =
    "<Rob Type=\"KUKA\"><RIst X=\"1\" Y=\"2\" Z=\"3\" A=\"4\" B=\"5\" C=\"6\" /><AIPos A1=\"1\" "
    "A2=\"2\" A3=\"3\" A4=\"4\" A5=\"5\" A6=\"6\" /><Delay D=\"0\" /><IPOC>100</IPOC></Rob>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct rsi_model model;
    static struct rsi_session s;
    static const struct robot_window none;
    const struct rsi_peer peer = {1, 2};
    struct rsi_telegram t;
    struct rsi_answer answer;
    enum rsi_class class;
    enum rsi_reject reject;

    if (n == 0) {
        return 0;
    }
    rsi_model_default(&model, (data[0] & 1) != 0 ? RSI_AXES : RSI_POSE);
    reject = rsi_parse(&t, &model, (const char *)data + 1, n - 1);
    if (reject == RSI_UNDERSTOOD && !base_all_finite(model.kind == RSI_POSE ? t.pose : t.axes, 6)) {
        abort();
    }
    rsi_session_init(&s);
    (void)rsi_session_receive(&model, &s, start, sizeof start - 1, peer, 1000000);
    rsi_session_answer(&model, &s, &none, &answer);
    class = rsi_session_receive(&model, &s, (const char *)data + 1, n - 1,
                                (data[0] & 2) != 0 ? (struct rsi_peer){1, 3} : peer,
                                (data[0] & 4) != 0 ? 2000000000 : 5000000);
    rsi_session_answer(&model, &s, &none, &answer);
    if ((reject != RSI_UNDERSTOOD && class != RSI_DROPPED) ||
        (class == RSI_DROPPED && answer.n > 0)) {
        abort();
    }
    return 0;
}
