/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vision_message.c - reading and writing the pose datagram. */
#include "drivers/vision_message.h"

#include <math.h>

#include "drivers/wire.h"
#include "model/mat.h"

#define MAGIC       0x31504656u
#define VERSION     1
#define CRC_AT      316
#define FLAGS_KNOWN 15u
#define CLOCKS      2
#define POLYNOMIAL  0x82f63b78u
#define NORM_OFF    1e-3

uint32_t vision_message_crc(const uint8_t *bytes, size_t n)
{
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1u) != 0 ? POLYNOMIAL : 0u);
        }
    }
    return ~crc;
}

static enum vision_message_verdict check_frame(const uint8_t *b, size_t size)
{
    if (size != VISION_MESSAGE_SIZE) {
        return VISION_MESSAGE_SIZE_WRONG;
    }
    if (wire_get_u32(b) != MAGIC) {
        return VISION_MESSAGE_MAGIC;
    }
    if (wire_get_u16(b + 4) != VERSION) {
        return VISION_MESSAGE_VERSION;
    }
    if (wire_get_u16(b + 6) != VISION_MESSAGE_SIZE) {
        return VISION_MESSAGE_LENGTH;
    }
    if (wire_get_u32(b + CRC_AT) != vision_message_crc(b, CRC_AT)) {
        return VISION_MESSAGE_CRC;
    }
    if ((wire_get_u16(b + 14) & ~FLAGS_KNOWN) != 0 || wire_get_u16(b + 32) >= CLOCKS ||
        wire_get_u32(b + 36) != 0) {
        return VISION_MESSAGE_RESERVED;
    }
    return VISION_MESSAGE_GOOD;
}

static void get_numbers(double *out, const uint8_t *b, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = wire_get_f64(b + 8 * i);
    }
}

/* The upper triangle by rows is where the matrix and its transpose meet. */
static int place(int row, int column)
{
    const int i = row < column ? row : column, j = row < column ? column : row;

    return i * 6 - i * (i - 1) / 2 + j - i;
}

static void get_fields(struct vision_message *m, const uint8_t *b)
{
    double upper[21];

    memset(m, 0, sizeof *m);
    m->sequence = wire_get_u32(b + 8);
    m->source = wire_get_u16(b + 12);
    m->flags = wire_get_u16(b + 14);
    m->image_ns = wire_get_i64(b + 16);
    m->send_ns = wire_get_i64(b + 24);
    m->clock = wire_get_u16(b + 32);
    m->frame = wire_get_u16(b + 34);
    get_numbers(m->p, b + 40, 3);
    get_numbers(m->q, b + 64, 4);
    get_numbers(upper, b + 96, 21);
    for (int i = 0; i < 36; i++) {
        m->covariance[i] = upper[place(i / 6, i % 6)];
    }
    m->fit_error = (double)wire_get_f32(b + 264);
    m->ambiguity = (double)wire_get_f32(b + 268);
    m->points = wire_get_u32(b + 272);
    m->exposure_us = wire_get_u32(b + 276);
    get_numbers(m->second, b + 280, 4);
    m->second_error = (double)wire_get_f32(b + 312);
}

static bool unit(double q[static 4])
{
    const double n = sqrt(mat_dot(q, q, 4));

    if (!(fabs(n - 1.0) <= NORM_OFF)) {
        return false;
    }
    mat_scale(q, 1.0 / n, q, 4);
    return true;
}

/* Positive definite: elimination without a pivot that is not clearly positive. */
static bool definite(const double S[static 36])
{
    double A[36];

    mat_copy(A, S, 36);
    for (int k = 0; k < 6; k++) {
        if (!(A[7 * k] > 1e-12 * S[7 * k]) || !(S[7 * k] > 0.0)) {
            return false;
        }
        for (int i = k + 1; i < 6; i++) {
            mat_add_scaled(A + 6 * i, -A[6 * i + k] / A[7 * k], A + 6 * k, 6);
        }
    }
    return true;
}

static bool sigma_good(const double S[static 36])
{
    for (int i = 0; i < 6; i++) {
        const double sigma = sqrt(S[7 * i]);

        if (!(sigma >= (i < 3 ? 1e-5 : 1e-4) && sigma <= 1.0)) {
            return false;
        }
    }
    return true;
}

