/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cia402.h - a drive that follows CiA 402: its state machine, and its bytes to torque and angle and back.
 *
 * The state machine is one pure function from the drive's state and what is wanted to the next control word. No torque
 * leaves before the drive says that operation is enabled in the mode commanded; then it grows over 50 ms. A position
 * command is the measured position until then, and moves away from it no faster than the joint may.
 */
#ifndef FREEFALL_CIA402_H
#define FREEFALL_CIA402_H

#include <stdint.h>

#include "model/base.h"

#define CIA402_OUTPUTS 13 /* 0x6040 0x6060 0x6071 0x607a 0x60ff */
#define CIA402_INPUTS  15 /* 0x6041 0x6061 0x6064 0x606c 0x6077 0x603f */
#define CIA402_RAMP_S  0.05
#define CIA402_STEP_S  0.1 /* a transition takes no longer */
#define CIA402_BRAKE_S 0.5 /* but that into operation: the brake opens */

enum cia402_mode { CIA402_POSITION = 8, CIA402_TORQUE = 10 };

enum cia402_state {
    CIA402_NOT_READY,
    CIA402_DISABLED, /* switch-on disabled */
    CIA402_READY,
    CIA402_SWITCHED_ON,
    CIA402_ENABLED,
    CIA402_QUICK_STOP,
    CIA402_REACTION,
    CIA402_FAULT,
    CIA402_STATES
};

/* What the supervisor wants. */
enum cia402_goal { CIA402_GO_OFF, CIA402_GO_ON, CIA402_GO_RUN, CIA402_GO_STOP, CIA402_GOALS };

/* Constant. */
struct cia402_model {
    enum cia402_mode mode;
    double increments_per_rad; /* of the joint: encoder and gear; negative turns the direction */
    double speed_per_rad_s;    /* unit of 0x606c; the same sign */
    double rated_nm;           /* torque of 1000 per mille, at the joint; the same sign */
    double torque_max_nm;
    double velocity_max_rad_s; /* of the commanded position */
};

struct cia402_status {
    int before;          /* state of the cycle before */
    double waited_s;     /* for a transition */
    double enabled_s;    /* since torque may flow */
    double position_rad; /* last commanded */
    bool reset;          /* bit 7 was high: it must fall before it can rise again */
    bool timeout;        /* a transition took too long; latched */
    bool bad_command;    /* a command was not finite; latched */
};

struct cia402_sample {
    int state;  /* enum cia402_state */
    bool ready; /* operation enabled, in the mode commanded, and the drive follows */
    bool fault, warning, limited;
    int mode;
    double position_rad, velocity_rad_s, torque_nm;
    uint16_t error_code, status;
};

struct cia402_command {
    int goal;   /* enum cia402_goal */
    bool reset; /* operator: a fault may be reset */
    double torque_nm, position_rad;
};

/* State of a status word. */
RT_SAFE int cia402_decode(uint16_t status);

/* Control word that leads from a state towards a goal, one transition a cycle. `reset`: the edge of bit 7 is due. */
RT_SAFE uint16_t cia402_next(int state, int goal, bool reset);

/* 0; -EINVAL for a mode or scale that is none. */
int cia402_init(const struct cia402_model *m, struct cia402_status *s);

RT_SAFE void cia402_read(const struct cia402_model *m, const uint8_t *inputs,
                         struct cia402_sample *out);

/* One cycle: command to bytes, by the sample last read. `valid`: it is of this cycle; otherwise no transition is judged,
 * and a drive that was enabled gets its command as before: one lost frame must not be a step of torque. */
RT_SAFE void cia402_write(const struct cia402_model *m, struct cia402_status *s,
                          const struct cia402_sample *in, const struct cia402_command *command,
                          bool valid, double dt_s, uint8_t *outputs);

#endif
