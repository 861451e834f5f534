/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ask.h - one line to a running lab over its control socket, one answer back: for freefall inject and --ask. */
#ifndef FREEFALL_LAB_ASK_H
#define FREEFALL_LAB_ASK_H

#include <stddef.h>
#include <sys/un.h>

/* Address of a socket by its path: 0, or -ENAMETOOLONG. */
int ask_address(struct sockaddr_un *address, const char *path);

/* Send a line and wait up to two seconds for the answer, text of at most size - 1 characters: 0, or -errno. */
int ask_line(const char *path, const char *line, char *answer, size_t size);

/* What to do about such an error. */
const char *ask_advice(int error);

#endif
