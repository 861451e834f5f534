/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device_ft.c - two force/torque sensors.
 *
 * Axia (ATI Axia80 EtherCAT): counts of 1e-6 N and Nm, status word, sample counter; filter, bias, calibration slot and
 * sample rate by a control word in the process data.
 *
 * Bota (Bota Rokubi, PDO A): real numbers in SI, no sample counter; noise makes two samples differ.
 */
#include "tools/lab/devices.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "tools/lab/pdo.h"

#define COUNTS       1000000 /* per N and per Nm */
#define RANGE_N      500.0   /* sensing range */
#define RANGE_NM     20.0
#define BOTA_NOISE_N 0.02 /* deviation */

enum { SET_BIAS = 0x01, CLEAR_BIAS = 0x04 };
enum { STATUS_RANGE = 1 << 30 };

/* Internal sample rates of the Axia by their code. */
static const uint32_t rates_hz[] = {487, 975, 1990, 3900};

/* Samples that fall into the time since the last call; the phase keeps the fraction. */
static uint32_t samples(struct device_ft *ft, int64_t t_ns, uint32_t rate_hz)
{
    const int64_t elapsed = ft->started ? t_ns - ft->sampled_ns : 0;
    uint32_t n;

    ft->started = true;
    ft->sampled_ns = t_ns;
    if (elapsed <= 0 || elapsed > 1000000000) {
        return 1;
    }
    ft->phase += (uint64_t)elapsed * rate_hz;
    n = (uint32_t)(ft->phase / 1000000000u);
    ft->phase %= 1000000000u;
    return n;
}

/* First-order low-pass, time constant 2^filter samples; filter 0 passes everything. */
static void filter(struct device_ft *ft, const double wrench[static 6], uint32_t n, unsigned order)
{
    const double gain = order == 0 ? 1.0 : 1.0 / (double)(1u << order);

    for (uint32_t k = 0; k < n && k < 64; k++) {
        for (int i = 0; i < 6; i++) {
            ft->filtered[i] += gain * (wrench[i] - ft->filtered[i]);
        }
    }
}

static void reset(struct device *d, struct od *od)
{
    (void)od;
    memset(&d->state, 0, sizeof d->state);
}

static void bias(struct device_ft *ft, uint32_t control)
{
    const uint32_t rising = control & ~ft->control;

    if ((rising & SET_BIAS) != 0) {
        memcpy(ft->bias, ft->filtered, sizeof ft->bias);
    }
    if ((rising & CLEAR_BIAS) != 0) {
        memset(ft->bias, 0, sizeof ft->bias);
    }
    ft->control = control;
}

static void step_axia(struct device *d, struct od *od, const struct device_step *s)
{
    struct device_ft *ft = &d->state.ft;
    const uint32_t control = s->operational ? od_get(od, 0x7010, 1) : ft->control;
    const unsigned order = control >> 4 & 0x0f;
    const uint32_t n = samples(ft, s->t_ns, rates_hz[control >> 12 & 0x03]);
    uint32_t status = d->status_bits;
    double wrench[6];

    bias(ft, control);
    if (n == 0) {
        return; /* the last sample is repeated */
    }
    s->physics->wrench(s->physics->user, d->channel, s->t_ns, wrench);
    filter(ft, wrench, n, order < 8 ? order : 8);
    ft->counter += n;
    for (uint8_t i = 0; i < 6; i++) {
        const double range = i < 3 ? RANGE_N : RANGE_NM;
        const double value = base_clamp(ft->filtered[i], -range, range);

        status |= fabs(ft->filtered[i]) > range ? (uint32_t)STATUS_RANGE : 0u;
        od_set(od, 0x6000, (uint8_t)(i + 1),
               (uint32_t)(int32_t)floor(COUNTS * (value - ft->bias[i]) + 0.5));
    }
    od_set(od, 0x6010, 0, status);
    od_set(od, 0x6020, 0, ft->counter);
}

static void step_bota(struct device *d, struct od *od, const struct device_step *s)
{
    struct device_ft *ft = &d->state.ft;
    const uint32_t n = samples(ft, s->t_ns, od_get(od, 0x8011, 0));
    unsigned saturated = 0;
    double wrench[6];

    if (n == 0) {
        return;
    }
    s->physics->wrench(s->physics->user, d->channel, s->t_ns, wrench);
    for (uint8_t i = 0; i < 6; i++) {
        const double range = i < 3 ? RANGE_N : RANGE_NM;
        const double noise = BOTA_NOISE_N * (i < 3 ? 1.0 : 0.02) * random_normal(s->random);

        saturated |= fabs(wrench[i]) > range ? 1u << i : 0u;
        od_set_real(od, 0x6000, (uint8_t)(i + 3), base_clamp(wrench[i], -range, range) + noise);
    }
    od_set(od, 0x6000, 1, d->status_bits != 0 ? 1 : 0);
    od_set(od, 0x6000, 2, d->status_bits);
    od_set(od, 0x6000, 9, saturated);
    od_set_real(od, 0x6000, 12, 9.80665); /* at rest, z upwards */
    od_set_real(od, 0x6000, 18, 25.0);
    od_set_real(od, 0x6000, 22, 1.0);
}

