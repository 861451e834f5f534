/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ft.h - force/torque sensors: bytes of the process image to a wrench in N and Nm, with the proof that it is new.
 *
 * A kind of sensor is one row of a table: where its six numbers, its status and its sample counter lie, which status
 * bits make it invalid. A sensor without a counter is new when its numbers changed: noise moves the last bits of a real
 * one in every sample.
 */
#ifndef FREEFALL_FT_H
#define FREEFALL_FT_H

#include <stdint.h>

#include "model/base.h"

#define FT_REPEATS_MAX 3  /* more samples in a row that are not new: the sensor stands still */
#define FT_GAP_MAX     10 /* samples between two cycles; more: the counter jumped */

/* Control word of a sensor that has one. */
enum { FT_SET_BIAS = 0x01, FT_CLEAR_BIAS = 0x04 };

struct ft_layout {
    const char *name;                     /* as bus.devices[].type */
    int inputs, outputs;                  /* bytes */
    int wrench;                           /* offset of six numbers, 4 bytes each */
    bool real;                            /* float in SI; else signed counts */
    int status;                           /* offset of 4 bytes */
    uint32_t invalid, saturated, warning; /* bits of the status */
    int saturation; /* offset of a saturation word of 2 bytes; -1: a status bit tells */
    int counter;    /* offset of the sample counter; -1: none */
    bool control;   /* outputs are a control word; else zeros */
};

/* Constant. */
struct ft_model {
    const struct ft_layout *layout;
    double counts_per_n, counts_per_nm; /* of the calibration; unused by real numbers */
    unsigned filter;                    /* 0 off, to 8 */
    unsigned rate;                      /* code 0 to 3: 487, 975, 1990, 3900 Hz */
};

/* What a sensor says about its counts. */
struct ft_calibration {
    uint8_t force_unit, torque_unit; /* codes; N is 1, Nm is 2 */
    uint32_t counts_per_force, counts_per_torque;
};

struct ft_state {
    bool started;
    uint32_t counter;
    uint8_t last[24]; /* the six numbers, as bytes */
    uint32_t repeats; /* cycles in a row without a new sample */
};

struct ft_sample {
    double wrench[6]; /* F = [f; m], N and Nm, sensor frame; of the last valid frame */
    bool valid;       /* frame valid, sensor well, sample new enough */
    bool fresh;       /* another sample than in the cycle before */
    bool saturated;
    bool warning;
    bool jumped;     /* the sample counter made a step no rate explains */
    uint32_t status; /* as the sensor says it */
};

/* Row by name; NULL when there is none. */
const struct ft_layout *ft_find(const char *name);

/* 0 when the calibration is in N and Nm and has counts, else -EINVAL: a sensor in other units is not used. Codes of the
 * older ATI interface start at 1 (2: N, 3: Nm); such a sensor is another product and would need its own row. */
int ft_units(const struct ft_calibration *c);

/* Counts of the calibration into the model; as ft_units(). */
int ft_calibrate(struct ft_model *m, const struct ft_calibration *c);

/* 0; -EINVAL without a layout, for counts that are not positive, or a filter or rate that does not exist. */
int ft_init(const struct ft_model *m, struct ft_state *s);

/* Bytes of a cycle to a sample; `valid` says whether the frame was. */
RT_SAFE void ft_read(const struct ft_model *m, struct ft_state *s, const uint8_t *inputs,
                     bool valid, struct ft_sample *out);

/* Control word with filter, rate and, for one cycle, bias bits; zeros for a sensor without. */
RT_SAFE void ft_write(const struct ft_model *m, unsigned bias, uint8_t *outputs);

#endif
