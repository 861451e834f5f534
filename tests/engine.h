/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine.h - every robot of tests/robots.h in random states, and the slow textbook way to the same
 * answers.
 *
 * The textbook way multiplies poses along the chain and sums J'IJ over the links, straight from the
 * robot's table, with model/se3 and model/body only: nothing of the engine is in it.
 */
#ifndef FREEFALL_ENGINE_H
#define FREEFALL_ENGINE_H

#include "model/multibody.h"
#include "tests/draw.h"
#include "tests/robots_model.h"

enum { ENGINE_ROBOTS = 9 };

struct engine {
    struct robot robot;
    struct robots_joint table[ROBOTS_JOINTS]; /* of a random robot */
    struct multibody_model m;
    struct multibody_work w;
    double q[MULTIBODY_JOINTS];
    struct multibody_vector nu;
};

/* Robot number i: free bases of 300, 1500 and 3 kg, fixed, two arms, planar, and three random ones
 * with arms of 8 and 6 joints on a free, planar and fixed base. */
void engine_build(struct engine *e, int i);

/* A random state: |q| <= 3 rad, rates and base twist up to 1. Base entries that are not free are
 * zero. */
void engine_draw(struct engine *e, struct draw *d);

/* Every stage that works without a load: kinematics, rates, mass, joint mass, bias. */
void engine_stages(struct engine *e);

/* A random stacked vector, entries up to size, base entries that are not free zero. */
void engine_vector(struct multibody_vector *x, const struct engine *e, struct draw *d, double size);

/* Pose in the base of link i, or of the base. */
void engine_link_pose(struct pose *g, const struct engine *e, const double *q, int link);

/* Jacobian 6 x (6 + joints) of the frame at g in the link, in the frame's axes; all six base
 * columns. */
void engine_jacobian(double *J, const struct engine *e, const double *q, int link,
                     const struct pose *g);

/* Mass matrix (6 + joints)^2 as the sum of J'IJ over the links, rotors on the diagonal. */
void engine_mass(double *M, const struct engine *e, const double *q);

/* The engine's own dense M at q, dof x dof. The state of the engine changes. */
void engine_dense_mass(double *M, struct engine *e, const double *q);

/* d/dt of it along the joints' motion, by a central difference of four points. */
void engine_mass_rate(double *M_dot, struct engine *e);

#endif
