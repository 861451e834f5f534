/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recovery.c - see recovery.h. SOEM's own recovery restores neither clocks nor FMMUs before SAFE-OP. */
#include "drivers/recovery.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "soem/soem.h"

#include "drivers/setup.h"
#include "drivers/wire.h"

#define CLOCK_SPREAD_NS 1000 /* a clock that differs by less follows */
#define CLOCK_TRIES     3000 /* milliseconds it may take */
#define MAGNITUDE       0x7fffffffu

static int say(const struct ethercat *e, int position, FILE *messages, int error, const char *what)
{
    fprintf(messages, "freefall: bus: slave %d %s: not brought back: %s\n", position + 1,
            e->found[position].name, what);
    return error;
}

/* 1: it has lost its address, and has it again; 0: it had kept it; or -errno. */
static int find(const struct ethercat *e, int position, FILE *messages)
{
    ecx_portt *port = &e->soem->port;
    const uint16 at = (uint16)-position;
    const uint16 address = e->slave[position].address;
    uint8_t bytes[2] = {0};

    if (ecx_APRD(port, at, ECT_REG_STADR, sizeof bytes, bytes, EC_TIMEOUTRET3) <= 0) {
        return say(e, position, messages, -ENXIO, "nothing answers at its place (supply, cable?)");
    }
    if (wire_get_u16(bytes) == address) {
        return 0;
    }
    if (wire_get_u16(bytes) != 0) {
        return say(e, position, messages, -ENODEV,
                   "another device of this bus answers at its place: the wiring has changed");
    }
    wire_put_u16(bytes, address);
    return ecx_APWR(port, at, ECT_REG_STADR, sizeof bytes, bytes, EC_TIMEOUTRET3) > 0
               ? 1
               : say(e, position, messages, -ENXIO, "it does not take its address");
}

static int identify(struct ethercat *e, int position, FILE *messages)
{
    const struct identity *was = &e->found[position];
    ec_slavet *s = &e->soem->slavelist[position + 1];
    const uint16 slave = (uint16)(position + 1);
    uint32_t is[4];

    s->eep_pdi = 1; /* whoever has it: take it */
    (void)ecx_eeprom2master(e->soem, slave);
    is[0] = ecx_readeeprom(e->soem, slave, ECT_SII_MANUF, EC_TIMEOUTEEP);
    is[1] = ecx_readeeprom(e->soem, slave, ECT_SII_ID, EC_TIMEOUTEEP);
    is[2] = ecx_readeeprom(e->soem, slave, ECT_SII_REV, EC_TIMEOUTEEP);
    is[3] = ecx_readeeprom(e->soem, slave, ECT_SII_SER, EC_TIMEOUTEEP);
    (void)ecx_eeprom2pdi(e->soem, slave);
    if (is[0] == was->vendor && is[1] == was->product && is[2] == was->revision &&
        is[3] == was->serial) {
        return 0;
    }
    e->wrong_device = true;
    fprintf(messages,
            "freefall: bus: slave %d: WRONG DEVICE: expected %s %08" PRIx32 ":%08" PRIx32
            " revision %" PRIx32 " serial %" PRIu32 " as at the start, found %08" PRIx32
            ":%08" PRIx32 " revision %" PRIx32 " serial %" PRIu32 "; start anew\n",
            position + 1, was->name, was->vendor, was->product, was->revision, was->serial, is[0],
            is[1], is[2], is[3]);
    return -ENODEV;
}

static int go(struct ethercat *e, int position, uint16 state, FILE *messages)
{
    const uint16 slave = (uint16)(position + 1);
    ec_slavet *s = &e->soem->slavelist[slave];

    s->state = (uint16)(state | EC_STATE_ACK);
    (void)ecx_writestate(e->soem, slave);
    if ((ecx_statecheck(e->soem, slave, state, EC_TIMEOUTSTATE) & 0x1f) == state) {
        return 0;
    }
    (void)ecx_readstate(e->soem);
    fprintf(messages,
            "freefall: bus: slave %d %s: not brought back: expected %s, found %s, code "
            "0x%04x: %s\n",
            position + 1, e->found[position].name, process_data_state_name(state),
            process_data_state_name(s->state), s->ALstatuscode,
            ec_ALstatuscode2string(s->ALstatuscode));
    return -EPROTO;
}

static int64_t time_of(const struct ethercat *e, uint16 address)
{
    uint8_t bytes[8] = {0};

    (void)ecx_FPRD(&e->soem->port, address, ECT_REG_DCSYSTIME, sizeof bytes, bytes, EC_TIMEOUTRET3);
    return wire_get_i64(bytes);
}

