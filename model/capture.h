/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture.h - the built-in on-board software: synchronise with a tumbling client, approach, grasp, rigidise.
 *
 * Passivity-based tracking in the client's moving frame with the full coupled dynamics of base and arm [REL section 6]:
 *
 *     [F_b; tau] = M xi_r' + C(xi) xi_r - D (xi - xi_r) - [grad U_b + J_b' grad U_e; J_m' grad U_e]
 *
 * xi_r is the motion in which base and gripper move with the client, so that W = 1/2 (xi - xi_r)' M (xi - xi_r) + U_b + U_e
 * never rises [REL 24]. It sees and commands only what obsw.h lets any on-board software see and command.
 */
#ifndef FREEFALL_CAPTURE_H
#define FREEFALL_CAPTURE_H

#include "model/multibody.h"
#include "model/obsw.h"
#include "model/rigid.h"

enum capture_phase {
    CAPTURE_SYNCHRONISE, /* base to its place beside the client, gripper in front of the grasp frame */
    CAPTURE_APPROACH,    /* gripper forward along the grasp axis */
    CAPTURE_GRASP,       /* jaws closed, the latch takes the load */
    CAPTURE_RIGIDISE,    /* springs off, what is left of the relative motion is damped away */
    CAPTURE_PHASES
};

/* Gains of one task: stiffness of position and of orientation. */
struct capture_stiffness {
    double position_npm;       /* k_p, N/m */
    double orientation_nmprad; /* k_o, Nm/rad */
};

/* Constant after capture_init(). */
struct capture_model {
    struct multibody_model robot;        /* servicer, floating, one arm */
    struct multibody_frame gripper;      /* E */
    struct rigid_model client;           /* as the on-board software believes it to be */
    struct pose base_place;              /* g_tb*, wanted B in T */
    struct pose grasp;                   /* g_tG */
    double posture_rad[MULTIBODY_LANES]; /* q0, where the spare joint motion is pulled */
    double posture_gain_ps;              /* k_n, 1/s */
    double standoff_m;                   /* distance of the jaws from G before the approach */
    struct capture_stiffness base, tool;
    double base_damping[6];                /* Ns/m, Nms/rad */
    double joint_damping[MULTIBODY_LANES]; /* Nms/rad */
    double rigidise_damping;               /* factor on joint_damping after the grasp */
    double tool_ramp_s[2]; /* from when to when the tool stiffness grows to its full value */
    double approach_s[2];  /* from when to when the gripper moves forward */
    double grasp_s;        /* how long the grasp lasts before rigidise */
};

struct capture_state {
    enum capture_phase phase;
    double time_s;                                     /* since the start */
    double phase_time_s;                               /* since the phase began */
    double storage_j;                                  /* W, what never rises before the grasp */
    double base_error_m, base_error_rad, tool_error_m; /* of the last step, for reports */
    bool valid;                                        /* the last step saw usable numbers */
    struct multibody_work work;
};

/* What decides about the next phase. */
struct capture_event {
    double time_s;       /* since the start */
    double phase_time_s; /* since the phase began */
    bool latched;        /* the gripper holds the client */
};

/* Check the model and start. 0, or -EINVAL: a robot that does not float or has fewer than 6 joints, a frame not on the arm,
 * a gain negative or not finite, times out of order. */
int capture_init(const struct capture_model *m, struct capture_state *s);

/* The phase after this one, without side effect. */
RT_SAFE enum capture_phase capture_next(const struct capture_model *m, enum capture_phase phase,
                                        const struct capture_event *event);

/* One period: command from what the sensors say. Without valid navigation or joints it commands nothing, and the
 * satellite drifts, which is the safe thing to do in orbit. */
RT_SAFE void capture_step(const struct capture_model *m, struct capture_state *s,
                          const struct obsw_input *in, struct obsw_output *out, double dt_s);

/* "synchronise", "approach", ...; "unknown" beyond the last. */
const char *capture_phase_name(uint32_t phase);

#endif
