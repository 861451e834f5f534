/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control.h - everything the controller decides in one cycle, as one pure function.
 *
 *     control_step(model, state, input, output)      1 kHz, no clock, no I/O, no allocation
 *
 * freefall run, sim and replay call this same object code with inputs from the wire, from the simulated lab, or from
 * a recorded run. Order: check inputs, nominal motion, client, servicer, what the satellite's sensors see, on-board
 * software, arm torque, passivity, limits, mode.
 *
 * The lab frame N is laid where the client robot stands when motion begins, so that the first command is the measured
 * pose to the last bit. Both robots are told in that one frame; their bases are the drivers' business.
 */
#ifndef FREEFALL_CONTROL_H
#define FREEFALL_CONTROL_H

#include "model/client.h"
#include "model/friction.h"
#include "model/nominal.h"
#include "model/obsw.h"
#include "model/passivity.h"
#include "model/sensors.h"
#include "model/servicer.h"
#include "rt/limit.h"
#include "rt/safety.h"

enum { CONTROL_CLIENT, CONTROL_SERVICER, CONTROL_ROBOTS };

/* On-board software: built in, a shared library, or another process; always behind the same table. */
struct control_obsw {
    const struct obsw_interface *table;
    void *self;
};

/* When samples are refused and motion is stopped. */
struct control_thresholds {
    double force_n, torque_nm;                  /* at the sensor, after compensation */
    int wrench_stale, joints_stale, robot_late; /* cycles without a new sample */
    int wrench_frozen;                          /* identical samples in a row */
    double tracking_m, tracking_rad; /* measured against commanded pose, beyond the known delay */
    double energy_j;                 /* made by lateness and not taken out: |E_eff| */
    double contact_n;                /* force from which something touches */
    int obsw_late;                   /* answers missed in a row that are bridged */
};

/* Constant after control_init(). */
struct control_model {
    double dt_s;
    struct nominal_model nominal;
    struct client_model client;
    struct servicer_model servicer;
    struct passivity_model passivity[CONTROL_ROBOTS];
    struct friction_model friction; /* of the real arm; all zero: none is estimated */
    double lead_s[CONTROL_ROBOTS];  /* dead time and one interpolation period of the robot */
    struct sensors_star_model star;
    struct sensors_relative_model navigation;
    uint64_t seed;
    struct control_obsw obsw;
    struct limit_model limit[CONTROL_ROBOTS];
    double joint_low_rad[MULTIBODY_LANES], joint_high_rad[MULTIBODY_LANES]; /* may be infinite */
    double joint_rate_radps[MULTIBODY_LANES];                               /* may be infinite */
    double torque_nm[MULTIBODY_LANES];    /* greatest joint torque */
    double torque_rate_nmps;              /* greatest change of it */
    double base_force_n, base_torque_nm;  /* greatest F_b by axis: thrusters and wheels */
    double hold_damping[MULTIBODY_LANES]; /* Nms/rad, of the arm outside RUN */
    double gravity[3];                    /* in the axes the robots' poses are told in, m/s^2 */
    double client_velocity[6];            /* V_t at the start */
    struct control_thresholds threshold;
};

/* A value from outside, with its age in cycles; not valid means not to be used at all. */
struct control_wrench {
    double
        value[6]; /* contact wrench on the client, at T, T axes: compensated (estimation/ftcomp) */
    int age;
    bool valid;
};

struct control_joints {
    double position[MULTIBODY_LANES];
    double velocity[MULTIBODY_LANES];
    int age;
    bool valid;
};

struct control_robot {
    struct pose pose; /* measured, of the body (T or B) */
    double velocity[6];
    int age;
    bool valid;
};

/* The validated samples of one cycle. */
struct control_input {
    uint64_t cycle;
    int64_t time_ns; /* since the start of the program */
    struct control_wrench wrench;
    struct control_joints joints;
    struct control_robot robot[CONTROL_ROBOTS];
    enum safety_request request;
    uint32_t causes; /* seen outside: bus, drives, overruns, log, emergency stop */
    bool ready;      /* bus and links are up */
    bool latched;    /* the gripper reports that it holds */
};

/* What leaves the cycle. */
struct control_output {
    struct motion robot[CONTROL_ROBOTS]; /* commanded pose, twist, acceleration */
    double torque[MULTIBODY_LANES];      /* tau_q, Nm */
    bool torque_on;                      /* drives enabled */
    bool grip;
    enum safety_mode mode;
    uint32_t causes; /* present in this cycle */
    uint32_t phase;  /* of the on-board software */
};

/* What flies: everything that is put back to its start when motion begins. */
struct control_flight {
    struct nominal_state nominal;
    struct client_state client;
    struct passivity_state passivity[CONTROL_ROBOTS];
    struct sensors_star_state star;
    struct sensors_relative_state navigation;
    struct friction_state friction;
};

/* Owned by the caller, changed by control_step() only. */
struct control_state {
    enum safety_mode mode;
    uint32_t first_causes; /* what led to the last HOLD, STOP or FAULT */
    uint64_t run_cycles;   /* since motion began */
    struct pose lab;       /* g_LN: frame N as the robots' poses are told */

    struct control_flight start, flight;
    struct servicer_state servicer;
    struct servicer_work ahead; /* of the arm torque */
    struct motion servicer_orbit, servicer_lab;
    struct motion measured_orbit[CONTROL_ROBOTS]; /* [REL 23] */
    double gripper_wrench[6];                     /* F_e */

    struct obsw_input obsw_in;
    struct obsw_output obsw_out; /* after checks and limits: what acts */
    int obsw_bad;                /* cycles in a row without a usable answer */

    struct limit_state limit[CONTROL_ROBOTS];
    double torque[MULTIBODY_LANES]; /* last command */
    double joints
        [MULTIBODY_LANES]; /* last usable position: what holds the arm when samples are absent */
    bool joints_known;     /* there was one */
    double last_wrench[6];
    int frozen; /* identical wrench samples in a row */
};

/* Check every part and set the state to INIT. 0 or -EINVAL. */
int control_init(const struct control_model *m, struct control_state *s);

/* One period. */
RT_SAFE void control_step(const struct control_model *m, struct control_state *s,
                          const struct control_input *in, struct control_output *out);

#endif
