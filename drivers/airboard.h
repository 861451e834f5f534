/* SPDX-License-Identifier: GPL-3.0-or-later */
/* airboard.h - board of the planar robot: six nozzle valves and six servos of the arm and gripper. [AIR 1, 2]
 *
 * Outputs: one byte of valves (bit 0: nozzle 1), six signed words of servo angle in 1e-4 rad. Inputs: valves in force,
 * sequence (a new one for each step of the board), tank pressure in mbar, supply in mV, status (0: well).
 */
#ifndef FREEFALL_AIRBOARD_H
#define FREEFALL_AIRBOARD_H

#include <stdint.h>

#include "model/base.h"

#define AIRBOARD_OUTPUTS     13
#define AIRBOARD_INPUTS      9
#define AIRBOARD_SERVOS      6
#define AIRBOARD_VALVES      0x3f
#define AIRBOARD_REPEATS_MAX 3 /* cycles without a new sequence: the board stands still */

struct airboard_model {
    double servo_least_rad[AIRBOARD_SERVOS], servo_most_rad[AIRBOARD_SERVOS];
    double servo_rate_rad_s; /* greatest speed of a commanded angle */
    double pressure_least_pa, supply_least_v;
};

struct airboard_state {
    bool started;
    uint16_t sequence;
    uint32_t repeats;
    double servo_rad[AIRBOARD_SERVOS]; /* last commanded */
    bool commanded;
};

struct airboard_sample {
    bool valid;     /* frame valid, board alive and well */
    uint8_t valves; /* open now */
    double pressure_pa, supply_v;
    uint16_t status; /* 0: well */
    bool low;        /* pressure or supply below its least value */
};

struct airboard_command {
    bool on;        /* false: valves closed, servos stay */
    uint8_t valves; /* bit 0: nozzle 1 */
    double servo_rad[AIRBOARD_SERVOS];
};

/* 0; -EINVAL for a range that is empty or beyond 3.2767 rad, or a rate not positive. */
int airboard_init(const struct airboard_model *m, struct airboard_state *s);

RT_SAFE void airboard_read(const struct airboard_model *m, struct airboard_state *s,
                           const uint8_t *inputs, bool valid, struct airboard_sample *out);

/* Command to bytes. Opposing nozzles (1 and 3, 2 and 5, 4 and 6) are never open together: both stay shut. A servo goes
 * no faster than it may; an angle that is not finite is not followed. The first angles are taken as they are: the
 * servos have no sensor, so the caller starts with the pose the arm is in. */
RT_SAFE void airboard_write(const struct airboard_model *m, struct airboard_state *s,
                            const struct airboard_command *command, double dt_s, uint8_t *outputs);

#endif
