/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device_drive.c - joint drive after CiA 402 with brake, in cyclic synchronous torque (10) and position (8) mode.
 *
 * Default image, 13 bytes out and 15 in: control word, mode, target torque, target position, target velocity; status
 * word, mode shown, position, velocity, torque, error code. Units: torque in 1/1000 of the rated torque 0x6076 (mNm),
 * position in increments of the joint (0x608F), velocity in increments per second.
 */
#include "tools/lab/devices.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "tools/lab/pdo.h"

#define BRAKE_S    0.02 /* the brake opens this long after operation is enabled */
#define STANDSTILL 0.01 /* rad/s */
#define MODE_CSP   8
#define MODE_CST   10

enum status {
    STATUS_VOLTAGE = 1 << 4,
    STATUS_REMOTE = 1 << 9,
    STATUS_LIMIT = 1 << 11,
    STATUS_FOLLOWS = 1 << 12,
    STATUS_FOLLOWING_ERROR = 1 << 13,
};

enum fault {
    FAULT_UNDERVOLTAGE = 0x3220,
    FAULT_COMMUNICATION = 0x7500,
    FAULT_FOLLOWING = 0x8611,
};

static const uint16_t status_words[] = {
    [DEVICE_DRIVE_NOT_READY] = 0x00, [DEVICE_DRIVE_DISABLED] = 0x40,
    [DEVICE_DRIVE_READY] = 0x21,     [DEVICE_DRIVE_SWITCHED_ON] = 0x23,
    [DEVICE_DRIVE_ENABLED] = 0x27,   [DEVICE_DRIVE_QUICK_STOP] = 0x07,
    [DEVICE_DRIVE_REACTION] = 0x0f,  [DEVICE_DRIVE_FAULT] = 0x08,
};

static void reset(struct device *d, struct od *od)
{
    memset(&d->state, 0, sizeof d->state);
    d->state.drive.powered = true;
    od_set(od, 0x6041, 0, 0);
    od_set(od, 0x603f, 0, 0);
}

static void raise_fault(struct device *d, struct od *od, uint16_t code)
{
    d->state.drive.state = DEVICE_DRIVE_REACTION;
    d->emergency = true;
    d->emergency_code = code;
    od_set(od, 0x603f, 0, code);
    od_set(od, 0x1001, 0, 0x01);
}

static double increments(const struct od *od)
{
    const double revolutions = (double)od_get(od, 0x608f, 2);

    return (double)od_get(od, 0x608f, 1) / (revolutions > 0 ? revolutions : 1) / (2 * BASE_PI);
}

static double real(const struct od *od, uint16_t index, uint8_t sub)
{
    const uint32_t bits = od_get(od, index, sub);
    float value;

    memcpy(&value, &bits, sizeof value);
    return base_finite((double)value) ? (double)value : 0.0;
}

/* What the drive asks of its motor, Nm, before the limit. */
static double wanted_nm(const struct device_drive *drive, const struct od *od, double rated_nm)
{
    const double offset = 1e-3 * rated_nm * od_get_signed(od, 0x60b2, 0);
    const double kp = real(od, 0x2001, 1);
    const double kd = real(od, 0x2001, 2);

    if (drive->state == DEVICE_DRIVE_QUICK_STOP || drive->state == DEVICE_DRIVE_REACTION) {
        return -kd * drive->velocity_rad_s;
    }
    if (od_get_signed(od, 0x6061, 0) == MODE_CSP) {
        const double target = od_get_signed(od, 0x607a, 0) / increments(od);

        return kp * (target - drive->position_rad) - kd * drive->velocity_rad_s + offset;
    }
    return 1e-3 * rated_nm * od_get_signed(od, 0x6071, 0) + offset;
}

static void watch_following(struct device *d, struct od *od, double dt_s)
{
    struct device_drive *drive = &d->state.drive;
    const double error = od_get_signed(od, 0x607a, 0) - drive->position_rad * increments(od);
    const bool outside = fabs(error) > (double)od_get(od, 0x6065, 0);

    drive->follow_s = outside ? drive->follow_s + dt_s : 0;
    if (drive->follow_s > 1e-3 * (double)od_get(od, 0x6066, 0)) {
        raise_fault(d, od, FAULT_FOLLOWING);
    }
}

