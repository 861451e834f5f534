/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody.h - a robot of rigid bodies: one base and up to two arms of up to eight revolute
 * joints.
 *
 * One engine for the servicer, its arm torques, the multi-arm robot, the planar robot and the
 * simulated lab. This header builds the robot and computes where its links are; the other stages
 * have a header each:
 *
 *     multibody.h          kinematics(q) ---------> rates(qd)
 *                              |                       |
 *     multibody_frame.h    pose, Jacobian,        its bias Jdot nu
 *                          wrench J'F
 *     multibody_mass.h     mass -> joint -> dense      |        gravity, momentum, energy, base solve
 *     multibody_bias.h       `------ bias pass --------'        then h(V) for any number of base twists
 *     multibody_inverse.h    `------ inverse ----------'        h for one twist, inverse dynamics, C(nu) nu_r
 *     multibody_solve.h      `-- factor -> solve, forward dynamics
 *
 * Every function says which stage it needs; nothing is recomputed behind the caller's back.
 *
 * Frames: everything inside is in base axes at the base origin, so the pose of the base in the
 * world never enters; gravity comes in as a vector in base axes. Base twist V = [v; w] in base axes
 * (body twist), linear part first. Links are numbered by the joint that moves them: link i moves
 * with joint i, 0 <= i < m->joints, the first arm's joints first; the base is link MULTIBODY_BASE.
 * Stacked vectors have the base rows first: nu = [V; qd].
 *
 * Links are lanes: arrays are [row][8], one lane for each joint of an arm. Unused lanes hold zeros.
 *
 * Bad numbers: a NaN or a value beyond MULTIBODY_*_MAX in an input is taken as zero and clears
 * w->valid; results stay finite and bounded. w->valid is set by multibody_kinematics() and holds
 * for all that follows until its next call.
 */
#ifndef FREEFALL_MULTIBODY_H
#define FREEFALL_MULTIBODY_H

#include "model/body.h"

enum {
    MULTIBODY_LANES = 8, /* joints of one arm at most */
    MULTIBODY_ARMS = 2,
    MULTIBODY_JOINTS = MULTIBODY_LANES * MULTIBODY_ARMS,
    MULTIBODY_DOF = 6 + MULTIBODY_JOINTS,
    MULTIBODY_BASE = -1 /* the base, where a link is asked for */
};

#define MULTIBODY_ANGLE_MAX 1e5  /* |q|, rad: what model/trig.h computes exactly */
#define MULTIBODY_RATE_MAX  1e6  /* |qd|, |V|, rad/s and m/s */
#define MULTIBODY_LOAD_MAX  1e12 /* |force|, |torque|, |acceleration|, N, Nm, m/s^2, rad/s^2 */

/* How the base may move; the value is its number of columns nb in every Jacobian and mass matrix. */
enum multibody_base {
    MULTIBODY_FIXED = 0,
    MULTIBODY_PLANAR = 3, /* x, y and yaw of the base frame: entries 0, 1, 5 of V */
    MULTIBODY_FLOATING = 6
};

/* One arm, as the engine wants it: joint i turns about the z axis of its own frame. */
struct multibody_arm {
    /* joint frame in the parent's at q = 0: quaternion x y z w, and its origin in its own axes, R'p */
    _Alignas(16) double place[7][MULTIBODY_LANES];
    double body[10][MULTIBODY_LANES]; /* link in its joint frame: mass, moment, then inertia as zz,
                                         (xx - zz)/2, (yy - zz)/2, xy, xz, yz */
    double rotor[MULTIBODY_LANES];    /* rotor inertia seen at the joint, kg m^2 */
    double turn[9][MULTIBODY_LANES];  /* R: the link axes the user gave, in the joint frame */
    int joints;
};

/* Constant after the last multibody_add_...(). */
struct multibody_model {
    struct multibody_arm arm[MULTIBODY_ARMS];
    struct body base_body; /* in base axes */
    enum multibody_base base;
    int arms;
    int joints; /* of all arms */
};

/* A frame fixed in a link: where Jacobians are taken, wrenches act, payloads sit. Made by
 * multibody_frame(). */
struct multibody_frame {
    struct pose offset; /* in the engine's joint frame, or in the base */
    int arm;            /* MULTIBODY_BASE, or which arm */
    int lane;           /* which joint of that arm; -1 for the base */
};

/* A stacked vector: velocity [V; qd], acceleration, load [F; tau], bias. The base part always has
 * its six entries; of a planar base only 0, 1, 5 are free and the others are prescribed motion or
 * bearing reaction. Joint i at joint[i]. */
struct multibody_vector {
    double base[6];
    double joint[MULTIBODY_JOINTS];
};

/* Results of one arm. */
struct multibody_arm_work {
    /* in force since multibody_reset(), multibody_attach() */
    _Alignas(16) double body[10][MULTIBODY_LANES]; /* links with payloads, as above */
    /* multibody_kinematics() */
    double q[MULTIBODY_LANES];
    double x[3][MULTIBODY_LANES], y[3][MULTIBODY_LANES]; /* axes of the joint frames */
    double p[3][MULTIBODY_LANES];                        /* their origins, m */
    double S[6][MULTIBODY_LANES];                        /* screws [p x z; z] */
    /* multibody_rates() */
    double qd[MULTIBODY_LANES];
    double v[6][MULTIBODY_LANES]; /* twists of the links relative to the base */
    double a[6][MULTIBODY_LANES]; /* their accelerations for qdd = 0, V = 0 */
    /* multibody_mass() */
    double I[9][MULTIBODY_LANES];   /* link: moment 0-2, inertia 3-8 (mass: body[0]) */
    double Ic[10][MULTIBODY_LANES]; /* the links from i outwards as one body */
    double F[6][MULTIBODY_LANES];   /* Ic S: column i of M_bq */
    /* multibody_mass_joint() */
    double M[MULTIBODY_LANES][MULTIBODY_LANES]; /* M_qq of this arm, row i lanes 0..i */
    /* multibody_bias(): h_q as a polynomial of the angular rate of the base */
    double bias[10][MULTIBODY_LANES];
    /* multibody_solve_factor() */
    double Y[6][MULTIBODY_LANES];               /* M_bb^-1 F */
    double H[MULTIBODY_LANES][MULTIBODY_LANES]; /* L of H = L' D L, row i lanes 0..i-1 */
    double pivot[MULTIBODY_LANES];              /* 1 / D */
};

/* The inverse of M_bb through the centre of mass, on the free directions of the base; zero
 * elsewhere. */
struct multibody_base_inverse {
    double com[3];
    double reciprocal;      /* 1 / m */
    double free[3];         /* 1 or 0: may the base move along this axis? */
    double mass_inverse[3]; /* by axis, 1/kg */
    double inertia[6];      /* (J about com)^-1: xx yy zz xy xz yz */
    double central[6];      /* J about com */
};

/* All arms together at V = 0, about the centre of mass c of the whole robot. */
struct multibody_base_bias {
    double P[6];  /* 2 P_lin / m, m/s, and P_ang: momentum */
    double f[6];  /* f_lin / m, m/s^2, and f_ang: rate of momentum */
    double dJ[6]; /* rate of inertia, xx yy zz xy xz yz */
};

/* Work space, owned by the caller, one for each thread; about 14 kB, of which a robot with one arm
 * touches half. It holds no pointer: it may be copied. Placed at a multiple of 64 it is a little
 * faster. */
struct multibody_work {
    struct multibody_arm_work arm[MULTIBODY_ARMS];
    double cross[MULTIBODY_LANES]
                [MULTIBODY_LANES];         /* L: row of arm 1, lane of arm 0; solve_factor */
    struct body base;                      /* the base with its payloads; reset, attach */
    struct body total;                     /* M_bb: the whole robot as one body; multibody_mass() */
    struct multibody_base_inverse inverse; /* multibody_mass() */
    struct multibody_base_bias bias;       /* multibody_bias() */
    int joints[MULTIBODY_ARMS];            /* of the model; reset */
    bool fixed;                            /* the base of the model cannot move; reset */
    bool valid;                            /* every input since multibody_kinematics() was usable */
};

_Static_assert(sizeof(struct multibody_work) - offsetof(struct multibody_work, base) +
                       sizeof(struct multibody_arm_work) <=
                   8192,
               "what a robot with one arm touches of the work space must stay within 8 kB");

/* ---- building the robot (set-up, not for the cycle) ---- */

/* Start a robot with this base body (in base axes) and no joint yet. 0, or -EINVAL for a body that
 * cannot exist (body_check()) or, if the base is not fixed, has no mass. */
int multibody_init(struct multibody_model *m, enum multibody_base base, const struct body *body);

/* A joint and the link it moves, in the manner of URDF. */
struct multibody_joint {
    struct pose
        place; /* joint frame in the parent link's frame; it is also the link's frame at q = 0 */
    double axis[3];    /* in the joint frame, any length but zero; the link turns about it by q */
    struct body body;  /* of the link, in the link's frame */
    double rotor_kgm2; /* rotor inertia times gear ratio squared; on the joint diagonal only */
};

/* Append a joint behind link parent: MULTIBODY_BASE begins an arm, else it must be the last link of
 * the arm in work (an arm does not branch). Returns its number, or -EINVAL (parent, axis, pose not
 * a rotation, body, rotor inertia), or -ENOSPC (third arm, ninth joint). The model is unchanged by
 * an error. */
int multibody_add_joint(struct multibody_model *m, int parent, const struct multibody_joint *joint);

/* A body for good at g in the frame of the link (a tool, a part behind a fixed joint). 0 or
 * -EINVAL. */
int multibody_add_body(struct multibody_model *m, int link, const struct pose *g,
                       const struct body *body);

/* The frame at g in the frame of the link. 0, or -EINVAL for a link that is not there or a pose
 * that is none. */
int multibody_frame(struct multibody_frame *f, const struct multibody_model *m, int link,
                    const struct pose *g);

/* Prepare the work space: no payload, every lane zero. Call it once before all else, or to forget
 * all payloads. */
RT_SAFE void multibody_reset(const struct multibody_model *m, struct multibody_work *w);

/* ---- payloads at run time; in force from the next multibody_mass() ---- */

/* Add a body, told in the frame. False, and nothing changed, for a body that cannot exist. */
RT_SAFE bool multibody_attach(struct multibody_work *w, const struct multibody_frame *at,
                              const struct body *load);
/* Take all payloads off the link the frame is on: its inertia is the model's again, to the last
 * bit. */
RT_SAFE void multibody_detach(const struct multibody_model *m, struct multibody_work *w,
                              const struct multibody_frame *at);

/* ---- stacked vectors ---- */

/* Columns of the mass matrix, nb + joints. */
RT_SAFE static inline int multibody_dof(const struct multibody_model *m)
{
    return (int)m->base + m->joints;
}

/* Entry of V that is row i of a stacked vector, i < nb. */
RT_SAFE static inline int multibody_base_row(const struct multibody_model *m, int i)
{
    return m->base == MULTIBODY_PLANAR && i == 2 ? 5 : i;
}

/* dense[dof] = [base rows that are free; joints], and back (rows that are not free become zero). */
RT_SAFE void multibody_stack(double *dense, const struct multibody_model *m,
                             const struct multibody_vector *x);
RT_SAFE void multibody_unstack(struct multibody_vector *x, const struct multibody_model *m,
                               const double *dense);

/* ---- stages ---- */

/* Where the links are: joint frames and screws from q[m->joints], rad. Sets w->valid. */
RT_SAFE void multibody_kinematics(const struct multibody_model *m, struct multibody_work *w,
                                  const double *q);

/* How they move relative to the base: twists and bias accelerations from qd[m->joints], rad/s.
 * Needs multibody_kinematics(). */
RT_SAFE void multibody_rates(const struct multibody_model *m, struct multibody_work *w,
                             const double *qd);

#endif
