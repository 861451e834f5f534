/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ft.c - see ft.h. */
#include "drivers/ft.h"

#include <errno.h>
#include <string.h>

#include "drivers/wire.h"

static const struct ft_layout table[] = {
    {
        /* ATI Axia80: RxPDO 0x1601, TxPDO 0x1a00 */
        .name = "ft-axia",
        .inputs = 32,
        .outputs = 8,
        .wrench = 0,
        .real = false,
        .status = 24,
        .invalid =
            0xa8000027, /* temperature, supply, gage, hardware, out of range, checksum, any */
        .saturated = 1u << 30,
        .warning = 1u << 26,
        .saturation = -1,
        .counter = 28,
        .control = true,
    },
    {
        /* Bota Rokubi, PDO A, packed: status byte, status word, wrench, saturation */
        .name = "ft-bota",
        .inputs = 77,
        .outputs = 1,
        .wrench = 5,
        .real = true,
        .status = 1,
        .invalid = 0xffffffff,
        .saturated = 0,
        .warning = 0,
        .saturation = 29,
        .counter = -1,
        .control = false,
    },
};

const struct ft_layout *ft_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

enum { NEWTON = 1, NEWTON_METRE = 2 };

int ft_units(const struct ft_calibration *c)
{
    return c->force_unit == NEWTON && c->torque_unit == NEWTON_METRE && c->counts_per_force > 0 &&
                   c->counts_per_torque > 0
               ? 0
               : -EINVAL;
}

int ft_calibrate(struct ft_model *m, const struct ft_calibration *c)
{
    if (ft_units(c) != 0) {
        return -EINVAL;
    }
    m->counts_per_n = c->counts_per_force;
    m->counts_per_nm = c->counts_per_torque;
    return 0;
}

int ft_init(const struct ft_model *m, struct ft_state *s)
{
    memset(s, 0, sizeof *s);
    if (!m->layout || m->filter > 8 || m->rate > 3 ||
        (!m->layout->real && !(m->counts_per_n > 0.0 && m->counts_per_nm > 0.0))) {
        return -EINVAL;
    }
    return 0;
}

RT_SAFE static void scale(const struct ft_model *m, const uint8_t *bytes, double wrench[static 6])
{
    for (int i = 0; i < 6; i++) {
        const double counts = i < 3 ? m->counts_per_n : m->counts_per_nm;

        wrench[i] = m->layout->real ? (double)wire_get_f32(bytes + 4 * i)
                                    : wire_get_i32(bytes + 4 * i) / counts;
    }
}

/* Samples since the cycle before; without a counter one, or none when no byte changed. */
RT_SAFE static uint32_t samples(const struct ft_layout *l, const struct ft_state *s,
                                const uint8_t *inputs)
{
    if (l->counter >= 0) {
        return wire_get_u32(inputs + l->counter) - s->counter;
    }
    return memcmp(inputs + l->wrench, s->last, sizeof s->last) != 0 ? 1 : 0;
}

RT_SAFE void ft_read(const struct ft_model *m, struct ft_state *s, const uint8_t *inputs,
                     bool valid, struct ft_sample *out)
{
    const struct ft_layout *l = m->layout;
    const uint32_t passed = samples(l, s, inputs);

    memset(out, 0, sizeof *out);
    out->fresh = valid && (!s->started || passed != 0);
    out->jumped = valid && s->started && s->repeats == 0 && passed > FT_GAP_MAX;
    s->repeats = out->fresh ? 0 : s->repeats < UINT32_MAX ? s->repeats + 1 : s->repeats;
    if (valid) {
        s->started = true;
        s->counter = l->counter >= 0 ? wire_get_u32(inputs + l->counter) : 0;
        memcpy(s->last, inputs + l->wrench, sizeof s->last);
    }
    scale(m, s->last, out->wrench);
    out->status = wire_get_u32(inputs + l->status);
    out->saturated = (out->status & l->saturated) != 0 ||
                     (l->saturation >= 0 && wire_get_u16(inputs + l->saturation) != 0);
    out->warning = (out->status & l->warning) != 0;
    out->valid = valid && (out->status & l->invalid) == 0 && s->repeats <= FT_REPEATS_MAX &&
                 !out->jumped && base_all_finite(out->wrench, 6);
}

RT_SAFE void ft_write(const struct ft_model *m, unsigned bias, uint8_t *outputs)
{
    memset(outputs, 0, (size_t)m->layout->outputs);
    if (m->layout->control) {
        wire_put_u32(outputs,
                     (bias & (FT_SET_BIAS | FT_CLEAR_BIAS)) | m->filter << 4 | m->rate << 12);
    }
}
