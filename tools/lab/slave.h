/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slave.h - one slave: controller, clock, EEPROM, objects, mailbox, state machine and device put together.
 *
 * The segment calls slave_refresh() before a read and slave_react() after every access, with the instant at which the
 * frame passes this slave; slave_tick() lets time go on: watchdog, pending state changes, SYNC0, device steps.
 */
#ifndef FREEFALL_LAB_SLAVE_H
#define FREEFALL_LAB_SLAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/random.h"
#include "tools/lab/al.h"
#include "tools/lab/clock.h"
#include "tools/lab/devices.h"
#include "tools/lab/esc.h"
#include "tools/lab/mailbox.h"
#include "tools/lab/od.h"
#include "tools/lab/pdo.h"
#include "tools/lab/sii.h"

#define SLAVE_PORTS   4
#define SLAVE_MAILBOX 128    /* bytes, each direction */
#define SLAVE_FREE_NS 250000 /* step of a device without SYNC0 */
#define SLAVE_HOP_NS  700    /* from one slave to the next, when the model says 0 */

/* One device of the segment. Zero means: as its kind has it. */
struct slave_model {
    const struct device_type *type;
    uint32_t vendor, product, revision, serial;
    uint16_t alias;
    int channel; /* of the physics */
    int branch;  /* slaves to go back to the one it is connected to: 0 and 1 mean the one before */
    int port;    /* of that slave, 0 means 1 */
    int32_t hop_ns;     /* delay of the cable and of the forwarding before it */
    int32_t rate_ppb;   /* error of the oscillator */
    int64_t local_ns;   /* its local time at the start */
    int transition_ms;  /* time a step up in the state machine takes */
    bool wait_outputs;  /* refuses OP before it has seen outputs */
    bool safeop_mute;   /* outputs give no working count in SAFE-OP */
    bool sync_required; /* refuses SAFE-OP without SYNC0 */
};

struct slave {
    struct slave_model model;
    int outputs_sm, inputs_sm; /* numbers of the process data sync managers, -1: none */
    bool powered;
    struct esc esc;
    struct clock clock;
    struct od od;
    struct mailbox mailbox;
    struct device device;
    struct random_state random;
    struct pdo_map outputs, inputs;
    uint8_t sii[SII_BYTES];

    struct al_state al;
    bool al_pending; /* a step up takes its time */
    uint8_t al_control;
    int64_t al_due_ns;

    bool outputs_seen;  /* since SAFE-OP */
    bool outputs_fresh; /* since the last SYNC0 */
    bool watchdog_armed, watchdog_expired;
    int64_t watchdog_ns; /* last triggered */

    bool sync_seen; /* a pulse has come since SAFE-OP */
    int sync_missed;
    int64_t sync_ns;    /* last pulse */
    int64_t stepped_ns; /* last device step */

    int32_t port_ns
        [SLAVE_PORTS]; /* from entering here until the frame is at a port again; -1: port not used */
};

/* Build the slave and power it on at t_ns; -EINVAL when its tables do not fit together, said on stderr. */
int slave_init(struct slave *s, const struct slave_model *model, uint64_t seed, uint64_t stream,
               int64_t t_ns);

/* Off: silent. On: everything as after power-up, EEPROM and oscillator keep what they have. */
void slave_power(struct slave *s, int64_t t_ns, bool on);

/* Make the EEPROM anew from the identity in the model, for scripted changes of it. */
int slave_identify(struct slave *s);

/* Bring the time registers up to date before [address, address + n) is read. */
void slave_refresh(struct slave *s, unsigned address, unsigned n, int64_t t_ns);

/* Act on what the bus side did. */
void slave_react(struct slave *s, int64_t t_ns);

/* Let time go on to t_ns. */
void slave_tick(struct slave *s, int64_t t_ns, const struct physics *physics);

/* The device leaves its state by itself: error bit and code. */
void slave_fall(struct slave *s, uint8_t state, uint16_t code);

/* State of the process data watchdog as the registers have it: its time, ns; 0 when off. */
int64_t slave_watchdog_ns(const struct slave *s);

#endif
