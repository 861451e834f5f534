/* SPDX-License-Identifier: GPL-3.0-or-later */
/* process_data.h - the cyclic frame: outputs to bytes on the wire, and a reply to inputs only when it proves that it is
 * the answer to this cycle's frame.
 *
 *     outputs --> [build] --> frame --> wire --> reply --> [take] --> inputs, valid and age of each device
 *
 * One frame a cycle holds five datagrams:
 *
 *     LRW  process image           outputs of all devices, then inputs
 *     FRMW 0x0910                  time of the reference clock, to all others
 *     BRD  0x0130                  states of all devices or-ed, and how many there are
 *     FPRD 0x0130                  state and error code of one device, each in turn
 *     BRD  0x092c                  clock differences or-ed: an upper bound
 *
 * A datagram has an index byte that slaves leave alone. The five together hold a sequence number of 40 bits, so a late
 * reply cannot be taken for the present one within 34 years of 1 kHz. A reply gives inputs only if all of this holds:
 * length and headers as sent, sequence number of this cycle, working counter exactly as expected, outputs echoed as sent,
 * and the reference clock advanced as much as our own. Otherwise the inputs stay as they were and every age grows by one.
 *
 * No socket, no clock: bytes and times are arguments.
 */
#ifndef FREEFALL_PROCESS_DATA_H
#define FREEFALL_PROCESS_DATA_H

#include <stdint.h>

#include "model/base.h"

#define PROCESS_DATA_DEVICES_MAX 64
#define PROCESS_DATA_FRAME_MAX   1514
#define PROCESS_DATA_IMAGE_MAX   (PROCESS_DATA_FRAME_MAX - 96) /* 16 of headers, 80 of datagrams */
#define PROCESS_DATA_OP          0x08                          /* AL state */

/* Why the inputs of a cycle are not valid; 0 when they are. */
enum process_data_status {
    PROCESS_DATA_NO_FRAME = 1 << 0,
    PROCESS_DATA_WKC_LOW = 1 << 1,
    PROCESS_DATA_WKC_HIGH = 1 << 2,
    PROCESS_DATA_ECHO = 1 << 3,  /* outputs in the reply are not those sent */
    PROCESS_DATA_SHORT = 1 << 4, /* length or headers are not those sent */
    PROCESS_DATA_DC_JUMP = 1 << 5,
    PROCESS_DATA_SEND_FAIL = 1 << 6,
    PROCESS_DATA_STALE = 1 << 7, /* reply to an earlier cycle */
};
#define PROCESS_DATA_STATUS_BITS 8

/* Seen in a reply beside its inputs. */
enum process_data_alarm {
    PROCESS_DATA_NOT_OP = 1 << 0,    /* some device is not in OP */
    PROCESS_DATA_MISSING = 1 << 1,   /* not all devices saw the frame */
    PROCESS_DATA_REFERENCE = 1 << 2, /* the reference clock does not answer */
};

struct process_data_device {
    uint16_t address;    /* station address */
    int output, outputs; /* offset and bytes in the image */
    int input, inputs;
    int wkc; /* what it adds: 1 for inputs, 2 for outputs */
};

/* Constant after process_data_init(). */
struct process_data_model {
    uint32_t logical; /* address of the image */
    int image_bytes;
    int output_bytes; /* the first of them */
    int wkc;          /* expected, sum of the devices; filled by init */
    int count;
    struct process_data_device device[PROCESS_DATA_DEVICES_MAX];
    uint16_t reference; /* station address of the reference clock; 0: none */
    int64_t period_ns;
    int64_t
        receive_ns; /* a reply read later than this after its frame was begun is lost; 0: no limit */
};

struct process_data_sample {
    bool valid;     /* inputs are of this cycle, and the device is in OP */
    uint32_t age;   /* cycles since they were */
    uint16_t state; /* AL state, with 0x10 for an error */
    uint16_t code;  /* AL status code */
};

struct process_data_state {
    uint8_t outputs[PROCESS_DATA_IMAGE_MAX]; /* the caller writes these */
    uint8_t inputs[PROCESS_DATA_IMAGE_MAX];  /* image of the last valid cycle, from its byte 0 */
    struct process_data_sample device[PROCESS_DATA_DEVICES_MAX];

    unsigned status;       /* enum process_data_status, of the last cycle that ended */
    unsigned alarm;        /* enum process_data_alarm, of the last reply */
    int present;           /* devices that saw the last frame */
    int wkc;               /* of the last reply */
    int64_t dc_time_ns;    /* of the last valid reply */
    uint32_t dc_spread_ns; /* no clock differs by more */
    int64_t round_trip_ns; /* of the last reply */
    uint32_t stale_cycles; /* since the last valid one */
    uint64_t sequence;     /* frames built */
    uint64_t count[PROCESS_DATA_STATUS_BITS]; /* cycles and frames by reason */
    uint64_t valid_cycles;

    /* private */
    uint8_t frame[PROCESS_DATA_FRAME_MAX]; /* as sent */
    int bytes;
    int64_t sent_ns;
    bool answered;
    unsigned reply;    /* status of the genuine reply of this cycle */
    unsigned rejected; /* of the frames that were none */
    bool anchored;     /* a reference time is known: */
    int64_t anchor_dc_ns, anchor_sent_ns, anchor_trip_ns;
    int polled; /* device of the state poll in this frame */
};

/* Check the plan, sum the working counters, set the state: 0; -EINVAL for offsets outside the image, -EMSGSIZE when the
 * image does not fit into one frame. */
int process_data_init(struct process_data_model *m, struct process_data_state *s);

/* Begin a cycle: build the frame to be sent at this time from the outputs; its length. */
RT_SAFE int process_data_build(const struct process_data_model *m, struct process_data_state *s,
                               int64_t now_ns);

/* What a received frame of n bytes is worth as the reply of this cycle: enum process_data_status. Changes nothing. */
RT_SAFE unsigned process_data_check(const struct process_data_model *m,
                                    const struct process_data_state *s, const uint8_t *frame, int n,
                                    int64_t now_ns);

/* Take a received frame; true when it is the answer to this cycle's frame, so that waiting is over. */
RT_SAFE bool process_data_take(const struct process_data_model *m, struct process_data_state *s,
                               const uint8_t *frame, int n, int64_t now_ns);

/* End the cycle: ages and validity; the status. `failed`: the frame could not be sent. */
RT_SAFE unsigned process_data_end(const struct process_data_model *m, struct process_data_state *s,
                                  bool failed);

/* Name of a status bit: "NO_FRAME"; of an AL state: "SAFE-OP". */
const char *process_data_name(int bit);
const char *process_data_state_name(uint16_t state);

#endif
