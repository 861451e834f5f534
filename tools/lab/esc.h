/* SPDX-License-Identifier: GPL-3.0-or-later */
/* esc.h - one EtherCAT slave controller as the master sees it: registers, process RAM, sync managers.
 *
 * The bus side (ECAT) reads and writes by address; the device side (PDI) fetches and offers mailboxes (syncman.h)
 * and touches the memory directly. What the bus side did is left behind as event bits, which the owner of the
 * controller (slave.h) takes up after each datagram: this file knows no time, no device and no protocol.
 *
 * Names and meanings of the registers are those of the Beckhoff ESC data sheet, section II.
 */
#ifndef FREEFALL_LAB_ESC_H
#define FREEFALL_LAB_ESC_H

#include <stdbool.h>
#include <stdint.h>

#define ESC_MEMORY     0x3000 /* registers, then 8 KiB of process RAM from 0x1000 */
#define ESC_RAM        0x0f00 /* from here on plain memory: outputs of simple I/O, user RAM, process RAM */
#define ESC_SM_COUNT   8
#define ESC_FMMU_COUNT 8

enum esc_register {
    ESC_REG_TYPE = 0x0000,
    ESC_REG_FEATURES = 0x0008, /* bit 2: distributed clocks, bit 3: 64 bits wide */
    ESC_REG_STATION = 0x0010,
    ESC_REG_ALIAS = 0x0012,
    ESC_REG_DL_CONTROL = 0x0100, /* 0x0101: loops of the ports, 0x0103 bit 0: alias enabled */
    ESC_REG_DL_STATUS = 0x0110,
    ESC_REG_AL_CONTROL = 0x0120,
    ESC_REG_AL_STATUS = 0x0130,
    ESC_REG_AL_CODE = 0x0134,
    ESC_REG_PDI_CONTROL = 0x0140, /* 0x0141 bit 0: device emulation */
    ESC_REG_RX_ERROR = 0x0300, /* port p: 0x0300 + 2p invalid frames, 0x0301 + 2p physical errors */
    ESC_REG_FORWARDED = 0x0308,
    ESC_REG_LOST_LINK = 0x0310,
    ESC_REG_WD_DIVIDER = 0x0400,
    ESC_REG_WD_PDI = 0x0410,
    ESC_REG_WD_DATA = 0x0420,
    ESC_REG_WD_STATUS = 0x0440,
    ESC_REG_WD_COUNT = 0x0442,
    ESC_REG_SII_OWNER = 0x0500,
    ESC_REG_SII_CONTROL = 0x0502,
    ESC_REG_SII_ADDRESS = 0x0504,
    ESC_REG_SII_DATA = 0x0508,
    ESC_REG_FMMU = 0x0600, /* 16 bytes each */
    ESC_REG_SM = 0x0800,   /* 8 bytes each: start, length, control, status, activate, PDI control */
    ESC_REG_PORT_TIME = 0x0900,
    ESC_REG_SYSTEM_TIME = 0x0910,
    ESC_REG_RECEIVE_TIME = 0x0918,
    ESC_REG_TIME_OFFSET = 0x0920,
    ESC_REG_TIME_DELAY = 0x0928,
    ESC_REG_TIME_DIFFERENCE = 0x092c,
    ESC_REG_SPEED_START = 0x0930,
    ESC_REG_SYNC_ACTIVATE = 0x0981,
    ESC_REG_SYNC_START = 0x0990,
    ESC_REG_SYNC_CYCLE = 0x09a0,
    ESC_REG_OUTPUT = 0x0f00, /* outputs of a controller without processor */
};

/* What the bus side has done since the owner last cleared esc.events. */
enum esc_event {
    ESC_EVENT_AL = 1 << 0,    /* AL control written: a state is requested */
    ESC_EVENT_SII = 1 << 1,   /* SII command written */
    ESC_EVENT_LATCH = 1 << 2, /* 0x0900 written: port times are wanted */
    ESC_EVENT_TIME = 1 << 3,  /* 0x0910 written: esc.received_time is to be compared */
    ESC_EVENT_CLOCK = 1 << 4, /* offset or delay written */
    ESC_EVENT_SPEED = 1 << 5, /* 0x0930 written: the control loop starts anew */
    ESC_EVENT_SYNC = 1 << 6,  /* SYNC unit activated or stopped */
    ESC_EVENT_SM = 1 << 7, /* a buffer was completed or emptied: sm_written, sm_read, sm_repeat */
    ESC_EVENT_CONTROL = 1 << 8 /* DL control written */
};

/* One sync manager, decoded from its registers. */
struct esc_sm {
    uint16_t start, length;
    bool enabled; /* by ECAT */
    bool locked;  /* by the device (PDI control bit 0): nothing is accessible */
    bool mailbox; /* one buffer, written and read in turn; else three buffers, always accessible */
    bool ecat_writes; /* direction: outputs and requests; else inputs and replies */
    bool watchdog;    /* a complete write triggers the process data watchdog */
    bool full;        /* mailbox: written, not yet read */
    bool open;        /* mailbox: begun, last byte not yet touched */
};

/* One FMMU: bits [start_bit of the first byte .. end_bit of the last] at a logical address. */
struct esc_fmmu {
    uint32_t start;
    uint16_t length;
    uint8_t start_bit, end_bit;
    uint16_t physical;
    uint8_t physical_bit;
    bool read, write, active;
};

/* Constant after esc_init(). */
struct esc_model {
    bool dc;        /* has distributed clocks */
    bool emulation; /* no processor: AL status follows AL control */
    uint8_t pdi;    /* 0x04 digital I/O, 0x05 processor */
    uint16_t alias;
};

struct esc {
    struct esc_model model;
    uint8_t memory[ESC_MEMORY];
    struct esc_sm sm[ESC_SM_COUNT];
    struct esc_fmmu fmmu[ESC_FMMU_COUNT];
    unsigned events;        /* enum esc_event */
    unsigned sm_written;    /* bit n: sync manager n was completely written */
    unsigned sm_read;       /* bit n: mailbox n was completely read */
    unsigned sm_repeat;     /* bit n: mailbox n has its repeat request toggled */
    uint32_t received_time; /* last value written to 0x0910 */
};

/* Power on: every register has its reset value. */
void esc_init(struct esc *e, const struct esc_model *model);

/* Bus side. True when at least one byte was accessible, which is what a working counter counts.
 * esc_or() adds the bits to the data, as broadcast reads do. */
bool esc_read(struct esc *e, uint16_t address, uint8_t *data, unsigned n);
bool esc_or(struct esc *e, uint16_t address, uint8_t *data, unsigned n);
bool esc_write(struct esc *e, uint16_t address, const uint8_t *data, unsigned n);

#endif
