/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wire.h - numbers in bytes: little-endian get and put, whatever the alignment and the host.
 *
 * Every fieldbus and record format of freefall is little-endian. The caller has checked the length.
 */
#ifndef FREEFALL_WIRE_H
#define FREEFALL_WIRE_H

#include "model/base.h"

#include <stdint.h>
#include <string.h>

RT_SAFE static inline uint16_t wire_get_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | (unsigned)p[1] << 8);
}

RT_SAFE static inline uint32_t wire_get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

RT_SAFE static inline uint64_t wire_get_u64(const uint8_t *p)
{
    return (uint64_t)wire_get_u32(p) | (uint64_t)wire_get_u32(p + 4) << 32;
}

RT_SAFE static inline int16_t wire_get_i16(const uint8_t *p)
{
    return (int16_t)wire_get_u16(p);
}

RT_SAFE static inline int32_t wire_get_i32(const uint8_t *p)
{
    return (int32_t)wire_get_u32(p);
}

RT_SAFE static inline int64_t wire_get_i64(const uint8_t *p)
{
    return (int64_t)wire_get_u64(p);
}

RT_SAFE static inline float wire_get_f32(const uint8_t *p)
{
    const uint32_t bits = wire_get_u32(p);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

RT_SAFE static inline double wire_get_f64(const uint8_t *p)
{
    const uint64_t bits = wire_get_u64(p);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

RT_SAFE static inline void wire_put_u16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

RT_SAFE static inline void wire_put_u32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
}

RT_SAFE static inline void wire_put_u64(uint8_t *p, uint64_t value)
{
    wire_put_u32(p, (uint32_t)value);
    wire_put_u32(p + 4, (uint32_t)(value >> 32));
}

RT_SAFE static inline void wire_put_i16(uint8_t *p, int16_t value)
{
    wire_put_u16(p, (uint16_t)value);
}

RT_SAFE static inline void wire_put_i32(uint8_t *p, int32_t value)
{
    wire_put_u32(p, (uint32_t)value);
}

RT_SAFE static inline void wire_put_i64(uint8_t *p, int64_t value)
{
    wire_put_u64(p, (uint64_t)value);
}

RT_SAFE static inline void wire_put_f32(uint8_t *p, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    wire_put_u32(p, bits);
}

RT_SAFE static inline void wire_put_f64(uint8_t *p, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    wire_put_u64(p, bits);
}

#endif
