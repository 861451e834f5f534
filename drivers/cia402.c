/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cia402.c - see cia402.h. */
#include "drivers/cia402.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "drivers/wire.h"

enum {
    VOLTAGE_OFF = 0x00,
    QUICK_STOP = 0x02,
    SHUTDOWN = 0x06,
    SWITCH_ON = 0x07,
    ENABLE = 0x0f,
    RESET = 0x80
};
enum { WARNING = 1 << 7, LIMITED = 1 << 11, FOLLOWS = 1 << 12 };

RT_SAFE int cia402_decode(uint16_t status)
{
    static const struct {
        uint16_t mask, value;
        int state;
    } rows[] = {
        {0x4f, 0x00, CIA402_NOT_READY}, {0x4f, 0x40, CIA402_DISABLED},
        {0x6f, 0x21, CIA402_READY},     {0x6f, 0x23, CIA402_SWITCHED_ON},
        {0x6f, 0x27, CIA402_ENABLED},   {0x6f, 0x07, CIA402_QUICK_STOP},
        {0x4f, 0x0f, CIA402_REACTION},  {0x4f, 0x08, CIA402_FAULT},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if ((status & rows[i].mask) == rows[i].value) {
            return rows[i].state;
        }
    }
    return CIA402_NOT_READY; /* no state of the standard: nothing may be trusted */
}

RT_SAFE uint16_t cia402_next(int state, int goal, bool reset)
{
    switch (state) {
    case CIA402_FAULT:
        return reset ? RESET : VOLTAGE_OFF;
    case CIA402_DISABLED:
        return goal == CIA402_GO_ON || goal == CIA402_GO_RUN ? SHUTDOWN : VOLTAGE_OFF;
    case CIA402_READY:
        return goal == CIA402_GO_ON || goal == CIA402_GO_RUN ? SWITCH_ON : VOLTAGE_OFF;
    case CIA402_SWITCHED_ON:
        return goal == CIA402_GO_RUN ? ENABLE : goal == CIA402_GO_ON ? SWITCH_ON : VOLTAGE_OFF;
    case CIA402_ENABLED:
        return goal == CIA402_GO_RUN    ? ENABLE
               : goal == CIA402_GO_ON   ? SWITCH_ON
               : goal == CIA402_GO_STOP ? QUICK_STOP
                                        : VOLTAGE_OFF;
    case CIA402_QUICK_STOP:
        return goal == CIA402_GO_STOP ? QUICK_STOP : VOLTAGE_OFF;
    default:
        return VOLTAGE_OFF;
    }
}

int cia402_init(const struct cia402_model *m, struct cia402_status *s)
{
    const double scale[] = {m->increments_per_rad, m->speed_per_rad_s, m->rated_nm};

    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < COUNT_OF(scale); i++) {
        if (!base_finite(scale[i]) || !(fabs(scale[i]) > 0.0)) {
            return -EINVAL;
        }
    }
    return (m->mode == CIA402_POSITION || m->mode == CIA402_TORQUE) && m->torque_max_nm >= 0.0 &&
                   m->velocity_max_rad_s >= 0.0
               ? 0
               : -EINVAL;
}

RT_SAFE void cia402_read(const struct cia402_model *m, const uint8_t *inputs,
                         struct cia402_sample *out)
{
    memset(out, 0, sizeof *out);
    out->status = wire_get_u16(inputs);
    out->state = cia402_decode(out->status);
    out->mode = inputs[2] < 0x80 ? inputs[2] : inputs[2] - 0x100; /* signed: vendors' modes */
    out->position_rad = wire_get_i32(inputs + 3) / m->increments_per_rad;
    out->velocity_rad_s = wire_get_i32(inputs + 7) / m->speed_per_rad_s;
    out->torque_nm = wire_get_i16(inputs + 11) * m->rated_nm / 1000.0;
    out->error_code = wire_get_u16(inputs + 13);
    out->fault = out->state == CIA402_FAULT || out->state == CIA402_REACTION;
    out->warning = (out->status & WARNING) != 0;
    out->limited = (out->status & LIMITED) != 0;
    out->ready =
        out->state == CIA402_ENABLED && out->mode == (int)m->mode && (out->status & FOLLOWS) != 0;
}

/* Nearest whole number within +-limit; not a number is zero. */
RT_SAFE static int32_t rounded(double x, double limit)
{
    return base_finite(x) ? (int32_t)floor(base_clamp(x, -limit, limit) + 0.5) : 0;
}

/* A drive that should move on and does not is given up: the latch keeps it off until cia402_init(). */
RT_SAFE static void watch(struct cia402_status *s, const struct cia402_sample *in, int goal,
                          double dt_s)
{
    const int wanted = goal == CIA402_GO_RUN ? CIA402_ENABLED : CIA402_SWITCHED_ON;
    const bool waiting = (goal == CIA402_GO_RUN || goal == CIA402_GO_ON) && !in->fault &&
                         in->state != wanted && in->state != CIA402_QUICK_STOP;
    const double limit = in->state == CIA402_SWITCHED_ON ? CIA402_BRAKE_S : CIA402_STEP_S;

    s->waited_s = waiting && in->state == s->before ? s->waited_s + dt_s : 0.0;
    s->before = in->state;
    s->timeout = s->timeout || s->waited_s > limit;
}

/* A rising edge of bit 7 for each request, never two cycles high. */
RT_SAFE static bool reset_edge(struct cia402_status *s, const struct cia402_sample *in, bool asked)
{
    const bool edge = asked && in->state == CIA402_FAULT && !s->reset;

    s->reset = edge;
    return edge;
}

RT_SAFE void cia402_write(const struct cia402_model *m, struct cia402_status *s,
                          const struct cia402_sample *in, const struct cia402_command *command,
                          bool valid, double dt_s, uint8_t *outputs)
{
    const double reach = m->velocity_max_rad_s * dt_s;
    double torque = 0.0;
    int goal;

    s->bad_command =
        s->bad_command || !base_finite(command->torque_nm) || !base_finite(command->position_rad);
    if (valid) {
        watch(s, in, command->goal, dt_s);
    }
    goal = s->timeout || s->bad_command ? CIA402_GO_OFF : command->goal;
    if (in->ready && goal == CIA402_GO_RUN) {
        s->enabled_s += dt_s;
        torque = base_clamp(command->torque_nm, -m->torque_max_nm, m->torque_max_nm) *
                 base_clamp(s->enabled_s / CIA402_RAMP_S, 0.0, 1.0);
        s->position_rad += base_clamp(command->position_rad - s->position_rad, -reach, reach);
    } else if (valid) {
        s->enabled_s = 0.0;
        s->position_rad = in->position_rad;
    }
    memset(outputs, 0, CIA402_OUTPUTS);
    wire_put_u16(outputs, cia402_next(in->state, goal, valid && reset_edge(s, in, command->reset)));
    outputs[2] = (uint8_t)m->mode;
    wire_put_i16(
        outputs + 3,
        (int16_t)rounded(m->mode == CIA402_TORQUE ? torque / m->rated_nm * 1000.0 : 0.0, 32767.0));
    wire_put_i32(outputs + 5, rounded(s->position_rad * m->increments_per_rad, 2147483647.0));
}
