/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vision_message.h - the pose datagram: 320 bytes, little endian, version 1, checked before anything is believed.
 *
 *   0 u32 magic "VFP1"    4 u16 version 1     6 u16 length 320     8 u32 sequence, +1 per image, also for invalid ones
 *  12 u16 source         14 u16 flags: 0 valid, 1 covariance, 2 second solution, 3 covariance attitude in camera axes
 *  16 i64 t_img ns       24 i64 t_send ns    32 u16 clock   34 u16 frame   36 u32 0
 *  40 f64 x3 position in the camera frame, m       64 f64 x4 quaternion x y z w
 *  96 f64 x21 covariance, upper triangle by rows, position then rotation vector (rad)
 * 264 f32 fit error  268 f32 ambiguity  272 u32 points  276 u32 exposure us
 * 280 f64 x4 second quaternion or 0   312 f32 second fit error   316 u32 CRC-32C of bytes 0..315
 */
#ifndef FREEFALL_VISION_MESSAGE_H
#define FREEFALL_VISION_MESSAGE_H

#include "model/base.h"

#define VISION_MESSAGE_SIZE 320

enum vision_message_flag {
    VISION_MESSAGE_VALID = 1,
    VISION_MESSAGE_COVARIANCE = 2,
    VISION_MESSAGE_SECOND = 4,
    VISION_MESSAGE_CAMERA_AXES = 8
};

/* Why a datagram was not taken. Late is no refusal: the filter sorts it in by its image time. */
enum vision_message_verdict {
    VISION_MESSAGE_GOOD,
    VISION_MESSAGE_LATE, /* sequence not newer than the last one */
    VISION_MESSAGE_SIZE_WRONG,
    VISION_MESSAGE_MAGIC,
    VISION_MESSAGE_VERSION,
    VISION_MESSAGE_LENGTH,
    VISION_MESSAGE_CRC,
    VISION_MESSAGE_RESERVED, /* bits or bytes that must be 0, an unknown clock */
    VISION_MESSAGE_INVALID,  /* its source says so */
    VISION_MESSAGE_NOT_FINITE,
    VISION_MESSAGE_QUATERNION, /* length outside 1 +- 1e-3 */
    VISION_MESSAGE_INDEFINITE, /* covariance not positive definite */
    VISION_MESSAGE_SIGMA,      /* outside 0.01 mm .. 1 m, 1e-4 .. 1 rad */
    VISION_MESSAGE_VERDICTS
};

struct vision_message {
    uint32_t sequence;
    uint16_t source, flags, clock, frame;
    int64_t image_ns, send_ns;
    double p[3];           /* m, camera frame */
    double q[4];           /* unit */
    double covariance[36]; /* full and symmetric; only with VISION_MESSAGE_COVARIANCE */
    double fit_error, ambiguity;
    uint32_t points, exposure_us;
    double second[4]; /* unit, with VISION_MESSAGE_SECOND */
    double second_error;
};

/* State of one source. */
struct vision_message_state {
    bool any;
    uint32_t sequence; /* newest seen */
    uint32_t lost;     /* numbers never seen */
    uint32_t count[VISION_MESSAGE_VERDICTS];
};

/* Check and read. *m is filled only for GOOD and LATE. Every verdict is counted. */
enum vision_message_verdict vision_message_read(struct vision_message *m,
                                                struct vision_message_state *s, const void *bytes,
                                                size_t size);

/* Write, with length and checksum. */
void vision_message_write(uint8_t bytes[static VISION_MESSAGE_SIZE],
                          const struct vision_message *m);

/* CRC-32C (Castagnoli), as in iSCSI. */
uint32_t vision_message_crc(const uint8_t *bytes, size_t n);

const char *vision_message_verdict_name(enum vision_message_verdict v);

#endif