/* Which state the drive is in now: what the master says, what went wrong, what has come to its end. */
static void decide(struct device *d, struct od *od, const struct device_step *s)
{
    struct device_drive *drive = &d->state.drive;
    const uint16_t control = s->operational ? (uint16_t)od_get(od, 0x6040, 0) : 0;
    const uint32_t stop_option = od_get(od, 0x605a, 0);
    const bool still = fabs(drive->velocity_rad_s) < STANDSTILL;
    const int before = drive->state;
    const bool on = before == DEVICE_DRIVE_SWITCHED_ON || before == DEVICE_DRIVE_ENABLED ||
                    before == DEVICE_DRIVE_QUICK_STOP;

    if (d->fault_code != 0) {
        raise_fault(d, od, d->fault_code);
        d->fault_code = 0;
    } else if (on && !s->operational) {
        raise_fault(d, od, FAULT_COMMUNICATION);
    } else if (on && !drive->powered) {
        raise_fault(d, od, FAULT_UNDERVOLTAGE);
    } else if (before == DEVICE_DRIVE_REACTION && still) {
        drive->state = DEVICE_DRIVE_FAULT;
    } else if (before == DEVICE_DRIVE_QUICK_STOP && still && stop_option < 5) {
        drive->state = DEVICE_DRIVE_DISABLED;
    } else {
        drive->state = device_cia402_next(before, control, drive->control, stop_option >= 5);
    }
    if (before == DEVICE_DRIVE_FAULT && drive->state == DEVICE_DRIVE_DISABLED) {
        od_set(od, 0x603f, 0, 0);
        od_set(od, 0x1001, 0, 0);
    }
    drive->enabled_s = drive->state == DEVICE_DRIVE_ENABLED ? drive->enabled_s + s->dt_s : 0;
    drive->control = control;
}

static void show(const struct device_drive *drive, struct od *od, bool operational,
                 double torque_nm, double rated_nm)
{
    const double inc = increments(od);
    const int32_t mode = od_get_signed(od, 0x6060, 0);
    const double counts =
        floor(base_clamp(drive->position_rad * inc, -2147483647.0, 2147483647.0) + 0.5);
    uint32_t status = status_words[drive->state];

    status |= drive->powered ? STATUS_VOLTAGE : 0u;
    status |= operational ? STATUS_REMOTE : 0u;
    status |= drive->limited ? STATUS_LIMIT : 0u;
    status |= drive->enabled_s > BRAKE_S ? STATUS_FOLLOWS : 0u;
    status |= drive->follow_s > 0 ? STATUS_FOLLOWING_ERROR : 0u;
    od_set(od, 0x6041, 0, status);
    if (mode == MODE_CSP || mode == MODE_CST) {
        od_set(od, 0x6061, 0, (uint32_t)mode);
    }
    od_set(od, 0x6064, 0, (uint32_t)(int32_t)counts);
    od_set(od, 0x606c, 0,
           (uint32_t)(int32_t)base_clamp(drive->velocity_rad_s * inc, -2147483647.0, 2147483647.0));
    od_set(od, 0x6077, 0, (uint32_t)(int32_t)floor(1e3 * torque_nm / rated_nm + 0.5));
    od_set(od, 0x60f4, 0, (uint32_t)od_get_signed(od, 0x607a, 0) - (uint32_t)(int32_t)counts);
}

