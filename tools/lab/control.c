/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control.c - see control.h. */
#include "tools/lab/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/lab/ask.h"

static int refuse(int fd, const char *path, int error, const char *advice)
{
    fprintf(stderr, "freefall-lab: control socket %s: %s; %s\n", path, strerror(error), advice);
    if (fd >= 0) {
        close(fd);
    }
    return -error;
}

/* Does nobody listen there any more? */
static bool abandoned(const struct sockaddr_un *address)
{
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool dead = false;

    if (fd >= 0) {
        dead = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
               errno == ECONNREFUSED;
        close(fd);
    }
    return dead;
}

int control_open(const char *path)
{
    struct sockaddr_un address;
    const int error = ask_address(&address, path);
    int fd;

    if (error != 0) {
        return refuse(-1, path, -error, "expected a shorter name");
    }
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return refuse(-1, path, errno, "no socket");
    }
    if (abandoned(&address)) {
        unlink(path);
    }
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        return refuse(fd, path, errno,
                      "expected a name in a writable folder that no other lab uses");
    }
    return fd;
}

void control_serve(struct lab *lab, int fd, int64_t t_ns, char answer[static LAB_ANSWER_MAX])
{
    char line[256];
    struct sockaddr_un from;
    socklen_t length = sizeof from;
    ssize_t n;

    while ((n = recvfrom(fd, line, sizeof line - 1, 0, (struct sockaddr *)&from, &length)) >= 0) {
        line[n] = '\0';
        lab_command(lab, t_ns, line, answer);
        if (length > sizeof(sa_family_t)) {
            (void)sendto(fd, answer, strlen(answer), MSG_NOSIGNAL, (const struct sockaddr *)&from,
                         length);
        }
        length = sizeof from;
    }
}

int control_ask(const char *path, const char *line, char answer[static LAB_ANSWER_MAX])
{
    const int error = ask_line(path, line, answer, LAB_ANSWER_MAX);

    if (error != 0) {
        return refuse(-1, path, -error, ask_advice(error));
    }
    printf("%s\n", answer);
    return strncmp(answer, "error: ", 7) == 0;
}
