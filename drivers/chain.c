/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain.c - see chain.h. */
#include "drivers/chain.h"

const struct chain_model chain_default = {
    .stop_a = 1 << 0,
    .stop_b = 1 << 1,
    .enable = 1 << 2,
    .contactor = 1 << 3,
    .request = 1 << 0,
    .alive = 1 << 1,
};

/* Open at once, closed after three samples. */
RT_SAFE static void debounce(struct chain_state *s, enum chain_contact contact, bool now)
{
    s->agreed[contact] = !now                                ? 0
                         : s->agreed[contact] < CHAIN_RISING ? s->agreed[contact] + 1
                                                             : CHAIN_RISING;
    s->closed[contact] = s->agreed[contact] >= CHAIN_RISING;
}

RT_SAFE struct chain_state chain_next(const struct chain_model *m, struct chain_state before,
                                      uint8_t inputs, bool valid, bool reset, double dt_s)
{
    struct chain_state s = before;
    const bool a = (inputs & m->stop_a) != 0;
    const bool b = (inputs & m->stop_b) != 0;

    if (valid) {
        debounce(&s, CHAIN_STOP, a && !b);
        debounce(&s, CHAIN_ENABLE, (inputs & m->enable) != 0);
        debounce(&s, CHAIN_CONTACTOR, (inputs & m->contactor) != 0);
    }
    if (valid && a != b) {
        s.contradicted_s = 0.0;
        s.discrepancy = s.discrepancy && !reset;
    } else if (valid || s.contradicted_s > 0.0) {
        s.contradicted_s += dt_s;
    }
    s.discrepancy = s.discrepancy || s.contradicted_s > CHAIN_DISCREPANCY_S;
    return s;
}

RT_SAFE struct chain_sample chain_read(const struct chain_state *s, bool valid)
{
    const struct chain_sample out = {
        .stop_open = !s->closed[CHAIN_STOP],
        .enabled = s->closed[CHAIN_ENABLE],
        .powered = s->closed[CHAIN_CONTACTOR],
        .discrepancy = s->discrepancy,
        .permitted = valid && s->closed[CHAIN_STOP] && s->closed[CHAIN_ENABLE] && !s->discrepancy,
    };

    return out;
}

RT_SAFE uint8_t chain_outputs(const struct chain_model *m, struct chain_state *s, bool request)
{
    const bool granted = request && s->closed[CHAIN_STOP] && !s->discrepancy;

    s->alive = !s->alive;
    return (uint8_t)((granted ? m->request : 0) | (s->alive ? m->alive : 0));
}