/* Offset so that its system time is that of the reference within a round trip, and the delay of its cable. */
static void restore_clock(const struct ethercat *e, int position)
{
    const ec_slavet *s = &e->soem->slavelist[position + 1];
    ecx_portt *port = &e->soem->port;
    uint8_t bytes[8] = {0};
    int64_t before, local;

    (void)ecx_FPWR(port, s->configadr, ECT_REG_DCSYSOFFSET, sizeof bytes, bytes, EC_TIMEOUTRET3);
    wire_put_u32(bytes, (uint32_t)s->pdelay);
    (void)ecx_FPWR(port, s->configadr, ECT_REG_DCSYSDELAY, 4, bytes, EC_TIMEOUTRET3);
    before = time_of(e, e->plan.reference);
    local = time_of(e, s->configadr);
    wire_put_i64(bytes, before + (time_of(e, e->plan.reference) - before) / 2 - local);
    (void)ecx_FPWR(port, s->configadr, ECT_REG_DCSYSOFFSET, sizeof bytes, bytes, EC_TIMEOUTRET3);
    wire_put_u16(bytes, 0x1000); /* its control loop begins anew */
    (void)ecx_FPWR(port, s->configadr, ECT_REG_DCSPEEDCNT, 2, bytes, EC_TIMEOUTRET3);
}

static int await_clock(const struct ethercat *e, int position, FILE *messages)
{
    for (int i = 0; i < CLOCK_TRIES; i++) {
        uint8_t bytes[4] = {0xff, 0xff, 0xff, 0xff};

        osal_usleep(1000);
        if (ecx_FPRD(&e->soem->port, e->slave[position].address, ECT_REG_DCSYSDIFF, sizeof bytes,
                     bytes, EC_TIMEOUTRET3) > 0 &&
            (wire_get_u32(bytes) & MAGNITUDE) < CLOCK_SPREAD_NS) {
            return 0;
        }
    }
    return say(e, position, messages, -ETIME, "its clock does not follow the reference");
}

/* Everything a device without memory of us must be told, up to SAFE-OP. */
static int rebuild(struct ethercat *e, int position, FILE *messages)
{
    const uint16 slave = (uint16)(position + 1);
    ec_slavet *s = &e->soem->slavelist[slave];
    const bool clocked = s->hasdc != 0 && s->configadr != e->plan.reference;
    int error = go(e, position, EC_STATE_INIT, messages);

    for (int i = 0; i < EC_MAXSM && error == 0; i++) {
        if (s->SM[i].StartAddr != 0) {
            (void)ecx_FPWR(&e->soem->port, s->configadr, (uint16)(ECT_REG_SM0 + 8 * i),
                           sizeof s->SM[i], &s->SM[i], EC_TIMEOUTRET3);
        }
    }
    s->mbx_cnt = 0;
    error = error == 0 ? go(e, position, EC_STATE_PRE_OP, messages) : error;
    if (error == 0 && clocked) {
        restore_clock(e, position);
        error = await_clock(e, position, messages);
    }
    error = error == 0 ? setup_device(e, position, messages) : error;
    error = error == 0 ? setup_registers(e, position) : error;
    for (int i = 0; i < s->FMMUunused && error == 0; i++) {
        (void)ecx_FPWR(&e->soem->port, s->configadr, (uint16)(ECT_REG_FMMU0 + 16 * i),
                       sizeof s->FMMU[i], &s->FMMU[i], EC_TIMEOUTRET3);
    }
    return error == 0 ? go(e, position, EC_STATE_SAFE_OP, messages) : error;
}

int recovery_device(struct ethercat *e, int position, bool stopped, FILE *messages)
{
    int lost, error;

    if (!stopped) {
        return say(e, position, messages, -EBUSY, "the robots are not stopped");
    }
    if (e->wrong_device) {
        return say(e, position, messages, -ENODEV, "a wrong device was found before; start anew");
    }
    ethercat_mask(e, position, true);
    lost = find(e, position, messages);
    if (lost < 0) {
        return lost;
    }
    error = identify(e, position, messages);
    if (error == 0) {
        error = lost ? rebuild(e, position, messages) : go(e, position, EC_STATE_SAFE_OP, messages);
    }
    if (error == -EPROTO && !lost) { /* it had fallen below SAFE-OP */
        error = rebuild(e, position, messages);
    }
    if (error == 0 && e->slave[position].dc && e->slave[position].address != e->plan.reference) {
        error = await_clock(e, position, messages);
    }
    osal_usleep((uint32)(2 * e->period_ns / 1000)); /* one valid output image at least */
    return error == 0 ? go(e, position, EC_STATE_OPERATIONAL, messages) : error;
}

int recovery_all(struct ethercat *e, bool stopped, FILE *messages)
{
    int done = 0;

    (void)ecx_readstate(e->soem);
    for (int i = 0; i < e->count; i++) {
        if (e->soem->slavelist[i + 1].state != EC_STATE_OPERATIONAL) {
            const int error = recovery_device(e, i, stopped, messages);

            if (error != 0) {
                return error;
            }
            done++;
        }
    }
    return done;
}
