/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control.h - commands for a running lab over a Unix datagram socket: one line in, one answer out.
 *
 * Who wants an answer binds a name to his own socket, as control_ask() does.
 */
#ifndef FREEFALL_LAB_CONTROL_H
#define FREEFALL_LAB_CONTROL_H

#include <stdint.h>

#include "tools/lab/lab.h"

/* The lab's end: descriptor, or -errno after saying on stderr what is wrong. A name left behind by a lab that no longer
 * runs is taken over; one of a running lab is refused. */
int control_open(const char *path);

/* Answer every command that has arrived. */
void control_serve(struct lab *lab, int fd, int64_t t_ns, char answer[static LAB_ANSWER_MAX]);

/* Ask a running lab and print its answer on stdout. 0; 1 when the answer is an error; -errno after saying on stderr why
 * there is none. */
int control_ask(const char *path, const char *line, char answer[static LAB_ANSWER_MAX]);

#endif
