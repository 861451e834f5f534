/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf.h - the one form in which every library does the same work: a table of functions.
 *
 * Each library is a shared object of its own that exports one struct perf_library named perf_library. It holds its
 * robots (tests/robots.h): the arm on a free base of 300 kg, the robot with two arms, the arm on the ground. A unit starts from raw
 * angles and rates and leaves full results in the library's own memory and own conventions; only perf_library.result,
 * which is never timed, turns them into common ones.
 *
 * The base stands at the origin of the world, unturned, so that world and base axes agree.
 */
#ifndef FREEFALL_PERF_H
#define FREEFALL_PERF_H

#ifdef __cplusplus
extern "C" {
#endif

enum perf_unit {
    PERF_FK_JAC,     /* all link poses, Jacobian of the end-effector 6 x 13 */
    PERF_CRBA,       /* mass matrix */
    PERF_BIAS,       /* Coriolis and centrifugal vector for one base twist */
    PERF_FORWARD,    /* acceleration from q, qd, V, tau, F_b and F_e */
    PERF_EVAL,       /* fk+jac, M, bias for two base twists, 6x6 solve, 13x13 solve */
    PERF_CYCLE,      /* the servicer's cycle: see perf_state */
    PERF_PLANT,      /* one Runge-Kutta step of 1 ms of the whole robot under tau */
    PERF_20_KINDYN,  /* two arms: poses, both Jacobians 12 x 20, M, bias */
    PERF_20_CTRL,    /* the same, (J M^-1 J')^-1 and M^-1 J' (J M^-1 J')^-1 */
    PERF_FIX_MASS,   /* the arm on the ground: mass matrix */
    PERF_FIX_BIAS,   /* its Coriolis and centrifugal vector */
    PERF_FIX_FK_JAC, /* its poses and Jacobian 6 x 7 */
    PERF_SINCOS,     /* eight sines and cosines */
    PERF_UNITS
};

enum { PERF_JOINTS = 14, PERF_DOF = 20, PERF_STATES = 64, PERF_RESULT_MAX = 2000 };

#define PERF_STEP_S 1e-3

/* What the units start from. With one arm the first seven joints count.
 *
 * The cycle: W = F_b + J_b' F_e - M_bq qdd; four Runge-Kutta stages of V' = M_bb^-1 (W - h_b(V)) over PERF_STEP_S at fixed q;
 * feed-forward h_q(V_ground) - h_q(V) + what holds the arm against gravity. */
struct perf_state {
    double q[16], qd[16], qdd[16], tau[16]; /* 14 of them, the rest zero */
    double V[6], V_ground[6];
    double F_b[6];     /* at the base, base axes */
    double F_e[6];     /* at the end-effector, its own axes */
    double gravity[3]; /* base axes */
};

struct perf_library {
    const char *name;  /* short, heads a column */
    const char *build; /* version, compiler, flags */
    int ours;          /* the engine itself: its builds must agree in every bit */
    int needs_avx2;
    void *(*open)(void); /* its robots; NULL after saying why */
    void (*unit[PERF_UNITS])(void *self, const struct perf_state *s); /* NULL: not offered */
    /* What the last call of the unit with this state left, in common conventions:
     *   FK_JAC, FIX_FK_JAC   link origins (3 each, in the base), then R and p of the end-effector, then J (its axes)
     *   CRBA, FIX_MASS       M, row by row; base rows first, base twist linear part first
     *   BIAS, FIX_BIAS       h;   FORWARD  acceleration
     *   EVAL                 J, M, h(V), h(V_ground), V' and nu' under F_b, tau, F_e (V' with the joints held in acceleration zero)
     *   CYCLE                J, M, V after the step, feed-forward
     *   PLANT                V, qd, q, base position, quaternion x y z w with w >= 0
     *   20_KINDYN            J (12 x 20), M, h;   20_CTRL  the same, then (J M^-1 J')^-1 and M^-1 J' (J M^-1 J')^-1
     *   SINCOS               sines, cosines
     * Returns how many numbers it wrote to out[PERF_RESULT_MAX]. */
    int (*result)(double *out, void *self, enum perf_unit unit, const struct perf_state *s);
};

#ifdef __cplusplus
}
#endif

/* Given by the Makefile: version, compiler and flags of the library. */
#ifndef PERF_BUILD
#define PERF_BUILD "unknown"
#endif

#define PERF_EXPORT __attribute__((visibility("default")))

#endif