static void step(struct device *d, struct od *od, const struct device_step *s)
{
    struct device_drive *drive = &d->state.drive;
    const double rated_nm = base_clamp(1e-3 * (double)od_get(od, 0x6076, 0), 1e-3, 1e6);
    const double most_nm = 1e-3 * rated_nm * (double)od_get(od, 0x6072, 0);
    struct physics_motion motion;
    double torque_nm = 0;
    bool driven;

    decide(d, od, s);
    driven = drive->enabled_s > BRAKE_S || drive->state == DEVICE_DRIVE_QUICK_STOP ||
             drive->state == DEVICE_DRIVE_REACTION;
    if (driven && drive->powered) {
        const double wanted = wanted_nm(drive, od, rated_nm);

        torque_nm = base_clamp(wanted, -most_nm, most_nm);
        drive->limited = fabs(wanted) > most_nm;
    } else {
        drive->limited = false;
    }
    s->physics->joint(s->physics->user, d->channel, torque_nm, !driven || !drive->powered, s->dt_s,
                      &motion);
    drive->position_rad = motion.position_rad;
    drive->velocity_rad_s = motion.velocity_rad_s;
    drive->powered = motion.powered;
    if (drive->enabled_s > BRAKE_S && od_get_signed(od, 0x6061, 0) == MODE_CSP) {
        watch_following(d, od, s->dt_s);
    } else {
        drive->follow_s = 0;
    }
    show(drive, od, s->operational, torque_nm, rated_nm);
}

