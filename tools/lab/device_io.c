/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device_io.c - coupler, digital inputs and digital outputs: slave controllers without a processor.
 *
 * No mailbox, one byte of process data, AL status follows AL control. Identities are those of Beckhoff EK1100, EL1008,
 * EL1004, EL2008 and EL2004; the outputs lie at 0x0f00, where the chip has its output pins.
 */
#include "tools/lab/devices.h"

#include <stddef.h>
#include <string.h>

#include "tools/lab/pdo.h"

#define INPUTS  0x6000
#define OUTPUTS 0x7000

static void reset(struct device *d, struct od *od)
{
    (void)od;
    memset(&d->state, 0, sizeof d->state);
}

static void step_coupler(struct device *d, struct od *od, const struct device_step *s)
{
    (void)d;
    (void)od;
    (void)s;
}

static void step_inputs(struct device *d, struct od *od, const struct device_step *s)
{
    const uint32_t bits = s->physics->contacts(s->physics->user, d->channel) ^ d->input_mask;
    const uint32_t count = od_get(od, INPUTS, 0);

    for (uint32_t i = 0; i < count; i++) {
        od_set(od, INPUTS, (uint8_t)(i + 1), bits >> i & 1);
    }
}

static void step_outputs(struct device *d, struct od *od, const struct device_step *s)
{
    const uint32_t count = od_get(od, OUTPUTS, 0);
    uint32_t bits = 0;

    for (uint32_t i = 0; i < count && s->operational; i++) {
        bits |= (od_get(od, OUTPUTS, (uint8_t)(i + 1)) & 1) << i;
    }
    s->physics->relays(s->physics->user, d->channel, bits);
}

#define INPUT_ROWS(n)                                                                              \
    {                                                                                              \
        {PDO_INPUTS, 0, OD_U8, OD_RO, "Assignment", 1, NULL, 0, 0},                                \
        {PDO_INPUTS, 1, OD_U16, OD_RO, "PDO", 0x1a00, NULL, 0, 0},                                 \
        {0x1a00, 0, OD_U8, OD_RO, "Inputs", (n), NULL, 0, 0},                                      \
        {0x1a00, 1, OD_U32, OD_RO, "Object", INPUTS << 16 | 0x0101, NULL, (n), 0x100},             \
        {INPUTS, 0, OD_U8, OD_RO, "Inputs", (n), NULL, 0, 0},                                      \
        {INPUTS, 1, OD_BOOL, OD_RO | OD_TX, "Input", 0, NULL, (n), 0},                             \
    }

#define OUTPUT_ROWS(n)                                                                             \
    {                                                                                              \
        {PDO_OUTPUTS, 0, OD_U8, OD_RO, "Assignment", 1, NULL, 0, 0},                               \
        {PDO_OUTPUTS, 1, OD_U16, OD_RO, "PDO", 0x1600, NULL, 0, 0},                                \
        {0x1600, 0, OD_U8, OD_RO, "Outputs", (n), NULL, 0, 0},                                     \
        {0x1600, 1, OD_U32, OD_RO, "Object", OUTPUTS << 16 | 0x0101, NULL, (n), 0x100},            \
        {OUTPUTS, 0, OD_U8, OD_RO, "Outputs", (n), NULL, 0, 0},                                    \
        {OUTPUTS, 1, OD_BOOL, OD_RO | OD_RX, "Output", 0, NULL, (n), 0},                           \
    }

static const struct od_row di8_rows[] = INPUT_ROWS(8);
static const struct od_row di4_rows[] = INPUT_ROWS(4);
static const struct od_row do8_rows[] = OUTPUT_ROWS(8);
static const struct od_row do4_rows[] = OUTPUT_ROWS(4);

const struct device_type device_coupler = {
    .name = "coupler",
    .title = "EK1100 coupler",
    .order = "EK1100",
    .vendor = 2,
    .product = 0x044c2c52,
    .revision = 0x00110000,
    .dc = true,
    .reset = reset,
    .step = step_coupler,
};

const struct device_type device_di8 = {
    .name = "di8",
    .title = "EL1008 8 digital inputs",
    .order = "EL1008",
    .vendor = 2,
    .product = 0x03f03052,
    .revision = 0x00100000,
    .inputs_start = 0x1000,
    .inputs_control = 0x00,
    .rows = di8_rows,
    .row_count = COUNT_OF(di8_rows),
    .reset = reset,
    .step = step_inputs,
};

const struct device_type device_di4 = {
    .name = "di4",
    .title = "EL1004 4 digital inputs",
    .order = "EL1004",
    .vendor = 2,
    .product = 0x03ec3052,
    .revision = 0x00100000,
    .inputs_start = 0x1000,
    .inputs_control = 0x00,
    .rows = di4_rows,
    .row_count = COUNT_OF(di4_rows),
    .reset = reset,
    .step = step_inputs,
};

const struct device_type device_do8 = {
    .name = "do8",
    .title = "EL2008 8 digital outputs",
    .order = "EL2008",
    .vendor = 2,
    .product = 0x07d83052,
    .revision = 0x00100000,
    .outputs_start = 0x0f00,
    .outputs_control = 0x44,
    .rows = do8_rows,
    .row_count = COUNT_OF(do8_rows),
    .reset = reset,
    .step = step_outputs,
};

const struct device_type device_do4 = {
    .name = "do4",
    .title = "EL2004 4 digital outputs",
    .order = "EL2004",
    .vendor = 2,
    .product = 0x07d43052,
    .revision = 0x00100000,
    .outputs_start = 0x0f00,
    .outputs_control = 0x44,
    .rows = do4_rows,
    .row_count = COUNT_OF(do4_rows),
    .reset = reset,
    .step = step_outputs,
};