static enum vision_message_verdict check_numbers(struct vision_message *m)
{
    if ((m->flags & VISION_MESSAGE_VALID) == 0) {
        return VISION_MESSAGE_INVALID;
    }
    if (!base_all_finite(m->p, 3) || !base_all_finite(m->q, 4) ||
        !base_all_finite(m->covariance, 36) || !base_all_finite(m->second, 4) ||
        !base_finite(m->fit_error) || !base_finite(m->ambiguity) || !base_finite(m->second_error)) {
        return VISION_MESSAGE_NOT_FINITE;
    }
    if (!unit(m->q) || ((m->flags & VISION_MESSAGE_SECOND) != 0 && !unit(m->second))) {
        return VISION_MESSAGE_QUATERNION;
    }
    if ((m->flags & VISION_MESSAGE_COVARIANCE) != 0) {
        if (!definite(m->covariance)) {
            return VISION_MESSAGE_INDEFINITE;
        }
        if (!sigma_good(m->covariance)) {
            return VISION_MESSAGE_SIGMA;
        }
    }
    return VISION_MESSAGE_GOOD;
}

/* Newer by serial arithmetic: at most half of all numbers ahead. */
static bool newer(struct vision_message_state *s, uint32_t sequence)
{
    const uint32_t ahead = sequence - s->sequence;

    if (s->any && (ahead == 0 || ahead >= 0x80000000u)) {
        return false;
    }
    s->lost += s->any ? ahead - 1 : 0;
    s->any = true;
    s->sequence = sequence;
    return true;
}

enum vision_message_verdict vision_message_read(struct vision_message *m,
                                                struct vision_message_state *s, const void *bytes,
                                                size_t size)
{
    struct vision_message read;
    enum vision_message_verdict v = check_frame(bytes, size);

    if (v == VISION_MESSAGE_GOOD) {
        get_fields(&read, bytes);
        const bool fresh = newer(s, read.sequence);

        v = check_numbers(&read);
        if (v == VISION_MESSAGE_GOOD) {
            *m = read;
            v = fresh ? VISION_MESSAGE_GOOD : VISION_MESSAGE_LATE;
        }
    }
    s->count[v]++;
    return v;
}

static void put_numbers(uint8_t *b, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        wire_put_f64(b + 8 * i, x[i]);
    }
}

void vision_message_write(uint8_t bytes[static VISION_MESSAGE_SIZE], const struct vision_message *m)
{
    double upper[21];

    for (int i = 0; i < 36; i++) {
        upper[place(i / 6, i % 6)] =
            m->covariance[6 * (i % 6 < i / 6 ? i % 6 : i / 6) + (i % 6 < i / 6 ? i / 6 : i % 6)];
    }
    memset(bytes, 0, VISION_MESSAGE_SIZE);
    wire_put_u32(bytes, MAGIC);
    wire_put_u16(bytes + 4, VERSION);
    wire_put_u16(bytes + 6, VISION_MESSAGE_SIZE);
    wire_put_u32(bytes + 8, m->sequence);
    wire_put_u16(bytes + 12, m->source);
    wire_put_u16(bytes + 14, m->flags);
    wire_put_u64(bytes + 16, (uint64_t)m->image_ns);
    wire_put_u64(bytes + 24, (uint64_t)m->send_ns);
    wire_put_u16(bytes + 32, m->clock);
    wire_put_u16(bytes + 34, m->frame);
    put_numbers(bytes + 40, m->p, 3);
    put_numbers(bytes + 64, m->q, 4);
    put_numbers(bytes + 96, upper, 21);
    wire_put_f32(bytes + 264, (float)m->fit_error);
    wire_put_f32(bytes + 268, (float)m->ambiguity);
    wire_put_u32(bytes + 272, m->points);
    wire_put_u32(bytes + 276, m->exposure_us);
    put_numbers(bytes + 280, m->second, 4);
    wire_put_f32(bytes + 312, (float)m->second_error);
    wire_put_u32(bytes + CRC_AT, vision_message_crc(bytes, CRC_AT));
}

const char *vision_message_verdict_name(enum vision_message_verdict v)
{
    static const char *const names[VISION_MESSAGE_VERDICTS] = {"good",
                                                               "late",
                                                               "wrong size",
                                                               "wrong magic",
                                                               "wrong version",
                                                               "wrong length field",
                                                               "wrong checksum",
                                                               "reserved bits set",
                                                               "not valid",
                                                               "not finite",
                                                               "quaternion not of unit length",
                                                               "covariance not positive definite",
                                                               "sigma out of range"};

    return names[v];
}