static const struct od_row rows[] = {
    {0x1000, 0, OD_U32, OD_RO, "Device type", 0x00020192, NULL, 0, 0},
    {0x1008, 0, OD_TEXT, OD_RO, "Device name", 0, "CiA 402 drive", 0, 0},
    {0x1600, 0, OD_U8, OD_RW_PREOP, "Drive commands", 5, NULL, 0, 0},
    {0x1600, 1, OD_U32, OD_RW_PREOP, "Object", 0x60400010, NULL, 0, 0},
    {0x1600, 2, OD_U32, OD_RW_PREOP, "Object", 0x60600008, NULL, 0, 0},
    {0x1600, 3, OD_U32, OD_RW_PREOP, "Object", 0x60710010, NULL, 0, 0},
    {0x1600, 4, OD_U32, OD_RW_PREOP, "Object", 0x607a0020, NULL, 0, 0},
    {0x1600, 5, OD_U32, OD_RW_PREOP, "Object", 0x60ff0020, NULL, 0, 0},
    {0x1600, 6, OD_U32, OD_RW_PREOP, "Object", 0, NULL, 3, 0},
    {0x1601, 0, OD_U8, OD_RW_PREOP, "Torque offset", 1, NULL, 0, 0},
    {0x1601, 1, OD_U32, OD_RW_PREOP, "Object", 0x60b20010, NULL, 0, 0},
    {0x1a00, 0, OD_U8, OD_RW_PREOP, "Drive state", 6, NULL, 0, 0},
    {0x1a00, 1, OD_U32, OD_RW_PREOP, "Object", 0x60410010, NULL, 0, 0},
    {0x1a00, 2, OD_U32, OD_RW_PREOP, "Object", 0x60610008, NULL, 0, 0},
    {0x1a00, 3, OD_U32, OD_RW_PREOP, "Object", 0x60640020, NULL, 0, 0},
    {0x1a00, 4, OD_U32, OD_RW_PREOP, "Object", 0x606c0020, NULL, 0, 0},
    {0x1a00, 5, OD_U32, OD_RW_PREOP, "Object", 0x60770010, NULL, 0, 0},
    {0x1a00, 6, OD_U32, OD_RW_PREOP, "Object", 0x603f0010, NULL, 0, 0},
    {0x1a00, 7, OD_U32, OD_RW_PREOP, "Object", 0, NULL, 2, 0},
    {0x1a01, 0, OD_U8, OD_RW_PREOP, "Following error", 1, NULL, 0, 0},
    {0x1a01, 1, OD_U32, OD_RW_PREOP, "Object", 0x60f40020, NULL, 0, 0},
    {PDO_OUTPUTS, 0, OD_U8, OD_RW_PREOP, "Output assignment", 1, NULL, 0, 0},
    {PDO_OUTPUTS, 1, OD_U16, OD_RW_PREOP, "PDO", 0x1600, NULL, 2, 1},
    {PDO_INPUTS, 0, OD_U8, OD_RW_PREOP, "Input assignment", 1, NULL, 0, 0},
    {PDO_INPUTS, 1, OD_U16, OD_RW_PREOP, "PDO", 0x1a00, NULL, 2, 1},
    {0x2001, 0, OD_U8, OD_RO, "Position loop", 2, NULL, 0, 0},
    {0x2001, 1, OD_F32, OD_RW, "Gain, Nm/rad", 0x43c80000 /* 400 */, NULL, 0, 0},
    {0x2001, 2, OD_F32, OD_RW, "Damping, Nms/rad", 0x41400000 /* 12 */, NULL, 0, 0},
    {0x603f, 0, OD_U16, OD_RO | OD_TX, "Error code", 0, NULL, 0, 0},
    {0x6040, 0, OD_U16, OD_RW | OD_RX, "Control word", 0, NULL, 0, 0},
    {0x6041, 0, OD_U16, OD_RO | OD_TX, "Status word", 0, NULL, 0, 0},
    {0x605a, 0, OD_I16, OD_RW, "Quick stop option", 2, NULL, 0, 0},
    {0x605c, 0, OD_I16, OD_RW, "Disable operation option", 1, NULL, 0, 0},
    {0x605e, 0, OD_I16, OD_RW, "Fault reaction option", 2, NULL, 0, 0},
    {0x6060, 0, OD_I8, OD_RW | OD_RX, "Mode of operation", 0, NULL, 0, 0},
    {0x6061, 0, OD_I8, OD_RO | OD_TX, "Mode of operation display", 0, NULL, 0, 0},
    {0x6064, 0, OD_I32, OD_RO | OD_TX, "Position actual value", 0, NULL, 0, 0},
    {0x6065, 0, OD_U32, OD_RW, "Following error window", 20000, NULL, 0, 0},
    {0x6066, 0, OD_U16, OD_RW, "Following error time, ms", 20, NULL, 0, 0},
    {0x606c, 0, OD_I32, OD_RO | OD_TX, "Velocity actual value", 0, NULL, 0, 0},
    {0x6071, 0, OD_I16, OD_RW | OD_RX, "Target torque", 0, NULL, 0, 0},
    {0x6072, 0, OD_U16, OD_RW | OD_RX, "Greatest torque", 3000, NULL, 0, 0},
    {0x6076, 0, OD_U32, OD_RW, "Rated torque, mNm", 10000, NULL, 0, 0},
    {0x6077, 0, OD_I16, OD_RO | OD_TX, "Torque actual value", 0, NULL, 0, 0},
    {0x607a, 0, OD_I32, OD_RW | OD_RX, "Target position", 0, NULL, 0, 0},
    {0x6085, 0, OD_U32, OD_RW, "Quick stop deceleration", 0, NULL, 0, 0},
    {0x6087, 0, OD_U32, OD_RW, "Torque slope", 0, NULL, 0, 0},
    {0x608f, 0, OD_U8, OD_RO, "Position encoder resolution", 2, NULL, 0, 0},
    {0x608f, 1, OD_U32, OD_RW, "Increments", 1048576, NULL, 0, 0},
    {0x608f, 2, OD_U32, OD_RW, "Revolutions", 1, NULL, 0, 0},
    {0x60b2, 0, OD_I16, OD_RW | OD_RX, "Torque offset", 0, NULL, 0, 0},
    {0x60c2, 0, OD_U8, OD_RO, "Interpolation time", 2, NULL, 0, 0},
    {0x60c2, 1, OD_U8, OD_RW, "Period", 1, NULL, 0, 0},
    {0x60c2, 2, OD_I8, OD_RW, "Power of ten", 0xfd, NULL, 0, 0},
    {0x60f4, 0, OD_I32, OD_RO | OD_TX, "Following error", 0, NULL, 0, 0},
    {0x60ff, 0, OD_I32, OD_RW | OD_RX, "Target velocity", 0, NULL, 0, 0},
    {0x6502, 0, OD_U32, OD_RO, "Supported modes", 0x00000280, NULL, 0, 0},
};

const struct device_type device_drive_cia402 = {
    .name = "drive",
    .title = "CiA 402 drive",
    .order = "LAB-402",
    .vendor = DEVICES_LAB_VENDOR,
    .product = 0x00000402,
    .revision = 1,
    .mailbox = true,
    .dc = true,
    .sync_limit = 20,
    .outputs_start = 0x1100,
    .outputs_control = 0x64,
    .inputs_start = 0x1400,
    .inputs_control = 0x20,
    .rows = rows,
    .row_count = COUNT_OF(rows),
    .reset = reset,
    .step = step,
};
