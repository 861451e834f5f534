/* SPDX-License-Identifier: GPL-3.0-or-later */
/* body.h - the inertia of one rigid body as ten numbers: mass, first moment, second moments.
 *
 * All about the origin and in the axes of some frame. Ten numbers add like numbers: two bodies that
 * move together are the sum of both, as long as they are told in the same frame. As a 6 x 6 matrix
 * on V = [v; w]:
 *
 *     I = [ m 1    -[h] ]      h = m c, c the centre of mass
 *         [ [h]     J   ]      J about the origin, not about c
 */
#ifndef FREEFALL_BODY_H
#define FREEFALL_BODY_H

#include "model/se3.h"

struct body {
    double mass_kg;
    double moment[3];  /* h = m c, kg m */
    double inertia[6]; /* J about the origin: xx, yy, zz, xy, xz, yz, kg m^2 */
};

/* Body of the mass with centre of mass com (m) and inertia about it, xx yy zz xy xz yz (kg m^2),
 * axes of the frame. */
RT_SAFE void body_make(struct body *b, double mass_kg, const double com[static 3],
                       const double inertia_com[static 6]);

/* sum = sum + b, both in one frame. */
RT_SAFE void body_add(struct body *sum, const struct body *b);

/* The body told in frame a, from the body told in frame b, g = pose of b in a; a result may be the
 * operand. */
RT_SAFE void body_place(struct body *in_a, const struct pose *g_ab, const struct body *in_b);

/* com (m) and inertia about it, xx yy zz xy xz yz. A body without mass has com 0. */
RT_SAFE void body_central(double com[static 3], double inertia_com[static 6], const struct body *b);

/* P = I V = [m v - h x w; h x v + J w], linear momentum and angular momentum about the origin. */
RT_SAFE void body_momentum(double P[static 6], const struct body *b, const double V[static 6]);

/* h = -ad_V^T I V, the wrench that keeps the twist constant: I V' + h = F [REL 2]. */
RT_SAFE void body_bias(double h[static 6], const struct body *b, const double V[static 6]);

/* A = I, 6 x 6. */
RT_SAFE void body_matrix(double A[static 36], const struct body *b);

/* The three principal moments about the centre of mass, ascending, kg m^2. */
RT_SAFE void body_principal(double moment_kgm2[static 3], const struct body *b);

/* What keeps a body from existing; body_check() names the first that applies. */
enum body_fault {
    BODY_GOOD = 0,
    BODY_NOT_FINITE, /* some number is NaN or infinite */
    BODY_MASS_NEGATIVE,
    BODY_TOO_LARGE,    /* mass or a moment above BODY_MAX, in its unit */
    BODY_MOMENT_ONLY,  /* first or second moments without mass */
    BODY_NOT_POSITIVE, /* a principal moment below zero */
    BODY_NOT_TRIANGLE  /* a principal moment above the sum of the other two */
};

#define BODY_MAX 1e12

/* Could this body exist? Zero mass with all moments zero is allowed (a frame only), and so is a rod
 * or a point. *worst (may be NULL) is the number to show: the mass or the greatest entry, the least
 * principal moment for BODY_NOT_POSITIVE, the sum of the two smaller minus the greatest for
 * BODY_NOT_TRIANGLE. Both are allowed 1e-9 of the greatest moment for rounded tables. */
RT_SAFE enum body_fault body_check(const struct body *b, double *worst);

#endif
