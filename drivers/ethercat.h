/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ethercat.h - one EtherCAT segment: brought up with SOEM, then run by our own cyclic frame.
 *
 *     ethercat_scan()      INIT to PRE-OP: who is there
 *     ethercat_open()      scan, every device the expected one, watchdogs, clocks and SYNC0, mapping, SAFE-OP
 *     each cycle           ethercat_send(), ethercat_wait(), ethercat_receive(), ethercat_end()
 *     ethercat_operate()   asks for OP, once cycles run and the clocks are locked
 *     ethercat_close()     devices back to INIT
 *
 * Send, receive and end belong to the cycle and touch no socket but the cycle's. Everything else blocks, uses SOEM and
 * its own socket, and belongs to set-up or to the helper.
 */
#ifndef FREEFALL_ETHERCAT_H
#define FREEFALL_ETHERCAT_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "drivers/ft.h"
#include "drivers/identity.h"
#include "drivers/kind.h"
#include "drivers/port.h"
#include "drivers/process_data.h"

#define ETHERCAT_DEVICES_MAX 63
#define ETHERCAT_IMAGE_MAX   4096
#define ETHERCAT_EVENTS      32 /* emergencies kept */

/* What the caller wants. */
struct ethercat_model {
    char interface[16];
    int count; /* devices expected, in the order of the wire */
    struct identity expected[ETHERCAT_DEVICES_MAX];
    const struct kind *kind[ETHERCAT_DEVICES_MAX]; /* NULL: the device is taken as it is */
    int64_t period_ns;
    int64_t shift_ns;   /* from the frame at the reference clock to SYNC0 */
    int64_t receive_ns; /* how long a reply may take; 0: a quarter of the period */
    int watchdog_ms; /* outputs of a device fall when no frame came for this long; 0: as the device has it */
    int watchdog_io_ms; /* the same for digital outputs */
};

/* An emergency message of a device. */
struct ethercat_event {
    int position; /* from 0 */
    uint16_t code;
    uint8_t error_register;
    uint8_t data[5];
};

/* A device as the scan saw it. */
struct ethercat_slave {
    uint16_t address, alias;
    uint16_t state, code; /* AL */
    bool dc;
    int32_t delay_ns;    /* of the cable, from the first device with a clock */
    int outputs, inputs; /* bits */
    uint8_t invalid[4];  /* frames with errors by port; 255 is "or more" */
    uint8_t lost[4];     /* lost links by port */
};

struct ecx_context; /* SOEM's */

struct ethercat {
    struct ecx_context *soem;
    struct port port; /* of the cycle */
    struct process_data_model plan;
    struct process_data_state data;
    int count; /* devices found */
    struct identity found[ETHERCAT_DEVICES_MAX];
    struct ethercat_slave slave[ETHERCAT_DEVICES_MAX];
    const struct kind *kind[ETHERCAT_DEVICES_MAX];
    struct ft_calibration calibration[ETHERCAT_DEVICES_MAX]; /* of force sensors that have one */
    struct ethercat_event event[ETHERCAT_EVENTS];            /* the latest, by number modulo */
    uint64_t events;                                         /* emergencies so far */
    uint8_t map[ETHERCAT_IMAGE_MAX]; /* SOEM's image: used for its layout only */
    int64_t period_ns, shift_ns, receive_ns;
    int watchdog_ms, watchdog_io_ms;
    FILE *messages;                           /* during ethercat_open() */
    int refused;                              /* devices that did not take their set-up */
    bool definite;                            /* a device has refused with a reason */
    bool wrong_device;                        /* another device came back: latched (recovery.h) */
    atomic_bool masked[ETHERCAT_DEVICES_MAX]; /* outputs held at zero */
    bool failed;                              /* the frame of this cycle could not be sent */
};

/* Open the interface, bring all devices to PRE-OP and read who they are: their number, or -errno after saying why on
 * `messages`. Nothing found is 0, and no error. To be closed in any case. */
int ethercat_scan(struct ethercat *e, const char *interface, FILE *messages);

/* Read states and error counters into slave[]. */
void ethercat_inspect(struct ethercat *e);

/* Scan, check and configure up to SAFE-OP: 0, or -errno after saying why on `messages`: -ENODEV for a missing, extra or
 * wrong device, -EPROTO for one that refuses. To be closed in any case. */
int ethercat_open(struct ethercat *e, const struct ethercat_model *m, FILE *messages);

/* Ask all devices for OP; does not wait: ethercat.data tells when they are there. 0, or -EIO. */
int ethercat_operate(struct ethercat *e);

/* Devices to INIT, sockets closed. Also after a failed open. */
void ethercat_close(struct ethercat *e);

/* Hold the outputs of a device at zero whatever the cycle writes, or let them go: position from 0. For the helper. */
void ethercat_mask(struct ethercat *e, int position, bool masked);

/* Begin the cycle: late replies thrown away, outputs (e->data.outputs) sent. */
RT_SAFE void ethercat_send(struct ethercat *e, int64_t now_ns);

/* Wait for a frame at most until `timeout_ns` from now are over; true when one is there. It waits: the loop's to call. */
bool ethercat_wait(const struct ethercat *e, int64_t timeout_ns);

/* Take what has arrived; true when this cycle's reply is among it. */
RT_SAFE bool ethercat_receive(struct ethercat *e, int64_t now_ns);

/* End the cycle: enum process_data_status; validity and age of each device are in e->data.device. */
RT_SAFE unsigned ethercat_end(struct ethercat *e);

/* Bytes of a device in the images; position from 0. Outputs may be written, inputs are those of the last valid cycle. */
RT_SAFE uint8_t *ethercat_outputs(struct ethercat *e, int position);
RT_SAFE const uint8_t *ethercat_inputs(const struct ethercat *e, int position);

#endif
