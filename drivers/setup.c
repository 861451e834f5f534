/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setup.c - see setup.h. */
#include "drivers/setup.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "soem/soem.h"

#include "drivers/coe.h"
#include "drivers/wire.h"

#define WATCHDOG       0x0420 /* process data, in units of 100 us with the divider as delivered */
#define WATCHDOG_UNITS 10     /* in a millisecond */
#define RX_ASSIGN      0x1c12
#define TX_ASSIGN      0x1c13

/* Sub-indices of the calibration record. */
enum { FORCE_UNIT = 0x2f, TORQUE_UNIT = 0x30, PER_FORCE = 0x37, PER_TORQUE = 0x38 };

/* One device while it is set up. */
struct talk {
    struct ethercat *e;
    int position;
    FILE *messages;
};

static int refused(const struct talk *t, int error, uint16_t index, uint8_t sub, const char *wanted,
                   uint32_t abort_code)
{
    fprintf(t->messages, "freefall: bus: slave %d %s: object 0x%04x:%02x: expected %s, %s",
            t->position + 1, t->e->found[t->position].name, index, sub, wanted,
            error == -ETIMEDOUT ? "found no answer in the mailbox" : "the device refuses");
    if (abort_code != 0) {
        fprintf(t->messages, ": 0x%08" PRIx32 " %s", abort_code, coe_abort_text(abort_code));
    }
    fprintf(t->messages, "\n");
    t->e->definite = t->e->definite || abort_code != 0;
    return -EPROTO;
}

static int ask(const struct talk *t, uint16_t index, uint8_t sub, uint32_t *value)
{
    uint32_t abort_code = 0;
    const int error = coe_read(t->e, t->position, index, sub, value, &abort_code);

    return error == 0 ? 0 : refused(t, error, index, sub, "a number", abort_code);
}

static int tell(const struct talk *t, uint16_t index, uint8_t sub, uint32_t value, int bytes)
{
    uint32_t abort_code = 0;
    const int error = coe_write(t->e, t->position, index, sub, value, bytes, &abort_code);
    char wanted[24];

    snprintf(wanted, sizeof wanted, "to be set to 0x%" PRIx32, value);
    return error == 0 ? 0 : refused(t, error, index, sub, wanted, abort_code);
}

/* Does a list (its length in sub-index 0) hold these numbers? 1 or 0, or -EPROTO. */
static int holds(const struct talk *t, uint16_t index, const uint32_t *wanted, int count)
{
    uint32_t found = 0;

    if (ask(t, index, 0, &found) != 0) {
        return -EPROTO;
    }
    if (found != (uint32_t)count) {
        return 0;
    }
    for (int i = 0; i < count; i++) {
        if (ask(t, index, (uint8_t)(i + 1), &found) != 0) {
            return -EPROTO;
        }
        if (found != wanted[i]) {
            return 0;
        }
    }
    return 1;
}

/* A list is written with its length at 0, then gets its length. */
static int fill(const struct talk *t, uint16_t index, const uint32_t *wanted, int count, int bytes)
{
    int error = tell(t, index, 0, 0, 1);

    for (int i = 0; i < count && error == 0; i++) {
        error = tell(t, index, (uint8_t)(i + 1), wanted[i], bytes);
    }
    return error == 0 ? tell(t, index, 0, (uint32_t)count, 1) : error;
}

/* Devices that cannot be told otherwise refuse any write, also of what they have: so compare first. */
static int assign(const struct talk *t, uint16_t list, const struct kind_pdo *pdo)
{
    const uint32_t only = pdo->index;
    int assigned, mapped, error = 0;

    if (pdo->count == 0) {
        return 0;
    }
    assigned = holds(t, list, &only, 1);
    mapped = assigned < 0 ? -EPROTO : holds(t, pdo->index, pdo->entry, pdo->count);
    if (mapped < 0) {
        return -EPROTO;
    }
    if (mapped == 0) {
        error = tell(t, list, 0, 0, 1);
        error = error == 0 ? fill(t, pdo->index, pdo->entry, pdo->count, 4) : error;
    }
    return error == 0 && (assigned == 0 || mapped == 0) ? fill(t, list, &only, 1, 2) : error;
}

static int calibration(const struct talk *t, uint16_t index)
{
    struct ft_calibration *c = &t->e->calibration[t->position];
    uint32_t force = 0, torque = 0;
    int error = ask(t, index, FORCE_UNIT, &force);

    error = error == 0 ? ask(t, index, TORQUE_UNIT, &torque) : error;
    error = error == 0 ? ask(t, index, PER_FORCE, &c->counts_per_force) : error;
    error = error == 0 ? ask(t, index, PER_TORQUE, &c->counts_per_torque) : error;
    c->force_unit = (uint8_t)force;
    c->torque_unit = (uint8_t)torque;
    if (error == 0 && ft_units(c) != 0) {
        fprintf(t->messages,
                "freefall: bus: slave %d %s: expected a calibration in N and Nm with counts per "
                "unit, found force unit %u, torque unit %u, %" PRIu32 " and %" PRIu32
                " counts; select another calibration slot of the sensor\n",
                t->position + 1, t->e->found[t->position].name, c->force_unit, c->torque_unit,
                c->counts_per_force, c->counts_per_torque);
        t->e->definite = true;
        error = -EPROTO;
    }
    return error;
}

int setup_device(struct ethercat *e, int position, FILE *messages)
{
    const struct talk t = {e, position, messages};
    const struct kind *kind = e->kind[position];
    int error;

    if (!kind || e->soem->slavelist[position + 1].mbx_l == 0) {
        return 0;
    }
    error = assign(&t, RX_ASSIGN, &kind->rx);
    error = error == 0 ? assign(&t, TX_ASSIGN, &kind->tx) : error;
    for (int i = 0; i < kind->objects && error == 0; i++) {
        const struct kind_object *o = &kind->object[i];

        error = tell(&t, o->index, o->sub, o->value, o->bytes);
    }
    if (error == 0 && kind->calibration != 0) {
        error = calibration(&t, kind->calibration);
    }
    return error;
}

int setup_registers(struct ethercat *e, int position)
{
    const ec_slavet *s = &e->soem->slavelist[position + 1];
    const struct kind *kind = e->kind[position];
    const int watchdog_ms = kind && kind->role == KIND_OUTPUTS ? e->watchdog_io_ms : e->watchdog_ms;
    uint8_t units[2];

    if (watchdog_ms > 0) {
        wire_put_u16(units, (uint16_t)(watchdog_ms * WATCHDOG_UNITS));
        if (ecx_FPWR(&e->soem->port, s->configadr, WATCHDOG, sizeof units, units, EC_TIMEOUTRET3) <=
            0) {
            return -EIO;
        }
    }
    if (s->hasdc != 0 && s->mbx_l > 0) {
        ecx_dcsync0(e->soem, (uint16)(position + 1), TRUE, (uint32)e->period_ns,
                    (int32)e->shift_ns);
    }
    return 0;
}

int setup_check(const struct ethercat *e, int position, FILE *messages)
{
    const ec_slavet *s = &e->soem->slavelist[position + 1];
    const struct kind *kind = e->kind[position];

    if (!kind || (s->Obits == kind->outputs && s->Ibits == kind->inputs)) {
        return 0;
    }
    fprintf(messages,
            "freefall: bus: slave %d %s: expected %d bits of outputs and %d of inputs as a \"%s\" "
            "has, found %d and %d\n",
            position + 1, e->found[position].name, kind->outputs, kind->inputs, kind->name,
            s->Obits, s->Ibits);
    return -EPROTO;
}
