/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_pipe.c - our side of an RSI link on standard input and output, in the virtual time of whoever asks.
 *
 *     D t_ns port hex     datagram from a port at an instant    -> A hex (answer) | K hex (the last one again) | N
 *     Q t_ns port hex     the same, but more lies in the queue  -> N or K
 *     S t_ns x y z a b c  set-point, m and rad                  -> nothing
 *     T t_ns              time goes on                          -> nothing
 *     R arm|keep|end t_ns request                               -> reason
 *     ?                   -> mode reason lost late foreign duplicates reordered rejected superseded sessions moved limited
 *     E                   -> the reason in words
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/abc.h"
#include "drivers/rsi_session.h"

static struct rsi_model model;
static struct rsi_session session;
static struct robot_window window;

static void print_hex(char kind, const struct rsi_answer *a)
{
    if (a->n == 0) {
        puts("N");
        return;
    }
    printf("%c ", kind);
    for (size_t i = 0; i < a->n; i++) {
        printf("%02x", (unsigned)(unsigned char)a->bytes[i]);
    }
    putchar('\n');
}

static void datagram(const char *rest, bool last)
{
    static char bytes[16384];
    struct rsi_peer from = {0x7f000001, 0};
    struct rsi_answer answer;
    enum rsi_class class;
    size_t n = 0;
    char *at;
    const int64_t t_ns = strtoll(rest, &at, 10);

    from.port = (uint16_t)strtoul(at, &at, 10);
    at += *at == ' ';
    for (; at[0] != '\0' && at[1] != '\0' && at[0] != '\n' && n < sizeof bytes; at += 2, n++) {
        const char pair[3] = {at[0], at[1], '\0'};

        bytes[n] = (char)strtoul(pair, NULL, 16);
    }
    class = rsi_session_receive(&model, &session, bytes, n, from, t_ns);
    if (class == RSI_KNOWN) {
        print_hex('K', &session.last);
    } else if (class == RSI_FRESH && last) {
        rsi_session_answer(&model, &session, &window, &answer);
        print_hex('A', &answer);
    } else {
        puts("N");
    }
}

static void set_point(char *rest)
{
    struct robot_target t = {.stamp_ns = strtoll(rest, &rest, 10)};
    double x[6];

    for (int i = 0; i < 6; i++) {
        x[i] = strtod(rest, &rest);
    }
    memcpy(t.pose.p, x, sizeof t.pose.p);
    abc_to_matrix(t.pose.R, x + 3);
    memcpy(t.axes_rad, x, sizeof x);
    robot_window_push(&window, &t);
}

static void request(const char *rest)
{
    const enum robot_request what = rest[0] == 'a'   ? ROBOT_ARM
                                    : rest[0] == 'k' ? ROBOT_KEEP
                                                     : ROBOT_END;
    const char *t = strchr(rest, ' ');

    puts(robot_reason_name(
        rsi_session_request(&model, &session, what, &window, t ? strtoll(t, NULL, 10) : 0)));
}

static void state(void)
{
    const struct rsi_counts *c = &session.counts;
    uint64_t rejected = 0;

    for (int i = 0; i < RSI_REJECTS; i++) {
        rejected += c->rejected[i];
    }
    printf("%s|%s|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64
           "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "\n",
           robot_mode_name(session.mode), robot_reason_name(session.reason), c->lost, c->late,
           c->foreign, c->duplicates, c->reordered, rejected, c->superseded, c->sessions, c->moved,
           c->limited);
}

int main(int argc, char **argv)
{
    static char line[65536];
    char text[ROBOT_TEXT_MAX];

    rsi_model_default(&model, argc > 1 && strcmp(argv[1], "axes") == 0 ? RSI_AXES : RSI_POSE);
    if (argc > 2) { /* cycle in ms; the same speed needs a longer step */
        model.cycle_ns = 1000000 * strtoll(argv[2], NULL, 10);
        model.limiter.dt_s = 1e-9 * (double)model.cycle_ns;
        for (int i = 0; i < 6; i++) {
            model.limiter.channel[i].step *= model.limiter.dt_s / 0.004;
        }
    }
    rsi_session_init(&session);
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == 'D' || line[0] == 'Q') {
            datagram(line + 2, line[0] == 'D');
        } else if (line[0] == 'S') {
            set_point(line + 2);
        } else if (line[0] == 'T') {
            rsi_session_tick(&model, &session, strtoll(line + 2, NULL, 10));
        } else if (line[0] == 'R') {
            request(line + 2);
        } else if (line[0] == '?') {
            state();
        } else {
            rsi_session_explain(&model, &session, text);
            puts(text);
        }
        fflush(stdout);
    }
    return 0;
}
