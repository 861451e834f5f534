/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_segment.c - any bytes at the lab's end of the wire: never a crash, an answer only to a well-formed frame.
 *
 *     make && clang-19 -g -O1 -D_GNU_SOURCE -I. -fsanitize=fuzzer,address,undefined -o fuzz tests/fuzz_segment.c
 *         LAB build/preempt-x86-64/freefall.a -lfyaml -lm      (LAB: tools/lab/X.c for each X of LAB in the Makefile)
 *     ./fuzz -max_len=4096 -max_total_time=30
 *
 * The input is a list of packets: one byte how much time passes, one what it is (frame as it is, datagram that gets a
 * good header, command line), two its length, then its bytes. The lab is in OP when it begins.
 */
#include <stddef.h>

#include "tests/lab_master.h"

static void frame(struct lab *lab, int64_t t_ns, const uint8_t *data, unsigned n)
{
    uint8_t reply[SEGMENT_FRAME_MAX];

    lab_in(lab, t_ns, data, n);
    while (lab_out(lab, t_ns + 1000000, reply) > 0) {
    }
}

/* Six bytes of command and address, then the data of one datagram. */
static void datagram(struct lab *lab, int64_t t_ns, const uint8_t *data, unsigned n)
{
    uint8_t bytes[SEGMENT_FRAME_MAX];

    if (n >= 6 && n < 1400) {
        frame(lab, t_ns, bytes,
              master_frame(bytes, data[0], data[1], wire_get_u32(data + 2), data + 6, n - 6));
    }
}

static void command(struct lab *lab, int64_t t_ns, const uint8_t *data, unsigned n)
{
    static char answer[LAB_ANSWER_MAX];
    char line[256] = "";

    memcpy(line, data, n < sizeof line - 1 ? n : sizeof line - 1);
    lab_command(lab, t_ns, line, answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of the lab as it was; only what is in use. */
static void restore(struct lab *lab, const struct lab *ready, int64_t t_ns)
{
    const size_t rest = offsetof(struct segment, physics);
    const struct verb_target target = {&lab->segment, &lab->cable, &lab->plant};

    lab->plant = ready->plant;
    lab->segment.count = ready->segment.count;
    for (int i = 0; i < ready->segment.count; i++) {
        lab->segment.slave[i] = ready->segment.slave[i];
    }
    memcpy((uint8_t *)&lab->segment + rest, (const uint8_t *)&ready->segment + rest,
           sizeof lab->segment - rest);
    lab->segment.physics = plant_physics(&lab->plant);
    cable_init(&lab->cable, &lab->segment, 1);
    fault_init(&lab->fault, &target, t_ns, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct lab ready; /* brought to OP once: that costs more than a whole input */
    static struct lab lab;
    static struct master master;
    static struct master_map map;
    int64_t t_ns;

    if (ready.segment.count == 0) {
        master_init(&master, &ready, "bench12", 1);
        master_preop(&master, &map);
        (void)master_op(&master, &map);
    }
    restore(&lab, &ready, master.t_ns);
    t_ns = master.t_ns;
    while (size >= 4) {
        const unsigned n =
            wire_get_u16(data + 2) < size - 4 ? wire_get_u16(data + 2) : (unsigned)(size - 4);

        t_ns += 10000ll << (data[0] % 16);
        if (data[1] % 4 == 0) {
            frame(&lab, t_ns, data + 4, n);
        } else if (data[1] % 4 == 3) {
            command(&lab, t_ns, data + 4, n);
        } else {
            datagram(&lab, t_ns, data + 4, n);
        }
        data += 4 + n;
        size -= 4 + n;
    }
    return 0;
}
