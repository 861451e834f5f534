/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device_cia402.c - the state machine of a drive after CiA 402, as a pure function of control word and state. */
#include "tools/lab/devices.h"

enum command {
    COMMAND_NONE,
    COMMAND_SHUTDOWN,
    COMMAND_SWITCH_ON,
    COMMAND_ENABLE,
    COMMAND_DISABLE_VOLTAGE,
    COMMAND_QUICK_STOP,
};

/* The command in bits 0 to 3 and 7 of a control word; bits that do not matter are masked out. */
static enum command command_of(uint16_t control)
{
    if ((control & 0x80) != 0) {
        return COMMAND_NONE;
    }
    if ((control & 0x02) == 0) {
        return COMMAND_DISABLE_VOLTAGE;
    }
    if ((control & 0x04) == 0) {
        return COMMAND_QUICK_STOP;
    }
    if ((control & 0x01) == 0) {
        return COMMAND_SHUTDOWN;
    }
    return (control & 0x08) != 0 ? COMMAND_ENABLE : COMMAND_SWITCH_ON;
}

static int next_from_ready(enum command command)
{
    switch (command) {
    case COMMAND_SWITCH_ON:
    case COMMAND_ENABLE: /* enabled one step later */
        return DEVICE_DRIVE_SWITCHED_ON;
    case COMMAND_DISABLE_VOLTAGE:
    case COMMAND_QUICK_STOP:
        return DEVICE_DRIVE_DISABLED;
    default:
        return DEVICE_DRIVE_READY;
    }
}

static int next_from_on(int state, enum command command)
{
    switch (command) {
    case COMMAND_ENABLE:
        return DEVICE_DRIVE_ENABLED;
    case COMMAND_SWITCH_ON:
        return DEVICE_DRIVE_SWITCHED_ON;
    case COMMAND_SHUTDOWN:
        return DEVICE_DRIVE_READY;
    case COMMAND_DISABLE_VOLTAGE:
        return DEVICE_DRIVE_DISABLED;
    case COMMAND_QUICK_STOP:
        return state == DEVICE_DRIVE_ENABLED ? DEVICE_DRIVE_QUICK_STOP : DEVICE_DRIVE_DISABLED;
    default:
        return state;
    }
}

int device_cia402_next(int state, uint16_t control, uint16_t before, bool resume)
{
    const enum command command = command_of(control);

    switch (state) {
    case DEVICE_DRIVE_NOT_READY:
        return DEVICE_DRIVE_DISABLED;
    case DEVICE_DRIVE_DISABLED:
        return command == COMMAND_SHUTDOWN ? DEVICE_DRIVE_READY : state;
    case DEVICE_DRIVE_READY:
        return next_from_ready(command);
    case DEVICE_DRIVE_SWITCHED_ON:
    case DEVICE_DRIVE_ENABLED:
        return next_from_on(state, command);
    case DEVICE_DRIVE_QUICK_STOP:
        if (command == COMMAND_DISABLE_VOLTAGE) {
            return DEVICE_DRIVE_DISABLED;
        }
        return command == COMMAND_ENABLE && resume ? DEVICE_DRIVE_ENABLED : state;
    case DEVICE_DRIVE_FAULT:
        return (control & ~before & 0x80) != 0 ? DEVICE_DRIVE_DISABLED : state;
    default:
        return state;
    }
}
