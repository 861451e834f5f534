/* SPDX-License-Identifier: GPL-3.0-or-later */
/* al.c - see al.h. */
#include "tools/lab/al.h"

#include <stddef.h>
#include <strings.h>

#include "model/base.h"

static const struct {
    uint8_t value;
    const char *name, *plain;
} names[] = {
    {AL_INIT, "INIT", "INIT"},        {AL_PREOP, "PRE-OP", "PREOP"}, {AL_BOOT, "BOOT", "BOOT"},
    {AL_SAFEOP, "SAFE-OP", "SAFEOP"}, {AL_OP, "OP", "OP"},
};

/* The code that speaks against going from `from` to the state above it, `to`. */
static uint16_t against(uint8_t from, uint8_t to, const struct al_refusal *refusal)
{
    if (from == AL_INIT && to == AL_PREOP) {
        return refusal->preop;
    }
    if (from == AL_PREOP && to == AL_SAFEOP) {
        return refusal->safeop;
    }
    if (from == AL_SAFEOP && to == AL_OP) {
        return refusal->op;
    }
    return AL_CODE_INVALID_CHANGE;
}

struct al_state al_next(struct al_state now, uint8_t control, const struct al_refusal *refusal)
{
    const uint8_t wanted = control & AL_STATE;
    struct al_state next = now;
    uint16_t code = AL_CODE_NONE;

    if ((control & AL_ERROR) != 0) {
        next.error = false;
        next.code = AL_CODE_NONE;
    }
    if (wanted == AL_BOOT) {
        code = AL_CODE_NO_BOOT;
    } else if (wanted != AL_INIT && wanted != AL_PREOP && wanted != AL_SAFEOP && wanted != AL_OP) {
        code = AL_CODE_UNKNOWN_STATE;
    } else if (wanted > now.value) {
        code = next.error ? now.code : against(now.value, wanted, refusal);
    }
    if (code != AL_CODE_NONE) {
        next.error = true;
        next.code = code;
        return next;
    }
    if (wanted <= now.value) {
        next.error = false;
        next.code = AL_CODE_NONE;
    }
    next.value = wanted;
    return next;
}

struct al_state al_fall(uint8_t value, uint16_t code)
{
    return (struct al_state){.value = value, .error = true, .code = code};
}

const char *al_name(uint8_t value)
{
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (names[i].value == value) {
            return names[i].name;
        }
    }
    return "?";
}

uint8_t al_parse(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcasecmp(name, names[i].name) == 0 || strcasecmp(name, names[i].plain) == 0) {
            return names[i].value;
        }
    }
    return 0;
}
