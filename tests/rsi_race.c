/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_race.c - a loop that submits, a thread that answers, a robot on a socket, all at once; run under the thread
 * sanitizer by tests/rsi.sh. Ends with 0 if the robot was answered and followed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "drivers/udp.h"
#include "rt/platform.h"
#include "rt/rsi_link.h"

#define TELEGRAMS 400

static struct rsi_link l;

int main(void)
{
    static struct rsi_link_model m;
    struct robot_link link;
    struct robot_sample sample;
    struct robot_health health;
    struct robot_target target;
    struct rsi_peer there = {0x7f000001, 0}, from;
    char why[160], bytes[1024];
    int64_t stamp_ns;
    int answers = 0, samples = 0;
    const int fd = udp_open("127.0.0.1", 0);

    memset(&target, 0, sizeof target);
    rsi_model_default(&m.rsi, RSI_POSE);
    snprintf(m.name, sizeof m.name, "client");
    snprintf(m.address, sizeof m.address, "127.0.0.1");
    m.cpu = -1;
    if (fd < 0 || rsi_link_init(&l, &m, &link, why) != 0 || robot_open(&link) != 0) {
        return 4;
    }
    there.port = l.model.port;
    se3_identity(&target.pose);
    for (int i = 0; i < TELEGRAMS; i++) {
        const int n = snprintf(bytes, sizeof bytes,
                               "<Rob Type=\"KUKA\"><RIst X=\"0.0\" Y=\"0.0\" Z=\"0.0\" A=\"0.0\" "
                               "B=\"0.0\" C=\"0.0\" />"
                               "<Delay D=\"0\" /><IPOC>%d</IPOC></Rob>",
                               1000 + 4 * i);

        target.stamp_ns = platform_now_ns();
        robot_submit(&link, &target);
        if (i == 20) {
            robot_request(&link, ROBOT_ARM);
        }
        (void)udp_send(fd, bytes, (size_t)n, there);
        if (udp_wait(fd, 2000000000) == 1 &&
            udp_receive(fd, bytes, sizeof bytes, &from, &stamp_ns) > 0) {
            answers++;
        }
        samples += robot_newest(&link, &sample);
        robot_health(&link, &health);
    }
    robot_request(&link, ROBOT_END);
    robot_close(&link);
    robot_health(&link, &health);
    close(fd);
    printf("%d answers, %d samples, %s: %s\n", answers, samples, robot_mode_name(health.mode),
           health.text);
    return answers == TELEGRAMS && samples > 0 ? 0 : 1;
}
