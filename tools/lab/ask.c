/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ask.c - see ask.h. */
#include "tools/lab/ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE_S 2

int ask_address(struct sockaddr_un *address, const char *path)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) {
        return -ENAMETOOLONG;
    }
    snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
    return 0;
}

int ask_line(const char *path, const char *line, char *answer, size_t size)
{
    const struct timeval patience = {PATIENCE_S, 0};
    const struct sockaddr_un any = {.sun_family = AF_UNIX};
    struct sockaddr_un address;
    int error = ask_address(&address, path);
    const int fd = error == 0 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    ssize_t n = -1;

    if (fd < 0) {
        return error != 0 ? error : -errno;
    }
    /* binding no name lets the kernel choose one: the answer finds its way back and no file is left behind */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
        bind(fd, (const struct sockaddr *)&any, sizeof(sa_family_t)) == 0 &&
        sendto(fd, line, strlen(line), 0, (const struct sockaddr *)&address, sizeof address) >= 0) {
        n = recv(fd, answer, size - 1, 0);
    }
    error = n < 0 ? -errno : 0;
    answer[n > 0 ? n : 0] = '\0';
    close(fd);
    return error;
}

const char *ask_advice(int error)
{
    switch (error) {
    case -ENAMETOOLONG:
        return "expected the name given to --control";
    case -EAGAIN:
        return "the lab did not answer";
    default:
        return "is freefall-lab running with --control of that name?";
    }
}
