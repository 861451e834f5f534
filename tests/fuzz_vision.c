/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_vision.c - any bytes as a pose datagram, with and without a good checksum: never a crash, nothing taken that is
 * not finite and of unit length.
 *
 *     clang-19 -g -O1 -D_GNU_SOURCE -I. -fsanitize=fuzzer,address,undefined -o fuzz tests/fuzz_vision.c
 *         drivers/vision_message.c model/mat.c -lm
 *     ./fuzz -max_len=330 -max_total_time=30
 */
#include <math.h>
#include <stdlib.h>

#include "drivers/vision_message.h"
#include "model/mat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vision_message_state s = {0};
    struct vision_message m;
    uint8_t sealed[VISION_MESSAGE_SIZE] = {0x56, 0x46, 0x50, 0x31, 1, 0, 0x40, 1};
    uint32_t crc;

    (void)vision_message_read(&m, &s, data, size);
    if (size > 8) {
        memcpy(sealed + 8, data + 8, (size < 316 ? size : 316) - 8);
    }
    crc = vision_message_crc(sealed, 316);
    for (int i = 0; i < 4; i++) {
        sealed[316 + i] = (uint8_t)(crc >> 8 * i);
    }
    const enum vision_message_verdict v = vision_message_read(&m, &s, sealed, sizeof sealed);

    if (v == VISION_MESSAGE_GOOD || v == VISION_MESSAGE_LATE) {
        if (!base_all_finite(m.p, 3) || fabs(mat_dot(m.q, m.q, 4) - 1.0) > 1e-9) {
            abort();
        }
        vision_message_write(sealed, &m);
        (void)vision_message_read(&m, &s, sealed, sizeof sealed);
    }
    return 0;
}
