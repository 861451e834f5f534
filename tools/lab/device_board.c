/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device_board.c - board of the planar robot (valves and servos), and bridge to an industrial robot (pose blocks).
 *
 * Airboard, 13 bytes out: valves (bit 0 to 5: nozzle 1 to 6), six servo angles in 1e-4 rad. 9 bytes in: valves in
 * force, sequence, tank pressure in mbar, supply in mV, status.
 *
 * Bridge, 32 bytes each way, byte by byte as two EtherCAT masters see a bridge terminal (EL6695): sequence (2), mode,
 * flags, x y z (4 each, um), A B C (4 each, 1e-4 deg), reserved (2), CRC-16 of the 30 bytes before. A block is taken
 * when its sequence is new and its checksum right.
 */
#include "tools/lab/devices.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "drivers/wire.h"
#include "tools/lab/pdo.h"

#define BLOCK  32
#define SERVO  1e-4                     /* rad */
#define DEGREE (BASE_PI / 180.0 * 1e-4) /* rad in 1e-4 deg */
#define MICRO  1e-6                     /* m in um */

static void reset(struct device *d, struct od *od)
{
    (void)od;
    memset(&d->state, 0, sizeof d->state);
}

/* Valves close when nobody commands them; servos keep their last reference, as they do without a signal. */
static void step_airboard(struct device *d, struct od *od, const struct device_step *s)
{
    const uint8_t valves = s->operational ? (uint8_t)(od_get(od, 0x7000, 1) & 0x3f) : 0;
    double servo[6];

    for (uint8_t i = 0; i < 6; i++) {
        servo[i] = SERVO * od_get_signed(od, 0x7000, (uint8_t)(i + 2));
    }
    s->physics->air(s->physics->user, d->channel, valves, servo, s->dt_s);
    od_set(od, 0x6000, 1, valves);
    od_set(od, 0x6000, 2, ++d->state.count.sequence);
    od_set(od, 0x6000, 3, 6000);
    od_set(od, 0x6000, 4, 7400);
    od_set(od, 0x6000, 5, d->status_bits);
}

static int32_t rounded(double x)
{
    return (int32_t)floor(base_clamp(x, -2147483647.0, 2147483647.0) + 0.5);
}

static uint8_t *block(struct od *od, uint16_t index)
{
    return &od->value[od->entry[od_find(od, index, 1)].offset];
}

static void step_bridge(struct device *d, struct od *od, const struct device_step *s)
{
    const uint8_t *in = block(od, 0x7000);
    uint8_t *out = block(od, 0x6000);
    const bool valid = wire_get_u16(in + 30) == devices_crc16(in, BLOCK - 2) && s->operational;
    struct physics_pose command;
    struct physics_pose measured;

    memset(&command, 0, sizeof command);
    command.mode = valid ? in[2] : 0;
    command.flags = valid ? in[3] : 0;
    for (int i = 0; i < 3; i++) {
        command.position_m[i] = MICRO * wire_get_i32(in + 4 + 4 * i);
        command.abc_rad[i] = DEGREE * wire_get_i32(in + 16 + 4 * i);
    }
    s->physics->robot(s->physics->user, d->channel, valid ? &command : NULL, s->dt_s, &measured);
    wire_put_u16(out, ++d->state.count.sequence);
    out[2] = measured.mode;
    out[3] = measured.flags;
    for (int i = 0; i < 3; i++) {
        wire_put_i32(out + 4 + 4 * i, rounded(measured.position_m[i] / MICRO));
        wire_put_i32(out + 16 + 4 * i, rounded(measured.abc_rad[i] / DEGREE));
    }
    wire_put_u16(out + 28, 0);
    wire_put_u16(out + 30, devices_crc16(out, BLOCK - 2));
}

