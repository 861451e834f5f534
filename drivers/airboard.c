/* SPDX-License-Identifier: GPL-3.0-or-later */
/* airboard.c - see airboard.h. */
#include "drivers/airboard.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "drivers/wire.h"

#define SERVO_RAD 1e-4  /* in a count */
#define PASCAL    100.0 /* in a millibar */
#define VOLT      1e-3  /* in a millivolt */

int airboard_init(const struct airboard_model *m, struct airboard_state *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < AIRBOARD_SERVOS; i++) {
        if (!(m->servo_least_rad[i] < m->servo_most_rad[i]) ||
            !(m->servo_least_rad[i] >= -32767 * SERVO_RAD) ||
            !(m->servo_most_rad[i] <= 32767 * SERVO_RAD)) {
            return -EINVAL;
        }
    }
    return m->servo_rate_rad_s > 0.0 && base_finite(m->servo_rate_rad_s) ? 0 : -EINVAL;
}

RT_SAFE void airboard_read(const struct airboard_model *m, struct airboard_state *s,
                           const uint8_t *inputs, bool valid, struct airboard_sample *out)
{
    const uint16_t sequence = wire_get_u16(inputs + 1);
    const bool fresh = valid && (!s->started || sequence != s->sequence);

    s->repeats = fresh ? 0 : s->repeats < UINT32_MAX ? s->repeats + 1 : s->repeats;
    if (valid) {
        s->started = true;
        s->sequence = sequence;
    }
    out->valves = inputs[0] & AIRBOARD_VALVES;
    out->pressure_pa = wire_get_u16(inputs + 3) * PASCAL;
    out->supply_v = wire_get_u16(inputs + 5) * VOLT;
    out->status = wire_get_u16(inputs + 7);
    out->low = out->pressure_pa < m->pressure_least_pa || out->supply_v < m->supply_least_v;
    out->valid = valid && s->repeats <= AIRBOARD_REPEATS_MAX && out->status == 0;
}

/* Valves that would work against each other waste gas and hide a mistake. */
RT_SAFE static uint8_t without_opposing(uint8_t valves)
{
    static const uint8_t pairs[] = {1 << 0 | 1 << 2, 1 << 1 | 1 << 4, 1 << 3 | 1 << 5};

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        if ((valves & pairs[i]) == pairs[i]) {
            valves = (uint8_t)(valves & ~pairs[i]);
        }
    }
    return valves & AIRBOARD_VALVES;
}

RT_SAFE void airboard_write(const struct airboard_model *m, struct airboard_state *s,
                            const struct airboard_command *command, double dt_s, uint8_t *outputs)
{
    const double reach = m->servo_rate_rad_s * dt_s;

    outputs[0] = command->on ? without_opposing(command->valves) : 0;
    for (int i = 0; i < AIRBOARD_SERVOS; i++) {
        const double wanted = command->servo_rad[i];

        if (command->on && base_finite(wanted)) {
            const double inside = base_clamp(wanted, m->servo_least_rad[i], m->servo_most_rad[i]);

            s->servo_rad[i] =
                s->commanded ? s->servo_rad[i] + base_clamp(inside - s->servo_rad[i], -reach, reach)
                             : inside;
        }
        wire_put_i16(outputs + 1 + 2 * i, (int16_t)floor(s->servo_rad[i] / SERVO_RAD + 0.5));
    }
    s->commanded = s->commanded || command->on;
}
