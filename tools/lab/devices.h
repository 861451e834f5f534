/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices.h - the kinds of device the lab can put on its segment, one row each, and what a device is.
 *
 * A device works on the values of its object dictionary: outputs were copied into it from the process image, inputs
 * are copied out of it afterwards (pdo.h). So a device needs its table of objects and one step function; mailbox,
 * PDO mapping, EEPROM and state machine are common to all.
 */
#ifndef FREEFALL_LAB_DEVICES_H
#define FREEFALL_LAB_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/random.h"
#include "tools/lab/od.h"
#include "tools/lab/physics.h"

/* Not an assigned vendor number: identity of devices that copy no product. */
#define DEVICES_LAB_VENDOR 0xe0000f1fu

/* Force/torque sensors. */
struct device_ft {
    int64_t sampled_ns; /* when the last sample was taken */
    uint64_t phase;     /* of the sampling, in 1e-9 samples */
    uint32_t counter;   /* samples so far */
    double filtered[6]; /* N, Nm */
    double bias[6];     /* taken off */
    uint32_t control;   /* of the step before, for edges */
    bool started;
};

/* CiA 402 drive. */
struct device_drive {
    int state; /* enum device_drive_state */
    uint16_t control;
    double enabled_s; /* since operation was enabled: the brake needs its time */
    double follow_s;  /* following error outside its window */
    double position_rad, velocity_rad_s;
    bool limited;
    bool powered;
};

/* Anything counted by the board of the planar robot and by the bridge. */
struct device_count {
    uint16_t sequence;
};

struct device {
    const struct device_type *type;
    int channel; /* of the physics */
    union {
        struct device_ft ft;
        struct device_drive drive;
        struct device_count count;
    } state;
    bool emergency; /* the device wants to send one */
    uint16_t emergency_code;

    /* scripted faults */
    bool frozen;          /* inputs stand still while frames go on */
    uint32_t status_bits; /* or-ed into the status of a sensor */
    uint32_t input_mask;  /* contacts held open: these bits of the inputs are inverted */
    uint16_t fault_code;  /* raised by a drive at its next step */
};

/* One step of a device. */
struct device_step {
    int64_t t_ns;
    double dt_s;
    bool operational; /* state OP and watchdog alive: outputs may act */
    const struct physics *physics;
    struct random_state *random;
};

struct device_type {
    const char *name;  /* in configuration files: "drive" */
    const char *title; /* in the EEPROM: "CiA 402 drive" */
    const char *order;
    uint32_t vendor, product, revision;
    bool mailbox;   /* CoE; otherwise the controller has no processor (device emulation) */
    bool dc;        /* distributed clocks */
    int sync_limit; /* SYNC0 pulses without new outputs that end OP, 0: any number */
    uint16_t outputs_start, inputs_start;    /* sync managers */
    uint8_t outputs_control, inputs_control; /* */
    const struct od_row *rows;
    int row_count;
    void (*reset)(struct device *d, struct od *od);
    void (*step)(struct device *d, struct od *od, const struct device_step *s);
};

/* States of a CiA 402 drive, in the order of its status words. */
enum device_drive_state {
    DEVICE_DRIVE_NOT_READY,
    DEVICE_DRIVE_DISABLED,
    DEVICE_DRIVE_READY,
    DEVICE_DRIVE_SWITCHED_ON,
    DEVICE_DRIVE_ENABLED,
    DEVICE_DRIVE_QUICK_STOP,
    DEVICE_DRIVE_REACTION,
    DEVICE_DRIVE_FAULT,
};

/* The state a control word leads to. Pure; faults and the end of a stop are the caller's. `before` is the control
 * word of the step before: a fault is reset by a rising edge. `resume`: quick stop may be left for operation. */
int device_cia402_next(int state, uint16_t control, uint16_t before, bool resume);

/* CRC-16 (polynomial 0x1021, start 0xffff) of a pose block. */
uint16_t devices_crc16(const uint8_t *data, unsigned n);

extern const struct device_type device_coupler, device_di8, device_di4, device_do8, device_do4;
extern const struct device_type device_ft_axia, device_ft_bota;
extern const struct device_type device_drive_cia402;
extern const struct device_type device_airboard, device_bridge;

/* The table: number of kinds, kind by number, kind by name (NULL when there is none). */
int devices_count(void);
const struct device_type *devices_type(int i);
const struct device_type *devices_find(const char *name);

/* Objects every CoE device has; fill the dictionary of a device of this kind. 0 or -errno from od_add(). */
int devices_objects(const struct device_type *type, struct od *od);

#endif
