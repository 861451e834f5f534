/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_process_data.c - any bytes at the master's end of the wire: never a crash, never accepted.
 *
 * The input is a reply, or a list of changes to a good one. Inputs of the image may change only by the unchanged reply, or by changes
 * in the input bytes themselves, which no master can tell from a device's own. Built and run by "make fuzz".
 */
#include <stdlib.h>
#include <string.h>

#include "drivers/port.h"
#include "drivers/process_data.h"
#include "drivers/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct process_data_model model = {
    .logical = 0,
    .image_bytes = 40,
    .output_bytes = 16,
    .count = 2,
    .device = {{0x1001, 0, 8, 16, 12, 3}, {0x1002, 8, 8, 28, 12, 3}},
    .reference = 0x1001,
    .period_ns = 1000000,
};

static void put_counter(uint8_t *frame, int at, uint16_t value)
{
    wire_put_u16(frame + at, value);
}

/* What a good segment of these two devices answers: positions counted on, counters, a clock, all in OP. */
static void answer(uint8_t *frame, int64_t time_ns)
{
    const int image = PORT_HEADER + 10;
    const int clock = image + model.image_bytes + 2 + 10;

    frame[6] |= 0x02;
    put_counter(frame, image + model.image_bytes, (uint16_t)model.wkc);
    wire_put_i64(frame + clock, time_ns);
    put_counter(frame, clock + 8, 2);
    wire_put_u16(frame + clock + 8 + 2 + 2, 2);
    wire_put_u16(frame + clock + 20, 8);
    put_counter(frame, clock + 22, 2);
    wire_put_u16(frame + clock + 34, 8);
    put_counter(frame, clock + 40, 1);
    wire_put_u16(frame + clock + 44, 2);
    put_counter(frame, clock + 56, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct process_data_state s;
    uint8_t frame[PORT_FRAME_MAX];
    uint8_t before[PROCESS_DATA_IMAGE_MAX];
    int n, good;

    if (size < 4 || process_data_init(&model, &s) != 0) {
        return 0;
    }
    n = process_data_build(&model, &s, 1000000);
    memcpy(frame, s.frame, (size_t)n);
    answer(frame, 1000000);
    if (port_classify(frame, n, PORT_CYCLE) != PORT_REPLY ||
        !process_data_take(&model, &s, frame, n, 1010000) ||
        process_data_end(&model, &s, false) != 0) {
        abort(); /* the good answer must pass, else nothing is tested */
    }
    good = process_data_build(&model, &s, 2000000);
    memcpy(before, s.inputs, sizeof before);
    if (data[0] % 2 == 0) {
        n = (int)(size - 1 < sizeof frame ? size - 1 : sizeof frame);
        memcpy(frame, data + 1, (size_t)n);
    } else { /* a good reply, one byte of it changed, or its length */
        const int at = wire_get_u16(data + 1) % good;
        const bool input = at >= PORT_HEADER + 10 + model.output_bytes &&
                           at < PORT_HEADER + 10 + model.image_bytes;

        memcpy(frame, s.frame, (size_t)good);
        answer(frame, 2000000);
        n = (data[0] & 2) != 0 ? wire_get_u16(data + 1) % good : good;
        frame[at] ^= (data[0] & 2) == 0 && !input ? data[3] : 0;
    }
    if (port_classify(frame, n, PORT_CYCLE) == PORT_REPLY) {
        (void)process_data_take(&model, &s, frame, n, 2010000);
    }
    /* Inputs of the good reply are zeros as those before: any other image has come from a frame that is none. */
    if (memcmp(before, s.inputs, (size_t)model.image_bytes) != 0) {
        abort();
    }
    (void)process_data_end(&model, &s, false);
    return 0;
}
