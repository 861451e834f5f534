/* SPDX-License-Identifier: GPL-3.0-or-later */
/* margin.h - what a flown mission leaves of every limit of the two industrial robots.
 *
 *     track of the bodies in the lab --> [margin_walk] --> for each kind of limit the least that is left, where, when;
 *                                                          the first instant at which a robot has too little left
 *
 * A robot is followed up to that instant and no further: what its axes would do beyond it means nothing.
 */
#ifndef FREEFALL_MARGIN_H
#define FREEFALL_MARGIN_H

#include "model/mapping.h"
#include "rt/cell.h"

enum margin_kind {
    MARGIN_REACH,              /* m */
    MARGIN_JOINT,              /* rad */
    MARGIN_JOINT_SPEED,        /* rad/s */
    MARGIN_JOINT_ACCELERATION, /* rad/s2 */
    MARGIN_SPEED,              /* of the body: m/s */
    MARGIN_RATE,               /* rad/s */
    MARGIN_ACCELERATION,       /* m/s2 */
    MARGIN_ROTATION,           /* rad/s2 */
    MARGIN_WRIST,              /* rad from a singularity */
    MARGIN_ELBOW,              /* rad */
    MARGIN_OVERHEAD,           /* m */
    MARGIN_GAP,                /* m between the robots */
    MARGIN_FORCE,              /* N */
    MARGIN_TORQUE,             /* Nm */
    MARGIN_DELAY,              /* s, of the contact loop */
    MARGIN_KINDS
};

/* One row: room = what is left between value and limit, enough if at least need. */
struct margin {
    bool seen;
    double value, limit, room, need;
    double time_s;
    int robot; /* CELL_..., -1: both */
    int axis;  /* from 0, -1: none */
    int run;   /* mission, from 0 */
};

struct margin_limits {
    double joint_rad, reach_m, singular_rad, overhead_m, gap_m, share;
    double speed_mps, rate_radps, acceleration_mps2, rotation_radps2;
    double force_n, torque_nm;
};

struct margin_sample {
    double time_s;
    struct motion body[CELL_ROBOTS]; /* T and B in the lab */
    double force_n, torque_nm;
};

/* Owned by the caller, who also owns the samples. */
struct margin_track {
    struct margin_sample *sample;
    int count, most;
    int run;
    bool stopped;      /* by safety, at the last sample */
    uint32_t causes;   /* why */
    double duration_s; /* that was wanted */
};

struct margin_report {
    struct margin least[MARGIN_KINDS];
    struct margin first[CELL_ROBOTS]; /* too little left, for the first time; seen: there is one */
    enum margin_kind kind[CELL_ROBOTS]; /* of which kind */
    double travel_m[CELL_ROBOTS];       /* greatest distance of the flange from where it began */
    double direction[CELL_ROBOTS][3];   /* of that, lab axes */
};

void margin_limits(struct margin_limits *l, const struct config *c);
void margin_clear(struct margin_report *r);

/* Is there enough left? */
bool margin_good(const struct margin *m);
bool margin_passes(const struct margin_report *r); /* every row */

/* The instant of the first violation of any robot; duration_s if there is none. */
double margin_until(const struct margin_report *r, double duration_s);

/* Take a mission into the report, every `every`-th sample, all bodies moved by shift (m, lab axes). */
void margin_walk(struct margin_report *r, const struct cell *c, const struct margin_limits *l,
                 const struct margin_track *t, const double shift[static 3], int every);

/* How far the flange could go from where it begins, straight on in this direction, before margin_walk() would complain, m; at most 10. */
double margin_free_travel(const struct cell *c, const struct margin_limits *l,
                          const struct margin_track *t, int robot,
                          const double direction[static 3]);

#endif