static const struct od_row airboard_rows[] = {
    {0x1000, 0, OD_U32, OD_RO, "Device type", 0, NULL, 0, 0},
    {0x1008, 0, OD_TEXT, OD_RO, "Device name", 0, "freefall air board", 0, 0},
    {0x1600, 0, OD_U8, OD_RW_PREOP, "Valves and servos", 7, NULL, 0, 0},
    {0x1600, 1, OD_U32, OD_RW_PREOP, "Object", 0x70000108, NULL, 0, 0},
    {0x1600, 2, OD_U32, OD_RW_PREOP, "Object", 0x70000210, NULL, 6, 0x100},
    {0x1a00, 0, OD_U8, OD_RW_PREOP, "Board state", 5, NULL, 0, 0},
    {0x1a00, 1, OD_U32, OD_RW_PREOP, "Object", 0x60000108, NULL, 0, 0},
    {0x1a00, 2, OD_U32, OD_RW_PREOP, "Object", 0x60000210, NULL, 4, 0x100},
    {PDO_OUTPUTS, 0, OD_U8, OD_RW_PREOP, "Output assignment", 1, NULL, 0, 0},
    {PDO_OUTPUTS, 1, OD_U16, OD_RW_PREOP, "PDO", 0x1600, NULL, 0, 0},
    {PDO_INPUTS, 0, OD_U8, OD_RW_PREOP, "Input assignment", 1, NULL, 0, 0},
    {PDO_INPUTS, 1, OD_U16, OD_RW_PREOP, "PDO", 0x1a00, NULL, 0, 0},
    {0x6000, 0, OD_U8, OD_RO, "Board state", 5, NULL, 0, 0},
    {0x6000, 1, OD_U8, OD_RO | OD_TX, "Valves", 0, NULL, 0, 0},
    {0x6000, 2, OD_U16, OD_RO | OD_TX, "Sequence", 0, NULL, 0, 0},
    {0x6000, 3, OD_U16, OD_RO | OD_TX, "Tank pressure, mbar", 0, NULL, 0, 0},
    {0x6000, 4, OD_U16, OD_RO | OD_TX, "Supply, mV", 0, NULL, 0, 0},
    {0x6000, 5, OD_U16, OD_RO | OD_TX, "Status", 0, NULL, 0, 0},
    {0x7000, 0, OD_U8, OD_RO, "Commands", 7, NULL, 0, 0},
    {0x7000, 1, OD_U8, OD_RW | OD_RX, "Valves", 0, NULL, 0, 0},
    {0x7000, 2, OD_I16, OD_RW | OD_RX, "Servo angle, 1e-4 rad", 0, NULL, 6, 0},
};

static const struct od_row bridge_rows[] = {
    {0x1000, 0, OD_U32, OD_RO, "Device type", 0x00001389, NULL, 0, 0},
    {0x1008, 0, OD_TEXT, OD_RO, "Device name", 0, "EL6695", 0, 0},
    {0x10f4, 0, OD_U8, OD_RO, "External synchronisation status", 16, NULL, 0, 0},
    {0x10f4, 16, OD_BOOL, OD_RO, "External device not connected", 0, NULL, 0, 0},
    {0x1600, 0, OD_U8, OD_RW_PREOP, "Pose command", BLOCK, NULL, 0, 0},
    {0x1600, 1, OD_U32, OD_RW_PREOP, "Object", 0x70000108, NULL, BLOCK, 0x100},
    {0x1a00, 0, OD_U8, OD_RW_PREOP, "Pose measured", BLOCK, NULL, 0, 0},
    {0x1a00, 1, OD_U32, OD_RW_PREOP, "Object", 0x60000108, NULL, BLOCK, 0x100},
    {PDO_OUTPUTS, 0, OD_U8, OD_RW_PREOP, "Output assignment", 1, NULL, 0, 0},
    {PDO_OUTPUTS, 1, OD_U16, OD_RW_PREOP, "PDO", 0x1600, NULL, 0, 0},
    {PDO_INPUTS, 0, OD_U8, OD_RW_PREOP, "Input assignment", 1, NULL, 0, 0},
    {PDO_INPUTS, 1, OD_U16, OD_RW_PREOP, "PDO", 0x1a00, NULL, 0, 0},
    {0x6000, 0, OD_U8, OD_RO, "Measured", BLOCK, NULL, 0, 0},
    {0x6000, 1, OD_U8, OD_RO | OD_TX, "Byte", 0, NULL, BLOCK, 0},
    {0x7000, 0, OD_U8, OD_RO, "Command", BLOCK, NULL, 0, 0},
    {0x7000, 1, OD_U8, OD_RW | OD_RX, "Byte", 0, NULL, BLOCK, 0},
};

const struct device_type device_airboard = {
    .name = "airboard",
    .title = "freefall air board",
    .order = "LAB-AIR",
    .vendor = DEVICES_LAB_VENDOR,
    .product = 0x00000a12,
    .revision = 1,
    .mailbox = true,
    .dc = true,
    .outputs_start = 0x1100,
    .outputs_control = 0x64,
    .inputs_start = 0x1400,
    .inputs_control = 0x20,
    .rows = airboard_rows,
    .row_count = COUNT_OF(airboard_rows),
    .reset = reset,
    .step = step_airboard,
};

const struct device_type device_bridge = {
    .name = "bridge",
    .title = "EL6695 bridge",
    .order = "EL6695",
    .vendor = 2,
    .product = 0x1a273052,
    .revision = 0x00120000,
    .mailbox = true,
    .dc = true,
    .outputs_start = 0x1100,
    .outputs_control = 0x64,
    .inputs_start = 0x1400,
    .inputs_control = 0x20,
    .rows = bridge_rows,
    .row_count = COUNT_OF(bridge_rows),
    .reset = reset,
    .step = step_bridge,
};