/* Which RxPDO and TxPDO there are, and that they are assigned. */
#define ASSIGN(rx, tx)                                                                             \
    {PDO_OUTPUTS, 0, OD_U8, OD_RW_PREOP, "Output assignment", 1, NULL, 0, 0},                      \
        {PDO_OUTPUTS, 1, OD_U16, OD_RW_PREOP, "PDO", (rx), NULL, 0, 0},                            \
        {PDO_INPUTS, 0, OD_U8, OD_RW_PREOP, "Input assignment", 1, NULL, 0, 0},                    \
        {PDO_INPUTS, 1, OD_U16, OD_RW_PREOP, "PDO", (tx), NULL, 0, 0}

static const struct od_row axia_rows[] = {
    {0x1000, 0, OD_U32, OD_RO, "Device type", 0, NULL, 0, 0},
    {0x1008, 0, OD_TEXT, OD_RO, "Device name", 0, "ATI Axia F/T sensor", 0, 0},
    {0x1601, 0, OD_U8, OD_RO, "Control codes", 2, NULL, 0, 0},
    {0x1601, 1, OD_U32, OD_RO, "Object", 0x70100120, NULL, 2, 0x100},
    {0x1a00, 0, OD_U8, OD_RO, "Readings", 8, NULL, 0, 0},
    {0x1a00, 1, OD_U32, OD_RO, "Object", 0x60000120, NULL, 6, 0x100},
    {0x1a00, 7, OD_U32, OD_RO, "Object", 0x60100020, NULL, 0, 0},
    {0x1a00, 8, OD_U32, OD_RO, "Object", 0x60200020, NULL, 0, 0},
    ASSIGN(0x1601, 0x1a00),
    {0x2021, 0, OD_U8, OD_RO, "Calibration", 0x38, NULL, 0, 0},
    {0x2021, 0x01, OD_TEXT, OD_RO, "Serial number", 0, "FT00001", 0, 0},
    {0x2021, 0x02, OD_TEXT, OD_RO, "Part number", 0, "SI-500-20", 0, 0},
    {0x2021, 0x04, OD_TEXT, OD_RO, "Calibration date", 0, "2024/01/01", 0, 0},
    {0x2021, 0x2f, OD_U8, OD_RO, "Force unit", 1, NULL, 0, 0},
    {0x2021, 0x30, OD_U8, OD_RO, "Torque unit", 2, NULL, 0, 0},
    {0x2021, 0x31, OD_U32, OD_RO, "Greatest counts, force", 500 * COUNTS, NULL, 3, 0},
    {0x2021, 0x34, OD_U32, OD_RO, "Greatest counts, torque", 20 * COUNTS, NULL, 3, 0},
    {0x2021, 0x37, OD_U32, OD_RO, "Counts per force", COUNTS, NULL, 0, 0},
    {0x2021, 0x38, OD_U32, OD_RO, "Counts per torque", COUNTS, NULL, 0, 0},
    {0x2080, 0, OD_U8, OD_RO, "Diagnostics", 2, NULL, 0, 0},
    {0x2080, 1, OD_U32, OD_RO, "Supply, mV", 24000, NULL, 0, 0},
    {0x2080, 2, OD_U32, OD_RO, "Gage temperature, 0.1 degree", 250, NULL, 0, 0},
    {0x6000, 0, OD_U8, OD_RO, "Reading", 6, NULL, 0, 0},
    {0x6000, 1, OD_I32, OD_RO | OD_TX, "Force", 0, NULL, 3, 0},
    {0x6000, 4, OD_I32, OD_RO | OD_TX, "Torque", 0, NULL, 3, 0},
    {0x6010, 0, OD_U32, OD_RO | OD_TX, "Status code", 0, NULL, 0, 0},
    {0x6020, 0, OD_U32, OD_RO | OD_TX, "Sample counter", 0, NULL, 0, 0},
    {0x7010, 0, OD_U8, OD_RO, "Control codes", 2, NULL, 0, 0},
    {0x7010, 1, OD_U32, OD_RW | OD_RX, "Control 1", 0, NULL, 0, 0},
    {0x7010, 2, OD_U32, OD_RW | OD_RX, "Control 2", 0, NULL, 0, 0},
};

