/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contact.h - gripper against ring: pads that touch a face, jaws that latch.
 *
 * Frames: G on the client, its z axis into the client, the plane z = 0 the face of the ring; E in the gripper jaws,
 * equal to G in a perfect grasp. Everything depends on the pose of E in G and on their relative twist only, so
 * the forces are the same in lab and orbit. Used by the simulated lab and by tests; on hardware, steel does this.
 *
 *     face    pads press on the plane, with loss and friction; they cannot pull
 *     latch   six-dimensional spring and damper, closed when E was near enough, slow enough, long enough.
 *             It takes hold where E is and then pulls it home, so that nothing jumps.
 */
#ifndef FREEFALL_CONTACT_H
#define FREEFALL_CONTACT_H

#include "model/se3.h"

#define CONTACT_PADS 8

/* Constant after contact_init(). Zero stiffness switches a part off. */
struct contact_model {
    /* face: f = k depth (1 + loss depth'), never below 0 (Hunt and Crossley) */
    double face_npm;             /* k of each pad */
    double face_loss_spm;        /* s/m */
    double face_friction;        /* Coulomb's coefficient */
    double face_slip_mps;        /* speed at which friction is at 71 % */
    double pad[CONTACT_PADS][3]; /* in E, m */
    int pads;

    /* latch, diagonal in the axes of E: N/m and Nm/rad, Ns/m and Nms/rad */
    double latch_stiffness[6];
    double latch_damping[6];
    double latch_ramp_s; /* stiffness and damping grow from 0 to full in this time */
    double latch_pull_s; /* the rest pose goes from where E was to G in this time */

    /* all of these for hold_s close the latch; it opens only below the loads */
    double latch_distance_m, latch_angle_rad, latch_speed_mps, latch_hold_s;
    double release_n, release_nm;
};

enum contact_phase { CONTACT_OPEN, CONTACT_LATCHED };

/* Owned by the caller, changed by contact_next() only. */
struct contact_state {
    enum contact_phase phase;
    double near_s;    /* how long the conditions have been met */
    double latched_s; /* time since the latch closed */
    double offset[6]; /* logarithm of the pose of E in G at that moment */
};

/* Gripper as seen from the ring. */
struct contact_input {
    struct pose g_ge; /* E in G */
    double V_ge[6];   /* its body twist, E axes: contact_twist() */
    bool close;       /* the gripper is told to hold */
};

struct contact_output {
    double F_e[6];   /* on the gripper, at E, E axes */
    double F_g[6];   /* on the client, at G, G axes */
    double energy_j; /* stored in face and latch */
};

/* Check the model and open the latch. 0, or -EINVAL for a value below zero or not finite, more than CONTACT_PADS pads, or a
 * stiffness about one axis above the sum of the other two, which no spring has. */
int contact_init(const struct contact_model *m, struct contact_state *s);

/* V_ge = V_e - Ad_{g_ge^-1} V_g, from the body twists of both frames in any inertial frame. */
RT_SAFE void contact_twist(double V_ge[static 6], const struct pose *g_ge,
                           const double V_g[static 6], const double V_e[static 6]);

/* The wrenches of this instant; changes nothing, so an integrator may ask as often as it likes. */
RT_SAFE void contact_wrench(const struct contact_model *m, const struct contact_state *s,
                            const struct contact_input *in, struct contact_output *out);

/* Latch or release, and advance the time of the latch by dt_s. */
RT_SAFE void contact_next(const struct contact_model *m, struct contact_state *s,
                          const struct contact_input *in, double dt_s);

#endif
