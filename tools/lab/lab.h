/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lab.h - the EtherCAT half of the simulated facility in one object: segment, cable, faults, a simple world.
 *
 *     bytes of the master --> [lab_in] ... [lab_out] --> bytes for the master
 *     one line of text  ----> [lab_command] -----------> one answer
 *
 * The caller brings the time and moves the bytes: a socket in freefall-lab, an array in a test.
 */
#ifndef FREEFALL_LAB_LAB_H
#define FREEFALL_LAB_LAB_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/lab/arms.h"
#include "tools/lab/cable.h"
#include "tools/lab/fault.h"
#include "tools/lab/plant.h"
#include "tools/lab/segment.h"

#define LAB_ANSWER_MAX 32768

/* Owned by the caller; some 3 MB, so not for the stack. */
struct lab {
    struct plant plant;
    struct segment segment;
    struct cable cable;
    struct fault fault;
    struct arms arms; /* count 0: no industrial robots here */
};

/* Build the segment; every random number comes from the seed. What strikes is written to log (NULL: nowhere).
 * -EINVAL after saying on stderr what is wrong. */
int lab_init(struct lab *lab, const struct slave_model *models, int count, uint64_t seed,
             int64_t t_ns, FILE *log);

/* A frame of the master, and the replies due, one per call (0 bytes: no more). */
void lab_in(struct lab *lab, int64_t t_ns, const uint8_t *frame, unsigned n);
unsigned lab_out(struct lab *lab, int64_t t_ns, uint8_t frame[static SEGMENT_FRAME_MAX]);

/* Let time go on when no frame comes. */
void lab_tick(struct lab *lab, int64_t t_ns);

/* One command: a line of the fault script, "stats", "devices" or "help". The answer is text without final newline:
 * "ok", "error: ...", a JSON document, or lines. */
void lab_command(struct lab *lab, int64_t t_ns, const char *line,
                 char answer[static LAB_ANSWER_MAX]);

#endif