static const struct od_row bota_rows[] = {
    {0x1000, 0, OD_U32, OD_RO, "Device type", 0, NULL, 0, 0},
    {0x1008, 0, OD_TEXT, OD_RO, "Device name", 0, "Bota F/T sensor", 0, 0},
    {0x1600, 0, OD_U8, OD_RO, "Digital output", 1, NULL, 0, 0},
    {0x1600, 1, OD_U32, OD_RO, "Object", 0x70000108, NULL, 0, 0},
    {0x1a00, 0, OD_U8, OD_RO, "Readings", 22, NULL, 0, 0},
    {0x1a00, 1, OD_U32, OD_RO, "Object", 0x60000108, NULL, 0, 0},
    {0x1a00, 2, OD_U32, OD_RO, "Object", 0x60000220, NULL, 7, 0x100},
    {0x1a00, 9, OD_U32, OD_RO, "Object", 0x60000910, NULL, 0, 0},
    {0x1a00, 10, OD_U32, OD_RO, "Object", 0x60000a20, NULL, 3, 0x100},
    {0x1a00, 13, OD_U32, OD_RO, "Object", 0x60000d08, NULL, 0, 0},
    {0x1a00, 14, OD_U32, OD_RO, "Object", 0x60000e20, NULL, 3, 0x100},
    {0x1a00, 17, OD_U32, OD_RO, "Object", 0x60001108, NULL, 0, 0},
    {0x1a00, 18, OD_U32, OD_RO, "Object", 0x60001220, NULL, 5, 0x100},
    ASSIGN(0x1600, 0x1a00),
    {0x6000, 0, OD_U8, OD_RO, "Reading", 22, NULL, 0, 0},
    {0x6000, 1, OD_U8, OD_RO | OD_TX, "Status", 0, NULL, 0, 0},
    {0x6000, 2, OD_U32, OD_RO | OD_TX, "Warnings, errors, fatals", 0, NULL, 0, 0},
    {0x6000, 3, OD_F32, OD_RO | OD_TX, "Force, N", 0, NULL, 3, 0},
    {0x6000, 6, OD_F32, OD_RO | OD_TX, "Torque, Nm", 0, NULL, 3, 0},
    {0x6000, 9, OD_U16, OD_RO | OD_TX, "Force/torque saturated", 0, NULL, 0, 0},
    {0x6000, 10, OD_F32, OD_RO | OD_TX, "Acceleration, m/s2", 0, NULL, 3, 0},
    {0x6000, 13, OD_U8, OD_RO | OD_TX, "Acceleration saturated", 0, NULL, 0, 0},
    {0x6000, 14, OD_F32, OD_RO | OD_TX, "Angular rate, rad/s", 0, NULL, 3, 0},
    {0x6000, 17, OD_U8, OD_RO | OD_TX, "Angular rate saturated", 0, NULL, 0, 0},
    {0x6000, 18, OD_F32, OD_RO | OD_TX, "Temperature, degree", 0, NULL, 0, 0},
    {0x6000, 19, OD_F32, OD_RO | OD_TX, "Orientation, x y z w", 0, NULL, 4, 0},
    {0x7000, 0, OD_U8, OD_RO, "Digital output", 1, NULL, 0, 0},
    {0x7000, 1, OD_U8, OD_RW | OD_RX, "Digital output", 0, NULL, 0, 0},
    {0x8011, 0, OD_U16, OD_RW, "Sampling rate, Hz", 1000, NULL, 0, 0},
    {0x8030, 0, OD_U8, OD_RO, "Control", 2, NULL, 0, 0},
    {0x8030, 1, OD_U8, OD_RW, "Command", 0, NULL, 0, 0},
    {0x8030, 2, OD_U8, OD_RO, "Status", 0, NULL, 0, 0},
};

const struct device_type device_ft_axia = {
    .name = "ft-axia",
    .title = "ATI Axia F/T sensor",
    .order = "AXIA80",
    .vendor = 0x00000732,
    .product = 0x26483053,
    .revision = 1,
    .mailbox = true,
    .dc = true,
    .outputs_start = 0x1100,
    .outputs_control = 0x64,
    .inputs_start = 0x1400,
    .inputs_control = 0x20,
    .rows = axia_rows,
    .row_count = COUNT_OF(axia_rows),
    .reset = reset,
    .step = step_axia,
};

const struct device_type device_ft_bota = {
    .name = "ft-bota",
    .title = "Bota F/T sensor",
    .order = "LAB-BOTA",
    .vendor = DEVICES_LAB_VENDOR,
    .product = 0x00000b07,
    .revision = 1,
    .mailbox = true,
    .dc = true,
    .outputs_start = 0x1100,
    .outputs_control = 0x64,
    .inputs_start = 0x1400,
    .inputs_control = 0x20,
    .rows = bota_rows,
    .row_count = COUNT_OF(bota_rows),
    .reset = reset,
    .step = step_bota,
};
